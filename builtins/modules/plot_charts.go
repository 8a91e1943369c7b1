package modules

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

// chartMethods are the functions of the module plot beyond lines, bars and histograms.
var chartMethods = []binding.Method[*binding.Env]{
	{
		Sig: "scatter(x: Counter|list, y: Counter|list, fit: bool=False, color: Counter|list|str=None, *, title: str=None, log: bool|str=False) -> Plot",
		Doc: "One point per sample, y over x. fit=True adds the straight line of least squares with its R². color is " +
			"a Counter or list of numbers (shown by a scale), a list of str, or the name of a label such as " +
			"\"kernel\" (shown by a legend). log=True makes both axes logarithmic, \"x\" or \"y\" one of them; the " +
			"fit is then straight there.",
		Example: "plot.scatter(clk, hits, fit=True, color=\"kernel\")",
		Run:     scatterPlot,
	},
	{
		Sig: "box(*series: Counter|list|dict, by: str=None, title: str=None, xlabel: str=None, unit: str=None, log: bool=False) -> Plot",
		Doc: "Distributions side by side: quartiles, median, mean, whiskers within 1.5 quartile ranges and every " +
			"value beyond. A dict names its series. by is the name of a label: one counter is then divided by its " +
			"values.",
		Example: "plot.box(clk, by=\"kernel\")",
		Run:     boxPlot,
	},
	{
		Sig: "heatmap(counter: Counter|list, title: str=None, pick: str=\"max\", log: bool=False, marks: list=None) -> Plot",
		Doc: "One row of colours over time per instance of a counter, or per counter of a list in one unit. Where " +
			"many samples share a pixel it shows the largest (pick=\"max\"), the smallest (\"min\") or the mean " +
			"(\"mean\"). Missing values are hatched. log=True makes the scale of colours logarithmic.",
		Example: "plot.heatmap([hits, cap[\"TCP_REQ_sum\"]], title=\"Requests\")",
		Run:     heatmapPlot,
	},
	{
		Sig: "roofline(points: dict, bandwidth: dict|number|str, compute: dict|number|str, title: str=None, unit: str=\"FLOP\") -> Plot",
		Doc: "How near work comes to the limits of a machine. points maps names to (operations per byte, operations " +
			"per second), or to None where not known; bandwidth (bytes/s) and compute (operations per second) are " +
			"one limit or a dict of name to limit, as numbers or text such as \"212GB/s\".",
		Example: "plot.roofline({\"gemm\": (18, 9.2e12)}, bandwidth={\"DRAM\": \"212GB/s\"}, compute={\"FP32\": 14.8e12})",
		Run:     rooflinePlot,
	},
	{
		Sig: "latency(*series: Counter|list|dict, title: str=None, xlabel: str=None, unit: str=None, bins: int=0, percentiles: list=None) -> Plot",
		Doc: "How latencies are distributed: bins of equal ratio, both axes logarithmic, so that the tail shows " +
			"beside the bulk. Marks p50, p90, p99, p99.9 and the largest unless percentiles are given. Values of " +
			"zero or below are counted and not drawn.",
		Example: "plot.latency([0.1, 0.2, 0.2, 9], unit=\"ms\")",
		Run:     latencyPlot,
	},
	{
		Sig: "correlation(*series: Counter|list|dict, title: str=None, method: str=\"pearson\") -> Plot",
		Doc: "The correlation of every pair of series as a matrix: \"pearson\" of the values or \"spearman\" of " +
			"their ranks. Series must share one time axis; pairs with a missing value are left out, and a series " +
			"that does not vary has no correlation.",
		Example: "plot.correlation(clk, hits, cap[\"TCP_REQ_sum\"])",
		Run:     correlationPlot,
	},
	{
		Sig: "overlay(before: Counter|list, after: Counter|list, title: str=None, names: list=None, log: bool=False, marks: list=None) -> Plot",
		Doc: "Two captures over each other, each on the time since its own start: a counter of one and the same of " +
			"the other, or two equally long lists, one panel each. The legend has the totals and their change; noisy " +
			"counters are drawn as mean and spread. names are those of the captures.",
		Example: "plot.overlay(clk, clk * 2, names=[\"1041\", \"1042\"])",
		Run:     overlayPlot,
	},
}

// drawn wraps a finished chart.
func drawn(e *binding.Env, f func() (*charts.Plot, error)) (starlark.Value, error) {
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		p, err := f()
		if err != nil {
			return nil, err
		}
		return values.NewPlot(e, p), nil
	})
}

