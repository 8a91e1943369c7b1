package rdna

import "math/rand/v2"

// volume marches rays through a grid: eight neighbours per step, most of them in L0.
func volume(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.5), name: "ray_march(float const*, float4*, Camera, int3)",
		iters: 10 + r.IntN(50)}
	grid := scattered(between(r, 3, 12), between(r, 0.85, 0.98), between(r, 0.3, 0.7), between(r, 0.6, 0.95), 0.8)
	k.loop = []op{load(8, grid), wait(0), valu(between(r, 30, 90)), salu(3)}
	k.before = []op{smem(5), valu(60), trans(6)}
	k.after = []op{valu(10), store(1, stream(16, 0.6))}
	return k.shaped(pick(r, 512, 2048, 8192), pick(r, 2, 4, 8), 48+r.IntN(40), 0)
}

// trace walks a hierarchy of boxes: each step needs what the one before found.
func trace(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.7),
		name: "trace_closest(BvhNode const*, Triangle const*, Ray const*, Hit*, int)", iters: 15 + r.IntN(40)}
	nodes := scattered(between(r, 8, 26), between(r, 0.3, 0.8), between(r, 0.2, 0.5), between(r, 0.6, 0.97), 0.8)
	k.loop = []op{load(between(r, 1, 4), nodes), wait(0), valu(between(r, 30, 90)), salu(6)}
	if r.IntN(2) == 0 { // a stack of each lane
		k.loop = append(k.loop, lds(2, 1, between(r, 1, 2)), waitLDS())
		return k.traced(r, 16<<10)
	}
	return k.traced(r, 0)
}

func (k kernel) traced(r *rand.Rand, lds int) kernel {
	k.before = []op{smem(5), load(2, stream(16, 0.8)), wait(0), valu(30)}
	k.after = []op{valu(16), store(1, stream(16, 0.8))}
	k.code = 30
	return k.shaped(pick(r, 64, 1024, 4096), pick(r, 2, 4), 80+r.IntN(120), lds)
}

func shade(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "shade_hits(Hit const*, Material const*, Ray*, float4*, unsigned int, int)"}
	k.before = []op{smem(6), load(3, stream(16, between(r, 0.2, 0.9))), wait(0), valu(40),
		load(4, scattered(between(r, 6, 20), 0.5, 0.4, 0.9, 0.9)), wait(0), valu(between(r, 100, 400)),
		trans(between(r, 10, 60)),
		store(2, stream(16, between(r, 0.2, 0.9)))}
	k.code = 120
	return k.shaped(pick(r, 256, 2048, 8192), 8, 90+r.IntN(80), 0)
}

// align fills a table of scores along its diagonals, which lie in LDS.
func align(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "smith_waterman(char const*, char const*, int*, int, int)", iters: 20 + r.IntN(40)}
	k.loop = []op{lds(between(r, 4, 14), 1, pick(r, 1.0, 1, 2)), waitLDS(), valu(between(r, 12, 40)), lds(2, 1, 1),
		waitLDS(),
		barrier(), salu(2)}
	k.before = []op{smem(4), load(2, stream(4, 0.5)), wait(0), lds(2, 1, 1), waitLDS(), barrier()}
	k.after = []op{store(1, stream(4, 0.5))}
	return k.shaped(pick(r, 64, 256, 2048), pick(r, 1, 4, 8), 32, (2+r.IntN(14))<<10)
}

// embedding sums rows of a table that indices choose.
func embedding(r *rand.Rand, m *machine) kernel {
	k := kernel{uneven: between(r, 0, 0.5),
		name:  "embedding_bag_updateOutputKernel<float, long>(long const*, float const*, float*, int)",
		iters: 4 + r.IntN(28)}
	rows := cached(pick(r, 8.0, 16), 0.05, 0.05, between(r, 0.05, 0.9), between(r, 0.05, 0.8))
	rows.dramWaste = 1.15
	k.loop = []op{smem(1), load(1, rows), wait(pick(r, 0, 1)), valu(6), salu(3)}
	k.before = []op{smem(5), valu(8)}
	k.after = []op{wait(0), store(1, stream(16, 0.7))}
	return k.shaped(pick(r, 64, 512, 4096), pick(r, 1, 2, 4), 28, 0)
}

