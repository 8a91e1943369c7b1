package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate/host"
)

// sensors reads what driver and firmware say of clocks, power, heat and activity.
func (rec *recording) sensors(top float64) {
	m := rec.m
	program := func(i int) *program { return &rec.programs[rec.program[i]] }
	reach := rec.r.Float64()*0.03 + 0.97 // of the clock that the model calls its highest
	clock := func(i int) float64 {
		p := program(i)
		level := rec.level[i]
		if busy := rec.share[i]; p.hold != governor && busy < 0.6 && rec.r.Float64() < 0.5*(0.6-busy) {
			level *= 0.5 + 0.4*rec.r.Float64() // read while it had nothing to do
		}
		f := m.clock * 1e9 * reach * level * (1 + 0.008*rec.r.NormFloat64())
		return math.Round(math.Min(f, top)/1e6) * 1e6
	}
	heat := func(i int) float64 { return rec.mean(func(k int) float64 { return rec.heat[k] }, i) }
	watts := func(i int) float64 {
		p := program(i)
		idle := 0.12 * m.watts
		w := idle + (m.watts*0.97-idle)*math.Min(1, heat(i))
		switch {
		case p.hold == power && rec.share[i] > 0.7:
			w = m.watts * (0.975 + 0.02*rec.r.Float64()) // the firmware regulates to it
		case p.hold == thermal:
			w = math.Min(w, m.watts*0.8)
		}
		return math.Min(w*(1+0.01*rec.r.NormFloat64()), m.watts*1.01)
	}
	cool := 42 + 10*rec.r.Float64()
	edge := func(i int) float64 {
		if program(i).hold == thermal {
			return 88 + 3*rec.r.Float64()
		}
		return cool + 30*watts(i)/m.watts
	}
	junction := func(i int) float64 {
		if program(i).hold == thermal {
			return 108 + 2*rec.r.Float64() // the limit is 110
		}
		return math.Min(100, edge(i)+16*watts(i)/m.watts)
	}
	flag := func(of cause) func(i int) float64 {
		return func(i int) float64 {
			p := program(i)
			chance := 0.0
			switch {
			case p.hold == of && rec.share[i] > 0.6:
				chance = 0.96
			case of == power && heat(i) > 0.85: // it touches the limit now and then without losing much
				chance = 0.12
			}
			if rec.r.Float64() < chance {
				return 100
			}
			return 0
		}
	}
	load := func(i int) float64 { return math.Round(100 * math.Min(1, rec.share[i])) }
	memory := func(i int) float64 {
		return math.Round(100 * math.Min(1, rec.mean(func(k int) float64 { return rec.memory[k] }, i)))
	}
	mclk := func(i int) float64 {
		if rec.share[i] < 0.15 {
			return math.Round(m.mclk * 0.46)
		}
		return m.mclk
	}
	meta := func(name string) capture.Meta { return capture.Meta{Name: name} }
	gauge := func(name, title, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Combine: capture.CombineMean}
	}
	part := func(name, instance string) capture.Meta {
		return capture.Meta{Name: name, Instance: instance, Combine: capture.CombineMax}
	}
	rec.slow(meta("sensor_load"), false, load)
	rec.slow(meta("sensor_sclk"), false, clock)
	rec.slow(meta("sensor_mclk"), false, mclk)
	rec.slow(meta("sensor_power"), false, func(i int) float64 { return math.Round(watts(i)) })
	rec.slow(gauge("sensor_temperature", "GPU temperature", "celsius", "sensors"), false,
		func(i int) float64 { return math.Round(edge(i)) })
	vram := m.vram * (0.15 + 0.5*rec.r.Float64())
	rec.slow(meta("vram_used"), true, func(int) float64 { return vram + 1e6*rec.r.Float64() })
	gtt := 200e6 + 600e6*rec.r.Float64()
	rec.slow(meta("gtt_used"), true, func(int) float64 { return gtt })
	rec.slow(meta("gpu_busy_percent"), false, load)
	rec.slow(meta("mem_busy_percent"), false, memory)
	if m.generation == "gfx103" {
		rec.slow(meta("power"), false, watts)
	} else {
		rec.slow(meta("power_now"), false, watts)
	}
	rec.slow(meta("power_cap"), false, func(int) float64 { return m.watts })
	rec.slow(part("temperature", "edge"), false, edge)
	rec.slow(part("temperature", "junction"), false, junction)
	rec.slow(part("temperature", "mem"), false, func(i int) float64 { return edge(i) + 6 + 20*memory(i)/100 })
	frequency := part("frequency", "sclk")
	frequency.Unit, frequency.Block = "Hz", "hwmon"
	rec.slow(frequency, false, clock)
	frequency.Instance = "mclk"
	rec.slow(frequency, false, mclk)
	rec.slow(gauge("gpu_metrics_average_gfx_activity", "average gfx activity", "percent", "gpu_metrics"), false, load)
	rec.slow(gauge("gpu_metrics_average_umc_activity", "average umc activity", "percent", "gpu_metrics"), false, memory)
	rec.slow(gauge("gpu_metrics_average_socket_power", "average socket power", "watts", "gpu_metrics"), false,
		func(i int) float64 { return math.Round(watts(i)) })
	rec.slow(gauge("gpu_metrics_current_gfxclk", "current gfxclk", "Hz", "gpu_metrics"), false, clock)
	rec.slow(gauge("gpu_metrics_current_uclk", "current uclk", "Hz", "gpu_metrics"), false, mclk)
	rec.others(clock, watts, edge, junction, mclk, vram)
	byPower, byHeat := make([]float64, rec.axis.Len()), make([]float64, rec.axis.Len())
	for _, c := range []struct {
		name string
		of   cause
		all  []float64
	}{{"throttled_by_power", power, byPower}, {"throttled_by_heat", thermal, byHeat}} {
		f, m := flag(c.of), meta(c.name)
		m.Combine = capture.CombineMax
		rec.slow(m, false, func(i int) float64 {
			c.all[i] = f(i)
			return c.all[i]
		})
	}
	// At its limit of power a board draws nearly its limit of current, and the firmware names that now and then.
	byCurrent := make([]float64, rec.axis.Len())
	current := meta("throttled_by_current")
	current.Combine = capture.CombineMax
	touchy := 0.1 * rec.r.Float64()
	rec.slow(current, false, func(i int) float64 {
		if heat(i) > 0.85 && rec.r.Float64() < touchy {
			byCurrent[i] = 100
		}
		return byCurrent[i]
	})
	other := meta("throttled_by_other")
	other.Combine = capture.CombineMax
	rec.slow(other, false, func(int) float64 { return 0 })
	either := meta("throttled") // of the same reading
	either.Combine = capture.CombineMax
	rec.slow(either, false, func(i int) float64 { return max(byPower[i], byHeat[i], byCurrent[i]) })
}

