package cpu

import (
	"math"
	"strconv"

	"astrolabe/capture"
)

// times is how a processor spent a window, in ns that add up to it.
type times struct{ user, system, hard, soft, stolen, wait, idle float64 }

// beside is the share of each processor that other programs have. They keep to those that the program's threads come to
// last.
func (t *tape) beside() []float64 {
	out := make([]float64, len(t.order))
	left := t.m.others
	for i := len(t.order) - 1; i >= 0 && left > 0; i-- {
		v := min(left, 0.7)
		out[t.order[i]], left = v, left-v
	}
	return out
}

func (w *writer) times(v *window, cpu int, others float64) times {
	long := v.end - v.start
	t := times{user: v.user[cpu], system: v.system[cpu]}
	if busy := t.user + t.system; busy > long {
		t.user, t.system = t.user*long/busy, t.system*long/busy
	}
	left := func() float64 { return max(0, long-t.user-t.system-t.hard-t.soft-t.stolen) }
	other := min(left(), long*others)
	t.user, t.system, t.soft = t.user+other*0.78, t.system+other*0.18, other*0.04
	if w.rec.interrupts { // most kernels do not tell this time from others
		t.hard = min(left(), (t.user+t.system)*0.004)
	}
	if w.c.m.virtual {
		t.stolen = min(left(), (t.user+t.system)*w.c.m.stolen)
	}
	t.wait = min(left(), v.waits[cpu])
	t.idle = left() - t.wait
	return t
}

// system appends what procfs tells.
func (w *writer) system() {
	others := w.t.beside()
	for _, col := range []struct {
		name, title string
		ns          func(t *times) float64
	}{
		{"cpu_user", "CPU time in user space", func(t *times) float64 { return t.user }},
		{"cpu_nice", "CPU time in user space, niced", func(*times) float64 { return 0 }},
		{"cpu_system", "CPU time in the kernel", func(t *times) float64 { return t.system }},
		{"cpu_idle", "CPU idle time", func(t *times) float64 { return t.idle }},
		{"cpu_iowait", "CPU time idle with I/O", func(t *times) float64 { return t.wait }},
		{"cpu_irq", "CPU time in interrupts", func(t *times) float64 { return t.hard }},
		{"cpu_softirq", "CPU time in soft interrupts", func(t *times) float64 { return t.soft }},
		{"cpu_steal", "CPU time stolen", func(t *times) float64 { return t.stolen }},
		{"cpu_guest", "CPU time of guests", func(*times) float64 { return 0 }},
	} {
		for cpu := range w.c.m.cpu.threads() {
			w.spread(capture.Meta{Name: col.name, Title: col.title, Unit: "ns", Block: "cpu", GPU: "cpu",
				Instance: strconv.Itoa(cpu)}, 10e6, func(v *window) float64 {
				t := w.times(v, cpu, others[cpu])
				return col.ns(&t)
			})
		}
	}
	w.scheduler()
	if !w.c.m.virtual {
		w.sensors(others)
	}
}

