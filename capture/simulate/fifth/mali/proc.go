package mali

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// processor is the CPUs of the phone or board and what else they did.
type processor struct {
	cluster    []int // of each CPU
	top        []float64
	floor      float64 // Hz
	every      float64 // ns between two readings of the kernel's files
	system     float64 // share of the driver's work that is the kernel's
	appSystem  float64
	workers    int     // other threads of the program
	labour     float64 // of each, share of the application's thread's time
	stray      float64 // load by others, in CPUs
	nice       float64
	hop        float64 // ns that a thread stays on a CPU
	stall      float64 // share of time with waits for storage
	intr, ctxt float64 // per second, of others
	wakes      float64 // switches each time a thread of the program wakes
	irqTime    bool    // the kernel accounts for interrupts' time
	psi        bool
	sensors    int
	memory     float64
	reach      float64 // of the highest clock, for a busy CPU
	slices     float64 // ns after which a running thread is switched to others now and then
}

func drawProcessor(r simulate.Random, p *program) processor {
	c := processor{every: 200e6, system: r.Between(0.15, 0.6), appSystem: r.Between(0.01, 0.12), workers: r.Whole(0, 4),
		labour: r.Between(0.05, 0.8), stray: r.Log(0.05, 1.6), nice: r.Between(0, 0.4), hop: r.Log(4e7, 2e9),
		stall: r.Log(0.0002, 0.03), intr: r.Log(300, 5000), ctxt: r.Log(600, 15000), wakes: r.Between(1.5, 6),
		irqTime: r.Chance(0.35), psi: r.Chance(0.6), sensors: r.IntN(5), memory: simulate.Pick(r, 4.0, 6, 8, 12, 16),
		reach: r.Between(0.7, 1), slices: r.Log(2e6, 3e7), floor: 3e8}
	if r.Chance(0.25) {
		c.every = simulate.Pick(r, 10e6, 20e6, 50e6, 100e6)
	}
	sets := [][]int{{4, 4}, {4, 3, 1}, {3, 4, 1}, {4, 2, 2}, {6, 2}, {4}, {2, 3, 2, 1}}
	hz := r.Between(1.6e9, 2.1e9)
	for k, n := range sets[r.IntN(len(sets))] {
		for range n {
			c.cluster, c.top = append(c.cluster, k), append(c.top, math.Round(hz/1e5)*1e5)
		}
		hz *= r.Between(1.15, 1.4)
	}
	return c
}

// reading is what the kernel's files counted between two of them.
type reading struct {
	first, last int // samples, the last excluded
	ns          float64
	user        []float64 // by CPU
	nice        []float64
	system      []float64
	iowait      []float64
	irq, soft   []float64
	wakes       float64
	crowd       float64
	running     int
	blocked     int
}

