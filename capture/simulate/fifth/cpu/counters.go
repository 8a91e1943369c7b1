package cpu

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// tables makes counters of a recording.
type tables struct {
	c     *scenario
	s     *sim
	rec   *recording
	k     *recorder
	axis  *capture.Axis
	rows  []int
	r     simulate.Random
	left  []string
	group int // of the core's events that are added now
	out   []*capture.Counter
}

// unrest adds what the kernel's own threads and devices do now and then, which takes next to no time. A thread of the
// kernel takes a CPU from whoever runs there and gives it back: one of two switches is from the program's thread.
func (t *tables) unrest() {
	m, rec := t.c.m, t.rec
	for i := range rec.rows {
		x, ns := &rec.rows[i], float64(rec.bounds.At(i/rec.n+1)-rec.bounds.At(i/rec.n))
		s := ns / 1e9 / float64(rec.n)
		n := s * m.workers * t.r.ExpFloat64()
		x.switches += n
		x.left += n / 2 * min(1, x.own[eRan]/ns)
		x.devices += s * m.devicesRate * t.r.ExpFloat64()
	}
}

func (t *tables) wanted(name string) bool { return !slices.Contains(t.left, name) }

// whole turns exact quantities into whole numbers that lose nothing.
func whole(values []float64) []uint64 {
	out := make([]uint64, len(values))
	carry := 0.0
	for i, v := range values {
		if math.IsNaN(v) {
			panic("simulate: a counter of the processor is not a number")
		}
		carry += v
		n := math.Max(0, math.Floor(carry+1e-9))
		out[i] = uint64(n)
		carry -= n
	}
	return out
}

// single adds a counter without instances.
func (t *tables) single(m capture.Meta, values []uint64) {
	if t.wanted(m.Name) {
		t.out = append(t.out, &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(capture.Data{U: values})})
	}
}

// level adds a gauge of the instances' values; a single one without an id is the whole.
func (t *tables) level(m capture.Meta, ids []string, value func(row, instance int) float64) {
	if !t.wanted(m.Name) {
		return
	}
	m.Kind = capture.Gauge
	counter := &capture.Counter{Meta: m, Axis: t.axis}
	for k, id := range ids {
		floats := make([]float64, len(t.rows))
		for i, row := range t.rows {
			floats[i] = value(row, k)
		}
		col := capture.NewColumn(capture.Data{F: floats})
		if id == "" {
			counter.Col = col
			continue
		}
		one := m
		one.Instance = id
		counter.Instances = append(counter.Instances, &capture.Counter{Meta: one, Axis: t.axis, Col: col})
	}
	t.out = append(t.out, counter)
}

// perCPU adds a counter with an instance for each CPU.
func (t *tables) perCPU(m capture.Meta, values func(cpu int) []uint64) {
	if !t.wanted(m.Name) {
		return
	}
	counter := &capture.Counter{Meta: m, Axis: t.axis}
	for i := range t.rec.n {
		one := m
		one.Instance = strconv.Itoa(i)
		counter.Instances = append(counter.Instances, &capture.Counter{Meta: one, Axis: t.axis,
			Col: capture.NewColumn(capture.Data{U: values(i)})})
	}
	t.out = append(t.out, counter)
}

// event adds a counter of perf events, per CPU or of the program. of is its value in a row.
func (t *tables) event(name, unit, block string, of func(e *[events]float64, x *row, own bool) float64) {
	m := capture.Meta{Name: name, Unit: unit, GPU: "cpu", Block: block, Source: "perfevent"}
	if block == "core" && t.rec.groups > 1 {
		t.inTurn(m, func(e *[events]float64) float64 { return of(e, nil, t.k.program) })
		return
	}
	if t.k.program {
		sums := make([]float64, len(t.rows))
		for i, row := range t.rows {
			for cpu := range t.rec.n {
				x := &t.rec.rows[row*t.rec.n+cpu]
				sums[i] += of(&x.own, x, true)
			}
		}
		t.single(m, whole(sums))
		return
	}
	t.perCPU(m, func(cpu int) []uint64 {
		values := make([]float64, len(t.rows))
		for i, row := range t.rows {
			x := &t.rec.rows[row*t.rec.n+cpu]
			values[i] = of(&x.all, x, false)
		}
		return whole(values)
	})
}

// perf adds what perf events tell.
func (t *tables) perf() {
	m := t.c.m
	core := func(name, unit string, of func(e *[events]float64) float64) {
		t.event(name, unit, "core", func(e *[events]float64, _ *row, _ bool) float64 { return of(e) })
	}
	one := func(name, unit string, which int) {
		core(name, unit, func(e *[events]float64) float64 { return e[which] })
	}
	if m.maker != virtual {
		one("cycles", "cycles", eCycles)
		one("instructions", "instructions", eInstructions)
		one("branches", "branches", eBranches)
		one("branch_misses", "branches", eMisses)
		if m.maker != armCores && t.k.stalls {
			one("ref_cycles", "cycles", eNominal)
		}
		if m.maker == amdZen {
			t.group = t.rec.groups / 2
		}
		if t.k.stalls {
			t.slots(one, core)
		}
		t.group = t.rec.groups - 1
		t.caches(core)
		t.coverage()
	}
	soft := func(name, unit string, of func(e *[events]float64, x *row, own bool) float64) {
		t.event(name, unit, "software", of)
	}
	for _, name := range []string{"task_clock", "cpu_clock"} {
		if t.k.program {
			soft(name, "ns", func(e *[events]float64, _ *row, _ bool) float64 { return e[eRan] })
		} else if t.wanted(name) {
			t.perCPU(capture.Meta{Name: name, Unit: "ns", GPU: "cpu", Block: "software", Source: "perfevent"},
				func(int) []uint64 { return t.lengths() })
		}
	}
	soft("context_switches", "switches", func(_ *[events]float64, x *row, own bool) float64 {
		if own {
			return x.left
		}
		return x.switches
	})
	soft("cpu_migrations", "migrations", func(_ *[events]float64, x *row, own bool) float64 {
		if own {
			return x.ownMoves
		}
		return x.moves
	})
	for _, name := range []string{"page_faults", "minor_faults"} {
		soft(name, "faults", func(e *[events]float64, _ *row, _ bool) float64 { return e[eFaults] })
	}
	for _, name := range []string{"major_faults", "alignment_faults", "emulation_faults"} {
		soft(name, "faults", func(*[events]float64, *row, bool) float64 { return 0 })
	}
}

