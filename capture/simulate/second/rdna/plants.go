package rdna

import (
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// candidates are what the leaves stand for.
var candidates = [leaves]simulate.Candidate{
	leafArithmetic: {Level: simulate.LevelUnit, Name: "arithmetic"},
	leafLoadStore:  {Level: simulate.LevelUnit, Name: "load_store"},
	leafLocal:      {Level: simulate.LevelUnit, Name: "local_memory"},
	leafLaunch:     {Level: simulate.LevelUnit, Name: "wave_launch"},
	leafBandwidth:  simulate.MemoryBandwidth,
	leafCache:      {Level: simulate.LevelMemory, Name: "cache"},
	leafLatency:    simulate.MemoryLatency,
	leafOverhead:   simulate.LaunchOverhead,
}

// relieve is a relief of one leaf alone.
func relieve(l leaf) relief {
	const rate, time = 1.5, 2.0 / 3
	r := noRelief()
	switch l {
	case leafArithmetic:
		r.arithmetic = rate
	case leafLoadStore:
		r.loadStore = rate
	case leafLocal:
		r.local = rate
	case leafLaunch:
		r.launch = rate
	case leafBandwidth:
		r.bandwidth = rate
	case leafCache:
		r.cache = rate
	case leafLatency:
		r.latency = time
	case leafOverhead:
		r.overhead = time
	}
	return r
}

// plants make kernels that one thing limits, in the order in which seeds take them.
var plants = [leaves]func(*rand.Rand, *machine) kernel{
	leafArithmetic: plantArithmetic, leafLoadStore: plantLoadStore, leafLocal: plantLocal, leafLaunch: plantLaunch,
	leafBandwidth: plantBandwidth, leafCache: plantCache, leafLatency: plantLatency, leafOverhead: plantOverhead,
}

// shaped is the kernel with its grid and what its workgroups take. Instructions come in whole numbers.
func (k kernel) shaped(groups, waves, vgprs, lds int) kernel {
	k.groups, k.waves, k.vgprs, k.lds = groups, waves, vgprs, lds
	k.perWave = max(k.perWave, 1)
	if k.firstCost == 0 {
		k.firstCost = 2
	}
	if k.code == 0 {
		k.code = 4
	}
	id := 0
	k.each(func(o *op, _ float64) {
		o.n, o.id = math.Max(1, math.Round(o.n)), id
		id++
	})
	for i := range k.loop {
		k.meets = k.meets || k.loop[i].kind == opBarrier
	}
	return k
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func plantArithmetic(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "mandelbrot_kernel(float*, int, int, int)", iters: 10 + r.IntN(30)}
	switch r.IntN(5) {
	case 0:
		k.loop = []op{valu(between(r, 60, 160)), salu(4)}
		k.uneven = between(r, 0.1, 0.7)
	case 1:
		k.name = "nbody_forces(float4 const*, float4*, int)"
		k.loop = []op{load(1, cached(16, 0.95, 0.6, 0.98, 0.5)), wait(0), valu(between(r, 160, 280)),
			trans(between(r, 8, 20)), salu(3)}
	case 2:
		k.name = "black_scholes(float*, float*, float const*, float const*, float const*, int)"
		k.loop = []op{valu(between(r, 40, 90)), trans(between(r, 20, 40))}
	case 3:
		k.name = "sha256_search(unsigned int*, unsigned int)"
		k.loop = []op{chained(between(r, 200, 400), 2), salu(6)}
	case 4:
		k.name = "monte_carlo_pi(double*, unsigned long, int)"
		k.loop = []op{double(between(r, 6, 20)), valu(30), salu(2)}
	}
	k.before = []op{smem(3), valu(10)}
	k.after = []op{store(1, stream(4, 0.3))}
	return k.shaped(m.wgps()*(30+r.IntN(300)), 8, 24+r.IntN(60), 0)
}

func plantLoadStore(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "box_filter_f32(float const*, float*, int, int, int)", iters: 8 + r.IntN(24)}
	switch r.IntN(3) {
	case 0:
		k.loop = []op{load(between(r, 4, 9), cached(4, 0.97, 0.6, 0.98, 0.5)), valu(between(r, 6, 12)), wait(1),
			salu(2)}
	case 1:
		k.name = "interpolate_table(float const*, int const*, float*, int)"
		k.loop = []op{load(1, scattered(between(r, 12, 28), 0.985, 0.7, 1, 1)), valu(between(r, 4, 10)), wait(1),
			salu(2)}
	case 2:
		k.name = "aos_to_soa(Particle const*, float*, int)"
		k.loop = []op{load(between(r, 4, 7), scattered(between(r, 14, 30), 0.975, 0.6, 0.9, 0.9)), wait(1), valu(8),
			salu(1)}
	}
	k.before = []op{smem(2), valu(8)}
	k.after = []op{store(1, stream(4, 0.4))}
	return k.shaped(m.wgps()*(30+r.IntN(200)), 8, 32+r.IntN(40), 0)
}

func plantLocal(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "bitonic_sort_shared(unsigned int*, int)", iters: 10 + r.IntN(20)}
	ways := pick(r, 1.0, 2, 4, 8)
	n := between(r, 24, 40) / ways
	bytes := pick(r, 1.0, 2)
	k.loop = []op{lds(n+2, bytes, ways), waitLDS(), valu(between(r, 6, 14)), barrier(), salu(2)}
	if r.IntN(2) == 0 {
		k.name = "histogram_shared(unsigned char const*, unsigned int*, int)"
		k.loop = []op{load(1, cached(4, 0, 0, 0.3, 0.7)), wait(0), lds(between(r, 24, 40)/ways+2, 1, ways), waitLDS(),
			valu(8)}
		k.loop[2].returns = r.IntN(2) == 0
	}
	k.before = []op{smem(2), load(1, stream(8, 0.3)), wait(0), lds(2, 1, 1), waitLDS(), barrier()}
	k.after = []op{lds(2, 1, 1), waitLDS(), store(1, stream(4, 0.3))}
	return k.shaped(m.wgps()*(20+r.IntN(150)), 8, 24+r.IntN(30), (4+r.IntN(8))<<10)
}

