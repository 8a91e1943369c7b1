package amd

import (
	"strings"

	"astrolabe/capture/simulate"
)

// style makes a kernel of a kind with everything about it drawn.
type style func(r simulate.Random, m *machine) kernel

// Pieces of programs.

func valu(n int, chain float64) op { return op{kind: vector, n: n, clocks: 1, chain: chain} }
func trans(n int, chain float64) op {
	return op{kind: vector, n: n, clocks: 4, chain: chain + 3, trans: true}
}
func double(n int) op { return op{kind: vector, n: n, clocks: 16, chain: 18, double: true} }
func salu(n int) op   { return op{kind: scalarOp, n: n} }
func smem(n int) op   { return op{kind: scalarLoad, n: n} }

// local is n instructions of local memory that take so many clocks each; wide is what they take without conflicts.
func local(n int, wide, conflicts float64) op {
	all := wide * conflicts
	share := 0.0
	if all > 1 {
		share = (all - wide) / (all - 1)
	}
	return op{kind: ldsOp, n: n, clocks: all, chain: share}
}

func loads(n int, lines, m0, m1, m2, mall float64) op {
	return op{kind: load, n: n, lines: lines, part: line, miss: [3]float64{m0, m1, m2}, mall: mall}
}

func stores(n int, lines, m2, mall float64) op {
	return op{kind: store, n: n, lines: lines, part: line, miss: [3]float64{1, 1, m2}, mall: mall}
}

func halves(o op) op { o.part = line / 2; return o }

// prologue is how each kernel begins: arguments and indices.
func prologue(r simulate.Random) []op {
	return []op{smem(r.Whole(1, 3)), salu(r.Whole(2, 6)), valu(r.Whole(3, 8), 3)}
}

// made completes a kernel: the waves are as many as about that time takes, which a trial shows.
func made(r simulate.Random, m *machine, k kernel, ns float64) kernel {
	k.start = r.Between(2200, 5200)
	for p := range latency {
		k.attain[p] = r.Between(0.76, 1)
	}
	k.code = 8
	for _, list := range [][]op{k.pro, k.body, k.epi} {
		for _, o := range list {
			k.code += o.n / 8
		}
	}
	whole := m.wgps * k.group
	k.waves = 40 * whole
	if k.lds > 0 {
		k.waves = 24 * whole
	}
	if k.stretch == 0 {
		k.stretch = 1
	}
	if ns > 4e3 {
		ns = max(4e3, ns*m.scale)
	}
	took := m.run(&k).ns
	k.waves = max(whole, int(float64(k.waves)*ns/took)/k.group*k.group)
	return k
}

func drawnNs(r simulate.Random) float64 { return r.Log(180e3, 1800e3) }

