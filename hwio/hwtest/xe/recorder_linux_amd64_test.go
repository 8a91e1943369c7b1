package xe

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

const igt = "intel-gpu-tools"

// recorder runs Debian's unmodified xe-perf-recorder on the emulated GPU as the options say.
func recorder(t *testing.T, o hwtest.Options, args ...string) *Truth {
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
	o.Device, o.Settings.Seed = newDevice("lnl"), 3
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
func recorded(t *testing.T, file string) (reports []report, correlations [][2]uint64) {
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
			reports = append(reports, parse(b[8:n])...)
		case 7:
			correlations = append(correlations, [2]uint64{binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])})
		}
		b = b[n:]
	}
	return reports, correlations
}

// The recorder of igt 2.0 writes the first report of a read as often as there are reports in the read. So every read is to find one: a context runs all
// the time, and the period is longer than the driver's between two looks.
var single = []string{"one-context"}

func with(more ...string) []string { return append(slices.Clone(single), more...) }

const longPeriod = "0.02"

func TestForeignXePerfRecorderRecordsTheTruth(t *testing.T) {
	for _, c := range []struct {
		set       string
		scenarios []string
		period    string
	}{
		{"RenderBasic", single, longPeriod}, {"TestOa", with("fused", "clock-change"), longPeriod},
		{"ComputeBasic", with("loaded"), longPeriod}, {"VectorEngineStalls", with("wrap", "kernel-7"), longPeriod},
	} {
		t.Run(c.set+" "+strings.Join(c.scenarios, ","), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.record")
			truth := recorder(t, until(60, c.scenarios...), "-m", c.set, "-p", c.period, "-o", file)
			reports, correlations := recorded(t, file)
			if len(truth.Streams) != 1 || len(reports) == 0 || len(correlations) < 2 {
				t.Fatalf("%d streams, %d reports, %d correlations", len(truth.Streams), len(reports), len(correlations))
			}
			s := truth.Streams[0]
			held := clients.Compare(t, "xe-perf-recorder -m "+c.set, "lnl "+strings.Join(c.scenarios, ","))
			held.Equal("reports", len(reports), s.Delivered)
			first, last := reports[0], reports[len(reports)-1]
			for i := range first.c {
				held.Equal(fmt.Sprintf("PEC%d", i), last.c[i]-first.c[i], s.Totals[fmt.Sprintf("PEC%d", i)])
			}
			held.Equal("clocks", last.ticks-first.ticks, s.Totals["GPU_TICKS"])
			held.Equal("ticks", last.ts-first.ts, s.Totals["TIMESTAMP"])
			held.Equal("set", s.Configs[0].Set+" "+s.Configs[0].Registers, c.set+" published")
			held.Equal("correlations around them", correlations[0][1] < s.FirstTimestamp && correlations[len(correlations)-1][1] > s.LastTimestamp, true)
			for _, added := range truth.ConfigsAdded {
				held.Equal("registers of "+added.Set, added.Registers, "published")
			}
			if c.set == "TestOa" {
				held.Equal("test counter", last.c[2]-first.c[2], 7*(last.ticks-first.ticks))
			}
		})
	}
}

// What it reads of a busier GPU it writes in part, but asks for all of it, and is told of losses.
func TestForeignXePerfRecorderIsToldOfLosses(t *testing.T) {
	for scenario, status := range map[string]uint64{"report-loss": 1, "slow-reader": 2} {
		t.Run(scenario, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.record")
			truth := recorder(t, until(900, scenario), "-m", "RenderBasic", "-o", file)
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
	truth := recorder(t, until(60, single...), "-m", "TestOa", "-p", longPeriod, "-o", file)
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
	truth := recorder(t, o, "-m", "TestOa", "-p", longPeriod, "-s", "4096", "-f", fifo)
	if err := <-dumped; err != nil {
		t.Fatal(err)
	}
	reports, _ := recorded(t, file)
	s := truth.Streams[0]
	held := clients.Compare(t, "xe-perf-control", "lnl")
	held.Equal("as many reports as were read, but for those after the dump", len(reports) >= 40 && len(reports) <= s.Delivered, true)
	first, last := reports[0], reports[len(reports)-1]
	held.Equal("test counter", last.c[2]-first.c[2], 8*(last.ticks-first.ticks))
}

// What astrolabe records of a busy GPU another program reads in its own file's form: sums by context are the model's.
func TestForeignXePerfReaderReadsOurRecording(t *testing.T) {
	reader, before := clients.Debian13(t, "xe-perf-reader", igt)
	program := programs.Path(t, "astrolabe")
	file := filepath.Join(t.TempDir(), "live")
	script := `"$1" record --source xe --set TestOa --duration 400ms --period 1ms -o "$2.arrow" && "$1" convert "$2.arrow" "$2.record"`
	o := clients.Options{Device: newDevice("lnl"), Seed: 3}
	if os.Geteuid() != 0 {
		o.Scenarios = []string{"paranoid-0"}
	}
	r, _ := clients.Run(t, o, "sh", "-c", script, "sh", program, file)
	truth := r.Truth.(*Truth).Streams[0]
	out, err := exec.Command(reader, append(before, "-c", "GpuCoreClocks,GPGPU_THREADGROUP_COUNT,IA_VERTEX,TEST_EVENT1_CYCLES", file+".record")...).CombinedOutput()
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
	held := clients.Compare(t, "xe-perf-reader on astrolabe's recording", "lnl")
	held.Equal("contexts", len(sums), len(truth.Contexts))
	for ctx, m := range truth.Contexts {
		for name, counter := range map[string]string{"GpuCoreClocks:": "GPU_TICKS", "GPGPU_THREADGROUP_COUNT:": "PEC0", "IA_VERTEX:": "PEC33", "TEST_EVENT1_CYCLES:": "PEC2"} {
			held.Equal("context "+ctx+": "+name, sums[ctx][name], m[counter])
		}
	}
}
