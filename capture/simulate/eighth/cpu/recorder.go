package cpu

import (
	"slices"

	"astrolabe/capture/simulate"
)

// recorder adds up what is counted while a scene is simulated, sample by sample.
type recorder struct {
	bounds               *simulate.Bounds
	whole                bool // perf counts all of every CPU, not the program
	at                   int  // the sample of now
	rows                 [][]row
	machine              []machineRow
	interrupts, switches float64 // in this sample
}

// machineRow is what a sample has of the machine as a whole.
type machineRow struct {
	cpuSome, ioSome, ioFull, interrupts, switches float64
	running, blocked, celsius, watts              float64 // at its end
	clocks                                        []float64
}

func (r *recorder) sample(e *engine) ([]row, *machineRow) {
	for len(r.rows) <= r.at {
		r.rows, r.machine = append(r.rows, make([]row, len(e.cpus))), append(r.machine, machineRow{})
	}
	return r.rows[r.at], &r.machine[r.at]
}

// load is what a CPU counts per ns: until a time, and from then on.
type load struct {
	before, then row
	until        float64
}

func (r *recorder) load(e *engine, i int) (l load) {
	c, t := &e.cpus[i], e.cpus[i].thread
	switch {
	case t == nil && c.pending > 0:
		l.then[qWaitIO] = 1
	case t == nil:
		l.then[qIdle] = 1
	case c.stolen:
		l.then[qSteal], l.then[qTask] = 1, 1
	default:
		wide := t.class.width
		if b := e.s.m.cpus[i].sibling; b >= 0 && e.cpus[b].thread != nil {
			wide *= 0.65 // the core's other thread takes the rest
		}
		l.then = counts(e.s.m, e.s.codes[t.code], t, wide)
		if t.other != nil && t.other.nice {
			l.then[qNice], l.then[qUser] = l.then[qUser], 0
		}
		if t.before > 0 {
			l.before, l.until = switching(e.s.m, t, wide), e.now+t.before/(kernelRate*t.ghz)
		}
	}
	if r.whole {
		l.then[qTask], l.before[qTask] = 1, 1
	} else if t == nil || t.other != nil {
		clear(l.then[:perf])
		clear(l.before[:perf])
	}
	return l
}

// pass counts a time in which rates are constant, cut at the ends of samples.
func (r *recorder) pass(e *engine, from, to float64) {
	loads := make([]load, len(e.cpus))
	waits, running := 0.0, 0.0
	for i := range e.cpus {
		if loads[i] = r.load(e, i); e.cpus[i].thread != nil {
			running++
		}
	}
	for _, t := range e.threads {
		if t.does == waitsStorage {
			waits++
		}
	}
	for from < to {
		edge := float64(r.bounds.At(r.at + 1))
		end := min(to, edge)
		rows, m := r.sample(e)
		for i := range rows {
			l := &loads[i]
			split := min(max(from, l.until), end)
			for k := range rows[i] {
				rows[i][k] += l.before[k]*(split-from) + l.then[k]*(end-split)
			}
		}
		if len(e.ready) > 0 {
			m.cpuSome += end - from
		}
		if waits > 0 {
			if m.ioSome += end - from; running == 0 {
				m.ioFull += end - from
			}
		}
		m.interrupts += running * (end - from) * 250 / 1e9 // ticks of CPUs that work
		if from = end; from >= edge {
			m.running, m.blocked, m.celsius, m.watts = running+float64(len(e.ready)), waits, e.clock.celsius, e.clock.watts
			for i := range e.cpus {
				m.clocks = append(m.clocks, e.ghz(i)*1e9)
			}
			m.interrupts, m.switches = m.interrupts+r.interrupts, m.switches+r.switches
			r.interrupts, r.switches = 0, 0
			r.at++
		}
	}
}

// switched counts that a thread gets a CPU: one switch from another thread, or two with the idle one between.
func (r *recorder) switched(e *engine, c int, t *thread) {
	rows, _ := r.sample(e)
	n := 1.0
	if e.cpus[c].emptied < e.now {
		n = 2
		r.interrupts++ // who wakes a CPU interrupts it
	}
	r.switches += n
	if r.whole {
		rows[c][qSwitches] += n
	} else if t.other == nil {
		rows[c][qSwitches]++
	}
	if t.last != c && (r.whole || t.other == nil) {
		rows[c][qMoves]++
	}
}

// times are those of /proc/stat as a reader has them: in units of 10 ms, read at the last of each group of samples and
// spread evenly over it.
func (r *recorder) times(rows []int, group, cpu, quantity int) (out []float64) {
	sum, seen := 0.0, 0.0
	for some := range slices.Chunk(rows, group) {
		for _, k := range some {
			sum += r.rows[k][cpu][quantity]
		}
		whole := 1e7 * float64(int64(sum/1e7+1e-6))
		for range some {
			out = append(out, (whole-seen)/float64(len(some)))
		}
		seen = whole
	}
	return out
}
