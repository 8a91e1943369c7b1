package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// recording is how a case is recorded, where nobody says.
type recording struct {
	period float64
	late   float64 // share of readings
	marks  bool
	extra  bool // somebody asked for more than the default events
	noise  float64
}

func drawRecording(d dice, m *machine) recording {
	return recording{period: pick(d, 10e6, 10e6, 10e6, 10e6, 1e6, 2e6, 5e6, 20e6), late: pick(d, 0, 0, 0.02, 0.1),
		marks: d.chance(0.5), extra: d.chance(0.6), noise: d.in(0.001, 0.006)}
}

// writer puts a capture together.
type writer struct {
	c        *caseOf
	t        *tape
	d        dice
	axis     *capture.Axis
	counters []*capture.Counter
	without  []string
	noise    float64
}

// record makes the capture.
func (c *caseOf) record(o simulate.Options) (*capture.Capture, error) {
	d := dice{rand.New(rand.NewPCG(c.seed, 0x5ec0))}
	rec := c.recording
	if o.Period > 0 {
		rec.period = float64(o.Period)
	}
	t := newTape(d, &rec, c.m, len(c.p.threads))
	out := run(c.m, c.p, noRelief(), t)
	t.finish(out.ends[len(out.ends)-1])
	w := &writer{c: c, t: t, d: d, axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}, without: o.Without, noise: rec.noise}
	for i := range t.rows {
		w.axis.Start = append(w.axis.Start, int64(t.rows[i].start))
		w.axis.End = append(w.axis.End, int64(t.rows[i].end))
	}
	w.program(rec.extra)
	if o.Host.Of(true) {
		w.system()
	}
	cfg := c.config()
	cfg.Axis, cfg.Counters = w.axis, w.counters
	if o.Marks.Of(rec.marks) {
		w.frames(&cfg, out)
	}
	return capture.New(cfg)
}

// finish cuts the tape where the program has ended: the last reading comes then.
func (t *tape) finish(end float64) {
	r := t.seek(max(0, end-1))
	last := &t.windows[r.window]
	t.windows = t.windows[:r.window+1]
	keep := 0
	for i := range t.rows {
		if &t.rows[i] == r {
			keep = i + 1
		}
	}
	t.rows = t.rows[:keep]
	t.rows[keep-1].end = math.Floor(end)
	if last.rows = keep - last.first; t.rows[keep-1].start >= t.rows[keep-1].end && last.rows > 1 {
		last.rows--
		t.rows = t.rows[:keep-1]
	}
	last.end = t.rows[len(t.rows)-1].end
}

// config says which machine it is.
func (c *caseOf) config() capture.Config {
	cpu := c.m.cpu
	cfg := capture.Config{Name: "perfevent+procfs", GPU: "cpu",
		Device: capture.Device{Name: cpu.name, Vendor: vendors[cpu.maker], Driver: "Linux 6.12"}}
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("cpus_online", float64(cpu.threads()))
	add("cpu_clusters", 1)
	for i := range cpu.threads() {
		add(fmt.Sprintf("cpu_cluster.%d", i), 0)
	}
	for i := range cpu.threads() {
		add(fmt.Sprintf("cpu_max_freq.%d", i), math.Round(cpu.most*1e9))
	}
	return cfg
}

// frames marks the program's frames, as a program does that tells the recorder when each begins.
func (w *writer) frames(cfg *capture.Config, out *outcome) {
	names := make([]string, len(w.axis.Start))
	k := 0
	for f := range out.begins {
		end := out.ends[len(out.ends)-1]
		if f+1 < len(out.begins) {
			end = out.begins[f+1]
		}
		cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(f), Start: int64(out.begins[f]),
			End: int64(end)})
		for ; k < len(names) && float64(w.axis.Start[k]+w.axis.End[k])/2 < end; k++ {
			if float64(w.axis.Start[k]+w.axis.End[k])/2 >= out.begins[f] {
				names[k] = strconv.Itoa(f)
			}
		}
	}
	cfg.Labels = append(cfg.Labels, capture.NewLabel("frame", names, nil))
}

// add appends a counter of whole numbers.
func (w *writer) add(m capture.Meta, values []uint64) {
	w.put(m, capture.Data{U: values})
}

