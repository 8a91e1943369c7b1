package modules

import (
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "correlation(*series: Counter|list|dict, title: str=None, method: str=\"pearson\") -> Plot",
		Doc: "The correlation of every pair of series as a matrix: \"pearson\" of the values or \"spearman\" of " +
			"their ranks. Series must share one time axis; pairs with a missing value are left out, and a series " +
			"that does not vary has no correlation.",
		Example: "plot.correlation(clk, hits, cap[\"TCP_REQ_sum\"])",
		Run:     correlationPlot,
	})
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
