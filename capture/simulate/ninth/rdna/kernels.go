package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// kernel draws a program of compute.
type kernel struct {
	name string
	draw func(r simulate.Random) program
}

// plain is a program of waves that stream through memory once.
func plain(waves, rounds float64) program {
	return program{waves: math.Ceil(waves), group: 8, lanes: 32, active: 1, slots: 64, rounds: math.Ceil(rounds), parallel: 2, wide: 2,
		lookups: 1, miss: [4]float64{1, 0.95, 0.97, 0.95}, written: 1, rows: 0.85, spread: 0.1, salu: 8, smem: 1}
}

// held says how large the data is, against the Infinity Cache: what is smaller is found there by the next kernel.
func held(r simulate.Random, p *program) {
	if r.Chance(0.35) {
		p.miss[3] = r.Between(0.05, 0.4)
	}
}

// vectors makes loads and stores of four words for each lane.
func vectors(p *program) { p.wide, p.lookups = 8, 4 }

var kernels = []kernel{
	{"elementwise_kernel", func(r simulate.Random) program {
		p := plain(r.Log(800, 4e5), r.Log(1, 8))
		p.valu, p.loads, p.stores = r.Log(8, 50), float64(r.Whole(1, 3)), 1
		if r.Chance(0.5) {
			vectors(&p)
		}
		held(r, &p)
		return p
	}},
	{"sgemm_tile", func(r simulate.Random) program {
		p := plain(r.Log(400, 3e4), r.Log(16, 200))
		p.slots, p.valu, p.dual, p.parallel = simulate.Pick(r, 16.0, 24, 32), r.Between(300, 1100), r.Between(0.1, 0.5), 4
		p.lds, p.conflict, p.loads = r.Between(40, 200), r.Between(0, 1.2), float64(r.Whole(2, 6))
		vectors(&p)
		p.barrier, p.ahead, p.miss = true, r.Chance(0.7), [4]float64{0.95, 0.98, r.Between(0.05, 0.3), 0.5}
		return p
	}},
	{"wmma_gemm_f16", func(r simulate.Random) program {
		p := plain(r.Log(400, 2e4), r.Log(16, 128))
		p.slots, p.parallel, p.matrix = simulate.Pick(r, 8.0, 16, 16), 3, r.Between(24, 80)
		p.valu = p.matrix + r.Between(60, 180)
		p.lds, p.conflict, p.loads = r.Between(30, 90), r.Between(2, 4), float64(r.Whole(3, 8))
		vectors(&p)
		p.barrier, p.ahead, p.miss = true, r.Chance(0.8), [4]float64{0.95, 0.98, r.Between(0.05, 0.35), 0.5}
		return p
	}},
	{"gemv_q4", func(r simulate.Random) program {
		p := plain(r.Log(600, 1.5e4), r.Log(6, 60))
		p.valu, p.loads, p.parallel, p.group = r.Log(40, 220), float64(r.Whole(2, 5)), 3, simulate.Pick(r, 2, 4, 8)
		p.slots = simulate.Pick(r, 32.0, 48, 64)
		vectors(&p)
		return p
	}},
	{"attention_fwd", func(r simulate.Random) program {
		p := plain(r.Log(64, 4000), r.Log(6, 64))
		p.slots, p.matrix, p.trans = 16, r.Between(12, 32), r.Between(16, 48)
		p.valu = p.matrix + p.trans + r.Between(120, 320)
		p.lds, p.conflict, p.loads, p.barrier, p.group = r.Between(20, 60), r.Between(1, 3), 4, true, 4
		vectors(&p)
		p.miss = [4]float64{0.9, 0.98, r.Between(0.2, 0.6), 0.7}
		return p
	}},
	{"rms_norm", func(r simulate.Random) program {
		p := plain(r.Log(8, 4000), r.Log(1, 4))
		p.valu, p.trans, p.loads, p.stores, p.lds, p.barrier = 60, 4, 2, 1, 8, true
		p.miss[2], p.miss[3] = r.Between(0.1, 0.9), r.Between(0.1, 0.9)
		return p
	}},
	{"reduce_kernel", func(r simulate.Random) program {
		p := plain(r.Log(200, 2e4), r.Log(4, 32))
		p.valu, p.loads, p.lds, p.parallel = r.Between(15, 50), 4, 2, 1.5
		vectors(&p)
		held(r, &p)
		return p
	}},
	{"transpose_naive", func(r simulate.Random) program {
		p := plain(r.Log(2000, 2e5), 1)
		p.valu, p.loads, p.stores, p.wide, p.lookups = 20, 1, 1, r.Between(12, 24), r.Between(12, 24)
		p.miss[0], p.written, p.miss[2] = r.Between(0.15, 0.5), 0.15, 0.4
		return p
	}},
	{"spmv_csr", func(r simulate.Random) program {
		p := plain(r.Log(1000, 1e5), r.Log(6, 40))
		p.valu, p.loads, p.wide, p.lookups = r.Between(20, 60), 3, r.Between(6, 18), r.Between(6, 18)
		p.miss, p.rows, p.spread = [4]float64{r.Between(0.3, 0.9), 0.97, r.Between(0.2, 0.8), r.Between(0.3, 0.9)}, r.Between(0.4, 0.75), 0.5
		return p
	}},
	{"bfs_expand", func(r simulate.Random) program {
		p := plain(r.Log(100, 3e4), r.Log(4, 30))
		p.valu, p.loads, p.wide, p.lookups, p.parallel, p.active = r.Between(20, 50), 2, r.Between(10, 28), r.Between(10, 28), 1.2, 0.5
		p.miss, p.rows, p.spread = [4]float64{0.9, 0.99, r.Between(0.4, 0.9), r.Between(0.3, 0.9)}, r.Between(0.3, 0.6), 0.8
		p.atomics = simulate.Pick(r, 0, 0.5)
		return p
	}},
	{"traverse_lists", func(r simulate.Random) program {
		p := plain(r.Log(40, 1500), r.Log(40, 400))
		p.valu, p.loads, p.wide, p.lookups, p.parallel = r.Between(8, 25), 1, r.Between(2, 10), r.Between(2, 10), 1.1
		p.miss, p.rows = [4]float64{0.95, 0.99, r.Between(0.2, 0.9), r.Between(0.2, 0.9)}, 0.4
		return p
	}},
	{"stencil7", func(r simulate.Random) program {
		p := plain(r.Log(2000, 2e5), r.Log(1, 16))
		p.valu, p.loads, p.stores, p.wide, p.lookups, p.parallel = r.Between(40, 150), 7, 1, 2.4, 1.3, 2.5
		p.miss = [4]float64{r.Between(0.25, 0.5), 0.95, r.Between(0.3, 0.7), r.Between(0.3, 1)}
		return p
	}},
	{"lbm_collide_stream", func(r simulate.Random) program {
		p := plain(r.Log(8000, 2e5), 1)
		p.valu, p.loads, p.stores, p.slots, p.parallel = r.Between(250, 500), 19, 19, simulate.Pick(r, 24.0, 32), 3
		return p
	}},
	{"nbody_forces", func(r simulate.Random) program {
		p := plain(r.Log(300, 2e4), r.Log(20, 300))
		p.valu, p.trans, p.lds, p.parallel, p.dual = r.Between(150, 400), r.Between(8, 20), r.Between(4, 16), 2.5, 0.3
		p.loads, p.miss = 0.3, [4]float64{0.9, 0.95, 0.05, 0.3}
		return p
	}},
	{"lj_neighbors", func(r simulate.Random) program {
		p := plain(r.Log(500, 3e4), r.Log(20, 80))
		p.valu, p.trans, p.loads, p.wide, p.lookups, p.active = r.Between(50, 160), 2, 2, r.Between(6, 20), r.Between(6, 20), 0.8
		p.miss, p.spread = [4]float64{r.Between(0.1, 0.5), 0.95, 0.15, 0.4}, 0.25
		return p
	}},
	{"fft_radix8", func(r simulate.Random) program {
		p := plain(r.Log(1000, 5e4), r.Log(2, 6))
		p.valu, p.lds, p.conflict, p.loads, p.stores, p.barrier = r.Between(100, 260), r.Between(32, 96), r.Between(0, 3), 4, 4, true
		p.slots, p.parallel = 40, 3
		held(r, &p)
		return p
	}},
	{"histogram256", func(r simulate.Random) program {
		p := plain(r.Log(400, 2e4), r.Log(4, 40))
		p.valu, p.lds, p.conflict, p.loads = r.Between(30, 80), r.Between(12, 32), r.Between(2, 12), 2
		vectors(&p)
		return p
	}},
	{"radix_scatter", func(r simulate.Random) program {
		p := plain(r.Log(600, 2e4), r.Log(1, 8))
		p.valu, p.lds, p.conflict, p.loads, p.stores, p.barrier = r.Between(80, 250), r.Between(20, 60), r.Between(0.5, 3), 4, 4, true
		p.wide, p.lookups, p.rows = r.Between(4, 12), r.Between(4, 12), 0.6
		return p
	}},
	{"sha256_search", func(r simulate.Random) program {
		p := plain(r.Log(500, 4e4), r.Log(4, 60))
		p.valu, p.parallel = r.Between(1500, 5000), r.Between(1.5, 3)
		return p
	}},
	{"option_paths_f64", func(r simulate.Random) program {
		p := plain(r.Log(300, 1e4), r.Log(10, 100))
		p.valu, p.double, p.trans, p.loads = r.Between(80, 200), r.Between(20, 60), 4, 0.2
		return p
	}},
	{"escape_time", func(r simulate.Random) program {
		p := plain(r.Log(1000, 6e4), r.Log(20, 400))
		p.valu, p.spread, p.active, p.parallel, p.stores = r.Between(60, 200), 0.9, 0.7, r.Between(1, 2), 0.02
		return p
	}},
	{"conv3x3_direct", func(r simulate.Random) program {
		p := plain(r.Log(1500, 8e4), r.Log(1, 32))
		p.valu, p.loads, p.lookups, p.parallel = r.Between(30, 130), float64(r.Whole(9, 25)), r.Between(1, 2.2), 3
		p.miss = [4]float64{r.Between(0.04, 0.15), 0.93, 0.3, 0.5}
		return p
	}},
	{"gather_table", func(r simulate.Random) program {
		p := plain(r.Log(800, 6e4), r.Log(4, 60))
		p.valu, p.loads, p.wide, p.lookups, p.parallel = r.Between(20, 60), r.Between(2, 4), r.Between(4, 10), r.Between(4, 10), 2
		p.miss = [4]float64{r.Between(0.6, 1), 0.98, r.Between(0.01, 0.06), 0.3}
		return p
	}},
	{"scatter_add", func(r simulate.Random) program {
		p := plain(r.Log(500, 3e4), r.Log(2, 30))
		p.valu, p.loads, p.atomics, p.wide = r.Between(20, 50), 1, r.Between(1, 3), r.Between(2, 10)
		p.lookups, p.miss[2] = p.wide, r.Between(0.05, 0.3)
		return p
	}},
	{"adamw_small", func(r simulate.Random) program {
		p := plain(r.Log(2, 200), 1)
		p.valu, p.trans, p.loads, p.stores, p.group = r.Between(20, 60), 2, 3, 2, 4
		return p
	}},
	{"fill_u32", func(r simulate.Random) program {
		p := plain(r.Log(2000, 6e5), 1)
		p.valu, p.stores, p.salu, p.written = r.Between(3, 8), 1, 4, r.Between(0.3, 1)
		return p
	}},
	{"compact_flags", func(r simulate.Random) program { // nearly all work-items leave at once
		p := plain(r.Log(2e4, 6e5), 1)
		p.valu, p.loads, p.salu, p.group = r.Between(3, 10), simulate.Pick(r, 0, 0, 1.0), 4, simulate.Pick(r, 2, 4, 8)
		p.miss[0], p.wide, p.miss[2] = r.Between(0.2, 1), 1, r.Between(0.05, 0.6)
		return p
	}},
}

