package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const (
	gpaName  = "amd-gpa-eleventh"
	haloName = "gfx1151-eleventh"
)

// Names are the families.
var Names = []string{gpaName, haloName}

// Kinds are those that apply: nothing here has a display, and samples run one after the other.
func Kinds(string) []string {
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// plants are what content of one limit may be limited by.
var plants = map[string][]class{
	gpaName: {arithmetic, texture, loadStore, localMemory, primAssembly, vertexFetch, rasterizer, depth, pixelBackend,
		bandwidth, cache, latency, launch},
	haloName: {arithmetic, loadStore, localMemory, waveLaunch, bandwidth, cache, latency, launch},
}

// sample is one draw or dispatch of the program.
type sample struct {
	pass   *pass
	frame  int
	index  int // in its frame
	seed   uint64
	factor float64
}

// program is a device with everything that it does.
type program struct {
	name    string
	kind    string
	seed    uint64
	dev     device
	text    string
	plant   string
	samples []sample
	frames  int
	phases  []simulate.Stretch // of samples
}

// New makes a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("amd: no family %q", name)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("amd: %s has no kind %q", name, kind)
	}
	p := newProgram(name, kind, seed)
	return &simulate.Case{
		Family: name, Kind: kind, Seed: seed, Text: p.text, Plant: p.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return p.record(o) },
		Judge:  func() (*simulate.Truth, error) { return p.judge(), nil },
	}, nil
}

func newProgram(name, kind string, seed uint64) *program {
	r := newRandom(hashText(name), hashText(kind), seed)
	p := &program{name: name, kind: kind, seed: seed}
	c := halo
	if name == gpaName {
		c = cards[r.whole(0, len(cards)-1)]
	}
	p.dev = newDevice(c, r)
	switch kind {
	case simulate.KindArchetype:
		p.archetype(r)
	case simulate.KindSingle:
		all := plants[name]
		at := all[seed%uint64(len(all))]
		p.text, p.plant = "one draw limited by "+candidates[at].Name, candidates[at].String()
		p.fill(p.planted(at, r), r.between(.5, .9), r)
	case simulate.KindTwoPhase:
		all := plants[name]
		if name == haloName { // dispatches that only their launch limits take no half a second together
			all = all[:len(all)-1]
		}
		a := r.whole(0, len(all)-1)
		b := (a + r.whole(1, len(all)-1)) % len(all)
		p.text = candidates[all[a]].Name + ", then " + candidates[all[b]].Name
		long := [2]float64{r.between(.5, .65), r.between(.5, 1.6)}
		if all[a] != launch && (all[b] == launch || r.chance(.5)) { // very many short draws take long to simulate
			long[0], long[1] = long[1], long[0]
		}
		first := p.fill(p.planted(all[a], r), long[0], r)
		second := p.fill(p.planted(all[b], r), long[1], r)
		p.phases = []simulate.Stretch{
			{Name: candidates[all[a]].Name, First: 0, Last: first - 1},
			{Name: candidates[all[b]].Name, First: first, Last: first + second - 1},
		}
	default:
		p.mixture(r)
	}
	return p
}

// archetype draws a kind of program. One of its passes is often much longer than the others.
func (p *program) archetype(r *random) {
	all := games
	if p.name == haloName {
		all = kernels
	}
	a := all[r.whole(0, len(all)-1)]
	p.text = a.name
	long := r.whole(0, len(a.passes)-1)
	var passes []*pass
	for i, name := range a.passes {
		if len(a.passes) > 4 && i != long && r.chance(.15) {
			continue
		}
		base := 1e6 * r.between(.8, 2.8)
		if i == long {
			base *= r.between(2.2, 4.5)
		}
		passes = append(passes, newPass(named(name), &p.dev, base, r.next()))
	}
	p.fill(passes, r.between(.6, 1.4), r)
}

// planted draws a few passes that one class limits.
func (p *program) planted(at class, r *random) []*pass {
	c := content{name: candidates[at].Name, need: map[class]span{at: most}}
	switch at {
	case localMemory, waveLaunch:
		c.compute = true
	case arithmetic, texture, loadStore, bandwidth, cache, latency, launch:
		c.compute = r.chance(.5)
	}
	if p.name == haloName {
		c.compute = true
	}
	base := small
	if c.compute {
		base = light
	}
	for k, s := range base {
		if _, ok := c.need[k]; !ok && k != at {
			c.need[k] = span{s[0] * .7, s[1]}
		}
	}
	if at == launch {
		delete(c.need, launch)
		c.batches = r.whole(60, 150)
	}
	var passes []*pass
	for range r.whole(1, 3) {
		length := 1e6 * r.between(2, 5)
		if at == launch {
			length = barrier * p.dev.packet / 1000 * float64(c.batches) * r.between(.4, .9)
		}
		passes = append(passes, newPass(c, &p.dev, length, r.next()))
	}
	return passes
}

// mixture draws passes of any kind.
func (p *program) mixture(r *random) {
	p.text = "a mixture"
	var passes []*pass
	for i := range r.whole(1, 6) {
		c := content{name: fmt.Sprintf("pass %d", i), need: map[class]span{}, compute: r.chance(.35) || p.name == haloName}
		base := small
		if c.compute {
			base = light
		}
		for k := range classes {
			if _, ok := base[k]; ok {
				x := r.unit()
				x *= x
				if k == latency && !r.chance(.2) { // most programs have waves enough
					x *= .5
				}
				c.need[k] = span{x, x}
			}
		}
		c.late, c.blind = r.chance(.15), !c.compute && r.chance(.1)
		if r.chance(.15) {
			c.batches = r.whole(5, 40)
		}
		passes = append(passes, newPass(c, &p.dev, 1e6*r.between(1.5, 6), r.next()))
	}
	p.fill(passes, r.between(.5, 1.4), r)
}

// fill adds frames of these passes until they take about so many seconds, and returns how many samples it added.
func (p *program) fill(passes []*pass, seconds float64, r *random) int {
	frame := 0.0
	for _, x := range passes {
		frame += x.estimate(&p.dev)
	}
	// Short dispatches come with the profiler's gaps between them, so that few of them take long.
	frames := max(4, min(int(seconds*1e12/frame+1), 900/len(passes)))
	before := len(p.samples)
	drift := 0.0
	for range frames {
		drift = .8*drift + r.normal()
		for i, x := range passes {
			p.samples = append(p.samples, sample{x, p.frames, i, r.next(), 1 + x.wanders*(drift*.6+.5*r.normal())})
		}
		p.frames++
	}
	return len(p.samples) - before
}

// estimate is about how long a run of the pass takes: that of its first.
func (p *pass) estimate(d *device) float64 {
	var s simulator
	v := usual()
	return float64(s.run(p.plan(d, 1, 1), &v).total)
}
