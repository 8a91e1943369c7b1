package replay_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/clients"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/replay"
	"astrolabe/hwio/internal/tape"
)

// shortly has a program stop long before a tape ends, so that it has the rest at once, however busy the machine is.
var shortly = []string{"--source", "perfevent", "--duration", "50ms"}

// measured skips a test where nothing could be.
func measured(t *testing.T, b *bundle.Bundle) {
	t.Helper()
	if b.Capture == nil {
		t.Skipf("EMULATION SKIPPED: performance events of whole processors are refused here: %s", b.About.Refused)
	}
}

// sameCounts holds samples of the kernel against each other. A program that this machine did not run in time may have gone
// on after the tape's end: what then differs is where the last of the counts stand, not what they sum up to.
func sameCounts(t *testing.T, was, is *capture.Capture) {
	t.Helper()
	if was.Axis.Len() == is.Axis.Len() {
		equal(t, was, is, true)
		return
	}
	n := was.Axis.Len() - 1
	if n < 1 || is.Axis.Len() < n {
		t.Fatalf("%d samples, then %d", was.Axis.Len(), is.Axis.Len())
	}
	t.Logf("%d samples, then %d: the program went on", was.Axis.Len(), is.Axis.Len())
	for _, c := range was.Counters {
		for _, x := range slices.Concat([]*capture.Counter{c}, c.Instances) {
			o := is.Counter(c.Name)
			if x != c && o != nil {
				o = o.Instance(x.Meta.Instance)
			}
			if o == nil {
				t.Fatalf("no %s %s", c.Name, x.Meta.Instance)
			}
			if x.Col == nil || !x.Col.Integers() {
				continue
			}
			a, b := x.Col.Data(), o.Col.Data()
			for i := range n {
				if a.Missing(i) != b.Missing(i) || !a.Missing(i) && a.U[i] != b.U[i] {
					t.Fatalf("%s %s, sample %d: %d, then %d", c.Name, x.Meta.Instance, i, a.U[i], b.U[i])
				}
			}
			if total, again := x.Sum().Lo, o.Sum().Lo; total != again {
				t.Errorf("%s %s: %d in all, then %d", c.Name, x.Meta.Instance, total, again)
			}
		}
	}
}

func TestAReplayOfProcessorsIsRecordedAsTheyWere(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	for _, c := range []struct{ device, scenario string }{
		{"cpu-pmu", ""}, {"cpu-pmu", "few-counters"}, {"cpu-pmu", "watchdog"}, {"cpu-pmu", "throttled"},
		{"mali-g710", ""}, // the real kernel's software events
	} {
		t.Run(strings.TrimSpace(c.device+" "+c.scenario), func(t *testing.T) {
			m, err := devices.Find(c.device)
			if err != nil {
				t.Fatal(err)
			}
			first := collectedWith(t, hwtest.Options{Device: m.New(), Settings: hwtest.Settings{Scenarios: strings.Fields(c.scenario)}},
				"--source", "perfevent", "--duration", "700ms")
			measured(t, first)
			for _, k := range first.Judge(t.Context()) {
				if k.Name == "capture from raw samples" && k.Verdict != bundle.Holds {
					t.Errorf("%s: %s", k.Name, k.Text)
				}
			}
			sameCounts(t, opened(t, first), opened(t, collected(t, replay.New(first), shortly...)))
		})
	}
}

// A period at which the recorder reads the groups itself.
func TestAReplayOfReadingsIsReadAsTheyWere(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	m, err := devices.Find("cpu-pmu")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--source", "perfevent", "--period", "60ms", "--duration", "500ms"}
	first := collected(t, m.New(), args...)
	measured(t, first)
	equal(t, opened(t, first), opened(t, collected(t, replay.New(first), args...)), false)
}

// A program that shares nothing with the recorder opens the events of the tape and takes their samples out of the ring.
func TestAProgramInCCountsAsTheRecorderDid(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: no gcc here to build the client in C")
	}
	client := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command(gcc, "-Wall", "-o", client, "testdata/perf.c").CombinedOutput(); err != nil {
		t.Fatalf("build the client: %v\n%s", err, out)
	}
	m, err := devices.Find("cpu-pmu")
	if err != nil {
		t.Fatal(err)
	}
	b := collected(t, m.New(), "--source", "perfevent", "--duration", "300ms")
	measured(t, b)
	ring, args, want := asked(t, b)
	res, out := emulated.Run(t, hwtest.Options{Device: replay.New(b), Cmd: exec.Command(client, args...)})
	if res.Exit != 0 {
		t.Fatalf("exit status %d:\n%.2000s", res.Exit, out)
	}
	got := strings.Fields(out)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("ring %d: the client took %d words, which are not the %d of the tape: %.200q, want %.200q", ring, len(got), len(want), got, want)
	}
	if u := res.Truth.(*replay.Truth).Unknown; len(u) > 0 {
		t.Errorf("the tape has no answer to %q", u)
	}
}

