package export

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
)

// Options say what of a capture is to be seen. The zero value is all that was measured, as it was sampled.
type Options struct {
	// Metrics are names of metrics, in any spelling, and globs over names and titles; All is every metric of the
	// capture's catalogues. A counter that is named takes part as well.
	Metrics []string
	// Select are names and globs of measured counters. nil is all of them, or none beside Metrics.
	Select []string
	// Instances adds those of metrics, such as of each core; those of counters take part always.
	Instances bool
	// Resample is the period of the samples in ns, 0 for those of the capture.
	Resample int64
	// By makes a sample of each frame, "frame", of each value of a label, "kernel" or "label:NAME", or of all, Whole.
	By string
	// Defined are metrics of the caller's own.
	Defined []*metrics.Entry
}

// All is the name of every metric, and Whole is by what there is one sample.
const (
	All   = "all"
	Whole = "capture"
)

// plain reports whether nothing is asked for.
func (o *Options) plain() bool {
	return len(o.Metrics) == 0 && o.Select == nil && o.Resample == 0 && o.By == ""
}

// Check finds what makes no sense whatever the capture is.
func (o *Options) Check() error {
	switch {
	case o.Resample < 0:
		return fmt.Errorf("a period of %d ns: it must be positive", o.Resample)
	case o.Resample > 0 && o.By != "":
		return fmt.Errorf("samples of a period or by %s: choose one", o.By)
	case o.Instances && len(o.Metrics) == 0:
		return errors.New("instances of no metrics: name the metrics")
	case o.By != "" && o.By != Whole:
		_, err := parseBy(o.By)
		return err
	}
	return nil
}

// View is what is to be seen of a capture. Where nothing is asked for it is the capture itself.
func View(ctx context.Context, c *capture.Capture, opt Options) (*capture.Capture, error) {
	if err := opt.Check(); err != nil || opt.plain() {
		return c, err
	}
	m, extra, err := samples(c, &opt)
	if err != nil {
		return nil, err
	}
	named, err := opt.metrics(m)
	if err != nil {
		return nil, err
	}
	chosen, err := opt.measured(m)
	if err != nil {
		return nil, err
	}
	derived, err := evaluated(ctx, m, named, opt.Instances)
	if err != nil {
		return nil, err
	}
	return m.With(func(cfg *capture.Config) {
		cfg.Counters = once(slices.Concat(extra, derived, chosen))
		cfg.Passes = used(cfg.Passes, cfg.Counters)
	})
}

// used are the passes that counters were measured in.
func used(passes []*capture.Pass, counters []*capture.Counter) (out []*capture.Pass) {
	in := map[*capture.Pass]bool{}
	for _, c := range counters {
		in[c.Pass] = true
		for _, one := range c.Instances {
			in[one.Pass] = true
		}
	}
	for _, p := range passes {
		if in[p] {
			out = append(out, p)
		}
	}
	return out
}

// parseBy is the label of "kernel" and "label:NAME", and "" of "frame".
func parseBy(text string) (label string, err error) {
	by, label, err := analysis.ParseBy(text)
	if err != nil || by != analysis.ByFrame && by != analysis.ByLabel {
		hint := ""
		if name := strings.TrimPrefix(text, "label "); name != "" && !strings.Contains(name, ":") {
			hint = " (by the label " + name + ": label:" + name + ")"
		}
		return "", fmt.Errorf("by %q: use frame, kernel, label:NAME or %s%s", text, Whole, hint)
	}
	return label, nil
}

// samples is the capture in the stretches that are asked for. extra are counters that describe the stretches.
func samples(c *capture.Capture, opt *Options) (m *capture.Capture, extra []*capture.Counter, err error) {
	switch {
	case opt.Resample > 0:
		m, err = c.Resample(opt.Resample)
		return m, nil, err
	case opt.By == "":
		return c, nil, nil
	case opt.By == Whole:
		m, err = analysis.MergeAll(c)
		return m, nil, err
	}
	label, err := parseBy(opt.By)
	if err != nil {
		return nil, nil, err
	}
	if label == "" {
		m, err = analysis.PerFrame(c)
	} else {
		m, err = analysis.MergeLabel(c, label)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case m == nil && label == "":
		return nil, nil, errors.New(
			"it has no frames: neither regions called \"frame N\" nor a label frame (record --marks writes them)")
	case m == nil:
		return nil, nil, fmt.Errorf("no sample has a value of the label %s", label)
	}
	for _, ctr := range m.Counters {
		if c.Counter(ctr.Name) == nil {
			extra = append(extra, ctr)
		}
	}
	return m, extra, nil
}

