package amd

import (
	"maps"
	"slices"

	"astrolabe/capture/simulate"
)

// step is a pass of an archetype: a kind of draw, how many of them at least and at most, and how likely it is there.
type step struct {
	kind     string
	lo, hi   int
	presence float64
}

// archetypes are programs as they are. The profiler records one picture, or some of a picture's or program's steps.
var archetypes = []struct {
	text   string
	weight float64
	steps  []step
}{
	{"game with deferred lighting", 3, []step{{"shadow", 3, 10, 1}, {"depth", 2, 6, 0.4}, {"surfaces", 6, 18, 1},
		{"decal", 1, 3, 0.5}, {"occlusion", 1, 1, 0.8}, {"lighting", 1, 2, 0.6}, {"lights", 1, 1, 0.5}, {"sky", 1, 1, 0.7},
		{"particles", 1, 5, 0.7}, {"history", 1, 1, 0.7}, {"effect", 2, 6, 1}, {"layers", 1, 5, 0.8}}},
	{"game with forward lighting", 2, []step{{"shadow", 2, 8, 0.9}, {"depth", 3, 8, 0.6}, {"opaque", 8, 22, 1},
		{"sky", 1, 1, 0.9}, {"particles", 1, 4, 0.6}, {"effect", 1, 4, 0.9}, {"layers", 1, 6, 0.8}}},
	{"forest", 1.2, []step{{"shadow", 4, 9, 1}, {"foliage", 8, 18, 1}, {"opaque", 2, 5, 1}, {"lighting", 0, 1, 1},
		{"effect", 1, 3, 1}}},
	{"smoke and sparks", 1, []step{{"opaque", 2, 6, 1}, {"particles", 8, 20, 1}, {"effect", 1, 3, 1}, {"march", 0, 1, 1}}},
	{"desktop", 1.2, []step{{"layers", 12, 30, 1}, {"effect", 1, 4, 0.6}, {"clear", 1, 2, 1}, {"copy", 0, 1, 1}}},
	{"construction program", 1.2, []step{{"model", 8, 20, 1}, {"layers", 2, 6, 1}, {"effect", 0, 1, 1}}},
	{"city seen from above", 0.8, []step{{"shadow", 6, 12, 1}, {"depth", 4, 8, 1}, {"opaque", 4, 10, 1}, {"effect", 1, 3, 1}}},
	{"walk through a building", 0.8, []step{{"rooms", 6, 16, 1}, {"opaque", 0, 4, 1}, {"effect", 1, 2, 0.8}}},
	{"flight over land", 0.8, []step{{"terrain", 6, 16, 1}, {"foliage", 0, 5, 1}, {"sky", 1, 1, 1}, {"effect", 0, 2, 1}}},
	{"many lights with shadows", 0.8, []step{{"shadow", 6, 16, 1}, {"volumes of light", 4, 14, 1}, {"opaque", 1, 4, 1}}},
	{"editor of diagrams", 0.8, []step{{"layers", 20, 50, 1}, {"decal", 0, 2, 1}}},
	{"physics in many steps", 0.8, []step{{"small", 14, 40, 1}, {"reduce", 2, 8, 1}, {"skin", 0, 2, 1}}},
	{"lookups in tables", 0.8, []step{{"table", 4, 12, 1}, {"sort", 0, 2, 1}, {"activate", 1, 4, 1}}},
	{"picture processing", 1.2, []step{{"blur", 2, 6, 1}, {"effect", 1, 4, 0.6}, {"histogram", 1, 2, 1}, {"copy", 1, 3, 1},
		{"upscale", 0, 2, 1}, {"reduce", 1, 4, 0.7}}},
	{"video", 0.8, []step{{"copy", 2, 4, 1}, {"upscale", 1, 3, 1}, {"blur", 1, 3, 1}, {"effect", 1, 2, 1}}},
	{"network of convolutions", 1.3, []step{{"multiply", 8, 18, 1}, {"activate", 6, 14, 1}, {"reduce", 1, 3, 1}}},
	{"language model", 1.2, []step{{"vector", 10, 22, 1}, {"activate", 6, 12, 1}, {"reduce", 4, 9, 1}, {"small", 3, 8, 1}}},
	{"simulation of bodies", 0.8, []step{{"bodies", 2, 5, 1}, {"sort", 1, 4, 0.6}, {"small", 2, 6, 1}, {"reduce", 1, 3, 1}}},
	{"simulation on a grid", 1, []step{{"stencil", 6, 14, 1}, {"reduce", 2, 5, 1}, {"copy", 0, 2, 1}}},
	{"solver of sparse systems", 0.8, []step{{"sparse", 5, 12, 1}, {"activate", 3, 7, 1}, {"reduce", 4, 8, 1}}},
	{"search in trees", 0.8, []step{{"chase", 4, 9, 1}, {"sort", 2, 5, 0.8}, {"small", 1, 5, 1}}},
	{"spectra", 0.7, []step{{"waves", 5, 12, 1}, {"activate", 2, 4, 1}, {"copy", 1, 2, 0.6}}},
	{"renderer of volumes", 0.8, []step{{"march", 2, 5, 1}, {"history", 1, 1, 0.8}, {"effect", 1, 3, 1}, {"copy", 1, 2, 0.5}}},
}

