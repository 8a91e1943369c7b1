package cpu

// archetypes are programs as they run on real machines.
var archetypes = []struct {
	text  string
	build func(k *maker)
}{
	{"transactions of a database", transactions},
	{"pages made by interpreters", pages},
	{"compilation of a project", compilation},
	{"scan of a column store", scans},
	{"joins with hash tables", joins},
	{"encoding of video in rows that depend on each other", encoding},
	{"stencil of a simulation", stencil},
	{"sparse solver", solver},
	{"compression of an archive", archive},
	{"parsing of logs", logs},
	{"search in a graph", graph},
	{"threads of an interpreter with one lock", interpreters},
	{"tokens of a language model", tokens},
	{"matrices", matrices},
	{"keys and values in memory", values},
	{"rendering by paths of light", rays},
	{"sorting beyond memory", sorting},
	{"start of an application", starting},
}

func transactions(k *maker) {
	parse, look, log := k.broad(k.between(0.25, 0.7)), k.chase(k.between(0.005, 0.015), k.between(1.2, 2.5)), k.mixed()
	n, hot := k.some(k.between(0.5, 1.5)), k.lock()
	k.p.small = k.r.IntN(20) + 1
	a, b, c, io := k.between(0.3, 2), k.between(0.5, 4), k.between(0.02, 0.5), k.between(0, 1.2)
	k.workers(n, n*60, func(t int) {
		k.work(t, parse, a, 0.4)
		k.work(t, look, b, 0.5)
		k.locked(t, hot, log, c, 0.3, false)
		if io > 0.2 { // the log must be on disk before the answer goes out
			k.storage(t, io, 0.6)
		}
	})
}

func pages(k *maker) {
	interp, text, heap := k.broad(k.between(0.35, 0.9)), k.guesses(k.between(0.004, 0.015)), k.chase(0.004, 2)
	n, a, b, c, io := k.some(k.between(0.4, 1.2)), k.between(2, 6), k.between(0.2, 2), k.between(0.1, 2), k.between(0, 2)
	k.workers(n, n*40, func(t int) {
		k.work(t, interp, a, 0.5)
		k.work(t, heap, c, 0.3)
		if io > 1 { // asks a database on the same machine
			k.storage(t, io, 0.8)
		}
		k.work(t, text, b, 0.5)
	})
}

func compilation(k *maker) {
	front, middle, link := k.broad(k.between(0.35, 0.8)), k.chase(0.002, 2.5), k.mixed()
	n, io := k.some(1), k.between(0.1, 3)
	more := k.stretch().more
	k.threads(n)
	for f := range n * 30 * more {
		t := f % n
		k.storage(t, io, 1)
		k.work(t, front, k.between(4, 14), 0.5)
		k.work(t, middle, k.between(1, 4), 0.5)
		k.storage(t, io/3, 0.5)
		k.mark(t, 0)
	}
	k.barrier(n, false)
	for range 5 + k.r.IntN(40) { // one thread links it all
		k.storage(0, io/2, 1)
		k.work(0, link, k.between(4, 12), 0.3)
		k.mark(0, 0)
	}
}

func scans(k *maker) {
	scan, filter, agg := k.stream(k.between(0.012, 0.03), 0.001), k.guesses(k.between(0.003, 0.015)), k.chase(0.004, k.between(3, 8))
	n := k.some(k.between(0.3, 1))
	a, b, c := k.between(2, 6), k.between(0.2, 4), k.between(0, 2)
	k.together(n, 120, false, func(t int) {
		k.work(t, scan, a, 0.15)
		k.work(t, filter, b, 0.15)
		k.work(t, agg, c, 0.15)
	}, func() { k.work(0, agg, k.between(0.1, 1), 0.3) })
}

func joins(k *maker) {
	build, probe, out := k.chase(k.between(0.008, 0.02), k.between(2, 5)), k.chase(k.between(0.01, 0.025), k.between(1.5, 8)), k.stream(0.012, 0.01)
	n := k.some(k.between(0.3, 1))
	a, b, c := k.between(0.5, 3), k.between(2, 6), k.between(0.2, 2)
	k.together(n, 110, k.r.IntN(2) == 0, func(t int) {
		k.work(t, build, a, 0.2)
		k.work(t, probe, b, 0.2)
		k.work(t, out, c, 0.2)
	}, nil)
}

func encoding(k *maker) {
	motion, modes, entropy := k.wide(k.between(1.1, 1.5)), k.mixed(), k.guesses(k.between(0.008, 0.02))
	a, b, c := k.between(2, 6), k.between(1, 6), k.between(1, 5)
	k.line(180, 1+k.r.IntN(3), false, func(t int) { k.work(t, motion, a, 0.3) }, func(t int) { k.work(t, modes, b, 0.3) },
		func(t int) { k.work(t, entropy, c, 0.4) })
}

func stencil(k *maker) {
	sweep, edge := k.stream(k.between(0.008, 0.02), k.between(0.002, 0.008)), k.mixed()
	spin, n, a, b := k.r.IntN(2) == 0, k.some(k.between(0.5, 1)), k.between(3, 9), k.between(0.1, 1.5)
	k.together(n, 140, spin, func(t int) { k.work(t, sweep, a, 0.05) }, func() { k.work(0, edge, b, 0.2) })
}

func solver(k *maker) {
	matrix, vector, precondition := k.stream(k.between(0.01, 0.02), 0.001), k.chase(k.between(0.006, 0.015), k.between(3, 7)), k.chain()
	n, a, b, c := k.some(k.between(0.4, 1)), k.between(1, 5), k.between(0.5, 4), k.between(0.2, 3)
	k.together(n, 130, true, func(t int) {
		k.work(t, matrix, a, 0.1)
		k.work(t, vector, b, 0.1)
		k.work(t, precondition, c, 0.1)
	}, nil)
}

