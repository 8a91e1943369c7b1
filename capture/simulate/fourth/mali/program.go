package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// Ways in which frames are paced.
const (
	paceFree    = iota // nothing holds a frame back but the room for it
	paceVsync          // each frame is shown at a refresh of its own
	paceVRR            // the display waits for frames, down to its shortest time
	paceCap            // the application starts frames by a timer of its own
	paceRequest        // frames are asked for at dates
)

type pacing struct {
	kind    int
	refresh float64 // ns, 0 where none
	swap    float64 // refreshes that a frame is to last
	depth   int     // buffers
	aligned bool    // frames begin at a refresh
	every   float64 // ns of a cap
	slack   float64 // ns that a frame may begin late without being missed
}

// frame is what a frame draws.
type frame struct {
	content int
	app     float64
	drv     float64
	scale   []float64 // by job
	date    float64   // on which it is asked for
}

// program is all that a case is made of.
type program struct {
	m        *machine
	contents []content
	frames   []frame
	warm     int
	pace     pacing
	clock    clockPlan
	single   bool // one thread is both application and driver
	seed     uint64
	phases   []int // the first frames of phases
}

const warmFrames = 5

// fill draws the frames: noise from one to the next that lasts, cuts of the camera, hitches.
func (p *program) fill(n int, quiet bool, r simulate.Random) {
	sigma, keep := r.Log(0.015, 0.12), r.Between(0.3, 0.9)
	cut, hitch := r.Log(0.005, 0.04), r.Log(0.001, 0.02)
	if quiet {
		sigma, cut, hitch = sigma*0.4, 0, 0
	}
	p.warm = warmFrames
	for i := range p.contents { // many small jobs make enough samples in few frames
		n = min(n, max(16, 2000/len(p.contents[i].jobs)))
	}
	each := n
	if len(p.contents) > 1 {
		each = n / 2
	}
	date := 0.0
	for c := range p.contents {
		jobs := p.contents[c].jobs
		level, mood := make([]float64, len(jobs)), make([]float64, len(jobs))
		for i := range level {
			level[i] = 1
		}
		count := each
		if c == 0 {
			count += p.warm
		}
		p.phases = append(p.phases, len(p.frames))
		app := 0.0
		for k := range count {
			f := frame{content: c, scale: make([]float64, len(jobs))}
			if k > 0 && r.Chance(cut) {
				for i := range level {
					level[i] = r.Spread(0.18)
				}
			}
			for i := range jobs {
				mood[i] = keep*mood[i] + math.Sqrt(1-keep*keep)*sigma*r.NormFloat64()
				f.scale[i] = max(0.3, level[i]*(1+mood[i]))
			}
			app = keep*app + math.Sqrt(1-keep*keep)*r.NormFloat64()
			f.app = max(0.4, 1+1.5*sigma*app)
			f.drv = r.Spread(sigma)
			if r.Chance(hitch) {
				f.app *= r.Between(2.5, 8) // a scene is loaded, shaders are compiled
			}
			f.date = date
			gap := p.pace.every
			if p.pace.kind == paceRequest {
				gap *= simulate.Pick[float64](r, 1, 1, 1, r.Log(1, 3))
			}
			date += gap
			p.frames = append(p.frames, f)
		}
	}
	p.phases[0] = p.warm
}
