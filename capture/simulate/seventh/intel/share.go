package intel

// load is a group of threads, or of requests, that go round: each visits the stations and waits.
type load struct {
	n float64           // how many go round at once
	d [stations]float64 // ns of a server that each takes in a round
	z float64           // ns that each waits without using anything
}

// rounds is how many steps of the iteration are made; it has settled to a thousandth well before.
const rounds = 24

// balance finds how many rounds per ns each load makes where all share the stations' servers, by approximate mean value
// analysis (Schweitzer): who arrives meets the others that are there on average. It also tells how many stand at a server.
func balance(servers *[stations]float64, loads []load, x []float64) (queue [stations]float64) {
	var at [engines][stations]float64 // who stand at a station, by load
	for c := range loads {
		used := 1.0
		for _, d := range loads[c].d {
			if d > 0 {
				used++
			}
		}
		for i, d := range loads[c].d {
			if d > 0 {
				at[c][i] = loads[c].n / used
			}
		}
	}
	for range rounds {
		next := at
		for c := range loads {
			l := &loads[c]
			whole := l.z
			var stay [stations]float64
			for i, d := range l.d {
				if d <= 0 {
					continue
				}
				meets := -at[c][i] / max(1, l.n)
				for b := range loads {
					meets += at[b][i]
				}
				stay[i] = d * (1 + max(0, meets)/servers[i])
				whole += stay[i]
			}
			x[c] = l.n / max(whole, 1e-3)
			for i := range stay {
				next[c][i] = x[c] * stay[i]
			}
		}
		at = next
	}
	for i := range queue {
		for c := range loads {
			queue[i] += at[c][i] / servers[i]
		}
	}
	return queue
}

// holds is the unit that sets the pace of a load: where a server has hardly a pause, else the waiting.
func (l *load) holds(servers *[stations]float64, x float64) unit {
	best, most := latency, 0.0
	work := 0.0
	for i, d := range l.d {
		work += d
		if u := x * d / servers[i]; u > most {
			best, most = arith+unit(i), u
		}
	}
	if most < 0.75 && l.z > work {
		return latency
	}
	return best
}
