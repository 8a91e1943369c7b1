package cpu

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// setup is what a recorder measures, and how.
type setup struct {
	period    float64 // ns
	program   bool    // perf events of the program's tasks, not of whole CPUs
	userOnly  bool
	counters  bool // there are hardware counters
	slots     bool // events of slots, where the core has them
	stalls    bool // stalled cycles, where it has them
	reference bool
	caches    bool // events of each cache
	files     bool // /proc and /sys beside the events
	pressure  bool
	frequency bool
	heat      bool
	levels    bool // load and memory
	marks     bool
	room      int // counters that are free on each core
}

// newSetup draws a recorder; r is the same for all recordings of a case.
func (l *load) newSetup(r simulate.Random, o *simulate.Options) setup {
	shortest := slices.Min(l.length)
	s := setup{period: simulate.Pick(r, 10e6, 20e6, 50e6, 100e6)}
	for s.period > 10e6 && float64(shortest)/s.period < 35 {
		s.period /= 2
	}
	if o.Period > 0 {
		s.period = float64(o.Period)
	}
	s.program = r.Chance(0.4)
	s.userOnly = s.program && r.Chance(0.25)
	s.counters = r.Chance(0.95)
	if l.m.guest {
		s.counters = r.Chance(0.55)
	}
	s.slots, s.stalls, s.reference, s.caches = r.Chance(0.7), r.Chance(0.75), r.Chance(0.3), r.Chance(0.35)
	s.files = !s.program || r.Chance(0.85)
	s.pressure = l.m.pressure
	s.frequency = !l.m.guest && r.Chance(0.88)
	s.heat = !l.m.guest && r.Chance(0.75)
	s.levels = r.Chance(0.7)
	s.marks = o.Marks.Of(r.Chance(0.12))
	s.room = 6
	switch l.m.clusters[0].core.events {
	case intelMetrics:
		s.room = 8
		if l.m.sites[0].sibling < 0 && r.Chance(0.3) {
			s.room = 7 // the watchdog takes one
		}
	case intelSlots:
		s.room = simulate.Pick(r, 4, 3, 8)
	}
	return s
}

// telltales are the counters that tell most directly of a candidate, beyond those that all models withhold.
var telltales = map[simulate.Candidate][]string{
	unitCore:                 {"topdown_retiring", "topdown_be_bound", "amd_ops_retired", "topdown_slots_retired", "instructions"},
	unitBranch:               {"branch_misses", "topdown_bad_spec", "topdown_recovery_bubbles"},
	unitFront:                {"topdown_fe_bound", "amd_slots_without_ops", "topdown_fetch_bubbles", "stalled_cycles_frontend", "L1_icache_load_misses", "iTLB_load_misses"},
	simulate.MemoryLatency:   {"cache_misses", "topdown_mem_bound", "amd_cycles_of_loads", "LLC_load_misses", "dTLB_load_misses", "L1_dcache_load_misses"},
	simulate.MemoryBandwidth: {"cache_misses", "topdown_mem_bound", "LLC_load_misses"},
	cpuLock:                  {"context_switches", "ctxt"},
	cpuIO:                    {"cpu_iowait", "pressure_io_some", "pressure_io_full", "pressure_memory_some", "pressure_memory_full", "procs_blocked", "major_faults"},
	simulate.QueuesInTurn:    {"context_switches", "ctxt"},
	simulate.ClockThermal:    {"temperature", "cpu_frequency"},
	simulate.ClockPower:      {"cpu_frequency"},
	simulate.ClockGovernor:   {"cpu_frequency"},
}

// record simulates a load with a recorder and makes the capture.
func (l *load) record(o *simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(l.seed, "recorder")
	set := l.newSetup(r, o)
	noise := simulate.NewRandom(l.seed, "noise")
	share := func(given, usual float64) float64 {
		if given < 0 {
			return 0
		}
		if given > 0 {
			return given
		}
		return usual
	}
	late, missed := share(o.Late, r.Log(0.001, 0.02)), share(o.Missed, r.Log(0.0005, 0.008))
	jitter := simulate.Jitter(noise, set.period, r.Log(8e3, 90e3), late, missed)
	if o.Late < 0 {
		jitter = nil
	}
	rec := newRecorder(l.m, simulate.NewBounds(set.period, jitter), set.userOnly, float64(len(l.m.sites))*r.Between(0, 0.9))
	s, err := l.base(rec)
	if err != nil {
		return nil, err
	}
	first := max(1, len(rec.rows)/25) // what starts up is not recorded
	w := newWriter(l, s, rec, &set, first, o.Gaps, simulate.NewRandom(l.seed, "writer"))
	w.events()
	if set.files {
		w.files()
	}
	without := append(telling.Left(o, telling.CPU), telling.Left(o, telltales)...)
	cfg := capture.Config{Name: fmt.Sprintf("%s-%d.sim", Name, l.seed), Format: "simulate", GPU: "cpu", Axis: w.axis,
		Device: capture.Device{Name: l.m.model, Vendor: l.m.vendor, Driver: "Linux " + l.m.kernel}, Gaps: w.gaps, Late: w.late}
	for _, c := range w.out {
		if !slices.Contains(without, c.Name) {
			cfg.Counters = append(cfg.Counters, c)
		}
	}
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("cpus_online", float64(len(l.m.sites)))
	add("cpu_clusters", float64(len(l.m.clusters)))
	for i, site := range l.m.sites {
		add(fmt.Sprintf("cpu_cluster.%d", i), float64(site.cluster))
		if !l.m.guest {
			add(fmt.Sprintf("cpu_max_freq.%d", i), l.m.coreOf(i).hz)
		}
	}
	if set.marks {
		w.mark(&cfg)
	}
	return capture.New(cfg)
}

