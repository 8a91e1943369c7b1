package cpu

import "astrolabe/capture/simulate"

func game(b *builder) {
	logic, jobs, render := b.code(simulate.Pick(b.Random, codeMixed, codeLarge, codeBranchy)), b.code(simulate.Pick(b.Random, codeVector,
		codeMixed, codeGraph)), b.code(codeLarge, func(c *code) { c.kernel = b.Between(0.1, 0.4) })
	frame := simulate.Pick(b.Random, 16.67*ms, 16.67*ms, 8.33*ms, 33.3*ms, 6.94*ms)
	load := b.Between(0.3, 1.6) // of the frame's time on the main thread
	work := frame * load
	share := b.Between(0.2, 0.8)
	parts := b.Whole(2, min(12, 2*b.m.cores()))
	open, done := b.credit(0, false), b.credit(0, false)
	frames, room := b.credit(0, false), b.credit(b.Whole(1, 2), true)
	var main []step
	if b.Chance(0.7) {
		main = append(main, do(doDate, frame, 0))
		b.p.dates, b.p.refresh = true, frame
	}
	main = append(main, b.run(logic, work*share, 0.12))
	for range parts {
		main = append(main, at(doPost, open))
	}
	for range parts {
		main = append(main, at(doTake, done))
	}
	main = append(main, b.run(logic, work*(1-share)*0.5, 0.12), at(doTake, room), at(doPost, frames), step{do: doUnit})
	b.role("main", 1, main...)
	each := work * (1 - share) * 0.5 * float64(max(1, min(parts, b.m.cores()-2))) / float64(parts)
	b.role("job", max(1, min(parts, b.m.cores()-2)), at(doTake, open), b.run(jobs, each, 0.4), at(doPost, done))
	b.role("render", 1, at(doTake, frames), b.run(render, work*b.Between(0.3, 1.1), 0.1), at(doPost, room))
}

func userInterface(b *builder) {
	c, draw, store := b.code(codeLarge), b.code(simulate.Pick(b.Random, codeVector, codeMixed, codeLarge)), b.code(codeKernel)
	frame := simulate.Pick(b.Random, 16.67*ms, 8.33*ms, 11.1*ms)
	work := frame * b.Between(0.1, 1.2)
	share := b.Between(0.3, 0.8)
	frames, room := b.credit(0, false), b.credit(simulate.Pick(b.Random, 1, 1, 2), true)
	b.p.dates, b.p.refresh = true, frame
	b.role("main", 1, do(doDate, frame, 0), b.run(c, work*share, 0.25), with(b.Log(0.01, 0.3), do(doRead, 3e4, 0.5)), at(doTake, room),
		at(doPost, frames), step{do: doUnit})
	b.role("render", 1, at(doTake, frames), b.run(draw, work*(1-share), 0.2), b.run(store, work*0.1, 0.2), at(doPost, room))
}

// team is threads that work at steps and meet behind each; one of them notes the unit and may have a part of its own.
func team(b *builder, n int, meet int, uneven, alone float64, parts ...func(scale float64) step) {
	one := func(first bool) []step {
		var out []step
		for _, p := range parts {
			out = append(out, p(1+b.Between(-1, 1)*uneven), at(doBarrier, meet))
		}
		if first && alone > 0 {
			s := parts[len(parts)-1](1)
			s.n *= alone
			out = append(out, s)
		}
		if alone > 0 {
			out = append(out, at(doBarrier, meet))
		}
		if first {
			out = append(out, step{do: doUnit})
		}
		return out
	}
	for k := range n {
		b.role("team", 1, one(k == 0)...).pinned = b.m.sites[0].sibling < 0 && !b.m.phone && n <= b.m.cores()
	}
}

// workers is how many threads a team has: one for each core, of phones for each of the fast ones.
func (b *builder) workers(most int) int {
	n := b.m.cores()
	if b.m.phone {
		n -= len(b.m.clusters[0].cpus)
	}
	return max(2, min(n, most))
}

func stencil(b *builder) {
	sweep := b.code(codeStream)
	calc := b.code(simulate.Pick(b.Random, codeVector, codeChain, codeStream, codeVector))
	n := b.workers(24)
	work := b.Log(1*ms, 12*ms)
	share := b.Between(0, 0.9)
	team(b, n, b.barrier(n), simulate.Pick(b.Random, 0.03, 0.1, 0.5), simulate.Pick(b.Random, 0, 0, b.Log(0.05, 1)),
		func(scale float64) step { return b.run(sweep, scale*work*share+50*us, 0.03) },
		func(scale float64) step { return b.run(calc, scale*work*(1-share)+50*us, 0.05) })
}

