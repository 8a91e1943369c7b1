package rdna

import "math/rand/v2"

// application is a program with its usual kernels.
type application struct {
	name    string
	kernels []func(*rand.Rand, *machine) kernel
}

var applications = []application{
	{"dense solver", []func(*rand.Rand, *machine) kernel{gemm, transpose, reduction, axpy}},
	{"inference of a transformer", []func(*rand.Rand, *machine) kernel{gemm, attention, softmax, layerNorm,
		elementwise}},
	{"inference of a convolutional network", []func(*rand.Rand, *machine) kernel{convolution, elementwise, pooling}},
	{"token generation", []func(*rand.Rand, *machine) kernel{gemv, layerNorm, elementwise, softmax}},
	{"sparse solver", []func(*rand.Rand, *machine) kernel{spmv, axpy, dot, dot}},
	{"heat equation", []func(*rand.Rand, *machine) kernel{stencil, reduction}},
	{"image processing", []func(*rand.Rand, *machine) kernel{blur, histogram, transpose}},
	{"signal processing", []func(*rand.Rand, *machine) kernel{fft, transpose, elementwise}},
	{"radix sort", []func(*rand.Rand, *machine) kernel{sortHistogram, scan, sortScatter}},
	{"graph traversal", []func(*rand.Rand, *machine) kernel{frontier, compact}},
	{"molecular dynamics", []func(*rand.Rand, *machine) kernel{pairForces, neighbours, axpy}},
	{"option pricing", []func(*rand.Rand, *machine) kernel{plantArithmetic, reduction}},
	{"hash join", []func(*rand.Rand, *machine) kernel{hashBuild, hashProbe, compact}},
	{"volume rendering", []func(*rand.Rand, *machine) kernel{volume, elementwise}},
	{"path tracing", []func(*rand.Rand, *machine) kernel{trace, shade, compact}},
	{"sequence alignment", []func(*rand.Rand, *machine) kernel{align}},
	{"recommendation", []func(*rand.Rand, *machine) kernel{embedding, gemm, elementwise}},
	{"time series", []func(*rand.Rand, *machine) kernel{recurrence, elementwise}},
	{"mesh clean-up", []func(*rand.Rand, *machine) kernel{marks, compact}},
	{"sorting in shared memory", []func(*rand.Rand, *machine) kernel{bitonic, mergePass}},
	{"bandwidth test", []func(*rand.Rand, *machine) kernel{hotSet, axpy}},
	{"matrix multiplication", []func(*rand.Rand, *machine) kernel{gemm}},
	{"prompt processing", []func(*rand.Rand, *machine) kernel{gemm, gemm, attention, layerNorm}},
	{"hash search", []func(*rand.Rand, *machine) kernel{plantArithmetic}},
	{"ray casting", []func(*rand.Rand, *machine) kernel{volume, trace}},
	{"index look-ups", []func(*rand.Rand, *machine) kernel{plantLatency, compact}},
	{"convolution", []func(*rand.Rand, *machine) kernel{convolution, blur}},
	{"particles", []func(*rand.Rand, *machine) kernel{pairForces, marks}},
	{"copy", []func(*rand.Rand, *machine) kernel{axpy}},
	{"many small kernels", []func(*rand.Rand, *machine) kernel{plantOverhead, elementwise, dot}},
}

var library = []func(*rand.Rand, *machine) kernel{gemm, transpose, reduction, axpy, attention, softmax, layerNorm,
	elementwise, convolution, pooling, gemv, spmv, dot, stencil, blur, histogram, fft, sortHistogram, scan, sortScatter,
	frontier, compact, pairForces, neighbours, hashBuild, hashProbe, volume, trace, shade, align, embedding,
	recurrence, marks, bitonic, mergePass, hotSet}

