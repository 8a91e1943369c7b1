package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// Amounts of work, which a part of a pass asks for. Most have a counter of their own, and are called as that. nBack are
// visible primitives that face away, nQueueTask is of the queues of geometry and compute, nFragQuad are quads of threads,
// those that end in Beat are read from L2 and in Ext from beyond it, nBlend are clocks of the pixel backend.
const (
	nTriangle, nLine, nPoint, nVisible, nFace, nPlane = 6 * iota, 6*iota + 1, 6*iota + 2, 6*iota + 3, 6*iota + 4, 6*iota + 5
	nSample, nScissor, nBack, nDeferred, nPosTask, nVarTask
	nPosHit, nPosMiss, nVarHit, nVarMiss, nTilerRead, nRastPrim
	nReadPrim, nQuad, nPartQuad, nCoarse, nEarlyTest, nEarlyUpdate
	nEarlyKill, nLateTest, nLateKill, nOpaque, nTile, nTileKill
	nFragTask, nFragWarp, nFragQuad, nOtherWarp, nOtherTask, nQueueTask
	nFull, nAllRegs, nFMA, nCVT, nSFU, nDiverged
	nNarrow, nICache, nBlendShader, nTexQuad, nTexSingle, nTexFilter
	nTexBilinear, nTexTrilinear, nTexIn, nTexOut, nTexSimple, nTexComplex
	nTexL1, nReadFull, nReadPart, nWriteFull, nWritePart, nAtomic
	nVarInstr, nVar32, nVar16, nAttr, nFrontBeat, nFrontExt
	nLSBeat, nLSExt, nTexBeat, nTexExt, nOtherBeat, nLSWrite
	nLSBack, nTileWrite, nRay, nBoxNode, nTriNode, nBlend
	nExtRead, nExtWrite, _, _, _, _

	amounts = 80
)

// part is a piece of a pass in which everything is asked for in the same proportions: a stretch of tiles, draws of a
// kind. A pass is a row of them.
type part struct {
	n      [amounts]float64
	chain  float64 // times that a group waits for memory, one after the other
	groups float64 // that a core holds at once
	convoy float64 // warps of a group
	cores  int     // that have any of it
	missed float64 // share of the chain that goes to memory
	tail   bool    // all tasks are issued
	id     int     // unique in the case
}

// dependency is a job that another waits for.
type dependency struct {
	job, back int // in the frame's list; how many frames before
	loose     bool
}

// job is a pass on a queue.
type job struct {
	name   string
	queue  int
	parts  []part
	launch float64 // ns, besides the chip's, such as many small dispatches in one job
	starts float64 // jobs of the hardware that it stands for
	after  []dependency
	image  bool
	submit float64
}

// content is what a frame consists of.
type content struct {
	name string
	jobs []job
}

// issue is the clocks that arithmetic takes to issue, by Arm's formulas.
func (c *chip) issue(n *[amounts]float64) float64 {
	f, v, s := n[nFMA], n[nCVT], n[nSFU]
	if c.modern {
		return max(v+s+(f-min(f, v+s))/2, 4*s)
	}
	return max(f, v, 4*s)
}

// texIssue is the clocks of the busiest part of the texture unit.
func (c *chip) texIssue(n *[amounts]float64) float64 {
	if c.modern {
		return max(n[nTexFilter], n[nTexComplex], n[nTexSimple], n[nTexIn], n[nTexOut], n[nTexL1])
	}
	return n[nTexFilter]
}

// bytes of external traffic.
func (p *part) bytes() float64 { return 64 * (p.n[nExtRead] + p.n[nExtWrite]) }

// lookups of L2, each of a line of 64 bytes.
func (p *part) lookups() (reads, writes float64) {
	n := &p.n
	return (n[nFrontBeat] + n[nLSBeat] + n[nTexBeat] + n[nOtherBeat] + n[nTilerRead]) / 4, (n[nLSWrite] + n[nLSBack] + n[nTileWrite]) / 4
}

