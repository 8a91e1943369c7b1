package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate/host"
)

// glance is a reading of what the driver is slow to tell.
type glance struct {
	first, last int     // samples that hold it, last excluded
	load        float64 // shares since the reading before
	memory      float64
	work        float64
	clock       float64    // at the moment
	engines     [2]float64 // ns since the reading before
	power       float64
	hot         float64
	byHeat      bool
	byPower     bool
}

// glances are taken about every 100 ms.
func (x *recording) glances() []glance {
	a, s := x.cfg.Axis, x.s
	var out []glance
	g := glance{}
	length := 0.0
	edge := 45 + 12*x.r.Float64()
	limit := 88 + math.Round(8*x.r.Float64())
	first := true
	for i := range a.Len() {
		d := float64(a.Interval(i))
		length += d
		g.load += x.busy[i]
		g.memory += x.memory[i] * d
		g.work += x.work[i] * d * math.Pow(x.clock[i], 1.7)
		for q := range g.engines {
			g.engines[q] += x.queue[q][i]
		}
		if length < 100e6 && i < a.Len()-1 {
			continue
		}
		g.load, g.memory, g.work, g.clock, g.last = g.load/length, g.memory/length, g.work/length, x.clock[i], i+1
		c := &s.contents[x.contentAt(i)]
		g.byHeat = c.heat < 1 && g.clock <= c.heat+0.01 && g.load > 0.05
		g.byPower = c.power < 1 && g.clock <= c.power+0.01 && g.load > 0.05
		// Between idling and all that the board may take. What makes the firmware hold back is the limit itself.
		g.power = s.p.power * (0.1 + 0.8*g.work)
		if g.byPower {
			g.power = s.p.power * (0.985 + 0.012*x.r.NormFloat64())
		}
		if g.byHeat { // others heat the same cooler, or dust is in it
			g.power = max(g.power, (0.45+0.02*x.r.NormFloat64())*s.p.power)
		}
		g.power = min(g.power, 1.02*s.p.power)
		target := 40 + 42*g.power/s.p.power
		if g.byHeat {
			target, edge = limit, max(edge, limit-1)
		}
		if first {
			edge, first = target, false
		}
		edge += (target - edge) * 0.05
		g.hot = min(limit, edge+0.4*x.r.NormFloat64())
		out = append(out, g)
		g, length = glance{first: i + 1}, 0
	}
	return out
}

// contentAt is the content of the frame that is on the GPU, or the next to come, at the end of a sample.
func (x *recording) contentAt(i int) int {
	end := float64(x.cfg.Axis.End[i]) + x.zero
	for _, f := range x.run.frames {
		if f.gpuEnd >= end {
			return f.content
		}
	}
	return len(x.s.contents) - 1
}