// mixes are programs as people profile them: kernels by their places, and how often each comes in a turn.
var mixes = []struct {
	name  string
	turn  []int
	turns [2]int
}{
	{"LLM decoding", []int{3, 3, 3, 5, 4, 3, 3, 0, 5}, [2]int{2, 6}},
	{"LLM prefill", []int{2, 2, 4, 5, 2, 2, 0}, [2]int{2, 6}},
	{"training step", []int{1, 0, 5, 1, 1, 0, 6, 24, 24, 24}, [2]int{2, 4}},
	{"image network", []int{21, 0, 21, 0, 2, 5}, [2]int{3, 7}},
	{"sparse solver", []int{8, 6, 0, 6, 0, 0}, [2]int{3, 8}},
	{"graph analytics", []int{9, 26, 9, 6, 25}, [2]int{3, 9}},
	{"fluid on a lattice", []int{12, 12, 24, 6}, [2]int{4, 10}},
	{"finite differences", []int{11, 11, 0, 24}, [2]int{4, 10}},
	{"molecular dynamics", []int{14, 14, 23, 0, 24, 26}, [2]int{3, 8}},
	{"gravitation", []int{13, 0, 24}, [2]int{5, 12}},
	{"spectral solver", []int{15, 0, 15, 7, 11}, [2]int{3, 8}},
	{"sorting and joins", []int{16, 17, 26, 22, 17}, [2]int{3, 8}},
	{"database scan", []int{26, 22, 10, 6, 16}, [2]int{3, 8}},
	{"password search", []int{18}, [2]int{8, 24}},
	{"risk simulation", []int{19, 6, 0}, [2]int{4, 10}},
	{"fractals", []int{20, 25}, [2]int{5, 12}},
	{"image filters", []int{21, 7, 16, 0}, [2]int{3, 9}},
	{"embedding lookups", []int{22, 1, 23, 0, 24}, [2]int{3, 8}},
	{"linked structures", []int{10, 24, 6}, [2]int{4, 10}},
	{"stencil on small grids", []int{24, 11, 24, 25}, [2]int{4, 10}},
}

