package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// reading is what files and sensors say at one moment.
type reading struct {
	at          int64
	busy, mem   float64 // percent, as firmware averages
	share, mean float64 // of the clock now, and averaged
	power, now  float64 // W: averaged, and of the moment
	heat        float64
	joules      float64 // since the beginning
	held        bool
	queues      [queueCount]float64 // ns since the beginning
}

// readings are made every refresh from before the first sample on.
func (p *program) readings(e *engine, rec *recorder, d recording, origin, end int64, r simulate.Random) (out []reading) {
	// Firmware had averaged long before the simulation began: it starts with the means of the whole.
	var busy, mem, watts, share, all float64
	for i := range rec.moments {
		m := &rec.moments[i]
		dt := float64(m.end - m.start)
		all += dt
		mem += dt * float64(m.mem)
		watts += dt * float64(m.watts)
		share += dt * float64(m.share)
		busy += dt * float64(m.busy[bitGFX])
	}
	busy, mem, watts, share = busy/all, mem/all, watts/all, share/all
	var now reading
	next := origin - int64(r.Float64()*float64(d.refresh))
	for i := range rec.moments {
		m := &rec.moments[i]
		for from := m.start; from < m.end; {
			to := min(m.end, max(from, next))
			dt := float64(to - from)
			x := dt / d.firmware
			busy = (busy + x*float64(m.busy[bitGFX])) / (1 + x)
			mem = (mem + x*float64(m.mem)) / (1 + x)
			watts = (watts + x*float64(m.watts)) / (1 + x)
			share = (share + x*float64(m.share)) / (1 + x)
			now.joules += dt * 1e-9 * float64(m.watts)
			for q, ok := range m.queues {
				if ok {
					now.queues[q] += dt
				}
			}
			from = to
			if to >= next {
				now.at, now.busy, now.mem, now.power, now.now = next, 100*busy, 100*mem, watts, float64(m.watts)
				now.share, now.mean, now.heat = float64(m.share), share, float64(m.heat)
				now.held = e.clock.over(next-int64(5e7), next) < 0.99
				out = append(out, now)
				next += d.refresh + int64(3e5*r.ExpFloat64())
			} else if to == m.end {
				break
			}
		}
		if next > end {
			break
		}
	}
	if len(out) == 0 {
		out = append(out, now)
	}
	return out
}

