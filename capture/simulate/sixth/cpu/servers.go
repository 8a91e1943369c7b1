package cpu

import "astrolabe/capture/simulate"

const (
	us = 1e3 // ns
	ms = 1e6
)

// maker fills a builder's phase with one kind of program.
type maker struct {
	name string
	make func(b *builder)
}

// archetypes are kinds of programs.
var archetypes = []maker{
	{"server", server}, {"database", database}, {"key-value store", keyValue}, {"calls of services", calls},
	{"build", build}, {"game", game}, {"user interface", userInterface}, {"stencil", stencil}, {"inference", inference},
	{"Python threads", python}, {"script", script}, {"scan of files", scan}, {"video encoder", encoder},
	{"compression", compression}, {"graph analytics", graph}, {"join", join}, {"thrashing", thrashing},
	{"search", search}, {"compiled script", jit}, {"spinning runtime", spinners}, {"simulation", simulation}, {"stream of packets", packets},
}

// threads is a number of threads that suits a machine: by chance fewer or more than it has cores.
func (b *builder) threads() int {
	n := b.m.cores()
	switch b.IntN(5) {
	case 0:
		return b.Whole(1, max(1, n/2))
	case 1:
		return min(40, n+b.Whole(1, n))
	case 2:
		return min(40, len(b.m.sites))
	}
	return n
}

// do is a step without a place.
func do(d doing, n, spread float64) step { return step{do: d, n: n, spread: spread} }

// with is a step that only some rounds have.
func with(often float64, s step) step {
	s.often = often
	return s
}

// at is a step at a lock, credit or barrier.
func at(d doing, where int) step { return step{do: d, at: where} }

func server(b *builder) {
	app, kernel := b.code(codeLarge), b.code(codeKernel)
	heap := b.code(simulate.Pick(b.Random, codeMixed, codeChase, codeGraph))
	n := b.threads()
	var list []step
	work := b.Log(80*us, 900*us)
	if b.Chance(0.55) { // requests come by themselves
		load := b.Between(0.15, 1.15)
		each := work * 1.6 * float64(n) / float64(b.m.cores()) / load
		if n < b.m.cores() {
			each = work * 1.6 / load
		}
		list = append(list, do(doArrive, each, 0))
		b.p.dates, b.p.grace = true, 12*each
	}
	list = append(list, b.run(kernel, work*b.Between(0.05, 0.35), 0.3), b.run(app, work*b.Between(0.3, 0.9), 0.5),
		b.run(heap, work*b.Log(0.02, 0.5), 0.6))
	if b.Chance(0.5) {
		l := b.lock(simulate.Pick(b.Random, 0, 0, 20*us))
		list = append(list, at(doLock, l), b.run(app, work*b.Log(0.01, 0.2), 0.4), at(doUnlock, l))
	}
	if b.Chance(0.5) {
		list = append(list, with(b.Between(0.2, 1), do(doAsk, b.Log(100*us, 3*ms), 0.5)), b.run(app, work*0.15, 0.3))
	}
	list = append(list, b.run(kernel, work*b.Between(0.03, 0.2), 0.3), step{do: doUnit})
	b.role("request", n, list...)
}

func database(b *builder) {
	plan, pages, kernel := b.code(codeLarge), b.code(simulate.Pick(b.Random, codeChase, codeGraph, codeMixed)), b.code(codeKernel)
	l := b.lock(simulate.Pick(b.Random, 0, 15*us))
	work := b.Log(60*us, 600*us)
	list := []step{b.run(kernel, work*0.1, 0.3), b.run(plan, work*b.Between(0.1, 0.6), 0.4)}
	for range b.Whole(1, 3) {
		list = append(list, b.run(pages, work*b.Between(0.1, 0.5), 0.6))
		if b.Chance(0.6) {
			list = append(list, with(b.Log(0.02, 0.9), do(doRead, simulate.Pick(b.Random, 8192.0, 16384), 0)), b.run(kernel, 6*us, 0.2))
		}
	}
	switch b.IntN(3) {
	case 0: // each commit by itself
		list = append(list, at(doLock, l), b.run(kernel, work*0.08, 0.3), do(doFetch, 4096, 0), at(doUnlock, l))
	case 1: // the log is written behind
		list = append(list, at(doLock, l), b.run(plan, work*b.Log(0.02, 0.3), 0.3), do(doWrite, 4096, 0), at(doUnlock, l))
	}
	list = append(list, b.run(kernel, work*0.1, 0.3), step{do: doUnit})
	b.role("connection", b.threads(), list...)
}

