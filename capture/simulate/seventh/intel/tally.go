package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// quantity is something that a recorder adds up: times are core clocks, of EUs those of all EUs together.
type quantity int

const (
	qClock, qBusy, qRender, qCompute, qCopy, qBoth, qAny quantity = 0, 1, 2, 3, 4, 5, 6 // qBusy: render or compute

	// Of threads of vertices, pixels and compute, one after the other: how many, and clocks of each pipe of their EUs.
	qThreads, qFirst, qSecond, qSend quantity = 7, 10, 13, 16

	qPair, qActive, qStall, qSlots                         quantity = 19, 20, 21, 22 // both pipes, some, none; threads times clocks
	qTexels, qMisses, qLocal, qAccess, qAtomics, qBarriers quantity = 23, 24, 25, 26, 27, 28
	qRead, qWrite, qWaitsPS, qWaitsRest                    quantity = 29, 30, 31, 32                // bytes; threads wait for slots
	qPixels                                                         = 33                            // rasterized, three kinds of fails, killed, written, blended
	qUsed                                                           = qPixels + 7                   // by station: servers that work
	qWaiting                                                        = qUsed + quantity(stations)    // something waits for a server
	qFull                                                           = qWaiting + quantity(stations) // its queue is full
	qNeck                                                           = qFull + quantity(stations)    // by stage: it works, and the one before cannot hand on
	qHeld                                                           = qNeck + quantity(stages)      // it cannot hand on
	qWorks                                                          = qHeld + quantity(stages)
	quantities                                                      = qWorks + quantity(stages)
)

type tally [quantities]float64

// recorder adds up what happens, sample by sample.
type recorder struct {
	bounds *simulate.Bounds
	rows   []tally
	spells []spell
	driver []spell // of these the driver's
	at     int     // of the last sample
}

func (r *recorder) row(i int) *tally {
	for len(r.rows) <= i {
		r.rows = append(r.rows, make([]tally, 256)...)
	}
	return &r.rows[i]
}

// each calls put with each sample that a time touches, and its share of the time.
func (r *recorder) each(from, to float64, put func(t *tally, share float64)) {
	for r.at > 0 && float64(r.bounds.At(r.at)) > from {
		r.at--
	}
	for float64(r.bounds.At(r.at+1)) <= from {
		r.at++
	}
	for i := r.at; ; i++ {
		a, b := max(from, float64(r.bounds.At(i))), min(to, float64(r.bounds.At(i+1)))
		if b > a {
			put(r.row(i), (b-a)/(to-from))
		}
		if float64(r.bounds.At(i+1)) >= to {
			return
		}
	}
}

// clock lets clocks pass without work.
func (r *recorder) clock(from, to, rate float64) {
	if to > from {
		r.each(from, to, func(t *tally, share float64) { t[qClock] += share * (to - from) * rate })
	}
}

// Queues are full when as many wait as they have room for. Assumed.
const (
	roomOfStation = 6
	roomOfMemory  = 10
)

