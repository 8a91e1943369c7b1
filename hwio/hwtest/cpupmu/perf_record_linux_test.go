package cpupmu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest/clients"
)

// perf record reads the rings that the model writes to, and perf script and perf report read its file: what they print is held against what happened.

// recording is what perf made of one run.
type recording struct {
	truth   *Truth
	samples map[string]*sampleCount // by event and processor
	script  string
	report  string            // perf report --stdio
	stats   map[string]uint64 // of perf report --stats: records of each kind, and samples of each event
}

type sampleCount struct{ n, kernel, periods uint64 }

var (
	sampleLine = regexp.MustCompile(`^\s*(.+?)\s+(\d+)/(\d+)\s+\[(\d+)\]\s+([UK])\s+([\d.]+):\s+(\d+)\s+(\S+):`)
	statsLine  = regexp.MustCompile(`^\s*(\S+) events:\s+(\d+)`)
)

func key(event string, cpu int) string { return fmt.Sprintf("%s on processor %d", event, cpu) }

// perfRecord runs perf record, and perf on its file.
func perfRecord(t *testing.T, args ...string) *recording {
	t.Helper()
	perf := clients.Path(t, "perf", "linux-perf")
	file := filepath.Join(t.TempDir(), "perf.data")
	_, truth, out := runProgram(t, "", perf, 0, append([]string{"record", "--sample-cpu", "-o", file}, args...)...)
	r := &recording{truth: truth, samples: map[string]*sampleCount{}, stats: map[string]uint64{}}
	read := func(args ...string) string {
		// Its warnings would land in the middle of lines.
		text, err := exec.Command(perf, append(args, "-i", file)...).Output()
		if err != nil {
			t.Fatalf("perf %q: %v\n%s\n%s", args, err, text, out)
		}
		return string(text)
	}
	r.script = read("script", "--ns", "--show-lost-events", "--show-task-events", "-F", "comm,pid,tid,cpu,misc,time,period,event")
	r.report = read("report", "--stdio", "--sort", "comm")
	of := ""
	for line := range strings.Lines(read("report", "--stats")) {
		if head, ok := strings.CutSuffix(strings.TrimSpace(line), " stats:"); ok {
			of = head + " "
		} else if m := statsLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseUint(m[2], 10, 64)
			r.stats[of+m[1]] = n
		}
	}
	for line := range strings.Lines(r.script) {
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || strings.Contains(line, "PERF_RECORD") {
			continue
		}
		cpu, _ := strconv.Atoi(m[4])
		name, _, _ := strings.Cut(m[8], ":")
		s := r.samples[key(name, cpu)]
		if s == nil {
			s = &sampleCount{}
			r.samples[key(name, cpu)] = s
		}
		period, _ := strconv.ParseUint(m[7], 10, 64)
		s.n, s.periods = s.n+1, s.periods+period
		if m[5] == "K" {
			s.kernel++
		}
	}
	return r
}

// compare holds each event's samples against its count, and returns how many there are in all. What perf never read was cut off by its stop.
func (r *recording) compare(c *clients.Comparison) (all uint64) {
	for _, e := range r.truth.Events {
		if e.Period == 0 || e.Name == "dummy" {
			continue
		}
		name := key(e.Name, e.CPU)
		got := r.samples[name]
		if got == nil {
			got = &sampleCount{}
		}
		c.Equal(name+": the count over the period", e.Samples, e.Count/e.Period)
		c.Equal(name+": samples", got.n+e.Lost+e.Unread, e.Count/e.Period)
		c.Equal(name+": the periods of all", got.periods, got.n*e.Period)
		all += got.n
	}
	c.Equal("perf report's samples", r.stats["Aggregated SAMPLE"], all)
	return all
}

