package intel

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families.
var Names = []string{"intel-tgl-fifth", "intel-dg2-fifth"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// Case is a program on a machine, with how it is recorded.
type drawn struct {
	m    *machine
	p    *program
	rec  recording
	text string
	name string // of what it is meant to be limited by
}

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("fifth model of Intel's GPUs: there is no family %q; there are %s", name, strings.Join(Names, ", "))
	}
	if !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("fifth model of Intel's GPUs: there is no kind %q; there are %s", kind,
			strings.Join(simulate.Kinds(), ", "))
	}
	d, err := draw(strings.TrimSuffix(name, "-fifth"), kind, seed, name)
	if err != nil {
		return nil, err
	}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: d.text, Plant: d.name}
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return d.record(seed, o) }
	c.Judge = func() (*simulate.Truth, error) { return judge(d.m, d.p) }
	return c, nil
}

func draw(base, kind string, seed uint64, name string) (*drawn, error) {
	// What is meant to be healthy, or to be limited, is drawn again where it is not.
	for try := range uint64(40) {
		r := simulate.NewRandom(seed*64+try, name+" "+kind)
		m := newMachine(base, r)
		b := &builder{r: r, m: m, p: &program{}, plant: plantOther, sigma: r.Between(0.05, 0.35), views: r.IntN(3)}
		d := &drawn{m: m, p: b.p}
		ok, err := b.build(d, kind, seed, try >= 30)
		if err != nil {
			return nil, err
		}
		if ok {
			d.rec = newRecording(m, b.p, simulate.NewRandom(seed, name+" "+kind+" recorder"))
			d.text = fmt.Sprintf("%s on %s, %d EUs at %.2f GHz, %s", d.text, m.name, m.eus, b.top(), b.p.pacing.Name())
			return d, nil
		}
	}
	return nil, fmt.Errorf("fifth model of Intel's GPUs: no %s case %d came about", kind, seed)
}

// build draws the program. It is false where what came about is not of the kind.
func (b *builder) build(d *drawn, kind string, seed uint64, last bool) (bool, error) {
	r, p := b.r, b.p
	b.governor()
	if often := kind == simulate.KindArchetype || kind == simulate.KindRandom || kind == simulate.KindTwoPhase; often && r.Chance(0.12) {
		b.limits(simulate.Pick(r, limitHeat, limitPower), r.Between(0.5, 0.95))
	}
	switch kind {
	case simulate.KindSingle:
		list := plants
		if b.m.base == "intel-dg2" {
			list = append(slices.Clone(plants), planted{sRT, candidates[cRay]})
		}
		x := list[seed%uint64(len(list))]
		d.name = x.c.String()
		b.single(x.station)
		d.text = "planted " + d.name
		if x.station == pDisplay { // which of the display's sides it is, the drawn pacing says
			t, err := judge(b.m, p)
			if err != nil {
				return false, err
			}
			l, clear := t.Limiter()
			d.name = l.String()
			return clear && l.Level == simulate.LevelDisplay, nil
		}
		if last {
			return true, nil
		}
		t, err := judge(b.m, p)
		if err != nil {
			return false, err
		}
		l, clear := t.Limiter()
		return clear && l == x.c, nil
	case simulate.KindSerial:
		if seed%2 == 0 {
			b.inTurn()
			d.text = "queues in turn"
		} else {
			b.sync()
			d.text = "processor and GPU in turn"
		}
		return true, nil
	case simulate.KindHealthy:
		d.text = b.healthy()
		e := engines.Get().(*engine)
		defer engines.Put(e)
		if err := e.simulate(b.m, p, relief{}, true, nil); err != nil {
			return false, err
		}
		x := e.part(p.spans()[0])
		if x.Missed > 0 || x.GPUBusy < 0.2 || x.GPUBusy > 0.75 || x.Displayed() <= 0.5 {
			return false, nil
		}
		if r.Chance(0.2) || last {
			return true, nil
		}
		t, err := judge(b.m, p)
		if err != nil {
			return false, err
		}
		return t.Healthy, nil
	case simulate.KindTwoPhase:
		first, second := b.one(), b.one()
		for try := 0; try < 5 && second.name == first.name; try++ {
			second = b.one()
		}
		p.contents = append(p.contents, first, second)
		p.contents[0].name, p.contents[1].name = "A "+first.name, "B "+second.name
		d.text = "two phases: " + first.name + ", then " + second.name
		b.load(r.Between(0.1, 1.1), r.Between(0.05, 0.5))
		return true, nil
	case simulate.KindRandom:
		b.heavy = r.Between(0.2, 0.7)
		c := b.content("random", b.random(), b.frameTime(), r.Chance(0.3))
		p.contents = append(p.contents, c)
		d.text = b.describe(&c)
		b.load(r.Log(0.06, 1.4), r.Log(0.03, 0.7))
		return true, nil
	}
	b.heavy = r.Between(0, 0.35)
	a := archetypes[r.IntN(len(archetypes))]
	for a.name == "ray traced game" && b.m.base != "intel-dg2" {
		a = archetypes[r.IntN(len(archetypes))]
	}
	c := b.content(a.name, a.parts, b.frameTime(), r.Chance(0.3))
	p.contents = append(p.contents, c)
	d.text = b.describe(&c)
	b.load(r.Between(a.app[0], a.app[1]), r.Between(0.05, 0.5))
	return true, nil
}

// frameTime is how long the GPU is to work on a frame.
func (b *builder) frameTime() float64 { return b.r.Log(4e6, 24e6) }

// one is content with one limit for a phase, or a kind of program.
func (b *builder) one() content {
	r := b.r
	if r.Chance(0.25) {
		a := archetypes[r.IntN(3)]
		return b.content(a.name, a.parts, b.frameTime(), false)
	}
	x := plants[r.IntN(14)]
	return b.limited(x.station)
}

// governor draws the clock.
func (b *builder) governor() {
	r, m := b.r, b.m
	c := &b.p.clock
	step := 50.0
	if m.mhz > 1500 {
		step = 100
	}
	for f := m.mhz; f >= max(m.least, 0.25*m.mhz); f -= step {
		c.steps = append([]float64{f / 1000}, c.steps...)
	}
	c.start = len(c.steps) - 1
	if r.Chance(0.65) {
		c.period = int64(r.Between(5e6, 16e6))
		c.up, c.down = r.Between(0.8, 0.93), r.Between(0.5, 0.75)
		c.pace = r.Whole(1, 5)
	}
	if r.Chance(0.2) { // a card of a smaller clock, or a limit that the user has set
		n := len(c.steps) - r.Whole(1, 4)
		c.steps = c.steps[:n]
		c.start = n - 1
	}
}

// limits holds the clock down by heat or power at about a share of its highest.
func (b *builder) limits(cause int, share float64) {
	r := b.r
	c := &b.p.clock
	c.period = int64(r.Between(3e6, 8e6))
	if c.up == 0 {
		c.up, c.down, c.pace = 0.85, 0.5, 3
	}
	e := r.Between(1.8, 3)
	c.limit = limit{cause: cause, full: 1, idle: r.Between(0.08, 0.25), most: pow(share, e), exponent: e, time: r.Between(20e6, 120e6),
		margin: r.Between(0.03, 0.08)}
	c.limit.start = c.limit.most * r.Between(0.9, 1)
	for i, f := range c.steps {
		if f <= share*b.top() {
			c.start = i
		}
	}
}
