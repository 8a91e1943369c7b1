package xe

import (
	"encoding/binary"
	"fmt"
	"maps"
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

const igt = "intel-gpu-tools"

// recorder runs Debian's unmodified xe-perf-recorder on the emulated GPU as the options say.
func recorder(t *testing.T, model string, o hwtest.Options, args ...string) *Truth {
	t.Helper()
	path, before := clients.Debian13(t, "xe-perf-recorder", igt)
	// It makes a FIFO of a fixed name, so two cannot run at a time on a machine.
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("astrolabe-xe-perf-recorder-%d.lock", os.Getuid())), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		o.Settings.Scenarios = append(slices.Clone(o.Settings.Scenarios), "paranoid-0")
	}
	o.Device, o.Settings.Seed = emulated.Device(t, Models(), model), 3
	o.Cmd = exec.Command(path, append(append(before, "-c", "0.2"), args...)...)
	res, out := emulated.Run(t, o)
	if res.Exit != 0 {
		t.Fatalf("exit %d\n%s", res.Exit, out)
	}
	return res.Truth.(*Truth)
}

// until are options of a recording that ends after so many reports.
func until(reports int, scenarios ...string) hwtest.Options {
	return hwtest.Options{EndAfter: reports, Settings: hwtest.Settings{Scenarios: scenarios}}
}

// recorded splits the recorder's file into reports and clock correlations.
func recorded(t *testing.T, file string) (reports [][]byte, correlations [][2]uint64) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for len(b) >= 8 {
		kind, n := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
		if n < 8 || n > len(b) {
			t.Fatalf("record of type %d has %d bytes", kind, n)
		}
		switch kind {
		case 1:
			reports = append(reports, b[8:n])
		case 7:
			correlations = append(correlations, [2]uint64{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])})
		}
		b = b[n:]
	}
	return reports, correlations
}

// place is where a report has a number: the byte of its low half, that of bits 39:32 or 0, and its bits.
type place struct{ low, high, bits int }

// places are those of a format's numbers, as its documentation has them.
func places(format string) map[string]place {
	out := map[string]place{"TIMESTAMP": {4, 0, 32}, "GPU_TICKS": {12, 0, 32}}
	for i := range 8 {
		out[fmt.Sprintf("B%d", i)], out[fmt.Sprintf("C%d", i)] = place{192 + 4*i, 0, 32}, place{224 + 4*i, 0, 32}
	}
	switch format {
	case "PEC64u64":
		out = map[string]place{"TIMESTAMP": {8, 0, 64}, "GPU_TICKS": {24, 0, 64}}
		for i := range 64 {
			out[fmt.Sprintf("PEC%d", i)] = place{32 + 8*i, 0, 64}
		}
	case "A32u40_A4u32_B8_C8", "A24u40_A14u32_B8_C8":
		for i := range 36 {
			p := place{16 + 4*i, 0, 32}
			if i < 32 && (format[1] == '3' || i >= 4 && i < 24 || i >= 28) {
				p.high, p.bits = 160+i, 40
			}
			out[fmt.Sprintf("A%d", i)] = p
		}
		if format[1] == '2' {
			out["A36"], out["A37"] = place{160, 0, 32}, place{184, 0, 32}
		}
	}
	return out
}

// in is the number in a report.
func (p place) in(b []byte) uint64 {
	if p.bits == 64 {
		return binary.LittleEndian.Uint64(b[p.low:])
	}
	v := uint64(binary.LittleEndian.Uint32(b[p.low:]))
	if p.high > 0 {
		v |= uint64(b[p.high]) << 32
	}
	return v
}

// The recorder of igt 2.0 writes the first report of a read as often as there are reports in the read. So every read is to find one: a context runs all
// the time, and the period is longer than the driver's between two looks.
var single = []string{"one-context"}

func with(more ...string) []string { return append(slices.Clone(single), more...) }

const longPeriod = "0.02"

