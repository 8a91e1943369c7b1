package cpu

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// counted is a column of perf: the sum of some quantities, never above another column of its group.
type counted struct {
	name, unit string
	of         []int
	most       string
}

// groups are what is counted together, by name.
var groups = map[string][]counted{
	"task": {{"task_clock", "ns", []int{qTask}, ""}, {"page_faults", "faults", []int{qFaults}, ""}},
	"kinds": {{"minor_faults", "faults", []int{qFaults}, ""}, {"major_faults", "faults", nil, ""},
		{"alignment_faults", "faults", nil, ""}, {"emulation_faults", "faults", nil, ""}},
	"switches": {{"context_switches", "switches", []int{qSwitches}, ""}, {"cpu_migrations", "migrations", []int{qMoves}, ""}},
	"cycles":   {{"cycles", "cycles", []int{qCycles}, ""}, {"instructions", "instructions", []int{qInstructions}, ""}},
	"branches": {{"branches", "branches", []int{qBranches}, ""}, {"branch_misses", "branches", []int{qBranchMisses}, "branches"}},
	"cache": {{"cache_references", "accesses", []int{qReferences}, ""},
		{"cache_misses", "misses", []int{qMisses}, "cache_references"}},
	"reference": {{"ref_cycles", "cycles", []int{qReference}, ""}},
	"L1": {{"L1_dcache_loads", "accesses", []int{qL1}, ""},
		{"L1_dcache_load_misses", "misses", []int{qL1Misses}, "L1_dcache_loads"}},
	"LLC": {{"LLC_loads", "accesses", []int{qLast}, ""}, {"LLC_load_misses", "misses", []int{qLastMisses}, "LLC_loads"}},
	"TLB": {{"dTLB_loads", "accesses", []int{qL1}, ""}, {"dTLB_load_misses", "misses", []int{qDataMisses}, "dTLB_loads"},
		{"iTLB_load_misses", "misses", []int{qCodeMisses}, ""}},
	"slots": {{"topdown_retiring", "slots", []int{qRetired}, ""}, {"topdown_bad_spec", "slots", []int{qWrong, qRecover}, ""},
		{"topdown_fe_bound", "slots", []int{qNoOps}, ""}, {"topdown_be_bound", "slots", []int{qHeldUp}, ""}},
	"memory": {{"topdown_mem_bound", "slots", []int{qMemory}, "topdown_be_bound"}},
	"issue": {{"topdown_total_slots", "slots", []int{qRetired, qWrong, qRecover, qNoOps, qHeldUp}, ""},
		{"topdown_slots_issued", "slots", []int{qRetired, qWrong}, ""},
		{"topdown_slots_retired", "slots", []int{qRetired}, "topdown_slots_issued"},
		{"topdown_recovery_bubbles", "slots", []int{qRecover}, ""}, {"topdown_fetch_bubbles", "slots", []int{qNoOps}, ""}},
	"zen": {{"amd_ops_dispatched", "operations", []int{qRetired, qWrong}, ""},
		{"amd_ops_retired", "operations", []int{qRetired}, "amd_ops_dispatched"},
		{"amd_slots_without_ops", "slots", []int{qNoOps, qRecover}, ""}, {"amd_slots_held_up", "slots", []int{qHeldUp}, ""},
		{"amd_cycles_of_the_oldest", "cycles", []int{qOldest}, ""},
		{"amd_cycles_of_loads", "cycles", []int{qLoads}, "amd_cycles_of_the_oldest"}},
	"front": {{"stalled_cycles_frontend", "cycles", []int{qNoFetch}, "cycles"}},
	"back":  {{"stalled_cycles_backend", "cycles", []int{qNoRoom}, "cycles"}},
}

// asked are the groups of a session, and which of them take turns on the hardware's counters.
func (x *session) asked(m *machine) (names []string, turns map[string]bool) {
	p := m.pmu
	names, turns = []string{"task"}, map[string]bool{}
	if !x.perfStat {
		names = append(names, "kinds")
	}
	if x.switches {
		names = append(names, "switches")
	}
	if p == pmuNone {
		return names, turns
	}
	names = append(names, "cycles", "branches")
	add := func(list ...string) {
		names = append(names, list...)
		for _, n := range list {
			turns[n] = x.caches && (x.pages || x.slots)
		}
	}
	if !x.perfStat || x.references {
		add("cache")
	}
	if x.ref && p != pmuZen2 && p != pmuArm { // whose kernels have no event for it
		names = append(names, "reference")
	}
	if x.caches {
		if add("L1"); p != pmuZen && p != pmuZen2 { // whose kernel has no event for the last level
			add("LLC")
		}
	}
	if x.pages {
		add("TLB")
	}
	switch slots := x.slots || x.perfStat; { // perf stat counts some by itself
	case !slots:
	case p == pmuSlots:
		if names = append(names, "slots"); m.classes[0].width == golden.width { // small cores do not tell of memory
			names = append(names, "memory")
		}
	case p == pmuIssue && x.slots:
		add("issue")
	case p == pmuZen && x.slots:
		add("zen")
	case p == pmuZen && x.perfStat:
		names = append(names, "front")
	case p == pmuZen2:
		names = append(names, "front")
	case p == pmuArm:
		names = append(names, "front", "back")
	}
	return names, turns
}

// table makes counters: a column for each CPU, or one for all.
type table struct {
	*simulate.Columns
	source string
	places map[string][]int
	order  []capture.Meta
}

