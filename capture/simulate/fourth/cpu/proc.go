package cpu

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// tick is the unit of times in /proc/stat.
const tick = 1e7 // ns

// pressureUnit is that of /proc/pressure.
const pressureUnit = 1000 // ns

// states of a processor in the order of /proc/stat.
var states = [...]struct{ name, title string }{
	{"cpu_user", "CPU time in user space"}, {"cpu_nice", "CPU time in user space, niced"}, {"cpu_system", "CPU time in the kernel"},
	{"cpu_idle", "CPU idle time"}, {"cpu_iowait", "CPU time idle with I/O"}, {"cpu_irq", "CPU time in interrupts"},
	{"cpu_softirq", "CPU time in soft interrupts"}, {"cpu_steal", "CPU time stolen"}, {"cpu_guest", "CPU time of guests"},
}

// proc adds what /proc and /sys tell of the whole machine.
func (r *recording) proc() {
	m, rnd, all := r.s.m, r.rnd, r.tallies.all
	n := len(all)
	// How much of the program's time is the kernel's.
	system := make([]float64, n)
	for i := range all {
		sum := 0.0
		for k, ns := range all[i].ran {
			sum += ns * r.mixes[k].system
		}
		if ran := add(all[i].ran); ran > 0 {
			system[i] = min(0.6, sum/ran+all[i].switches*3e3/ran)
		}
	}
	others := make([][]float64, n) // programs beside ours, by processor
	for i := range others {
		others[i] = make([]float64, m.cores)
		for c := range others[i] {
			others[i][c] = min(0.9, m.background/float64(m.cores)*rnd.ExpFloat64())
		}
	}
	columns := [len(states)][]*capture.Counter{}
	for c := range m.cores {
		var times [len(states)]counted
		for s := range times {
			times[s] = counted{unit: tick, carry: rnd.Between(0, tick*0.999)}
		}
		for i := range all {
			x := &all[i]
			ns := x.end - x.start
			own := min(ns, x.cpu[c])
			free := ns - own
			other := free * others[i][c]
			soft := ns * 0.0015
			disk := min(free-other, x.cpuDisk[c])
			v := [len(states)]float64{own*(1-system[i]) + other*0.6, 0, own*system[i] + other*0.4, 0, max(0, disk), 0, min(soft, free-other-disk), 0, 0}
			idle := ns
			for _, y := range v {
				idle -= y
			}
			v[3] = max(0, idle)
			for s := range v {
				times[s].add(v[s])
			}
		}
		for s, x := range states {
			columns[s] = append(columns[s], &capture.Counter{Meta: capture.Meta{Name: x.name, Title: x.title, Unit: "ns", Block: "cpu", Source: "procfs",
				Instance: simulate.Numbers(m.cores)[c]}, Col: capture.NewColumn(capture.Data{U: times[s].values})})
		}
	}
	for s, x := range states {
		r.add(&capture.Counter{Meta: capture.Meta{Name: x.name, Title: x.title, Unit: "ns", Block: "cpu", Source: "procfs"}, Instances: columns[s]})
	}
	r.scheduler()
	if rnd.Chance(0.75) {
		r.pressure()
	}
	r.sensors()
}

