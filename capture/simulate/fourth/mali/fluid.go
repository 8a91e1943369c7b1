package mali

// running is a segment under way. Work flows: each job goes on at the rate that its needs and what the others leave of
// the GPU allow.
type running struct {
	seg    *segment
	at     int // of the segment in its job
	scale  float64
	left   float64            // share of the segment
	time   float64            // ns that the whole segment would take as things are
	base   [resources]float64 // ns that it needs of each resource as fast as it is
	weight [resources]float64 // share of the time by what is waited for
	inst   int
}

// overall is the most that the sum of all jobs uses of a resource.
const overall = 0.985

// speeds are the resources' by what is relieved.
type speeds struct {
	rate    [resources]float64
	queue   [queues]float64
	latency float64
}

// flow works out the times of all jobs that run.
func flow(m *machine, jobs []*running, clock float64, sp *speeds, queueOf func(int) int) {
	n := len(jobs)
	if n == 0 {
		return
	}
	for _, j := range jobs {
		q := 1 / sp.queue[queueOf(j.inst)]
		for i := range j.base {
			b := j.seg.need[i] * j.scale * q / sp.rate[i]
			if i <= resBus {
				b /= clock
			}
			if i == resLatency {
				share := m.latGPU / (m.latGPU + m.latMem*m.hz/1e9)
				b *= sp.latency * (1 - share + share/clock)
			}
			j.base[i] = b
		}
		j.time = powerMean(&j.base, j.seg.power) / j.seg.filled * float64(n)
	}
	rounds := 2
	if n > 1 {
		rounds = 4
	}
	for range rounds {
		var use [resources]float64
		for _, j := range jobs {
			for i, b := range j.base {
				use[i] += b / j.time
			}
		}
		load := loaded(m, use[resDRAM])
		for _, j := range jobs {
			eff := j.base
			eff[resLatency] *= load
			if n > 1 {
				for i := range eff {
					others := use[i] - j.base[i]/j.time
					eff[i] /= max(1/float64(n), 1-others)
				}
			}
			t := powerMean(&eff, j.seg.power) / j.seg.filled
			if n > 1 {
				t = (t + j.time) / 2
			}
			j.time = max(t, 1)
			j.weight = eff
		}
	}
	most := 0.0
	var use [resLatency]float64
	for _, j := range jobs {
		for i := range use {
			use[i] += j.base[i] / j.time
			most = max(most, use[i])
		}
	}
	for _, j := range jobs {
		if most > overall {
			j.time *= most / overall
		}
		top, sum := 0.0, 0.0
		for _, w := range j.weight {
			top = max(top, w)
		}
		for i, w := range j.weight {
			j.weight[i] = 0
			if top > 0 {
				j.weight[i] = raise(w/top, j.seg.power)
			}
			sum += j.weight[i]
		}
		for i := range j.weight {
			if sum > 0 {
				j.weight[i] /= sum
			}
		}
	}
}

// loaded is how much longer an answer of memory takes under load.
func loaded(m *machine, use float64) float64 {
	u := min(1, m.background+(1-m.background)*use)
	return 1 + m.latLoad*u*u*u/(1.15-u)
}
