package modules

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "latency(*series: Counter|list|dict, title: str=None, xlabel: str=None, unit: str=None, bins: int=0, percentiles: list=None) -> Plot",
		Doc: "How latencies are distributed: bins of equal ratio, both axes logarithmic, so that the tail shows " +
			"beside the bulk. Marks p50, p90, p99, p99.9 and the largest unless percentiles are given. Values of " +
			"zero or below are counted and not drawn.",
		Example: "plot.latency([0.1, 0.2, 0.2, 9], unit=\"ms\")",
		Run:     latencyPlot,
	})
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
