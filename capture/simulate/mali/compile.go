package mali

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// stream makes a stream of a part. front, back are the units before and behind the cores.
func (d *device) stream(p *content.Part, front, back []uint8) simulate.Stream {
	s := simulate.Stream{Chunks: simulate.Chunks(p.Time), Seed: p.Seed, Weight: 1}
	if p.Wide {
		s.Weight = 2
	}
	for _, u := range units {
		if p.Press[u.axis] <= 0 {
			continue
		}
		v := simulate.Serve{Unit: u.unit, Spread: p.Spread[u.axis], Time: p.Press[u.axis] * p.Time}
		switch u.unit {
		case unitRaster, unitTiler, unitBackend:
			for _, f := range front {
				if f == u.unit {
					s.Front = append(s.Front, v)
				}
			}
			for _, b := range back {
				if b == u.unit {
					s.Back = append(s.Back, v)
				}
			}
		default:
			s.Core = append(s.Core, v)
		}
	}
	return s
}

// place says where a pass's jobs stand in the list of its scene.
type place struct{ vertex, last int }

// Compile turns a scene into jobs: a pass that draws is one job that shades vertices and bins triangles and one that
// shades fragments; a compute pass is one job. A slot of a job manager begins a job when the one before is done.
func (d *device) Compile(s *content.Scene) simulate.Content {
	out := simulate.Content{Name: s.Name}
	places := make([]place, len(s.Passes))
	n := 0
	for i, p := range s.Passes {
		places[i] = place{-1, n}
		if p.Kind == content.Render {
			places[i] = place{n, n + 1}
			n++
		}
		n++
	}
	for i, p := range s.Passes {
		var hard, all []simulate.Dependency
		for _, l := range p.After {
			job := -1
			if l.Pass >= 0 {
				job = places[l.Pass].last
			}
			dep := simulate.Dependency{Job: job, Back: l.Back, Loose: l.Loose}
			all = append(all, dep)
			if l.Vertex {
				hard = append(hard, dep)
			}
		}
		submit := float64(i+1) / float64(len(s.Passes))
		if p.Kind != content.Render {
			out.Jobs = append(out.Jobs, simulate.Job{Name: p.Name, Queue: d.computeQueue(),
				Streams: []simulate.Stream{d.stream(d.settle(p, p.Groups), nil, nil)}, Launch: d.launch,
				Drain: p.Drain || !d.csf, After: all, Image: p.Image, Submit: submit})
			continue
		}
		out.Jobs = append(out.Jobs,
			simulate.Job{Name: p.Name + " geometry", Queue: queueGeometry,
				Streams: []simulate.Stream{d.stream(d.settle(p, p.Vertex), nil,
					[]uint8{unitTiler})}, Launch: d.launch, Drain: !d.csf, After: hard, Submit: submit,
				Tag: tagTiler},
			simulate.Job{Name: p.Name + " fragments", Queue: queueFragment,
				Streams: []simulate.Stream{d.stream(d.settle(p, p.Pixel), []uint8{unitRaster},
					[]uint8{unitBackend})}, Launch: d.launch,
				Drain: p.Drain || !d.csf, After: append(all,
					simulate.Dependency{Job: places[i].vertex}), Image: p.Image, Submit: submit})
	}
	return out
}

// Keep makes a scene the next content of the load.
func (d *device) Keep(s *content.Scene) { d.programs = append(d.programs, d.program(s)) }
