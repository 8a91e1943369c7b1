package modules

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "overlay(before: Counter|list, after: Counter|list, title: str=None, names: list=None, log: bool=False, marks: list=None) -> Plot",
		Doc: "Two captures over each other, each on the time since its own start: a counter of one and the same of " +
			"the other, or two equally long lists, one panel each. The legend has the totals and their change; noisy " +
			"counters are drawn as mean and spread. names are those of the captures.",
		Example: "plot.overlay(clk, clk * 2, names=[\"1041\", \"1042\"])",
		Run:     overlayPlot,
	})
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
