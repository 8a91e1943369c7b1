package cpu

import (
	"math"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// perfEvent is a perf event and what it counts.
type perfEvent struct {
	name, title, unitOf, block string
	of                         func(v []float64) float64
	unit                       string // of one kind of cores
	wall                       bool   // counts the time on whole CPUs
	gauge                      func(c *recording, out *capture.Counter) *capture.Counter
}

func (e *perfEvent) meta() capture.Meta {
	return capture.Meta{Name: e.name, Title: e.title, Unit: e.unitOf, Block: e.block, Kind: capture.Delta, GPU: "cpu",
		Source: "perfevent"}
}

func is(k int) func([]float64) float64 { return func(v []float64) float64 { return v[k] } }
func none([]float64) float64           { return 0 }

// events are those that a recorder of this machine was asked for: no more at a time than its cores hold.
func (x *made) events(k simulate.Random, alone bool) []perfEvent {
	ev := func(name, title, unit, block string, of func([]float64) float64) perfEvent {
		return perfEvent{name: name, title: title, unitOf: unit, block: block, of: of}
	}
	out := []perfEvent{
		ev("cycles", "CPU cycles", "cycles", "core", is(mCycles)), ev("instructions", "Instructions", "instructions", "core", is(mInstr)),
	}
	wide := k.Float64() // which set the person asked for
	defaults := wide < 0.35
	if defaults || k.Chance(0.7) {
		out = append(out, ev("branches", "Branches", "branches", "core", is(mBranches)),
			ev("branch_misses", "Branch misses", "branches", "core", is(mMisp)))
	}
	if defaults || k.Chance(0.7) {
		out = append(out, ev("cache_references", "Cache references", "accesses", "core", is(mCacheRef)),
			ev("cache_misses", "Cache misses", "accesses", "core", is(mCacheMiss)))
	}
	if !defaults {
		named := func(unit, name string, of func([]float64) float64) {
			e := ev(name, name, "events", unit, of)
			if x.m.kind == hybrid {
				e.unit = unit
			}
			out = append(out, e)
		}
		if k.Chance(0.5) && x.m.cpus[0].refHz > 0 {
			out = append(out, ev("ref_cycles", "Reference cycles", "cycles", "core", is(mRef)))
		}
		if x.m.kind >= desktop && k.Chance(0.6) {
			out = append(out, ev("stalled_cycles_frontend", "Frontend stall cycles", "cycles", "core", is(mFeCycles)))
			if x.m.kind != desktop {
				out = append(out, ev("stalled_cycles_backend", "Backend stall cycles", "cycles", "core", is(mBeCycles)))
			}
		}
		if k.Chance(0.75) {
			switch u := x.m.unit(0); x.m.kind {
			case hybrid:
				if alone { // slots of both kinds of cores have one name only where CPUs are told apart
					break
				}
				named(u, "topdown_retiring", is(mOps))
				named(u, "topdown_bad_spec", is(mWrong))
				named(u, "topdown_fe_bound", is(mNoFetch))
				named(u, "topdown_be_bound", func(v []float64) float64 { return v[mNoUnit] + v[mNoData] })
				named(u, "topdown_mem_bound", is(mNoData))
			case desktop:
				named(u, "ex_ret_ops", is(mOps))
				named(u, "de_src_op_disp.all", func(v []float64) float64 { return v[mOps] + 0.6*v[mWrong] })
				named(u, "de_no_dispatch_per_slot.no_ops_from_frontend",
					func(v []float64) float64 { return v[mNoFetch] + 0.4*v[mWrong] })
				named(u, "de_no_dispatch_per_slot.backend_stalls",
					func(v []float64) float64 { return v[mNoUnit] + v[mNoData] })
			case neoverse:
				named(u, "op_retired", is(mOps))
				named(u, "op_spec", func(v []float64) float64 { return v[mOps] + 0.6*v[mWrong] })
				named(u, "stall_slot_frontend", func(v []float64) float64 { return v[mNoFetch] + 0.4*v[mWrong] })
				named(u, "stall_slot_backend", func(v []float64) float64 { return v[mNoUnit] + v[mNoData] })
			}
		} else {
			out = append(out, ev("LLC_load_misses", "LLC load misses", "accesses", "cache", is(mLLCMiss)),
				ev("dTLB_load_misses", "dTLB load misses", "accesses", "cache", is(mTLB)))
			if x.m.kind >= neoverse {
				named(x.m.unit(0), "stall_backend_mem", is(mMemCycles))
			}
		}
	}
	if k.Chance(0.85) {
		clock := ev("task_clock", "Task clock", "ns", "software", is(mTask))
		other := ev("cpu_clock", "CPU clock", "ns", "software", is(mTask))
		clock.wall, other.wall = !alone, !alone
		switches := mSwitches
		if alone {
			switches = mOwn
		}
		out = append(out, clock, other,
			ev("context_switches", "Context switches", "switches", "software", is(switches)),
			ev("cpu_migrations", "CPU migrations", "migrations", "software", is(mMoves)),
			ev("page_faults", "Page faults", "faults", "software", is(mFaults)),
			ev("minor_faults", "Minor faults", "faults", "software", is(mFaults)),
			ev("major_faults", "Major faults", "faults", "software", none),
			ev("alignment_faults", "Alignment faults", "faults", "software", none),
			ev("emulation_faults", "Emulation faults", "faults", "software", none))
	}
	if x.m.kind <= desktop && !alone && k.Chance(0.5) {
		e := ev("power/energy-pkg/", "power energy-pkg", "joules", "power", nil)
		e.gauge = energy
		out = append(out, e)
	}
	return out
}

// energy is the package's, from what it had used at the ticks of its clock.
func energy(c *recording, out *capture.Counter) *capture.Counter {
	at := func(t int64) float64 {
		ticks := c.w.ticks
		i := int(t/tickNs) - 1
		if i < 0 || len(ticks) < 2 {
			return 0
		}
		i = min(i, len(ticks)-2)
		a, b := ticks[i], ticks[i+1]
		return a.joules + (b.joules-a.joules)*float64(t-a.at)/float64(tickNs)
	}
	const unit = 1.0 / (1 << 14) // of the energy counter
	v := make([]float64, 0, len(c.rows))
	for _, i := range c.rows {
		a, b := at(c.w.from+c.w.b.At(i)), at(c.w.from+c.w.b.At(i+1))
		v = append(v, max(0, math.Floor(b/unit)-math.Floor(a/unit))*unit)
	}
	out.Aliases = []string{"power_energy_pkg"}
	out.Col = capture.NewColumn(capture.Data{F: v})
	return out
}

// proc is what /proc and /sys say: read now and then, with counts spread over the samples in between.
func (c *recording) proc() []*capture.Counter {
	var out []*capture.Counter
	meta := func(name, title, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "cpu", Source: "procfs"}
	}
	reads := c.reads()
	times := func(name, title string, of func(v []float64, ns float64) float64) {
		whole := &capture.Counter{Meta: meta(name, title, "ns", "cpu"), Axis: c.axis}
		for cpu := range c.w.cpus {
			v := make([]float64, c.n)
			for i := range v {
				v[i] = of(c.w.rows[i][cpu*metersN:(cpu+1)*metersN], float64(c.w.b.At(i+1)-c.w.b.At(i)))
			}
			m := whole.Meta
			m.Instance = strconv.Itoa(cpu)
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: m, Axis: c.axis,
				Col: capture.NewColumn(capture.Data{U: wholeNumbers(c.spread(v, reads, 1e7, c.k.Between(0, 1e7)), c.rows)})})
		}
		out = append(out, whole)
	}
	at := func(k int) func([]float64, float64) float64 {
		return func(v []float64, _ float64) float64 { return v[k] }
	}
	zero := func([]float64, float64) float64 { return 0 }
	times("cpu_user", "CPU time in user space", at(mUser))
	times("cpu_nice", "CPU time in user space, niced", at(mNice))
	times("cpu_system", "CPU time in the kernel", at(mSystem))
	times("cpu_idle", "CPU idle time", func(v []float64, ns float64) float64 {
		return max(0, ns-v[mUser]-v[mNice]-v[mSystem]-v[mWait])
	})
	times("cpu_iowait", "CPU time idle with I/O", at(mWait))
	times("cpu_irq", "CPU time in interrupts", zero)
	times("cpu_softirq", "CPU time in soft interrupts", zero)
	times("cpu_steal", "CPU time stolen", zero)
	times("cpu_guest", "CPU time of guests", zero)

	count := func(m capture.Meta, v []float64, unit float64) {
		out = append(out, &capture.Counter{Meta: m, Axis: c.axis,
			Col: capture.NewColumn(capture.Data{U: wholeNumbers(c.spread(v, reads, unit, 0), c.rows)})})
	}
	count(meta("intr", "Interrupts", "interrupts", "scheduler"), c.series(is(mIntr), -1), 1)
	count(meta("ctxt", "Context switches", "switches", "scheduler"), c.switches(), 1)
	count(meta("processes", "Tasks started", "tasks", "scheduler"), make([]float64, c.n), 1)
	level := func(m capture.Meta, of func(levels) int) {
		m.Kind = capture.Gauge
		v := c.held(reads, func(t int64) float64 {
			l := c.w.level
			lo, hi := 0, len(l)-1
			for lo < hi {
				mid := (lo + hi + 1) / 2
				if l[mid].at <= t {
					lo = mid
				} else {
					hi = mid - 1
				}
			}
			return float64(of(l[lo]))
		})
		out = append(out, &capture.Counter{Meta: m, Axis: c.axis, Col: capture.NewColumn(capture.Data{F: v})})
	}
	level(meta("procs_running", "Runnable tasks", "tasks", "scheduler"), func(l levels) int { return l.running + l.ready + 1 })
	level(meta("procs_blocked", "Blocked tasks", "tasks", "scheduler"), func(l levels) int { return l.blocked })
	if c.k.Chance(0.8) {
		for i, name := range []string{"pressure_cpu_some", "pressure_io_some", "pressure_io_full"} {
			v := make([]float64, c.n)
			for j := range v {
				v[j] = c.w.psi[j][i]
			}
			count(meta(name, []string{"CPU pressure", "I/O pressure, some", "I/O pressure, full"}[i], "ns", "pressure"), v, 1000)
		}
		count(meta("pressure_memory_some", "Memory pressure, some", "ns", "pressure"), make([]float64, c.n), 1000)
		count(meta("pressure_memory_full", "Memory pressure, full", "ns", "pressure"), make([]float64, c.n), 1000)
	}
	return append(out, c.sensors(meta)...)
}

// switches are those of the machine: the program's and all others'.
func (c *recording) switches() []float64 { return c.series(is(mSwitches), -1) }
