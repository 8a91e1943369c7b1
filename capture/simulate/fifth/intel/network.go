package intel

import "math"

// A flow is the steady state of the GPU while some loads run at once, found as the fixed point of Schweitzer's
// approximate mean value analysis of a closed queueing network: threads are its customers, units and fixed functions its
// queueing stations, latencies its delays. (P. J. Schweitzer, 1979; Y. Bard, 1979.)

// classes is how many loads run at once at most: the queues, and another program in place of one of them.
const classes = 3

// relief is what one simulation has easier. The zero value relieves nothing.
type relief struct {
	cause   int // plus 1: a candidate by its number
	queue   int // plus 1
	gpu     bool
	app     bool
	driver  bool
	wait    bool
	loose   bool
	highest bool
}

const faster = 1.5

func (r *relief) of(cause, queue int) float64 {
	if r.gpu || r.cause == cause+1 || r.queue == queue+1 {
		return faster
	}
	return 1
}

type class struct {
	on    bool
	n     float64 // tokens
	d     [stations]float64
	wait  [3]float64
	rate  float64 // of the load, in 1/ns
	queue [stations]float64
	pace  [causes]float64 // shares of its time by cause; their sum is 1
}

type flow struct {
	class [classes]class
	used  [stations]float64 // utilization
	late  float64           // factor of the memory's latency
	made  *signals          // when asked for
	f     float64
}

// settle finds the rates. It keeps queues as they are at first, so that a network near one that was settled needs few
// rounds.
func (w *flow) settle(m *machine, tolerance float64) {
	for round := 0; round < 200; round++ {
		var total [stations]float64
		bus := 0.0
		for c := range w.class {
			if k := &w.class[c]; k.on {
				for i, q := range k.queue {
					total[i] += q
				}
				bus += k.rate * k.d[sBW]
			}
		}
		bus = min(1, bus)
		w.late = 1 + m.memLoad*bus*bus
		off := 0.0
		for c := range w.class {
			k := &w.class[c]
			if !k.on {
				continue
			}
			z := k.n * (k.wait[0]*w.late + k.wait[1] + k.wait[2])
			sum := z
			var r [stations]float64
			for i, d := range k.d {
				if d > 0 {
					r[i] = d * (1 + total[i] - k.queue[i]/k.n)
					sum += r[i]
				}
			}
			x := k.n / sum
			off = max(off, math.Abs(x-k.rate)/x)
			k.rate = x
			for i := range r {
				k.queue[i] = x * r[i]
			}
		}
		if off < tolerance {
			break
		}
	}
	w.used = [stations]float64{}
	for c := range w.class {
		if k := &w.class[c]; k.on {
			k.rate = steady(k.rate)
			for i, d := range k.d {
				w.used[i] += k.rate * d
			}
		}
	}
	// An approximation may use a station a little more than it can be.
	most := 1.0
	for _, u := range w.used {
		most = max(most, u)
	}
	if most > 1 {
		for c := range w.class {
			w.class[c].rate /= most
		}
		for i := range w.used {
			w.used[i] /= most
		}
	}
}

// paces finds by how much each cause sets the rates: times are homogeneous of degree one in demands and latencies, so
// the elasticities of a load's time add up to 1 (Euler).
func (w *flow) paces(m *machine) {
	const by = 1.02
	var sum [classes]float64
	for cause := cArithmetic; cause <= cLatency; cause++ {
		near := flow{class: w.class}
		any := false
		for c := range near.class {
			k := &near.class[c]
			if !k.on {
				continue
			}
			for i := range k.d {
				if causeOf[i] == cause && k.d[i] > 0 {
					k.d[i] *= by
					any = true
				}
			}
			switch cause {
			case cLatency:
				k.wait[0] *= by
				k.wait[1] *= by
				any = any || k.wait[0]+k.wait[1] > 0
			case cArithmetic:
				k.wait[2] *= by
			}
		}
		if !any {
			continue
		}
		near.settle(m, 1e-5)
		for c := range w.class {
			if k := &w.class[c]; k.on {
				k.pace[cause] = max(0, steady(k.rate/near.class[c].rate-1))
				sum[c] += k.pace[cause]
			}
		}
	}
	for c := range w.class {
		k := &w.class[c]
		if !k.on || sum[c] <= 0 {
			k.pace[cLaunch] = 1
			continue
		}
		for i := range k.pace {
			k.pace[i] /= sum[c]
		}
	}
}

// newFlow settles the network for the loads that run, nil for none of a class.
func newFlow(m *machine, loads [classes]*load, f float64, r *relief, path bool) *flow {
	w := &flow{f: f}
	shared := 0
	for _, l := range loads {
		if l != nil && l.room > 0 {
			shared++
		}
	}
	for c, l := range loads {
		if l == nil {
			continue
		}
		k := &w.class[c]
		k.on = true
		k.d, k.wait = m.demand(l, f)
		k.n = m.tokens(l)
		if shared > 1 { // thread slots are shared; a load alone seldom fills them all the time
			k.n *= 0.65
			k.wait[0] /= 0.65
			k.wait[1] /= 0.65
		}
		for i := range k.d {
			k.d[i] /= r.of(causeOf[i], c)
		}
		k.wait[0] /= r.of(cLatency, c)
		k.wait[1] /= r.of(cLatency, c)
		k.wait[2] /= r.of(cArithmetic, c)
		n := 0.0
		for _, d := range k.d {
			if d > 0 {
				n++
			}
		}
		for i, d := range k.d {
			if d > 0 {
				k.queue[i] = k.n / n
			}
		}
	}
	w.settle(m, 1e-5)
	if path {
		w.paces(m)
	}
	return w
}
