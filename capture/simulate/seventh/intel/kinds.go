package intel

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names of the families.
const (
	tigerLakeName = "intel-tgl-seventh"
	alchemistName = "intel-dg2-seventh"
)

var Names = []string{tigerLakeName, alchemistName}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("there is no case of kind %q of %q", kind, name)
	}
	d := &drawer{r: simulate.NewRandom(seed, "seventh "+name+" "+kind)}
	if name == tigerLakeName {
		d.m = tigerLake(d.r)
	} else {
		d.m = alchemist(d.r)
	}
	p := &program{m: d.m, warm: 5, interrupt: d.r.Log(8e3, 40e3), noise: d.r.Between(0.002, 0.02)}
	for i := range p.weights {
		p.weights[i] = d.r.Between(0.92, 1.08)
	}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	var text string
	var err error
	switch kind {
	case simulate.KindSingle:
		list := plants(d.m)
		plant := list[seed%uint64(len(list))]
		c.Plant = plant.String()
		text = d.plant(p, plant)
	case simulate.KindSerial:
		text = d.serial(p)
	case simulate.KindHealthy:
		text, err = d.healthy(p)
	case simulate.KindTwoPhase:
		text = d.twoPhase(p)
	default:
		var one content
		time := d.frameTime()
		if kind == simulate.KindRandom {
			one = d.mixture(time)
		} else {
			one = d.archetype(time)
		}
		p.contents = []content{one}
		text = one.name
		d.host(p, time)
		d.pace(p, time)
		d.clocks(p, 0.35)
	}
	if err != nil {
		return nil, err
	}
	c.Text = fmt.Sprintf("%s, %s, %s", d.m.device, text, p.pacing.Name())
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(p, seed, o) }
	c.Judge = func() (*simulate.Truth, error) { return judge(p) }
	return c, nil
}

// frameTime is about how long the GPU works on a frame, in ns.
func (d *drawer) frameTime() float64 { return d.r.Log(1.2e6, 45e6) }

// fill makes a content of templates.
func (d *drawer) fill(name string, time float64, list []template, hot unit, by float64) content {
	c := content{name: name}
	sum := 0.0
	for i := range list {
		sum += list[i].weight
	}
	for _, t := range list {
		hot, by := hot, by
		if by == 0 && d.r.Chance(0.7) { // each pass leans on something of its own
			hot, by = unit(1+d.r.IntN(int(units)-1)), d.r.Between(1.3, 2.5)
		}
		if part := t.weight / sum * d.r.Spread(0.3); part*time > 20e3 {
			c.jobs = append(c.jobs, d.pass(t.name, t.sort, part*time, d.flatten(d.vary(t.at, 0.4, hot, by))))
		}
	}
	d.order(&c)
	return c
}

// order says when the driver hands passes on, and puts dispatches on an engine of their own where programs do.
func (d *drawer) order(c *content) {
	async := d.m.discrete && d.r.Chance(0.4)
	for j, p := range c.jobs {
		p.submit = float64(j+1) / float64(len(c.jobs))
		if async && p.engine == render && len(p.list) == 1 && j > 0 {
			p.engine = compute
			if d.r.Chance(0.5) {
				p.after = append(p.after, dependency{job: j - 1})
			}
			if j+1 < len(c.jobs) {
				c.jobs[len(c.jobs)-1].after = append(c.jobs[len(c.jobs)-1].after, dependency{job: j})
			}
		}
		if p.engine == copying && d.r.Chance(0.5) && j+1 < len(c.jobs) {
			c.jobs[j+1].after = append(c.jobs[j+1].after, dependency{job: j})
		}
	}
	last := len(c.jobs) - 1 // a pass waits for none that comes behind it
	for j, p := range c.jobs {
		p.after = slices.DeleteFunc(p.after, func(x dependency) bool { return x.back == 0 && x.job >= j })
		p.submit = min(1, p.submit)
	}
	c.jobs[last].submit = 1
}

// flatten brings the units nearer to each other: what is made for a machine uses all of it, more or less.
func (d *drawer) flatten(x shares) shares {
	by := d.r.Between(0.2, 0.7)
	x[arith] *= d.r.Between(0.5, 1) // an EU has few threads, so its work shows more than others'
	for u := range x {
		if x[u] > 0.03 {
			x[u] = math.Pow(x[u], by)
		}
	}
	return x
}

func (d *drawer) archetype(time float64) content {
	for {
		a := &archetypes[d.r.IntN(len(archetypes))]
		if a.rays && !d.m.discrete {
			continue
		}
		hot, by := command, 0.0
		if d.r.Chance(0.25) {
			hot, by = unit(1+d.r.IntN(int(units)-1)), d.r.Between(1.2, 2.4)
		}
		return d.fill(a.name, time, a.passes, hot, by)
	}
}

// mixture is passes of any kind.
func (d *drawer) mixture(time float64) content {
	var list []template
	for i := range d.r.Whole(1, 6) {
		s := sort(d.r.Weighted([]float64{4, 1.5, 2, 3, 0.7}))
		x := like(s, nil)
		for u := range x {
			if x[u] > 0 {
				x[u] *= d.r.Log(0.25, 3.5)
			}
		}
		if s == copies && i == 0 {
			s, x = dispatches, like(dispatches, nil)
		}
		list = append(list, template{fmt.Sprintf("pass %d", i), s, d.r.Log(0.1, 1), x})
	}
	return d.fill("a mixture", time, list, command, 0)
}

