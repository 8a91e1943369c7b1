package amd

import (
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// userHz is the ns of a unit of /proc/stat.
const userHz = 10_000_000

// processor adds what the kernel tells of the processor: the times of each CPU in units of 10 ms, switches, frequency.
func (l *load) processor(t *table, x *rows, rec *recorder, r simulate.Random) {
	h := &l.host
	n := len(x.start)
	type cpu struct{ user, system, idle, irq []float64 }
	list := make([]cpu, h.cpus)
	for i := range list {
		list[i] = cpu{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	}
	switches, interrupts := make([]uint64, n), make([]uint64, n)
	running := make([]float64, n)
	place := r.Perm(h.cpus) // of the application's thread, the one that records, and the workers
	noise := make([]float64, h.cpus)
	for i := range noise {
		noise[i] = h.background * r.Spread(0.8)
	}
	for i := range n {
		from, to := x.start[i], x.end[i]
		length := float64(to - from)
		if r.Chance(length / 400e6) { // the scheduler moves a thread
			a, b := r.IntN(h.cpus), r.IntN(min(2, h.cpus))
			place[a], place[b] = place[b], place[a]
		}
		app, other := float64(within(rec.app[0], from, to)), float64(within(rec.app[1], from, to))
		kernel := float64(within(rec.kernel, from, to)) * h.kernel
		spin := 0.0
		if h.spins {
			spin = min(max(0, length-app), float64(within(rec.spins, from, to)))
		}
		var ran, sys [64]float64
		ran[place[0]] += app + spin
		if l.threads > 1 {
			p := place[1%h.cpus]
			ran[p] += other
			sys[p] += min(other, kernel)
		} else {
			sys[place[0]] += min(app, kernel)
		}
		for w := range h.workers {
			ran[place[(2+w)%h.cpus]] += app * h.helped * r.Spread(0.2)
		}
		busy := 0.0
		for k := range list {
			all := min(length, ran[k]+length*min(0.9, noise[k]*r.Spread(0.6)))
			s := min(all, sys[k]+0.15*(all-min(all, ran[k])))
			irq := min(length-all, length*0.002)
			list[k].user[i], list[k].system[i], list[k].irq[i] = all-s, s, irq
			list[k].idle[i] = length - all - irq
			busy += all
		}
		frames := 0.0
		for _, s := range rec.app[0] {
			if s.from >= from && s.from < to {
				frames++
			}
		}
		switches[i] = uint64(frames*float64(8+4*h.workers)*r.Spread(0.1) + length/1e6*(0.4+h.background*float64(h.cpus)))
		interrupts[i] = uint64(frames*6 + length/1e6*0.5*float64(h.cpus)*(0.2+busy/length/float64(h.cpus)))
		running[i] = float64(1 + int(busy/length+0.3*r.Float64()))
	}
	meta := func(name, unit, block, instance string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Block: block, Instance: instance, GPU: "cpu", Source: "procfs"}
	}
	add := func(name string, of func(c *cpu) []float64) {
		for k := range list {
			values := make([]uint64, n)
			sum, before := r.Float64()*userHz, uint64(0)
			for i, v := range of(&list[k]) {
				sum += v
				units := uint64(sum / userHz)
				values[i] = (units - before) * userHz
				before = units
			}
			t.whole(meta(name, "ns", "cpu", strconv.Itoa(k)), values)
		}
	}
	zero := make([]float64, n)
	add("cpu_user", func(c *cpu) []float64 { return c.user })
	add("cpu_system", func(c *cpu) []float64 { return c.system })
	add("cpu_idle", func(c *cpu) []float64 { return c.idle })
	add("cpu_iowait", func(*cpu) []float64 { return zero })
	add("cpu_irq", func(c *cpu) []float64 { return c.irq })
	t.whole(meta("intr", "interrupts", "scheduler", ""), interrupts)
	t.whole(meta("ctxt", "switches", "scheduler", ""), switches)
	t.level(meta("procs_running", "tasks", "scheduler", ""), running)
	for k := range list {
		hz := make([]float64, n)
		for i := range hz {
			share := (list[k].user[i] + list[k].system[i]) / float64(x.end[i]-x.start[i])
			hz[i] = 1000 * float64(int(h.hz*h.held*(0.55+0.45*min(1, share*2))/1000))
		}
		m := meta("cpu_frequency", "Hz", "cpu", strconv.Itoa(k))
		m.Combine = capture.CombineMean
		t.level(m, hz)
	}
}
