package cpu

import (
	"fmt"
	"math"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recording is a capture in the making.
type recording struct {
	s       *session
	o       *simulate.Options
	rnd     simulate.Random
	cfg     capture.Config
	tallies *tallies
	mixes   []mix
	left    map[string]bool
	// By what the processor's own accounting of slots is off.
	frontOff, badOff, memoryOff float64
	// How often in a ns that it runs, by sample, a thread gives its processor to something else of the machine: the
	// kernel's workers, the recorder, other programs. A few times a second on a quiet machine, more than a hundred on others.
	others []float64
	// The kernel has a driver for clocks, whose files tell of the highest and of the one that is set. Guests have none.
	clocked bool
}

// record makes the capture that a recorder makes of the program's perf events, of /proc and of /sys.
func (s *session) record(o *simulate.Options) (*capture.Capture, error) {
	r := &recording{s: s, o: o, rnd: simulate.NewRandom(s.seed, s.family+" "+s.kind+" counters"), left: map[string]bool{}}
	for _, name := range telling.Left(o, telling.CPU) {
		r.left[name] = true
	}
	r.frontOff, r.badOff, r.memoryOff = r.rnd.Between(0.82, 1.1), r.rnd.Between(0.8, 1.15), r.rnd.Between(0.8, 1)
	period := s.period
	if o.Period > 0 {
		period = float64(o.Period.Nanoseconds())
	}
	// Programs follow each other without a gap: of each, what is judged.
	var spans []judged
	var frames [][2]float64
	total := 0.0
	for i := range s.programs {
		j := s.plain(i, nil)
		spans = append(spans, j)
		for k := j.first; k < len(j.out.items); k++ {
			frames = append(frames, [2]float64{j.out.items[k-1] - j.start + total, j.out.items[k] - j.start + total})
		}
		total += j.end - j.start
	}
	late, missed := share01(o.Late, 0.01), share01(o.Missed, 0.004)
	bounds := simulate.NewBounds(period, simulate.Jitter(r.rnd, period, r.rnd.Between(2e3, 4e4), late, missed))
	n := 0
	for float64(bounds.At(n+1)) < total {
		n++
	}
	n = max(n, 2)
	t := &tallies{s: s, all: make([]tally, n), rnd: r.rnd}
	for i := range n + 1 {
		t.bounds = append(t.bounds, float64(bounds.At(i)))
	}
	r.tallies = t
	for _, p := range s.programs {
		r.mixes = append(r.mixes, p.mixes...)
	}
	first, before := 0, 0.0
	for i, p := range s.programs {
		t.begin(p, &spans[i], before, len(r.mixes))
		s.plain(i, t.watch(first))
		t.events(spans[i].out)
		first += len(p.mixes)
		before += spans[i].end - spans[i].start
	}
	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	holes := r.holes(n)
	var kept []tally
	for i := range n {
		t.all[i].start, t.all[i].end = t.bounds[i], t.bounds[i+1]
		if holes[i] {
			continue
		}
		kept = append(kept, t.all[i])
		axis.Start, axis.End = append(axis.Start, bounds.At(i)), append(axis.End, bounds.At(i+1))
		if m := bounds.Missed(i); m > 0 {
			r.cfg.Late = append(r.cfg.Late, capture.Gap{Start: bounds.At(i), End: bounds.At(i + 1), Lost: uint64(m),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder was not run in time"}})
		}
	}
	t.all = kept
	others := simulate.NewRandom(s.seed, s.family+" "+s.kind+" others")
	for rate := others.Log(2e-9, 150e-9); len(r.others) < len(kept); {
		r.others = append(r.others, rate*others.Spread(0.5))
	}
	r.cfg.Name, r.cfg.Format, r.cfg.GPU, r.cfg.Axis = fmt.Sprintf("%s-%d", s.kind, s.seed), "simulated", "cpu", axis
	r.cfg.Device = capture.Device{Name: s.m.name, Vendor: s.m.vendor, Driver: "Linux 6.8.0"}
	r.describe()
	r.perf()
	if o.Host.Of(r.rnd.Chance(0.85)) {
		r.proc()
	}
	if o.Marks.Of(r.rnd.Chance(0.4)) {
		r.mark(frames)
	}
	return capture.New(r.cfg)
}

// holes are samples that are lost, in as many stretches as were asked for.
func (r *recording) holes(n int) []bool {
	out := make([]bool, n)
	for range r.o.Gaps {
		first := 1 + r.rnd.IntN(max(1, n-2))
		last := min(n-1, first+1+int(r.rnd.ExpFloat64()*float64(n)/40))
		for i := first; i < last; i++ {
			out[i] = true
		}
		if last > first {
			r.cfg.Gaps = append(r.cfg.Gaps, capture.Gap{Start: int64(r.tallies.bounds[first]), End: int64(r.tallies.bounds[last]),
				Lost: uint64(last - first), Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder's buffer was full"}})
		}
	}
	return out
}

// share01 is an option's share, or the one that is usual where it is left open.
func share01(x, usual float64) float64 {
	switch {
	case x < 0:
		return 0
	case x == 0:
		return usual
	}
	return x
}

// describe states the machine.
func (r *recording) describe() {
	m := r.s.m
	add := func(name string, x float64) {
		r.cfg.Properties = append(r.cfg.Properties, capture.Property{Name: name, Number: x})
	}
	add("cpus_online", float64(m.cores))
	add("cpu_clusters", 1)
	for i := range m.cores {
		add("cpu_cluster."+strconv.Itoa(i), 0)
	}
	if r.clocked = r.rnd.Chance(0.8); r.clocked {
		for i := range m.cores {
			add("cpu_max_freq."+strconv.Itoa(i), math.Round(m.ghz*1e6)*1e3)
		}
	}
}

// mark names frames, as programs with marks do.
func (r *recording) mark(frames [][2]float64) {
	axis := r.cfg.Axis
	texts := make([]string, axis.Len())
	k := 0
	for i := range texts {
		middle := float64(axis.Start[i]+axis.End[i]) / 2
		for k+1 < len(frames) && frames[k][1] <= middle {
			k++
		}
		texts[i] = strconv.Itoa(k)
	}
	r.cfg.Labels = append(r.cfg.Labels, capture.NewLabel("frame", texts, nil))
	_, end := axis.Extent()
	for i, f := range frames {
		if f[0] < float64(end) {
			r.cfg.Regions = append(r.cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: int64(f[0]), End: min(end, int64(f[1]))})
		}
	}
}

// add adds a counter of whole numbers, or a gauge.
func (r *recording) add(c *capture.Counter) {
	if !r.left[c.Name] {
		c.Axis, c.GPU = r.cfg.Axis, "cpu"
		for _, in := range c.Instances {
			in.Axis, in.GPU = r.cfg.Axis, "cpu"
		}
		r.cfg.Counters = append(r.cfg.Counters, c)
	}
}

func (r *recording) delta(name, title, unit, block, source string, step float64, of func(i int) float64) {
	c := counted{unit: step}
	for i, x := range r.tallies.all {
		c.add(of(i))
		// What the file is ahead of the sample's clock comes with the next sample.
		for v := &c.values[i]; step == pressureUnit && float64(*v) > x.end-x.start; c.carry += step {
			*v -= pressureUnit
		}
	}
	r.add(&capture.Counter{Meta: capture.Meta{Name: name, Title: title, Unit: unit, Block: block, Source: source},
		Col: capture.NewColumn(capture.Data{U: c.values})})
}

func (r *recording) gauge(meta capture.Meta, of func(i int) float64) {
	v := make([]float64, len(r.tallies.all))
	for i := range v {
		v[i] = of(i)
	}
	meta.Kind, meta.Source = capture.Gauge, "procfs"
	r.add(&capture.Counter{Meta: meta, Col: capture.NewColumn(capture.Data{F: v})})
}
