package perfevent

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// event is something to count.
type event struct {
	meta                       capture.Meta
	typ                        uint32
	config, config1, config2   uint64
	excludeUser, excludeKernel bool
	core                       bool    // counted by the cores' own unit
	kernelOnly                 bool    // happens in the kernel, so that it reads 0 where the kernel may not be measured
	systemWide                 bool    // cannot be attached to a process
	cpus                       []int   // where the unit is read; nil for every CPU
	scale                      float64 // of the kernel's value; 0 keeps whole numbers
	pmu                        string  // name of its unit in sysfs; "" for the kernel's own kinds
}

// Cache events are made of a cache, an operation and a result (PERF_COUNT_HW_CACHE_*).
func cacheConfig(cache, op, result uint64) uint64 { return cache | op<<8 | result<<16 }

func meta(name, title, unit, block, doc string, aliases ...string) capture.Meta {
	return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Doc: doc, Kind: capture.Delta, GPU: "cpu",
		Source: sourceName, Aliases: aliases}
}

// hardwareEvents are the kernel's generic events (PERF_COUNT_HW_*).
func hardwareEvents() []event {
	list := []struct {
		config                 uint64
		name, title, unit, doc string
		alias                  string
	}{
		{0, "cycles", "CPU cycles", "cycles", "Cycles of the core's clock while it was not halted; they change length with the frequency.", "cpu-cycles"},
		{1, "instructions", "Instructions", "instructions", "Instructions that retired.", ""},
		{9, "ref_cycles", "Reference cycles", "cycles",
			"Cycles of a clock of constant frequency while the core was not halted.", ""},
		{6, "bus_cycles", "Bus cycles", "cycles", "Cycles of the bus clock while the core was not halted.", ""},
		{4, "branches", "Branches", "branches", "Branch instructions that retired.", "branch-instructions"},
		{5, "branch_misses", "Branch misses", "branches",
			"Branch instructions whose target or direction was predicted wrongly.", ""},
		{2, "cache_references", "Cache references", "accesses",
			"Accesses to a cache, usually the last level; which one is up to the processor.", ""},
		{3, "cache_misses", "Cache misses", "accesses",
			"Accesses counted by cache_references that the cache could not serve.", ""},
		{7, "stalled_cycles_frontend", "Frontend stall cycles", "cycles",
			"Cycles in which no instruction could be issued because none was delivered.", "idle-cycles-frontend"},
		{8, "stalled_cycles_backend", "Backend stall cycles", "cycles",
			"Cycles in which no instruction could be issued because execution resources or data were not ready.",
			"idle-cycles-backend"},
	}
	var out []event
	for _, e := range list {
		ev := event{meta: meta(e.name, e.title, e.unit, "core", e.doc), typ: typeHardware, config: e.config, core: true}
		if e.alias != "" {
			ev.meta.Aliases = []string{e.alias}
		}
		out = append(out, ev)
	}
	return out
}

// cacheEvents are the kernel's generic cache events (PERF_COUNT_HW_CACHE_*).
func cacheEvents() []event {
	caches := []struct {
		id         uint64
		name, text string
	}{
		{0, "L1_dcache", "first-level data cache"},
		{1, "L1_icache", "first-level instruction cache"},
		{2, "LLC", "last-level cache"},
		{3, "dTLB", "data address translation buffer"},
		{4, "iTLB", "instruction address translation buffer"},
		{5, "branch", "branch prediction unit"},
		{6, "node", "memory of the processor's own node"},
	}
	ops := []struct {
		id             uint64
		one, many, doc string
	}{{0, "load", "loads", "Reads"}, {1, "store", "stores", "Writes"}, {2, "prefetch", "prefetches", "Prefetches"}}
	var out []event
	for _, c := range caches {
		for _, op := range ops {
			hit, miss := c.name+"_"+op.many, c.name+"_"+op.one+"_misses"
			title := strings.ReplaceAll(c.name, "_", " ")
			out = append(out,
				event{meta: meta(hit, title+" "+op.many, "accesses", "cache", op.doc+" that went to the "+c.text+"."),
					typ: typeCache, config: cacheConfig(c.id, op.id, 0), core: true},
				event{meta: meta(miss, title+" "+op.one+" misses", "accesses", "cache", op.doc+" that the "+
					c.text+" could not serve."), typ: typeCache, config: cacheConfig(c.id, op.id, 1), core: true})
		}
	}
	return out
}

// softwareEvents are the events that the kernel itself counts (PERF_COUNT_SW_*).
func softwareEvents() []event {
	list := []struct {
		config                 uint64
		name, title, unit, doc string
		kernelOnly             bool
		alias                  string
	}{
		{1, "task_clock", "Task clock", "ns", "Processor time of the measured process. Measured for a whole processor it is simply the time that passed, busy or not.", false, ""},
		{0, "cpu_clock", "CPU clock", "ns", "Time on the processor by a high-resolution timer. Measured for a whole processor it is simply the time that passed, busy or not.", false, ""},
		{3, "context_switches", "Context switches", "switches", "Times that the processor changed to another task.",
			true, "cs"},
		{4, "cpu_migrations", "CPU migrations", "migrations", "Times that a task was moved to another processor.", true,
			"migrations"},
		{2, "page_faults", "Page faults", "faults", "Accesses to memory that was not mapped, minor and major.",
			false, "faults"},
		{5, "minor_faults", "Minor faults", "faults", "Page faults that needed no disk.", false, ""},
		{6, "major_faults", "Major faults", "faults", "Page faults that had to wait for a disk.", false, ""},
		{7, "alignment_faults", "Alignment faults", "faults",
			"Unaligned accesses that the kernel had to carry out; x86 has none.", false, ""},
		{8, "emulation_faults", "Emulation faults", "faults", "Instructions that the kernel had to emulate.",
			false, ""},
		{11, "cgroup_switches", "Cgroup switches", "switches",
			"Context switches between tasks of different control groups.", true, ""},
	}
	var out []event
	for _, e := range list {
		ev := event{meta: meta(e.name, e.title, e.unit, "software", e.doc), typ: typeSoftware, config: e.config,
			kernelOnly: e.kernelOnly}
		if e.alias != "" {
			ev.meta.Aliases = []string{e.alias}
		}
		out = append(out, ev)
	}
	return out
}

// genericEvents are all events that the kernel names itself.
func genericEvents() []event {
	return slices.Concat(hardwareEvents(), cacheEvents(), softwareEvents())
}

// isDefault reports whether the event is measured when the user names none: what every analysis of a processor starts
// from and what the six or so counters of a common core can hold at once.
func (e *event) isDefault() bool {
	switch {
	case e.typ == typeSoftware && e.pmu == "":
		return e.meta.Name != "cgroup_switches"
	case e.typ == typeHardware && e.pmu == "":
		return slices.Contains([]string{"cycles", "instructions", "branches", "branch_misses", "cache_references",
			"cache_misses"}, e.meta.Name)
	}
	return e.pmu == "power" && strings.Contains(e.meta.Name, "energy")
}
