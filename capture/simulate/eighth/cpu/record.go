package cpu

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// session is how somebody records.
type session struct {
	perfStat                              bool // perf stat -I, else astrolabe record
	whole                                 bool // all CPUs, else the program
	proc, pressure                        bool // /proc and /sys too; a kernel with pressure stalls
	switches                              bool // the kernel's own events, which not everyone may count
	slots, caches, pages, ref, references bool
	marks                                 bool
	period, slow                          float64 // ns between samples, and between two reads of /proc
	holes                                 int
	r                                     simulate.Random
}

// newSession draws one. What options say has precedence.
func (s *scene) newSession(o *simulate.Options, duration float64) *session {
	r := simulate.NewRandom(s.seed, "recording")
	style := r.Float64()
	x := &session{r: r, perfStat: style > 0.7, whole: style < 0.35 || style > 0.9, proc: o.Host.Of(style < 0.6), pressure: r.Chance(0.8),
		slots: r.Chance(0.65), caches: r.Chance(0.4), pages: r.Chance(0.25), ref: r.Chance(0.3), references: r.Chance(0.5),
		marks: o.Marks.Of(r.Chance(0.5)), holes: o.Gaps}
	x.switches = x.whole || r.Chance(0.75)
	periods := []float64{1e6, 2e6, 4e6, 8e6, 10e6, 16e6}
	if x.perfStat {
		periods = []float64{10e6, 20e6, 50e6, 100e6}
	}
	const least = 30.0 // samples
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
	if o.Gaps == 0 && r.Chance(0.1) {
		x.holes = 1
	}
	return x
}

// share is an option's share, what is usual where it says nothing, and none where it is negative.
func share(option, usual float64) float64 {
	if option == 0 {
		return usual
	}
	return max(0, option)
}

// record makes the capture.
func (s *scene) record(o simulate.Options) (*capture.Capture, error) {
	first := newEngine(s, simulate.Candidate{}, nil)
	if err := first.run(); err != nil {
		return nil, err
	}
	start, end := first.end[warm-1], first.end[len(first.end)-1]
	x := s.newSession(&o, end-start)
	bounds := simulate.NewBounds(x.period, simulate.Jitter(x.r, x.period, 15e3, share(o.Late, 0.004), share(o.Missed, 0.002)))
	rec := &recorder{bounds: bounds, whole: x.whole}
	if err := newEngine(s, simulate.Candidate{}, rec).run(); err != nil {
		return nil, err
	}
	run := &simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Start: int64(start), End: int64(end)}
	for k := range first.end {
		run.Frames = append(run.Frames, simulate.FrameTruth{Begin: int64(first.first[k]), Shown: int64(first.end[k])})
	}
	axis, origin, rows, gaps, late := run.Rows("CLOCK_MONOTONIC", max(0, x.holes), x.r, "the timer came late", "samples were lost")
	if len(rows) == 0 {
		return nil, fmt.Errorf("a period of %v leaves no sample of %v", time.Duration(x.period), time.Duration(end-start))
	}
	t := &table{Columns: simulate.NewColumns(axis), source: "perfevent", places: map[string][]int{}}
	if s.perf(t, x, rec, rows, share(o.Noise, 1)); x.proc {
		t.source = "procfs"
		s.proc(t, x, rec, rows)
	}
	without := telling.Left(&o, tells)
	cfg := capture.Config{Name: Name + "-" + strconv.FormatUint(s.seed, 10), Format: "arrow", GPU: "cpu", Axis: axis, Gaps: gaps, Late: late,
		Device:   capture.Device{Name: s.m.name, Vendor: s.m.vendor, Driver: "Linux 6.12"},
		Counters: t.counters(func(name string) bool { return !slices.Contains(without, name) })}
	if x.perfStat {
		cfg.Format = "perfstat"
	}
	if x.proc || !x.perfStat { // perf stat does not describe the machine
		s.properties(&cfg)
	}
	if x.marks {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

func (s *scene) properties(cfg *capture.Config) {
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("cpus_online", float64(len(s.m.cpus)))
	add("cpu_clusters", float64(len(s.m.classes)))
	for i, c := range s.m.cpus {
		if add(fmt.Sprintf("cpu_cluster.%d", i), float64(c.class)); s.m.pmu != pmuNone {
			add(fmt.Sprintf("cpu_max_freq.%d", i), s.m.classes[c.class].highest*1e9)
		}
	}
}

// tells are the counters that tell of each candidate.
var tells = func() map[simulate.Candidate][]string {
	out := maps.Clone(telling.CPU)
	out[cpuFaults] = []string{"page_faults", "minor_faults"}
	out[cpuOthers] = []string{"cpu_steal", "cpu_nice", "procs_running", "pressure_cpu_some"}
	out[simulate.ClockGovernor] = []string{"cpu_frequency"}
	return out
}()