func (w *writer) put(m capture.Meta, data capture.Data) *capture.Counter {
	if slices.Contains(w.without, m.Name) {
		return nil
	}
	ctr := &capture.Counter{Meta: m, Axis: w.axis, Col: capture.NewColumn(data)}
	if m.Instance == "" {
		w.counters = append(w.counters, ctr)
		return ctr
	}
	n := len(w.counters)
	if n == 0 || w.counters[n-1].Name != m.Name {
		whole := &capture.Counter{Meta: m, Axis: w.axis}
		whole.Meta.Instance = ""
		w.counters = append(w.counters, whole)
		n++
	}
	w.counters[n-1].AddInstance(ctr)
	return ctr
}

// count appends an event of the program: value of each row, with what the recorder's grain adds.
func (w *writer) count(name, title, unit, block string, value func(r *row) float64) {
	out := make([]uint64, len(w.t.rows))
	carry := 0.0
	for i := range w.t.rows {
		v := value(&w.t.rows[i]) + carry
		out[i] = uint64(max(0, math.Floor(v)))
		carry = v - float64(out[i])
	}
	w.add(capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "cpu", Source: "perfevent"}, out)
}

// events sums a rate per instruction over the mixes.
func (w *writer) events(r *row, rate func(x *mix) float64) float64 {
	sum := 0.0
	for i := range w.c.p.mixes {
		if r.instr[i] > 0 {
			sum += r.instr[i] * rate(&w.c.p.mixes[i])
		}
	}
	return sum
}

func (r *row) allCycles() float64 {
	sum := 0.0
	for _, v := range r.cycles {
		sum += v
	}
	return sum
}

// program appends the events of perfevent.
func (w *writer) program(extra bool) {
	one := func(*mix) float64 { return 1 }
	instructions := make([]float64, len(w.t.rows))
	for i := range instructions {
		instructions[i] = w.events(&w.t.rows[i], one)
	}
	core := func(name, title, unit string, v func(r *row) float64) { w.count(name, title, unit, "core", v) }
	soft := func(name, title, unit string, v func(r *row) float64) { w.count(name, title, unit, "software", v) }
	core("cycles", "CPU cycles", "cycles", (*row).allCycles)
	core("instructions", "Instructions", "instructions", func(r *row) float64 { return w.events(r, one) })
	core("branches", "Branches", "branches", func(r *row) float64 {
		return w.events(r, func(x *mix) float64 { return x.branches })
	})
	core("branch_misses", "Branch misses", "branches", func(r *row) float64 {
		return w.events(r, func(x *mix) float64 { return x.misses })
	})
	core("cache_references", "Cache references", "accesses", func(r *row) float64 { return w.references(r) })
	core("cache_misses", "Cache misses", "accesses", func(r *row) float64 { return w.missing(r) })
	soft("task_clock", "Task clock", "ns", func(r *row) float64 { return r.ran })
	soft("cpu_clock", "CPU clock", "ns", func(r *row) float64 { return r.ran * 0.9985 })
	soft("context_switches", "Context switches", "switches", func(r *row) float64 { return r.switches })
	soft("cpu_migrations", "CPU migrations", "migrations", func(r *row) float64 { return r.switches * 0.004 })
	faults := func(r *row) float64 { return w.events(r, func(x *mix) float64 { return x.faults }) }
	soft("page_faults", "Page faults", "faults", faults)
	soft("minor_faults", "Minor faults", "faults", faults)
}

// references are what the processor's event of cache references counts.
func (w *writer) references(r *row) float64 {
	return w.events(r, func(x *mix) float64 {
		switch w.c.m.cpu.maker {
		case intel:
			return x.l2 + x.icache*0.1 + x.stream*1.05
		case amd:
			return x.l1 + x.icache + x.stream*0.7
		}
		return x.loads * 1.4
	})
}

// missing are what its event of cache misses counts.
func (w *writer) missing(r *row) float64 {
	return w.events(r, func(x *mix) float64 {
		switch w.c.m.cpu.maker {
		case intel:
			return x.llc + x.stream*0.95
		case amd:
			return x.l2 + x.icache*0.1 + x.stream*0.4
		}
		return x.l1 + x.stream
	})
}