// scheduler appends what is of the whole machine.
func (w *writer) scheduler() {
	gauge := func(name, title, unit string, value func(v *window) float64) {
		w.level(capture.Meta{Name: name, Title: title, Unit: unit, Block: "scheduler"}, true, value)
	}
	total := func(name, title, unit, block string, grain float64, value func(v *window) float64) {
		w.spread(capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "cpu"}, grain, value)
	}
	seconds := func(v *window) float64 { return (v.end - v.start) * 1e-9 }
	hz, forks := pick(w.d, 100.0, 250, 1000), w.d.in(0, 6)
	total("intr", "Interrupts", "interrupts", "scheduler", 1, func(v *window) float64 {
		ticks := 0.0 // of busy processors
		for cpu := range v.user {
			ticks += (v.user[cpu] + v.system[cpu]) * 1e-9 * hz
		}
		return v.commands + v.switches*0.3 + ticks + seconds(v)*150*w.d.in(0.8, 1.3)
	})
	total("ctxt", "Context switches", "switches", "scheduler", 1, func(v *window) float64 {
		return 2*v.switches + seconds(v)*(300+900*w.c.m.others)*w.d.in(0.7, 1.4)
	})
	started := w.c.p.forks * float64(len(w.c.p.frames)) / w.t.rows[len(w.t.rows)-1].end * 1e9
	total("processes", "Tasks started", "tasks", "scheduler", 1, func(v *window) float64 {
		return seconds(v) * (forks*w.d.in(0, 2) + started)
	})
	gauge("procs_running", "Runnable tasks", "tasks", func(v *window) float64 {
		return 1 + float64(v.running) + math.Floor(w.c.m.others+w.d.Float64())
	})
	gauge("procs_blocked", "Blocked tasks", "tasks", func(v *window) float64 { return float64(v.blocked) })
	total("pressure_cpu_some", "CPU pressure", "ns", "pressure", 1000, func(v *window) float64 {
		return min(v.end-v.start, v.someCPU+(v.end-v.start)*(0.002+0.01*w.c.m.others)*w.d.in(0.5, 1.5))
	})
	for _, name := range []string{"some", "full"} { // memory is there in plenty
		total("pressure_memory_"+name, "Memory pressure, "+name, "ns", "pressure", 1000,
			func(*window) float64 { return 0 })
	}
	total("pressure_io_some", "I/O pressure, some", "ns", "pressure", 1000, func(v *window) float64 { return v.someIO })
	total("pressure_io_full", "I/O pressure, full", "ns", "pressure", 1000, func(v *window) float64 {
		return v.fullIO * max(0, 1-w.c.m.others) // other programs that run are not held up
	})
	before := w.c.m.start*w.d.in(0.1, 1) + w.c.m.others
	w.level(capture.Meta{Name: "load_1m", Title: "Load average (1 min)", Block: "scheduler"}, false,
		func(v *window) float64 {
			kept := math.Exp(-(math.Floor(v.end/5e9) * 5) / 60)
			return math.Round(100*(before*kept+float64(v.running+v.blocked)*(1-kept))) / 100
		})
	size := math.Round(float64(pick(w.d, 8, 16, 32, 64))*0.97*(1<<30)/4096) * 4096
	free := w.d.in(0.3, 0.85)
	w.level(capture.Meta{Name: "mem_total", Title: "Memory", Unit: "bytes", Block: "memory", Integral: true}, false,
		func(*window) float64 { return size })
	w.level(capture.Meta{Name: "mem_available", Title: "Memory available", Unit: "bytes", Block: "memory",
		Integral: true}, false, func(*window) float64 {
		return math.Round(size*free*w.d.in(0.995, 1.005)/4096) * 4096
	})
}

// sensors appends clocks and temperatures.
func (w *writer) sensors(others []float64) {
	m := w.c.m
	for cpu := range m.cpu.threads() {
		w.level(capture.Meta{Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Block: "cpu",
			Instance: strconv.Itoa(cpu), Combine: capture.CombineMean}, false, func(v *window) float64 {
			clock := v.clock
			if busy := (v.user[cpu]+v.system[cpu])/(v.end-v.start) + others[cpu]; busy < 0.05 && m.cpu.maker != arm {
				// What an idle one tells is old, or the lowest.
				clock = pick(w.d, m.cpu.least, m.cpu.least, v.clock)
			}
			return math.Round(clock*1e6*w.d.in(0.997, 1.002)) * 1000
		})
	}
	zone := func(name string, value func(v *window) float64) {
		w.level(capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Block: "thermal",
			Instance: name, Combine: capture.CombineMax}, false, value)
	}
	heat := func(v *window) float64 { return math.Round(v.temperature + w.d.in(-0.6, 0.6)) }
	chip := func(name, title string) {
		w.level(capture.Meta{Name: name, Title: title, Unit: "celsius", Block: "hwmon", Combine: capture.CombineMax},
			false, heat)
	}
	switch m.cpu.maker {
	case intel:
		zone("acpitz", func(*window) float64 { return math.Round(m.ambient + 4) })
		zone("x86_pkg_temp", heat)
		chip("hwmon_coretemp_Package_id_0", "coretemp Package id 0")
	case amd:
		chip("hwmon_k10temp_Tctl", "k10temp Tctl")
	case arm:
		zone("cpu-thermal", heat)
	}
}

// spread appends a count that is read once per window, in units of a grain, and divided evenly among its rows.
func (w *writer) spread(m capture.Meta, grain float64, value func(v *window) float64) {
	m.Source = "procfs"
	if m.GPU == "" {
		m.Source = "recorder"
	}
	out := make([]uint64, len(w.t.rows))
	sum, told := w.d.Float64()*grain, uint64(0)
	for i := range w.t.windows {
		v := &w.t.windows[i]
		sum += value(v)
		now := uint64(math.Floor(sum/grain)) * uint64(grain)
		given := uint64(0)
		for k := range v.rows {
			upto := (now - told) * uint64(k+1) / uint64(v.rows)
			out[v.first+k] = upto - given
			given = upto
		}
		told = now
	}
	w.put(m, capture.Data{U: out})
}

// level appends a value that is read at the end of a window.
func (w *writer) level(m capture.Meta, whole bool, value func(v *window) float64) {
	m.GPU, m.Source, m.Kind = "cpu", "procfs", capture.Gauge
	var d capture.Data
	for i := range w.t.windows {
		v := &w.t.windows[i]
		now := value(v)
		for range v.rows {
			if whole {
				d.U = append(d.U, uint64(now))
			} else {
				d.F = append(d.F, now)
			}
		}
	}
	w.put(m, d)
}
