package values

import (
	"context"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
)

// summary is a table with a row for every counter and, if asked for, every metric of the catalogues.
func (c *Capture) summary(ctx context.Context, withMetrics bool) (*Table, error) {
	list := c.Capture.Counters
	if withMetrics {
		more, err := binding.Await(ctx, c.catalogued)
		if err != nil {
			return nil, err
		}
		list = append(list[:len(list):len(list)], more...)
	}
	t := &Table{env: c.env, columns: []column{
		{name: "name"}, {name: "unit"}, {name: "kind"}, {name: "total"}, {name: "mean"}, {name: "min"}, {name: "p5"},
		{name: "median"}, {name: "p95"}, {name: "max"},
		{name: "count"}, {name: "missing"}, {name: "why missing"},
	}}
	for _, ctr := range list {
		row, err := binding.Await(ctx, func() ([]starlark.Value, error) { return summaryRow(ctr), nil })
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
		starlark.String(c.Name), binding.Text(c.Unit), starlark.String(c.Kind.String()), binding.Number(total),
		binding.Number(c.Mean()), binding.Number(c.Min()), binding.Number(q[0]), binding.Number(q[1]),
		binding.Number(q[2]), binding.Number(c.Max()), starlark.MakeInt(count), starlark.MakeInt(missing),
		binding.Text(why),
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
	for _, l := range c.Capture.Labels {
		t.columns = append(t.columns, column{name: l.Name})
	}
	for _, ctr := range c.Capture.Counters {
		t.columns = append(t.columns, column{name: ctr.Name, unit: ctr.Unit})
	}
	for i := range n {
		row := []starlark.Value{binding.Seconds(c.Capture.Axis.Start[i]), binding.Seconds(c.Capture.Axis.End[i])}
		for _, l := range c.Capture.Labels {
			v, _ := l.Value(i)
			row = append(row, binding.Text(v))
		}
		for _, ctr := range c.Capture.Counters {
			row = append(row, binding.Number(ctr.Value(i)))
		}
		t.append(row)
	}
	return t
}