// recurrence walks along time, and few rows run side by side.
func recurrence(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "selective_scan_fwd_kernel(SSMParamsBase)", iters: 20 + r.IntN(60)}
	k.loop = []op{load(pick(r, 1.0, 2, 3), stream(pick(r, 4.0, 8), between(r, 0.2, 0.95))), wait(pick(r, 0, 0, 2)),
		chained(between(r, 10, 60), between(r, 2, 5)), trans(between(r, 1, 4)), salu(2)}
	k.before = []op{smem(6), valu(20)}
	k.after = []op{store(1, stream(4, 0.6))}
	return k.shaped(pick(r, 8, 16, 64, 256), pick(r, 1, 2, 4), 64+r.IntN(60), 0)
}

// marks looks at one flag per item and mostly ends at once.
func marks(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "mark_degenerate(unsigned char const*, unsigned char*, int)", perWave: between(r, 1, 1.6),
		firstCost: between(r, 2, 5)}
	in := cached(1, 0, 0, between(r, 0.4, 0.9), 0.9)
	out := in.kept()
	out.segments = between(r, 0.1, 0.5)
	k.before = []op{smem(1), valu(5), load(1, in), wait(0), valu(3), store(1, out)}
	return k.shaped(pick(r, 4096, 16384, 65536), pick(r, 1, 2, 2, 4), 16, 0)
}

func bitonic(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "bitonic_merge_shared(unsigned int*, unsigned int*, int, int)", iters: 12 + r.IntN(30)}
	k.loop = []op{lds(4, 1, pick(r, 1.0, 2, 2, 4)), waitLDS(), valu(between(r, 6, 16)), lds(4, 1, pick(r, 1.0, 2)),
		waitLDS(),
		barrier(), salu(3)}
	k.before = []op{smem(3), load(2, stream(4, 0.6)), wait(0), lds(4, 1, 1), waitLDS(), barrier()}
	k.after = []op{lds(4, 1, 1), waitLDS(), store(2, stream(4, 0.6))}
	return k.shaped(pick(r, 128, 1024, 4096), 8, 24, 8<<10)
}

func mergePass(r *rand.Rand, m *machine) kernel {
	mall := between(r, 0, 0.9)
	k := kernel{name: "merge_path_pass(unsigned int const*, unsigned int*, int, int)", iters: 8 + r.IntN(10)}
	k.before = []op{smem(4), valu(10)}
	k.loop = []op{load(1, scattered(2, 0.2, 0.2, 0.6, 0.8)), wait(0), valu(8), salu(3)} // where its parts begin
	k.after = []op{load(4, stream(4, mall)), wait(0), lds(4, 1, 1), waitLDS(), barrier(), lds(12, 1, between(r, 1,
		2.5)), waitLDS(),
		valu(60), store(4, stream(4, mall))}
	return k.shaped(pick(r, 64, 512, 4096), 8, 32, 8<<10)
}

// hotSet reads again and again what some level of the caches holds.
func hotSet(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "cache_read_bw<float4>(float4 const*, float*, int)", iters: 12 + r.IntN(40)}
	in := cached(16, 0, 0, 0, 1)
	switch r.IntN(4) {
	case 0:
		in.l0 = 0.995
	case 1:
		in.gl1, in.gl2 = 0.1, 0.995
	case 2:
		in.gl2 = 0.995
	}
	k.loop = []op{load(4, in), wait(1), valu(16), salu(2)}
	k.before = []op{smem(3), valu(8)}
	k.after = []op{wait(0), valu(4)}
	return k.shaped(m.wgps()*(8+r.IntN(60)), 8, 48, 0)
}