// add adds the counters of the processors.
func (c *processor) add(cfg *capture.Config, rec *recorder, t *tape, origin int64, left []string, r simulate.Random) {
	list := c.read(cfg.Axis, rec, t, origin, r)
	w := &files{cfg: cfg, left: left, list: list, r: r}
	n := len(c.cluster)
	columns := []struct {
		name, title string
		of          func(x *reading, cpu int) float64
	}{
		{"cpu_user", "CPU time in user space", func(x *reading, i int) float64 { return x.user[i] }},
		{"cpu_nice", "CPU time in user space, niced", func(x *reading, i int) float64 { return x.nice[i] }},
		{"cpu_system", "CPU time in the kernel", func(x *reading, i int) float64 { return x.system[i] }},
		{"cpu_idle", "CPU idle time", func(x *reading, i int) float64 {
			return max(0, x.ns-x.user[i]-x.nice[i]-x.system[i]-x.iowait[i]-x.irq[i]-x.soft[i])
		}},
		{"cpu_iowait", "CPU time idle with I/O", func(x *reading, i int) float64 { return x.iowait[i] }},
		{"cpu_irq", "CPU time in interrupts", func(x *reading, i int) float64 { return x.irq[i] }},
		{"cpu_softirq", "CPU time in soft interrupts", func(x *reading, i int) float64 { return x.soft[i] }},
		{"cpu_steal", "CPU time stolen", func(*reading, int) float64 { return 0 }},
		{"cpu_guest", "CPU time of guests", func(*reading, int) float64 { return 0 }},
	}
	for _, col := range columns {
		w.instances(capture.Meta{Name: col.name, Title: col.title, Unit: "ns", Block: "cpu"}, n, 10e6, col.of)
	}
	w.whole(capture.Meta{Name: "intr", Title: "Interrupts", Unit: "interrupts", Block: "scheduler"}, 1, func(x *reading) float64 {
		return x.ns/1e9*c.intr*r.Between(0.8, 1.2) + x.wakes*0.7
	})
	w.whole(capture.Meta{Name: "ctxt", Title: "Context switches", Unit: "switches", Block: "scheduler"}, 1, func(x *reading) float64 {
		return x.ns/1e9*c.ctxt*r.Between(0.8, 1.2) + x.wakes*c.wakes
	})
	starts := r.Log(0.2, 12)
	w.whole(capture.Meta{Name: "processes", Title: "Tasks started", Unit: "tasks", Block: "scheduler"}, 1, func(x *reading) float64 {
		return x.ns / 1e9 * starts * r.ExpFloat64()
	})
	w.gauge(capture.Meta{Name: "procs_running", Title: "Runnable tasks", Unit: "tasks", Block: "scheduler"}, func(x *reading) float64 { return float64(x.running + 1) })
	w.gauge(capture.Meta{Name: "procs_blocked", Title: "Blocked tasks", Unit: "tasks", Block: "scheduler"}, func(x *reading) float64 { return float64(x.blocked) })
	if c.psi {
		io := func(x *reading) float64 {
			sum := 0.0
			for _, v := range x.iowait {
				sum += v
			}
			return min(0.99*x.ns, sum*1.2)
		}
		pressure := func(name, title string, of func(x *reading) float64) {
			w.whole(capture.Meta{Name: name, Title: title, Unit: "ns", Block: "pressure"}, 1e3, of)
		}
		pressure("pressure_cpu_some", "CPU pressure", func(x *reading) float64 { return min(0.99*x.ns, x.crowd) })
		pressure("pressure_memory_some", "Memory pressure, some", func(*reading) float64 { return 0 })
		pressure("pressure_memory_full", "Memory pressure, full", func(*reading) float64 { return 0 })
		pressure("pressure_io_some", "I/O pressure, some", io)
		pressure("pressure_io_full", "I/O pressure, full", func(x *reading) float64 { return 0.6 * io(x) })
	}
	c.slow(w, r)
}

// read adds up what ran on each CPU between readings.
func (c *processor) read(axis *capture.Axis, rec *recorder, t *tape, origin int64, r simulate.Random) []reading {
	n := len(c.cluster)
	var list []reading
	zero := func() []float64 { return make([]float64, n) }
	next := c.every * r.Between(0.3, 1)
	x := reading{}
	for i := range axis.Len() {
		if x.user == nil {
			x = reading{first: i, user: zero(), nice: zero(), system: zero(), iowait: zero(), irq: zero(), soft: zero()}
		}
		x.ns += float64(axis.Interval(i))
		if x.last = i + 1; float64(axis.End[i]) >= next || i == axis.Len()-1 {
			list = append(list, x)
			x = reading{}
			for next <= float64(axis.End[i]) {
				next += c.every
			}
		}
	}
	c.schedule(list, axis, rec, t, origin, r)
	for k := range list {
		c.others(&list[k], r)
	}
	return list
}