// logAxes reads a parameter log: a bool for both axes, or the name of one.
func logAxes(v starlark.Value) (x, y bool, err error) {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v), bool(v), nil
	case starlark.String:
		switch v {
		case "x":
			return true, false, nil
		case "y":
			return false, true, nil
		case "xy", "both":
			return true, true, nil
		}
		return false, false, fmt.Errorf("parameter log: unknown axis %s: write True, \"x\" or \"y\"", v)
	}
	return false, false, nil
}

func scatterPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.ScatterOptions{Fit: c.Flag("fit", false), Title: c.Str("title", "")}
	var err error
	if o.LogX, o.LogY, err = logAxes(c.Value("log")); err != nil {
		return nil, err
	}
	cx, _ := c.Arg("x").(*values.Counter)
	cy, _ := c.Arg("y").(*values.Counter)
	if cx != nil && cy != nil && !cx.Counter.Axis.Same(cy.Counter.Axis) {
		return nil, values.AxisError(cx.Counter, cy.Counter)
	}
	if cx != nil {
		o.XLabel, o.XUnit = cx.Label(), cx.Counter.Unit
	}
	if cy != nil {
		o.YLabel, o.YUnit = cy.Label(), cy.Counter.Unit
	}
	x, err := values.AsFloats(c.Arg("x"))
	if err != nil {
		return nil, err
	}
	y, err := values.AsFloats(c.Arg("y"))
	if err != nil {
		return nil, err
	}
	if c.Has("color") {
		if err := scatterColor(&o, c.Arg("color"), cx, cy); err != nil {
			return nil, fmt.Errorf("parameter color: %w", err)
		}
	}
	return drawn(e, func() (*charts.Plot, error) { return charts.Scatter(o, x, y) })
}

// scatterColor reads what colours points by: a number each, or a name each.
func scatterColor(o *charts.ScatterOptions, v starlark.Value, x, y *values.Counter) error {
	switch v := v.(type) {
	case starlark.String:
		for _, c := range []*values.Counter{x, y} {
			if c != nil && c.From != nil {
				names, err := labelValues(c, string(v))
				o.Groups = names
				return err
			}
		}
		return fmt.Errorf("%s names a label, but x and y come from no capture: give a list with one name per point", v)
	case *values.Counter:
		for _, c := range []*values.Counter{x, y} {
			if c != nil && !c.Counter.Axis.Same(v.Counter.Axis) {
				return values.AxisError(c.Counter, v.Counter)
			}
		}
		o.ColorLabel, o.ColorUnit = v.Label(), v.Counter.Unit
		var err error
		o.Color, err = values.AsFloats(v)
		return err
	case starlark.Indexable:
		if v.Len() > 0 {
			if _, ok := v.Index(0).(starlark.String); ok {
				var err error
				o.Groups, err = binding.AsStrings(v)
				return err
			}
		}
	}
	var err error
	o.Color, err = values.AsFloats(v)
	return err
}

// labelValues are the values of a label, one per sample of the counter; "" where a sample has none.
func labelValues(c *values.Counter, name string) ([]string, error) {
	if c.From == nil {
		return nil, fmt.Errorf("%s was computed and has no labels: give a counter of a capture", c.Counter.Name)
	}
	l := c.From.Label(name)
	if l == nil || len(l.Codes) != c.Counter.Len() {
		var have []string
		for _, l := range c.From.Labels {
			have = append(have, l.Name)
		}
		if len(have) == 0 {
			return nil, fmt.Errorf("the capture has no label %q: it has none at all", name)
		}
		return nil, fmt.Errorf("the capture has no label %q: it has %s", name, strings.Join(have, ", "))
	}
	out := make([]string, len(l.Codes))
	for i := range out {
		out[i], _ = l.Value(i)
	}
	return out, nil
}

// sampled are the series among positional arguments: counters, lists, and dicts that name them. unit is that of the
// counters, "" where they differ and mixed is then set.
func sampled(args []starlark.Value) (out []charts.Sample, unit string, mixed bool, err error) {
	seen := false
	add := func(name string, v starlark.Value) error {
		s := charts.Sample{Name: name}
		if c, ok := v.(*values.Counter); ok {
			if name == "" {
				s.Name = c.Label()
			}
			if seen && c.Counter.Unit != unit {
				mixed = true
			}
			unit, seen = c.Counter.Unit, true
		}
		var err error
		if s.Values, err = values.AsFloats(v); err != nil {
			return fmt.Errorf("series %d: %w", len(out)+1, err)
		}
		out = append(out, s)
		return nil
	}
	for _, a := range args {
		switch a := a.(type) {
		case starlark.IterableMapping:
			for _, kv := range a.Items() {
				name, ok := starlark.AsString(kv[0])
				if !ok {
					name = kv[0].String()
				}
				if err := add(name, kv[1]); err != nil {
					return nil, "", false, err
				}
			}
		case starlark.Indexable:
			if _, counter := a.(*values.Counter); counter || a.Len() == 0 {
				if err := add("", a); err != nil {
					return nil, "", false, err
				}
				continue
			}
			if _, counters := a.Index(0).(*values.Counter); !counters {
				if err := add("", a); err != nil {
					return nil, "", false, err
				}
				continue
			}
			for i := range a.Len() {
				if err := add("", a.Index(i)); err != nil {
					return nil, "", false, err
				}
			}
		default:
			if err := add("", a); err != nil {
				return nil, "", false, err
			}
		}
	}
	if mixed {
		unit = ""
	}
	return out, unit, mixed, nil
}

