package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// flown is what a dispatch did, in cycles of the clock at which it ran and over all units.
type flown struct {
	busy      float64           // from the first wave to the last
	total     float64           // of the dispatch, with what it costs
	service   [stations]float64 // server cycles used
	queued    [stations]float64 // wave cycles that waited for a server
	alu, lds  float64           // wave cycles of delays
	near, far float64
	scalar    float64
	resident  float64 // wave cycles
	readsOut  float64 // cycles of reads under way below GL1
	launching float64 // cycles in which launch units launched
	waves     float64 // that went through; a segment is the part of a wave that it takes alone
}

func (f *flown) addScaled(g *flown, by float64) {
	f.busy += g.busy * by
	for i := range f.service {
		f.service[i] += g.service[i] * by
		f.queued[i] += g.queued[i] * by
	}
	f.alu += g.alu * by
	f.lds += g.lds * by
	f.near += g.near * by
	f.far += g.far * by
	f.scalar += g.scalar * by
	f.resident += g.resident * by
	f.readsOut += g.readsOut * by
	f.launching += g.launching * by
	f.waves += g.waves * by
}

// network is the network of queues of a kernel on a machine at a clock.
type network struct {
	k       *kernel
	servers [stations]float64
	demand  [][stations]float64
	pause   []float64
	parts   []delays
	r       relief

	n      []float64           // waves of each segment
	queue  [stations]float64   // customers
	stay   [][stations]float64 // cycles of a wave at each station, all visits of a segment
	passes []float64           // cycles of a wave in a segment
	part   []float64           // of a wave that a segment is
}

func newNetwork(k *kernel, m *machine, clock float64, r relief) *network {
	w := &network{k: k, r: r}
	a := k.active()
	w.servers = [stations]float64{byALU: simds * a, byTA: a, byLDS: a, byGL2: channels, byFabric: channels, byDRAM: channels}
	n := len(k.segments)
	w.n, w.stay, w.passes = make([]float64, n), make([][stations]float64, n), make([]float64, n)
	for i := range k.segments {
		s := &k.segments[i]
		d := s.demand(m, clock)
		for j := range d {
			d[j] *= r[j]
		}
		p := s.delay(m, clock)
		w.demand, w.parts, w.pause = append(w.demand, d), append(w.parts, p), append(w.pause, p.sum(&r))
		// Work-groups wait at barriers for their slowest wave.
		if s.barriers > 0 {
			w.pause[i] *= 1.12
		}
	}
	sum := 0.0
	for i, d := range w.demand {
		alone := w.pause[i]
		for _, x := range d {
			alone += x
		}
		w.part = append(w.part, alone)
		sum += alone
	}
	for i := range w.part {
		w.part[i] /= sum
	}
	return w
}

// settle finds the equilibrium for the waves that are resident.
func (w *network) settle() {
	for range 60 {
		var next [stations]float64
		off := 0.0
		for s, n := range w.n {
			if n <= 0 {
				continue
			}
			total := w.pause[s]
			own := (n - 1) / n
			if n < 1 {
				own = 0
			}
			for j, d := range w.demand[s] {
				if d == 0 {
					w.stay[s][j] = 0
					continue
				}
				stay := d * (1 + w.queue[j]*own/w.servers[j])
				w.stay[s][j] = stay
				total += stay
			}
			w.passes[s] = max(total, 1)
			for j, stay := range w.stay[s] {
				next[j] += n * stay / w.passes[s]
			}
		}
		for j := range next {
			off = max(off, math.Abs(next[j]-w.queue[j])/(1+w.queue[j]))
		}
		w.queue = next
		if off < 3e-3 {
			break
		}
	}
	// No server does more than there is time for: where the approximation would let it, all stay longer.
	over, at := 1.0, 0
	for j := range w.queue {
		used := 0.0
		for s, n := range w.n {
			if n > 0 {
				used += n * w.demand[s][j] / w.passes[s]
			}
		}
		if used > over*w.servers[j] {
			over, at = used/w.servers[j], j
		}
	}
	if over > 1 {
		for s, n := range w.n {
			if n > 0 {
				w.stay[s][at] += (over - 1) * w.passes[s]
				w.passes[s] *= over
			}
		}
	}
}

