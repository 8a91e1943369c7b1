package amd

import (
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// habits are how somebody records: what the machine lets him read, and what he asks for.
type habits struct {
	node                           bool    // the render node is open to him: registers and sensors
	rate, reached                  float64 // samples of registers a second, and the share of them that is taken
	refresh                        float64 // ns between readings of files
	files, hwmon, metrics, clients bool
	busyLag, powerLag              float64 // ns over which the firmware averages
	umc                            float64 // what the firmware calls busy of a memory that gives all it can
	percent                        bool    // activity is in percent where it should be in hundredths, and so left out
	counts                         bool    // the firmware counts energy
	kernel                         float64 // share of the driver's thread that is in the kernel
	stray                          float64 // of what other programs do on the graphics core
}

func newHabits(r simulate.Random, m *machine) *habits {
	h := &habits{node: r.Chance(0.93), rate: simulate.Pick(r, 10e3, 10e3, 10e3, 5e3, 2e3, 20e3), reached: r.Between(0.9, 1),
		refresh: simulate.Pick(r, 100e6, 100e6, 100e6, 50e6, 20e6), files: true, hwmon: r.Chance(0.95), metrics: r.Chance(0.9),
		clients: r.Chance(0.92), busyLag: r.Log(8e6, 60e6), powerLag: r.Log(10e6, 100e6), umc: r.Between(0.8, 1),
		percent: r.Chance(0.1), counts: r.Chance(0.85), kernel: r.Between(0.2, 0.6), stray: r.Between(0, 0.02)}
	if m.apu {
		h.busyLag, h.powerLag = r.Log(30e6, 400e6), r.Log(50e6, 600e6)
	}
	if r.Chance(0.12) { // somebody who names what he wants
		h.files, h.hwmon, h.metrics = r.Chance(0.5), r.Chance(0.5), r.Chance(0.5)
	}
	return h
}

// table is a capture in the making.
type table struct {
	m        *machine
	rec      *recording
	turns    []turn
	work     []stint // of threads
	axis     *capture.Axis
	at       [][2]int64 // samples, in the simulation's time
	r        simulate.Random
	h        *habits
	counters []*capture.Counter
}

// record simulates the program and makes the capture that the reader would. Everything is drawn, whatever the options
// say, so that they change nothing else.
func record(m *machine, w *load, kind string, seed uint64, o *simulate.Options) (*capture.Capture, error) {
	rec, s, r := &recording{}, sim{}, simulate.NewRandom(seed, "recorder "+kind)
	if err := s.run(m, w, relief{}, false, rec); err != nil {
		return nil, err
	}
	period := simulate.Pick(r, 1e6, 2e6, 4e6, 5e6, 8e6, 10e6, 16e6)
	marks, host, late := r.Chance(0.5), r.Chance(0.5), max(0, r.Between(-0.07, 0.03))
	missed, gaps, h := late/2, simulate.Pick(r, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2), newHabits(r, m)
	if o.Late != 0 {
		late = max(0, o.Late)
	}
	if o.Missed != 0 {
		missed = max(0, o.Missed)
	}
	if o.Gaps > 0 {
		gaps = o.Gaps
	}
	if o.Period > 0 {
		period = float64(o.Period / time.Nanosecond)
	}
	bounds := simulate.NewBounds(period, simulate.Jitter(r, period, 20e3, late, missed))
	run := &simulate.Run{Start: s.frames[w.warm-1].shown, End: min(s.frames[len(s.frames)-1].shown, int64(len(s.turns))*tick),
		Rec: &simulate.Recorder{Bounds: bounds}}
	for i, f := range s.frames {
		run.Frames = append(run.Frames, simulate.FrameTruth{Content: w.frames[i].content, Begin: f.begin})
	}
	axis, origin, rows, holes, merged := run.Rows("CLOCK_MONOTONIC", gaps, r, "the recorder was late", "the recorder was held up")
	t := &table{m: m, rec: rec, turns: s.turns, work: s.host.work, axis: axis, r: r, h: h}
	for _, i := range rows {
		t.at = append(t.at, [2]int64{bounds.At(i), bounds.At(i + 1)})
	}
	t.fill()
	left := telling.Left(o, telling.AMD)
	t.counters = slices.DeleteFunc(t.counters, func(c *capture.Counter) bool {
		return slices.Contains(left, c.Name) || !o.Host.Of(host) && c.GPU == "cpu"
	})
	cfg := capture.Config{Format: "simulated", GPU: "amd-live", Properties: m.properties(h), Axis: axis, Counters: t.counters,
		Gaps: holes, Late: merged, Device: capture.Device{Name: "AMD " + m.name + " (" + m.chip + ")", Vendor: "AMD",
			Driver: "amdgpu, Linux 6.12", Extra: map[string]string{"generation": m.gen}}}
	if o.Marks.Of(marks) {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

// properties are what the driver says of the device.
func (m *machine) properties(h *habits) (out []capture.Property) {
	number := func(name string, v float64) { out = append(out, capture.Property{Name: name, Number: v}) }
	number("vram_bytes", m.vram*(1<<30))
	number("gtt_bytes", m.gtt*(1<<30))
	apu := 0.0
	if m.apu {
		apu = 1
	}
	if h.node {
		number("amd_family", m.family)
		number("amd_external_rev", m.rev)
		number("shader_engines", m.engines)
		number("cu_per_gpu", m.compute)
		number("max_sclk_hz", m.sclk*1e6)
		number("max_mclk_hz", m.mclk*1e6)
		number("is_apu", apu)
	}
	return out
}

// add adds a counter, or an instance to the counter of that name.
func (t *table) add(m capture.Meta, d capture.Data) {
	if m.GPU == "" {
		m.GPU, m.Source = "amd-live", "amdgpu"
	}
	c := &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(d)}
	if n := len(t.counters); m.Instance != "" && (n == 0 || t.counters[n-1].Name != m.Name) {
		whole := m
		whole.Instance = ""
		t.counters = append(t.counters, &capture.Counter{Meta: whole, Axis: t.axis, Instances: []*capture.Counter{c}})
	} else if m.Instance != "" {
		t.counters[n-1].Instances = append(t.counters[n-1].Instances, c)
	} else {
		t.counters = append(t.counters, c)
	}
}

func (t *table) count(block, name, unit string, values []uint64) {
	t.add(capture.Meta{Name: name, Block: block, Unit: unit}, capture.Data{U: values})
}
