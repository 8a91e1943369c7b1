// Package gfx1151 generates captures of rocprof-compute's counters on an RDNA 3.5 GPU from a model of its pipeline: a
// kernel is work for the vector units, the caches and the memory, the slowest of which sets the pace, and the counters
// follow from that.
package gfx1151

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Models lists the models: everything measured in one run, in the ten passes of a real profile, and in those with the
// request counters of the vector L1 not clocked.
func Models() []capturetest.Model {
	return []capturetest.Model{
		&Model{name: "gfx1151"},
		&Model{name: "gfx1151 passes", Passes: true, Drift: 0.05},
		&Model{name: "gfx1151 passes gated", Passes: true, Drift: 0.05, Gated: true},
	}
}

// Model is one way to measure kernels of the modelled GPU.
type Model struct {
	name   string
	Passes bool    // every counter in the pass of a real profile, with that pass's own duration
	Drift  float64 // how much slower than undisturbed passes run, about; the first dispatches of a pass are slower still
	Gated  bool    // the clock of TCP's counters is off but for one counter of each pass, and that of the shaders moves
	Slow   string  // a counter whose pass runs SlowBy times slower than the others
	SlowBy float64
}

// GPU is the id of the catalogue.
func (m *Model) GPU() string { return "gfx1151" }

// Name tells the models apart.
func (m *Model) Name() string {
	if m.name == "" {
		return "gfx1151 of a test"
	}
	return m.name
}

// Script is the triage script.
func (m *Model) Script() string { return "gfx1151" }

// Plants lists what the model can plant, and its counters can show.
func (m *Model) Plants() []capturetest.Plant {
	var out []capturetest.Plant
	for _, p := range plants {
		if m.Gated && p.gated {
			continue
		}
		out = append(out, capturetest.Plant{ID: p.id, Rule: p.rule, Doc: p.doc})
	}
	return out
}

// Always is what limits a kernel that uses everything and exhausts nothing.
func (m *Model) Always() capturetest.Plant {
	return capturetest.Plant{Rule: "waves_starved", Doc: "the kernel waits for memory more than it computes"}
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
	k := balanced(capturetest.NewRandom(c, "kernel"))
	for _, part := range []struct {
		id     string
		weight float64
	}{{c.Plant, 1}, {c.Second, 0.25}} {
		if p := findPlant(part.id); p != nil {
			k = p.into(k, c.Load, part.weight)
		}
	}
	// A profiler sees dispatches only: time without work lies between them, and makes them rarer.
	idle := max(0, min(0.9, c.Idle))
	busy := c
	busy.Idle = 0
	w := capturetest.NewWork(busy, maxHz)
	rates := capturetest.NewRandom(c, "rates")
	d := make([]*dispatch, w.Len())
	step := float64(c.Period.Nanoseconds()) / (1 - idle)
	at := int64(0)
	for i := range d {
		d[i] = k.vary(rates).run(w.Hz[i], w.Amount[i])
		w.Start[i] = max(at, int64(float64(i)*step))
		w.End[i] = w.Start[i] + int64(d[i].seconds*1e9+0.5)
		at = w.End[i]
	}
	t := capturetest.NewTable(w)
	p := m.passes(c, d)
	for i := range d {
		d[i].count(&counting{t: t, p: p, i: i, gated: m.Gated})
	}
	cap, err := t.Capture(capture.Config{
		Name: m.Name(), Format: "rocprof-compute", GPU: m.GPU(),
		Device:     capture.Device{Name: "model of gfx1151", Vendor: "AMD"},
		Properties: properties(),
		Labels: []*capture.Label{{Name: "kernel", Codes: make([]int32, len(d)),
			Dict: []string{"planted(float*, int)"}}},
	})
	if err != nil {
		return nil, fmt.Errorf("capture of %s: %w", c, err)
	}
	return p.attach(cap)
}

// properties are those of the real profile's sysinfo.csv that formulas read. Like there, the memory clock is not known.
func properties() []capture.Property {
	out := []capture.Property{}
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"cu_per_gpu", 2 * wgps}, {"simd_per_cu", simds / (2 * wgps)}, {"se_per_gpu", engines}, {"sa_per_se", 2},
		{"wave_size", 32}, {"max_waves_per_cu", 32},
		{"max_sclk", maxHz / 1e6}, {"max_mclk", 0}, {"total_l2_chan", gl2Channels}, {"lds_banks_per_cu", 32},
		{"sqc_per_gpu", sqcs}, {"num_memory_channels", memChannels},
	} {
		out = append(out, capture.Property{Name: p.name, Number: p.value})
	}
	return out
}
