package cpu

import "math"

// kinds of code, each drawn anew around what programs of that kind have been measured to do.

func (k *maker) vary(v float64) float64 { return v * k.between(0.75, 1.25) }

// base is ordinary code that hits its caches.
func (k *maker) base() code {
	return code{core: k.between(0.3, 0.42), branch: k.between(0.1, 0.2), wrong: 0.0005, fetch: 0.01, loads: k.between(0.2, 0.35),
		l1: 0.004, l2: 0.0008, miss: 0.00005, write: 0.00002, flight: 4, tlb: 0.0001, itlb: 0.00002, warm: 1,
		kernel: k.between(0.005, 0.04), ahead: 0.3, fault: k.between(0, 0.3)}
}

// chain is arithmetic whose results depend on each other: hashes, divisions, big numbers.
func (k *maker) chain() int {
	c := k.base()
	c.core, c.branch, c.warm = k.between(0.6, 1.3), k.between(0.03, 0.1), k.between(0.7, 1)
	c.wrong, c.fetch = 0.0002, 0.004
	return k.code(c)
}

// wide is arithmetic that keeps the ports busy: matrices, transforms of video, cryptography.
func (k *maker) wide(warm float64) int {
	c := k.base()
	c.core, c.branch, c.warm = k.between(0.3, 0.45), k.between(0.02, 0.08), warm
	c.wrong, c.fetch, c.l1, c.l2, c.loads = 0.0002, 0.006, 0.012, 0.002, k.between(0.3, 0.45)
	c.ahead, c.flight = 0.8, 12
	return k.code(c)
}

// guesses is code whose branches depend on data: sorting, parsing, decoding of entropy, filters.
func (k *maker) guesses(rate float64) int {
	c := k.base()
	c.core, c.branch, c.wrong = k.between(0.27, 0.36), k.between(0.16, 0.24), rate*k.between(0.8, 1.2)
	c.warm = 0.9
	return k.code(c)
}

// broad is code that is larger than its caches: compilers, servers, interpreters, browsers.
func (k *maker) broad(fetch float64) int {
	c := k.base()
	c.core, c.branch, c.wrong, c.fetch = k.between(0.3, 0.42), k.between(0.18, 0.24), k.between(0.002, 0.006), fetch*k.between(0.8, 1.2)
	c.itlb, c.l1, c.l2, c.miss = fetch*0.004, 0.014, 0.012, 0.0003
	c.kernel, c.warm, c.flight, c.tlb = k.between(0.03, 0.3), 0.8, 3, 0.001
	return k.code(c)
}

// chase follows pointers: trees, graphs, lists, hash chains. Few requests are under way, since each tells the next.
func (k *maker) chase(miss, flight float64) int {
	c := k.base()
	c.miss, c.flight = k.vary(miss), flight
	c.l1, c.l2, c.tlb = c.miss*2.2, c.miss*1.5, c.miss*k.between(0.3, 0.9)
	c.write, c.ahead, c.warm, c.wrong = c.miss*k.between(0.02, 0.25), 0.05, 0.6, k.between(0.0004, 0.003)
	return k.code(c)
}

// stream walks through memory in order, so that prefetchers keep many requests under way.
func (k *maker) stream(miss, write float64) int {
	c := k.base()
	c.miss, c.write, c.flight = k.vary(miss), k.vary(write), k.between(22, 40)
	c.l1, c.l2, c.ahead, c.warm, c.tlb = c.miss*1.1, c.miss*1.03, k.between(0.75, 0.95), 0.75, c.miss/60
	c.wrong, c.fetch = 0.0002, 0.004
	return k.code(c)
}

// mixed is code with some of everything: compression, codecs, simulations.
func (k *maker) mixed() int {
	c := k.base()
	c.core, c.wrong, c.fetch = k.between(0.3, 0.6), k.between(0.001, 0.009), k.between(0.01, 0.12)
	c.miss, c.flight = k.between(0.0003, 0.004), k.between(1.5, 8)
	c.l1, c.l2, c.write, c.tlb = 0.02, c.miss*2.5+0.004, c.miss*0.4, 0.0008
	return k.code(c)
}

// any is one of them.
func (k *maker) any() int { return k.of(k.r.IntN(8)) }

// of is one of a kind.
func (k *maker) of(kind int) int {
	switch kind {
	case 0:
		return k.chain()
	case 1:
		return k.wide(k.between(1, 1.5))
	case 2:
		return k.guesses(k.between(0.01, 0.035))
	case 3:
		return k.broad(k.between(0.2, 1))
	case 4:
		return k.chase(k.between(0.006, 0.03), k.between(1, 3))
	case 5:
		return k.stream(k.between(0.008, 0.03), k.between(0, 0.01))
	}
	return k.mixed()
}

// room is the number of CPUs that others leave, at least one.
func (k *maker) room() int {
	return max(1, int(float64(k.m.cpus)-k.m.others))
}

// some is a number of threads that fit.
func (k *maker) some(share float64) int {
	return max(1, min(24, int(math.Round(float64(k.room())*share))))
}

// workers do the same independently, as threads of a server or processes of a build do; each calls for steps.
func (k *maker) workers(n, frames int, step func(t int)) {
	more := k.stretch().more
	k.threads(n)
	for f := range frames * more {
		step(f % n)
		k.mark(f%n, 0)
	}
}

// together do the parts of a frame side by side, then wait for each other: parallel loops.
func (k *maker) together(n, frames int, spin bool, step func(t int), alone func()) {
	more := k.stretch().more
	k.threads(n)
	for range frames * more {
		if alone != nil {
			alone()
			e := k.event()
			k.signal(0, e)
			for t := 1; t < n; t++ {
				k.wait(t, e, 1, 1, spin)
			}
		}
		for t := range n {
			step(t)
		}
		k.barrier(n, spin)
		k.mark(0, 0)
	}
}

// line is a pipeline of threads: each step of a frame waits for the one before, and for room in the buffer behind.
// With deep 1 a thread does not start before all behind it are done, although they could work side by side.
func (k *maker) line(frames, deep int, spin bool, steps ...func(t int)) {
	more := k.stretch().more
	n := len(steps)
	k.threads(n)
	done := make([]int, n)
	for i := range done {
		done[i] = k.event()
	}
	for f := range frames * more {
		for t, step := range steps {
			if t > 0 {
				k.wait(t, done[t-1], f+1, f+1, spin)
			}
			if t == 0 && f >= deep {
				loose := f + 1 - deep
				if deep == 1 {
					loose = max(0, f-2*n)
				}
				k.wait(t, done[n-1], f+1-deep, loose, spin)
			}
			step(t)
			k.signal(t, done[t])
		}
		k.mark(n-1, 0)
	}
}
