package amd

import (
	"math"

	"astrolabe/capture"
)

// slow is a value that a thread reads at its own pace: of each sample, the latest at its end.
func (t *table) slow(read func(when int64, k int) float64) []float64 {
	out := make([]float64, len(t.at))
	if len(out) == 0 {
		return out
	}
	last, value := int64(-1), 0.0
	for i, x := range t.at {
		if turn := int64(float64(x[1]) / t.h.refresh); turn != last {
			when := max(t.at[0][0], int64(float64(turn)*t.h.refresh))
			last, value = turn, read(when, min(len(t.rec.turns)-1, int(when/tick)))
		}
		out[i] = value
	}
	return out
}

// average is what the firmware's filter makes of a value of its turns.
func (t *table) average(lag float64, of func(*turn) float64) []float64 {
	out := make([]float64, len(t.rec.turns))
	v := 0.0
	for k := range out {
		x := of(&t.rec.turns[k])
		if k == 0 {
			v = x
		}
		v += (x - v) * min(1, tick/lag)
		out[k] = v
	}
	return out
}

// level adds a gauge of what the firmware averages, in steps of so much.
func (t *table) level(block, name, instance, unit string, how capture.Combine, step float64, values []float64) {
	t.add(capture.Meta{Name: name, Instance: instance, Block: block, Unit: unit, Kind: capture.Gauge, Combine: how},
		capture.Data{F: t.slow(func(_ int64, k int) float64 { return math.Round(values[k]/step) * step })})
}

// of makes a value of each turn.
func (t *table) of(f func(*turn) float64) []float64 { return t.average(tick, f) }

func (t *table) sclk(x *turn) float64 { return x.share * t.m.reach * t.m.sclk * 1e6 }
func (t *table) mclk(x *turn) float64 { return x.memory * t.m.mclk * 1e6 }

func (t *table) busy() []float64 {
	v := t.average(t.h.busyLag, func(x *turn) float64 { return 100 * x.busy })
	for k := range v {
		v[k] = min(100, v[k]+100*t.h.stray)
	}
	return v
}

func (t *table) traffic() []float64 {
	return t.average(t.h.busyLag, func(x *turn) float64 { return min(100, 100*t.h.umc*x.traffic) })
}

func (t *table) power() []float64 {
	return t.average(t.h.powerLag, func(x *turn) float64 { return x.watts })
}

// edge is the temperature that is far from the hottest spot.
func (t *table) edge() []float64 {
	return t.of(func(x *turn) float64 { return t.m.sink + 0.75*(x.heat-t.m.sink) })
}

// sensors are what the driver answers itself.
func (t *table) sensors() {
	t.level("sensors", "sensor_load", "", "percent", capture.CombineMean, 1, t.busy())
	t.level("sensors", "sensor_sclk", "", "Hz", capture.CombineMean, 1e6, t.average(t.h.busyLag, t.sclk))
	t.level("sensors", "sensor_mclk", "", "Hz", capture.CombineMean, 1e6, t.of(t.mclk))
	t.level("sensors", "sensor_power", "", "watts", capture.CombineSum, 1, t.power())
	t.level("sensors", "sensor_temperature", "", "celsius", capture.CombineMax, 1, t.edge())
	t.level("sensors", "sensor_vddgfx", "", "volts", capture.CombineMean, 1e-3,
		t.of(func(x *turn) float64 { return 1.1 * volts(x.share) }))
}

func (t *table) memory() {
	t.level("memory", "vram_used", "", "bytes", capture.CombineSum, 4096,
		t.of(func(*turn) float64 { return t.m.vram * (1 << 30) * 0.4 }))
	t.level("memory", "gtt_used", "", "bytes", capture.CombineSum, 4096,
		t.of(func(*turn) float64 { return t.m.gtt * (1 << 30) * 0.05 }))
	if !t.h.node {
		return
	}
	t.count("memory", "bytes_moved", "bytes", t.grown(func(when int64) float64 {
		return 4e6 * math.Floor(float64(when)/700e6)
	}))
	t.count("memory", "evictions", "buffers", make([]uint64, len(t.at)))
}

