package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// shape is what a pass sends through the fixed-function pipe.
type shape uint8

const (
	meshes  shape = iota // many triangles that are shaded
	screen               // a triangle over the whole target
	onlyZ                // triangles without pixel shader
	threads              // compute
	none                 // copies and video
)

// job is a pass on a queue: some stretches of draws or waves, one after the other, that ask the units for different
// shares of their time.
type job struct {
	name    string
	queue   int
	shape   shape
	parts   []vector
	fixed   float64 // ns to start it, with the barrier and the cache flush before it, whatever the clock
	after   []need
	image   bool    // it writes into the picture for the display
	submit  float64 // where in the driver's work it is handed over, from 0 to 1
	scatter float64 // share of accesses that miss the first translation
}

// need is a job, of as many frames before, that another waits for; the content could do without a loose one.
type need struct {
	job, back int
	loose     bool
}

// content is what a frame consists of.
type content struct {
	name string
	jobs []job
}

// frame is one frame's share of chance: ns of the application and the driver, the size of each job, the request.
type frame struct {
	content     int
	app, driver float64
	scale       []float64
	request     int64
}

// eviction is what the driver moves per frame where buffers do not fit.
type eviction struct{ bytes, buffers float64 }

// load is a case: contents, frames and what paces them, on a machine.
type load struct {
	card        *card
	contents    []content
	frames      []frame
	pacing      simulate.Pacing
	warm        int
	threads     int     // of the application that make frames: 1, or 2 with one that records commands
	notice      float64 // ns from a job's end to when the processor knows
	firmware    firmware
	evict       []eviction // per content
	used, spare float64    // share of video memory in use; bytes of main memory
	kfd         bool       // work comes by the compute driver, which counts no engine times
	host        hostLook
	text, plant string
}

// imperfect combines the times of units that work side by side into one: the norm with exponent 4, so that two units
// that take alike long cost 19 percent more than one. With an infinite exponent they would overlap without loss.
func imperfect(d *vector, f float64) float64 {
	most, sum := 0.0, 0.0
	for u, x := range d {
		most = max(most, x*slowed(u, f))
	}
	if most <= 0 {
		return 0
	}
	for u, x := range d {
		y := x * slowed(u, f) / most
		y *= y
		sum += y * y
	}
	return most * math.Sqrt(math.Sqrt(sum))
}

// longest is how long the queue of a content takes that takes longest, alone and at the highest clock.
func (c *content) longest() (most float64) {
	var by [queues]float64
	for i := range c.jobs {
		j := &c.jobs[i]
		by[j.queue] += j.fixed
		for k := range j.parts {
			by[j.queue] += imperfect(&j.parts[k], 1)
		}
		most = max(most, by[j.queue])
	}
	return most
}

// by multiplies a content's work, but not its fixed times.
func (c *content) by(x float64) {
	for i := range c.jobs {
		for k := range c.jobs[i].parts {
			for u := range c.jobs[i].parts[k] {
				c.jobs[i].parts[k][u] *= x
			}
		}
	}
}

// spreadParts cuts a pass's work into parts that differ: its draws are of many materials.
func spreadParts(r simulate.Random, d vector, n int, sigma float64) []vector {
	out := make([]vector, n)
	var sum vector
	for i := range out {
		size := r.Spread(0.35)
		for u := range d {
			out[i][u] = size * r.Spread(sigma)
			sum[u] += out[i][u]
		}
	}
	for i := range out {
		for u := range d {
			out[i][u] *= d[u] / sum[u]
		}
	}
	return out
}

// fill draws the frames: first those of content 0, then those of content 1. Neighbours are alike.
func (l *load) fill(r simulate.Random, app, driver []float64, seconds, varied float64) {
	l.warm, l.frames = 8, nil
	request := int64(0)
	for c := range l.contents {
		ns := max(l.contents[c].longest(), app[c], driver[c], float64(l.pacing.Interval()))
		x, host := 0.0, 0.0
		for range int(min(280, max(28, seconds*1e9/ns)))/len(l.contents) + l.warm {
			x = 0.85*x + varied*r.NormFloat64()*0.5
			host = 0.7*host + varied*r.NormFloat64()*0.7
			spike := 1.0
			if varied > 0.03 && r.Chance(0.01) {
				spike = 1.5
			}
			f := frame{content: c, app: app[c] * (1 + max(-0.5, host)) * spike, driver: driver[c] * (1 + max(-0.5, host/2))}
			for range l.contents[c].jobs {
				f.scale = append(f.scale, max(0.4, 1+x+varied*0.6*r.NormFloat64()))
			}
			if l.pacing.Requests {
				f.request = request
				request += int64(float64(l.pacing.Cap) * max(0.6, 1+0.25*r.NormFloat64()))
			}
			l.frames = append(l.frames, f)
		}
	}
	if l.pacing.Requests {
		l.pacing.Cap = 0 // which was the mean time between them
	}
}