func (x *recording) sensors() {
	all := x.glances()
	p := x.s.p
	n := x.cfg.Axis.Len()
	level := func(m capture.Meta, value func(g *glance) float64) {
		m.Kind = capture.Gauge
		d := capture.Data{F: make([]float64, n)}
		for i := range all {
			v := value(&all[i])
			for k := all[i].first; k < all[i].last; k++ {
				d.F[k] = v
			}
		}
		x.put(m, d)
	}
	whole := func(m capture.Meta, value func(g *glance) float64) {
		m.Kind = capture.Gauge
		d := capture.Data{U: make([]uint64, n)}
		for i := range all {
			v := uint64(max(0, value(&all[i])))
			for k := all[i].first; k < all[i].last; k++ {
				d.U[k] = v
			}
		}
		x.put(m, d)
	}
	meta := func(name, title, unit, block string, combine capture.Combine) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Combine: combine}
	}
	mean, highest, sum := capture.CombineMean, capture.CombineMax, capture.CombineSum
	percent := func(v float64) float64 { return math.Round(100 * min(1, v)) }
	hz := func(g *glance) float64 {
		return math.Round(1000*p.clock*g.clock*(1-0.006*x.r.Float64())) * 1e6
	}
	memoryHz := p.memoryHz()
	clocks := func(g *glance) float64 {
		if g.load < 0.03 {
			return math.Round(memoryHz/1e6*0.1) * 1e6
		}
		return memoryHz
	}
	volts := func(g *glance) float64 { return math.Round(1000*(0.65+0.5*math.Pow(g.clock, 1.6))) / 1000 }
	watts := func(g *glance) float64 { return math.Round(g.power) }
	celsius := func(g *glance) float64 { return math.Round(g.hot) }
	// Firmware averages over a second or so; what it says lags.
	load := 0.0
	for i := range all {
		if i == 0 {
			load = all[i].load
		}
		load += 0.5 * (all[i].load - load)
		all[i].load = load
	}
	level(meta("sensor_load", "GPU load", "percent", "sensors", mean), func(g *glance) float64 { return percent(g.load) })
	level(meta("sensor_sclk", "Shader clock", "Hz", "sensors", mean), hz)
	level(meta("sensor_mclk", "Memory clock", "Hz", "sensors", mean), clocks)
	level(meta("sensor_power", "Average power", "watts", "sensors", sum), watts)
	level(meta("sensor_temperature", "GPU temperature", "celsius", "sensors", highest), celsius)
	level(meta("sensor_vddgfx", "Graphics voltage", "volts", "sensors", mean), volts)
	used := math.Round(p.video*(0.2+0.5*x.r.Float64())/4096) * 4096
	whole(meta("vram_used", "Video memory in use", "bytes", "memory", sum), func(*glance) float64 { return used + 65536*math.Floor(8*x.r.Float64()) })
	whole(meta("gtt_used", "Main memory in use by the GPU", "bytes", "memory", sum), func(*glance) float64 { return math.Round(used/9/4096) * 4096 })
	level(meta("gpu_busy_percent", "GPU busy (firmware)", "percent", "activity", mean), func(g *glance) float64 { return percent(g.load) })
	if !p.shared {
		level(meta("mem_busy_percent", "Memory busy (firmware)", "percent", "activity", mean), func(g *glance) float64 { return percent(0.85 * g.memory) })
	}
	level(meta("power", "Power", "watts", "hwmon", sum), watts)
	if !p.shared {
		level(meta("power_cap", "Power limit", "watts", "hwmon", sum), func(*glance) float64 { return p.power })
	}
	one := func(m capture.Meta, instance string) capture.Meta { m.Instance = instance; return m }
	heat := meta("temperature", "Temperature", "celsius", "hwmon", highest)
	level(one(heat, "edge"), celsius)
	if !p.shared {
		level(one(heat, "junction"), func(g *glance) float64 { return math.Round(g.hot + 9*g.power/p.power) })
		level(one(heat, "mem"), func(g *glance) float64 { return 2 * math.Round(g.hot/2) })
	}
	frequency := meta("frequency", "Frequency", "Hz", "hwmon", highest)
	level(one(frequency, "sclk"), hz)
	if !p.shared {
		level(one(frequency, "mclk"), clocks)
		x.table(level, all, hz, watts, celsius, clocks)
	}
	x.engines(all)
}

// table is the firmware's gpu_metrics of a discrete GPU.
func (x *recording) table(level func(capture.Meta, func(*glance) float64), all []glance, hz, watts, celsius, clocks func(*glance) float64) {
	meta := func(name, unit string) capture.Meta {
		m := capture.Meta{Name: "gpu_metrics_" + name, Title: name, Unit: unit, Block: "gpu_metrics", Combine: capture.CombineMean}
		if unit == "watts" {
			m.Combine = capture.CombineSum
		}
		return m
	}
	level(meta("temperature_edge", "celsius"), celsius)
	level(meta("temperature_hotspot", "celsius"), func(g *glance) float64 { return math.Round(g.hot + 9*g.power/x.s.p.power) })
	level(meta("average_gfx_activity", "percent"), func(g *glance) float64 { return math.Round(100 * min(1, g.load)) })
	level(meta("average_umc_activity", "percent"), func(g *glance) float64 { return math.Round(85 * g.memory) })
	level(meta("average_socket_power", "watts"), watts)
	level(meta("average_gfxclk_frequency", "Hz"), hz)
	level(meta("current_gfxclk", "Hz"), hz)
	level(meta("current_uclk", "Hz"), clocks)
	reason := func(name, title string, is func(*glance) bool) {
		level(capture.Meta{Name: "throttled_by_" + name, Title: "Throttled by " + title, Unit: "percent", Block: "gpu_metrics",
			Combine: capture.CombineMax}, func(g *glance) float64 {
			if is(g) {
				return 100
			}
			return 0
		})
	}
	reason("power", "a limit of power", func(g *glance) bool { return g.byPower })
	reason("current", "a limit of current", func(*glance) bool { return false })
	reason("heat", "heat", func(g *glance) bool { return g.byHeat })
}

