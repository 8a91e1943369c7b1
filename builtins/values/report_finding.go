package values

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/plots/canvas"
	"astrolabe/plots/documents"
)

// finding adds a judgement.
func (r *Report) finding(c *binding.Call) (starlark.Value, error) {
	sev, err := canvas.ParseSeverity(c.Str("severity", ""))
	if err != nil {
		return nil, fmt.Errorf("parameter severity: %w", err)
	}
	f := documents.Finding{ID: c.Str("id", ""), Severity: sev, Title: c.Str("title", ""), Advice: c.Str("advice", ""),
		Source: c.Str("source", ""), Confidence: c.Str("confidence", ""), Win: c.Str("win", "")}
	unit := ""
	err = binding.Each(c.Value("evidence"), func(x starlark.Value) error {
		switch x := x.(type) {
		case *Counter:
			if len(f.Evidence) == 0 {
				f.Metric, unit = x.Label(), x.Counter.Unit
				f.Unit = unit
				if total := x.Counter.Total().Float(); !c.Has("value") {
					f.Value, f.Measured = notation.Quantity(total, unit), &total
				}
			}
			f.Evidence = append(f.Evidence, x.Counter.Name)
		case starlark.String:
			f.Evidence = append(f.Evidence, string(x))
		case *Plot:
			f.Plots = append(f.Plots, x.Plot)
		default:
			return fmt.Errorf("parameter evidence: got %s, want Counter, Plot or str", x.Type())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.Has("value") {
		f.Value = valueText(c.Arg("value"), unit)
		f.Measured, f.Unit = numberOf(c.Arg("value"), unit)
	}
	if c.Has("threshold") {
		f.Threshold = valueText(c.Arg("threshold"), unit)
		limit, in := numberOf(c.Arg("threshold"), unit)
		switch {
		case f.Measured == nil:
			f.Limit, f.Unit = limit, in
		case in == f.Unit || in == "": // otherwise the two cannot be compared
			f.Limit = limit
		}
	}
	if c.Has("metric") {
		f.Metric = c.Str("metric", "")
	}
	if f.Share, err = share(c, "share"); err != nil {
		return nil, err
	}
	if c.Has("gain") {
		bounds, err := AsFloats(c.Arg("gain"))
		if err != nil || len(bounds) != 2 {
			return nil, fmt.Errorf("parameter gain: got %s, want two numbers, the least and the largest", c.Arg("gain"))
		}
		f.Gain = bounds
	}
	f.RunnerUp, f.Hint, f.InsteadOf = c.Str("runner_up", ""), c.Flag("hint", false), c.Str("instead_of", "")
	err = binding.Each(c.Value("spans"), func(x starlark.Value) error {
		switch x := x.(type) {
		case *Span:
			f.Spans = append(f.Spans, x.Span)
		case *Mask:
			f.Spans = append(f.Spans, x.Mask.Spans(0)...)
		default:
			return fmt.Errorf("parameter spans: got %s, want Span or Mask", x.Type())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return starlark.None, r.add(f)
}

// share is an argument as a share of the time, nil where it was not given.
func share(c *binding.Call, name string) (*float64, error) {
	if !c.Has(name) {
		return nil, nil
	}
	x, ok := starlark.AsFloat(c.Arg(name))
	if !ok || !(x >= 0 && x <= 1) {
		return nil, fmt.Errorf("parameter %s: got %s, want a number from 0 to 1", name, c.Arg(name))
	}
	return &x, nil
}

// numberOf is a number for machines and its unit, where unit is that of the metric. A text such as "52.4 %" or "above 3
// ms" counts as its number; any other text gives nil and no unit.
func numberOf(v starlark.Value, unit string) (number *float64, in string) {
	if f, ok := starlark.AsFloat(v); ok {
		return &f, unit
	}
	s, ok := starlark.AsString(v)
	if !ok {
		return nil, ""
	}
	s = strings.ReplaceAll(s, "−", "-")
	for _, word := range []string{"above ", "below ", "> ", "< "} {
		s = strings.TrimPrefix(s, word)
	}
	for _, in := range []string{"", unit, "percent"} {
		if f, err := notation.ParseQuantity(s, in); err == nil {
			return &f, in
		}
	}
	return nil, ""
}

// valueText writes a number in a unit; text stays as it is.
func valueText(v starlark.Value, unit string) string {
	if s, ok := starlark.AsString(v); ok {
		return s
	}
	if f, ok := starlark.AsFloat(v); ok {
		return notation.Quantity(f, unit)
	}
	return v.String()
}

// FindingsTable is a table of the findings so far, the gravest first.
func (r *Report) FindingsTable() *Table {
	t := NewTable(r.env, []string{"id", "severity", "title", "metric", "value", "threshold", "advice", "spans",
		"source", "confidence", "win", "share", "gain_low", "gain_high", "runner_up", "hint", "instead_of"}, nil)
	for _, f := range r.r.Findings() {
		t.Append(starlark.String(f.ID), starlark.String(f.Severity.String()), starlark.String(f.Title),
			binding.Text(f.Metric), binding.Text(f.Value),
			binding.Text(f.Threshold), binding.Text(f.Advice), starlark.MakeInt(len(f.Spans)), binding.Text(f.Source),
			binding.Text(f.Confidence), binding.Text(f.Win), optional(f.Share), bound(f.Gain, 0), bound(f.Gain, 1),
			binding.Text(f.RunnerUp), starlark.Bool(f.Hint), binding.Text(f.InsteadOf))
	}
	return t
}

// optional is a number, None where there is none.
func optional(x *float64) starlark.Value {
	if x == nil {
		return starlark.None
	}
	return binding.Float(*x)
}

// bound is one of the bounds of a gain, None where there are none.
func bound(gain []float64, i int) starlark.Value {
	if i >= len(gain) {
		return starlark.None
	}
	return binding.Float(gain[i])
}
