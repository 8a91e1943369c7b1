package charts

import (
	"slices"
	"testing"

	"astrolabe/plots/canvas"
)

func TestGainsAreRoundedRanges(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0.126, 0.198, "15 to 20 %"}, {0.3056, 0.3056, "about 30 %"}, {0.01, 0.11, "up to 10 %"},
		{0.001, 0.02, "below 5 %"}, {-1, 7, "up to 100 %"}} {
		if got := gainText(c.low, c.high); got != c.want {
			t.Errorf("%v to %v is %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestAPartHasTheColourOfTheSeriesAboutIt(t *testing.T) {
	theme := canvas.Light()
	part := func(name string, ms int64) AccountPart {
		return AccountPart{Name: name, Kind: "unit", Title: name, Explained: true, Time: ms * 1e6}
	}
	a := &Account{Base: 100e6, Parts: []AccountPart{part("texture", 60), part("arithmetic", 20), part("tiler", 15),
		part("varying", 5)}}
	y := []float64{1, 2, 3}
	units, err := Timeline(TimelineOptions{Title: "Units"}, series("Arithmetic unit utilization", "percent", 1e6, y),
		series("Texture unit utilization", "percent", 1e6, y))
	list, colors := a.Beside(must(t, units, err)).shown(theme)
	for i, p := range list {
		want := map[string]int{"texture": 1, "arithmetic": 0, "tiler": 2}
		if slot, ok := want[p.Name]; ok && colors[i] != theme.Series[slot] {
			t.Errorf("%s has the colour %v, want that of series %d", p.Name, colors[i], slot)
		}
	}
}

func TestLongPartsHaveColoursOfTheirOwnBesideATimeline(t *testing.T) {
	theme := canvas.Light()
	a := &Account{Base: 100e6}
	for i, ms := range []int64{40, 25, 15, 12, 8} {
		a.Parts = append(a.Parts, AccountPart{Name: string(rune('a' + i)), Kind: "unit", Title: string(rune('a' + i)),
			Explained: true, Time: ms * 1e6})
	}
	y := []float64{1, 2, 3}
	var drawn []Series
	for _, name := range []string{"User", "System", "I/O wait", "Stolen"} {
		drawn = append(drawn, series(name, "percent", 1e6, y))
	}
	p, err := Timeline(TimelineOptions{Title: "CPU time"}, drawn...)
	_, colors := a.Beside(must(t, p, err)).shown(theme)
	for i, c := range colors[:len(theme.Series)-len(drawn)] {
		for k := range drawn {
			if c == theme.Series[k] {
				t.Errorf("part %d of the time has the colour of %s", i+1, drawn[k].Name)
			}
		}
	}
	for i, c := range colors {
		if slices.Contains(colors[:i], c) {
			t.Errorf("two parts have the colour %v", c)
		}
	}
}

func TestBarsOfFramesHaveTheColoursOfTheWhole(t *testing.T) {
	theme := canvas.Light()
	a := &Account{Base: 100e6, Parts: []AccountPart{
		{Name: "display", Kind: "display", Title: "the display", Explained: true, Time: 50e6},
		{Name: "not measured", Kind: "not measured", Title: "not measured", Time: 30e6},
		{Name: "texture", Kind: "unit", Title: "the texture unit", Explained: true, Time: 20e6}}}
	o := BarOptions{Labels: []string{"frame 1"}, Stacked: true}
	one := []float64{1}
	p, err := Bar(o, BarSeries{Name: "the texture unit", Values: one}, BarSeries{Name: "not measured", Values: one},
		BarSeries{Name: "the display", Values: one}, BarSeries{Name: "others", Values: one})
	if err != nil {
		t.Fatal(err)
	}
	list, colors := a.shown(theme)
	whole := map[string]any{"others": theme.Rule}
	for i, p := range list {
		whole[p.Title] = colors[i]
	}
	for _, k := range a.Colored(p).body.(*bar).keys(theme) {
		if k.color != whole[k.name] {
			t.Errorf("%s has the colour %v in the bars, and %v in the whole", k.name, k.color, whole[k.name])
		}
	}
	for _, other := range []BarOptions{{Labels: o.Labels}, o} {
		q, err := Bar(other, BarSeries{Name: "blur", Values: one})
		if err != nil {
			t.Fatal(err)
		}
		if a.Colored(q) != q {
			t.Error("bars that are not about the account were painted")
		}
	}
}
