package amd

import (
	"math"

	"astrolabe/capture"
)

// slow is a value that a thread reads at its own pace: of each sample, the latest at its end.
func (t *table) slow(read func(when int64) float64) []float64 {
	out := make([]float64, len(t.at))
	last, value := int64(-1), 0.0
	for i, x := range t.at {
		if turn := int64(float64(x[1]) / t.h.refresh); turn != last {
			last, value = turn, read(max(t.at[0][0], int64(float64(turn)*t.h.refresh)))
		}
		out[i] = value
	}
	return out
}

// average is what the firmware's filter makes of a value of its turns.
func (t *table) average(lag float64, of func(*turn) float64) []float64 {
	out, v := make([]float64, len(t.turns)), of(&t.turns[0])
	for k := range out {
		v += (of(&t.turns[k]) - v) * min(1, tick/lag)
		out[k] = v
	}
	return out
}

// grown is how much a count that is read at the slow pace grew within each sample.
func (t *table) grown(total func(when int64) float64) []uint64 {
	out, before := make([]uint64, len(t.at)), -1.0
	for i, v := range t.slow(func(when int64) float64 { return math.Floor(total(when)) }) {
		if before >= 0 {
			out[i] = uint64(max(0, v-before))
		}
		before = v
	}
	return out
}

// fill adds the columns that the reader finds on this machine.
func (t *table) fill() {
	m, h := t.m, t.h
	if h.node {
		t.status()
	}
	now := func(of func(*turn) float64) []float64 { return t.average(tick, of) }
	fixed := func(v float64) []float64 { return now(func(*turn) float64 { return v }) }
	near := func(part, more float64) []float64 { // temperatures that are not of the hottest spot
		return now(func(x *turn) float64 { return m.sink + part*(x.heat-m.sink) + more })
	}
	sclk := func(x *turn) float64 { return x.share * m.reach * m.sclk * 1e6 }
	flag := func(reasons ...int) []float64 {
		return now(func(x *turn) float64 {
			for _, why := range reasons {
				if x.why == why {
					return 100
				}
			}
			return 0
		})
	}
	reasons := now(func(x *turn) float64 { // bits of slow package power, or the board's, and of the chip's hottest spot
		return map[int]float64{byPower: map[bool]float64{true: 1 << 6, false: 1}[m.apu], byHeat: 1 << 36}[x.why]
	})
	clock, level := t.average(h.busyLag, sclk), now(sclk)
	memory := now(func(x *turn) float64 { return x.memory * m.mclk * 1e6 })
	busy := t.average(h.busyLag, func(x *turn) float64 { return min(100, 100*(x.busy+h.stray)) })
	traffic := t.average(h.busyLag, func(x *turn) float64 { return min(100, 100*h.umc*x.traffic) })
	power := t.average(h.powerLag, func(x *turn) float64 { return x.watts })
	core := t.average(h.powerLag, func(x *turn) float64 { return max(0.1, x.watts-m.idle-m.backdrop-m.core*x.threads) })
	deck, card := m.chip == "Van Gogh", !m.apu
	const mean, sum, most = capture.CombineMean, capture.CombineSum, capture.CombineMax
	for _, x := range []struct {
		there                       bool
		block, name, instance, unit string
		how                         capture.Combine
		step                        float64 // of the numbers that it is told in
		values                      []float64
	}{
		{h.node, "sensors", "sensor_load", "", "percent", mean, 1, busy},
		{h.node, "sensors", "sensor_sclk", "", "Hz", mean, 1e6, clock},
		{h.node, "sensors", "sensor_mclk", "", "Hz", mean, 1e6, memory},
		{h.node, "sensors", "sensor_power", "", "watts", sum, 1, power},
		{h.node, "sensors", "sensor_temperature", "", "celsius", most, 1, near(0.75, 0)},
		{h.node, "sensors", "sensor_vddgfx", "", "volts", mean, 1e-3, now(func(x *turn) float64 { return 1.1 * volts(x.share) })},
		{true, "memory", "vram_used", "", "bytes", sum, 4096, fixed(m.vram * (1 << 30) * 0.4)},
		{true, "memory", "gtt_used", "", "bytes", sum, 4096, fixed(m.gtt * (1 << 30) * 0.05)},
		// APUs do not say how busy their memory is.
		{h.files, "activity", "gpu_busy_percent", "", "percent", mean, 1, busy},
		{h.files && card, "activity", "mem_busy_percent", "", "percent", mean, 1, traffic},
		{h.files, "clocks", "dpm_sclk", "", "Hz", mean, 1e6, level},
		{h.files, "clocks", "dpm_mclk", "", "Hz", mean, 1e6, memory},
		// They give the power of the moment, and cards an average; a limit where the owner can set one.
		{h.hwmon && (card || deck), "hwmon", "power", "", "watts", sum, 1e-3, power},
		{h.hwmon && m.apu, "hwmon", "power_now", "", "watts", sum, 1e-3, now(func(x *turn) float64 { return x.watts })},
		{h.hwmon && (card || deck), "hwmon", "power_cap", "", "watts", sum, 1, fixed(m.limit)},
		{h.hwmon, "hwmon", "temperature", "edge", "celsius", most, 1, near(0.75, 0)},
		{h.hwmon && card, "hwmon", "temperature", "junction", "celsius", most, 1, near(1, 0)},
		{h.hwmon && card, "hwmon", "temperature", "mem", "celsius", most, 2, near(0.6, 8)},
		{h.hwmon, "hwmon", "frequency", "sclk", "Hz", most, 1e6, level},
		{h.hwmon && card, "hwmon", "frequency", "mclk", "Hz", most, 1e6, memory},
		// Whole percents cannot be told from hundredths, so that the reader gives none.
		{h.metrics && (card || !h.percent), "gpu_metrics", "gpu_metrics_average_gfx_activity", "", "percent", mean, 0.01, busy},
		{h.metrics && card, "gpu_metrics", "gpu_metrics_average_umc_activity", "", "percent", mean, 1, traffic},
		{h.metrics && card, "gpu_metrics", "gpu_metrics_temperature_edge", "", "celsius", mean, 1, near(0.75, 0)},
		{h.metrics && card, "gpu_metrics", "gpu_metrics_temperature_hotspot", "", "celsius", mean, 1, near(1, 0)},
		{h.metrics && m.apu, "gpu_metrics", "gpu_metrics_temperature_gfx", "", "celsius", mean, 0.01, near(1, 0)},
		{h.metrics, "gpu_metrics", "gpu_metrics_average_socket_power", "", "watts", sum, 1e-3, power},
		{h.metrics && m.apu, "gpu_metrics", "gpu_metrics_average_gfx_power", "", "watts", sum, 1e-3, core},
		{h.metrics, "gpu_metrics", "gpu_metrics_average_gfxclk_frequency", "", "Hz", mean, 1e6, clock},
		{h.metrics, "gpu_metrics", "gpu_metrics_average_uclk_frequency", "", "Hz", mean, 1e6, memory},
		{h.metrics && (card || deck), "gpu_metrics", "gpu_metrics_current_gfxclk", "", "Hz", mean, 1e6, level},
		{h.metrics, "gpu_metrics", "throttled", "", "percent", most, 1, flag(byPower, byHeat)},
		// Revision 2.1 says that it throttles, and not why in bits that are the same on all parts.
		{h.metrics && (card || deck), "gpu_metrics", "throttled_by_power", "", "percent", most, 1, flag(byPower)},
		{h.metrics && (card || deck), "gpu_metrics", "throttled_by_current", "", "percent", most, 1, flag()},
		{h.metrics && (card || deck), "gpu_metrics", "throttled_by_heat", "", "percent", most, 1, flag(byHeat)},
		{h.metrics && (card || deck), "gpu_metrics", "throttled_by_other", "", "percent", most, 1, flag()},
		{h.metrics && (card || deck), "gpu_metrics", "gpu_metrics_indep_throttle_status", "", "", most, 1, reasons},
		{h.clients, "engines", "clients", "", "clients", sum, 1, fixed(5)},
	} {
		if x.there {
			t.add(capture.Meta{Name: x.name, Instance: x.instance, Block: x.block, Unit: x.unit, Kind: capture.Gauge, Combine: x.how,
				Integral: x.unit == ""},
				capture.Data{F: t.slow(func(when int64) float64 {
					return math.Round(x.values[min(len(x.values)-1, int(when/tick))]/x.step) * x.step
				})})
		}
	}
	if h.node {
		t.count("memory", "bytes_moved", "bytes", t.grown(func(when int64) float64 { return 4e6 * math.Floor(float64(when)/700e6) }))
		t.count("memory", "evictions", "buffers", make([]uint64, len(t.at)))
	}
	if h.metrics && card && h.counts {
		t.energy()
	}
	if h.clients {
		t.clients()
	}
	t.processors()
}

