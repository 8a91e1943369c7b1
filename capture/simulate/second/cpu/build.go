package cpu

// builder puts a program together.
type builder struct {
	d dice
	m *machine
	p program
	s *solver
	// clock at which work is sized, as a share of the highest.
	clock float64
	steps int // of all parts
	calls int // mix of the kernel that reads and writes, -1 for none yet
}

func newBuilder(d dice, m *machine) *builder { return &builder{d: d, m: m, clock: 1, calls: -1} }

// add enters a mix.
func (b *builder) add(x mix) uint8 {
	b.p.mixes = append(b.p.mixes, x)
	b.s = nil
	return uint8(len(b.p.mixes) - 1)
}

// rate is the instructions per ns of one of n threads.
func (b *builder) rate(x uint8, n int) float64 {
	if b.s == nil {
		r := noRelief()
		b.s = newSolver(b.m, b.p.mixes, &r)
	}
	var l load
	l.counts[x] = uint8(n)
	l.clock = uint16(b.m.cpu.turbo(float64(n)) * b.clock / clockStep)
	return b.s.at(l).rate[x]
}

// shape is what each thread does in a stage of every frame.
type shape struct {
	threads []int // which of them
	turn    bool
	uneven  float64 // spread of their work
	pieces  []piece
	repeat  int // how often the pieces follow each other
}

// piece is work of a shape. ns are those of a thread with all threads of the stage beside it.
type piece struct {
	mix    uint8
	ns     float64
	locked bool
	lock   int
	bytes  float64 // of storage; then there is no work
}

// workers are threads from on.
func workers(from, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// frame appends a frame of shapes, its work larger by a factor.
func (b *builder) frame(shapes []shape, factor float64) {
	f := len(b.p.frames)
	var stages []stage
	for k, sh := range shapes {
		stages = append(stages, stage{threads: len(sh.threads), turn: sh.turn})
		for order, i := range sh.threads {
			for len(b.p.threads) <= i {
				b.p.threads = append(b.p.threads, nil)
			}
			own := factor * b.d.in(1-sh.uneven, 1+sh.uneven)
			b.p.threads[i] = append(b.p.threads[i], part{frame: f, stage: k, order: order,
				steps: b.cut(&sh, own)})
		}
	}
	b.p.frames = append(b.p.frames, stages)
}

// spread draws how much longer than usual a piece is; few are much longer.
func (b *builder) spread() float64 {
	v := b.d.ExpFloat64()
	return 0.6 + 0.4*min(v, 5)
}

// cut makes the steps of a thread's part.
func (b *builder) cut(sh *shape, own float64) []step {
	var out []step
	beside := len(sh.threads)
	if sh.turn {
		beside = 1
	}
	for range max(1, sh.repeat) {
		for _, pc := range sh.pieces {
			if pc.bytes > 0 {
				out = append(out, step{what: fetch, amount: pc.bytes, spread: b.spread()})
				if b.calls < 0 {
					b.calls = int(b.add(calling(b.d, b.m.cpu)))
				}
				// The kernel's layers take microseconds, and the data is copied.
				out = append(out, step{what: compute, mix: uint8(b.calls),
					amount: (5e3 + pc.bytes/9) * b.rate(uint8(b.calls), 1)})
				continue
			}
			n := pc.ns * own * b.rate(pc.mix, beside)
			if sh.repeat > 1 {
				n *= b.spread()
			}
			if !pc.locked {
				out = append(out, step{what: compute, mix: pc.mix, amount: n})
				continue
			}
			k := int8(pc.lock)
			b.p.locks = max(b.p.locks, pc.lock+1)
			out = append(out, step{what: take, lock: k}, step{what: compute, mix: pc.mix, amount: n * 2 / 3},
				step{what: early, lock: k}, step{what: compute, mix: pc.mix, amount: n / 3}, step{what: give, lock: k})
		}
	}
	b.steps += len(out)
	return out
}