// others are columns that say little of what limits a program: voltages, fans, the link, temperatures of regulators.
func (rec *recording) others(clock, watts, edge, junction, mclk func(i int) float64, vram float64) {
	m, r := rec.m, rec.r
	gauge := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Title: name, Unit: unit, Block: block, Combine: capture.CombineMean}
	}
	volts := func(i int) float64 { // the voltage follows the clock
		share := clock(i) / (m.clock * 1e9)
		return math.Round(1000*(0.68+0.42*share*share)) / 1000
	}
	rec.slow(gauge("sensor_vddgfx", "volts", "sensors"), false, volts)
	voltage := gauge("voltage", "volts", "hwmon")
	voltage.Instance, voltage.Combine = "vddgfx", capture.CombineMax
	rec.slow(voltage, false, volts)
	fan := 2600 + 900*r.Float64()
	speed := func(i int) float64 { // stands still while the board is cool
		return math.Round(fan * clamp((edge(i)-50)/45, 0, 1))
	}
	rec.slow(gauge("fan_speed", "rpm", "hwmon"), false, speed)
	rec.slow(gauge("fan_pwm", "percent", "hwmon"), false,
		func(i int) float64 { return math.Round(255*speed(i)/3600) / 2.55 })
	rec.slow(gauge("dpm_sclk", "Hz", "clocks"), false, clock)
	rec.slow(gauge("dpm_mclk", "Hz", "clocks"), false, mclk)
	rec.slow(gauge("dpm_fclk", "Hz", "clocks"), false, func(int) float64 { return 1940e6 })
	rec.slow(gauge("dpm_socclk", "Hz", "clocks"), false, func(int) float64 { return 1200e6 })
	lanes := 16.0
	if m.cus < 36 { // the small ones are wired for eight
		lanes = 8
	}
	rec.slow(gauge("pcie_link_speed", "GT/s", "pcie"), false, func(int) float64 { return 16 })
	rec.slow(gauge("pcie_link_width", "lanes", "pcie"), false, func(int) float64 { return lanes })
	visible := vram * (0.02 + 0.05*r.Float64())
	rec.slow(gauge("vram_visible_used", "bytes", "memory"), true, func(int) float64 { return visible })
	mine := vram * (0.6 + 0.3*r.Float64())
	rec.slow(gauge("clients_vram", "bytes", "engines"), true, func(int) float64 { return mine })
	rec.slow(gauge("clients_gtt", "bytes", "engines"), true, func(int) float64 { return 150e6 })
	field := func(name, unit string, read func(i int) float64) {
		rec.slow(gauge("gpu_metrics_"+name, unit, "gpu_metrics"), false, read)
	}
	field("temperature_edge", "celsius", func(i int) float64 { return math.Round(edge(i)) })
	field("temperature_hotspot", "celsius", func(i int) float64 { return math.Round(junction(i)) })
	regulator := 4 + 8*r.Float64()
	field("temperature_vrgfx", "celsius", func(i int) float64 { return math.Round(edge(i) + regulator) })
	field("temperature_vrsoc", "celsius", func(i int) float64 { return math.Round(edge(i) + regulator - 3) })
	field("average_gfxclk_frequency", "Hz", clock)
	field("average_uclk_frequency", "Hz", mclk)
	field("average_mm_activity", "percent", func(int) float64 { return 0 })
	field("current_socclk", "Hz", func(int) float64 { return 1200e6 })
	field("current_fan_speed", "rpm", speed)
	field("pcie_link_width", "lanes", func(int) float64 { return lanes })
	field("voltage_gfx", "volts", volts)
	// Memory has room for all: nothing is moved out of it, and little is brought in while one looks.
	n := rec.axis.Len()
	moved, still := make([]float64, n), make([]float64, n)
	for i := range moved {
		if rec.reading[i] == i && r.Float64() < 0.08 {
			moved[i] = math.Round(r.ExpFloat64()*64) * 65536
		}
	}
	count := func(name, unit, block string, values []float64) {
		rec.add("amd-live", "amdgpu", capture.Meta{Name: name, Title: name, Unit: unit, Block: block}, values, true)
	}
	count("bytes_moved", "bytes", "memory", moved)
	count("evictions", "buffers", "memory", still)
	count("vram_lost", "resets", "memory", still)
	for _, engine := range []string{"dma", "dec", "enc", "jpeg", "other"} {
		ns := still
		if engine == "dma" { // copies of what the driver brings in
			ns = make([]float64, n)
			for i, bytes := range moved {
				ns[i] = bytes / 12 // GB/s of the link
			}
		}
		count("engine_"+engine, "ns", "engines", ns)
	}
}

