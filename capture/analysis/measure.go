package analysis

import (
	"context"
	"math"
	"slices"

	"astrolabe/capture"
)

// Measured is one counter or metric of one part of a capture, by the numbers that Compare judges.
type Measured struct {
	Part      string // kernel, region; "" is the whole capture
	Name      string
	Title     string
	Unit      string // of Value
	Kind      string // of the counter; "derived" of a metric, "duration" of how long something took
	Basis     string // as Row.Basis
	Direction string // as Row.Direction
	Value     float64
	Why       string  // of a missing value
	Total     float64 // of what adds up: the sum over the part, in TotalUnit; else NaN
	TotalUnit string
	Error     float64 // the standard error of Value within the part; NaN where it is not known
	Blocks    int     // stretches behind Error
	Missing   float64 // fraction of the samples without a value
	Seconds   float64 // that the part was measured for
}

// Measure is what Compare knows of one capture: every counter and metric of each part, the parts in order of their
// first appearance. Parts and values are made as in Compare, so that a difference of two of them is the one that it
// reports. more takes one part at a time.
func Measure(ctx context.Context, c *capture.Capture, opt Options, more func([]Measured) error) error {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return err
	}
	caps := []*capture.Capture{c}
	res := &Result{Options: opt}
	if err := res.checkDevices(caps); err != nil {
		return err
	}
	parts, _, err := align(caps, opt)
	if err != nil {
		return err
	}
	for _, row := range parts {
		list, err := measurePart(ctx, row[0], opt)
		if err != nil {
			return err
		}
		if err := more(list); err != nil {
			return err
		}
	}
	return nil
}

func measurePart(ctx context.Context, p part, opt Options) ([]Measured, error) {
	list, _, err := subjects([]*capture.Capture{p.cap}, opt)
	if err != nil {
		return nil, err
	}
	length := &subject{name: durationName, direction: "less", counters: make([]*capture.Counter, 1)}
	named := slices.ContainsFunc(list, func(s *subject) bool { return s.name == durationName })
	if !named && (len(opt.Metrics) == 0 || slices.ContainsFunc(opt.Metrics, length.matches)) {
		list = append([]*subject{length}, list...)
	}
	x := newRun(p, 0, list, opt, opt.Seed)
	if err := x.prepare(ctx); err != nil {
		return nil, err
	}
	extensive := make([]bool, len(list))
	for k := range list {
		extensive[k] = x.values[k].extensive
	}
	x.normalise(extensive)
	if err := x.spread(ctx); err != nil {
		return nil, err
	}
	seconds := 0.0
	for _, s := range p.cells.seconds {
		seconds += s
	}
	out := make([]Measured, len(list))
	for k, s := range list {
		v, c := &x.values[k], s.counters[0]
		m := Measured{Part: p.name, Name: s.name, Title: "Duration", Unit: "s", Kind: "duration",
			Direction: s.direction, Value: v.v, Why: v.why, Total: math.NaN(), Error: math.Sqrt(v.variance),
			Blocks: v.blocks, Missing: v.missing, Seconds: seconds}
		if c != nil {
			m.Title, m.Unit, m.Kind = c.Title, c.Unit, c.Kind.String()
		}
		if v.extensive || c == nil {
			m.Total, m.TotalUnit = v.total, m.Unit
		}
		m.Basis, m.Unit = basisOf(c, p.cells.per, v.extensive, m.Unit)
		switch {
		case m.Value != m.Value && m.Why == "":
			m.Why = "no value"
		case m.Value == m.Value && !v.adds:
			m.Value, m.Error, m.Total = math.NaN(), math.NaN(), math.NaN()
			m.Why = "the formula has no meaning over several samples"
		}
		out[k] = m
	}
	return out, nil
}
