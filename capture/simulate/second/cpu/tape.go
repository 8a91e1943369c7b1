package cpu

import "math"

// row is what happened in one sample.
type row struct {
	start, end float64
	instr      [mostMixes]float64
	cycles     [numParts]float64
	ran        float64 // ns of all threads
	switches   float64
	moves      float64
	commands   float64
	window     int
}

// window is the time between two readings of /proc.
type window struct {
	first, rows    int // of the rows
	start, end     float64
	user, system   []float64 // ns by processor
	waits          []float64 // a thread of it reads
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
	p       *program
	rows    []row
	windows []window
	at      int   // row that was used last
	order   []int // processors in the order in which threads come to them
	home    []int // of each thread, its place in order
	clock   float64
}

// every is how often the groups and /proc are read.
const every = 200e6

func newTape(d dice, rec *recording, m *machine, p *program) *tape {
	t := &tape{d: d, rec: rec, m: m, p: p, clock: m.cpu.most}
	// Siblings are used last. Linux numbers them behind all cores.
	for part := range m.cpu.threads() / m.cpu.cores {
		for _, k := range d.Perm(m.cpu.cores) {
			t.order = append(t.order, k+part*m.cpu.cores)
		}
	}
	for i := range p.threads {
		t.home = append(t.home, i%len(t.order))
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
	long = math.Floor(long)
	n := max(1, math.Round(long/t.rec.period))
	cpus := t.m.cpu.threads()
	t.windows = append(t.windows, window{first: len(t.rows), rows: int(n), start: from, end: from + long,
		user: make([]float64, cpus), system: make([]float64, cpus), waits: make([]float64, cpus)})
	for i := range int(n) {
		t.rows = append(t.rows, row{start: math.Floor(from + long*float64(i)/n),
			end: math.Floor(from + long*float64(i+1)/n), window: len(t.windows) - 1})
	}
}

// seek is the row of an instant.
func (t *tape) seek(at float64) *row {
	for t.rows[len(t.rows)-1].end <= at {
		t.grow()
	}
	for at >= t.rows[t.at].end {
		t.at++
	}
	for at < t.rows[t.at].start {
		t.at--
	}
	return &t.rows[t.at]
}

// switches is a thread that leaves its processor and comes back.
func (t *tape) switches(thread int, at float64) {
	r := t.seek(at)
	w := &t.windows[r.window]
	r.switches++
	w.switches++
	keep := 1.0
	if t.rec.userOnly {
		keep = 0.05
	}
	// The kernel's work for it is a part of the time that a wake-up takes.
	cycles := t.m.switching * t.clock * keep
	r.ran += t.m.switching
	w.system[t.order[t.home[thread]]] += t.m.switching
	r.instr[t.p.switching] += cycles * 0.6
	for k, share := range [numParts]float64{0.32, 0.13, 0.38, 0.17, 0} {
		r.cycles[k] += cycles * share
	}
	if t.d.chance(t.m.roaming) { // it finds another idle processor
		with := t.d.IntN(len(t.order))
		for i := range t.home {
			if t.home[i] == with {
				t.home[i] = t.home[thread]
			}
		}
		t.home[thread] = with
		r.moves++
	}
}

// command is one that storage gets.
func (t *tape) command(at float64) {
	r := t.seek(at)
	r.commands++
	t.windows[r.window].commands++
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
	t.clock = e.clock
	cut := float64(n) - (float64(t.m.cpu.threads()) - t.m.others)
	for from := e.t; from < next; {
		r := t.seek(from)
		to := min(next, r.end)
		dt := to - from
		for i, count := range l.counts {
			if count == 0 {
				continue
			}
			ns := dt * float64(count) * v.share
			r.ran += ns
			keep := 1.0
			if t.rec.userOnly {
				keep -= e.p.mixes[i].kernel
			}
			r.instr[i] += dt * float64(count) * v.rate[i] * keep
			for k, share := range v.parts[i] {
				r.cycles[k] += ns * e.clock * share * keep
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
			cpu := t.order[t.home[i]]
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

// finish cuts the tape where the program has ended: the last reading comes then.
func (t *tape) finish(end float64) {
	end = math.Floor(end)
	t.seek(end - 1)
	for t.at > 0 && t.rows[t.at].start >= end {
		t.at--
	}
	t.rows = t.rows[:t.at+1]
	last := &t.rows[t.at]
	last.end = end
	t.windows = t.windows[:last.window+1]
	w := &t.windows[last.window]
	w.rows, w.end = len(t.rows)-w.first, end
}
