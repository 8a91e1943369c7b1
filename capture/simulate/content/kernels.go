package content

import (
	"fmt"
	"slices"

	"astrolabe/capture/simulate"
)

// kernels are the kinds of compute kernels, with the axes that tend to limit them. Likelihoods are invented, after
// what is commonly known of such kernels: copies wait for memory, matrix products for arithmetic or what feeds it,
// sparse products for latency.
var kernels = map[string]Weights{
	"copy":           {Bandwidth: 5, Latency: 1, Cache: 1, LoadStore: 0.7},
	"transpose":      {Bandwidth: 2, LocalMemory: 1.5, LoadStore: 2, Cache: 1.5, Latency: 0.7},
	"stencil":        {Bandwidth: 2, Cache: 1.5, LoadStore: 1.5, Arithmetic: 1, Latency: 0.7},
	"matrix product": {Arithmetic: 4, LocalMemory: 1.5, LoadStore: 1.2, Cache: 0.7},
	"convolution":    {Arithmetic: 3, LoadStore: 1.5, LocalMemory: 1, Bandwidth: 0.7, Cache: 0.8},
	"reduction":      {Bandwidth: 2, Latency: 1.5, LocalMemory: 1, LoadStore: 1},
	"histogram":      {LocalMemory: 2, LoadStore: 1.5, Cache: 1.5, Latency: 1, Bandwidth: 0.5},
	"sort":           {Latency: 1.5, LoadStore: 1.5, LocalMemory: 1.5, Bandwidth: 1, Arithmetic: 0.5},
	"bodies":         {Arithmetic: 5, LocalMemory: 1, LoadStore: 0.5},
	"sparse product": {Latency: 3, Bandwidth: 1.5, LoadStore: 1, Cache: 1},
	"transform":      {LocalMemory: 2, Arithmetic: 1.5, Bandwidth: 1.5, LoadStore: 1},
	"attention":      {Arithmetic: 2, Bandwidth: 1.5, LocalMemory: 1, Latency: 1, LoadStore: 0.7},
	"graph search":   {Latency: 4, Cache: 1, LoadStore: 1},
}

// KernelNames are the kinds of kernels.
func KernelNames() []string {
	var out []string
	for name := range kernels {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Kernel draws a kernel of a kind that takes about so many ns.
func Kernel(r simulate.Random, has Has, name string, time float64) (*Pass, error) {
	w, ok := kernels[name]
	if !ok {
		return nil, fmt.Errorf("there is no kernel %q; there are %v", name, KernelNames())
	}
	d := newDrawer(r, has, name)
	p := d.compute(name, time/budget, w)
	if name == "copy" {
		p.Kind, p.Memory.Written, p.Shader.Writes = Copy, 0.5, 0.5
	}
	return p, nil
}

// KernelPlant draws a kernel that only one axis limits.
func KernelPlant(r simulate.Random, has Has, limit Axis, time float64) *Pass {
	d := newDrawer(r, has, "only "+limit.String())
	d.theme, d.bias, d.calm = limit, 1, r.Between(0.75, 1)
	return d.compute("only "+limit.String(), time/budget, Weights{limit: 1})
}
