package amd

import (
	"fmt"
	"math"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recording is how a recorder looks at a program: drawn with the case, where the options leave it open.
type recording struct {
	period       time.Duration
	marks, host  bool
	late, missed float64
	gaps         int
	rate         float64 // reads of the status registers per second
	refresh      int64   // ns between readings of sensors and files
	usual        float64 // ns that samples are late
	pressure     bool
	frequency    bool
	firmware     float64 // ns over which firmware averages
	keep         float64 // chance that a status bit is what it was at the read before
}

func drawRecording(r simulate.Random) recording {
	d := recording{period: time.Duration(simulate.Pick(r, 1, 2, 4, 5, 8, 10, 16)) * time.Millisecond, marks: r.Chance(0.5), host: r.Chance(0.5),
		rate: simulate.Pick(r, 10000.0, 10000, 10000, 5000, 20000, 2000), refresh: simulate.Pick(r, int64(1e8), 1e8, 1e8, 5e7, 2e7),
		usual: r.Log(5e3, 1.2e5), pressure: r.Chance(0.6), frequency: r.Chance(0.8), firmware: r.Log(2e7, 5e8), keep: r.Between(0, 0.5)}
	if r.Chance(0.5) {
		d.late, d.missed = r.Log(0.002, 0.06), r.Log(0.001, 0.04)
	}
	if r.Chance(0.1) {
		d.gaps = r.Whole(1, 2)
	}
	return d
}

// record makes a live capture.
func (p *program) record(d recording, seed uint64, c *simulate.Case, o simulate.Options) (*capture.Capture, error) {
	period := d.period
	if o.Period > 0 {
		period = o.Period
	}
	late, missed, gaps := d.late, d.missed, d.gaps
	if o.Late != 0 {
		late = max(0, o.Late)
	}
	if o.Missed != 0 {
		missed = max(0, o.Missed)
	}
	if o.Gaps > 0 {
		gaps = o.Gaps
	}
	e := engines.Get().(*engine)
	defer engines.Put(e)
	rec := &recorder{}
	defer func() { e.rec = nil }()
	if err := e.run(p, nothing, false, rec); err != nil {
		return nil, err
	}
	r := simulate.NewRandom(seed, "fifth recorder "+c.Kind)
	bounds := simulate.NewBounds(float64(period), simulate.Jitter(simulate.NewRandom(seed, "fifth lateness"), float64(period),
		min(d.usual, 0.1*float64(period)), late, missed))
	run := &simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Start: e.frames[p.warm-1].flip, End: e.frames[len(e.frames)-1].flip}
	for i := range e.frames {
		run.Frames = append(run.Frames, simulate.FrameTruth{Content: p.frames[i].content, Begin: e.frames[i].begin})
	}
	axis, origin, _, lost, slow := run.Rows("CLOCK_MONOTONIC", gaps, r, "the sampler was not run at its tick: this sample covers the time of others",
		"samples were lost here")
	if axis.Len() == 0 {
		if o.Period == 0 && period > time.Millisecond { // whoever records so short a program takes shorter samples
			o.Period = max(time.Millisecond, period/4)
			return p.record(d, seed, c, o)
		}
		return nil, fmt.Errorf("%s %s %d: the recording has no sample of %v", c.Family, c.Kind, c.Seed, period)
	}
	t := &table{axis: axis}
	cfg := capture.Config{Name: fmt.Sprintf("%s-%s-%d", c.Family, c.Kind, c.Seed), Format: "simulated", GPU: "amd-live", Axis: axis,
		Gaps: lost, Late: slow}
	p.describe(&cfg)
	p.addStatus(t, rec, d, origin, simulate.NewRandom(seed, "fifth status"))
	p.addSensors(t, e, rec, d, origin, simulate.NewRandom(seed, "fifth sensors"))
	if o.Host.Of(d.host) {
		p.addHost(t, rec, d, origin, simulate.NewRandom(seed, "fifth processor"))
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "cpu_count", Number: float64(p.host.cpus)})
	}
	cfg.Counters = t.counters(&o, telling.AMD)
	if o.Marks.Of(d.marks) {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

// describe says what was measured, as the driver answers.
func (p *program) describe(cfg *capture.Config) {
	m := p.m
	names := map[int]string{8: "GFX8", 9: "GFX9", 10: "GFX10.1", 103: "GFX10.3", 11: "GFX11", 12: "GFX12"}
	cfg.Device = capture.Device{Name: m.name, Vendor: "AMD", ID: "0000:03:00.0", Driver: "amdgpu, Linux 6.8.0",
		Extra: map[string]string{"card": "card0", "generation": names[m.gen], "power_dpm_force_performance_level": "auto"}}
	if m.clock.mode == clockFixed {
		cfg.Device.Extra["power_dpm_force_performance_level"] = "high"
	}
	add := func(name string, v float64) {
		if v != 0 || name == "is_apu" {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
		}
	}
	add("pci_device", float64(m.device))
	add("amd_family", float64(m.family))
	add("amd_external_rev", float64(m.rev))
	add("shader_engines", float64(m.engines))
	add("shader_arrays_per_engine", float64(m.arrays))
	add("cu_per_gpu", float64(m.cus))
	add("render_backends", float64(m.backends))
	wave := 64.0
	if m.gen >= 10 {
		wave = 32
	}
	add("wave_size", wave)
	add("l2_channels", float64(m.channels))
	add("vram_bus_bits", float64(m.bus))
	add("max_sclk_hz", m.sclk*1e6)
	add("max_mclk_hz", m.mclk*1e6)
	add("gpu_counter_hz", 1e8)
	add("gl2c_bytes", float64(m.l2KiB)*1024)
	add("mall_bytes", float64(m.mallMiB)*(1<<20))
	apu := 0.0
	if m.apu {
		apu = 1
	}
	add("is_apu", apu)
	add("vram_bytes", float64(m.vramMiB)*(1<<20))
	add("gtt_bytes", 8<<30)
}

// addStatus reads the status registers some thousand times a second.
func (p *program) addStatus(t *table, rec *recorder, d recording, origin int64, r simulate.Random) {
	n := t.axis.Len()
	var samples [len(registers)][]uint64
	var ones [bitCount][]uint64
	var there [len(registers)]bool
	for i := range samples {
		samples[i] = make([]uint64, n)
	}
	for b := range statusBits {
		if statusBits[b].has(p.m.gen) {
			ones[b] = make([]uint64, n)
			there[statusBits[b].register] = true
		}
	}
	var before [bitCount]bool
	k := 0
	step := 1e9 / d.rate
	sdma := p.host.upload
	for i := range n {
		start, end := origin+t.axis.Start[i], origin+t.axis.End[i]
		at := float64(start) + step*r.Float64()
		for at < float64(end) {
			for k < len(rec.moments)-1 && rec.moments[k].end <= int64(at) {
				k++
			}
			mo := &rec.moments[k]
			common := r.Float64() // blocks are busy together more often than chance has it
			for b := range ones {
				if ones[b] == nil {
					continue
				}
				x := float64(mo.busy[b])
				switch b {
				case bitSDMA:
					x = sdma
				case bitUVD:
					if p.host.video {
						x = 0.12
					}
				}
				is := x >= 1
				if x > 0 && x < 1 {
					u := r.Float64()
					if r.Float64() < 0.3 {
						u = common
					}
					is = u < x
					if r.Float64() < d.keep && before[b] != is && mo.start < int64(at-step) {
						// Within a stretch a block stays as it is for a while; the share stays the same, as both ways are as likely.
						if r.Float64() < min(x, 1-x) {
							is = before[b]
						}
					}
				}
				before[b] = is
				if is {
					ones[b][i]++
				}
			}
			for g := range samples {
				samples[g][i]++
			}
			at += step
			if r.Chance(0.004) { // the thread was not run for a while
				at += step * r.Log(1, 30)
			}
		}
	}
	meta := func(name, title, unit string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: "status", GPU: "amd-live", Source: "amdgpu"}
	}
	for g, reg := range registers {
		if !there[g] {
			continue
		}
		t.whole(meta(reg.counter, "Samples of "+reg.name, "samples"), samples[g])
		for b := range statusBits {
			if bit := &statusBits[b]; bit.register == g && ones[b] != nil {
				t.whole(meta("busy_"+bit.name+"_ones", bit.title+" found busy", "samples"), ones[b])
			}
		}
		for b := range statusBits {
			bit := &statusBits[b]
			if bit.register != g || ones[b] == nil {
				continue
			}
			errs := make([]float64, n)
			for i := range errs {
				if s := float64(samples[g][i]); s > 0 {
					x := float64(ones[b][i]) / s
					errs[i] = 100 * math.Sqrt(x*(1-x)/s)
				}
			}
			m := meta("busy_"+bit.name+"_error", bit.title+" busy sampled, standard error", "percent")
			m.Kind, m.Combine = capture.Gauge, capture.CombineMax
			t.floats(m, errs)
		}
	}
}