// files are those of the device's folder. APUs do not say how busy their memory is.
func (t *table) files() {
	t.level("activity", "gpu_busy_percent", "", "percent", capture.CombineMean, 1, t.busy())
	if !t.m.apu {
		t.level("activity", "mem_busy_percent", "", "percent", capture.CombineMean, 1, t.traffic())
	}
	t.level("clocks", "dpm_sclk", "", "Hz", capture.CombineMean, 1e6, t.of(t.sclk))
	t.level("clocks", "dpm_mclk", "", "Hz", capture.CombineMean, 1e6, t.of(t.mclk))
}

// hwmon has the power of the moment on an APU and an average of a card, and a limit where the owner can set one.
func (t *table) hwmon() {
	deck := t.m.chip == "Van Gogh"
	if !t.m.apu || deck {
		t.level("hwmon", "power", "", "watts", capture.CombineSum, 1e-3, t.power())
	}
	if t.m.apu {
		t.level("hwmon", "power_now", "", "watts", capture.CombineSum, 1e-3, t.of(func(x *turn) float64 { return x.watts }))
	}
	if !t.m.apu || deck {
		t.level("hwmon", "power_cap", "", "watts", capture.CombineSum, 1, t.of(func(*turn) float64 { return t.m.limit }))
	}
	t.level("hwmon", "temperature", "edge", "celsius", capture.CombineMax, 1, t.edge())
	if !t.m.apu {
		t.level("hwmon", "temperature", "junction", "celsius", capture.CombineMax, 1, t.of(func(x *turn) float64 { return x.heat }))
		t.level("hwmon", "temperature", "mem", "celsius", capture.CombineMax, 2,
			t.of(func(x *turn) float64 { return t.m.sink + 0.6*(x.heat-t.m.sink) + 8 }))
	}
	t.level("hwmon", "frequency", "sclk", "Hz", capture.CombineMax, 1e6, t.of(t.sclk))
	if !t.m.apu {
		t.level("hwmon", "frequency", "mclk", "Hz", capture.CombineMax, 1e6, t.of(t.mclk))
	}
}

