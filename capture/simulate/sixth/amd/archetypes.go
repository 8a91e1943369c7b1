package amd

import (
	"maps"
	"math"
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
		{"decals", 1, 3, 0.5}, {"occlusion", 1, 1, 0.8}, {"lighting", 1, 2, 0.6}, {"lights", 1, 1, 0.5}, {"sky", 1, 1, 0.7},
		{"particles", 1, 5, 0.7}, {"history", 1, 1, 0.7}, {"effect", 2, 6, 1}, {"layers", 1, 5, 0.8}}},
	{"game with forward lighting", 2, []step{{"shadow", 2, 8, 0.9}, {"depth", 3, 8, 0.6}, {"opaque", 8, 22, 1},
		{"sky", 1, 1, 0.9}, {"particles", 1, 4, 0.6}, {"effect", 1, 4, 0.9}, {"layers", 1, 6, 0.8}}},
	{"forest", 1.2, []step{{"leaves' shadows", 4, 9, 1}, {"foliage", 8, 18, 1}, {"opaque", 2, 5, 1}, {"lighting", 0, 1, 1},
		{"effect", 1, 3, 1}}},
	{"smoke and sparks", 1, []step{{"opaque", 2, 6, 1}, {"particles", 8, 20, 1}, {"effect", 1, 3, 1}, {"march", 0, 1, 1}}},
	{"desktop", 1.2, []step{{"layers", 12, 30, 1}, {"effect", 1, 4, 0.6}, {"fill", 1, 2, 1}, {"copy", 0, 1, 1}}},
	{"construction program", 1.2, []step{{"model", 8, 20, 1}, {"layers", 2, 6, 1}, {"effect", 0, 1, 1}}},
	{"city seen from above", 0.8, []step{{"shadow", 6, 12, 1}, {"depth", 4, 8, 1}, {"opaque", 4, 10, 1}, {"effect", 1, 3, 1}}},
	{"walk through a building", 0.8, []step{{"rooms", 6, 16, 1}, {"opaque", 0, 4, 1}, {"effect", 1, 2, 0.8}}},
	{"flight over land", 0.8, []step{{"terrain's depth", 0, 8, 1}, {"terrain", 4, 12, 1}, {"foliage", 0, 5, 1}, {"sky", 1, 1, 1}, {"effect", 0, 2, 1}}},
	{"many lights with shadows", 0.8, []step{{"shadow", 6, 16, 1}, {"volumes of light", 4, 14, 1}, {"opaque", 1, 4, 1}}},
	{"editor of diagrams", 0.8, []step{{"layers", 20, 50, 1}, {"decals", 0, 2, 1}}},
	{"physics in many steps", 0.8, []step{{"small", 14, 40, 1}, {"sum", 2, 8, 1}, {"bones", 0, 2, 1}}},
	{"lookups in tables", 0.8, []step{{"table", 4, 12, 1}, {"sort", 0, 2, 1}, {"activate", 1, 4, 1}}},
	{"picture processing", 1.2, []step{{"blur", 2, 6, 1}, {"effect", 1, 4, 0.6}, {"histogram", 1, 2, 1}, {"copy", 1, 3, 1},
		{"upscale", 0, 2, 1}, {"sum", 1, 4, 0.7}}},
	{"video", 0.8, []step{{"copy", 2, 4, 1}, {"upscale", 1, 3, 1}, {"blur", 1, 3, 1}, {"effect", 1, 2, 1}}},
	{"network of convolutions", 1.3, []step{{"multiply", 8, 18, 1}, {"activate", 6, 14, 1}, {"sum", 1, 3, 1}}},
	{"language model", 1.2, []step{{"vector", 10, 22, 1}, {"activate", 6, 12, 1}, {"sum", 4, 9, 1}, {"small", 3, 8, 1}}},
	{"simulation of bodies", 0.8, []step{{"bodies", 2, 5, 1}, {"sort", 1, 4, 0.6}, {"small", 2, 6, 1}, {"sum", 1, 3, 1}}},
	{"simulation on a grid", 1, []step{{"grid", 6, 14, 1}, {"sum", 2, 5, 1}, {"copy", 0, 2, 1}}},
	{"solver of sparse systems", 0.8, []step{{"sparse", 5, 12, 1}, {"activate", 3, 7, 1}, {"sum", 4, 8, 1}}},
	{"search in trees", 0.8, []step{{"chase", 4, 9, 1}, {"sort", 2, 5, 0.8}, {"small", 1, 5, 1}}},
	{"spectra", 0.7, []step{{"spectrum", 5, 12, 1}, {"activate", 2, 4, 1}, {"copy", 1, 2, 0.6}}},
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
		c.draw(r, s.kind, &f, r.Whole(s.lo, s.hi))
		ends = append(ends, len(c.draws))
	}
	if len(c.draws) == 0 {
		c.draw(r, a.steps[0].kind, &f, 4)
	}
	c.tune(r, ends)
}

// tune makes steps that take far longer than the program's others smaller, as those who write programs do: they take
// fewer samples, or fewer pixels, until no step stands out, and spend what they have on the others. ends are where the steps end.
func (c *content) tune(r simulate.Random, ends []int) {
	none := easing(noCandidate)
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
		most := sorted[len(sorted)/2] * r.Log(0.7, 1.4)
		for k := from; k < end; k++ {
			switch {
			case times[i] > most:
				c.draws[k] = c.draws[k].scaled(most / times[i])
			case times[i] < most/3:
				c.draws[k] = c.draws[k].scaled(math.Min(4, most/3/times[i]))
			}
		}
		from = end
	}
}

// draw adds n draws of a kind in groups, each with one material.
func (c *content) draw(r simulate.Random, name string, f *frame, n int) {
	for n > 0 {
		group := min(n, r.Whole(1, 4))
		c.add(r, named(name), f, group, 1, 0)
		n -= group
	}
}

// named is the kind of that name.
func named(name string) *kind {
	k, known := kinds[name]
	if !known {
		panic("there is no kind of draw called " + name)
	}
	k.name = name
	return &k
}

var kindNames = slices.Sorted(maps.Keys(kinds))

func anyKind(r simulate.Random) *kind { return named(simulate.Pick(r, kindNames...)) }

// mixture takes kinds of draws as they come.
func (c *content) mixture(r simulate.Random) {
	c.text, c.names = "mixture", []string{"mixture"}
	f := drawFrame(r, &c.machine)
	for range r.Whole(2, 9) {
		c.add(r, anyKind(r), &f, r.Whole(1, 6), r.Log(0.3, 3), 0)
	}
}
