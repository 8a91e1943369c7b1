package builtins

import (
	"context"

	"go.starlark.net/starlark"

	"astrolabe/capture"
)

// Summary is a table with a row for every counter and, if asked for, every metric of the catalogues.
func (c *Capture) Summary(ctx context.Context, withMetrics bool) (*Table, error) {
	list := c.c.Counters
	if withMetrics {
		more, err := await(ctx, c.catalogued)
		if err != nil {
			return nil, err
		}
		list = append(list[:len(list):len(list)], more...)
	}
	t := &Table{env: c.env, columns: []column{
		{name: "name"}, {name: "unit"}, {name: "kind"}, {name: "total"}, {name: "mean"}, {name: "min"}, {name: "p5"}, {name: "median"}, {name: "p95"}, {name: "max"},
		{name: "count"}, {name: "missing"}, {name: "why missing"},
	}}
	for _, ctr := range list {
		row, err := await(ctx, func() ([]starlark.Value, error) { return summaryRow(ctr), nil })
		if err != nil {
			return nil, err
		}
		t.append(row)
	}
	return t, nil
}

func summaryRow(c *capture.Counter) []starlark.Value {
	count := c.Count()
	missing := c.Len() - count
	total := c.Total()
	why := ""
	if total.Missing() {
		if r, ok := c.Why(-1); ok {
			why = r.String()
		}
	}
	if why == "" && missing > 0 {
		why = firstWhy(c)
	}
	q := c.Quantiles(0.05, 0.5, 0.95)
	return []starlark.Value{
		starlark.String(c.Name), text(c.Unit), starlark.String(c.Kind.String()), number(total), number(c.Mean()), number(c.Min()), number(q[0]), number(q[1]),
		number(q[2]), number(c.Max()), starlark.MakeInt(count), starlark.MakeInt(missing), text(why),
	}
}

// firstWhy is the reason of the first missing value.
func firstWhy(c *capture.Counter) string {
	for i, v := range c.Floats() {
		if v != v {
			r, _ := c.Why(i)
			return r.String()
		}
	}
	return ""
}

// head is a table of the first n samples.
func (c *Capture) head(n int) *Table {
	n = min(max(n, 0), c.Len())
	t := &Table{env: c.env, columns: []column{{name: "start", unit: "s"}, {name: "end", unit: "s"}}}
	for _, l := range c.c.Labels {
		t.columns = append(t.columns, column{name: l.Name})
	}
	for _, ctr := range c.c.Counters {
		t.columns = append(t.columns, column{name: ctr.Name, unit: ctr.Unit})
	}
	for i := range n {
		row := []starlark.Value{seconds(c.c.Axis.Start[i]), seconds(c.c.Axis.End[i])}
		for _, l := range c.c.Labels {
			v, _ := l.Value(i)
			row = append(row, text(v))
		}
		for _, ctr := range c.c.Counters {
			row = append(row, number(ctr.Value(i)))
		}
		t.append(row)
	}
	return t
}
