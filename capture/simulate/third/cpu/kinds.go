package cpu

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"astrolabe/capture/simulate"
)

// build makes the program of a case, and says what it is meant to be limited by.
func build(k *maker, kind string, seed uint64) (plant string) {
	switch kind {
	case simulate.KindArchetype, simulate.KindTwoPhase, simulate.KindRandom:
		weaken(k)
	}
	switch kind {
	case simulate.KindArchetype:
		a := &archetypes[seed%uint64(len(archetypes))]
		k.p.text = a.text
		a.build(k)
	case simulate.KindSingle:
		s := &singles[seed%uint64(len(singles))]
		plant = s.of.String()
		k.p.text = "only " + strings.ReplaceAll(s.of.Name, "_", " ")
		s.build(k)
	case simulate.KindSerial:
		serial(k)
	case simulate.KindHealthy:
		healthy(k)
	case simulate.KindTwoPhase:
		twoPhase(k)
	default:
		random(k)
	}
	return plant
}

// singles are programs that one candidate alone limits.
var singles = []struct {
	of    simulate.Candidate
	build func(k *maker)
}{
	{unitCore, func(k *maker) { plain(k, k.chain(), k.between(0.1, 0.6)) }},
	{unitBranch, func(k *maker) { plain(k, k.guesses(k.between(0.028, 0.045)), k.between(0.1, 0.6)) }},
	{unitFrontEnd, func(k *maker) { plain(k, k.broad(k.between(0.8, 1.4)), k.between(0.1, 0.6)) }},
	{simulate.MemoryLatency, func(k *maker) {
		k.m.traffic = 0
		plain(k, k.chase(k.between(0.015, 0.04), k.between(1, 1.5)), k.between(0.05, 0.3))
	}},
	{simulate.MemoryBandwidth, func(k *maker) {
		k.m.others = 0
		k.m.band = min(k.m.band, float64(k.m.cpus)*4.5)
		plain(k, k.stream(k.between(0.025, 0.05), k.between(0, 0.02)), 1)
	}},
	{cpuIO, func(k *maker) {
		c, io, calm := k.any(), k.between(2, 12), k.between(0.3, 0.8)
		n := 1 + k.r.IntN(4)
		k.p.swaps = k.r.IntN(4) == 0
		k.workers(n, n*120, func(t int) {
			k.storage(t, io, calm)
			k.work(t, c, io*0.12, 0.3)
		})
	}},
	{cpuLock, func(k *maker) {
		k.m.cpus = max(8, k.m.cpus)
		k.m.others = 0
		// What is under the lock is of several kinds, so that none of them would help as much as less of the lock.
		a, b, d, rest := k.chain(), k.broad(0.5), k.chase(0.01, 1.3), k.any()
		n, one, spin, ms := 5+k.r.IntN(3), k.lock(), k.r.IntN(4) == 0, k.between(0.4, 1.5)
		k.p.small = 1 + k.r.IntN(30)
		k.workers(n, n*60, func(t int) {
			c := []int{a, b, d}[k.r.IntN(3)]
			k.locked(t, one, c, ms, 0.4, spin)
			k.work(t, rest, ms*0.8, 0.4)
		})
	}},
	{simulate.QueuesInTurn, func(k *maker) { turns(k, 2+k.r.IntN(3), 0.15) }},
	{simulate.ClockThermal, func(k *maker) {
		n := held(k)
		k.m.heat = k.m.idle + k.m.core*float64(n)*k.between(0.05, 0.13)
	}},
	{simulate.ClockPower, func(k *maker) {
		n := held(k)
		k.m.power = k.m.idle + k.m.core*float64(n)*k.between(0.05, 0.13)
	}},
	{displayTimer, func(k *maker) {
		dates(k, 1, k.between(0.1, 0.4), []int{k.any()}, 1e9/float64([]int{10, 25, 50, 60, 100}[k.r.IntN(5)]), 0, k.r.IntN(3) == 0)
	}},
}

// plain is threads that do one thing.
func plain(k *maker, c int, share float64) {
	n, ms := k.some(share), k.between(4, 12)
	k.workers(n, n*100, func(t int) { k.work(t, c, ms, 0.3) })
}