// oneUnit is the unit of an axis that several series share: the one given, else theirs.
func oneUnit(given, unit string, mixed bool) (string, error) {
	if given != "" {
		return given, nil
	}
	if mixed {
		return "", errors.New("the counters have unlike units, and one axis holds one: draw them apart, or say unit=")
	}
	return unit, nil
}

func boxPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.BoxOptions{Title: c.Str("title", ""), XLabel: c.Str("xlabel", ""), Log: c.Flag("log", false)}
	samples, unit, mixed, err := sampled(c.Rest)
	if err != nil {
		return nil, err
	}
	if o.Unit, err = oneUnit(c.Str("unit", ""), unit, mixed); err != nil {
		return nil, err
	}
	if c.Has("by") {
		ctr, ok := starlark.Value(nil), false
		if len(c.Rest) == 1 {
			ctr, ok = c.Rest[0], true
		}
		counter, isCounter := ctr.(*values.Counter)
		if !ok || !isCounter {
			return nil, errors.New("parameter by: give one Counter to divide by a label")
		}
		names, err := labelValues(counter, c.Str("by", ""))
		if err != nil {
			return nil, fmt.Errorf("parameter by: %w", err)
		}
		if o.XLabel == "" {
			o.XLabel = counter.Label()
		}
		samples = divide(samples[0].Values, names)
	}
	return drawn(e, func() (*charts.Plot, error) { return charts.Box(o, samples...) })
}

// divide sorts values by the name of their sample. Samples without a name are left out.
func divide(values []float64, names []string) []charts.Sample {
	at := map[string]int{}
	var out []charts.Sample
	for i, n := range names {
		if n == "" {
			continue
		}
		k, ok := at[n]
		if !ok {
			k = len(out)
			at[n] = k
			out = append(out, charts.Sample{Name: n})
		}
		out[k].Values = append(out[k].Values, values[i])
	}
	return out
}

func heatmapPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.HeatmapOptions{Title: c.Str("title", ""), Pick: c.Str("pick", "max"), Log: c.Flag("log", false)}
	var err error
	if o.Marks, _, err = marks(c.Value("marks")); err != nil {
		return nil, fmt.Errorf("parameter marks: %w", err)
	}
	var rows []*values.Counter
	if ctr, ok := c.Arg("counter").(*values.Counter); ok {
		if o.Title == "" {
			o.Title = ctr.Label()
		}
		for _, in := range ctr.Counter.Instances {
			rows = append(rows, values.NewCounter(e, in))
		}
		if len(rows) == 0 {
			rows = []*values.Counter{ctr}
		}
	} else if rows, err = flatten([]starlark.Value{c.Arg("counter")}); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("give a counter, or a list of at least one")
	}
	return drawn(e, func() (*charts.Plot, error) {
		list := make([]charts.Series, len(rows))
		for i, r := range rows {
			list[i] = r.Series()
			if in := r.Counter.Meta.Instance; in != "" && len(rows) > 1 {
				list[i].Name = in
			}
		}
		return charts.Heatmap(o, list...)
	})
}

func rooflinePlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.RooflineOptions{Title: c.Str("title", ""), Unit: c.Str("unit", "FLOP")}
	var err error
	if o.Bandwidth, err = roofs(c.Arg("bandwidth"), "bytes/s", "memory"); err != nil {
		return nil, fmt.Errorf("parameter bandwidth: %w", err)
	}
	if o.Compute, err = roofs(c.Arg("compute"), o.Unit+"/s", "compute"); err != nil {
		return nil, fmt.Errorf("parameter compute: %w", err)
	}
	var points []charts.RoofPoint
	for _, kv := range c.Arg("points").(starlark.IterableMapping).Items() {
		name, ok := starlark.AsString(kv[0])
		if !ok {
			name = kv[0].String()
		}
		p := charts.RoofPoint{Name: name, Intensity: math.NaN(), Rate: math.NaN()}
		if kv[1] != starlark.None {
			pair, err := values.AsFloats(kv[1])
			if err != nil || len(pair) != 2 {
				return nil, fmt.Errorf("the point %q is %s: write (operations per byte, operations per second)", name,
					kv[1])
			}
			p.Intensity, p.Rate = pair[0], pair[1]
		}
		points = append(points, p)
	}
	return drawn(e, func() (*charts.Plot, error) { return charts.Roofline(o, points...) })
}