func gemm(r simulate.Random, m *machine) kernel {
	fma := r.Whole(110, 220)
	k := kernel{name: pick(r, "gemm_f16_nt_128x128_k32(half const*, half const*, float*, int, int, int)", "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_SN",
		"conv2d_implicit_gemm(float const*, float const*, float*, conv_shape)"),
		group: 8, slots: r.Whole(5, 8), lds: r.Whole(16, 28) << 10, iters: 8, pro: prologue(r)}
	k.body = []op{loads(4, 4, 0.6, 0.35, r.Between(0.05, 0.2), 0.3), local(4, 2, 1.1), valu(fma, 1.5), local(5, 2, 1.05), valu(fma, 1.5),
		local(5, 2, 1.05), valu(fma, 1.5), salu(4), {kind: wait, n: 1}, {kind: barrier, n: 1}}
	k.epi = []op{valu(16, 2), stores(4, 2, 0.9, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func mathy(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "black_scholes(float*, float*, float*, int)", "gelu_bias(half*, half const*, int)", "monte_carlo_paths(uint*, float*, int)", "mandelbrot(int*, float, float, int)"),
		group: 8, slots: r.Whole(10, 16), iters: r.Whole(4, 8), pro: prologue(r)}
	k.body = []op{loads(1, r.Between(0.2, 1), 1, 0.9, 0.8, 0.3), valu(r.Whole(40, 60), 2.2), {kind: wait, n: 1}, trans(r.Whole(8, 20), 3),
		valu(r.Whole(40, 80), 2.5), salu(3)}
	k.epi = []op{stores(1, 1, 0.9, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func doubles(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "nbody_f64(double4*, double4*, double, int)", "dgemm_tile(double const*, double const*, double*, int)", "lattice_update(double*, double const*, int3)"),
		group: r.Whole(2, 8), slots: r.Whole(6, 12), iters: r.Whole(5, 9), pro: prologue(r)}
	k.body = []op{loads(2, 2, 0.6, 0.6, 0.5, 0.3), {kind: wait, n: 1}, double(r.Whole(8, 16)), valu(r.Whole(6, 14), 2), double(r.Whole(4, 8)), salu(2)}
	k.epi = []op{stores(2, 2, 0.8, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func stream(r simulate.Random, m *machine) kernel {
	wide := float64(r.Whole(1, 4))
	k := kernel{name: pick(r, "axpy_kernel(float, float const*, float*, long)", "vectorized_add<half>(half const*, half const*, half*, long)", "copy_strided(float4 const*, float4*, long)",
		"layer_norm_fused(half const*, half*, float, int)", "adamw_step(float*, float*, float*, float const*, float, int)"),
		group: 8, slots: r.Whole(10, 16), iters: r.Whole(2, 6), pro: prologue(r)}
	in := r.Whole(1, 3)
	k.body = []op{loads(in, wide, 1, 1, r.Between(0.92, 1), r.Between(0, 0.25)), salu(3), {kind: wait, n: 1}, valu(r.Whole(4, 20), 2.5),
		stores(1, wide, r.Between(0.85, 1), r.Between(0, 0.2))}
	return made(r, m, k, drawnNs(r))
}

func gemv(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "mul_mat_vec_q4_K(void const*, block_q8_1 const*, float*, int, int)", "gemv_t_half(half const*, half const*, float*, int, int)", "dequant_mul_mat_vec(char const*, float const*, float*, int)"),
		group: r.Whole(1, 4), slots: r.Whole(8, 16), iters: r.Whole(6, 14), pro: prologue(r)}
	k.body = []op{loads(2, 4, 1, 1, r.Between(0.94, 1), r.Between(0, 0.12)), loads(1, 1, 0.3, 0.2, 0.1, 0.5), valu(r.Whole(10, 26), 2), {kind: wait, n: 1}, valu(r.Whole(8, 30), 2), salu(2)}
	k.epi = []op{valu(10, 5), stores(1, 0.1, 0.5, 0.3)}
	return made(r, m, k, drawnNs(r))
}

func gather(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "embedding_bag(long const*, half const*, half*, int)", "csr_spmv_vector(int const*, int const*, float const*, float const*, float*, int)", "hash_probe(uint const*, uint2 const*, uint*, uint)"),
		group: r.Whole(2, 8), slots: r.Whole(10, 16), iters: r.Whole(3, 6), pro: prologue(r)}
	k.body = []op{loads(1, 1, 1, 0.9, 0.8, 0.1), {kind: wait, n: 1}, halves(loads(1, float64(r.Whole(8, 20)), 0.95, 0.95, r.Between(0.75, 0.95), r.Between(0.02, 0.2))), valu(r.Whole(6, 16), 3), {kind: wait, n: 1}, valu(8, 3)}
	k.epi = []op{stores(1, 1, 0.9, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func stencil(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "stencil27_step(float const*, float*, int3)", "bilateral_filter(uchar4 const*, uchar4*, int, int, float)", "depthwise_conv3x3(half const*, half const*, half*, conv_shape)", "image_resize_bicubic(float4 const*, float4*, int2)"),
		group: 8, slots: r.Whole(9, 16), iters: r.Whole(8, 14), pro: prologue(r)}
	m0 := r.Between(0.012, 0.035)
	k.body = []op{loads(9, r.Between(2, 4), m0, 0.5, 0.5, 0.3), valu(r.Whole(6, 14), 2), loads(9, r.Between(2, 4), m0, 0.5, 0.5, 0.3), valu(r.Whole(6, 14), 2), {kind: wait, n: 1}, valu(r.Whole(10, 22), 2), salu(3)}
	k.epi = []op{stores(1, 2, 0.8, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func scattered(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "transpose_naive(float const*, float*, int)", "particle_to_cell(float4 const*, int const*, float*, int)", "lut_interp3d(float4 const*, float const*, float4*, int)"),
		group: r.Whole(2, 8), slots: r.Whole(9, 16), iters: r.Whole(6, 12), pro: prologue(r)}
	k.body = []op{halves(loads(2, float64(r.Whole(16, 31)), r.Between(0.015, 0.06), 0.3, 0.3, 0.3)), valu(r.Whole(8, 24), 2.5), {kind: wait, n: 1}, valu(r.Whole(6, 16), 2.5), salu(2)}
	k.epi = []op{stores(1, 1, 0.8, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func conflicted(r simulate.Random, m *machine) kernel {
	conf := r.Between(2.5, 9)
	meet := r.Chance(0.5)
	k := kernel{name: pick(r, "transpose_lds(float const*, float*, int)", "fft1d_radix8(float2*, float2 const*, int)", "histogram256(uchar const*, uint*, int)", "bitonic_sort_local(uint*, uint)"),
		group: r.Whole(4, 8), slots: r.Whole(8, 14), lds: r.Whole(4, 10) << 10, iters: r.Whole(6, 10), pro: prologue(r)}
	k.body = []op{loads(1, 0.5, 1, 0.6, 0.5, 0.3), local(8, 1, conf), valu(r.Whole(8, 24), 2), local(10, 1, conf*r.Between(0.6, 1)), valu(r.Whole(8, 24), 2), local(6, 1, 1+conf/4), {kind: wait, n: 1}}
	if meet {
		k.body = append(k.body, op{kind: barrier, n: 1})
	}
	k.epi = []op{stores(1, 1, 0.9, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func shared(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "flash_attn_ext_f16(half const*, half const*, half const*, half*, float, int)", "scan_block_u32(uint const*, uint*, uint)", "lz_match(uchar const*, uint*, int)"),
		group: r.Whole(4, 8), slots: r.Whole(6, 12), lds: r.Whole(6, 12) << 10, iters: r.Whole(6, 12), pro: prologue(r)}
	k.body = []op{loads(1, 1, 0.6, 0.4, 0.3, 0.3), local(8, 4, 1.02), valu(r.Whole(10, 26), 1.8), local(10, 4, 1.05), valu(r.Whole(10, 26), 1.8), {kind: wait, n: 1}, {kind: barrier, n: 1}}
	k.epi = []op{stores(1, 2, 0.8, 0.2)}
	return made(r, m, k, drawnNs(r))
}

func cached(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "convolve_large_kernel(float const*, float const*, float*, int2)", "kmeans_assign(float const*, float const*, int*, int, int)", "lookup_weights(half const*, ushort const*, half*, int)", "jacobi_tile(float const*, float*, int2)"),
		group: r.Whole(2, 8), slots: r.Whole(12, 16), iters: r.Whole(6, 10), pro: prologue(r)}
	k.body = []op{loads(3, float64(r.Whole(2, 4)), r.Between(0.85, 1), r.Between(0.7, 1), r.Between(0.005, 0.03), 0.6), valu(r.Whole(6, 18), 2), {kind: wait, n: 1}, valu(r.Whole(4, 12), 2), salu(2)}
	k.epi = []op{stores(1, 1, 0.4, 0.3)}
	return made(r, m, k, drawnNs(r))
}

func chase(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "bvh_traverse(node const*, ray const*, hit*, int)", "list_rank(int const*, int*, int)", "bfs_frontier(int const*, int const*, int const*, int*, int*)", "btree_lookup(btree_node const*, uint const*, uint*, int)"),
		group: r.Whole(1, 2), slots: r.Whole(1, 3), lds: 0, iters: r.Whole(10, 24), pro: prologue(r)}
	far := r.Between(0.2, 0.8)
	k.body = []op{halves(loads(1, r.Between(1, 2.5), 0.95, 0.9, far, r.Between(0.1, 0.5))), salu(2), {kind: wait, n: 1}, valu(r.Whole(4, 14), 4)}
	k.epi = []op{stores(1, 0.5, 0.8, 0.2)}
	k.stretch = r.Between(1, 6)
	return made(r, m, k, drawnNs(r))
}

func narrow(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "solve_tridiagonal(float const*, float const*, float*, int)", "mega_kernel_shade(scene const*, float4*, int)", "rnn_step_persistent(half const*, half const*, half*, int)"),
		group: 1, slots: r.Whole(1, 3), iters: r.Whole(8, 16), pro: prologue(r)}
	k.body = []op{loads(r.Whole(1, 2), r.Between(1, 2), 0.9, 0.8, r.Between(0.1, 0.5), 0.4), {kind: wait, n: 1}, valu(r.Whole(8, 24), 3), loads(1, 1, 0.7, 0.6, 0.2, 0.4), {kind: wait, n: 1}, valu(r.Whole(6, 16), 3)}
	k.epi = []op{stores(1, 1, 0.8, 0.2)}
	k.stretch = r.Between(1, 6)
	return made(r, m, k, drawnNs(r))
}

func brief(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "fill_kernel(float*, float, int)", "scale_inplace(float*, float, int)", "rope_norm(half*, int const*, float, int)", "argmax_final(float const*, int*, int)", "cast_f32_f16(float const*, half*, int)"),
		group: r.Whole(1, 8), slots: 16, iters: 1, pro: prologue(r)}
	k.body = []op{loads(1, 1, 1, 1, r.Between(0.2, 1), 0.5), {kind: wait, n: 1}, valu(r.Whole(4, 16), 3), stores(1, 1, 0.6, 0.4)}
	return made(r, m, k, r.Log(900, 3000))
}

