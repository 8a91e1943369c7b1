package machine

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// called is what such a program calls a counter or metric of the processors' catalogue, in that unit when multiplied by scale.
type called struct {
	name, unit string
	scale      float64
}

// beside are what vmstat writes beside the shares: rates in each second, and tasks.
var beside = map[string]called{
	"r":  {"procs_running", "tasks", 1},
	"b":  {"procs_blocked", "tasks", 1},
	"cs": {"system_context_switch_rate", "switches/s", 1},
	"in": {"interrupt_rate", "interrupts/s", 1},
	"si": {"si", "KiB/s", 1},
	"so": {"so", "KiB/s", 1},
}

// tables are what sysstat's other tables of the whole machine have (sar -B, -q, -w, -I, -r), whose names no other program uses.
var tables = map[string]called{
	"fault/s":   {"page_fault_rate", "faults/s", 1},
	"majflt/s":  {"major_fault_rate", "faults/s", 1},
	"proc/s":    {"fork_rate", "tasks/s", 1},
	"cswch/s":   {"system_context_switch_rate", "switches/s", 1},
	"intr/s":    {"interrupt_rate", "interrupts/s", 1},
	"runq-sz":   {"procs_running", "tasks", 1},
	"blocked":   {"procs_blocked", "tasks", 1},
	"ldavg-1":   {"load_1m", "tasks", 1},
	"kbavail":   {"mem_available", "bytes", 1024},
	"%scpu":     {"cpu_pressure", "percent", 1},
	"%sio":      {"io_pressure", "percent", 1},
	"%fio":      {"io_stall", "percent", 1},
	"%smem":     {"memory_pressure", "percent", 1},
	"%fmem":     {"memory_stall", "percent", 1},
	"pgpgin/s":  {"pgpgin/s", "KiB/s", 1},
	"pgpgout/s": {"pgpgout/s", "KiB/s", 1},
	"pswpin/s":  {"pswpin/s", "pages/s", 1},
	"pswpout/s": {"pswpout/s", "pages/s", 1},
}

// signs are columns that only sysstat's tables of a machine have: one of them says whose the others are.
var signs = []string{"kbmemfree", "pgpgin/s", "pswpin/s", "runq-sz", "cswch/s", "%scpu", "%sio", "%smem"}

// cores are what turbostat writes of each CPU, core and package.
var cores = map[string]called{
	"Busy%":   {busyTime, "percent", 1},
	"Bzy_MHz": {"cpu_frequency", "Hz", 1e6}, // while it works
	"IPC":     {"ipc", "instructions/cycle", 1},
	"PkgTmp":  {"temperature", "celsius", 1},
	"PkgWatt": {"PkgWatt", "W", 1},
	"CorWatt": {"CorWatt", "W", 1},
	"RAMWatt": {"RAMWatt", "W", 1},
	"Avg_MHz": {"cycle_rate", "cycles/s", 1e6},
	"TSC_MHz": {"TSC_MHz", "MHz", 1},
}

// Rates names what programs that watch a machine write beside the shares of the time, and reports whether the table is one of theirs. shares says
// that the shares were there.
func Rates(cfg *capture.Config, shares bool) bool {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return column(cfg, n) == nil })
	}
	ours := shares
	if shares && has("cs", "in") {
		rename(cfg, beside)
	}
	if has("Avg_MHz", "Busy%", "Bzy_MHz") {
		ratio(cfg, "reference_ratio", "Bzy_MHz", "TSC_MHz")
		rename(cfg, cores)
		ours = true
	}
	if !has("PID") && slices.ContainsFunc(signs, func(n string) bool { return has(n) }) {
		rename(cfg, tables)
		ours = true
	}
	if ours {
		levels(cfg)
	}
	return ours
}

func column(cfg *capture.Config, name string) *capture.Counter {
	i := slices.IndexFunc(cfg.Counters, func(c *capture.Counter) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return cfg.Counters[i]
}

// rename gives columns the names and units of the catalogue.
func rename(cfg *capture.Config, names map[string]called) {
	for _, c := range cfg.Counters {
		n, ok := names[c.Name]
		if !ok || n.name != c.Name && column(cfg, n.name) != nil {
			continue
		}
		for _, one := range append([]*capture.Counter{c}, c.Instances...) {
			one.Name, one.Title, one.Unit, one.Kind, one.Guessed = n.name, "", n.unit, capture.Gauge, false
			if one.Meta.Instance != "" {
				one.Name = n.name + "[" + one.Meta.Instance + "]"
			}
			if n.scale != 1 && one.Col != nil {
				one.Col, one.Integral = scaled(one, n.scale), false
			}
		}
	}
}

func scaled(c *capture.Counter, by float64) *capture.Column {
	values := slices.Clone(c.Floats())
	for i := range values {
		values[i] *= by
	}
	return capture.NewColumn(capture.Data{F: values})
}

// ratio adds a level that is one column divided by another.
func ratio(cfg *capture.Config, name, above, below string) {
	a, b := column(cfg, above), column(cfg, below)
	if a == nil || b == nil {
		return
	}
	values, by := slices.Clone(a.Floats()), b.Floats()
	for i := range values {
		values[i] /= by[i]
	}
	cfg.Counters = append(cfg.Counters, level(cfg.Axis, name, "", values))
}

// levels says of columns that nothing else is known of that rates and shares are levels: added up over time they would mean nothing.
func levels(cfg *capture.Config) {
	for _, c := range cfg.Counters {
		for _, one := range append([]*capture.Counter{c}, c.Instances...) {
			if one.Guessed && (strings.HasSuffix(c.Name, "/s") || one.Unit == "percent") {
				one.Kind, one.Guessed = capture.Gauge, false
			}
		}
	}
}
