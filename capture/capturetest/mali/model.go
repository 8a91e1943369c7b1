// Package mali makes captures of Mali-G615 and Mali-G720 GPUs whose bottleneck is known. Work of frames goes through a
// model of the pipeline: a command processor, three queues, a tiler, shader cores with a limited number of warps in
// flight, and memory of limited bandwidth. What takes longest sets the pace, and the counters follow from the work that
// was done.
package mali

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

const (
	cores     = 10
	slices    = 4
	beatBytes = 16 // of the external bus
	coreBytes = 16 // of a beat between a shader core and its caches
	// cacheBytes is what a slice of the L2 gives in a cycle.
	cacheBytes = 40
	maxHz      = 850e6
	warpWidth  = 16
)

type model struct{ gpu string }

// Models lists the two GPUs.
func Models() []capturetest.Model { return []capturetest.Model{model{"mali-g615"}, model{"mali-g720"}} }

func (m model) GPU() string    { return m.gpu }
func (m model) Name() string   { return m.gpu }
func (m model) Script() string { return "mali" }

func (m model) Plants() []capturetest.Plant {
	var out []capturetest.Plant
	for _, p := range plants {
		if p.only == "" || p.only == m.gpu {
			out = append(out, capturetest.Plant{ID: p.id, Rule: p.id, Doc: p.doc})
		}
	}
	return out
}

func (m model) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	for _, id := range []string{c.Plant, c.Second} {
		if _, err := capturetest.FindPlant(m, id); err != nil {
			return nil, err
		}
	}
	ct := healthy()
	if p := plantOf(c.Plant); p != nil {
		p.change(ct, c.Load)
	}
	if p := plantOf(c.Second); p != nil {
		first := *ct
		p.change(ct, c.Load)
		ct.blend(&first, 0.25)
	}
	w := capturetest.NewWork(c, maxHz*ct.clock)
	cpu := ct.rhythm.shape(c, w)
	t := capturetest.NewTable(w)
	newPipeline(m.gpu, ct, c).run(w, t)
	cap, err := t.Capture(capture.Config{
		Name: c.String(),
		GPU:  m.gpu,
		Device: capture.Device{
			Name: map[string]string{"mali-g615": "Mali-G615", "mali-g720": "Mali-G720"}[m.gpu], Vendor: "Arm",
			Driver: "kbase",
		},
		Properties: []capture.Property{
			{Name: "MaliConstantsShaderCoreCount", Number: cores},
			{Name: "MaliConstantsL2SliceCount", Number: slices},
			{Name: "MaliConstantsBusWidthBits", Number: 8 * beatBytes},
			{Name: "mali_warp_width", Number: warpWidth},
			{Name: "mali_max_clock_hz", Number: maxHz},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", m.gpu, c, err)
	}
	if ct.clock < 1 {
		if cap, err = withClock(cap, maxHz*ct.clock); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", m.gpu, c, err)
		}
	}
	return capturetest.WithProcessors(cap, cpus, func(i, c int) float64 { return cpu[i][c] })
}

// withClock adds the clock that the frequency driver shows.
func withClock(cap *capture.Capture, hz float64) (*capture.Capture, error) {
	v := make([]float64, cap.Len())
	for i := range v {
		v[i] = hz
	}
	return cap.With(func(cfg *capture.Config) {
		meta := capture.Meta{Name: "gpu_frequency", Kind: capture.Gauge, Unit: "Hz", Source: "devfreq"}
		cfg.Counters = append(append([]*capture.Counter{}, cfg.Counters...),
			&capture.Counter{Meta: meta, Axis: cap.Axis, Col: capture.NewColumn(capture.Data{F: v})})
	})
}