func archive(k *maker) {
	find, code := k.chase(k.between(0.001, 0.006), k.between(1.2, 3)), k.guesses(k.between(0.012, 0.028))
	a, b, io := k.between(2, 6), k.between(2, 6), k.between(0.5, 6)
	deep := 1 + k.r.IntN(2)*3
	k.line(150, deep, false, func(t int) { k.storage(t, io, 0.4) }, func(t int) {
		k.work(t, find, a, 0.3)
		k.work(t, code, b, 0.3)
	}, func(t int) { k.storage(t, io*0.4, 0.4) })
}

func logs(k *maker) {
	parse, count := k.guesses(k.between(0.01, 0.032)), k.chase(0.004, 2)
	n, a, b, io := k.some(k.between(0.2, 0.7)), k.between(2, 8), k.between(0.3, 3), k.between(0.2, 4)
	k.workers(n, n*80, func(t int) {
		k.storage(t, io, 0.7)
		k.work(t, parse, a, 0.3)
		k.work(t, count, b, 0.3)
	})
}

func graph(k *maker) {
	walk, sum := k.chase(k.between(0.012, 0.03), k.between(1.2, 5)), k.mixed()
	n, a, b := k.some(k.between(0.2, 1)), k.between(3, 9), k.between(0.2, 2)
	k.together(n, 110, k.r.IntN(2) == 0, func(t int) {
		k.work(t, walk, a, 0.5)
		k.work(t, sum, b, 0.2)
	}, nil)
}

func interpreters(k *maker) {
	interp, native, one := k.broad(k.between(0.3, 0.7)), k.any(), k.lock()
	n, a, b, io := 2+k.r.IntN(6), k.between(0.5, 3), k.between(0.5, 5), k.between(0, 3)
	k.p.small = k.r.IntN(3) + 1
	k.workers(n, n*70, func(t int) {
		k.locked(t, one, interp, a, 0.4, false)
		k.work(t, native, b, 0.3) // a library that lets go of the lock
		if io > 1.5 {
			k.storage(t, io, 0.5)
		}
	})
}

func tokens(k *maker) {
	weights, attention := k.stream(k.between(0.015, 0.035), 0.0003), k.wide(k.between(1.2, 1.6))
	sample := k.broad(0.2)
	n, a, b := k.some(k.between(0.4, 0.9)), k.between(4, 12), k.between(0.3, 3)
	k.together(n, 110, k.r.IntN(3) > 0, func(t int) {
		k.work(t, weights, a, 0.04)
		k.work(t, attention, b, 0.04)
	}, func() { k.work(0, sample, k.between(0.1, 1.5), 0.2) })
}

func matrices(k *maker) {
	inner, pack := k.wide(k.between(1.3, 1.9)), k.stream(0.015, 0.012)
	n, a, b := k.some(k.between(0.6, 1)), k.between(6, 14), k.between(0.2, 2)
	if k.r.IntN(2) == 0 { // wide vectors take more than the machine may
		k.m.power = k.m.idle + k.m.core*float64(n)*k.between(0.4, 1)
	}
	k.together(n, 110, true, func(t int) {
		k.work(t, pack, b, 0.05)
		k.work(t, inner, a, 0.05)
	}, nil)
}

func values(k *maker) {
	net, table := k.broad(k.between(0.15, 0.35)), k.chase(k.between(0.008, 0.02), k.between(1.2, 3))
	n, a, b := 1+k.r.IntN(3), k.between(1, 4), k.between(1, 5)
	k.p.small = 5
	one := k.lock()
	spin := k.r.IntN(2) == 0
	k.workers(n, n*160, func(t int) {
		k.work(t, net, a, 0.2)
		if n > 1 {
			k.locked(t, one, table, b, 0.2, spin)
		} else {
			k.work(t, table, b, 0.2)
		}
	})
}

func rays(k *maker) {
	tree, shade, pick := k.chase(k.between(0.001, 0.005), k.between(1.3, 3)), k.chain(), k.guesses(k.between(0.005, 0.012))
	n, a, b, c := k.some(1), k.between(1, 6), k.between(1, 6), k.between(0.3, 2)
	if k.r.IntN(3) == 0 { // a laptop that has been at it for minutes
		k.m.heat = k.m.idle + k.m.core*float64(n)*k.between(0.3, 0.7)
	}
	k.workers(n, n*40, func(t int) {
		k.work(t, tree, a, 0.4)
		k.work(t, pick, c, 0.4)
		k.work(t, shade, b, 0.4)
	})
}

func sorting(k *maker) {
	compare, merge := k.guesses(k.between(0.015, 0.035)), k.stream(0.015, 0.012)
	n, a, b, io := k.some(k.between(0.2, 0.8)), k.between(3, 8), k.between(1, 5), k.between(1, 8)
	k.together(n, 80, false, func(t int) {
		k.storage(t, io, 0.3)
		k.work(t, compare, a, 0.1)
		k.work(t, merge, b, 0.1)
		k.storage(t, io/2, 0.3)
	}, nil)
}

func starting(k *maker) {
	load, init, scan := k.broad(k.between(0.5, 1.1)), k.mixed(), k.guesses(0.008)
	n, a, b, io := 1+k.r.IntN(2), k.between(1, 5), k.between(0.5, 3), k.between(0.3, 6)
	k.workers(n, n*150, func(t int) {
		if k.r.IntN(3) > 0 {
			k.storage(t, io, 1)
		}
		k.work(t, load, a, 0.5)
		k.work(t, init, b, 0.5)
		k.work(t, scan, b/2, 0.5)
	})
}
