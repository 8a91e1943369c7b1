package top_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/internal/top"
)

// schema has a count of two instances, a level, a percentage and something of which nothing is measured.
func schema() *capture.Schema {
	column := func(name, instance, unit string, kind capture.Kind, integer bool) capture.ColumnSpec {
		return capture.ColumnSpec{Meta: capture.Meta{Name: name, Instance: instance, Unit: unit, Kind: kind}, Integer: integer}
	}
	return &capture.Schema{Columns: []capture.ColumnSpec{
		column("reads", "a", "requests", capture.Delta, true), column("reads", "b", "requests", capture.Delta, true),
		column("clock 時計", "", "Hz", capture.Gauge, false), column("busy", "", "%", capture.Gauge, false),
		column("absent", "", "W", capture.Gauge, false),
	}}
}

// batch has n samples of unequal length from a time on. Every fifth level is missing.
func batch(s *capture.Schema, from int64, n int) *capture.Batch {
	b := capture.NewBatch(s, n)
	for i := range n {
		length := int64(5e6 + i%3*1e6)
		b.Start, b.End = append(b.Start, from), append(b.End, from+length)
		from += length
		b.AppendInt(0, uint64(i*7%13))
		b.AppendInt(1, uint64(i*5%11))
		if i%5 == 4 {
			b.AppendFloat(2, math.NaN())
		} else {
			b.AppendFloat(2, 1e9+float64(i)*1e6)
		}
		b.AppendFloat(3, float64(i%100))
		b.AppendFloat(4, math.NaN())
	}
	return b
}

// setup is a board with a number of refreshes of samples, and all the samples.
func setup(t *testing.T, refreshes int) (*top.Feed, *top.Board, *capture.Capture) {
	t.Helper()
	s := schema()
	all := capture.NewCollector(s)
	f, b := new(top.Feed), top.NewBoard()
	if _, err := f.Create(s); err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for i := range refreshes {
		x := batch(s, at, 20+i)
		at = x.End[x.Len()-1]
		all.Add(x)
		if err := f.Write(x); err != nil {
			t.Fatal(err)
		}
		x.Reset() // the recorder fills it again
		c, lost, err := f.Take()
		if err == nil {
			err = b.Add(c, lost)
		}
		if err != nil || lost != 0 {
			t.Fatal(err, lost)
		}
	}
	c, err := capture.New(all.Config(""))
	if err != nil {
		t.Fatal(err)
	}
	return f, b, c
}

func TestValuesAreThoseOfTheRecordingInThatTime(t *testing.T) {
	_, b, all := setup(t, 7)
	part, err := all.Slice(b.From, b.To)
	if err != nil {
		t.Fatal(err)
	}
	if part.Len() != 26 || len(b.Rows) != 4 {
		t.Fatalf("%d samples, %d rows", part.Len(), len(b.Rows))
	}
	seconds := float64(b.To-b.From) / 1e9
	for _, r := range b.Rows {
		want := part.Counter(r.Name).Total().Float()
		if r.Name == "reads" {
			if want /= seconds; r.Unit != "requests/s" {
				t.Errorf("a count is shown in %q", r.Unit)
			}
		}
		if r.Value != want && !(r.Value != r.Value && want != want) || len(r.Past) != 7 {
			t.Errorf("%s: %v, want %v (%d values)", r.Name, r.Value, want, len(r.Past))
		}
	}
	if r := b.Rows[3]; r.Text() != "missing" || r.Share() == r.Share() || r.Why == "" {
		t.Errorf("what was never measured is %s, %v, because %q", r.Text(), r.Share(), r.Why)
	}
}

