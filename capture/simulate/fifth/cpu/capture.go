package cpu

import (
	"fmt"
	"math"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recorder is how a case is recorded where the options leave it open.
type recorder struct {
	program  bool // events of the program, else of every CPU
	period   float64
	marks    bool
	late     float64
	missed   float64
	caches   bool // the events of caches too
	stalls   bool
	pressure bool
	sensors  bool
	memory   bool // whether the topdown events tell memory
	power    bool // a sensor of power
	turns    bool // more events than counters
	phases   []float64
}

// groups is how many groups of events take turns.
func (k *recorder) groups(m *machine) int {
	switch {
	case !k.turns || !k.caches || m.maker == virtual:
		return 1
	case m.maker == amdZen && k.stalls:
		return 3
	}
	return 2
}

func drawRecorder(r simulate.Random, m *machine) recorder {
	k := recorder{program: r.Chance(0.4), marks: r.Chance(0.5), caches: r.Chance(0.6), stalls: r.Chance(0.9),
		pressure: r.Chance(0.85), sensors: r.Chance(0.85), memory: r.Chance(0.6), turns: r.Chance(0.35)}
	k.period = simulate.Pick(r, 1e6, 2e6, 4e6, 5e6, 8e6, 10e6, 16e6)
	k.power = r.Chance(map[bool]float64{true: 0.75, false: 0.3}[m.maker == armCores])
	k.late, k.missed = r.Log(0.001, 0.05), r.Log(0.0005, 0.02)
	for range len(m.cpus) * states {
		k.phases = append(k.phases, r.Float64())
	}
	return k
}

func share(option, drawn float64) float64 {
	switch {
	case option < 0:
		return 0
	case option > 0:
		return option
	}
	return drawn
}

// record makes the capture of a scenario.
func (c *scenario) record(name string, k *recorder, seed uint64, o simulate.Options) (*capture.Capture, error) {
	period := k.period
	if o.Period > 0 {
		period = float64(o.Period)
	}
	r := simulate.NewRandom(seed, "fifth cpu recorder")
	bounds := simulate.NewBounds(period, simulate.Jitter(r, period, 30e3, share(o.Late, k.late), share(o.Missed, k.missed)))
	rec := newRecording(c.m, bounds, r, k)
	s := &sim{}
	s.reset(c.m, c.p, relief{}, false, rec)
	if err := s.run(); err != nil {
		return nil, err
	}
	first := bounds.Index(s.done[c.p.warm-1].at) + 1
	last := rec.at // which is not whole
	if last-first < 2 {
		return nil, fmt.Errorf("%s: a period of %.0f ms leaves no samples", name, period/1e6)
	}
	cfg := capture.Config{Name: name, Format: "perfevent+procfs", GPU: "cpu",
		Device: capture.Device{Name: c.m.name, Vendor: [...]string{"GenuineIntel", "GenuineIntel", "AuthenticAMD", "", ""}[c.m.maker],
			Driver: "Linux"}}
	axis := &capture.Axis{Clock: "monotonic"}
	cfg.Axis = axis
	origin := bounds.At(first)
	skip := map[int]int{}
	for range o.Gaps {
		at := first + 1 + r.IntN(max(1, last-first-2))
		skip[at] = min(last-1, at+1+int(r.ExpFloat64()*float64(last-first)/40))
	}
	var rows []int
	for i := first; i < last; i++ {
		if until := skip[i]; until > i {
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: bounds.At(i) - origin, End: bounds.At(until) - origin,
				Lost: uint64(until - i), Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder's buffer was full"}})
			i = until - 1
			continue
		}
		axis.Start, axis.End = append(axis.Start, bounds.At(i)-origin), append(axis.End, bounds.At(i+1)-origin)
		rows = append(rows, i)
		if n := bounds.Missed(i); n > 0 {
			cfg.Late = append(cfg.Late, capture.Gap{Start: bounds.At(i) - origin, End: bounds.At(i+1) - origin, Lost: uint64(n),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder was not run in time"}})
		}
	}
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("cpus_online", float64(len(c.m.cpus)))
	add("cpu_clusters", float64(len(c.m.types)))
	for i, t := range c.m.cpus {
		add("cpu_cluster."+strconv.Itoa(i), math.Abs(float64(t-c.m.cpus[0])))
	}
	if c.m.maker != virtual {
		for i, t := range c.m.cpus {
			add("cpu_max_freq."+strconv.Itoa(i), math.Round(c.m.types[t].highest*1e6)*1e3)
		}
	}
	t := &tables{c: c, s: s, rec: rec, k: k, axis: axis, rows: rows, r: r, left: telling.Left(&o, telling.CPU)}
	t.unrest()
	t.perf()
	t.proc()
	cfg.Counters = t.out
	if o.Marks.Of(k.marks) {
		mark(&cfg, s, origin)
	}
	return capture.New(cfg)
}

// mark adds frames as the program marks them: from each mark at a frame's begin to the next. Of very many small frames it
// marks every so many.
func mark(cfg *capture.Config, s *sim, origin int64) {
	const most = 500
	var begun []int64
	for i := 0; i < len(s.begun); i += len(s.begun)/most + 1 {
		begun = append(begun, s.begun[i])
	}
	label := &capture.Label{Name: "frame", Codes: make([]int32, cfg.Axis.Len())}
	k, code := -1, int32(-1)
	for i := range label.Codes {
		middle := origin + (cfg.Axis.Start[i]+cfg.Axis.End[i])/2
		for k+1 < len(begun) && begun[k+1] <= middle {
			k++
			code = -1
		}
		if k >= 0 && code < 0 {
			label.Dict = append(label.Dict, strconv.Itoa(k))
			code = int32(len(label.Dict) - 1)
		}
		label.Codes[i] = code
	}
	cfg.Labels = append(cfg.Labels, label)
	_, end := cfg.Axis.Extent()
	for i, at := range begun {
		until := end
		if i+1 < len(begun) {
			until = begun[i+1] - origin
		}
		if from := at - origin; until > 0 && from < end && until > from {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from),
				End: min(end, until)})
		}
	}
}
