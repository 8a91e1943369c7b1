package cpu

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// tick is the step of the times in /proc/stat, in ns.
const tick = 10_000_000

// table is a capture in the making.
type table struct {
	c     *programCase
	o     simulate.Options
	r     simulate.Random
	cpus  int
	axis  *capture.Axis
	cols  *simulate.Columns // one column for each processor of each counter, then the others
	at    map[string]int    // of those that there is one of
	shown []float64         // of /proc/stat, what was shown and what is
	total []float64
	late  []capture.Gap
	load1 float64
	clock []float64 // per row
	// What differs between machines and programs: switches in a ns of a processor that others make, pages that are not in
	// the table by lines from memory, and the part of accesses of the last cache that are loads.
	others, pages, loads float64
}

func newTable(c *programCase, o simulate.Options) *table {
	t := &table{c: c, o: o, r: simulate.NewRandom(c.seed, "cpu recording"), cpus: c.loads[0].m.cpus,
		axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}, at: map[string]int{}}
	t.shown, t.total = make([]float64, len(perCPU)*t.cpus), make([]float64, len(perCPU)*t.cpus)
	r := simulate.NewRandom(c.seed, "cpu machine")
	for i := range t.total { // the kernel tells whole ticks of sums that began any time ago
		t.total[i] = r.Between(0, tick)
	}
	t.others, t.pages, t.loads = r.Log(30e-9, 600e-9), r.Log(0.03, 0.6), r.Between(0.6, 0.95)
	t.cols = simulate.NewColumns(t.axis)
	for _, x := range perCPU {
		for cpu := range t.cpus {
			t.cols.Counter(capture.Meta{Name: x.name + "." + strconv.Itoa(cpu)})
		}
	}
	for _, x := range whole {
		m := capture.Meta{Name: x.name, Unit: x.unit, GPU: "cpu", Source: "procfs"}
		if x.gauge {
			t.at[x.name] = t.cols.Gauge(m)
		} else {
			t.at[x.name] = t.cols.Counter(m)
		}
	}
	return t
}

// load simulates a program and adds its samples.
func (t *table) load(w *load) error {
	period := t.c.period
	if t.o.Period > 0 {
		period = float64(t.o.Period.Nanoseconds())
	}
	late, missed := t.r.Log(1e-4, 0.02), 0.0
	if t.o.Late != 0 {
		late = max(0, t.o.Late)
	}
	if t.o.Missed != 0 {
		missed = max(0, t.o.Missed)
	}
	bounds := simulate.NewBounds(period, simulate.Jitter(t.r, period, t.r.Log(2e3, 40e3), late, missed))
	tr := newTrace(bounds, w.m.cpus)
	e := w.engine(relief{}, false, tr)
	if err := e.run(); err != nil {
		return err
	}
	start, end := took(e.done, w.warm)
	shift := int64(0)
	if n := t.axis.Len(); n > 0 {
		shift = t.axis.End[n-1]
	}
	first := bounds.Index(start)
	if bounds.At(first) < start {
		first++
	}
	origin := bounds.At(first)
	for i := first; bounds.At(i+1) <= end; i++ {
		for len(tr.rows) <= i {
			tr.rows = append(tr.rows, row{cpus: make([]core, w.m.cpus)})
		}
		a, b := bounds.At(i)-origin+shift, bounds.At(i+1)-origin+shift
		t.axis.Start, t.axis.End = append(t.axis.Start, a), append(t.axis.End, b)
		if n := bounds.Missed(i); n > 0 {
			t.late = append(t.late, capture.Gap{Start: a, End: b, Lost: uint64(n),
				Reason: capture.Reason{Code: capture.LostReports,
					Text: "the recorder was not run in time and ticks passed without a read; the sample here covers their time"}})
		}
		t.row(w, &tr.rows[i], float64(b-a))
	}
	return nil
}