func plantLaunch(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "flag_active(unsigned int const*, unsigned int*, int)", perWave: between(r, 1, 2),
		firstCost: between(r, 2, 6)}
	out := stream(4, 0.8)
	out.segments = between(r, 0.05, 0.3) // most waves leave early
	k.before = []op{valu(between(r, 3, 8))}
	k.after = []op{store(1, out)}
	if r.IntN(2) == 0 {
		k.before = []op{smem(1), valu(between(r, 3, 8))}
	}
	return k.shaped(m.wgps()*(1500+r.IntN(4000)), pick(r, 1, 2, 4), 16, 0)
}

func plantBandwidth(r *rand.Rand, m *machine) kernel {
	width, mall := pick(r, 4.0, 8, 16), between(r, 0, 0.15)
	k := kernel{name: "triad(float*, float const*, float const*, float)"}
	n := pick(r, 1.0, 2, 4)
	k.before = []op{smem(2), valu(4), load(n, stream(width, mall)), wait(0), valu(between(r, 1, 6)), store(1,
		stream(width, mall))}
	switch r.IntN(3) {
	case 0:
		k.name = "sum_partial(float const*, float*, int)"
		k.before = []op{smem(2), valu(4)}
		k.loop = []op{load(2, stream(width, mall)), wait(1), valu(4), salu(1)}
		k.iters = 6 + r.IntN(20)
		k.after = []op{wait(0), valu(10)}
	case 1:
		k.name = "fill(float*, float, int)"
		k.before = []op{smem(1), valu(3), store(n, stream(width, mall))}
	}
	k = k.shaped(m.wgps(), 8, 24+r.IntN(24), 0)
	k.groups *= int(between(r, 80e6, 400e6)/k.streams()) + 1 // far more than the memory-side cache holds
	return k
}

func plantCache(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "lookup_rows(float4 const*, int const*, float4*, int)", iters: 8 + r.IntN(24)}
	switch r.IntN(3) {
	case 0:
		k.loop = []op{load(2, cached(16, 0.02, between(r, 0, 0.15), 0.985, 0.9)), wait(1), valu(between(r, 4, 16)),
			salu(2)}
	case 1:
		k.name = "scatter_add(float*, int const*, float const*, int)"
		k.loop = []op{load(1, cached(4, 0, 0, 0.5, 0.8)), wait(0),
			atomics(1, access{segments: between(r, 8, 28), gl2: 1, toMemory: 0.1, hot: between(r, 0, 3),
				dramWaste: 1}), valu(5)}
	case 2:
		k.name = "jacobi_small(float const*, float*, int, int)"
		k.loop = []op{load(3, cached(8, 0.1, 0.05, 0.99, 0.9)), wait(1), valu(12),
			store(1, cached(4, 0, 0, 1, 1).kept()), salu(2)}
	}
	k.before = []op{smem(2), valu(8)}
	k.after = []op{wait(0), valu(2)}
	return k.shaped(m.wgps()*(30+r.IntN(200)), 8, 24+r.IntN(40), 0)
}

// kept is access to data that GL2 keeps: hardly any of it is written to memory while the kernel runs.
func (a access) kept() access {
	a.toMemory = 0.02
	return a
}

func plantLatency(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "chase(Node const*, int*, int)", iters: 20 + r.IntN(60)}
	mem := scattered(between(r, 1, 6), 0.02, 0.02, between(r, 0, 0.6), between(r, 0.1, 0.8))
	k.loop = []op{load(1, mem), wait(0), valu(between(r, 2, 8)), salu(2)}
	groups, waves, vgprs := m.wgps()*(1+r.IntN(3)), pick(r, 1, 2, 4), 24
	switch r.IntN(3) {
	case 0:
		k.uneven = between(r, 0, 0.3)
		k.name = "tree_search(int const*, float const*, int*, int)"
		k.loop = []op{load(1, mem), wait(0), valu(6), load(1, scattered(2, 0.3, 0.1, 0.7, 0.7)), wait(0), valu(4),
			salu(3)}
	case 1:
		k.name = "row_solve_serial(float const*, float*, int)"
		k.loop = []op{load(1, cached(8, 0, 0, 0.2, 0.5)), wait(0), valu(between(r, 6, 14)), salu(2)}
		vgprs = 200
	}
	k.before = []op{smem(2), valu(6)}
	k.after = []op{store(1, stream(4, 0.5))}
	return k.shaped(groups, waves, vgprs, 0)
}

func plantOverhead(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "scale_vector(float*, float, int)"}
	k.before = []op{smem(2), valu(4), load(1, cached(4, 0, 0, 0.8, 0.9)), wait(0), valu(2), store(1, stream(4,
		0.9).kept())}
	if r.IntN(2) == 0 {
		k.name = "finish_reduction(float const*, float*, int)"
		k.before = []op{smem(2), load(1, cached(8, 0, 0, 0.9, 0.9)), wait(0), valu(10), lds(4, 1, 1), waitLDS(),
			barrier(), valu(6)}
	}
	return k.shaped(1+r.IntN(48), pick(r, 2, 4, 8), 24, 0)
}
