package intel

import (
	"slices"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// stage is a fixed function with its share of the time of the part's axis: the stage that the part leans on has all
// of it.
type stage struct {
	unit  uint8
	share float64
}

// stages are values of Part.Stage for which one of the three fixed functions of an axis after the other is slowest.
var stages = []uint8{0, 5, 8}

// geometry says how the fixed functions for vertices and primitives share their work. Which of them is the slowest
// depends on the mesh: many attributes keep the fetch busy, triangles across the view's edge the clipper, small
// triangles the setup.
func geometry(p *content.Part) [3]stage {
	out := [3]stage{{unitFetch, 0.35}, {unitClip, 0.3}, {unitSetup, 0.45}}
	switch {
	case p.Stage < 4:
		out[0].share = 1
	case p.Stage < 7:
		out[1].share = 1
	default:
		out[2].share = 1
	}
	return out
}

// rasterization says how the fixed functions before pixel shading share their work.
func rasterization(p *content.Part) [3]stage {
	out := [3]stage{{unitRaster, 0.5}, {unitHierarchical, 0.35}, {unitDepth, 0.4}}
	switch {
	case p.Stage < 4:
		out[0].share = 1
	case p.Stage < 7:
		out[1].share = 1
	default:
		out[2].share = 1
	}
	return out
}

// cores are the units that threads use, with their axes.
var cores = []struct {
	unit uint8
	axis content.Axis
}{
	{simulate.UnitBandwidth, content.Bandwidth}, {simulate.UnitLatency, content.Latency}, {unitEU, content.Arithmetic},
	{unitSampler, content.Texture}, {unitDataPort, content.LoadStore}, {unitLocal, content.LocalMemory}, {unitCache,
		content.Cache}, {unitRays, content.RayTracing},
}

func (d *device) stream(p *content.Part) simulate.Stream {
	s := simulate.Stream{Chunks: simulate.Chunks(p.Time), Seed: p.Seed, Weight: 1}
	if p.Wide {
		s.Weight = 2
	}
	for _, u := range cores {
		if p.Press[u.axis] > 0 {
			s.Core = append(s.Core, simulate.Serve{Unit: u.unit, Spread: p.Spread[u.axis],
				Time: p.Press[u.axis] * p.Time})
		}
	}
	return s
}

func fixed(p *content.Part, a content.Axis, stages ...stage) (out []simulate.Serve) {
	for _, x := range stages {
		if t := p.Press[a] * p.Time * x.share; t > 0 {
			out = append(out, simulate.Serve{Unit: x.unit, Spread: p.Spread[a], Time: t})
		}
	}
	return out
}

// queueOf is the ring of a pass. Where compute has one, asynchronous passes are on it, and all passes of programs that
// draw nothing: the drivers for OpenCL and SYCL submit there.
func (d *device) queueOf(s *content.Scene, p *content.Pass) int {
	if d.async() && (p.Async || !draws(s)) {
		return 1
	}
	return 0
}

func draws(s *content.Scene) bool {
	return slices.ContainsFunc(s.Passes, func(p *content.Pass) bool { return p.Kind == content.Render })
}

func (d *device) async() bool { return len(d.machine.Queues) > 1 }

// Compile turns a scene into jobs of the ring. A pass that draws has two streams: pixels follow the triangles that
// they belong to.
func (d *device) Compile(s *content.Scene) simulate.Content {
	out := simulate.Content{Name: s.Name}
	for i, p := range s.Passes {
		job := simulate.Job{Name: p.Name, Queue: d.queueOf(s, p), Launch: d.launch, Drain: p.Drain, Image: p.Image,
			Submit: float64(i+1) / float64(len(s.Passes))}
		for _, l := range p.After {
			if l.Pass >= 0 && l.Back == 0 && d.queueOf(s, s.Passes[l.Pass]) == job.Queue {
				job.Drain = true // a ring works in order: what it waits for came before it
				continue
			}
			job.After = append(job.After, simulate.Dependency{Job: l.Pass, Back: l.Back, Loose: l.Loose})
		}
		if p.Kind != content.Render {
			job.Streams = []simulate.Stream{d.stream(p.Groups)}
			out.Jobs = append(out.Jobs, job)
			continue
		}
		v, x := d.stream(p.Vertex), d.stream(p.Pixel)
		g, ras := geometry(p.Vertex), rasterization(p.Pixel)
		v.Front = fixed(p.Vertex, content.Geometry, g[0])
		v.Back = fixed(p.Vertex, content.Geometry, g[1], g[2])
		x.Front = fixed(p.Pixel, content.Raster, ras[0], ras[1], ras[2])
		x.Back = fixed(p.Pixel, content.Backend, stage{unitBackend, 1})
		job.Streams = []simulate.Stream{v, x}
		// What is between setup and the rasterizer holds the triangles of a few chunks.
		job.Gap = 3 + (v.Chunks+x.Chunks-1)/x.Chunks
		out.Jobs = append(out.Jobs, job)
	}
	return out
}

// Keep makes a scene the next content of the load.
func (d *device) Keep(s *content.Scene) { d.programs = append(d.programs, d.program(s)) }
