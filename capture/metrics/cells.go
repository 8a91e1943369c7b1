package metrics

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Column is one column of the table in which the vendor's own tool prints a metric: its heading and the formula of the
// number below it. In the formula the name value stands for the metric's own formula, of each sample on its own inside
// AVG, MIN and their like.
type Column struct{ Heading, Expr string }

// Cell is the number in a column of the vendor's table.
type Cell struct {
	Heading string
	Value   capture.Value
	Why     capture.Reason // where Value is missing
}

// Headings that have one meaning in all tables. Those of the highest possible value follow from the fields peak and
// peakexpr.
const (
	headingPeak  = "Peak"
	headingShare = "Pct of Peak"
)

// usualColumns are the headings that a catalogue need not write a formula for.
var usualColumns = map[string]string{
	"Avg": "AVG(value)", "Min": "MIN(value)", "Max": "MAX(value)", "Q1": "QUANTILE(value, 0.25)",
	"Median": "MEDIAN(value)", "Q3": "QUANTILE(value, 0.75)",
	"Std Dev": "STD(value)", "Value": "AVG(value)",
}

// parseColumns reads the field "shows": "Avg, Min, Max" or "HEADING = FORMULA".
func parseColumns(text string) ([]Column, error) {
	if heading, expr, ok := strings.Cut(text, " = "); ok {
		return []Column{{strings.TrimSpace(heading), strings.TrimSpace(expr)}}, nil
	}
	var out []Column
	for heading := range strings.SplitSeq(text, ",") {
		heading = strings.TrimSpace(heading)
		expr, ok := usualColumns[heading]
		if !ok {
			return nil, fmt.Errorf("shows %q, want a heading that all tables have, or HEADING = FORMULA", heading)
		}
		out = append(out, Column{heading, expr})
	}
	return out, nil
}

// Columns are what the vendor's tool prints of a metric, with the highest possible value and the share of it last; nil
// where its catalogue does not say.
func (e *Entry) Columns() []Column {
	out := e.columns
	if len(out) == 0 || e.Peak == "" {
		return out
	}
	share := e.PeakExpr
	if share == "" {
		share = "100 * (" + out[0].Expr + ") / (" + e.Peak + ")"
	}
	return append(out[:len(out):len(out)], Column{headingPeak, e.Peak}, Column{headingShare, share})
}

// Headings lists the columns.
func (e *Entry) Headings() []string {
	var out []string
	for _, c := range e.Columns() {
		out = append(out, c.Heading)
	}
	return out
}

// cell is the formula of a column with the metric's own in the places of value.
func (e *Entry) cell(c Column) (*formula.Expr, error) {
	x, err := formula.Parse(e.Dialect, c.Expr)
	if err != nil {
		return nil, fmt.Errorf("metric %s, column %s: %w", e.Name, c.Heading, err)
	}
	return x.Substitute("value", e.expr)
}

// Cells returns what the vendor's own tool prints of a metric over the samples of a capture: the mean of the samples'
// values under the vendor's name for it, and not the ratio of totals that Counter.Total is. Samples that were put
// together are taken apart again. name is any address of a metric, also "NAME[ID]" of an instance.
func Cells(cap *capture.Capture, defs []*Entry, name string) ([]Cell, error) {
	for from, _ := cap.Beneath(); from != nil; from, _ = cap.Beneath() {
		cap = from
	}
	s := newScope(cap, defs)
	e, err := s.find(name)
	if base, id, ok := cutInstance(name); err != nil && ok {
		if e, err = s.find(base); err == nil {
			s = s.restricted(&selection{ids: []string{id}, single: true, label: "[" + id + "]"})
		}
	}
	if err != nil {
		return nil, helped(err)
	}
	if !e.IsMetric() {
		return nil, fmt.Errorf("%s is a counter: only metrics stand in the tables of the vendor's tool", e.Name)
	}
	columns := e.Columns()
	exprs := make([]*formula.Expr, len(columns))
	envs := make([]*formulaEnv, len(columns))
	for i, c := range columns {
		if exprs[i], err = e.cell(c); err != nil {
			return nil, err
		}
		envs[i] = &formulaEnv{s: s, expr: exprs[i], entry: e, unavailable: s.unavailable(e)}
	}
	opt := formula.Options{ZeroIsZero: s.zeroIsZero(e.GPU)}
	p, err := formula.BindEach(exprs, cap.Axis, func(i int) formula.Env { return envs[i] }, opt)
	if err != nil {
		return nil, err
	}
	out := make([]Cell, len(columns))
	for i, column := range columns {
		c := &capture.Counter{Meta: e.meta(), Axis: cap.Axis, Der: p.Derivation(i)}
		out[i] = Cell{Heading: column.Heading, Value: c.Total()}
		if out[i].Value.Missing() {
			out[i].Why, _ = c.Why(-1)
		}
	}
	return out, nil
}