func (t *tables) lengths() []uint64 {
	out := make([]uint64, len(t.rows))
	for i := range out {
		out[i] = uint64(t.axis.End[i] - t.axis.Start[i])
	}
	return out
}

type adder func(name, unit string, of func(e *[events]float64) float64)

// caches adds the generic events of caches, which count what each maker's kernel driver takes for them: see doc.go.
func (t *tables) caches(core adder) {
	m := t.c.m
	var accesses, misses func(e *[events]float64) float64
	switch m.maker {
	case amdZen:
		accesses = func(e *[events]float64) float64 { return e[eL1Misses] + e[eCode] + e[eAhead] }
		misses = func(e *[events]float64) float64 { return e[eL2Misses] + 0.2*e[eCode] }
	case armCores:
		accesses = func(e *[events]float64) float64 { return (1 + m.stores) * e[eL1Loads] }
		misses = func(e *[events]float64) float64 { return (1 + m.refills) * e[eL1Misses] }
	default:
		accesses = func(e *[events]float64) float64 { return e[eL2Misses] + m.counted*e[eAhead] + 0.2*e[eCode] }
		misses = func(e *[events]float64) float64 { return e[eLLCMisses] + m.counted*e[eAhead] }
	}
	core("cache_references", "accesses", accesses)
	core("cache_misses", "accesses", misses)
	if !t.k.caches {
		return
	}
	one := func(name string, which int) {
		core(name, "accesses", func(e *[events]float64) float64 { return e[which] })
	}
	plain := func(which int) func(e *[events]float64) float64 {
		return func(e *[events]float64) float64 { return e[which] }
	}
	// What the first level of TLBs does not have at hand.
	asked := func(e *[events]float64) float64 {
		return max(e[eDTLB], min(e[eL1Loads], m.tlb*e[eDTLB]+m.sparse*e[eL1Loads]))
	}
	loads, missed, looked, walked := plain(eL1Loads), plain(eL1Misses), plain(eL1Loads), plain(eDTLB)
	switch m.maker {
	case armCores: // L1D_CACHE, L1D_CACHE_REFILL, L1D_TLB, L1D_TLB_REFILL: stores too, and the first level of TLBs
		loads, missed, looked, walked = accesses, misses, accesses, asked
	case amdZen: // accesses to the second level of TLBs
		looked = asked
	}
	core("L1_dcache_loads", "accesses", loads)
	core("L1_dcache_load_misses", "accesses", missed)
	core("dTLB_loads", "accesses", looked)
	core("dTLB_load_misses", "accesses", walked)
	one("iTLB_load_misses", eITLB)
	switch m.maker {
	case armCores: // LL_CACHE_RD counts prefetches too
		core("LLC_loads", "accesses", func(e *[events]float64) float64 { return e[eL2Misses] + m.counted*e[eAhead] })
		core("LLC_load_misses", "accesses", func(e *[events]float64) float64 { return e[eLLCMisses] + m.counted*e[eAhead] })
	case intelMetrics, intelIssue:
		one("LLC_loads", eL2Misses)
		one("LLC_load_misses", eLLCMisses)
	}
}

// slots adds what the maker's events tell of slots or of stalls.
func (t *tables) slots(one func(name, unit string, which int), core adder) {
	m := t.c.m
	switch m.maker {
	case intelMetrics:
		one("topdown_retiring", "slots", eRetired)
		one("topdown_bad_spec", "slots", eWrong)
		one("topdown_fe_bound", "slots", eFetch)
		one("topdown_be_bound", "slots", eBack)
		if t.k.memory {
			one("topdown_mem_bound", "slots", eMemory)
		}
	case intelIssue:
		one("topdown_total_slots", "slots", eSlots)
		core("topdown_slots_issued", "slots", func(e *[events]float64) float64 { return e[eRetired] + m.issued*e[eWrong] })
		one("topdown_slots_retired", "slots", eRetired)
		one("topdown_fetch_bubbles", "slots", eFetch)
		core("topdown_recovery_bubbles", "slots", func(e *[events]float64) float64 { return (1 - m.issued) * e[eWrong] })
	case amdZen:
		core("amd_ops_dispatched", "operations", func(e *[events]float64) float64 { return e[eRetired] + e[eWrong] })
		one("amd_ops_retired", "operations", eRetired)
		one("amd_slots_without_ops", "slots", eFetch)
		one("amd_slots_held_up", "slots", eBack)
		if t.k.memory {
			one("amd_cycles_of_loads", "cycles", eLoads)
			one("amd_cycles_of_the_oldest", "cycles", eOldest)
		}
	case armCores:
		one("stalled_cycles_frontend", "cycles", eStallFE)
		one("stalled_cycles_backend", "cycles", eStallBE)
	}
}
