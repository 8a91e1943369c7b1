package arrow

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
)

// placed is a counter and its place among the others.
type placed struct {
	*capture.Counter
	index  int
	parent string // of an instance: the whole counter's name
}

// counter makes a counter of a numeric column.
func (d *decoded) counter(col *column, keys map[string]string) (placed, error) {
	c, warnings := counterFrom(keys)
	d.warnings = append(d.warnings, warnings...)
	if c.Name == "" {
		c.Name = col.field.Name
	}
	if c.Name == "" {
		return placed{}, fmt.Errorf("a column of numbers has no name")
	}
	if _, ours := keys[keyRole]; !ours {
		d.guess(c, col, keys)
	}
	c.Col = d.lazy(col)
	d.source[c] = col
	return d.place(c, keys, indexOf(keys)), nil
}

// indexOf is the place that the keys give a counter, -1 where they give none.
func indexOf(keys map[string]string) int { return position(keys, keyIndex, math.MaxInt) }

// place completes a counter by what its keys say about others.
func (d *decoded) place(c *capture.Counter, keys map[string]string, index int) placed {
	c.Axis = d.cfg.Axis
	n := d.rows()
	for i, r := range c.Reasons {
		// Another program may have dropped rows.
		c.Reasons[i].To = max(0, min(n, r.To))
		c.Reasons[i].From = max(0, min(c.Reasons[i].To, r.From))
	}
	if i := position(keys, keyPass, len(d.passes)); i >= 0 {
		c.Pass = d.passes[i]
	}
	if index < 0 {
		index = math.MaxInt // not ours: after the others, as the columns stand
	}
	return placed{c, index, keys[keyCounter]}
}

// guessRows is how many values of a foreign column of doubles are looked at.
const guessRows = 4096

// guess fills in what a column of another program does not say. Whole numbers are taken for events to be added up, fractions
// for a level.
func (d *decoded) guess(c *capture.Counter, col *column, keys map[string]string) {
	t := col.field.Type
	if isSigned(t) {
		c.Integral = true
		if t.ID() == arrow.INT64 {
			if least, most := lowest[int64](col, 0, d.rows()); least < 0 && (least < -1<<53 || most > 1<<53) {
				d.warn("column %q mixes negative values and values beyond 2^53: its values are rounded to doubles", col.field.Name)
			}
		}
	}
	if isFloat(t) {
		c.Integral = d.wholeNumbers(col)
	}
	if _, said := keys["kind"]; !said && isFloat(t) && !c.Integral {
		c.Kind = capture.Gauge
	}
}

// wholeNumbers reports whether the first values of the column, if there are any, have no fraction.
func (d *decoded) wholeNumbers(col *column) bool {
	data, err := col.read(0, min(guessRows, d.rows()))
	if err != nil {
		return false
	}
	some := false
	for _, v := range data.F {
		switch {
		case math.IsNaN(v):
		case v != math.Trunc(v) || math.IsInf(v, 0):
			return false
		default:
			some = true
		}
	}
	return some
}

// tree hangs instances below their counters and puts all in order. An instance whose counter is gone, because another program
// dropped columns, gets a new one.
func (d *decoded) tree(whole, instances []placed) []*capture.Counter {
	byIndex := func(a, b placed) int {
		switch {
		case a.index < b.index:
			return -1
		case a.index > b.index:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(whole, byIndex)
	slices.SortStableFunc(instances, byIndex)
	byName := map[string]*capture.Counter{}
	var out []*capture.Counter
	for _, p := range whole {
		if _, twice := byName[p.Name]; twice {
			d.warn("column %q is left out: there is a counter of that name already", p.Name)
			continue
		}
		byName[p.Name] = p.Counter
		out = append(out, p.Counter)
	}
	for _, p := range instances {
		parent := byName[p.parent]
		if parent == nil {
			m := p.Meta
			m.Name, m.Instance = p.parent, ""
			if m.Name == "" {
				m.Name = p.Name
			}
			parent = &capture.Counter{Meta: m, Axis: d.cfg.Axis}
			byName[m.Name] = parent
			out = append(out, parent)
		}
		parent.Instances = append(parent.Instances, p.Counter)
	}
	return out
}