// count adds what happens in a stretch of time.
func (w *network) count(f *flown, dt float64) {
	for s, n := range w.n {
		if n <= 0 {
			continue
		}
		f.resident += n * dt
		rate := n * dt / w.passes[s] // waves that pass
		f.waves += rate * w.part[s]
		for j, stay := range w.stay[s] {
			f.service[j] += rate * w.demand[s][j]
			f.queued[j] += rate * (stay - w.demand[s][j])
		}
		seg, p := &w.k.segments[s], &w.parts[s]
		extra := w.pause[s] / max(1e-9, p.sum(&w.r))
		f.alu += rate * p.alu * w.r[byALU] * extra
		f.lds += rate * p.lds * w.r[byLDS] * extra
		near, far := p.near*w.r[byLatency], p.far*w.r[byLatency]
		f.near += rate * near * extra
		f.far += rate * far * extra
		f.scalar += rate * p.scalar * w.r[byLatency] * extra
		below := far
		for _, j := range [...]int{byGL2, byFabric, byDRAM} {
			below += w.stay[s][j] * seg.readShare()
		}
		f.readsOut += rate * below * seg.outstanding()
	}
}

// cohort is some waves that go through their segments together.
type cohort struct {
	waves   float64
	segment int
	left    float64 // of the segment
	work    float64 // times what waves have to do on average
}

// Grids of more rounds than these go on as they went in whole rounds of the middle: waves that began together end
// together, so that parts of rounds would tell little.
const (
	rounds     = 7
	cohortsOf  = 10 // in a round
	steadyFrom = 2.0
	steadyTo   = 5.0
)

// uneven are how much cohorts have to do; those of a round have as much as those of another.
func uneven(k *kernel, n int) []float64 {
	rnd := simulate.NewRandom(k.seed, "cohorts")
	out := make([]float64, n)
	for from := 0; from < n; from += cohortsOf {
		round := out[from:min(n, from+cohortsOf)]
		sum := 0.0
		for i := range round {
			round[i] = rnd.Spread(k.spread)
			sum += round[i]
		}
		for i := range round {
			round[i] *= float64(len(round)) / sum
		}
	}
	return out
}

// flow runs a dispatch of a kernel.
func flow(k *kernel, m *machine, clock float64, r relief) flown {
	w := newNetwork(k, m, clock, r)
	room := k.resident()
	all := k.waves()
	simulated := min(all, rounds*room)
	size := min(room, simulated) / cohortsOf
	wave := float64(k.wavesOfGroup())
	launch := (m.perWave + (m.perGroup+float64(min(k.lds, 1))*3)/wave) / engines * r[bySPI]
	works := uneven(k, int(math.Ceil(simulated/size))+1)

	var f, steady flown
	var live []cohort
	t, waiting, inside, ended := 0.0, simulated, 0.0, 0.0
	arrives := math.Inf(1) // when the cohort that is being launched is there
	begin := func() {
		n := min(size, waiting)
		if math.IsInf(arrives, 1) && waiting > 1e-6 && inside+n <= room*(1+1e-9) {
			arrives = t + n*launch
			f.launching += n * launch
		}
	}
	begin()
	for waiting > 1e-6 || len(live) > 0 {
		w.settle()
		dt, which := arrives-t, -1
		for i := range live {
			c := &live[i]
			if d := c.left * c.work * w.passes[c.segment]; d < dt {
				dt, which = d, i
			}
		}
		dt = max(dt, 0)
		w.count(&f, dt)
		t += dt
		if simulated < all && ended > (steadyFrom-0.01)*room && ended < (steadyTo-0.01)*room {
			w.count(&steady, dt)
			steady.busy += dt
		}
		for i := range live {
			live[i].left -= dt / (live[i].work * w.passes[live[i].segment])
		}
		if which < 0 {
			n := min(size, waiting)
			waiting -= n
			inside += n
			live = append(live, cohort{n, 0, 1, works[0]})
			works = works[1:]
			w.n[0] += n
			arrives = math.Inf(1)
		} else {
			c := &live[which]
			w.n[c.segment] = max(0, w.n[c.segment]-c.waves)
			if c.segment++; c.segment < len(k.segments) {
				c.left = 1
				w.n[c.segment] += c.waves
			} else {
				inside -= c.waves
				ended += c.waves
				live = append(live[:which], live[which+1:]...)
			}
		}
		begin()
	}
	f.busy = t
	if simulated < all && steady.busy > 0 {
		steady.launching = steady.waves * launch
		f.addScaled(&steady, (all-simulated)/steady.waves)
	}
	// Half of what a dispatch costs is the command processor's, whose clock goes with the GPU's.
	f.total = f.busy + m.overhead*r[byOverhead]*(0.5*clock+0.5*fastest)
	return f
}
