package cpupmu

import (
	"math/bits"
	"slices"
	"syscall"

	"astrolabe/hwio/hwtest/uapi"
)

// Types of events, from linux/perf_event.h; beyond them the numbers that units have in sysfs.
const (
	typeHardware   = 0
	typeSoftware   = 1
	typeTracepoint = 2
	typeCache      = 3
	typeRaw        = 4 // the number of the unit "cpu" too, as on x86
	typeBreakpoint = 5
	imcType        = 24
	imcName        = "uncore_imc_0"
)

// unit is what a counter unit has room for.
type unit struct {
	name    string
	general int
	fixed   []string // events that have a counter of their own beside the general ones
	uncore  bool
}

// core is the unit of every processor.
func (d *device) core() unit {
	if d.set.Has("few-counters") {
		return unit{name: "cpu", general: 2}
	}
	return unit{name: "cpu", general: 4, fixed: []string{"instructions", "cycles", "ref-cycles"}}
}

var software = unit{name: "software", general: 1 << 20}

var imc = unit{name: imcName, general: 2, uncore: true}

// counted is an event that a unit can count.
type counted struct {
	name string
	rate uint64 // per second on processor 0
	soft bool   // counted by the kernel, without a counter, and alike on every processor
}

// softEvents are the kernel's own events as far as they stand beside a clock that samples; elsewhere the real kernel
// counts them.
var softEvents = map[string]counted{
	"PERF_COUNT_SW_CPU_CLOCK":        {"cpu-clock", 1_000_000_000, true},
	"PERF_COUNT_SW_TASK_CLOCK":       {"task-clock", 1_000_000_000, true},
	"PERF_COUNT_SW_PAGE_FAULTS":      {"page-faults", 60_000, true},
	"PERF_COUNT_SW_PAGE_FAULTS_MIN":  {"minor-faults", 59_000, true},
	"PERF_COUNT_SW_PAGE_FAULTS_MAJ":  {"major-faults", 1_000, true},
	"PERF_COUNT_SW_CONTEXT_SWITCHES": {"context-switches", 20_000, true},
	"PERF_COUNT_SW_CPU_MIGRATIONS":   {"cpu-migrations", 300, true},
	"PERF_COUNT_SW_ALIGNMENT_FAULTS": {"alignment-faults", 0, true},
	"PERF_COUNT_SW_EMULATION_FAULTS": {"emulation-faults", 0, true},
	"PERF_COUNT_SW_CGROUP_SWITCHES":  {"cgroup-switches", 5_000, true},
}

// clockWithGroup reports whether the event is a clock that writes down what its group has counted. It leads events of
// any unit.
func (a *attr) clockWithGroup() bool {
	return a.typ == typeSoftware && a.config == uint64(uapi.Const("PERF_COUNT_SW_CPU_CLOCK")) &&
		a.period != 0 && !a.freq &&
		a.sampleType&uint64(uapi.Const("PERF_SAMPLE_READ")) != 0 && a.has("PERF_FORMAT_GROUP")
}

func softEvent(config uint64) (counted, error) {
	for name, e := range softEvents {
		if uint64(uapi.Const(name)) == config {
			return e, nil
		}
	}
	return counted{}, syscall.ENOENT
}

type namedText struct{ name, text string }

// coreFormats say how the words of an event are made, as the unit's format folder does.
var coreFormats = []namedText{
	{"event", "config:0-7"}, {"umask", "config:8-15"}, {"edge", "config:18"}, {"inv", "config:23"},
	{"cmask", "config:24-31"},
}

// rawBits are the bits of config that coreFormats name.
const rawBits = 0xff<<0 | 0xff<<8 | 1<<18 | 1<<23 | 0xff<<24

// coreNamed are the events that the unit's events folder names.
var coreNamed = []namedText{
	{"cpu-cycles", "event=0x3c"}, {"instructions", "event=0xc0"}, {"branch-instructions", "event=0xc4"},
	{"branch-misses", "event=0xc5"},
	{"cache-references", "event=0x2e,umask=0x4f"}, {"cache-misses", "event=0x2e,umask=0x41"},
}

// hardware are the generic events that the unit has; the stall events it lacks.
var hardware = map[string]struct {
	counted
	raw uint64
}{
	"PERF_COUNT_HW_CPU_CYCLES":          {counted{name: "cycles", rate: 2_000_000_000}, 0x3c},
	"PERF_COUNT_HW_INSTRUCTIONS":        {counted{name: "instructions", rate: 3_000_000_000}, 0xc0},
	"PERF_COUNT_HW_CACHE_REFERENCES":    {counted{name: "cache-references", rate: 40_000_000}, 0x4f2e},
	"PERF_COUNT_HW_CACHE_MISSES":        {counted{name: "cache-misses", rate: 4_000_000}, 0x412e},
	"PERF_COUNT_HW_BRANCH_INSTRUCTIONS": {counted{name: "branches", rate: 500_000_000}, 0xc4},
	"PERF_COUNT_HW_BRANCH_MISSES":       {counted{name: "branch-misses", rate: 5_000_000}, 0xc5},
	"PERF_COUNT_HW_BUS_CYCLES":          {counted{name: "bus-cycles", rate: 100_000_000}, 0x13c},
	"PERF_COUNT_HW_REF_CPU_CYCLES":      {counted{name: "ref-cycles", rate: 2_400_000_000}, 0x300},
}

