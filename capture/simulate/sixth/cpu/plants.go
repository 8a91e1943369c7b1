package cpu

import "astrolabe/capture/simulate"

// plant is a program that is meant to be limited by one thing.
type plant struct {
	of    simulate.Candidate
	clock clockHold
	make  func(b *builder)
}

var plants = []plant{
	{unitCore, clockFree, plantCore},
	{unitBranch, clockFree, plantBranch},
	{unitFront, clockFree, plantFront},
	{simulate.MemoryLatency, clockFree, plantLatency},
	{simulate.MemoryBandwidth, clockFree, plantBandwidth},
	{cpuLock, clockFree, plantLock},
	{cpuIO, clockFree, plantIO},
	{simulate.QueuesInTurn, clockFree, plantInTurn},
	{simulate.ClockThermal, heldByHeat, plantClock},
	{simulate.ClockPower, heldByPower, plantClock},
	{timerDate, clockFree, plantTimer},
}

// plain is threads that run code and nothing else.
func plain(b *builder, n, c int) {
	b.role("thread", n, b.run(c, b.Log(1*ms, 10*ms), 0.2), step{do: doUnit})
}

func plantCore(b *builder) {
	c := b.code(simulate.Pick(b.Random, codeInteger, codeVector, codeChain), func(c *code) {
		c.missed, c.l2, c.icache, c.l1 = c.missed*0.3, c.l2*0.3, c.icache*0.3, c.l1*0.5
	})
	plain(b, b.threads(), c)
}

func plantBranch(b *builder) {
	c := b.code(codeBranchy, func(c *code) {
		c.missed, c.branches, c.ilp, c.l2 = b.Between(0.15, 0.3), b.Between(0.2, 0.26), b.Between(3, 3.8), c.l2*0.3
	})
	plain(b, b.threads(), c)
}

func plantFront(b *builder) {
	c := b.code(codeLarge, func(c *code) {
		c.icache, c.itlb, c.missed = b.Between(0.08, 0.15), b.Log(4e-4, 2e-3), c.missed*0.3
		c.ilp, c.l2, c.l1, c.fetch = b.Between(3, 3.8), c.l2*0.2, c.l1*0.3, b.Between(0.1, 0.2)
	})
	plain(b, b.threads(), c)
}

func plantLatency(b *builder) {
	c := b.code(codeChase, func(c *code) { c.missed, c.flight = c.missed*0.3, b.Between(1, 1.6) })
	plain(b, b.Whole(1, max(1, b.m.cores()/2)), c)
}

func plantBandwidth(b *builder) {
	c := b.code(codeStream, func(c *code) {
		c.flight, c.l2, c.l1, c.extra = b.Between(30, 60), b.Between(0.06, 0.1), b.Between(0.1, 0.12), b.Between(0.8, 1.4)
	})
	plain(b, len(b.m.sites), c)
}

func plantLock(b *builder) {
	inside, outside := b.code(codeMixed), b.code(codeMixed)
	l := b.lock(simulate.Pick(b.Random, 0, 0, 20*us))
	n := max(3, b.m.cores())
	held := b.Log(60*us, 800*us)
	b.role("thread", n, b.run(outside, held*b.Between(0.1, 1), 0.4), at(doLock, l), b.run(inside, held, 0.3), at(doUnlock, l),
		step{do: doUnit})
}

func plantIO(b *builder) {
	c, kernel := b.code(codeMixed), b.code(codeKernel)
	bytes := b.Log(4e3, 1e6)
	wait := b.m.disk.ns + bytes/b.m.disk.bytes
	b.role("thread", b.Whole(1, 4), do(doRead, bytes, 0.1), b.run(kernel, wait*b.Log(0.01, 0.06), 0.2),
		b.run(c, wait*b.Log(0.01, 0.2), 0.3), step{do: doUnit})
}

// plantInTurn is two to four threads of which one works at a time, although the next piece of work is there.
func plantInTurn(b *builder) {
	n := b.Whole(2, 4)
	work := b.Log(100*us, 3*ms)
	room := b.credit(1, true)
	before := -1
	for k := range n {
		c := b.code(simulate.Pick(b.Random, codeMixed, codeInteger, codeLarge, codeInterpreter, codeVector))
		var list []step
		if k == 0 {
			list = append(list, at(doTake, room))
		} else {
			list = append(list, at(doTake, before))
		}
		list = append(list, b.run(c, work*b.Between(0.6, 1.4), 0.3))
		if k == n-1 {
			list = append(list, at(doPost, room), step{do: doUnit})
		} else {
			before = b.credit(0, false)
			list = append(list, at(doPost, before))
		}
		b.role("stage", 1, list...)
	}
}

