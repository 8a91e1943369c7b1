package rdna

import (
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// application is a program: kernels in the order in which it launches them, again and again.
type application struct {
	text    string
	kernels []maker
}

var applications = []application{
	{"a language model that writes token by token", []maker{norm, gemv, tiny, gemv, softmax, gemv, elementwise, gemv}},
	{"a language model that reads its prompt", []maker{norm, gemm, attention, gemm, elementwise, gemm}},
	{"an image generator", []maker{convolution, norm, elementwise, gemm, attention, elementwise}},
	{"a detector in a camera", []maker{filter, convolution, elementwise, convolution, elementwise, softmax, tiny}},
	{"molecular dynamics", []maker{tiny, bodies, tiny, elementwise, tiny}},
	{"a fluid solver", []maker{lattice, elementwise, tiny}},
	{"a solver of sparse equations", []maker{sparse, tiny, elementwise, tiny, elementwise, tiny}},
	{"a path tracer", []maker{compact, rays, options, rays, compact, elementwise}},
	{"a database that joins and sorts", []maker{elementwise, joining, histogram, sorting, sorting, tiny}},
	{"a search in a graph", []maker{compact, joining, tiny, compact, tiny}},
	{"pricing of options", []maker{options, doublesStencil, elementwise, tiny}},
	{"a spectrum analyser", []maker{elementwise, transform, transform, elementwise}},
	{"video processing", []maker{filter, elementwise, histogram, table, elementwise}},
	{"a miner", []maker{hash, tiny}},
	{"a compressor with trees", []maker{histogram, tiny, chase, sorting, table}},
	{"weather on doubles", []maker{doublesStencil, doublesStencil, elementwise, tiny}},
	{"a recommender with tables of embeddings", []maker{joining, elementwise, gemm, elementwise}},
	{"training of a small network", []maker{gemm, elementwise, gemm, elementwise, norm, elementwise, tiny, tiny}},
	{"a first program with matrices", []maker{plainProduct, tiny}},
	{"transpositions and sums, untuned", []maker{transposition, reduction, tiny, transposition, reduction, tiny}},
	{"a board game that searches", []maker{few, few, tiny, few, smallLayer, tiny}},
	{"a controller that learns", []maker{smallLayer, few, smallLayer, few, tiny}},
	{"a few particles in a window", []maker{tiny, few, tiny, few}},
	{"a decompressor", []maker{decoding, scan, elementwise}},
	{"combustion with too many variables", []maker{spilling, elementwise, reduction, tiny}},
	{"statistics of pictures", []maker{sharedBins, scan, filter, reduction}},
	{"an index that is built", []maker{scan, sorting, histogram, transposition, tiny}},
	{"visibility of many objects", []maker{compact, scan, compact, few}},
	{"an interactive scene of rays", []maker{rays, rays, tiny, filter}},
	{"an index of trees that is searched", []maker{chase, tiny, chase, scan}},
	{"a network on a graph", []maker{sparse, gemm, elementwise, sparse, tiny}},
	{"a textbook's matrix product", []maker{tiled, tiny}},
	{"correlation of signals", []maker{transform, tiled, transform, reduction}},
	{"a solver with a matrix that fits", []maker{sparse, reduction, few, tiny, reduction, tiny}},
	{"counting and grouping", []maker{sharedBins, sharedBins, scan, joining, tiny}},
	{"speech recognition", []maker{transform, few, smallLayer, gemv, norm, softmax}},
}

// all are the kernels that mixtures are drawn from.
var all = []maker{gemv, gemm, attention, norm, elementwise, softmax, convolution, bodies, options, doublesStencil, hash,
	lattice, filter, rays, transform, sorting, histogram, joining, chase, sparse, table, compact, tiny,
	plainProduct, tiled, transposition, reduction, sharedBins, spilling, decoding, scan, few, smallLayer}

// content draws what the program launches.
func (p *program) content(d draw) (text, plant string) {
	switch p.kind {
	case simulate.KindSingle:
		c := cause(p.seed % uint64(causes))
		k := plants[c](d)
		p.repeat([]*kernel{k}, d.whole(3, 24), 0)
		return "one kernel: " + k.name, candidates[c].String()
	case simulate.KindArchetype:
		a := applications[d.IntN(len(applications))]
		p.repeat(a.make(d), d.whole(2, 6), 0)
		return a.text, ""
	case simulate.KindTwoPhase:
		return p.twoPhases(d), ""
	}
	var ks []*kernel
	for range d.whole(1, 7) {
		ks = append(ks, all[d.IntN(len(all))](d))
	}
	p.repeat(ks, d.whole(2, 6), 0)
	return fmt.Sprintf("%d kernels of any kind", len(ks)), ""
}

// twoPhases draws two kernels that were planted to be limited by different things, or two applications.
func (p *program) twoPhases(d draw) (text string) {
	var ks [2][]*kernel
	if d.chance(0.5) {
		i := d.IntN(int(causes))
		j := (i + 1 + d.IntN(int(causes)-1)) % int(causes)
		a, b := plants[i](d), plants[j](d)
		ks = [2][]*kernel{{a}, {b}}
		p.phases = []string{a.name, b.name}
	} else {
		i := d.IntN(len(applications))
		j := (i + 1 + d.IntN(len(applications)-1)) % len(applications)
		ks = [2][]*kernel{applications[i].make(d), applications[j].make(d)}
		p.phases = []string{applications[i].text, applications[j].text}
	}
	for i := range ks {
		p.repeat(ks[i], max(3, d.whole(8, 24)/len(ks[i])), i)
	}
	return fmt.Sprintf("%s, then %s", p.phases[0], p.phases[1])
}

func (a *application) make(d draw) (out []*kernel) {
	for _, f := range a.kernels {
		out = append(out, f(d))
	}
	return out
}

// repeat launches kernels again and again.
func (p *program) repeat(ks []*kernel, times, phase int) {
	for i := range times {
		for _, k := range ks {
			p.dispatches = append(p.dispatches, dispatch{k: k, phase: phase, first: i == 0})
		}
	}
}

// plants are kernels that only one thing limits.
var plants = [causes]maker{
	byOverhead: func(d draw) *kernel {
		k := pick(d, tiny, tiny, few)(d)
		k.groups = d.whole(1, 16)
		return k
	},
	byLaunch: func(d draw) *kernel {
		k := compact(d)
		k.launchCost = math.Max(k.launchCost, 1.4)
		return k
	},
	byArithmetic: func(d draw) *kernel {
		k := pick(d, bodies, options, hash, doublesStencil, gemm)(d)
		k.groups, k.iters = max(k.groups, 256), max(k.iters, 3)
		for i := range k.body {
			if k.body[i].kind == opLDS {
				k.body[i].n = min(k.body[i].n, 20)
			}
		}
		return k
	},
	byLoadStore: func(d draw) *kernel {
		k := pick(d, convolution, filter)(d)
		k.groups = max(k.groups, 800)
		for i := range k.body {
			o := &k.body[i]
			o.gl0, o.gl2, o.depth = max(o.gl0, 0.95), 0.9, 1
			if o.kind == opVALU {
				o.n = min(o.n, 16)
			}
		}
		return k
	},
	byLDS: func(d draw) *kernel {
		if d.chance(0.4) {
			k := pick(d, sharedBins, tiled)(d)
			k.groups = max(k.groups, 512)
			for i := range k.body {
				if k.body[i].kind == opLDS {
					k.body[i].conflict = d.between(3, 12)
				}
			}
			return k
		}
		k := transform(d)
		k.iters = d.whole(5, 9)
		for i := range k.body {
			if k.body[i].kind == opLDS {
				k.body[i].conflict = d.between(2, 9)
			}
		}
		return k
	},
	byCache: func(d draw) *kernel {
		if d.chance(0.4) {
			k := histogram(d)
			k.groups = max(k.groups, 400)
			return k
		}
		k := table(d)
		k.spread = min(k.spread, 0.6)
		return k
	},
	byBandwidth: func(d draw) *kernel {
		k := pick(d, elementwise, lattice, gemv, joining)(d)
		for _, list := range [][]op{k.before, k.body, k.after} {
			for i := range list {
				list[i].mall = min(list[i].mall, 0.1)
				if list[i].kind == opVALU {
					list[i].n = min(list[i].n, 60)
				}
			}
		}
		k.groups = max(k.groups, 6000)
		return k
	},
	byLatency: func(d draw) *kernel {
		if d.chance(0.4) {
			k := rays(d)
			k.groups = d.whole(32, 200)
			k.body[0].lines = min(k.body[0].lines, 8)
			k.body[1].n = min(k.body[1].n, 50)
			return k
		}
		k := chase(d)
		k.groups = min(k.groups, 64)
		k.body[0].lines = min(k.body[0].lines, 3)
		return k
	},
}
