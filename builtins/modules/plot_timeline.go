package modules

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "timeline(*counters: Counter|list, title: str=None, ylabel: str=None, stacked: bool=False, lanes: " +
			"bool=None, bands: list|Span|Mask|number=None, marks: list=None, log: bool=False, spread: " +
			"bool=False, twin: Counter|list=None) -> Plot",
		Doc: "Counters over time, one panel per unit. A long line is reduced to the smallest and largest value " +
			"of each pixel, so no spike is lost. " +
			lanesDoc +
			"bands are thresholds (a number), ranges of values (lo, hi) or (lo, hi, label), and stretches of " +
			"time (a Span, or the spans of a Mask); marks are times, (time, label) or notes (plot.note). log=True makes the value " +
			"axes logarithmic. spread=True draws noisy counters as their mean over a tint from smallest to " +
			"largest. twin are counters of another unit, drawn in the same frame against an axis at the right.",
		Example: "plot.timeline(clk, hits, title=\"Clock and hits\", bands=clk.gt(1000).spans(), marks=[(1, \"start\")])",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			o := charts.TimelineOptions{Title: c.Str("title", ""), YLabel: c.Str("ylabel", ""),
				Stacked: c.Flag("stacked", false), Lanes: lanes(c), Log: c.Flag("log", false)}
			if c.Flag("spread", false) {
				o.Style = charts.Spread
			}
			return timeline(e, c, o, c.Value("twin"))
		},
	}, binding.Method[*binding.Env]{
		Sig: "area(*counters: Counter|list, title: str=None, ylabel: str=None, stacked: bool=True, bands: list|Span|Mask|number=None, marks: list=None) -> Plot",
		Doc: "Counters over time as areas down to zero, on top of each other unless stacked=False. Stacked " +
			"counters must share one time axis; a sample in which one of them is missing has no total and is a " +
			"gap.",
		Example: "plot.area(clk, cap[\"clk\"] * 2)",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			o := charts.TimelineOptions{Title: c.Str("title", ""), YLabel: c.Str("ylabel", ""),
				Stacked: c.Flag("stacked", true), Style: charts.Area}
			return timeline(e, c, o, starlark.None)
		},
	})
}

// lanesDoc explains the parameter lanes.
const lanesDoc = "Five or more noisy counters of one unit, which would hide each other, get a lane each: a frame of " +
	"its own with the name beside it. lanes=True gives one to every counter of a panel, lanes=False to none. "

// lanes reads the parameter lanes, which is None where the data decide.
func lanes(c *binding.Call) charts.Lanes {
	switch {
	case !c.Has("lanes"):
		return charts.AutoLanes
	case c.Flag("lanes", false):
		return charts.AlwaysLanes
	}
	return charts.NeverLanes
}

// timeline draws the counters among the positional arguments. twin goes to the axis at the
// right.
func timeline(e *binding.Env, c *binding.Call, o charts.TimelineOptions, twin starlark.Value) (starlark.Value, error) {
	counters, err := flatten(c.Rest)
	if err != nil {
		return nil, err
	}
	if len(counters) == 0 {
		return nil, errors.New("give at least one counter")
	}
	var right []*values.Counter
	if twin != starlark.None {
		if right, err = flatten([]starlark.Value{twin}); err != nil {
			return nil, fmt.Errorf("parameter twin: %w", err)
		}
	}
	if o.Bands, o.Spans, err = bands(c.Value("bands")); err != nil {
		return nil, fmt.Errorf("parameter bands: %w", err)
	}
	var spans []charts.Interval
	if o.Marks, spans, err = marks(c.Value("marks")); err != nil {
		return nil, fmt.Errorf("parameter marks: %w", err)
	}
	o.Spans = append(o.Spans, spans...)
	o.Gaps, o.Late = gapsOf(slices.Concat(counters, right))
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		list := make([]charts.Series, len(counters))
		for i, ctr := range counters {
			list[i] = ctr.Series()
		}
		for _, ctr := range right {
			o.Twin = append(o.Twin, ctr.Series())
		}
		p, err := charts.Timeline(o, list...)
		if err != nil {
			return nil, err
		}
		return values.NewPlot(e, p), nil
	})
}

// gapsOf are the gaps and late spans of the capture that counters come from. Of several captures they are those parts
// that all of them share: one capture's gap must not be drawn behind the data of another.
func gapsOf(counters []*values.Counter) (gaps, late []charts.Interval) {
	var seen []*capture.Capture
	for _, ctr := range counters {
		if ctr.From == nil || slices.Contains(seen, ctr.From) {
			continue
		}
		g, l := charts.FromGaps(ctr.From.Gaps), charts.FromGaps(ctr.From.Late)
		if len(seen) > 0 {
			g, l = charts.Shared(gaps, g), charts.Shared(late, l)
		}
		gaps, late = g, l
		seen = append(seen, ctr.From)
	}
	return gaps, late
}
