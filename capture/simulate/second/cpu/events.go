package cpu

// program appends the events of perfevent.
func (w *writer) program() {
	maker := w.c.m.cpu.maker
	many := w.rec.caches || w.rec.slots && maker == amd && w.c.m.cpu.slots
	w.turn = "whole"
	w.wrong = make([]float64, len(w.t.rows))
	if many {
		w.turn = "group0"
	}
	w.estimate(many)
	w.basic()
	if w.rec.slots {
		if maker == amd && many {
			w.turn = "group1"
			w.estimate(many)
		}
		w.slots()
	}
	if w.rec.caches {
		w.turn = "group1"
		w.estimate(many)
		w.caches()
	}
	w.software()
	if many {
		// Instances of a counter stand side by side.
		w.shares("group0", "group1")
	} else {
		w.shares("")
	}
}

// estimate draws by how much counts are wrong that were taken for a part of the time only.
func (w *writer) estimate(many bool) {
	for i := range w.wrong {
		w.wrong[i] = 1
		if many {
			w.wrong[i] = max(0.5, 1+0.03*w.d.NormFloat64())
		}
	}
}

// rate appends an event that goes with instructions; w.wrong and what the data changes are on it.
func (w *writer) rate(name, title, unit, block string, change []float64, rate func(x *mix) float64) {
	w.count(name, title, unit, block, func(i int, r *row) float64 {
		return w.events(r, rate) * w.wrong[i] * change[i]
	})
}

func (r *row) allCycles() float64 {
	sum := 0.0
	for _, v := range r.cycles {
		sum += v
	}
	return sum
}

func one(*mix) float64 { return 1 }

// basic are the hardware events that are recorded when nobody asks for any.
func (w *writer) basic() {
	same := make([]float64, len(w.t.rows))
	for i := range same {
		same[i] = 1
	}
	w.count("cycles", "CPU cycles", "cycles", "core", func(i int, r *row) float64 { return r.allCycles() * w.wrong[i] })
	w.rate("instructions", "Instructions", "instructions", "core", same, one)
	w.rate("branches", "Branches", "branches", "core", same, func(x *mix) float64 { return x.branches })
	wrong := w.wandering()
	for i := range wrong {
		wrong[i] = min(wrong[i], 2)
	}
	w.rate("branch_misses", "Branch misses", "branches", "core", wrong, func(x *mix) float64 { return x.misses })
	data := w.wandering()
	if w.c.m.cpu.maker == arm { // there every access counts
		w.rate("cache_references", "Cache references", "accesses", "core", same, w.references)
		w.rate("cache_misses", "Cache misses", "accesses", "core", data, w.missing)
		return
	}
	w.rate("cache_references", "Cache references", "accesses", "core", data, w.references)
	w.rate("cache_misses", "Cache misses", "accesses", "core", data, w.missing)
}

// references are what the processor's event of cache references counts.
func (w *writer) references(x *mix) float64 {
	switch w.c.m.cpu.maker {
	case intel: // the last level, prefetches among them
		return x.l2 + x.icache*0.1 + x.stream*1.05
	case amd: // the second level, without its prefetcher
		return x.l1 + x.icache + x.stream*0.7
	}
	return x.loads * 1.4 // the first level
}

// missing are what its event of cache misses counts.
func (w *writer) missing(x *mix) float64 {
	switch w.c.m.cpu.maker {
	case intel:
		return x.llc + x.stream*0.95
	case amd: // streams come ahead of the load as a rule
		return x.l2 + x.icache*0.1 + x.stream*0.4
	}
	return x.l1 + x.stream
}

// software are the events that the kernel counts.
func (w *writer) software() {
	soft := func(name, title, unit string, v func(i int, r *row) float64) {
		w.count(name, title, unit, "software", v)
	}
	soft("task_clock", "Task clock", "ns", func(_ int, r *row) float64 { return r.ran })
	soft("cpu_clock", "CPU clock", "ns", func(_ int, r *row) float64 { return r.ran * 0.9985 })
	if !w.rec.userOnly {
		soft("context_switches", "Context switches", "switches", func(_ int, r *row) float64 { return r.switches })
		soft("cpu_migrations", "CPU migrations", "migrations", func(_ int, r *row) float64 { return r.moves })
	}
	minor := make([]float64, len(w.t.rows))
	for i := range minor {
		minor[i] = w.events(&w.t.rows[i], func(x *mix) float64 { return x.faults })
	}
	major := func(i int) float64 {
		if w.rec.mapped {
			return w.t.rows[i].commands
		}
		return 0
	}
	soft("page_faults", "Page faults", "faults", func(i int, _ *row) float64 { return minor[i] + major(i) })
	soft("minor_faults", "Minor faults", "faults", func(i int, _ *row) float64 { return minor[i] })
	soft("major_faults", "Major faults", "faults", func(i int, _ *row) float64 { return major(i) })
	// Processors carry out unaligned accesses themselves, and kernels of 64 bits emulate nothing of programs like these.
	none := func(int, *row) float64 { return 0 }
	soft("alignment_faults", "Alignment faults", "faults", none)
	soft("emulation_faults", "Emulation faults", "faults", none)
}

// account is where the slots of a row went.
type account struct{ total, retired, bad, empty, held, memory, cycles, waits float64 }