func TestForeignPerfRecordTakesASampleOfEveryPeriodOfACommand(t *testing.T) {
	r := perfRecord(t, "-e", "cycles", "-c", "1000000", "--", "sleep", "0.3")
	c := clients.Compare(t, "perf record -- COMMAND", "cpu-pmu")
	all := r.compare(c)
	pid := 0
	for _, e := range r.truth.Events {
		if e.Period == 0 {
			continue
		}
		pid = e.PID
		name := key(e.Name, e.CPU)
		c.Equal(name+": the period", e.Period, 1_000_000)
		c.Equal(name+": samples that perf did not read", e.Unread, 0)
		if s := r.samples[name]; e.Lost == 0 && s != nil {
			c.Equal(name+": in the kernel", s.kernel, s.n/4)
		}
		if len(e.Reads) > 0 {
			// In eighths of the rate, and more on higher processors.
			c.Within(name+": the count by its rate", float64(e.Count), float64(e.Rate)/8*float64(8+e.CPU)*float64(last(e).Running)/1e9, 1)
		}
	}
	c.Equal("perf report's sum", strings.Contains(r.report, fmt.Sprintf("# Event count (approx.): %d\n", all*1_000_000)), true)
	c.Equal("whose they all are", regexp.MustCompile(`100\.00%\s+sleep\b`).MatchString(r.report), true)
	c.Equal("the command's start", strings.Contains(r.script, fmt.Sprintf("PERF_RECORD_COMM exec: sleep:%d/%d", pid, pid)), true)
	c.Equal("the command's end", strings.Contains(r.script, fmt.Sprintf("PERF_RECORD_EXIT(%d:%d)", pid, pid)), true)
}

func TestForeignPerfRecordSamplesSeveralEventsInOneRing(t *testing.T) {
	r := perfRecord(t, "-e", "cycles:u,instructions:k,branch-misses", "-c", "100000", "--", "sleep", "0.2")
	c := clients.Compare(t, "perf record, 3 events", "cpu-pmu")
	r.compare(c)
	for name, s := range r.samples {
		switch {
		case strings.HasPrefix(name, "cycles"):
			c.Equal(name+": in the kernel", s.kernel, 0)
		case strings.HasPrefix(name, "instructions"):
			c.Equal(name+": in the kernel", s.kernel, s.n)
		}
	}
}

func TestForeignPerfRecordSamplesAtAFrequency(t *testing.T) {
	r := perfRecord(t, "-e", "instructions", "-F", "2000", "-g", "--", "sleep", "0.2")
	c := clients.Compare(t, "perf record -F", "cpu-pmu")
	r.compare(c)
	for _, e := range r.truth.Events {
		if e.Period > 0 {
			c.Equal(key(e.Name, e.CPU)+": the period", e.Period, e.Rate/2000)
		}
	}
}

// Processors are sampled until perf has had enough: what happens after its last look at the rings is in no file.
func TestForeignPerfRecordSamplesProcessors(t *testing.T) {
	r := perfRecord(t, "-e", "cycles", "-c", "5000000", "-a", "--", "sleep", "0.2")
	c := clients.Compare(t, "perf record -a", "cpu-pmu")
	r.compare(c)
	c.Equal("processors", len(r.samples), len(r.truth.CPUs))
}

// A clock leads the group, and each of its samples holds what the members had counted at that moment.
func TestForeignPerfRecordReadsGroupsThatAClockSamples(t *testing.T) {
	r := perfRecord(t, "-e", "{cpu-clock,cycles,instructions}:S", "-c", "1000000", "-a", "--", "sleep", "0.2")
	c := clients.Compare(t, "perf record, groups led by a clock", "cpu-pmu")
	for _, e := range r.truth.Events {
		if e.Period == 0 || e.Name != "cpu-clock" {
			continue
		}
		n := e.Written - e.Unread
		for _, m := range r.truth.Events {
			got := r.samples[key(m.Name, m.CPU)]
			if m.CPU != e.CPU || m.Leader != e.ID || got == nil {
				continue
			}
			want := n * e.Period
			if m != e {
				want = want / 1000 * m.Rate / 8 * uint64(8+m.CPU) / 1_000_000
			}
			c.Equal(key(m.Name, m.CPU)+": samples that perf made of the clock's", got.n <= n && got.n > n/2, true)
			c.Equal(key(m.Name, m.CPU)+": the counts of all", got.periods, want)
		}
	}
	c.Equal("events on all processors", len(r.samples), 3*len(r.truth.CPUs))
}