// host draws what the processor does, beside GPU work of a time a frame.
func (d *drawer) host(p *program, time float64) {
	r := d.r
	p.split = r.Chance(0.6)
	if r.Chance(0.6) {
		p.workers = r.Whole(1, min(6, p.m.cpus-2))
	}
	app := time * r.Log(0.08, 1.1)
	if r.Chance(0.12) {
		app = time * r.Between(1.1, 2.5)
	}
	driver := time*r.Log(0.02, 0.4) + 40e3
	if r.Chance(0.05) {
		driver = time * r.Between(1.1, 2)
	}
	if r.Chance(0.07) {
		p.wait = &wait{back: r.IntN(2), job: -1, at: r.Between(0.2, 0.9)}
		if p.wait.back == 0 {
			p.wait.job = 1 << 20
		}
	}
	if r.Chance(0.35) { // other programs take processors and memory
		p.other.load = r.Between(0.05, 0.5)
		if !p.m.discrete {
			p.other.bytes = p.m.rate[memory] * r.Between(0.03, 0.3)
		}
		app *= 1 + 0.3*p.other.load
	}
	if r.Chance(0.2) { // a compositor, or another window
		p.other.period = simulate.Pick(r, 1e9/60, 1e9/144, 33e6)
		p.other.pass = d.pass("another program", fullScreen, p.other.period*r.Log(0.01, 0.12), d.vary(like(fullScreen, nil), 0.3, command, 0))
	}
	d.frames(p, time, app, driver, r.Between(0.005, 0.12))
}

// frames draws the frames of all contents, as many of each.
func (d *drawer) frames(p *program, time, app, driver, sigma float64) {
	n := 26
	if time < 5e6 {
		n = 48
	}
	p.frames = nil
	for c := range p.contents {
		for i := range n {
			if c == 0 && i == 0 {
				for range p.warm {
					p.frames = append(p.frames, frame{0, 1, app, driver, 0})
				}
			}
			spread := d.r.Spread(sigma)
			p.frames = append(p.frames, frame{c, d.r.Spread(sigma), app * spread * d.r.Spread(0.03), driver * d.r.Spread(0.05), 0})
		}
	}
}

var refreshes = []float64{60, 60, 60, 60, 72, 90, 120, 120, 144}

// pace draws what dates there are for frames that take the GPU about a time.
func (d *drawer) pace(p *program, time float64) {
	r := d.r
	p.pacing = simulate.Pacing{Buffers: r.Whole(2, 3), Ahead: min(3, 1+r.IntN(9))}
	switch r.Weighted([]float64{7, 0.5, 0.4, 0.5, 0.6}) {
	case 1:
		p.pacing.Refresh = int64(1e9 / simulate.Pick(r, refreshes...))
	case 2:
		d.cadence(&p.pacing)
	case 3:
		p.pacing.Refresh, p.pacing.Adaptive = int64(1e9/simulate.Pick(r, 120.0, 144, 90)), true
	case 4:
		p.pacing.Cap = int64(1e9 / simulate.Pick(r, 30.0, 60, 72, 90, 141, 240))
	}
}

// cadence makes a display show pictures at a rate of films or of half its own.
func (d *drawer) cadence(p *simulate.Pacing) {
	refresh := simulate.Pick(d.r, 60, 72, 120, 144)
	rates := []int{24, 30, 48, 60, 72, 90}
	for {
		if rate := rates[d.r.IntN(len(rates))]; rate < refresh {
			p.Refresh, p.Cadence = int64(1e9/float64(refresh)), simulate.CadenceOf(refresh, rate)
			return
		}
	}
}

// clocks draws what sets the core clock. held is how likely something keeps it down.
func (d *drawer) clocks(p *program, held float64) {
	r := d.r
	p.gov = governor{first: 1, up: r.Between(0.8, 0.93), down: r.Between(0.5, 0.68), boosts: !d.m.discrete}
	p.asleep = r.Chance(0.12)
	if !r.Chance(held) {
		p.gov.first = simulate.Pick(r, 1.0, 1, r.Between(0.6, 1)) // a user's limit is no limiter: nothing relieves it
		d.m.most *= p.gov.first
		p.gov.first = 1
		return
	}
	p.gov.period = simulate.Pick(r, 5e6, 8e6, 10e6)
	switch r.IntN(3) {
	case 0:
		p.gov.first = r.Between(0.4, 1)
	case 1:
		d.hot(p, r.Between(0.5, 0.95))
	default:
		d.capped(p, r.Between(0.35, 0.9))
	}
}

// capped limits the power to a share of what the GPU takes at most.
func (d *drawer) capped(p *program, share float64) {
	p.gov.limit, p.gov.window = share*d.m.watts, d.r.Between(10e6, 40e6)
	p.gov.first = d.r.Between(0.75, 1)
}

func (d *drawer) hot(p *program, share float64) {
	g := &p.gov
	g.ambient, g.trip = 40, d.r.Between(85, 95)
	g.heat = g.trip - d.r.Between(0, 1)
	g.rise = (g.trip - g.ambient) / (share * d.m.watts)
	g.slow = d.r.Between(50e6, 300e6)
	g.first = d.r.Between(0.75, 1)
}
