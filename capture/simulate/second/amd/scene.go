package amd

import "math"

// block is one that a status bit tells of.
type block int8

const (
	blockGFX block = iota
	blockCP
	blockSPI
	blockTA
	blockCB
	blockDB
	blockPA
	blockSC
	blockBCI
	blockSX
	blockGE
	blockCPF
	blockCPC
	blockCPG
	blockRLC
	blockTC
	blockUTCL2
	blockEA
	blockRMI
	blocks
)

// scene is the work of a frame for the GPU: one queue, or graphics and compute in a queue each.
type scene struct {
	name     string
	graphics []draw
	compute  []draw
}

// stretch is a part of a frame in which the blocks are busy in the same way.
type stretch struct {
	ns     float64
	blocks [blocks]float64
}

// cost is what a scene takes at a clock, alone on the GPU.
type cost struct {
	ns, async float64 // of both queues together, and of that the second one's
	beside    float64 // what both take where they may run beside each other
	path      [allCauses]float64
	busy      [servers]float64
	stretches []stretch
}

// at is the machine with its shader clock at a share of the highest. Memory keeps its own clock.
func (m *machine) at(level float64) *machine {
	out := *m
	out.clock *= level
	out.l2Latency /= level
	out.memLatency *= 0.6 + 0.4/level
	return &out
}

// costOf runs all draws of a scene, one behind the other.
func (s *sim) costOf(m *machine, sc *scene, level float64, relief cause) *cost {
	at := m.at(level)
	c := &cost{}
	queue := func(draws []draw, compute bool) (ns float64, busy [servers]float64) {
		for i := range draws {
			d := &draws[i]
			f := at.flow(d)
			f.setup, f.drain = f.setup/level, f.drain/level // the command processor has the clock of the shaders
			out := s.run(f, relief)
			ns += out.total * d.times
			for k := range out.path {
				c.path[k] += out.path[k] * d.times
			}
			for k := range out.busy {
				busy[k] += out.busy[k] * d.times
			}
			c.stretches = append(c.stretches, stretch{out.total * d.times, blocksOf(d, &out, compute)})
		}
		return ns, busy
	}
	ns, busy := queue(sc.graphics, false)
	async, asyncBusy := queue(sc.compute, true)
	c.ns, c.async = ns+async, async
	c.beside = math.Max(ns, async) * 1.03
	for k := range busy { // what one unit has to do for both takes its time in any case
		c.busy[k] = busy[k] + asyncBusy[k]
		c.beside = math.Max(c.beside, c.busy[k]/0.95)
	}
	c.beside = math.Min(c.beside, c.ns)
	return c
}

// blocksOf is for what share of a draw the status bit of each block is set. A bit is that of all instances together,
// and set while any of them has anything: so it is set for much longer than a mean instance works.
func blocksOf(d *draw, o *flowed, compute bool) (b [blocks]float64) {
	part := func(ns float64) float64 { return clamp(ns/o.total, 0, 1) }
	any := func(share, of float64) float64 { return 1 - math.Pow(1-clamp(share, 0, 1), of) }
	b[blockGFX], b[blockCP], b[blockCPF] = 1, 0.99, 0.995
	if compute {
		b[blockCPC] = 0.99
	} else {
		b[blockCPG] = 0.995
	}
	v, p := part(o.vertexActive), part(o.pixelActive)
	if d.compute || d.ps.waves == 0 && d.vs.waves == 0 {
		v = 0
	}
	if d.ps.waves == 0 {
		p = 0
	}
	b[blockSPI] = 1 - (1-v)*(1-p)
	b[blockTA] = math.Min(b[blockSPI], any(part(o.addrActive), 10))
	if !d.compute {
		b[blockGE] = math.Max(v, any(part(o.busy[geometryEngine]), 2))
		b[blockPA] = any(math.Max(part(o.busy[assembler]), part(o.paActive)), 2)
		b[blockSC] = any(math.Max(part(o.busy[scanner]), part(o.paHeld)), 3)
		b[blockBCI] = p * any(part(o.busy[scanner]), 3)
		if d.targets > 0 {
			b[blockCB] = any(math.Max(part(o.busy[colorBlock]), part(o.exportHeld)), 5)
		}
		if d.depth {
			b[blockDB] = any(part(o.dbActive), 5)
		}
		b[blockSX] = math.Max(b[blockCB], any(part(o.busy[assembler]), 3))
		rc, wc := d.colorBytes()
		rz, wz := d.depthBytes()
		if rc+wc+rz+wz > 0 {
			b[blockRMI] = math.Max(b[blockCB], b[blockDB]) * 0.9
		}
	}
	// The texture cache's bit is that of the caches of single pipes, which all accesses of shaders go through, and those of
	// colors and depth do not.
	shaders, all := 0.0, 1e-9
	for _, h := range []*shader{&d.vs, &d.ps} {
		shaders += d.trafficOf(h).l1Miss * 128
	}
	if all += shaders; !d.compute {
		rc, wc := d.colorBytes()
		rz, wz := d.depthBytes()
		all += rc + wc + rz + wz
	}
	b[blockTC] = math.Min(b[blockSPI], math.Max(b[blockTA], any(part(o.busy[l2]*shaders/all), 8)))
	b[blockEA] = any(part(o.busy[dram]), 8)
	b[blockUTCL2] = 0.02 + 0.25*part(o.busy[dram])
	b[blockRLC] = 0.02
	return b
}
