// Package intel makes captures as recordings of Intel's Observation Architecture are, of a Kaby Lake GPU whose
// bottleneck is planted.
//
// A sample is a few draws, each with a demand on every unit of the GPU in clocks. All units work at once, so the one
// with the highest demand sets the pace; the time of the others, of the EUs' threads and of the queues before and
// behind it follows, and with it what the counters of a metric set count. Equations are not used here, nor thresholds.
package intel

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Models returns the models: a capture is of one metric set, and each set shows other things.
func Models() []capturetest.Model {
	var out []capturetest.Model
	for _, name := range []string{"RenderBasic", "ComputeBasic", "RenderPipeProfile", "MemoryReads", "MemoryWrites",
		"ComputeExtended", "ComputeL3Cache", "HDCAndSF",
		"L3_1", "RasterizerAndPixelBackend", "Sampler", "TDL_1", "PMA_Stall", "VMEPipe", "GpuBusyness",
		"AsyncCompute"} {
		out = append(out, &model{gt2, name})
	}
	for _, name := range []string{"RenderBasic", "ComputeBasic", "RenderPipeProfile"} {
		out = append(out, &model{gt3, name})
	}
	return out
}

// part is the silicon.
type part struct {
	gpu    string
	name   string
	device float64
	slices int
	maxHz  float64
}

var (
	gt2 = &part{"intel-kbl-gt2", "Intel Kaby Lake GT2", 0x5916, 1, 1.15e9}
	gt3 = &part{"intel-kbl-gt3", "Intel Kaby Lake GT3", 0x5926, 2, 1.05e9}
)

const (
	subslices   = 3 // of a slice
	subsliceEUs = 8
	timestampHz = 12_000_000
	minHz       = 300e6
)

func (p *part) eus() float64 { return float64(p.slices * subslices * subsliceEUs) }

type model struct {
	part *part
	set  string
}

func (m *model) GPU() string    { return m.part.gpu }
func (m *model) Name() string   { return m.part.gpu + " " + m.set }
func (m *model) Script() string { return "intel_oa" }

// Plants are those that the set's counters can show.
func (m *model) Plants() []capturetest.Plant {
	var out []capturetest.Plant
	for _, p := range plants {
		if rule, ok := p.rules[m.set]; ok {
			out = append(out, capturetest.Plant{ID: p.id, Rule: rule, Doc: p.doc})
		}
	}
	return out
}

// secondWeight is the weight of the second plant of a case.
const secondWeight = 0.25

func (m *model) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	f := usual(sets[m.set].compute)
	for i, id := range []string{c.Plant, c.Second} {
		if _, err := capturetest.FindPlant(m, id); err != nil {
			return nil, err
		}
		dose := dose{load: c.Load, weight: 1}
		if i == 1 {
			dose.load, dose.weight = c.Load*secondWeight, secondWeight
		}
		for _, p := range plants {
			if p.id == id {
				p.sow(f, dose)
			}
		}
	}
	f.settle(m.part.maxHz, float64(m.part.slices))

	if f.waits > 0 {
		c.Idle = f.waits
	}
	w := capturetest.NewWork(c, m.part.maxHz*f.capped)
	t := capturetest.NewTable(w)
	amount, shape := capturetest.NewRandom(c, "demand"), capturetest.NewRandom(c, "shape")
	for i := range w.Len() {
		s := f.run(w.Hz[i]/m.part.maxHz, amount, shape)
		t.Count("TIMESTAMP", i, w.Seconds(i)*timestampHz)
		t.Count("GPU_TICKS", i, w.Seconds(i)*w.Hz[i])
		on := &writer{t: t, i: i, clocks: w.Cycles(i) * (1 - f.starved), eus: m.part.eus(),
			slices: float64(m.part.slices), f: f, s: s}
		on.fixed()
		sets[m.set].write(on)
		ratio := float64(int(w.Hz[i] / (50e6 / 3)))
		t.Level("SLICE_CLOCK", "MHz", i, ratio*50/3)
		t.Level("UNSLICE_CLOCK", "MHz", i, ratio*50/3)
	}
	cap, err := t.Capture(capture.Config{
		Name: fmt.Sprintf("%s, %s", m.Name(), c), Format: "arrow", GPU: m.part.gpu, Properties: m.properties(),
		Device: capture.Device{Name: m.part.name, Vendor: "Intel", Driver: "i915",
			ID: fmt.Sprintf("8086:%04x", int(m.part.device))},
	})
	if err != nil || f.thread == 0 {
		return cap, err
	}
	return capturetest.WithProcessors(cap, 4, func(i, cpu int) float64 {
		switch {
		case cpu > 0:
			return 0.1
		case f.turns:
			return f.thread * (1 - w.Active[i])
		}
		return f.thread
	})
}

// properties are those of a recording: the constants of the metric sets' equations.
func (m *model) properties() []capture.Property {
	slices := m.part.slices
	return []capture.Property{
		{Name: "metric_set", Text: m.set, IsText: true},
		{Name: "GpuTimestampFrequency", Number: timestampHz},
		{Name: "GpuMinFrequency", Number: minHz},
		{Name: "GpuMaxFrequency", Number: m.part.maxHz},
		{Name: "EuThreadsCount", Number: threadSlots},
		{Name: "QueryMode", Number: 0},
		{Name: "EuCoresTotalCount", Number: m.part.eus()},
		{Name: "EuSlicesTotalCount", Number: float64(slices)},
		{Name: "EuSubslicesTotalCount", Number: float64(slices * subslices)},
		{Name: "SliceMask", Number: float64(int(1)<<slices - 1)},
		{Name: "SubsliceMask", Number: float64(int(1)<<(slices*subslices) - 1)},
	}
}
