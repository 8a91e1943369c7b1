package i915

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/programs"
)

// reports are how many reports the recorder is given before it is interrupted.
const reports = 600

// recordWithRecorder runs Debian's unmodified i915-perf-recorder on the emulated GPU until it is interrupted, and returns its file.
func recordWithRecorder(t *testing.T, model, set string, scenarios ...string) (string, *hwtest.Result, *Truth) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.record")
	res := recorder(t, model, hwtest.Options{Settings: hwtest.Settings{Scenarios: scenarios}, EndAfter: reports}, "-m", set, "-o", file)
	return file, res, res.Truth.(*Truth)
}

// permitted adds what lets a user without privileges measure.
func permitted(scenarios []string) []string {
	if os.Geteuid() == 0 {
		return scenarios
	}
	return append(slices.Clone(scenarios), "paranoid-0")
}

// recorder runs it with arguments.
func recorder(t *testing.T, model string, o hwtest.Options, args ...string) *hwtest.Result {
	t.Helper()
	path := clients.Path(t, "i915-perf-recorder", "intel-gpu-tools")
	// It makes a FIFO of a fixed name, so two cannot run at a time on a machine.
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("astrolabe-i915-perf-recorder-%d.lock", os.Getuid())), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	o.Device = emulated.Device(t, Models(), model)
	o.Settings.Scenarios, o.Settings.Seed = permitted(o.Settings.Scenarios), 3
	o.Cmd = exec.Command(path, append([]string{"-c", "0.2"}, args...)...)
	res, out := emulated.Run(t, o)
	if res.Exit != 0 {
		t.Fatalf("exit %d\n%s", res.Exit, out)
	}
	return res
}

// recording splits the recorder's file into what came from the stream, and the correlations of its own.
func recording(t *testing.T, file string) (stream []byte, correlations [][2]uint64) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) >= 8 {
		kind, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
		if n < 8 || n > len(b) {
			t.Fatalf("record of type %#x has %d bytes", kind, n)
		}
		switch {
		case kind < 0x10000:
			stream = append(stream, b[:n]...)
		case kind == 0x10003:
			correlations = append(correlations, [2]uint64{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])})
		}
		b = b[n:]
	}
	return stream, correlations
}

func TestForeignUnmodifiedRecorderRecordsTheTruth(t *testing.T) {
	for _, c := range []struct{ model, set, scenario string }{
		{"kbl-gt2", "RenderBasic", "loaded"}, {"kbl-gt3", "ComputeBasic", "clock-change"}, {"kbl-gt2", "RenderBasic", "slow-reader"},
		{"kbl-gt2", "RenderBasic", "report-loss"}, {"kbl-gt2", "TestOa", "revision-4"},
		{"kbl-gt3", "ComputeBasic", "fused"}, {"tgl", "RenderBasic", "clock-change"}, {"tgl", "TestOa", "fused"}, {"tgl", "L3_1", "report-loss"},
		{"tgl", "EuActivity3", "loaded"},
	} {
		t.Run(c.model+" "+c.set+" "+c.scenario, func(t *testing.T) {
			file, _, truth := recordWithRecorder(t, c.model, c.set, c.scenario)
			raw, correlations := recording(t, file)
			total, contexts, n := accumulate(decode(t, raw, wide), wide)
			if len(truth.Streams) != 1 {
				t.Fatalf("%d streams", len(truth.Streams))
			}
			s := truth.Streams[0]
			held := clients.Compare(t, "i915-perf-recorder -m "+c.set, c.model+" "+c.scenario)
			sameBy(held, "totals", total, s.Totals)
			for ctx := range s.Contexts {
				sameBy(held, ctx, contexts[ctx], s.Contexts[ctx])
			}
			if n != s.Delivered || n < reports || s.Configs[0].Set != c.set || s.Configs[0].Registers != "published" || truth.Opened != truth.Closed {
				t.Errorf("%d reports in the file; %v of %v", n, s, s.Configs)
			}
			first, last := correlations[0], correlations[len(correlations)-1]
			if len(correlations) < 2 || first[1] >= s.FirstTimestamp || last[1] <= s.LastTimestamp {
				t.Errorf("correlations %v around reports from %d to %d", correlations, s.FirstTimestamp, s.LastTimestamp)
			}
			if c.set == "TestOa" && (total["B1"] != total["GPU_TICKS"] || total["B0"] != 0) {
				t.Errorf("self-test: B1 is %d of %d clocks", total["B1"], total["GPU_TICKS"])
			}
		})
	}
}

