package capture

import (
	"fmt"
	"slices"
	"testing"
)

// lossy is a capture of five samples: 0 to 10, 10 to 40 (late), nothing from 40 to 60, 60 to 70, 70 to 80 (worthless: a
// gap over it), 80 to 90.
func lossy(t *testing.T) *Capture {
	t.Helper()
	axis := &Axis{Start: []int64{0, 10, 60, 70, 80}, End: []int64{10, 40, 70, 80, 90}}
	valid := NewBitmap(5)
	valid.Clear(3)
	c, err := New(Config{Axis: axis,
		Counters: []*Counter{{Meta: Meta{Name: "n"}, Axis: axis,
			Col: NewColumn(Data{U: []uint64{1, 3, 1, 0, 1}, Valid: valid})}},
		Labels: []*Label{NewLabel("frame", []string{"a", "b", "a", "b", "b"}, nil)},
		Gaps:   []Gap{{Start: 40, End: 60, Lost: 2}, {Start: 70, End: 80, Lost: 1}},
		Late:   []Gap{{Start: 10, End: 40, Lost: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func spansOf(gaps []Gap) string {
	s := ""
	for _, g := range gaps {
		s += fmt.Sprintf("[%d %d) ", g.Start, g.End)
	}
	return s
}

func TestLateTimeIsMeasuredAndGapsAreNot(t *testing.T) {
	c := lossy(t)
	if c.Duration() != 90 || c.Measured() != 60 {
		t.Errorf("%d ns, %d measured", c.Duration(), c.Measured())
	}
	if Length(c.Gaps) != 30 || Length(slices.Concat(c.Gaps, []Gap{{Start: 45, End: 75}})) != 40 {
		t.Errorf("gaps last %d", Length(c.Gaps))
	}
	for _, x := range []struct {
		gaps []Gap
		want int64
	}{
		{nil, 60 + 10}, {[]Gap{{Start: -5, End: 200}}, 0},
		{[]Gap{{Start: 5, End: 15}, {Start: 12, End: 65}, {Start: 12, End: 13}}, 30},
		{[]Gap{{Start: 20, End: 20}, {Start: 85, End: 80}}, 70}, {[]Gap{{Start: 30, End: 62}}, 58},
	} {
		other, err := c.With(func(cfg *Config) { cfg.Gaps = x.gaps })
		if err != nil {
			t.Fatal(err)
		}
		if got := other.Measured(); got != x.want {
			t.Errorf("with the gaps %s %d ns are measured, want %d", spansOf(x.gaps), got, x.want)
		}
	}
	overlapping, err := New(Config{Axis: &Axis{Start: []int64{0, 5, 30}, End: []int64{20, 10, 40}},
		Gaps: []Gap{{Start: 15, End: 35}}})
	if err != nil || overlapping.Measured() != 20 {
		t.Errorf("%d ns of overlapping samples, want 15 and 5", overlapping.Measured())
	}
}

func TestGapsAreCutAndLateSpansFollowTheirSamples(t *testing.T) {
	c := lossy(t)
	slice := func(from, to int64) *Capture {
		s, err := c.Slice(from, to)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	groups, err := c.GroupBy("frame")
	if err != nil {
		t.Fatal(err)
	}
	binned, err := c.Resample(30)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := Concat([]*Capture{c, c})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		c          *Capture
		gaps, late string
		measured   int64
	}{
		"the time before":  {slice(0, 10), "", "", 10},
		"the late sample":  {slice(10, 20), "", "[10 40) ", 30},
		"the time after":   {slice(20, 90), "[40 60) [70 80) ", "", 20},
		"half of a gap":    {slice(50, 75), "[50 60) [70 75) ", "", 15},
		"one frame":        {groups[0].Capture, "[40 60) ", "", 20},
		"the other frame":  {groups[1].Capture, "[40 60) [70 80) ", "[10 40) ", 40},
		"resampled":        {binned, "[40 60) [70 80) ", "[10 40) ", 70},
		"one after itself": {joined, "[40 60) [70 80) [130 150) [160 170) ", "[10 40) [100 130) ", 120},
	} {
		if g, l := spansOf(x.c.Gaps), spansOf(x.c.Late); g != x.gaps || l != x.late || x.c.Measured() != x.measured {
			t.Errorf("%s: gaps %s(want %s), late %s(want %s), %d ns measured (want %d)", name, g, x.gaps, l, x.late,
				x.c.Measured(), x.measured)
		}
	}
}

// Recorders used to mark what they missed from the first missed tick on, within the sample.
func TestALateSpanWithinItsSampleFollowsItToo(t *testing.T) {
	c, err := lossy(t).With(func(cfg *Config) { cfg.Late = []Gap{{Start: 20, End: 40}} })
	if err != nil {
		t.Fatal(err)
	}
	before, err := c.Slice(0, 20)
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.Slice(20, 90)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Late) != 1 || len(after.Late) != 0 {
		t.Errorf("the slice with the sample has %v, the one behind it %v", before.Late, after.Late)
	}
}

// A warning of 2,000 runs of one program was 2,000 warnings of their concatenation.
func TestConcatTellsAWarningOfManyCapturesOnce(t *testing.T) {
	var caps []*Capture
	for k := range 6 {
		c, err := lossy(t).With(func(cfg *Config) {
			cfg.Name, cfg.Warnings = fmt.Sprint("run", k), []string{"no hardware events"}
			cfg.Properties = []Property{{Name: "cores", Number: float64(k / 5)}}
			if k < 5 {
				cfg.Warnings = append(cfg.Warnings, "it was hot")
			}
			if k == 2 {
				cfg.Warnings = append(cfg.Warnings, "it was cold")
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		caps = append(caps, c)
	}
	all, err := Concat(caps)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"all 6 captures: no hardware events", "5 captures (run0, run1, run2, run3, …): it was hot",
		"run2: it was cold",
		`run5: property "cores" differs, the first value is used`}
	if !slices.Equal(all.Warnings, want) {
		t.Errorf("%q, want %q", all.Warnings, want)
	}
	if one, err := Concat(caps[:1]); err != nil || !slices.Equal(one.Warnings, caps[0].Warnings) {
		t.Errorf("%q, %v", one.Warnings, err)
	}
}
