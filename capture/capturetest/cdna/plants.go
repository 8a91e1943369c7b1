package cdna

import "astrolabe/capture/capturetest"

// usual is a kernel that uses everything and exhausts nothing; its proportions differ from seed to seed.
func (m *machine) usual(r *capturetest.Random) kernel {
	about := func(v float64) float64 { return v * (0.92 + 0.16*r.Float64()) }
	return kernel{
		waves: 1024 * m.cus, perSIMD: 6, short: "SPI_RA_VGPR_SIMD_FULL_CSN",
		valu: about(24), trans: about(1.5), lanes: 62, salu: about(20), smem: about(5), branch: about(4), lds: about(8),
		conflict: about(0.05),
		loads:    about(4), stores: about(1), access: about(5), lines: about(3), hit1: about(0.6),
		hit2: about(0.8), tlb: 0.01,
		rounds: about(4), rounds3: about(3), code: 0.004, constant: 0.02,
	}
}

// light is the kernel with little arithmetic: one that mostly moves data.
func (k kernel) light() kernel {
	k.valu, k.trans, k.salu, k.lds, k.rounds3 = 0.4*k.valu, 0, 0.4*k.salu, 0, 0
	return k
}

// vary is the kernel of one dispatch: other data hit the caches a little more or less often.
func (k kernel) vary(r *capturetest.Random) kernel {
	for _, rate := range []*float64{&k.hit1, &k.hit2} {
		*rate = max(0, min(0.999, 1-(1-*rate)*r.Small()))
	}
	for _, cost := range []*float64{&k.conflict, &k.rounds, &k.barrier, &k.launch, &k.code, &k.tlb} {
		*cost *= r.Small()
	}
	k.tlb, k.code = min(0.99, k.tlb), min(0.95, k.code)
	return k
}

// plant is a way to change a kernel so that one thing limits it.
type plant struct {
	id, rule, doc string
	dies          bool // it needs several XCDs
	unit          int  // what is to be exhausted
	from, to      float64
	shape         func(k kernel) kernel             // another kind of kernel, before that
	turn          func(k kernel, by float64) kernel // more work for the unit
	set           func(m *machine, k kernel, load, weight float64) kernel
}

