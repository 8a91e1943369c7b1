package intel

import (
	"fmt"
	"strings"

	"astrolabe/capture/simulate"
)

// part is one pass of a kind of content with its share of the GPU's time.
type part struct {
	kind  string
	share float64
}

// archetypes are kinds of programs by their passes. What stands behind a slash is of that queue.
var archetypes = []struct {
	name  string
	parts []part
	app   [2]float64 // of the processor's work, by the GPU's
}{
	{"game", []part{{"shadow", 0.15}, {"shadow", 0.1}, {"opaque", 0.4}, {"alpha", 0.1}, {"post", 0.12}, {"post", 0.08},
		{"interface", 0.05}}, [2]float64{0.2, 1.2}},
	{"deferred", []part{{"shadow", 0.14}, {"g-buffer", 0.33}, {"blur/c", 0.08}, {"lighting", 0.25}, {"alpha", 0.06},
		{"post", 0.1}, {"interface", 0.04}}, [2]float64{0.2, 1.1}},
	{"forward with much alpha", []part{{"opaque", 0.3}, {"alpha", 0.25}, {"particles", 0.25}, {"post", 0.15},
		{"interface", 0.05}}, [2]float64{0.2, 1}},
	{"compositor", []part{{"interface", 0.35}, {"post", 0.25}, {"interface", 0.4}}, [2]float64{0.3, 1.5}},
	{"camera and video", []part{{"video/v", 0.25}, {"blur/c", 0.25}, {"stream/c", 0.15}, {"post", 0.2}, {"interface", 0.15}},
		[2]float64{0.2, 0.9}},
	{"inference", []part{{"matrix/c", 0.2}, {"stream/c", 0.06}, {"matrix/c", 0.2}, {"reduce/c", 0.06}, {"matrix/c", 0.2},
		{"stream/c", 0.08}, {"gather/c", 0.05}, {"matrix/c", 0.15}}, [2]float64{0.1, 0.9}},
	{"simulation", []part{{"stream/c", 0.2}, {"gather/c", 0.2}, {"arithmetic/c", 0.25}, {"scatter/c", 0.15}, {"atomic/c", 0.1},
		{"reduce/c", 0.1}}, [2]float64{0.05, 0.7}},
	{"loading", []part{{"copy/t", 0.45}, {"stream/c", 0.25}, {"interface", 0.3}}, [2]float64{1.2, 4}},
	{"menu", []part{{"opaque", 0.4}, {"post", 0.3}, {"interface", 0.3}}, [2]float64{0.3, 1.2}},
	{"ray traced game", []part{{"shadow", 0.08}, {"g-buffer", 0.25}, {"rays/c", 0.35}, {"blur/c", 0.12}, {"lighting", 0.1},
		{"post", 0.07}, {"interface", 0.03}}, [2]float64{0.2, 0.9}},
}

// content makes the passes of a list for a frame of so many ns. Compute goes to its own queue where async says so.
func (b *builder) content(name string, parts []part, ns float64, async bool) content {
	r := b.r
	c := content{name: name}
	var shares []float64
	sum := 0.0
	for _, p := range parts {
		shares = append(shares, p.share*r.Spread(0.45))
		sum += shares[len(shares)-1]
	}
	for i, p := range parts {
		kind, where, _ := strings.Cut(p.kind, "/")
		t := max(25e3, ns*shares[i]/sum)
		var after []dep
		queue := qRender
		if i > 0 {
			after = []dep{{pass: i - 1}}
		}
		var l load
		switch where {
		case "t", "v":
			queue, l = qCopy, b.transfer()
		case "c":
			l = b.kernel(kind)
			if async {
				queue = qCompute
			}
		default:
			l = b.draw(kind)
		}
		own := b.plant
		if own == plantOther && b.heavy > 0 && where != "t" && where != "v" && r.Chance(b.heavy) {
			b.plant = heavyIn(r, p.kind) // some content is heavy in one thing
		}
		x := b.pass(kind, queue, l, t, after...)
		b.plant = own
		x.submit = (float64(i) + r.Float64()) / float64(len(parts))
		c.passes = append(c.passes, x)
	}
	return c
}

// random is a mixture of any passes.
func (b *builder) random() []part {
	r := b.r
	var out []part
	for range r.Whole(2, 8) {
		kind := simulate.Pick(r, renders...)
		if r.Chance(0.35) {
			kind = simulate.Pick(r, computes...) + "/c"
		}
		if b.m.base == "intel-dg2" && r.Chance(0.08) {
			kind = "rays/c"
		}
		out = append(out, part{kind, r.Log(0.05, 1)})
	}
	return out
}

// heavyIn is a station that a kind of pass can be heavy in.
func heavyIn(r simulate.Random, kind string) int {
	if r.Chance(0.08) {
		return plantLaunch
	}
	var list []int
	for _, x := range plants[:14] {
		for _, k := range suits(x.station) {
			if k == kind {
				list = append(list, x.station)
				break
			}
		}
	}
	if len(list) == 0 {
		return plantOther
	}
	return list[r.IntN(len(list))]
}

func (b *builder) describe(c *content) string {
	var names []string
	for i := range c.passes {
		names = append(names, c.passes[i].name)
	}
	return fmt.Sprintf("%s (%s)", c.name, strings.Join(names, ", "))
}
