package amd

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// program is a load in the making.
type program struct {
	load
	text string
	cpu  [][2]float64 // by content: the mean ns of the application and of the driver
}

// common draws what all programs have.
func common(r simulate.Random) *program {
	p := &program{}
	p.threads = simulate.Pick(r, 1, 2, 2)
	p.wake = r.Log(15e3, 70e3)
	p.pacing.ahead = simulate.Pick(r, 1, 2, 2, 3)
	return p
}

// add adds a content with its threads' work.
func (p *program) add(c content, app, driver float64) {
	p.contents = append(p.contents, c)
	p.cpu = append(p.cpu, [2]float64{app, driver})
}

// usual is a content of an archetype.
func (p *program) usual(r simulate.Random, a *archetype, size float64) {
	ns := r.Log(a.frame[0], a.frame[1]) * 1e6 * size
	c := makeContent(r, a.name, a.choose(r), ns, a.often*r.Log(0.5, 3), 0.4)
	ns = c.lone()
	p.add(c, ns*r.Log(a.app[0], a.app[1]), ns*r.Log(a.driver[0], a.driver[1]))
	if r.Chance(a.wait) {
		p.wait = r.Between(0.2, 0.8)
	}
	for i := range c.jobs { // some wait for the compute queue more than they need
		if r.Chance(0.03) && i > 0 {
			c.jobs[i].after = append(c.jobs[i].after, after{job: i - 1, loose: true})
		}
	}
}

// pace lets a display or the program itself set the dates, or nothing.
func (p *program) pace(r simulate.Random, m *machine, paced float64) {
	p.text += ", uncapped"
	if !r.Chance(paced) {
		return
	}
	hz := simulate.Pick(r, m.refresh...)
	p.text = p.text[:len(p.text)-len(", uncapped")]
	switch r.Weighted([]float64{5, 2, 2}) {
	case 0:
		p.pacing.refresh, p.pacing.buffers = int64(1e9/hz), simulate.Pick(r, 2, 3)
		p.text += fmt.Sprintf(", %.0f Hz", hz)
	case 1:
		p.pacing.refresh, p.pacing.buffers, p.pacing.adaptive = int64(1e9/hz), 3, true
		p.text += fmt.Sprintf(", adaptive up to %.0f Hz", hz)
	default:
		rate := simulate.Pick(r, 30.0, 60, 60, 90, 120, hz-3)
		p.pacing.cap = int64(1e9 / rate)
		p.text += fmt.Sprintf(", capped at %.0f frames/s", rate)
	}
}

// fill draws the frames: one phase of each content, of about the same length.
func (p *program) fill(r simulate.Random, seconds float64) {
	p.warm = 8
	drift, hitch := r.Between(0.02, 0.15), 0.0
	if r.Chance(0.5) {
		hitch = r.Between(0, 0.02)
	}
	at := 0.0
	for k := range p.contents {
		c := &p.contents[k]
		ns := max(c.lone(), p.cpu[k][0], p.cpu[k][1], float64(p.pacing.cap), float64(p.pacing.refresh))
		if p.threads == 1 {
			ns = max(ns, p.cpu[k][0]+p.cpu[k][1])
		}
		n := int(seconds * 1e9 / ns / float64(len(p.contents)))
		n = min(500, max(24, n)) + p.warm
		scene, thread := 0.0, 0.0
		for range n {
			// What is in view changes slowly.
			scene = 0.93*scene + 0.37*r.NormFloat64()
			thread = 0.8*thread + 0.6*r.NormFloat64()
			f := frame{content: k, app: p.cpu[k][0] * math.Exp(drift*thread), driver: p.cpu[k][1] * math.Exp(drift*(scene+thread)/2)}
			f.app, f.driver = math.Round(f.app), math.Round(f.driver)
			if r.Chance(hitch) {
				f.app *= r.Between(2, 5)
			}
			for range c.jobs {
				f.scale = append(f.scale, float64(float32(math.Exp(drift*scene)*r.Spread(0.04))))
			}
			at += float64(p.pacing.every) * r.Between(0.9, 1.1)
			f.request = int64(at)
			p.frames = append(p.frames, f)
		}
	}
}

// plant is what a case of one limiter is limited by.
type plant struct {
	candidate simulate.Candidate
	queue     int
	text      string
	unit      int // units where it is none
}

