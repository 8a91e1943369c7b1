package modules

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "scatter(x: Counter|list, y: Counter|list, fit: bool=False, color: Counter|list|str=None, *, title: str=None, log: bool|str=False) -> Plot",
		Doc: "One point per sample, y over x. fit=True adds the straight line of least squares with its R². color is " +
			"a Counter or list of numbers (shown by a scale), a list of str, or the name of a label such as " +
			"\"kernel\" (shown by a legend). log=True makes both axes logarithmic, \"x\" or \"y\" one of them; the " +
			"fit is then straight there.",
		Example: "plot.scatter(clk, hits, fit=True, color=\"kernel\")",
		Run:     scatterPlot,
	})
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
