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
		Sig: "histogram(*series: Counter|list, bins: int=0, title: str=None, xlabel: str=None, unit: str=None, percentiles: list=None, log: bool=False) -> Plot",
		Doc: "How values are distributed. Several series are drawn over each other in the same bins. bins=0 " +
			"chooses by the data; percentiles, such as [50, 99], are marked for each series (those of a single " +
			"one are 50, 95 and 99 if none are given); log=True counts on a logarithmic axis.",
		Example: "plot.histogram(clk, bins=20)",
		Run:     histogramPlot,
	})
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
