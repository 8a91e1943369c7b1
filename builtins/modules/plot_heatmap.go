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
		Sig: "heatmap(counter: Counter|list, title: str=None, pick: str=\"max\", log: bool=False, marks: list=None) -> Plot",
		Doc: "One row of colours over time per instance of a counter, or per counter of a list in one unit. Where " +
			"many samples share a pixel it shows the largest (pick=\"max\"), the smallest (\"min\") or the mean " +
			"(\"mean\"). Missing values are hatched. log=True makes the scale of colours logarithmic.",
		Example: "plot.heatmap([hits, cap[\"TCP_REQ_sum\"]], title=\"Requests\")",
		Run:     heatmapPlot,
	})
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
