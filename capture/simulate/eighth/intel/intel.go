package intel

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families.
var Names = []string{"intel-kbl-gt2-eighth", "intel-lnl-eighth"}

// Kinds lists the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// plants are what cases of KindSingle are limited by, in turn: units first, by their causes.
func (m *machine) plants() (out []simulate.Candidate) {
	for c := range launch {
		if c != rayTracing || m.xe2 {
			out = append(out, candidates[c])
		}
	}
	out = append(out, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync, simulate.ClockThermal,
		simulate.ClockPower, simulate.DisplayVsync)
	if m.xe2 {
		out = append(out, simulate.QueuesInTurn)
	}
	return out
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("%s has no cases of kind %q", name, kind)
	}
	d, plant := draw(name, kind, seed)
	text := d.text + ", " + d.w.pacing.Name()
	if d.w.clock.limit == 0 && !d.w.clock.governed {
		text += ", highest clock"
	}
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return d.record(name, kind, seed, o) },
		Judge:  func() (*simulate.Truth, error) { return judge(&d.m, &d.w), nil }}, nil
}

// draw draws a case, and what it is meant to be limited by.
func draw(name, kind string, seed uint64) (*drawn, string) {
	r := simulate.NewRandom(seed, name+kind)
	d := &drawn{Random: r, m: newMachine(name, r)}
	d.author = newAuthor(&d.m, r)
	d.w.pacing = simulate.Pacing{Ahead: 3, Buffers: 3}
	d.w.threads = r.Whole(1, 2)
	d.w.warm = 8
	plant := ""
	switch kind {
	case simulate.KindSingle:
		list := d.m.plants()
		c := list[seed%uint64(len(list))]
		plant = c.String()
		d.single(c)
	case simulate.KindHealthy:
		d.healthy()
	case simulate.KindSerial:
		d.serial()
	case simulate.KindTwoPhase:
		d.phases()
	default:
		d.usual(kind == simulate.KindRandom)
	}
	return d, plant
}

// drawn is a case in the making.
type drawn struct {
	simulate.Random
	m      machine
	author *author
	w      load
	text   string
}

// phase adds a phase whose frames the GPU, at its highest clock, takes so many ns for; even makes its passes last alike.
func (d *drawn) phase(name string, passes []pass, ns float64, even bool) {
	c := content{name: name}
	for i := range passes {
		s := section{passes: passes[i : i+1], launch: d.Log(6e3, 30e3)}
		if passes[i].compute {
			s.launch = d.Log(4e3, 20e3)
		}
		c.sections = append(c.sections, s)
	}
	if even {
		v := newSolver(&d.m)
		for i := range c.sections {
			p := &c.sections[i].passes[0]
			p.count = max(1, p.count*1e6/v.take(&c.sections[i], 1, 1).ns)
		}
	}
	d.fit(&c, ns)
	d.w.contents = append(d.w.contents, c)
}

// fit gives the sections of a frame the work that takes so long.
func (d *drawn) fit(c *content, ns float64) {
	v := newSolver(&d.m)
	for range 3 {
		fixed, work := 0.0, 0.0
		for i := range c.sections {
			r := v.take(&c.sections[i], 1, 1)
			fixed += r.launch
			work += r.ns - r.launch
		}
		by := max(0.02, (ns-fixed)/work)
		for i := range c.sections {
			for k := range c.sections[i].passes {
				c.sections[i].passes[k].count = max(1, c.sections[i].passes[k].count*by)
				c.sections[i].passes[k].draws *= min(1, by) // longer frames draw more with each
			}
		}
		clear(v.known)
	}
	c.merged = c.sections
}

// beside lets a kernel of the compute engine run beside the section before it, or, loosely, after it.
func (c *content) beside(at int, loose bool) {
	a, b := &c.sections[at], &c.sections[at+1]
	b.passes[0].async = true
	both := section{passes: []pass{a.passes[0], b.passes[0]}, launch: max(a.launch, b.launch)}
	merged := append(append(slices.Clone(c.sections[:at]), both), c.sections[at+2:]...)
	if c.merged = merged; !loose {
		c.sections = merged
	}
}

