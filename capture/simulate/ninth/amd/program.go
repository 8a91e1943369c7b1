package amd

import (
	"fmt"
	"math"

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
	p.warm, p.threads, p.wake = 8, simulate.Pick(r, 1, 2), r.Log(15e3, 70e3)
	p.pacing.ahead = simulate.Pick(r, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3)
	return p
}

// add adds a content with its threads' work.
func (p *program) add(c *content, app, driver float64) {
	p.contents, p.cpu = append(p.contents, *c), append(p.cpu, [2]float64{app, driver})
}

// usual adds a content of an archetype.
func (p *program) usual(r simulate.Random, a *archetype, size float64) {
	c := makeContent(r, a.name, a.choose(r), r.Log(a.frame[0], a.frame[1])*1e6*size, a.often*r.Log(0.5, 3), 0.28)
	if len(p.contents) == 0 && r.Chance(a.wait) {
		p.wait = r.Between(0.2, 0.8)
	}
	p.add(c, c.lone()*r.Log(a.app[0], a.app[1]), c.lone()*r.Log(a.driver[0], a.driver[1]))
	for i := range c.jobs { // some wait for another queue more than they need
		if i > 0 && r.Chance(0.03) {
			c.jobs[i].after = append(c.jobs[i].after, after{job: i - 1, loose: true})
		}
	}
}

// dates lets a display or the program itself pace it; calm is the ns that it shall take, or 0.
func (p *program) dates(r simulate.Random, m *machine, calm bool) {
	hz := simulate.Pick(r, m.refresh...)
	period := int64(1e9 / hz)
	switch kind := r.Weighted([]float64{5, 2, 2}); {
	case kind == 1 && !calm:
		p.pacing.refresh, p.pacing.buffers, p.pacing.adaptive = period, 4, true
		p.text += fmt.Sprintf(", adaptive up to %.0f Hz", hz)
	case kind == 1:
		period = int64(r.Log(20e6, 100e6))
		p.pacing.every, p.text = period, p.text+", on request"
	case kind == 2:
		period = int64(1e9 / simulate.Pick(r, 30.0, 60, 60, 90, 120, hz-3))
		p.pacing.cap = period
		p.text += fmt.Sprintf(", capped at %.0f frames/s", 1e9/float64(period))
	default:
		p.pacing.refresh, p.pacing.buffers = period, simulate.Pick(r, 2, 3, 3, 4)
		p.text += fmt.Sprintf(", %.0f Hz", hz)
	}
	if !calm {
		return
	}
	room := float64(period)
	if p.pacing.every > 0 { // threads and the graphics core work one after the other for each request
		room *= 0.5
	}
	shrink := room * r.Between(0.25, 0.5) / p.contents[0].lone()
	p.contents[0].shrink(shrink)
	for k, ns := range p.cpu[0] {
		p.cpu[0][k] = min(ns*shrink, room*0.25)
	}
	p.wait, p.pacing.ahead, p.pacing.buffers = 0, 2, 3
}

// fill draws the frames: one phase of each content, of about the same length.
func (p *program) fill(r simulate.Random) {
	seconds, drift, hitch, at := r.Between(1.5, 4), r.Log(0.03, 0.25), max(0, r.Between(-0.02, 0.02)), 0.0
	for k := range p.contents {
		ns := max(p.contents[k].lone(), p.cpu[k][0], p.cpu[k][1], float64(p.pacing.cap), float64(p.pacing.refresh))
		n := min(900, max(24, int(seconds*1e9/ns/float64(len(p.contents))))) + p.warm
		scene, thread := 0.0, 0.0
		for range n {
			// What is in view changes slowly.
			scene, thread = 0.93*scene+0.37*r.NormFloat64(), 0.8*thread+0.6*r.NormFloat64()
			f := frame{content: k, app: math.Round(p.cpu[k][0] * math.Exp(drift*thread)),
				driver: math.Round(p.cpu[k][1] * math.Exp(drift*(scene+thread)/2))}
			if r.Chance(hitch) {
				f.app *= r.Between(2, 5)
			}
			for range p.contents[k].jobs {
				f.scale = append(f.scale, float64(float32(math.Exp(drift*scene)*r.Spread(0.04))))
			}
			at += float64(p.pacing.every) * r.Between(0.9, 1.1)
			f.request = int64(at)
			p.frames = append(p.frames, f)
		}
	}
}

