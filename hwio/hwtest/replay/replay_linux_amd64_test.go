package replay_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/hwtest/replay"
	"astrolabe/hwio/internal/tape"
)

// collected runs doctor --bundle on a device.
func collected(t *testing.T, d hwtest.Device, more ...string) *bundle.Bundle {
	t.Helper()
	return collectedWith(t, hwtest.Options{Device: d}, more...)
}

func collectedWith(t *testing.T, o hwtest.Options, more ...string) *bundle.Bundle {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.zip")
	args := append([]string{"doctor", "--bundle", file, "--yes"}, more...)
	o.Cmd = exec.Command(programs.Path(t, "astrolabe"), args...)
	res, out := emulated.Run(t, o)
	if res.Exit != 0 {
		t.Fatalf("exit status %d:\n%s", res.Exit, out)
	}
	if r, ok := res.Truth.(*replay.Truth); ok && len(r.Unknown) > 0 {
		t.Errorf("the tape has no answer to %q", r.Unknown)
	}
	b, err := bundle.Open(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return b
}

// opened is the capture of a bundle.
func opened(t *testing.T, b *bundle.Bundle) *capture.Capture {
	t.Helper()
	if b.Capture == nil {
		t.Fatalf("nothing was recorded: %s", b.About.Refused)
	}
	c, err := b.OpenCapture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.Capture
}

// equal holds every integer of two captures against each other. all says that they must have equally many samples: a
// program that asks for each sample by a timer of its own may ask once less.
func equal(t *testing.T, was, is *capture.Capture, all bool) {
	t.Helper()
	n := min(was.Axis.Len(), is.Axis.Len())
	if all && was.Axis.Len() != is.Axis.Len() || n == 0 {
		t.Errorf("%d samples, then %d", was.Axis.Len(), is.Axis.Len())
	}
	values := 0
	compare := func(name string, a, b *capture.Column) {
		if a == nil || b == nil || !a.Integers() {
			return
		}
		x, y := a.Data(), b.Data()
		for i := range n {
			if x.Missing(i) != y.Missing(i) || !x.Missing(i) && x.U[i] != y.U[i] {
				t.Fatalf("%s, sample %d: %d, then %d", name, i, x.U[i], y.U[i])
			}
			values++
		}
	}
	for _, c := range was.Counters {
		if strings.HasPrefix(c.Title, "Correlation") {
			continue // of the clocks of the replay
		}
		o := is.Counter(c.Name)
		if o == nil || len(o.Instances) != len(c.Instances) {
			t.Fatalf("%s is another", c.Name)
		}
		compare(c.Name, c.Col, o.Col)
		for i := range c.Instances {
			compare(c.Name, c.Instances[i].Col, o.Instances[i].Col)
		}
	}
	if values == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d integers of %d samples are equal", values, n)
}

func TestAReplayIsRecordedAsTheDeviceWas(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	for _, name := range []string{"mali-g710", "mali-g72", "mali-g1", "panfrost", "kbl-gt2", "tgl", "dg2", "mtl", "lnl", "bmg",
		"dg2-xe"} {
		t.Run(name, func(t *testing.T) {
			m, err := devices.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			first := collected(t, m.New(), "--duration", "500ms")
			again := collected(t, replay.New(first))
			equal(t, opened(t, first), opened(t, again), name != "panfrost")
		})
	}
}

// What an AMD GPU shows are levels, which are asked for by timers, some of them at random times: which sample a level stands
// beside, and how many of a register's readings fall into one, is nothing that a tape decides. What it does decide is equal:
// what the GPU is and what can be measured, what it answers to each question in the order in which it is asked, and levels
// that did not change.
func TestAReplayOfAnAMDGPUIsTheSameGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	for _, name := range []string{"gfx9", "gfx942", "gfx1151"} {
		t.Run(name, func(t *testing.T) {
			m, err := devices.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			first := collected(t, m.New(), "--duration", "500ms")
			again := collected(t, replay.New(first), "--duration", "500ms")
			of := func(b *bundle.Bundle) (out []bundle.Finding) {
				for _, f := range b.Findings {
					if f.Source == "amdgpu" {
						out = append(out, f)
					}
				}
				return out
			}
			if was, is := of(first), of(again); len(was) == 0 || !slices.Equal(was, is) {
				t.Errorf("doctor said %+v, then %+v", was, is)
			}
			was, is := opened(t, first), opened(t, again)
			names := func(c *capture.Capture) (out []string) {
				for _, x := range c.Counters {
					out = append(out, fmt.Sprintf("%s %d", x.Name, len(x.Instances)))
				}
				return out
			}
			if a, b := names(was), names(is); len(a) < 5 || !slices.Equal(a, b) {
				t.Errorf("counters %q, then %q", a, b)
			}
			sameAnswers(t, first, again)
			sameConstants(t, was, is)
			if !slices.Contains(again.About.Recorded, "amdgpu") {
				t.Errorf("recorded %q", again.About.Recorded)
			}
		})
	}
}

