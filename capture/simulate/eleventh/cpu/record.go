package cpu

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// record makes the capture that a person with our recorder would have of the case.
func (x *made) record(o simulate.Options) (*capture.Capture, error) {
	k := simulate.NewRandom(x.seed, "record")
	period := simulate.Pick(k, 1e6, 2e6, 4e6, 5e6, 10e6, 16e6)
	if o.Period > 0 {
		period = float64(o.Period)
	}
	late, missed := 0.01, 0.003
	late, missed = choose(o.Late, late), choose(o.Missed, missed)
	alone := k.Chance(0.35)
	marks := o.Marks.Of(k.Chance(0.5))
	slow := simulate.Pick(k, period, max(period, 20e6), 200e6) // of /proc
	events := x.events(k, alone)

	frames := x.times()
	s := x.stretches(frames)[0]
	from, to := frames.bounds(s)
	b := simulate.NewBounds(period, simulate.Jitter(k, period, 8e3, late, missed))
	w := newMeter(x.m, b, from, alone)
	x.base(w)
	for cpu := range x.m.cpus {
		w.settle(to, cpu)
	}
	n := b.Index(to - from)
	if n < 4 {
		return nil, fmt.Errorf("a capture of %d samples", n)
	}
	w.row(n)

	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	cfg := x.config(axis)
	skip := map[int]int{}
	for range o.Gaps {
		at := 1 + k.IntN(max(1, n-3))
		skip[at] = min(n-1, at+2+k.IntN(max(1, n/40)))
	}
	var rows []int
	for i := 0; i < n; i++ {
		if until, ok := skip[i]; ok {
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: b.At(i), End: b.At(until), Lost: uint64(until - i),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder did not get to run"}})
			i = until - 1
			continue
		}
		rows = append(rows, i)
		axis.Start, axis.End = append(axis.Start, b.At(i)), append(axis.End, b.At(i+1))
		if miss := b.Missed(i); miss > 0 {
			cfg.Late = append(cfg.Late, capture.Gap{Start: b.At(i), End: b.At(i + 1), Lost: uint64(miss),
				Reason: capture.Reason{Code: capture.LostReports, Text: "ticks passed without a sample"}})
		}
	}
	without := telling.Left(&o, telling.CPU)
	c := &recording{x: x, k: k, w: w, rows: rows, axis: axis, n: n, slow: slow}
	for _, e := range events {
		if !slices.Contains(without, e.name) {
			cfg.Counters = append(cfg.Counters, c.event(e, alone))
		}
	}
	for _, ctr := range c.proc() {
		if !slices.Contains(without, ctr.Name) {
			cfg.Counters = append(cfg.Counters, ctr)
		}
	}
	if marks {
		mark(&cfg, frames, from, to)
	}
	return capture.New(cfg)
}

func choose(asked, usual float64) float64 {
	switch {
	case asked < 0:
		return 0
	case asked > 0:
		return asked
	}
	return usual
}

func (x *made) config(axis *capture.Axis) capture.Config {
	m := x.m
	cfg := capture.Config{Name: "perfevent+procfs", Format: "arrow", GPU: "cpu", Axis: axis,
		Device:    capture.Device{Name: m.model, Vendor: m.vendor, Driver: "Linux " + m.kernel},
		StartTime: time.Date(2026, 11, 3, 9, 0, int(x.seed%3600), 0, time.UTC)}
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	clusters := 1.0
	if m.slow(len(m.cpus) - 1) {
		clusters = 2
	}
	add("cpus_online", float64(len(m.cpus)))
	add("cpu_clusters", clusters)
	for i := range m.cpus {
		cluster := 0.0
		if m.slow(i) {
			cluster = 1
		}
		add(fmt.Sprintf("cpu_cluster.%d", i), cluster)
	}
	for i, d := range m.cpus {
		add(fmt.Sprintf("cpu_max_freq.%d", i), d.maxHz)
	}
	return cfg
}

// mark adds what the program's marks of frames make.
func mark(cfg *capture.Config, r *run, from, to int64) {
	label := &capture.Label{Name: "frame"}
	var starts []int64
	first := 0
	for i, f := range r.frames {
		if f.done >= from && f.done < to {
			if len(starts) == 0 {
				first = i + 1
			}
			starts = append(starts, f.done-from)
		}
	}
	_, end := cfg.Axis.Extent()
	for i, at := range starts {
		until := end
		if i+1 < len(starts) {
			until = min(end, starts[i+1])
		}
		label.Dict = append(label.Dict, strconv.Itoa(first+i))
		if until > at {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(first+i), Start: at, End: until})
		}
	}
	for i := range cfg.Axis.Start {
		middle := (cfg.Axis.Start[i] + cfg.Axis.End[i]) / 2
		label.Codes = append(label.Codes, int32(sort.Search(len(starts), func(j int) bool { return starts[j] > middle })-1))
	}
	cfg.Labels = append(cfg.Labels, label)
}

// recording makes columns.
type recording struct {
	x    *made
	k    simulate.Random
	w    *meter
	rows []int
	axis *capture.Axis
	n    int
	slow float64
}

// whole turns quantities into whole numbers that lose nothing.
func wholeNumbers(v []float64, rows []int) []uint64 {
	out := make([]uint64, 0, len(rows))
	carry := 0.0
	for _, i := range rows {
		y := v[i] + carry
		n := math.Floor(y + 1e-9)
		carry = y - n
		out = append(out, uint64(max(0, n)))
	}
	return out
}

// series is a meter's values by sample, of a CPU, or of all where it is below 0.
func (c *recording) series(of func(row []float64) float64, cpu int) []float64 {
	out := make([]float64, c.n)
	for i := range out {
		for k := range c.w.cpus {
			if cpu < 0 || k == cpu {
				out[i] += of(c.w.rows[i][k*metersN : (k+1)*metersN])
			}
		}
	}
	return out
}

func (c *recording) event(e perfEvent, alone bool) *capture.Counter {
	out := &capture.Counter{Meta: e.meta(), Axis: c.axis}
	if e.gauge != nil {
		return e.gauge(c, out)
	}
	if alone {
		out.Col = capture.NewColumn(capture.Data{U: wholeNumbers(c.series(e.of, -1), c.rows)})
		return out
	}
	for cpu := range c.w.cpus {
		if e.unit != "" && c.x.m.unit(cpu) != e.unit {
			continue
		}
		v := c.series(e.of, cpu)
		if e.wall {
			for i := range v {
				v[i] = float64(c.w.b.At(i+1) - c.w.b.At(i))
			}
		}
		m := out.Meta
		m.Instance = strconv.Itoa(cpu)
		out.Instances = append(out.Instances, &capture.Counter{Meta: m, Axis: c.axis,
			Col: capture.NewColumn(capture.Data{U: wholeNumbers(v, c.rows)})})
	}
	return out
}