// sameBy is same for what a client told.
func sameBy(held *clients.Comparison, what string, got, want map[string]uint64) {
	for k, v := range want {
		held.Equal(what+": "+k, got[k], v)
	}
	held.Equal("number of "+what, len(got), len(want))
}

// The recorder keeps the end of what it read in a ring until another program of the same tools asks for it.
func TestForeignControlDumpsTheEndOfARecording(t *testing.T) {
	control := clients.Path(t, "i915-perf-control", "intel-gpu-tools")
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "dump.record")
	dumped, signals, asked := make(chan error, 1), make(chan os.Signal, 1), false
	o := hwtest.Options{Signals: signals}
	o.Settings.Answered = func(n int) { // one call at a time
		if n >= reports && !asked {
			asked = true
			go func() {
				out, err := exec.Command(control, "-f", fifo, "-d", file).CombinedOutput()
				if err != nil {
					err = fmt.Errorf("%w: %s", err, out)
				}
				// The recorder has written the file when it has left its loop, which goes on with the next reports.
				for range 6000 {
					if i, err := os.Stat(file); err == nil && i.Size() > 0 {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				dumped <- err
				signals <- os.Interrupt
			}()
		}
	}
	// In the set TestOa one counter is the clock and another stands still.
	res := recorder(t, "kbl-gt2", o, "-m", "TestOa", "-s", "4096", "-f", fifo)
	if err := <-dumped; err != nil {
		t.Fatal(err)
	}
	raw, _ := recording(t, file)
	total, _, n := accumulate(decode(t, raw, wide), wide)
	s := res.Truth.(*Truth).Streams[0]
	held := clients.Compare(t, "i915-perf-control", "kbl-gt2")
	held.Equal("as many reports as were read, but for those after the dump", n >= reports && n <= s.Delivered, true)
	held.Equal("B1", total["B1"], total["GPU_TICKS"])
	held.Equal("B0", total["B0"], 0)
	held.Equal("clocks", total["GPU_TICKS"] > 0 && total["GPU_TICKS"] <= s.Totals["GPU_TICKS"], true)
	held.Equal("number of counters", len(total), len(s.Totals))
}

// The configurations are seen by another program of the same tools, which also takes them away.
func TestForeignConfigurationsAreListedAndPurged(t *testing.T) {
	configs := clients.Path(t, "i915-perf-configs", "intel-gpu-tools")
	held := clients.Compare(t, "i915-perf-configs", "kbl-gt2 loaded")
	for flag, want := range map[string]string{
		"-l": "Config 99c1a40e-a090-4354-86e3-4d068bb1917e id=002 name=RenderBasic",
		"-p": "Removed config 99c1a40e-a090-4354-86e3-4d068bb1917e id=002 name=RenderBasic",
	} {
		r, out := clients.Run(t, clients.Options{Device: newDevice("kblgt2"), Seed: 3, Scenarios: permitted([]string{"loaded"})}, configs, flag)
		held.Equal(flag, strings.Contains(out, want), true)
		removed := 0
		if flag == "-p" {
			removed = 1
		}
		held.Equal(flag+" removes", len(r.Truth.(*Truth).ConfigsRemoved), removed)
	}
}

// A configuration with events of the user's choice is the driver's like any other: another program finds it by its GUID and takes it away, and a reader of
// recordings says that it is not the set's own.
func TestForeignProgramsSeeAConfigurationOfChosenEvents(t *testing.T) {
	configs, reader := clients.Path(t, "i915-perf-configs", "intel-gpu-tools"), clients.Path(t, "i915-perf-reader", "intel-gpu-tools")
	program := programs.Path(t, "astrolabe")
	held := clients.Compare(t, "i915-perf-configs, i915-perf-reader", "kbl-gt2, chosen events")
	file := filepath.Join(t.TempDir(), "live")
	script := `"$1" record --source i915 --source-option flex=fpu0/ts+PsSendActive,keep-config=yes --duration 300ms --period 1ms -o "$3.arrow" && "$2" -l && "$2" -p && "$1" convert "$3.arrow" "$3.record"`
	r, out := clients.Run(t, clients.Options{Device: newDevice("kblgt2"), Seed: 3, Scenarios: permitted(nil)}, "sh", "-c", script, "sh", program, configs, file)
	truth := r.Truth.(*Truth)
	if len(truth.ConfigsAdded) != 1 {
		t.Fatalf("configs %v\n%s", truth.ConfigsAdded, out)
	}
	guid := truth.ConfigsAdded[0].UUID
	held.Equal("listed", strings.Contains(out, "\tConfig "+guid+" id=002"), true)
	held.Equal("purged", strings.Contains(out, "Removed config "+guid+" id=002"), true)
	held.Equal("removed", len(truth.ConfigsRemoved), 1)
	held.Equal("left", len(truth.ConfigsLeft), 0)
	said, err := exec.Command(reader, "-c", "EuActive,GpuCoreClocks", file+".record").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	held.Equal("the reader doubts it", strings.Contains(string(said), "Recording used a different HW configuration"), true)
	clocks := uint64(0)
	for line := range strings.Lines(string(said)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "GpuCoreClocks: "); ok {
			n, _ := strconv.ParseUint(v, 10, 64)
			clocks += n
		}
	}
	held.Equal("clocks", clocks, truth.Totals["GPU_TICKS"])
}

