// Package host adds to the captures of models of GPUs by others what the readers of the kernel's text files tell of the
// processors by default, and what the recording itself took. A model says what its program's threads and others did on
// each processor; everything else here follows from that, or is drawn for the machine.
//
// The files are read about every 200 ms beside a faster source, and counts are spread evenly over the samples between
// two readings. Processor times come in units of 10 ms. Most kernels do not tell the time of hardware interrupts from
// other time. No program of the models waits for storage or for memory; now and then somebody else writes a little.
package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// Sensor is a value of the machine that is read with the others.
type Sensor struct {
	Meta  capture.Meta
	Value func(sample int) float64
}

// Zone is a temperature around a mean, in steps of a degree or finer.
func Zone(r *rand.Rand, name string, mean, step float64) Sensor {
	wander := 0.0
	return Sensor{Meta: capture.Meta{Name: "temperature", Title: "Temperature", Unit: "celsius", Block: "thermal",
		Instance: name, Combine: capture.CombineMax}, Value: func(int) float64 {
		wander = 0.8*wander + 0.5*r.NormFloat64()
		return math.Round((mean+wander)/step) * step
	}}
}

// Chip is a sensor of a monitoring chip.
func Chip(chip, label, unit string, combine capture.Combine, value func(sample int) float64) Sensor {
	return Sensor{Meta: capture.Meta{Name: "hwmon_" + chip + "_" + strings.ReplaceAll(label, " ", "_"), Title: chip + " " + label, Unit: unit,
		Block: "hwmon", Combine: combine}, Value: value}
}

// Machine is the machine that the GPU is in, and what it lets a recorder read.
type Machine struct {
	Clusters   []int     // of each processor
	Most       []float64 // Hz: the highest clock of each processor
	Least      float64
	Shared     bool    // the processors of a cluster have one clock
	Reach      float64 // share of the highest clock that busy processors get
	Memory     float64 // bytes
	Interrupts bool    // the kernel accounts for the time of interrupts
	Pressure   bool    // the files of pressure may be read
	Sensors    []Sensor
}

// Load is what ran: ns by processor and sample. Where it is more than there is, threads waited for each other.
type Load struct {
	User, System   [][]float64
	Switches       float64 // of contexts per second
	InterruptsRate float64 // per second
}

const (
	every = 200e6
	tick  = 10e6
)

// window is the time between two readings.
type window struct {
	first, last int // samples, last excluded
	length      float64
	user        []float64 // by processor
	system      []float64
	hard, soft  []float64
	wait        []float64 // for storage
	idle        []float64
	crowded     float64 // ns in which a task waited for a processor
	storage     float64 // ns in which a task waited for storage
	running     int     // tasks at the end
	blocked     int
}

type writer struct {
	cfg     *capture.Config
	r       *rand.Rand
	without []string
	m       *Machine
	windows []window
}

// Add adds the counters of the machine to a capture with samples.
func Add(cfg *capture.Config, r *rand.Rand, m *Machine, l *Load, without []string) {
	w := &writer{cfg: cfg, r: r, without: without, m: m}
	w.read(l)
	w.properties()
	w.times()
	w.scheduler(l)
	w.pressure()
	w.sensors()
}

