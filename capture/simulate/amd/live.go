package amd

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// Capture makes the samples that the recorder takes of status bits and readings. Labels of frames and counters of the
// processor are there where a recorder with marks, or of both sources, was asked for.
func (d *device) Capture(record func(int) (*simulate.Run, error), rec *cases.Recording) (*capture.Capture, error) {
	r := simulate.NewRandom(rec.Seed, "amd-live recording")
	run, err := record(0)
	if err != nil {
		return nil, err
	}
	axis, origin, rows, gaps, late := run.Rows("CLOCK_MONOTONIC", rec.Options.Gaps, r,
		"the recorder was not run in time and ticks passed without a read; the sample here covers their time",
		"the recorder stood still")
	t := newTable(d, axis, r)
	for k, i := range rows {
		t.m.sample(run, i)
		t.sample(run.Rec.Bounds.At(i), run.Rec.Bounds.At(i+1))
		t.reading(run, axis.End[k]-axis.Start[k], run.Rec.Bounds.At(i+1))
	}
	cfg := d.config()
	cfg.Axis, cfg.Gaps, cfg.Late = axis, gaps, late
	without := slices.Clone(rec.Options.Without)
	for _, c := range rec.Options.Withheld {
		without = append(without, d.Counters(c)...)
	}
	cfg.Counters = t.cols.Counters(without)
	if rec.Marks {
		run.Mark(&cfg, origin)
	}
	if rec.Host {
		cfg.Counters = append(cfg.Counters, cases.HostCounters(run, axis, rows, rec)...)
		cfg.Properties = append(cfg.Properties, cases.HostProperties(rec)...)
	}
	return capture.New(cfg)
}

// rate is how often the status registers are read, per ns.
const rate = 10000 / 1e9

// table is a capture in the making.
type table struct {
	d       *device
	m       moment
	r       simulate.Random
	cols    *simulate.Columns
	regs    [2]register
	levels  map[string]int
	engines [2]int

	next      float64 // ns of the recording at which the readings are renewed
	now       float64
	shown     map[string]float64
	load      float64 // what firmware averages
	umc       float64
	watts     float64
	degrees   float64
	held      [2]float64 // ns that queues had work
	shownHeld [2]float64
}

// register is a status register's column of samples with those of its bits.
type register struct {
	samples int
	bits    []*bit
	cols    []int
}

func newTable(d *device, axis *capture.Axis, r simulate.Random) *table {
	t := &table{d: d, r: r, cols: simulate.NewColumns(axis), levels: map[string]int{}, shown: map[string]float64{}}
	t.m.d = d
	meta := func(name, unit, block string, combine capture.Combine) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Block: block, Kind: capture.Delta, Combine: combine, GPU: liveName,
			Source: "amdgpu"}
	}
	for k, name := range []string{"grbm_samples", "grbm2_samples"} {
		x := &t.regs[k]
		x.samples = t.cols.Counter(meta(name, "samples", "status", 0))
		x.bits = bitsOf(d.model.generation, k == 1)
		for _, b := range x.bits {
			x.cols = append(x.cols, t.cols.Counter(meta("busy_"+b.name+"_ones", "samples", "status", 0)))
		}
	}
	for k, name := range []string{"engine_gfx", "engine_compute"} {
		t.engines[k] = t.cols.Counter(meta(name, "ns", "engines", 0))
	}
	level := func(name, unit, block string, combine capture.Combine) {
		t.levels[name] = t.cols.Gauge(meta(name, unit, block, combine))
	}
	level("gpu_busy_percent", "percent", "activity", capture.CombineMean)
	level("sensor_load", "percent", "sensors", capture.CombineMean)
	level("sensor_sclk", "Hz", "sensors", capture.CombineMean)
	level("sensor_mclk", "Hz", "sensors", capture.CombineMean)
	level("sensor_power", "watts", "sensors", capture.CombineSum)
	level("power", "watts", "hwmon", capture.CombineSum)
	level("power_cap", "watts", "hwmon", capture.CombineSum)
	level("temperature", "celsius", "hwmon", capture.CombineMax)
	level("vram_used", "bytes", "memory", 0)
	level("gtt_used", "bytes", "memory", 0)
	if d.model.generation >= 9 { // older parts have no gpu_metrics
		level("gpu_metrics_average_gfx_activity", "percent", "gpu_metrics", capture.CombineMean)
		level("gpu_metrics_current_gfxclk", "MHz", "gpu_metrics", capture.CombineMean)
		level("throttled", "percent", "gpu_metrics", capture.CombineMax)
		if !d.apu {
			level("mem_busy_percent", "percent", "activity", capture.CombineMean)
			level("gpu_metrics_average_umc_activity", "percent", "gpu_metrics", capture.CombineMean)
		}
	}
	return t
}

