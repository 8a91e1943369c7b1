package cpu

import (
	"math"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// counted is a column of perf: the sum of some quantities.
type counted struct {
	name, unit string
	of         []int
	most       string // the column that it is never above
}

var (
	basic = []counted{{"cycles", "cycles", []int{qCycles}, ""}, {"instructions", "instructions", []int{qInstructions}, ""},
		{"branches", "branches", []int{qBranches}, ""}, {"branch_misses", "branches", []int{qBranchMisses}, "branches"}}
	references = []counted{{"cache_references", "accesses", []int{qReferences}, ""}, {"cache_misses", "misses", []int{qMisses}, "cache_references"}}
	reference  = []counted{{"ref_cycles", "cycles", []int{qReference}, ""}}
	inner      = []counted{{"L1_dcache_loads", "accesses", []int{qL1}, ""}, {"L1_dcache_load_misses", "misses", []int{qL1Misses}, "L1_dcache_loads"}}
	outer      = []counted{{"LLC_loads", "accesses", []int{qLast}, ""}, {"LLC_load_misses", "misses", []int{qLastMisses}, "LLC_loads"}}
	translated = []counted{{"dTLB_loads", "accesses", []int{qData}, ""}, {"dTLB_load_misses", "misses", []int{qDataMisses}, "dTLB_loads"},
		{"iTLB_load_misses", "misses", []int{qCodeMisses}, ""}}
	bySlots = []counted{{"topdown_retiring", "slots", []int{qRetired}, ""}, {"topdown_bad_spec", "slots", []int{qWrong, qRecover}, ""},
		{"topdown_fe_bound", "slots", []int{qNoOps}, ""}, {"topdown_be_bound", "slots", []int{qHeldUp}, ""}}
	ofMemory = []counted{{"topdown_mem_bound", "slots", []int{qMemory}, "topdown_be_bound"}}
	byIssue  = []counted{{"topdown_total_slots", "slots", []int{qRetired, qWrong, qRecover, qNoOps, qHeldUp}, ""},
		{"topdown_slots_issued", "slots", []int{qRetired, qWrong}, ""}, {"topdown_slots_retired", "slots", []int{qRetired}, "topdown_slots_issued"},
		{"topdown_recovery_bubbles", "slots", []int{qRecover}, ""}, {"topdown_fetch_bubbles", "slots", []int{qNoOps}, ""}}
	byZen = []counted{{"amd_ops_dispatched", "operations", []int{qRetired, qWrong}, ""},
		{"amd_ops_retired", "operations", []int{qRetired}, "amd_ops_dispatched"},
		{"amd_slots_without_ops", "slots", []int{qNoOps, qRecover}, ""}, {"amd_slots_held_up", "slots", []int{qHeldUp}, ""},
		{"amd_cycles_of_the_oldest", "cycles", []int{qOldest}, ""}, {"amd_cycles_of_loads", "cycles", []int{qLoads}, "amd_cycles_of_the_oldest"}}
	noFetch  = []counted{{"stalled_cycles_frontend", "cycles", []int{qNoFetch}, "cycles"}}
	noRoom   = []counted{{"stalled_cycles_backend", "cycles", []int{qNoRoom}, "cycles"}}
	task     = []counted{{"task_clock", "ns", []int{qTask}, ""}}
	faults   = []counted{{"page_faults", "faults", []int{qFaults}, ""}}
	kinds    = []counted{{"minor_faults", "faults", []int{qFaults}, ""}, {"major_faults", "faults", nil, ""}}
	switches = []counted{{"context_switches", "switches", []int{qSwitches}, ""}, {"cpu_migrations", "migrations", []int{qMoves}, ""}}
)

// groups are what a session counts together, and whether that shares counters with other groups.
func (x *session) groups(p pmu, classes int) (list [][]counted, shared []bool) {
	add := func(turns bool, g ...[]counted) {
		for _, one := range g {
			list, shared = append(list, one), append(shared, turns)
		}
	}
	add(false, task, faults)
	if !x.perfStat {
		add(false, kinds)
	}
	if x.switches {
		add(false, switches)
	}
	if p == pmuNone {
		return list, shared
	}
	add(false, basic)
	many := x.caches && (x.pages || x.slots)
	if !x.perfStat || x.r.Chance(0.5) {
		add(many, references)
	}
	if x.ref {
		add(false, reference)
	}
	if x.caches {
		if add(many, inner); p != pmuZen && p != pmuZen2 { // whose kernel has no event for the last level
			add(many, outer)
		}
	}
	if x.pages {
		add(many, translated)
	}
	switch {
	case !x.slots && p != pmuArm && p != pmuZen2 || !x.slots && !x.perfStat:
	case p == pmuSlots:
		if add(false, bySlots); classes == 1 {
			add(false, ofMemory)
		}
	case p == pmuIssue:
		add(many, byIssue)
	case p == pmuZen:
		add(many, byZen)
	case p == pmuZen2:
		add(many, noFetch)
	case p == pmuArm:
		add(false, noFetch, noRoom)
	}
	return list, shared
}

// table makes counters: a column for each CPU, or one for all.
type table struct {
	*simulate.Columns
	source string
	want   func(string) bool
	places map[string][]int
	order  []capture.Meta
}

func (t *table) add(m capture.Meta, instances []string) {
	if !t.want(m.Name) {
		return
	}
	m.GPU, m.Source = "cpu", t.source
	t.order = append(t.order, m)
	put := t.Counter
	if m.Kind == capture.Gauge {
		put = t.Gauge
	}
	if instances == nil {
		t.places[m.Name] = []int{put(m)}
		return
	}
	for _, id := range instances {
		one := m
		one.Name, one.Instance = m.Name+"["+id+"]", id
		t.places[m.Name] = append(t.places[m.Name], put(one))
	}
}

// list are the counters, those with instances as the wholes of these.
func (t *table) list(axis *capture.Axis) (out []*capture.Counter) {
	all := t.Counters(nil)
	for _, m := range t.order {
		places := t.places[m.Name]
		if all[places[0]].Meta.Instance == "" {
			out = append(out, all[places[0]])
			continue
		}
		whole := &capture.Counter{Meta: m, Axis: axis}
		for _, k := range places {
			whole.Instances = append(whole.Instances, all[k])
		}
		out = append(out, whole)
	}
	return out
}

// counters are the columns of a session.
func (s *scene) counters(x *session, rec *recorder, axis *capture.Axis, rows []int, noise float64, want func(string) bool) []*capture.Counter {
	t := &table{Columns: simulate.NewColumns(axis), source: "perfevent", want: want, places: map[string][]int{}}
	ids := simulate.Numbers(len(s.m.cpus))
	var each []string
	if x.whole {
		each = ids
	}
	groups, shared := x.groups(s.m.pmu, len(s.m.classes))
	for _, g := range groups {
		for _, c := range g {
			t.add(capture.Meta{Name: c.name, Unit: c.unit}, each)
		}
	}
	for g, group := range groups {
		for _, k := range rows {
			off := 1.0
			if shared[g] { // counts of a part of the time are scaled up
				off = x.r.Spread(0.025 * noise)
			}
			t.perf(group, rec.rows[k], off)
		}
	}
	if x.proc {
		t.source = "procfs"
		s.proc(t, x, rec, rows, ids)
	}
	return t.list(axis)
}

// perf adds a sample of a group of events. A part is never above its whole.
func (t *table) perf(group []counted, cpus []row, off float64) {
	for _, c := range group {
		places := t.places[c.name]
		sums := make([]float64, len(places))
		for i := range cpus {
			for _, q := range c.of {
				sums[min(i, len(places)-1)*sign(len(places))] += off * cpus[i][q]
			}
		}
		limit := t.places[c.most]
		for i, at := range places {
			if t.Add(at, sums[i]); limit != nil {
				t.least(at, limit[i])
			}
		}
	}
}

// sign is 0 where all CPUs have one place.
func sign(places int) int {
	if places > 1 {
		return 1
	}
	return 0
}

// least keeps a column's last value below that of another, in the same sample.
func (t *table) least(at, limit int) { t.Limit(at, t.Last(limit)) }

// proc adds what /proc and /sys tell.
func (s *scene) proc(t *table, x *session, rec *recorder, rows []int, ids []string) {
	for k, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"} {
		t.add(capture.Meta{Name: name, Unit: "ns", Block: "cpu"}, ids)
		for i, at := range t.places[name] {
			for _, v := range rec.sums(rows, ends(rows, x), i, qUser+k) {
				t.Add(at, v)
			}
		}
	}
	one := func(m capture.Meta, value func(r *machineRow) float64) {
		if t.add(m, nil); t.places[m.Name] == nil {
			return
		}
		at := t.places[m.Name][0]
		for _, k := range rows {
			if v := value(&rec.machine[k]); m.Kind == capture.Gauge {
				t.Set(at, v)
			} else {
				t.Add(at, v)
			}
		}
	}
	one(capture.Meta{Name: "intr", Unit: "interrupts", Block: "scheduler"}, func(r *machineRow) float64 { return r.interrupts })
	one(capture.Meta{Name: "ctxt", Unit: "switches", Block: "scheduler"}, func(r *machineRow) float64 { return r.switches })
	one(capture.Meta{Name: "procs_running", Unit: "tasks", Block: "scheduler", Kind: capture.Gauge}, func(r *machineRow) float64 {
		return float64(r.running + 1)
	})
	one(capture.Meta{Name: "procs_blocked", Unit: "tasks", Block: "scheduler", Kind: capture.Gauge}, func(r *machineRow) float64 {
		return float64(r.blocked)
	})
	if x.r.Chance(0.8) { // some distributions start without it
		us := func(get func(r *machineRow) float64) func(r *machineRow) float64 {
			return func(r *machineRow) float64 { return get(r) }
		}
		one(capture.Meta{Name: "pressure_cpu_some", Unit: "ns", Block: "pressure"}, us(func(r *machineRow) float64 { return r.cpuSome }))
		one(capture.Meta{Name: "pressure_io_some", Unit: "ns", Block: "pressure"}, us(func(r *machineRow) float64 { return r.ioSome }))
		one(capture.Meta{Name: "pressure_io_full", Unit: "ns", Block: "pressure"}, us(func(r *machineRow) float64 { return r.ioFull }))
	}
	if s.m.pmu == pmuNone {
		return
	}
	t.add(capture.Meta{Name: "cpu_frequency", Unit: "Hz", Block: "cpu", Kind: capture.Gauge, Combine: capture.CombineMean}, ids)
	for i, at := range t.places["cpu_frequency"] {
		last := 0
		for n, k := range rows {
			if n == 0 || float64(k-rows[last])*x.period >= 200e6 {
				last = n
			}
			t.Set(at, math.Round(rec.machine[rows[last]].clocks[i]/1e5)*1e5)
		}
	}
	one(capture.Meta{Name: "temperature", Unit: "celsius", Block: "thermal", Kind: capture.Gauge}, func(r *machineRow) float64 {
		return math.Round(r.celsius)
	})
	if s.m.vendor == "ARM" && x.r.Chance(0.5) {
		one(capture.Meta{Name: "hwmon_ina226_power1", Unit: "watts", Block: "hwmon", Kind: capture.Gauge},
			func(r *machineRow) float64 { return math.Round(r.watts*100) / 100 })
	}
}

// ends are the samples behind which /proc is read.
func ends(rows []int, x *session) (out []int) {
	n := max(1, int(x.slow/x.period+0.5))
	for i := n - 1; i < len(rows); i += n {
		out = append(out, i)
	}
	return out
}

var _ = strconv.Itoa
