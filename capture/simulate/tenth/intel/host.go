package intel

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// cpuCounter is a counter of processors, with an instance for each.
type cpuCounter struct {
	meta capture.Meta
	of   [][]uint64
}

// hostCounters are what perf events and /proc tell of the machine's processors beside the GPU's samples. The
// application's thread and the driver's run on a processor each and move now and then; others have a little to do.
func (p *program) hostCounters(rows []*row, axis *capture.Axis, r simulate.Random, o *simulate.Options) []*capture.Counter {
	m := p.m
	n := len(rows)
	for _, w := range o.Withheld {
		if w.Level == simulate.LevelCPU {
			return nil
		}
	}
	var list []*cpuCounter
	add := func(name, title, unit, block, source string) *cpuCounter {
		c := &cpuCounter{meta: capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Kind: capture.Delta, GPU: "cpu",
			Source: source}}
		for range m.cpus {
			c.of = append(c.of, make([]uint64, n))
		}
		list = append(list, c)
		return c
	}
	perf := func(name, title, unit string) *cpuCounter { return add(name, title, unit, "cpu", "perfevent") }
	cycles, instructions := perf("cycles", "CPU cycles", "cycles"), perf("instructions", "Instructions", "instructions")
	references, misses := perf("cache_references", "Cache references", "accesses"), perf("cache_misses", "Cache misses", "misses")
	branches, wrong := perf("branches", "Branches", "branches"), perf("branch_misses", "Branch misses", "branches")
	task, clock := perf("task_clock", "Task clock", "ns"), perf("cpu_clock", "CPU clock", "ns")
	switches, moves := perf("context_switches", "Context switches", "switches"), perf("cpu_migrations", "CPU migrations", "migrations")
	faults := perf("page_faults", "Page faults", "faults")
	user, system := add("cpu_user", "User time", "ns", "cpu", "procfs"), add("cpu_system", "System time", "ns", "cpu", "procfs")
	idle, iowait := add("cpu_idle", "Idle time", "ns", "cpu", "procfs"), add("cpu_iowait", "I/O wait time", "ns", "cpu", "procfs")
	where := [2]int{r.IntN(m.cpus), 0}
	where[1] = (where[0] + 1 + r.IntN(m.cpus-1)) % m.cpus
	ipc := [2]float64{r.Between(0.9, 2.2), r.Between(0.7, 1.5)}
	mean := make([]float64, m.cpus)
	for c := range mean {
		mean[c] = r.Between(0.003, 0.04)
	}
	busyUser, busySystem := make([]float64, m.cpus), make([]float64, m.cpus)
	begun := 0
	for i, w := range rows {
		for t := range where {
			if r.Chance(w.ns / 0.6e9) {
				to := r.IntN(m.cpus)
				if to != where[1-t] && to != where[t] {
					where[t] = to
					moves.of[to][i]++
				}
			}
		}
		for c := range m.cpus {
			other := min(0.6, mean[c]*r.Spread(0.8)) * w.ns
			u, k, work := other*0.7, other*0.3, other*1.1
			if c == where[0] {
				u += w.app * 0.93
				k += w.app * 0.07
				work += w.app * ipc[0]
			}
			if c == where[1] {
				u += w.driver * 0.6
				k += w.driver * 0.4
				work += w.driver * ipc[1]
			}
			if all := u + k; all > w.ns {
				u, k, work = u*w.ns/all, k*w.ns/all, work*w.ns/all
			}
			ghz := m.cpuGHz * (0.97 + 0.03*r.Float64())
			cycles.of[c][i] = uint64((u + k) * ghz)
			ins := work * ghz
			instructions.of[c][i] = uint64(ins)
			refs := ins * 0.012 * r.Spread(0.1)
			references.of[c][i], misses.of[c][i] = uint64(refs), uint64(refs*0.25)
			branches.of[c][i] = uint64(ins * 0.17)
			wrong.of[c][i] = uint64(ins * 0.17 * 0.012)
			task.of[c][i], clock.of[c][i] = uint64(w.ns), uint64(w.ns)
			s := other / 60e3
			if c == where[0] || c == where[1] {
				s += w.frames * 3
			}
			switches.of[c][i] = uint64(s + r.Float64())
			faults.of[c][i] = uint64(ins/4e6 + r.Float64()*0.4)
			busyUser[c] += u
			busySystem[c] += k
		}
		// /proc is read five times a second, in ticks of 10 ms, and spread over the rows between.
		if axis.End[i]-axis.Start[begun] >= 200e6 || i == n-1 {
			span := float64(axis.End[i] - axis.Start[begun])
			for c := range m.cpus {
				spread := func(into *cpuCounter, left *float64) float64 {
					whole := math.Min(math.Floor(*left/1e7)*1e7, math.Floor(span/1e7)*1e7)
					*left -= whole
					done := 0.0
					for j := begun; j <= i; j++ {
						to := math.Floor(whole * float64(axis.End[j]-axis.Start[begun]) / span)
						into.of[c][j] = uint64(max(0, to-done))
						done = to
					}
					return whole
				}
				u := spread(user, &busyUser[c])
				k := spread(system, &busySystem[c])
				rest := math.Max(0, math.Round((span-u-k)/1e7)*1e7)
				spread(idle, &rest)
			}
			begun = i + 1
		}
	}
	var out []*capture.Counter
	for _, c := range list {
		if slices.Contains(o.Without, c.meta.Name) {
			continue
		}
		whole := &capture.Counter{Meta: c.meta, Axis: axis}
		for k, values := range c.of {
			meta := c.meta
			meta.Instance = fmt.Sprint(k)
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: meta, Axis: axis, Col: capture.NewColumn(capture.Data{U: values})})
		}
		out = append(out, whole)
	}
	_ = iowait
	for _, v := range []struct {
		name, title, unit string
		v                 float64
	}{{"cpus_online", "CPUs online", "CPUs", float64(m.cpus)}, {"cpu_max_freq", "Highest clock", "Hz", m.cpuGHz * 1e9}} {
		if slices.Contains(o.Without, v.name) {
			continue
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = v.v
		}
		out = append(out, &capture.Counter{Meta: capture.Meta{Name: v.name, Title: v.title, Unit: v.unit, Kind: capture.Constant, GPU: "cpu",
			Source: "procfs"}, Axis: axis, Col: capture.NewColumn(capture.Data{F: values})})
	}
	return out
}
