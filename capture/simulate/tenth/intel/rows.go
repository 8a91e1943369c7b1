package intel

import (
	"math"
	"slices"
)

// row is what the machine did in a sample.
type row struct {
	ns, clocks  float64
	busy        float64               // clocks with any work
	queue       [nQueue]float64       // clocks with work of an engine
	sum         [2][nQuantity]float64 // of the engines of render and copies, and of that of compute
	has         [nStation]float64     // clocks in which a station has work
	input       [nStation]float64     // in which work waits before it
	output      [nStation]float64     // in which it has something to hand on
	full        [nStation]float64     // in which its queue is full
	loaded      float64               // threads times clocks
	active      float64               // share of engines times clocks
	stall       float64
	reasons     [nReason]float64
	hold        float64
	multiple    float64
	both01      float64
	both02      float64
	dispatch    [2]float64 // clocks with threads to start, by queue of threads
	blocked     [2]float64
	pixels      float64 // clocks in which pixels' threads start
	latency     float64 // share of the samplers' clocks that wait for memory
	app, driver float64 // ns of the processor's threads
	host        float64 // blocks that the processor wrote to the GPU's memory
	frames      float64
}

// Reasons of stalls, in the order of the catalogue's names.
const (
	rALUWR = iota
	rBarrier
	rControl
	rFetch
	rOther
	rPipe
	rPS
	rSBID
	rSendWR
	nReason
)

// share is what one flow does per clock.
type share struct {
	active, stall, hold, multiple, both01, both02, latency float64
	reasons                                                [nReason]float64
}

// engines says what the vector engines do while a chunk goes on.
func (m *machine) engines(c *chunk, f *flow, ghz float64) (s share) {
	if c.stage == 2 {
		return s
	}
	a := &c.amounts
	per := f.time * ghz * m.xves()
	u0 := math.Min(1, (a[qALU0VS]+a[qALU0PS]+a[qALU0CS])/per)
	u1 := math.Min(1, (a[qALU1VS]+a[qALU1PS]+a[qALU1CS])/per)
	u2 := math.Min(1, a[qALU2]/per)
	us := math.Min(1, a[qSend]/per)
	s.active = 1 - (1-u0)*(1-0.8*u1)*(1-u2)*(1-us)
	s.active = math.Max(s.active, math.Max(u0, math.Max(u1, u2)))
	s.both01, s.both02 = u0*u1, u0*u2
	s.multiple = math.Min(s.active, u0*u1+u2*math.Max(u0, u1)*0.8)
	mean := f.loaded / m.xves()
	there := math.Max(s.active, 1-math.Exp(-1.7*mean))
	s.stall = there - s.active
	// Threads wait where the network has them: for answers, or for the pipes.
	queued, pipes := 0.0, f.queue[sALU]
	for k := range nCore {
		queued += f.queue[k]
	}
	away := math.Max(0, f.loaded-queued) + queued - pipes
	push := 0.0
	for _, k := range []int{sTex, sLSC, sSLM, sRT} {
		push = math.Max(push, pow7(f.used[k]))
	}
	s.hold = s.stall * 0.75 * push
	w := [nReason]float64{rALUWR: 0.05*away + 0.35*pipes, rControl: 0.02 * f.loaded, rFetch: 0.015 * f.loaded,
		rOther: 0.02*f.loaded + 1, rPipe: 0.5 * pipes, rSBID: away * (1 - 0.35*push), rSendWR: away * 0.35 * push,
		rBarrier: math.Min(0.3, a[qBarrier]/c.threads*0.02) * f.loaded, rPS: 0.03 * f.loaded * f.used[sPB]}
	sum := 0.0
	for _, v := range w {
		sum += v
	}
	for i, v := range w {
		s.reasons[i] = s.stall * v / sum
	}
	if a[qTexAcc] > 0 {
		miss := a[qTexMiss] / a[qTexAcc]
		s.latency = math.Min(0.9, 2.5*miss*(1+f.queue[sMem]/(1+f.queue[sTex]))) * f.used[sTex] * (1 - 0.5*pow7(f.used[sTex]))
	}
	return s
}

