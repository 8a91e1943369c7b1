package amd

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of this model.
var Names = []string{"amd-gpa-twelfth"}

var kinds = []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindRandom, simulate.KindTwoPhase}

// Kinds are the kinds of cases of a family, nil where it is not of this model.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return slices.Clone(kinds)
}

// some is how many draws of a pass a frame has.
type some struct {
	of       pass
	lo, hi   int
	repeated bool // the same draw again and again, as for the steps of an algorithm
}

// archetype is a kind of program.
type archetype struct {
	name   string
	passes []some
}

var archetypes = []archetype{
	{"deferred renderer", []some{{shadow, 2, 6, false}, {prepass, 0, 2, false}, {gbuffer, 5, 14, false}, {ambient, 1, 1, false},
		{lighting, 1, 2, false}, {sky, 1, 1, false}, {particles, 0, 4, false}, {blur, 2, 6, false}, {tonemap, 1, 1, false},
		{interfaces, 2, 6, false}}},
	{"forward renderer", []some{{shadow, 1, 4, false}, {prepass, 1, 3, false}, {culling, 1, 2, false}, {forward, 8, 24, false},
		{sky, 1, 1, false}, {particles, 0, 3, false}, {tonemap, 1, 1, false}, {interfaces, 1, 5, false}}},
	{"open world with many shadows", []some{{shadow, 8, 20, false}, {culling, 2, 6, false}, {gbuffer, 4, 10, false},
		{foliage, 2, 6, false}, {lighting, 1, 1, false}, {tonemap, 1, 1, false}}},
	{"forest", []some{{shadow, 2, 5, false}, {foliage, 6, 16, false}, {gbuffer, 2, 5, false}, {lighting, 1, 1, false},
		{ambient, 0, 1, false}, {upscale, 0, 1, false}}},
	{"smoke and fire", []some{{gbuffer, 3, 6, false}, {lighting, 1, 1, false}, {particles, 6, 20, false}, {blur, 2, 4, false},
		{tonemap, 1, 1, false}}},
	{"post effects", []some{{gbuffer, 2, 4, false}, {ambient, 1, 2, false}, {blur, 6, 16, false}, {upscale, 1, 2, false},
		{tonemap, 1, 2, false}, {copies, 1, 5, false}}},
	{"ray tracing by compute", []some{{gbuffer, 3, 8, false}, {rayTracing, 1, 4, false}, {upscale, 1, 3, false}, {blur, 2, 5, false},
		{lighting, 1, 1, false}, {tonemap, 1, 1, false}}},
	{"desktop and video", []some{{video, 1, 4, false}, {copies, 2, 8, false}, {interfaces, 6, 30, false}}},
	{"many small objects", []some{{shadow, 1, 2, false}, {small, 30, 60, false}, {interfaces, 2, 8, false}, {tonemap, 1, 1, false}}},
	{"construction model", []some{{denseMesh, 6, 20, false}, {small, 3, 12, false}, {interfaces, 1, 4, false}}},
	{"GPU driven", []some{{culling, 4, 12, false}, {skinning, 1, 5, false}, {prepass, 1, 2, false}, {denseMesh, 3, 8, false},
		{lighting, 1, 1, false}}},
	{"crowd", []some{{skinning, 6, 16, false}, {culling, 1, 3, false}, {gbuffer, 4, 12, false}, {lighting, 1, 1, false}}},
	{"fog and clouds", []some{{gbuffer, 2, 5, false}, {volumes, 1, 5, false}, {lighting, 1, 1, false}, {sky, 1, 1, false},
		{blur, 1, 3, false}, {tonemap, 1, 1, false}}},
	{"linear algebra", []some{{gemm, 3, 10, false}, {reduce, 1, 4, false}, {tiny, 0, 6, false}}},
	{"flow on a grid", []some{{stencil, 4, 16, true}, {reduce, 1, 3, false}, {copies, 0, 2, false}}},
	{"sorting", []some{{sortKeys, 4, 16, true}, {histogram, 2, 8, true}, {reduce, 2, 6, false}, {tiny, 2, 8, false}}},
	{"signal processing", []some{{fourier, 3, 12, true}, {stencil, 1, 3, false}, {histogram, 0, 2, false}, {reduce, 0, 2, false}}},
	{"graph", []some{{gather, 4, 16, false}, {tiny, 2, 14, false}, {sortKeys, 0, 3, false}}},
	{"particles of a simulation", []some{{bodies, 1, 5, false}, {sortKeys, 1, 3, false}, {gather, 0, 3, false}, {particles, 1, 3, false}}},
	{"picture editing", []some{{blur, 3, 10, false}, {stencil, 2, 6, false}, {histogram, 1, 2, false}, {video, 1, 2, false},
		{copies, 1, 4, false}}},
}

