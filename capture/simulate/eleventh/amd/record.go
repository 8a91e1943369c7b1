package amd

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// row is a sample that the recorder got an answer for.
type row struct {
	measured
	sample *sample
	at     int // of the program
}

// runs simulates every sample once. Some rows are lost: samples whose result never came, and whole stretches of them.
func (p *program) runs(o simulate.Options, r *random) []row {
	missed := .0
	if o.Missed > 0 {
		missed = o.Missed
	} else if o.Missed == 0 && r.chance(.2) && p.phases == nil { // the samples of phases are counted
		missed = .01
	}
	lost := make([]bool, len(p.samples))
	for range o.Gaps {
		n := max(1, len(lost)/40)
		for i := range n {
			lost[(r.whole(0, len(lost)-n) + i)] = true
		}
	}
	var rows []row
	var s simulator
	v := usual()
	for i := range p.samples {
		x := &p.samples[i]
		if r.chance(missed) || lost[i] {
			continue
		}
		out := *s.run(x.pass.plan(&p.dev, x.seed, x.factor), &v)
		rows = append(rows, row{p.measure(x, &out), x, i})
	}
	return rows
}

// replay is how a run of the work in one pass of the measurement differs from another: its clocks, and its counts.
type replay struct{ length, level float64 }

func replayed(r *random, noise float64) replay {
	return replay{r.near(.012 * noise), r.near(.004 * noise)}
}

func (p *program) record(o simulate.Options) (*capture.Capture, error) {
	r := newRandom(hashText(p.name), hashText(p.kind), p.seed, 7)
	noise := 1.0
	if o.Noise != 0 {
		noise = max(0, o.Noise)
	}
	if p.name == haloName {
		o.Without = telling.Left(&o, telling.RDNA)
		return p.recordHalo(o, r, noise)
	}
	o.Without = telling.Left(&o, telling.GPA)
	return p.recordGPA(o, r, noise)
}

// groups are those that a recorder may leave out.
var groups = []string{"TD", "TAfilter", "SQC", "GCEA", "SC", "SPI", "SQinsts", "CB", "GE"}

func (p *program) recordGPA(o simulate.Options, r *random, noise float64) (*capture.Capture, error) {
	marks := o.Marks.Of(r.chance(.5))
	var left []string
	for _, g := range groups {
		if r.chance(.07) {
			left = append(left, g)
		}
	}
	form := r.whole(0, 2) // counters of clocks, shares of the time, or both
	stated, counted := r.chance(.6), r.chance(.4)
	rows := p.runs(o, r)
	axis := &capture.Axis{Clock: "samples"}
	replays := map[string][]replay{}
	pass := func(group string) []replay {
		if replays[group] == nil {
			g := newRandom(p.seed, hashText(group), hashText(p.kind))
			for range rows {
				replays[group] = append(replays[group], replayed(g, noise))
			}
		}
		return replays[group]
	}
	now := int64(0)
	times := make([]float64, len(rows))
	for i, x := range pass("CPF") {
		times[i] = math.Round(rows[i].ns*x.length/10) * 10 // the clock of timestamps has 100 MHz
		axis.Start = append(axis.Start, now)
		now += int64(times[i])
		axis.End = append(axis.End, now)
	}
	cat, err := metrics.Get("amd-gpa-rdna")
	if err != nil {
		return nil, err
	}
	cfg := capture.Config{Name: "session", Path: "session.csv", Format: "gpa", GPU: "amd-gpa-rdna", Axis: axis,
		Warnings: []string{"the file has no times: samples follow each other, each as long as its GPUTime"}}
	add := func(name string, values []float64) {
		e := cat.Titled(name)
		m := capture.Meta{Name: name, Title: name, Source: "gpa", GPU: cfg.GPU}
		if e != nil {
			m.Unit, m.Doc = e.Unit, e.Doc
			if m.Kind = e.Kind; m.Kind == capture.Derived {
				m.Kind = capture.Delta
			}
			if e.Usage == "percentage" || e.Usage == "ratio" {
				m.Kind = capture.Gauge
			}
		}
		for i, v := range values {
			values[i] = math.Round(v*1e6) / 1e6
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: m, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: values})})
	}
	add("GPUTime", times)
	for _, c := range columns() {
		switch {
		case c.only != "" && c.only != p.dev.generation, slices.Contains(left, c.group), tells(c.of, o.Withheld),
			slices.Contains(o.Without, c.name), form == 0 && c.form == share && c.name != "GPUBusy", form == 1 && c.form == cycles && c.name != "GPUBusyCycles":
			continue
		}
		values := make([]float64, len(rows))
		replays := pass(c.group)
		for i := range rows {
			values[i] = p.value(&c, &rows[i], replays[i])
		}
		add(c.name, values)
	}
	session, number := make([]string, len(rows)), make([]string, len(rows))
	for i, x := range rows {
		session[i], number[i] = "1", strconv.Itoa(x.at)
		if marks {
			session[i], number[i] = strconv.Itoa(x.sample.frame+1), strconv.Itoa(x.sample.index)
		}
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", session, nil), capture.NewLabel("sample", number, nil)}
	if stated {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "generation", Text: p.dev.generation, IsText: true},
			capture.Property{Name: "api", Text: "vk", IsText: true})
	}
	if counted {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "num_cus", Number: p.dev.cus})
	}
	if o.Without != nil && slices.Contains(o.Without, "GPUTime") {
		return nil, fmt.Errorf("amd: samples have no length without GPUTime")
	}
	return capture.New(cfg)
}

// value is a counter's in one sample, in the run of its pass.
func (p *program) value(c *column, x *row, run replay) float64 {
	v := c.value(&x.measured, &p.dev)
	if !(v > 0) {
		return 0
	}
	clocks := x.clocks * run.length
	switch c.form {
	case count:
		return math.Floor(v * run.level)
	case ratio:
		return v
	}
	v = min(clocks, v*run.length*(1+(run.level-1)*1.5))
	switch {
	case c.form == share && c.name == "GPUBusy":
		return 100 * p.dev.cpfBusy
	case c.form == share:
		return 100 * v / clocks
	case len(c.name) > 4 && c.name[len(c.name)-4:] == "Time":
		return v / clocks * x.ns * run.length
	}
	return math.Floor(v)
}
