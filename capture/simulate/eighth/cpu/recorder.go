package cpu

import (
	"slices"

	"astrolabe/capture/simulate"
)

// recorder adds up what is counted while a scene is simulated, sample by sample.
type recorder struct {
	bounds     *simulate.Bounds
	whole      bool // perf counts all of every CPU, not the program
	at         int  // the sample of now
	rows       [][]row
	machine    []machineRow
	interrupts float64
	switches   float64
}

// machineRow is what a sample has of the machine as a whole.
type machineRow struct {
	cpuSome, ioSome, ioFull float64 // ns
	interrupts, switches    float64
	running, blocked        int // at its end
	clocks                  []float64
	celsius, watts          float64
}

func (r *recorder) sample(e *engine) ([]row, *machineRow) {
	for len(r.rows) <= r.at {
		r.rows = append(r.rows, make([]row, len(e.cpus)))
		r.machine = append(r.machine, machineRow{})
	}
	return r.rows[r.at], &r.machine[r.at]
}

// pass counts a time in which rates are constant, cut at the ends of samples.
func (r *recorder) pass(e *engine, from, to float64) {
	type load struct{ before, then row }
	loads := make([]load, len(e.cpus))
	until := make([]float64, len(e.cpus)) // when the kernel's part of each thread ends
	for i := range e.cpus {
		c := &e.cpus[i]
		t := c.thread
		l := &loads[i]
		switch {
		case t == nil && c.pending > 0:
			l.then[qWaitIO] = 1
		case t == nil:
			l.then[qIdle] = 1
		case c.stolen:
			l.then[qSteal], l.then[qTask] = 1, 1
		default:
			b := e.s.m.cpus[i].sibling
			shared := b >= 0 && e.cpus[b].thread != nil
			l.then = counts(e.s.m, e.s.profiles[t.instant.profile], &t.instant, shared)
			if t.other != nil && t.other.nice {
				l.then[qNice], l.then[qUser] = l.then[qUser], 0
			}
			if t.before > 0 {
				l.before = switching(e.s.m, &t.instant, shared)
				until[i] = from + t.before/e.speedBefore(t)
			}
		}
		if !r.whole && (t == nil || !t.app()) {
			clear(l.then[:perf])
			clear(l.before[:perf])
		} else if r.whole {
			l.then[qTask], l.before[qTask] = 1, 1
		}
	}
	waits, runs := 0, 0
	for _, t := range e.threads {
		if t.does == waitsStorage {
			waits++
		}
	}
	for i := range e.cpus {
		if e.cpus[i].thread != nil {
			runs++
		}
	}
	for from < to {
		end := min(to, float64(r.bounds.At(r.at+1)))
		rows, m := r.sample(e)
		for i := range rows {
			split := min(max(from, until[i]), end)
			for k := range rows[i] {
				rows[i][k] += loads[i].before[k]*(split-from) + loads[i].then[k]*(end-split)
			}
		}
		dt := end - from
		if len(e.ready) > 0 {
			m.cpuSome += dt
		}
		if waits > 0 {
			if m.ioSome += dt; runs == 0 {
				m.ioFull += dt
			}
		}
		m.interrupts += float64(runs) * dt * 250 / 1e9 // ticks of CPUs that work
		if from = end; from >= float64(r.bounds.At(r.at+1)) {
			m.running, m.blocked = runs+len(e.ready), waits
			m.celsius, m.watts = e.clock.celsius, e.clock.watts
			m.clocks = make([]float64, len(e.cpus))
			for i := range m.clocks {
				m.clocks[i] = e.clock.ghz(e, i) * 1e9
			}
			m.interrupts += r.interrupts
			m.switches += r.switches
			r.interrupts, r.switches = 0, 0
			r.at++
		}
	}
}

// switched counts that a thread gets a CPU: one switch from another thread, or two with the idle one between.
func (r *recorder) switched(e *engine, c int, t *thread, moved bool) {
	rows, _ := r.sample(e)
	n := 2.0
	if e.cpus[c].emptied == e.now {
		n = 1
	}
	r.switches += n
	switch {
	case r.whole:
		rows[c][qSwitches] += n
	case t.app():
		rows[c][qSwitches]++
	}
	if moved && (r.whole || t.app()) {
		rows[c][qMoves]++
	}
	if n == 2 {
		r.interrupts++ // who wakes a CPU interrupts it
	}
}

// sums are the times of /proc/stat as a reader has them: in units of 10 ms, read at the last of each group of samples
// and spread evenly over it.
func (r *recorder) sums(rows []int, ends []int, cpu, quantity int) []float64 {
	const unit = 1e7
	out := make([]float64, len(rows))
	sum, seen, from := 0.0, 0.0, 0
	for i, k := range rows {
		sum += r.rows[k][cpu][quantity]
		if slices.Contains(ends, i) || i == len(rows)-1 {
			whole := float64(int64(sum/unit+1e-6)) * unit
			for j := from; j <= i; j++ {
				out[j] = (whole - seen) / float64(i+1-from)
			}
			seen, from = whole, i+1
		}
	}
	return out
}
