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
		Sig: "box(*series: Counter|list|dict, by: str=None, title: str=None, xlabel: str=None, unit: str=None, log: bool=False) -> Plot",
		Doc: "Distributions side by side: quartiles, median, mean, whiskers within 1.5 quartile ranges and every " +
			"value beyond. A dict names its series. by is the name of a label: one counter is then divided by its " +
			"values.",
		Example: "plot.box(clk, by=\"kernel\")",
		Run:     boxPlot,
	})
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
