package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// What counters count besides quantities of work: cycles in which something held. Those of a mixture come from observe,
// per cycle; others depend on the queues alone.
const (
	sCycles = iota // of the clock
	sGPU
	sAny
	sQueued  // by queue
	sAssign  = sQueued + queues
	sDrain   = sAssign + queues
	sStream  = sDrain + queues // by stream interface
	sWait    = sStream + 4
	sCEU     = sWait + 4
	sLSU     = sCEU + 1
	sMCU     = sCEU + 2
	sFlush   = sCEU + 3
	sFlushes = sCEU + 4
	sBusyNs  = sCEU + 5
	sMixed   = sCEU + 6 // the first of a mixture
)

const (
	sMain = sMixed + iota // of cores
	sNonFrag
	sCores
	sCore
	sStarve
	sTexDesc
	sTexFetch
	sTexFilt
	sTexStarved
	sTexClock
	sFPK
	sTiler
	sPosStall
	sPosFull
	sVarStall
	sPrimWait
	sL2Rd // of slices
	sL2Wr
	sL1Rd
	sBusRd
	sBusWr
	sLat                  // beats read within 128 cycles and so on, five bands
	sReads     = sLat + 5 // sent out, in the three lower quarters
	sWrites    = sReads + 3
	sAssignMix = sWrites + 3 // by queue
	sDrainMix  = sAssignMix + queues
	sTasks     = sDrainMix + queues // tasks under way, by queue
	states     = sTasks + queues
)

// row is what happened in a sample.
type row struct {
	units []float64 // by segment
	state [states]float64
	jobs  [queues]float64
	freq  float64 // of the clock at the end
}

// tape keeps what counters need.
type tape struct {
	bounds *simulate.Bounds
	rows   []row
	i      int
	jobs   [queues]float64 // since the row began
	runs   [3][]stretch    // threads of the processor: app, its own submission, driver
	temps  []float64
}

func (t *tape) ran(thread int, from, to int64) {
	t.runs[thread] = append(t.runs[thread], stretch{from, to, 0})
}

// row is the sample of the moment.
func (t *tape) at(n int) *row {
	for len(t.rows) <= t.i {
		t.rows = append(t.rows, row{units: make([]float64, n)})
	}
	return &t.rows[t.i]
}

// note adds the time from now to a later one, in which nothing changes.
func (t *tape) note(e *engine, to int64) {
	for from := e.now; from < to; {
		r := t.at(len(e.w.segs))
		for i, n := range t.jobs {
			r.jobs[i] += n
		}
		t.jobs = [queues]float64{}
		until := min(to, t.bounds.At(t.i+1))
		t.add(e, r, float64(until-from))
		r.freq = e.m.steps[e.clock.now()]
		if from = until; until == t.bounds.At(t.i+1) {
			t.temps = append(t.temps, e.clock.temp)
			t.i++
		}
	}
}

func (t *tape) add(e *engine, r *row, ns float64) {
	m := e.m
	cy := ns * m.steps[e.clock.now()]
	s := &r.state
	s[sCycles] += cy
	var streams, waits [4]float64
	running, launching := false, false
	for i := range e.q {
		q := &e.q[i]
		if q.head >= len(q.list) {
			continue
		}
		at := m.streams[i]
		if q.list[q.head].frame < 0 {
			at = m.streams[3]
		}
		streams[at] = 1
		switch {
		case q.running:
			running = true
			r.units[q.segs[q.at]] += q.rate * ns
			s[sQueued+i] += cy
			waits[at] = max(waits[at], m.scoreboard)
		case q.launched:
			launching = true
			s[sQueued+i] += cy * m.early
			s[sAssign+i] += cy * m.early * m.blocked
		default:
			waits[at] = max(waits[at], 0.97)
		}
	}
	for i := range streams {
		s[sStream+i] += cy * streams[i]
		s[sWait+i] += cy * waits[i]
	}
	if running || launching {
		s[sGPU] += cy
		s[sBusyNs] += ns
	}
	switch {
	case running:
		s[sAny] += cy
		s[sCEU] += cy * 0.006
		s[sLSU] += cy * 0.002
		s[sMCU] += cy * 0.01
	case launching:
		s[sAny] += cy * m.early
	}
	if launching {
		share := min(0.5, m.flushNs/30e3)
		s[sFlush] += cy * share
		s[sFlushes] += ns / m.flushNs * share
		s[sCEU] += cy * min(0.9, 0.2+m.ceuNs/10e3)
		s[sLSU] += cy * m.lsu
		s[sMCU] += cy * m.mcu
	}
	if e.mix >= 0 && running {
		for k, v := range e.list[e.mix].state {
			s[sMixed+k] += v * cy
		}
	}
}

func (t *tape) finish(e *engine) {
	for len(t.rows) <= t.i {
		t.at(len(e.w.segs))
	}
}

// held is the probability that at least one of so many is there, if they come at random.
func held(mean float64) float64 { return 1 - math.Exp(-max(0, mean)) }

