package cpupmu

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"astrolabe/hwio/hwtest/clients"
)

// perf is the kernel's own program for these events: what it prints is held against what the model told it.

// printed is a line of perf stat -x,.
type printed struct {
	time  float64 // of -I, s
	cpu   int     // of -A, -1 without
	name  string
	value float64
	ran   uint64 // ns
}

// perfStat runs perf stat with -x, and returns its lines.
func perfStat(t *testing.T, scenarios string, args ...string) ([]printed, *Truth, string) {
	t.Helper()
	perf := clients.Path(t, "perf", "linux-perf")
	_, truth, out := runProgram(t, scenarios, perf, 0, append([]string{"stat", "-x,"}, args...)...)
	var lines []printed
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), ",")
		p := printed{cpu: -1}
		var err error
		if slices.Contains(args, "-I") && len(f) > 1 {
			if p.time, err = strconv.ParseFloat(strings.TrimSpace(f[0]), 64); err != nil {
				continue
			}
			f = f[1:]
		}
		if cpu, ok := strings.CutPrefix(f[0], "CPU"); ok && len(f) > 1 {
			if p.cpu, err = strconv.Atoi(cpu); err != nil {
				continue
			}
			f = f[1:]
		}
		if len(f) < 5 {
			continue
		}
		p.name = f[2]
		// So perf tells of an interval in which the command had not begun yet.
		if f[0] == "<not counted>" && f[3] == "0" {
			f[0] = "0"
		}
		if p.value, err = strconv.ParseFloat(f[0], 64); err != nil {
			t.Errorf("perf stat prints %q", line)
			continue
		}
		if p.ran, err = strconv.ParseUint(f[3], 10, 64); err != nil {
			t.Errorf("perf stat prints %q", line)
			continue
		}
		lines = append(lines, p)
	}
	return lines, truth, out
}

// last is the last answer to a read of an event.
func last(e *EventTruth) ReadTruth { return e.Reads[len(e.Reads)-1] }

func TestForeignPerfStatScalesAsTheTruthIsScaledHere(t *testing.T) {
	lines, truth, out := perfStat(t, "few-counters", "-a", "-A", "-e", "cycles,instructions,cache-misses,branches", "sleep", "0.3")
	c := clients.Compare(t, "perf stat -a -A", "cpu-pmu few-counters")
	for _, e := range truth.Events {
		if len(e.Reads) == 0 {
			continue
		}
		for _, p := range lines {
			if p.cpu == e.CPU && p.name == e.Name {
				c.Within(fmt.Sprintf("%s on processor %d", e.Name, e.CPU), p.value, scaled(ReadTruth{}, last(e)), 1)
			}
		}
	}
	if want := 4 * len(truth.CPUs); len(lines) != want {
		t.Errorf("%d lines, want %d:\n%s", len(lines), want, out)
	}
}

// What a task does between the last read and its end used to be lost, and perf reads once: when the command has ended.
func TestForeignPerfStatCountsACommandToItsEnd(t *testing.T) {
	begin := time.Now()
	lines, truth, out := perfStat(t, "", "-e", "cycles,instructions,branches", "--", "sleep", "0.3")
	took := time.Since(begin)
	c := clients.Compare(t, "perf stat -- COMMAND", "cpu-pmu")
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for _, p := range lines {
		for _, e := range truth.Events {
			if e.Name != p.name || len(e.Reads) == 0 {
				continue
			}
			r := last(e)
			c.Equal(p.name, uint64(p.value), r.Value)
			c.Equal(p.name+"'s time", p.ran, r.Running)
			c.Equal(p.name+" by its rate", r.Value, uint64(float64(e.Rate)*float64(r.Running)/1e9))
			// The command sleeps for so long after its exec, and is over when perf is.
			c.Equal(p.name+" ran as long as the command", r.Running >= 300e6 && r.Running < uint64(took), true)
		}
	}
}

// The last interval of a command ends with the command.
func TestForeignPerfStatCountsTheLastInterval(t *testing.T) {
	lines, truth, out := perfStat(t, "", "-I", "100", "-e", "cycles,instructions", "--", "sleep", "0.35")
	c := clients.Compare(t, "perf stat -I", "cpu-pmu")
	for _, e := range truth.Events {
		if len(e.Reads) == 0 {
			continue
		}
		sum, at := uint64(0), 0
		for _, p := range lines {
			if p.name != e.Name {
				continue
			}
			if at >= len(e.Reads) {
				t.Fatalf("%d reads of %s and more intervals:\n%s", len(e.Reads), e.Name, out)
			}
			before := uint64(0)
			if at > 0 {
				before = e.Reads[at-1].Value
			}
			c.Equal(fmt.Sprintf("%s until %.3f s", e.Name, p.time), uint64(p.value), e.Reads[at].Value-before)
			sum, at = sum+uint64(p.value), at+1
		}
		c.Equal("all intervals of "+e.Name, sum, last(e).Value)
		if r := last(e); r.Running < 350e6 {
			t.Errorf("%s ran for %d ns of 0.35 s:\n%s", e.Name, r.Running, out)
		}
	}
}

// A task that runs already is counted from when perf finds it to when perf's own command ends.
func TestForeignPerfStatCountsATaskThatRuns(t *testing.T) {
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	})
	lines, truth, out := perfStat(t, "", "-e", "cycles,instructions", "-p", fmt.Sprint(other.Process.Pid), "--", "sleep", "0.2")
	c := clients.Compare(t, "perf stat -p", "cpu-pmu")
	if len(lines) != 2 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for _, p := range lines {
		for _, e := range truth.Events {
			if e.Name == p.name && len(e.Reads) > 0 {
				c.Equal(p.name, uint64(p.value), last(e).Value)
				c.Equal(p.name+"'s task", e.PID, other.Process.Pid)
			}
		}
	}
}
