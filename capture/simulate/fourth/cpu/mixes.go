package cpu

import "astrolabe/capture/simulate"

// The mixes that programs are made of, as published characterizations have them.

// dense are loops over data in registers and near caches: codecs, hashes, matrices.
func dense(r simulate.Random) mix {
	return mix{base: r.Between(0.3, 0.6), branches: r.Between(0.03, 0.09), wrong: r.Between(0.001, 0.01), front: r.Between(0, 0.02),
		llc: r.Log(0.0002, 0.001), misses: r.Log(0.00002, 0.0002), mlp: 4, bytes: 80, loads: 0.3, l1: 0.01, dtlb: 2e-5, itlb: 1e-6, system: 0.01}
}

// guessing is code whose branches depend on data: sorting, parsing, searching, decoding of entropy.
func guessing(r simulate.Random) mix {
	return mix{base: r.Between(0.26, 0.34), branches: r.Between(0.16, 0.24), wrong: r.Between(0.08, 0.16), front: r.Between(0.01, 0.05),
		llc: r.Log(0.0005, 0.002), misses: r.Log(0.00005, 0.0003), mlp: 3, bytes: 75, loads: 0.26, l1: 0.02, dtlb: 1e-4, itlb: 5e-6, system: 0.01}
}

// sprawling is code of many megabytes: interpreters, servers, compilers.
func sprawling(r simulate.Random) mix {
	return mix{base: r.Between(0.27, 0.36), branches: r.Between(0.17, 0.23), wrong: r.Between(0.006, 0.02), front: r.Between(0.45, 0.9),
		llc: r.Log(0.002, 0.006), misses: r.Log(0.0001, 0.0005), mlp: 3, bytes: 75, loads: 0.28, l1: 0.03, dtlb: 4e-4, itlb: r.Log(3e-4, 2e-3), system: 0.1}
}

// chasing follows pointers through more than the caches hold: graphs, trees, tables.
func chasing(r simulate.Random) mix {
	return mix{base: r.Between(0.28, 0.45), branches: r.Between(0.12, 0.2), wrong: r.Between(0.01, 0.04), front: r.Between(0, 0.03),
		llc: r.Log(0.015, 0.04), misses: r.Log(0.006, 0.02), mlp: r.Between(1, 1.8), bytes: 70, loads: 0.32, l1: 0.06, dtlb: r.Log(2e-3, 8e-3),
		itlb: 5e-6, system: 0.02}
}

// streaming goes through arrays that memory holds.
func streaming(r simulate.Random) mix {
	return mix{base: r.Between(0.25, 0.4), branches: r.Between(0.03, 0.1), wrong: 0.003, front: r.Between(0, 0.01), llc: r.Between(0.03, 0.06),
		misses: r.Between(0.025, 0.05), mlp: r.Between(10, 20), bytes: r.Between(64, 110), loads: 0.35, l1: 0.06, dtlb: 3e-4, itlb: 1e-6, system: 0.01}
}

// ordinary is a bit of everything.
func ordinary(r simulate.Random) mix {
	return mix{base: r.Between(0.28, 0.5), branches: r.Between(0.12, 0.2), wrong: r.Log(0.005, 0.04), front: r.Log(0.03, 0.3),
		llc: r.Log(0.001, 0.01), misses: r.Log(0.0001, 0.003), mlp: r.Between(1.5, 4), bytes: r.Between(66, 90), loads: 0.28, l1: 0.03,
		dtlb: r.Log(1e-4, 1e-3), itlb: r.Log(1e-5, 3e-4), system: r.Log(0.02, 0.2)}
}

// contended is what is done under locks: data that other cores had last.
func contended(r simulate.Random) mix {
	x := ordinary(r)
	x.llc, x.misses, x.mlp, x.front = r.Between(0.006, 0.015), r.Between(0.001, 0.003), 1.3, r.Between(0.1, 0.25)
	x.system = 0.2
	return x
}

// fit keeps a mix to what a machine can do.
func (x *mix) fit(m *machine) {
	x.base = max(x.base, 1.1/min(m.width, 5.4))
	if m.maker == arm {
		x.base *= 1.25
	}
}