// table is gpu_metrics. What a part leaves at 0xffff the reader leaves out.
func (t *table) table() {
	put := func(name, unit string, how capture.Combine, step float64, values []float64) {
		t.level("gpu_metrics", "gpu_metrics_"+name, "", unit, how, step, values)
	}
	if t.m.apu {
		put("temperature_gfx", "celsius", capture.CombineMean, 0.01, t.of(func(x *turn) float64 { return x.heat }))
		put("temperature_soc", "celsius", capture.CombineMean, 0.01, t.edge())
		activity := t.busy()
		seen := t.h.percent
		for k, v := range activity { // whole percents cannot be told from hundredths until one is above 100
			if v > 1 && !t.h.percent {
				seen = true
			}
			if t.h.percent && v > 0 || !seen && v > 0 {
				activity[k] = math.NaN()
			}
		}
		put("average_gfx_activity", "percent", capture.CombineMean, 0.01, activity)
		put("average_socket_power", "watts", capture.CombineSum, 1e-3, t.power())
		put("average_gfx_power", "watts", capture.CombineSum, 1e-3, t.average(t.h.powerLag, func(x *turn) float64 {
			return max(0.1, x.watts-t.m.idle-t.m.backdrop-t.m.core*x.threads)
		}))
		put("average_fclk_frequency", "Hz", capture.CombineMean, 1e6, t.of(t.mclk))
	} else {
		put("temperature_edge", "celsius", capture.CombineMean, 1, t.edge())
		put("temperature_hotspot", "celsius", capture.CombineMean, 1, t.of(func(x *turn) float64 { return x.heat }))
		put("average_gfx_activity", "percent", capture.CombineMean, 1, t.busy())
		put("average_umc_activity", "percent", capture.CombineMean, 1, t.traffic())
		put("average_socket_power", "watts", capture.CombineSum, 1, t.power())
		if t.h.counts {
			sum := make([]float64, len(t.rec.turns)+1)
			for k := range t.rec.turns {
				sum[k+1] = sum[k] + t.rec.turns[k].watts*tick/1e9
			}
			grown := t.grown(func(when int64) float64 {
				const step = 100 * int64(tick) // the count arrives in steps
				return 65536 * sum[min(len(sum)-1, int(when/step*step/tick))]
			})
			joules := make([]float64, len(grown))
			for i, v := range grown {
				joules[i] = float64(v) / 65536
			}
			t.add(capture.Meta{Name: "gpu_metrics_energy_accumulator", Block: "gpu_metrics", Unit: "joules"}, capture.Data{F: joules})
		}
	}
	put("average_gfxclk_frequency", "Hz", capture.CombineMean, 1e6, t.average(t.h.busyLag, t.sclk))
	put("average_uclk_frequency", "Hz", capture.CombineMean, 1e6, t.of(t.mclk))
	if t.m.metrics != "2.1" {
		put("current_gfxclk", "Hz", capture.CombineMean, 1e6, t.of(t.sclk))
	}
	put("throttled", "percent", capture.CombineMax, 100, t.of(func(x *turn) float64 { return t.flag(x, byPower, byHeat) }))
	t.counters[len(t.counters)-1].Name = "throttled"
	if t.m.metrics == "2.1" {
		return // which says that, and not why in bits that are the same on all parts
	}
	mask := t.slow(func(_ int64, k int) float64 {
		switch t.rec.turns[k].why {
		case byPower:
			if t.m.apu {
				return 1 << 6 // slow package power
			}
			return 1
		case byHeat:
			if t.m.apu {
				return 1 << 32
			}
			return 1 << 36 // hot spot
		}
		return 0
	})
	whole := make([]uint64, len(mask))
	for i, v := range mask {
		whole[i] = uint64(v)
	}
	t.add(capture.Meta{Name: "gpu_metrics_indep_throttle_status", Block: "gpu_metrics", Kind: capture.Gauge, Integral: true,
		Combine: capture.CombineMax}, capture.Data{U: whole})
	for _, x := range []struct {
		name string
		why  int
	}{{"power", byPower}, {"current", -1}, {"heat", byHeat}, {"other", -1}} {
		t.level("gpu_metrics", "throttled_by_"+x.name, "", "percent", capture.CombineMax, 100,
			t.of(func(y *turn) float64 { return t.flag(y, x.why, x.why) }))
	}
}

// flag is 100 where one of two reasons holds the clock down.
func (t *table) flag(x *turn, a, b int) float64 {
	if x.why == a || x.why == b {
		return 100
	}
	return 0
}

// grown is how much a count that is read at the slow pace grew within each sample.
func (t *table) grown(total func(when int64) float64) []uint64 {
	out := make([]uint64, len(t.at))
	before := -1.0
	for i, v := range t.slow(func(when int64, _ int) float64 { return math.Floor(total(when)) }) {
		if before >= 0 {
			out[i] = uint64(max(0, v-before))
		}
		before = v
	}
	return out
}

// clients are the engines' times, from the fences of jobs.
func (t *table) clients() {
	for q, name := range []string{"gfx", "compute", "dma"} {
		list, next, sum := t.rec.engine[q], 0, 0.0
		t.count("engines", "engine_"+name, "ns", t.grown(func(when int64) float64 {
			for next < len(list) && list[next].to <= when {
				sum += float64(list[next].to - list[next].from)
				next++
			}
			if next < len(list) && list[next].from < when {
				return sum + float64(when-list[next].from) // of a job that runs
			}
			return sum
		}))
	}
	for _, name := range []string{"dec", "enc", "jpeg", "other"} {
		t.count("engines", "engine_"+name, "ns", make([]uint64, len(t.at)))
	}
	t.level("engines", "clients", "", "clients", capture.CombineSum, 1, t.of(func(*turn) float64 { return 5 }))
}
