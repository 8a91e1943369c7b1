package modules

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/plots/charts"
)

var plotModule = binding.MethodTable[*binding.Env]{
	Name: "plot",
	Doc:  "Charts of counters. Every function gives a Plot.",
	Methods: append([]binding.Method[*binding.Env]{
		{
			Sig: "timeline(*counters: Counter|list, title: str=None, ylabel: str=None, stacked: bool=False, lanes: " +
				"bool=None, bands: list|Span|Mask|number=None, marks: list=None, log: bool=False, spread: " +
				"bool=False, twin: Counter|list=None) -> Plot",
			Doc: "Counters over time, one panel per unit. A long line is reduced to the smallest and largest value " +
				"of each pixel, so no spike is lost. " +
				lanesDoc +
				"bands are thresholds (a number), ranges of values (lo, hi) or (lo, hi, label), and stretches of " +
				"time (a Span, or the spans of a Mask); marks are times or (time, label). log=True makes the value " +
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
		},
		{
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
		},
		{
			Sig: "histogram(*series: Counter|list, bins: int=0, title: str=None, xlabel: str=None, unit: str=None, percentiles: list=None, log: bool=False) -> Plot",
			Doc: "How values are distributed. Several series are drawn over each other in the same bins. bins=0 " +
				"chooses by the data; percentiles, such as [50, 99], are marked for each series (those of a single " +
				"one are 50, 95 and 99 if none are given); log=True counts on a logarithmic axis.",
			Example: "plot.histogram(clk, bins=20)",
			Run:     histogramPlot,
		},
		{
			Sig: "bar(values: dict|list|Counter, labels: list=None, title: str=None, ylabel: str=None, unit: str=None, vertical: bool=False, bands: list|number=None, stacked: bool=False) -> Plot",
			Doc: "Values side by side: a dict of label to number; a list of Counters (their totals); a Counter (the " +
				"totals of its instances); a list of numbers with labels; or a dict of series name to list of " +
				"numbers, with labels, which stacked=True puts behind each other as parts of a whole, one bar for " +
				"each label.",
			Example: "plot.bar({\"hits\": hits.total(), \"requests\": cap.total(\"TCP_REQ_sum\")}, title=\"Totals\")",
			Run:     barPlot,
		},
		{
			Sig:     "grid(rows: list, title: str=None) -> Plot",
			Doc:     "Several charts in one picture: a list of rows, each a list of plots.",
			Example: "plot.grid([[plot.timeline(clk)], [plot.histogram(clk), plot.histogram(hits)]])",
			Run:     gridPlot,
		},
	}, chartMethods...),
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

// flatten lists the counters among positional arguments, in which a list stands for its elements.
func flatten(args []starlark.Value) ([]*values.Counter, error) {
	var out []*values.Counter
	for _, a := range args {
		switch a := a.(type) {
		case *values.Counter:
			out = append(out, a)
		case *values.Capture:
			return nil, fmt.Errorf(
				"got Capture, want Counter: one of it is cap[\"Name\"], all that were measured are cap.counters.values()")
		case starlark.Iterable:
			iter := a.Iterate()
			defer iter.Done()
			var x starlark.Value
			for iter.Next(&x) {
				c, ok := x.(*values.Counter)
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

// bands reads thresholds, ranges of values and stretches of time.
func bands(v starlark.Value) (levels []charts.Band, times []charts.Interval, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case starlark.Int, starlark.Float:
			f, _ := starlark.AsFloat(x)
			levels = append(levels, charts.Band{Lo: f, Hi: f})
		case *values.Span:
			times = append(times, x.Interval())
		case *values.Mask:
			for _, s := range x.Mask.Spans(0) {
				times = append(times, charts.Interval{Start: s.Start, End: s.End})
			}
		case starlark.Indexable:
			if x.Len() < 2 || x.Len() > 3 || !binding.IsNumber(x.Index(0)) || !binding.IsNumber(x.Index(1)) {
				return fmt.Errorf("%s is no range: write (lo, hi) or (lo, hi, label)", x)
			}
			lo, _ := starlark.AsFloat(x.Index(0))
			hi, _ := starlark.AsFloat(x.Index(1))
			b := charts.Band{Lo: lo, Hi: hi}
			if x.Len() == 3 {
				b.Label, _ = starlark.AsString(x.Index(2))
			}
			levels = append(levels, b)
		default:
			return fmt.Errorf("got %s, want a number, (lo, hi), a Span or a Mask", x.Type())
		}
		return nil
	})
	return levels, times, err
}

// marks reads points in time, with or without a label.
func marks(v starlark.Value) (out []charts.Mark, spans []charts.Interval, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case *values.Span:
			spans = append(spans, x.Interval())
			return nil
		case starlark.Tuple:
			if len(x) == 2 {
				ns, err := binding.AsDuration(x[0])
				if err != nil {
					return err
				}
				label, ok := starlark.AsString(x[1])
				if !ok {
					return fmt.Errorf("the label of a mark is %s, want str", x[1].Type())
				}
				out = append(out, charts.Mark{At: ns, Label: label})
				return nil
			}
			return fmt.Errorf("%s is no mark: write a time or (time, label)", x)
		}
		ns, err := binding.AsDuration(x)
		out = append(out, charts.Mark{At: ns})
		return err
	})
	return out, spans, err
}

func histogramPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	bins, err := c.Integer("bins", 0)
	if err != nil {
		return nil, err
	}
	o := charts.HistogramOptions{Bins: bins, Title: c.Str("title", ""), XLabel: c.Str("xlabel", ""),
		Unit: c.Str("unit", ""), LogY: c.Flag("log", false)}
	if c.Has("percentiles") {
		if o.Percentiles, err = values.AsFloats(c.Arg("percentiles")); err != nil {
			return nil, fmt.Errorf("parameter percentiles: %w", err)
		}
		if o.Percentiles == nil {
			o.Percentiles = []float64{}
		}
	}
	var samples []charts.Sample
	for i, a := range c.Rest {
		v, err := values.AsFloats(a)
		if err != nil {
			return nil, fmt.Errorf("series %d: %w", i+1, err)
		}
		s := charts.Sample{Values: v}
		if ctr, ok := a.(*values.Counter); ok {
			s.Name = ctr.Label()
			if o.Unit == "" {
				o.Unit = ctr.Counter.Unit
			}
			if o.XLabel == "" && len(c.Rest) == 1 {
				o.XLabel = s.Name
			}
		}
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil, errors.New("give at least one counter or list of numbers")
	}
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		p, err := charts.Histogram(o, samples...)
		if err != nil {
			return nil, err
		}
		return values.NewPlot(e, p), nil
	})
}

func gridPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	var rows [][]*charts.Plot
	err := binding.Each(c.Arg("rows"), func(row starlark.Value) error {
		var line []*charts.Plot
		err := binding.Each(row, func(x starlark.Value) error {
			p, ok := x.(*values.Plot)
			if !ok {
				return fmt.Errorf("row %d holds %s, want Plot", len(rows)+1, x.Type())
			}
			line = append(line, p.Plot)
			return nil
		})
		rows = append(rows, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	p, err := charts.TitledGrid(c.Str("title", ""), rows)
	if err != nil {
		return nil, err
	}
	return values.NewPlot(e, p), nil
}

func barPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.BarOptions{Title: c.Str("title", ""), YLabel: c.Str("ylabel", ""), Unit: c.Str("unit", ""),
		Vertical: c.Flag("vertical", false), Stacked: c.Flag("stacked", false)}
	var err error
	if c.Has("labels") {
		if o.Labels, err = labels(c.Arg("labels")); err != nil {
			return nil, fmt.Errorf("parameter labels: %w", err)
		}
	}
	if o.Bands, _, err = bands(c.Value("bands")); err != nil {
		return nil, fmt.Errorf("parameter bands: %w", err)
	}
	given := o.Labels != nil
	list, err := barSeries(&o, c.Arg("values"))
	if err != nil {
		return nil, err
	}
	if !given && o.Labels == nil {
		return nil, errors.New("a list of numbers needs labels")
	}
	p, err := charts.Bar(o, list...)
	if err != nil {
		return nil, err
	}
	return values.NewPlot(e, p), nil
}

// labels are texts; anything else is written as it prints.
func labels(v starlark.Value) (out []string, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
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
func barSeries(o *charts.BarOptions, v starlark.Value) ([]charts.BarSeries, error) {
	var own []string
	var s charts.BarSeries
	add := func(label string, x starlark.Value) error {
		f := math.NaN()
		switch x := x.(type) {
		case starlark.NoneType:
		case *values.Counter:
			f = x.Counter.Total().Float()
			if o.Unit == "" {
				o.Unit = x.Counter.Unit
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
	case *values.Counter:
		if len(v.Counter.Instances) == 0 {
			return nil, fmt.Errorf("%s has no instances to draw as bars: give a list of counters, or draw a timeline",
				v.Counter.Name)
		}
		for _, in := range v.Counter.Instances {
			if err := add(in.Meta.Instance, values.NewCounter(nil, in)); err != nil {
				return nil, err
			}
		}
	case starlark.IterableMapping:
		var many []charts.BarSeries
		for _, kv := range v.Items() {
			name, ok := starlark.AsString(kv[0])
			if !ok {
				name = kv[0].String()
			}
			if _, isCounter := kv[1].(*values.Counter); !isCounter {
				if _, isList := kv[1].(starlark.Iterable); isList {
					f, err := values.AsFloats(kv[1])
					if err != nil {
						return nil, fmt.Errorf("series %q: %w", name, err)
					}
					many = append(many, charts.BarSeries{Name: name, Values: f})
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
		err := binding.Each(v, func(x starlark.Value) error {
			label := ""
			if c, ok := x.(*values.Counter); ok {
				label = c.Label()
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
	return []charts.BarSeries{s}, nil
}
