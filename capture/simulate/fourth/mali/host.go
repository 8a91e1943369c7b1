package mali

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const jiffy = 10 * ms // what the kernel counts the processors' time in

// work is a stretch of time in which a thread runs.
type spell struct {
	from, to float64
	system   float64 // share of it in the kernel
	cpu      int
}

// processors are what the kernel tells of the processors beside the GPU, from /proc/stat.
func (s *simulation) processors(axis *capture.Axis, origin int64, without []string, r simulate.Random) []*capture.Counter {
	m := s.p.m
	first := m.cpus - m.big
	var list []spell
	app, drv := first, first+1
	own, kernel := r.Between(0.03, 0.12), r.Between(0.25, 0.6)
	var wakes []float64
	for i := range s.frames {
		f := &s.frames[i]
		if r.Chance(0.06) { // the scheduler moves a thread
			app = first + r.IntN(m.big)
			drv = first + (app-first+1)%m.big
		}
		on := drv
		if s.p.single {
			on = app
		}
		list = append(list, spell{f.begin, f.appEnd, own, app}, spell{f.drvStart, f.drvEnd, kernel, on})
		wakes = append(wakes, f.begin, f.drvStart, f.drvEnd, f.done)
		list = append(list, spell{f.done, f.done + 0.5*m.irq, 1, r.IntN(m.cpus)})
	}
	background := make([]float64, m.cpus)
	for i := range background {
		background[i] = r.Log(0.005, 0.2)
	}
	names := []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal", "cpu_guest"}
	n := axis.Len()
	values := make([][][]uint64, len(names))
	for k := range values {
		values[k] = make([][]uint64, m.cpus)
		for cpu := range values[k] {
			values[k][cpu] = make([]uint64, n)
		}
	}
	switches, running := make([]uint64, n), make([]float64, n)
	rate := r.Log(800, 5000) // of what else runs
	// The kernel tells whole ticks of each sum since it started, which was any time ago.
	var due [16][3]float64 // ns of user, system and idle that are not told yet
	for cpu := range m.cpus {
		for k := range due[cpu] {
			due[cpu][k] = r.Between(0, jiffy)
		}
	}
	for i := range n {
		from, to := float64(axis.Start[i]+origin), float64(axis.End[i]+origin)
		user, system := make([]float64, m.cpus), make([]float64, m.cpus)
		for _, x := range list {
			if d := min(x.to, to) - max(x.from, from); d > 0 {
				user[x.cpu] += d * (1 - x.system)
				system[x.cpu] += d * x.system
				running[i] += d / (to - from)
			}
		}
		for cpu := range m.cpus {
			free := max(0, to-from-user[cpu]-system[cpu])
			other := free * min(1, background[cpu]*r.Between(0.3, 1.7))
			user[cpu] += 0.7 * other
			system[cpu] += 0.3 * other
			if over := (user[cpu] + system[cpu]) / (to - from); over > 1 {
				user[cpu], system[cpu] = user[cpu]/over, system[cpu]/over
			}
			running[i] += other / (to - from)
			for k, ns := range [...]float64{user[cpu], system[cpu], max(0, to-from-user[cpu]-system[cpu])} {
				ticks := math.Floor((due[cpu][k] + ns) / jiffy)
				due[cpu][k] += ns - ticks*jiffy
				values[[...]int{0, 2, 3}[k]][cpu][i] = uint64(ticks * jiffy)
			}
		}
		count := rate * (to - from) / 1e9 * r.Between(0.7, 1.3)
		for _, t := range wakes {
			if t >= from && t < to {
				count += 2
			}
		}
		switches[i] = uint64(count)
	}
	var out []*capture.Counter
	meta := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, GPU: "cpu", Block: block, Source: "procfs"}
	}
	for k, name := range names {
		if slices.Contains(without, name) {
			continue
		}
		whole := &capture.Counter{Meta: meta(name, "ns", "cpu"), Axis: axis}
		for cpu, id := range simulate.Numbers(m.cpus) {
			one := &capture.Counter{Meta: whole.Meta, Axis: axis, Col: capture.NewColumn(capture.Data{U: values[k][cpu]})}
			one.Meta.Instance = id
			whole.Instances = append(whole.Instances, one)
		}
		out = append(out, whole)
	}
	if !slices.Contains(without, "ctxt") {
		out = append(out, &capture.Counter{Meta: meta("ctxt", "switches", "scheduler"), Axis: axis, Col: capture.NewColumn(capture.Data{U: switches})})
	}
	if !slices.Contains(without, "procs_running") {
		level := meta("procs_running", "tasks", "scheduler")
		level.Kind = capture.Gauge
		for i := range running {
			running[i] = math.Round(running[i]) + 1
		}
		out = append(out, &capture.Counter{Meta: level, Axis: axis, Col: capture.NewColumn(capture.Data{F: running})})
	}
	return out
}
