package cpu

import "astrolabe/capture"

// event is a counter of perfevent.
type event struct{ name, title, unit, block string }

var byDefault = []event{
	{"cycles", "CPU cycles", "cycles", "core"},
	{"instructions", "Instructions", "instructions", "core"},
	{"branches", "Branches", "branches", "core"},
	{"branch_misses", "Branch misses", "branches", "core"},
	{"cache_references", "Cache references", "accesses", "core"},
	{"cache_misses", "Cache misses", "accesses", "core"},
	{"task_clock", "Task clock", "ns", "software"},
	{"cpu_clock", "CPU clock", "ns", "software"},
	{"context_switches", "Context switches", "switches", "software"},
	{"cpu_migrations", "CPU migrations", "migrations", "software"},
	{"page_faults", "Page faults", "faults", "software"},
	{"minor_faults", "Minor faults", "faults", "software"},
	{"major_faults", "Major faults", "faults", "software"},
	{"alignment_faults", "Alignment faults", "faults", "software"},
	{"emulation_faults", "Emulation faults", "faults", "software"},
}

// asked are events that a user names who wants to know more of the pipeline.
var asked = [][]event{
	intel: {
		{"topdown_retiring", "Slots of completed work", "slots", "core"},
		{"topdown_bad_spec", "Slots of wrong guesses", "slots", "core"},
		{"topdown_fe_bound", "Slots without an instruction", "slots", "core"},
		{"topdown_be_bound", "Slots held up by the back end", "slots", "core"},
		{"topdown_mem_bound", "Slots held up by memory", "slots", "core"},
	},
	amd: {
		{"amd_ops_dispatched", "Operations dispatched", "operations", "core"},
		{"amd_ops_retired", "Operations retired", "operations", "core"},
		{"amd_slots_without_ops", "Slots without operations", "slots", "core"},
		{"amd_slots_held_up", "Slots held up", "slots", "core"},
		{"amd_cycles_of_loads", "Cycles whose oldest operation is a load", "cycles", "core"},
		{"amd_cycles_of_the_oldest", "Cycles whose oldest operation is not complete", "cycles", "core"},
	},
	arm: {
		{"stalled_cycles_frontend", "Frontend stall cycles", "cycles", "core"},
		{"stalled_cycles_backend", "Backend stall cycles", "cycles", "core"},
	},
}

// askedOld are those of Intel's processors before Ice Lake, which count the slots to issue in.
var askedOld = []event{
	{"topdown_total_slots", "Slots to issue in", "slots", "core"},
	{"topdown_slots_issued", "Slots issued", "slots", "core"},
	{"topdown_slots_retired", "Slots retired", "slots", "core"},
	{"topdown_fetch_bubbles", "Slots without an operation", "slots", "core"},
	{"topdown_recovery_bubbles", "Slots of recovery", "slots", "core"},
}

// old reports whether the processor cannot account for all of its slots by itself.
func (m *machine) old() bool { return m.vendor == intel && m.width == 4 }

// caches are events of caches, which some processors lack.
var caches = []event{
	{"L1_dcache_loads", "L1 dcache loads", "accesses", "cache"},
	{"L1_dcache_load_misses", "L1 dcache load misses", "accesses", "cache"},
	{"LLC_loads", "LLC loads", "accesses", "cache"},
	{"LLC_load_misses", "LLC load misses", "accesses", "cache"},
	{"dTLB_loads", "dTLB loads", "accesses", "cache"},
	{"dTLB_load_misses", "dTLB load misses", "accesses", "cache"},
	{"iTLB_load_misses", "iTLB load misses", "accesses", "cache"},
}

// events appends what perfevent counted of the program.
func (w *recorder) events() {
	list := byDefault
	asked := asked[w.m.vendor]
	if w.m.old() {
		asked = askedOld
	}
	if w.r.Float64() < 0.75 {
		list = append(list[:len(list):len(list)], asked...)
	}
	if w.r.Float64() < 0.4 {
		for _, e := range caches {
			if w.m.vendor == amd && (e.name == "LLC_loads" || e.name == "LLC_load_misses") {
				continue // the last level is outside of what counts here
			}
			list = append(list[:len(list):len(list)], e)
		}
	}
	n := w.cfg.Axis.Len()
	for _, e := range list {
		d := capture.Data{U: make([]uint64, n)}
		sum, done := 0.0, uint64(0)
		for i := range n {
			sum += w.at(e.name, i)
			d.U[i] = uint64(sum) - done
			done = uint64(sum)
		}
		m := capture.Meta{Name: e.name, Title: e.title, Unit: e.unit, Block: e.block, Source: "perfevent"}
		if e.block != "software" {
			m.TurnOf = capture.TurnWhole
		}
		w.put(m, d)
	}
	share, enabled := capture.Data{F: make([]float64, n)}, capture.Data{U: make([]uint64, n)}
	for i := range n {
		share.F[i], enabled.U[i] = 100, uint64(w.at("task_clock", i))
	}
	w.put(capture.Meta{Name: capture.TurnShare, Title: "Counter coverage", Unit: "percent", Block: "core", Kind: capture.Gauge,
		Combine: capture.CombineMean, Source: "perfevent"}, share)
	w.put(capture.Meta{Name: capture.TurnEnabled, Title: "Counter enabled time", Unit: "ns", Block: "core",
		Combine: capture.CombineMean, Source: "perfevent"}, enabled)
}