// row makes one sample.
func (t *table) row(w *load, x *row, ns float64) {
	c, m := &w.p.code, &w.m
	busyAll, switches := 0.0, 0.0
	for cpu := range x.cpus {
		q := &x.cpus[cpu]
		busy := 0.0
		for _, v := range q.ns {
			busy += v
		}
		if busy > ns { // bursts are whole ns
			for i := range q.ns {
				q.ns[i] *= ns / busy
			}
			busy = ns
		}
		// The recorder and the rest of the system take a little of every processor.
		other := min(ns-busy, ns*0.004*t.r.Between(0.3, 2))
		busyAll += busy
		switches += q.switches + t.others*ns
		t.events(w, cpu, q, ns, busy, other)

		idle := ns - busy - other
		wait := 0.0
		if x.ioSome > 0 {
			wait = min(idle, x.ioSome/float64(len(x.cpus))*1.5)
		}
		kernel := busy*c.kernel + 0.5*other
		soft := 0.1 * kernel
		t.times(cpu, atCPUUser, busy+other-kernel)
		t.times(cpu, atCPUNice, 0)
		t.times(cpu, atCPUSystem, kernel-soft)
		t.times(cpu, atCPUIdle, idle-wait)
		t.times(cpu, atCPUIowait, wait)
		t.times(cpu, atCPUIrq, 0.3*soft)
		t.times(cpu, atCPUSoftirq, 0.7*soft)
		t.times(cpu, atCPUSteal, 0)
		t.times(cpu, atCPUGuest, 0)
	}
	one := func(name string, v float64) { t.cols.Add(t.at[name], v) }
	level := func(name string, v float64) { t.cols.Set(t.at[name], v) }
	one("intr", switches*0.6+float64(len(x.cpus))*ns/4e6)
	one("ctxt", switches)
	one("processes", ns/1e9*5*t.r.ExpFloat64())
	pressure := func(name string, v float64) {
		one(name, v)
		t.cols.Limit(t.at[name], uint64(ns)) // the rest of a ns before cannot pass the sample
	}
	pressure("pressure_cpu_some", min(ns, x.waitSome))
	pressure("pressure_memory_some", 0)
	pressure("pressure_memory_full", 0)
	io := min(ns, x.ioSome)
	pressure("pressure_io_some", io)
	pressure("pressure_io_full", io*max(0, 1-busyAll/ns))
	running := math.Floor(busyAll/ns + x.waitSome/ns*2 + 1.3)
	level("procs_running", running)
	level("procs_blocked", float64(x.waiting))
	t.load1 += (running + float64(x.waiting) - t.load1) * min(1, ns/60e9)
	level("load_1m", math.Floor(t.load1*100)/100)
	level("mem_total", 16<<30)
	level("mem_available", math.Floor(9e9+1e8*t.r.NormFloat64()))
	hot := 45 + 35*busyAll/ns/float64(len(x.cpus))
	if m.held == simulate.ClockThermal {
		hot = 97
	}
	level("temperature", math.Floor(hot+t.r.NormFloat64()))
	t.clock = append(t.clock, m.hz*m.share)
}

