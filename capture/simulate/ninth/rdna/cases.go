package rdna

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const (
	profiled = "gfx1201-ninth"
	drawing  = "amd-gpa-ninth"
)

// Names are the families.
var Names = []string{profiled, drawing}

var kinds = []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindRandom, simulate.KindTwoPhase}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return slices.Clone(kinds) }

// limits are what can limit the cases of a family.
var limits = map[string][]int{profiled: {valu, lds, access, cache, memory, wait, spawn, fixed},
	drawing: {valu, lds, access, filter, cache, memory, wait, fixed, fetch, setup, scan, depth, color}}

// row is one dispatch or draw, as it runs at a clock in GHz.
type row struct {
	job   job
	clock float64
	seed  uint32
	phase int
}

// run is a program: what it does one after the other, on which machine. Each row takes some ns beside its work.
type run struct {
	m        *machine
	overhead float64
	rows     []row
	phases   []string
	things   []int
}

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(kinds, kind) {
		return nil, fmt.Errorf("family %q has no kind %q; it has %v", name, kind, kinds)
	}
	r := simulate.NewRandom(seed, "ninth "+name+" "+kind)
	p := &run{things: limits[name], phases: []string{"all"}}
	p.m, p.overhead = &radeons[r.IntN(len(radeons))], r.Between(1400, 3200)
	draw, record := p.dispatches, p.rocprof
	if name == drawing {
		p.m, p.overhead = &drawers[r.IntN(len(drawers))], r.Between(1200, 4000)
		draw, record = p.draws, p.gpa
	}
	share := r.Between(0.9, 1)
	if r.Chance(0.4) {
		share = r.Between(0.55, 0.85) // a profile with steady clocks
	}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed, Judge: p.judge}
	thing := p.things[seed%uint64(len(p.things))]
	if kind == simulate.KindSingle {
		c.Plant = candidates[thing].String()
	}
	text := draw(r, kind, thing, 0)
	if kind == simulate.KindTwoPhase {
		p.phases = []string{"first: " + text, ""}
		second := draw(r, kind, thing, 1)
		p.phases[1] = "second: " + second
		text += ", then " + second
	}
	for i := range p.rows {
		p.rows[i].clock, p.rows[i].seed = share*p.m.boost*r.Spread(0.004), uint32(r.Uint64())
	}
	c.Text = fmt.Sprintf("%s on %s at %.2f GHz", text, p.m.name, share*p.m.boost)
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(seed, o) }
	return c, nil
}

// scaled is a job of another size.
func (j job) scaled(by float64) job {
	if j.draw {
		j.vertex.waves, j.units = math.Ceil(j.vertex.waves*by), j.units*by
		return j
	}
	j.shader.waves = max(1, math.Ceil(j.shader.waves*by))
	return j
}

// fit is a job of about the size that takes so many ns. Fewer waves take no less time where the machine is not full:
// then they turn fewer rounds.
func (p *run) fit(j job, ns float64) job {
	for range 3 {
		by := ns * p.m.boost / follow(p.m, p.m.boost, 0, &j, 1, ease(-1)).clocks
		if s := &j.shader; by < 1 && !j.draw && s.waves <= p.m.wgps*s.group {
			s.rounds = max(1, math.Ceil(s.rounds*by))
			continue
		}
		j = j.scaled(by)
	}
	return j
}

