package machine

import (
	"math"
	"slices"

	"astrolabe/capture"
)

// full is the share of all CPUs' time from which the tasks that were listed have all of it.
const full = 0.98

func mean(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(1, n)
}

// used makes of what pidstat writes of tasks, added up, what the processors' catalogue knows of a program: the CPUs that it used and its rates. It reports
// whether the table is pidstat's.
func used(cfg *capture.Config) bool {
	cpu, system := column(cfg, "%CPU"), column(cfg, "%system")
	if cpu == nil && column(cfg, "majflt/s") == nil && column(cfg, "cswch/s") == nil || column(cfg, "fault/s") != nil || column(cfg, "proc/s") != nil {
		return false
	}
	of := func(unit string, scale func(row int) float64, name string, columns ...string) {
		sum := slices.Repeat([]float64{math.NaN()}, cfg.Axis.Len())
		for k, n := range columns {
			c := column(cfg, n)
			if c == nil {
				return
			}
			for i, v := range c.Floats() {
				if k == 0 {
					sum[i] = 0
				}
				sum[i] += v * scale(i)
			}
		}
		cfg.Counters = append(cfg.Counters, level(cfg.Axis, name, unit, sum))
	}
	same := func(int) float64 { return 1 }
	hundredth := func(int) float64 { return 0.01 }
	if cpu != nil && system != nil {
		clock := func(name, column string) {
			of("ns", func(row int) float64 { return 0.01 * float64(cfg.Axis.Interval(row)) }, name, column)
			cfg.Counters[len(cfg.Counters)-1].Kind = capture.Delta
		}
		clock("task_clock", "%CPU")
		clock("system_time", "%system")
		clock("user_time", "%usr")
	}
	of("tasks", hundredth, "procs_running", "%CPU", "%wait") // those that ran, and those that could have
	if n := column(cfg, "cpus_online"); n != nil && cpu != nil && n.Len() > 0 && mean(cpu.Floats()) >= full*100*n.Value(0).F {
		of("percent", func(int) float64 { return 1 / n.Value(0).F }, busyTime, "%CPU") // there is no other that works
	}
	// Delays are in ticks of the clock that Linux shows to programs, 100 in a second.
	of("tasks", func(row int) float64 { return 1e7 / float64(cfg.Axis.Interval(row)) }, "procs_blocked", "iodelay")
	of("faults/s", same, "major_fault_rate", "majflt/s")
	of("faults/s", same, "minor_fault_rate", "minflt/s")
	of("faults/s", same, "page_fault_rate", "minflt/s", "majflt/s")
	of("switches/s", same, "context_switch_rate", "cswch/s", "nvcswch/s")
	levels(cfg)
	return true
}