// frames adds frames of the last phase. app and driver are the ns of the processor's work.
func (d *drawn) frames(n int, app, driver float64) {
	k := len(d.w.contents) - 1
	sigma, level := d.Between(0.02, 0.08), 1.0
	for range n {
		level = 1 + (level-1)*0.8 + 0.05*d.NormFloat64()*d.Float64() // neighbouring frames are alike
		f := frame{content: k, app: app * d.Spread(0.08), driver: driver * d.Spread(0.08) * level}
		for range d.w.contents[k].sections {
			f.scale = append(f.scale, max(0.3, level*d.Spread(sigma)))
		}
		d.w.frames = append(d.w.frames, f)
	}
}

// length is how many frames are worth simulating.
func (d *drawn) length(ns float64) int { return int(min(90, max(30, 0.9e9/ns))) }

// throttle lets a limit hold the clock at about a share of its highest while the GPU always works.
func (d *drawn) throttle(hot bool, share float64) {
	c := &d.w.clock
	c.gpu, c.other, c.hot = d.Between(9, 14), d.Between(3, 6), hot
	if d.m.xe2 {
		c.gpu = d.Between(13, 19)
	}
	c.limit = c.other + c.gpu*share*share*share
}

// usual is a program as people have them.
func (d *drawn) usual(any bool) {
	name := d.author.kindOf()
	if any {
		name = anyPasses
	}
	compute := name == "inference" || name == "simulation" || name == "analysis" || name == "photographs"
	ns := d.Log(5e6, 34e6)
	if compute {
		ns = d.Log(2e6, 60e6)
	}
	if name == "desktop" {
		ns = d.Log(1.5e6, 10e6)
	}
	d.text = name
	d.phase(name, d.author.program(name), ns, false)
	c := &d.w.contents[0]
	for i := 0; d.m.xe2 && !compute && i+1 < len(c.sections); i++ {
		if !c.sections[i].passes[0].compute && c.sections[i+1].passes[0].compute && d.Chance(0.5) {
			c.beside(i, d.Chance(0.35))
			break
		}
	}
	app, driver := ns*d.Log(0.3, 1.25), ns*d.Log(0.15, 0.8)
	if compute {
		app, driver = ns*d.Log(0.02, 0.5), ns*d.Log(0.02, 0.3)
		d.w.pacing.Ahead = simulate.Pick(d.Random, 1, 2, 2, 3)
	}
	switch x := d.Float64(); {
	case compute || x < 0.72:
		if !compute && d.Chance(0.1) {
			d.w.pacing.Ahead = 1
		}
	case x < 0.85:
		d.w.pacing.Refresh = int64(1e9 / simulate.Pick(d.Random, 60., 60, 60, 120))
		d.w.pacing.Cadence = []int{1}
	case x < 0.94:
		d.w.pacing.Refresh, d.w.pacing.Adaptive = 8333333, true
	default:
		d.w.pacing.Cap = int64(1e9 / simulate.Pick(d.Random, 30., 60))
	}
	switch x := d.Float64(); {
	case x < 0.35:
	case x < 0.65:
		d.w.clock.governed = true
	case x < 0.88:
		d.w.clock.governed = true
		d.throttle(false, d.Between(0.55, 0.95))
	default:
		d.throttle(true, d.Between(0.5, 0.9))
	}
	d.frames(d.length(ns)+d.w.warm, app, driver)
}

// single is a program that one thing limits.
func (d *drawn) single(c simulate.Candidate) {
	d.text = "a program for " + c.String()
	cause := slices.Index(candidates[:launch], c)
	ns, app, driver := d.Log(4e6, 25e6), 0.15, 0.1
	var list []pass
	switch {
	case cause >= 0:
		list = append(list, d.author.plant(cause))
	case c == simulate.LaunchOverhead:
		ns = d.Log(1e6, 4e6)
		for range 30 {
			list = append(list, d.author.kernel("matrix"))
		}
	case c.Level == simulate.LevelClock:
		list = append(list, d.author.plant(arithmetic), d.author.plant(texture), d.author.plant(pixelBackend), d.author.plant(rasterizer))
		d.throttle(c == simulate.ClockThermal, d.Between(0.5, 0.65))
	default:
		list = d.author.program("forward game")
	}
	switch c {
	case simulate.CPUApp:
		app, driver = d.Between(1.5, 3), 0.3
	case simulate.CPUDriver:
		app, driver, d.w.threads = 0.3, d.Between(1.5, 3), 2
	case simulate.CPUSync:
		app, driver, d.w.pacing.Ahead = d.Between(0.6, 0.9), 0.15, 1
	case simulate.QueuesInTurn:
		list = []pass{d.author.plant(rasterizer), d.author.plant(arithmetic)}
		for !list[1].compute {
			list[1] = d.author.plant(arithmetic)
		}
	case simulate.DisplayVsync:
		d.rest(ns)
	}
	d.phase(c.Name, list, ns, c == simulate.QueuesInTurn || c.Level == simulate.LevelClock)
	if c == simulate.LaunchOverhead {
		for i := range d.w.contents[0].sections {
			d.w.contents[0].sections[i].launch = d.Between(1, 2) * ns / 30
		}
	}
	if c == simulate.QueuesInTurn {
		d.w.contents[0].beside(0, true)
	}
	d.frames(d.length(ns)+d.w.warm, ns*app, ns*driver)
}

