package arrow

import (
	"fmt"
	"math"
	"slices"

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

// guess fills in what a column that another program added does not say.
func (d *decoded) guess(c *capture.Counter, col *column, keys map[string]string) {
	t := col.field.Type
	c.Integral = isSigned(t) || (isFloat(t) || isExotic(t)) && col.peek().Whole
	_, said := keys["kind"]
	c.Guessed = !said
}

// tree hangs instances below their counters and puts all in order. An instance whose counter is gone, because another
// program dropped columns, gets a new one.
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
		parent.AddInstance(p.Counter)
	}
	return out
}
