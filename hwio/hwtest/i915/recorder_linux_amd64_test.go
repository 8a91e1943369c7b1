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
	"astrolabe/hwio/hwtest/intel"
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
	return recordBy(t, []string{clients.Path(t, "i915-perf-recorder", "intel-gpu-tools")}, model, o, args...)
}

// recordBy runs a recorder, which may be another version's.
func recordBy(t *testing.T, command []string, model string, o hwtest.Options, args ...string) *hwtest.Result {
	t.Helper()
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
	o.Cmd = exec.Command(command[0], slices.Concat(command[1:], []string{"-c", "0.2"}, args)...)
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
		{"dg2", "RenderBasic", "clock-change"}, {"dg2", "TestOa", "revision-6"}, {"dg2", "RenderBasic", "report-loss"}, {"dg2", "TestOa", "wrap"},
		{"mtl", "RenderBasic", "loaded"}, {"mtl", "TestOa", "fused"}, {"mtl", "ComputeBasic", "slow-reader"}, {"mtl", "Ext1000", "clock-change"},
	} {
		t.Run(c.model+" "+c.set+" "+c.scenario, func(t *testing.T) {
			file, _, truth := recordWithRecorder(t, c.model, c.set, c.scenario)
			holdRecording(t, file, truth, c.set, clients.Compare(t, "i915-perf-recorder -m "+c.set, c.model+" "+c.scenario))
		})
	}
}

// Debian 12's recorder cannot choose an engine, so that of Debian 13 records from the media unit.
func TestForeignNewRecorderRecordsTheTruth(t *testing.T) {
	path, before := clients.Debian13(t, "i915-perf-recorder", "intel-gpu-tools")
	for _, c := range []struct{ model, set, scenario, class, instance string }{
		{"mtl", "MediaSet1", "clock-change", "2", "0"}, {"mtl", "MediaSet2", "wrap", "2", "2"}, {"mtl", "TestOam", "report-loss", "3", "0"},
		{"mtl", "RenderBasic", "fused", "0", "0"}, {"dg2", "TestOa", "loaded", "0", "0"},
	} {
		t.Run(c.model+" "+c.set+" "+c.scenario, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.record")
			// Media units write no report at a switch of context.
			res := recordBy(t, append([]string{path}, before...), c.model, hwtest.Options{Settings: hwtest.Settings{Scenarios: []string{c.scenario}}, EndAfter: reports},
				"-m", c.set, "-o", file, "-e", c.class, "-i", c.instance)
			held := clients.Compare(t, "i915-perf-recorder 2 -m "+c.set+" -e "+c.class+" -i "+c.instance, c.model+" "+c.scenario)
			holdRecording(t, file, res.Truth.(*Truth), c.set, held)
		})
	}
}