// sample draws what the samples of the registers found in a stretch of the simulation. All bits of a register are read
// at once, and a block is busy only while the pipe is, so that one number decides over all bits of a read.
func (t *table) sample(start, end int64) {
	n := int(float64(end)*rate) - int(float64(start)*rate)
	for k := range t.regs {
		x := &t.regs[k]
		t.cols.Whole(x.samples, float64(n))
		draws := make([]float64, n)
		for i := range draws {
			draws[i] = t.r.Float64()
		}
		for i, b := range x.bits {
			share := b.busy(&t.m) / t.m.ns
			ones := 0
			for _, u := range draws {
				if u < share {
					ones++
				}
			}
			t.cols.Whole(x.cols[i], float64(ones))
		}
	}
}

// reading adds the readings that were valid at a sample's end. They are renewed about every 100 ms.
func (t *table) reading(run *simulate.Run, length, end int64) {
	d, m, ns := t.d, &t.m, float64(length)
	clock := run.ClockAt(end - 1)
	busy := m.busy / m.ns
	c := &run.Machine.Clock
	full, load := d.watts*d.hungry, clock*clock*clock*(0.2+0.8*busy)
	if c.Power != nil {
		full = c.Power.Full
	}
	settled := 40 + 45*load
	if c.Heat != nil {
		settled = c.Heat.Throttle - 0.5
	}
	first := t.now == 0
	t.now += ns
	follow := func(v *float64, to, window float64) {
		if first {
			*v = to
		}
		*v += (to - *v) * min(1, ns/window)
	}
	follow(&t.load, 100*busy, 50e6)
	follow(&t.umc, 100*min(1, m.served[simulate.UnitBandwidth]/m.ns), 50e6)
	follow(&t.watts, full*load, 30e6)
	follow(&t.degrees, settled, 800e6)
	for q := range t.held {
		t.held[q] += m.queue(q)
	}
	var steps [2]float64
	if t.now >= t.next {
		t.next = t.now + t.r.Between(95e6, 110e6)
		for q := range steps {
			steps[q] = math.Floor(t.held[q]) - t.shownHeld[q]
			t.shownHeld[q] += steps[q]
		}
		if first {
			steps = [2]float64{} // the first reading is where totals begin
		}
		mhz := math.Round(clock * d.hz / 1e6)
		throttled := 0.0
		if clock < 1 && (c.Heat != nil || c.Power != nil) {
			throttled = 100
		}
		whole := math.Round
		t.shown = map[string]float64{
			"gpu_busy_percent": whole(t.load), "sensor_load": whole(t.load), "mem_busy_percent": whole(t.umc),
			"gpu_metrics_average_gfx_activity": whole(t.load), "gpu_metrics_average_umc_activity": whole(t.umc),
			"sensor_sclk": mhz * 1e6, "gpu_metrics_current_gfxclk": mhz,
			"sensor_mclk":  whole(d.mclk*d.machine.MemoryShare/1e6) * 1e6,
			"sensor_power": math.Floor(t.watts), "power": whole(t.watts*1e3) / 1e3, "power_cap": d.watts,
			"temperature": whole(t.degrees), "throttled": throttled,
			"vram_used": 2 << 30, "gtt_used": 300 << 20,
		}
	}
	for q, at := range t.engines {
		t.cols.Whole(at, steps[q])
	}
	for name, at := range t.levels {
		t.cols.Set(at, t.shown[name])
	}
}

func (d *device) config() capture.Config {
	x := &d.model
	apu := 0.0
	if x.apu {
		apu = 1
	}
	cfg := capture.Config{Name: "simulated", Format: "recording", GPU: liveName,
		Device: capture.Device{Name: x.name, Vendor: "AMD", ID: "0000:03:00.0", Driver: "amdgpu, Linux 6.12.0",
			Extra: map[string]string{"card": "card0", "generation": "GFX" + strconv.Itoa(x.generation)}}}
	for _, p := range []struct {
		name string
		v    float64
	}{
		{"pci_device", float64(x.id)},
		{"amd_family", float64(x.family)},
		{"shader_engines", float64(x.engines)},
		{"cu_per_gpu", float64(x.cus)},
		{"max_sclk_hz", d.hz},
		{"max_mclk_hz", d.mclk},
		{"vram_bytes", 8 << 30},
		{"gtt_bytes", 16 << 30},
		{"is_apu", apu},
	} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: p.name, Number: p.v})
	}
	return cfg
}
