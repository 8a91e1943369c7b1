package amd

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// GPAName is the name of the family of GPUPerfAPI's counters.
const GPAName = "amd-gpa"

// GPAKinds are the kinds of cases that draws can have: they are measured one by one, so that no frame is healthy and
// no queues work side by side.
func GPAKinds() []string {
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// NewGPA draws a case.
func NewGPA(kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(GPAKinds(), kind) {
		return nil, fmt.Errorf("family %s has no kind of case %q; it has %v", GPAName, kind, GPAKinds())
	}
	r := simulate.NewRandom(seed, GPAName+"/"+kind)
	f := &frame{seed: seed, d: newDevice(r, 9)}
	f.d.machine.Clock = simulate.FixedClock(f.d.hz) // GPA asks the driver for a stable clock
	if err := f.draw(r, kind); err != nil {
		return nil, err
	}
	c := &simulate.Case{Family: GPAName, Kind: kind, Seed: seed, Text: f.text, Plant: f.plant, Record: f.record}
	c.Judge = sync.OnceValues(func() (*simulate.Truth, error) {
		return simulate.JudgeKernels(&f.d.machine, &f.draws)
	})
	return c, nil
}

// frame is a frame whose draws and dispatches are measured.
type frame struct {
	seed   uint64
	d      *device
	text   string
	plant  string
	passes []*pass
	draws  simulate.Kernels
}

// pass is a pass of the frame: what one of its draws does.
type pass struct {
	p       *content.Pass
	streams []stream
	counts  counts
}

func (f *frame) draw(r simulate.Random, kind string) error {
	has := f.d.has
	names := content.Archetypes()
	var scenes []*content.Scene
	switch kind {
	case simulate.KindSingle:
		scenes = []*content.Scene{f.single(r)}
	case simulate.KindTwoPhase:
		axes := f.d.axes()
		first := r.IntN(len(axes))
		second := (first + 1 + r.IntN(len(axes)-1)) % len(axes)
		for _, n := range []int{first, second} {
			scenes = append(scenes, content.Plant(r, has, axes[n], simulate.Pick(r, has.StagesOf(axes[n])...)))
		}
	default:
		name := "random"
		if kind == simulate.KindArchetype {
			name = names[r.IntN(len(names))]
		}
		s, err := content.Draw(r, has, name)
		if err != nil {
			return err
		}
		scenes = []*content.Scene{s}
	}
	for i, s := range scenes {
		if i > 0 {
			f.text += ", then "
		}
		f.text += s.Name
		if !s.Fixed {
			s.Scale(r.Log(0.1, 2))
		}
		for _, p := range s.Passes {
			f.add(p, r)
			if len(scenes) > 1 {
				f.draws.Phases = append(f.draws.Phases, s.Name)
			}
		}
	}
	f.text += fmt.Sprintf(": %d draws and dispatches on a %s", len(f.draws.Runs), f.d.model.name)
	return nil
}

// single draws a plant. Seeds take the plants in turn.
func (f *frame) single(r simulate.Random) *content.Scene {
	type plant struct {
		axis  content.Axis
		stage uint8
	}
	var list []plant
	for _, a := range f.d.axes() {
		for _, stage := range f.d.has.StagesOf(a) {
			list = append(list, plant{a, stage})
		}
	}
	n := int(f.seed % uint64(len(list)+1))
	if n == len(list) {
		f.plant = "launches"
		s := content.Launches(r, f.d.has, f.d.launch)
		s.Passes = s.Passes[:min(40, len(s.Passes))]
		return s
	}
	f.plant = list[n].axis.String()
	if len(f.d.has.Stages[list[n].axis]) > 0 {
		f.plant = fmt.Sprintf("%v, stage %d", list[n].axis, list[n].stage)
	}
	return content.Plant(r, f.d.has, list[n].axis, list[n].stage)
}

func (d *device) axes() (out []content.Axis) {
	for a := range content.Axes {
		if d.has.Axes[a] {
			out = append(out, a)
		}
	}
	return out
}

// add divides a pass into draws, or takes it as one dispatch.
func (f *frame) add(p *content.Pass, r simulate.Random) {
	n := 1
	if p.Kind == content.Render {
		n = min(40, 1+int(r.ExpFloat64()*8))
	}
	p.Async, p.After = false, nil
	for _, x := range p.Parts() {
		x.Time /= float64(n)
	}
	p.Shape.Pixels /= float64(n)
	c := f.d.Compile(&content.Scene{Name: p.Name, Passes: []*content.Pass{p}})
	f.passes = append(f.passes, &pass{p, streamsOf(&c.Jobs[0], p), f.d.count(p)})
	f.draws.Contents = append(f.draws.Contents, simulate.Content{Name: p.Name, Jobs: c.Jobs})
	for range n {
		f.draws.Runs = append(f.draws.Runs, simulate.KernelRun{Content: len(f.passes) - 1,
			Scale: float32(max(0.1, min(4, r.Spread(0.4))))})
	}
}

// record makes the capture.
func (f *frame) record(o simulate.Options) (*capture.Capture, error) {
	by := 1.0
	switch {
	case o.Noise < 0:
		by = 0
	case o.Noise > 0:
		by = o.Noise
	}
	n := len(f.draws.Runs)
	values := make([][]float64, len(public))
	for i := range n {
		for run := range gpaRuns {
			r := simulate.NewRandom(f.seed+uint64(i)<<20+uint64(run)<<44, "amd-gpa run")
			share := 1 - 0.004*by*r.Float64()
			m, err := simulate.Measure(&f.d.machine, &f.draws, i, share)
			if err != nil {
				return nil, err
			}
			x := f.measured(i, &m, share, r, by)
			for k := range public {
				if public[k].run == run {
					values[k] = append(values[k], six(public[k].value(x)))
				}
			}
		}
	}
	// Samples follow each other, each as long as its GPUTime, which is what the reader makes of a file.
	axis := &capture.Axis{Clock: "samples"}
	now := int64(0)
	for i := range n {
		length := max(1, int64(values[0][i]*1e6))
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+length)
		now += length
	}
	without := slices.Clone(o.Without)
	for _, c := range o.Withheld {
		without = append(without, gpaCounters(c)...)
	}
	cfg := capture.Config{Name: "simulated", Format: "gpa", GPU: GPAName, Axis: axis}
	for k := range public {
		if !public[k].published(f.d.model.generation) || slices.Contains(without, public[k].name) {
			continue
		}
		m := capture.Meta{Name: public[k].name, Unit: public[k].unit, Kind: capture.Delta, Source: "gpa", GPU: GPAName}
		// The reader takes all but percentages for counts, TexAveAnisotropy too. GPA calls the misses of GFX8 a percentage.
		if m.Unit == "percent" || m.Name == "CSCacheMissCount" {
			m.Kind = capture.Gauge
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: m, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: values[k]})})
	}
	label := func(name string, text func(i int) string) {
		list := make([]string, n)
		for i := range list {
			list[i] = text(i)
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, list, nil))
	}
	label("session", func(int) string { return "1" })
	label("sample", strconv.Itoa)
	return capture.New(cfg)
}
