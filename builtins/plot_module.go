package builtins

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/capture"
	"astrolabe/plots"
)

var plotModule = methodTable[*Env]{
	Name:      "plot",
	Elsewhere: plotModuleElsewhere,
	Doc:       "Charts of counters. Every function gives a Plot.",
	Methods: append([]method[*Env]{
		{
			Sig: "timeline(*counters: Counter|list, title: str=None, ylabel: str=None, stacked: bool=False, lanes: bool=None, bands: list|Span|Mask|number=None, marks: list=None, " +
				"log: bool=False, spread: bool=False, twin: Counter|list=None) -> Plot",
			Doc: "Counters over time, one panel per unit. A long line is reduced to the smallest and largest value of each pixel, so no spike is lost. " +
				lanesDoc +
				"bands are thresholds (a number), ranges of values (lo, hi) or (lo, hi, label), and stretches of time (a Span, or the spans of a Mask); marks are times or (time, label). " +
				"log=True makes the value axes logarithmic. spread=True draws noisy counters as their mean over a tint from smallest to largest. " +
				"twin are counters of another unit, drawn in the same frame against an axis at the right.",
			Example: "plot.timeline(clk, hits, title=\"Clock and hits\", bands=clk.gt(1000).spans(), marks=[(1, \"start\")])",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				o := plots.TimelineOptions{Title: c.str(0, ""), YLabel: c.str(1, ""), Stacked: c.flag(2, false), Lanes: c.lanes(3), Log: c.flag(6, false)}
				if c.flag(7, false) {
					o.Style = plots.Spread
				}
				return timeline(e, c, o, 4, c.value(8))
			},
		},
		{
			Sig: "area(*counters: Counter|list, title: str=None, ylabel: str=None, stacked: bool=True, bands: list|Span|Mask|number=None, marks: list=None) -> Plot",
			Doc: "Counters over time as areas down to zero, on top of each other unless stacked=False. Stacked counters must share one time axis; a sample in which " +
				"one of them is missing has no total and is a gap.",
			Example: "plot.area(clk, cap[\"clk\"] * 2)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				o := plots.TimelineOptions{Title: c.str(0, ""), YLabel: c.str(1, ""), Stacked: c.flag(2, true), Style: plots.Area}
				return timeline(e, c, o, 3, starlark.None)
			},
		},
		{
			Sig: "histogram(*series: Counter|list, bins: int=0, title: str=None, xlabel: str=None, unit: str=None, percentiles: list=None, log: bool=False) -> Plot",
			Doc: "How values are distributed. Several series are drawn over each other in the same bins. bins=0 chooses by the data; percentiles, such as [50, 99], are marked for each series (those of a single one are 50, 95 and 99 if none are given); log=True counts on a logarithmic axis.", Example: "plot.histogram(clk, bins=20)",
			Run: histogramPlot,
		},
		{
			Sig: "bar(values: dict|list|Counter, labels: list=None, title: str=None, ylabel: str=None, unit: str=None, vertical: bool=False, bands: list|number=None, stacked: bool=False) -> Plot",
			Doc: "Values side by side: a dict of label to number; a list of Counters (their totals); a Counter (the totals of its instances); a list of numbers with labels; " +
				"or a dict of series name to list of numbers, with labels, which stacked=True puts behind each other as parts of a whole, one bar for each label.",
			Example: "plot.bar({\"hits\": hits.total(), \"requests\": cap.total(\"TCP_REQ_sum\")}, title=\"Totals\")",
			Run:     barPlot,
		},
		{
			Sig: "grid(rows: list, title: str=None) -> Plot", Doc: "Several charts in one picture: a list of rows, each a list of plots.",
			Example: "plot.grid([[plot.timeline(clk)], [plot.histogram(clk), plot.histogram(hits)]])",
			Run:     gridPlot,
		},
	}, chartMethods...),
}

// lanesDoc explains the parameter lanes.
const lanesDoc = "Five or more noisy counters of one unit, which would hide each other, get a lane each: a frame of its own with the name beside it. " +
	"lanes=True gives one to every counter of a panel, lanes=False to none. "

