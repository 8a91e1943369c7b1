package cpu

import "math"

// row is what happened in one sample.
type row struct {
	start, end float64
	instr      [mostMixes]float64
	cycles     [numParts]float64
	ran        float64 // ns of all threads
	switches   float64
	window     int
}

// window is the time between two readings of /proc.
type window struct {
	first, rows    int // of the rows
	start, end     float64
	user, system   []float64 // ns by processor
	waits          []float64 // idle with a thread of it that reads
	someIO, fullIO float64
	someCPU        float64
	commands       float64
	switches       float64
	running        int // at its end
	blocked        int
	clock          float64
	temperature    float64
}

// tape keeps what a recorder sees of a run.
type tape struct {
	d       dice
	rec     *recording
	m       *machine
	rows    []row
	windows []window
	at      int // row of the last span
	home    []int
}

// every is how often the groups and /proc are read.
const every = 200e6

func newTape(d dice, rec *recording, m *machine, threads int) *tape {
	t := &tape{d: d, rec: rec, m: m}
	// Siblings are used last.
	order := d.Perm(m.cpu.cores)
	for i := range threads {
		k := order[i%len(order)]
		if m.cpu.smt && i/len(order)%2 == 1 {
			k += m.cpu.cores
		}
		t.home = append(t.home, k)
	}
	t.grow()
	return t
}

// grow appends the rows of another window: its time is divided evenly.
func (t *tape) grow() {
	from := 0.0
	if n := len(t.rows); n > 0 {
		from = t.rows[n-1].end
	}
	long := max(every, t.rec.period) + t.d.ExpFloat64()*0.4e6
	if t.d.chance(t.rec.late) { // the recorder was not run in time
		long += t.d.in(2e6, 40e6)
	}
	n := max(1, math.Round(long/t.rec.period))
	cpus := t.m.cpu.threads()
	t.windows = append(t.windows, window{first: len(t.rows), rows: int(n), start: from, end: from + long,
		user: make([]float64, cpus), system: make([]float64, cpus), waits: make([]float64, cpus)})
	for i := range int(n) {
		t.rows = append(t.rows, row{start: math.Floor(from + long*float64(i)/n),
			end: math.Floor(from + long*float64(i+1)/n), window: len(t.windows) - 1})
	}
	t.rows[len(t.rows)-1].end = from + long
}

// seek is the row of an instant.
func (t *tape) seek(at float64) *row {
	for t.rows[len(t.rows)-1].end <= at {
		t.grow()
	}
	k := min(t.at, len(t.rows)-1)
	for at >= t.rows[k].end {
		k++
	}
	for k > 0 && at < t.rows[k].start {
		k--
	}
	return &t.rows[k]
}

func (t *tape) switches(at, n float64) {
	r := t.seek(at)
	r.switches += n
	t.windows[r.window].switches += n
}

func (t *tape) command(at float64) {
	t.windows[t.seek(at).window].commands++
}

// span notes the time from now to next.
func (t *tape) span(e *engine, next float64, l *load, v *speed) {
	n, blocked := 0, 0
	for i := range e.thr {
		switch e.thr[i].state {
		case running:
			n++
		case reading:
			blocked++
		}
	}
	cut := float64(n) - (float64(t.m.cpu.threads()) - t.m.others)
	for from := e.t; from < next; {
		r := t.seek(from)
		for t.at < len(t.rows)-1 && &t.rows[t.at] != r {
			t.at++
		}
		to := min(next, r.end)
		dt := to - from
		for i, count := range l.counts {
			if count == 0 {
				continue
			}
			ns := dt * float64(count) * v.share
			r.ran += ns
			r.instr[i] += dt * float64(count) * v.rate[i]
			for k, share := range v.parts[i] {
				r.cycles[k] += ns * e.clock * share
			}
		}
		w := &t.windows[r.window]
		if blocked > 0 {
			w.someIO += dt
			if n == 0 {
				w.fullIO += dt
			}
		}
		if cut > 0 {
			w.someCPU += dt
		}
		for i := range e.thr {
			th := &e.thr[i]
			cpu := t.home[i]
			switch th.state {
			case running:
				k := e.p.mixes[th.mix].kernel
				w.user[cpu] += dt * v.share * (1 - k)
				w.system[cpu] += dt * v.share * k
			case reading:
				w.waits[cpu] += dt
			}
		}
		w.running, w.blocked, w.clock, w.temperature = n, blocked, e.clock, e.temperature
		from = to
	}
}
