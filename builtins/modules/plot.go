package modules

import (
	"cmp"
	"slices"
	"strings"

	"astrolabe/builtins/binding"
)

// plotModule gets its functions from the files plot_*.go, one for each kind of chart. A further chart is a file more:
// help, completion and the reference follow from its entry.
var plotModule = binding.MethodTable[*binding.Env]{Name: "plot",
	Doc: "Charts of counters. Every function gives a Plot."}

// chartOrder is the order of the reference. What it does not name follows, in the order of the names.
var chartOrder = []string{"timeline", "area", "histogram", "bar", "grid", "scatter", "box", "heatmap",
	"roofline", "latency",
	"correlation", "overlay", "small_multiples", "note"}

// addCharts adds functions to the module plot. It runs before the program does, when no one has read the table yet.
func addCharts(list ...binding.Method[*binding.Env]) {
	plotModule.Methods = append(plotModule.Methods, list...)
	slices.SortFunc(plotModule.Methods, func(a, b binding.Method[*binding.Env]) int {
		return cmp.Or(cmp.Compare(chartPlace(a), chartPlace(b)), cmp.Compare(a.Sig, b.Sig))
	})
}

// chartPlace is where the reference has a chart.
func chartPlace(m binding.Method[*binding.Env]) int {
	name, _, _ := strings.Cut(m.Sig, "(")
	if i := slices.Index(chartOrder, name); i >= 0 {
		return i
	}
	return len(chartOrder)
}