// lanes reads the parameter lanes, which is None where the data decide.
func (c *call) lanes(i int) plots.Lanes {
	switch {
	case !c.has(i):
		return plots.AutoLanes
	case c.flag(i, false):
		return plots.AlwaysLanes
	}
	return plots.NeverLanes
}

// flatten lists the counters among positional arguments, in which a list stands for its elements.
func flatten(args []starlark.Value) ([]*Counter, error) {
	var out []*Counter
	for _, a := range args {
		switch a := a.(type) {
		case *Counter:
			out = append(out, a)
		case *Capture:
			return nil, fmt.Errorf("got Capture, want Counter: one of it is cap[\"Name\"], all that were measured are cap.counters.values()")
		case starlark.Iterable:
			iter := a.Iterate()
			defer iter.Done()
			var x starlark.Value
			for iter.Next(&x) {
				c, ok := x.(*Counter)
				if !ok {
					return nil, fmt.Errorf("got %s in a list, want Counter", x.Type())
				}
				out = append(out, c)
			}
		default:
			return nil, fmt.Errorf("got %s, want Counter", a.Type())
		}
	}
	return out, nil
}

// series makes a line of a counter.
func (c *Counter) series() plots.Series {
	s := plots.Series{Name: c.label(), Unit: c.c.Unit, Start: c.c.Axis.Start, End: c.c.Axis.End, Y: c.c.Floats()}
	if len(s.Y) > 0 && c.c.Count() == 0 {
		if r, ok := c.c.Why(-1); ok {
			s.Why = r.String()
		}
	}
	return s
}

// label is what a legend calls the counter.
func (c *Counter) label() string {
	if c.c.Title != "" && c.c.Meta.Instance == "" {
		return c.c.Title
	}
	return c.c.Name
}

// timeline draws the counters among the positional arguments. Bands are argument i, marks the one behind it; twin goes to the
// axis at the right.
func timeline(e *Env, c *call, o plots.TimelineOptions, i int, twin starlark.Value) (starlark.Value, error) {
	counters, err := flatten(c.rest)
	if err != nil {
		return nil, err
	}
	if len(counters) == 0 {
		return nil, errors.New("give at least one counter")
	}
	var right []*Counter
	if twin != starlark.None {
		if right, err = flatten([]starlark.Value{twin}); err != nil {
			return nil, fmt.Errorf("parameter twin: %w", err)
		}
	}
	if o.Bands, o.Spans, err = bands(c.value(i)); err != nil {
		return nil, fmt.Errorf("parameter bands: %w", err)
	}
	var spans []plots.Interval
	if o.Marks, spans, err = marks(c.value(i + 1)); err != nil {
		return nil, fmt.Errorf("parameter marks: %w", err)
	}
	o.Spans = append(o.Spans, spans...)
	o.Gaps, o.Late = gapsOf(slices.Concat(counters, right))
	return await(e.Context(), func() (starlark.Value, error) {
		list := make([]plots.Series, len(counters))
		for i, ctr := range counters {
			list[i] = ctr.series()
		}
		for _, ctr := range right {
			o.Twin = append(o.Twin, ctr.series())
		}
		p, err := plots.Timeline(o, list...)
		if err != nil {
			return nil, err
		}
		return &Plot{env: e, p: p}, nil
	})
}

// gapsOf are the gaps and late spans of the capture that counters come from. Of several captures they are those parts that all of
// them share: one capture's gap must not be drawn behind the data of another.
func gapsOf(counters []*Counter) (gaps, late []plots.Interval) {
	var seen []*capture.Capture
	for _, ctr := range counters {
		if ctr.cap == nil || slices.Contains(seen, ctr.cap) {
			continue
		}
		g, l := plots.FromGaps(ctr.cap.Gaps), plots.FromGaps(ctr.cap.Late)
		if len(seen) > 0 {
			g, l = plots.Shared(gaps, g), plots.Shared(late, l)
		}
		gaps, late = g, l
		seen = append(seen, ctr.cap)
	}
	return gaps, late
}