func TestForeignUnmodifiedReaderPrintsTheTruth(t *testing.T) {
	reader := clients.Path(t, "i915-perf-reader", "intel-gpu-tools")
	file, _, truth := recordWithRecorder(t, "kbl-gt2", "RenderBasic")
	out, err := exec.Command(reader, "-c", "VsThreads,CsThreads,PsThreads,GpuCoreClocks,RasterizedPixels,GtiReadThroughput", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// It prints an interval by context between two switches.
	sums, ctx := map[string]map[string]uint64{}, ""
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case strings.HasPrefix(f[0], "hw_id="):
			if ctx = strings.TrimPrefix(f[0], "hw_id="); ctx == "0xffffffff" {
				ctx = "idle"
			}
			if sums[ctx] == nil {
				sums[ctx] = map[string]uint64{}
			}
		case len(f) == 2 && ctx != "":
			if v, err := strconv.ParseUint(f[1], 10, 64); err == nil {
				sums[ctx][f[0]] += v
			}
		}
	}
	if len(sums) != 4 {
		t.Errorf("%d contexts in:\n%.2000s", len(sums), out)
	}
	held := clients.Compare(t, "i915-perf-reader", "kbl-gt2")
	for ctx, m := range truth.Streams[0].Contexts {
		for name, v := range map[string]uint64{"VsThreads:": m["A1"], "CsThreads:": m["A4"], "PsThreads:": m["A6"], "GpuCoreClocks:": m["GPU_TICKS"],
			"RasterizedPixels:": 4 * m["A21"], "GtiReadThroughput:": 64 * m["C6"]} {
			held.Equal("context "+ctx+": "+name, sums[ctx][name], v)
		}
	}
}

func TestForeignRecorderKeepsWhatCameBeforeAnUnplug(t *testing.T) {
	file, _, truth := recordWithRecorder(t, "kbl-gt2", "RenderBasic", "unplug")
	raw, _ := recording(t, file)
	total, _, _ := accumulate(decode(t, raw, wide), wide)
	same(t, "before the unplug", total, truth.Streams[0].Totals)
	if !truth.Unplugged || truth.Totals["GPU_TICKS"] == 0 {
		t.Errorf("unplugged %v, %v", truth.Unplugged, truth.Streams[0])
	}
}
