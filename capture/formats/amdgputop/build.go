package amdgputop

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
)

// readings is how often amdgpu_top reads each register in a period.
const readings = 100

// grbm and grbm2 are the catalogue's names for amdgpu_top's blocks, by the register that has their bits.
var grbm = map[string]string{
	"Graphics Pipe": "gfx", "Texture Pipe": "ta", "Shader Export": "sx", "Shader Processor Interpolator": "spi",
	"Primitive Assembly": "pa", "Depth Block": "db", "Color Block": "cb", "Vertex Grouper / Tessellator": "vgt",
	"Input Assembly": "ia", "Work Distributor": "wd", "Geometry Engine": "ge",
}

var grbm2 = map[string]string{
	"RunList Controller": "rlc", "Texture Cache": "tc", "Texture Cache per Pipe": "tc",
	"Unified Translation Cache Level-2": "utcl2", "Efficiency Arbiter": "ea", "Render Backend Memory Interface": "rmi",
	"SDMA": "sdma", "Command Processor -  Fetcher": "cpf", "Command Processor -  Compute": "cpc",
	"Command Processor - Graphics": "cpg",
}

// series is what one counter is read from.
type series struct {
	name, unit string
	kind       capture.Kind
	of         func(d *device, length float64) float64 // length in ns; NaN where it is not known
}

func gauge(name, unit string, scale float64, of func(d *device) float64) series {
	return series{name, unit, capture.Gauge, func(d *device, _ float64) float64 { return scale * of(d) }}
}

// sensor is a value of the sensors, which hold other things as well.
func sensor(name string) func(d *device) float64 {
	return func(d *device) float64 {
		var v *value
		if json.Unmarshal(d.Sensors[name], &v) != nil {
			return math.NaN()
		}
		return v.number()
	}
}

// most is the largest of what is known.
func most(of ...func(d *device) float64) func(d *device) float64 {
	return func(d *device) float64 {
		top := math.NaN()
		for _, f := range of {
			if x := f(d); x == x && !(x <= top) {
				top = x
			}
		}
		return top
	}
}

// throttled is 100 where the driver names a reason to hold clocks down that begins with one of some words, or any.
func throttled(words ...string) func(d *device, _ float64) float64 {
	return func(d *device, _ float64) float64 {
		if d.Metrics.Throttle == nil {
			return math.NaN()
		}
		for _, reason := range d.Metrics.Throttle {
			if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(reason, w) }) {
				return 100
			}
		}
		return 0
	}
}

// known lists the counters that a log may have.
func known() []series {
	out := []series{
		gauge("gpu_busy_percent", "percent", 1, func(d *device) float64 { return d.Activity["GFX"].number() }),
		gauge("mem_busy_percent", "percent", 1, func(d *device) float64 { return d.Activity["Memory"].number() }),
		gauge("sensor_sclk", "Hz", 1e6, sensor("GFX_SCLK")),
		gauge("sensor_mclk", "Hz", 1e6, sensor("GFX_MCLK")),
		gauge("power", "watts", 1, sensor("Average Power")),
		gauge("power_now", "watts", 1, sensor("Input Power")),
		gauge("power_cap", "watts", 1, func(d *device) float64 {
			if d.Info.PowerCap == nil || !(d.Info.PowerCap.Current > 0) {
				return math.NaN()
			}
			return d.Info.PowerCap.Current
		}),
		gauge("temperature", "celsius", 1, most(sensor("Edge Temperature"), sensor("Junction Temperature"), sensor("Memory Temperature"))),
		gauge("vram_used", "bytes", 1<<20, func(d *device) float64 { return d.VRAM["Total VRAM Usage"].number() }),
		gauge("gtt_used", "bytes", 1<<20, func(d *device) float64 { return d.VRAM["Total GTT Usage"].number() }),
		{"throttled", "percent", capture.Gauge, throttled()},
		{"throttled_by_power", "percent", capture.Gauge, throttled("PPT", "SPL", "FPPT", "SPPT")},
		{"throttled_by_current", "percent", capture.Gauge, throttled("TDC", "EDC", "APCC")},
		{"throttled_by_heat", "percent", capture.Gauge, throttled("TEMP", "VRHOT", "PROCHOT")},
	}
	for what, name := range map[string]string{"GFX": "gfx", "Compute": "compute", "DMA": "dma", "Decode": "dec", "Encode": "enc"} {
		out = append(out, series{"engine_" + name, "ns", capture.Delta, func(d *device, length float64) float64 {
			return d.Total[what].number() / 100 * length
		}})
	}
	for _, r := range []struct {
		samples string
		blocks  map[string]string
		of      func(d *device) values
	}{
		{"grbm_samples", grbm, func(d *device) values { return d.GRBM }},
		{"grbm2_samples", grbm2, func(d *device) values { return d.GRBM2 }},
	} {
		out = append(out, series{r.samples, "samples", capture.Delta, func(d *device, _ float64) float64 {
			if len(r.of(d)) == 0 {
				return math.NaN()
			}
			return readings
		}})
		for title, block := range r.blocks {
			out = append(out, series{"busy_" + block + "_ones", "samples", capture.Delta, func(d *device, _ float64) float64 {
				return r.of(d)[title].number() * readings / 100
			}})
		}
	}
	slices.SortFunc(out, func(a, b series) int { return strings.Compare(a.name, b.name) })
	return out
}