func TestForeignXePerfRecorderRecordsTheTruth(t *testing.T) {
	for _, c := range []struct {
		model, set string
		scenarios  []string
	}{
		{"lnl", "RenderBasic", single}, {"lnl", "TestOa", with("fused", "clock-change")}, {"lnl", "ComputeBasic", with("loaded")},
		{"lnl", "VectorEngineStalls", with("wrap", "kernel-7")}, {"bmg", "RenderBasic", with("kernel-7")}, {"bmg", "TestOa", with("fused")},
		{"ptl", "RenderBasic", single}, {"tgl-xe", "RenderBasic", with("clock-change")}, {"tgl-xe", "TestOa", with("fused")},
		{"dg2-xe", "RenderBasic", single}, {"dg2-xe", "TestOa", with("fused", "loaded")},
	} {
		t.Run(c.model+" "+c.set+" "+strings.Join(c.scenarios, ","), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.record")
			truth := recorder(t, c.model, until(60, c.scenarios...), "-m", c.set, "-p", longPeriod, "-o", file)
			reports, correlations := recorded(t, file)
			if len(truth.Streams) != 1 || len(reports) == 0 || len(correlations) < 2 {
				t.Fatalf("%d streams, %d reports, %d correlations", len(truth.Streams), len(reports), len(correlations))
			}
			s := truth.Streams[0]
			held := clients.Compare(t, "xe-perf-recorder -m "+c.set, c.model+" "+strings.Join(c.scenarios, ","))
			held.Equal("reports", len(reports), s.Delivered)
			first, last := reports[0], reports[len(reports)-1]
			counted := func(name string) uint64 {
				p := places(s.Format)[name]
				return (p.in(last) - p.in(first)) & (1<<p.bits - 1)
			}
			for name, want := range s.Totals {
				held.Equal(name, counted(name), want)
			}
			if c.model == "ptl" { // for which igt 2.0 uploads Lunar Lake's sets
				held.Equal("set", s.Configs[0].UUID, "12f20772-0044-44ff-bcc0-d2bc252d140e")
				return
			}
			held.Equal("set", s.Configs[0].Set+" "+s.Configs[0].Registers, c.set+" published")
			// Correlations are of the engines' clock.
			shift := truth.Part.Shift
			held.Equal("correlations around them", correlations[0][1] < s.FirstTimestamp>>shift && correlations[len(correlations)-1][1] > s.LastTimestamp>>shift, true)
			for _, added := range truth.ConfigsAdded {
				held.Equal("registers of "+added.Set, added.Registers, "published")
			}
			switch {
			case c.set != "TestOa":
			case s.Format == "PEC64u64":
				held.Equal("test counter", counted("PEC2"), uint64(truth.Part.TotalCores)*counted("GPU_TICKS"))
			default:
				held.Equal("test counter", counted("B1"), counted("GPU_TICKS"))
			}
		})
	}
}

// What it reads of a busier GPU it writes in part, but asks for all of it, and is told of losses.
func TestForeignXePerfRecorderIsToldOfLosses(t *testing.T) {
	for scenario, status := range map[string]uint64{"report-loss": 1, "slow-reader": 2} {
		t.Run(scenario, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.record")
			truth := recorder(t, "lnl", until(900, scenario), "-m", "RenderBasic", "-o", file)
			s := truth.Streams[0]
			held := clients.Compare(t, "xe-perf-recorder", "lnl "+scenario)
			held.Equal("reports given", s.Delivered >= 900, true)
			held.Equal("reads that failed", len(s.Statuses) > 0 && s.Statuses[0] == status, true)
			b, err := os.ReadFile(file)
			held.Equal("a file", err == nil && len(b) > 900*584, true)
		})
	}
}