// writer makes counters of what was recorded.
type writer struct {
	l     *load
	s     *sim
	set   *setup
	noise simulate.Random
	rows  []row
	axis  *capture.Axis
	from  int64
	gaps  []capture.Gap
	late  []capture.Gap
	out   []*capture.Counter
}

func newWriter(l *load, s *sim, rec *recorder, set *setup, first, holes int, r simulate.Random) *writer {
	w := &writer{l: l, s: s, set: set, noise: r, axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}, from: rec.bounds.At(first)}
	n := len(rec.rows)
	skip := map[int]int{}
	for range holes {
		at := first + 1 + r.IntN(max(1, n-first-3))
		skip[at] = min(n-1, at+1+int(r.ExpFloat64()*float64(n-first)/40))
	}
	for i := first; i < n; i++ {
		if until := skip[i]; until > i {
			w.gaps = append(w.gaps, capture.Gap{Start: rec.bounds.At(i) - w.from, End: rec.bounds.At(until) - w.from,
				Lost: uint64(until - i), Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder lost samples"}})
			i = until - 1
			continue
		}
		start, end := rec.bounds.At(i)-w.from, rec.bounds.At(i+1)-w.from
		w.axis.Start, w.axis.End, w.rows = append(w.axis.Start, start), append(w.axis.End, end), append(w.rows, rec.rows[i])
		if k := rec.bounds.Missed(i); k > 0 {
			w.late = append(w.late, capture.Gap{Start: start, End: end, Lost: uint64(k),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder came late: this sample covers missed ticks"}})
		}
	}
	return w
}

// mark adds a region for each unit of work, and the number of the one that each sample's middle lies in.
func (w *writer) mark(cfg *capture.Config) {
	_, end := w.axis.Extent()
	codes := make([]int32, w.axis.Len())
	var dict []string
	k := 0
	for i := range codes {
		codes[i] = -1
		middle := w.from + (w.axis.Start[i]+w.axis.End[i])/2
		for k < len(w.s.done) && w.s.done[k].t <= middle {
			k++
		}
		name := strconv.Itoa(k)
		if len(dict) == 0 || dict[len(dict)-1] != name {
			dict = append(dict, name)
		}
		codes[i] = int32(len(dict) - 1)
	}
	cfg.Labels = append(cfg.Labels, &capture.Label{Name: "frame", Codes: codes, Dict: dict})
	for i := 1; i < len(w.s.done); i++ {
		from, to := w.s.done[i-1].t-w.from, w.s.done[i].t-w.from
		if to > 0 && from < end && to > from {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from), End: min(end, to)})
		}
	}
}

// whole adds a counter without instances.
func (w *writer) whole(m capture.Meta, value func(i int, r *row) float64) {
	m.GPU = "cpu"
	w.out = append(w.out, w.column(m, value))
}

func (w *writer) column(m capture.Meta, value func(i int, r *row) float64) *capture.Counter {
	out := &capture.Counter{Meta: m, Axis: w.axis}
	if m.Kind == capture.Gauge {
		list := make([]float64, len(w.rows))
		for i := range w.rows {
			list[i] = value(i, &w.rows[i])
		}
		out.Col = capture.NewColumn(capture.Data{F: list})
		return out
	}
	list := make([]uint64, len(w.rows))
	for i := range w.rows {
		list[i] = uint64(math.Floor(max(0, value(i, &w.rows[i])) + 1e-6))
	}
	out.Col = capture.NewColumn(capture.Data{U: list})
	return out
}

// each adds a counter with an instance per CPU.
func (w *writer) each(m capture.Meta, value func(i, cpu int, r *row) float64, turn func(cpu int) string) {
	m.GPU = "cpu"
	out := &capture.Counter{Meta: m, Axis: w.axis}
	for cpu := range w.l.m.sites {
		one := m
		one.Instance = strconv.Itoa(cpu)
		if turn != nil {
			one.TurnOf = turn(cpu)
		}
		out.AddInstance(w.column(one, func(i int, r *row) float64 { return value(i, cpu, r) }))
	}
	w.out = append(w.out, out)
}