// addSensors adds what the driver's sensors and files say, as it was when a thread of the recorder read it last.
func (p *program) addSensors(t *table, e *engine, rec *recorder, d recording, origin int64, r simulate.Random) {
	m, n := p.m, t.axis.Len()
	list := p.readings(e, rec, d, origin, origin+t.axis.End[n-1], r)
	at := make([]int, n) // the latest reading at a sample's end
	k := 0
	for i := range at {
		for k+1 < len(list) && list[k+1].at <= origin+t.axis.End[i] {
			k++
		}
		at[i] = k
	}
	gauge := func(name, title, unit, block, instance string, combine capture.Combine, of func(*reading) float64) {
		each := make([]float64, len(list)) // a reading is the same for all samples until the next
		for i := range list {
			each[i] = of(&list[i])
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = each[at[i]]
		}
		meta := capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Instance: instance, GPU: "amd-live", Source: "amdgpu",
			Kind: capture.Gauge, Combine: combine}
		if instance != "" {
			t.instance(meta, capture.Data{F: v})
			return
		}
		t.floats(meta, v)
	}
	delta := func(name, title, unit, block string, scale float64, of func(*reading) float64) {
		u, f := make([]uint64, n), make([]float64, n)
		last := math.Floor(of(&list[max(0, at[0])]))
		for i := range u {
			v := math.Floor(of(&list[at[i]]))
			u[i], f[i] = uint64(max(0, v-last)), max(0, v-last)*scale
			last = v
		}
		meta := capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "amd-live", Source: "amdgpu"}
		if scale != 1 {
			t.floats(meta, f)
			return
		}
		t.whole(meta, u)
	}
	mean, sum, most := capture.CombineMean, capture.CombineSum, capture.CombineMax
	sclk := func(x *reading) float64 { return math.Round(m.sclk*x.share) * 1e6 }
	mclk := func(*reading) float64 { return math.Round(m.mclk*m.memShare) * 1e6 }
	cpuPower := 0.0 // of the package, on an APU
	if m.apu {
		cpuPower = m.watts * r.Between(0.05, 0.25)
	}
	if m.apu && m.clock.mode == clockPower { // the limit is of all of it, and the processor's part is in the model
		cpuPower = 0
	}
	watts := func(x *reading) float64 { return min(x.power+cpuPower, 1.08*m.watts) }
	instant := func(x *reading) float64 { return min(x.now+cpuPower, 1.3*m.watts) * r.Between(0.97, 1.03) }
	off := r.Between(8, 22)
	edge := func(x *reading) float64 { return x.heat - off*x.power/m.watts }
	limit := m.watts
	if r.Chance(0.2) && m.clock.mode != clockPower {
		limit *= r.Between(1.02, 1.15)
	}
	vram := float64(m.vramMiB) * r.Between(0.15, 0.85) * (1 << 20)

	gauge("sensor_load", "GPU load", "percent", "sensors", "", mean, func(x *reading) float64 { return math.Round(x.busy) })
	gauge("sensor_sclk", "Shader clock", "Hz", "sensors", "", mean, sclk)
	gauge("sensor_mclk", "Memory clock", "Hz", "sensors", "", mean, mclk)
	gauge("sensor_power", "Average power", "watts", "sensors", "", sum, func(x *reading) float64 { return math.Round(watts(x)) })
	gauge("sensor_temperature", "GPU temperature", "celsius", "sensors", "", most, func(x *reading) float64 { return math.Round(edge(x)) })
	gauge("sensor_vddgfx", "Graphics voltage", "volts", "sensors", "", mean, func(x *reading) float64 { return math.Round(1150*(0.55+0.45*x.share)) / 1000 })
	gauge("vram_used", "Video memory in use", "bytes", "memory", "", sum, func(*reading) float64 { return math.Floor(vram) })
	gauge("gtt_used", "Main memory in use by the GPU", "bytes", "memory", "", sum, func(*reading) float64 { return math.Floor(vram / 9) })
	gauge("gpu_busy_percent", "GPU busy (firmware)", "percent", "activity", "", mean, func(x *reading) float64 { return math.Round(x.busy) })
	if !m.apu {
		gauge("mem_busy_percent", "Memory busy (firmware)", "percent", "activity", "", mean, func(x *reading) float64 { return math.Round(x.mem) })
	}
	gauge("dpm_sclk", "Shader clock level", "Hz", "clocks", "", mean, sclk)
	gauge("dpm_mclk", "Memory clock level", "Hz", "clocks", "", mean, mclk)
	if m.gen < 11 || m.apu {
		gauge("power", "Power", "watts", "hwmon", "", sum, func(x *reading) float64 { return math.Round(1000*watts(x)) / 1000 })
	} else {
		gauge("power", "Power", "watts", "hwmon", "", sum, func(x *reading) float64 { return math.Round(watts(x)) })
	}
	if m.apu {
		gauge("power_now", "Power at this moment", "watts", "hwmon", "", sum, instant)
	} else {
		gauge("power_cap", "Power limit", "watts", "hwmon", "", sum, func(*reading) float64 { return math.Round(limit) })
	}
	gauge("temperature", "Temperature", "celsius", "hwmon", "edge", most, func(x *reading) float64 { return math.Round(edge(x)) })
	if !m.apu && m.gen > 8 {
		gauge("temperature", "Temperature", "celsius", "hwmon", "junction", most, func(x *reading) float64 { return math.Round(x.heat) })
		gauge("temperature", "Temperature", "celsius", "hwmon", "mem", most, func(x *reading) float64 { return math.Round(46 + 0.4*(x.heat-40) + 0.12*x.mem) })
	}
	gauge("frequency", "Frequency", "Hz", "hwmon", "sclk", most, sclk)
	if !m.apu {
		gauge("frequency", "Frequency", "Hz", "hwmon", "mclk", most, mclk)
		gauge("fan_speed", "Fan speed", "rpm", "hwmon", "", most, func(x *reading) float64 { return math.Round(700 + 18*max(0, x.heat-45)) })
	}
	p.addMetrics(gauge, delta, sclk, mclk, watts, edge)
	seen := func(q int) func(*reading) float64 { return func(x *reading) float64 { return x.queues[q] } }
	delta("engine_gfx", "Engine time gfx", "ns", "engines", 1, seen(graphics))
	delta("engine_compute", "Engine time compute", "ns", "engines", 1, seen(compute))
	up := p.host.upload
	delta("engine_dma", "Engine time dma", "ns", "engines", 1, func(x *reading) float64 { return up * float64(x.at) })
	dec := 0.0
	if p.host.video {
		dec = 0.12
	}
	delta("engine_dec", "Engine time dec", "ns", "engines", 1, func(x *reading) float64 { return dec * float64(x.at) })
	delta("engine_enc", "Engine time enc", "ns", "engines", 1, func(*reading) float64 { return 0 })
	clients := float64(r.Whole(2, 9))
	gauge("clients", "Clients", "clients", "engines", "", sum, func(*reading) float64 { return clients })
}

