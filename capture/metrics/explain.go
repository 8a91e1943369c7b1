package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Explanation is a value taken apart: what it is, the formula, and below it every operand with its value, where it was
// measured, and why it is missing where it is.
type Explanation struct {
	Counter  *capture.Counter
	Sample   int // -1: all samples
	Value    capture.Value
	Reason   capture.Reason // where Value is missing
	Tree     *formula.Trace // nil for a measured counter
	Parts    []*Explanation // of the operands that are metrics themselves
	Advice   []string       // what a high or a low value tells, from the catalogue
	Source   string         // of the formula, or the reader that measured the counter
	Warnings []string
}

// explainDepth bounds metrics explained within metrics.
const explainDepth = 8

// Explain takes sample i of a counter apart, or its total for i < 0.
func Explain(c *capture.Counter, i int) *Explanation { return explain(c, i, 0) }

func explain(c *capture.Counter, i, depth int) *Explanation {
	x := &Explanation{Counter: c, Sample: max(i, -1), Source: c.Source}
	switch {
	case i >= c.Len():
		x.Reason = capture.Reason{Code: capture.TooFewSamples, Text: fmt.Sprintf("there are %d samples", c.Len())}
	case i >= 0:
		x.Value = c.Value(i)
	default:
		x.Value = c.Total()
	}
	if x.Value.Missing() && x.Reason == (capture.Reason{}) {
		x.Reason, _ = c.Why(i)
	}
	x.Warnings = append(x.Warnings, c.Doubts()...)
	if cat, err := Get(c.GPU); err == nil {
		name := c.Name
		if base, _, ok := cutInstance(name); ok {
			name = base
		}
		if e, err := cat.Find(name); err == nil {
			if e.High != "" {
				x.Advice = append(x.Advice, "high: "+e.High)
			}
			if e.Low != "" {
				x.Advice = append(x.Advice, "low: "+e.Low)
			}
			if x.Source == "" {
				x.Source = e.Source
			}
		}
	}
	if c.Der == nil {
		return x
	}
	x.Warnings = append(x.Warnings, c.Der.Warnings()...)
	if i < c.Len() {
		x.Tree, _ = traceOf(c, x.Sample)
	}
	if depth < explainDepth {
		for _, o := range readBy(c) {
			if o.Der != nil {
				x.Parts = append(x.Parts, explain(o, i, depth+1))
			}
		}
	}
	return x
}

// readBy are the counters that a formula reads, in the samples of its values.
func readBy(c *capture.Counter) []*capture.Counter {
	of, bins := c.Beneath()
	if of == nil {
		return c.Der.Operands()
	}
	out := slices.Clone(readBy(of))
	for i, o := range out {
		out[i] = o.Rebin(bins)
	}
	return out
}

// String prints the explanation as an indented tree.
func (x *Explanation) String() string {
	var b strings.Builder
	x.write(&b, true)
	return strings.TrimRight(b.String(), "\n")
}

func (x *Explanation) write(b *strings.Builder, whole bool) {
	c := x.Counter
	b.WriteString(c.Name)
	if c.Title != "" && c.Title != c.Name {
		fmt.Fprintf(b, " (%s)", c.Title)
	}
	where := "total"
	if x.Sample >= 0 {
		where = fmt.Sprintf("sample %d", x.Sample)
	}
	fmt.Fprintf(b, ", %s: %s\n", where, valueText(x.Value, c.Unit, x.Reason))
	if whole && c.Doc != "" {
		fmt.Fprintf(b, "  meaning: %s\n", c.Doc)
	}
	if c.Expr != "" {
		fmt.Fprintf(b, "  formula: %s\n", c.Expr)
	}
	if x.Tree != nil {
		for _, a := range shown(x.Tree) {
			writeTrace(b, a, "    ")
		}
	} else if c.Der == nil {
		fmt.Fprintf(b, "  %s\n", measured(c))
	}
	if whole {
		for _, a := range x.Advice {
			fmt.Fprintf(b, "  %s\n", a)
		}
		if x.Source != "" {
			fmt.Fprintf(b, "  source: %s\n", x.Source)
		}
	}
	for _, w := range x.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", w)
	}
	for _, p := range x.Parts {
		p.write(b, false)
	}
}

// shown lists the nodes below the root, or the root itself where it is all there is.
func shown(t *formula.Trace) []*formula.Trace {
	if len(t.Args) == 0 {
		return []*formula.Trace{t}
	}
	return t.Args
}

func writeTrace(b *strings.Builder, t *formula.Trace, indent string) {
	if t.Op == formula.OpNumber {
		return
	}
	unit := ""
	if t.Counter != nil {
		unit = t.Counter.Unit
	}
	fmt.Fprintf(b, "%s%s = %s", indent, t.Text, valueText(capture.FloatValue(t.Value), unit, t.Reason))
	if t.Counter != nil && t.Counter.Der == nil {
		fmt.Fprintf(b, "  [%s]", measured(t.Counter))
	}
	b.WriteByte('\n')
	for _, a := range t.Args {
		writeTrace(b, a, indent+"  ")
	}
}

// measured says where a counter comes from.
func measured(c *capture.Counter) string {
	parts := []string{c.Kind.String()}
	if c.Source != "" {
		parts = append(parts, "from "+c.Source)
	} else {
		parts = append(parts, "measured")
	}
	if c.Block != "" {
		parts = append(parts, "block "+c.Block)
	}
	if id := c.PassID(); id != "" {
		parts = append(parts, "pass "+id)
	}
	if n := len(c.Instances); n > 0 {
		parts = append(parts, fmt.Sprintf("%d instances", n))
	}
	return strings.Join(parts, ", ")
}

func valueText(v capture.Value, unit string, why capture.Reason) string {
	if v.Missing() {
		return "missing, because " + why.String()
	}
	s := ""
	switch f := v.Float(); {
	case v.IsInt():
		s = v.Big().String()
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		s = strconv.FormatFloat(f, 'f', 0, 64)
	default:
		s = strconv.FormatFloat(f, 'g', 6, 64)
	}
	switch unit {
	case "":
		return s
	case "percent":
		return s + " %"
	}
	return s + " " + unit
}