// read sums up what happens between two readings.
func (w *writer) read(l *Load) {
	axis, cpus := w.cfg.Axis, len(w.m.Clusters)
	hard, soft := 0.0, 0.0005+0.003*w.r.Float64()
	if w.m.Interrupts {
		hard = 0.0005 + 0.0025*w.r.Float64()
	}
	next := float64(axis.Start[0]) + every
	made := func(i int) window {
		return window{first: i, user: make([]float64, cpus), system: make([]float64, cpus), hard: make([]float64, cpus),
			soft: make([]float64, cpus), wait: make([]float64, cpus), idle: make([]float64, cpus)}
	}
	v := made(0)
	for i := range axis.Len() {
		d := float64(axis.Interval(i))
		v.length += d
		crowded := 0.0
		running, busiest := 0, 0.0
		for c := range cpus {
			want := l.User[c][i] + l.System[c][i]
			scale := 1.0
			if want > d {
				scale = d / want
				crowded = max(crowded, min(d, want-d))
			}
			u, s := l.User[c][i]*scale, l.System[c][i]*scale
			h, o := (d-u-s)*hard*0.3+(u+s)*hard, (d-u-s)*soft*0.3+(u+s)*soft
			u, s = u*(1-hard-soft), s*(1-hard-soft)
			v.user[c], v.system[c], v.hard[c], v.soft[c] = v.user[c]+u, v.system[c]+s, v.hard[c]+h, v.soft[c]+o
			v.idle[c] += max(0, d-u-s-h-o)
			busy := min(1, want/d)
			if w.r.Float64() < busy {
				running++
			}
			busiest = max(busiest, busy)
		}
		v.crowded += min(d, crowded+d*busiest*0.01*w.r.ExpFloat64())
		if end := float64(axis.End[i]); end >= next || i == axis.Len()-1 {
			v.last, v.running = i+1, running
			w.quiet(&v)
			w.windows = append(w.windows, v)
			v = made(i + 1)
			next = math.Max(next+every, end+every/2)
		}
	}
}

// quiet is what others do that write to storage: a few requests now and then, while a processor of theirs is idle.
func (w *writer) quiet(v *window) {
	if w.r.Float64() < 0.06*v.length/every {
		c := w.r.IntN(len(v.idle))
		ns := min(v.idle[c], (0.3+2*w.r.ExpFloat64())*1e6)
		v.idle[c], v.wait[c] = v.idle[c]-ns, ns
		v.storage = ns
		if w.r.Float64() < ns/v.length {
			v.blocked = 1
		}
	}
}

func (w *writer) properties() {
	add := func(name string, v float64) {
		w.cfg.Properties = append(w.cfg.Properties, capture.Property{Name: name, Number: v})
	}
	n := len(w.m.Clusters)
	add("cpus_online", float64(n))
	add("cpu_clusters", float64(slices.Max(w.m.Clusters)+1))
	for i, k := range w.m.Clusters {
		add(fmt.Sprintf("cpu_cluster.%d", i), float64(k))
	}
	for i, hz := range w.m.Most {
		add(fmt.Sprintf("cpu_max_freq.%d", i), hz)
	}
	w.cfg.Properties = append(w.cfg.Properties, capture.Property{Name: "procfs_period", IsText: true,
		Text: "200ms: the counters of procfs are read this often, and spread evenly over the samples"})
}

// put appends a counter, or an instance of the last one.
func (w *writer) put(m capture.Meta, d capture.Data) {
	if slices.Contains(w.without, m.Name) {
		return
	}
	if m.Source == "" {
		m.GPU, m.Source = "cpu", "procfs"
		if slices.ContainsFunc(w.cfg.Counters, func(c *capture.Counter) bool {
			return c.Name == m.Name && c.Source != m.Source
		}) {
			m.Name = "procfs_" + m.Name // the recorder tells them apart so
		}
	}
	c := &capture.Counter{Meta: m, Axis: w.cfg.Axis, Col: capture.NewColumn(d)}
	n := len(w.cfg.Counters)
	if m.Instance == "" {
		w.cfg.Counters = append(w.cfg.Counters, c)
		return
	}
	if n == 0 || w.cfg.Counters[n-1].Name != m.Name || w.cfg.Counters[n-1].Source != m.Source {
		m.Instance = ""
		w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: m, Axis: w.cfg.Axis})
		n++
	}
	w.cfg.Counters[n-1].AddInstance(c)
}

// count appends what is counted in whole grains, spread over the samples of a window.
func (w *writer) count(m capture.Meta, grain float64, value func(v *window) float64) {
	d := capture.Data{U: make([]uint64, w.cfg.Axis.Len())}
	sum, told := w.r.Float64()*grain, uint64(0)
	for i := range w.windows {
		v := &w.windows[i]
		sum += value(v)
		now := uint64(math.Floor(sum/grain)) * uint64(grain)
		given, past := uint64(0), 0.0
		for k := v.first; k < v.last; k++ {
			past += float64(w.cfg.Axis.Interval(k))
			upto := now - told
			if k < v.last-1 {
				upto = uint64(float64(upto) * past / v.length)
			}
			d.U[k] = upto - given
			given = upto
		}
		told = now
	}
	w.put(m, d)
}

