package modules

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "roofline(points: dict, bandwidth: dict|number|str, compute: dict|number|str, title: str=None, unit: str=\"FLOP\") -> Plot",
		Doc: "How near work comes to the limits of a machine. points maps names to (operations per byte, operations " +
			"per second), or to None where not known; bandwidth (bytes/s) and compute (operations per second) are " +
			"one limit or a dict of name to limit, as numbers or text such as \"212GB/s\".",
		Example: "plot.roofline({\"gemm\": (18, 9.2e12)}, bandwidth={\"DRAM\": \"212GB/s\"}, compute={\"FP32\": 14.8e12})",
		Run:     rooflinePlot,
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
