// Package cpu models a machine of four CPUs: threads that compute, wait for each other, for memory and for storage,
// under a kernel that switches them and serves their faults. Its counters are those that astrolabe's CPU reader
// records.
package cpu

import (
	"time"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Models returns the model of a machine, and that of one program on a machine.
func Models() []capturetest.Model { return []capturetest.Model{model{}, program{}} }

type model struct{}

func (model) GPU() string    { return "cpu" }
func (model) Name() string   { return "cpu" }
func (model) Script() string { return "cpu" }

func (model) Plants() []capturetest.Plant {
	out := make([]capturetest.Plant, len(plants))
	for i, p := range plants {
		out[i] = p.Plant
	}
	return out
}

// shortest is the shortest sample: the kernel's CPU times move in steps of 10 ms.
const shortest = 100 * time.Millisecond

func (m model) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	c.Period = max(c.Period, shortest)
	d := usual()
	if err := d.plant(m, c.Second, func(usual, light,
		_ float64) float64 {
		return usual + (light-usual)/4
	}); err != nil {
		return nil, err
	}
	if err := d.plant(m, c.Plant, func(_, light,
		heavy float64) float64 {
		return light + (heavy-light)*c.Load
	}); err != nil {
		return nil, err
	}
	w := capturetest.NewWork(c, maxHz)
	t := capturetest.NewTable(w)
	r := capturetest.NewRandom(c, "machine")
	for i := range w.Len() {
		sample{t, w, r, d, i}.fill()
	}
	return t.Capture(capture.Config{
		Name: "cpu-" + c.String(), GPU: "cpu", Device: capture.Device{Name: "modelled machine of four CPUs"},
		Properties: []capture.Property{{Name: "cpus_online", Number: cpus}, {Name: "cpu_max_freq", Number: maxHz}},
	})
}

// Check verifies what holds on every Linux machine.
func (model) Check(c *capture.Capture) error {
	for _, part := range [][2]string{
		{"cache_misses", "cache_references"}, {"branch_misses", "branches"}, {"stalled_cycles_frontend", "cycles"},
		{"stalled_cycles_backend", "cycles"},
		{"branches", "instructions"}, {"pressure_memory_full", "pressure_memory_some"},
		{"pressure_io_full", "pressure_io_some"}, {"mem_available", "mem_total"},
		{"major_faults", "page_faults"},
	} {
		if c.Counter("cycles") == nil && c.Counter(part[1]) == nil {
			continue // nothing counts what the cores do
		}
		if err := capturetest.AtMost(c, part[0], part[1], 1); err != nil {
			return err
		}
	}
	if err := capturetest.SumsTo(c, "page_faults", 1, "minor_faults", "major_faults"); err != nil {
		return err
	}
	return checkTimes(c)
}