// each calls f for the elements of a list or tuple, and for v itself where it is neither.
func each(v starlark.Value, f func(v starlark.Value) error) error {
	if v == starlark.None {
		return nil
	}
	it, ok := v.(starlark.Iterable)
	if !ok {
		return f(v)
	}
	iter := it.Iterate()
	defer iter.Done()
	var x starlark.Value
	for iter.Next(&x) {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// bands reads thresholds, ranges of values and stretches of time.
func bands(v starlark.Value) (values []plots.Band, times []plots.Interval, err error) {
	err = each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case starlark.Int, starlark.Float:
			f, _ := starlark.AsFloat(x)
			values = append(values, plots.Band{Lo: f, Hi: f})
		case *Span:
			times = append(times, x.interval())
		case *Mask:
			for _, s := range x.m.Spans(0) {
				times = append(times, plots.Interval{Start: s.Start, End: s.End})
			}
		case starlark.Indexable:
			if x.Len() < 2 || x.Len() > 3 || !isNumber(x.Index(0)) || !isNumber(x.Index(1)) {
				return fmt.Errorf("%s is no range: write (lo, hi) or (lo, hi, label)", x)
			}
			lo, _ := starlark.AsFloat(x.Index(0))
			hi, _ := starlark.AsFloat(x.Index(1))
			b := plots.Band{Lo: lo, Hi: hi}
			if x.Len() == 3 {
				b.Label, _ = starlark.AsString(x.Index(2))
			}
			values = append(values, b)
		default:
			return fmt.Errorf("got %s, want a number, (lo, hi), a Span or a Mask", x.Type())
		}
		return nil
	})
	return values, times, err
}

// interval is the span as charts shade it.
func (s *Span) interval() plots.Interval {
	iv := plots.Interval{Start: s.s.Start, End: s.s.End, Label: s.name}
	if s.reason != nil {
		iv.Label = s.reason.String()
	}
	return iv
}

// marks reads points in time, with or without a label.
func marks(v starlark.Value) (out []plots.Mark, spans []plots.Interval, err error) {
	err = each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case *Span:
			spans = append(spans, x.interval())
			return nil
		case starlark.Tuple:
			if len(x) == 2 {
				ns, err := asDuration(x[0])
				if err != nil {
					return err
				}
				label, ok := starlark.AsString(x[1])
				if !ok {
					return fmt.Errorf("the label of a mark is %s, want str", x[1].Type())
				}
				out = append(out, plots.Mark{At: ns, Label: label})
				return nil
			}
			return fmt.Errorf("%s is no mark: write a time or (time, label)", x)
		}
		ns, err := asDuration(x)
		out = append(out, plots.Mark{At: ns})
		return err
	})
	return out, spans, err
}

func histogramPlot(e *Env, c *call) (starlark.Value, error) {
	bins, err := c.integer(0, 0)
	if err != nil {
		return nil, err
	}
	o := plots.HistogramOptions{Bins: bins, Title: c.str(1, ""), XLabel: c.str(2, ""), Unit: c.str(3, ""), LogY: c.flag(5, false)}
	if c.has(4) {
		if o.Percentiles, err = asFloats(c.args[4]); err != nil {
			return nil, fmt.Errorf("parameter percentiles: %w", err)
		}
		if o.Percentiles == nil {
			o.Percentiles = []float64{}
		}
	}
	var samples []plots.Sample
	for i, a := range c.rest {
		v, err := asFloats(a)
		if err != nil {
			return nil, fmt.Errorf("series %d: %w", i+1, err)
		}
		s := plots.Sample{Values: v}
		if ctr, ok := a.(*Counter); ok {
			s.Name = ctr.label()
			if o.Unit == "" {
				o.Unit = ctr.c.Unit
			}
			if o.XLabel == "" && len(c.rest) == 1 {
				o.XLabel = s.Name
			}
		}
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil, errors.New("give at least one counter or list of numbers")
	}
	return await(e.Context(), func() (starlark.Value, error) {
		p, err := plots.Histogram(o, samples...)
		if err != nil {
			return nil, err
		}
		return &Plot{env: e, p: p}, nil
	})
}

