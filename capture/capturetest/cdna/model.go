// Package cdna generates captures of rocprof-compute's counters on CDNA GPUs from a model of their pipeline: waves of a
// kernel queue at the units of the compute units, at the caches and at memory, and the counters follow from how long
// they work and wait there. It was written from AMD's definitions of the counters, and knows no rule.
package cdna

import (
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Models lists the models: an MI200 and an MI300X with everything measured in one run, and an MI300X in several runs
// that differ.
func Models() []capturetest.Model {
	return []capturetest.Model{
		&Model{name: "cdna gfx90a", machine: machines[0]},
		&Model{name: "cdna gfx942", machine: machines[1]},
		&Model{name: "cdna gfx942 passes", machine: machines[1], Drift: 0.05},
	}
}

// New is a model of that GPU, "gfx90a" or "gfx942", for tests; nil of another.
func New(gpu string) *Model {
	for _, m := range machines {
		if m.gpu == gpu {
			return &Model{name: "cdna " + gpu + " of a test", machine: m}
		}
	}
	return nil
}

// Model is one way to measure kernels of one of the modelled GPUs.
type Model struct {
	name    string
	machine *machine
	Drift   float64 // how much slower than undisturbed passes run, about: counters of different passes disagree by it
	// Timeless captures have dispatches that end when they start, as some real ones have.
	Timeless bool
}

// GPU is the id of the catalogue.
func (m *Model) GPU() string { return m.machine.gpu }

// Name tells the models apart.
func (m *Model) Name() string { return m.name }

// Script is the triage script.
func (m *Model) Script() string { return "cdna" }

// Plants lists what the model can plant.
func (m *Model) Plants() []capturetest.Plant {
	var out []capturetest.Plant
	for _, p := range plants {
		if !p.dies || m.machine.dies > 1 {
			out = append(out, capturetest.Plant{ID: p.id, Rule: p.rule, Doc: p.doc})
		}
	}
	return out
}

// Always is what limits a kernel that uses everything and exhausts nothing.
func (m *Model) Always() capturetest.Plant {
	return capturetest.Plant{Rule: "memory_latency", Doc: "the kernel waits for memory more than it computes"}
}

// Generate makes a capture whose samples are dispatches of one kernel.
func (m *Model) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	if _, err := capturetest.FindPlant(m, c.Plant); err != nil {
		return nil, err
	}
	if _, err := capturetest.FindPlant(m, c.Second); err != nil {
		return nil, err
	}
	k := m.machine.usual(capturetest.NewRandom(c, "kernel"))
	for _, part := range []struct {
		id     string
		weight float64
	}{{c.Plant, 1}, {c.Second, 0.25}} {
		if p := findPlant(part.id); p != nil {
			k = p.into(m.machine, k, c.Load, part.weight)
		}
	}
	// A profiler sees dispatches only: time without work lies between them.
	busy := c
	busy.Idle, busy.DVFS = 0, false
	w := capturetest.NewWork(busy, m.machine.hz)
	rates := capturetest.NewRandom(c, "rates")
	runs := make([]*run, w.Len())
	at := int64(0)
	for i := range runs {
		each := k.vary(rates)
		each.waves = max(1, math.Round(each.waves*w.Amount[i]))
		runs[i] = m.machine.run(each)
		length := int64(runs[i].total/m.machine.hz*1e9 + 0.5)
		if m.Timeless {
			length = 0
		}
		w.Start[i], w.End[i] = at, at+length
		at += length + int64(1e4/(1-max(0, min(0.9, c.Idle))))
	}
	t := capturetest.NewTable(w)
	pass := newPasses(m, c, len(runs))
	for i := range runs {
		runs[i].count(&counting{t: t, p: pass, i: i})
	}
	cap, err := t.Capture(capture.Config{
		Name: m.Name(), Format: "rocprof-compute", GPU: m.GPU(),
		Device:     capture.Device{Name: "model of " + m.GPU(), Vendor: "AMD"},
		Properties: m.machine.properties(),
		Labels: []*capture.Label{{Name: "kernel", Codes: make([]int32, len(runs)),
			Dict: []string{"planted(float*, int)"}}},
	})
	if err != nil {
		return nil, fmt.Errorf("capture of %s: %w", c, err)
	}
	return pass.attach(cap)
}

// properties are those of sysinfo.csv.
func (m *machine) properties() []capture.Property {
	out := []capture.Property{{Name: "gpu_model", Text: m.model, IsText: true},
		{Name: "compute_partition", Text: m.partition, IsText: true},
		{Name: "memory_partition", Text: m.space, IsText: true}}
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"cu_per_gpu", m.cus}, {"simd_per_cu", 4}, {"se_per_gpu", m.engines}, {"wave_size", 64},
		{"max_waves_per_cu", 4 * m.slots}, {"max_sclk", m.hz / 1e6}, {"max_mclk", m.memHz},
		{"total_l2_chan", m.channels}, {"lds_banks_per_cu", 32}, {"sqc_per_gpu", m.sqcs}, {"pipes_per_gpu", 4},
		{"num_xcd", m.dies}, {"num_hbm_channels", m.channels},
	} {
		out = append(out, capture.Property{Name: p.name, Number: p.value})
	}
	return out
}
