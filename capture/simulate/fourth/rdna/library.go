package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// recipe makes a kernel of a kind, as large as drawn. size multiplies the grid.
type recipe func(r simulate.Random, size float64) *kernel

func grid(r simulate.Random, lo, hi, size float64) int { return max(1, int(r.Log(lo, hi)*size)) }

// head is what nearly every kernel begins with: arguments and indices.
func head(valu float64) segment {
	return segment{valu: valu, dep: 1.5, salu: 3, smem: 3, branch: 1}
}

// stream are lines that pass once: hit is what the memory-side cache still has of them.
func stream(s segment, hit float64) segment {
	s.lines, s.bytes, s.hitMall = max(s.lines, 1), 128, hit
	return s
}

// kept is how much of so many bytes, read before, a cache of a size has.
func kept(bytes, size float64) float64 { return min(0.97, math.Pow(min(1, size/bytes), 1.5)) }

const mallBytes = 32 << 20

// elementwise are maps over arrays: copies, triads, activations.
func elementwise(r simulate.Random, size float64) *kernel {
	name := simulate.Pick(r, "triad(float*, float const*, float const*, float, long)", "add_bias_gelu(half*, half const*, int)",
		"copyKernel(double*, double const*, int)", "axpby(double, double const*, double, double*, long)")
	k := &kernel{name: name, group: simulate.Pick(r, 128, 256, 512, 1024), vgpr: r.Whole(8, 40), groups: grid(r, 3000, 60000, size)}
	in, wide := float64(r.Whole(1, 3)), float64(simulate.Pick(r, 1, 2, 4))
	hit := kept(k.waves()*128*wide*(in+1), mallBytes)
	k.segments = []segment{head(6), stream(segment{valu: r.Between(4, 30) * wide, trans: float64(r.Whole(0, 2)) * wide, dep: 1, loads: in,
		stores: 1, lines: wide, mlp: in}, hit)}
	return k
}

// reduction loops over long stretches and ends in LDS.
func reduction(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "blockReduceSum(float const*, float*, int)", "dotKernel(double const*, double const*, double*, int)",
		"normSquared(float4 const*, float*, long)"), group: simulate.Pick(r, 256, 512), vgpr: r.Whole(24, 64), lds: 2048,
		groups: grid(r, 200, 4000, size)}
	loops := r.Between(8, 64)
	wide := float64(simulate.Pick(r, 1, 2, 4))
	k.segments = []segment{head(6),
		stream(segment{valu: loops * 5 * wide, dep: 2, salu: loops, branch: loops / 2, loads: loops, lines: wide, mlp: r.Between(2, 8)},
			kept(k.waves()*loops*wide*128, mallBytes)),
		{valu: 30, dep: 4, lds: 14, ldsCycles: 1, barriers: 6, stores: 0.1, lines: 1, bytes: 32}}
	return k
}

// gemm multiplies tiles out of LDS.
func gemm(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "Cijk_Ailk_Bljk_SB_MT128x128x16(float*)", "sgemm_tiled(float const*, float const*, float*, int, int, int)"),
		group: 256, vgpr: r.Whole(96, 200), lds: simulate.Pick(r, 16384, 24576, 32768), groups: grid(r, 60, 1500, size), code: r.Between(6, 30)}
	steps := r.Log(16, 160)
	k.segments = []segment{head(20), {valu: steps * r.Between(480, 560), dep: r.Between(0.05, 0.3), salu: steps * 8, branch: steps * 2,
		loads: steps * 4, lines: 4, bytes: 128, mlp: 8, hit0: r.Between(0, 0.2), hit1: r.Between(0.2, 0.6), hit2: r.Between(0.7, 0.95),
		hitMall: 0.8, lds: steps * r.Between(40, 64), ldsCycles: 4, conflict: r.Between(0, 0.15), barriers: steps},
		stream(segment{valu: 64, stores: 32, lines: 1}, 0.6)}
	return k
}

