package rdna

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const (
	compute  = "gfx1201-ninth"
	graphics = "amd-gpa-ninth"
)

// Names are the families.
var Names = []string{compute, graphics}

var kinds = []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindRandom, simulate.KindTwoPhase}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return slices.Clone(kinds) }

// thingsOf are what can limit the cases of a family.
func thingsOf(name string) []int {
	if name == compute {
		return []int{valu, lds, access, cache, memory, wait, spawn, fixed}
	}
	return []int{valu, lds, access, filter, cache, memory, wait, fixed, fetch, setup, scan, depth, color}
}

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(kinds, kind) {
		return nil, fmt.Errorf("family %q has no kind %q; it has %v", name, kind, kinds)
	}
	r := simulate.NewRandom(seed, "ninth "+name+" "+kind)
	p := &run{overhead: r.Between(1400, 3200), phases: []string{"all"}, things: thingsOf(name)}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	draw := p.computes
	if name == compute {
		p.m = &radeons[r.IntN(len(radeons))]
	} else {
		draw = p.draws
		p.m = &drawers[r.IntN(len(drawers))]
		p.overhead = r.Between(1200, 4000)
	}
	share := r.Between(0.9, 1)
	if r.Chance(0.4) {
		share = r.Between(0.55, 0.85) // a profile with steady clocks
	}
	thing := p.things[seed%uint64(len(p.things))]
	if kind == simulate.KindSingle {
		c.Plant = candidates[thing].String()
	}
	c.Text = draw(r, kind, thing, 0)
	if kind == simulate.KindTwoPhase {
		first := c.Text
		second := draw(r, kind, thing, 1)
		p.phases = []string{"first: " + first, "second: " + second}
		c.Text = first + ", then " + second
	}
	for i := range p.rows {
		x := &p.rows[i]
		x.clock = share * p.m.boost * r.Spread(0.004)
		x.seed = uint32(r.Uint64())
	}
	c.Text = fmt.Sprintf("%s on %s at %.2f GHz", c.Text, p.m.name, share*p.m.boost)
	record := p.rocprof
	if name == graphics {
		record = p.gpa
	}
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(seed, o) }
	c.Judge = p.judge
	return c, nil
}

// scaled is a job of another size.
func (j job) scaled(by float64) job {
	if j.draw {
		j.vertex.waves, j.units = math.Ceil(j.vertex.waves*by), j.units*by
		return j
	}
	j.shader.waves = math.Ceil(j.shader.waves * by)
	return j
}

// fit gives a job about the size that takes so many ns.
func (p *run) fit(j *job, ns float64) {
	took := follow(p.m, p.m.boost, 0, j, 1, ease(-1)).clocks / p.m.boost
	*j = j.scaled(ns / took)
	j.shader.waves = max(1, j.shader.waves)
}

// computes adds kernels of a phase.
func (p *run) computes(r simulate.Random, kind string, thing, phase int) string {
	var jobs []job
	text := ""
	add := func(name string, x program) {
		if x.loads > 0 && x.miss[1] < 0.9 {
			x.miss[1] = 0.9 // what RDNA 4 has there gathers requests and hardly keeps data
		}
		jobs = append(jobs, job{name: name, shader: x, kind: len(p.rows) + len(jobs)})
	}
	turns := r.Whole(2, 6)
	switch {
	case kind == simulate.KindSingle:
		text = "a kernel for " + candidates[thing].Name
		add("kernel_"+candidates[thing].Name, planted(r, thing))
		turns = r.Whole(8, 20)
	case kind == simulate.KindRandom:
		most := r.Log(8e3, 3e6)
		for range r.Whole(1, 5) {
			add(fmt.Sprintf("random_%d", len(jobs)), vary(r))
			p.fit(&jobs[len(jobs)-1], most*r.Log(0.1, 1))
		}
		text = "random kernels"
	default:
		mix := &mixes[r.IntN(len(mixes))]
		text = mix.name
		turns = r.Whole(mix.turns[0], mix.turns[1])
		known := map[int]int{}
		most := r.Log(8e3, 3e6) // ns of the longest
		for _, k := range mix.turn {
			if at, ok := known[k]; ok && r.Chance(0.8) {
				again := jobs[at]
				again.shader.waves = math.Ceil(again.shader.waves * simulate.Pick(r, 1, 1, 0.5, 2))
				jobs = append(jobs, again)
				continue
			}
			known[k] = len(jobs)
			add(kernels[k].name, kernels[k].draw(r))
			// Kernels of one program work on the same data: none takes a thousandth of another's time without a reason.
			part := r.Log(0.2, 1)
			if k == 5 || k == 24 {
				part = r.Log(0.005, 0.1)
			}
			p.fit(&jobs[len(jobs)-1], most*part)
		}
	}
	grow := r.Between(0, 0.3)
	for range turns {
		by := r.Spread(grow)
		for _, j := range jobs {
			if len(p.rows) < 36*(phase+1) {
				p.rows = append(p.rows, row{job: j.scaled(by), phase: phase})
			}
		}
	}
	return text
}

// draws adds draws and dispatches of a phase.
func (p *run) draws(r simulate.Random, kind string, thing, phase int) string {
	px := simulate.Pick(r, 1280*720.0, 1920*1080, 1920*1080, 2560*1440, 3840*2160)
	add := func(k int, name string, j job) {
		j.name, j.kind = name, k
		if j.draw && r.Chance(0.85) {
			j.vertex.slots = min(j.vertex.slots, 48)
		}
		p.rows = append(p.rows, row{job: j, phase: phase})
	}
	switch kind {
	case simulate.KindSingle:
		for range r.Whole(3, 12) {
			j := sketched(r, thing, px)
			add(thing, "draw for "+candidates[thing].Name, j)
		}
		return "draws for " + candidates[thing].Name
	case simulate.KindRandom:
		for range r.Whole(4, 30) {
			k := r.IntN(len(sketches))
			j := sketches[k].draw(r, px)
			p.fit(&j, r.Log(2e3, 4e5))
			add(k, sketches[k].name, j)
		}
		return "random draws"
	}
	s := &scenes[r.IntN(len(scenes))]
	heavy := r.Log(0.6, 1.6)
	for _, part := range s.parts {
		for range r.Whole(part[1], part[2]) {
			add(part[0], sketches[part[0]].name, sketches[part[0]].draw(r, px).scaled(heavy))
		}
	}
	return s.name
}
