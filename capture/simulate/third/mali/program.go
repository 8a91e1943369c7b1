package mali

import (
	"slices"

	"astrolabe/capture/simulate"
)

// Queues of the command-stream front end.
const (
	binning = iota // vertex and tiler
	compute
	fragment
	queues
)

// chunk is a part of a pass in which its mixture of work stays the same: the first and the last tiles, the sky, a mesh.
type chunk struct {
	w     work
	cores float64 // share of the cores that have something to do
}

// edge is a pass of another frame, or of the same, that a pass waits for.
type edge struct {
	back     int // frames
	pass     int
	needless bool // the results are not needed: a barrier that is too wide
}

type pass struct {
	name   string
	queue  int
	jobs   int
	launch float64 // ns before the cores begin
	chunks []chunk
	edges  []edge
	last   bool // it writes what is shown
}

// content is what every frame of a kind does.
type content struct {
	text        string
	passes      []pass
	app, driver float64 // ns
	oneThread   bool    // the driver works in the application's thread
	sync        bool    // the application waits for the GPU before it goes on
}

// pacing is what keeps a program from running as fast as it can.
type pacing struct {
	refresh  float64 // ns; 0 is no display
	pattern  []int   // refreshes that each frame is shown for
	adaptive bool    // the display waits for the frame
	capped   bool
	asked    bool
	period   float64   // of a cap
	dates    []float64 // of requests
	buffers  int
	ahead    int // frames that may be under way
}

// clock is who says how fast the GPU runs.
type clock struct {
	governed bool // else at the highest step that is allowed
	window   float64
	up       float64 // utilisation above which it takes the highest step
	policy   float64 // highest share of the clock that settings allow
	kind     simulate.Candidate
	caps     []float64 // shares of the clock, per capWindow; nil is no limit
}

const capWindow = 100e6

type program struct {
	m        *machine
	contents []content
	of       []int     // content by frame
	gpu, cpu []float64 // size of each frame's work
	warm     int       // frames before the first that is judged
	pacing   pacing
	clock    clock
}

// times is what each chunk takes, by content, pass and chunk.
type times [][][][resources]float64

func (p *program) times() times {
	out := make(times, len(p.contents))
	for i := range p.contents {
		passes := p.contents[i].passes
		out[i] = make([][][resources]float64, len(passes))
		for k := range passes {
			for _, c := range passes[k].chunks {
				t := p.m.terms(&c.w)
				for r := range t {
					if r != rTiler && r != rCache && r != rBandwidth {
						t[r] /= c.cores
					}
				}
				out[i][k] = append(out[i][k], t)
			}
		}
	}
	return out
}

// relieved is the program without one of its limits; ok is false where it has none of the kind.
func (p *program) relieved(c simulate.Candidate) (q *program, ok bool) {
	out := *p
	m := *p.m
	out.m = &m
	out.contents = slices.Clone(p.contents)
	processor := func(app, driver float64) {
		for i := range out.contents {
			out.contents[i].app *= app
			out.contents[i].driver *= driver
		}
	}
	launch := func() {
		for i := range out.contents {
			out.contents[i].passes = slices.Clone(out.contents[i].passes)
			for k := range out.contents[i].passes {
				out.contents[i].passes[k].launch *= 2.0 / 3
			}
		}
	}
	switch c {
	case simulate.WholeCPU:
		processor(2.0/3, 2.0/3)
	case simulate.CPUApp:
		processor(2.0/3, 1)
	case simulate.CPUDriver:
		processor(1, 2.0/3)
	case simulate.CPUSync:
		for i := range out.contents {
			ok = ok || out.contents[i].sync
			out.contents[i].sync = false
		}
		return &out, ok
	case simulate.LaunchOverhead:
		launch()
		m.irq *= 2.0 / 3
	case simulate.QueuesInTurn:
		for i := range out.contents {
			passes := slices.Clone(out.contents[i].passes)
			out.contents[i].passes = passes
			for k := range passes {
				kept := slices.DeleteFunc(slices.Clone(passes[k].edges), func(e edge) bool { return e.needless })
				ok = ok || len(kept) < len(passes[k].edges)
				passes[k].edges = kept
			}
		}
		return &out, ok
	case simulate.ClockGovernor:
		ok = p.clock.governed || p.clock.policy < 1
		out.clock.governed, out.clock.policy = false, 1
		return &out, ok
	case simulate.ClockThermal, simulate.ClockPower:
		ok = p.clock.caps != nil && p.clock.kind == c
		out.clock.caps = nil
		return &out, ok
	case simulate.WholeGPU:
		for i := range m.faster {
			m.faster[i] *= 1.5
		}
		launch()
	default:
		i := slices.Index(leafOf[:], c)
		if i < 0 || i == rRayTracing && !m.gen5 {
			return p, false
		}
		m.faster[i] *= 1.5
	}
	return &out, true
}
