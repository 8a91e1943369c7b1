package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// Blocks of the hardware whose counters are measured in the same run of the draw.
const (
	inTime = iota
	inBusy
	inSQ
	inSPI
	inTA
	inL0
	inL1
	inL2
	inMemory
	inPA
	inSC
	inDB
	inCB
	inSX
	inTD
	inScalar
	runs
)

// reading is what counters see of a draw.
type reading struct {
	m *machine
	d *draw
	q *demand
	o outcome
	s *shader // that does most
	w *work
	v *work

	ns     float64 // of the draw
	run    int     // in which the counter at hand is measured
	time   [runs]float64
	counts [runs]float64
}

func newReading(rnd simulate.Random, m *machine, d *draw, l *line, noise float64) *reading {
	r := relieved(-1)
	q := m.demandOf(d, &r)
	out := &reading{m: m, d: d, q: &q, o: l.run(m, d, &q, true), s: d.busiest(), w: &q.ps, v: &q.vs}
	out.ns = out.o.total
	if d.compute {
		out.w = &q.cs
	}
	// Runs differ by a share, and by a few hundred ns whatever the draw's length.
	sigma := noise * (m.timing + min(0.05, 120/out.ns))
	for i := range runs {
		out.time[i] = rnd.Spread(sigma)
		out.counts[i] = rnd.Spread(sigma * 0.5)
	}
	return out
}

// busy is for how long the GPU had work: all of the draw but a part of the time before its first work.
func (r *reading) busy() float64 { return r.ns - r.m.idle*r.o.launch }

// clocks is a time in clocks of the run at hand, no longer than the GPU was busy in that run.
func (r *reading) clocks(ns float64) float64 {
	return min(ns*r.counts[r.run], r.busy()) * r.time[r.run] * r.q.ghz
}

// pct is the share of the clocks in which the GPU was busy that a time is, as GPA divides.
func (r *reading) pct(ns float64) float64 {
	return 100 * r.clocks(ns) / (r.busy() * r.time[r.run] * r.q.ghz)
}

// loose is a count that varies from run to run, as those of caches and memory do.
func (r *reading) loose(n float64) float64 { return math.Round(n * r.counts[r.run]) }

func (r *reading) busiest(ns float64) float64 { return ns * (1 + r.m.imbalance) }

func (r *reading) ta() float64 { return r.busiest(r.o.ta.sum) }
func (r *reading) assembly() float64 {
	return max(0, r.q.pa-r.q.paOut) + 0.02*r.o.vs.sum
}

func (r *reading) waves() float64 {
	if r.s.wide {
		return math.Ceil(r.d.cs.waves / 2)
	}
	return math.Ceil(r.d.cs.waves)
}

// ofCompute is the value for dispatches, and 0 for draws.
func (r *reading) ofCompute(x float64) float64 {
	if r.d.compute {
		return x
	}
	return 0
}

// ofPixels is the value for draws with a pixel shader.
func (r *reading) ofPixels(x float64) float64 {
	if r.d.compute || !r.q.ps.on {
		return 0
	}
	return x
}

// ofDepth is the value for draws with a depth test.
func (r *reading) ofDepth(x float64) float64 {
	if r.d.compute || !r.d.depth {
		return 0
	}
	return x
}

// ofDraws is the value for draws, and 0 for dispatches.
func (r *reading) ofDraws(x float64) float64 { return x * b2f(!r.d.compute) }

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (r *reading) conflicts() float64 {
	c := r.s.conflict / (1 + r.s.conflict)
	// There is one local memory for every two SIMDs, over which GPA divides.
	return r.ofCompute(r.o.busy[rLDS] * c * r.w.spread * 0.5)
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// Requests and misses of the caches, of one run each.
func (r *reading) l0() (all, miss float64) {
	all = math.Round(r.v.req0 + r.w.req0)
	miss = r.v.req0*(1-r.d.vs.hit0) + r.w.req0*(1-r.s.hit0)
	return all, min(all, r.loose(miss))
}

func (r *reading) l1() (all, miss float64) {
	all = r.loose(r.v.req1 + r.w.req1)
	return all, min(all, r.loose(r.v.req2+r.w.req2))
}

func (r *reading) l2() (all, miss float64) {
	fixed := r.q.cbRead + r.q.cbWrite + r.q.dbRead + r.q.dbWrite
	all = r.loose(r.v.req2 + r.w.req2 + fixed/64*1.3)
	return all, min(all, r.loose(r.v.miss2+r.w.miss2+fixed/128))
}

func (r *reading) read() float64 {
	return 32 * r.loose((r.v.read+r.w.read+r.q.dbRead+r.q.cbRead)/32)
}

func (r *reading) written() float64 {
	return 32 * r.loose((r.v.written+r.w.written+r.q.dbWrite+r.q.cbWrite)/32)
}

// tests are ray tests of boxes and triangles.
func (r *reading) tests() (boxes, triangles float64) {
	n := r.ofCompute(r.s.rays * r.s.waves * 32 * r.s.lanes)
	return math.Round(n * 0.8), math.Round(n * 0.2)
}

// sampled are the pixels sampled.
func (r *reading) sampled() float64 { return r.s.tex * r.s.waves * 32 }
