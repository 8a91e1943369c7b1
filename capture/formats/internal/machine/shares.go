package machine

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Programs that watch a machine write how its CPUs spent each sample as shares of the time that add up to 100, under short names. Their headers say
// what these are: no other table has all of them.

// share is a metric of the processors' catalogue that is a sum of such columns, each by any of its names.
type share struct {
	metric string
	of     [][]string
}

var (
	idle, waiting = []string{"%idle", "id"}, []string{"%iowait", "wa"}
	nice, stolen  = []string{"%nice", "ni"}, []string{"%steal", "st"}
	guest, gnice  = []string{"%guest", "gu"}, []string{"%gnice"}
	irq, soft     = []string{"%irq"}, []string{"%soft"}
	user          = []string{"%user", "%usr", "us"}
	system        = []string{"%system", "%sys", "sy"}
	spelled       = map[string]string{"%user": "CPU user", "%nice": "CPU nice", "%system": "CPU system", "%irq": "CPU irq", "%soft": "CPU softirq",
		"%steal": "CPU steal", "%iowait": "CPU iowait", "%idle": "CPU idle", "%guest": "CPU guest"} // where the unit says that it is a share
)

var shares = []share{
	{"cpu_activity_user", [][]string{user, nice, guest, gnice}},
	{"cpu_activity_system", [][]string{system, irq, soft}},
	{"interrupt_time", [][]string{irq, soft}},
	{"io_wait", [][]string{waiting}},
	{"stolen_time", [][]string{stolen}},
	{"idle_time", [][]string{idle}},
}

// busyTime is the metric of what idle and waiting CPUs leave.
const busyTime = "cpu_utilization"

// mostWhole is how far the shares of a row may be off 100: each may be rounded to a whole one.
const mostWhole = 4.0

// find is the column of any of the names, nil if there is none.
func find(cfg *capture.Config, names []string) *capture.Counter {
	for _, name := range names {
		is := func(c *capture.Counter) bool {
			return (c.Col != nil || len(c.Instances) > 0) &&
				(c.Name == name || (c.Unit == "percent" || c.Unit == "%") && c.Name == spelled[name])
		}
		if i := slices.IndexFunc(cfg.Counters, is); i >= 0 {
			return cfg.Counters[i]
		}
	}
	return nil
}

// Shares makes metrics of the processors of the shares that such programs write, and reports whether the table has them.
func Shares(cfg *capture.Config) bool {
	u, i := find(cfg, user), find(cfg, idle)
	if u == nil || find(cfg, system) == nil || i == nil || cfg.Axis.Len() == 0 {
		return false
	}
	taken := map[*capture.Counter]bool{}
	for _, s := range shares {
		for _, names := range s.of {
			if c := find(cfg, names); c != nil {
				taken[c] = true
				if c.Col == nil {
					c.Combine = capture.CombineMean // a column for each CPU, "%user[3]": each is a share of that one's time
				}
			}
		}
	}
	if u.Name == spelled[user[0]] && 2*len(taken) <= len(cfg.Counters) && !ofEvents(cfg, len(taken)) {
		return false // a table of something else, such as a GPU, with the loads of processors beside
	}
	for row := range cfg.Axis.Len() {
		whole := 0.0
		for c := range taken {
			whole += c.Value(row).F
		}
		if math.Abs(whole-100) > mostWhole && !missingAt(taken, row) { // a row without a value is none to judge by
			return false
		}
	}
	out := metricsOf(cfg, func(c *capture.Counter) *capture.Counter { return c })
	for _, one := range i.Instances {
		for k, m := range metricsOf(cfg, instance(one.Meta.Instance)) {
			m.Name, m.Meta.Instance = out[k].Name+"["+one.Meta.Instance+"]", one.Meta.Instance
			out[k].Instances = append(out[k].Instances, m)
			out[k].Combine = capture.CombineMean
		}
	}
	for _, c := range cfg.Counters {
		if !taken[c] {
			out = append(out, c)
		}
	}
	cfg.Counters = out
	return true
}

// ofEvents reports whether a table with that many shares is one of perf's events of a program, with the loads of processors beside: most of its columns are
// events that the processors' catalogue has, and the clock of the program, which no GPU counts, is among them.
func ofEvents(cfg *capture.Config, shares int) bool {
	catalogue, err := metrics.Get("cpu")
	if err != nil {
		return false
	}
	known, clock := shares, false
	for _, c := range cfg.Counters {
		if e, err := catalogue.Find(c.Name); err == nil && !e.IsMetric() {
			known, clock = known+1, clock || e.Name == "task_clock"
		}
	}
	return clock && 2*known > len(cfg.Counters)
}

func missingAt(of map[*capture.Counter]bool, row int) bool {
	for c := range of {
		var one [1]float64
		if c.ReadFloats(one[:], row); math.IsNaN(one[0]) {
			return true
		}
	}
	return false
}

// instance picks that instance of a counter.
func instance(name string) func(*capture.Counter) *capture.Counter {
	return func(c *capture.Counter) *capture.Counter {
		at := slices.IndexFunc(c.Instances, func(in *capture.Counter) bool { return in.Meta.Instance == name })
		if at < 0 {
			return nil
		}
		return c.Instances[at]
	}
}

// metricsOf are the metrics of the columns, or of an instance of each, the utilization first.
func metricsOf(cfg *capture.Config, pick func(*capture.Counter) *capture.Counter) []*capture.Counter {
	busy := make([]float64, cfg.Axis.Len())
	for i := range busy {
		busy[i] = 100
	}
	out := []*capture.Counter{level(cfg.Axis, busyTime, "percent", busy)}
	for _, s := range shares {
		sum := sumOf(cfg, s, pick)
		if sum == nil {
			continue
		}
		out = append(out, level(cfg.Axis, s.metric, "percent", sum))
		if s.metric == "idle_time" || s.metric == "io_wait" {
			for i, v := range sum {
				busy[i] -= v
			}
		}
	}
	for i, v := range busy {
		if v < 0 { // rounded
			busy[i] = 0
		}
	}
	return out
}

// sumOf adds up the columns of a share, nil where the table has none of them.
func sumOf(cfg *capture.Config, s share, pick func(*capture.Counter) *capture.Counter) []float64 {
	var sum []float64
	for _, names := range s.of {
		c := find(cfg, names)
		if c == nil {
			continue
		}
		if sum == nil {
			sum = make([]float64, cfg.Axis.Len())
		}
		c = pick(c)
		for i := range sum {
			one := [1]float64{math.NaN()}
			if c != nil {
				c.ReadFloats(one[:], i)
			}
			sum[i] += one[0]
		}
	}
	return sum
}

// level is a measured level.
func level(a *capture.Axis, name, unit string, values []float64) *capture.Counter {
	return &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit, Kind: capture.Gauge}, Axis: a, Col: capture.NewColumn(capture.Data{F: values})}
}