// dispatches adds kernels of a phase.
func (p *run) dispatches(r simulate.Random, kind string, thing, phase int) (text string) {
	var jobs []job
	add := func(name string, x program) *job {
		x.gl1 = max(x.gl1, 0.9) // what RDNA 4 has there gathers requests and hardly keeps data
		x.rounds = math.Ceil(x.rounds)
		jobs = append(jobs, job{name: name, shader: x, kind: len(p.rows) + len(jobs)})
		return &jobs[len(jobs)-1]
	}
	turns, most := r.Whole(2, 10), r.Log(8e3, 3e6) // ns of the longest: kernels of one program work on the same data
	switch {
	case kind == simulate.KindSingle:
		text, turns = "a kernel for "+candidates[thing].Name, r.Whole(8, 20)
		add("kernel_"+candidates[thing].Name, compute(r, plantedFrom+planted[thing]))
	case kind == simulate.KindRandom:
		text = "random kernels"
		for i := range r.Whole(1, 5) {
			j := add(fmt.Sprintf("random_%d", i), compute(r, "waves 1e3 "+kernels[27].text))
			*j = p.fit(*j, most*r.Log(0.1, 1))
		}
	default:
		mix := &mixes[r.IntN(len(mixes))]
		text = mix.name
		known := map[int]int{}
		turn := slices.Clone(mix.turn)
		for range r.Whole(0, 3) { // programs do more than what they are called after
			turn = append(turn, r.IntN(27))
		}
		for _, k := range turn {
			if at, ok := known[k]; ok && r.Chance(0.8) {
				jobs = append(jobs, jobs[at].scaled(simulate.Pick(r, 1, 1, 0.5, 2)))
				continue
			}
			known[k] = len(jobs)
			part := r.Log(0.35, 1)
			if k == 5 || k == 24 { // they are small everywhere
				part = r.Log(0.005, 0.1)
			}
			j := add(kernels[k].name, compute(r, "waves 3e3 "+kernels[k].text))
			*j = p.fit(*j, most*part)
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
		p.rows = append(p.rows, row{job: j, phase: phase})
	}
	switch kind {
	case simulate.KindSingle:
		for range r.Whole(3, 12) {
			text, size := drafted[thing], px
			if thing == valu && r.Chance(0.5) {
				text = "triangles 500~5e3 area .4:1.5 valu 500:2000 tex 2 l0 .08"
			}
			j := job{}
			if text == "" || thing == memory && r.Chance(0.5) {
				j.shader = compute(r, plantedFrom+"rounds 2~12 "+planted[thing])
				j.shader.rounds = math.Ceil(j.shader.rounds)
			} else {
				j = picture(r, text, size)
			}
			add(thing, "draw for "+candidates[thing].Name, j)
		}
		return "draws for " + candidates[thing].Name
	case simulate.KindRandom:
		for range r.Whole(4, 30) {
			k := r.IntN(len(sketches))
			add(k, sketches[k].name, p.fit(picture(r, sketches[k].text, px), r.Log(2e3, 4e5)))
		}
		return "random draws"
	}
	s := &scenes[r.IntN(len(scenes))]
	heavy := r.Log(0.6, 1.6)
	parts := s.parts
	for range r.Whole(0, 4) {
		parts += string(rune('a' + r.IntN(len(sketches))))
	}
	for _, part := range parts {
		if k := int(part - 'a'); r.Chance(0.75) || len(p.rows) == 0 {
			add(k, sketches[k].name, picture(r, sketches[k].text, px).scaled(heavy))
		}
	}
	return s.name
}

// results follows every row.
func (p *run) results() []result {
	out := make([]result, len(p.rows))
	for i := range p.rows {
		r := &p.rows[i]
		out[i] = follow(p.m, r.clock, p.overhead, &r.job, r.seed, ease(-1))
	}
	return out
}

func (r *result) ns(clock float64) int64 { return int64(math.Round(r.clocks / clock)) }

// judge finds out what limits by relieving one thing after the other.
func (p *run) judge() (*simulate.Truth, error) {
	truth := &simulate.Truth{}
	base := p.results()
	parts := make([]simulate.Part, 1+len(p.phases))
	sums := make([][things]float64, len(parts))
	for i, at := 0, int64(0); i < len(base); i++ {
		ns := base[i].ns(p.rows[i].clock)
		for _, k := range []int{0, 1 + p.rows[i].phase} {
			if parts[k].Frames == 0 {
				parts[k].First, parts[k].Start = i, at
			}
			parts[k].Frames, parts[k].End = parts[k].Frames+1, at+ns
			for c, v := range base[i].acc {
				sums[k][c] += v / p.rows[i].clock
			}
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: p.rows[i].job.kind, Begin: at, GPUBegin: at, GPUEnd: at + ns, Shown: at + ns, Judged: true})
		at += ns
	}
	for _, c := range p.things {
		saved := make([]int64, len(parts))
		e := ease(c)
		for i := range base {
			if r := &p.rows[i]; base[i].acc[c] > 0 { // else it was never waited for
				eased := follow(p.m, r.clock, p.overhead, &r.job, r.seed, e)
				gain := base[i].ns(r.clock) - eased.ns(r.clock)
				saved[0] += gain
				saved[1+r.phase] += gain
			}
		}
		for k := range parts {
			parts[k].Leaves = append(parts[k].Leaves, simulate.Gain{Candidate: candidates[c], Simulated: sums[k][c] > 0,
				Percent: 100 * float64(saved[k]) / float64(max(1, parts[k].End-parts[k].Start))})
		}
	}
	for k := range parts {
		x := &parts[k]
		x.GPUBusy, x.ClockMean = 1, 1
		left := x.End - x.Start // shares are whole; what is no candidate of the family is part of the fixed time
		for _, c := range p.things {
			if ns := min(left, int64(sums[k][c])); c != fixed && ns > 0 {
				x.Shares = append(x.Shares, simulate.Share{Candidate: candidates[c], Ns: ns})
				left -= ns
			}
		}
		x.Shares = append(x.Shares, simulate.Share{Candidate: candidates[fixed], Ns: left})
		simulate.SortShares(x.Shares)
		x.Rank()
	}
	if truth.Part = parts[0]; len(p.phases) > 1 {
		for i, name := range p.phases {
			parts[1+i].Name = name
		}
		truth.Phases = parts[1:]
	}
	return truth, nil
}