// events adds what hardware and kernel count of one processor in a sample: what the program did in busy ns, and
// something else in other ns.
func (t *table) events(w *load, cpu int, q *core, ns, busy, other float64) {
	c, m := &w.p.code, &w.m
	ghz := m.hz * m.share / 1e9
	add := func(counter int, v float64) float64 {
		at := counter*t.cpus + cpu
		t.cols.Add(at, v)
		return float64(t.cols.Last(at))
	}
	below := func(counter int, most float64) { t.cols.Limit(counter*t.cpus+cpu, uint64(most)) }

	cycles := add(atCycles, (busy+other)*ghz)
	instructions := add(atInstructions, q.ns[compute]*ghz*c.ipc+other*ghz*0.8)
	add(atRefCycles, (busy+other)*m.hz/1e9*m.base)
	branches := add(atBranches, instructions*c.branches)
	// Recovering from a wrong prediction takes some 17 cycles.
	add(atBranchMisses, q.ns[branch]*ghz/17+branches*c.miss*0.2)
	below(atBranchMisses, branches)
	add(atStalledCyclesFrontend, (q.ns[front]+0.3*q.ns[branch])*ghz*c.stall)
	below(atStalledCyclesFrontend, cycles)
	add(atStalledCyclesBackend, (q.ns[latency]+q.ns[bandwidth]+0.08*q.ns[compute])*ghz*c.stall)
	below(atStalledCyclesBackend, cycles)
	// One access after the other takes a line's time each; streams move lines as fast as memory gives them.
	lines := q.ns[latency]/m.line + q.moved*w.p.share*m.bandwidth/64
	loads := add(atL1DcacheLoads, instructions*c.loads+lines)
	references := add(atCacheReferences, lines/max(c.far, 0.02)*min(1, c.far*2+0.2)+instructions*c.loads*c.near*0.05)
	add(atCacheMisses, lines)
	below(atCacheMisses, references)
	add(atL1DcacheLoadMisses, instructions*c.loads*c.near+references*0.8)
	below(atL1DcacheLoadMisses, loads)
	llc := add(atLLCLoads, references*t.loads)
	add(atLLCLoadMisses, lines*t.loads)
	below(atLLCLoadMisses, llc)
	add(atDTLBLoads, loads)
	add(atDTLBLoadMisses, lines*t.pages)
	below(atDTLBLoadMisses, loads)
	add(atITLBLoadMisses, q.ns[front]*ghz/400)
	// Of a whole processor both clocks run all the time.
	add(atTaskClock, ns)
	add(atCPUClock, ns)
	add(atContextSwitches, q.switches+t.others*ns)
	add(atCPUMigrations, q.migrations)
	faults := busy / 1e6 * c.faults
	add(atPageFaults, faults)
	major := faults * 0.002
	add(atMinorFaults, faults-major)
	add(atMajorFaults, major)
}

// times adds time of a kind in /proc/stat, of which the kernel shows whole ticks.
func (t *table) times(cpu, counter int, ns float64) {
	at := counter*t.cpus + cpu
	t.total[at] += ns
	now := math.Floor(t.total[at]/tick) * tick
	t.cols.Add(at, now-t.shown[at])
	t.shown[at] = now
}

func (t *table) capture() (*capture.Capture, error) {
	without := slices.Clone(t.o.Without)
	for _, c := range t.o.Withheld {
		without = append(without, Counters(c)...)
	}
	m := t.c.loads[0].m
	cfg := capture.Config{Name: "simulated", Format: "recording", GPU: "cpu", Axis: t.axis, Late: t.late,
		Device:     capture.Device{Name: "simulated processor"},
		Properties: []capture.Property{{Name: "cpus_online", Number: float64(t.cpus)}}}
	for cpu := range t.cpus {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "cpu_max_freq." + strconv.Itoa(cpu),
			Number: m.hz})
	}
	flat := t.cols.Counters(nil)
	for i, x := range perCPU {
		if slices.Contains(without, x.name) {
			continue
		}
		c := &capture.Counter{Meta: capture.Meta{Name: x.name, Unit: x.unit, Block: "cpu", Kind: capture.Delta,
			GPU: "cpu", Source: x.source}, Axis: t.axis}
		for cpu := range t.cpus {
			one := flat[i*t.cpus+cpu]
			one.Meta = c.Meta
			one.Meta.Instance = strconv.Itoa(cpu)
			c.Instances = append(c.Instances, one)
		}
		cfg.Counters = append(cfg.Counters, c)
	}
	for _, c := range flat[len(perCPU)*t.cpus:] {
		if !slices.Contains(without, c.Name) {
			cfg.Counters = append(cfg.Counters, c)
		}
	}
	if !slices.Contains(without, "cpu_frequency") {
		c := &capture.Counter{Meta: capture.Meta{Name: "cpu_frequency", Unit: "Hz", Block: "cpu", Kind: capture.Gauge,
			GPU: "cpu", Source: "procfs", Combine: capture.CombineMean}, Axis: t.axis}
		for cpu := range t.cpus {
			one := &capture.Counter{Meta: c.Meta, Axis: t.axis, Col: capture.NewColumn(capture.Data{F: t.clock})}
			one.Meta.Instance = strconv.Itoa(cpu)
			c.Instances = append(c.Instances, one)
		}
		cfg.Counters = append(cfg.Counters, c)
	}
	return capture.New(cfg)
}
