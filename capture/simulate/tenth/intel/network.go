package intel

import "math"

// chunk is a part of a pass: some draws, or some rows of thread groups, with their demands.
type chunk struct {
	threads float64 // to run
	slots   float64 // threads that can be loaded at once
	burst   float64 // threads that go together, as those of a group, or of neighbouring blocks of pixels
	// demand is clocks per thread at the stations with queues, for the whole station, and ns at memory. Those of
	// stages of fixed function are clocks for all of the chunk. All are at attainable rates.
	demand   [nStation]float64
	latClock float64 // of each thread: the wait for answers of L3 and of units, in clocks
	latNs    float64 // and what memory adds, in ns
	amounts  [nQuantity]float64
	launches float64 // dispatches or draws that begin with an empty machine
	stage    int     // 0 pixels, 1 compute, 2 copy
	id       int
}

// speeds multiply the rates of stations, 1 where nothing is relieved.
type speeds struct {
	of [nStation]float64
}

func normal() (s speeds) {
	for i := range s.of {
		s.of[i] = 1
	}
	return s
}

// flow is how one chunk goes on in a steady state.
type flow struct {
	time   float64 // ns for all of the chunk
	loaded float64 // mean number of threads that are loaded
	queue  [nCore]float64
	used   [nStation]float64 // share of time in which a station works for this chunk
	set    [nStation]float64 // shares in which each station sets the pace; they add up to 1
	clock  float64           // share of the pace that a faster clock would quicken
	front  [nStation]float64 // share of time that the station limits among the stages of fixed function
	pushed float64           // how much the threads limit, so that stages before them wait
}

// steepness of the overlap between stages whose buffers are finite: with infinite ones it would be infinite.
const steepness = 5.0

// solve finds the steady state of one or two chunks on the machine, from approximate mean value analysis of a closed
// network: threads are the customers, units the stations, and the latency of memory is the time that a customer thinks.
// Stages of fixed function limit how many threads there are to be loaded. mhz is the clock.
func solve(a, b *chunk, sa, sb *speeds, mhz float64) (fa, fb flow) {
	ghz := mhz / 1000
	var d [2][nCore]float64
	var z, n, cap [2]float64
	list, sp, fl := [2]*chunk{a, b}, [2]*speeds{sa, sb}, [2]*flow{&fa, &fb}
	classes := 1
	if b != nil {
		classes = 2
	}
	all := 0.0
	for c := range classes {
		for k := range nCore {
			d[c][k] = list[c].demand[k] / sp[c].of[k] * list[c].burst
			if k != sMem {
				d[c][k] /= ghz
			}
		}
		z[c] = (list[c].latClock/ghz + list[c].latNs) / sp[c].of[sLat]
		cap[c] = math.Max(1, list[c].slots/list[c].burst)
		all += cap[c]
	}
	if classes == 2 && list[0].stage != 2 && list[1].stage != 2 { // both live in the same vector engines
		most := math.Max(cap[0], cap[1])
		for c := range cap {
			cap[c] *= most / all
		}
	}
	n = cap
	var q, res [2][nCore]float64
	var x, t [2]float64
	for c := range classes {
		for k := range nCore {
			q[c][k] = n[c] / (nCore + 1)
		}
	}
	for round := range 3 {
		for range 14 + 6*round {
			for c := range classes {
				sum := z[c]
				for k := range nCore {
					if d[c][k] == 0 {
						res[c][k] = 0
						continue
					}
					at := q[0][k] + q[1][k] - q[c][k]/math.Max(1, n[c])
					res[c][k] = d[c][k] * (1 + at)
					sum += res[c][k]
				}
				x[c] = n[c] / sum
			}
			for c := range classes {
				for k := range nCore {
					q[c][k] = x[c] * res[c][k]
				}
			}
		}
		done := true
		for c := range classes {
			core := list[c].threads / list[c].burst / x[c]
			sum := 1.0
			for k := sFront; k < nStation; k++ {
				if v := list[c].demand[k]; v > 0 {
					sum += pow5(v / ghz / sp[c].of[k] / core)
				}
			}
			t[c] = core * math.Pow(sum, 1/steepness)
			if want := cap[c] * core / t[c]; sum > 1.02 && classes == 2 && round < 2 {
				n[c], done = math.Max(1, want), false
			}
		}
		if done {
			break
		}
	}
	for c := range classes {
		f := fl[c]
		f.time = t[c]
		core := list[c].threads / list[c].burst / x[c]
		if n[c] < cap[c] { // fewer are there because the front hands on no more
			f.time = math.Max(core, t[c])
		}
		f.queue = q[c]
		for k := range nCore {
			f.queue[k] *= list[c].burst
			f.used[k] = math.Min(1, list[c].threads/list[c].burst*d[c][k]/f.time)
		}
		all := 1e-9
		for k := sFront; k < nStation; k++ {
			f.used[k] = math.Min(1, list[c].demand[k]/ghz/sp[c].of[k]/f.time)
			f.front[k] = pow5(f.used[k])
			all += f.front[k]
		}
		f.pushed = pow5(math.Min(1, core/f.time))
		// Threads are missing where stages before them limit, and wait where the pixel backend does.
		there := math.Min(1, core/f.time)
		there += (1 - there) * f.front[sPB] / all
		f.loaded = math.Min(cap[c], n[c]) * list[c].burst * there
	}
	return fa, fb
}

func pow5(x float64) float64 { s := x * x; return s * s * x }

func pow7(x float64) float64 { s := x * x * x; return s * s * x }

// pace adds to a flow which stations set its pace: how much a little more speed of each would quicken it. These
// elasticities add up to 1, because all stations twice as fast halve the time.
func pace(f *flow, a, b *chunk, sa, sb *speeds, mhz float64) {
	const step = 1.02
	sum := 0.0
	quick := func(k int) float64 {
		pa := *sa
		pa.of[k] *= step
		pb := sb
		if sb != nil {
			p := *sb
			p.of[k] *= step
			pb = &p
		}
		g, _ := solve(a, b, &pa, pb, mhz)
		return max(0, math.Log(f.time/g.time)/math.Log(step))
	}
	for k := range nStation {
		f.set[k] = 0
		if a.demand[k] == 0 && k != sLat {
			continue
		}
		f.set[k] = quick(k)
		sum += f.set[k]
	}
	if sum <= 0 {
		f.set[sLat], sum = 1, 1
	}
	for k := range f.set {
		f.set[k] /= sum
	}
	f.clock = 1 - f.set[sMem]
	if lat := a.latClock + a.latNs*mhz/1000; lat > 0 {
		f.clock -= f.set[sLat] * a.latNs * mhz / 1000 / lat
	}
}
