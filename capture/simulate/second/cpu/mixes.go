package cpu

import "math/rand/v2"

// dice draws.
type dice struct{ *rand.Rand }

func (d dice) in(lo, hi float64) float64      { return lo + (hi-lo)*d.Float64() }
func (d dice) whole(lo, hi int) int           { return lo + d.IntN(hi-lo+1) }
func (d dice) chance(p float64) bool          { return d.Float64() < p }
func (d dice) near(v, spread float64) float64 { return v * d.in(1-spread, 1+spread) }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// plain is code that nothing limits much: where the others begin.
func plain(d dice, m *model) mix {
	x := mix{name: "plain", ipc: m.width * d.in(0.45, 0.6), branches: d.in(0.1, 0.18), misses: d.in(0.001, 0.004),
		fetch: d.in(0.01, 0.05), l1: d.in(0.006, 0.015), overlap: d.in(2, 4), loads: d.in(0.22, 0.32),
		kernel: d.in(0.01, 0.05), faults: d.in(0, 2e-7)}
	x.icache = x.fetch / 15
	x.l2 = x.l1 * d.in(0.1, 0.3)
	x.llc = x.l2 * d.in(0.02, 0.12)
	x.tlb = x.l2 * d.in(0.02, 0.1)
	x.itlb = x.icache * 0.02
	return x
}

// executing is code that ports or chains of operations limit: hashes, codecs, dense algebra, divisions.
func executing(d dice, m *model) mix {
	x := plain(d, m)
	x.name, x.branches, x.misses = "executing", d.in(0.02, 0.09), d.in(0.00005, 0.0008)
	x.fetch = d.in(0.001, 0.01)
	x.ipc = d.in(0.6, 1.4)
	if d.chance(0.5) {
		x.ipc = m.width * d.in(0.55, 0.8)
	}
	x.icache, x.itlb = x.fetch/15, x.fetch/900
	x.l1 = d.in(0.001, 0.008)
	x.l2 = x.l1 * d.in(0.03, 0.15)
	x.llc = x.l2 * d.in(0.01, 0.08)
	x.stream = d.in(0, 0.0008)
	return x
}

// guessing is code whose branches depend on data: sorting, parsing, compression, searching.
func guessing(d dice, m *model) mix {
	x := plain(d, m)
	x.name, x.ipc = "guessing", m.width*d.in(0.6, 0.75)
	x.branches = d.in(0.16, 0.25)
	x.misses = x.branches * d.in(0.15, 0.23) * 14 / m.penalty
	x.l1 = d.in(0.003, 0.01)
	x.l2 = x.l1 * d.in(0.05, 0.2)
	x.llc = x.l2 * d.in(0.01, 0.08)
	return x
}

// sprawling is code larger than its caches: servers, compilers, interpreters, browsers.
func sprawling(d dice, m *model) mix {
	x := plain(d, m)
	x.name, x.ipc = "sprawling", m.width*d.in(0.5, 0.7)
	x.branches, x.misses = d.in(0.16, 0.22), d.in(0.002, 0.007)
	x.fetch = d.in(0.5, 1.1)
	x.icache = x.fetch / d.in(14, 20)
	x.itlb = x.icache * d.in(0.02, 0.06)
	x.l1 = d.in(0.01, 0.02)
	x.kernel = d.in(0.05, 0.25)
	return x
}

// chasing is code that follows pointers through more data than the caches hold: graphs, hash joins, indices.
func chasing(d dice, m *model) mix {
	x := plain(d, m)
	x.name, x.overlap = "chasing", d.in(1, 2.2)
	if d.chance(0.25) { // through what the last level holds
		x.l2 = d.in(0.03, 0.07)
		x.llc = x.l2 * d.in(0.01, 0.05)
		x.overlap = 1
	} else {
		x.llc = d.in(0.006, 0.025)
		x.l2 = x.llc * d.in(1.1, 1.6)
	}
	x.l1 = x.l2 * d.in(1.1, 1.7)
	x.tlb = x.l2 * d.in(0.2, 0.7)
	x.misses = d.in(0.001, 0.005)
	return x
}

// streaming is code that walks through memory: copies, scans, stencils, weights of a network.
func streaming(d dice, m *model) mix {
	x := plain(d, m)
	x.name, x.ipc = "streaming", m.width*d.in(0.5, 0.75)
	x.branches, x.misses, x.fetch = d.in(0.04, 0.12), d.in(0.00005, 0.0006), d.in(0.001, 0.01)
	x.stream, x.writes = d.in(0.03, 0.1), d.in(0.05, 0.6)
	x.l1 = d.in(0.002, 0.006)
	x.l2 = x.l1 * 0.2
	x.llc = x.l2 * 0.1
	x.tlb = x.stream * d.in(0.005, 0.02)
	return x
}

// blended is some mix of the others' properties.
func blended(d dice, m *model) mix {
	a := pick(d, executing, guessing, sprawling, chasing, streaming, plain)(d, m)
	return blend(a, plain(d, m), d.in(0.2, 1))
}

// blend has a share of one mix, the rest of the other.
func blend(a, b mix, share float64) mix {
	of := func(p, q float64) float64 { return share*p + (1-share)*q }
	return mix{name: "blend of " + a.name, ipc: 1 / of(1/a.ipc, 1/b.ipc), branches: of(a.branches, b.branches),
		misses: of(a.misses, b.misses), fetch: of(a.fetch, b.fetch), icache: of(a.icache, b.icache),
		l1: of(a.l1, b.l1), l2: of(a.l2, b.l2), llc: of(a.llc, b.llc), tlb: of(a.tlb, b.tlb),
		itlb: of(a.itlb, b.itlb), overlap: of(a.overlap, b.overlap), stream: of(a.stream, b.stream),
		writes: of(a.writes, b.writes), loads: of(a.loads, b.loads), kernel: of(a.kernel, b.kernel),
		faults: of(a.faults, b.faults)}
}

// shared is code under a lock: lines come from other cores, and every call is a cold one.
func shared(d dice, m *model) mix {
	x := plain(d, m)
	x.name = "shared"
	x.fetch, x.icache = 0.4/x.ipc*d.in(0.6, 1.4), 0.4/x.ipc/16
	x.misses = 0.35 / x.ipc / m.penalty * d.in(0.6, 1.4)
	x.overlap = d.in(1, 1.5)
	x.l2 = 0.9 / x.ipc * x.overlap / (m.l3 * m.most) * d.in(0.6, 1.4)
	x.llc, x.l1 = x.l2*d.in(0.01, 0.06), x.l2*1.5
	return x
}

// calling is the kernel that carries out calls: it copies, and walks through much code.
func calling(d dice, m *model) mix {
	x := sprawling(d, m)
	x.name, x.kernel, x.faults = "calling", 0.95, 0
	x.fetch *= 0.6
	x.stream, x.writes = d.in(0.002, 0.01), 0.5
	return x
}

// pausing is a loop that looks at a lock, with the instruction that tells the processor so.
func pausing(d dice, m *model) mix {
	x := mix{name: "pausing", ipc: d.in(0.03, 0.12), branches: 0.3, misses: 0.0002, fetch: 0.001, icache: 1e-5, l1: 0.004,
		l2: 0.002, llc: 1e-5, overlap: 1, loads: 0.3}
	if m.maker == arm { // its hint takes no time
		x.ipc = d.in(0.8, 2)
	}
	return x
}
