package intel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
	"astrolabe/capture/simulate"
)

// sets are the metric sets of the platform that the part's catalogue has.
func (d *device) sets() []string {
	cat, err := metrics.Get(d.gpu)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.plat.sets), func(name string) bool {
		_, err := cat.Set(name)
		return err != nil
	})
}

// platformUsual is the set that somebody would measure the content with.
func (d *device) platformUsual(r simulate.Random) string {
	list := d.plat.usual
	if !slices.ContainsFunc(d.passes(), func(w work) bool {
		return slices.ContainsFunc(w, func(x term) bool { return x.quantity == rasterized })
	}) {
		list = []string{"ComputeBasic", "ComputeBasic", "ComputeBasic", "RenderBasic", "EuActivity2", "EuActivity7",
			"VectorEngineProfile", "VectorEngineStalls", "MemoryProfile"}
	}
	have := d.sets()
	list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !slices.Contains(have, name) })
	return simulate.Pick(r, list...)
}

// available reports whether a metric exists on the part.
func (d *device) available(e *metrics.Entry) bool {
	if e.Available == "" {
		return true
	}
	x, err := formula.Parse(e.Dialect, e.Available)
	if err != nil {
		return false
	}
	holds, known := x.Holds(func(name string) (uint64, bool) {
		v, ok := d.variables[name]
		return uint64(v), ok
	})
	return holds && known
}

// names are the counters of the platform's reports, in their order.
func (p *platform) names() (out []string) {
	bank := func(letter string, n int) {
		for i := range n {
			out = append(out, letter+strconv.Itoa(i))
		}
	}
	switch {
	case p.version >= 2000:
		bank("PEC", 64)
		return out
	case p.version >= 1255:
		bank("A", 38)
	default:
		bank("A", 36)
	}
	bank("B", 8)
	bank("C", 8)
	return out
}

func (p *platform) format() string {
	switch {
	case p.version >= 2000:
		return "PEC64u64"
	case p.version >= 1255:
		return "A24u40_A14u32_B8_C8"
	}
	return "A32u40_A4u32_B8_C8"
}

// platformSample makes a row from the moment.
func (t *table) platformSample(run *simulate.Run, i int, set string, ns float64) row {
	m := &t.m
	m.settle(ns)
	out := row{ticks: ns * t.d.plat.frequency / 1e9, clocks: m.clocks,
		share: run.ClockAt(run.Rec.Bounds.At(i))}
	out.counts = t.plans[set].counts(m, func(name string) float64 {
		if name == timeName {
			return ns
		}
		return m.clocks
	})
	return out
}

// platformColumns makes the columns of the rows.
func (t *table) platformColumns() *simulate.Columns {
	p, c := t.d.plat, simulate.NewColumns(t.axis)
	meta := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Block: block, Kind: capture.Delta, GPU: t.d.gpu, Source: p.driver}
	}
	at := map[string]int{}
	timestamp, ticks := c.Counter(meta("TIMESTAMP", "ticks", "OA")), c.Counter(meta("GPU_TICKS", "cycles", "OA"))
	names := p.names()
	for _, name := range names {
		at[name] = c.Counter(meta(name, "", "OA"))
	}
	// The first word of reports tells the clocks on Gen9 to Gen11.
	clocked := p.version >= 900 && p.version < 1200
	var slice, unslice int
	if clocked {
		slice, unslice = c.Gauge(meta("SLICE_CLOCK", "MHz", "clock")), c.Gauge(meta("UNSLICE_CLOCK", "MHz", "clock"))
	}
	for i := range t.rows {
		x := &t.rows[i]
		c.Add(timestamp, x.ticks)
		c.Add(ticks, x.clocks)
		for _, name := range names {
			c.Add(at[name], x.counts[name])
		}
		if clocked {
			mhz := t.d.asked(x.share)
			c.Set(slice, mhz)
			c.Set(unslice, mhz)
		}
		t.plans[t.set[i]].keep(c, at, func(name string) float64 {
			switch name {
			case clockName:
				return float64(c.Last(ticks))
			case timeName:
				return float64(c.Last(timestamp)) * 1e9 / p.frequency
			}
			return float64(c.Last(at[name]))
		})
	}
	return c
}

