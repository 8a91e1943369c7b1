package i915

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	files "astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/hwtest/uapi"
)

// told are the answers to reads, by event.
func told(r *hwtest.Result) map[string][]PMURead {
	out := map[string][]PMURead{}
	for _, e := range r.Truth.(*Truth).PMU {
		out[e.Event] = append(out[e.Event], e.Reads...)
	}
	return out
}

// forRoot skips a test of what counts for the whole machine.
func forRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: this user may not count for the whole machine")
	}
}

// intel_gpu_top reads the driver's counter unit and divides what it grew by from one read to the next.
func TestForeignIntelGPUTopShowsWhatItWasTold(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	forRoot(t)
	top := clients.Path(t, "intel_gpu_top", "intel-gpu-tools")
	for _, scenario := range []string{"", "rc6", "clock-change"} {
		t.Run(scenario, func(t *testing.T) {
			var scenarios []string
			if scenario != "" {
				scenarios = []string{scenario}
			}
			r, out := clients.Run(t, clients.Options{Device: newDevice("kblgt2"), Seed: 3, Scenarios: scenarios, EndAfter: 6}, top, "-J", "-s", "100", "-o", "-")
			var periods []struct {
				Period    struct{ Duration float64 }
				Frequency struct{ Requested, Actual float64 }
				Interrupt struct{ Count float64 } `json:"interrupts"`
				RC6       struct{ Value float64 }
				Engines   map[string]struct{ Busy, Sema, Wait float64 }
			}
			if err := json.Unmarshal([]byte("["+strings.Trim(strings.TrimSpace(out), ",[]")+"]"), &periods); err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			reads := told(r)
			c := clients.Compare(t, "intel_gpu_top -J", strings.TrimSpace("kbl-gt2 "+scenario))
			if len(periods) < 4 || len(reads["rcs0-busy"]) < len(periods)+1 {
				t.Fatalf("%d periods of %d reads:\n%s", len(periods), len(reads["rcs0-busy"]), out)
			}
			for i, p := range periods {
				grew := func(event string) (value, ns float64) {
					a, b := reads[event][i], reads[event][i+1]
					return float64(b.Value - a.Value), float64(b.Enabled - a.Enabled)
				}
				busy, ns := grew("rcs0-busy")
				c.Within(fmt.Sprint("duration ", i), p.Period.Duration, ns/1e6, 1e-6)
				c.Within(fmt.Sprint("busy ", i), p.Engines["Render/3D/0"].Busy, min(100, 100*busy/ns), 1e-6)
				act, ns := grew("actual-frequency")
				c.Within(fmt.Sprint("clock ", i), p.Frequency.Actual, act*1e9/ns, 1e-5)
				irq, ns := grew("interrupts")
				c.Within(fmt.Sprint("interrupts ", i), p.Interrupt.Count, irq*1e9/ns, 1e-5)
				rc6, ns := grew("rc6-residency")
				c.Within(fmt.Sprint("powered down ", i), p.RC6.Value, min(100, 100*rc6/ns), 1e-6)
			}
			if scenario == "rc6" && periods[len(periods)-1].RC6.Value == 0 {
				t.Errorf("it is never powered down:\n%s", out)
			}
		})
	}
}

func TestForeignPerfStatReadsTheDriversUnit(t *testing.T) {
	forRoot(t)
	perf := clients.Path(t, "perf", "linux-perf")
	r, out := clients.Run(t, clients.Options{Device: newDevice("kblgt2"), Seed: 3}, perf, "stat", "-x,", "-a", "-e",
		"i915/rcs0-busy/,i915/actual-frequency/,i915/interrupts/,i915/rc6-residency/", "sleep", "0.2")
	reads := told(r)
	c := clients.Compare(t, "perf stat -e i915/…/", "kbl-gt2")
	for line := range strings.Lines(out) {
		f := strings.Split(line, ",")
		name := ""
		if len(f) > 3 {
			name = strings.Trim(strings.TrimPrefix(f[2], "i915"), "/")
		}
		if len(reads[name]) == 0 {
			t.Fatalf("it prints %q", line)
		}
		last := reads[name][len(reads[name])-1]
		value, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		c.Equal(name, value, last.Value)
		c.Equal(name+"'s time", f[3], last.Enabled)
	}
	// A GPU at 1050 MHz for a fifth of a second and a little.
	if n := reads["actual-frequency"]; len(n) == 0 || n[len(n)-1].Value < 200 {
		t.Errorf("%v:\n%s", n, out)
	}
}

func TestTheDriversUnitHasTheKernelsErrors(t *testing.T) {
	r := newRig(t, "kbl-gt2")
	l := uapi.Struct("perf_event_attr")
	for _, c := range []struct {
		what        string
		typ, config uint64
		pid, cpu    int
		privileged  bool
		want        error
	}{
		{"another unit's", 0, 0, -1, 0, true, nil},
		{"of a task", pmuType, 0, 1, -1, true, syscall.EINVAL},
		{"on a processor that does not count", pmuType, 0, -1, 1, true, syscall.EINVAL},
		{"without privileges", pmuType, 0, -1, 0, false, syscall.EACCES},
		{"of another engine", pmuType, 1 << 12, -1, 0, true, syscall.ENOENT},
	} {
		attr := make([]byte, l.Size)
		l.Set(attr, "type", c.typ)
		l.Set(attr, "config", c.config)
		r.call.Privileged = c.privileged
		if f, err := r.d.PerfEventOpen(r.call, attr, c.pid, c.cpu, nil, 0); f != nil || err != c.want {
			t.Errorf("%s: %v, %v, want %v", c.what, f, err, c.want)
		}
	}
}

// Our own reader of counter units sees the driver's as any other.
func TestForeignNumbersOfTheDriversUnitAreOursToo(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	forRoot(t)
	path := filepath.Join(t.TempDir(), "r.arrow")
	events := []string{"rcs0-busy", "actual-frequency", "interrupts", "rc6-residency"}
	r, out := clients.Run(t, clients.Options{Device: newDevice("kblgt2"), Seed: 3, Scenarios: []string{"rc6"}, EndAfter: 200},
		programs.Path(t, "astrolabe"), "record", "--source", "perfevent", "--counters", "i915/"+strings.Join(events, "/,i915/")+"/",
		"--period", "5ms", "--duration", "10m", "-o", path)
	c, err := files.NewRegistry(arrow.Format{}).Open(t.Context(), path, files.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	reads := told(r)
	held := clients.Compare(t, "astrolabe record", "kbl-gt2 rc6")
	for _, name := range events {
		counter, all := c.Counter("i915/"+name+"/"), reads[name]
		if counter == nil || len(all) <= c.Len() {
			t.Fatalf("%s: %d samples of %d reads\n%s", name, c.Len(), len(all), out)
		}
		held.Equal(name, counter.Sum().Lo, all[len(all)-1].Value-all[len(all)-1-c.Len()].Value)
	}
}