func launched(r simulate.Random, m *machine) kernel {
	k := kernel{name: pick(r, "mask_inactive(uchar const*, int)", "early_out_particles(int const*, float4*, int)", "sparse_tile_test(uint const*, uint*, int)", "set_flags(uchar*, int)"),
		group: r.Whole(1, 4), slots: 16, iters: 1, pro: []op{smem(1), valu(r.Whole(3, 8), 2)}}
	k.body = []op{loads(1, r.Between(0.1, 0.3), 0.9, 0.5, 0.3, 0.5), {kind: wait, n: 1}, salu(2)}
	return made(r, m, k, r.Log(120e3, 900e3))
}

// pick draws a name.
func pick(r simulate.Random, names ...string) string { return names[r.IntN(len(names))] }

// mixture is a kernel of no kind: all amounts are drawn.
func mixture(r simulate.Random, m *machine) kernel {
	k := kernel{name: "kernel_" + strings.ToLower(string(rune('a'+r.IntN(26)))) + "(void*, void const*, int)",
		group: r.Whole(1, 8), slots: r.Whole(2, 16), iters: r.Whole(2, 8), pro: prologue(r)}
	if r.Chance(0.4) {
		k.lds = r.Whole(2, 24) << 10
	}
	k.body = []op{loads(r.Whole(1, 3), r.Log(1, 12), r.Between(0.1, 1), r.Between(0.3, 1), r.Between(0.05, 1), r.Between(0, 0.5))}
	if r.Chance(0.3) {
		k.body[0] = halves(k.body[0])
	}
	k.body = append(k.body, valu(r.Whole(2, 40), 2), op{kind: wait, n: 1}, valu(int(r.Log(4, 120)), r.Between(1, 4)))
	if r.Chance(0.25) {
		k.body = append(k.body, trans(r.Whole(1, 12), 3))
	}
	if k.lds > 0 {
		k.body = append(k.body, local(r.Whole(1, 8), float64(r.Whole(1, 4)), r.Log(1, 5)), op{kind: barrier, n: 1})
	}
	k.epi = []op{stores(r.Whole(1, 2), r.Between(0.5, 3), r.Between(0.4, 1), 0.2)}
	ns := drawnNs(r)
	if r.Chance(0.15) {
		ns = r.Log(2e3, 30e3)
	}
	return made(r, m, k, ns)
}