// wmmaGemm multiplies halves on matrix instructions.
func wmmaGemm(r simulate.Random, size float64) *kernel {
	k := gemm(r, size)
	k.name = simulate.Pick(r, "Cijk_Ailk_Bjlk_HB_MT128x128x32(half*)", "hgemm_wmma(half const*, half const*, float*, int, int, int)")
	s := &k.segments[1]
	s.wmma, s.valu = s.valu/r.Between(18, 30), s.valu/12
	s.lds *= 0.4
	return k
}

// nbody is arithmetic with little else.
func nbody(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "bodyForce(Body*, float, int)", "ljForce(float4 const*, int const*, float4*, int)",
		"mandelbrot(int*, float, float, float, int)", "blackScholes(float*, float const*, float const*, int)",
		"sha256d(unsigned int*, unsigned int)"), group: simulate.Pick(r, 128, 256), vgpr: r.Whole(24, 90), groups: grid(r, 200, 4000, size),
		spread: r.Between(0, 0.3)}
	n := r.Log(400, 6000)
	k.segments = []segment{head(10), {valu: n, trans: n * r.Between(0, 0.14), dep: r.Between(0, 1.2), salu: n / 10, smem: n / 60,
		branch: n / 40, loads: 4, stores: 1, lines: 1, bytes: 128, mlp: 4, hit2: 0.5, hitMall: 0.8}}
	return k
}

// doubles is arithmetic in double precision.
func doubles(r simulate.Random, size float64) *kernel {
	k := nbody(r, size*0.3)
	k.name = simulate.Pick(r, "integrateOrbit(double*, double*, double, int)", "eosTabulated(double const*, double*, int)",
		"chemistryRates(double const*, double*, int)")
	s := &k.segments[1]
	s.dp = s.valu * r.Between(0.08, 0.4)
	s.valu *= 0.4
	s.trans /= 4
	k.vgpr = min(240, k.vgpr*2)
	return k
}

// stencil reads neighbours, which GL0 and GL1 have.
func stencil(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "jacobi7(float const*, float*, int, int, int)", "lbmStreamCollide(float const*, float*, int)",
		"fdtd3d(float*, float const*, int)", "advect(float3 const*, float*, float, int)"), group: 256, vgpr: r.Whole(30, 110),
		groups: grid(r, 1000, 20000, size)}
	points := float64(r.Whole(5, 27))
	k.segments = []segment{head(16), {valu: points * r.Between(3, 8), dep: 1, loads: points, stores: 1 + points/14, lines: r.Between(1, 1.6),
		bytes: 128, mlp: points / 2, hit0: r.Between(0.35, 0.75), hit1: r.Between(0.1, 0.4), hit2: r.Between(0.3, 0.7),
		hitMall: kept(k.waves()*128*3, mallBytes)}}
	return k
}

// spmv goes through rows of a sparse matrix and gathers.
func spmv(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "csrmv_scalar(int const*, int const*, float const*, float const*, float*, int)",
		"spmv_vector(CsrMatrix, double const*, double*)", "pagerank_pull(int const*, int const*, float const*, float*, int)"),
		group: simulate.Pick(r, 64, 128, 256), vgpr: r.Whole(16, 48), groups: grid(r, 1000, 12000, size), spread: r.Between(0.2, 0.7)}
	rows := r.Between(6, 40)
	k.segments = []segment{head(8), {valu: rows * 6, dep: 2, salu: rows, branch: rows, loads: rows * 3, lines: r.Between(3, 14),
		bytes: simulate.Pick(r, 32.0, 64, 128), mlp: r.Between(1, 4), hit0: r.Between(0.3, 0.7), hit1: r.Between(0.05, 0.3),
		hit2: r.Between(0.2, 0.75), hitMall: r.Between(0.2, 0.9), stores: 1}}
	return k
}

// gather are accesses all over: embeddings, probes of a hash table, scattered writes of a sort.
func gather(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "embeddingGather(half const*, int const*, half*, int)", "hashProbe(Slot const*, long const*, int*, int)",
		"particleScatter(float4 const*, unsigned const*, float4*, int)"), group: 256, vgpr: r.Whole(12, 32), groups: grid(r, 1000, 20000, size)}
	k.segments = []segment{head(10), {valu: r.Between(10, 60), dep: 2, branch: 4, loads: float64(r.Whole(1, 6)), stores: float64(r.Whole(0, 2)),
		lines: r.Between(10, 32), bytes: simulate.Pick(r, 32.0, 64), mlp: r.Between(1, 2), hit0: r.Between(0, 0.3), hit1: r.Between(0, 0.15),
		hit2: r.Between(0.05, 0.9), hitMall: r.Between(0.1, 0.9)}}
	return k
}