func inference(b *builder) {
	weights := b.code(codeStream, func(c *code) { c.extra = b.Between(0, 0.2); c.ilp = 3 })
	gemm := b.code(codeVector)
	n := b.workers(16)
	work := b.Log(0.6*ms, 6*ms)
	share := b.Between(0.05, 0.95)
	team(b, n, b.barrier(n), 0.06, simulate.Pick(b.Random, 0, b.Log(0.05, 0.5)),
		func(scale float64) step { return b.run(weights, scale*work*share+20*us, 0.05) },
		func(scale float64) step { return b.run(gemm, scale*work*(1-share)+20*us, 0.05) })
}

func encoder(b *builder) {
	search, transform, entropy := b.code(codeVector), b.code(codeVector), b.code(codeBranchy)
	work := b.Log(1*ms, 8*ms)
	n := max(1, min(b.m.cores()-1, b.Whole(2, 12)))
	full, room := b.credit(0, false), b.credit(b.Whole(1, 2*n), true)
	out := b.credit(0, false)
	kernel := b.code(codeKernel)
	var first []step
	if b.Chance(0.3) { // live
		first = append(first, do(doDate, simulate.Pick(b.Random, 16.67*ms, 33.3*ms), 0))
		b.p.dates = true
	}
	b.role("source", 1, append(first, at(doTake, room), b.run(kernel, work*b.Log(0.02, 0.3), 0.2), at(doPost, full))...)
	b.role("frame", n, at(doTake, full), b.run(search, work*b.Between(0.5, 1.5)*float64(n)/2, 0.4), b.run(transform, work*0.5, 0.2), at(doPost, out))
	b.role("entropy", 1, at(doTake, out), b.run(entropy, work*b.Log(0.1, 1.2), 0.4), at(doPost, room), step{do: doUnit})
}

func compression(b *builder) {
	match, code := b.code(simulate.Pick(b.Random, codeGraph, codeMixed)), b.code(simulate.Pick(b.Random, codeBranchy, codeInteger))
	work := b.Log(1*ms, 15*ms)
	list := []step{b.run(match, work*b.Between(0.1, 0.9), 0.3), b.run(code, work*b.Between(0.1, 0.9), 0.3)}
	if b.Chance(0.5) {
		list = append([]step{with(b.Between(0.3, 1), do(doRead, 1.3e5, 0))}, append(list, do(doWrite, 6e4, 0.3))...)
	}
	b.role("block", b.threads(), append(list, step{do: doUnit})...)
}

func graph(b *builder) {
	walk := b.code(simulate.Pick(b.Random, codeGraph, codeGraph, codeChase), func(c *code) { c.private = false })
	gather := b.code(simulate.Pick(b.Random, codeStream, codeMixed))
	n := b.workers(24)
	work := b.Log(1*ms, 8*ms)
	if b.Chance(0.5) {
		team(b, n, b.barrier(n), simulate.Pick(b.Random, 0.05, 0.3, 0.7), 0,
			func(scale float64) step { return b.run(walk, scale*work, 0.2) },
			func(scale float64) step { return b.run(gather, scale*work*b.Log(0.05, 0.8), 0.1) })
		return
	}
	b.role("query", b.threads(), b.run(walk, work, 0.5), b.run(gather, work*b.Log(0.05, 1), 0.3), step{do: doUnit})
}

func join(b *builder) {
	read, probe, sum := b.code(codeStream), b.code(codeGraph), b.code(simulate.Pick(b.Random, codeVector, codeInteger, codeLarge))
	work := b.Log(0.5*ms, 5*ms)
	list := []step{b.run(read, work*b.Log(0.1, 1), 0.3), b.run(probe, work*b.Log(0.1, 1), 0.3), b.run(sum, work*b.Log(0.1, 1), 0.3)}
	if b.Chance(0.3) {
		l := b.lock(20 * us)
		list = append(list, at(doLock, l), b.run(sum, work*b.Log(0.01, 0.2), 0.2), at(doUnlock, l))
	}
	if b.Chance(0.4) {
		list = append(list, with(b.Log(0.05, 1), do(doRead, b.Log(1e5, 4e6), 0.2)))
	}
	b.role("morsel", b.threads(), append(list, step{do: doUnit})...)
}

func simulation(b *builder) {
	list := []step{}
	for range b.Whole(1, 3) {
		c := b.code(simulate.Pick(b.Random, codeInteger, codeChain, codeVector, codeBranchy, codeChase, codeMixed))
		list = append(list, b.run(c, b.Log(1*ms, 12*ms), 0.2))
	}
	b.role("step", simulate.Pick(b.Random, 1, 1, b.threads()), append(list, step{do: doUnit})...)
}
