package intel

import (
	"math"
	"slices"
)

// planted is content of one limit.
func (k *maker) planted(l leaf) content {
	if l <= launch {
		return k.unitPlant(l)
	}
	return k.blend()
}

// blend is content that several units limit in turn, none much more than others.
func (k *maker) blend() content {
	works := []work{k.shadow(), k.opaque(), k.alpha(), k.post(), k.gbuffer(), k.stencil()}
	longest := 0.0
	c := content{text: "passes of many kinds", passes: list(works...)}
	for i := range c.passes {
		longest = max(longest, k.alone(&c.passes[i]))
	}
	for i := range c.passes { // as long as each other, more or less
		for range 2 {
			c.passes[i].scale(longest * k.r.Between(0.6, 1) / k.alone(&c.passes[i]))
		}
		c.passes[i].launches = 1
	}
	return c
}

// mixture is any passes.
func (k *maker) mixture() content {
	kinds := []func() work{k.shadow, k.prepass, k.opaque, k.gbuffer, k.lighting, k.alpha, k.post, k.ui, k.gemm, k.stencil, k.sparse, k.transform,
		k.histogram, k.walk}
	if k.m.discrete {
		kinds = append(kinds, k.rays)
	}
	c := content{text: "passes at random"}
	for range k.r.Whole(2, 8) {
		w := kinds[k.r.IntN(len(kinds))]()
		w.scale(k.r.Log(0.4, 2))
		c.passes = append(c.passes, list(w)...)
	}
	list := plants(k.m.family)
	if k.r.Chance(0.6) {
		l := list[k.r.IntN(slices.Index(list, cpuApp))]
		p := k.unitPlant(l).passes[0]
		p.scale(k.r.Log(0.3, 1.5))
		c.passes = append(c.passes, p)
	}
	return c
}

// gpu is how long the render queue takes for a frame at the highest clock, and how long the other one, in ns.
func (k *maker) gpu(c *content) (render, other float64) {
	for i := range c.passes {
		t := k.alone(&c.passes[i])
		if c.passes[i].queue == 0 {
			render += t
		} else {
			other += t
		}
	}
	return render, other
}

// fit makes content larger or smaller until a frame takes a time that people put up with.
func (k *maker) fit(c *content, least float64) {
	low, high := 2.5e6*least, 45e6
	for range 6 {
		render, other := k.gpu(c)
		render = max(render, other)
		by := 1.0
		switch {
		case render < low:
			by = min(4, 1.2*low/render)
		case render > high:
			by = max(0.2, 0.8*high/render)
		default:
			return
		}
		for i := range c.passes {
			draws := c.passes[i].draws
			c.passes[i].scale(by)
			c.passes[i].draws = draws * math.Sqrt(by)
			if l := c.passes[i].launches; by < 1 && l > 20 {
				c.passes[i].launches = max(20, l*by)
			} else if by > 1 && (l > 20 || l > 1 && c.passes[i].compute) {
				c.passes[i].launches = l * by
			}
		}
	}
}

// processor draws the processor's part of a frame. l is what the frame is meant to be limited by.
func (k *maker) processor(c *content, l leaf) {
	r := k.r
	render, other := k.gpu(c)
	gpu := max(render, other)
	c.threaded, c.batches, c.wake = r.Chance(0.5), r.Whole(1, 4), r.Log(3e4, 2e5)
	for i := range c.passes {
		c.passes[i].batch = i * c.batches / len(c.passes)
	}
	switch l {
	case cpuApp:
		c.app, c.driver = gpu*r.Between(1.4, 2.5), gpu*r.Between(0.1, 0.35)
	case cpuDriver:
		c.app, c.driver = gpu*r.Between(0.15, 0.4), gpu*r.Between(1.4, 2.5)
		for i := range c.passes {
			c.passes[i].draws *= 1.5
		}
	default:
		all := gpu * r.Between(0.2, 0.7)
		c.driver = all * r.Between(0.15, 0.5)
		c.app = all - c.driver
	}
}

// inTurn adds a second queue that works when the first does not, though nothing needs that.
func (k *maker) inTurn(c *content, ratio float64) {
	render, _ := k.gpu(c)
	var p pass
	if k.m.discrete {
		p = pass{work: k.post(), queue: 1}
		p.draws, p.launches = 1, 2
		if !p.compute {
			k.dispatch(&p.work)
		}
		if k.r.Chance(0.7) {
			p = pass{work: k.walk(), queue: 1}
		}
	} else {
		p = k.copying(1e7)
	}
	for range 4 {
		p.scale(max(0.02, min(50, ratio*render/k.alone(&p))))
	}
	last := len(c.passes) - 1
	for last > 0 && c.passes[last].queue != 0 {
		last--
	}
	// The copy waits for the picture of its frame, and the next picture for the copy.
	p.needless = []int{last}
	c.passes = append(c.passes, p)
	at := len(c.passes) - 1
	c.passes[at].batch = c.batches - 1
	first := slices.IndexFunc(c.passes, func(p pass) bool { return p.queue == 0 })
	c.passes[first].needless = []int{at}
	c.text += ", with queues in turn"
}

// waiting lets the application wait for the GPU in each frame.
func (k *maker) waiting(c *content, ratio float64) {
	render, other := k.gpu(c)
	all := max(render, other) * ratio
	c.driver = all * k.r.Between(0.1, 0.3)
	c.app = all - c.driver
	c.sync, c.batches = true, 1
	for i := range c.passes {
		c.passes[i].batch = 0
	}
	c.text += ", with a processor that waits for results"
}
