package intel

import "math"

// node is an event: between the event prev and its time t something of a cause, or of several in known parts, happened.
type node struct {
	t     int64
	prev  int32
	vec   int32 // -1 where all is of the cause
	cause uint8
	queue uint8
}

const noQueue = 255

type path struct {
	keep  bool
	nodes []node
	vecs  [][causes]float64
}

func (p *path) begin(keep bool) {
	p.keep = keep
	p.nodes = append(p.nodes[:0], node{0, -1, -1, cRequest, noQueue})
	p.vecs = p.vecs[:0]
}

func (p *path) at(t int64, cause, queue uint8, prev int32) int32 {
	if !p.keep {
		return 0
	}
	p.nodes = append(p.nodes, node{t, prev, -1, cause, queue})
	return int32(len(p.nodes) - 1)
}

func (p *path) mixed(t int64, vec *[causes]float64, queue uint8, prev int32) int32 {
	if !p.keep {
		return 0
	}
	p.vecs = append(p.vecs, *vec)
	p.nodes = append(p.nodes, node{t, prev, int32(len(p.vecs) - 1), cLaunch, queue})
	return int32(len(p.nodes) - 1)
}

// walk goes back from an event to time until. The stretches join without gaps, and their parts are whole ns.
func (p *path) walk(from int32, until int64, visit func(start, end int64, queue uint8), add func(cause int, ns int64)) {
	for n := from; n >= 0; {
		k := p.nodes[n]
		if k.t <= until {
			return
		}
		start := until
		if k.prev >= 0 {
			start = max(until, p.nodes[k.prev].t)
		}
		if k.t > start {
			visit(start, k.t, k.queue)
			p.split(&k, k.t-start, add)
		}
		n = k.prev
	}
}

func (p *path) split(k *node, ns int64, add func(cause int, ns int64)) {
	if k.vec < 0 {
		add(int(k.cause), ns)
		return
	}
	v := &p.vecs[k.vec]
	all := 0.0
	for _, x := range v {
		all += x
	}
	if all <= 0 {
		add(cLaunch, ns)
		return
	}
	sum, given := 0.0, int64(0)
	for c, x := range v {
		if x > 0 {
			sum += x
			upTo := min(ns, int64(math.Round(sum/all*float64(ns))))
			add(c, upTo-given)
			given = upTo
		}
	}
	if given < ns {
		add(cLaunch, ns-given)
	}
}