// scheduler is the rest of /proc/stat, /proc/loadavg and /proc/meminfo.
func (r *recording) scheduler() {
	rnd, all := r.rnd, r.tallies.all
	span := func(i int) float64 { return all[i].end - all[i].start }
	ran := func(i int) float64 { return add(all[i].ran) }
	add := func(name, title, unit string, of func(i int) float64) {
		r.delta(name, title, unit, "scheduler", "procfs", 1, of)
	}
	quiet := rnd.Log(2e-7, 2e-6) // switches of others a ns
	add("intr", "Interrupts", "interrupts", func(i int) float64 {
		return all[i].accesses + all[i].switches*0.4 + span(i)*1.1e-6*rnd.Spread(0.2)
	})
	add("ctxt", "Context switches", "switches", func(i int) float64 {
		return all[i].switches*1.7 + 2*r.others[i]*ran(i) + span(i)*quiet*rnd.Spread(0.3)
	})
	add("processes", "Tasks started", "tasks", func(i int) float64 { return span(i) * 3e-9 * rnd.ExpFloat64() })
	gauge := func(name, title string, of func(i int) float64) {
		r.gauge(capture.Meta{Name: name, Title: title, Unit: "tasks", Block: "scheduler"}, of)
	}
	gauge("procs_running", "Runnable tasks", func(i int) float64 { return all[i].running + 1 })
	gauge("procs_blocked", "Blocked tasks", func(i int) float64 { return all[i].blocked })
	load := 0.0
	for i := range all {
		load += (all[i].running + all[i].blocked) / float64(len(all))
	}
	load = math.Round(100*load*rnd.Between(0.6, 1)) / 100
	r.gauge(capture.Meta{Name: "load_1m", Title: "Load average (1 min)", Block: "scheduler"}, func(int) float64 { return load })
	free := math.Round(r.s.m.memory * rnd.Between(0.2, 0.8) / 4096)
	r.gauge(capture.Meta{Name: "mem_total", Title: "Memory", Unit: "bytes", Block: "memory", Integral: true}, func(int) float64 { return r.s.m.memory })
	r.gauge(capture.Meta{Name: "mem_available", Title: "Memory available", Unit: "bytes", Block: "memory", Integral: true}, func(int) float64 {
		free -= math.Floor(rnd.ExpFloat64() * 2)
		return free * 4096
	})
}

// pressure is /proc/pressure.
func (r *recording) pressure() {
	all := r.tallies.all
	others := simulate.NewRandom(r.s.seed, "pressure").Log(0.0002, 0.02) // of the time, in which something else waits for a processor
	add := func(name, title string, of func(i int) float64) {
		r.delta(name, title, "ns", "pressure", "procfs", pressureUnit, of)
	}
	add("pressure_cpu_some", "CPU pressure", func(i int) float64 {
		ns := all[i].end - all[i].start
		return min(ns, all[i].crowded+ns*others)
	})
	add("pressure_memory_some", "Memory pressure, some", func(int) float64 { return 0 })
	add("pressure_memory_full", "Memory pressure, full", func(int) float64 { return 0 })
	add("pressure_io_some", "I/O pressure, some", func(i int) float64 { return all[i].disk })
	add("pressure_io_full", "I/O pressure, full", func(i int) float64 { return all[i].diskAll })
}

// sensors are the clocks and the temperature, read some times a second.
func (r *recording) sensors() {
	m, rnd, all := r.s.m, r.rnd, r.tallies.all
	if rnd.Chance(0.94) && r.clocked {
		every := max(1, int(1e8/r.s.period))
		meta := capture.Meta{Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Kind: capture.Gauge, Block: "cpu", Source: "procfs",
			Combine: capture.CombineMean}
		var each []*capture.Counter
		for c, id := range simulate.Numbers(m.cores) {
			v := make([]float64, len(all))
			for i := range v {
				if i%every > 0 {
					v[i] = v[i-1]
					continue
				}
				ghz := all[i].ghz
				if m.dozes && all[i].cpu[c] < 0.02*(all[i].end-all[i].start) {
					ghz = m.ghz * rnd.Between(0.15, 0.3) // an idle one sleeps at a low clock
				}
				v[i] = math.Floor(min(m.ghz, ghz)*1e6) * 1e3
			}
			one := meta
			one.Instance = id
			each = append(each, &capture.Counter{Meta: one, Col: capture.NewColumn(capture.Data{F: v})})
		}
		r.add(&capture.Counter{Meta: meta, Instances: each})
	}
	if rnd.Chance(0.8) {
		name := simulate.Pick(rnd, "x86_pkg_temp", "acpitz")
		if m.maker == arm {
			name = "cpu-thermal"
		}
		meta := capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Kind: capture.Gauge, Block: "thermal", Source: "procfs",
			Combine: capture.CombineMax}
		v := make([]float64, len(all))
		last := 60.0
		for i := range v {
			if all[i].heat > 0 {
				last = all[i].heat
			}
			v[i] = math.Round(last)
		}
		one := meta
		one.Instance = name
		r.add(&capture.Counter{Meta: meta, Instances: []*capture.Counter{{Meta: one, Col: capture.NewColumn(capture.Data{F: v})}}})
	}
}