// gemm multiplies matrices by tiles in LDS, in single precision or with matrix instructions in half.
func gemm(r *rand.Rand, m *machine) kernel {
	groups := pick(r, 16, 64, 128, 256, 1024)
	l2 := between(r, 0.75, 0.97) // tiles of a row or column of workgroups are shared
	in := cached(16, 0, between(r, 0.2, 0.5), l2, between(r, 0.5, 0.95))
	k := kernel{iters: pick(r, 8, 16, 32, 48)}
	ways := pick(r, 1.0, 1, 1.12, 1.5, 2)
	if r.IntN(3) == 0 {
		k.name = "Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_MI16x16x1(...)"
		k.loop = []op{load(2, in), lds(between(r, 14, 20), 4, ways), waitLDS(), matrix(16), wait(0), lds(2, 4, 1),
			barrier(), salu(6)}
		k.before = []op{smem(4), valu(30), load(2, in), wait(0), lds(2, 4, 1), barrier()}
		k.after = []op{valu(20), store(4, stream(8, 0.8))}
		return k.shaped(groups, 4, 120+r.IntN(80), 16<<10)
	}
	fma := between(r, 320, 520) // of a step in K, partly issued in pairs
	k.name = "Cijk_Ailk_Bljk_SB_MT128x128x16(...)"
	k.loop = []op{load(2, in), lds(fma/between(r, 14, 20), 4, ways), waitLDS(), valu(fma), wait(0), lds(2, 4, 1),
		barrier(), salu(6)}
	k.before = []op{smem(4), valu(40), load(2, in), wait(0), lds(2, 4, 1), barrier()}
	k.after = []op{valu(60), store(8, stream(16, 0.7))}
	k.code = 60
	return k.shaped(groups, 8, 110+r.IntN(80), 16<<10)
}

func gemv(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "gemv_q4_kernel(block_q4 const*, float const*, float*, int)", iters: 8 + r.IntN(24)}
	k.loop = []op{load(1, stream(16, between(r, 0, 0.2))), load(1, cached(16, 0.8, 0.8, 1, 1)), wait(2),
		valu(between(r, 20, 90)), salu(2)}
	k.before = []op{smem(4), valu(10)}
	k.after = []op{wait(0), lds(5, 1, 1), waitLDS(), barrier(), valu(8), store(1, cached(4, 0, 0, 1, 1).kept())}
	return k.shaped(pick(r, 256, 1024, 2048), pick(r, 1, 2, 4), 40+r.IntN(50), 1<<10)
}

func attention(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "flash_attn_fwd<64, 64, 64>(Params)", iters: 8 + r.IntN(40)}
	keys := cached(16, 0, 0.3, between(r, 0.8, 0.98), 0.9)
	k.loop = []op{load(2, keys), wait(0), lds(4, 4, 1), barrier(), lds(between(r, 12, 24), 4, pick(r, 1.0, 1, 1.3,
		2)), waitLDS()}
	if r.IntN(2) == 0 {
		k.loop = append(k.loop, matrix(16), trans(between(r, 8, 24)), valu(between(r, 60, 140)), salu(8))
	} else {
		k.loop = append(k.loop, valu(between(r, 250, 420)), trans(between(r, 8, 24)), salu(8))
	}
	k.before = []op{smem(6), valu(40), load(4, keys), wait(0)}
	k.after = []op{valu(60), store(4, stream(8, 0.9))}
	k.code = 80
	return k.shaped(pick(r, 32, 96, 256, 512), 4, 160+r.IntN(80), 24<<10)
}

func softmax(r *rand.Rand, m *machine) kernel {
	mall := between(r, 0.1, 0.95)
	k := kernel{name: "softmax_warp_forward<float>(float*, float const*, int, int)"}
	k.before = []op{smem(3), valu(8), load(2, stream(16, mall)), wait(0), valu(24), lds(5, 1, 1), waitLDS(), barrier(),
		trans(8), valu(30), lds(5, 1, 1), waitLDS(), barrier(), trans(1), valu(10), store(2, stream(16, mall))}
	return k.shaped(pick(r, 512, 2048, 8192), pick(r, 4, 8), 48, 1<<10)
}

