package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// reading is all slow values at one moment. A sample holds those of the latest.
type reading struct {
	look                  firmwareLook
	engines               [5]int64
	moved, evicted        float64
	sclk                  float64 // MHz as the sensor says, of some moment of the reading
	power, edge, junction float64
	mclk                  float64
	received, sent        float64
}

// slow adds what is read about every 100 ms: sensors, files, the firmware's table, memory, engine times of clients.
func (l *load) slow(t *table, x *rows, e *engine, rec *recorder, r simulate.Random) {
	every := simulate.Pick(r, 100e6, 100e6, 100e6, 50e6, 20e6)
	spans := e.engineSpans()
	c := l.card
	var list []reading
	var times []int64
	for at := float64(x.start[0]) - every*r.Float64(); at < float64(x.end[len(x.end)-1]); at += every * (1 + 0.01*r.ExpFloat64()) {
		k := rec.at(int64(at))
		d := reading{look: *k, sclk: math.Round(c.mhz * k.f * (1 - 0.006*r.Float64()))}
		for i := range spans {
			d.engines[i] = engineTime(spans[i], int64(at))
		}
		for i := range e.frames {
			if e.frames[i].submitted <= int64(at) && e.frames[i].all {
				v := l.evict[l.frames[i].content]
				d.moved, d.evicted = d.moved+v.bytes, d.evicted+v.buffers
			}
		}
		d.power = math.Round(k.power*1e6) / 1e6
		d.junction = math.Round(k.hot)
		d.edge = math.Round(k.hot - 0.06*k.power*l.firmware.die*4 - 2)
		d.mclk = c.mclk
		if k.busy < 0.08 {
			d.mclk = math.Round(c.mclk / 4)
		}
		list, times = append(list, d), append(times, int64(at))
	}
	of := make([]int, len(x.start))
	for i, end := range x.end {
		if i > 0 {
			of[i] = of[i-1]
		}
		for of[i]+1 < len(times) && times[of[i]+1] <= end {
			of[i]++
		}
	}
	level := func(name, instance, unit, block string, combine capture.Combine, f func(d *reading) float64) {
		values := make([]float64, len(of))
		for i, k := range of {
			values[i] = f(&list[k])
		}
		t.level(capture.Meta{Name: name, Instance: instance, Unit: unit, Block: block, Combine: combine}, values)
	}
	mean := func(name, unit, block string, f func(d *reading) float64) {
		level(name, "", unit, block, capture.CombineMean, f)
	}
	delta := func(name, unit, block string, f func(d *reading) float64) {
		values := make([]uint64, len(of))
		for i, k := range of {
			before := k
			if i > 0 {
				before = of[i-1]
			}
			values[i] = uint64(max(0, f(&list[k])-f(&list[before])))
		}
		t.whole(capture.Meta{Name: name, Unit: unit, Block: block}, values)
	}
	percent := func(x float64) float64 { return math.Round(100 * min(1, x)) }
	cpuAPU := c.apu()
	flag := func(of int) func(d *reading) float64 {
		return func(d *reading) float64 {
			if d.look.cause == of && d.look.f < 0.985 {
				return 100
			}
			return 0
		}
	}

	mean("sensor_load", "percent", "sensors", func(d *reading) float64 { return percent(d.look.busy) })
	mean("sensor_sclk", "Hz", "sensors", func(d *reading) float64 { return d.sclk * 1e6 })
	mean("sensor_mclk", "Hz", "sensors", func(d *reading) float64 { return d.mclk * 1e6 })
	level("sensor_power", "", "watts", "sensors", capture.CombineSum, func(d *reading) float64 { return math.Round(d.power) })
	level("sensor_temperature", "", "celsius", "sensors", capture.CombineMax, func(d *reading) float64 { return d.edge })

	used := l.used * c.vram * (1 << 30)
	level("vram_used", "", "bytes", "memory", capture.CombineSum, func(*reading) float64 { return math.Floor(used) })
	level("gtt_used", "", "bytes", "memory", capture.CombineSum, func(*reading) float64 { return math.Floor(l.spare) })
	delta("bytes_moved", "bytes", "memory", func(d *reading) float64 { return math.Floor(d.moved) })
	delta("evictions", "buffers", "memory", func(d *reading) float64 { return math.Floor(d.evicted) })
	delta("vram_lost", "resets", "memory", func(*reading) float64 { return 0 })

	mean("gpu_busy_percent", "percent", "activity", func(d *reading) float64 { return percent(d.look.busy) })
	if !cpuAPU && c.gen >= gfx10 {
		mean("mem_busy_percent", "percent", "activity", func(d *reading) float64 { return percent(d.look.memory) })
	}
	mean("dpm_sclk", "Hz", "clocks", func(d *reading) float64 { return d.sclk * 1e6 })
	mean("dpm_mclk", "Hz", "clocks", func(d *reading) float64 { return d.mclk * 1e6 })
	if !cpuAPU {
		mean("pcie_link_speed", "GT/s", "pcie", func(*reading) float64 { return c.gts })
		mean("pcie_link_width", "lanes", "pcie", func(*reading) float64 { return c.lanes })
	}
	if c.chip != "gfx1101" && c.chip != "gfx1100" { // RDNA 3 boards say power1_average on new kernels only
		level("power", "", "watts", "hwmon", capture.CombineSum, func(d *reading) float64 { return d.power })
	} else {
		level("power_now", "", "watts", "hwmon", capture.CombineSum, func(d *reading) float64 { return math.Round(d.power) })
	}
	if c.chip != "gfx1103" { // APUs whose firmware does not say what it allows
		level("power_cap", "", "watts", "hwmon", capture.CombineSum, func(*reading) float64 { return math.Round(l.firmware.ppt) })
	}
	level("temperature", "edge", "celsius", "hwmon", capture.CombineMax, func(d *reading) float64 { return d.edge })
	if !cpuAPU && c.gen >= gfx10 {
		level("temperature", "junction", "celsius", "hwmon", capture.CombineMax, func(d *reading) float64 { return d.junction })
		level("temperature", "mem", "celsius", "hwmon", capture.CombineMax, func(d *reading) float64 { return math.Round(d.edge + 8) })
	}
	level("frequency", "sclk", "Hz", "hwmon", capture.CombineMax, func(d *reading) float64 { return d.sclk * 1e6 })
	if !cpuAPU {
		level("frequency", "mclk", "Hz", "hwmon", capture.CombineMax, func(d *reading) float64 { return d.mclk * 1e6 })
	}

	metric := func(name, unit string, f func(d *reading) float64) { mean("gpu_metrics_"+name, unit, "gpu_metrics", f) }
	if c.table != "" {
		if c.apu() {
			metric("temperature_gfx", "celsius", func(d *reading) float64 { return math.Round(d.look.hot*100) / 100 })
		} else {
			metric("temperature_edge", "celsius", func(d *reading) float64 { return d.edge })
			metric("temperature_hotspot", "celsius", func(d *reading) float64 { return d.junction })
		}
		metric("average_gfx_activity", "percent", func(d *reading) float64 { return percent(d.look.busy) })
		metric("average_socket_power", "watts", func(d *reading) float64 { return math.Round(d.power) })
		metric("average_gfxclk_frequency", "Hz", func(d *reading) float64 { return math.Round(c.mhz*d.look.f) * 1e6 })
		metric("average_uclk_frequency", "Hz", func(d *reading) float64 { return d.mclk * 1e6 })
	}
	switch c.table {
	case "1.3":
		metric("average_umc_activity", "percent", func(d *reading) float64 { return percent(d.look.memory) })
		metric("average_mm_activity", "percent", func(d *reading) float64 { return percent(d.look.media) })
		metric("current_gfxclk", "Hz", func(d *reading) float64 { return d.sclk * 1e6 })
		energy := make([]float64, len(of))
		for i, k := range of {
			if i > 0 {
				energy[i] = (math.Floor(list[k].look.joules*65536) - math.Floor(list[of[i-1]].look.joules*65536)) / 65536
			}
		}
		t.add(capture.Meta{Name: "gpu_metrics_energy_accumulator", Unit: "joules", Block: "gpu_metrics"}, capture.Data{F: energy})
	case "2.1", "2.3":
		metric("average_mm_activity", "percent", func(d *reading) float64 { return percent(d.look.media) })
		metric("current_gfxclk", "Hz", func(d *reading) float64 { return d.sclk * 1e6 })
	case "3.0":
		metric("average_vcn_activity", "percent", func(d *reading) float64 { return percent(d.look.media) })
		for _, one := range []struct {
			name string
			of   int
		}{{"prochot", -1}, {"spl", -1}, {"fppt", -1}, {"sppt", 1}, {"thm_core", -1}, {"thm_gfx", 2}, {"thm_soc", -1}} {
			acc := make([]float64, len(rec.looks)+1)
			for i := range rec.looks {
				acc[i+1] = acc[i]
				if rec.looks[i].cause == one.of && rec.looks[i].f < 0.985 {
					acc[i+1]++ // a cycle of the firmware's timer, taken to be a millisecond
				}
			}
			values := make([]uint64, len(times))
			for i, at := range times {
				values[i] = uint64(acc[max(0, min(len(acc)-1, int(at/tick)))])
			}
			grown := make([]uint64, len(x.start))
			k := 0
			for i, end := range x.end {
				before := k
				for k+1 < len(times) && times[k+1] <= end {
					k++
				}
				grown[i] = values[k] - values[before]
			}
			t.whole(capture.Meta{Name: "gpu_metrics_throttle_residency_" + one.name, Unit: "cycles", Block: "gpu_metrics"}, grown)
		}
	}
	if c.table == "1.3" || c.table == "2.3" {
		level("gpu_metrics_indep_throttle_status", "", "", "gpu_metrics", capture.CombineMax, func(d *reading) float64 {
			switch {
			case d.look.f >= 0.985 || d.look.cause == 3:
				return 0
			case d.look.cause == 1:
				return 1
			}
			return float64(uint64(1) << 36)
		})
		level("throttled", "", "percent", "gpu_metrics", capture.CombineMax, func(d *reading) float64 {
			return max(flag(1)(d), flag(2)(d))
		})
		level("throttled_by_power", "", "percent", "gpu_metrics", capture.CombineMax, flag(1))
		level("throttled_by_heat", "", "percent", "gpu_metrics", capture.CombineMax, flag(2))
		level("throttled_by_current", "", "percent", "gpu_metrics", capture.CombineMax, flag(-1))
		level("throttled_by_other", "", "percent", "gpu_metrics", capture.CombineMax, flag(-1))
	}
	level("clients", "", "clients", "clients", capture.CombineSum, func(*reading) float64 { return l.clients() })
	for i, name := range []string{"gfx", "compute", "dma", "dec", "enc"} {
		delta("engine_"+name, "ns", "engines", func(d *reading) float64 { return float64(d.engines[i]) })
	}
}

// clients are how many programs have the GPU open: the desktop's, and the one that is looked at.
func (l *load) clients() float64 { return float64(3 + l.host.cpus%4) }