// integrate makes rows between the bounds out of what the simulation did.
func (e *engine) integrate(bounds []int64) []row {
	rows := make([]row, len(bounds)-1)
	m := e.p.m
	cache := map[*flow]*share{}
	i := 0
	for k := range e.log {
		s := &e.log[k]
		for i < len(rows) && bounds[i+1] <= s.from {
			i++
		}
		for j := i; j < len(rows) && bounds[j] < s.to; j++ {
			dt := float64(min(s.to, bounds[j+1]) - max(s.from, bounds[j]))
			if dt > 0 {
				rows[j].add(e, m, s, dt, cache)
			}
		}
	}
	for j := range e.frames {
		if k, _ := slices.BinarySearch(bounds, e.frames[j].gpuEnd); k > 0 && k < len(bounds) {
			rows[k-1].frames++
		}
	}
	return rows
}

func (w *row) add(e *engine, m *machine, s *stretch, dt float64, cache map[*flow]*share) {
	ghz := s.mhz / 1000
	clk := dt * ghz
	w.ns += dt
	w.clocks += clk
	if s.app {
		w.app += dt
	}
	if s.drv {
		w.driver += dt
		w.host += dt * 0.02
	}
	if s.busy() {
		w.busy += clk
	}
	for q, on := range s.launch {
		if on {
			w.queue[q] += clk
		}
	}
	var free [nStation]float64
	for k := range free {
		free[k] = 1
	}
	input, output, full := free, free, free
	idle, stalled, all := 1.0, 0.0, 0.0
	var reasons [nReason]float64
	for i, f := range s.flows {
		if f == nil {
			continue
		}
		c, q := s.chunks[i], int(s.queues[i])
		w.queue[q] += clk
		sh := cache[f]
		if sh == nil {
			v := m.engines(c, f, ghz)
			sh = &v
			cache[f] = sh
		}
		side := 0
		if q == qCompute {
			side = 1
		}
		by := dt / f.time
		for k, v := range c.amounts {
			if v != 0 {
				w.sum[side][k] += v * by
			}
		}
		if c.stage == 2 {
			free[sMem] *= 1 - f.used[sMem]
			free[sL3] *= 1 - f.used[sL3]
			continue
		}
		w.loaded += f.loaded * clk
		idle *= 1 - sh.active
		stalled = math.Max(stalled, sh.stall)
		for r, v := range sh.reasons {
			reasons[r] += v
			all += v
		}
		w.hold += sh.hold * clk
		w.multiple += sh.multiple * clk
		w.both01 += sh.both01 * clk
		w.both02 += sh.both02 * clk
		w.latency += sh.latency * clk
		// Stages of fixed function: those before the one that limits are pushed back, those after it starve.
		behind := f.pushed
		if c.stage != 0 {
			behind = 0
		}
		for k := nStation - 1; k >= sFront; k-- {
			if c.stage != 0 {
				break
			}
			u := f.used[k]
			if k == sPB { // after the threads
				input[k] *= 1 - math.Max(u, f.front[k])
				output[k] *= 1 - u
				full[k] *= 1 - pow7(u)
				free[k] *= 1 - u
				behind = math.Max(behind, f.front[k])
				continue
			}
			back := (1 - u) * 0.85 * behind
			input[k] *= 1 - math.Max(u+back, f.front[k])
			output[k] *= 1 - (u + back)
			full[k] *= 1 - math.Min(1, 0.9*math.Max(f.front[k], behind*0.6))
			free[k] *= 1 - u
			behind = math.Max(behind, f.front[k])
		}
		for k := range nCore {
			u := f.used[k]
			free[k] *= 1 - u
			input[k] *= 1 - (u + (1-u)*0.8*u*u)
			output[k] *= 1 - math.Min(u, 0.95)
			full[k] *= 1 - pow7(u)*0.92
		}
		start := math.Min(1, c.threads/(f.time*ghz)/float64(m.xecores)*2)
		want := math.Max(start, f.pushed*0.9)
		w.dispatch[side] += want * clk
		w.blocked[side] += math.Max(0, want-start) * clk
		if c.stage == 0 {
			w.pixels += start * clk
		}
	}
	act := 1 - idle
	w.active += act * clk
	stalled = math.Min(1-act, stalled)
	w.stall += stalled * clk
	for r, v := range reasons {
		if all > 0 {
			w.reasons[r] += v / all * stalled * clk
		}
	}
	for k := range free {
		w.has[k] += (1 - free[k]) * clk
		w.input[k] += (1 - input[k]) * clk
		w.output[k] += (1 - output[k]) * clk
		w.full[k] += (1 - full[k]) * clk
	}
}
