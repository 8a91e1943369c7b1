package cpu

import (
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// column is a counter of the recorder's, with how a row makes its value.
type column struct {
	name, title, unit, block string
	alias                    string
	value                    func(v *tally, k *coreKind) float64
	only                     int // the group of CPUs that has it; -1 for all
}

func count(i int) func(*tally, *coreKind) float64 {
	return func(v *tally, _ *coreKind) float64 { return v[i] }
}

// software are the events that the kernel itself counts, by the recorder's names.
func (m *machine) software() []column {
	zero := func(*tally, *coreKind) float64 { return 0 }
	return []column{
		{"context_switches", "Context switches", "switches", "software", "cs", count(kSwitches), -1},
		{"cpu_migrations", "CPU migrations", "migrations", "software", "migrations", count(kMigrations), -1},
		{"page_faults", "Page faults", "faults", "software", "faults", count(kFaults), -1},
		{"minor_faults", "Minor faults", "faults", "software", "", count(kFaults), -1},
		{"major_faults", "Major faults", "faults", "software", "", zero, -1},
		{"alignment_faults", "Alignment faults", "faults", "software", "", zero, -1},
		{"emulation_faults", "Emulation faults", "faults", "software", "", zero, -1},
	}
}

// hardware are all events that a machine's cores have here, of which a recording has some.
func (m *machine) hardware() map[string]column {
	out := map[string]column{}
	add := func(name, title, unit, alias string, value func(*tally, *coreKind) float64) {
		out[name] = column{name, title, unit, "core", alias, value, -1}
	}
	add("cycles", "CPU cycles", "cycles", "cpu-cycles", count(kCycles))
	add("instructions", "Instructions", "instructions", "", count(kInstructions))
	add("branches", "Branches", "branches", "branch-instructions", count(kBranches))
	add("branch_misses", "Branch misses", "branches", "", count(kWrong))
	nominal := m.nominal
	add("ref_cycles", "Reference cycles", "cycles", "",
		func(v *tally, _ *coreKind) float64 { return v[kBusy] * nominal })
	refs, misses := count(kL2), count(kDRAM) // the last cache
	switch m.family {
	case "zen5":
		refs, misses = func(v *tally, _ *coreKind) float64 { return v[kL1] + v[kFetches] }, count(kL2)
	case "v2", "a76":
		refs, misses = count(kLoads), count(kL1)
	}
	add("cache_references", "Cache references", "accesses", "", refs)
	add("cache_misses", "Cache misses", "accesses", "", misses)
	add("stalled_cycles_frontend", "Frontend stall cycles", "cycles", "idle-cycles-frontend", count(kStillFront))
	add("stalled_cycles_backend", "Backend stall cycles", "cycles", "idle-cycles-backend", count(kStillBack))
	cache := func(name string, value func(*tally, *coreKind) float64) {
		out[name] = column{name, strings.ReplaceAll(name, "_", " "), "accesses", "cache", "", value, -1}
	}
	loads := func(v *tally, _ *coreKind) float64 { return v[kLoads] * 0.72 }
	cache("L1_dcache_loads", loads)
	cache("L1_dcache_load_misses", func(v *tally, _ *coreKind) float64 { return min(v[kL1], v[kLoads]*0.72) })
	cache("LLC_loads", func(v *tally, _ *coreKind) float64 { return v[kL2] * 0.9 })
	cache("LLC_load_misses", func(v *tally, _ *coreKind) float64 { return min(v[kDRAM], v[kL2]*0.9) })
	cache("dTLB_loads", loads)
	cache("dTLB_load_misses", count(kPages))
	cache("L1_icache_load_misses", count(kFetches))
	cache("iTLB_load_misses", func(v *tally, _ *coreKind) float64 { return v[kFetches] * 0.03 })
	// Events of the cores' units that a person names, as in cpu_core/topdown-retiring,name=topdown_retiring/.
	unit := func(name, spec string, only int, value func(*tally, *coreKind) float64) {
		pmu := m.groups[0].block
		out[name] = column{name, name, "events", pmu, pmu + "/" + spec + ",name=" + name + "/", value, only}
	}
	switch m.family {
	case "hybrid":
		unit("topdown_retiring", "topdown-retiring", 0, count(kOps))
		unit("topdown_bad_spec", "topdown-bad-spec", 0, count(kBad))
		unit("topdown_fe_bound", "topdown-fe-bound", 0, count(kFront))
		unit("topdown_be_bound", "topdown-be-bound", 0, count(kBack))
		unit("topdown_mem_bound", "topdown-mem-bound", 0, func(v *tally, _ *coreKind) float64 { return min(v[kMemory], v[kBack]) })
		unit("cycle_activity.stalls_mem_any", "event=0xa3,umask=0x14,cmask=0x14", 0, count(kStillMemory))
		unit("arith.div_active", "event=0xb0,umask=0x9,cmask=0x1", 0, count(kDivider))
		unit("mem_load_l3_hit_retired.xsnp_hitm", "event=0xd2,umask=0x4", 0, count(kShared))
	case "zen5":
		// Of slots after a wrong guess, some were filled with what was thrown away, and some were empty.
		unit("de_src_op_disp.all", "event=0xaa,umask=0x7", -1, func(v *tally, _ *coreKind) float64 { return v[kOps] + 0.6*v[kBad] })
		unit("ex_ret_ops", "event=0xc1", -1, count(kOps))
		unit("de_no_dispatch_per_slot.no_ops_from_frontend", "event=0x1a0,umask=0x1", -1,
			func(v *tally, _ *coreKind) float64 { return v[kFront] + 0.4*v[kBad] })
		unit("de_no_dispatch_per_slot.backend_stalls", "event=0x1a0,umask=0x1e", -1, count(kBack))
		unit("ex_no_retire.load_not_complete", "event=0xd6,umask=0xa2", -1, count(kStillMemory))
		unit("ex_no_retire.not_complete", "event=0xd6,umask=0x2", -1,
			func(v *tally, _ *coreKind) float64 { return v[kStillMemory] + v[kStillCore] })
		unit("ex_div_busy", "event=0xd3", -1, count(kDivider))
	case "v2":
		unit("op_spec", "op_spec", -1, func(v *tally, _ *coreKind) float64 { return v[kOps] + 0.6*v[kBad] })
		unit("op_retired", "op_retired", -1, count(kOps))
		unit("stall_slot_frontend", "stall_slot_frontend", -1, func(v *tally, _ *coreKind) float64 { return v[kFront] + 0.4*v[kBad] })
		unit("stall_slot_backend", "stall_slot_backend", -1, count(kBack))
		unit("stall_backend_mem", "stall_backend_mem", -1, count(kStillMemory))
	}
	return out
}

// sets are what a person records of a machine's cores. The first is the recorder's own choice.
func (m *machine) sets() [][]string {
	base := []string{"cycles", "instructions", "branches", "branch_misses", "cache_references", "cache_misses"}
	with := func(more ...string) []string { return append(slices.Clone(base), more...) }
	caches := []string{"L1_dcache_loads", "L1_dcache_load_misses", "LLC_loads", "LLC_load_misses"}
	switch m.family {
	case "hybrid":
		top := []string{"topdown_retiring", "topdown_bad_spec", "topdown_fe_bound", "topdown_be_bound"}
		return [][]string{base, with(top...), with(append(top, "topdown_mem_bound", "ref_cycles")...),
			with("ref_cycles", "L1_icache_load_misses", "LLC_loads", "LLC_load_misses"),
			{"cycles", "instructions", "ref_cycles", "branch_misses", "cache_misses", "cycle_activity.stalls_mem_any",
				"arith.div_active", "mem_load_l3_hit_retired.xsnp_hitm", "topdown_retiring", "topdown_bad_spec",
				"topdown_fe_bound", "topdown_be_bound", "topdown_mem_bound"}}
	case "zen5":
		top := []string{"de_src_op_disp.all", "ex_ret_ops", "de_no_dispatch_per_slot.no_ops_from_frontend",
			"de_no_dispatch_per_slot.backend_stalls"}
		return [][]string{base, append([]string{"cycles", "instructions"}, top...),
			{"cycles", "instructions", "branches", "branch_misses", "stalled_cycles_frontend", "cache_misses"},
			with(append(top, "ex_no_retire.load_not_complete", "ex_no_retire.not_complete")...),
			{"cycles", "instructions", "ref_cycles", "branch_misses", "L1_dcache_loads", "L1_dcache_load_misses"}}
	case "v2":
		return [][]string{base, {"cycles", "instructions", "op_spec", "op_retired", "stall_slot_frontend", "stall_slot_backend"},
			{"cycles", "instructions", "stalled_cycles_frontend", "stalled_cycles_backend", "stall_backend_mem", "branch_misses"},
			with("op_spec", "op_retired", "stall_slot_frontend", "stall_slot_backend", "stall_backend_mem", "LLC_load_misses")}
	}
	return [][]string{base, {"cycles", "instructions", "stalled_cycles_frontend", "stalled_cycles_backend", "branch_misses", "cache_misses"},
		with(append([]string{"stalled_cycles_frontend", "stalled_cycles_backend"}, caches...)...)}
}

// direct are the counters that tell of a candidate directly.
func direct(c simulate.Candidate) []string {
	switch c {
	case unitCore:
		return []string{"topdown_retiring", "ex_ret_ops", "op_retired", "arith.div_active", "ex_div_busy"}
	case unitFront:
		return []string{"topdown_fe_bound", "de_no_dispatch_per_slot.no_ops_from_frontend", "stall_slot_frontend",
			"stalled_cycles_frontend", "L1_icache_load_misses", "iTLB_load_misses"}
	case unitBranch:
		return []string{"branch_misses", "topdown_bad_spec", "de_src_op_disp.all", "op_spec"}
	case simulate.MemoryLatency, simulate.MemoryBandwidth:
		return []string{"cache_misses", "cache_references", "LLC_loads", "LLC_load_misses", "topdown_mem_bound",
			"stall_backend_mem", "cycle_activity.stalls_mem_any", "ex_no_retire.load_not_complete", "L1_dcache_load_misses"}
	case cpuIO:
		return []string{"cpu_iowait", "procs_blocked", "pressure_io_some", "pressure_io_full"}
	case cpuLock, simulate.QueuesInTurn:
		return []string{"context_switches", "ctxt"}
	case cpuFaults:
		return []string{"page_faults", "minor_faults"}
	case cpuOthers:
		return []string{"pressure_cpu_some", "procs_running"}
	case simulate.ClockGovernor, simulate.ClockPower, simulate.ClockThermal:
		return []string{"cpu_frequency", "temperature", "ref_cycles", "power/energy-pkg/", "hwmon_k10temp_Tctl",
			"hwmon_coretemp_Package_id_0", "hwmon_power_meter_power1"}
	}
	return nil
}

// meta is how the recorder describes a counter of perf events.
func (c *column) meta() capture.Meta {
	m := capture.Meta{Name: c.name, Title: c.title, Unit: c.unit, Block: c.block, GPU: "cpu", Source: "perfevent",
		Kind: capture.Delta}
	if c.alias != "" {
		m.Aliases = []string{c.alias}
	}
	return m
}

// proc is how the recorder describes a counter of /proc and /sys.
func proc(name, title, unit, block string) capture.Meta {
	return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "cpu", Source: "procfs", Kind: capture.Delta}
}
