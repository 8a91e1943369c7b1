package rdna

import (
	"math"
	"math/rand/v2"
)

// draw is where parameters of kernels come from.
type draw struct{ *rand.Rand }

func (d draw) between(lo, hi float64) float64 { return lo + (hi-lo)*d.Float64() }

// log draws between two sizes so that each order of magnitude is as likely.
func (d draw) log(lo, hi float64) float64 { return lo * math.Pow(hi/lo, d.Float64()) }

func (d draw) whole(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func pick[T any](d draw, of ...T) T { return of[d.IntN(len(of))] }

func (d draw) chance(p float64) bool { return d.Float64() < p }

// base is a kernel that has nothing to do yet.
func (d draw) base(name string, groupSize, groups int) *kernel {
	return &kernel{name: name, groupSize: groupSize, groups: max(1, groups), vgprs: 24 * d.whole(1, 4),
		launchCost: d.between(1, 1.4), spread: d.between(0.75, 0.9), dram: d.between(0.78, 0.9),
		code: d.log(400, 6000), clock: d.between(0.96, 1), before: []op{scalarLoads(2), valu(float64(d.whole(6, 20)), 0.4)}}
}

// resident is how much of a footprint hits in the Infinity Cache, where a kernel before it has left it there.
func resident(footprint float64) float64 { return 0.95 * fits(footprint, mallBytes) }

// A maker makes a kernel of one kind.
type maker func(d draw) *kernel

// Kernels of linear algebra and machine learning.

// gemv is a matrix of weights times a vector, as a language model does for each token: all weights once.
func gemv(d draw) *kernel {
	rows, cols := pick(d, 2048, 4096, 5120, 11008, 14336), pick(d, 2048, 4096, 5120)
	bits := pick(d, 4.5, 8.5, 16)
	k := d.base("void mul_mat_vec_q<quantized>(void const*, void const*, float*, int, int)", 64, rows/2)
	k.vgprs = 24 * d.whole(2, 4)
	k.footprint = float64(rows) * float64(cols) * bits / 8
	k.iters = max(2, min(12, cols/512))
	bytes := 2 * float64(cols) * bits / 8 / float64(k.iters) / 64
	depth := d.whole(0, 2)
	k.body = []op{load(1, bytes, math.Max(1, bytes*lanes/lineBytes), 0.05, 0.03, resident(k.footprint)).ahead(depth),
		load(1, 4, 1, 0.9, 0.95, 1).ahead(depth), valu(d.between(5, 18)*bytes/4, d.between(0.1, 0.4))}
	k.after = []op{local(2, 4, 0), barrier(), valu(20, 0.9), store(1, 4, 1, 0.5, 1)}
	return k
}

// gemm is a tiled product of matrices through LDS.
func gemm(d draw) *kernel {
	m, n := 64*d.whole(4, 24), 64*d.whole(8, 40)
	k := d.base("Cijk_Ailk_Bljk_HHS_BH_MT64x64x32", 128, m*n/4096)
	k.vgprs, k.lds, k.code = 24*d.whole(5, 9), 16<<10, d.between(9000, 30000)
	k.clock = d.between(0.85, 0.95)
	k.iters = d.whole(6, 16)
	k.footprint = 2 * float64(m+n) * float64(k.iters) * 64
	hit := d.between(0.6, 0.9)
	k.body = []op{load(4, 16, 4, 0.1, hit, resident(k.footprint)).ahead(1), local(8, 8, d.between(0, 0.4)), barrier(),
		local(d.between(16, 60), 16, d.between(0, 0.3)), products(d, d.between(400, 1200)), valu(d.between(20, 60), 0.2), barrier()}
	k.after = []op{store(8, 8, 4, 0.1, 0.7)}
	return k
}

// products is so many cycles of multiplying: lane by lane, or by the instructions for matrices, each of which takes the
// SIMD for 32.
func products(d draw, cycles float64) op {
	if d.chance(0.5) {
		return op{kind: opVALU, n: math.Round(cycles / 32), cycles: 32}
	}
	return valu(cycles, d.between(0, 0.1))
}

// attention goes over keys and values by blocks, with exponentials and products between.
func attention(d draw) *kernel {
	k := d.base("void flash_attn_ext_f16<128, 16, 4>(char const*, char const*, char const*, float*)", 128,
		d.whole(32, 640))
	k.vgprs, k.lds, k.code = 24*d.whole(6, 10), 20<<10, d.between(14000, 40000)
	k.iters = d.whole(4, 16)
	k.footprint = d.log(2<<20, 64<<20)
	k.body = []op{load(3, 16, 4, 0.1, fits(k.footprint, 2<<20)*0.9, resident(k.footprint)), local(6, 8, 0.2), barrier(),
		local(10, 16, d.between(0.2, 1)), products(d, d.between(150, 400)), valu(d.between(40, 120), 0.3), special(16, 0.3), barrier()}
	k.after = []op{store(4, 8, 2, 0.2, 0.8)}
	return k
}

// norm reduces each row and scales it: small, with barriers.
func norm(d draw) *kernel {
	k := d.base("void rms_norm_f32<1024>(float const*, float*, int, float)", pick(d, 256, 512, 1024), d.whole(1, 64))
	k.iters = d.whole(2, 6)
	k.footprint = float64(k.groups * k.groupSize * 16 * k.iters)
	k.body = []op{load(1, 16, 4, 0.1, 0.6, 1), valu(16, 0.6)}
	k.after = []op{local(2, 4, 0), barrier(), valu(30, 0.9), special(2, 1), local(1, 4, 0), barrier(),
		load(2, 16, 4, 0.3, 0.9, 1), valu(10, 0.2), store(2, 16, 4, 0.6, 1)}
	return k
}

// elementwise reads some arrays and writes one: activations, additions, copies.
func elementwise(d draw) *kernel {
	k := d.base("void elementwise_kernel<128, 4, silu_mul>(int, TensorIterator)", 256, int(d.log(24, 12000)))
	inputs := float64(d.whole(1, 3))
	k.footprint = float64(k.groups*k.groupSize) * 16 * (inputs + 1)
	mall := resident(k.footprint) * d.Float64()
	k.body = nil
	k.before = append(k.before, load(inputs, 16, 4, 0, 0.02, mall), valu(d.between(10, 50), 0.3), special(d.between(0, 5), 0.3))
	k.after = []op{store(1, 16, 4, 0.02, mall)}
	return k
}

// softmax goes over rows twice, with exponentials.
func softmax(d draw) *kernel {
	k := d.base("void softmax_warp_forward<float, float, 10>(float*, float const*, int, int)", 256, int(d.log(16, 4000)))
	k.iters = 2
	k.footprint = float64(k.groups) * (32 << 10)
	k.body = []op{load(2, 16, 4, 0.2, 0.4*fits(k.footprint, 2<<20), resident(k.footprint)), valu(40, 0.5), special(8, 0.3)}
	k.after = []op{store(2, 16, 4, 0.1, resident(k.footprint))}
	return k
}

// convolution gathers a window of pixels for each output, mostly from GL0.
func convolution(d draw) *kernel {
	k := d.base("naive_conv_fwd_nchw_float(float const*, float const*, float*, int, int)", 256, int(d.log(200, 4000)))
	k.vgprs, k.iters = 24*d.whole(2, 5), d.whole(4, 14)
	k.footprint = d.log(1<<20, 60<<20)
	k.body = []op{load(d.between(3, 6), pick(d, 4.0, 8, 16), d.between(2, 5), d.between(0.8, 0.96), 0.8,
		resident(k.footprint)).ahead(d.whole(0, 2)), scalarLoads(1), valu(d.between(10, 60), 0.2)}
	k.after = []op{store(1, 4, 1, 0, 0.8)}
	return k
}

// Kernels of science and graphics.

// bodies sums forces of all pairs: tiles in LDS, much arithmetic.
func bodies(d draw) *kernel {
	k := d.base("nBodyForces(float4 const*, float4*, int)", 256, int(d.log(128, 1500)))
	k.vgprs, k.lds, k.iters, k.clock = 24*d.whole(2, 4), 4096, d.whole(3, 10), d.between(0.82, 0.95)
	k.footprint = float64(k.groups) * 256 * 16
	k.body = []op{load(1, 16, 4, 0.2, 0.9, 1), local(1, 16, 0), barrier(), local(d.between(12, 20), 16, 0),
		valu(d.between(450, 900), d.between(0.02, 0.15)), special(16, 0.1), barrier()}
	k.after = []op{store(1, 16, 4, 0, 1)}
	return k
}

// options prices by formula or by paths: transcendentals all the time.
func options(d draw) *kernel {
	k := d.base("monteCarloPaths(float*, unsigned int, float, float, int)", 256, int(d.log(256, 2000)))
	k.vgprs, k.iters, k.clock = 24*d.whole(1, 4), d.whole(4, 10), d.between(0.85, 0.97)
	k.body = []op{valu(d.between(60, 300), d.between(0.2, 0.5)), special(d.between(40, 160), 0.2)}
	k.after = []op{store(1, 4, 1, 0, 0.5)}
	k.footprint = float64(k.groups) * 1024
	return k
}

// doublesStencil is a solver on doubles, which this GPU has hardly units for.
func doublesStencil(d draw) *kernel {
	k := d.base("jacobiStep(double const*, double*, int, int)", 256, int(d.log(400, 6000)))
	k.vgprs, k.iters = 24*d.whole(2, 4), d.whole(1, 4)
	k.footprint = float64(k.groups) * 256 * 16
	k.body = []op{load(5, 8, 2.2, 0.55, 0.5, resident(k.footprint)), valu(12, 0.3), doubles(d.between(7, 24), 0.2)}
	k.after = []op{store(1, 8, 2, 0, resident(k.footprint))}
	return k
}

// hash is integer arithmetic on registers.
func hash(d draw) *kernel {
	k := d.base("sha256d_scan(unsigned int const*, unsigned int*, unsigned int)", 256, int(d.log(256, 4000)))
	k.vgprs, k.iters, k.code, k.clock = 24*d.whole(2, 4), d.whole(3, 8), d.between(6000, 60000), d.between(0.8, 0.92)
	k.body = []op{valu(d.between(600, 1800), d.between(0.05, 0.4))}
	k.after = []op{store(0.01, 4, 1, 0, 1)}
	return k
}

// lattice streams many arrays through a stencil of little reuse.
func lattice(d draw) *kernel {
	k := d.base("lbmCollideStream(float const*, float*, int, int, int)", 256, int(d.log(1500, 12000)))
	k.vgprs = 24 * d.whole(3, 6)
	k.footprint = float64(k.groups) * 256 * 19 * 8
	mall := resident(k.footprint)
	k.before = append(k.before, load(19, 4, 1.2, 0.1, 0.05, mall), valu(d.between(150, 320), 0.15))
	k.after = []op{store(19, 4, 1.2, 0.05, mall)}
	return k
}

// filter is an image through the texture units.
func filter(d draw) *kernel {
	k := d.base("bilateralFilter(hipTextureObject_t, uchar4*, int, int, int)", 256, int(d.log(500, 6000)))
	k.vgprs, k.iters = 24*d.whole(2, 4), d.whole(3, 9)
	k.footprint = float64(k.groups) * 256 * 8
	o := load(d.between(4, 8), 4, d.between(1.5, 3), d.between(0.9, 0.98), 0.8, resident(k.footprint)).ahead(1)
	o.texture = true
	k.body = []op{o, valu(d.between(20, 60), 0.3), special(d.between(0, 3), 0.3)}
	k.after = []op{store(1, 4, 1, 0, 0.8)}
	return k
}

// rays walk a tree: each step waits for the node before.
func rays(d draw) *kernel {
	k := d.base("traverseBvh(BvhNode const*, Ray const*, Hit*, int)", pick(d, 32, 64, 128), int(d.log(400, 5000)))
	k.vgprs, k.iters = 24*d.whole(4, 10), d.whole(10, 28)
	k.footprint = d.log(8<<20, 400<<20)
	k.body = []op{load(1, 16, d.between(6, 22), d.between(0.3, 0.7), d.between(0.4, 0.7), resident(k.footprint)),
		valu(d.between(30, 80), 0.5)}
	k.after = []op{store(1, 16, 4, 0, 0.6)}
	return k
}

// transform is a pass of an FFT in LDS, with or without padding against conflicts.
func transform(d draw) *kernel {
	k := d.base("fft_rtc_fwd_len1024_factors_4_4_4_4_4(float2*, float2 const*)", 128, int(d.log(256, 8000)))
	k.vgprs, k.lds, k.iters = 24*d.whole(2, 4), 8192, 5
	k.footprint = float64(k.groups) * (16 << 10)
	conflict := pick(d, d.between(0, 0.5), d.between(1, 7))
	k.before = append(k.before, load(8, 8, 2, 0, 0.05, resident(k.footprint)))
	k.body = []op{valu(d.between(40, 70), 0.15), special(2, 0.2), local(8, 8, conflict), barrier(), local(8, 8, conflict/2), barrier()}
	k.after = []op{store(8, 8, 2, 0, resident(k.footprint))}
	return k
}

// Kernels of data.

// sorting is the scatter of a radix sort.
func sorting(d draw) *kernel {
	k := d.base("onesweep_iteration<kernel_config, unsigned int>(unsigned int*, unsigned int*)", 256, int(d.log(64, 3000)))
	k.vgprs, k.lds = 24*d.whole(3, 6), 24<<10
	k.footprint = float64(k.groups) * 256 * 16 * 8
	mall := resident(k.footprint)
	k.before = append(k.before, load(4, 16, 4, 0, 0.03, mall))
	k.iters = 4
	k.body = []op{valu(d.between(60, 120), 0.3), local(16, 4, d.between(0.5, 3)), barrier(), local(10, 4, 1), barrier()}
	k.after = []op{atomic(1, 2, 2, true), store(16, 4, d.between(3, 9), 0.4, mall)}
	return k
}

// histogram counts with atomics on memory, on few or on many words.
func histogram(d draw) *kernel {
	k := d.base("histogramGlobal(unsigned char const*, unsigned int*, int)", 256, int(d.log(200, 4000)))
	k.iters = d.whole(2, 8)
	k.footprint = float64(k.groups*k.iters) * 1024
	k.body = []op{load(1, 4, 1, 0, 0.05, resident(k.footprint)).ahead(1), valu(14, 0.3),
		atomic(4, d.between(4, 14), d.between(1, 3), false)}
	return k
}

// joining probes a table that no cache holds.
func joining(d draw) *kernel {
	k := d.base("hashJoinProbe(Entry const*, long const*, int*, unsigned long)", 256, int(d.log(200, 3000)))
	k.iters, k.vgprs = d.whole(3, 10), 24*d.whole(1, 5)
	k.footprint = d.log(16<<20, 2<<30)
	k.body = []op{valu(d.between(16, 40), 0.5), load(1, 16, d.between(24, 32), 0.02, fits(k.footprint, 2<<20), resident(k.footprint))}
	k.after = []op{store(1, 4, 1, 0, 0.6)}
	k.dram = d.between(0.4, 0.65)
	return k
}

// chase follows pointers with few work-items: interpreters, trees, lists.
func chase(d draw) *kernel {
	k := d.base("walkList(Node const*, unsigned int*, int)", pick(d, 32, 64, 256), int(d.log(8, 160)))
	k.iters, k.vgprs = d.whole(24, 80), 24*d.whole(1, 4)
	k.footprint = d.log(256<<10, 500<<20)
	k.body = []op{load(1, 8, d.between(1, 8), 0.05, fits(k.footprint, 2<<20), resident(k.footprint)), valu(d.between(4, 12), 0.8)}
	k.after = []op{store(1, 4, 1, 0, 1)}
	return k
}

// sparse is a matrix of few entries times a vector, whose entries lie anywhere.
func sparse(d draw) *kernel {
	k := d.base("csrmvn_general_kernel<256, 32>(int, double const*, int const*, double*)", 256, int(d.log(300, 8000)))
	k.iters = d.whole(1, 6)
	k.footprint = float64(k.groups*k.iters) * 8 * 32 * 12
	k.body = []op{load(2, 6, 1.6, 0, 0.04, resident(k.footprint)).ahead(d.whole(0, 1)), load(1, 8, d.between(6, 24), d.between(0.2, 0.6), d.between(0.5, 0.95), 0.9),
		valu(8, 0.4), doubles(1, 1)}
	k.after = []op{valu(12, 1), doubles(5, 1), store(0.1, 8, 1, 0, 1)}
	return k
}

// resident data read again and again: a table or tiles that GL2 holds.
func table(d draw) *kernel {
	k := d.base("lookupQuantized(float const*, unsigned short const*, float*, int)", 256, int(d.log(500, 5000)))
	k.iters = d.whole(4, 12)
	k.footprint = d.log(300<<10, 1500<<10)
	k.spread = d.between(0.35, 0.8)
	k.body = []op{load(d.between(1, 3), 16, 4, d.between(0, 0.15), d.between(0.96, 0.995), 0.95).ahead(d.whole(1, 3)), valu(d.between(8, 24), 0.2)}
	k.after = []op{store(0.2, 16, 4, 0, 0.9)}
	return k
}

// compact gives each item a short wave that mostly ends at once: culling, masks, frontiers that are nearly empty.
func compact(d draw) *kernel {
	k := d.base("expandFrontier(int const*, int const*, unsigned char*, int)", pick(d, 32, 64, 64), int(d.log(20000, 150000)))
	k.vgprs, k.launchCost = 24, d.between(1.2, 2.4)
	k.before = []op{scalarLoads(1), valu(d.between(4, 14), 0.5)}
	k.after = []op{load(d.between(0, 0.12), 4, 1, 0, 0.3, 0.8), store(d.between(0, 0.1), 4, 1, 0.3, 0.8)}
	k.footprint = float64(k.groups*k.groupSize) / 2
	return k
}

// tiny is a kernel that is over before it has begun: a scalar update, a memset, one row.
func tiny(d draw) *kernel {
	k := d.base(pick(d, "updateStep(float*, float)", "__amd_rocclr_fillBufferAligned", "finalizeSum(double*, int)",
		"rope_norm<float>(float const*, float*, int)"), pick(d, 64, 128, 256), int(d.log(1, 24)))
	k.footprint = float64(k.groups * k.groupSize * 8)
	k.before = append(k.before, load(1, 4, 1, 0, 0.8, 1), valu(d.between(4, 30), 0.5))
	k.after = []op{store(1, 4, 1, 0.8, 1)}
	return k
}