// energy is a count in units of 15.3 µJ that arrives in steps of 100 ms.
func (t *table) energy() {
	const step = 100 * int64(tick)
	sum := make([]float64, len(t.turns)+1)
	for k, x := range t.turns {
		sum[k+1] = sum[k] + x.watts*tick/1e9
	}
	joules := make([]float64, len(t.at))
	for i, v := range t.grown(func(when int64) float64 { return 65536 * sum[min(len(sum)-1, int(when/step*step/tick))] }) {
		joules[i] = float64(v) / 65536
	}
	t.add(capture.Meta{Name: "gpu_metrics_energy_accumulator", Block: "gpu_metrics", Unit: "joules"}, capture.Data{F: joules})
}

// clients are the engines' times, from the fences of jobs.
func (t *table) clients() {
	for q, name := range []string{"gfx", "compute", "dma"} {
		list, sum := t.rec.engine[q], 0.0
		t.count("engines", "engine_"+name, "ns", t.grown(func(when int64) float64 {
			for len(list) > 0 && list[0].to <= when {
				sum += float64(list[0].to - list[0].from)
				list = list[1:]
			}
			if len(list) > 0 && list[0].from < when {
				return sum + float64(when-list[0].from) // of a job that runs
			}
			return sum
		}))
	}
	for _, name := range []string{"dec", "enc", "jpeg", "other"} {
		t.count("engines", "engine_"+name, "ns", make([]uint64, len(t.at)))
	}
}