// add makes a counter of so many CPUs, or of the machine where there are none, and returns its places.
func (t *table) add(m capture.Meta, cpus int) []int {
	m.GPU, m.Source = "cpu", t.source
	t.order = append(t.order, m)
	put := t.Counter
	if m.Kind == capture.Gauge {
		put = t.Gauge
	}
	if cpus == 0 {
		t.places[m.Name] = []int{put(m)}
	}
	for _, id := range simulate.Numbers(cpus) {
		one := m
		one.Name, one.Instance = m.Name+"["+id+"]", id
		t.places[m.Name] = append(t.places[m.Name], put(one))
	}
	return t.places[m.Name]
}

// counters are those that somebody wants.
func (t *table) counters(want func(string) bool) (out []*capture.Counter) {
	all := t.Counters(nil)
	for _, m := range t.order {
		places := t.places[m.Name]
		switch {
		case !want(m.Name):
		case all[places[0]].Meta.Instance == "":
			out = append(out, all[places[0]])
		default:
			whole := &capture.Counter{Meta: m, Axis: t.Axis}
			for _, k := range places {
				whole.Instances = append(whole.Instances, all[k])
			}
			out = append(out, whole)
		}
	}
	return out
}

// perf adds what perf counts.
func (s *scene) perf(t *table, x *session, rec *recorder, rows []int, noise float64) {
	cpus, every := 0, len(s.m.cpus) // columns; CPUs of one column
	if x.whole {
		cpus, every = len(s.m.cpus), 1
	}
	names, turns := x.asked(s.m)
	for _, name := range names {
		for _, c := range groups[name] {
			t.add(capture.Meta{Name: c.name, Unit: c.unit, Block: "core"}, cpus)
		}
	}
	for _, k := range rows {
		for _, name := range names {
			off := 1.0
			if turns[name] { // counts of a part of the time are scaled up
				off = x.r.Spread(0.025 * noise)
			}
			for _, c := range groups[name] {
				for i, at := range t.places[c.name] {
					sum := 0.0
					for _, one := range rec.rows[k][i*every : (i+1)*every] {
						for _, q := range c.of {
							sum += off * one[q]
						}
					}
					t.Add(at, sum)
					if most := t.places[c.most]; most != nil {
						t.Limit(at, t.Last(most[i]))
					}
				}
			}
		}
	}
}

// proc adds what /proc and /sys tell.
func (s *scene) proc(t *table, x *session, rec *recorder, rows []int) {
	group := max(1, int(x.slow/x.period+0.5))
	for k, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"} {
		for i, at := range t.add(capture.Meta{Name: name, Unit: "ns", Block: "cpu"}, len(s.m.cpus)) {
			for _, v := range rec.times(rows, group, i, qUser+k) {
				t.Add(at, v)
			}
		}
	}
	one := func(name, unit, block string, kind capture.Kind, value func(r *machineRow) float64) {
		at := t.add(capture.Meta{Name: name, Unit: unit, Block: block, Kind: kind}, 0)[0]
		for _, k := range rows {
			if v := value(&rec.machine[k]); kind == capture.Gauge {
				t.Set(at, v)
			} else {
				t.Add(at, v)
			}
		}
	}
	one("intr", "interrupts", "scheduler", capture.Delta, func(r *machineRow) float64 { return r.interrupts })
	one("ctxt", "switches", "scheduler", capture.Delta, func(r *machineRow) float64 { return r.switches })
	one("procs_running", "tasks", "scheduler", capture.Gauge, func(r *machineRow) float64 { return r.running + 1 }) // and who reads it
	one("procs_blocked", "tasks", "scheduler", capture.Gauge, func(r *machineRow) float64 { return r.blocked })
	asked := 0.0 // by the program, for longer than the capture
	for _, k := range rows {
		asked += (rec.machine[k].running + rec.machine[k].blocked) / float64(len(rows))
	}
	none := func(*machineRow) float64 { return 0 }
	one("processes", "tasks", "scheduler", capture.Delta, none)
	one("load_1m", "", "scheduler", capture.Gauge, func(*machineRow) float64 { return math.Round(100*asked) / 100 })
	one("mem_total", "bytes", "memory", capture.Gauge, func(*machineRow) float64 { return 16 << 30 })
	one("mem_available", "bytes", "memory", capture.Gauge, func(*machineRow) float64 { return 9 << 30 })
	if x.pressure {
		one("pressure_memory_some", "ns", "pressure", capture.Delta, none)
		one("pressure_memory_full", "ns", "pressure", capture.Delta, none)
		one("pressure_cpu_some", "ns", "pressure", capture.Delta, func(r *machineRow) float64 { return r.cpuSome })
		one("pressure_io_some", "ns", "pressure", capture.Delta, func(r *machineRow) float64 { return r.ioSome })
		one("pressure_io_full", "ns", "pressure", capture.Delta, func(r *machineRow) float64 { return r.ioFull })
	}
	if s.m.pmu == pmuNone {
		return
	}
	clocks := capture.Meta{Name: "cpu_frequency", Unit: "Hz", Block: "cpu", Kind: capture.Gauge, Combine: capture.CombineMean}
	for i, at := range t.add(clocks, len(s.m.cpus)) {
		for n := range rows { // read some times a second
			t.Set(at, 1e5*math.Round(rec.machine[rows[n-n%group]].clocks[i]/1e5))
		}
	}
	one("temperature", "celsius", "thermal", capture.Gauge, func(r *machineRow) float64 { return math.Round(r.celsius) })
	if s.m.vendor == "ARM" && x.pressure {
		one("hwmon_ina226_power1", "watts", "hwmon", capture.Gauge, func(r *machineRow) float64 { return math.Round(100*r.watts) / 100 })
	}
}
