package amd

import (
	"math"
	"slices"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// ownTelling are counters that tell most directly of what only this model has.
var ownTelling = map[simulate.Candidate][]string{
	pcie:         {"bytes_moved", "evictions", "vram_used", "gtt_used"},
	unit("copy"): {"engine_dma", "busy_sdma_ones", "busy_sdma_error"},
	unit("video"): {"engine_dec", "engine_enc", "busy_uvd_ones", "busy_uvd_error", "busy_vce_ones", "busy_vce_error",
		"gpu_metrics_average_mm_activity", "gpu_metrics_average_vcn_activity"},
}

// table is the counters of a capture in the making.
type table struct {
	*engine
	from, to []int64 // of each sample, in the simulation's time
	cfg      *capture.Config
	left     []string // names that are not measured
}

// add adds a counter. Those with an instance hang below their whole.
func (t *table) add(m capture.Meta, d capture.Data) {
	if slices.Contains(t.left, m.Name) {
		return
	}
	if m.GPU == "" {
		m.GPU, m.Source = "amd-live", "amdgpu"
	}
	c, list := &capture.Counter{Meta: m, Axis: t.cfg.Axis, Col: capture.NewColumn(d)}, &t.cfg.Counters
	if m.Instance != "" {
		m.Instance = ""
		whole := &capture.Counter{Meta: m, Axis: t.cfg.Axis}
		if i := slices.IndexFunc(*list, func(o *capture.Counter) bool { return o.Name == m.Name }); i >= 0 {
			whole = (*list)[i]
		} else {
			*list = append(*list, whole)
		}
		list = &whole.Instances
	}
	*list = append(*list, c)
}

// record makes the capture that a recorder would have made.
func (l *load) record(seed uint64, o simulate.Options) (*capture.Capture, error) {
	e, rec := &engine{}, &recorder{}
	if err := e.run(l, relief{unit: -1, queue: -1}, false, rec); err != nil {
		return nil, err
	}
	r := simulate.NewRandom(seed, "amd seventh recorder")
	start, end := e.frames[l.warm-1].flip.at, e.frames[len(e.frames)-1].flip.at
	period := simulate.Pick(r, 10e6, 10e6, 10e6, 5e6, 2e6, 20e6)
	if period > float64(end-start)/12 {
		period = 1e6
	}
	if o.Period > 0 {
		period = float64(o.Period)
	}
	share := func(asked, drawn float64) float64 {
		if asked == 0 {
			return drawn
		}
		return max(0, asked)
	}
	bounds := simulate.NewBounds(period, simulate.Jitter(r, period, 25e3, share(o.Late, 0.01), share(o.Missed, 0.002)))
	run := &simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Start: start, End: end}
	for i := range e.frames {
		run.Frames = append(run.Frames, simulate.FrameTruth{Begin: e.frames[i].begin.at})
	}
	axis, origin, rows, gaps, late := run.Rows("CLOCK_MONOTONIC", o.Gaps, r, "the sample covers ticks that were missed",
		"the recorder was not run")
	cfg := l.config()
	cfg.Name, cfg.Axis, cfg.Gaps, cfg.Late = "amd-live-seventh-"+strconv.FormatUint(seed, 10), axis, gaps, late
	t := &table{engine: e, cfg: cfg, left: telling.Left(&o, telling.AMD)}
	for _, c := range o.Withheld {
		t.left = append(t.left, ownTelling[c]...)
	}
	for _, i := range rows {
		t.from, t.to = append(t.from, bounds.At(i)), append(t.to, bounds.At(i+1))
	}
	t.sampled(simulate.NewRandom(seed, "amd seventh sampler"))
	t.slow(simulate.NewRandom(seed, "amd seventh slow"))
	if o.Host.Of(r.Chance(0.6)) {
		t.processor(simulate.NewRandom(seed, "amd seventh processor"))
	}
	if o.Marks.Of(r.Chance(0.5)) {
		run.Mark(cfg, origin)
	}
	return capture.New(*cfg)
}

// config describes the GPU, as the driver does.
func (l *load) config() *capture.Config {
	c := l.card
	level, apu := "auto", 0.0
	if l.firmware.ceiling < 1 {
		level = "manual"
	}
	if c.apu() {
		apu = 1
	}
	cfg := &capture.Config{Format: "simulated", GPU: "amd-live", StartTime: time.Unix(1790000000, 0).UTC(),
		Device: capture.Device{Name: c.name, Vendor: "AMD", Driver: "amdgpu, Linux 6.12.30", ID: "0000:03:00.0",
			Extra: map[string]string{"card": "card1", "generation": []string{"GFX8", "GFX10.3", "GFX11", "GFX12"}[c.gen],
				"power_dpm_force_performance_level": level}}}
	for _, p := range []struct {
		name string
		v    float64
	}{{"amd_family", c.family}, {"amd_external_rev", c.rev}, {"shader_engines", c.engines}, {"shader_arrays_per_engine", 2},
		{"cu_per_gpu", c.cus}, {"render_backends", c.rops / 8}, {"l2_channels", c.channels}, {"vram_bus_bits", c.bits},
		{"max_sclk_hz", c.mhz * 1e6}, {"max_mclk_hz", c.mclk * 1e6}, {"gpu_counter_hz", 1e8}, {"mall_bytes", c.mall * (1 << 20)},
		{"is_apu", apu}, {"vram_bytes", c.vram * (1 << 30)}, {"gtt_bytes", 16 * (1 << 30)}} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: p.name, Number: p.v})
	}
	return cfg
}

// sampled adds what the reader of status registers counted: at a random moment in each slice of time.
func (t *table) sampled(r simulate.Random) {
	slice := 1e9 / simulate.Pick(r, 10000.0, 10000, 10000, 5000, 2000)
	n, at, gen := len(t.from), 0, t.l.card.gen
	counts := make([]uint64, n)
	ones := make([][]uint64, bits)
	for b := range ones {
		ones[b] = make([]uint64, n)
	}
	for i := range t.from {
		for k := math.Ceil(float64(t.from[i]) / slice); ; k++ {
			when := int64((k + r.Float64()) * slice)
			if when >= t.to[i] {
				break
			}
			if r.Chance(0.004) { // a slice passed while the thread did not run
				continue
			}
			for at+1 < len(t.rec.stretches) && t.rec.stretches[at].to <= when {
				at++
			}
			for at > 0 && t.rec.stretches[at].from > when {
				at--
			}
			counts[i]++
			for b, p := range t.rec.stretches[at].chance {
				if p > 0 && (p >= 1 || r.Float32() < p) {
					ones[b][i]++
				}
			}
		}
	}
	for reg, name := range registers {
		if reg >= 2 && gen > gfx8 {
			break
		}
		t.add(capture.Meta{Name: name, Unit: "samples", Block: "status"}, capture.Data{U: slices.Clone(counts)})
		for b, bit := range statusBits {
			if bit.register != reg || gen < bit.from || gen > bit.to {
				continue
			}
			t.add(capture.Meta{Name: "busy_" + bit.name + "_ones", Unit: "samples", Block: "status"}, capture.Data{U: ones[b]})
			off := make([]float64, n)
			for i := range off { // without a sample it is no number: missing
				p := float64(ones[b][i]) / float64(counts[i])
				off[i] = 100 * math.Sqrt(p*(1-p)/float64(counts[i]))
			}
			t.add(capture.Meta{Name: "busy_" + bit.name + "_error", Unit: "percent", Block: "status", Kind: capture.Gauge,
				Combine: capture.CombineMax}, capture.Data{F: off})
		}
	}
}