// build makes the counters of one GPU.
func (l *log) build(card string, cfg *capture.Config) error {
	id, all := l.choose(card)
	if id == nil {
		if card != "" {
			return fmt.Errorf("%s: there is no %s in this log; there are %s", l.name, card, strings.Join(all, ", "))
		}
		return fmt.Errorf("%s: it lists no GPU", l.name)
	}
	if len(all) > 1 {
		l.warn = append(l.warn, fmt.Sprintf("the log is of %s: read is %s; option card= chooses another", strings.Join(all, ", "), *id))
	}
	cfg.Warnings = append(cfg.Warnings, l.warn...)
	starts, ends := l.times()
	cfg.Axis, cfg.StartTime = &capture.Axis{Start: starts, End: ends}, l.began()
	devices := make([]*device, len(l.objects))
	for i, o := range l.objects {
		for _, d := range o.Devices {
			if d != nil && d.id() == *id {
				devices[i] = d
				l.describe(d, cfg)
			}
		}
	}
	have := map[string]bool{}
	for _, s := range known() {
		column, some := make([]float64, len(devices)), false
		for i, d := range devices {
			column[i] = math.NaN()
			if d != nil {
				column[i] = s.of(d, float64(ends[i]-starts[i]))
			}
			some = some || column[i] == column[i]
		}
		if !some || have[s.name] {
			continue
		}
		have[s.name] = true
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: s.name, Unit: s.unit, Kind: s.kind},
			Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: column})})
	}
	return nil
}

// choose is the GPU to read, nil where there is none of that name, and the names of all.
func (l *log) choose(card string) (id *string, all []string) {
	work := map[string]float64{}
	for _, o := range l.objects {
		for _, d := range o.Devices {
			if d == nil {
				continue
			}
			if _, ok := work[d.id()]; !ok {
				all = append(all, d.id())
			}
			work[d.id()] += max(0, most(func(d *device) float64 { return d.Activity["GFX"].number() },
				func(d *device) float64 { return d.GRBM["Graphics Pipe"].number() }, func(*device) float64 { return 0 })(d))
		}
	}
	for i, name := range all {
		if card == name || card == "" && (id == nil || work[name] > work[*id]) {
			id = &all[i]
		}
	}
	return id, all
}

// describe notes what is known of the GPU, once.
func (l *log) describe(d *device, cfg *capture.Config) {
	if cfg.Device.Name != "" || len(cfg.Properties) > 0 {
		return
	}
	cfg.Device.Name = d.Info.DeviceName
	for name, v := range map[string]float64{"max_sclk_hz": 1e6 * d.Info.GPUClock.Max, "max_mclk_hz": 1e6 * d.Info.MemoryClock.Max,
		"vram_bytes": sized(d.Info.VRAM, d.VRAM["Total VRAM"]), "gtt_bytes": sized(d.Info.GTT, d.VRAM["Total GTT"])} {
		if v > 0 {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
		}
	}
	slices.SortFunc(cfg.Properties, func(a, b capture.Property) int { return strings.Compare(a.Name, b.Name) })
}

// sized is how large a memory is in bytes, 0 where that is not known: what the description of the GPU says, else what stands beside the amount in use, in MiB.
func sized(said float64, beside *value) float64 {
	if all := beside.number(); !(said > 0) && all > 0 {
		return all * (1 << 20)
	}
	return said
}