var plants = []plant{
	{
		id: "stream", rule: "dram_bandwidth", doc: "a copy that streams through HBM", unit: memory, from: 0.9, to: 0.98,
		shape: func(k kernel) kernel {
			k = k.light()
			k.perSIMD, k.short, k.hit1, k.hit2, k.rounds, k.loads, k.stores = 8, "", 0, 0.02, 1, 1, 1
			return k
		},
		turn: func(k kernel, by float64) kernel {
			k.loads, k.stores, k.rounds = by*k.loads, by*k.stores, max(1, 0.3*by*k.loads)
			return k
		},
	},
	{
		id: "gemm", rule: "mfma_bound", doc: "a matrix product whose tiles lie in the LDS", unit: matrix,
		from: 0.85, to: 0.95,
		shape: func(k kernel) kernel {
			k.perSIMD, k.mfma, k.mfmaLong, k.lds, k.rounds3, k.hit1, k.hit2, k.valu = 2, 16, 32, 24, 2, 0.3, 0.95, 40
			k.rounds, k.salu = 2, 30
			return k
		},
		turn: func(k kernel, by float64) kernel { k.mfma *= by; return k },
	},
	{
		id: "arithmetic", rule: "valu_bound", doc: "the kernel computes", unit: vector, from: 0.87, to: 0.98,
		turn: func(k kernel, by float64) kernel { k.valu *= by; return k },
	},
	{
		id: "special", rule: "valu_bound", doc: "the kernel computes roots and exponentials", unit: vector,
		from: 0.87, to: 0.98,
		turn: func(k kernel, by float64) kernel { k.trans *= by * by; return k },
	},
	{
		id: "addresses", rule: "salu_bound", doc: "addresses and loops take more scalar instructions than the work",
		unit: scalarUnit, from: 0.87, to: 0.97,
		shape: func(k kernel) kernel { k.valu = 0.4 * k.valu; return k },
		turn:  func(k kernel, by float64) kernel { k.salu *= by; return k },
	},
	{
		id: "lds_traffic", rule: "lds_bound", doc: "the kernel keeps its data in the LDS", unit: localShare,
		from: 0.87, to: 0.97,
		turn: func(k kernel, by float64) kernel { k.lds *= by; return k },
	},
	{
		id: "lds_conflicts", rule: "lds_conflicts", doc: "the lanes of a wave meet in the same banks of the LDS",
		unit: localShare, from: 0.87, to: 0.97,
		shape: func(k kernel) kernel { k.lds, k.conflict = 1.5*k.lds, 4; return k },
		turn:  func(k kernel, by float64) kernel { k.conflict *= by; return k },
	},
	{
		id: "scattered", rule: "address_bound", doc: "the lanes of a wave touch many lines, which the vector L1 has",
		unit: address, from: 0.87, to: 0.97,
		shape: func(k kernel) kernel {
			k = k.light()
			k.hit1, k.access, k.lines, k.stores = 0.93, 40, 20, 0.3
			return k
		},
		turn: func(k kernel, by float64) kernel { k.loads *= by; return k },
	},
	{
		id: "l2_traffic", rule: "l2_bound", doc: "the working set lies in the L2, and the vector L1 misses it",
		unit: level2, from: 0.87, to: 0.97,
		shape: func(k kernel) kernel {
			k = k.light()
			k.perSIMD, k.short, k.hit1, k.hit2, k.access, k.lines, k.rounds, k.loads, k.stores = 8, "", 0.02, 0.985, 4,
				4, 1, 3, 0.3
			return k
		},
		turn: func(k kernel, by float64) kernel { k.loads, k.rounds = by*k.loads, max(1, 0.2*by*k.loads); return k },
	},
	{
		id: "l2_channels", rule: "l2_bound", doc: "strides of a power of two send most requests to the same channels of the L2", unit: level2, from: 0.87, to: 0.97,
		shape: func(k kernel) kernel {
			k = k.light()
			k.perSIMD, k.short, k.hit1, k.hit2, k.access, k.lines, k.rounds, k.skew, k.loads, k.stores = 8, "", 0.1,
				0.95, 16, 8, 1, 3.6, 0.3, 0.1
			return k
		},
		turn: func(k kernel, by float64) kernel { k.loads, k.rounds = by*k.loads, max(1, 0.2*by*k.loads); return k },
	},
	{
		id: "remote", rule: "remote_memory", doc: "the data lie in the memory of another device", unit: link,
		from: 0.85, to: 0.98,
		shape: func(k kernel) kernel {
			k = k.light()
			k.remote, k.uncached, k.hit1, k.hit2, k.loads, k.stores = 0.95, 1, 0, 0.1, 0.2, 0.05
			return k
		},
		turn: func(k kernel, by float64) kernel { k.loads, k.stores = by*k.loads, by*k.stores; return k },
	},
	{
		id: "atomics", rule: "atomics_bound", doc: "all work-groups add to the same few lines", unit: atomicUnit,
		from: 0.85, to: 0.97,
		shape: func(k kernel) kernel { k = k.light(); k.atomics, k.hot = 0.05, 1; return k },
		turn:  func(k kernel, by float64) kernel { k.atomics *= by; return k },
	},
	{
		id: "large_code", rule: "fetch_bound", doc: "the program is larger than the instruction cache",
		unit: instructions, from: 0.92, to: 0.97,
		shape: func(k kernel) kernel {
			k.code, k.loads, k.stores, k.rounds = 0.2, 0.5*k.loads, 0.5*k.stores, 1
			return k
		},
		turn: func(k kernel, by float64) kernel {
			k.code = min(0.9, k.code*by)
			return k
		},
	},
	{
		id: "constants", rule: "scalar_cache_bound", doc: "waves queue for the scalar data cache", unit: constants,
		from: 0.85, to: 0.97,
		shape: func(k kernel) kernel { return k.light() },
		turn:  func(k kernel, by float64) kernel { k.smem *= by; return k },
	},
	{
		id: "few_waves", rule: "memory_latency", doc: "registers let one wave or two run on a SIMD",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.perSIMD += weight * (2.3 - 1.3*load - k.perSIMD)
			return k
		},
	},
	{
		id: "lds_occupancy", rule: "memory_latency", doc: "the LDS of a work-group lets few of them run",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.perSIMD, k.short = k.perSIMD+weight*(2.3-1.3*load-k.perSIMD), "SPI_RA_LDS_CU_FULL_CSN"
			return k
		},
	},
	{
		id: "pointer_chase", rule: "memory_latency", doc: "every load waits for the one before",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.rounds *= 1 + weight*(2+8*load)
			k.loads = max(k.loads, k.rounds)
			return k
		},
	},
	{
		id: "translations", rule: "memory_latency",
		doc: "pages are touched in an order that the translation cache cannot keep",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.tlb += weight * (0.35 + 0.5*load)
			k.rounds *= 1 + weight
			return k
		},
	},
	{
		id: "barriers", rule: "memory_latency", doc: "the waves of a work-group wait for the slowest",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.barrier = weight * (2500 + 8000*load)
			return k
		},
	},
	{
		id: "tiny_grid", rule: "cus_idle", doc: "the grid has fewer work-groups than the machine has compute units",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.waves = m.cus * (0.3 - 0.25*load) * (1 + 4*(1-weight))
			k.valu, k.salu, k.loads, k.stores, k.rounds, k.lds = 40*k.valu, 40*k.salu, 40*k.loads, 40*k.stores,
				40*k.rounds, 40*k.lds
			k.smem, k.branch = 20*k.smem, 40*k.branch
			return k
		},
	},
	{
		id: "dies", rule: "cus_idle", doc: "half of the XCDs have nearly all of the work", dies: true,
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.dieSkew = 1 + weight*(1.5+0.45*load)
			return k
		},
	},
	{
		id: "short_waves", rule: "wave_launch_bound", doc: "waves end sooner than others are launched", unit: spawn,
		from: 0.85, to: 0.97,
		shape: func(k kernel) kernel { k.barrier = 0; return k },
		turn: func(k kernel, by float64) kernel {
			for _, each := range []*float64{&k.valu, &k.trans, &k.salu, &k.smem, &k.branch, &k.lds, &k.loads, &k.stores,
				&k.rounds, &k.rounds3} {
				*each /= by
			}
			k.waves *= 4
			return k
		},
	},
	{
		id: "short_dispatches", rule: "launch_bound", doc: "dispatches are too short to be worth their launch",
		set: func(m *machine, k kernel, load, weight float64) kernel {
			k.waves /= 1 + 300*weight
			r := m.run(k)
			part := 1 - weight*(0.55+0.35*load)
			k.launch = max(0, r.busy*(1/part-1)-m.launch)
			return k
		},
	},
}

func findPlant(id string) *plant {
	for i := range plants {
		if plants[i].id == id {
			return &plants[i]
		}
	}
	return nil
}

// into plants it in a kernel. With less than all of its weight the kernel stays of its kind, and the unit works a part
// of the way more.
func (p *plant) into(m *machine, k kernel, load, weight float64) kernel {
	if weight == 1 && p.shape != nil {
		k = p.shape(k)
	}
	if p.set != nil {
		return p.set(m, k, load, weight)
	}
	now := m.run(k).used[p.unit]
	target := p.from + (p.to-p.from)*load
	if weight < 1 {
		if target <= now {
			return k
		}
		target = now + weight*(target-now)
	}
	return p.exhaust(m, k, target)
}

// exhaust turns the work for the plant's unit up until it works the given share of the time.
func (p *plant) exhaust(m *machine, k kernel, load float64) kernel {
	lo, hi := 0.01, 2.0
	for m.run(p.turn(k, hi)).used[p.unit] < load && hi < 1e4 {
		hi *= 2
	}
	for range 40 {
		mid := (lo + hi) / 2
		if m.run(p.turn(k, mid)).used[p.unit] < load {
			lo = mid
		} else {
			hi = mid
		}
	}
	return p.turn(k, hi)
}
