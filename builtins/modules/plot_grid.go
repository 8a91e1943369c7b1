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
		Sig:     "grid(rows: list, title: str=None) -> Plot",
		Doc:     "Several charts in one picture: a list of rows, each a list of plots.",
		Example: "plot.grid([[plot.timeline(clk)], [plot.histogram(clk), plot.histogram(hits)]])",
		Run:     gridPlot,
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