func plantClock(b *builder) {
	kinds := []int{codeInteger, codeVector, codeBranchy, codeLarge, codeMixed}
	var list []step
	for range 3 {
		list = append(list, b.run(b.code(simulate.Pick(b.Random, kinds...)), b.Log(1*ms, 5*ms), 0.2))
	}
	b.role("thread", len(b.m.sites), append(list, step{do: doUnit})...)
}

// plantTimer is work at dates that leave it time.
func plantTimer(b *builder) { healthy(b, b.Between(0.05, 0.35)) }

// healthy is a program whose dates leave time; load is the share that work takes at the highest clock.
func healthy(b *builder, load float64) {
	c := b.code(simulate.Pick(b.Random, codeMixed, codeLarge, codeInteger, codeVector, codeGraph, codeInterpreter))
	d := b.code(simulate.Pick(b.Random, codeMixed, codeKernel, codeStream, codeBranchy))
	b.p.dates = true
	each := simulate.Pick(b.Random, 5*ms, 8.33*ms, 10*ms, 16.67*ms, 20*ms, 33.3*ms)
	switch b.IntN(3) {
	case 0: // dates of one thread
		b.role("date", 1, do(doDate, each, 0), b.run(c, each*load*0.7, 0.12), b.run(d, each*load*0.3, 0.12), step{do: doUnit})
	case 1: // of one that another helps
		frames, room := b.credit(0, false), b.credit(2, true)
		b.role("main", 1, do(doDate, each, 0), b.run(c, each*load*0.6, 0.12), at(doTake, room), at(doPost, frames), step{do: doUnit})
		b.role("second", 1, at(doTake, frames), b.run(d, each*load*0.4, 0.12), at(doPost, room))
	default: // requests of many
		b.p.grace = 20 * each
		n := b.Whole(1, min(6, b.m.cores()))
		b.role("request", n, do(doArrive, each, 0), b.run(c, each*load*0.5, 0.2), b.run(d, each*load*0.3, 0.2), step{do: doUnit})
	}
}

// serials are programs whose threads work in turn.
func serial(b *builder) {
	if b.Chance(0.6) {
		plantInTurn(b)
		return
	}
	n := b.Whole(2, b.workers(8))
	c, d := b.code(codeMixed), b.code(simulate.Pick(b.Random, codeInteger, codeLarge, codeBranchy, codeVector))
	work := b.Log(0.5*ms, 4*ms)
	team(b, n, b.barrier(n), b.Between(0.2, 0.7), b.Between(0.5, 2.5),
		func(scale float64) step { return b.run(c, work*scale, 0.3) }, func(scale float64) step { return b.run(d, work*scale, 0.3) })
}

// random is threads that do anything.
func random(b *builder) {
	var codes []int
	for range b.Whole(2, 5) {
		codes = append(codes, b.code(b.IntN(codeKinds)))
	}
	lock := b.lock(simulate.Pick(b.Random, 0, 0, 30*us, -1))
	work := b.Log(80*us, 5*ms)
	run := func(scale float64) step {
		return b.run(simulate.Pick(b.Random, codes...), work*b.Log(0.1, 1)*scale, b.Between(0, 0.6))
	}
	groups := b.Whole(1, 3)
	for g := range groups {
		n := max(1, b.threads()/groups)
		var list []step
		if b.Chance(0.12) {
			list = append(list, do(doArrive, work*b.Log(0.7, 8), 0))
			b.p.dates, b.p.grace = true, 30*work
		}
		for range b.Whole(1, 4) {
			list = append(list, run(1))
			switch b.IntN(9) {
			case 0:
				list = append(list, at(doLock, lock), run(b.Log(0.05, 1)), at(doUnlock, lock))
			case 1:
				list = append(list, with(b.Log(0.05, 1), do(simulate.Pick(b.Random, doRead, doRead, doFetch, doSwap), b.Log(4e3, 1e6), 0.3)))
			case 2:
				list = append(list, with(b.Log(0.1, 1), do(doAsk, work*b.Log(0.1, 4), 0.4)))
			case 3:
				list = append(list, do(doWrite, b.Log(4e3, 3e5), 0.3))
			}
		}
		if g == 0 || b.Chance(0.5) {
			list = append(list, step{do: doUnit})
		}
		b.role("group", n, list...)
	}
	if b.Chance(0.3) && len(b.p.roles) > 1 { // the first hands work to the others
		full, room := b.credit(0, false), b.credit(b.Whole(1, 6), true)
		first := &b.p.roles[0]
		first.steps = append([]step{at(doTake, room)}, append(first.steps, at(doPost, full))...)
		for i := range b.p.roles[1:] {
			o := &b.p.roles[i+1]
			o.steps = append([]step{at(doTake, full)}, append(o.steps, at(doPost, room))...)
		}
	}
}
