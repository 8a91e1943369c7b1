package openmetrics

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/progress"
)

// Encode writes the summary of c.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	e := &encoder{w: w, names: names{taken: map[string]bool{}}, base: []label{{"capture", c.Name}}}
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
	e.printf("# EOF\n")
	return e.err
}

type encoder struct {
	w     io.Writer
	err   error
	names names
	base  []label // of every sample
}

type label struct{ name, value string }

func (e *encoder) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

// metadata writes what a family is.
func (e *encoder) metadata(family, kind, unit, help string) {
	e.printf("# TYPE %s %s\n", family, kind)
	if unit != "" {
		e.printf("# UNIT %s %s\n", family, unit)
	}
	if help != "" {
		e.printf("# HELP %s %s\n", family, escape(help))
	}
}

func (e *encoder) sample(name string, labels []label, value string) {
	var b strings.Builder
	for _, l := range append(e.base[:len(e.base):len(e.base)], labels...) {
		if l.value == "" {
			continue // the same as no label
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.name + `="` + escape(l.value) + `"`)
	}
	if b.Len() > 0 {
		name += "{" + b.String() + "}"
	}
	e.printf("%s %s\n", name, value)
}

// capture writes what was measured, and for how long.
func (e *encoder) capture(c *capture.Capture) {
	family := e.names.family("capture", "")
	e.metadata(family, "info", "", "What was measured.")
	labels := []label{{"gpu", c.GPU}, {"device", c.Device.Name}, {"vendor", c.Device.Vendor},
		{"driver", c.Device.Driver}, {"device_id", c.Device.ID}}
	for _, p := range c.Properties {
		name := "property_" + word(p.Name)
		value := p.Text
		if !p.IsText {
			value = strconv.FormatFloat(p.Number, 'g', -1, 64)
		}
		clash := false
		for _, l := range labels {
			clash = clash || l.name == name
		}
		if !clash {
			labels = append(labels, label{name, value})
		}
	}
	e.sample(family+"_info", labels, "1")
	family = e.names.family("capture_duration", "seconds")
	e.metadata(family, "gauge", "seconds", "From the start of the first sample to the end of the last.")
	e.sample(family, nil, decimal(strconv.FormatInt(c.Duration(), 10), 9))
	family = e.names.family("capture_samples", "")
	e.metadata(family, "gauge", "", "How many samples the capture has.")
	e.sample(family, nil, strconv.Itoa(c.Len()))
}

// counter writes the totals of a counter, one for each instance if it has any.
func (e *encoder) counter(c *capture.Counter) {
	unit, power := unitOf(c.Unit)
	kind := "gauge"
	parts := c.Instances
	if len(parts) == 0 {
		parts = []*capture.Counter{c}
	}
	values := make([]string, len(parts))
	monotonic := c.Kind == capture.Delta
	missing := ""
	for i, p := range parts {
		v := p.Total()
		if v.Missing() {
			if why, ok := p.Why(-1); ok && missing == "" {
				missing = why.String()
			}
			continue
		}
		f := v.Float()
		monotonic = monotonic && f >= 0 && !math.IsInf(f, 0)
		values[i] = number(v, power)
	}
	suffix := ""
	if monotonic {
		kind, suffix = "counter", "_total"
	}
	help := c.Doc
	if help == "" {
		help = c.Title
	}
	if missing != "" {
		help = strings.TrimSpace(help + " (missing here: " + missing + ")")
	}
	if help == "" {
		help = c.Name
	}
	family := e.names.family(c.Name, unit)
	e.metadata(family, kind, unit, help)
	ids := map[string]int{}
	for i, p := range parts {
		if values[i] == "" {
			continue
		}
		id := p.Meta.Instance
		if ids[id]++; ids[id] > 1 {
			id = fmt.Sprintf("%s#%d", id, ids[id])
		}
		e.sample(family+suffix, []label{{"device", either(p.Device, c.Device)}, {"block", either(p.Block, c.Block)},
			{"id", id}}, values[i])
	}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// number writes a value, divided by a power of ten.
func number(v capture.Value, power int) string {
	if v.IsInt() {
		return decimal(v.Big().String(), power)
	}
	f := v.Float()
	switch {
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(f/math.Pow10(power), 'g', -1, 64)
}

// decimal puts a point into a whole number, so that nothing is rounded.
func decimal(digits string, power int) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if power == 0 {
		return sign + digits
	}
	if len(digits) <= power {
		digits = strings.Repeat("0", power-len(digits)+1) + digits
	}
	at := len(digits) - power
	fraction := strings.TrimRight(digits[at:], "0")
	if fraction == "" {
		return sign + digits[:at]
	}
	return sign + digits[:at] + "." + fraction
}