// settle makes a program's frames smaller until every date is kept.
func (p *program) settle(m *machine) error {
	var s sim
	for range 12 {
		if err := s.run(m, &p.load, relief{}, false, nil); err != nil {
			return err
		}
		late := 0
		for i := p.warm; i < len(s.frames); i++ {
			f, before := &s.frames[i], &s.frames[i-1]
			late += f.missed
			// A little late is not missed, but no health either.
			if p.pacing.cap > 0 && 10*(f.begin-before.begin) > 11*p.pacing.cap {
				late++
			}
		}
		if late == 0 {
			return nil
		}
		for i := range p.frames {
			p.frames[i].app, p.frames[i].driver = p.frames[i].app*0.8, p.frames[i].driver*0.8
			for k := range p.frames[i].scale {
				p.frames[i].scale[k] *= 0.85
			}
		}
	}
	return fmt.Errorf("%s misses dates whatever it does", p.text)
}

// plants are what cases of one limiter are meant to be limited by: the units come first.
var plants = append(append([]simulate.Candidate{}, candidates[:cDriver+1]...), simulate.CPUSync, simulate.QueuesInTurn,
	simulate.ClockPower, simulate.ClockThermal, simulate.ClockGovernor, simulate.DisplayVsync)

// single is a program that one thing limits, on a machine that may be set up for it.
func single(r simulate.Random, m *machine, plant int) *program {
	p, ns, main := common(r), r.Log(3e6, 25e6), passOf("forward")
	p.pacing.ahead, p.text = 3, plants[plant].String()
	switch plant {
	case uLDS, uLoad, uCache, uLatency, cLaunch:
		main = passOf("kernel")
	}
	if plant < units {
		for u := range main.need {
			main.need[u] *= r.Between(0.25, 0.6)
		}
		main.need[plant] = 1
		m.limit *= 1.5 // nobody is to wait for power here
	}
	app, driver, often, list := ns*r.Between(0.1, 0.4), ns*r.Between(0.05, 0.3), 0.3, []pass{main, main}
	switch plants[plant] {
	case simulate.LaunchOverhead:
		often, ns = ns/4e4*r.Between(0.7, 1.5), ns*0.4
	case simulate.CPUApp:
		app = ns * r.Between(1.8, 4)
	case simulate.CPUDriver:
		app, driver, p.threads = ns*r.Between(0.3, 1), ns*r.Between(1.8, 4), 2
	case simulate.CPUSync:
		app, p.wait = ns*r.Between(0.5, 1), r.Between(0.2, 0.8)
	case simulate.QueuesInTurn:
		list = []pass{passOf("shadow"), passOf("async")}
		list[0].share = list[1].share
	case simulate.ClockPower:
		m.limit *= r.Between(0.55, 0.75)
	case simulate.ClockThermal:
		m.hot(r, 0.4, 0.55)
	case simulate.ClockGovernor:
		m.fixed, m.limit = r.Between(0.4, 0.65), m.limit*1.5
	}
	c := makeContent(r, p.text, list, ns, often, 0.1)
	if plant == uLatency { // a pipe that is empty most of the time is emptied soon
		c.jobs[0].sharp, c.jobs[1].sharp = 16, 16
	}
	if plants[plant] == simulate.QueuesInTurn {
		c.jobs[0].after, c.jobs[1].after = []after{{1, 1, true}}, []after{{0, 0, true}}
	}
	p.add(c, app, driver)
	if plants[plant] == simulate.DisplayVsync {
		p.dates(r, m, true)
	}
	return p
}

// inTurn lets every job wait for the one on another queue before it, and the first for the last of the frame before.
// It reports whether there are two queues.
func inTurn(jobs []job) (two bool) {
	before := -1
	for i := range jobs {
		if jobs[i].queue == qCopy {
			continue
		}
		if before >= 0 && jobs[before].queue != jobs[i].queue {
			jobs[i].after, two = []after{{before, 0, true}}, true
		}
		before = i
	}
	if two {
		jobs[0].after = append(jobs[0].after, after{before, 1, true})
	}
	return two
}
