package amd

import (
	"strconv"

	"astrolabe/capture"
)

// processors adds what Linux tells of the processors: times in steps of 10 ms, and switches of tasks. Threads stay on a
// processor for a while and then move to another.
func (t *table) processors() {
	const jiffy, user, system, idle = 10e6, 0, 1, 2
	cpus := t.m.cpus
	var spent [3][][]float64 // by sample and processor
	where := [2]int{t.r.IntN(cpus), 0}
	where[1] = (where[0] + 1 + t.r.IntN(cpus-1)) % cpus
	stay, other, rate := t.r.Log(20e6, 2e9), t.r.Log(0.003, 0.06), t.r.Log(800, 8000)
	switches := make([]uint64, len(t.at))
	work := t.work
	for i, x := range t.at {
		ns := float64(x[1] - x[0])
		for k := range spent {
			spent[k] = append(spent[k], make([]float64, cpus))
		}
		for k := range where {
			if to := t.r.IntN(cpus); t.r.Chance(min(0.5, ns/stay)) && to != where[1-k] {
				where[k] = to
			}
		}
		for len(work) > 0 && work[0].to < x[0]-2e9 {
			work = work[1:]
		}
		events := rate * ns / 1e9 * t.r.Spread(0.3)
		for _, w := range work {
			if w.from >= x[1]+2e9 {
				break
			}
			if ran := float64(min(w.to, x[1]) - max(w.from, x[0])); ran > 0 {
				inside := 0.04
				if w.thread == 1 {
					inside = t.h.kernel
				}
				spent[user][i][where[w.thread]] += ran * (1 - inside)
				spent[system][i][where[w.thread]] += ran * inside
				if w.from >= x[0] {
					events += 2
				}
			}
		}
		switches[i] = uint64(events)
		for c := range cpus {
			add := max(0, min(ns-spent[user][i][c]-spent[system][i][c], ns*other*t.r.ExpFloat64()))
			spent[user][i][c] += 0.7 * add
			spent[system][i][c] += 0.3 * add
			spent[idle][i][c] = max(0, ns-spent[user][i][c]-spent[system][i][c])
		}
	}
	for k, name := range []string{"cpu_user", "cpu_system", "cpu_idle"} {
		for c := range cpus {
			values, carry := make([]uint64, len(t.at)), t.r.Float64()*jiffy
			for i := range values {
				carry += spent[k][i][c]
				values[i] = uint64(carry/jiffy) * uint64(jiffy)
				carry -= float64(values[i])
			}
			t.add(capture.Meta{Name: name, Instance: strconv.Itoa(c), Unit: "ns", Block: "cpu", GPU: "cpu", Source: "procfs"},
				capture.Data{U: values})
		}
	}
	t.add(capture.Meta{Name: "ctxt", Unit: "switches", Block: "scheduler", GPU: "cpu", Source: "procfs"}, capture.Data{U: switches})
}
