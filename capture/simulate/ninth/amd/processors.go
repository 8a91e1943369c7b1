package amd

import (
	"strconv"

	"astrolabe/capture"
)

// processors adds what Linux tells of the processors: times in steps of 10 ms, and switches of tasks. Threads stay on a
// processor for a while and then move to another.
func (t *table) processors() {
	const jiffy = 10e6
	cpus, n := t.m.cpus, len(t.at)
	user, system := make([][]float64, cpus), make([][]float64, cpus)
	for c := range cpus {
		user[c], system[c] = make([]float64, n), make([]float64, n)
	}
	switches, running := make([]uint64, n), make([]float64, n)
	where := [2]int{t.r.IntN(cpus), 0}
	where[1] = (where[0] + 1 + t.r.IntN(cpus-1)) % cpus
	stay := t.r.Log(20e6, 2e9)
	other := t.r.Log(0.003, 0.06)
	rate := t.r.Log(800, 8000)
	next := 0
	for i, x := range t.at {
		ns := float64(x[1] - x[0])
		for k := range where {
			if t.r.Chance(min(0.5, ns/stay)) {
				if to := t.r.IntN(cpus); to != where[1-k] {
					where[k] = to
				}
			}
		}
		for next < len(t.host.work) && t.host.work[next].to < x[0]-2e9 {
			next++
		}
		events := rate * ns / 1e9 * t.r.Spread(0.3)
		for _, w := range t.host.work[next:] {
			if w.from >= x[1]+2e9 {
				break
			}
			from, to := max(w.from, x[0]), min(w.to, x[1])
			if to <= from {
				continue
			}
			cpu, ran := where[w.thread], float64(to-from)
			inside := 0.04
			if w.thread == 1 {
				inside = t.h.kernel
			}
			user[cpu][i] += ran * (1 - inside)
			system[cpu][i] += ran * inside
			if w.from >= x[0] {
				events += 2
			}
			if w.to >= x[1] {
				running[i]++
			}
		}
		switches[i] = uint64(events)
		running[i]++
		for c := range cpus {
			room := ns - user[c][i] - system[c][i]
			add := min(room, ns*other*t.r.ExpFloat64())
			user[c][i] += 0.7 * add
			system[c][i] += 0.3 * add
		}
	}
	put := func(name string, of func(c, i int) float64) {
		for c := range cpus {
			values, carry := make([]uint64, n), t.r.Float64()*jiffy
			for i := range values {
				carry += of(c, i)
				whole := uint64(carry / jiffy)
				values[i] = whole * uint64(jiffy)
				carry -= float64(values[i])
			}
			t.add(capture.Meta{Name: name, Instance: strconv.Itoa(c), Unit: "ns", Block: "cpu", GPU: "cpu", Source: "procfs"},
				capture.Data{U: values})
		}
	}
	put("cpu_user", func(c, i int) float64 { return user[c][i] })
	put("cpu_system", func(c, i int) float64 { return system[c][i] })
	put("cpu_idle", func(c, i int) float64 { return max(0, float64(t.at[i][1]-t.at[i][0])-user[c][i]-system[c][i]) })
	t.add(capture.Meta{Name: "ctxt", Unit: "switches", Block: "scheduler", GPU: "cpu", Source: "procfs"},
		capture.Data{U: switches})
	t.add(capture.Meta{Name: "procs_running", Unit: "tasks", Block: "scheduler", GPU: "cpu", Source: "procfs",
		Kind: capture.Gauge}, capture.Data{F: running})
}
