package intel

import (
	"math"

	"astrolabe/capture/capturetest"
)

// draws is the number of pieces of work in a sample. Their demands differ, so that the limit moves between units.
const draws = 8

// spread is the relative standard deviation of demands from draw to draw.
const spread = 0.1

// threadSlots is the number of threads that an EU of Kaby Lake holds.
const threadSlots = 7

// state is what the units did in a sample, as shares of the clocks with work.
type state struct {
	pace     float64         // time of a piece of work, in flow's usual time
	scale    [nUnits]float64 // how much there was to do, of the frame's
	busy     [nUnits]float64 // working
	occupied [nUnits]float64 // working, or with work before it that it cannot take yet
	held     [nUnits]float64 // the slowest, by what the second slowest would have taken less
	blocked  [nUnits]float64 // holds what a unit behind it does not take
	active   float64         // of the EUs: a pipe works
	loaded   float64         // of the EUs: a thread is there
	threads  float64         // loaded, of all slots
	texWait  float64         // the samplers are held up by what answers their misses
	ready    float64         // threads wait for being dispatched
	polygons float64         // triangles wait for being rasterized
}

// sameBytes are the units through which the bytes pass that the graphics interface moves: more for one is more for all.
var sameBytes = []unit{data, texL3, bank, mem}

// run lets a sample's draws go through the pipeline. All units work at the same time on the same stream: the slowest
// sets the pace, the others are busy in proportion to what they have to do.
func (f *frame) run(clock float64, amount, shape *capturetest.Random) state {
	var s state
	var factor [nUnits]float64
	for u := range factor {
		factor[u] = amount.Factor()
	}
	factor[flow] = 1
	total := 0.0
	for range draws {
		var d [nUnits]float64
		for u := range d {
			d[u] = factor[u] * math.Exp(spread*shape.NormFloat64())
		}
		d[flow] = 1
		for _, u := range sameBytes {
			d[u] = d[gti]
		}
		for u := range d {
			s.scale[u] += d[u] / draws
			d[u] *= f.demand[u]
		}
		d[mem] *= clock // DRAM does not follow the GPU's clock
		total += s.add(f, &d)
	}
	for u := range s.busy {
		s.busy[u] /= total
		s.occupied[u] /= total
		s.held[u] /= total
		s.blocked[u] /= total
	}
	for _, v := range []*float64{&s.loaded, &s.threads, &s.texWait, &s.ready, &s.polygons} {
		*v /= total
	}
	s.pace = total / draws
	s.active = min(0.97, s.busy[eu])
	s.loaded = min(0.99, max(s.loaded, s.active+0.01))
	s.threads = max(s.threads, s.loaded/threadSlots)
	return s
}

// add lets one draw with the demands d pass, and returns how long it took.
func (s *state) add(f *frame, d *[nUnits]float64) float64 {
	top, second := slowest(d)
	t, lead := d[top], d[top]-d[second]
	s.held[top] += lead
	waits := top != flow && !top.front() // threads pile up behind it
	for u := range d {
		s.busy[u] += d[u]
		switch {
		case unit(u) == top:
			s.occupied[u] += t
		case top != flow && unit(u) < top && d[u] > 0:
			s.occupied[u] += d[u]
			s.blocked[u] += t - d[u]
		default:
			s.occupied[u] += d[u]
		}
	}

	// Little's law: as many threads are in flight as arrive while one lasts; before a slow unit they fill all slots.
	full, loaded := min(1, d[wait]/t), 0.97
	if waits {
		full = 1
	} else {
		loaded = 1 - math.Exp(-3*full)
	}
	s.threads += full * f.slots * t
	s.loaded += loaded * t
	if top == mem || top == gti || top == texL3 {
		s.texWait += lead
	}
	s.ready += pick(waits || top == dispatch, t, d[dispatch])
	s.polygons += pick(waits || top.front() && top > sf, t, d[raster])
	return t
}

func slowest(d *[nUnits]float64) (top, second unit) {
	top, second = flow, -1
	for u := range d {
		if d[u] > d[top] {
			top = unit(u)
		}
	}
	for u := range d {
		if unit(u) != top && (second < 0 || d[u] > d[second]) {
			second = unit(u)
		}
	}
	return top, second
}

func pick(yes bool, a, b float64) float64 {
	if yes {
		return a
	}
	return b
}