// gather works out external transactions from what units read and write. What tilers and instruction fetch read comes
// from memory for a third; writes are streamed out at some time.
func (p *part) gather(written float64) {
	n := &p.n
	n[nExtRead] = (n[nFrontExt] + n[nLSExt] + n[nTexExt] + 0.3*n[nOtherBeat] + 0.35*n[nTilerRead]) / 4
	n[nExtWrite] = written * (n[nLSWrite] + n[nLSBack] + n[nTileWrite]) / 4
}

// items are the groups of warps that a part has on each of its cores.
func (p *part) items() float64 {
	return max(0.01, (p.n[nFragWarp]+p.n[nOtherWarp])/p.convoy/float64(p.cores))
}

// clocks are the clocks of the GPU that each station works for a part, all cores and slices side by side.
func (c *chip) clocks(p *part) (out [stations]float64) {
	n, k := &p.n, float64(p.cores)
	out[stArithmetic] = c.issue(n) / k
	out[stTexture] = c.texIssue(n) / k
	out[stVarying] = (n[nVar32] + n[nVar16]) / c.varSlots / k
	out[stLoadStore] = (n[nReadFull] + n[nReadPart] + n[nWriteFull] + n[nWritePart] + n[nAtomic]) / k
	out[stRays] = max(n[nBoxNode], n[nTriNode]) / k
	all := n[nVisible] + n[nFace] + n[nPlane] + n[nSample] + n[nScissor]
	out[stTiler] = all*c.triangle + n[nVisible]*c.visible
	out[stRasterizer] = (n[nQuad] + 1.5*n[nRastPrim]) / k
	out[stBackend] = max(n[nBlend], n[nTileWrite]) / k
	r, w := p.lookups()
	out[stCache] = (r + w) / float64(c.slices)
	return out
}

// class is a part in the network, at a share of the highest clock and with relief.
func (c *chip) class(p *part, share float64, r *relief, queue int) class {
	out := class{groups: max(1, min(p.groups, p.items()))}
	clocks := c.clocks(p)
	items := p.items()
	for s := range stations {
		out.demand[s] = clocks[s] * 1e9 / c.hz / share / c.efficient[s] / items
	}
	out.demand[stBandwidth] = p.bytes() / c.memory * 1e9 / items
	out.demand[stLatency] = p.chain * (c.hitNs/share + p.missed*c.missNs)
	for s := range stations {
		if r.station == s || r.gpu || r.queue == queue {
			out.demand[s] /= simulate.Faster
		}
	}
	if !(out.demand[stArithmetic] >= 1e-3) { // a group takes a clock at least
		out.demand[stArithmetic] = 1e-3
	}
	return out
}

// alone is how many ns a part takes with the GPU to itself.
func (c *chip) alone(p *part, r *relief, queue int) float64 {
	var f flow
	settle([]class{c.class(p, 1, r, queue)}, &f)
	return p.items() / f.rate[0]
}

// solo is how many ns the parts of a content take one after the other.
func (c *chip) solo(list *content, r *relief) (ns float64) {
	for i := range list.jobs {
		j := &list.jobs[i]
		for k := range j.parts {
			ns += c.alone(&j.parts[k], r, j.queue)
		}
	}
	return ns
}

// scale multiplies all work of a content.
func (t *content) scale(by float64) {
	for i := range t.jobs {
		for k := range t.jobs[i].parts {
			for a := range t.jobs[i].parts[k].n {
				t.jobs[i].parts[k].n[a] *= by
			}
		}
	}
}

// normal is the cumulative distribution of a log-normal latency: the share that is below x.
func normal(x, median, sigma float64) float64 {
	if x <= 0 || median <= 0 {
		return 0
	}
	return 0.5 * math.Erfc(-math.Log(x/median)/sigma/math.Sqrt2)
}