// answersOf are what each question to a device, and each file of its driver, was answered with, in order.
func answersOf(b *bundle.Bundle) map[string][]string {
	out, opened := map[string][]string{}, map[int]string{}
	for i := range b.Events {
		e := &b.Events[i]
		key, answer := "", ""
		switch {
		case e.Kind == tape.Open && e.Path != "" && e.Errno == 0:
			opened[e.Device] = e.Path
			continue
		case e.Kind == tape.Request && opened[e.Device] != "":
			key = fmt.Sprintf("%s %s %x %x", opened[e.Device], e.Code, []byte(e.In), []byte(e.BufIn))
			answer = fmt.Sprintf("%d %d %x %x", e.Errno, e.Value, []byte(e.Out), []byte(e.BufOut))
		case (e.Kind == tape.File || e.Kind == tape.Again) && strings.HasPrefix(e.Path, "/sys/class/drm/"):
			key, answer = e.Path, fmt.Sprintf("%d %x", e.Errno, e.Content())
		default:
			continue
		}
		out[key] = append(out[key], answer)
	}
	return out
}

// sameAnswers says that every question is answered as it was the first time that it was asked, the second time, and so on;
// what is asked more often has the last answer again.
func sameAnswers(t *testing.T, first, again *bundle.Bundle) {
	t.Helper()
	was, n, changing := answersOf(first), 0, 0
	for question, is := range answersOf(again) {
		list := was[question]
		if len(list) == 0 {
			t.Errorf("%s was never asked before", question)
			continue
		}
		changes := false
		for i, x := range is {
			if want := list[min(i, len(list)-1)]; x != want {
				t.Fatalf("%s, time %d: %.200s, then %.200s", question, i, want, x)
			}
			changes = changes || x != is[0]
		}
		if n += len(is); changes {
			changing++
		}
	}
	if n < 100 || changing < 3 {
		t.Errorf("%d answers were compared, %d of them to questions whose answers changed", n, changing)
	}
	t.Logf("%d answers are equal; those to %d questions changed", n, changing)
}

// sameConstants holds counters against each other that have one value throughout.
func sameConstants(t *testing.T, was, is *capture.Capture) {
	t.Helper()
	constant := func(c *capture.Counter) (v uint64, ok bool) {
		if c == nil || c.Col == nil || !c.Col.Integers() {
			return 0, false
		}
		d, n := c.Col.Data(), 0
		for i, x := range d.U {
			if d.Missing(i) {
				continue
			}
			if n++; n > 1 && x != v {
				return 0, false
			}
			v = x
		}
		return v, n > 1
	}
	n := 0
	for _, c := range was.Counters {
		o := is.Counter(c.Name)
		for _, x := range slices.Concat([]*capture.Counter{c}, c.Instances) {
			y := o
			if x != c && o != nil {
				y = o.Instance(x.Meta.Instance)
			}
			a, ok := constant(x)
			b, ok2 := constant(y)
			if !ok || !ok2 {
				continue
			}
			if n++; a != b {
				t.Errorf("%s %s is always %d, then always %d", c.Name, x.Meta.Instance, a, b)
			}
		}
	}
	if n < 3 {
		t.Errorf("%d counters have one value", n)
	}
	t.Logf("%d counters that have one value have the same", n)
}

// A bundle that somebody sent becomes a test: what its reader makes of the answers stays as it was.
func TestTicketsStayAnswered(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	files, err := filepath.Glob("testdata/*.zip")
	if err != nil || len(files) == 0 {
		t.Fatalf("no ticket: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := bundle.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range b.Judge(t.Context()) {
				if c.Verdict == bundle.Broken {
					t.Errorf("%s: %s", c.Name, c.Text)
				}
			}
			if slices.Contains(b.About.Recorded, "perfevent") {
				sameCounts(t, opened(t, b), opened(t, collected(t, replay.New(b), shortly...)))
				return
			}
			equal(t, opened(t, b), opened(t, collected(t, replay.New(b))), true)
		})
	}
}

// A file that was looked for twice and was not there is not there for one who only asks whether it is.
func TestWhatWasNeverThereIsNotThere(t *testing.T) {
	const dir = "/sys/bus/event_source/devices/power/"
	missing := tape.Event{Kind: tape.File, Path: dir + "cpus", Errno: int(syscall.ENOENT)}
	events := []tape.Event{missing, {Kind: tape.File, Path: dir + "cpumask", Text: "0\n"}, missing, missing}
	res, out := emulated.Run(t, hwtest.Options{Device: replay.New(&bundle.Bundle{Events: events}), Cmd: exec.Command("sh", "-c",
		"cat "+dir+"cpumask; test -e "+dir+"cpus && echo there; cat "+dir+"cpus 2>/dev/null || echo not there")})
	if res.Exit != 0 || out != "0\nnot there\n" {
		t.Errorf("exit status %d, %q", res.Exit, out)
	}
}
