package rdna

import "math/rand/v2"

// spmv multiplies a sparse matrix in rows: values in order, the vector wherever columns point.
func spmv(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.7),
		name:  "csr_spmv_vector<32>(int, int const*, int const*, double const*, double const*, double*)",
		iters: 1 + r.IntN(8)}
	mall := between(r, 0, 0.5)
	x := scattered(between(r, 6, 28), between(r, 0.2, 0.7), between(r, 0.1, 0.4), between(r, 0.4, 0.98), 0.8)
	k.loop = []op{load(1, stream(4, mall)), load(1, stream(8, mall)), wait(1), load(1, x), wait(0), double(1), salu(3)}
	k.before = []op{smem(4), load(1, cached(4, 0.5, 0.2, 0.5, 0.5)), wait(0), valu(8)}
	k.after = []op{lds(5, 1, 1), waitLDS(), valu(10), store(1, stream(4, 0.5))}
	k.after[3].mem.segments = 1
	return k.shaped(pick(r, 256, 1024, 8192), 8, 32, 0)
}

func pairForces(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.4), name: "lj_force_neigh(float4 const*, int const*, float4*, float, int)",
		iters: 6 + r.IntN(20)}
	atoms := scattered(between(r, 8, 26), between(r, 0.4, 0.85), 0.3, between(r, 0.8, 0.99), 0.9)
	k.loop = []op{load(1, cached(4, 0, 0, 0.3, 0.6)), wait(0), load(1, atoms), wait(0), valu(between(r, 24, 60)),
		trans(between(r, 1, 4)), salu(2)}
	k.before = []op{smem(4), load(1, stream(16, 0.7)), wait(0), valu(8)}
	k.after = []op{store(1, stream(16, 0.6))}
	return k.shaped(pick(r, 64, 256, 1024), pick(r, 2, 4, 8), 50+r.IntN(60), 0)
}

func neighbours(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.5),
		name: "build_neighbors(float4 const*, int const*, int const*, int*, float, int)", iters: 8 + r.IntN(20)}
	k.loop = []op{load(1, scattered(between(r, 2, 8), 0.6, 0.3, 0.9, 0.9)), wait(0), valu(between(r, 10, 24)), salu(4)}
	k.before = []op{smem(5), load(1, stream(16, 0.7)), wait(0), valu(20)}
	k.after = []op{valu(4), store(4, scattered(20, 0, 0, 0.7, 0.7))}
	return k.shaped(pick(r, 64, 256, 1024), 4, 48, 0)
}

func sortHistogram(r *rand.Rand, m *machine) kernel {
	k := histogram(r, m)
	k.name = "onesweep_histograms_kernel(unsigned int const*, unsigned long*, unsigned long)"
	return k
}

func scan(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "lookback_scan_kernel(unsigned int const*, unsigned int*, lookback_scan_state, int)"}
	mall := between(r, 0, 0.95)
	k.before = []op{smem(3), load(2, stream(16, mall)), wait(0), valu(30)}
	for range 5 {
		k.before = append(k.before, lds(2, 1, 1), waitLDS(), valu(4), barrier())
	}
	// A workgroup waits for the sum of those before it.
	look := scattered(2, 0, 0, 1, 1)
	k.after = []op{load(1, look), wait(0), load(1, look), wait(0), barrier(), valu(20), store(2, stream(16, mall))}
	return k.shaped(pick(r, 8, 64, 1024, 4096), 8, 40, 4<<10)
}

func sortScatter(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "onesweep_scatter_kernel(unsigned int const*, unsigned int*, unsigned long*, int, int)"}
	mall := between(r, 0, 0.6)
	out := scattered(between(r, 6, 24), 0, 0, between(r, 0.3, 0.8), mall)
	out.toMemory = 0.8
	rank := lds(4, 1, between(r, 1, 3))
	rank.returns = true
	k.before = []op{smem(4), load(4, stream(4, mall)), wait(0)}
	for range 4 {
		k.before = append(k.before, valu(between(r, 24, 60)), rank, waitLDS())
	}
	k.before = append(k.before, barrier(), lds(8, 1, between(r, 1, 2)), waitLDS(), barrier(), lds(4, 1, 1),
		waitLDS(), store(4, out))
	return k.shaped(pick(r, 64, 1024, 4096), 8, 64, 16<<10)
}