// roofs reads limits: one, or a dict of name to limit.
func roofs(v starlark.Value, unit, name string) ([]charts.Roof, error) {
	limit := func(v starlark.Value) (float64, error) {
		if s, ok := starlark.AsString(v); ok {
			return notation.ParseQuantity(s, unit)
		}
		if c, ok := v.(*values.Counter); ok {
			return c.Counter.Total().Float(), nil
		}
		f, ok := starlark.AsFloat(v)
		if !ok {
			return 0, fmt.Errorf("got %s, want a number or text such as \"212GB/s\"", v.Type())
		}
		return f, nil
	}
	m, ok := v.(starlark.IterableMapping)
	if !ok {
		f, err := limit(v)
		return []charts.Roof{{Name: name, Value: f}}, err
	}
	var out []charts.Roof
	for _, kv := range m.Items() {
		n, ok := starlark.AsString(kv[0])
		if !ok {
			n = kv[0].String()
		}
		f, err := limit(kv[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		out = append(out, charts.Roof{Name: n, Value: f})
	}
	return out, nil
}

func latencyPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.LatencyOptions{Title: c.Str("title", ""), XLabel: c.Str("xlabel", "")}
	var err error
	if o.Bins, err = c.Integer("bins", 0); err != nil {
		return nil, err
	}
	if c.Has("percentiles") {
		if o.Percentiles, err = values.AsFloats(c.Arg("percentiles")); err != nil {
			return nil, fmt.Errorf("parameter percentiles: %w", err)
		}
		o.Percentiles = append([]float64{}, o.Percentiles...)
	}
	samples, unit, mixed, err := sampled(c.Rest)
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("give at least one counter or list of numbers")
	}
	if o.Unit, err = oneUnit(c.Str("unit", ""), unit, mixed); err != nil {
		return nil, err
	}
	return drawn(e, func() (*charts.Plot, error) { return charts.Latency(o, samples...) })
}

func correlationPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.CorrelationOptions{Title: c.Str("title", ""), Method: c.Str("method", "pearson")}
	var first *values.Counter
	for _, a := range c.Rest {
		list := []starlark.Value{a}
		if ix, ok := a.(starlark.Indexable); ok && a.Type() != "Counter" {
			list = nil
			for i := range ix.Len() {
				list = append(list, ix.Index(i))
			}
		}
		for _, v := range list {
			ctr, ok := v.(*values.Counter)
			if ok && first != nil && !first.Counter.Axis.Same(ctr.Counter.Axis) {
				return nil, values.AxisError(first.Counter, ctr.Counter)
			}
			if ok && first == nil {
				first = ctr
			}
		}
	}
	samples, _, _, err := sampled(c.Rest)
	if err != nil {
		return nil, err
	}
	return drawn(e, func() (*charts.Plot, error) { return charts.Correlation(o, samples...) })
}

func overlayPlot(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	o := charts.OverlayOptions{Title: c.Str("title", ""), Log: c.Flag("log", false)}
	var err error
	if c.Has("names") {
		names, err := binding.AsStrings(c.Arg("names"))
		if err != nil {
			return nil, fmt.Errorf("parameter names: %w", err)
		}
		if len(names) != 2 {
			return nil, fmt.Errorf("parameter names: got %d, want 2: of the first and of the second capture",
				len(names))
		}
		o.Before, o.After = names[0], names[1]
	}
	if o.Marks, _, err = marks(c.Value("marks")); err != nil {
		return nil, fmt.Errorf("parameter marks: %w", err)
	}
	before, err := flatten([]starlark.Value{c.Arg("before")})
	if err != nil {
		return nil, fmt.Errorf("parameter before: %w", err)
	}
	after, err := flatten([]starlark.Value{c.Arg("after")})
	if err != nil {
		return nil, fmt.Errorf("parameter after: %w", err)
	}
	if len(before) != len(after) || len(before) == 0 {
		return nil, fmt.Errorf("got %d counters before and %d after: give as many of each, at least one",
			len(before), len(after))
	}
	return drawn(e, func() (*charts.Plot, error) {
		var pairs []charts.Pair
		for i := range before {
			pairs = append(pairs, charts.Pair{Name: before[i].Label(), Before: before[i].Series(),
				After:       after[i].Series(),
				BeforeTotal: before[i].Counter.Total().Float(), AfterTotal: after[i].Counter.Total().Float()})
		}
		return charts.Overlay(o, pairs...)
	})
}