func TestForeignXePerfReaderPrintsTheTruth(t *testing.T) {
	reader, before := clients.Debian13(t, "xe-perf-reader", igt)
	file := filepath.Join(t.TempDir(), "a.record")
	truth := recorder(t, "lnl", until(60, single...), "-m", "TestOa", "-p", longPeriod, "-o", file)
	// The counters that its author multiplies by nothing, by the counter that they read.
	counters := map[string]string{"GpuCoreClocks": "GPU_TICKS", "GPGPU_THREADGROUP_COUNT": "PEC0", "ASYNC_GPGPU_THREADGROUP_COUNT": "PEC1",
		"TEST_EVENT1_CYCLES": "PEC2", "TEST_EVENT1_CYCLES_XECORE0": "PEC3", "TEST_EVENT1_CYCLES_XECORE7": "PEC24", "IA_VERTEX": "PEC33",
		"RASTERIZER_SAMPLE_OUTPUT": "PEC34", "TEST_EVENT2_CYCLES": "PEC35"}
	out, err := exec.Command(reader, append(before, "-c", "all", file)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sums := map[string]uint64{}
	for line := range strings.Lines(string(out)) {
		name, v, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if n, err := strconv.ParseUint(v, 10, 64); ok && err == nil {
			sums[name] += n
		}
	}
	held := clients.Compare(t, "xe-perf-reader", "lnl")
	for name, counter := range counters {
		held.Equal(name, sums[name], truth.Streams[0].Totals[counter])
	}
	held.Equal("the device", strings.Contains(string(out), "device=0x64a0(lunarlake) graphics_ver=20"), true)
}

// The recorder keeps the end of what it read in a ring until another program of the same tools asks for it.
func TestForeignXePerfControlDumpsTheEndOfARecording(t *testing.T) {
	control, before := clients.Debian13(t, "xe-perf-control", igt)
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "dump.record")
	dumped, signals, asked := make(chan error, 1), make(chan os.Signal, 1), false
	o := until(0, single...)
	o.Signals = signals
	o.Settings.Answered = func(n int) { // one call at a time
		if n >= 40 && !asked {
			asked = true
			go func() {
				out, err := exec.Command(control, append(before, "-f", fifo, "-d", file)...).CombinedOutput()
				if err != nil {
					err = fmt.Errorf("%w: %s", err, out)
				}
				for range 6000 { // it has written the file when it has left its loop
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
	truth := recorder(t, "lnl", o, "-m", "TestOa", "-p", longPeriod, "-s", "4096", "-f", fifo)
	if err := <-dumped; err != nil {
		t.Fatal(err)
	}
	reports, _ := recorded(t, file)
	s := truth.Streams[0]
	held := clients.Compare(t, "xe-perf-control", "lnl")
	held.Equal("as many reports as were read, but for those after the dump", len(reports) >= 40 && len(reports) <= s.Delivered, true)
	first, last := reports[0], reports[len(reports)-1]
	pec2, ticks := places(s.Format)["PEC2"], places(s.Format)["GPU_TICKS"]
	held.Equal("test counter", pec2.in(last)-pec2.in(first), 8*(ticks.in(last)-ticks.in(first)))
}

// What astrolabe records of a busy GPU another program reads in its own file's form: sums by context are the model's. That of igt 2.0 knows no Meteor Lake.
func TestForeignXePerfReaderReadsOurRecording(t *testing.T) {
	reader, before := clients.Debian13(t, "xe-perf-reader", igt)
	program := programs.Path(t, "astrolabe")
	xe2 := map[string]string{"GpuCoreClocks": "GPU_TICKS", "GPGPU_THREADGROUP_COUNT": "PEC0", "IA_VERTEX": "PEC33", "TEST_EVENT1_CYCLES": "PEC2"}
	older := map[string]string{"GpuCoreClocks": "GPU_TICKS", "Counter0": "B0", "Counter1": "B1", "Counter3": "B3", "Counter7": "B7"}
	for model, counters := range map[string]map[string]string{"lnl": xe2, "bmg": {"GpuCoreClocks": "GPU_TICKS"}, "tgl-xe": older, "dg2-xe": older} {
		t.Run(model, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "live")
			script := `"$1" record --source xe --set TestOa --duration 400ms --period 1ms -o "$2.arrow" && "$1" convert "$2.arrow" "$2.record"`
			o := clients.Options{Device: emulated.Device(t, Models(), model), Seed: 3}
			if os.Geteuid() != 0 {
				o.Scenarios = []string{"paranoid-0"}
			}
			r, _ := clients.Run(t, o, "sh", "-c", script, "sh", program, file)
			truth := r.Truth.(*Truth).Streams[0]
			out, err := exec.Command(reader, append(before, "-c", strings.Join(slices.Collect(maps.Keys(counters)), ","), file+".record")...).CombinedOutput()
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
			held := clients.Compare(t, "xe-perf-reader on astrolabe's recording", model)
			held.Equal("contexts", len(sums), len(truth.Contexts))
			for ctx, m := range truth.Contexts {
				for name, counter := range counters {
					held.Equal("context "+ctx+": "+name, sums[ctx][name+":"], m[counter])
				}
			}
		})
	}
}
