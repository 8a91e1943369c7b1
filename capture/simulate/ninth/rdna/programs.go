package rdna

import "astrolabe/capture/simulate"

// streaming is what the texts of kernels begin from, vector what a load of four words for each lane is.
const (
	streaming = "group 8 lanes 32 active 1 slots 16|24|32|48|64|64 rounds 1 parallel 2 salu 8 lookups 1 wide 2 l0 1 gl1 .95 l2 .97 ic 1|1|.05:.4 written 1 rows .85 spread .1 "
	vector    = "lookups 4 wide 2 "
)

// kernels of compute, as texts for vary. The number of their waves follows from how long they take.
var kernels = []struct{ name, text string }{
	0:  {"elementwise_kernel", "rounds 1~8 valu 8~220 loads 1|2|3 stores 1 lookups 1|4"},
	1:  {"sgemm_tile", vector + "rounds 16~200 slots 16|24|32 valu 300:1100 dual .1:.5 parallel 4 lds 40:200 conflict 0:1.2 loads 2:6 barrier 1 ahead 0|1|1 l0 .95 l2 .05:.3 ic .5"},
	2:  {"wmma_gemm_f16", vector + "rounds 16~128 slots 8|16|16 parallel 3 matrix 24:80 valu 100:260 lds 30:90 conflict 2:4 loads 3:8 barrier 1 ahead 0|1|1|1 l0 .95 l2 .05:.35 ic .5"},
	3:  {"gemv_q4", vector + "rounds 6~60 group 2|4|8 slots 32|48|64 valu 120~900 loads 2:5 parallel 3 ic .95"},
	4:  {"attention_fwd", vector + "rounds 6~64 group 4 slots 16 matrix 12:32 trans 16:48 valu 180:400 lds 20:60 conflict 1:3 loads 4 barrier 1 l0 .9 l2 .2:.6 ic .7"},
	5:  {"rms_norm", "rounds 1~4 valu 60 trans 4 loads 2 stores 1 lds 8 barrier 1 l2 .1:.9 ic .1:.9"},
	6:  {"reduce_kernel", vector + "rounds 4~32 valu 15:300 loads 4 lds 2 parallel 1.5"},
	7:  {"transpose_naive", "valu 20 loads 1 stores 1 lookups 12:24 wide 1 l0 .15:.5 l2 .4 written .15"},
	8:  {"spmv_csr", "rounds 6~40 valu 20:60 loads 3 lookups 6:18 wide 1 l0 .3:.9 gl1 .97 l2 .2:.8 ic .3:.9 rows .4:.75 spread .5"},
	9:  {"bfs_expand", "rounds 4~30 valu 20:50 active .5 loads 2 atomics 0|.5 lookups 10:28 wide 1 parallel 1.2 l0 .9 gl1 .99 l2 .4:.9 ic .3:.9 rows .3:.6 spread .8"},
	10: {"traverse_lists", "rounds 40~400 valu 8:25 loads 1 lookups 2:10 wide 1 parallel 1.1 l0 .95 gl1 .99 l2 .2:.9 ic .2:.9 rows .4"},
	11: {"stencil7", "rounds 1~16 valu 50:220 loads 7 stores 1 lookups 1.3 parallel 2.5 l0 .25:.5 l2 .3:.7 ic .3:1"},
	12: {"lbm_collide_stream", "valu 500:1500 loads 19 stores 19 slots 24|32 parallel 3"},
	13: {"nbody_forces", "rounds 20~300 valu 150:400 trans 8:20 lds 4:16 parallel 2.5 dual .3 loads .3 l0 .9 l2 .05 ic .3"},
	14: {"lj_neighbors", "rounds 20~80 valu 50:160 trans 2 loads 2 lookups 6:20 wide 1 active .8 l0 .1:.5 l2 .15 ic .4 spread .25"},
	15: {"fft_radix8", "rounds 2~6 valu 150:420 lds 32:96 conflict 0:3 loads 4 stores 4 barrier 1 slots 40 parallel 3"},
	16: {"histogram256", vector + "rounds 4~40 valu 30:80 lds 12:32 conflict 2:12 loads 2"},
	17: {"radix_scatter", "rounds 1~8 valu 80:250 lds 20:60 conflict .5:3 loads 4 stores 4 barrier 1 lookups 4:12 wide 1 rows .6"},
	18: {"sha256_search", "rounds 4~60 valu 1500:5000 parallel 1.5:3"},
	19: {"option_paths_f64", "rounds 10~100 valu 80:200 double 20:60 trans 4 loads .2"},
	20: {"escape_time", "rounds 20~400 valu 60:200 active .7 parallel 1:2 stores .02 spread .9"},
	21: {"conv3x3_direct", "rounds 1~32 valu 30:130 loads 9:25 lookups 1:2.2 wide 1 parallel 3 l0 .04:.15 l2 .3 ic .5"},
	22: {"gather_table", "rounds 4~60 valu 20:60 loads 2:4 lookups 4:10 wide 1 l0 .6:1 gl1 .98 l2 .01:.06 ic .3"},
	23: {"scatter_add", "rounds 2~30 valu 20:50 loads 1 atomics 1:3 lookups 2:10 wide 1 l2 .05:.3"},
	24: {"adamw_small", "group 4 valu 20:60 trans 2 loads 3 stores 2"},
	25: {"fill_u32", "valu 3:8 stores 1 salu 4 written .3:1"},
	26: {"compact_flags", "group 2|4|8 valu 3:10 loads 0|0|1 salu 4 wide 1 l0 .2:1 l2 .05:.6"}, // nearly all work-items leave at once
	27: {"random", "rounds 1~100 group 1|2|4|8 slots 16|24|32|48|64 parallel 1:4 valu 5~1500 trans 0|0|.5:5 double 0|0|0|0|0|.5:5 lds 0|2~150 conflict 0|.1~8 barrier 0|0|1 ahead 0|0|1 loads 0|.2~16|.2~16|.2~16 stores 0|.1~6 atomics 0|0|0|0|.1~2 lookups 1~20 wide 1:2 l0 .1:1 gl1 .9:1 l2 .03:1 ic .1:1 rows .4:.88 written .2:1 spread 0:.8"},
}

