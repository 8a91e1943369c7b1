package cpu

import "astrolabe/capture/simulate"

type opKind uint8

const (
	opCompute opKind = iota // n instructions of code
	opFault                 // n page faults
	opIO                    // ns of a device
	opSleep                 // ns, of other programs
	opDate                  // waits for the iteration's date
	opLock
	opUnlock
	opSignal // n units to a semaphore
	opWait   // n units of a semaphore
	opEnd    // the iteration is complete
)

type op struct {
	kind opKind
	code int
	n    float64
	id   int // lock or semaphore
}

// thread is one thread's script, by content. Scripts begin anew for each iteration.
type thread struct {
	name    string
	role    int // threads of one role are one queue
	other   bool
	scripts [][]op
}

// program is what runs: threads, and what iterations hold.
type program struct {
	text    string
	codes   []*code
	threads []thread
	roles   []string
	locks   int
	tokens  []int // of semaphores at the start
	loose   int   // the semaphore that makes threads take turns without need; -1 for none
	names   []string
	content []uint8 // by iteration
	rest    int     // content of iterations behind these
	scale   []float64
	dates   []int64 // by iteration; nil where nothing paces
	within  int64   // ns after its date by which an iteration is to be done
	warm    int
	faultNs float64 // of one page fault
	noise   [1024]float64
}

// drawNoise draws the variation of chunks.
func (p *program) drawNoise(r simulate.Random) {
	sigma := r.Between(0.02, 0.12)
	for i := range p.noise {
		p.noise[i] = r.Spread(sigma)
	}
}

// part is one stage of an iteration: some workers compute, each its share, and all wait for the slowest.
type stage struct {
	code    int
	us      float64 // of each worker on the first kind of core at its highest clock, without waits for bandwidth
	workers int
	uneven  float64
	faults  float64 // per worker
	io      float64 // us of a device, per worker, before the work
	ios     int     // so many pieces
	locks   int     // times that a worker takes the lock
	held    float64 // share of its work that it does under the lock
}

// builder puts stages together into scripts.
type builder struct {
	r simulate.Random
	m *machine
	p *program
}

// instructions is how many instructions of code take so long on the machine's first kind of core.
func (b *builder) instructions(code int, us float64) float64 {
	k := &b.m.groups[0].kind
	x := costOf(b.p.codes[code], k, b.m.latency)
	return us * 1000 / ((x.core+x.front+x.branch)/k.max + x.nsLatency)
}

// work are the operations of a worker in a stage.
func (b *builder) work(s *stage, us float64) []op {
	var out []op
	for range s.ios {
		out = append(out, op{kind: opIO, n: s.io * 1000 / float64(s.ios)})
	}
	if s.faults > 0 {
		out = append(out, op{kind: opFault, n: s.faults})
	}
	if s.locks == 0 {
		return append(out, op{kind: opCompute, code: s.code, n: b.instructions(s.code, us)})
	}
	each := us / float64(s.locks)
	for range s.locks {
		out = append(out, op{kind: opCompute, code: s.code, n: b.instructions(s.code, each*(1-s.held))},
			op{kind: opLock}, op{kind: opCompute, code: s.code, n: b.instructions(s.code, each*s.held)},
			op{kind: opUnlock})
	}
	return out
}

// forked makes a content of stages that a main thread and its workers do together. The main thread works too.
func (b *builder) forked(stages []stage, dated bool) {
	p := b.p
	content := len(p.threads[0].scripts)
	most := len(p.threads)
	for t := range p.threads {
		if !p.threads[t].other {
			p.threads[t].scripts = append(p.threads[t].scripts, nil)
		}
	}
	put := func(t int, ops ...op) {
		p.threads[t].scripts[content] = append(p.threads[t].scripts[content], ops...)
	}
	if dated {
		put(0, op{kind: opDate})
	}
	for i := range stages {
		s := &stages[i]
		n := min(s.workers, most)
		for w := 1; w < n; w++ {
			start, done := len(p.tokens), len(p.tokens)+1
			p.tokens = append(p.tokens, 0, 0)
			put(0, op{kind: opSignal, id: start, n: 1})
			put(w, op{kind: opWait, id: start, n: 1})
			put(w, b.work(s, s.us*(1+b.r.Between(-s.uneven, s.uneven)))...)
			put(w, op{kind: opSignal, id: done, n: 1})
		}
		put(0, b.work(s, s.us)...)
		for w := 1; w < n; w++ {
			put(0, op{kind: opWait, id: len(p.tokens) - 2*(n-w) + 1, n: 1})
		}
	}
	put(0, op{kind: opEnd})
}

// turns makes a content of two threads that hand each item on, and take turns although the second could take one while
// the first makes the next.
func (b *builder) turns(first, second []stage, dated bool) {
	p := b.p
	full, free := len(p.tokens), len(p.tokens)+1
	p.tokens = append(p.tokens, 0, 1)
	p.loose = free
	var a, c []op
	if dated {
		a = append(a, op{kind: opDate})
	}
	a = append(a, op{kind: opWait, id: free, n: 1})
	for i := range first {
		a = append(a, b.work(&first[i], first[i].us)...)
	}
	a = append(a, op{kind: opSignal, id: full, n: 1})
	c = append(c, op{kind: opWait, id: full, n: 1})
	for i := range second {
		c = append(c, b.work(&second[i], second[i].us)...)
	}
	c = append(c, op{kind: opSignal, id: free, n: 1}, op{kind: opEnd})
	p.threads[0].scripts = append(p.threads[0].scripts, a)
	p.threads[1].scripts = append(p.threads[1].scripts, c)
}

// hogs adds threads of other programs, which compute and sleep.
func (b *builder) hogs(n int, busy float64) {
	p := b.p
	at := len(p.codes)
	p.codes = append(p.codes, drawCode(b.r, b.m, "other", mixedMix(b.r)))
	for range n {
		var ops []op
		for range 12 {
			us := b.r.Log(3000, 30000)
			ops = append(ops, op{kind: opCompute, code: at, n: b.instructions(at, us)})
			if busy < 1 {
				ops = append(ops, op{kind: opSleep, n: us * 1000 * (1 - busy) / busy * b.r.Spread(0.3)})
			}
		}
		p.threads = append(p.threads, thread{name: "other", role: -1, other: true, scripts: [][]op{ops}})
	}
}
