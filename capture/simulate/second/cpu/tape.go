package cpu

import "math"

// counts are what is counted of threads.
type counts struct {
	instr    [mostMixes]float64
	cycles   [numParts]float64
	ran      float64 // ns of all threads
	switches float64
	moves    float64
	commands float64
}

// add adds a share of others.
func (c *counts) add(o *counts, share float64) {
	for i, v := range o.instr {
		c.instr[i] += v * share
	}
	for i, v := range o.cycles {
		c.cycles[i] += v * share
	}
	c.ran += o.ran * share
	c.switches += o.switches * share
	c.moves += o.moves * share
	c.commands += o.commands * share
}

// row is what the recorder has for one sample.
type row struct {
	start, end float64
	counts
	window int
}

// pending is what a thread has counted since its last sample.
type pending struct {
	counts
	since float64
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
	now     float64
	threads []pending
	turns   int // that threads have had where there are more than processors
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
	t.threads = make([]pending, len(p.threads))
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

// sample spreads what a thread has counted over the time since its last sample. Its timer runs only while it does.
func (t *tape) sample(thread int, now float64) {
	p := &t.threads[thread]
	w := &t.windows[t.rows[t.at].window]
	if length := now - p.since; length > 0 {
		k := t.at
		for k > w.first && t.rows[k].start > p.since {
			k--
		}
		for ; k <= t.at; k++ {
			r := &t.rows[k]
			if part := min(now, r.end) - max(p.since, r.start); part > 0 {
				r.add(&p.counts, part/length)
			}
		}
	} else {
		t.rows[t.at].add(&p.counts, 1)
	}
	*p = pending{since: now}
}

// switches is a thread that leaves its processor and comes back, now.
func (t *tape) switches(thread int) {
	p := &t.threads[thread]
	w := &t.windows[t.seek(t.now).window]
	p.switches++
	w.switches++
	keep := 1.0
	if t.rec.userOnly {
		keep = 0.05
	}
	// The kernel's work for it is a part of the time that a wake-up takes.
	cycles := t.m.switching * t.clock * keep
	p.ran += t.m.switching
	w.system[t.order[t.home[thread]]] += t.m.switching
	p.instr[t.p.switching] += cycles * 0.6
	for k, share := range [numParts]float64{0.32, 0.13, 0.38, 0.17, 0} {
		p.cycles[k] += cycles * share
	}
	if t.d.chance(t.m.roaming) { // it finds another idle processor
		with := t.d.IntN(len(t.order))
		for i := range t.home {
			if t.home[i] == with {
				t.home[i] = t.home[thread]
			}
		}
		t.home[thread] = with
		p.moves++
	}
}

// command is one that a thread gives to storage, now.
func (t *tape) command(thread int) {
	t.threads[thread].commands++
	t.windows[t.seek(t.now).window].commands++
}

// span notes the time from now to next.
func (t *tape) span(e *engine, next float64, v *speed) {
	n, blocked := 0, 0
	for i := range e.thr {
		switch e.thr[i].state {
		case running, spinning:
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
			case running, spinning:
				mix := th.mix
				if th.state == spinning {
					mix = e.p.spin.mix
				}
				if cut > 0 { // threads are moved about, so that all have their turn
					t.turns++
					cpu = t.order[(i+t.turns)%len(t.order)]
				}
				k := e.p.mixes[mix].kernel
				w.user[cpu] += dt * v.share * (1 - k)
				w.system[cpu] += dt * v.share * k
				keep := 1.0
				if t.rec.userOnly {
					keep -= k
				}
				p := &t.threads[i]
				p.ran += dt * v.share
				p.instr[mix] += dt * v.rate[mix] * keep
				for part, share := range v.parts[mix] {
					p.cycles[part] += dt * v.share * e.clock * share * keep
				}
				if p.ran >= t.rec.period {
					t.sample(i, to)
				}
			case reading:
				w.waits[cpu] += dt
			}
		}
		w.running, w.blocked, w.clock, w.temperature = n, blocked, e.clock, e.temperature
		if to >= w.end { // the groups are read
			for i := range t.threads {
				t.sample(i, to)
			}
		}
		from = to
	}
	t.now = next
}

// finish cuts the tape where the program has ended: the last reading comes then.
func (t *tape) finish(end float64) {
	end = math.Floor(end)
	t.seek(end - 1)
	for i := range t.threads {
		t.sample(i, end)
	}
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