func layerNorm(r *rand.Rand, m *machine) kernel {
	k := softmax(r, m)
	k.name = "layer_norm_kernel(float const*, float const*, float const*, float*, int)"
	k.groups = pick(r, 16, 128, 1024, 4096)
	return k
}

func elementwise(r *rand.Rand, m *machine) kernel {
	mall := between(r, 0.05, 0.95)
	width := pick(r, 4.0, 8, 16)
	k := kernel{name: "vectorized_elementwise_kernel<4, GeluFunctor>(int, GeluFunctor, Array)"}
	k.before = []op{smem(3), valu(8), load(1, stream(width, mall)), wait(0), valu(width * between(r, 2, 8)),
		trans(width / 4), store(1, stream(width, mall))}
	return k.shaped(pick(r, 64, 512, 4096, 16384), 8, 32, 0)
}

func axpy(r *rand.Rand, m *machine) kernel {
	mall := pick(r, between(r, 0, 0.1), between(r, 0.6, 1))
	width := pick(r, 4.0, 8, 8, 16)
	k := kernel{name: "vecCopy(double*, double*, double*, int, int)"}
	k.before = []op{smem(4), valu(6), load(1, stream(width, mall)), wait(0), valu(2), store(1, stream(width, mall)),
		salu(2)}
	if r.IntN(2) == 0 {
		k.name = "axpy(int, double, double const*, double*)"
		k.before[2].n = 2
	}
	return k.shaped(pick(r, 1024, 4096, 16384, 32768), 8, 16, 0)
}

func reduction(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "reduce<256>(float const*, float*, int)", iters: 4 + r.IntN(28)}
	k.loop = []op{load(pick(r, 1.0, 2, 4), stream(pick(r, 4.0, 16), between(r, 0, 0.6))), wait(pick(r, 0, 1, 2)),
		valu(6), salu(2)}
	k.before = []op{smem(3), valu(8)}
	k.after = []op{wait(0)}
	for range 5 {
		k.after = append(k.after, lds(2, 1, 1), waitLDS(), valu(3), barrier())
	}
	return k.shaped(pick(r, 32, 128, 512, 2048), 8, 24, 1<<10)
}

func dot(r *rand.Rand, m *machine) kernel {
	k := reduction(r, m)
	k.name = "dot_kernel(int, double const*, double const*, double*)"
	k.loop[2] = double(2)
	return k
}

func transpose(r *rand.Rand, m *machine) kernel {
	mall := between(r, 0, 0.8)
	k := kernel{name: "transpose(float const*, float*, int, int)"}
	if r.IntN(3) == 0 { // without a tile: stores of single values
		out := scattered(between(r, 16, 32), 0, 0, between(r, 0.4, 0.85), mall)
		out.toMemory, out.dramWaste = 0.5, 1.3
		out.camp = pick(r, 1.0, 1, 2, 4)
		k.name = "transpose_naive(float const*, float*, int, int)"
		k.before = []op{smem(3), valu(10), load(4, stream(4, mall)), wait(0), store(4, out)}
		return k.shaped(pick(r, 1024, 4096), 8, 24, 0)
	}
	ways := pick(r, 1.0, 1, 32) // padded, or not
	k.before = []op{smem(3), valu(12), load(4, stream(4, mall)), wait(0), lds(4, 1, 1), waitLDS(), barrier(),
		lds(4, 1, ways), waitLDS(), valu(6), store(4, stream(4, mall))}
	return k.shaped(pick(r, 1024, 4096, 16384), 8, 24, 4<<10+128)
}