var plants = func() (out []plant) {
	texts := [units]string{"dense meshes", "tiny culled triangles", "large triangles without shading", "heavy shaders",
		"local memory", "filtered textures", "unfiltered reads and writes", "depth only", "blending", "tables in the cache",
		"streams through memory", "pointers"}
	for u := range units {
		q := qGraphics
		if u == uLDS || u == uLoad || u == uCache || u == uLatency {
			q = qCompute
		}
		out = append(out, plant{candidates[u], q, texts[u], u})
	}
	for _, x := range []plant{{simulate.LaunchOverhead, qCompute, "many small dispatches", units},
		{simulate.CPUApp, qGraphics, "a busy application", units}, {simulate.CPUDriver, qGraphics, "many draw calls", units},
		{simulate.CPUSync, qGraphics, "results read back", units}, {simulate.QueuesInTurn, qGraphics, "queues in turn", units},
		{simulate.ClockPower, qGraphics, "a power limit", units}, {simulate.ClockThermal, qGraphics, "a hot chip", units},
		{simulate.ClockGovernor, qGraphics, "a low clock", units}, {simulate.DisplayVsync, qGraphics, "a display", units}} {
		out = append(out, x)
	}
	return out
}()

// single is a program that one thing limits, on a machine that may be set up for it.
func single(r simulate.Random, m *machine, x plant) *program {
	p := common(r)
	p.pacing.ahead = 3
	p.text = x.text
	ns := r.Log(3e6, 25e6)
	main := passes["forward"]
	if x.queue == qCompute {
		main = pass{"kernel", qCompute, [units]float64{0, 0, 0, .6, .3, 0, .5, 0, 0, .5, .5, .5}, 0, 3, 1}
	}
	if x.unit < units {
		for u := range main.need {
			main.need[u] *= r.Between(0.25, 0.6)
		}
		main.need[x.unit] = 1
		m.limit *= 1.5 // nobody is to wait for power here
	}
	app, driver, often := ns*r.Between(0.1, 0.4), ns*r.Between(0.05, 0.3), 0.3
	list := []pass{main, main}
	switch x.candidate {
	case simulate.LaunchOverhead:
		often = ns / 4e4 * r.Between(0.7, 1.5)
		ns *= 0.4
	case simulate.CPUApp:
		app, driver = ns*r.Between(1.8, 4), ns*r.Between(0.05, 0.5)
	case simulate.CPUDriver:
		app, driver, p.threads = ns*r.Between(0.3, 1), ns*r.Between(1.8, 4), 2
	case simulate.CPUSync:
		app, p.wait = ns*r.Between(0.5, 1), r.Between(0.2, 0.8)
	case simulate.QueuesInTurn:
		list = []pass{passes["shadow"], passes["async"]}
		list[0].share, list[1].share = 1, 1
	case simulate.ClockPower:
		m.limit *= r.Between(0.4, 0.6)
	case simulate.ClockThermal:
		m.hot(r)
		m.sink = m.heat - m.cap[1]*m.perWatt*r.Between(0.2, 0.35)
	case simulate.ClockGovernor:
		m.fixed, m.limit = r.Between(0.4, 0.65), m.limit*1.5
	}
	c := makeContent(r, x.text, list, ns, often, 0.1)
	if x.unit == uLatency { // a pipe that is empty most of the time is emptied soon
		c.jobs[0].sharp, c.jobs[1].sharp = 16, 16
	}
	if x.candidate == simulate.QueuesInTurn {
		c.jobs[0].after = []after{{1, 1, true}}
		c.jobs[1].after = []after{{0, 0, true}}
	}
	p.add(c, app, driver)
	if x.candidate == simulate.DisplayVsync {
		calm(r, m, p)
	}
	return p
}

// calm paces a program so that it has time left, and lets it need no more than a display gives.
func calm(r simulate.Random, m *machine, p *program) {
	c := &p.contents[0]
	hz := simulate.Pick(r, m.refresh...)
	period := 1e9 / hz
	kind := r.Weighted([]float64{5, 2, 2})
	if kind == 2 {
		period = r.Log(20e6, 100e6)
	}
	shrink := period * r.Between(0.25, 0.55) / max(c.lone(), 1)
	for i := range c.jobs {
		for k := range c.jobs[i].parts {
			x := &c.jobs[i].parts[k]
			x.launch *= shrink
			for u := range x.need {
				x.need[u] *= shrink
			}
		}
	}
	for k := range p.cpu[0] {
		p.cpu[0][k] = min(p.cpu[0][k]*shrink, period*0.3)
	}
	p.wait = 0
	p.pacing.ahead = 2
	switch kind {
	case 0:
		p.pacing.refresh, p.pacing.buffers = int64(period), 2
		p.text += fmt.Sprintf(", %.0f Hz", hz)
	case 1:
		p.pacing.cap = int64(period)
		p.text += fmt.Sprintf(", capped at %.0f frames/s", hz)
	default:
		p.pacing.requests, p.pacing.every = true, int64(period)
		p.text += ", on request"
	}
}

// mixture is a row of passes of any kind.
func mixture(r simulate.Random) (list []pass) {
	names := make([]string, 0, len(passes))
	for name := range passes {
		names = append(names, name)
	}
	slices.Sort(names)
	for range r.Whole(1, 7) {
		list = append(list, passes[simulate.Pick(r, names...)])
	}
	if !slices.ContainsFunc(list, func(p pass) bool { return p.queue != qCopy }) {
		list = append(list, passes["forward"])
	}
	return list
}