// mixes are programs as people profile them: kernels in the order of a turn.
var mixes = []struct {
	name string
	turn []int
}{
	{"LLM decoding", []int{3, 3, 3, 5, 4, 3, 3, 0, 5}}, {"LLM prefill", []int{2, 2, 4, 5, 2, 2, 0}}, {"training step", []int{1, 0, 5, 1, 1, 0, 6, 24, 24, 24}},
	{"image network", []int{21, 0, 21, 0, 2, 5}}, {"sparse solver", []int{8, 6, 0, 6, 0, 0}}, {"graph analytics", []int{9, 26, 9, 6, 25}},
	{"fluid on a lattice", []int{12, 12, 24, 6}}, {"finite differences", []int{11, 11, 0, 24}}, {"molecular dynamics", []int{14, 14, 23, 0, 24, 26}},
	{"gravitation", []int{13, 0, 24}}, {"spectral solver", []int{15, 0, 15, 7, 11}}, {"sorting and joins", []int{16, 17, 26, 22, 17}},
	{"database scan", []int{26, 22, 10, 6, 16}}, {"password search", []int{18}}, {"risk simulation", []int{19, 6, 0}}, {"fractals", []int{20, 25}},
	{"image filters", []int{21, 7, 16, 0}}, {"embedding lookups", []int{22, 1, 23, 0, 24}}, {"linked structures", []int{10, 24, 6}},
	{"stencil on small grids", []int{24, 11, 24, 25}},
}

// planted are programs that one thing should limit, after plantedFrom.
const plantedFrom = "slots 64 waves 6e3~6e4 rounds 4~40 loads .5 l0 .3 l2 .1 ic .4 valu 10:25 parallel 2.5 "

var planted = [things]string{
	valu:   "valu 400:2500 trans 0|0|60 double 0|0|80",
	lds:    "lds 60:200 conflict 0|1.5|6 barrier 0|1",
	access: "loads 6:20 lookups 4:24 wide 1 l0 .005:.02",
	cache:  vector + "loads 5:14 l0 1 gl1 .99 l2 .005:.02 ic .1",
	memory: vector + "loads 2:6 stores 0|1|2 l0 1 gl1 1 l2 1 ic .95:1",
	wait:   "waves 50~600 rounds 60~400 slots 8|16|32 group 4 loads 1 valu 5:14 l0 1 gl1 1 l2 .2:1 ic .3:1",
	spawn:  "waves 1.5e5~8e5 rounds 1 valu 2:6 loads 0 salu 2 group 1|2|4",
	fixed:  "waves 1~60 rounds 1 loads 0|1 group 1",
}

// compute draws a program of a text.
func compute(r simulate.Random, text string) (p program) {
	vary(r, p.fields(), streaming+text)
	p.valu = max(p.valu, p.trans+p.double+p.matrix)
	return p
}
