package cpu

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recording is a capture in the making.
type recording struct {
	l       *load
	s       *sim
	r       simulate.Random
	t       *tape
	axis    *capture.Axis
	origin  int64
	rows    []int // of the tape, by sample of the capture
	first   int
	last    int
	command bool // the events are of the program alone
	without []string
	noise   float64 // of estimates
	reads   []int   // samples behind which /proc is read
	out     []*capture.Counter
}

// record simulates and makes a capture.
func (l *load) record(o simulate.Options) (*capture.Capture, error) {
	l.size()
	r := simulate.NewRandom(l.seed, "recording "+l.kind)
	period := time.Duration(simulate.Pick(r, 1, 2, 4, 4, 5, 8, 10, 16)) * time.Millisecond
	sets := l.m.sets()
	set := sets[0]
	if r.Chance(0.8) {
		set = sets[r.IntN(len(sets))]
	}
	way := r.Weighted([]float64{0.74, 0.16, 0.1}) // everything; of a command; /proc alone
	if len(set) > l.m.events && l.m.family != "hybrid" {
		period = time.Duration(simulate.Pick(r, 10, 16)) * time.Millisecond
	}
	if way == 2 {
		period = 10 * time.Millisecond
	}
	if o.Period > 0 {
		period = o.Period
	}
	if period < 8*time.Millisecond && len(set) > l.m.events && l.m.family != "hybrid" {
		set = sets[0]
	}
	late, missed := r.Between(0, 0.01), r.Between(0, 0.02)
	if o.Late != 0 {
		late = max(0, o.Late)
	}
	if o.Missed != 0 {
		missed = max(0, o.Missed)
	}
	usual := 2000.0
	if way == 2 {
		usual = 60_000
	}
	ns := float64(period.Nanoseconds())
	t := &tape{bounds: simulate.NewBounds(ns, simulate.Jitter(simulate.NewRandom(l.seed, "ticks "+l.kind), ns, usual, late, missed))}
	s := run(l.m, l.p, none, l.n, 0, false, t)
	c := &recording{l: l, s: s, r: r, t: t, command: way == 1}
	c.without = telling.Left(&o, telling.CPU)
	c.noise = 1
	if o.Noise != 0 {
		c.noise = max(0, o.Noise)
	}
	for _, w := range o.Withheld {
		c.without = append(c.without, direct(w)...)
	}
	cfg := capture.Config{GPU: "cpu", Name: "perfevent+procfs", Format: "astrolabe",
		Device: capture.Device{Name: l.m.model, Vendor: l.m.vendor, Driver: l.m.driver}}
	if !c.samples(&cfg, o.Gaps) {
		return nil, fmt.Errorf("%s %d: nothing was recorded", l.kind, l.seed)
	}
	cfg.Properties = l.m.properties()
	every := 400 * time.Millisecond
	switch {
	case way == 2:
		every = period
		cfg.Name = "procfs"
	case r.Chance(0.6):
		every = time.Duration(simulate.Pick(r, 20, 50, 100)) * time.Millisecond
	case r.Chance(0.5):
		every = 200 * time.Millisecond
	}
	every = max(every, period)
	if way != 2 {
		if period <= 4*time.Millisecond {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: "perfevent_idle_period", IsText: true,
				Text: "10ms: so often the counters of a CPU that has nothing to do are taken, and spread evenly over the samples"})
		}
		if every > period {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: "procfs_period", IsText: true, Text: fmt.Sprintf(
				"%v: the counters of procfs are read this often, and spread evenly over the samples", every)})
		}
	}
	c.schedule(every.Nanoseconds())
	if way != 2 {
		c.events(set)
	}
	// Whole groups that a person may leave out, or that a kernel does not have.
	lacks := map[string]bool{"pressure": r.Chance(0.15), "sensors": r.Chance(0.15)}
	c.procfs(lacks)
	if way != 2 || r.Chance(0.5) {
		c.own()
	}
	if o.Marks.Of(r.Chance(0.5)) {
		c.marks(&cfg)
	}
	cfg.Counters = c.out
	return capture.New(cfg)
}