// frontier expands the vertices that a search has reached: few lanes, each after its own edges.
func frontier(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.8), name: "bfs_expand(int const*, int const*, int const*, int*, int*, int)",
		iters: 3 + r.IntN(20)}
	edges := scattered(between(r, 4, 24), between(r, 0.1, 0.5), 0.1, between(r, 0.2, 0.7), between(r, 0.1, 0.7))
	seen := scattered(between(r, 6, 26), between(r, 0.1, 0.3), 0.1, between(r, 0.4, 0.95), 0.8)
	k.loop = []op{load(1, edges), wait(0), load(1, seen), wait(0), valu(8),
		atomics(1, access{segments: between(r, 0.2, 4), gl2: 0.9, toMemory: 0.3, hot: between(r, 0, 2), mall: 0.7,
			dramWaste: 1.5}),
		salu(5)}
	k.before = []op{smem(4), load(1, stream(4, 0.8)), wait(0), load(2, edges), wait(0), valu(8)}
	return k.shaped(pick(r, 4, 64, 512, 2048), pick(r, 4, 8), 32, 0)
}

func compact(r *rand.Rand, m *machine) kernel {
	mall := between(r, 0.2, 1)
	out := stream(4, mall)
	out.segments = between(r, 0.2, 1.5)
	k := kernel{name: "compact_if(int const*, int*, int*, int)"}
	k.before = []op{smem(3), valu(6), load(1, stream(4, mall)), wait(0), valu(10), lds(2, 1, 1), waitLDS(), barrier(),
		atomics(1, access{segments: 0.13, gl2: 1, hot: between(r, 2, 12), dramWaste: 1}), wait(0), store(1, out)}
	return k.shaped(pick(r, 64, 1024, 8192, 32768), 8, 24, 1<<10)
}

func hashBuild(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "hash_build(unsigned long const*, Slot*, unsigned int, int)", iters: 1 + r.IntN(4)}
	k.loop = []op{atomics(1, access{segments: between(r, 24, 32), gl2: between(r, 0.05, 0.9), mall: between(r, 0.1,
		0.9),
		toMemory: 0.8, hot: between(r, 0, 1), dramWaste: 1.6}), wait(0), valu(6), salu(3)}
	k.before = []op{smem(3), load(1, stream(8, 0.2)), wait(0), valu(24)}
	return k.shaped(pick(r, 256, 1024, 4096), 8, 24, 0)
}

func hashProbe(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.6),
		name: "hash_probe(unsigned long const*, Slot const*, unsigned int*, unsigned int, int)", iters: 1 + r.IntN(5)}
	k.loop = []op{load(1, scattered(between(r, 22, 32), 0.02, 0.02, between(r, 0.05, 0.95), between(r, 0.1, 0.9))),
		wait(0),
		valu(8), salu(4)}
	k.before = []op{smem(3), load(1, stream(8, 0.2)), wait(0), valu(24)}
	k.after = []op{store(1, stream(4, 0.3))}
	return k.shaped(pick(r, 256, 1024, 8192), 8, 24+r.IntN(30), 0)
}

// anyKernel is a loop of whatever.
func anyKernel(r *rand.Rand, m *machine) kernel {
	k := kernel{name: pick(r, "step_kernel(State*, int)", "update(float*, float const*, int)",
		"apply(Field, Field, float)",
		"kernel_0(float*, float*, int)"), iters: r.IntN(24)}
	batch := func() []op {
		switch r.IntN(7) {
		case 0:
			return []op{valu(between(r, 4, 200))}
		case 1:
			return []op{trans(between(r, 1, 20))}
		case 2:
			return []op{lds(between(r, 1, 20), pick(r, 1.0, 2, 4), pick(r, 1.0, 1, 2, 4)), waitLDS()}
		case 3:
			a := cached(pick(r, 4.0, 8, 16), between(r, 0, 0.9), between(r, 0, 0.5), between(r, 0, 0.95), between(r,
				0, 1))
			return []op{load(between(r, 1, 4), a), wait(r.IntN(2))}
		case 4:
			a := scattered(between(r, 2, 32), between(r, 0, 0.9), between(r, 0, 0.5), between(r, 0, 0.98),
				between(r, 0, 1))
			return []op{load(1, a), wait(0)}
		case 5:
			return []op{store(1, cached(pick(r, 4.0, 8, 16), 0, 0, between(r, 0, 0.9), between(r, 0, 1)))}
		}
		return []op{barrier(), salu(between(r, 1, 10))}
	}
	for range 2 + r.IntN(5) {
		k.loop = append(k.loop, batch()...)
	}
	k.before = append([]op{smem(float64(1 + r.IntN(5))), valu(between(r, 4, 40))}, batch()...)
	k.after = batch()
	ldsBytes := 0
	for _, o := range append(append([]op{}, k.loop...), append(k.before, k.after...)...) {
		if o.kind == opLDS {
			ldsBytes = (1 + r.IntN(16)) << 10
		}
	}
	return k.shaped(pick(r, 4, 32, 128, 512, 2048, 8192), pick(r, 1, 2, 4, 8), 20+r.IntN(160), ldsBytes)
}