func (w *writer) account(r *row) account {
	width := w.c.m.cpu.width
	a := account{cycles: r.allCycles()}
	a.total = a.cycles * width
	a.retired = min(w.events(r, one)*1.08, r.cycles[partCore]*width*0.97)
	free := r.cycles[partCore]*width - a.retired
	// After a wrong guess fetch begins anew, which is told as a lack of instructions.
	a.bad = r.cycles[partBranch] * width * 0.62
	a.empty = (r.cycles[partFetch]*0.92+r.cycles[partBranch]*0.3)*width + free*0.12
	a.waits = r.cycles[partLatency] + r.cycles[partBandwidth]
	a.held = a.total - a.retired - a.bad - a.empty
	a.memory = min(a.held, a.waits*width*0.92+free*0.08)
	return a
}

// slots are the events that tell where slots or cycles went, as far as the processor has them.
func (w *writer) slots() {
	cpu := w.c.m.cpu
	add := func(name, title, unit string, v func(a *account) float64) {
		w.count(name, title, unit, "core", func(i int, r *row) float64 {
			a := w.account(r)
			return v(&a) * w.wrong[i]
		})
	}
	if cpu.maker == intel && !w.rec.userOnly {
		w.count("ref_cycles", "Reference cycles", "cycles", "core", func(i int, r *row) float64 {
			return r.ran * cpu.nominal * w.wrong[i]
		})
	}
	switch {
	case cpu.maker == intel && cpu.slots:
		// The processor tells shares in steps of 1/255.
		fraction := func(a *account, part float64) float64 {
			if a.total <= 0 {
				return 0
			}
			return a.total * float64(int(255*part/a.total+0.5)) / 255
		}
		add("topdown_retiring", "Slots of completed work", "slots", func(a *account) float64 {
			return a.total - fraction(a, a.bad) - fraction(a, a.empty) - fraction(a, a.held)
		})
		add("topdown_bad_spec", "Slots of wrong guesses", "slots", func(a *account) float64 { return fraction(a, a.bad) })
		add("topdown_fe_bound", "Slots without an instruction", "slots", func(a *account) float64 {
			return fraction(a, a.empty)
		})
		add("topdown_be_bound", "Slots held up by the back end", "slots", func(a *account) float64 {
			return fraction(a, a.held)
		})
		if cpu.width == 6 {
			add("topdown_mem_bound", "Slots held up by memory", "slots", func(a *account) float64 {
				return min(fraction(a, a.memory), fraction(a, a.held))
			})
		}
	case cpu.maker == intel:
		add("topdown_total_slots", "Slots to issue in", "slots", func(a *account) float64 { return a.total })
		add("topdown_slots_issued", "Slots issued", "slots", func(a *account) float64 { return a.retired + a.bad*0.45 })
		add("topdown_slots_retired", "Slots retired", "slots", func(a *account) float64 { return a.retired })
		add("topdown_fetch_bubbles", "Slots without an operation", "slots", func(a *account) float64 { return a.empty })
		add("topdown_recovery_bubbles", "Slots of recovery", "slots", func(a *account) float64 { return a.bad * 0.55 })
	case cpu.maker == amd && cpu.slots:
		add("amd_ops_dispatched", "Operations dispatched", "operations", func(a *account) float64 {
			return a.retired + a.bad
		})
		add("amd_ops_retired", "Operations retired", "operations", func(a *account) float64 { return a.retired })
		add("amd_slots_without_ops", "Slots without operations", "slots", func(a *account) float64 { return a.empty })
		add("amd_slots_held_up", "Slots held up", "slots", func(a *account) float64 { return a.held })
		add("amd_cycles_of_loads", "Cycles whose oldest operation is a load", "cycles", func(a *account) float64 {
			return a.cycles * 0.85 * a.memory / a.total
		})
		add("amd_cycles_of_the_oldest", "Cycles whose oldest operation is not complete", "cycles",
			func(a *account) float64 { return a.cycles * 0.85 * a.held / a.total })
	case cpu.maker == amd:
		add("stalled_cycles_frontend", "Frontend stall cycles", "cycles", func(a *account) float64 {
			return a.empty / cpu.width * 0.9
		})
	default:
		add("stalled_cycles_frontend", "Frontend stall cycles", "cycles", func(a *account) float64 {
			return a.empty / cpu.width * 0.9
		})
		add("stalled_cycles_backend", "Backend stall cycles", "cycles", func(a *account) float64 {
			return a.held / cpu.width * 0.85
		})
	}
}

// caches are the generic events of caches.
func (w *writer) caches() {
	maker := w.c.m.cpu.maker
	data, code := w.wandering(), w.wandering()
	same := make([]float64, len(data))
	for i := range same {
		same[i] = 1
	}
	w.rate("L1_dcache_loads", "L1 dcache loads", "accesses", "cache", same, func(x *mix) float64 { return x.loads })
	w.rate("L1_dcache_load_misses", "L1 dcache load misses", "accesses", "cache", data,
		func(x *mix) float64 { return x.l1 + x.stream })
	if maker == intel { // the last level of the others has no events per core, or none of this name
		w.rate("LLC_loads", "LLC loads", "accesses", "cache", data, func(x *mix) float64 { return x.l2 + x.stream*0.25 })
		w.rate("LLC_load_misses", "LLC load misses", "accesses", "cache", data,
			func(x *mix) float64 { return x.llc + x.stream*0.2 })
	}
	w.rate("dTLB_loads", "dTLB loads", "accesses", "cache", same, func(x *mix) float64 { return x.loads })
	w.rate("dTLB_load_misses", "dTLB load misses", "accesses", "cache", data, func(x *mix) float64 { return x.tlb })
	w.rate("iTLB_load_misses", "iTLB load misses", "accesses", "cache", code, func(x *mix) float64 { return x.itlb })
}
