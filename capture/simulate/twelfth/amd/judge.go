package amd

import (
	"math"
	"sync"

	"astrolabe/capture/simulate"
)

// Leaves: what can limit a draw.
const (
	arithmetic = iota
	texture
	loadStore
	localMemory
	vertexFetch
	primitiveAssembly
	rasterizer
	depthTest
	pixelBackend
	bandwidth
	latency
	cacheRate
	launch
	leaves
)

var candidates = [leaves]simulate.Candidate{
	{Level: simulate.LevelUnit, Name: "arithmetic"}, {Level: simulate.LevelUnit, Name: "texture"},
	{Level: simulate.LevelUnit, Name: "load_store"}, {Level: simulate.LevelUnit, Name: "local_memory"},
	{Level: simulate.LevelUnit, Name: "vertex_fetch"}, {Level: simulate.LevelUnit, Name: "primitive_assembly"},
	{Level: simulate.LevelUnit, Name: "rasterizer"}, {Level: simulate.LevelUnit, Name: "depth"},
	{Level: simulate.LevelUnit, Name: "pixel_backend"}, simulate.MemoryBandwidth, simulate.MemoryLatency,
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.LaunchOverhead,
}

// program is a machine and the frames that were profiled on it, one session each.
type program struct {
	m      *machine
	frames [][]draw
	second int // first frame of the second phase; 0 where there is one phase
	phases [2]string
}

var lines = sync.Pool{New: func() any { return new(line) }}

// times are how long each frame takes with a relief.
func (p *program) times(l *line, leaf int) []float64 {
	r := relieved(leaf)
	out := make([]float64, len(p.frames))
	for f := range p.frames {
		for i := range p.frames[f] {
			d := &p.frames[f][i]
			q := p.m.demandOf(d, &r)
			o := l.run(p.m, d, &q, false)
			out[f] += o.total
		}
	}
	return out
}

// judge finds by relief what limits the program.
func (p *program) judge() *simulate.Truth {
	l := lines.Get().(*line)
	defer lines.Put(l)
	n := len(p.frames)
	base := make([]float64, n)
	shares := make([][leaves]float64, n)
	var works [leaves]bool
	r := relieved(-1)
	clock, all := 0.0, 0.0
	for f := range p.frames {
		for i := range p.frames[f] {
			d := &p.frames[f][i]
			q := p.m.demandOf(d, &r)
			o := l.run(p.m, d, &q, true)
			base[f] += o.total
			for c, t := range o.share {
				shares[f][c] += t
			}
			q.works(&works)
			clock += o.total * d.clock
			all += o.total
		}
	}
	ends := make([]int64, n+1)
	at := 0.0
	for f, t := range base {
		at += t
		ends[f+1] = int64(math.Round(at))
	}
	type stretch struct {
		name        string
		first, last int
	}
	list := []stretch{{"", 0, n - 1}}
	if p.second > 0 {
		list = append(list, stretch{p.phases[0], 0, p.second - 1}, stretch{p.phases[1], p.second, n - 1})
	}
	parts := make([]simulate.Part, len(list))
	for i, s := range list {
		part := &parts[i]
		*part = simulate.Part{Name: s.name, First: s.first, Frames: s.last - s.first + 1, Start: ends[s.first],
			End: ends[s.last+1], GPUBusy: 1, ClockMean: clock / all}
		var sum [leaves]float64
		for f := s.first; f <= s.last; f++ {
			for c, t := range shares[f] {
				sum[c] += t
			}
		}
		part.Shares = whole(sum, part.End-part.Start)
	}
	for leaf, c := range candidates {
		var times []float64
		if works[leaf] {
			times = p.times(l, leaf)
		}
		for i, s := range list {
			g := simulate.Gain{Candidate: c, Simulated: works[leaf]}
			if works[leaf] {
				before, after := 0.0, 0.0
				for f := s.first; f <= s.last; f++ {
					before += base[f]
					after += times[f]
				}
				g.Percent = 100 * (before - after) / before
			}
			parts[i].Leaves = append(parts[i].Leaves, g)
		}
	}
	for i := range parts {
		parts[i].Rank()
	}
	t := &simulate.Truth{Part: parts[0], Phases: parts[1:]}
	if len(t.Phases) == 0 {
		t.Phases = nil
	}
	// Each draw is a sample of its own, so that parts count draws as well.
	before := []int{0}
	for f := range n {
		before = append(before, before[f]+len(p.frames[f]))
		content := 0
		if p.second > 0 && f >= p.second {
			content = 1
		}
		for range p.frames[f] {
			t.Each = append(t.Each, simulate.FrameTruth{Content: content, Begin: ends[f], GPUBegin: ends[f],
				GPUEnd: ends[f+1], Shown: ends[f+1], Judged: true})
		}
	}
	for _, part := range append([]*simulate.Part{&t.Part}, partsOf(t.Phases)...) {
		first, last := before[part.First], before[part.First+part.Frames]
		part.First, part.Frames = first, last-first
	}
	return t
}

// partsOf are the phases, to be changed in place.
func partsOf(list []simulate.Part) (out []*simulate.Part) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// works notes which candidates a draw has work for.
func (q *demand) works(of *[leaves]bool) {
	of[launch] = true
	for _, w := range []*work{&q.vs, &q.ps, &q.cs} {
		for i, t := range w.by {
			of[i] = of[i] || t > 0
		}
		of[cacheRate] = of[cacheRate] || w.bare[rCache] > 0
		of[bandwidth] = of[bandwidth] || w.bare[rMem] > 0
	}
	for i, t := range map[int]float64{vertexFetch: q.ge, primitiveAssembly: q.pa, rasterizer: q.sc, depthTest: q.db,
		pixelBackend: q.cb, bandwidth: q.dbMem + q.cbMem} {
		of[i] = of[i] || t > 0
	}
}

// whole makes shares of whole ns that add up to all.
func whole(sum [leaves]float64, all int64) (out []simulate.Share) {
	total := 0.0
	for _, t := range sum {
		total += t
	}
	done, before := 0.0, int64(0)
	for c, t := range sum {
		done += t
		upto := int64(math.Round(done / total * float64(all)))
		if upto > before {
			out = append(out, simulate.Share{Candidate: candidates[c], Ns: upto - before})
			before = upto
		}
	}
	simulate.SortShares(out)
	return out
}