// properties are what the recorder says of the machine.
func (m *machine) properties() []capture.Property {
	var out []capture.Property
	add := func(name string, v float64) { out = append(out, capture.Property{Name: name, Number: v}) }
	add("cpus_online", float64(m.cpus()))
	add("cpu_clusters", float64(len(m.groups)))
	for i, g := range m.cpuOf {
		add("cpu_cluster."+strconv.Itoa(i), float64(g))
	}
	if m.hasClock() {
		for i := range m.cpuOf {
			add("cpu_max_freq."+strconv.Itoa(i), math.Round(m.kind(i).max*1e9))
		}
	}
	return out
}

// hasClock reports whether the kernel tells the clock; in a virtual machine it does not.
func (m *machine) hasClock() bool { return m.driver != guest }

// samples lays the axis out.
func (c *recording) samples(cfg *capture.Config, holes int) bool {
	p, b := c.l.p, c.t.bounds
	start, end := c.s.frames[p.warm-1].end, c.s.frames[c.l.n-1].end
	c.first = b.Index(start)
	if b.At(c.first) < start {
		c.first++
	}
	c.last = b.Index(end)
	if c.last-c.first < 4 {
		return false
	}
	c.origin = b.At(c.first)
	c.axis = &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	skip := map[int]int{}
	for range holes {
		at := c.first + 1 + c.r.IntN(max(1, c.last-c.first-2))
		skip[at] = min(c.last-1, at+1+c.r.IntN(max(1, (c.last-c.first)/40)))
	}
	for i := c.first; i < c.last; i++ {
		if until, ok := skip[i]; ok && until > i {
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: b.At(i) - c.origin, End: b.At(until) - c.origin,
				Lost: uint64(until - i), Reason: capture.Reason{Code: capture.LostReports, Text: "records were lost"}})
			i = until - 1
			continue
		}
		from, to := b.At(i)-c.origin, b.At(i+1)-c.origin
		c.axis.Start, c.axis.End, c.rows = append(c.axis.Start, from), append(c.axis.End, to), append(c.rows, i)
		if n := b.Missed(i); n > 0 {
			cfg.Late = append(cfg.Late, capture.Gap{Start: from, End: to, Lost: uint64(n), Reason: capture.Reason{
				Code: capture.LostReports, Text: "the kernel's timer came late, as it does where a host takes the processor away, or the processor had nothing to do for a moment: this sample has the time and counts of several"}})
		}
	}
	c.t.row(c.last, 0) // so that rows without work are there
	c.housekeeping()
	cfg.Axis = c.axis
	return true
}

// schedule decides when /proc is read.
func (c *recording) schedule(every int64) {
	next := every
	for i := range c.rows {
		if c.axis.End[i] >= next || i == len(c.rows)-1 {
			c.reads = append(c.reads, i)
			for next <= c.axis.End[i] {
				next += every
			}
		}
	}
}

// wholes are counts of whole numbers that lose nothing.
func wholes(x []float64) []uint64 {
	out := make([]uint64, len(x))
	carry := 0.0
	for i, v := range x {
		v += carry
		n := math.Floor(v + 1e-9)
		if !(n > 0) {
			n = 0
		}
		carry = v - n
		out[i] = uint64(n)
	}
	return out
}

func (c *recording) left(name string) bool { return slices.Contains(c.without, name) }

// put adds a counter of instances, or a whole one where it has none.
func (c *recording) put(m capture.Meta, ids []string, values []capture.Data, turns []string) {
	if c.left(m.Name) {
		return
	}
	whole := &capture.Counter{Meta: m, Axis: c.axis}
	if ids == nil {
		if turns != nil {
			whole.TurnOf = turns[0]
		}
		whole.Col = capture.NewColumn(values[0])
		c.out = append(c.out, whole)
		return
	}
	for i, id := range ids {
		meta := m
		meta.Instance = id
		if turns != nil {
			meta.TurnOf = turns[i]
		}
		whole.Instances = append(whole.Instances, &capture.Counter{Meta: meta, Axis: c.axis, Col: capture.NewColumn(values[i])})
	}
	c.out = append(c.out, whole)
}

// each are the values of a row's cell over the samples.
func (c *recording) each(cpu int, f func(v *tally) float64) []float64 {
	out := make([]float64, len(c.rows))
	for i, row := range c.rows {
		out[i] = f(c.t.row(row, cpu))
	}
	return out
}

