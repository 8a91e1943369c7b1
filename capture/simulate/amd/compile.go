package amd

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// stream is a stream of a kept content's job: the ns that it takes of each unit at the highest clock.
type stream struct {
	kind  kind
	times [machineUnits]float64
}

type kind uint8

const (
	vertices kind = iota
	pixels
	groups
)

// stages are values of Part.Stage for which the first or the second of the two fixed functions of an axis is slowest.
var stages = []uint8{0, 8}

// two says how two fixed functions share an axis: the one that the part leans on takes all of its time.
func two(p *content.Part, first, second float64) (float64, float64) {
	if p.Stage < 5 {
		return 1, second
	}
	return first, 1
}

// cores are the units that waves use, with their axes.
var cores = []struct {
	unit uint8
	axis content.Axis
}{
	{simulate.UnitBandwidth, content.Bandwidth}, {simulate.UnitLatency, content.Latency},
	{unitVector, content.Arithmetic}, {unitTexture, content.Texture}, {unitLoadStore, content.LoadStore},
	{unitLocal, content.LocalMemory}, {unitCache, content.Cache},
}

func newStream(p *content.Part) simulate.Stream {
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

func fixed(p *content.Part, a content.Axis, unit uint8, share float64) []simulate.Serve {
	t := p.Press[a] * p.Time * share
	if t <= 0 {
		return nil
	}
	return []simulate.Serve{{Unit: unit, Spread: p.Spread[a], Time: t}}
}

// Compile turns a scene into jobs: a pass that draws has two streams on the graphics queue, where pixels follow the
// triangles that they belong to. Asynchronous passes are on the compute queue.
func (d *device) Compile(s *content.Scene) simulate.Content {
	out := simulate.Content{Name: s.Name}
	queueOf := func(i int) int {
		if s.Passes[i].Async {
			return queueCompute
		}
		return queueGraphics
	}
	for i, p := range s.Passes {
		job := simulate.Job{Name: p.Name, Queue: queueOf(i), Launch: d.launch, Drain: p.Drain, Image: p.Image,
			Submit: float64(i+1) / float64(len(s.Passes))}
		for _, l := range p.After {
			if l.Pass >= 0 && l.Back == 0 && queueOf(l.Pass) == job.Queue {
				job.Drain = true // a queue works in order: what it waits for came before it
				continue
			}
			job.After = append(job.After, simulate.Dependency{Job: l.Pass, Back: l.Back, Loose: l.Loose})
		}
		if p.Kind != content.Render {
			job.Streams = []simulate.Stream{newStream(p.Groups)}
			out.Jobs = append(out.Jobs, job)
			continue
		}
		v, x := newStream(p.Vertex), newStream(p.Pixel)
		fetch, assembly := two(p.Vertex, 0.4, 0.45)
		scan, depth := two(p.Pixel, 0.5, 0.55)
		v.Front = fixed(p.Vertex, content.Geometry, unitFetch, fetch)
		v.Back = fixed(p.Vertex, content.Geometry, unitAssembly, assembly)
		x.Front = append(fixed(p.Pixel, content.Raster, unitScan, scan),
			fixed(p.Pixel, content.Raster, unitDepth, depth)...)
		x.Back = fixed(p.Pixel, content.Backend, unitColour, 1)
		job.Streams = []simulate.Stream{v, x}
		// The parameter cache holds the triangles of a few chunks.
		job.Gap = 3 + (v.Chunks+x.Chunks-1)/x.Chunks
		out.Jobs = append(out.Jobs, job)
	}
	return out
}

// Keep makes a scene the next content of the load.
func (d *device) Keep(s *content.Scene) {
	c := d.Compile(s)
	for j := range c.Jobs {
		d.streams = append(d.streams, streamsOf(&c.Jobs[j], s.Passes[j])...)
	}
}

// streamsOf are the streams of a pass's job.
func streamsOf(job *simulate.Job, p *content.Pass) (out []stream) {
	for k := range job.Streams {
		x := stream{kind: groups}
		if p.Kind == content.Render {
			x.kind = kind(k)
		}
		st := &job.Streams[k]
		for _, list := range [][]simulate.Serve{st.Front, st.Core, st.Back} {
			for _, v := range list {
				x.times[v.Unit] += v.Time
			}
		}
		out = append(out, x)
	}
	return out
}
