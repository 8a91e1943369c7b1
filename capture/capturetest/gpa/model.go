// Package gpa makes captures of AMD GPUs as GPUPerfAPI measures them: draws and dispatches, each a sample of hardware
// counters. The work of a draw runs through the stages of a chip with four shader engines, whose slowest unit sets the
// pace.
package gpa

import (
	"fmt"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// model is one chip, measured through one API.
type model struct {
	generation, api, asic string
	hz                    float64
	fixed                 bool // only busy counters of fixed-function units were collected
	stages                bool // only how long shaders of each stage had work
}

// Models returns the models: graphics and compute on two generations, the same without counters of shaders, the same
// with next to nothing else, and compute alone.
func Models() []capturetest.Model {
	return []capturetest.Model{
		model{generation: "gfx8", api: "gl", asic: "FIJI", hz: 1.05e9},
		model{generation: "gfx9", api: "vk", asic: "GFX9_0_0", hz: 1.5e9},
		model{generation: "gfx8", api: "gl", asic: "FIJI", hz: 1.05e9, fixed: true},
		model{generation: "gfx9", api: "vk", asic: "GFX9_0_0", hz: 1.5e9, stages: true},
		model{generation: "gfx9", api: "cl", asic: "GFX9_0_0", hz: 1.5e9},
	}
}

// GPU is the catalogue's id.
func (m model) GPU() string { return "amd-gpa" }

// Name says generation, API and what was not collected.
func (m model) Name() string {
	name := "amd-gpa " + m.generation + " " + m.api
	if m.fixed {
		name += " without shader counters"
	}
	if m.stages {
		name += " with stages alone"
	}
	return name
}

// Script is "gpa".
func (m model) Script() string { return "gpa" }

// Plants lists the bottlenecks that can be told with this model's counters.
func (m model) Plants() []capturetest.Plant {
	var out []capturetest.Plant
	for _, p := range plants {
		if p.where(m) {
			out = append(out, p.Plant)
		}
	}
	return out
}

// Always is what limits draws and kernels that exhaust nothing: each is measured alone, so that its waves wait. Without
// counters of shaders or of units nothing tells, and kernels that memory never holds up wait for each other.
func (m model) Always() capturetest.Plant {
	if m.fixed || m.stages || m.api == "cl" {
		return capturetest.Plant{}
	}
	return capturetest.Plant{Rule: "ps_waits"}
}

func (m model) find(id string) (*plant, error) {
	if _, err := capturetest.FindPlant(m, id); err != nil || id == "" {
		return nil, err
	}
	for i, p := range plants {
		if p.ID == id && p.where(m) {
			return &plants[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no plant %q", m.Name(), id)
}

// part is a draw that every frame has, and its share of the GPU's time.
type part struct {
	draw  draw
	share float64
}

// frame is what a case draws again and again.
type frame struct {
	parts  []part
	active float64 // share of the samples in which the GPU has work
	bubble float64
}

// frame lays out the draws of a frame. What a second plant weighs is a quarter of what the first weighs.
func (m model) frame(c capturetest.Case) (frame, error) {
	f := frame{active: 0.97 * (1 - c.Idle)}
	rest := 1.0
	for i, id := range []string{c.Plant, c.Second} {
		p, err := m.find(id)
		if err != nil {
			return f, err
		}
		if p == nil {
			continue
		}
		weight := []float64{1, 0.25}[i]
		switch p.ID {
		case "cpu_bound":
			f.active *= 1 - weight*mix(0.36, 0.66, c.Load)
		case "bubbles":
			lost := weight * mix(0.5, 0.8, c.Load)
			f.bubble = lost / (1 - lost)
		default:
			share := p.share(c.Load, m)
			f.parts = append(f.parts, part{p.draw(c.Load), share * weight})
			if i == 0 {
				rest = 1 - share
			} else if len(f.parts) == 1 {
				rest = 1 - share*weight
			}
		}
	}
	usual := healthy
	if m.api == "cl" {
		usual = kernels
	}
	for _, h := range usual {
		f.parts = append(f.parts, part{h.draw(), rest * h.share})
	}
	sum := 0.0
	for _, p := range f.parts {
		sum += p.share
	}
	for i := range f.parts {
		f.parts[i].share /= sum
		f.parts[i].draw.bubble = f.bubble
	}
	return f, nil
}

// Generate makes a capture. Every sample is one draw or dispatch, as long as its work takes; those of a frame follow
// each other.
func (m model) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	f, err := m.frame(c)
	if err != nil {
		return nil, err
	}
	w := capturetest.NewWork(c, m.hz)
	r := capturetest.NewRandom(c, "draws")
	loads := make([]load, w.Len())
	draws := make([]draw, w.Len())
	var now int64
	var sessions, samples []string
	for i := range w.Len() {
		p := f.parts[i%len(f.parts)]
		d := p.draw.noisy(r)
		d = d.scaled(w.Amount[i] * p.share * float64(len(f.parts)) * c.Period.Seconds() * m.hz)
		draws[i], loads[i] = d, d.run()
		length := max(1, int64(loads[i].clocks/f.active/w.Hz[i]*1e9))
		w.Start[i], w.End[i] = now, now+length
		now += length
		sessions, samples = append(sessions, strconv.Itoa(1+i/len(f.parts))),
			append(samples, strconv.Itoa(i%len(f.parts)))
	}
	t := capturetest.NewTable(w)
	for i := range loads {
		s := sink{m: m, t: t, i: i}
		s.write(draws[i], loads[i], f.active, w.Seconds(i))
	}
	number := func(name string, v float64) capture.Property { return capture.Property{Name: name, Number: v} }
	text := func(name, v string) capture.Property { return capture.Property{Name: name, Text: v, IsText: true} }
	return t.Capture(capture.Config{
		Name: c.String(), GPU: m.GPU(),
		Properties: []capture.Property{
			text("generation", m.generation), text("api", m.api), text("asic", m.asic),
			number("num_shader_engines", engines), number("num_simds", simds),
			number("su_clocks_prim", 1), number("num_prim_pipes", engines), number("ts_freq", ticks),
		},
		Labels: []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)},
	})
}

// noisy is the draw with shares that vary a little, as no two draws are alike.
func (d draw) noisy(r *capturetest.Random) draw {
	small := func(v float64) float64 { return min(max(v, 0.97), v*r.Small()) }
	d.culled, d.hiz, d.eff = small(d.culled), small(d.hiz), small(d.eff)
	d.early = min(d.early, 0.95-d.hiz)
	d.quads *= r.Small()
	if d.cs != nil {
		c := *d.cs
		c.l1, c.l2, c.lanes = small(c.l1), small(c.l2), small(c.lanes)
		d.cs = &c
	}
	return d
}