// below is the share of a normal distribution below x.
func below(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// observe finds what counters count in a cycle of a mixture.
func (m *machine) observe(x *mix, segs []segment, ghz float64) {
	out := make([]float64, states-sMixed)
	set := func(k int, v float64) { out[k-sMixed] = max(0, v) }
	cores, slices := float64(m.cores), float64(m.slices)
	idle, noWarp, texWaits, exec := 1.0, 1.0, 0.0, 0.0
	var resident [classes]float64
	cacheQ, busQ, rd, wr := 0.0, 0.0, 0.0, 0.0
	for c := range classes {
		if x.segs[c] < 0 {
			continue
		}
		s, q := &segs[x.segs[c]], &x.queue[c]
		part := s.cores / cores
		// A warp that waits to be blended stays in the core.
		all := x.pop[c] - q[stRast] - q[stTiler]
		resident[c] = max(0, min(all, s.slots))
		here := part
		if c == qBinning {
			here = part * held(resident[c])
		}
		idle *= 1 - here
		if s.warps > 0 {
			noWarp *= 1 - here*held(resident[c]*1.5)
			exec += part * resident[c]
			if s.need[stLat] > 0 {
				texWaits += part * (q[stLat] + q[stBus]) * min(1, s.texes/s.need[stLat])
			}
		}
		cacheQ += s.cores * q[stCache]
		busQ += s.cores * q[stBus]
		rd += x.rate[c] * s.rd / ghz
		wr += x.rate[c] * s.wr / ghz
		if s.tail {
			set(sDrainMix+c, 0.3)
		}
		set(sTasks+c, s.cores*2)
		if c == qMain {
			set(sMain, s.cores)
		}
	}
	nonFrag := 1.0
	for _, c := range []int{qBinning, qCompute} {
		if x.segs[c] >= 0 {
			here := segs[x.segs[c]].cores / cores
			if c == qBinning {
				here *= held(resident[c])
			}
			nonFrag *= 1 - here
		}
	}
	set(sNonFrag, cores*(1-nonFrag))
	core := 1 - noWarp
	for k := range stRast {
		core = max(core, min(1, x.util[k]*1.01))
	}
	set(sCore, cores*core)
	set(sCores, cores*max(1-idle, core))
	starve := max(0, core-min(core, x.util[stArith]*(1-m.depends*(1-m.eff[stArith])))) * (1 - m.starveOther)
	set(sStarve, cores*starve)

	ut, qt := x.util[stTex], 0.0
	for c := range classes {
		if x.segs[c] >= 0 {
			qt += x.queue[c][stTex] * segs[x.segs[c]].cores / cores
		}
	}
	if ut > 0 {
		clock := max(min(1, ut*1.02), held(qt+texWaits))
		set(sTexClock, cores*min(core, clock))
		set(sTexFilt, cores*max(0, min(core, clock)-ut)*held(texWaits)*0.95)
		set(sTexFetch, cores*min(core, max(0, core-ut)*held(texWaits/14)+0.35*ut*qt/(qt+10)))
		set(sTexDesc, cores*ut*0.012)
		set(sTexStarved, cores*starve*min(1, (qt+texWaits)/max(exec, 1e-9))*held(qt+texWaits))
	}
	if c := qMain; x.segs[c] >= 0 {
		s, q := &segs[x.segs[c]], &x.queue[c]
		behind := x.pop[c] - q[stRast] - s.slots
		if s.warps == 0 {
			behind = x.util[stRast] - 1
		}
		full := 1 / (1 + math.Exp(-behind/(m.fpkSoft*s.slots+0.5)))
		set(sFPK, s.cores*(1-(1-min(1, x.util[stRast]*cores/s.cores)*m.fpkHold)*(1-full)))
	}
	for c := range classes {
		others, mine := 0.0, resident[c]
		if x.segs[c] < 0 {
			continue
		}
		for o := range classes {
			if o != c && x.segs[o] >= 0 {
				others += resident[o] * segs[x.segs[o]].cores / cores
			}
		}
		set(sAssignMix+c, 0.004+m.assign*others/(others+mine+1))
		if c != qBinning {
			continue
		}
		s, q := &segs[x.segs[c]], &x.queue[c]
		set(sTiler, 0.98)
		shading := max(0, 1-q[stTiler]/x.pop[c])
		ut := min(1, x.util[stTiler])
		p4 := shading * shading * shading * shading
		set(sPosFull, 0.9*p4*(1-ut))
		stall := 0.03*shading + 0.6*others/(m.warps+others)
		set(sPosStall, stall*(1-ut*0.8))
		set(sVarStall, stall*(1-ut*0.8)*min(1, s.count["MaliGeomVarShadTask"]/4))
		set(sPrimWait, max(0, 1-ut)*(1-held(3*q[stTiler]))*0.98)
	}
	uc, ub := min(1, x.util[stCache]), min(1, x.util[stBus])
	both := max(rd+wr, 1e-12)
	busRd := m.arMost * ub * busQ / (busQ + m.arKeen*slices) * min(1, 1.3*rd/both)
	busWr := m.awMost * ub * busQ / (busQ + m.awKeen*slices) * min(1, 1.3*wr/both)
	set(sBusRd, slices*busRd)
	set(sBusWr, slices*busWr)
	// What waits for the bus and cannot be sent fills L2, which then takes nothing more.
	back := ub * busQ / (busQ + m.most*slices) * 0.8
	in := m.l2Most * max(uc*cacheQ/(cacheQ+m.l2Keen*slices), back)
	set(sL2Rd, slices*in*min(1, 1.2*rd/both+uc))
	set(sL2Wr, slices*in*min(1, 1.2*wr/both+0.3*uc))
	set(sL1Rd, slices*0.3*uc*uc)

	mean := math.Log(max(20, x.wait*ghz)) - m.blur*m.blur/2
	before := 0.0
	for i, edge := range []float64{128, 192, 256, 320, 384} {
		share := below((math.Log(edge) - mean) / m.blur)
		set(sLat+i, rd/m.bus*(share-before))
		before = share
	}
	bands := func(at int, lines, ns float64) {
		f := min(0.95, lines*ghz*ns/slices/m.most)
		sd := 0.05 + 0.22*math.Sqrt(f*(1-f))
		before := 0.0
		for i := range 3 {
			share := below((float64(i+1)*0.25 - f) / sd)
			set(at+i, lines*(share-before))
			before = share
		}
	}
	bands(sReads, rd/64, x.wait)
	bands(sWrites, wr/64, 0.6*x.wait)
	x.state = out
}