// engines is what the driver counts for each client, renewed with the slow values.
func (rec *recording) engines() {
	n := rec.axis.Len()
	gfx, compute := make([]float64, n), make([]float64, n)
	var g, c float64
	for i := range n {
		if rec.reading[i] == i {
			gfx[i], compute[i] = g, c
			g, c = 0, 0
		}
		g += math.Max(0, rec.busy[i][blockGFX]-rec.onlyCompute(i))
		c += rec.compute[i]
	}
	rec.add("amd-live", "amdgpu", capture.Meta{Name: "engine_gfx"}, gfx, true)
	rec.add("amd-live", "amdgpu", capture.Meta{Name: "engine_compute"}, compute, true)
	rec.slow(capture.Meta{Name: "clients"}, true, func(int) float64 { return 3 })
}

// onlyCompute is the time in which the second queue worked alone.
func (rec *recording) onlyCompute(i int) float64 {
	return math.Min(rec.compute[i], math.Max(0, rec.busy[i][blockGFX]-rec.busy[i][blockCPG]))
}

// processors adds what the kernel says of the machine's processors: the application's thread, the driver's, and what
// else there is.
func (rec *recording) processors() {
	n, cpus := rec.axis.Len(), 8+8*rec.r.IntN(2)
	user, system := make([][]float64, cpus), make([][]float64, cpus)
	for k := range cpus {
		user[k], system[k] = make([]float64, n), make([]float64, n)
		for i := range n {
			d := float64(rec.axis.Interval(i))
			user[k][i] = d * 0.012 * rec.r.ExpFloat64()
			system[k][i] = d * 0.006 * rec.r.ExpFloat64()
		}
	}
	app, driver := rec.r.IntN(cpus), rec.r.IntN(cpus)
	for k := range rec.frames {
		f := &rec.frames[k]
		if rec.r.Float64() < 0.01 { // the scheduler moves a thread
			app = rec.r.IntN(cpus)
		}
		if rec.r.Float64() < 0.01 || driver == app {
			driver = (app + 1 + rec.r.IntN(cpus-1)) % cpus
		}
		rec.spread(f.app, f.appEnd, func(i int, ns float64) {
			user[app][i] += 0.93 * ns
			system[app][i] += 0.07 * ns
		})
		rec.spread(f.drive, f.driven, func(i int, ns float64) {
			user[driver][i] += 0.7 * ns
			system[driver][i] += 0.3 * ns
		})
	}
	m := rec.m
	on := &host.Machine{Least: 2.2e9, Reach: 0.9 + 0.1*rec.r.Float64(), Interrupts: rec.r.IntN(2) == 0,
		Pressure: rec.r.Float64() < 0.85, Memory: []float64{16, 32, 32, 64}[rec.r.IntN(4)] * (1 << 30)}
	most := math.Round(44+12*rec.r.Float64()) * 1e8
	for range cpus {
		on.Clusters, on.Most = append(on.Clusters, 0), append(on.Most, most)
	}
	core := host.Zone(rec.r, "", 48+22*rec.r.Float64(), 0.125)
	disk := host.Zone(rec.r, "", 36+14*rec.r.Float64(), 1)
	on.Sensors = []host.Sensor{host.Chip("k10temp", "Tctl", "celsius", capture.CombineMax, core.Value),
		host.Chip("nvme", "Composite", "celsius", capture.CombineMax, disk.Value)}
	// The sensors of the GPU are a monitoring chip of the kernel's as well.
	chip := func(label, unit string, combine capture.Combine, name, instance string) {
		for _, c := range rec.config.Counters {
			for _, one := range append([]*capture.Counter{c}, c.Instances...) {
				if c.Name == name && c.Source == "amdgpu" && one.Col != nil && one.Meta.Instance == instance {
					values := one.Col.Floats()
					on.Sensors = append(on.Sensors, host.Chip("amdgpu", label, unit, combine,
						func(i int) float64 { return values[i] }))
				}
			}
		}
	}
	for _, at := range []string{"edge", "junction", "mem"} {
		chip(at, "celsius", capture.CombineMax, "temperature", at)
	}
	power := "power_now"
	if m.generation == "gfx103" {
		power = "power"
	}
	chip("PPT", "watts", capture.CombineSum, power, "")
	chip("sclk", "Hz", capture.CombineMean, "frequency", "sclk")
	chip("mclk", "Hz", capture.CombineMean, "frequency", "mclk")
	host.Add(&rec.config, rec.r, on, &host.Load{User: user, System: system, Switches: 2500 + 9000*rec.r.Float64(),
		InterruptsRate: 1500 + 4500*rec.r.Float64()}, rec.o.Without)
}