// strided reads with a stride that GL0 keeps: transposes, arrays of structures, tables by lane.
func strided(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "transposeNaive(float*, float const*, int, int)", "aosUpdate(Particle*, float, int)",
		"lutInterpolate(float const*, float const*, float*, int)", "bilateralFilter(hipTextureObject_t, uchar4*, int, int, int)"),
		group: 256, vgpr: r.Whole(20, 60), groups: grid(r, 400, 6000, size)}
	k.segments = []segment{head(8), {valu: r.Between(40, 160), dep: 1, loads: r.Between(10, 60), lines: r.Between(6, 24), bytes: 64, mlp: 6,
		hit0: r.Between(0.88, 0.98), hit1: r.Between(0.3, 0.7), hit2: r.Between(0.5, 0.9), hitMall: 0.7, stores: 1, image: r.Chance(0.3)}}
	return k
}

// fft exchanges through LDS.
func fft(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "fft_fwd_len2048(float2*)", "bitonicLocal(unsigned int*, int)", "transposeLDS(float*, float const*, int)",
		"blockScan(int const*, int*, int)"), group: simulate.Pick(r, 128, 256), vgpr: r.Whole(32, 80), lds: simulate.Pick(r, 8192, 16384, 33792),
		groups: grid(r, 500, 8000, size)}
	stages := float64(r.Whole(4, 11))
	k.segments = []segment{stream(segment{valu: 20, dep: 1, salu: 3, smem: 3, loads: 4, lines: 2, mlp: 4}, kept(k.waves()*1024, mallBytes)),
		{valu: stages * r.Between(20, 60), dep: 1, lds: stages * r.Between(8, 24), ldsCycles: r.Between(1, 2), conflict: r.Log(0.05, 6), barriers: stages},
		stream(segment{valu: 8, stores: 4, lines: 2}, 0.3)}
	return k
}

// histogram counts in LDS with atomics.
func histogram(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "histogram256(unsigned char const*, unsigned*, int)", "radixUpsweep(unsigned const*, unsigned*, int, int)"),
		group: 256, vgpr: r.Whole(16, 40), lds: simulate.Pick(r, 1024, 4096, 16384), groups: grid(r, 200, 2000, size)}
	n := r.Log(30, 200)
	k.segments = []segment{head(8), stream(segment{valu: n * 4, dep: 1, loads: n / 4, lines: 1, mlp: 4, lds: n, ldsAtomic: n * float64(r.Whole(0, 1)),
		ldsCycles: 2, conflict: r.Log(0.3, 8), barriers: 2}, kept(k.waves()*n*32, mallBytes))}
	return k
}

// atomics count in memory.
func atomics(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "scatterAdd(float*, int const*, float const*, int)", "groupByCount(int const*, unsigned*, int)",
		"voxelSplat(float3 const*, float*, int)"), group: 256, vgpr: r.Whole(12, 32), groups: grid(r, 500, 8000, size)}
	n := float64(r.Whole(2, 12))
	k.segments = []segment{head(8), {valu: 10 * n, dep: 1, loads: n, lines: 1, bytes: 128, mlp: 2, hitMall: 0.6,
		atomics: n, atomic: r.Between(1.5, 4), hit2: 0.85}}
	k.segments[1].lines = r.Between(2, 20)
	k.segments[1].hit0 = 0.9
	return k
}

// shared reads what GL2 has, again and again: the middle of a convolution, tables of a few hundred KiB.
func shared(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "convDirect3x3(half const*, half const*, half*)", "neighborEnergy(float4 const*, int const*, float*)",
		"gemvBatched(float const*, float const*, float*)"), group: 256, vgpr: r.Whole(30, 80), groups: grid(r, 400, 6000, size)}
	n := r.Between(20, 120)
	k.segments = []segment{head(8), {valu: n * r.Between(3, 8), dep: 0.5, loads: n, lines: 1, bytes: 128, mlp: r.Between(6, 16), hit0: r.Between(0, 0.12),
		hit1: r.Between(0, 0.1), hit2: r.Between(0.96, 0.995), hitMall: 0.9, stores: 1}}
	k.segments[1].lines = float64(simulate.Pick(r, 1, 2, 4))
	return k
}

