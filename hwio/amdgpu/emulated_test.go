//go:build linux

package amdgpu

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio/hwtest"
	model "astrolabe/hwio/hwtest/amdgpu"
	"astrolabe/hwio/hwtest/programs"
)

// emulated runs the program on an emulated device and returns its exit status, output and what the device knows.
func emulated(t *testing.T, device string, scenarios []string, args ...string) (int, string, *model.Truth) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: emulations take seconds")
	}
	path := programs.Path(t, "astrolabe")
	models := model.Models()
	at := slices.IndexFunc(models, func(m hwtest.Model) bool { return m.Name == device })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.Command(path, args...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	res, err := hwtest.Run(ctx, hwtest.Options{Device: models[at].New(), Settings: hwtest.Settings{Scenarios: scenarios, Seed: 1}, Cmd: cmd})
	if errors.Is(err, hwtest.ErrUnsupported) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return res.Exit, out.String(), res.Truth.(*model.Truth)
}

// recorded is a capture made on an emulated device.
type recorded struct {
	t     *testing.T
	c     *capture.Capture
	truth *model.Truth
	out   string
	zero  int64 // the capture's time 0, ns of CLOCK_MONOTONIC
	from  int64 // its first row
	to    int64
}

func recordOn(t *testing.T, device string, scenarios []string, args ...string) *recorded {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gpu.arrow")
	code, out, truth := emulated(t, device, scenarios, append([]string{"record", "--source", "amdgpu", "--period", "10ms", "-o", path}, args...)...)
	if code != 0 {
		t.Fatalf("the program ended with %d: %s", code, out)
	}
	c, err := formats.NewRegistry(arrow.Format{}).Open(t.Context(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The file has the wall clock of its start; the truth is in CLOCK_MONOTONIC.
	from := c.StartTime.UnixNano() - (time.Now().UnixNano() - now())
	n := c.Len()
	if n < 5 {
		t.Fatalf("%d samples: %s", n, out)
	}
	return &recorded{t: t, c: c, truth: truth, out: out, zero: from, from: from + c.Axis.Start[0], to: from + c.Axis.End[n-1]}
}

func (r *recorded) counter(name string) *capture.Counter {
	r.t.Helper()
	c := r.c.Counter(name)
	if c == nil {
		r.t.Fatalf("the capture has no counter %s: %s", name, r.out)
	}
	return c
}

// busy compares the sampled shares of every block of a GPU with the truth: what each row's samples should have found, by the true share of that
// row's time. On a machine that is too slow samples are not spread evenly, so rows that hold few or cover several periods count for nothing.
// Four standard errors, and what samples that gather in a part of a row can do.
func (r *recorded) busy(gpu int, instance string) {
	r.t.Helper()
	truth := &r.truth.GPUs[gpu]
	of := func(name string) []float64 {
		c := r.counter(name)
		if instance != "" {
			c = c.Instance(instance)
		}
		return c.Floats()
	}
	for _, w := range truth.Work {
		samples := of("grbm_samples")
		if w.Reg != 0x8010 {
			samples = of("grbm2_samples")
		}
		var n, got, want, variance, scatter float64
		for i, ones := range of("busy_" + w.Name + "_ones") {
			start, end := r.zero+r.c.Axis.Start[i], r.zero+r.c.Axis.End[i]
			if !(samples[i] >= 15) || end-start > 15_000_000 {
				continue
			}
			p := truth.Busy(w.Name, start, end)
			n, got, want, variance = n+samples[i], got+ones, want+p*samples[i], variance+p*(1-p)*samples[i]
			scatter += (ones - p*samples[i]) * (ones - p*samples[i])
		}
		if n < 200 {
			r.t.Skipf("SKIPPED: this machine is too slow to judge by: %v samples are spread evenly", n)
		}
		// On a busy machine the samples of a row come in bursts and are fewer than they seem: then the rows say how much they scatter.
		if tolerance := 4*math.Sqrt(max(variance, scatter)) + 0.03*n; math.Abs(got-want) > tolerance {
			r.t.Errorf("%s: busy in %v of %v samples, true are %.1f (tolerance %.1f)", w.Name, got, n, want, tolerance)
		}
	}
}

// levels checks that a counter shows the value of heavy work, that of light work, and nothing else.
func (r *recorded) levels(name string, heavy, light float64) {
	r.t.Helper()
	c := r.counter(name)
	seen := map[float64]bool{}
	for i, v := range c.Floats() {
		if math.IsNaN(v) {
			continue
		}
		near := func(x float64) bool { return math.Abs(v-x) <= 1e-9*x }
		if !near(heavy) && !near(light) {
			r.t.Errorf("%s is %v in sample %d, want %v or %v", name, v, i, heavy, light)
			return
		}
		seen[heavy] = seen[heavy] || near(heavy)
		seen[light] = seen[light] || near(light)
	}
	if !seen[heavy] || !seen[light] {
		r.t.Errorf("%s never shows both %v and %v", name, heavy, light)
	}
}

func TestEmulatedDiscreteGPUIsMeasuredAsItTrulyWorks(t *testing.T) {
	r := recordOn(t, "gfx9", nil, "--duration", "1500ms")
	r.busy(0, "")
	truth := &r.truth.GPUs[0]
	r.levels("sensor_sclk", 1.801e9, 1.3e9)
	r.levels("sensor_load", 80, 20)
	r.levels("sensor_power", 240, 120)
	r.levels("power", 240, 120)
	r.levels("gpu_busy_percent", 80, 20)
	r.levels("mem_busy_percent", 48, 12)
	r.levels("dpm_sclk", 1.801e9, 1.3e9)
	r.levels("fan_speed", 2900, 2100)
	r.levels("vram_used", 6<<30, 5<<30)
	r.levels("gpu_metrics_average_socket_power", 240, 120)
	r.levels("gpu_metrics_pcie_link_speed", 8, 8)
	r.levels("throttled", 100, 0)
	// The energy count wraps in the recording. It is read about every 100 ms, so that its ends are uncertain by as much.
	got, want := r.counter("gpu_metrics_energy_accumulator").Total().Float(), truth.Joules(r.from, r.to)
	if math.Abs(got-want) > 240*0.3 || got < 120 {
		t.Errorf("%v J were used, true are %v", got, want)
	}
	seconds := float64(r.to-r.from) / 1e9
	for engine, shares := range model.Engines {
		got := r.counter("engine_"+engine).Total().Float() / 1e9 / seconds
		if want := shares[0] + shares[1]; math.Abs(got-want) > 0.3*want {
			t.Errorf("engine %s worked for %.3f of the time, true is %.3f", engine, got, want)
		}
	}
	if v := r.counter("clients").Floats()[10]; v != 2 {
		t.Errorf("%v clients, want the 2 of three descriptors", v)
	}
	if r.c.GPU != "amd-live" || r.c.Device.Name != "Radeon VII" || r.c.Device.ID != "0000:03:00.0" || truth.Registers[0x8010] < 1000 {
		t.Errorf("device %+v, %d reads of GRBM_STATUS", r.c.Device, truth.Registers[0x8010])
	}
}

func TestEmulatedAPUIsMeasuredAsItTrulyWorks(t *testing.T) {
	r := recordOn(t, "gfx1151", nil, "--duration", "1500ms")
	r.busy(0, "")
	r.levels("sensor_input_power", 98, 31)
	r.levels("power_now", 98, 31)
	r.levels("gpu_metrics_average_socket_power", 98, 31)
	r.levels("gpu_metrics_temperature_gfx", 78.25, 58.25)
	r.levels("gpu_metrics_average_fclk_frequency", 2e9, 1.2e9)
	r.levels("gpu_metrics_average_gfx_activity", 72, 18)
	if r.c.Device.Extra["chip"] != "gfx1151" {
		t.Errorf("device %+v", r.c.Device)
	}
	if n := len(r.counter("gpu_metrics_temperature_core").Instances); n != 8 {
		t.Errorf("%d cores have a temperature, 8 exist", n)
	}
	for _, name := range []string{"mem_busy_percent", "fan_speed", "sensor_power", "pcie_link_width", "gpu_metrics_temperature_skin", "busy_wd_ones", "busy_vgt_ones"} {
		if r.c.Counter(name) != nil {
			t.Errorf("an APU has no %s", name)
		}
	}
}

func TestEmulatedGPUsAreBothMeasured(t *testing.T) {
	r := recordOn(t, "gfx9", []string{"two-gpus"}, "--duration", "1s", "--source-option", "rate=4000")
	r.busy(0, "card0")
	r.busy(1, "card1")
	if p := r.counter("power").Instances; len(p) != 1 || p[0].Meta.Instance != "card0" {
		t.Errorf("power has %d instances", len(p))
	}
	r = recordOn(t, "gfx9", []string{"two-gpus"}, "--duration", "500ms", "--source-option", "device=card1")
	if r.counter("power_now").Total().Missing() || r.c.Counter("power") != nil {
		t.Error("device=card1 does not measure the APU alone")
	}
}

// missing checks that a counter misses values for a reason that says what, and has others.
func (r *recorded) missing(name, what string) {
	r.t.Helper()
	c := r.counter(name)
	lacks, has := 0, 0
	for i, v := range c.Floats() {
		if !math.IsNaN(v) {
			has++
			continue
		}
		lacks++
		if why, _ := c.Why(i); !strings.Contains(why.Text, what) {
			r.t.Errorf("%s[%d] is missing because %q, want %q", name, i, why.Text, what)
			return
		}
	}
	if lacks < 5 || has < 5 {
		r.t.Errorf("%s misses %d values and has %d", name, lacks, has)
	}
}

func TestEmulatedResetLeavesAHoleInTheRegisters(t *testing.T) {
	r := recordOn(t, "gfx9", []string{"reset"}, "--duration", "1200ms")
	r.missing("busy_gfx_ones", "reset")
	if lost := r.counter("vram_lost").Total().Float(); lost != 1 {
		t.Errorf("%v resets lost memory, want 1", lost)
	}
	if !strings.Contains(r.out, "GRBM_STATUS could not be read") {
		t.Errorf("no warning: %s", r.out)
	}
}

func TestEmulatedRefusalOfARegisterIsTold(t *testing.T) {
	r := recordOn(t, "gfx1151", []string{"refused-registers"}, "--duration", "500ms")
	if r.c.Counter("busy_cpc_ones") != nil || r.counter("grbm_samples").Total().Float() < 100 {
		t.Error("the refused register is recorded, or the other is not")
	}
	if !strings.Contains(r.out, "GRBM_STATUS2: the driver does not let this register be read") {
		t.Errorf("no warning: %s", r.out)
	}
}

func TestEmulatedSleepIsNotDisturbedAndNotZero(t *testing.T) {
	r := recordOn(t, "gfx9", []string{"runtime-off"}, "--duration", "1500ms")
	for _, name := range []string{"gpu_busy_percent", "power", "sensor_sclk", "gpu_metrics_temperature_edge", "busy_gfx_ones"} {
		r.missing(name, "powered off")
	}
	if p := r.counter("power"); p.Min().Float() < 100 {
		t.Errorf("a sleeping GPU was recorded with %v W", p.Min().Float())
	}
	if woken := r.truth.GPUs[0].Woken; woken != 0 {
		t.Errorf("the sleeping GPU was asked %d times", woken)
	}
}

func TestEmulatedRefusalOfTheNodeLeavesSysfs(t *testing.T) {
	r := recordOn(t, "gfx9", []string{"denied"}, "--duration", "700ms")
	if r.c.Counter("grbm_samples") != nil || !strings.Contains(r.out, "no permission to open /dev/dri/renderD128") {
		t.Errorf("warnings: %s", r.out)
	}
	r.levels("vram_used", 6<<30, 5<<30)
}

func TestEmulatedRemovalEndsTheRecordingInGoodOrder(t *testing.T) {
	r := recordOn(t, "gfx9", []string{"unplug"}, "--duration", "5s")
	if took := r.to - r.from; took > 2e9 || !strings.Contains(r.out, "removed") {
		t.Errorf("the recording took %v: %s", time.Duration(took), r.out)
	}
}

func TestEmulatedOldKernelGivesWhatItHas(t *testing.T) {
	r := recordOn(t, "gfx9", []string{"old-kernel"}, "--duration", "700ms")
	r.busyOf("gfx")
	for _, name := range []string{"vram_lost", "evictions", "gpu_metrics_temperature_edge", "sensor_vddgfx"} {
		if r.c.Counter(name) != nil {
			t.Errorf("an old kernel has no %s", name)
		}
	}
	if p, ok := r.c.Property("gl2c_bytes"); ok {
		t.Errorf("an old kernel gave %+v", p)
	}
}

// busyOf checks one block alone.
func (r *recorded) busyOf(block string) {
	r.t.Helper()
	got := r.counter("busy_"+block+"_ones").Total().Float() / r.counter("grbm_samples").Total().Float()
	if want := r.truth.GPUs[0].Busy(block, r.from, r.to); math.Abs(got-want) > 0.1 {
		r.t.Errorf("%s: busy for %v, true is %v", block, got, want)
	}
}

func TestEmulatedTablesWithoutUseAreLeftOut(t *testing.T) {
	for scenario, why := range map[string]string{"unknown-metrics-version": "revision 1.9", "metrics-empty": "holds no data"} {
		code, out, _ := emulated(t, "gfx1151", []string{scenario}, "record", "--source", "amdgpu", "--counters", "gpu_metrics_temperature_gfx", "--duration", "100ms", "-o", filepath.Join(t.TempDir(), "x.arrow"))
		if code == 0 || !strings.Contains(out, why) {
			t.Errorf("%s: exit %d, %s", scenario, code, out)
		}
		r := recordOn(t, "gfx1151", []string{scenario}, "--duration", "300ms")
		if r.c.Counter("gpu_metrics_temperature_gfx") != nil || !strings.Contains(r.out, why) {
			t.Errorf("%s: the table was read, or nothing is said: %s", scenario, r.out)
		}
	}
}

func TestEmulatedMachineIsExplainedByTheDoctor(t *testing.T) {
	_, out, _ := emulated(t, "gfx9", []string{"denied", "unknown-metrics-version"}, "doctor")
	for _, want := range []string{"Radeon VII", "no permission to open /dev/dri/renderD128", "revision 1.9", "profile_standard"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q: %s", want, out)
		}
	}
}
