package gfx1151

// plant is a way to change a kernel so that one thing limits it.
type plant struct {
	id, rule, doc string
	gated         bool // its counters belong to TCP, whose clock may be off
	unit          int  // what is to be exhausted
	lightly       bool // with a kernel that mostly moves data
	from, to      float64
	shape         func(k kernel) kernel             // another kind of kernel, before that
	turn          func(k kernel, by float64) kernel // more work for the unit
	set           func(k kernel, load, weight float64) kernel
}

var plants = []plant{
	{
		id: "dram_bandwidth", rule: "dram_bandwidth", doc: "the kernel streams through memory", unit: memory,
		lightly: true, from: 0.95, to: 0.985,
		shape: func(k kernel) kernel { k.hit0, k.hit1, k.hit2 = 0.4, 0.1, 0.25; return k },
		turn:  func(k kernel, by float64) kernel { k.loads, k.stores = by*k.loads, by*k.stores; return k },
	},
	{
		id: "memory_stalls", rule: "dram_bandwidth", doc: "others use the memory that the kernel needs", unit: memory,
		lightly: true, from: 0.95, to: 0.985,
		turn: func(k kernel, by float64) kernel { k.foreign = 1 - 1/by; return k },
	},
	{
		id: "gl2_channels", rule: "gl2_backpressure", doc: "strides send most requests to the same channels of GL2",
		unit: level2, lightly: true, from: 0.93, to: 0.98,
		turn: func(k kernel, by float64) kernel { k.cost2 *= by; return k },
	},
	{
		id: "gl1_conflicts", rule: "gl2_backpressure", doc: "reads miss the vector L1 and meet in the same GL1",
		unit: level1, lightly: true, gated: true, from: 0.94, to: 0.98,
		shape: func(k kernel) kernel { k.hit0, k.hit1 = 0.3, 0.85; return k },
		turn:  func(k kernel, by float64) kernel { k.cost1 *= by; return k },
	},
	{
		id: "scattered", rule: "ta_stalls", doc: "the lanes of a wave touch many lines, which the vector L1 has",
		unit: request, lightly: true, gated: true, from: 0.94, to: 0.98,
		shape: func(k kernel) kernel { k.hit0, k.ret, k.stores = 0.94, 0.6, 0.4*k.stores; return k },
		turn:  func(k kernel, by float64) kernel { k.spread *= by; return k },
	},
	{
		id: "wide_returns", rule: "ta_stalls", doc: "loads return more than the registers take", unit: returns,
		lightly: true, gated: true, from: 0.94, to: 0.98,
		turn: func(k kernel, by float64) kernel { k.ret *= by; return k },
	},
	{
		id: "scalar_loads", rule: "scalar_stalls", doc: "waves queue for the scalar data cache", unit: constants,
		lightly: true, from: 0.93, to: 0.98,
		turn: func(k kernel, by float64) kernel { k.smem *= by; return k },
	},
	{
		id: "large_code", rule: "fetch_stalls", doc: "the program is larger than the instruction cache",
		unit: instructions, lightly: true, from: 0.93, to: 0.98,
		turn: func(k kernel, by float64) kernel {
			k.fetch *= by
			k.code = max(0.3, k.code-0.05*by)
			return k
		},
	},
	{
		id: "barriers", rule: "waves_starved", doc: "the waves of a work-group wait for the slowest", lightly: true,
		set: func(k kernel, load, weight float64) kernel {
			part := weight * (0.27 + 0.45*load)
			k.barrier = part / (1 - part) * (k.chain + k.perWave())
			return k
		},
	},
	{
		id: "few_waves", rule: "waves_starved", doc: "registers let few waves run at a time", lightly: true,
		set: func(k kernel, load, weight float64) kernel {
			k.perSIMD += weight * (5.2 - 3.7*load - k.perSIMD)
			return k
		},
	},
	{
		id: "long_chains", rule: "waves_starved", doc: "every load waits for the one before", lightly: true,
		set: func(k kernel, load, weight float64) kernel { k.chain *= 1 + weight*(0.6+3*load); return k },
	},
	{
		id: "arithmetic", rule: "valu_bound", doc: "the kernel computes", unit: vector, from: 0.9, to: 0.98,
		shape: func(k kernel) kernel { k.salu, k.internal = 0.5*k.salu, 0.5*k.internal; return k },
		turn:  func(k kernel, by float64) kernel { k.valu *= by; return k },
	},
	{
		id: "special", rule: "valu_bound", doc: "the kernel computes roots and exponentials", unit: vector,
		from: 0.9, to: 0.98,
		turn: func(k kernel, by float64) kernel { k.trans *= by * by; return k },
	},
	{
		id: "lds_conflicts", rule: "lds_conflicts", doc: "the lanes of a wave meet in the same banks of the LDS",
		unit: localShare, lightly: true, from: 0.87, to: 0.98,
		shape: func(k kernel) kernel { k.chain, k.loads, k.lds = 0.6*k.chain, 0.6*k.loads, 2*k.lds; return k },
		turn:  func(k kernel, by float64) kernel { k.conflict = by*(1+k.conflict) - 1; return k },
	},
	{
		id: "lds_traffic", rule: "lds_bound", doc: "the kernel keeps its data in the LDS", unit: localShare,
		lightly: true, from: 0.9, to: 0.98,
		shape: func(k kernel) kernel { k.chain, k.loads = 0.6*k.chain, 0.6*k.loads; return k },
		turn:  func(k kernel, by float64) kernel { k.lds *= by; return k },
	},
	{
		id: "scalar_arithmetic", rule: "issue_bound", doc: "addresses and loops take more instructions than the work",
		unit: issue, from: 0.93, to: 0.985,
		shape: func(k kernel) kernel { k.chain, k.valu = 0.25*k.chain, 0.3*k.valu; return k },
		turn:  func(k kernel, by float64) kernel { k.salu *= by; return k },
	},
	{
		id: "branches", rule: "issue_wait", doc: "every few instructions a wave branches", unit: control, lightly: true,
		from: 0.985, to: 0.997,
		shape: func(k kernel) kernel { k.chain, k.valu = 0.25*k.chain, 0.5*k.valu; return k },
		turn:  func(k kernel, by float64) kernel { k.internal *= by; return k },
	},
	{
		id: "short_waves", rule: "wave_launch_bound", doc: "waves end sooner than others are launched", unit: spawn,
		from: 0.9, to: 0.98,
		turn: func(k kernel, by float64) kernel {
			for _, each := range []*float64{&k.valu, &k.trans, &k.salu, &k.smem, &k.internal, &k.lds, &k.loads,
				&k.stores, &k.chain} {
				*each /= by
			}
			return k
		},
	},
	{
		id: "short_dispatches", rule: "launch_bound", doc: "dispatches are too short to be worth their launch",
		set: func(k kernel, load, weight float64) kernel {
			k.waves /= 1 + 15*weight
			d := k.run(maxHz, 1)
			part := 1 - weight*(0.58+0.32*load)
			k.launch = d.cycles * (1/part - 1)
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
func (p *plant) into(k kernel, load, weight float64) kernel {
	if weight == 1 {
		if p.lightly {
			k = k.light()
		}
		if p.shape != nil {
			k = p.shape(k)
		}
	}
	if p.set != nil {
		return p.set(k, load, weight)
	}
	now := k.run(maxHz, 1).load[p.unit]
	target := p.from + (p.to-p.from)*load
	if weight == 1 {
		return p.exhaust(k, target)
	}
	if target <= now {
		return k
	}
	return p.exhaust(k, now+weight*(target-now))
}

// exhaust turns the work for the plant's unit up until it works the given share of the time.
func (p *plant) exhaust(k kernel, load float64) kernel {
	lo, hi := 0.05, 2.0
	for p.turn(k, hi).run(maxHz, 1).load[p.unit] < load && hi < 1e4 {
		hi *= 2
	}
	for range 60 {
		mid := (lo + hi) / 2
		if p.turn(k, mid).run(maxHz, 1).load[p.unit] < load {
			lo = mid
		} else {
			hi = mid
		}
	}
	return p.turn(k, hi)
}
