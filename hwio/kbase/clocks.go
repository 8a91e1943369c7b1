package kbase

import "astrolabe/capture"

// clockColumns describes the cycles of the GPU's clock domains that come with samples. A driver without a clock of its
// own for the shader cores tells the top-level clock only.
func clockColumns(domains int) []capture.ColumnSpec {
	all := []capture.Meta{
		{Name: "gpu_clock_cycles", Title: "GPU clock cycles",
			Doc: "Cycles that the top-level clock made in the sample, whether or not the GPU worked. The driver counts them by wall time."},
		{Name: "shader_clock_cycles", Title: "Shader core clock cycles",
			Doc: "Cycles that the shader cores' clock made in the sample, whether or not they worked. It may run slower than the top-level clock."},
	}
	var out []capture.ColumnSpec
	for _, m := range all[:min(max(domains, 0), len(all))] {
		m.Unit, m.Kind, m.Block, m.Source = "cycles", capture.Delta, "clock", sourceName
		out = append(out, capture.ColumnSpec{Meta: m, Integer: true})
	}
	return out
}
