package mali

import "math"

// class is the work of one queue in the network: groups of warps that go around.
type class struct {
	demand [stations]float64 // ns of service for one group, when it is alone
	groups float64           // that are in flight
}

// flow is what the network settles to.
type flow struct {
	rate  [3]float64           // groups in a ns and core, by class
	queue [3][stations]float64 // groups that are served or wait, by class
	used  [stations]float64    // share of time in which a station serves
}

// settle solves the closed network of queues by Schweitzer's approximation of mean value analysis: a group that arrives
// at a station finds what the others have there on average, and of its own class one group less. Stations serve one
// group at a time; at stLatency groups wait side by side. It is the reason why no unit reaches its peak: while groups
// are few, they are now and then all somewhere else.
func settle(list []class, f *flow) {
	*f = flow{}
	n := len(list)
	var q [3][stations]float64
	for i := range n {
		for s := range stations {
			if list[i].demand[s] > 0 {
				q[i][s] = list[i].groups / 4
			}
		}
	}
	for range 200 {
		var sum [stations]float64
		for i := range n {
			for s := range stations {
				sum[s] += q[i][s]
			}
		}
		worst := 0.0
		for i := range n {
			c := &list[i]
			var stay [stations]float64
			total := 0.0
			for s := range stations {
				stay[s] = c.demand[s]
				if s != stLatency {
					stay[s] *= 1 + sum[s] - q[i][s]/max(1, c.groups)
				}
				total += stay[s]
			}
			f.rate[i] = c.groups / total
			for s := range stations {
				now := f.rate[i] * stay[s]
				worst = max(worst, math.Abs(now-q[i][s]))
				q[i][s] = now
			}
		}
		if worst < 1e-3 {
			break
		}
	}
	f.queue = q
	for i := range n {
		for s := range stations {
			f.used[s] += f.rate[i] * list[i].demand[s]
		}
	}
	for s := range stations {
		f.used[s] = min(1, f.used[s])
	}
}

// holds is the station that sets the pace of a class: where most of its groups are. In a closed network a longer
// service there lowers the rate most.
func (f *flow) holds(i int) uint8 {
	best := 0
	for s := range stations {
		if f.queue[i][s] > f.queue[i][best] {
			best = s
		}
	}
	return uint8(best)
}
