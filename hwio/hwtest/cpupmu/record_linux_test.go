package cpupmu

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"astrolabe/capture"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/programs"
)

// run runs astrolabe on the emulated units, and interrupts it when it has read an event so often, unless that is 0.
func run(t *testing.T, scenarios string, reads int, args ...string) (r *hwtest.Result, truth *Truth, output string) {
	t.Helper()
	return runProgram(t, scenarios, programs.Path(t, "astrolabe"), reads, args...)
}

// runProgram runs any program on them.
func runProgram(t *testing.T, scenarios, program string, reads int, args ...string) (r *hwtest.Result, truth *Truth, output string) {
	t.Helper()
	// The source looks for access with software events, which are the real kernel's.
	if fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: 112, Bits: unix.PerfBitExcludeKernel}, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC); err != nil {
		t.Skipf("EMULATION SKIPPED: the real kernel opens no software event: %v", err)
	} else {
		_ = unix.Close(fd)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	set := hwtest.Settings{}
	if scenarios != "" {
		set.Scenarios = strings.Split(scenarios, ",")
	}
	r, output = emulated.Run(t, hwtest.Options{Device: Models()[0].New(), Settings: set, Cmd: cmd, EndAfter: reads})
	truth = r.Truth.(*Truth)
	for _, e := range truth.Events {
		if !e.Closed {
			t.Errorf("%s on processor %d was left open", e.Name, e.CPU)
		}
	}
	return r, truth, output
}

// record records what args say until every event has been read so often, and opens the capture.
func record(t *testing.T, scenarios string, reads int, args ...string) (*capture.Capture, *Truth, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.arrow")
	r, truth, out := run(t, scenarios, reads, append([]string{"record", "--source", "perfevent", "--period", "5ms", "--duration", "10m", "-o", path}, args...)...)
	if r.Exit != 0 {
		t.Fatalf("record exits with %d:\n%s", r.Exit, out)
	}
	c := emulated.Open(t, path)
	return c, truth, out
}

// recorded is the sum of a counter's column.
func recorded(t *testing.T, c *capture.Capture, name, instance string) uint64 {
	t.Helper()
	counter := c.Counter(name)
	if counter == nil {
		t.Fatalf("the capture lacks %s", name)
	}
	if instance != "" {
		counter = counter.Instance(instance)
	}
	if counter == nil {
		t.Fatalf("%s has no instance %q", name, instance)
	}
	return counter.Sum().Lo
}

// during are the last reads of an event: those of a capture's samples and the one before them.
func during(t *testing.T, e *EventTruth, samples int) (first, last ReadTruth) {
	t.Helper()
	if e.InSamples {
		if len(e.Reads) <= e.Before+1 {
			t.Fatalf("%s on processor %d was read %d times, %d of them before its samples had a ring", e.Name, e.CPU, len(e.Reads), e.Before)
		}
		return e.Reads[e.Before], e.Reads[len(e.Reads)-1]
	}
	if len(e.Reads) <= samples {
		t.Fatalf("%s on processor %d was read %d times for %d samples", e.Name, e.CPU, len(e.Reads), samples)
	}
	return e.Reads[len(e.Reads)-1-samples], e.Reads[len(e.Reads)-1]
}

// name is what astrolabe calls an event.
func (e *EventTruth) name() string { return strings.ReplaceAll(e.Name, "-", "_") }

// counters are the events of a unit that were recorded, not only opened to see whether they are there.
func counters(truth *Truth, unit string) (out []*EventTruth) {
	for _, e := range truth.Events {
		if len(e.Reads) > 0 && e.Period == 0 && e.Unit == unit {
			out = append(out, e)
		}
	}
	return out
}

func TestARecordingHoldsEveryCountOfEveryProcessor(t *testing.T) {
	c, truth, out := record(t, "", 60)
	if strings.Contains(out, "shared") {
		t.Errorf("six events on seven counters take turns:\n%s", out)
	}
	compared := 0
	for _, e := range append(counters(truth, "cpu"), counters(truth, "software")...) {
		first, last := during(t, e, c.Len())
		if !e.InSamples {
			t.Errorf("%s on processor %d is not sampled by the kernel", e.Name, e.CPU)
		}
		if last.Running != last.Enabled {
			t.Errorf("%s on processor %d was counting %d of %d ns", e.Name, e.CPU, last.Running, last.Enabled)
		}
		if got, want := recorded(t, c, e.name(), fmt.Sprint(e.CPU)), last.Value-first.Value; got != want {
			t.Errorf("%s on processor %d: %d recorded, %d counted", e.Name, e.CPU, got, want)
		}
		compared++
	}
	if want := (6 + 9) * len(truth.CPUs); compared != want {
		t.Errorf("%d events were compared, want %d", compared, want)
	}
	// One group of each unit: a clock leads it.
	groups := map[uint64]bool{}
	for _, e := range truth.Events {
		if e.InSamples && e.Period == 0 {
			groups[e.Leader] = true
		}
	}
	if want := 2 * len(truth.CPUs); len(groups) != want {
		t.Errorf("%d groups, want %d", len(groups), want)
	}
}