// Between THROTTLE and UNTHROTTLE there are no samples, and perf counts these records.
func TestForeignPerfRecordIsToldOfThrottling(t *testing.T) {
	perf := clients.Path(t, "perf", "linux-perf")
	file := filepath.Join(t.TempDir(), "perf.data")
	_, truth, out := runProgram(t, "throttled", perf, 0, "record", "-o", file, "-e", "{cpu-clock,cycles}:S", "-c", "100000", "-a", "--", "sleep", "0.2")
	dump, err := exec.Command(perf, "report", "-D", "-i", file).Output()
	if err != nil {
		t.Fatalf("perf report: %v\n%s", err, out)
	}
	c := clients.Compare(t, "perf record, throttled", "cpu-pmu throttled")
	stopped, told, run := map[string]bool{}, 0, map[string]int{}
	wrong := 0
	record := regexp.MustCompile(`(?m)^(\d+) \d+ 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_(SAMPLE|THROTTLE|UNTHROTTLE)`)
	for _, m := range record.FindAllStringSubmatch(string(dump), -1) {
		switch cpu := m[1]; m[2] {
		case "THROTTLE":
			stopped[cpu], told, run[cpu] = true, told+1, -1 // the sample of the same interrupt follows
		case "UNTHROTTLE":
			stopped[cpu], run[cpu] = false, 0
		default:
			if run[cpu]++; stopped[cpu] && run[cpu] > 0 {
				wrong++
			}
		}
	}
	c.Equal("samples while a group stands still", wrong, 0)
	c.Equal("times that perf was told of throttling", told > 0 && told <= truth.Throttled, true)
	if t.Failed() {
		t.Logf("%d times told, %d times throttled\n%s", told, truth.Throttled, out)
	}
}

// A ring of one page has no room for the samples of 2 ms.
func TestForeignPerfRecordKnowsWhatFoundNoRoom(t *testing.T) {
	r := perfRecord(t, "-e", "cycles", "-c", "25000", "-m", "1", "--", "sleep", "0.2")
	c := clients.Compare(t, "perf record -m 1 (losses)", "cpu-pmu")
	r.compare(c)
	lost := uint64(0)
	for _, e := range r.truth.Events {
		lost += e.Lost
	}
	c.Equal("that samples were lost", lost > 0, true)
	c.Equal("that perf was told so", r.stats["Aggregated LOST"] > 0, true)
	c.Equal("all that were lost", strings.Contains(r.report, fmt.Sprintf("# Total Lost Samples: %d\n", lost)), true)
}

// perf of a task that is not its own waits for the hang-up of every event.
func TestForeignPerfRecordEndsWithItsTask(t *testing.T) {
	other := exec.Command("sh", "-c", "read line; sleep 0.1")
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill() })
	dir := t.TempDir()
	var pipes []*os.File
	for _, name := range []string{"control", "ack"} {
		path := filepath.Join(dir, name)
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		pipes = append(pipes, f)
	}
	// The task goes on when perf answers, which it does once it samples.
	if _, err := pipes[0].WriteString("ping\n"); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = pipes[1].Read(make([]byte, 16))
		_ = in.Close()
		_ = other.Wait()
	}()
	control := fmt.Sprintf("--control=fifo:%s/control,%s/ack", dir, dir)
	r := perfRecord(t, "-e", "cycles", "-c", "2000000", control, "-p", fmt.Sprint(other.Process.Pid))
	c := clients.Compare(t, "perf record -p", "cpu-pmu")
	if all := r.compare(c); all == 0 {
		t.Errorf("no samples of 0.1 s:\n%s", r.script)
	}
}

// The refusal is that of units in some virtual machines.
func TestForeignPerfRecordIsRefused(t *testing.T) {
	perf := clients.Path(t, "perf", "linux-perf")
	r, _, out := runProgram(t, "no-interrupts", perf, 0, "record", "-e", "cycles", "-o", "perf.data", "--", "true")
	c := clients.Compare(t, "perf record (refused)", "cpu-pmu no-interrupts")
	c.Equal("exit status", r.Exit != 0, true)
	c.Equal("that there are no interrupts", strings.Contains(out, "PMU Hardware doesn't support sampling/overflow-interrupts"), true)
}