// asked is the clock that was asked for, in MHz: a multiple of 50/3.
func (d *device) asked(share float64) float64 {
	const step = 50.0 / 3
	return float64(int(share*d.hz/1e6/step+0.5)) * step
}

// platformConfig is what a recording says about the GPU.
func (d *device) platformConfig(period float64, sets []string) capture.Config {
	p := d.plat
	number := func(name string, v float64) capture.Property { return capture.Property{Name: name, Number: v} }
	text := func(name, v string) capture.Property { return capture.Property{Name: name, Text: v, IsText: true} }
	cfg := capture.Config{
		Name: "simulated", Format: "recording", GPU: d.gpu,
		Device: capture.Device{Name: d.name, Vendor: "Intel", Driver: p.driver, ID: fmt.Sprintf("8086:%04x", d.id)},
		Properties: append([]capture.Property{number("pci_device_id", float64(d.id)), number("SkuRevisionId", 2),
			text("oa_format", p.format()), number("oa_period_ns", period)}, d.told...),
	}
	if p.driver == "xe" {
		cfg.Properties = append(cfg.Properties, text("oa_driver", "xe"))
	}
	if len(sets) == 1 {
		cfg.Properties = append(cfg.Properties, text("metric_set", sets[0]))
		if cat, err := metrics.Get(d.gpu); err == nil {
			if set, err := cat.Set(sets[0]); err == nil {
				cfg.Properties = append(cfg.Properties, text("metric_set_guid", set.GUID))
			}
		}
	}
	return cfg
}

// telling are words of metrics' symbols that tell of a candidate directly.
var telling = map[string][]string{
	"memory/bandwidth":        {"Gti", "GPU_MEMORY", "GTRequest"},
	"memory/latency":          {"EuStall", "XveStall", "XVE_STALL"},
	"memory/cache":            {"L3", "SamplerTexelMisses", "ShaderMemoryAccesses"},
	"unit/arithmetic":         {"Fpu", "Em", "EuActive", "XveActive", "XVE_ACTIVE", "ALU", "XVE_PIPE"},
	"unit/texture":            {"Sampler", "SAMPLER"},
	"unit/load_store":         {"ShaderMemoryAccesses", "ShaderAtomics", "LOAD_STORE"},
	"unit/local_memory":       {"Slm", "SLM"},
	"unit/vertex_fetch":       {"Vf", "VERTEX_FETCH", "IA_"},
	"unit/clipper":            {"Cl", "CLIPPER"},
	"unit/setup":              {"Sf", "STRIPSFAN", "Poly"},
	"unit/rasterizer":         {"Rasteriz", "RASTERIZER"},
	"unit/hierarchical_depth": {"HiDepth", "HIZ"},
	"unit/early_depth":        {"EarlyDepth", "EARLY", "IZ_"},
	"unit/pixel_backend":      {"Samples", "Pixel", "PSOutput", "PIXEL", "PS_OUTPUT", "RENDER_CACHE"},
	"unit/ray_tracing":        {"RT_"},
}

// platformCounters are those of all sets that the metrics of a candidate read and no others do; clocks are told by the
// gauges alone where there are some.
func (d *device) platformCounters(c simulate.Candidate) (out []string) {
	if c.Level == simulate.LevelClock {
		return []string{"SLICE_CLOCK", "UNSLICE_CLOCK"}
	}
	cat, err := metrics.Get(d.gpu)
	if err != nil {
		return nil
	}
	for _, e := range cat.Entries() {
		if e.Set == nil || !slices.Contains(d.plat.sets, e.Set.Name) || e.Set.Name != "RenderBasic" {
			continue
		}
		for _, word := range telling[c.Level+"/"+c.Name] {
			if !strings.HasPrefix(e.Symbol, word) {
				continue
			}
			for _, name := range e.Inputs {
				if slices.Contains(d.plat.names(), name) && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}
