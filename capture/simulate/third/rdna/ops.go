package rdna

// vcopy is the kernel of the public capture: a million doubles copied, one by each work-item.
func vcopy() *kernel {
	return &kernel{name: "vecCopy(double*, double*, double*, int, int)", groupSize: 256, groups: 4096, vgprs: 8,
		launchCost: 1, spread: 0.85, dram: 0.85, code: 256, clock: 1, footprint: 16 << 20, iters: 0,
		before: []op{scalarLoads(2), scalarLoads(2), valu(8, 0.5), load(1, 8, 2, 0, 0, 0.95)},
		after:  []op{store(1, 8, 2, 0.1, 0.95)}}
}

// scalarLoads are n at once.
func scalarLoads(n float64) op { return op{kind: opScalar, n: n} }

// valu is n vector instructions, of which a share needs the result of the one before.
func valu(n, dep float64) op { return op{kind: opVALU, n: n, cycles: 1, dep: dep} }

// special is n transcendental instructions.
func special(n, dep float64) op {
	return op{kind: opVALU, n: n, cycles: 4, dep: dep, class: transcendental}
}

// doubles is n instructions on doubles.
func doubles(n, dep float64) op { return op{kind: opVALU, n: n, cycles: 16, dep: dep, class: double} }

// load is n loads of so many bytes by each lane, on so many lines, with shares that hit.
func load(n, bytes, lines, gl0, gl2, mall float64) op {
	return op{kind: opLoad, n: n, bytes: bytes, lines: lines, gl0: gl0, gl2: gl2, mall: mall}
}

// ahead is the same, asked for so many iterations before it is used.
func (o op) ahead(depth int) op {
	o.depth = depth
	return o
}

// store is n stores; gl2 is the share of lines that are overwritten or never leave GL2 while the kernel runs.
func store(n, bytes, lines, gl2, mall float64) op {
	return op{kind: opStore, n: n, bytes: bytes, lines: lines, gl2: gl2, mall: mall}
}

// atomic is n atomics, each line of which takes GL2 so many cycles.
func atomic(n, lines, serial float64, ret bool) op {
	return op{kind: opAtomic, n: n, bytes: 4, lines: lines, gl2: 1, serial: serial, ret: ret}
}

// local is n accesses of LDS.
func local(n, bytes, conflict float64) op {
	return op{kind: opLDS, n: n, bytes: bytes, conflict: conflict}
}

func barrier() op { return op{kind: opBarrier} }
