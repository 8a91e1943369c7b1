package cpu

import (
	"fmt"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// hardware is an event of the cores: its value from the tallies of a CPU of a kind of core.
type hardware struct {
	name, unit string
	value      func(t *[tallies]float64, k *core) float64
}

func plainly(name, unit string, what int) hardware {
	return hardware{name, unit, func(t *[tallies]float64, _ *core) float64 { return t[what] }}
}

func inSlots(name string, value func(t *[tallies]float64, k *core) float64) hardware {
	return hardware{name, "slots", value}
}

// groups are the events that are measured, by those that count together. fixed are those that need no counter of their
// own.
func (w *writer) groups() (out [][]hardware, fixed []int) {
	kind := w.l.m.clusters[0].core.events
	hybrid := len(w.l.m.clusters) > 1
	add := func(need int, list ...hardware) { out, fixed = append(out, list), append(fixed, len(list)-need) }
	refs := func(t *[tallies]float64, _ *core) float64 { return t[eL2Misses]*1.25 + 0.02*t[eL1Misses] }
	misses := func(t *[tallies]float64, _ *core) float64 { return t[eLastMisses] * 1.2 }
	switch kind {
	case zenOld, zenSlots: // what goes to the second level, and what misses there
		refs = func(t *[tallies]float64, _ *core) float64 { return t[eL1Misses] * 1.15 }
		misses = func(t *[tallies]float64, _ *core) float64 { return t[eL2Misses] * 1.1 }
	case armPMU: // what goes to the first level, and its refills
		refs = func(t *[tallies]float64, _ *core) float64 { return t[eLoads] * 1.4 }
		misses = func(t *[tallies]float64, _ *core) float64 { return t[eL1Misses] * 1.3 }
	}
	first := []hardware{plainly("cycles", "cycles", eCycles), plainly("instructions", "instructions", eInstructions),
		plainly("branch_misses", "branches", eBranchMisses), {"cache_references", "accesses", refs}, {"cache_misses", "accesses", misses}}
	if old := w.l.m.kernel == "5.10" || w.l.m.kernel == "5.15" || w.l.m.kernel == "6.1"; kind != armPMU || !old {
		// Before 6.4 the kernel asked for an event of branches that few Arm cores have.
		first = append(first, plainly("branches", "branches", eBranches))
	}
	add(len(first)-2, first...)
	if kind == zenOld || kind == zenSlots || kind == armPMU {
		fixed[0] = 0
		if kind == armPMU {
			fixed[0] = 1
		}
	}
	of := func(what int) func(t *[tallies]float64, _ *core) float64 {
		return func(t *[tallies]float64, _ *core) float64 { return t[what] }
	}
	if w.set.slots {
		switch kind {
		case intelMetrics:
			list := []hardware{inSlots("topdown_retiring", of(eRetiring)), inSlots("topdown_bad_spec", of(eBadSpec)),
				inSlots("topdown_fe_bound", of(eFrontEnd)), inSlots("topdown_be_bound", of(eBackEnd))}
			if w.l.m.clusters[0].core.width >= 6 && !w.l.m.guest { // the second level of slots came with Sapphire Rapids
				list = append(list, inSlots("topdown_mem_bound", of(eMemory)))
			}
			add(0, list...)
		case intelSlots:
			add(4, inSlots("topdown_total_slots", of(eSlots)), inSlots("topdown_slots_issued", of(eDispatched)),
				inSlots("topdown_slots_retired", of(eRetiring)), inSlots("topdown_fetch_bubbles", of(eFrontEnd)),
				inSlots("topdown_recovery_bubbles", of(eRecovery)))
		case zenSlots:
			add(6, hardware{"amd_ops_dispatched", "operations", of(eDispatched)}, hardware{"amd_ops_retired", "operations", of(eRetiring)},
				inSlots("amd_slots_without_ops", func(t *[tallies]float64, _ *core) float64 { return t[eFrontEnd] + t[eRecovery] }),
				inSlots("amd_slots_held_up", of(eBackEnd)),
				hardware{"amd_cycles_of_loads", "cycles", func(t *[tallies]float64, k *core) float64 { return t[eMemory] / k.width * 0.84 }},
				hardware{"amd_cycles_of_the_oldest", "cycles", func(t *[tallies]float64, k *core) float64 { return t[eBackEnd] / k.width * 0.9 }})
		}
	}
	front := hardware{"stalled_cycles_frontend", "cycles", func(t *[tallies]float64, k *core) float64 {
		return (t[eFrontEnd] + t[eRecovery] + 0.5*(t[eBadSpec]-t[eRecovery])) / t[eSlots] * t[eCycles] * 0.92
	}}
	if w.set.stalls {
		switch kind {
		case armPMU:
			add(2, front, hardware{"stalled_cycles_backend", "cycles", func(t *[tallies]float64, k *core) float64 {
				return (0.95*t[eMemory] + 0.45*(t[eBackEnd]-t[eMemory])) / t[eSlots] * t[eCycles]
			}})
		case zenOld, zenSlots:
			add(1, front)
		}
	}
	if w.set.reference && kind != armPMU && kind != zenOld {
		add(0, plainly("ref_cycles", "cycles", eReference))
	}
	if w.set.caches {
		add(2, plainly("L1_dcache_loads", "accesses", eLoads), plainly("L1_dcache_load_misses", "accesses", eL1Misses))
		if kind != zenOld && kind != zenSlots && !hybrid {
			add(2, hardware{"LLC_loads", "accesses", func(t *[tallies]float64, _ *core) float64 { return t[eL2Misses] * 0.8 }},
				hardware{"LLC_load_misses", "accesses", func(t *[tallies]float64, _ *core) float64 { return t[eLastMisses] * 0.8 }})
		}
		walks := func(t *[tallies]float64, _ *core) float64 { return t[eLoads] }
		if kind == zenOld || kind == zenSlots { // those that miss the first level of translations
			walks = func(t *[tallies]float64, _ *core) float64 { return t[eDataTLB] * 5 }
		}
		add(3, hardware{"dTLB_loads", "accesses", walks}, plainly("dTLB_load_misses", "accesses", eDataTLB),
			plainly("iTLB_load_misses", "accesses", eCodeTLB))
	}
	return out, fixed
}

// events adds what perf events count.
func (w *writer) events() {
	if w.set.counters {
		w.hardware()
	}
	soft := []struct {
		name, unit string
		what       int
		kernel     bool
	}{{"task_clock", "ns", tRan, false}, {"cpu_clock", "ns", tRan, false}, {"context_switches", "switches", eSwitches, true},
		{"cpu_migrations", "migrations", eMigrations, true}, {"page_faults", "faults", -1, false}, {"minor_faults", "faults", eMinor, false},
		{"major_faults", "faults", eMajor, false}, {"alignment_faults", "faults", -2, false}, {"emulation_faults", "faults", -2, false}}
	for _, e := range soft {
		if e.kernel && w.set.userOnly {
			continue
		}
		m := capture.Meta{Name: e.name, Unit: e.unit, Block: "software", Source: "perfevent"}
		value := func(i int, t *[tallies]float64) float64 {
			switch {
			case e.what == -1:
				return float64(uint64(t[eMinor])) + float64(uint64(t[eMajor]))
			case e.what == -2:
				return 0
			case e.what == tRan && !w.set.program:
				return float64(w.axis.Interval(i))
			}
			return t[e.what]
		}
		if w.set.program {
			w.whole(m, func(i int, r *row) float64 { return value(i, &r.ours) })
			continue
		}
		w.each(m, func(i, cpu int, r *row) float64 { return value(i, &r.cpus[cpu]) }, nil)
	}
}

// hardware adds the events of cores. Where groups need more counters than are free they take turns, and what they
// counted in their part of a sample is scaled up to all of it.
func (w *writer) hardware() {
	groups, fixed := w.groups()
	need := 0
	for g := range groups {
		need += len(groups[g]) - fixed[g]
	}
	turns := 1.0
	if need > w.set.room {
		turns = float64(need) / float64(w.set.room)
	}
	for g, list := range groups {
		part := 1.0
		if len(list) > fixed[g] {
			part = 1 / turns
		}
		places := len(w.l.m.sites)
		if w.set.program {
			places = 1
		}
		shares, errors := make([][]float64, places), make([][]float64, places)
		for p := range places {
			shares[p], errors[p] = make([]float64, len(w.rows)), make([]float64, len(w.rows))
			for i := range w.rows {
				shares[p][i], errors[p][i] = part, 1
				if part < 1 {
					shares[p][i] = min(1, max(0.05, part*w.noise.Between(0.85, 1.15)))
					// The kernel changes groups every 4 ms: a sample has few turns.
					errors[p][i] = w.noise.Spread(0.15 * (1 - part) / max(1, float64(w.axis.Interval(i))/16e6))
				}
			}
		}
		name := func(p int) string {
			switch {
			case w.set.program && len(groups) == 1:
				return capture.TurnWhole
			case w.set.program:
				return fmt.Sprintf("group%d", g)
			case len(groups) == 1:
				return strconv.Itoa(p)
			}
			return fmt.Sprintf("%d/group%d", p, g)
		}
		w.coverage(g, name, shares)
		for _, e := range list {
			m := capture.Meta{Name: e.name, Unit: e.unit, Block: "core", Source: "perfevent"}
			if w.set.program {
				m.TurnOf = name(0)
				// A program has run on cores of several kinds: the widest stands for all where slots are told in cycles.
				k := &w.l.m.clusters[len(w.l.m.clusters)-1].core
				w.whole(m, func(i int, r *row) float64 { return errors[0][i] * counted(e, &r.ours, k) })
				continue
			}
			w.each(m, func(i, cpu int, r *row) float64 {
				return errors[cpu][i] * counted(e, &r.cpus[cpu], w.l.m.coreOf(cpu))
			}, name)
		}
	}
}

func counted(e hardware, t *[tallies]float64, k *core) float64 {
	if t[eCycles] < 1 {
		return 0
	}
	return e.value(t, k)
}

// coverage adds how long a group counted.
func (w *writer) coverage(g int, name func(p int) string, shares [][]float64) {
	share := capture.Meta{Name: capture.TurnShare, Unit: "percent", Block: "core", Source: "perfevent", Kind: capture.Gauge,
		Combine: capture.CombineMean, GPU: "cpu"}
	enabled := capture.Meta{Name: capture.TurnEnabled, Unit: "ns", Block: "core", Source: "perfevent", Combine: capture.CombineMean, GPU: "cpu"}
	find := func(m capture.Meta) *capture.Counter {
		for _, c := range w.out {
			if c.Name == m.Name {
				return c
			}
		}
		c := &capture.Counter{Meta: m, Axis: w.axis}
		w.out = append(w.out, c)
		return c
	}
	for p := range shares {
		of := func(m capture.Meta) capture.Meta {
			if m.Instance = name(p); m.Instance == capture.TurnWhole {
				m.Instance = ""
			}
			return m
		}
		s := w.column(of(share), func(i int, _ *row) float64 { return 100 * shares[p][i] })
		e := w.column(of(enabled), func(i int, r *row) float64 {
			if w.set.program {
				return r.ours[tRan]
			}
			return float64(w.axis.Interval(i))
		})
		if name(p) == capture.TurnWhole {
			w.out = append(w.out, s, e)
			continue
		}
		find(share).AddInstance(s)
		find(enabled).AddInstance(e)
	}
}

// slow is the value that a sensor gave when it was read last, some times a second.
func (w *writer) slow(value func(r *row) float64) func(i int, r *row) float64 {
	read, at := 0, int64(0)
	return func(i int, _ *row) float64 {
		if i == 0 || w.axis.Start[i]-at > 200e6 {
			read, at = i, w.axis.Start[i]
		}
		return value(&w.rows[read])
	}
}

// files adds what /proc and /sys tell.
func (w *writer) files() {
	for what, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"} {
		left := make([]float64, len(w.l.m.sites))
		for i := range left {
			left[i] = w.noise.Between(0, 10e6)
		}
		// The kernel tells times in hundredths of a second.
		w.each(capture.Meta{Name: name, Unit: "ns", Block: "cpu", Source: "procfs"}, func(_, cpu int, r *row) float64 {
			left[cpu] += r.cpus[cpu][what]
			whole := float64(int64(left[cpu]/10e6)) * 10e6
			left[cpu] -= whole
			return whole
		}, nil)
	}
	one := func(name, unit, block string, kind capture.Kind, value func(i int, r *row) float64) {
		w.whole(capture.Meta{Name: name, Unit: unit, Block: block, Source: "procfs", Kind: kind}, value)
	}
	one("intr", "interrupts", "scheduler", capture.Delta, func(_ int, r *row) float64 { return r.interrupts })
	one("ctxt", "switches", "scheduler", capture.Delta, func(_ int, r *row) float64 {
		n := 0.0
		for k := range r.cpus {
			n += r.cpus[k][eSwitches]
		}
		return n
	})
	one("processes", "tasks", "scheduler", capture.Delta, func(_ int, r *row) float64 { return r.forks })
	one("procs_running", "tasks", "scheduler", capture.Gauge, func(_ int, r *row) float64 { return float64(r.running + 1) })
	one("procs_blocked", "tasks", "scheduler", capture.Gauge, func(_ int, r *row) float64 { return float64(r.waiting) })
	if w.set.pressure {
		for _, p := range []struct {
			name string
			what int
		}{{"pressure_cpu_some", pCPU}, {"pressure_memory_some", pMemory}, {"pressure_memory_full", pMemoryFull},
			{"pressure_io_some", pIO}, {"pressure_io_full", pIOFull}} {
			// The kernel averages over CPUs by how long each had any task, in whole ticks.
			one(p.name, "ns", "pressure", capture.Delta, func(i int, r *row) float64 {
				sum, busy := 0.0, 0.0
				for k := range r.cpus {
					ticks := float64(int(r.cpus[k][pBusy] / w.l.m.tick))
					sum += r.cpus[k][p.what] * ticks
					busy += ticks
				}
				if busy == 0 {
					return 0
				}
				return min(float64(w.axis.Interval(i)), float64(int64(sum/busy/1000))*1000)
			})
		}
	}
	if w.set.frequency {
		slow := make([]func(i int, r *row) float64, len(w.l.m.sites))
		for cpu := range slow {
			k := w.l.m.sites[cpu].cluster
			slow[cpu] = w.slow(func(r *row) float64 { return float64(int(r.share[k]*w.l.m.clusters[k].core.hz/1e5)) * 1e5 })
		}
		w.each(capture.Meta{Name: "cpu_frequency", Unit: "Hz", Block: "cpu", Source: "procfs", Kind: capture.Gauge,
			Combine: capture.CombineMean}, func(i, cpu int, r *row) float64 { return slow[cpu](i, r) }, nil)
	}
	if w.set.heat {
		m := capture.Meta{Name: "temperature", Unit: "celsius", Block: "thermal", Source: "procfs", Kind: capture.Gauge,
			Combine: capture.CombineMax, GPU: "cpu"}
		out := &capture.Counter{Meta: m, Axis: w.axis}
		for _, zone := range []string{simulate.Pick(w.noise, "x86_pkg_temp", "cpu-thermal", "soc"), "ambient"} {
			m.Instance = zone
			out.AddInstance(w.column(m, w.slow(func(r *row) float64 {
				if zone == "ambient" {
					return float64(int(w.l.m.clock.ambient + 4))
				}
				return float64(int(r.heat))
			})))
		}
		w.out = append(w.out, out)
	}
	if w.set.levels {
		one("load_1m", "", "scheduler", capture.Gauge, func(_ int, r *row) float64 { return float64(int(r.load*100)) / 100 })
		one("mem_total", "bytes", "memory", capture.Gauge, func(int, *row) float64 { return float64(int64(w.l.m.memory*0.97/4096)) * 4096 })
		one("mem_available", "bytes", "memory", capture.Gauge, func(i int, r *row) float64 {
			return float64(int64(w.l.m.memory*0.97*r.free/4096)) * 4096
		})
	}
}
