package mali

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// tick is the unit in which Linux tells the time of processors.
const tick = 10e6

var states = []struct{ name, title string }{{"cpu_user", "CPU time in user space"}, {"cpu_nice", "CPU time in user space, niced"},
	{"cpu_system", "CPU time in the kernel"}, {"cpu_idle", "CPU idle time"}, {"cpu_iowait", "CPU time idle with I/O"},
	{"cpu_irq", "CPU time in interrupts"}, {"cpu_softirq", "CPU time in soft interrupts"}, {"cpu_steal", "CPU time stolen"}}

// processors are the columns of /proc/stat: the threads of the program on the fast processors, and a little of others.
type processors struct {
	m           *machine
	cols        *simulate.Columns
	place       [8]int // of states; -1 where it is left out
	ctxt        int
	r           simulate.Random
	carry       [8][]float64 // by state and processor
	parts       [8][][]uint64
	app, driver int // the processors that they run on
	others      float64
	switches    float64
}

// newProcessors adds the columns; see instances for their parts, as processors do different things.
func newProcessors(m *machine, cols *simulate.Columns, left []string, on bool, r simulate.Random) *processors {
	p := &processors{m: m, cols: cols, ctxt: -1, r: r, app: m.cpus - 1, driver: m.cpus - 2, others: r.Log(.01, .08)}
	for s, x := range states {
		p.carry[s] = make([]float64, m.cpus)
		if p.place[s] = -1; on && !slices.Contains(left, x.name) {
			p.place[s] = cols.Counter(capture.Meta{Name: x.name, Title: x.title, Unit: "ns", GPU: "cpu", Block: "cpu", Source: "procfs"})
		}
	}
	if on && !slices.Contains(left, "ctxt") {
		p.ctxt = cols.Counter(capture.Meta{Name: "ctxt", Title: "Context switches", Unit: "switches", GPU: "cpu", Block: "scheduler", Source: "procfs"})
	}
	return p
}

// next adds a row.
func (p *processors) next(row *row, ns float64) {
	if p.r.Chance(ns / 400e6) { // the scheduler moves a thread
		p.app = p.m.cpus - 1 - p.r.IntN(p.m.fast)
		if p.driver == p.app {
			p.driver = p.m.cpus - 1 - (p.m.cpus-p.app)%p.m.fast
		}
	}
	for cpu := range p.m.cpus {
		user, system := ns*p.others*p.r.Spread(.6)*.7, ns*p.others*.3
		if cpu == p.app {
			user, system = user+.93*row.app, system+.07*row.app
		}
		if cpu == p.driver {
			user, system = user+.6*row.driver, system+.4*row.driver
		}
		if all := user + system; all > ns {
			user, system = user*ns/all, system*ns/all
		}
		soft := .02 * system
		for s, v := range [8]float64{user, 0, system - soft, ns - user - system, 0, 0, soft, 0} {
			p.carry[s][cpu] += v
		}
	}
	for s := range states {
		sum := make([]uint64, p.m.cpus)
		all := 0.0
		for cpu := range sum {
			whole := math.Floor(p.carry[s][cpu]/tick) * tick
			p.carry[s][cpu] -= whole
			sum[cpu], all = uint64(whole), all+whole
		}
		p.parts[s] = append(p.parts[s], sum)
		if p.place[s] >= 0 {
			p.cols.Whole(p.place[s], all)
		}
	}
	p.switches += ns*2e-6*(1+20*p.others) + (row.app+row.driver)*3e-6
	if p.ctxt >= 0 {
		p.cols.Add(p.ctxt, p.switches)
	}
	p.switches = 0
}

// instances gives the counters those of each processor.
func (p *processors) instances(list []*capture.Counter) {
	ids := simulate.Numbers(p.m.cpus)
	for _, c := range list {
		s := slices.IndexFunc(states, func(x struct{ name, title string }) bool { return x.name == c.Name })
		if s < 0 {
			continue
		}
		c.Col = nil
		for cpu, id := range ids {
			meta := c.Meta
			meta.Instance = id
			values := make([]uint64, len(p.parts[s]))
			for i, row := range p.parts[s] {
				values[i] = row[cpu]
			}
			c.Instances = append(c.Instances, &capture.Counter{Meta: meta, Axis: c.Axis, Col: capture.NewColumn(capture.Data{U: values})})
		}
	}
}