// schedule places the program's threads on CPUs: heavy ones on the larger, where each stays for a while.
func (c *processor) schedule(list []reading, axis *capture.Axis, rec *recorder, t *tape, origin int64, r simulate.Random) {
	n := len(c.cluster)
	place := func() int { return n - 1 - min(n-1, int(math.Abs(r.NormFloat64())*float64(n)/3)) }
	type thread struct {
		runs   []stretch
		system float64
	}
	threads := []thread{{t.runs[0], c.appSystem}, {t.runs[1], c.system}, {t.runs[2], c.system}}
	for range c.workers {
		// Workers take their share of each of the application's frames, at the same time.
		var runs []stretch
		for _, x := range t.runs[0] {
			length := int64(float64(x.end-x.start) * min(1, c.labour*r.Spread(0.3)))
			runs = append(runs, stretch{x.start, x.start + length, 0})
		}
		threads = append(threads, thread{runs, c.appSystem})
	}
	homes := make([]int, len(threads))
	for i := range threads {
		homes[i] = place()
		if i == 1 {
			homes[i] = homes[0] // the same thread
		}
		k, until := 0, float64(origin)+c.hop*r.ExpFloat64()
		for _, run := range threads[i].runs {
			if float64(run.start) > until {
				homes[i] = place()
				until = float64(run.start) + c.hop*r.ExpFloat64()
			}
			from, to := run.start-origin, run.end-origin
			for k > 0 && list[k].first < axis.Len() && axis.Start[list[k].first] > from {
				k--
			}
			for ; k < len(list); k++ {
				x := &list[k]
				a, b := axis.Start[x.first], axis.End[x.last-1]
				if a >= to {
					break
				}
				if ns := float64(min(b, to) - max(a, from)); ns > 0 {
					x.user[homes[i]] += ns * (1 - threads[i].system)
					x.system[homes[i]] += ns * threads[i].system
					x.wakes += 1 + ns/c.slices
				}
				if b >= to {
					break
				}
			}
			k = min(k, len(list)-1)
		}
	}
}

// others adds what else ran, and interrupts, and makes it fit into the time that there was.
func (c *processor) others(x *reading, r simulate.Random) {
	n := len(c.cluster)
	for range 1 + r.IntN(4) {
		i := r.IntN(n)
		ns := x.ns * min(0.9, c.stray/2.5*r.ExpFloat64())
		x.nice[i] += ns * c.nice
		x.user[i] += ns * (1 - c.nice) * 0.7
		x.system[i] += ns * (1 - c.nice) * 0.3
	}
	for i := range n {
		x.system[i] += x.ns * 0.003 * r.ExpFloat64()
		busy := (x.user[i] + x.nice[i] + x.system[i]) / x.ns
		x.soft[i] = x.ns * 0.002 * (0.3 + busy) * r.ExpFloat64()
		if c.irqTime {
			x.irq[i] = x.ns * 0.002 * (0.3 + busy) * r.ExpFloat64()
		}
		taken := (x.soft[i] + x.irq[i]) / x.ns
		if most := 1 - taken; busy > most {
			x.crowd += (busy - most) * x.ns
			f := most / busy
			x.user[i], x.nice[i], x.system[i] = x.user[i]*f, x.nice[i]*f, x.system[i]*f
			busy = most
		}
		x.crowd += 0.02 * busy * x.ns * r.ExpFloat64()
		x.iowait[i] = x.ns * max(0, 1-busy-taken) * min(0.5, c.stall*r.ExpFloat64())
		if r.Chance(busy) {
			x.running++
		}
	}
	if r.Chance(min(0.5, c.stall*20)) {
		x.blocked = 1
	}
}

// slow adds sensors, which are read some times a second.
func (c *processor) slow(w *files, r simulate.Random) {
	for i := range c.cluster {
		w.gaugeOf(capture.Meta{Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Block: "cpu", Instance: fmt.Sprint(i),
			Combine: capture.CombineMean}, func(x *reading) float64 {
			most := 0.0
			for k := range c.cluster {
				if c.cluster[k] == c.cluster[i] {
					most = max(most, (x.user[k]+x.nice[k]+x.system[k])/x.ns)
				}
			}
			// schedutil asks for 1.25 times what is used; steps are about 1.5e8 apart.
			f := max(c.floor, min(c.reach, 1.25*most)*c.top[i])
			return min(c.top[i], math.Round(f/1.5e8)*1.5e8)
		})
	}
	base := r.Between(0.5, 6)
	w.gauge(capture.Meta{Name: "load_1m", Title: "Load average (1 min)", Block: "scheduler"}, func(*reading) float64 { return math.Round(base*100) / 100 })
	total, free := c.memory*1.02e9, c.memory*1e9*r.Between(0.15, 0.6)
	w.gauge(capture.Meta{Name: "mem_total", Title: "Memory", Unit: "bytes", Block: "memory", Integral: true}, func(*reading) float64 { return math.Floor(total/4096) * 4096 })
	w.gauge(capture.Meta{Name: "mem_available", Title: "Memory available", Unit: "bytes", Block: "memory", Integral: true}, func(*reading) float64 {
		free = max(1e8, free+3e6*r.NormFloat64())
		return math.Floor(free/4096) * 4096
	})
	for i := range c.sensors {
		at := r.Between(35, 65)
		w.gaugeOf(capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Block: "thermal",
			Instance: []string{"soc", "cpu-big", "cpu-little", "battery"}[i], Combine: capture.CombineMax}, func(*reading) float64 {
			at += 0.2 * r.NormFloat64()
			return math.Round(at*10) / 10
		})
	}
}