var anyPass = []pass{shadow, prepass, gbuffer, forward, foliage, particles, interfaces, sky, blur, tonemap, copies, denseMesh,
	small, ambient, lighting, upscale, culling, skinning, rayTracing, volumes, video, reduce, gemm, stencil, sortKeys,
	histogram, fourier, gather, bodies, tiny}

// frame draws the frame of an archetype.
func (a *archetype) frame(s *scene) (out []draw) {
	for _, p := range a.passes {
		n := s.Whole(p.lo, p.hi)
		if n == 0 {
			continue
		}
		d := p.of(s)
		for i := range n {
			if i > 0 && !p.repeated {
				d = p.of(s)
			}
			out = append(out, d)
		}
	}
	return out
}

// repeat makes frames of one: the camera moves, and so the work changes a little.
func (s *scene) repeat(one []draw, frames int) (out [][]draw) {
	clock := 1.0
	drift := s.Between(0.005, 0.08)
	for range frames {
		var f []draw
		for _, d := range one {
			d = d.scaled(s.Spread(drift))
			if !s.m.stable {
				clock = max(0.55, min(1, clock+s.Between(-0.05, 0.05)))
			}
			d.clock = clock
			d.finish(s.Random)
			f = append(f, d)
		}
		out = append(out, f)
	}
	return out
}

// New draws a case. The same arguments give the same one.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q here; there is %s", name, strings.Join(Names, ", "))
	}
	rnd := simulate.NewRandom(seed, name+" "+kind)
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	var p *program
	switch kind {
	case simulate.KindArchetype:
		m := drawMachine(rnd)
		a := &archetypes[rnd.IntN(len(archetypes))]
		s := newScene(rnd, m)
		p = &program{m: m, frames: s.repeat(a.frame(s), rnd.Whole(2, 4))}
		c.Text = a.name
	case simulate.KindRandom:
		m := drawMachine(rnd)
		s := newScene(rnd, m)
		p = &program{m: m, frames: s.repeat(s.mixture(), rnd.Whole(2, 3))}
		c.Text = "draws and dispatches of any kind"
	case simulate.KindSingle:
		leaf := int(seed % uint64(leaves))
		p = single(rnd, leaf)
		c.Plant = candidates[leaf].String()
		c.Text = "limited by " + c.Plant
	case simulate.KindTwoPhase:
		p = twoPhases(rnd)
		c.Text = p.phases[0] + ", then " + p.phases[1]
	default:
		return nil, fmt.Errorf("%s has no cases of kind %q", name, kind)
	}
	c.Text += " on " + p.m.name + " with " + p.m.api
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return p.record(seed, &o) }
	c.Judge = func() (*simulate.Truth, error) { return p.judge(), nil }
	return c, nil
}

// mixture is a frame of passes of any kind, some with much more of something than is usual.
func (s *scene) mixture() (out []draw) {
	for range s.Whole(2, 7) {
		of := simulate.Pick(s.Random, anyPass...)
		for range s.Whole(1, 6) {
			d := of(s)
			if s.Chance(0.4) {
				s.push(&d, s.IntN(leaves), s.Log(1.2, 6))
			}
			out = append(out, d)
		}
	}
	return out
}

// single draws a program that only one thing limits: a frame of one or two passes, with as much of it as it takes.
func single(rnd simulate.Random, leaf int) *program {
	var last *program
	for range 12 {
		m := drawMachine(rnd)
		s := newScene(rnd, m)
		last = &program{m: m, frames: s.repeat(s.limited(leaf, s.Between(1.4, 3)), rnd.Whole(1, 3))}
		if l, clear := last.limiter(); clear && l == candidates[leaf] {
			break
		}
	}
	return last
}

// limiter is what limits the program.
func (p *program) limiter() (simulate.Candidate, bool) { return p.judge().Limiter() }

// twoPhases draws a program whose second half is limited by something else, if a few tries find one.
func twoPhases(rnd simulate.Random) *program {
	var p *program
	for range 8 {
		m := drawMachine(rnd)
		p = &program{m: m}
		for i := range 2 {
			s := newScene(rnd, m)
			var one []draw
			if rnd.Chance(0.6) {
				a := &archetypes[rnd.IntN(len(archetypes))]
				one, p.phases[i] = a.frame(s), a.name
			} else {
				leaf := rnd.IntN(leaves)
				one, p.phases[i] = s.limited(leaf, s.Between(1.1, 2)), "much for "+candidates[leaf].String()
			}
			p.frames = append(p.frames, s.repeat(one, rnd.Whole(2, 3))...)
			if i == 0 {
				p.second = len(p.frames)
			}
		}
		t := p.judge()
		a, okA := t.Phases[0].Limiter()
		b, okB := t.Phases[1].Limiter()
		// Neither phase is so short beside the other that it hardly counts.
		x, y := float64(t.Phases[0].End-t.Phases[0].Start), float64(t.Phases[1].End-t.Phases[1].Start)
		if okA && okB && a != b && x < 12*y && y < 12*x {
			break
		}
	}
	return p
}
