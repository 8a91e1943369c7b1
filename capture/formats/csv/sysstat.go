package csv

import (
	"math"
	"slices"

	"astrolabe/capture"
)

// Programs that watch a machine (vmstat; sar, sadf and mpstat of sysstat) write how its CPUs spent each sample as shares of the time that add up to
// 100, under short names. Their headers say what these are: no other table has all of them.

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

// counts are what vmstat has beside them, by the processors' catalogue: rates in each second, and tasks.
var counts = []struct{ column, counter, unit string }{
	{"cs", "ctxt", "switches/s"},
	{"in", "intr", "interrupts/s"},
	{"b", "procs_blocked", "tasks"},
}

// mostWhole is how far the shares of a row may be off 100: each may be rounded to a whole one.
const mostWhole = 4.0

// ofWatchers makes metrics of the processors of the shares that such programs write, and reports whether the table has them.
func ofWatchers(cfg *capture.Config) bool {
	find := func(names []string) *capture.Counter {
		for _, name := range names {
			is := func(c *capture.Counter) bool {
				return c.Col != nil && (c.Name == name || (c.Unit == "percent" || c.Unit == "%") && c.Name == spelled[name])
			}
			if i := slices.IndexFunc(cfg.Counters, is); i >= 0 {
				return cfg.Counters[i]
			}
		}
		return nil
	}
	if find(user) == nil || find(system) == nil || find(idle) == nil || cfg.Axis.Len() == 0 {
		return false
	}
	taken, sums, whole := map[*capture.Counter]bool{}, map[string][]float64{}, make([]float64, cfg.Axis.Len())
	for _, s := range shares {
		var sum []float64
		for _, names := range s.of {
			c := find(names)
			if c == nil {
				continue
			}
			if sum == nil {
				sum = make([]float64, len(whole))
			}
			d := c.Col.Data()
			for i := range sum {
				v := math.NaN()
				if !d.Missing(i) {
					v = d.Float(i)
				}
				sum[i] += v
				if !taken[c] {
					whole[i] += v
				}
			}
			taken[c] = true
		}
		sums[s.metric] = sum
	}
	if c := find(user); c.Name == spelled[user[0]] && 2*len(taken) <= len(cfg.Counters) {
		return false // a table of something else, such as a GPU, with the loads of processors beside
	}
	for _, w := range whole {
		if math.Abs(w-100) > mostWhole { // a row without a value is none to judge by
			return false
		}
	}
	busy := make([]float64, len(whole))
	for i := range busy {
		busy[i] = 100 - sums["idle_time"][i]
		if sums["io_wait"] != nil {
			busy[i] -= sums["io_wait"][i]
		}
		busy[i] = max(0, busy[i])
	}
	sums["cpu_utilization"] = busy
	level := func(name string, values []float64) *capture.Counter {
		return &capture.Counter{Meta: capture.Meta{Name: name, Unit: "percent", Kind: capture.Gauge}, Axis: cfg.Axis,
			Col: capture.NewColumn(capture.Data{F: values})}
	}
	out := []*capture.Counter{level("cpu_utilization", busy)}
	for _, s := range shares {
		if sums[s.metric] != nil {
			out = append(out, level(s.metric, sums[s.metric]))
		}
	}
	for _, c := range cfg.Counters {
		if taken[c] {
			continue
		}
		for _, n := range counts {
			if c.Name == n.column {
				c.Name, c.Title, c.Unit, c.Kind, c.Guessed = n.counter, "", n.unit, capture.Gauge, false
			}
		}
		out = append(out, c)
	}
	cfg.Counters = out
	return true
}