func keyValue(b *builder) {
	kernel := b.code(codeKernel)
	table := b.code(codeChase, func(c *code) { c.private = false })
	work := b.Log(100*us, 500*us) // some dozen requests of one poll
	n := b.threads()
	var list []step
	if b.Chance(0.4) {
		list = append(list, do(doArrive, work/b.Between(0.2, 1.1), 0))
		b.p.dates, b.p.grace = true, 10*work
	}
	list = append(list, b.run(kernel, work*b.Between(0.2, 0.7), 0.2), b.run(table, work*b.Between(0.2, 0.7), 0.3),
		b.run(kernel, work*b.Between(0.05, 0.3), 0.2))
	if b.Chance(0.35) {
		l := b.lock(simulate.Pick(b.Random, 0, 10*us))
		list = append(list, at(doLock, l), b.run(table, work*b.Log(0.03, 0.4), 0.3), at(doUnlock, l))
	}
	b.role("shard", n, append(list, step{do: doUnit})...)
}

func calls(b *builder) {
	app, kernel := b.code(codeLarge), b.code(codeKernel)
	wait := b.Log(0.4*ms, 20*ms)
	work := wait * b.Log(0.08, 2)
	list := []step{b.run(app, work*0.5, 0.4), b.run(kernel, work*0.2, 0.2), do(doAsk, wait, 0.5),
		b.run(app, work*0.3, 0.4), step{do: doUnit}}
	b.role("worker", b.threads(), list...)
}

func build(b *builder) {
	compiler := b.code(codeLarge, func(c *code) { c.faults = b.Log(5e-7, 6e-6) })
	parse := b.code(codeBranchy, func(c *code) { c.missed = b.Between(0.02, 0.06) })
	kernel := b.code(codeKernel, func(c *code) { c.faults = 4e-6 })
	work := b.Log(8*ms, 60*ms)
	list := []step{{do: doFork}, b.run(kernel, b.Between(0.3*ms, 1.5*ms), 0.3), with(b.Log(0.03, 1), do(doRead, 2e5, 0.5)),
		b.run(parse, work*b.Between(0.1, 0.4), 0.6), b.run(compiler, work*0.7, 0.6),
		do(doWrite, 3e5, 0.6), step{do: doUnit}}
	n := max(2, int(float64(len(b.m.sites))*b.Between(0.6, 1.5)))
	b.role("compiler", min(40, n), list...)
}

func calmRoles(b *builder) {
	if !b.Chance(0.35) {
		return
	}
	c := b.code(simulate.Pick(b.Random, codeMixed, codeInteger, codeStream, codeKernel))
	busy := b.Log(0.3*ms, 8*ms)
	r := b.role("other program", b.Whole(1, max(1, b.m.cores()/3)), b.run(c, busy, 0.5), do(doSleep, busy*b.Log(0.5, 20), 0.6))
	r.other, r.nice = true, b.Chance(0.4)
}

func script(b *builder) {
	c := b.code(codeInterpreter)
	list := []step{b.run(c, b.Log(2*ms, 20*ms), 0.3)}
	if b.Chance(0.5) {
		list = append(list, b.run(b.code(simulate.Pick(b.Random, codeVector, codeStream, codeGraph, codeInteger)), b.Log(0.5*ms, 20*ms), 0.3))
	}
	if b.Chance(0.35) {
		list = append(list, with(b.Between(0.2, 1), do(doRead, b.Log(1e4, 5e6), 0.5)))
	}
	b.role("script", 1, append(list, step{do: doUnit})...)
}

func python(b *builder) {
	l := b.lock(0)
	c, native := b.code(codeInterpreter), b.code(simulate.Pick(b.Random, codeVector, codeStream, codeInteger, codeMixed))
	held := b.Log(0.4*ms, 5*ms)
	list := []step{at(doLock, l), b.run(c, held, 0.4), at(doUnlock, l)}
	if b.Chance(0.6) {
		list = append(list, b.run(native, held*b.Log(0.2, 8), 0.4))
	}
	if b.Chance(0.5) {
		list = append(list, do(doAsk, held*b.Log(0.3, 10), 0.5))
	}
	b.role("thread", b.Whole(2, 12), append(list, step{do: doUnit})...)
}