// read spreads counts over the samples between two readings. step is what the kernel counts in.
func (c *recording) read(exact []float64, step float64) []uint64 {
	out := make([]float64, len(exact))
	sum := c.r.Between(0, 1) * step
	before := math.Floor(sum/step) * step
	from := 0
	for _, at := range c.reads {
		for i := from; i <= at; i++ {
			sum += exact[i]
		}
		now := math.Floor(sum/step+1e-9) * step
		all := float64(c.axis.End[at] - c.axis.Start[from])
		for i := from; i <= at; i++ {
			out[i] = (now - before) * float64(c.axis.End[i]-c.axis.Start[i]) / all
		}
		if c.axis.End[at] > c.axis.Start[from] {
			gap := 0.0 // time between samples belongs to none
			for i := from; i <= at; i++ {
				gap += float64(c.axis.End[i]-c.axis.Start[i]) / all
			}
			for i := from; i <= at && gap > 0; i++ {
				out[i] /= gap
			}
		}
		before, from = now, at+1
	}
	return wholes(out)
}

// level holds what a reading showed over the samples up to it.
func (c *recording) level(f func(at int64) float64) []float64 {
	out := make([]float64, len(c.rows))
	from := 0
	for _, at := range c.reads {
		v := f(c.axis.End[at] + c.origin)
		for i := from; i <= at; i++ {
			out[i] = v
		}
		from = at + 1
	}
	return out
}

// marks adds regions and labels of iterations.
func (c *recording) marks(cfg *capture.Config) {
	n := c.axis.Len()
	codes := make([]int32, n)
	var dict []string
	k, code := -1, int32(-1)
	frames := c.s.frames[:c.l.n]
	for i := range n {
		middle := c.origin + (c.axis.Start[i]+c.axis.End[i])/2
		for k+1 < len(frames) && frames[k+1].begin <= middle {
			k, code = k+1, -1
		}
		if k >= 0 && code < 0 {
			dict = append(dict, strconv.Itoa(k))
			code = int32(len(dict) - 1)
		}
		codes[i] = code
	}
	cfg.Labels = append(cfg.Labels, &capture.Label{Name: "frame", Codes: codes, Dict: dict})
	_, end := c.axis.Extent()
	for i, f := range frames {
		until := end
		if i+1 < len(frames) {
			until = frames[i+1].begin - c.origin
		}
		if from := f.begin - c.origin; until > 0 && from < end {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from), End: min(end, until)})
		}
	}
}

// housekeeping adds what the kernel and sleeping programs do on every CPU beside the program: the simulation has none of
// it, because it takes less than a hundredth of the time.
func (c *recording) housekeeping() {
	m, b := c.l.m, c.t.bounds
	share := c.r.Log(0.0004, 0.004)
	for _, row := range c.rows {
		length := float64(b.At(row+1) - b.At(row))
		for cpu := range m.cpuOf {
			v := c.t.row(row, cpu)
			busy := max(0, length-v[kBusy]-v[kIOWait]) * share * c.r.ExpFloat64()
			k := m.kind(cpu)
			cycles := busy * k.max * max(k.min/k.max, 0.6*c.sensor(b.At(row)).share[m.cpuOf[cpu]])
			slots := cycles * k.width
			n := cycles * 0.55
			more := tally{kBusy: busy, kSystem: busy * 0.8, kCycles: cycles, kInstructions: n, kOps: n * 1.15,
				kBad: slots * 0.08, kFront: slots * 0.35, kMemory: slots * 0.25, kBack: slots*0.57 - n*1.15,
				kBranches: n * 0.2, kWrong: n * 0.006, kLoads: n * 0.4, kL1: n * 0.02, kL2: n * 0.006, kDRAM: n * 0.002,
				kFetches: n * 0.02, kPages: n * 0.002, kStillFront: cycles * 0.36, kStillBack: cycles * 0.3,
				kStillMemory: cycles * 0.25, kStillCore: cycles * 0.05, kSwitches: busy / 30e3}
			for i, x := range more {
				v[i] += x
			}
		}
	}
}