func stencil(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "heat_7pt(double const*, double*, int, int, int)", iters: 4 + r.IntN(28)}
	in := cached(8, between(r, 0.5, 0.75), between(r, 0.1, 0.3), between(r, 0.2, 0.6), between(r, 0, 0.6))
	k.loop = []op{load(pick(r, 3.0, 5, 7), in), wait(0), valu(12), store(1, stream(8, in.mall)), salu(4)}
	if r.IntN(2) == 0 {
		k.loop[2] = double(7)
	}
	k.before = []op{smem(4), valu(20)}
	return k.shaped(pick(r, 128, 512, 2048), 8, 40+r.IntN(40), 0)
}

func convolution(r *rand.Rand, m *machine) kernel {
	k := gemm(r, m)
	k.name = "igemm_fwd_gtcx3_nhwc_fp32_bx0_ex1_bt128x128x16(...)"
	for i := range k.loop {
		if o := &k.loop[i]; o.kind == opLoad {
			o.mem.l0, o.n = between(r, 0.2, 0.6), o.n+2
		}
	}
	return k
}

func pooling(r *rand.Rand, m *machine) kernel {
	in := cached(4, between(r, 0.4, 0.7), 0.1, 0.3, between(r, 0.2, 0.9))
	k := kernel{name: "max_pool_forward_nhwc(float const*, float*, int, int, int, int)"}
	k.before = []op{smem(4), valu(40), load(9, in), wait(0), valu(30), store(1, stream(4, in.mall))}
	return k.shaped(pick(r, 256, 1024, 8192), 8, 40, 0)
}

func blur(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "gaussian_blur(uchar4 const*, uchar4*, int, int, float const*)", iters: 3 + r.IntN(8)}
	in := cached(4, between(r, 0.85, 0.96), 0.3, 0.6, 0.5)
	k.loop = []op{load(between(r, 3, 9), in), wait(1), valu(between(r, 20, 70)), salu(2)}
	k.before = []op{smem(4), valu(16)}
	k.after = []op{wait(0), valu(8), store(1, stream(4, 0.5))}
	return k.shaped(pick(r, 1024, 4096, 8192), 8, 40, 0)
}

func histogram(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "histogram256(unsigned char const*, unsigned int*, int)", iters: 4 + r.IntN(20)}
	if r.IntN(2) == 0 { // straight to memory
		k.name = "histogram_global(unsigned char const*, unsigned int*, int)"
		k.loop = []op{load(1, stream(4, 0.4)), wait(0), valu(6),
			atomics(2, access{segments: between(r, 3, 16), gl2: 1, toMemory: 0, hot: between(r, 0, 6),
				dramWaste: 1}), salu(2)}
		k.before = []op{smem(3), valu(8)}
		return k.shaped(pick(r, 128, 512, 2048), 8, 24, 0)
	}
	bins := lds(4, 1, between(r, 1.5, 8))
	bins.returns = r.IntN(3) == 0
	k.loop = []op{load(1, stream(4, between(r, 0, 0.7))), wait(0), valu(12), bins, salu(2)}
	k.before = []op{smem(3), lds(1, 1, 1), waitLDS(), barrier()}
	k.after = []op{waitLDS(), barrier(), lds(1, 1, 1), waitLDS(),
		atomics(1, access{segments: 2, gl2: 1, toMemory: 0, hot: 4, dramWaste: 1})}
	return k.shaped(pick(r, 64, 256, 1024), 8, 24, 1<<10)
}

func fft(r *rand.Rand, m *machine) kernel {
	k := kernel{name: "fft_fwd_len4096_factors_16_16_16_sp(...)"}
	mall := between(r, 0, 0.8)
	k.before = []op{smem(4), valu(20), load(8, stream(8, mall)), wait(0)}
	for range 3 {
		k.before = append(k.before, valu(between(r, 90, 220)), trans(4), lds(16, 2, pick(r, 1.0, 1.2, 2, 4)),
			waitLDS(), barrier(),
			lds(16, 2, 1), waitLDS(), barrier())
	}
	k.before = append(k.before, valu(60), store(8, stream(8, mall)))
	k.code = 90
	return k.shaped(pick(r, 128, 512, 4096), 8, 80+r.IntN(40), 32<<10)
}
