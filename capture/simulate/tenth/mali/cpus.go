package mali

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// hostCounters are those of the processors: the times that the kernel keeps in ticks of 10 ms, and counters of events
// where those may be read. The application and the driver have a processor each; the others serve what else a phone does.
func (rec *recorder) hostCounters(k *sink, p *plan, axis *capture.Axis, r *rand.Rand) []*capture.Counter {
	type times struct{ user, system, idle []float64 }
	all := make([]times, rec.cpus)
	rest := between(r, 0.01, 0.06)
	var running []float64
	for i := range p.lost {
		ns := float64(p.edges[i+1] - p.edges[i])
		run := 1.0
		for c := range all {
			user, system := 0.0, 0.0
			switch c {
			case rec.appCPU:
				user, system = k.user[0][i], k.system[0][i]
			case rec.driverCPU:
				user, system = k.user[1][i], k.system[1][i]
			}
			run += (user + system) / ns
			noise := rest * ns * between(r, 0, 2)
			user += 0.6 * noise
			system += 0.4 * noise
			if sum := user + system; sum > ns {
				user, system = user*ns/sum, system*ns/sum
			}
			if !p.lost[i] {
				t := &all[c]
				t.user, t.system, t.idle = append(t.user, user), append(t.system, system), append(t.idle, max(0, ns-user-system))
			}
		}
		if !p.lost[i] {
			running = append(running, float64(int(run+r.Float64())))
		}
	}
	var out []*capture.Counter
	per := func(m capture.Meta, scale uint64, of func(c, i int) float64) {
		m.GPU = "cpu"
		if slices.Contains(p.without, m.Name) {
			return
		}
		whole := &capture.Counter{Meta: m, Axis: axis}
		for c := range all {
			cols := simulate.NewColumns(axis)
			one := m
			one.Instance = strconv.Itoa(c)
			var at int
			if m.Kind == capture.Gauge {
				at = cols.Gauge(one)
			} else {
				at = cols.Counter(one)
				cols.Scaled(at, scale)
			}
			for i := range axis.Len() {
				if m.Kind == capture.Gauge {
					cols.Set(at, of(c, i))
				} else {
					cols.Add(at, of(c, i))
				}
			}
			whole.AddInstance(cols.Counters(nil)[0])
		}
		out = append(out, whole)
	}
	meta := func(name, title, unit, block, source string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Source: source, Kind: capture.Delta}
	}
	if p.perf {
		ipc := between(r, 0.9, 2.2)
		per(meta("cycles", "CPU cycles", "cycles", "cpu", "perfevent"), 1, func(c, i int) float64 {
			return (all[c].user[i] + all[c].system[i]) * rec.cpuHz / 1e9
		})
		per(meta("instructions", "Instructions", "instructions", "cpu", "perfevent"), 1, func(c, i int) float64 {
			return (all[c].user[i] + all[c].system[i]) * rec.cpuHz / 1e9 * ipc
		})
	}
	const ticks = 1e7
	per(meta("cpu_user", "CPU time in user space", "ns", "cpu", "procfs"), ticks, func(c, i int) float64 { return all[c].user[i] })
	per(meta("cpu_nice", "CPU time in user space, niced", "ns", "cpu", "procfs"), ticks, func(int, int) float64 { return 0 })
	per(meta("cpu_system", "CPU time in the kernel", "ns", "cpu", "procfs"), ticks, func(c, i int) float64 { return all[c].system[i] })
	per(meta("cpu_idle", "CPU idle time", "ns", "cpu", "procfs"), ticks, func(c, i int) float64 { return all[c].idle[i] })
	for _, n := range [][2]string{{"cpu_iowait", "CPU time idle with I/O"}, {"cpu_irq", "CPU time in interrupts"},
		{"cpu_softirq", "CPU time in soft interrupts"}, {"cpu_steal", "CPU time stolen"}} {
		per(meta(n[0], n[1], "ns", "cpu", "procfs"), ticks, func(int, int) float64 { return 0 })
	}
	cols := simulate.NewColumns(axis)
	m := meta("ctxt", "Context switches", "switches", "scheduler", "procfs")
	m.GPU = "cpu"
	at := cols.Counter(m)
	m = meta("procs_running", "Runnable tasks", "tasks", "scheduler", "procfs")
	m.GPU = "cpu"
	level := cols.Gauge(m)
	j := 0
	for i := range p.lost {
		if p.lost[i] {
			continue
		}
		cols.Add(at, k.switches[i]*3+float64(p.edges[i+1]-p.edges[i])/1e6*between(r, 0.5, 3))
		cols.Set(level, running[j])
		j++
	}
	out = append(out, cols.Counters(p.without)...)
	f := meta("cpu_frequency", "CPU frequency", "Hz", "cpu", "procfs")
	f.Kind, f.Combine = capture.Gauge, capture.CombineMean
	per(f, 1, func(int, int) float64 { return rec.cpuHz })
	return out
}