// holdRecording holds a recorder's file against the truth.
func holdRecording(t *testing.T, file string, truth *Truth, set string, held *clients.Comparison) {
	t.Helper()
	if len(truth.Streams) != 1 {
		t.Fatalf("%d streams", len(truth.Streams))
	}
	s := truth.Streams[0]
	raw, correlations := recording(t, file)
	total, contexts, n := accumulate(decode(t, raw, s.Format), s.Format)
	sameBy(held, "totals", total, s.Totals)
	for ctx := range s.Contexts {
		sameBy(held, ctx, contexts[ctx], s.Contexts[ctx])
	}
	if n != s.Delivered || n < reports || s.Configs[0].Set != set || s.Configs[0].Registers != "published" || truth.Opened != truth.Closed {
		t.Errorf("%d reports in the file; %v of %v", n, s, s.Configs)
	}
	// Correlations are of the engines' clock.
	first, last := correlations[0], correlations[len(correlations)-1]
	if shift := truth.Part.Shift; len(correlations) < 2 || first[1] >= s.FirstTimestamp>>shift || last[1] <= s.LastTimestamp>>shift {
		t.Errorf("correlations %v around reports from %d to %d", correlations, s.FirstTimestamp, s.LastTimestamp)
	}
	if strings.HasPrefix(set, "TestOa") && (total["B1"] != total["GPU_TICKS"] || total["B0"] != 0) {
		t.Errorf("self-test: B1 is %d of %d clocks", total["B1"], total["GPU_TICKS"])
	}
	if set == "TestOam" && (total["A0"] == 0 || total["A0"] != total["B7"] || total["A1"] != total["C1"]) {
		t.Errorf("self-test: A0 is %d, B7 %d, A1 %d, C1 %d", total["A0"], total["B7"], total["A1"], total["C1"])
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
	for _, model := range []string{"kbl-gt2", "dg2", "mtl"} {
		t.Run(model, func(t *testing.T) { dumpByControl(t, control, model) })
	}
}

func dumpByControl(t *testing.T, control, model string) {
	t.Helper()
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
	res := recorder(t, model, o, "-m", "TestOa", "-s", "4096", "-f", fifo)
	if err := <-dumped; err != nil {
		t.Fatal(err)
	}
	raw, _ := recording(t, file)
	s := res.Truth.(*Truth).Streams[0]
	total, _, n := accumulate(decode(t, raw, s.Format), s.Format)
	held := clients.Compare(t, "i915-perf-control", model)
	held.Equal("as many reports as were read, but for those after the dump", n >= reports && n <= s.Delivered, true)
	held.Equal("B1", total["B1"], total["GPU_TICKS"])
	held.Equal("B0", total["B0"], 0)
	held.Equal("clocks", total["GPU_TICKS"] > 0 && total["GPU_TICKS"] <= s.Totals["GPU_TICKS"], true)
	held.Equal("number of counters", len(total), len(s.Totals))
}

// The configurations are seen by another program of the same tools, which also takes them away.
func TestForeignConfigurationsAreListedAndPurged(t *testing.T) {
	configs := clients.Path(t, "i915-perf-configs", "intel-gpu-tools")
	for model, guid := range map[string]string{"kbl-gt2": "99c1a40e-a090-4354-86e3-4d068bb1917e", "dg2": "47b237c5-ed48-465b-b869-0d7ef59a6982", "mtl": "1124d1b6-6182-4b5a-950b-27b38ef7c996"} {
		held := clients.Compare(t, "i915-perf-configs", model+" loaded")
		for flag, want := range map[string]string{"-l": "Config " + guid + " id=002 name=RenderBasic", "-p": "Removed config " + guid + " id=002 name=RenderBasic"} {
			r, out := clients.Run(t, clients.Options{Device: emulated.Device(t, Models(), model), Seed: 3, Scenarios: permitted([]string{"loaded"})}, configs, flag)
			held.Equal(flag, strings.Contains(out, want), true)
			removed := 0
			if flag == "-p" {
				removed = 1
			}
			held.Equal(flag+" removes", len(r.Truth.(*Truth).ConfigsRemoved), removed)
		}
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
	holdReader(t, clients.Compare(t, "i915-perf-reader", "kbl-gt2"), []string{reader}, file, truth.Streams[0], map[string]counted{
		"VsThreads": {"A1", 1}, "CsThreads": {"A4", 1}, "PsThreads": {"A6", 1}, "GpuCoreClocks": {"GPU_TICKS", 1},
		"RasterizedPixels": {"A21", 4}, "GtiReadThroughput": {"C6", 64}})
}

// What astrolabe records, in the form of another program's files. That program of Debian 12 takes the timestamps of DG2 and Meteor Lake for the engines'
// and ends in an assertion; Debian 13's knows the shift.
func TestForeignNewReaderReadsOurRecording(t *testing.T) {
	reader, before := clients.Debian13(t, "i915-perf-reader", "intel-gpu-tools")
	program := programs.Path(t, "astrolabe")
	render := map[string]counted{"VsThreads": {"A1", 1}, "CsThreads": {"A4", 1}, "PsThreads": {"A6", 1}, "GpuCoreClocks": {"GPU_TICKS", 1},
		"RasterizedPixels": {"A21", 4}, "SamplesWritten": {"A26", 4}, "ShaderBarriers": {"A35", 1}}
	test := map[string]counted{"GpuCoreClocks": {"GPU_TICKS", 1}, "Counter0": {"B0", 1}, "Counter3": {"B3", 1}, "Counter7": {"B7", 1}}
	for _, c := range []struct {
		model, set string
		counters   map[string]counted
	}{
		{"dg2", "RenderBasic", render}, {"dg2", "TestOa", test}, {"mtl", "RenderBasic", render}, {"mtl", "TestOa", test},
		{"mtl", "MediaSet1", map[string]counted{"GpuCoreClocks": {"GPU_TICKS", 1}, "VIDEO_DECODE_BOX0_READ_REQUEST": {"A0", 1}, "VIDEO_ENHANCEMENT_BOX1_WRITE_REQUEST": {"A7", 1}}},
		{"tgl", "RenderBasic", map[string]counted{"GpuCoreClocks": {"GPU_TICKS", 1}, "VsThreads": {"A1", 1}, "PsThreads": {"A6", 1}}},
	} {
		t.Run(c.model+" "+c.set, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "live")
			script := `"$1" record --source i915 --set "$3" --duration 400ms --period 1ms -o "$2.arrow" && "$1" convert "$2.arrow" "$2.record"`
			r, _ := clients.Run(t, clients.Options{Device: emulated.Device(t, Models(), c.model), Seed: 3, Scenarios: permitted(nil)}, "sh", "-c", script, "sh", program, file, c.set)
			holdReader(t, clients.Compare(t, "i915-perf-reader 2 on astrolabe's "+c.set, c.model), append([]string{reader}, before...), file+".record",
				r.Truth.(*Truth).Streams[0], c.counters)
		})
	}
}

// counted is a counter, and what its author multiplies it by.
type counted struct {
	name   string
	factor uint64
}

// holdReader has a reader print a recording, and sums up by context what it prints: an interval by context between two switches.
func holdReader(t *testing.T, held *clients.Comparison, reader []string, file string, truth *intel.StreamTruth, counters map[string]counted) {
	t.Helper()
	var names []string
	for name := range counters {
		names = append(names, name)
	}
	out, err := exec.Command(reader[0], slices.Concat(reader[1:], []string{"-c", strings.Join(names, ","), file})...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
	held.Equal("contexts", len(sums), len(truth.Contexts))
	for ctx, m := range truth.Contexts {
		for name, c := range counters {
			held.Equal("context "+ctx+": "+name, sums[ctx][name+":"], c.factor*m[c.name])
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
