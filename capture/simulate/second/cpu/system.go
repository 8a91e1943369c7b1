package cpu

import (
	"math"
	"strconv"

	"astrolabe/capture"
)

// system appends what procfs tells.
func (w *writer) system() {
	type column struct {
		name, title string
		ns          func(v *window, cpu int) float64
	}
	other := make([]float64, w.c.m.cpu.threads())
	for i := range other {
		other[i] = w.c.m.others / float64(len(other))
	}
	busy := func(v *window, cpu int) float64 { return v.user[cpu] + v.system[cpu] }
	idle := func(v *window, cpu int) float64 {
		return max(0, (v.end-v.start)*(1-other[cpu])-busy(v, cpu))
	}
	waits := func(v *window, cpu int) float64 { return min(idle(v, cpu), v.waits[cpu]) }
	beside := func(v *window, cpu int) float64 { return min(v.end-v.start-busy(v, cpu), (v.end-v.start)*other[cpu]) }
	for _, col := range []column{
		{"cpu_user", "CPU time in user space", func(v *window, c int) float64 { return v.user[c] + 0.8*beside(v, c) }},
		{"cpu_nice", "CPU time in user space, niced", func(*window, int) float64 { return 0 }},
		{"cpu_system", "CPU time in the kernel", func(v *window, c int) float64 { return v.system[c] + 0.2*beside(v, c) }},
		{"cpu_idle", "CPU idle time", func(v *window, c int) float64 { return idle(v, c) - waits(v, c) }},
		{"cpu_iowait", "CPU time idle with I/O", waits},
	} {
		for cpu := range w.c.m.cpu.threads() {
			w.spread(capture.Meta{Name: col.name, Title: col.title, Unit: "ns", Block: "cpu",
				Instance: strconv.Itoa(cpu)}, 10e6, func(v *window) float64 { return col.ns(v, cpu) })
		}
	}
	gauge := func(name, title, unit, block string, value func(v *window) float64) {
		w.level(capture.Meta{Name: name, Title: title, Unit: unit, Block: block}, value)
	}
	total := func(name, title, unit, block string, grain float64, value func(v *window) float64) {
		w.spread(capture.Meta{Name: name, Title: title, Unit: unit, Block: block}, grain, value)
	}
	hz := pick(w.d, 100.0, 250, 1000)
	total("intr", "Interrupts", "interrupts", "scheduler", 1, func(v *window) float64 {
		return v.commands + v.switches*0.3 + (v.end-v.start)*1e-9*hz*2
	})
	total("ctxt", "Context switches", "switches", "scheduler", 1, func(v *window) float64 {
		return 2*v.switches + (v.end-v.start)*1e-9*400*(1+w.c.m.others)
	})
	gauge("procs_running", "Runnable tasks", "tasks", "scheduler", func(v *window) float64 {
		return 1 + float64(v.running) + math.Floor(w.c.m.others+w.d.Float64())
	})
	gauge("procs_blocked", "Blocked tasks", "tasks", "scheduler", func(v *window) float64 { return float64(v.blocked) })
	total("pressure_cpu_some", "CPU pressure", "ns", "pressure", 1000, func(v *window) float64 {
		return min(v.end-v.start, v.someCPU+(v.end-v.start)*0.004*(1+w.c.m.others))
	})
	total("pressure_io_some", "I/O pressure, some", "ns", "pressure", 1000, func(v *window) float64 { return v.someIO })
	total("pressure_io_full", "I/O pressure, full", "ns", "pressure", 1000, func(v *window) float64 { return v.fullIO })
	for cpu := range w.c.m.cpu.threads() {
		w.level(capture.Meta{Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Block: "cpu",
			Instance: strconv.Itoa(cpu), Combine: capture.CombineMean}, func(v *window) float64 {
			return math.Round(v.clock*1e6*w.d.in(0.997, 1.003)) * 1000
		})
	}
	w.level(capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Block: "thermal",
		Instance: "x86_pkg_temp", Combine: capture.CombineMax}, func(v *window) float64 {
		return math.Round(v.temperature + w.d.in(-0.6, 0.6))
	})
}

// spread appends a count that is read once per window, in units of a grain, and divided evenly among its rows.
func (w *writer) spread(m capture.Meta, grain float64, value func(v *window) float64) {
	m.GPU, m.Source = "cpu", "procfs"
	out := make([]uint64, len(w.t.rows))
	sum, told := w.d.Float64()*grain, 0.0
	for i := range w.t.windows {
		v := &w.t.windows[i]
		sum += value(v)
		units := math.Floor(sum/grain) * grain
		given := uint64(0)
		for k := range v.rows {
			upto := uint64((units - told) * float64(k+1) / float64(v.rows))
			out[v.first+k] = upto - given
			given = upto
		}
		told += float64(given)
	}
	w.add(m, out)
}

// level appends a value that is read at the end of a window.
func (w *writer) level(m capture.Meta, value func(v *window) float64) {
	m.GPU, m.Source, m.Kind = "cpu", "procfs", capture.Gauge
	out := make([]float64, len(w.t.rows))
	for i := range w.t.windows {
		v := &w.t.windows[i]
		now := value(v)
		for k := range v.rows {
			out[v.first+k] = now
		}
	}
	w.put(m, capture.Data{F: out})
}
