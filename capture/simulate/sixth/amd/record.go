package amd

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// tells are the counters that tell most directly of a candidate, beside those that all models leave out for it.
var tells = map[simulate.Candidate][]string{
	candidates[arithmetic]:  {"CSSALUInsts"},
	candidates[texture]:     {"TexVolFilteringPct", "TexVolFilteringCount", "NoTexVolFilteringCount"},
	candidates[localMemory]: {"CSALUStalledByLDSPerWave", "CSLimitedByLds"},
	candidates[vertexFetch]: {"VSLimitedByExport"},
	candidates[depth]: {"PreZSamplesPassing", "PreZSamplesFailingZ", "PreZSamplesFailingS", "PostZSamplesPassing",
		"PostZSamplesFailingZ", "PostZSamplesFailingS"},
	candidates[backend]: {"CBSlowPixelPct", "CBSlowPixelCount"},
	candidates[latency]: {"CSLimitedByVgpr", "WaveOccupancyPct"},
	candidates[cache]:   {"L2CacheHit", "L2CacheMiss", "L2CacheMissCount"},
}

// left are the names of the counters that a recorder with these options does not measure.
func left(o *simulate.Options) []string {
	return append(telling.Left(o, telling.GPA), telling.Left(o, tells)...)
}

// record replays every draw once for each group of counters. Nothing is sampled by time, so that nothing is late,
// missed or lost, and the options for these mean nothing here.
func (c *content) record(r simulate.Random, o *simulate.Options) (*capture.Capture, error) {
	noise := max(0, o.Noise)
	if o.Noise == 0 {
		noise = 1
	}
	base := 0.012 * r.Log(0.4, 2.5)
	marked := o.Marks.Of(r.Chance(0.5))
	gap := r.Log(20e3, 300e3) // ns in which the profiler waits and reads its counters out

	rows := make([]row, len(c.draws))
	none := easing(noCandidate)
	clock := 1e9 * r.Between(1, 2000)
	axis := &capture.Axis{Clock: "samples"}
	now := int64(0)
	stamp := func(ns float64) float64 { return math.Max(1, math.Round(ns/stampNs)) * stampNs }
	for i := range rows {
		d := &c.draws[i]
		out := c.machine.run(d, &none)
		x := &rows[i]
		*x = row{m: &c.machine, d: d, o: &out, w: c.machine.clocksOf(d, &out), n: c.machine.countsOf(d, r)}
		// A short draw differs more from replay to replay: what is cold and who else uses the memory decides.
		sigma := noise * base * (1 + math.Min(2, math.Sqrt(20e3/out.total)))
		for p := range x.pass {
			x.pass[p] = repeat{time: spread(r, sigma), ratio: spread(r, 0.4*sigma)}
		}
		x.time = stamp(out.total * x.pass[inTiming].time)
		x.exec = math.Min(x.time, stamp(x.time-0.25*d.front))
		clock = stamp(clock + gap*r.Between(0.8, 1.3))
		x.at = clock
		clock += x.exec
		axis.Start = append(axis.Start, now)
		now += max(1, int64(x.time))
		axis.End = append(axis.End, now)
	}

	without := left(o)
	cfg := capture.Config{Name: "simulated", Format: "gpa", GPU: "amd-gpa-rdna", Axis: axis,
		Device:     capture.Device{Name: c.machine.name, Vendor: "AMD", ID: c.machine.id},
		Properties: c.machine.properties(),
		Warnings:   []string{"the file has no times: samples follow each other, each as long as its GPUTime"}}
	for i := range publics {
		p := &publics[i]
		if slices.Contains(without, p.name) || p.only12 && c.machine.api != "dx12" {
			continue
		}
		meta := capture.Meta{Name: p.name, Title: p.name, Unit: p.unit, Source: "gpa", GPU: cfg.GPU, Kind: capture.Delta}
		if p.unit == "percent" {
			meta.Kind = capture.Gauge
		}
		values := make([]float64, len(rows))
		for k := range rows {
			values[k] = written(p.of(&rows[k], rows[k].pass[p.pass]))
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: values})})
	}
	sessions, samples, markers := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	all := simulate.Numbers(len(rows) + 2)
	for i := range rows {
		sessions[i] = all[1+c.phases[i]]
		samples[i] = all[i-slices.Index(c.phases, c.phases[i])]
		markers[i] = c.draws[i].name
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)}
	if marked {
		cfg.Labels = append(cfg.Labels, capture.NewLabel("marker", markers, nil))
	}
	return capture.New(cfg)
}

// written is a value with the six decimals that a file has of it, as far as a double holds them.
func written(x float64) float64 {
	if x > 1e9 {
		return x
	}
	return math.Round(x*1e6) / 1e6
}

// spread is near 1, and never far: replays that went wrong are not kept.
func spread(r simulate.Random, sigma float64) float64 {
	return 1 + sigma*math.Max(-2.5, math.Min(2.5, r.NormFloat64()))
}

// properties are what programs of public counters read of the device, and what chooses them.
func (m *machine) properties() []capture.Property {
	number := func(name string, x float64) capture.Property { return capture.Property{Name: name, Number: x} }
	text := func(name, x string) capture.Property { return capture.Property{Name: name, Text: x, IsText: true} }
	return []capture.Property{text("generation", "gfx103"), text("asic", m.asic), text("api", m.api),
		number("num_shader_engines", m.engines), number("num_shader_arrays", m.arrays), number("num_cus", m.units),
		number("num_simds", 2*m.units), number("max_waves", mostWaves), number("su_clocks_prim", 1),
		number("num_prim_pipes", m.pipes), number("ts_freq", 1e9/stampNs)}
}