// files makes counters of readings: what was counted between two of them is spread evenly over the samples there.
type files struct {
	cfg  *capture.Config
	left []string
	list []reading
	r    simulate.Random
}

func (w *files) meta(m capture.Meta) capture.Meta {
	m.GPU, m.Source = "cpu", "procfs"
	return m
}

// counts are the values of a total that the kernel shows in steps, from a random phase.
func (w *files) counts(step float64, of func(x *reading) float64) *capture.Column {
	out := make([]uint64, w.cfg.Axis.Len())
	total, seen := w.r.Float64()*step, 0.0
	for k := range w.list {
		x := &w.list[k]
		total += of(x)
		now := math.Floor(total/step) * step
		counted := uint64(math.Round(now - seen))
		seen = now
		given, at := uint64(0), 0.0
		for i := x.first; i < x.last; i++ {
			at += float64(w.cfg.Axis.Interval(i))
			until := uint64(float64(counted) * min(1, at/x.ns))
			if i == x.last-1 {
				until = counted
			}
			out[i] = until - given
			given = until
		}
	}
	return capture.NewColumn(capture.Data{U: out})
}

func (w *files) whole(m capture.Meta, step float64, of func(x *reading) float64) {
	if !slices.Contains(w.left, m.Name) {
		w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: w.meta(m), Axis: w.cfg.Axis, Col: w.counts(step, of)})
	}
}

func (w *files) instances(m capture.Meta, n int, step float64, of func(x *reading, i int) float64) {
	if slices.Contains(w.left, m.Name) {
		return
	}
	all := &capture.Counter{Meta: w.meta(m), Axis: w.cfg.Axis}
	for i := range n {
		one := w.meta(m)
		one.Instance = fmt.Sprint(i)
		all.AddInstance(&capture.Counter{Meta: one, Axis: w.cfg.Axis, Col: w.counts(step, func(x *reading) float64 { return of(x, i) })})
	}
	w.cfg.Counters = append(w.cfg.Counters, all)
}

func (w *files) levels(of func(x *reading) float64) *capture.Column {
	out := make([]float64, w.cfg.Axis.Len())
	for k := range w.list {
		v := of(&w.list[k])
		for i := w.list[k].first; i < w.list[k].last; i++ {
			out[i] = v
		}
	}
	return capture.NewColumn(capture.Data{F: out})
}

func (w *files) gauge(m capture.Meta, of func(x *reading) float64) {
	if m.Kind = capture.Gauge; !slices.Contains(w.left, m.Name) {
		w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: w.meta(m), Axis: w.cfg.Axis, Col: w.levels(of)})
	}
}

// gaugeOf adds an instance of a gauge.
func (w *files) gaugeOf(m capture.Meta, of func(x *reading) float64) {
	if m.Kind = capture.Gauge; slices.Contains(w.left, m.Name) {
		return
	}
	one := &capture.Counter{Meta: w.meta(m), Axis: w.cfg.Axis, Col: w.levels(of)}
	for _, c := range w.cfg.Counters {
		if c.Name == m.Name {
			c.AddInstance(one)
			return
		}
	}
	all := w.meta(m)
	all.Instance = ""
	w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: all, Axis: w.cfg.Axis, Instances: []*capture.Counter{one}})
}