// evaluated are the counters as values: those that were measured as they are in the stretches, metrics evaluated on
// their operands' totals.
func evaluated(ctx context.Context, m *capture.Capture, list []*capture.Counter, instances bool) ([]*capture.Counter, error) {
	var derived []*capture.Counter
	for _, c := range list {
		if c.Der == nil {
			continue
		}
		derived = append(derived, c)
		if instances {
			derived = append(derived, c.Instances...)
		}
	}
	if err := memory.Room(8 * uint64(len(derived)) * uint64(m.Len())); err != nil {
		return nil, fmt.Errorf("the values of %d metrics: %w: name fewer metrics, or use a longer period", len(derived), err)
	}
	additive := make([]bool, len(derived))
	for i, c := range derived {
		additive[i] = formula.Additive(c.Der)
	}
	values, err := metrics.Floats(ctx, derived)
	if err != nil {
		return nil, err
	}
	out := make([]*capture.Counter, 0, len(list))
	next := func() *capture.Counter {
		one := valuesOf(derived[0], values[0], additive[0], m)
		derived, values, additive = derived[1:], values[1:], additive[1:]
		return one
	}
	for _, c := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.Der == nil {
			out = append(out, merged(m, c))
			continue
		}
		one := next()
		if instances {
			for range c.Instances {
				one.AddInstance(next())
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// merged is a counter of the capture, such as an instance, which has a place of its own here.
func merged(m *capture.Capture, c *capture.Counter) *capture.Counter {
	if c == m.Counter(c.Name) {
		return c
	}
	out := c.Clone()
	out.Axis, out.Pass = m.Axis, passOf(m, c.Pass)
	return out
}

// passOf is the pass of a capture that another one became, nil where it has none such.
func passOf(c *capture.Capture, p *capture.Pass) *capture.Pass {
	for _, have := range c.Passes {
		if p != nil && have.ID == p.ID {
			return have
		}
	}
	return nil
}

// asLevel is the warning of a metric that is kept as values and does not add up.
const asLevel = "saved as values per sample: its total is their mean over time, " +
	"no longer the formula on the totals of its inputs"

// valuesOf is a metric as the values of its samples, with the reasons of those that are missing: a count where these add
// up, else a level.
func valuesOf(c *capture.Counter, v []float64, additive bool, of *capture.Capture) *capture.Counter {
	m := c.Meta
	warnings := append(append([]string(nil), c.Warnings...), c.Der.Warnings()...)
	if m.Kind, m.Combine = capture.Delta, capture.CombineSum; !additive {
		m.Kind, m.Combine = capture.Gauge, capture.CombineMean
		warnings = append(warnings, asLevel)
	}
	if m.Expr == "" {
		m.Expr = c.Der.Expr()
	}
	return &capture.Counter{Meta: m, Axis: of.Axis, Col: capture.NewColumn(capture.Data{F: v}), Pass: passOf(of, c.Pass),
		Reasons: reasons(c, v), Warnings: warnings}
}

// reasons say why values are missing. What is missing everywhere has one reason, that of the total.
func reasons(c *capture.Counter, v []float64) (out []capture.ReasonRun) {
	some := false
	for _, x := range v {
		if some = x == x; some {
			break
		}
	}
	if !some && len(v) > 0 {
		if why, ok := c.Why(-1); ok {
			return []capture.ReasonRun{{From: 0, To: len(v), Reason: why}}
		}
	}
	for i, x := range v {
		if x == x {
			continue
		}
		why := c.Der.Why(i)
		if n := len(out) - 1; n >= 0 && out[n].To == i && out[n].Reason == why {
			out[n].To++
			continue
		}
		out = append(out, capture.ReasonRun{From: i, To: i + 1, Reason: why})
	}
	return out
}
