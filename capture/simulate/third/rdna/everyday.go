package rdna

import "math"

// Kernels that nobody has tuned, and small ones.

// plainProduct is a product of matrices without tiles: each item goes along a row and a column.
func plainProduct(d draw) *kernel {
	n := 64 * d.whole(4, 20)
	k := d.base("matMulNaive(float const*, float const*, float*, int)", 256, n*n/256)
	k.iters = d.whole(6, 14)
	k.footprint = float64(n) * float64(n) * 8
	near := d.between(0.6, 0.95)
	k.body = []op{load(8, 4, 1, 0.97, 0.9, 1).ahead(1), load(8, 4, 1, near, fits(k.footprint, 2<<20), resident(k.footprint)).ahead(1),
		valu(d.between(16, 30), d.between(0.3, 0.7))}
	k.after = []op{store(1, 4, 1, 0, 0.8)}
	return k
}

// tiled is the product of matrices of the textbooks: tiles in LDS, from which each multiplication reads anew.
func tiled(d draw) *kernel {
	n := 64 * d.whole(4, 20)
	k := d.base("matrixMulShared(float*, float*, float*, int)", 256, n*n/256)
	k.lds, k.iters, k.vgprs = 2048, d.whole(6, 14), 24*d.whole(1, 3)
	k.footprint = float64(n) * float64(n) * 8
	hit := fits(k.footprint, 2<<20)
	k.body = []op{load(2, 4, 1.5, 0.3, hit, resident(k.footprint)), local(2, 4, 0), barrier(),
		local(d.between(20, 32), 4, pick(d, 0, 0, d.between(0.5, 1.5))), valu(d.between(18, 34), 0.3), barrier()}
	k.after = []op{store(1, 4, 1, 0, 0.8)}
	return k
}

// transposition writes columns: each lane of a store has a line of its own, which GL2 puts together.
func transposition(d draw) *kernel {
	k := d.base("transposeNaive(float const*, float*, int, int)", 256, int(d.log(500, 12000)))
	k.footprint = float64(k.groups) * 256 * 8
	k.spread = d.between(0.4, 0.8) // rows of a power of two meet in few channels
	k.before = append(k.before, load(1, 4, 1, 0, 0.02, resident(k.footprint)))
	k.after = []op{store(1, 4, 32, d.between(0.75, 0.95), resident(k.footprint))}
	return k
}

// reduction is a tree in LDS, by the book and with its conflicts.
func reduction(d draw) *kernel {
	k := d.base("reduceInterleaved(float const*, float*, unsigned int)", 256, int(d.log(300, 8000)))
	k.lds, k.iters = 1024, 8
	k.footprint = float64(k.groups) * 1024
	k.before = append(k.before, load(1, 4, 1, 0, 0.02, resident(k.footprint)), local(1, 4, 0), barrier())
	k.body = []op{valu(9, 0.8), local(3, 4, pick(d, 0, 0.5, d.between(1, 6))), barrier()}
	k.after = []op{store(0.03, 4, 1, 0.5, 1)}
	return k
}

// sharedBins is a histogram with bins in LDS, that many lanes want at once where the data are alike.
func sharedBins(d draw) *kernel {
	k := d.base("histogramShared(uchar4 const*, unsigned int*, int)", 256, int(d.log(200, 3000)))
	k.lds, k.iters = 4096, d.whole(4, 12)
	k.footprint = float64(k.groups*k.iters) * 4096
	k.body = []op{load(1, 16, 4, 0, 0.02, resident(k.footprint)).ahead(1), valu(40, 0.2), local(16, 4, pick(d, d.between(0.5, 2), d.between(4, 20)))}
	k.after = []op{barrier(), local(1, 4, 0), atomic(1, 1, 2, false)}
	return k
}

// spilling has more variables than registers: they go to scratch memory, which GL0 holds only in part.
func spilling(d draw) *kernel {
	k := d.base("integrateChemistry(double*, double const*, int, double)", 128, int(d.log(100, 2000)))
	k.vgprs, k.scratch, k.iters = 240, 4*d.whole(20, 200), d.whole(3, 10)
	k.launchCost, k.code = d.between(1.5, 3), d.between(20000, 90000)
	k.footprint = processors * 24 * lanes * float64(k.scratch)
	hit := fits(k.footprint, 2<<20)
	k.body = []op{load(d.between(6, 16), 4, 1, d.between(0.1, 0.5), hit, 0.95), valu(d.between(120, 300), 0.4), special(d.between(0, 12), 0.3),
		store(d.between(3, 8), 4, 1, math.Max(0.3, hit*0.95), 0.95)}
	k.after = []op{store(2, 8, 2, 0, 0.5)}
	return k
}

// decoding goes through a stream bit by bit in few waves of which few lanes do anything.
func decoding(d draw) *kernel {
	k := d.base("inflateStreams(unsigned char const* const*, unsigned char* const*, int)", 32, int(d.log(16, 400)))
	k.iters, k.vgprs = d.whole(12, 40), 24*d.whole(2, 5)
	k.footprint = d.log(1<<20, 40<<20)
	k.body = []op{load(1, 4, 1, d.between(0.5, 0.9), 0.7, resident(k.footprint)), valu(d.between(40, 160), 0.9), local(d.between(1, 4), 4, 0)}
	k.lds = 8 << 10
	k.after = []op{store(4, 4, 1, 0, 0.9)}
	return k
}

// scan is a prefix sum whose work-groups look back at what those before them have published.
func scan(d draw) *kernel {
	k := d.base("DeviceScanKernel<decoupled_lookback>(unsigned int const*, unsigned int*)", 256, int(d.log(60, 5000)))
	k.lds, k.iters = 2048, d.whole(1, 4)
	k.footprint = float64(k.groups) * 256 * 32
	mall := resident(k.footprint)
	k.before = append(k.before, load(2, 16, 4, 0, 0.02, mall), valu(40, 0.5), local(3, 4, 0.3), barrier())
	k.body = []op{load(1, 8, 2, 0, 0.95, 1), valu(10, 0.8)}
	k.after = []op{barrier(), local(2, 4, 0), store(2, 16, 4, 0, mall)}
	return k
}

// few is any of the common kernels on little data, as interactive programs launch them.
func few(d draw) *kernel {
	k := pick(d, elementwise, softmax, reduction, norm, filter)(d)
	k.groups = d.whole(1, 40)
	k.footprint = float64(k.groups*k.groupSize) * 32
	return k
}

// smallLayer is a layer of a network that the caches hold.
func smallLayer(d draw) *kernel {
	k := gemv(d)
	k.groups = d.whole(16, 256)
	k.footprint = float64(k.groups) * (16 << 10)
	for i := range k.body {
		o := &k.body[i]
		o.gl2, o.mall = max(o.gl2, fits(k.footprint, 2<<20)*0.9), 1
	}
	return k
}
