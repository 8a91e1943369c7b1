package intel

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// jiffy is the step in which the kernel counts the time of processors, in ns, and readEvery how often it is read.
const (
	jiffy     = 10e6
	readEvery = 200e6
)

// load is how long a processor did what in a reading.
type load struct{ user, system float64 }

// host adds what the kernel tells of the processors. It is read every 200 ms and spread evenly over the samples.
func (s *spec) host(cfg *capture.Config, rounds []*round, rows []row, o *simulate.Options) {
	r := simulate.NewRandom(s.seed, "host")
	m := s.machine
	cpus := m.cpus
	names := simulate.Numbers(cpus)
	app, drive := r.IntN(cpus), r.IntN(cpus)
	noise := make([]float64, cpus)
	for i := range noise {
		noise[i] = r.Log(0.004, 0.08)
	}
	kinds := []string{"cpu_user", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_nice", "cpu_steal"}
	values := map[string][][]uint64{}
	for _, k := range kinds {
		values[k] = make([][]uint64, cpus)
		for c := range cpus {
			values[k][c] = make([]uint64, len(rows))
		}
	}
	switches := make([]uint64, len(rows))
	heat := make([]float64, len(rows))
	clock := make([]float64, len(rows))
	hot := r.Between(52, 74)
	if s.clocking.ceiling > 0 && s.clocking.by == thermal {
		hot = r.Between(95, 100)
	}
	carry := make([]float64, 2*cpus) // of a tick, at any place of which the kernel's sums are
	for i := range carry {
		carry[i] = r.Float64()
	}
	for from := 0; from < len(rows); {
		first := cfg.Axis.Start[from]
		to := from
		for to < len(rows) && rows[to].round == rows[from].round && cfg.Axis.Start[to]-first < readEvery {
			to++
		}
		n := rounds[rows[from].round]
		a, b := float64(first-n.shift), float64(cfg.Axis.End[to-1]-n.shift)
		frames := 0.0
		loads := make([]load, cpus)
		for _, w := range n.rec.cpu {
			x := max(0, min(b, w.start+w.app)-max(a, w.start))
			y := max(0, min(b, w.start+w.app+w.driver)-max(a, w.start+w.app))
			loads[app].user, loads[app].system = loads[app].user+0.93*x, loads[app].system+0.07*x
			loads[drive].user, loads[drive].system = loads[drive].user+0.6*y, loads[drive].system+0.4*y
			if x+y > 0 {
				frames++
			}
		}
		for c := range loads {
			l := &loads[c]
			l.user, l.system = min(0.96*(b-a), l.user+noise[c]*(b-a)*r.Between(0.5, 1.5)), l.system+0.3*noise[c]*(b-a)
			used := 0.0
			for i, v := range []*float64{&l.user, &l.system} {
				x := *v/jiffy + carry[2*c+i]
				whole := math.Floor(max(0, min(x, (b-a-used)/jiffy)))
				carry[2*c+i] = x - whole
				*v = whole * jiffy
				used += *v
			}
			for i := from; i < to; i++ {
				part := float64(cfg.Axis.End[i]-cfg.Axis.Start[i]) / (b - a)
				user, system := uint64(l.user*part), uint64(l.system*part)
				values["cpu_user"][c][i], values["cpu_system"][c][i] = user, system
				values["cpu_idle"][c][i] = uint64(max(0, cfg.Axis.End[i]-cfg.Axis.Start[i]-int64(user+system)))
			}
		}
		perFrame := r.Between(14, 40)
		for i := from; i < to; i++ {
			part := float64(cfg.Axis.End[i]-cfg.Axis.Start[i]) / (b - a)
			switches[i] = uint64((frames*perFrame + 300*(b-a)/1e9*float64(cpus)) * part)
			heat[i] = math.Round(hot+r.Between(-1, 1)) + 0
			clock[i] = math.Round(m.cpuClock*r.Between(0.78, 0.98)/1e5) * 1e5
		}
		from = to
	}
	var counters []*capture.Counter
	meta := func(name, unit, block string, kind capture.Kind) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Block: block, Kind: kind, Source: "procfs"}
	}
	for _, k := range kinds {
		whole := &capture.Counter{Meta: meta(k, "ns", "cpu", capture.Delta), Axis: cfg.Axis}
		for c, id := range names {
			one := meta(k, "ns", "cpu", capture.Delta)
			one.Instance = id
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: one, Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{U: values[k][c]})})
		}
		counters = append(counters, whole)
	}
	counters = append(counters,
		&capture.Counter{Meta: meta("ctxt", "switches", "scheduler", capture.Delta), Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{U: switches})},
		&capture.Counter{Meta: meta("cpu_frequency", "Hz", "cpu", capture.Gauge), Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: clock})},
		&capture.Counter{Meta: meta("temperature", "celsius", "thermal", capture.Gauge), Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: heat})})
	gone := slices.Clone(o.Without)
	for c, list := range map[simulate.Candidate][]string{simulate.CPUApp: {"cpu_user"}, simulate.CPUDriver: {"cpu_system"},
		simulate.CPUSync: {"ctxt"}, simulate.ClockThermal: {"temperature"}} {
		if slices.Contains(o.Withheld, c) {
			gone = append(gone, list...)
		}
	}
	for _, c := range counters {
		if !slices.Contains(gone, c.Name) {
			cfg.Counters = append(cfg.Counters, c)
		}
	}
	cfg.Properties = append(cfg.Properties, capture.Property{Name: "cpus_online", Number: float64(cpus)},
		capture.Property{Name: "procfs_period", Text: "200ms: the counters of procfs are read this often, and spread evenly over the samples", IsText: true})
}
