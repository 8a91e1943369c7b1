package cpu

import (
	"math"
	"sort"
	"strconv"

	"astrolabe/capture"
)

// procfs adds the counters of /proc and /sys.
func (c *recording) procfs(lacks map[string]bool) {
	m := c.l.m
	var ids []string
	for i := range m.cpuOf {
		ids = append(ids, strconv.Itoa(i))
	}
	length := func(i int) float64 { return float64(c.axis.End[i] - c.axis.Start[i]) }
	times := func(name, title string, f func(v *tally, ns float64) float64) {
		var values []capture.Data
		for cpu := range m.cpuOf {
			x := make([]float64, len(c.rows))
			for i, row := range c.rows {
				x[i] = f(c.t.row(row, cpu), length(i))
			}
			values = append(values, capture.Data{U: c.read(x, 1e7)})
		}
		c.put(proc(name, title, "ns", "cpu"), ids, values, nil)
	}
	zero := func(*tally, float64) float64 { return 0 }
	irq := 0.0
	if m.vendor != "ARM" && c.r.Chance(0.5) {
		irq = c.r.Between(0.001, 0.004)
	}
	times("cpu_user", "CPU time in user space", func(v *tally, _ float64) float64 { return (v[kBusy] - v[kSystem]) * (1 - irq) })
	times("cpu_nice", "CPU time in user space, niced", zero)
	times("cpu_system", "CPU time in the kernel", func(v *tally, _ float64) float64 { return v[kSystem] * (1 - irq) })
	times("cpu_idle", "CPU idle time", func(v *tally, ns float64) float64 { return max(0, ns-v[kBusy]-v[kIOWait]) })
	times("cpu_iowait", "CPU time idle with I/O", func(v *tally, _ float64) float64 { return v[kIOWait] })
	times("cpu_irq", "CPU time in interrupts", func(v *tally, _ float64) float64 { return v[kBusy] * irq * 0.6 })
	times("cpu_softirq", "CPU time in soft interrupts", func(v *tally, _ float64) float64 { return v[kBusy] * irq * 0.4 })
	times("cpu_steal", "CPU time stolen", zero)
	times("cpu_guest", "CPU time of guests", zero)

	sum := func(f func(v *tally) float64) []float64 {
		x := make([]float64, len(c.rows))
		for i, row := range c.rows {
			for cpu := range m.cpuOf {
				x[i] += f(c.t.row(row, cpu))
			}
		}
		return x
	}
	single := func(name, title, unit, block string, x []float64, step float64) {
		c.put(proc(name, title, unit, block), nil, []capture.Data{{U: c.read(x, step)}}, nil)
	}
	gauge := func(meta capture.Meta, f func(at int64) float64) {
		meta.Kind = capture.Gauge
		c.put(meta, nil, []capture.Data{{F: c.level(f)}}, nil)
	}
	busy := sum(func(v *tally) float64 { return v[kBusy]/1e9*m.hz + v[kSwitches]*0.4 })
	for i := range busy {
		busy[i] += length(i) / 1e9 * 120
	}
	single("intr", "Interrupts", "interrupts", "scheduler", busy, 1)
	switches := sum(func(v *tally) float64 { return v[kSwitches] })
	for i := range switches {
		switches[i] += length(i) / 1e9 * 60
	}
	single("ctxt", "Context switches", "switches", "scheduler", switches, 1)
	forks := make([]float64, len(c.rows))
	for i := range forks {
		forks[i] = length(i) / 1e9 * 3
	}
	single("processes", "Tasks started", "tasks", "scheduler", forks, 1)
	gauge(proc("procs_running", "Runnable tasks", "tasks", "scheduler"), func(at int64) float64 {
		n := c.levelAt(at)
		return float64(n.run+n.ready) + 1
	})
	gauge(proc("procs_blocked", "Blocked tasks", "tasks", "scheduler"),
		func(at int64) float64 { return float64(c.levelAt(at).io) })
	if !lacks["pressure"] {
		cpu, some, full := c.pressure()
		none := make([]float64, len(c.rows))
		single("pressure_cpu_some", "CPU pressure", "ns", "pressure", cpu, 1000)
		single("pressure_memory_some", "Memory pressure, some", "ns", "pressure", none, 1000)
		single("pressure_memory_full", "Memory pressure, full", "ns", "pressure", none, 1000)
		single("pressure_io_some", "I/O pressure, some", "ns", "pressure", some, 1000)
		single("pressure_io_full", "I/O pressure, full", "ns", "pressure", full, 1000)
	}
	if m.hasClock() && !lacks["sensors"] {
		meta := proc("cpu_frequency", "CPU frequency", "Hz", "cpu")
		meta.Kind, meta.Combine = capture.Gauge, capture.CombineMean
		var values []capture.Data
		for cpu, g := range m.cpuOf {
			values = append(values, capture.Data{F: c.level(func(at int64) float64 {
				f := m.groups[g].kind.max * c.sensor(at).share[g] * 1e9
				if m.vendor == "ARM" {
					return math.Round(f)
				}
				// A core of an x86 processor has a clock of its own, which is low while it idles.
				row := c.t.at(at - 1)
				if c.t.row(row, cpu)[kBusy] < 0.02*float64(c.t.bounds.At(row+1)-c.t.bounds.At(row)) {
					f = min(f, (m.groups[g].kind.min+0.4+0.4*c.r.Float64())*1e9)
				}
				return math.Round(f*(1+0.002*c.r.NormFloat64())/1000) * 1000
			})})
		}
		c.put(meta, ids, values, nil)
	}
	load := math.Round(100*float64(c.levelAt(c.origin).run)*0.8) / 100
	gauge(proc("load_1m", "Load average (1 min)", "", "scheduler"), func(int64) float64 { return load })
	gauge(proc("mem_total", "Memory", "bytes", "memory"), func(int64) float64 { return math.Round(m.ram) })
	free := m.ram * c.r.Between(0.3, 0.8)
	gauge(proc("mem_available", "Memory available", "bytes", "memory"), func(int64) float64 {
		return math.Round(free/4096+c.r.Between(-2000, 2000)) * 4096
	})
	if !lacks["sensors"] {
		c.temperatures()
	}
}