// asked are the questions that made the first group whose ring is on the tape, and what was found in that ring of it: for
// each sample the counts of its members.
func asked(t *testing.T, b *bundle.Bundle) (ring int, args, samples []string) {
	t.Helper()
	leader, id := 0, ""
	for i := range b.Events {
		e := &b.Events[i]
		if e.Kind == tape.Map && e.Errno == 0 && leader == 0 {
			leader, ring = e.Device, b.Events[i+1].New
		}
	}
	for i := range b.Events {
		e := &b.Events[i]
		opens := e.Kind == tape.Request && e.Code == "perf_event_open" && e.Errno == 0
		if opens && (b.Events[i+1].New == leader || e.Device == leader) {
			args = append(args, hex.EncodeToString(e.In), hex.EncodeToString(e.BufIn))
		}
		if e.Kind == tape.Request && e.Device == leader && e.Code == "PERF_EVENT_IOC_ID" {
			id = strconv.FormatUint(binary.LittleEndian.Uint64(e.Out), 10)
		}
		for d := []byte(e.Data); e.Kind == tape.Read && e.Device == ring && len(d) >= 8; {
			n := int(binary.LittleEndian.Uint64(d) >> 48)
			if uint32(binary.LittleEndian.Uint64(d)) == 9 && strconv.FormatUint(binary.LittleEndian.Uint64(d[8:]), 10) == id {
				for at := 32 + 24; at < n; at += 16 {
					samples = append(samples, strconv.FormatUint(binary.LittleEndian.Uint64(d[at:]), 10))
				}
			}
			d = d[n:]
		}
	}
	return ring, args, samples
}

// Debian's unmodified perf counts as the tape does: on each processor so many of each in the time that it says.
func TestForeignPerfStatCountsWhatIsOnTheTape(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	perf := clients.Path(t, "perf", "linux-perf")
	m, err := devices.Find("cpu-pmu")
	if err != nil {
		t.Fatal(err)
	}
	b := collected(t, m.New(), "--source", "perfevent", "--duration", "500ms")
	measured(t, b)
	c := opened(t, b)
	res, out := emulated.Run(t, hwtest.Options{Device: replay.New(b),
		Cmd: exec.Command(perf, "stat", "-a", "-A", "-x,", "-e", "cycles,instructions,cache-misses,task-clock", "--", "sleep", "0.1")})
	if res.Exit != 0 {
		t.Fatalf("exit status %d:\n%s", res.Exit, out)
	}
	longest := int64(0)
	for i, end := range c.Axis.End {
		longest = max(longest, end-c.Axis.Start[i])
	}
	apart := 0.001 + float64(longest)/float64(c.Axis.End[c.Len()-1]-c.Axis.Start[0])
	n := 0
	for line := range strings.Lines(out) {
		f := strings.Split(line, ",")
		if len(f) < 5 || !strings.HasPrefix(f[0], "CPU") {
			continue
		}
		count, err := strconv.ParseFloat(f[1], 64)
		ran, err2 := strconv.ParseFloat(f[4], 64)
		if err != nil || err2 != nil || ran < 50e6 {
			t.Fatalf("%q: it ran for %g ns", line, ran)
		}
		if f[2] == "msec" {
			count *= 1e6
		}
		sum := func(name string) float64 {
			x := c.Counter(name)
			if x == nil || x.Instance(f[0][3:]) == nil {
				t.Fatalf("the tape has no %s of %s", name, f[0])
			}
			return float64(x.Instance(f[0][3:]).Sum().Lo)
		}
		// The model counts evenly, so that there is one rate. Groups of one processor begin and end up to a sample apart.
		is, want := count/ran, sum(strings.ReplaceAll(f[3], "-", "_"))/sum("task_clock")
		if math.Abs(is-want) > apart*want {
			t.Errorf("%s: %g in a ns, on the tape %g", strings.TrimSpace(line), is, want)
		}
		n++
	}
	if n < 4 {
		t.Errorf("%d counts:\n%s", n, out)
	}
}
