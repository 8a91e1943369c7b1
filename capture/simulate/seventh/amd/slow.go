package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// reading is all slow values at one moment.
type reading struct {
	*firmwareLook
	engines          [len(engineNames)]float64
	moved, evicted   float64
	sclk, mclk, edge float64    // MHz, °C
	held             [4]float64 // ticks that power, heat, … held the clock, since the start
}

// slow adds what is read about every 100 ms: sensors, files, the firmware's table, memory, engine times of clients. A
// sample holds the latest reading.
func (t *table) slow(r simulate.Random) {
	l, c := t.l, t.l.card
	every := simulate.Pick(r, 100e6, 100e6, 100e6, 50e6, 20e6)
	spans := t.engineSpans()
	var list []reading
	var times []int64
	for at := float64(t.from[0]) - every*r.Float64(); at < float64(t.to[len(t.to)-1]); at += every * (1 + 0.01*r.ExpFloat64()) {
		k := max(0, min(len(t.rec.looks)-1, int(at/tick)-1))
		d := reading{firmwareLook: &t.rec.looks[k], mclk: c.mclk}
		for i := range t.rec.looks[:k+1] {
			if look := &t.rec.looks[i]; look.f < 0.985 {
				d.held[look.cause]++
			}
		}
		for i := range spans {
			d.engines[i] = float64(until(spans[i], int64(at)))
		}
		for i := range t.frames {
			if t.frames[i].submitted <= int64(at) {
				v := l.evict[l.frames[i].content]
				d.moved, d.evicted = d.moved+v.bytes, d.evicted+v.buffers
			}
		}
		d.sclk = math.Round(c.mhz * d.f * (1 - 0.006*r.Float64()))
		d.edge = math.Round(d.hot - 0.25*d.watts*l.firmware.die - 2)
		if d.busy+d.memory < 0.08 {
			d.mclk = math.Round(c.mclk / 4)
		}
		list, times = append(list, d), append(times, int64(at))
	}
	of := make([]int, len(t.to))
	for i, end := range t.to {
		of[i] = of[max(0, i-1)]
		for of[i]+1 < len(times) && times[of[i]+1] <= end {
			of[i]++
		}
	}
	const mean, sum, most = capture.CombineMean, capture.CombineSum, capture.CombineMax
	level := func(name, instance, unit string, combine capture.Combine, f func(d *reading) float64) {
		values := make([]float64, len(of))
		for i, k := range of {
			values[i] = f(&list[k])
		}
		t.add(capture.Meta{Name: name, Instance: instance, Unit: unit, Combine: combine, Kind: capture.Gauge}, capture.Data{F: values})
	}
	delta := func(name, unit string, f func(d *reading) float64) {
		values := make([]uint64, len(of))
		for i, k := range of {
			values[i] = uint64(math.Floor(f(&list[k])) - math.Floor(f(&list[of[max(0, i-1)]])))
		}
		t.add(capture.Meta{Name: name, Unit: unit}, capture.Data{U: values})
	}
	percent := func(x float64) float64 { return math.Round(100 * min(1, x)) }
	busy := func(d *reading) float64 { return percent(d.busy) }
	memory := func(d *reading) float64 { return percent(d.memory) }
	sclk := func(d *reading) float64 { return d.sclk * 1e6 }
	mclk := func(d *reading) float64 { return d.mclk * 1e6 }
	watts := func(d *reading) float64 { return math.Round(d.watts) }
	edge := func(d *reading) float64 { return d.edge }
	junction := func(d *reading) float64 { return math.Round(d.hot) }
	by := func(causes ...int) func(d *reading) float64 {
		return func(d *reading) float64 {
			for _, x := range causes {
				if d.f < 0.985 && d.cause == x {
					return 100
				}
			}
			return 0
		}
	}
	constant := func(x float64) func(*reading) float64 { return func(*reading) float64 { return math.Floor(x) } }

	level("sensor_load", "", "percent", mean, busy)
	level("sensor_sclk", "", "Hz", mean, sclk)
	level("sensor_mclk", "", "Hz", mean, mclk)
	level("sensor_power", "", "watts", sum, watts)
	level("sensor_temperature", "", "celsius", most, edge)
	level("vram_used", "", "bytes", sum, constant(l.used*c.vram*(1<<30)))
	level("gtt_used", "", "bytes", sum, constant(l.spare))
	delta("bytes_moved", "bytes", func(d *reading) float64 { return d.moved })
	delta("evictions", "buffers", func(d *reading) float64 { return d.evicted })
	level("gpu_busy_percent", "", "percent", mean, busy)
	level("dpm_sclk", "", "Hz", mean, sclk)
	level("dpm_mclk", "", "Hz", mean, mclk)
	level("frequency", "sclk", "Hz", most, sclk)
	level("temperature", "edge", "celsius", most, edge)
	if !c.apu() {
		level("pcie_link_speed", "", "GT/s", mean, constant(c.gts))
		level("pcie_link_width", "", "lanes", mean, constant(c.lanes))
		level("frequency", "mclk", "Hz", most, mclk)
		if c.gen > gfx8 {
			level("mem_busy_percent", "", "percent", mean, memory)
			level("temperature", "junction", "celsius", most, junction)
			level("temperature", "mem", "celsius", most, func(d *reading) float64 { return d.edge + 8 })
		}
	}
	if c.gen == gfx11 && !c.apu() { // these boards say only what they take at the moment, on older kernels
		level("power_now", "", "watts", sum, watts)
	} else {
		level("power", "", "watts", sum, func(d *reading) float64 { return math.Round(d.watts*1e6) / 1e6 })
	}
	if c.table != "2.1" { // whose firmware does not say what it allows
		level("power_cap", "", "watts", sum, constant(math.Round(l.firmware.ppt)))
	}
	const table = "gpu_metrics_"
	if c.table != "" {
		level(table+"average_gfx_activity", "", "percent", mean, busy)
		level(table+"average_socket_power", "", "watts", sum, watts)
		level(table+"average_gfxclk_frequency", "", "Hz", mean, func(d *reading) float64 { return math.Round(c.mhz*d.f) * 1e6 })
		level(table+"average_uclk_frequency", "", "Hz", mean, mclk)
	}
	switch c.table {
	case "1.3":
		level(table+"temperature_edge", "", "celsius", mean, edge)
		level(table+"temperature_hotspot", "", "celsius", mean, junction)
		level(table+"average_umc_activity", "", "percent", mean, memory)
		energy := make([]float64, len(of))
		for i, k := range of { // in units of 2^-16 J
			energy[i] = (math.Floor(list[k].joules*65536) - math.Floor(list[of[max(0, i-1)]].joules*65536)) / 65536
		}
		t.add(capture.Meta{Name: table + "energy_accumulator", Unit: "joules"}, capture.Data{F: energy})
	case "3.0": // a cycle of its timer is taken to be a tick
		for cause, name := range [...]string{"prochot", "sppt", "thm_gfx"} {
			delta(table+"throttle_residency_"+name, "cycles", func(d *reading) float64 { return d.held[cause] })
		}
		level(table+"average_vcn_activity", "", "percent", mean, func(d *reading) float64 { return percent(d.media) })
	}
	if c.table == "1.3" || c.table == "2.3" || c.table == "2.1" {
		level(table+"current_gfxclk", "", "Hz", mean, sclk)
		level(table+"average_mm_activity", "", "percent", mean, func(d *reading) float64 { return percent(d.media) })
		level("throttled", "", "percent", most, by(byPower, byHeat))
	}
	if c.table == "1.3" || c.table == "2.3" {
		level(table+"indep_throttle_status", "", "", most, func(d *reading) float64 {
			return by(byPower)(d)/100 + by(byHeat)(d)/100*(1<<36)
		})
		level("throttled_by_power", "", "percent", most, by(byPower))
		level("throttled_by_heat", "", "percent", most, by(byHeat))
		level("throttled_by_current", "", "percent", most, by())
		level("throttled_by_other", "", "percent", most, by())
	}
	for i, name := range engineNames {
		delta("engine_"+name, "ns", func(d *reading) float64 { return d.engines[i] })
	}
}