// level appends a value that is read at the end of a window.
func (w *writer) level(m capture.Meta, integer bool, value func(v *window) float64) {
	m.Kind = capture.Gauge
	var d capture.Data
	for i := range w.windows {
		v := &w.windows[i]
		now := value(v)
		for range v.last - v.first {
			if integer {
				d.U = append(d.U, uint64(now))
			} else {
				d.F = append(d.F, now)
			}
		}
	}
	w.put(m, d)
}

func none(*window) float64 { return 0 }

func (w *writer) times() {
	for _, col := range []struct {
		name, title string
		of          func(v *window) []float64
	}{
		{"cpu_user", "CPU time in user space", func(v *window) []float64 { return v.user }},
		{"cpu_nice", "CPU time in user space, niced", nil},
		{"cpu_system", "CPU time in the kernel", func(v *window) []float64 { return v.system }},
		{"cpu_idle", "CPU idle time", func(v *window) []float64 { return v.idle }},
		{"cpu_iowait", "CPU time idle with I/O", func(v *window) []float64 { return v.wait }},
		{"cpu_irq", "CPU time in interrupts", func(v *window) []float64 { return v.hard }},
		{"cpu_softirq", "CPU time in soft interrupts", func(v *window) []float64 { return v.soft }},
		{"cpu_steal", "CPU time stolen", nil},
		{"cpu_guest", "CPU time of guests", nil},
	} {
		for c := range w.m.Clusters {
			value := none
			if col.of != nil {
				value = func(v *window) float64 { return col.of(v)[c] }
			}
			w.count(capture.Meta{Name: col.name, Title: col.title, Unit: "ns", Block: "cpu", Instance: strconv.Itoa(c)},
				tick, value)
		}
	}
}

// scheduler appends what is of the whole machine.
func (w *writer) scheduler(l *Load) {
	meta := func(name, title, unit string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: "scheduler"}
	}
	about := func() float64 { return 0.75 + 0.5*w.r.Float64() }
	w.count(meta("intr", "Interrupts", "interrupts"), 1, func(v *window) float64 {
		return l.InterruptsRate * v.length * 1e-9 * about()
	})
	w.count(meta("ctxt", "Context switches", "switches"), 1, func(v *window) float64 {
		return l.Switches * v.length * 1e-9 * about()
	})
	forks := 3 * w.r.ExpFloat64()
	w.count(meta("processes", "Tasks started", "tasks"), 1, func(v *window) float64 {
		return forks * v.length * 1e-9 * w.r.ExpFloat64()
	})
	w.level(meta("procs_running", "Runnable tasks", "tasks"), true, func(v *window) float64 { // itself among them
		return 1 + float64(v.running)
	})
	w.level(meta("procs_blocked", "Blocked tasks", "tasks"), true, func(v *window) float64 { return float64(v.blocked) })
}

func (w *writer) pressure() {
	if !w.m.Pressure {
		return
	}
	meta := func(name, title string) capture.Meta {
		return capture.Meta{Name: "pressure_" + name, Title: title, Unit: "ns", Block: "pressure"}
	}
	w.count(meta("cpu_some", "CPU pressure"), 1000, func(v *window) float64 { return v.crowded })
	w.count(meta("memory_some", "Memory pressure, some"), 1000, none)
	w.count(meta("memory_full", "Memory pressure, full"), 1000, none)
	w.count(meta("io_some", "I/O pressure, some"), 1000, func(v *window) float64 { return v.storage })
	w.count(meta("io_full", "I/O pressure, full"), 1000, func(v *window) float64 { // where nobody else runs
		idle := 1.0
		for c := range v.idle {
			idle *= min(1, (v.idle[c]+v.wait[c])/v.length)
		}
		return v.storage * idle
	})
}

