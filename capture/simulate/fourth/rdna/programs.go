package rdna

import "astrolabe/capture/simulate"

// step is a kernel of a program, and how many dispatches of it follow each other.
type step struct {
	make  recipe
	size  float64
	times int
}

// programs are what a session of profiling looks at: a loop of an application.
var programs = []struct {
	text  string
	steps []step
}{
	{"decode of a language model", []step{{tiny, 1, 1}, {gemv, 1, 2}, {tiny, 0.5, 1}, {attention, 0.1, 1}, {gemv, 2, 2}}},
	{"prefill of a language model", []step{{wmmaGemm, 1, 2}, {attention, 1, 1}, {elementwise, 0.5, 1}, {wmmaGemm, 2, 1}}},
	{"training of a network", []step{{gemm, 1, 2}, {elementwise, 1, 2}, {reduction, 0.5, 1}, {elementwise, 2, 1}}},
	{"a convolutional network", []step{{shared, 1, 2}, {elementwise, 0.3, 1}, {wmmaGemm, 0.3, 1}, {tiny, 1, 1}}},
	{"conjugate gradients", []step{{spmv, 1, 1}, {reduction, 0.5, 1}, {tiny, 1, 1}, {elementwise, 1, 2}}},
	{"flow on a grid", []step{{stencil, 1, 2}, {elementwise, 0.4, 1}, {tiny, 1, 1}, {reduction, 0.5, 1}}},
	{"molecular dynamics", []step{{nbody, 1, 1}, {gather, 0.5, 1}, {elementwise, 0.1, 1}, {tiny, 1, 1}}},
	{"search in a graph", []step{{chase, 4, 2}, {thin, 0.1, 1}, {tiny, 1, 1}, {spmv, 0.1, 1}}},
	{"a radix sort", []step{{histogram, 1, 1}, {fft, 0.3, 1}, {gather, 1, 1}}},
	{"a database query", []step{{gather, 1, 1}, {atomics, 1, 1}, {reduction, 0.7, 1}, {thin, 0.3, 1}}},
	{"a path tracer", []step{{chase, 8, 2}, {nbody, 0.3, 1}, {thin, 0.2, 1}}},
	{"filters of pictures", []step{{strided, 1, 1}, {stencil, 1, 1}, {histogram, 0.5, 1}, {elementwise, 0.4, 1}}},
	{"convolution by FFT", []step{{fft, 1, 2}, {elementwise, 1, 1}, {fft, 1, 2}}},
	{"pricing of options", []step{{nbody, 1, 1}, {reduction, 0.2, 1}, {tiny, 1, 1}}},
	{"combustion", []step{{doubles, 1, 2}, {stencil, 0.4, 1}, {reduction, 0.3, 1}}},
	{"particles in cells", []step{{gather, 1, 1}, {atomics, 1, 1}, {stencil, 0.4, 1}, {strided, 0.3, 1}}},
	{"many small kernels", []step{{tiny, 1, 3}, {tiny, 2, 2}, {elementwise, 0.01, 1}}},
	{"copies of arrays", []step{{elementwise, 1, 3}, {reduction, 1, 1}}},
}

// plants are recipes that one candidate is meant to limit, in the order of candidates.
var plants = [][]recipe{
	{nbody, doubles, busyGemm},
	{strided, strided, scattered},
	{conflicts, atomicLDS},
	{thin, oneWaveGroups},
	{shared, hotAtomics},
	{elementwise, gemv, longReduction},
	{chase, lonelyChase},
	{tiny},
}

func busyGemm(r simulate.Random, size float64) *kernel {
	k := wmmaGemm(r, size)
	k.groups = max(k.groups, 200)
	k.vgpr, k.segments[1].lds = 120, k.segments[1].lds*0.4
	return k
}

func scattered(r simulate.Random, size float64) *kernel {
	k := gather(r, size)
	s := &k.segments[1]
	s.loads, s.lines, s.bytes, s.stores, s.mlp = s.loads+8, 24, 32, 0, 8
	s.hit0, s.hit1, s.hit2 = r.Between(0.9, 0.97), 0.6, 0.9
	return k
}

func conflicts(r simulate.Random, size float64) *kernel {
	k := fft(r, size)
	k.segments[1].conflict = r.Between(2.5, 10)
	k.segments[1].lds *= 2
	k.lds = 8192
	return k
}

func atomicLDS(r simulate.Random, size float64) *kernel {
	k := histogram(r, size)
	k.segments[1].conflict = r.Between(4, 12)
	return k
}

func oneWaveGroups(r simulate.Random, size float64) *kernel {
	k := thin(r, size)
	k.group = 32
	k.segments[0].valu *= 2
	return k
}

func hotAtomics(r simulate.Random, size float64) *kernel {
	k := atomics(r, size)
	s := &k.segments[1]
	s.atomic, s.lines = r.Between(6, 14), r.Between(8, 24)
	return k
}

func longReduction(r simulate.Random, size float64) *kernel {
	k := reduction(r, size*2)
	k.segments[1].hitMall = r.Between(0, 0.1)
	return k
}

func lonelyChase(r simulate.Random, size float64) *kernel {
	k := chase(r, size)
	k.groups = r.Whole(8, 60)
	k.segments[1].loads *= 5
	k.segments[1].branch *= 5
	k.segments[1].valu *= 3
	return k
}
