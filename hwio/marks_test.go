package hwio

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

func TestMarksBecomeRegionsAndFrames(t *testing.T) {
	m := &markFIFO{}
	for i, line := range []string{"begin load", "100 begin parse", "150 end parse", "half way", "end load", "frame", "frame", "frame 7", "begin never ended"} {
		m.Line(line, int64(1000+i*100))
	}
	b := &capture.Batch{Start: []int64{0, 500, 620, 690}, End: []int64{500, 600, 680, 800}, Labels: [][]string{nil}}
	m.gather(b, 0, 1000)
	var got []string
	for _, r := range b.Regions {
		got = append(got, fmt.Sprintf("%s %d..%d/%d", r.Name, r.Start, r.End, r.Depth))
	}
	want := "parse -900..-850/1; half way 300..300/1; load 0..400/0; frame 0 500..600/0; frame 1 600..700/0"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("regions\n%s, want\n%s", s, want)
	}
	if s := fmt.Sprintf("%q", b.Labels[0]); s != `["" "0" "1" "7"]` {
		t.Errorf("frames of the samples are %s", s)
	}
	warnings := m.conclude(2000)
	if len(warnings) != 1 || !strings.Contains(warnings[0], `region "never ended" was still open`) {
		t.Errorf("warnings: %q", warnings)
	}
	b.Regions = nil
	m.gather(b, 0, 1000)
	if len(b.Regions) != 2 || b.Regions[0].Name != "frame 7" || b.Regions[0].End != 1000 || b.Regions[1].Name != "never ended" {
		t.Errorf("what was open became %+v", b.Regions)
	}
}

func TestMarksThatCannotBeUsedAreTold(t *testing.T) {
	m := &markFIFO{}
	lines := []string{"", "begin", "end nothing", "frame x", "-5 name", "frame 9", "3 frame 10", strings.Repeat("x", 2000), "a\tb"}
	for _, l := range lines {
		m.Line(l, 50)
	}
	m.Line("begin a", 50)
	m.Line("20 end a", 60)
	w := strings.Join(m.conclude(100), "\n")
	for _, want := range []string{"the line is empty", "begin needs the name", `no region "nothing" is open`, "a frame has a number", "not positive",
		"would end 30 ns before it began", "has 2000 bytes", "control character"} {
		if !strings.Contains(w, want) {
			t.Errorf("warnings lack %q:\n%s", want, w)
		}
	}
}

// A bare frame behind frames 1, 2 and 3 was a second frame 3.
func TestFramesAreCountedOnFromTheLastNumber(t *testing.T) {
	m := &markFIFO{}
	for i, l := range []string{"frame", "frame", "frame 9", "frame", "frame 3", "frame"} {
		m.Line(l, int64(100+i))
	}
	m.conclude(1000)
	var got []string
	for _, r := range m.done {
		got = append(got, r.Name)
	}
	if want := []string{"frame 0", "frame 1", "frame 9", "frame 10", "frame 3", "frame 4"}; !slices.Equal(got, want) {
		t.Errorf("frames are %q, want %q", got, want)
	}
}

// 25,000 regions that were begun and never ended made 24,999 equal warnings.
func TestMarksThatGoWrongAgainAndAgainAreCountedByKind(t *testing.T) {
	m := &markFIFO{}
	for i := range 25_000 {
		m.Line("begin draw", int64(100+i))
		m.Line(fmt.Sprint("end other ", i), int64(100+i))
	}
	for i := range 3000 {
		m.Line(fmt.Sprint("begin ", i%20), 99_000)
	}
	w := m.conclude(100_000)
	if len(w) != 3 {
		t.Fatalf("%d warnings: %.2000q", len(w), w)
	}
	for i, want := range []string{
		"10000 regions were still open when the recording ended: draw (10000 times)",
		`no region "other 0" is open; 24999 more lines cannot be used for a reason like this`,
		"10000 regions are open already: what begins must end; 17999 more lines",
	} {
		if !strings.Contains(w[i], want) {
			t.Errorf("warning %q, want %q", w[i], want)
		}
	}
	m = &markFIFO{}
	for i := range 300 {
		m.Line(fmt.Sprint("begin ", i), int64(100+i))
	}
	if w := m.conclude(1000); len(w) != 1 || !strings.Contains(w[0], "300 regions were still open when the recording ended: 0, 1, 2") || !strings.Contains(w[0], "290 others") {
		t.Errorf("%q", w)
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("begin a\n5 end a\nframe\nframe 3\nname")
	f.Fuzz(func(t *testing.T, text string) {
		m := &markFIFO{}
		for i, l := range strings.Split(text, "\n") {
			m.Line(l, int64(i+1))
		}
		b := &capture.Batch{Start: []int64{0, 3}, End: []int64{3, 9}, Labels: [][]string{nil}}
		m.gather(b, 0, 0)
		m.conclude(1 << 40)
		m.gather(b, 0, 0)
		for _, r := range b.Regions {
			if r.End < r.Start || r.Depth < 0 {
				t.Fatalf("region %+v", r)
			}
		}
		if len(b.Labels[0]) != 2 {
			t.Fatalf("%d labels for 2 samples", len(b.Labels[0]))
		}
	})
}

// Marks of this program need no FIFO, and make no label of frames; one with a verb's name is a mark all the same.
func TestAMarkerMarksWithoutAFIFO(t *testing.T) {
	var m Marker
	if err := m.Mark("early"); err == nil {
		t.Error("a mark without a recording was taken")
	}
	src := &fakeSource{name: "fake", metas: []capture.Meta{{Name: "a", Kind: capture.Delta}}}
	var kept *Memory
	pacer := &fakePacer{}
	pacer.before = func(tick uint64) {
		switch tick {
		case 5:
			if err := m.Begin("a game"); err != nil {
				t.Error(err)
			}
			if m.End("another") == nil {
				t.Error("a region that never began has ended")
			}
		case 9:
			if err := m.End("a game"); err != nil {
				t.Error(err)
			}
		case 3:
			if err := m.Mark("frame 7"); err != nil {
				t.Error(err)
			}
			for _, bad := range []string{"", " ", "a\tb", "\xff", strings.Repeat("x", 2000)} {
				if m.Mark(bad) == nil {
					t.Errorf("%.20q was taken", bad)
				}
			}
		}
	}
	_, err := Record(t.Context(), Options{Sources: []Source{src}, Period: DefaultPeriod, Duration: 20 * DefaultPeriod,
		Marker: &m, pacer: pacer,
		Create: func(s *capture.Schema) (Sink, error) {
			kept = NewMemory(s, 1<<20)
			return kept, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := kept.Capture()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Labels); n != 0 {
		t.Errorf("%d labels", n)
	}
	if r := c.Regions; len(r) != 2 || r[0].Name != "frame 7" || r[0].Start != r[0].End || r[0].Start <= 0 ||
		r[1].Name != "a game" || r[1].Start >= r[1].End {
		t.Errorf("the regions are %+v", r)
	}
	if m.Mark("late") == nil {
		t.Error("a mark after the recording was taken")
	}
}