// held is work of several kinds on all CPUs, for a machine that may not go at full speed. It returns the number of
// threads that share no core.
func held(k *maker) int {
	k.m.others = 0
	a, b, c := k.chain(), k.guesses(0.015), k.broad(0.4)
	n, ms := k.m.cpus/k.m.threads, k.between(2, 5)
	k.workers(n, n*80, func(t int) {
		k.work(t, a, ms, 0.2)
		k.work(t, b, ms, 0.2)
		k.work(t, c, ms, 0.2)
	})
	return n
}

// turns are threads that hand work to each other and wait for the end of it, although there is more to do.
func turns(k *maker, n int, uneven float64) {
	k.m.others = 0
	ms := k.between(2, 7)
	var steps []func(t int)
	for range n {
		c, d := k.any(), k.between(1-uneven, 1+uneven)
		steps = append(steps, func(t int) { k.work(t, c, ms*d, 0.3) })
	}
	k.line(260/n, 1, false, steps...)
}

// serial is threads, or threads and storage, that work in turn.
func serial(k *maker) {
	switch k.r.IntN(3) {
	case 0:
		k.p.text = "threads that call each other and wait"
		turns(k, 2+k.r.IntN(2), 0.5)
	case 1:
		k.p.text = "reads, works, writes, and does the next"
		c, io, ms := k.any(), k.between(2, 8), k.between(2, 8)
		k.line(150, 1, false, func(t int) { k.storage(t, io, 0.4) }, func(t int) { k.work(t, c, ms, 0.3) },
			func(t int) { k.storage(t, io*k.between(0.2, 0.6), 0.4) })
	default:
		k.p.text = "a coordinator that hands out work and waits for all of it"
		n, c, d := k.some(k.between(0.3, 0.9)), k.any(), k.any()
		ms, own := k.between(2, 6), k.between(2, 6)
		k.threads(n + 1)
		go1, done := k.event(), k.event()
		for f := range 120 {
			// It could prepare the next part while the others work.
			k.wait(0, done, f*n, max(0, (f-2)*n), false)
			k.work(0, d, own, 0.3)
			k.signal(0, go1)
			for t := 1; t <= n; t++ {
				k.wait(t, go1, f+1, f+1, false)
				k.work(t, c, ms, 0.2)
				k.signal(t, done)
			}
			k.mark(0, 0)
		}
	}
}

// dates is a program of n threads that works at dates for a share of the time.
func dates(k *maker, n int, load float64, codes []int, period, io float64, rests bool) {
	k.threads(n)
	frames := int(k.between(1.2e9, 2.5e9) / period)
	if frames > 400 {
		frames = 400
	}
	from := k.between(0, period)
	for f := range frames {
		if rests && k.r.Float64() < 0.03 { // nothing changes on the screen, nobody asks
			from += math.Ceil(k.between(2, 20)) * period
		}
		date := from + float64(f)*period
		k.date(0, date)
		e := k.event()
		k.signal(0, e)
		for t := range n {
			if t > 0 {
				k.wait(t, e, 1, 1, false)
			}
			for _, c := range codes {
				k.work(t, c, load*period/1e6/float64(len(codes)), 0.25)
			}
			if io > 0 {
				k.storage(t, io*period/1e6, 0.3)
			}
		}
		if n > 1 {
			k.barrier(n, false)
		}
		k.mark(0, date+period)
	}
}

