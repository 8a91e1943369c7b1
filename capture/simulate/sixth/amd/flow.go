package amd

import "math"

// outcome is what one draw did, measured while it flowed. Times are ns.
type outcome struct {
	total float64 // with its launch and its end
	flow  float64 // from the first work to the last

	used [stageKinds]float64 // in which a stage worked
	full [stageKinds]float64 // in which it had work and the buffer behind it was full
	thin [stageKinds]float64 // in which it waited for the stage before it, though something was in it

	resident, span [2]float64 // waves times ns, and ns with any, of vertices and of pixels or threads
	byLocal        [2]float64 // waves times ns that they waited for local memory
	held           [2]float64 // in which waves were ready to start and found no room
	pipe, stalled  float64    // in which the vector memory pipe had work, and in which its cache held it up
	refused        float64    // in which a write waited for memory
}

// The two classes of waves.
const (
	ofVertices = iota
	ofMain
)

// steps is about how many steps of time a draw is cut into.
const steps = 110

// flow is a simulation of a draw. Time goes in steps; within one, every stage moves a share of the draw on, as much as
// its rate, what came before it and the room behind it allow. Buffers are small against what a step moves, so stages
// move together where a buffer is full: a pass forwards finds what each could do, one backwards what it may.
type flow struct {
	m      *machine
	d      *draw
	stages []stage
	waves  [2]class
	dt     float64
	now    float64
	use    [stageKinds][stations]float64 // share of each station that a stage used in the last step, smoothed
	begun  [2]float64                    // when the first wave could start
	tail   [2]float64                    // waves resident when the last one had started
	writes float64                       // share of what memory is asked for that is written
	out    outcome
}

// run simulates a draw on its own, as a profiler that waits between draws lets it run.
func (m *machine) run(d *draw, e *eases) outcome {
	f := flow{m: m, d: d}
	f.waves[ofMain] = m.classOf(&d.main, d.mainWaves(), d.imbalance, e)
	if !d.compute {
		f.waves[ofVertices] = m.classOf(&d.vertex, d.vertexWaves(), 1, e)
	}
	f.stages = m.stagesOf(d, e, &f.waves[ofVertices], &f.waves[ofMain])
	f.dt = f.guess() / steps
	f.begun = [2]float64{-1, -1}
	f.tail = [2]float64{-1, -1}
	f.writes = f.writeShare()
	last := &f.stages[len(f.stages)-1]
	for n := 0; last.at < 1-1e-9 && n < 40*steps; n++ {
		if n > 3*steps { // what was foreseen was too short
			f.dt *= 1.02
		}
		f.step()
	}
	f.out.flow = f.now
	start := (d.front + d.back) / e[launch]
	f.out.total = f.now + start
	return f.out
}

// guess is about how long the draw takes.
func (f *flow) guess() float64 {
	var none [stations]float64
	sum, apart := 1.0, 0.0
	for i := range f.stages {
		s := &f.stages[i]
		t := 0.0
		if w := s.wave; w == nil {
			t = s.fixed(&none)
		} else {
			most, _ := w.rate(math.Min(w.waves, w.slots), &none)
			t, apart = w.waves/most+w.alone, apart+w.alone
		}
		sum += power(t, ofFixed)
	}
	return root(sum, ofFixed) + apart
}

// taken is what all stages but one use.
func (f *flow) taken(but int) (t [stations]float64) {
	for i := range f.stages {
		if i == but {
			continue
		}
		for k, x := range f.use[i] {
			t[k] += x
		}
	}
	for k := range t {
		t[k] = math.Min(t[k], 0.7)
	}
	return t
}

func classIndex(kind int) int {
	if kind == stVertex {
		return ofVertices
	}
	return ofMain
}

// shade is how far a stage of shaders can go in a step when the stage before it can be at a place. top is how far it
// could go with all slots filled.
func (f *flow) shade(i int, before float64, done bool) (moved, top, slow float64) {
	s := &f.stages[i]
	c, n := s.wave, classIndex(s.kind)
	taken := f.taken(i)
	density := s.spread[min(segmentsLong-1, int(s.at*segmentsLong))]
	waiting := (before - s.at) * c.waves
	if waiting <= 0 {
		return 0, 1, 1
	}
	if f.begun[n] < 0 {
		f.begun[n] = f.now
	}
	if done && f.tail[n] < 0 {
		f.tail[n] = math.Min(waiting, c.slots)
	}
	active := math.Min(f.dt, f.now+f.dt-(f.begun[n]+c.alone)) // the first waves leave after their own time
	if active <= 0 {
		return 0, 1, 1
	}
	rate := func(resident float64) float64 {
		var x float64
		x, slow = c.rate(resident, &taken)
		return x / density
	}
	most := rate(math.Min(c.slots, math.Max(c.waves, 1)))
	// As many leave as the waves that are then resident let leave: more would leave fewer.
	lo, hi := 0.0, math.Min(waiting, most*active)
	for range 10 {
		y := (lo + hi) / 2
		resident := math.Min(c.slots, waiting-y)
		if f.tail[n] > resident { // the last ones end one after the other, not ever more slowly
			resident = f.tail[n]
		}
		if rate(resident)*active > y {
			lo = y
		} else {
			hi = y
		}
	}
	return hi / c.waves, most * active / c.waves, slow
}

// step moves everything on by one step of time.
func (f *flow) step() {
	n := len(f.stages)
	var can, could, top, slow [stageKinds]float64 // places by the stage's place in the list
	for i := range f.stages {
		s := &f.stages[i]
		before, done := 1.0, true
		if i > 0 {
			before, done = can[i-1], f.stages[i-1].at >= 1-1e-9
		}
		if s.wave != nil {
			var moved float64
			moved, top[i], slow[i] = f.shade(i, before, done)
			can[i] = s.at + moved
		} else {
			taken := f.taken(i)
			top[i] = f.dt / math.Max(s.fixed(&taken), 1e-6)
			can[i] = math.Min(before, s.at+top[i])
		}
		could[i] = can[i]
	}
	for i := n - 2; i >= 0; i-- {
		room := f.stages[i].room
		can[i] = math.Max(f.stages[i].at, math.Min(can[i], can[i+1]+room))
		can[i+1] = math.Max(f.stages[i+1].at, math.Min(can[i+1], can[i]))
	}
	dt := f.dt
	if last := &f.stages[n-1]; can[n-1] >= 1-1e-9 && can[n-1] > last.at { // it ends within the step
		if could := could[n-1] - last.at; top[n-1] > could {
			dt *= math.Max(0.02, math.Min(1, could/top[n-1]))
		}
	}
	f.account(dt, &can, &could, &top, &slow)
	for i := range f.stages {
		f.stages[i].at = can[i]
	}
	f.now += dt
}
