package content

import (
	"fmt"
	"slices"

	"astrolabe/capture/simulate"
)

// Scene is what the frames of a phase consist of, with the processor's share of them.
type Scene struct {
	Name   string
	Passes []*Pass
	// App and Driver are the processor's time for a frame as shares of the GPU's.
	App, Driver float64
	// Steady is how little frames differ: the standard deviation of the logarithm of their work.
	Steady float64
	// Fixed says that the passes' times mean what they say: the scene is not scaled to a time of a frame.
	Fixed bool
}

// Scale multiplies the time of everything.
func (s *Scene) Scale(by float64) {
	for _, p := range s.Passes {
		for _, x := range p.Parts() {
			x.Time *= by
		}
		// Less time on the same number of pixels would be another shader: larger passes have more pixels, within
		// limits.
		p.Shape.Pixels *= max(0.5, min(2, by))
	}
}

// Has says what a family's hardware can do.
type Has struct {
	Axes [Axes]bool
	// Elsewhere are axes that other devices of the family have.
	Elsewhere [Axes]bool
	// Width and Height of the display.
	Width, Height int
	Tessellation  bool
	// Stages are, for an axis that several fixed functions share, a Part.Stage for each that can be the slowest.
	Stages [Axes][]uint8
	Async  bool // a queue beside the graphics queue
}

// anyStage lets a plant draw its stage.
const anyStage = 255

// StagesOf are the stages of an axis that plants can lean on.
func (h *Has) StagesOf(a Axis) []uint8 {
	if s := h.Stages[a]; len(s) > 0 {
		return s
	}
	return []uint8{anyStage}
}

// budget is the time of a scene as it is drawn, in ns; families scale it.
const budget = 10e6

// drawer draws the passes of one scene.
type drawer struct {
	r     simulate.Random
	has   Has
	theme Axis    // what the whole scene leans on
	bias  float64 // how much
	calm  float64
	out   *Scene
}

func newDrawer(r simulate.Random, has Has, name string) *drawer {
	d := &drawer{r: r, has: has, bias: 1, calm: r.Between(0, 0.9), out: &Scene{Name: name}}
	d.theme = Axis(r.IntN(int(Axes)))
	if r.Chance(0.6) {
		d.bias = r.Between(3, 15)
	}
	d.out.Steady = r.Log(0.01, 0.12)
	return d
}

// mask leaves out the axes that the family does not have.
func (d *drawer) mask(p Press) Press {
	for a := range p {
		if !d.has.Axes[a] {
			p[a] = 0
		}
	}
	return p
}

// part draws a part; w are the axes that may limit it.
func (d *drawer) part(typical Press, share float64, w Weights) *Part {
	own := Weights{}
	any := false
	for a, x := range w {
		if d.has.Axes[a] {
			if a == d.theme {
				x *= d.bias
			}
			own[a] = x
			any = true
		}
	}
	if !any {
		own[Arithmetic] = 1
	}
	return drawPart(d.r, d.mask(typical), budget*share*d.r.Spread(0.3), own.pick(d.r), d.calm)
}

// add completes a pass and appends it.
func (d *drawer) add(p *Pass) *Pass {
	p.Shader, p.Memory = DrawShader(d.r), DrawMemory(d.r)
	if p.Kind == Copy {
		p.Memory.Written = d.r.Between(0.45, 0.55)
		p.Shader.Special, p.Shader.Diverged, p.Shader.Writes = 0, 0, 0.5
	}
	d.out.Passes = append(d.out.Passes, p)
	return p
}

// render adds a pass that draws: vertex and pixel are its shares of the scene's time.
func (d *drawer) render(name string, vertex, pixel float64, vw, pw Weights, size, layers float64) *Pass {
	p := &Pass{Name: name, Kind: Render, Vertex: d.part(typicalVert, vertex, vw),
		Pixel: d.part(typicalPixel, pixel, pw)}
	p.Shape = drawShape(d.r, size*float64(d.has.Width*d.has.Height), layers)
	if d.has.Tessellation && d.r.Chance(0.15) {
		p.Shape.Hull = d.r.Between(0.1, 0.6)
	}
	return d.add(p)
}

// compute adds a pass of work groups.
func (d *drawer) compute(name string, share float64, w Weights) *Pass {
	p := &Pass{Name: name, Kind: Compute, Groups: d.part(typicalGroup, share, w)}
	p.Shape = drawShape(d.r, float64(d.has.Width*d.has.Height), 1)
	return d.add(p)
}

// copies adds a pass that moves data.
func (d *drawer) copies(name string, share float64) *Pass {
	p := &Pass{Name: name, Kind: Copy, Groups: d.part(typicalCopy, share,
		Weights{Bandwidth: 5, Cache: 1, LoadStore: 1, Latency: 1})}
	p.Shape = drawShape(d.r, float64(d.has.Width*d.has.Height), 1)
	return d.add(p)
}

// finish links the passes: a pass that reads what the one before wrote waits for it, and the last one writes the
// picture.
func (d *drawer) finish() *Scene {
	s := d.out
	for i, p := range s.Passes {
		if i > 0 && !p.Async {
			p.Drain = d.r.Chance(0.6)
			if p.Kind != Render || s.Passes[i-1].Kind != Render {
				p.After = append(p.After, Link{Pass: lastSync(s.Passes, i)})
			}
		}
	}
	for i := len(s.Passes) - 1; i >= 0; i-- {
		if !s.Passes[i].Async {
			s.Passes[i].Image = true
			break
		}
	}
	if s.App == 0 {
		s.App, s.Driver = d.r.Between(0.15, 0.7), d.r.Between(0.08, 0.5)
	}
	return s
}

// lastSync is the last pass before i that is not asynchronous; -1 never occurs, as the first is not.
func lastSync(passes []*Pass, i int) int {
	for i--; i > 0 && passes[i].Async; i-- {
	}
	return i
}

// Archetypes are the names of the kinds of content.
func Archetypes() []string {
	out := make([]string, 0, len(archetypes))
	for name := range archetypes {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Draw draws a scene of an archetype.
func Draw(r simulate.Random, has Has, archetype string) (*Scene, error) {
	f, ok := archetypes[archetype]
	if !ok {
		return nil, fmt.Errorf("there is no archetype %q; there are %v", archetype, Archetypes())
	}
	d := newDrawer(r, has, archetype)
	f(d)
	return d.finish(), nil
}