// temperatures adds thermal zones, and the sensor chips that such a machine has.
func (c *recording) temperatures() {
	m := c.l.m
	die := func(at int64) float64 {
		if m.family == "a76" {
			return math.Round(c.sensor(at).degrees/0.55) * 0.55
		}
		return math.Round(c.sensor(at).degrees)
	}
	if len(m.zones) > 0 {
		meta := proc("temperature", "Temperature", "celsius", "thermal")
		meta.Kind, meta.Combine = capture.Gauge, capture.CombineMax
		var values []capture.Data
		for i := range m.zones {
			values = append(values, capture.Data{F: c.level(func(at int64) float64 {
				if i > 0 {
					return math.Round(m.ambient + 14)
				}
				return die(at)
			})})
		}
		c.put(meta, m.zones, values, nil)
	}
	if m.driver == metal {
		meta := proc("hwmon_power_meter_power1", "power_meter power1", "watts", "hwmon")
		meta.Kind = capture.Gauge
		c.put(meta, nil, []capture.Data{{F: c.level(func(at int64) float64 { return math.Round(c.sensor(at).watts*10) / 10 })}}, nil)
	}
	chip, label := "coretemp", "Package_id_0"
	switch m.family {
	case "zen5":
		chip, label = "k10temp", "Tctl"
	case "hybrid":
	default:
		return
	}
	meta := proc("hwmon_"+chip+"_"+label, chip+" "+label, "celsius", "hwmon")
	meta.Kind, meta.Combine = capture.Gauge, capture.CombineMax
	c.put(meta, nil, []capture.Data{{F: c.level(die)}}, nil)
}

// levelAt is how many threads ran and waited at a time.
func (c *recording) levelAt(at int64) levelNote {
	list := c.t.levels
	i := sort.Search(len(list), func(i int) bool { return list[i].at > at })
	if i == 0 {
		return levelNote{}
	}
	return list[i-1]
}

// pressure is the time of each sample in which a task waited for a CPU, in which one waited for a device, and in which
// nothing else was done meanwhile.
func (c *recording) pressure() (cpu, some, full []float64) {
	cpu, some, full = make([]float64, len(c.rows)), make([]float64, len(c.rows)), make([]float64, len(c.rows))
	list := c.t.levels
	k := 0
	for i := range c.rows {
		from, to := c.axis.Start[i]+c.origin, c.axis.End[i]+c.origin
		for k > 0 && list[k].at > from {
			k--
		}
		for ; k < len(list); k++ {
			until := to
			if k+1 < len(list) {
				until = min(to, list[k+1].at)
			}
			if ns := float64(until - max(from, list[k].at)); ns > 0 {
				if list[k].ready > 0 {
					cpu[i] += ns
				}
				if list[k].io > 0 {
					some[i] += ns
					if list[k].run+list[k].ready == 0 {
						full[i] += ns
					}
				}
			}
			if k+1 >= len(list) || list[k+1].at >= to {
				break
			}
		}
	}
	return
}

// own adds the recorder's own cost.
func (c *recording) own() {
	put := func(name, title, unit string, rate float64) {
		x := make([]float64, len(c.rows))
		for i := range x {
			x[i] = rate * float64(c.axis.End[i]-c.axis.Start[i]) / 1e9 * c.r.Between(0.8, 1.2)
		}
		c.put(capture.Meta{Name: name, Title: title, Unit: unit, Block: "recorder", Source: "recorder"}, nil,
			[]capture.Data{{U: wholes(x)}}, nil)
	}
	put("recorder_cpu", "Processor time of the recorder", "ns", 2e6)
	put("recorder_wakeups", "Wake-ups of the recorder", "wakeups", 20)
	put("recorder_lost", "Samples lost", "samples", 0)
}
