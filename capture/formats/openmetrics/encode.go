package openmetrics

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/exposition"
	"astrolabe/capture/progress"
)

// Encode writes the samples of c.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	e := &encoder{w: w, base: []exposition.Label{{Name: "capture", Value: c.Name}},
		by: exposition.Rows(c)}
	if err := e.times(c); err != nil {
		return err
	}
	e.capture(c)
	for _, l := range c.Labels {
		if !l.Unique {
			e.label(l)
		}
	}
	meter := progress.From(ctx)
	meter.Begin(int64(len(c.Counters)), progress.Counters)
	for _, ctr := range c.Counters {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.counter(ctr); err != nil {
			return err
		}
		meter.Add(1)
	}
	e.printf("# EOF\n")
	return e.err
}

type encoder struct {
	w     io.Writer
	err   error
	names exposition.Names
	base  []exposition.Label // of every sample
	begin string             // the time of the first start
	at    []string           // of the end of each sample
	by    []exposition.Label // of each sample, where a label names them; else nil
}

func (e *encoder) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

// times spells the times of all samples, and looks whether a Prometheus tells them apart.
func (e *encoder) times(c *capture.Capture) error {
	zero := int64(0)
	if !c.StartTime.IsZero() {
		zero = c.StartTime.UnixNano()
	}
	ms := func(ns int64) int64 { return int64(math.Round(float64(zero+ns) / 1e6)) }
	start, _ := c.Axis.Extent()
	last := ms(start)
	e.begin = timeText(last)
	for i, end := range c.Axis.End {
		t := ms(end)
		if t <= last && e.by == nil {
			before := "it starts"
			if i > 0 {
				before = fmt.Sprintf("sample %d does", i-1)
			}
			return fmt.Errorf(
				"%w: sample %d ends in the same millisecond in which %s, and a Prometheus keeps one value for each: "+
					"write longer samples, such as with --resample 10ms (resample=\"10ms\" in scripts)",
				formats.ErrUnsuitable, i, before)
		}
		last = t
		e.at = append(e.at, timeText(t))
	}
	return nil
}

// timeText is a time of whole milliseconds in seconds. Prometheus multiplies what it reads by 1000 and cuts off the
// rest, so that it is the least number which comes to the millisecond that is meant.
func timeText(ms int64) string {
	seconds := float64(ms) / 1000
	for int64(seconds*1000) < ms {
		seconds = math.Nextafter(seconds, math.Inf(1))
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64)
}

// family writes what a family is.
func (e *encoder) family(name, kind, unit, help string) {
	e.printf("# TYPE %s %s\n", name, kind)
	if unit != "" {
		e.printf("# UNIT %s %s\n", name, unit)
	}
	e.printf("# HELP %s %s\n", name, exposition.Escape(help))
}

// series are the labels of a sample, ready to be written.
func (e *encoder) series(name string, labels ...exposition.Label) string {
	return name + exposition.Labels(append(e.base[:len(e.base):len(e.base)], labels...)...)
}

// capture writes what was measured, at the first and the last time.
func (e *encoder) capture(c *capture.Capture) {
	family := e.names.Family("capture", "")
	e.family(family, "info", "", "What was measured.")
	series := e.series(family+"_info", exposition.About(c)...)
	e.printf("%s 1 %s\n", series, e.begin)
	if n := len(e.at); n > 0 && e.by == nil {
		e.printf("%s 1 %s\n", series, e.at[n-1])
	}
}

// label writes what a label was at each time.
func (e *encoder) label(l *capture.Label) {
	if len(l.Dict) == 0 || len(e.at) == 0 {
		return
	}
	family := e.names.Family("label_"+l.Name, "")
	e.family(family, "info", "", "What "+l.Name+" was.")
	rows := make([][]int, len(l.Dict))
	for i, code := range l.Codes {
		if code >= 0 {
			rows[code] = append(rows[code], i)
		}
	}
	for code, text := range l.Dict {
		for _, i := range rows[code] {
			labels := []exposition.Label{{Name: exposition.Word(l.Name), Value: text}}
			if e.by != nil {
				labels = append(labels, e.by[i])
			}
			e.printf("%s 1 %s\n", e.series(family+"_info", labels...), e.at[i])
		}
	}
}

// counter writes the samples of a counter, those of each instance if it has any.
func (e *encoder) counter(c *capture.Counter) error {
	unit, power := exposition.Unit(c.Unit)
	parts := exposition.Parts(c)
	columns := make([]capture.Data, len(parts))
	adds, missing := c.Kind == capture.Delta, ""
	for k, p := range parts {
		columns[k] = capture.Data{F: nil}
		if p.Col == nil {
			columns[k].F = p.Floats()
		} else if columns[k] = p.Col.Data(); p.Col.Err() != nil {
			return fmt.Errorf("counter %s: %w", p.Name, p.Col.Err())
		}
		d := &columns[k]
		for i := range p.Len() {
			if d.Missing(i) {
				if missing == "" {
					why, _ := p.Why(i)
					missing = why.String()
				}
			} else if f := d.Float(i); f < 0 || math.IsInf(f, 0) {
				adds = false // a counter never falls
			}
		}
	}
	kind, suffix := "gauge", ""
	if adds {
		kind, suffix = "counter", "_total"
	}
	family := e.names.Family(c.Name, unit)
	e.family(family, kind, unit, exposition.Help(c, missing))
	places := exposition.Places(c, parts)
	for k := range parts {
		switch {
		case e.by != nil:
			e.named(family+suffix, places[k], &columns[k], power)
		case adds:
			e.sums(e.series(family+suffix, places[k]...), &columns[k], power)
		default:
			e.levels(e.series(family, places[k]...), &columns[k], power)
		}
	}
	return nil
}

// value writes that of one sample.
func value(d *capture.Data, i, power int) string {
	if d.U != nil {
		return exposition.Whole(new(big.Int).SetUint64(d.U[i]), power)
	}
	return exposition.Float(d.F[i], power)
}

func (e *encoder) levels(series string, d *capture.Data, power int) {
	for i := range e.at {
		if !d.Missing(i) {
			e.printf("%s %s %s\n", series, value(d, i, power), e.at[i])
		}
	}
}

// named writes samples that a label names: each is a series of its own.
func (e *encoder) named(name string, place []exposition.Label, d *capture.Data, power int) {
	for i := range e.at {
		if !d.Missing(i) {
			series := e.series(name, append(place[:len(place):len(place)], e.by[i])...)
			e.printf("%s %s %s\n", series, value(d, i, power), e.at[i])
		}
	}
}

// sums writes running sums, exact where the values are integers.
func (e *encoder) sums(series string, d *capture.Data, power int) {
	whole, sum := new(big.Int), 0.0
	begun := false
	for i := range e.at {
		if d.Missing(i) {
			continue
		}
		if !begun {
			begun = true
			e.printf("%s 0 %s\n", series, e.begin)
		}
		text := ""
		if d.U != nil {
			text = exposition.Whole(whole.Add(whole, new(big.Int).SetUint64(d.U[i])), power)
		} else {
			sum += d.F[i]
			text = exposition.Float(sum, power)
		}
		e.printf("%s %s %s\n", series, text, e.at[i])
	}
}