func scan(b *builder) {
	c, kernel := b.code(simulate.Pick(b.Random, codeInteger, codeBranchy, codeStream, codeMixed)), b.code(codeKernel)
	bytes := b.Log(32e3, 2e6)
	work := bytes / b.m.disk.bytes * b.Log(0.1, 6)
	if b.Chance(0.5) { // read, then work
		b.role("reader", b.Whole(1, 4), do(doRead, bytes, 0.1), b.run(kernel, work*0.15, 0.1), b.run(c, work, 0.3), step{do: doUnit})
		return
	}
	full, room := b.credit(0, false), b.credit(b.Whole(1, 4), true)
	b.role("reader", 1, at(doTake, room), do(doRead, bytes, 0.1), b.run(kernel, work*0.1, 0.1), at(doPost, full))
	b.role("worker", b.Whole(1, 4), at(doTake, full), b.run(c, work, 0.4), at(doPost, room), step{do: doUnit})
}

func thrashing(b *builder) {
	c, kernel := b.code(codeMixed), b.code(codeKernel)
	b.p.spare = b.Between(0.01, 0.05)
	work := b.Log(50*us, 600*us)
	b.role("thread", b.threads(), b.run(c, work, 0.5), with(b.Log(0.02, 0.9), do(doSwap, 4096*b.Log(1, 8), 0)),
		b.run(kernel, work*b.Between(0.03, 0.3), 0.3), step{do: doUnit})
}

func spinners(b *builder) {
	l := b.lock(simulate.Pick(b.Random, -1, -1, 200*us))
	c := b.code(simulate.Pick(b.Random, codeMixed, codeGraph, codeInteger))
	work := b.Log(100*us, 800*us)
	b.role("thread", max(2, min(b.m.cores(), b.threads())), b.run(c, work, 0.3), at(doLock, l), b.run(c, work*b.Log(0.02, 1), 0.3),
		at(doUnlock, l), step{do: doUnit})
}

func packets(b *builder) {
	kernel, app := b.code(codeKernel), b.code(simulate.Pick(b.Random, codeLarge, codeMixed, codeBranchy))
	work := b.Log(60*us, 400*us)
	full, room := b.credit(0, false), b.credit(b.Whole(1, 32), true)
	var first []step
	if b.Chance(0.6) {
		first = append(first, do(doArrive, work/b.Between(0.2, 1.2), 0))
		b.p.dates, b.p.grace = true, 20*work
	}
	b.role("receive", 1, append(first, at(doTake, room), b.run(kernel, work*b.Between(0.2, 0.9), 0.2), at(doPost, full))...)
	b.role("handle", b.Whole(1, 4), at(doTake, full), b.run(app, work*b.Between(0.3, 2), 0.4), at(doPost, room), step{do: doUnit})
}

// search tries moves, sorts or parses: what it finds is in no order.
func search(b *builder) {
	b.mixed = false // one loop takes most of the time
	c := b.code(codeBranchy, func(c *code) { c.missed, c.ilp = b.Between(0.07, 0.2), b.Between(2.6, 3.6) })
	table := b.code(simulate.Pick(b.Random, codeBranchy, codeGraph, codeInteger))
	work := b.Log(0.5*ms, 8*ms)
	list := []step{b.run(c, work, 0.4), b.run(table, work*b.Log(0.05, 0.6), 0.4)}
	if b.Chance(0.3) {
		l := b.lock(15 * us)
		list = append(list, at(doLock, l), b.run(table, work*b.Log(0.01, 0.5), 0.3), at(doUnlock, l))
	}
	b.role("searcher", b.threads(), append(list, step{do: doUnit})...)
}

// jit is code that a compiler at run time wrote: there is a lot of it, and each piece runs a few times.
func jit(b *builder) {
	b.mixed = false
	c, heap := b.code(codeLarge, func(c *code) { c.icache *= b.Between(1, 2); c.fetch *= b.Between(1, 2) }), b.code(codeMixed)
	work := b.Log(0.3*ms, 6*ms)
	n := simulate.Pick(b.Random, 1, b.threads())
	b.role("event loop", n, b.run(c, work, 0.4), b.run(heap, work*b.Log(0.03, 0.5), 0.4), step{do: doUnit})
	if b.Chance(0.6) { // what collects garbage beside
		g := b.code(codeGraph)
		b.role("collector", b.Whole(1, 2), b.run(g, work*b.Between(1, 6), 0.4), do(doSleep, work*b.Log(1, 20), 0.5))
	}
}
