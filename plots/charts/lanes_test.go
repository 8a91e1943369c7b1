package charts

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// crowd is n noisy series of one unit around levels.
func crowd(n, samples int, unit string, level func(k int) float64, noise func() float64) []Series {
	out := make([]Series, n)
	for k := range out {
		out[k] = series(fmt.Sprintf("ShaderCoreUtil[%d]", k), unit, 1e6,
			canvastest.Values(samples, func(i int) float64 {
				return level(k) + 10*math.Sin(float64(i)/300+float64(k)) + noise()
			}))
	}
	return out
}

func lanesIn(t *testing.T, o TimelineOptions, s ...Series) []*lane {
	t.Helper()
	p, err := Timeline(o, s...)
	return must(t, p, err).body.(*timeline).lanes
}

func TestSixteenNoisyLinesGetALaneEach(t *testing.T) {
	r := canvastest.Noise()
	list := crowd(16, 5000, "%", func(int) float64 { return 50 }, func() float64 { return 10 * r.NormFloat64() })
	p, err := Timeline(TimelineOptions{Title: "Cores", Marks: []Mark{{At: 2e9, Label: "frame 9"}}}, list...)
	if n := len(must(t, p, err).body.(*timeline).lanes); n != 16 {
		t.Fatalf("%d lanes, want 16", n)
	}
	for _, sz := range []canvas.Size{{}, {Width: 960, Height: 540}, {Width: 3200, Height: 1800, DPI: 192},
		{Width: 700, Height: 2000}} {
		for _, theme := range []*canvas.Theme{canvas.Light(), canvas.Dark()} {
			sc, err := p.WithTheme(theme).scene(sz)
			if err != nil {
				t.Fatal(err)
			}
			seen, axes, tops := map[string]bool{}, 0, map[float64]bool{}
			for _, b := range sc.Boxes {
				seen[b.Text] = true
				if b.Text == "time [s]" {
					axes++
				}
			}
			for _, o := range sc.Ops {
				if tr, ok := o.(canvas.TraceOp); ok {
					tops[tr.Trace.Top] = true
				}
			}
			for _, s := range list {
				if !seen[s.Name] {
					t.Errorf("%v: the name %s is not whole", sz, s.Name)
				}
			}
			if axes != 1 || len(tops) != 16 {
				t.Errorf("%v: %d time axes and %d frames, want 1 and 16", sz, axes, len(tops))
			}
		}
	}
}

func TestOnlyNoisySeriesThatHideEachOtherGetLanes(t *testing.T) {
	r := canvastest.Noise()
	calm := func() float64 { return 0 }
	loud := func() float64 { return 8 * r.NormFloat64() }
	same := func(int) float64 { return 50 }
	for name, c := range map[string]struct {
		list []Series
		want int
	}{
		"sixteen smooth lines": {crowd(16, 5000, "%", same, calm), 1},
		"four noisy lines":     {crowd(4, 5000, "%", same, loud), 1},
		"five noisy lines":     {crowd(5, 5000, "%", same, loud), 5},
		"four noisy and many smooth": {append(crowd(4, 5000, "%", same, loud), crowd(9, 5000, "%", same, calm)...),
			1},
		"noisy lines at distant levels": {crowd(9, 5000, "%", func(k int) float64 {
			return 1000 * float64(k)
		}, loud), 1},
		"sixteen lines of few samples": {crowd(16, 12, "%", same, func() float64 { return r.NormFloat64() }), 1},
	} {
		if got := len(lanesIn(t, TimelineOptions{}, c.list...)); got != c.want {
			t.Errorf("%s: %d panels, want %d", name, got, c.want)
		}
	}
	five := crowd(5, 5000, "%", same, loud)
	if n := len(lanesIn(t, TimelineOptions{Lanes: NeverLanes}, five...)); n != 1 {
		t.Errorf("lanes that were declined: %d panels", n)
	}
	if n := len(lanesIn(t, TimelineOptions{Stacked: true}, five...)); n != 1 {
		t.Errorf("a stack has %d panels", n)
	}
	if n := len(lanesIn(t, TimelineOptions{Lanes: AlwaysLanes}, crowd(2, 10, "%", same, calm)...)); n != 2 {
		t.Errorf("lanes that were asked for: %d panels", n)
	}
	for _, o := range []TimelineOptions{{Lanes: AlwaysLanes, Stacked: true}, {Lanes: AlwaysLanes, Twin: five[:1]}} {
		if _, err := Timeline(o, five...); err == nil || !strings.Contains(err.Error(), "choose one") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

func TestLanesOfOneUnitCompareUnlessOneWouldVanish(t *testing.T) {
	flat := func(v float64) Series { return series(fmt.Sprint(v), "events", 1e6, []float64{0, v, v / 2}) }
	near := lanesIn(t, TimelineOptions{Lanes: AlwaysLanes}, flat(100), flat(30), flat(0))
	for _, l := range near {
		if a := l.axis(canvas.Light(), 60); a.hi < 100 {
			t.Errorf("%s has an axis up to %g", l.name, a.hi)
		}
	}
	far := lanesIn(t, TimelineOptions{Lanes: AlwaysLanes}, flat(1e6), flat(30))
	if a := far[1].axis(canvas.Light(), 60); a.hi > 60 {
		t.Errorf("a lane of values up to 30 has an axis up to %g", a.hi)
	}
	p, err := Timeline(TimelineOptions{Lanes: AlwaysLanes}, flat(1e6), flat(30))
	if text := textsOf(t, must(t, p, err)); !strings.Contains(text, ownScaleNote) {
		t.Errorf("nothing says that heights do not compare:\n%s", text)
	}
}

func TestLanesThatFindNoRoomAreNamed(t *testing.T) {
	r := canvastest.Noise()
	p, err := Timeline(TimelineOptions{}, crowd(16, 5000, "%", func(int) float64 {
		return 50
	}, func() float64 { return 10 * r.NormFloat64() })...)
	sc, err2 := must(t, p, err).scene(canvas.Size{Width: 500, Height: 250})
	if err2 != nil {
		t.Fatal(err2)
	}
	text := ""
	for _, b := range sc.Boxes {
		text += b.Text + "\n"
	}
	if !strings.Contains(text, "more lanes do not fit at this size: ShaderCoreUtil[") {
		t.Errorf("lanes are left out without a word:\n%s", text)
	}
}

func TestALaneWithoutDataSaysWhy(t *testing.T) {
	list := crowd(3, 50, "%", func(int) float64 { return 50 }, func() float64 { return 0 })
	list[1].Y, list[1].Why = canvastest.Values(50, func(int) float64 { return math.NaN() }), "core 1 had no power"
	p, err := Timeline(TimelineOptions{Lanes: AlwaysLanes}, list...)
	if text := textsOf(t, must(t, p, err)); !strings.Contains(text, "core 1 had no power") {
		t.Errorf("the reason is not shown:\n%s", text)
	}
}