func gridPlot(e *Env, c *call) (starlark.Value, error) {
	var rows [][]*plots.Plot
	err := each(c.args[0], func(row starlark.Value) error {
		var line []*plots.Plot
		err := each(row, func(x starlark.Value) error {
			p, ok := x.(*Plot)
			if !ok {
				return fmt.Errorf("row %d holds %s, want Plot", len(rows)+1, x.Type())
			}
			line = append(line, p.p)
			return nil
		})
		rows = append(rows, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	p, err := plots.TitledGrid(c.str(1, ""), rows)
	if err != nil {
		return nil, err
	}
	return &Plot{env: e, p: p}, nil
}

func barPlot(e *Env, c *call) (starlark.Value, error) {
	o := plots.BarOptions{Title: c.str(2, ""), YLabel: c.str(3, ""), Unit: c.str(4, ""), Vertical: c.flag(5, false), Stacked: c.flag(7, false)}
	var err error
	if c.has(1) {
		if o.Labels, err = labels(c.args[1]); err != nil {
			return nil, fmt.Errorf("parameter labels: %w", err)
		}
	}
	if o.Bands, _, err = bands(c.value(6)); err != nil {
		return nil, fmt.Errorf("parameter bands: %w", err)
	}
	given := o.Labels != nil
	list, err := barSeries(&o, c.args[0])
	if err != nil {
		return nil, err
	}
	if !given && o.Labels == nil {
		return nil, errors.New("a list of numbers needs labels")
	}
	p, err := plots.Bar(o, list...)
	if err != nil {
		return nil, err
	}
	return &Plot{env: e, p: p}, nil
}

// labels are texts; anything else is written as it prints.
func labels(v starlark.Value) (out []string, err error) {
	err = each(v, func(x starlark.Value) error {
		s, ok := starlark.AsString(x)
		if !ok {
			s = x.String()
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// barSeries reads the values of a bar chart. It sets labels and unit where the values bring them.
func barSeries(o *plots.BarOptions, v starlark.Value) ([]plots.BarSeries, error) {
	var own []string
	var s plots.BarSeries
	add := func(label string, x starlark.Value) error {
		f := math.NaN()
		switch x := x.(type) {
		case starlark.NoneType:
		case *Counter:
			f = x.c.Total().Float()
			if o.Unit == "" {
				o.Unit = x.c.Unit
			}
		default:
			var ok bool
			if f, ok = starlark.AsFloat(x); !ok {
				return fmt.Errorf("the bar %q is %s, want a number, None or Counter", label, x.Type())
			}
		}
		own = append(own, label)
		s.Values = append(s.Values, f)
		return nil
	}
	switch v := v.(type) {
	case *Counter:
		if len(v.c.Instances) == 0 {
			return nil, fmt.Errorf("%s has no instances to draw as bars: give a list of counters, or draw a timeline", v.c.Name)
		}
		for _, in := range v.c.Instances {
			if err := add(in.Meta.Instance, &Counter{env: v.env, c: in}); err != nil {
				return nil, err
			}
		}
	case starlark.IterableMapping:
		var many []plots.BarSeries
		for _, kv := range v.Items() {
			name, ok := starlark.AsString(kv[0])
			if !ok {
				name = kv[0].String()
			}
			if _, isCounter := kv[1].(*Counter); !isCounter {
				if _, isList := kv[1].(starlark.Iterable); isList {
					f, err := asFloats(kv[1])
					if err != nil {
						return nil, fmt.Errorf("series %q: %w", name, err)
					}
					many = append(many, plots.BarSeries{Name: name, Values: f})
					continue
				}
			}
			if err := add(name, kv[1]); err != nil {
				return nil, err
			}
		}
		if len(many) > 0 {
			if len(own) > 0 {
				return nil, errors.New("the dict mixes numbers and lists")
			}
			return many, nil
		}
	default:
		named := true
		err := each(v, func(x starlark.Value) error {
			label := ""
			if c, ok := x.(*Counter); ok {
				label = c.label()
			} else {
				named = false
			}
			return add(label, x)
		})
		if err != nil {
			return nil, err
		}
		if !named {
			own = nil
		}
	}
	if o.Labels == nil {
		o.Labels = own
	}
	return []plots.BarSeries{s}, nil
}
