package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// vector is ns of each unit's time.
type vector [units]float64

// job is a pass on a queue: some stretches of draws or waves, one after the other, that ask the units for different
// shares of their time.
type job struct {
	name    string
	queue   int
	parts   []vector
	fixed   float64 // ns to start it, with the barrier and the cache flush before it, whatever the clock
	after   []need
	image   bool    // it writes into the picture for the display
	submit  float64 // where in the driver's work it is handed over
	shape   shape
	scatter float64 // share of accesses that miss the first translation
	own     bool    // a submission of its own
}

// shape is what a pass sends through the fixed-function pipe.
type shape uint8

const (
	meshes  shape = iota // many triangles that are shaded
	screen               // a triangle over the whole target
	onlyZ                // triangles without pixel shader
	threads              // compute
	none                 // copies and video
)

// need is a job that another waits for.
type need struct {
	job, back int
	loose     bool // the content could do without
}

// content is what a frame consists of.
type content struct {
	name string
	jobs []job
}

// frame is one frame's share of chance.
type frame struct {
	content     int
	app, driver float64 // ns
	scale       []float64
	request     int64
}

// sync is a wait of the application in the middle of a frame, for a job of that frame.
type sync struct {
	at  float64
	job int
}

// eviction is what the driver does where buffers do not fit.
type eviction struct {
	bytes, buffers float64 // per frame
}

// load is a case: contents, frames and what paces them, on a machine.
type load struct {
	card     *card
	contents []content
	frames   []frame
	pacing   simulate.Pacing
	warm     int
	threads  int // of the application that make frames: 1, or 2 with one that records commands
	wait     *sync
	notice   float64 // ns from a job's end to when the processor knows
	firmware firmware
	evict    []eviction // per content
	used     float64    // share of video memory in use
	spare    float64    // bytes of GTT in use
	host     hostLook
	text     string
	plant    string
}

// variation makes the parts of a pass differ from each other: draws of a pass are of many materials.
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

// imperfect is the exponent of the norm that makes a time of the times of units which work side by side: with an
// infinite one they would overlap without loss.
const imperfect = 8

// solo is how long a part takes alone.
func solo(d *vector, f float64) float64 {
	most := 0.0
	for u, x := range d {
		most = max(most, x*slowed(u, f))
	}
	if most <= 0 {
		return 0
	}
	sum := 0.0
	for u, x := range d {
		if x > 0 {
			y := x * slowed(u, f) / most
			y *= y
			y *= y
			sum += y * y
		}
	}
	return most * math.Sqrt(math.Sqrt(math.Sqrt(sum)))
}

// alone is how long a job takes when nothing else runs.
func (j *job) alone() float64 {
	t := j.fixed
	for i := range j.parts {
		t += solo(&j.parts[i], 1)
	}
	return t
}

// alone is how long the queues of a content take, the longest first, and all of them one after the other.
func (c *content) alone() (longest, all float64) {
	var by [queues]float64
	for i := range c.jobs {
		t := c.jobs[i].alone()
		by[c.jobs[i].queue] += t
		all += t
	}
	for _, t := range by {
		longest = max(longest, t)
	}
	return longest, all
}

// resize makes a content's work take about so many ns, without its fixed times.
func (c *content) resize(ns float64) {
	longest, _ := c.alone()
	c.by(ns / longest)
}

func (c *content) by(x float64) {
	for i := range c.jobs {
		for k := range c.jobs[i].parts {
			for u := range c.jobs[i].parts[k] {
				c.jobs[i].parts[k][u] *= x
			}
		}
	}
}

// fill draws the frames: first those of content 0, then those of content 1. Neighbours are alike.
func (l *load) fill(r simulate.Random, app, driver []float64, seconds, varied float64) {
	l.warm = 8
	l.frames = l.frames[:0]
	request := int64(0)
	for c := range l.contents {
		longest, _ := l.contents[c].alone()
		ns := max(longest, app[c], driver[c], float64(l.pacing.Interval()))
		n := int(min(280, max(28, seconds*1e9/ns))) / len(l.contents)
		x, host := 0.0, 0.0
		for range n + l.warm {
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
		l.pacing.Cap = 0
	}
}