// sensors appends clocks, memory and temperatures.
func (w *writer) sensors() {
	last := make([]float64, len(w.m.Most))
	for c := range w.m.Most {
		w.level(capture.Meta{Name: "cpu_frequency", Title: "CPU frequency", Unit: "Hz", Block: "cpu",
			Instance: strconv.Itoa(c), Combine: capture.CombineMean}, false, func(v *window) float64 {
			busy := 0.0
			for k := range v.user {
				if k == c || w.m.Shared && w.m.Clusters[k] == w.m.Clusters[c] {
					busy = max(busy, 1-v.idle[k]/v.length)
				}
			}
			top := w.m.Most[c] * w.m.Reach
			if w.m.Shared { // as schedutil does: a fourth more than is used, a step at a time
				return math.Round(min(top, max(w.m.Least, 1.25*busy*w.m.Most[c]))/96e6) * 96e6
			}
			if last[c] == 0 || w.r.Float64() < 0.3+busy { // an idle one tells what it was when it last ran
				last[c] = w.m.Least + (top-w.m.Least)*min(1, 0.25+1.6*busy)*(0.96+0.04*w.r.Float64())
			}
			return math.Round(last[c]/1000) * 1000
		})
	}
	load, all := float64(len(w.m.Most))*(0.05+0.15*w.r.Float64()), 0.0
	w.level(capture.Meta{Name: "load_1m", Title: "Load average (1 min)", Block: "scheduler"}, false,
		func(v *window) float64 {
			steps := math.Floor((all+v.length)/5e9) - math.Floor(all/5e9) // it is renewed every 5 s
			all += v.length
			if steps > 0 {
				kept := math.Exp(-5 * steps / 60)
				load = load*kept + float64(v.running+v.blocked)*(1-kept)
			}
			return math.Round(100*load) / 100
		})
	size := math.Round(w.m.Memory*(0.955+0.02*w.r.Float64())/4096) * 4096
	free := 0.3 + 0.45*w.r.Float64()
	w.level(capture.Meta{Name: "mem_total", Title: "Memory", Unit: "bytes", Block: "memory", Integral: true}, false,
		func(*window) float64 { return size })
	w.level(capture.Meta{Name: "mem_available", Title: "Memory available", Unit: "bytes", Block: "memory",
		Integral: true}, false, func(*window) float64 {
		return math.Round(size*free*(0.997+0.006*w.r.Float64())/4096) * 4096
	})
	for _, s := range w.m.Sensors {
		w.level(s.Meta, false, func(v *window) float64 { return s.Value(v.last - 1) })
	}
}

// Recorder adds what the recording itself takes, which every recording has.
func Recorder(cfg *capture.Config, r *rand.Rand, without []string) {
	w := &writer{cfg: cfg, r: r, without: without}
	for i := 0; i < cfg.Axis.Len(); {
		v := window{first: i}
		for ; i < cfg.Axis.Len() && v.length < every; i++ {
			v.length += float64(cfg.Axis.Interval(i))
		}
		v.last = i
		w.windows = append(w.windows, v)
	}
	meta := func(name, title, unit string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Block: "recorder", Source: "recorder"}
	}
	cost, wakes := 0.002+0.01*r.Float64(), 20+180*r.Float64()
	w.count(meta("recorder_cpu", "Processor time of the recorder", "ns"), 1000, func(v *window) float64 {
		return cost * v.length * (0.8 + 0.5*r.Float64())
	})
	w.count(meta("recorder_wakeups", "Wake-ups of the recorder", "wakeups"), 1, func(v *window) float64 {
		return wakes * v.length * 1e-9 * (0.8 + 0.4*r.Float64())
	})
	lost := capture.Data{U: make([]uint64, cfg.Axis.Len())}
	for _, g := range cfg.Late {
		i, _ := slices.BinarySearch(cfg.Axis.End, g.Start+(g.End-g.Start)/2)
		lost.U[min(i, len(lost.U)-1)] += g.Lost
	}
	w.put(meta("recorder_lost", "Samples lost", "samples"), lost)
}