// vary draws what a random program is made of, over orders of magnitude.
func vary(r simulate.Random) program {
	p := plain(r.Log(30, 2e5), r.Log(1, 100))
	p.group, p.slots, p.parallel, p.spread = simulate.Pick(r, 1, 2, 4, 8), float64(8*r.Whole(2, 8)), r.Between(1, 4), r.Between(0, 0.8)
	p.valu = r.Log(5, 1500)
	some := func(chance, lo, hi float64) float64 {
		if r.Chance(chance) {
			return r.Log(lo, hi)
		}
		return 0
	}
	p.trans, p.double = p.valu*some(0.3, 0.01, 0.2), p.valu*some(0.08, 0.02, 0.3)
	p.lds, p.conflict, p.barrier = some(0.5, 2, 150), some(0.4, 0.1, 8), r.Chance(0.3)
	p.loads, p.stores, p.atomics = some(0.85, 0.2, 16), some(0.6, 0.1, 6), some(0.1, 0.1, 2)
	p.lookups = r.Log(1, 20)
	p.wide = max(2, p.lookups*r.Between(1, 2))
	p.miss = [4]float64{r.Between(0.1, 1), r.Between(0.9, 1), r.Between(0.03, 1), r.Between(0.1, 1)}
	p.rows, p.written, p.ahead = r.Between(0.4, 0.88), r.Between(0.2, 1), r.Chance(0.3)
	return p
}
