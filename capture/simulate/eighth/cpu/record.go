package cpu

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// session is how somebody records.
type session struct {
	perfStat                  bool // perf stat -I, else astrolabe record
	whole                     bool // all CPUs, else the program
	proc                      bool // /proc and /sys too
	switches                  bool // the kernel's own events, which not everyone may count
	slots, caches, pages, ref bool
	marks                     bool
	period                    float64 // ns
	slow                      float64 // ns between two reads of /proc
	holes                     int
	r                         simulate.Random
}

// newSession draws one. What options say has precedence.
func (s *scene) newSession(o *simulate.Options, duration float64) *session {
	r := simulate.NewRandom(s.seed, "recording")
	x := &session{r: r}
	switch style := r.Float64(); {
	case style < 0.35:
		x.whole, x.proc = true, true
	case style < 0.6:
		x.proc = true
	case style < 0.7:
	case style < 0.9:
		x.perfStat = true
	default:
		x.perfStat, x.whole = true, true
	}
	x.proc = o.Host.Of(x.proc)
	x.switches = x.whole || r.Chance(0.75)
	x.slots, x.caches, x.pages, x.ref = r.Chance(0.65), r.Chance(0.4), r.Chance(0.25), r.Chance(0.3)
	x.marks = o.Marks.Of(r.Chance(0.5))
	periods := []float64{1e6, 2e6, 4e6, 8e6, 10e6, 16e6}
	if x.perfStat {
		periods = []float64{10e6, 20e6, 50e6, 100e6}
	}
	least := 30.0
	periods = slices.DeleteFunc(periods, func(p float64) bool { return duration/p < least || duration/p > 800 })
	if x.period = max(1e6, min(10e6, duration/least)); len(periods) > 0 {
		x.period = simulate.Pick(r, periods...)
	}
	if o.Period > 0 {
		x.period = float64(o.Period)
	}
	if x.slow = max(x.period, 200e6); x.period >= 8e6 && r.Chance(0.5) {
		x.slow = x.period
	}
	if x.holes = o.Gaps; o.Gaps == 0 && r.Chance(0.1) {
		x.holes = 1
	}
	return x
}

// share is an option's share, what is usual where it says nothing, and none where it is negative.
func share(option, usual float64) float64 {
	switch {
	case option < 0:
		return 0
	case option > 0:
		return option
	}
	return usual
}

// record makes the capture.
func (s *scene) record(o simulate.Options) (*capture.Capture, error) {
	first := newEngine(s, simulate.Candidate{}, nil)
	if err := first.run(); err != nil {
		return nil, err
	}
	start, end := first.frameEnd[warm-1], first.frameEnd[s.frames()-1]
	x := s.newSession(&o, end-start)
	bounds := simulate.NewBounds(x.period, simulate.Jitter(x.r, x.period, 15e3, share(o.Late, 0.004), share(o.Missed, 0.002)))
	rec := &recorder{bounds: bounds, whole: x.whole}
	e := newEngine(s, simulate.Candidate{}, rec)
	if err := e.run(); err != nil {
		return nil, err
	}
	run := &simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Start: int64(start), End: int64(end)}
	for k := range e.frameEnd {
		run.Frames = append(run.Frames, simulate.FrameTruth{Begin: int64(e.first[k]), Shown: int64(e.frameEnd[k])})
	}
	axis, origin, rows, gaps, late := run.Rows("CLOCK_MONOTONIC", x.holes, x.r, "the timer came late", "samples were lost")
	if len(rows) == 0 {
		return nil, fmt.Errorf("%v is no shorter than the program's %v", time.Duration(x.period), time.Duration(end-start))
	}
	cfg := capture.Config{Name: Name + "-" + strconv.FormatUint(s.seed, 10), Format: "arrow", GPU: "cpu", Axis: axis, Gaps: gaps, Late: late,
		Device: capture.Device{Name: s.m.model, Vendor: s.m.vendor, Driver: "Linux 6.12"}}
	if x.perfStat {
		cfg.Format = "perfstat"
	}
	s.properties(&cfg, x)
	without := telling.Left(&o, tells)
	cfg.Counters = s.counters(x, rec, axis, rows, share(o.Noise, 1), func(name string) bool { return !slices.Contains(without, name) })
	if x.marks {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

// properties are what recorders say of a machine.
func (s *scene) properties(cfg *capture.Config, x *session) {
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	if x.perfStat && !x.proc {
		return // perf stat does not say
	}
	add("cpus_online", float64(len(s.m.cpus)))
	add("cpu_clusters", float64(len(s.m.classes)))
	for i, c := range s.m.cpus {
		add(fmt.Sprintf("cpu_cluster.%d", i), float64(c.cluster))
	}
	if s.m.pmu == pmuNone {
		return
	}
	for i, c := range s.m.cpus {
		add(fmt.Sprintf("cpu_max_freq.%d", i), s.m.classes[c.class].highest*1e9)
	}
}

// tells are the counters that tell of each candidate.
var tells = func() map[simulate.Candidate][]string {
	out := map[simulate.Candidate][]string{cpuFaults: {"page_faults", "minor_faults"}, cpuOthers: {"cpu_steal", "cpu_nice",
		"procs_running", "pressure_cpu_some", "load_1m"}, simulate.ClockGovernor: {"cpu_frequency"}}
	for c, names := range telling.CPU {
		out[c] = names
	}
	return out
}()