// healthy is a program that keeps its dates.
func healthy(k *maker) {
	kinds := []struct {
		text string
		hz   float64
	}{{"a game at 60 frames a second", 60}, {"a game capped at 30", 30}, {"a film at 24", 24}, {"a compositor at 90", 90},
		{"a control loop at 100 Hz", 100}, {"a display of 144 Hz", 144}, {"audio in blocks of 10.7 ms", 93.75},
		{"a telemetry agent, ten times a second", 10}, {"a server under light load", 50}, {"a poller of devices at 200 Hz", 200}}
	c := kinds[k.r.IntN(len(kinds))]
	k.p.text = c.text
	k.m.traffic, k.m.others = 0, min(k.m.others, 0.2*float64(k.m.cpus))
	n := 1
	if k.m.cpus >= 8 && k.r.IntN(2) == 0 {
		n = 2 + k.r.IntN(3)
	}
	load, io := k.between(0.12, 0.6), 0.0
	if k.r.IntN(2) == 0 { // a governor that lowers the clock where there is little to do
		k.m.hold = min(1, max(0.4, load*k.between(1.2, 1.6)))
		load *= 0.9 * k.m.hold / (0.25 + 0.75*k.m.hold)
	}
	if k.r.IntN(5) == 0 {
		io = 0.05 * k.r.Float64()
	}
	codes := []int{k.any()}
	for range k.r.IntN(3) {
		codes = append(codes, k.any())
	}
	if c.hz == 50 && k.r.IntN(3) > 0 {
		requests(k, n, load*0.7, codes)
		return
	}
	dates(k, n, load, codes, 1e9/c.hz, io, k.r.IntN(3) == 0)
}

// requests come at any time, and each of n threads serves its own in the order in which they come. An answer is in time
// if it is given within some times what it takes.
func requests(k *maker, n int, load float64, codes []int) {
	k.threads(n)
	ms, spread := k.between(1, 6), k.between(0.2, 0.6)
	mean := ms * 1e6 / load
	type request struct {
		at     float64
		thread int
	}
	var all []request
	for t := range n {
		for at := mean * k.r.ExpFloat64(); at < 1.6e9; at += mean * (0.4 + 0.6*k.r.ExpFloat64()) {
			all = append(all, request{at, t})
		}
	}
	slices.SortFunc(all, func(a, b request) int { return cmp.Compare(a.at, b.at) })
	for _, q := range all {
		k.date(q.thread, q.at)
		for _, c := range codes {
			k.work(q.thread, c, ms/float64(len(codes)), spread)
		}
		k.mark(q.thread, q.at+12*ms*1e6)
	}
}

// twoPhase is one program after another.
func twoPhase(k *maker) {
	a := k.r.IntN(len(archetypes))
	archetypes[a].build(k)
	k.p.phases = []int{0, k.p.frames}
	k.gate()
	first := archetypes[a].text
	if k.r.IntN(4) == 0 { // it has loaded, and goes on at its dates
		healthy(k)
		k.m.hold = 1
		k.p.text = first + ", then " + k.p.text
		return
	}
	b := (a + 1 + k.r.IntN(len(archetypes)-1)) % len(archetypes)
	archetypes[b].build(k)
	k.p.text = first + ", then " + archetypes[b].text
}

// random is steps of any kind in any order, by independent threads, by threads that wait for each other, or in a line.
func random(k *maker) {
	k.p.text = "steps of any kind"
	var codes []int
	theme, share := k.r.IntN(8), k.r.Float64()
	for range 2 + k.r.IntN(4) {
		if k.r.Float64() < share {
			codes = append(codes, k.of(theme))
		} else {
			codes = append(codes, k.any())
		}
	}
	one, io := k.lock(), k.between(0.3, 4)
	k.p.small = 1 + k.r.IntN(10)
	spin, stores, locks := k.r.IntN(4) == 0, k.r.IntN(3) == 0, k.r.IntN(3) == 0
	var each []float64
	for range codes {
		each = append(each, k.between(0.2, 5))
	}
	step := func(t int) {
		for i, c := range codes {
			if locks && i == 0 {
				k.locked(t, one, c, each[i], 0.3, spin)
			} else {
				k.work(t, c, each[i], 0.3)
			}
		}
		if stores {
			k.storage(t, io, 0.8)
		}
	}
	n := k.some(k.between(0.1, 1.1))
	switch k.r.IntN(3) {
	case 0:
		k.workers(n, n*50, step)
	case 1:
		k.together(n, 60, spin, step, nil)
	default:
		k.line(100, 1+k.r.IntN(3), false, step, step)
	}
}

// weaken gives some machines less power or cooling than their cores could use together.
func weaken(k *maker) {
	part := k.m.core * float64(k.m.cpus/k.m.threads) * k.between(0.25, 1)
	switch k.r.IntN(9) {
	case 0:
		k.m.power = k.m.idle + part
	case 1:
		k.m.heat = k.m.idle + part
	}
}