// chase follows pointers: trees, lists, walks of a graph. Few waves hide nothing.
func chase(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "traverseBvh(BvhNode const*, Ray const*, Hit*, int)", "btreeLookup(Node const*, long const*, long*, int)",
		"bfsExpand(int const*, int const*, int*, int*, int)", "kdNearest(KdNode const*, float3 const*, int*, int)"),
		group: simulate.Pick(r, 64, 128), vgpr: r.Whole(48, 250), groups: grid(r, 60, 1500, size), spread: r.Between(0.2, 0.8)}
	n := r.Between(12, 60)
	k.segments = []segment{head(14), {valu: n * r.Between(6, 20), dep: 2, branch: 3 * n, loads: n, lines: r.Between(1, 6), bytes: 64, mlp: 1,
		hit0: r.Between(0.1, 0.5), hit1: r.Between(0.1, 0.3), hit2: r.Between(0.2, 0.8), hitMall: r.Between(0.4, 0.95)}}
	return k
}

// thin are waves that do next to nothing: fills, culls, guards that most lanes fail.
func thin(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "memsetKernel(unsigned int*, unsigned int, long)", "cullInactive(unsigned const*, int)",
		"updateIfFlagged(State*, unsigned char const*, int)"), group: simulate.Pick(r, 32, 64, 128, 256), vgpr: r.Whole(4, 16),
		groups: grid(r, 20000, 120000, size)}
	k.segments = []segment{{valu: r.Between(2, 8), dep: 1.5, salu: 2, smem: float64(r.Whole(1, 2)), branch: 1}}
	if r.Chance(0.5) {
		k.segments[0].loads, k.segments[0].lines, k.segments[0].bytes, k.segments[0].mlp = 0.05, 1, 32, 1
		k.segments[0].hit2 = 0.7
	}
	return k
}

// tiny are kernels of a few microseconds.
func tiny(r simulate.Random, size float64) *kernel {
	k := &kernel{name: simulate.Pick(r, "finalizeSum(double*, int)", "rmsNorm(half*, half const*, int)", "ropeRotate(half*, int)",
		"applyBoundary(float*, int, int)", "argmaxRow(float const*, int*, int)", "updateScalars(double*)"),
		group: simulate.Pick(r, 64, 128, 256, 1024), vgpr: r.Whole(8, 40), groups: grid(r, 1, 48, size)}
	n := r.Between(1, 5)
	k.segments = []segment{head(8), {valu: n * 10, dep: 2, loads: n, lines: 1, bytes: 128, mlp: 4, hit2: r.Between(0.3, 0.9), hitMall: 0.9, stores: 1}}
	return k
}

// gemv streams weights, as a language model does for each token.
func gemv(r simulate.Random, size float64) *kernel {
	k := reduction(r, size)
	k.name = simulate.Pick(r, "gemv_q4_k(block_q4 const*, float const*, float*, int)", "gemv_half(half const*, half const*, float*, int)")
	s := &k.segments[1]
	s.valu *= r.Between(1, 2.5)
	s.hitMall = r.Between(0, 0.06)
	return k
}

// attention keeps much in registers and LDS, so that few waves are resident.
func attention(r simulate.Random, size float64) *kernel {
	k := gemm(r, size*0.4)
	k.name = simulate.Pick(r, "flash_fwd_hd64(half const*, half const*, half const*, half*)", "flash_fwd_hd128(half const*, half const*, half const*, half*)")
	k.vgpr, k.lds = r.Whole(180, 250), 49152
	s := &k.segments[1]
	s.wmma, s.valu, s.trans = s.valu/r.Between(30, 60), s.valu*r.Between(0.15, 0.4), s.valu*r.Between(0.01, 0.05)
	s.dep = r.Between(0.5, 1.5)
	return k
}