// addMetrics adds the firmware's table, whose fields and units depend on its revision.
func (p *program) addMetrics(gauge func(name, title, unit, block, instance string, combine capture.Combine, of func(*reading) float64),
	delta func(name, title, unit, block string, scale float64, of func(*reading) float64), sclk, mclk, watts, edge func(*reading) float64) {
	m := p.m
	if m.metricsFormat == 0 {
		return
	}
	put := func(name, unit string, of func(*reading) float64) {
		combine := capture.CombineMean
		if unit == "watts" {
			combine = capture.CombineSum
		}
		gauge("gpu_metrics_"+name, name, unit, "gpu_metrics", "", combine, of)
	}
	average := func(x *reading) float64 { return math.Round(m.sclk*x.mean) * 1e6 }
	bits := func(x *reading) float64 { // PPT0, or the hot spot
		switch {
		case x.held && m.clock.mode == clockPower:
			return 1
		case x.held && m.clock.mode == clockHeat:
			return 1 << 36
		}
		return 0
	}
	share := func(mask float64) func(*reading) float64 {
		return func(x *reading) float64 {
			if bits(x) == mask {
				return 100
			}
			return 0
		}
	}
	if m.metricsFormat == 1 {
		put("temperature_edge", "celsius", func(x *reading) float64 { return math.Round(edge(x)) })
		put("temperature_hotspot", "celsius", func(x *reading) float64 { return math.Round(x.heat) })
		put("average_gfx_activity", "percent", func(x *reading) float64 { return math.Round(x.busy) })
		put("average_umc_activity", "percent", func(x *reading) float64 { return math.Round(x.mem) })
		put("average_socket_power", "watts", func(x *reading) float64 { return math.Round(watts(x)) })
		delta("gpu_metrics_energy_accumulator", "energy accumulator", "joules", "gpu_metrics", 1.0/(1<<16), func(x *reading) float64 { return x.joules * (1 << 16) })
		put("average_uclk_frequency", "Hz", mclk)
		put("current_uclk", "Hz", mclk)
	} else {
		put("temperature_gfx", "celsius", func(x *reading) float64 { return math.Round(100*edge(x)) / 100 })
		put("average_gfx_activity", "percent", func(x *reading) float64 { return math.Round(100*x.busy) / 100 })
		put("average_socket_power", "watts", func(x *reading) float64 { return math.Round(1000*watts(x)) / 1000 })
		put("average_gfx_power", "watts", func(x *reading) float64 { return math.Round(800*x.power) / 1000 })
	}
	put("average_gfxclk_frequency", "Hz", average)
	put("current_gfxclk", "Hz", sclk)
	if m.metricsText >= 2 {
		gauge("gpu_metrics_indep_throttle_status", "indep throttle status", "", "gpu_metrics", "", capture.CombineMax, bits)
		gauge("throttled_by_power", "Throttled by a limit of power", "percent", "gpu_metrics", "", capture.CombineMax, share(1))
		gauge("throttled_by_current", "Throttled by a limit of current", "percent", "gpu_metrics", "", capture.CombineMax, share(-1))
		gauge("throttled_by_heat", "Throttled by heat", "percent", "gpu_metrics", "", capture.CombineMax, share(1<<36))
		gauge("throttled_by_other", "Throttled by another limit", "percent", "gpu_metrics", "", capture.CombineMax, share(-1))
	}
	gauge("throttled", "Throttled", "percent", "gpu_metrics", "", capture.CombineMax, func(x *reading) float64 {
		if bits(x) != 0 {
			return 100
		}
		return 0
	})
}