// measure adds up what the counters see of a step.
func (s *sim) measure(dt float64, to *[engines][stages]float64, by *[engines][stages]uint8) {
	var v tally
	clocks := dt * s.clk.share() * s.m.clock()
	v[qClock] = clocks
	resident, relative, empty := 0.0, 0.0, 1.0 // empty: how likely an EU has no thread
	threads := func(n, share float64) {
		resident += n * share
		empty *= 1 - share*(1-math.Pow(1-min(1, n/s.m.slots()), float64(s.m.threads)))
	}
	add := func(q quantity, x float64) { v[q] += x }
	for e, r := range s.run {
		if r == nil {
			continue
		}
		add(qAny, clocks)
		add(qRender+quantity(e), clocks)
		if e != copying {
			v[qBusy] = clocks
		}
		if r.left > 0 {
			continue
		}
		p := r.p
		var moved [stages]float64
		for k, st := range p.list {
			d := (to[e][st] - r.at[st]) * r.scale
			moved[st] = d
			if st == shading || r.rate[st] <= 0 {
				continue
			}
			works := min(1, d/r.scale/r.rate[st]/dt) * clocks
			add(qWorks+quantity(st), works)
			if by[e][st] == blocked {
				add(qHeld+quantity(st), clocks-works)
			}
			if k > 0 && by[e][p.list[k-1]] == blocked { // a neck is what the next stage waits for; signals are not that clean
				part := 0.1
				if k+1 == len(p.list) || by[e][p.list[k+1]] == starved {
					part = 1
				}
				add(qNeck+quantity(st), works*part)
			}
		}
		full := (to[e][shading] - r.at[shading]) / r.rate[shading] / dt // how much of its rate the stage had
		if by[e][shading] == blocked {
			add(qHeld+quantity(shading), clocks*(1-min(1, full)))
		}
		kind := quantity(1)
		if len(p.list) == 1 || p.list[1] == shading && p.items[fetching] == 0 && p.items[blending] == 0 {
			kind = 2
		}
		s.count(&v, &p.vs, moved[vertices], 0, p, r.segment[vertices])
		s.count(&v, &p.ps, moved[shading], kind, p, r.segment[shading])
		main := moved[shading] * p.parts[memory][r.segment[shading]] // all bytes of a pass go with this stage
		bytes := main*p.ps.work[memory-arith] + moved[vertices]*p.vs.work[memory-arith]
		add(qRead, bytes*p.reads)
		add(qWrite, bytes*(1-p.reads))
		for i, x := range [...]float64{p.px.rasterized, p.px.coarseFails, p.px.earlyFails, p.px.killed, p.px.lateFails,
			p.px.written, p.px.blended} {
			at := [...]stage{rasterizing, coarseTests, earlyTests, shading, blending, blending, blending}[i]
			if p.items[at] == 0 && at != shading { // no such stage: with what comes before
				at = shading
			}
			add(qPixels+quantity(i), moved[at]*x)
		}
		if e == copying {
			relative = max(relative, full)
			continue
		}
		relative = max(relative, min(1, full)*r.duty)
		if p.ps.n > 0 {
			n := r.full
			if by[e][shading] == starved { // by Little's law: threads come as the pipe makes them
				x := min(1, full)
				n = min(n, r.x*x*(r.idle+(r.full/r.x-r.idle)*x*x*x))
			}
			threads(n, r.duty)
			waits := qWaitsRest
			if kind == 1 {
				waits = qWaitsPS
			}
			if r.full >= 0.9*p.ps.most*s.m.slots() && by[e][shading] != starved {
				add(waits, clocks*0.8*r.duty)
			} else {
				add(waits, clocks*0.12*min(1, full)*r.duty)
			}
		}
		if moved[vertices] > 0 {
			threads(min(0.45*s.m.slots(), p.vs.n*r.scale)*min(1, moved[vertices]/r.scale/r.rate[vertices]/dt), 1)
			if by[e][vertices] == free {
				add(qWaitsRest, clocks*0.5)
			}
		}
	}
	if s.run[render] != nil && s.run[compute] != nil {
		v[qBoth] = clocks
	}
	for i := range stations {
		q := s.queue[i] * relative * relative * relative // a queue shortens quickly where less comes
		wait := q / (1 + q)
		room := float64(roomOfStation)
		if arith+unit(i) == memory {
			room = roomOfMemory
		}
		v[qWaiting+quantity(i)] = clocks * wait
		v[qFull+quantity(i)] = clocks * math.Pow(wait, room)
		v[qUsed+quantity(i)] = min(v[qUsed+quantity(i)], clocks)
	}
	s.pipes(&v, clocks, resident, 1-empty)
	s.rec.each(s.now, s.now+dt, func(t *tally, share float64) {
		for i, x := range v {
			if x != 0 {
				t[i] += x * share
			}
		}
	})
}

// count adds what threads of a kind did: a share of all that the stage has to do, in a segment of its pass.
func (s *sim) count(v *tally, t *threads, share float64, kind quantity, p *pass, segment int) {
	if share == 0 {
		return
	}
	work := func(u unit) float64 { return share * t.work[u-arith] * p.parts[u][segment] }
	v[qThreads+kind] += share * t.n
	v[qFirst+kind] += work(arith) * t.first
	v[qSecond+kind] += work(arith) * t.second
	v[qSend+kind] += work(arith) * t.sends
	v[qTexels] += work(texture)
	v[qMisses] += work(texture) * t.misses
	v[qLocal] += work(local)
	v[qAccess] += work(port)
	v[qAtomics] += share * t.atomics
	v[qBarriers] += share * t.barriers
	for u := arith; u < memory; u++ {
		used := work(u) / s.m.rate[u]
		if u == texture {
			used *= t.cost
		}
		v[qUsed+quantity(u-arith)] += used
	}
}

// pipes makes of the work of each pipe what the EUs' own counters see: how often some pipe works, both do, or none
// although threads are there.
func (s *sim) pipes(v *tally, clocks, resident, loaded float64) {
	all := clocks * float64(s.m.eus)
	most := 0.0
	for _, q := range [...]quantity{qFirst, qSecond, qSend} {
		most = max(most, v[q]+v[q+1]+v[q+2])
	}
	if most > 0.985*all { // a step in which vertex threads run ahead
		for q := qFirst; q < qPair; q++ {
			v[q] *= 0.985 * all / most
		}
	}
	sum := func(q quantity) float64 { return v[q] + v[q+1] + v[q+2] }
	first, second, send := sum(qFirst), sum(qSecond), sum(qSend)
	v[qPair] = max(0.8*min(first, second), first+second-all)
	either := first + second - v[qPair]
	v[qActive] = min(all, either+send*(1-either/all)*0.9)
	v[qSlots] = min(clocks*s.m.slots(), resident*clocks)
	v[qActive] = min(v[qActive], 0.9995*all)
	v[qStall] = max(0, all*min(0.9995, loaded)-v[qActive])
}