// Where a group was throttled there is no value; where there is one it is what happened, by the rate of the event.
func TestSumsOfThrottledGroupsAreWhatHappenedWhereThereAreValues(t *testing.T) {
	c, truth, out := record(t, "throttled", 500, "--period", "100us")
	if truth.Throttled < 20 || !strings.Contains(out, "kernel.perf_event_max_sample_rate is 4000") || !strings.Contains(out, "take a longer period than 100µs") {
		t.Errorf("throttled %d times:\n%s", truth.Throttled, out)
	}
	compared := 0
	for _, e := range append(counters(truth, "cpu"), counters(truth, "software")...) {
		if !e.InSamples || e.Rate < 1e6 {
			continue // too few happen in a sample
		}
		in := c.Counter(e.name()).Instance(fmt.Sprint(e.CPU))
		ns, missing := int64(0), int64(0)
		for i := range c.Len() {
			if in.Value(i).Missing() {
				missing += c.Axis.Interval(i)
				continue
			}
			ns += c.Axis.Interval(i)
		}
		rate := float64(e.Rate)
		if e.Unit == "cpu" {
			rate *= float64(8+e.CPU) / 8
		}
		// Exact to a count, but for the groups that were read while they stood still: a busy machine has that take a millisecond, and
		// the count is told of its end. What is guarded against is off by a fifth and more.
		if got, want := in.Sum().Float(), rate*float64(ns)/1e9; ns == 0 || missing == 0 || math.Abs(got/want-1) > 5e-2 {
			t.Errorf("%s on processor %d: %.0f in %d ns with values (%d without), %.0f happened", e.Name, e.CPU, got, ns, missing, want)
		}
		compared++
	}
	if compared < 8*len(truth.CPUs) {
		t.Errorf("%d events were compared", compared)
	}
}

// scaled is the kernel's own scaling of what was counted between two reads.
func scaled(first, last ReadTruth) float64 {
	return float64(last.Value-first.Value) * float64(last.Enabled-first.Enabled) / float64(last.Running-first.Running)
}

// near reports whether two sums are the same to a millionth, but for the rounding of every sample to a whole number.
func near(a, b float64, samples int) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b)+float64(samples) }

// A total was the sum of the samples in which a counter had its turn: at 1 ms three fifths of what happened, and with several processors, which
// take turns at times of their own, a fifth.
func TestTotalsOfCountersThatTakeTurnsAreScaledOverTheWholeTime(t *testing.T) {
	for period, reads := range map[string]int{"1ms": 300, "5ms": 80, "50ms": 12} {
		c, truth, out := record(t, "few-counters", reads, "--period", period)
		if !strings.Contains(out, "shared the hardware counters and were counting 3") {
			t.Errorf("%s: nothing says that the counters took turns:\n%s", period, out)
		}
		groups := map[uint64]bool{}
		sums := map[string]float64{}
		for _, e := range counters(truth, "cpu") {
			groups[e.Leader] = true
			first, last := during(t, e, c.Len())
			if last.Running >= last.Enabled {
				t.Errorf("%s: %s on processor %d never made room", period, e.Name, e.CPU)
			}
			want := scaled(first, last)
			sums[e.name()] += want
			in := c.Counter(e.name()).Instance(fmt.Sprint(e.CPU))
			if got := in.Total().Float(); !near(got, want, c.Len()) {
				t.Errorf("%s: %s on processor %d: %.0f, the kernel's own scaling gives %.0f", period, e.Name, e.CPU, got, want)
			}
			if share := in.Counted(); share > 0.4 || !strings.Contains(strings.Join(in.Doubts(), ""), "took turns with others on the hardware") {
				t.Errorf("%s: %s on processor %d counted a share of %v, and its doubts are %q", period, e.Name, e.CPU, share, in.Doubts())
			}
		}
		if want := 3 * len(truth.CPUs); len(groups) != want {
			t.Errorf("%d groups of two, want %d", len(groups), want)
		}
		for name, want := range sums {
			if got := c.Counter(name).Total().Float(); !near(got, want, c.Len()) {
				t.Errorf("%s: %s: %.0f, the kernel's own scaling gives %.0f", period, name, got, want)
			}
			binned, err := c.Resample(100e6)
			if err != nil {
				t.Fatal(err)
			}
			if got := binned.Counter(name).Total().Float(); math.Abs(got/want-1) > 1e-3 {
				t.Errorf("%s: %s: %.0f after resampling, before it %.0f", period, name, got, want)
			}
		}
		if coverage := c.Counter("counter_coverage"); coverage == nil || len(coverage.Instances) != 3*len(truth.CPUs) {
			t.Fatalf("the coverage of each group is missing: %+v", coverage)
		}
	}
}

func TestAGroupThatNeverRunsIsSplit(t *testing.T) {
	_, truth, out := record(t, "watchdog", 60)
	if strings.Contains(out, "never got onto the hardware") {
		t.Errorf("a group was left that cannot run:\n%s", out)
	}
	for _, e := range truth.Events {
		if n := len(e.Reads); n > 40 && e.Reads[n-1].Running == 0 {
			t.Errorf("%s on processor %d was recorded and never counted", e.Name, e.CPU)
		}
	}
}

