package prometheus

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/exposition"
	"astrolabe/capture/progress"
)

// Encode writes the totals of c, or a value for each sample that a label names.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	e := &encoder{w: w, base: []exposition.Label{{Name: "capture", Value: c.Name}},
		by: exposition.Rows(c)}
	e.capture(c)
	meter := progress.From(ctx)
	meter.Begin(int64(len(c.Counters)), progress.Counters)
	for _, ctr := range c.Counters {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.counter(ctr)
		meter.Add(1)
	}
	return e.err
}

type encoder struct {
	w     io.Writer
	err   error
	names exposition.Names
	base  []exposition.Label // of every sample
	by    []exposition.Label // of the rows; nil where there are totals only
}

func (e *encoder) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

// family writes what a family is.
func (e *encoder) family(name, kind, help string) {
	e.printf("# HELP %s %s\n# TYPE %s %s\n", name, exposition.EscapeHelp(help), name, kind)
}

func (e *encoder) sample(name string, value string, labels ...exposition.Label) {
	e.printf("%s%s %s\n", name, exposition.Labels(append(e.base[:len(e.base):len(e.base)], labels...)...), value)
}

// capture writes what was measured, and for how long.
func (e *encoder) capture(c *capture.Capture) {
	family := e.names.Family("capture", "") + "_info"
	e.family(family, "gauge", "What was measured.")
	e.sample(family, "1", exposition.About(c)...)
	family = e.names.Family("capture_duration", "seconds")
	e.family(family, "gauge", "From the start of the first sample to the end of the last.")
	e.sample(family, exposition.Whole(big.NewInt(c.Duration()), 9))
	family = e.names.Family("capture_samples", "")
	e.family(family, "gauge", "How many samples the capture has.")
	samples := 0.0
	for i := range c.Len() {
		samples += c.Axis.Merged(i)
	}
	e.sample(family, exposition.Float(samples, 0))
}

// counter writes the totals of a counter, one for each instance if it has any, or its value in every sample.
func (e *encoder) counter(c *capture.Counter) {
	unit, power := exposition.Unit(c.Unit)
	parts := exposition.Parts(c)
	var values [][]capture.Value // by part and row
	kind, suffix, missing := "gauge", "", ""
	if c.Kind == capture.Delta {
		kind, suffix = "counter", "_total"
	}
	for _, p := range parts {
		list := []capture.Value{p.Total()}
		if e.by != nil {
			list = list[:0]
			for i := range p.Len() {
				list = append(list, p.Value(i))
			}
		}
		for i, v := range list {
			if !v.Missing() && (v.Float() < 0 || math.IsInf(v.Float(), 0)) {
				kind, suffix = "gauge", "" // a counter never falls
			}
			if at := i; v.Missing() && missing == "" {
				if e.by == nil {
					at = -1
				}
				why, _ := p.Why(at)
				missing = why.String()
			}
		}
		values = append(values, list)
	}
	family := e.names.Family(c.Name, unit) + suffix
	e.family(family, kind, exposition.Help(c, missing))
	places := exposition.Places(c, parts)
	for k := range parts {
		for i, v := range values[k] {
			if v.Missing() {
				continue
			}
			labels := places[k]
			if e.by != nil {
				labels = append(labels[:len(labels):len(labels)], e.by[i])
			}
			e.sample(family, exposition.Number(v, power), labels...)
		}
	}
}
