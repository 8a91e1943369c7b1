package mali

// A core is a closed network of queues, as in the theory of queueing: so many warps and quads as it has room for go
// round between its units and the memory, and what is done enters again as the next. The rate at which a mixture of
// work gets done, and how many wait where, follow from Schweitzer's approximation of mean value analysis
// (P. Schweitzer, Approximate analysis of multiclass closed networks of queues, 1979). A unit that everything waits for
// comes near to 100 percent of what it can attain, others follow, and with few warps nothing is ever full.

// segment is work of one kind in the midst of a job. All cores that take part do the same.
type segment struct {
	queue uint8
	units float64           // in a frame of scale 1: warps mostly
	need  [stations]float64 // of a unit
	rd    float64           // bytes that a unit reads beyond L2
	wr    float64
	hold  float64 // units that a core holds at most, in all its buffers
	slots float64 // of them, warps in the core
	cores float64 // that take part
	warps float64 // of a unit
	texes float64 // what of its waits for memory is the texture unit's, ns
	tail  bool
	count map[string]float64 // of a unit, by machine name
}

const classes = queues

// mix is the state in which up to one segment of each queue runs.
type mix struct {
	segs   [classes]int16 // -1 where none
	rate   [classes]float64
	queue  [classes][stations]float64 // mean units of a core
	pop    [classes]float64
	util   [stations]float64
	wait   float64            // ns that a read takes
	shares [classes][]float64 // how much each station sets the rate of the class
	state  []float64          // what counters count in this state, by cycle
}

// solve finds the rates at a clock in cycles per ns. factor multiplies the needs of stations, slow those of classes.
func (m *machine) solve(x *mix, segs []segment, ghz float64, factor *[stations]float64, slow *[classes]float64) {
	var d [classes][stations]float64
	var n, a [classes]float64
	all := 0.0
	for c := range classes {
		if x.segs[c] >= 0 {
			all += segs[x.segs[c]].slots
		}
	}
	room := 1.0
	if all > m.warps {
		room = m.warps / all
	}
	cores := float64(m.cores)
	for c := range classes {
		x.rate[c], x.pop[c] = 0, 0
		if x.segs[c] < 0 {
			continue
		}
		s := &segs[x.segs[c]]
		n[c], a[c] = s.hold-s.slots*(1-room), s.cores
		x.pop[c] = n[c]
		for k := range stations {
			d[c][k] = s.need[k] * factor[k] * slow[c]
			if k < stBus {
				d[c][k] /= ghz
			}
		}
		// The memory gives what it can, or the bus what its beats at this clock let through.
		bus := max((s.rd+s.wr)/m.dram, max(s.rd, s.wr)/(float64(m.slices)*m.bus*ghz*m.axi))
		d[c][stBus] = bus * factor[stBus] * slow[c]
		for k := range stations {
			x.queue[c][k] = n[c] / stations
		}
	}
	full := 0.0
	for range 80 {
		change := 0.0
		lat := 1 + m.rise*full*full*full*full
		load := 0.0
		var sum, shared [stations]float64
		for c := range classes {
			if n[c] > 0 {
				for k := range stations {
					sum[k] += x.queue[c][k] * a[c] / cores
					shared[k] += x.queue[c][k] * a[c]
				}
			}
		}
		for c := range classes {
			if n[c] <= 0 {
				continue
			}
			total := 0.0
			var res [stations]float64
			own := 1 / max(n[c], 1)
			for k := range stations {
				if d[c][k] == 0 {
					continue
				}
				q := x.queue[c][k]
				switch {
				case k == stLat:
					res[k] = d[c][k] * lat
				case k >= stTiler:
					res[k] = d[c][k] * (1 + shared[k] - q*own)
				default:
					res[k] = d[c][k] * (1 + sum[k] - q*a[c]/cores + q*(1-own))
				}
				total += res[k]
			}
			rate := n[c] / total
			old := x.rate[c]
			x.rate[c] = rate
			for k := range stations {
				x.queue[c][k] = rate * res[k]
			}
			load += rate * a[c] * d[c][stBus]
			change = max(change, (rate-old)/rate, (old-rate)/rate)
		}
		full += 0.5 * (min(1, load) - full)
		if change < 2e-4 {
			break
		}
	}
	for k := range stations {
		x.util[k] = 0
	}
	wait, reads := 0.0, 0.0
	for c := range classes {
		if n[c] <= 0 {
			continue
		}
		for k := range stLat {
			by := a[c]
			if k < stTiler {
				by /= cores
			}
			x.util[k] += x.rate[c] * by * d[c][k]
		}
		s := &segs[x.segs[c]]
		x.rate[c] *= a[c]
		if s.rd > 0 {
			lines := x.rate[c] * s.rd
			back := 0.0 // the wait for the bus, of each of a unit's lines
			if d[c][stBus] > 0 {
				back = min(8*m.lat, x.queue[c][stBus]*a[c]/x.rate[c]*64/max(64, s.rd+s.wr))
			}
			wait += lines * (m.lat*factor[stLat]*(1+m.rise*full*full*full*full) + back)
			reads += lines
		}
	}
	x.wait = m.lat
	if reads > 0 {
		// No more can be under way than the bus and L2 keep books of; what is more waits before it is sent.
		x.wait = min(wait/reads, max(m.lat, 0.98*m.most*float64(m.slices)/(reads/64)))
	}
}

// share finds how much each station sets the rates: by how much a rate falls where the station's needs grow. As the rate
// falls as much as all needs grow, these add up to 1.
func (m *machine) share(x *mix, segs []segment, ghz float64, factor *[stations]float64, slow *[classes]float64) {
	const step = 1.06
	for c := range classes {
		x.shares[c] = nil
		if x.segs[c] >= 0 {
			x.shares[c] = make([]float64, stations)
		}
	}
	for k := range stations {
		used := false
		for c := range classes {
			used = used || x.segs[c] >= 0 && (segs[x.segs[c]].need[k] > 0 || k == stBus && segs[x.segs[c]].rd+segs[x.segs[c]].wr > 0)
		}
		if !used {
			continue
		}
		f := *factor
		f[k] *= step
		y := mix{segs: x.segs}
		m.solve(&y, segs, ghz, &f, slow)
		for c := range classes {
			if x.segs[c] >= 0 {
				x.shares[c][k] = max(0, x.rate[c]/y.rate[c]-1)
			}
		}
	}
	for c := range classes {
		sum := 0.0
		for _, v := range x.shares[c] {
			sum += v
		}
		for k := range x.shares[c] {
			x.shares[c][k] /= max(sum, 1e-12)
		}
	}
}
