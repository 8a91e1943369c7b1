package modules

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "bar(values: dict|list|Counter, labels: list=None, title: str=None, ylabel: str=None, unit: str=None, vertical: bool=False, bands: list|number=None, stacked: bool=False) -> Plot",
		Doc: "Values side by side: a dict of label to number; a list of Counters (their totals); a Counter (the " +
			"totals of its instances); a list of numbers with labels; or a dict of series name to list of " +
			"numbers, with labels, which stacked=True puts behind each other as parts of a whole, one bar for " +
			"each label.",
		Example: "plot.bar({\"hits\": hits.total(), \"requests\": cap.total(\"TCP_REQ_sum\")}, title=\"Totals\")",
		Run:     barPlot,
	})
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
	if n, ok := c.Arg("values").(starlark.IterableMapping); ok && len(n.Items()) == 0 {
		return nil, errors.New("there are no values to draw")
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