// caches are the generic cache events: cache, operation and result as in PERF_COUNT_HW_CACHE_*.
var caches = []struct {
	cache, op string
	access    counted
	miss      counted
}{
	{"L1D", "READ", counted{name: "L1-dcache-loads", rate: 800_000_000},
		counted{name: "L1-dcache-load-misses", rate: 20_000_000}},
	{"L1D", "WRITE", counted{name: "L1-dcache-stores", rate: 300_000_000}, counted{}},
	{"L1I", "READ", counted{}, counted{name: "L1-icache-load-misses", rate: 3_000_000}},
	{"LL", "READ", counted{name: "LLC-loads", rate: 10_000_000}, counted{name: "LLC-load-misses", rate: 2_000_000}},
	{"LL", "WRITE", counted{name: "LLC-stores", rate: 6_000_000}, counted{name: "LLC-store-misses", rate: 1_000_000}},
	{"DTLB", "READ", counted{name: "dTLB-loads", rate: 800_000_000}, counted{name: "dTLB-load-misses", rate: 500_000}},
	{"ITLB", "READ", counted{name: "iTLB-loads", rate: 1_000_000}, counted{name: "iTLB-load-misses", rate: 100_000}},
	{"BPU", "READ", counted{name: "branch-loads", rate: 500_000_000},
		counted{name: "branch-load-misses", rate: 5_000_000}},
}

// imcEvents are those of the memory controller: accesses of 64 bytes.
var imcEvents = []struct {
	counted
	code        uint64
	scale, unit string
}{
	{counted{name: "clockticks", rate: 1_600_000_000}, 0xff, "", ""},
	{counted{name: "data_reads", rate: 100_000_000}, 0x01, "6.103515625e-5", "MiB"},
	{counted{name: "data_writes", rate: 50_000_000}, 0x02, "6.103515625e-5", "MiB"},
}

// lookUp finds the event that a program asks for. ours is false where it belongs to another unit, which the real kernel
// knows or does not know. led says that the event's leader is this one's.
func (d *device) lookUp(a *attr, led bool) (e counted, u unit, ours bool, err error) {
	core := d.core()
	switch a.typ {
	case typeHardware, typeCache:
		if t := a.config >> 32; t != 0 && t != typeRaw {
			return counted{}, core, true, syscall.ENOENT // of a unit that is none of the cores'
		}
		if a.typ == typeHardware {
			e, err = genericEvent(a.config & 0xffffffff)
		} else {
			e, err = cacheEvent(a.config & 0xffffffff)
		}
	case typeRaw:
		e, err = rawEvent(a.config)
	case imcType:
		for _, i := range imcEvents {
			if i.code == a.config {
				return i.counted, imc, true, nil
			}
		}
		return counted{}, imc, true, syscall.EINVAL
	case typeSoftware:
		if led || a.clockWithGroup() {
			e, err = softEvent(a.config)
			return e, core, true, err
		}
		// An event that counts nothing and only tells of tasks shares its rings with those that sample.
		dummy := a.config == uint64(uapi.Const("PERF_COUNT_SW_DUMMY")) && (a.mmap || a.comm || a.task)
		return counted{name: "dummy"}, software, dummy, nil
	default:
		return counted{}, unit{}, false, nil
	}
	if err == nil && d.set.Has("no-pmu-events") {
		err = syscall.ENOENT
	}
	return e, core, true, err
}

func genericEvent(config uint64) (counted, error) {
	if config >= uint64(uapi.Const("PERF_COUNT_HW_MAX")) {
		return counted{}, syscall.EINVAL
	}
	for name, h := range hardware {
		if uint64(uapi.Const(name)) == config {
			return h.counted, nil
		}
	}
	return counted{}, syscall.ENOENT
}

func cacheEvent(config uint64) (counted, error) {
	cache, op, result := config&0xff, config>>8&0xff, config>>16&0xff
	if cache >= uint64(uapi.Const("PERF_COUNT_HW_CACHE_MAX")) ||
		op >= uint64(uapi.Const("PERF_COUNT_HW_CACHE_OP_MAX")) ||
		result >= uint64(uapi.Const("PERF_COUNT_HW_CACHE_RESULT_MAX")) || config>>24 != 0 {
		return counted{}, syscall.EINVAL
	}
	for _, c := range caches {
		if uint64(uapi.Const("PERF_COUNT_HW_CACHE_"+c.cache)) != cache ||
			uint64(uapi.Const("PERF_COUNT_HW_CACHE_OP_"+c.op)) != op {
			continue
		}
		e := c.access
		if result == uint64(uapi.Const("PERF_COUNT_HW_CACHE_RESULT_MISS")) {
			e = c.miss
		}
		if e.name != "" {
			return e, nil
		}
	}
	return counted{}, syscall.ENOENT
}

// rawEvent finds the generic event behind a code; any other code counts at a rate made from it.
func rawEvent(config uint64) (counted, error) {
	if config&^uint64(rawBits) != 0 {
		return counted{}, syscall.EINVAL
	}
	for _, h := range hardware {
		if h.raw == config {
			return h.counted, nil
		}
	}
	return counted{name: "raw", rate: 1_000_000 + bits.Reverse64(config*0x9e3779b97f4a7c15)%100_000_000}, nil
}

// fits reports whether events can be on a unit together when some general counters are taken.
func (u unit) fits(events []counted, taken int) bool {
	need := taken
	var fixed []string
	for _, e := range events {
		switch {
		case e.soft:
		case slices.Contains(u.fixed, e.name) && !slices.Contains(fixed, e.name):
			fixed = append(fixed, e.name)
		default:
			need++
		}
	}
	return need <= u.general
}
