package mali

import "math"

// class is the work of one queue in a core as a closed network sees it: so many places for warps, each of which goes
// round the stations and then waits a while for no station.
type class struct {
	demand [stations]float64 // ns of service that a warp takes at each
	think  float64           // ns in which it waits for memory or for its own results
	places float64
}

// flow is how a class fares.
type flow struct {
	rate  float64           // warps per ns of one core
	queue [stations]float64 // mean number of its warps at each station, those in service included
	wait  [stations]float64 // ns that a warp is there
}

// solve finds the flow of classes that share stations, by Schweitzer's approximation of mean value analysis: a warp that
// comes to a station finds what is there on average, less its own share.
func solve(list []class) []flow {
	out := make([]flow, len(list))
	for k := range list {
		for s := range stations {
			if list[k].demand[s] > 0 {
				out[k].queue[s] = list[k].places / stations
			}
		}
	}
	for range 400 {
		var all [stations]float64
		for k := range out {
			for s := range stations {
				all[s] += out[k].queue[s]
			}
		}
		moved := 0.0
		for k := range out {
			c, f := &list[k], &out[k]
			sum := c.think
			for s := range stations {
				f.wait[s] = c.demand[s] * (1 + max(0, all[s]-f.queue[s]/c.places))
				sum += f.wait[s]
			}
			f.rate = c.places / sum
			for s := range stations {
				q := f.rate * f.wait[s]
				moved = max(moved, math.Abs(q-f.queue[s])/c.places)
				f.queue[s] = q
			}
		}
		if moved < 1e-7 {
			break
		}
	}
	return out
}

// blocked is the share of time in which a buffer of k places in front of a station of that utilization is full.
func blocked(u float64, k int) float64 {
	if u = min(u, 0.999); u <= 0 {
		return 0
	}
	p := math.Pow(u, float64(k))
	return p * (1 - u) / (1 - p*u)
}