// engines are the times that the driver counts for its clients: those of the rings' jobs, told when read.
func (x *recording) engines(all []glance) {
	for q, name := range []string{"gfx", "compute"} {
		d := capture.Data{U: make([]uint64, x.cfg.Axis.Len())}
		for i := range all {
			d.U[all[i].last-1] = uint64(all[i].engines[q])
		}
		x.put(capture.Meta{Name: "engine_" + name, Title: "Engine time " + name, Unit: "ns", Block: "engines"}, d)
	}
	clients := capture.Data{U: make([]uint64, x.cfg.Axis.Len())}
	n := uint64(2 + x.r.IntN(12))
	for i := range clients.U {
		clients.U[i] = n
	}
	x.put(capture.Meta{Name: "clients", Title: "Clients", Unit: "clients", Block: "engines", Kind: capture.Gauge}, clients)
}

func (x *recording) properties() {
	p := x.s.p
	x.cfg.Device = capture.Device{Name: p.name, Vendor: "AMD", ID: "0000:03:00.0", Driver: "amdgpu, Linux 6.11.0",
		Extra: map[string]string{"card": "card1", "power_dpm_force_performance_level": "auto",
			"generation": map[string]string{"GFX103": "GFX10.3", "GFX11": "GFX11"}[p.generation]}}
	add := func(name string, v float64) {
		x.cfg.Properties = append(x.cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("shader_engines", p.engines)
	add("cu_per_gpu", p.units)
	add("wave_size", 32)
	add("vram_bus_bits", 8*p.bus)
	add("max_sclk_hz", math.Round(1000*p.clock)*1e6)
	add("max_mclk_hz", p.memoryHz())
	add("gl2c_bytes", p.l2Size)
	if p.mall > 0 {
		add("mall_bytes", p.mallSize)
	}
	apu := 0.0
	if p.shared {
		apu = 1
	}
	add("is_apu", apu)
	add("vram_bytes", p.video)
	add("gtt_bytes", 8<<30)
}

// host adds the columns of the processor: the two threads, and a little of everyone else.
func (x *recording) host() {
	cpus := []int{4, 8, 12, 16}[x.r.IntN(4)]
	if x.s.p.shared {
		cpus = 8
	}
	m := &host.Machine{Least: 4e8, Reach: 0.9 + 0.1*x.r.Float64(), Memory: 16 << 30, Interrupts: x.r.IntN(2) == 0, Pressure: x.r.IntN(3) > 0}
	top := (3.5 + 2*x.r.Float64()) * 1e9
	l := &host.Load{User: make([][]float64, cpus), System: make([][]float64, cpus)}
	n := x.cfg.Axis.Len()
	for c := range cpus {
		m.Clusters, m.Most = append(m.Clusters, c), append(m.Most, math.Round(top/1e6)*1e6)
		l.User[c], l.System[c] = make([]float64, n), make([]float64, n)
		for i := range n {
			d := float64(x.cfg.Axis.Interval(i))
			l.User[c][i], l.System[c][i] = d*0.01*x.r.ExpFloat64(), d*0.004*x.r.ExpFloat64()
		}
	}
	main, second := 0, 1+x.r.IntN(cpus-1)
	rate := 0.0
	for i, f := range x.run.frames {
		if i%17 == 0 && x.r.IntN(3) == 0 { // the scheduler moves a thread now and then
			main = (second + 1 + x.r.IntN(cpus-1)) % cpus
		}
		where := second
		if x.s.contents[f.content].one {
			where = main
		}
		x.lay(l.User[main], f.app, f.appEnd, 0.97)
		x.lay(l.System[main], f.app, f.appEnd, 0.03)
		x.lay(l.User[where], f.driver, f.driverEnd, 0.7)
		x.lay(l.System[where], f.driver, f.driverEnd, 0.3)
		rate++
	}
	_, end := x.cfg.Axis.Extent()
	rate *= 1e9 / float64(max(1, end))
	l.Switches, l.InterruptsRate = 400+9*rate, 300+4*rate
	host.Add(&x.cfg, x.r, m, l, x.without)
}