func TestACommandIsCountedFromItsStart(t *testing.T) {
	for scenario, sampled := range map[string]bool{"": true, "no-inherited-samples": false, "no-inherited-groups": false} {
		// The signal that ends the recording goes to the command.
		c, truth, out := record(t, scenario, 40, "--", "sh", "-c", "trap 'exit 0' INT; while :; do sleep 0.02; done")
		if said := strings.Count(out, "the recorder reads the counters at every tick"); said != 1 && !sampled || said > 0 && sampled {
			t.Errorf("%q: said %d times that the kernel takes no samples:\n%s", scenario, said, out)
		}
		counted := map[string]uint64{}
		for _, e := range counters(truth, "cpu") {
			if e.PID < 1 || (e.CPU == -1) == sampled || e.InSamples != sampled {
				t.Errorf("%q: %s is of process %d on processor %d, in samples %t", scenario, e.Name, e.PID, e.CPU, e.InSamples)
				continue
			}
			first, last := e.Reads[max(e.Before, len(e.Reads)-1-c.Len())], e.Reads[len(e.Reads)-1]
			if first.Value != 0 {
				t.Errorf("%q: %s of process %d on processor %d counted %d before the first sample", scenario, e.Name, e.PID, e.CPU, first.Value)
			}
			if last.Enabled == 0 || last.Value == 0 {
				t.Errorf("%q: %s was enabled for %d ns and counted %d", scenario, e.Name, last.Enabled, last.Value)
			}
			counted[e.name()] += last.Value
		}
		for name, want := range counted {
			if got := recorded(t, c, name, ""); got != want {
				t.Errorf("%q: %s: %d recorded, %d counted", scenario, name, got, want)
			}
		}
		if len(counted) != 6 {
			t.Errorf("%q: %d counters", scenario, len(counted))
		}
	}
}

func TestAMemoryControllersEventsAreScaledToTheirUnit(t *testing.T) {
	c, truth, _ := record(t, "", 40, "--counters", "uncore_imc_0/data_reads/,uncore_imc_0/data_writes/")
	for _, e := range counters(truth, imcName) {
		first, last := during(t, e, c.Len())
		counter := c.Counter("uncore_imc_0/" + strings.TrimPrefix(e.Name, "imc ") + "/")
		if counter == nil || len(counter.Instances) != 1 || counter.Unit != "MiB" {
			t.Fatalf("the capture has %s as %+v", e.Name, counter)
		}
		want := float64(last.Value-first.Value) * 64 / (1 << 20)
		if got := counter.Sum().F; got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("%s: %g MiB recorded, %g happened", e.Name, got, want)
		}
	}
}

func TestRefusedRequestsAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		scenarios string
		args      []string
		want      []string
	}{
		"EACCES for the whole machine": {"unprivileged", nil, []string{"kernel.perf_event_paranoid is 2", "sysctl kernel.perf_event_paranoid=0"}},
		"EACCES for everything":        {"unprivileged,paranoid-3", []string{"--", "true"}, []string{"kernel.perf_event_paranoid is 3"}},
		"EINVAL for a bad code":        {"", []string{"--counters", "r100000000"}, []string{"counter r100000000", "the kernel rejects this combination"}},
		"ENOENT for a missing event":   {"", []string{"--counters", "stalled_cycles_backend"}, []string{"stalled_cycles_backend", "no such event"}},
		"ENOENT for every event":       {"no-pmu-events", []string{"--counters", "cycles"}, []string{"the kernel lists a counter unit (cpu) but opens none of its events"}},
		"a socket's event of a process": {"", []string{"--counters", "uncore_imc_0/data_reads/", "--", "true"},
			[]string{"the unit uncore_imc_0 counts for the whole machine and cannot be limited to a process", "record it without a process or command"}},
	} {
		path := filepath.Join(t.TempDir(), "r.arrow")
		r, _, out := run(t, c.scenarios, 0, append([]string{"record", "--source", "perfevent", "--duration", "100ms", "-o", path}, c.args...)...)
		if r.Exit == 0 {
			t.Errorf("%s: it was recorded:\n%s", name, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the message lacks %q:\n%s", name, want, out)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: it left a file", name)
		}
	}
}

func TestMoreEventsThanCountersAreStillRecorded(t *testing.T) {
	c, truth, out := record(t, "", 60, "--counters", "cycles,instructions,ref_cycles,bus_cycles,branches,branch_misses,cache_references,cache_misses,dTLB_loads,iTLB_load_misses")
	if !strings.Contains(out, "shared the hardware counters") {
		t.Errorf("nothing says that the counters took turns:\n%s", out)
	}
	refused := len(counters(truth, "cpu"))
	if want := 10 * len(truth.CPUs); refused != want {
		t.Errorf("%d events were read, want %d", refused, want)
	}
	if got := len(c.Counter("counter_coverage").Instances); got != 2*len(truth.CPUs) {
		t.Errorf("%d groups, want two on each processor", got)
	}
}