func TestATerminalThatTakesNothingCostsNoMemoryAndNoSample(t *testing.T) {
	s := schema()
	f := new(top.Feed)
	f.Create(s)
	file := new(sink)
	if err := f.RecordTo(func(*capture.Schema) (hwio.Sink, error) { return file, nil }); err != nil {
		t.Fatal(err)
	}
	written, at := 0, int64(0)
	for range 400 { // some 90 MB
		b := batch(s, at, 4096)
		at = b.End[b.Len()-1]
		written += b.Len()
		if err := f.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	c, lost, err := f.Take()
	if err != nil || lost == 0 || c.Len()+lost != written {
		t.Errorf("%d samples and %d lost of %d: %v", c.Len(), lost, written, err)
	}
	if got := s.Bytes(int64(c.Len())); got > 64<<20 {
		t.Errorf("%d bytes were kept", got)
	}
	if file.samples != written {
		t.Errorf("the file has %d samples of %d", file.samples, written)
	}
}

// sink counts what a file would get.
type sink struct {
	samples, closed int
	fails           error
}

func (s *sink) Write(b *capture.Batch) error { s.samples += b.Len(); return s.fails }
func (s *sink) Close() error                 { s.closed++; return nil }

func TestAFileThatCannotBeWrittenEndsAndTheRecordingGoesOn(t *testing.T) {
	f, _, _ := setup(t, 1)
	full := errors.New("no space left")
	file := &sink{fails: full}
	f.RecordTo(func(*capture.Schema) (hwio.Sink, error) { return file, nil })
	for range 2 {
		if err := f.Write(batch(schema(), 0, 5)); err != nil {
			t.Fatal(err)
		}
	}
	if c, _, err := f.Take(); err != nil || c.Len() != 10 {
		t.Errorf("the board gets %v: %v", c, err)
	}
	if file.samples != 5 || file.closed != 1 || !errors.Is(f.Failed(), full) || !errors.Is(f.EndFile(), full) {
		t.Errorf("%+v: %v", file, f.Failed())
	}
	if err := f.RecordTo(func(*capture.Schema) (hwio.Sink, error) { return new(sink), nil }); err != nil {
		t.Errorf("a further file: %v", err)
	}
}

// stage is a view on a simulated terminal.
type stage struct {
	*top.View
	t      *testing.T
	screen tcell.Screen
	term   vt.MockTerm
	asked  int // for files
}

func newStage(t *testing.T, b *top.Board, w, h int, plain bool) *stage {
	t.Helper()
	s := &stage{t: t, term: vt.NewMockTerm(vt.MockOptSize{X: vt.Col(w), Y: vt.Row(h)})}
	var err error
	if s.screen, err = tcell.NewTerminfoScreenFromTty(s.term); err == nil {
		err = s.screen.Init()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.screen.Fini)
	s.View = top.NewView(s.screen, b, plain, func() top.Status { return top.Status{Sources: "model", Period: 5e6, Missed: 3} },
		func() (string, error) { s.asked++; return "recording into x.arrow", nil })
	s.Draw()
	return s
}

// text is what stands on the screen.
func (s *stage) text() string {
	w, h := s.screen.Size()
	var out strings.Builder
	for y := range h {
		line := ""
		for x := 0; x < w; {
			str, _, n := s.screen.Get(x, y)
			if str == "" {
				str = " "
			}
			line += str
			x += max(n, 1)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

func (s *stage) keys(keys ...any) bool {
	on := true
	for _, k := range keys {
		switch k := k.(type) {
		case string:
			for _, r := range k {
				on = s.Handle(tcell.NewEventKey(tcell.KeyRune, string(r), tcell.ModNone))
			}
		case tcell.Key:
			on = s.Handle(tcell.NewEventKey(k, "", tcell.ModNone))
		}
	}
	return on
}

func (s *stage) has(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.text(), w) {
			s.t.Errorf("%q is not on the screen:\n%s", w, s.text())
		}
	}
}

// names are the rows of the list from the top.
func (s *stage) names() (out []string) {
	for _, line := range strings.Split(s.text(), "\n")[3:] {
		if len(line) < 2 || line[0] == ' ' && line[1] == ' ' {
			break
		}
		for _, n := range []string{"reads[a]", "reads[b]", "reads", "clock", "busy", "absent"} {
			if strings.HasPrefix(line[1:], n) {
				out = append(out, n)
				break
			}
		}
	}
	return out[:min(len(out), 6)]
}

func TestTheScreenShowsValuesBarsAndHistory(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {40, 9}} {
		_, b, _ := setup(t, 12)
		s := newStage(t, b, size[0], size[1], false)
		s.has("astrolabe top", "missed", "reads", b.Rows[0].Text()[:13])
		if size[0] >= 80 {
			s.has("█", "clock 時計", "missing", "q quit", "history")
		}
		for _, line := range strings.Split(s.text(), "\n") {
			if n := notation.TextCells(line); n > size[0] {
				t.Errorf("%v: a line of %d cells: %q", size, n, line)
			}
		}
	}
	_, b, _ := setup(t, 3)
	s := newStage(t, b, 80, 24, true)
	s.has("#")
	if i := strings.IndexFunc(s.text(), func(r rune) bool { return r > 0x7e }); i >= 0 {
		t.Errorf("not ASCII: %q", s.text()[i:])
	}
	newStage(t, b, 30, 5, false).has("needs 40x9")
}

func TestKeysChooseSortSearchAndPause(t *testing.T) {
	f, b, _ := setup(t, 4)
	s := newStage(t, b, 80, 24, false)
	same := func(want ...string) {
		t.Helper()
		if got := s.names(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("rows %v, want %v:\n%s", got, want, s.text())
		}
	}
	same("reads", "clock", "busy", "absent")
	s.keys("s")
	same("busy", "clock", "reads", "absent") // by name, what has no value last
	s.keys("S", "/bu")
	s.has("search: bu")
	same("busy")
	s.keys("zz")
	s.has("nothing is called so")
	s.keys(tcell.KeyBackspace, tcell.KeyBackspace, tcell.KeyEnter, tcell.KeyEnter, tcell.KeyEscape, "c")
	same("busy") // chosen while it was searched for
	s.keys("c", tcell.KeyHome, "i")
	c, _, _ := addMore(t, f)
	if err := b.Add(c, 0); err != nil {
		t.Fatal(err)
	}
	s.Draw()
	same("reads", "reads[a]", "reads[b]", "clock", "busy", "absent")
	if a, r := b.Rows[0].Parts[0].Value+b.Rows[0].Parts[1].Value, b.Rows[0].Value; math.Abs(a-r) > 1e-9*r {
		t.Errorf("the instances add up to %v, the row is %v", a, r)
	}
	s.keys("I", " ")
	s.has("PAUSED")
	before := s.text()
	c, _, _ = addMore(t, f)
	if err := b.Add(c, 0); err != nil {
		t.Fatal(err)
	}
	if s.Draw(); s.text() != before {
		t.Errorf("a screen that stands still changes:\n%s\n%s", before, s.text())
	}
	s.keys("r")
	if s.has("recording into x.arrow"); s.asked != 1 {
		t.Errorf("asked %d times for a file", s.asked)
	}
	if s.keys(" "); s.text() == before {
		t.Error("the screen does not go on")
	}
	s.keys("?")
	s.has("Ctrl-L")
	if !s.keys("x") || s.keys("q") {
		t.Error("q does not quit, or another key does")
	}
}

func addMore(t *testing.T, f *top.Feed) (*capture.Capture, int, error) {
	t.Helper()
	if err := f.Write(batch(schema(), 10e9, 9)); err != nil {
		t.Fatal(err)
	}
	return f.Take()
}

func TestTheSelectedRowStaysOnTheScreen(t *testing.T) {
	s := &capture.Schema{}
	for i := range 100 {
		s.Columns = append(s.Columns, capture.ColumnSpec{Meta: capture.Meta{Name: fmt.Sprintf("c%02d", i), Kind: capture.Gauge}})
	}
	f, b := new(top.Feed), top.NewBoard()
	f.Create(s)
	x := capture.NewBatch(s, 1)
	x.Start, x.End = []int64{0}, []int64{1e6}
	for i := range s.Columns {
		x.AppendFloat(i, float64(i))
	}
	f.Write(x)
	c, _, _ := f.Take()
	if err := b.Add(c, 0); err != nil {
		t.Fatal(err)
	}
	st := newStage(t, b, 80, 24, false)
	st.keys(tcell.KeyEnd)
	st.has(" c99 ", "now 99")
	st.keys(tcell.KeyPgUp, tcell.KeyUp, tcell.KeyUp)
	st.has(" c80 ", "now 80")
	st.keys(tcell.KeyHome)
	st.has(" c00 ", "now 0")
	for range 40 {
		st.keys(tcell.KeyDown)
	}
	st.has(" c40 ", "now 40")
	st.term.SetSize(vt.Coord{X: 60, Y: 12})
	st.Handle(<-st.screen.EventQ())
	st.has(" c40 ", "now 40")
}

func FuzzNames(f *testing.F) {
	f.Add("name", "unit", 1.5, 80, 24, "/x")
	f.Add("שם\x1b[2J\n温度", "B/s", math.Inf(1), 41, 10, "sSic?")
	f.Fuzz(func(t *testing.T, name, unit string, v float64, w, h int, keys string) {
		s := &capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: name, Unit: unit, Kind: capture.Gauge}}}}
		feed, b := new(top.Feed), top.NewBoard()
		feed.Create(s)
		x := capture.NewBatch(s, 1)
		x.Start, x.End = []int64{0}, []int64{1e6}
		x.AppendFloat(0, v)
		feed.Write(x)
		c, _, err := feed.Take()
		if err != nil {
			return // no capture can have that name
		}
		if err := b.Add(c, 0); err != nil {
			return // no capture can have that name
		}
		st := newStage(t, b, 1+abs(w)%200, 1+abs(h)%60, len(keys)%2 == 1)
		st.keys(keys[:min(len(keys), 20)])
		if strings.ContainsAny(st.text(), "\x1b\a\r") {
			t.Fatalf("a terminal would obey %q", st.text())
		}
	})
}

func abs(v int) int { return max(v, -(v + 1)) }