func (c *content) archetype(r simulate.Random) {
	weights := make([]float64, len(archetypes))
	for i := range archetypes {
		weights[i] = archetypes[i].weight
	}
	a := &archetypes[r.Weighted(weights)]
	c.text, c.names = a.text, []string{a.text}
	f := drawFrame(r, &c.machine)
	var ends []int
	for _, s := range a.steps {
		if !r.Chance(s.presence) {
			continue
		}
		c.draw(r, s.kind, &f, r.Whole(s.lo, s.hi), 0)
		ends = append(ends, len(c.draws))
	}
	if len(c.draws) == 0 {
		c.draw(r, a.steps[0].kind, &f, 4, 0)
	}
	if r.Chance(0.85) {
		c.tune(r, ends)
	}
}

// tune makes steps that take far longer than the program's others smaller, as those who write programs do: they take
// fewer samples, or fewer pixels, until no step stands out. ends are where the steps end.
func (c *content) tune(r simulate.Random, ends []int) {
	none := noEase()
	times := make([]float64, len(ends))
	from := 0
	for i, end := range ends {
		for k := from; k < end; k++ {
			times[i] += c.machine.run(&c.draws[k], &none).total
		}
		from = end
	}
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) < 2 {
		return
	}
	from = 0
	for i, end := range ends {
		most := sorted[len(sorted)/2] * r.Log(0.7, 2)
		for k := from; k < end; k++ {
			if times[i] > most {
				c.draws[k] = c.draws[k].scaled(most / times[i])
			}
		}
		from = end
	}
}

// draw adds n draws of a kind in groups, each with one material.
func (c *content) draw(r simulate.Random, kind string, f *frame, n, phase int) {
	of := passes()[kind]
	for n > 0 {
		group := min(n, r.Whole(1, 4))
		c.add(r, of, f, group, 1, phase)
		n -= group
	}
}

// passes are all kinds of draws.
func passes() map[string]pass {
	out := maps.Clone(graphics)
	maps.Copy(out, computes)
	out["volumes of light"], out["terrain"], out["rooms"] = stencilVolume, terrain, inside
	return out
}

// passNames are their names, always in the same order.
func passNames() []string { return slices.Sorted(maps.Keys(passes())) }

// mixture takes kinds of draws as they come.
func (c *content) mixture(r simulate.Random) {
	c.text, c.names = "mixture", []string{"mixture"}
	f := drawFrame(r, &c.machine)
	names := passNames()
	for range r.Whole(2, 9) {
		size := r.Log(0.3, 3)
		c.add(r, passes()[simulate.Pick(r, names...)], &f, r.Whole(1, 6), size, 0)
	}
}

// twoPhases are two contents, one after the other, each mostly of one kind of draw. Each is a session of the profiler.
func (c *content) twoPhases(r simulate.Random) {
	first := r.IntN(limits)
	second := (first + r.Whole(1, limits-1)) % limits
	c.text = "first " + candidates[first].String() + ", then " + candidates[second].String()
	for phase, k := range []int{first, second} {
		c.names = append(c.names, []string{"first", "second"}[phase])
		f := drawFrame(r, &c.machine)
		for range r.Whole(1, 3) {
			c.add(r, c.plantOf(k), &f, r.Whole(3, 8), 1, phase)
		}
		if r.Chance(0.5) {
			c.add(r, passes()[simulate.Pick(r, passNames()...)], &f, r.Whole(1, 2), 0.3, phase)
		}
	}
}