// rest paces frames of so many ns so that there is time left in each.
func (d *drawn) rest(ns float64) {
	interval := ns / d.Between(0.35, 0.6)
	p := &d.w.pacing
	switch d.IntN(3) {
	case 0:
		p.Cap = int64(interval)
	default:
		p.Refresh = int64(1e9 / simulate.Pick(d.Random, 60., 120))
		p.Cadence = []int{max(1, int(math.Ceil(interval/float64(p.Refresh))))}
	}
}

func (d *drawn) healthy() {
	name := d.author.kindOf()
	d.text = name
	ns := d.Log(2.5e6, 16e6)
	d.phase(name, d.author.program(name), ns, false)
	if d.w.clock.governed = d.Chance(0.3); d.w.clock.governed {
		d.w.warm = 20
	}
	d.rest(ns)
	d.frames(d.length(ns)+d.w.warm, ns*d.Between(0.1, 0.5), ns*d.Between(0.05, 0.25))
}

func (d *drawn) serial() {
	ns := d.Log(4e6, 30e6)
	if d.m.xe2 && d.Chance(0.5) {
		d.text = "queues in turn"
		list := []pass{d.author.plant(simulate.Pick(d.Random, rasterizer, pixelBackend, vertexFetch)), d.author.kernel("numeric"), d.author.post("post")}
		d.phase(d.text, list, ns, true)
		d.w.contents[0].beside(0, true)
		d.frames(d.length(ns)+d.w.warm, ns*0.3, ns*0.2)
		return
	}
	d.text = "processor and GPU in turn"
	d.w.pacing.Ahead = 1
	d.w.clock.governed = d.Chance(0.4)
	name := simulate.Pick(d.Random, "forward game", "deferred game", "inference", "photographs", "simulation")
	d.phase(name, d.author.program(name), ns, false)
	d.frames(d.length(ns)+d.w.warm, ns*d.Between(0.3, 0.9), ns*d.Between(0.05, 0.3))
}

func (d *drawn) phases() {
	var causes []int
	for c := range launch {
		if c != rayTracing || d.m.xe2 {
			causes = append(causes, c)
		}
	}
	before := -1
	for k := range 2 {
		ns := d.Log(4e6, 25e6)
		app, driver, name := ns*d.Between(0.1, 0.4), ns*d.Between(0.05, 0.2), ""
		var list []pass
		switch x := d.Float64(); {
		case x < 0.6:
			c := simulate.Pick(d.Random, causes...)
			for c == before {
				c = simulate.Pick(d.Random, causes...)
			}
			before = c
			name = "for " + candidates[c].Name
			list = append(list, d.author.plant(c))
			if d.Chance(0.3) {
				list = append(list, d.author.interfaces())
			}
		case x < 0.75 && k == 1:
			name, list, app = "busy processor", d.author.program("forward game"), ns*d.Between(1.3, 2.5)
		default:
			name = d.author.kindOf()
			list = d.author.program(name)
		}
		d.phase(fmt.Sprintf("%d: %s", k+1, name), list, ns, false)
		n := int(min(60, max(24, 0.5e9/ns)))
		if k == 0 {
			n += d.w.warm
		}
		d.frames(n, app, driver)
	}
	d.text = d.w.contents[0].name + ", " + d.w.contents[1].name
}
