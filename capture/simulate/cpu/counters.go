package cpu

import "astrolabe/capture/simulate"

// perCPU are the counters that there is one of for each processor.
var perCPU = [...]struct{ name, unit, source string }{
	{"cycles", "cycles", "perfevent"},
	{"instructions", "instructions", "perfevent"},
	{"ref_cycles", "cycles", "perfevent"},
	{"cache_references", "accesses", "perfevent"},
	{"cache_misses", "misses", "perfevent"},
	{"branches", "branches", "perfevent"},
	{"branch_misses", "branches", "perfevent"},
	{"stalled_cycles_frontend", "cycles", "perfevent"},
	{"stalled_cycles_backend", "cycles", "perfevent"},
	{"L1_dcache_loads", "accesses", "perfevent"},
	{"L1_dcache_load_misses", "misses", "perfevent"},
	{"LLC_loads", "accesses", "perfevent"},
	{"LLC_load_misses", "misses", "perfevent"},
	{"dTLB_loads", "accesses", "perfevent"},
	{"dTLB_load_misses", "misses", "perfevent"},
	{"iTLB_load_misses", "misses", "perfevent"},
	{"task_clock", "ns", "perfevent"},
	{"cpu_clock", "ns", "perfevent"},
	{"context_switches", "switches", "perfevent"},
	{"cpu_migrations", "migrations", "perfevent"},
	{"page_faults", "faults", "perfevent"},
	{"minor_faults", "faults", "perfevent"},
	{"major_faults", "faults", "perfevent"},
	{"cpu_user", "ns", "procfs"},
	{"cpu_nice", "ns", "procfs"},
	{"cpu_system", "ns", "procfs"},
	{"cpu_idle", "ns", "procfs"},
	{"cpu_iowait", "ns", "procfs"},
	{"cpu_irq", "ns", "procfs"},
	{"cpu_softirq", "ns", "procfs"},
	{"cpu_steal", "ns", "procfs"},
	{"cpu_guest", "ns", "procfs"},
}

// whole are those that there is one of.
var whole = []struct {
	name, unit string
	gauge      bool
}{
	{"intr", "interrupts", false},
	{"ctxt", "switches", false},
	{"processes", "tasks", false},
	{"procs_running", "tasks", true},
	{"procs_blocked", "tasks", true},
	{"pressure_cpu_some", "ns", false},
	{"pressure_memory_some", "ns", false},
	{"pressure_memory_full", "ns", false},
	{"pressure_io_some", "ns", false},
	{"pressure_io_full", "ns", false},
	{"load_1m", "tasks", true},
	{"mem_total", "bytes", true},
	{"mem_available", "bytes", true},
	{"temperature", "celsius", true},
}

// Places of the counters in perCPU.
const (
	atCycles = iota
	atInstructions
	atRefCycles
	atCacheReferences
	atCacheMisses
	atBranches
	atBranchMisses
	atStalledCyclesFrontend
	atStalledCyclesBackend
	atL1DcacheLoads
	atL1DcacheLoadMisses
	atLLCLoads
	atLLCLoadMisses
	atDTLBLoads
	atDTLBLoadMisses
	atITLBLoadMisses
	atTaskClock
	atCPUClock
	atContextSwitches
	atCPUMigrations
	atPageFaults
	atMinorFaults
	atMajorFaults
	atCPUUser
	atCPUNice
	atCPUSystem
	atCPUIdle
	atCPUIowait
	atCPUIrq
	atCPUSoftirq
	atCPUSteal
	atCPUGuest
)

// Counters are those that tell of a candidate directly.
func Counters(c simulate.Candidate) []string {
	switch c {
	case Core:
		return []string{"instructions"}
	case Branches:
		return []string{"branch_misses"}
	case FrontEnd:
		return []string{"stalled_cycles_frontend", "iTLB_load_misses"}
	case simulate.MemoryLatency, simulate.MemoryBandwidth:
		return []string{"stalled_cycles_backend", "cache_misses", "LLC_load_misses"}
	case IO:
		return []string{"pressure_io_some", "pressure_io_full", "cpu_iowait", "procs_blocked"}
	case Lock, Handover:
		return []string{"context_switches", "ctxt"}
	case simulate.ClockThermal, simulate.ClockPower:
		return []string{"cpu_frequency", "cycles", "ref_cycles"}
	}
	return nil
}
