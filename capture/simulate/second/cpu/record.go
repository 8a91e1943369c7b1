package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recording is how a case is recorded, where nobody says.
type recording struct {
	period     float64
	late       float64 // share of readings
	marks      bool
	host       bool // procfs is recorded too
	slots      bool // somebody asked for the events that account for slots, or for stalls
	caches     bool // somebody asked for the generic events of caches
	userOnly   bool // the recorder may not measure the kernel
	mapped     bool // the program reads storage through mapped files
	interrupts bool // the kernel accounts for the time of interrupts
	wander     float64
}

func drawRecording(d dice) recording {
	return recording{period: pick(d, 10e6, 10e6, 10e6, 10e6, 1e6, 2e6, 5e6, 20e6), late: pick(d, 0, 0, 0.02, 0.1),
		marks: d.chance(0.5), host: d.chance(0.85), slots: d.chance(0.4), caches: d.chance(0.25), userOnly: d.chance(0.15),
		mapped: d.chance(0.2), interrupts: d.chance(0.3), wander: d.in(0.01, 0.06)}
}

// writer puts a capture together.
type writer struct {
	c        *caseOf
	rec      *recording
	t        *tape
	d        dice
	axis     *capture.Axis
	counters []*capture.Counter
	without  []string
	turn     string    // of the events that are being added
	wrong    []float64 // by row: by what estimates are multiplied
}

// record makes the capture.
func (c *caseOf) record(o simulate.Options) (*capture.Capture, error) {
	d := dice{rand.New(rand.NewPCG(c.seed, 0x5ec0))}
	rec := c.recording
	if o.Period > 0 {
		rec.period = float64(o.Period)
	}
	t := newTape(d, &rec, c.m, c.p)
	out := run(c.m, c.p, noRelief(), t)
	t.finish(out.ends[len(out.ends)-1])
	w := &writer{c: c, rec: &rec, t: t, d: d, axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}, without: telling.Left(&o, telling.CPU)}
	for i := range t.rows {
		w.axis.Start = append(w.axis.Start, int64(t.rows[i].start))
		w.axis.End = append(w.axis.End, int64(t.rows[i].end))
	}
	w.program()
	host := o.Host.Of(rec.host)
	if host {
		w.system()
	}
	w.recorder()
	cfg := c.config()
	cfg.Axis, cfg.Counters = w.axis, w.counters
	if !host {
		cfg.Name = "perfevent"
	}
	if o.Marks.Of(rec.marks) {
		w.frames(&cfg, out)
	}
	return capture.New(cfg)
}

// config says which machine it is.
func (c *caseOf) config() capture.Config {
	cpu := c.m.cpu
	cfg := capture.Config{Name: "perfevent+procfs", GPU: "cpu",
		Device: capture.Device{Name: cpu.name, Vendor: vendors[cpu.maker], Driver: "Linux 6.12.48"}}
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("cpus_online", float64(cpu.threads()))
	add("cpu_clusters", 1)
	for i := range cpu.threads() {
		add(fmt.Sprintf("cpu_cluster.%d", i), 0)
	}
	for i := range cpu.threads() {
		if !c.m.virtual {
			add(fmt.Sprintf("cpu_max_freq.%d", i), math.Round(cpu.most*1e4)*1e5)
		}
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

// put appends a counter, or an instance of the last one.
func (w *writer) put(m capture.Meta, data capture.Data, why ...capture.ReasonRun) {
	if slices.Contains(w.without, m.Name) {
		return
	}
	ctr := &capture.Counter{Meta: m, Axis: w.axis, Col: capture.NewColumn(data), Reasons: why}
	n := len(w.counters)
	if m.Instance == "" {
		w.counters = append(w.counters, ctr)
		return
	}
	if n == 0 || w.counters[n-1].Name != m.Name {
		whole := &capture.Counter{Meta: m, Axis: w.axis}
		whole.Meta.Instance = ""
		w.counters = append(w.counters, whole)
		n++
	}
	w.counters[n-1].AddInstance(ctr)
}

// count appends an event of the program. Parts of an event are carried over to the next row.
func (w *writer) count(name, title, unit, block string, value func(i int, r *row) float64) {
	out := make([]uint64, len(w.t.rows))
	carry := 0.0
	for i := range w.t.rows {
		v := value(i, &w.t.rows[i]) + carry
		out[i] = uint64(max(0, math.Floor(v)))
		carry = v - float64(out[i])
	}
	m := capture.Meta{Name: name, Title: title, Unit: unit, Block: block, GPU: "cpu", Source: "perfevent"}
	if block == "core" || block == "cache" {
		m.TurnOf = w.turn
	}
	w.put(m, capture.Data{U: out})
}

// wandering is a factor by row that changes slowly: data is not the same all the time.
func (w *writer) wandering() []float64 {
	out := make([]float64, len(w.t.rows))
	v := w.d.NormFloat64()
	for i := range out {
		v = 0.9*v + 0.43*w.d.NormFloat64()
		out[i] = math.Exp(w.rec.wander * v)
	}
	return out
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

// shares appends how long the groups of events counted; all have the same part of the time.
func (w *writer) shares(groups ...string) {
	percent := 100 / float64(len(groups))
	share := make([]float64, len(w.t.rows))
	enabled := make([]uint64, len(share))
	var why []capture.ReasonRun
	for i := range share {
		ran := w.t.rows[i].ran
		share[i], enabled[i] = percent, uint64(ran*float64(len(groups)))
		if ran < 1 {
			share[i] = math.NaN()
			if k := len(why) - 1; k >= 0 && why[k].To == i {
				why[k].To++
				continue
			}
			why = append(why, capture.ReasonRun{From: i, To: i + 1, Reason: capture.Reason{Code: capture.NotCollected,
				Text: "the process did not run during the sample"}})
		}
	}
	m := capture.Meta{GPU: "cpu", Block: "core", Source: "perfevent", Combine: capture.CombineMean}
	m.Name, m.Title, m.Unit, m.Kind = capture.TurnShare, "Counter coverage", "percent", capture.Gauge
	for _, m.Instance = range groups {
		w.put(m, capture.Data{F: share}, why...)
	}
	m.Name, m.Title, m.Unit, m.Kind = capture.TurnEnabled, "Counter enabled time", "ns", capture.Delta
	for _, m.Instance = range groups {
		w.put(m, capture.Data{U: enabled})
	}
}

// recorder appends what the recording itself took.
func (w *writer) recorder() {
	cost := w.d.in(0.3e6, 1.5e6)
	for _, c := range []struct {
		name, title, unit string
		of                float64
	}{{"recorder_cpu", "Processor time of the recorder", "ns", cost},
		{"recorder_wakeups", "Wake-ups of the recorder", "wakeups", 5},
		{"recorder_lost", "Samples lost", "samples", 0}} { // those that come late are longer, and none is missing
		w.spread(capture.Meta{Name: c.name, Title: c.title, Unit: c.unit, Block: "recorder"}, 1,
			func(*window) float64 { return c.of * w.d.in(0.8, 1.3) })
	}
}
