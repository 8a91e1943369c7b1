package modules

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

// flatten lists the counters among positional arguments, in which a list stands for its elements.
func flatten(args []starlark.Value) ([]*values.Counter, error) {
	var out []*values.Counter
	for _, a := range args {
		switch a := a.(type) {
		case *values.Counter:
			out = append(out, a)
		case *values.Capture:
			return nil, fmt.Errorf(
				"got Capture, want Counter: one of it is cap[\"Name\"], all that were measured are cap.counters.values()")
		case starlark.Iterable:
			iter := a.Iterate()
			defer iter.Done()
			var x starlark.Value
			for iter.Next(&x) {
				c, ok := x.(*values.Counter)
				if !ok {
					return nil, fmt.Errorf("got %s in a list, want Counter", x.Type())
				}
				out = append(out, c)
			}
		default:
			return nil, fmt.Errorf("got %s, want Counter", a.Type())
		}
	}
	return out, nil
}

// bands reads thresholds, ranges of values and stretches of time.
func bands(v starlark.Value) (levels []charts.Band, times []charts.Interval, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case starlark.Int, starlark.Float:
			f, _ := starlark.AsFloat(x)
			levels = append(levels, charts.Band{Lo: f, Hi: f})
		case *values.Span:
			times = append(times, x.Interval())
		case *values.Mask:
			for _, s := range x.Mask.Spans(0) {
				times = append(times, charts.Interval{Start: s.Start, End: s.End})
			}
		case starlark.Indexable:
			if x.Len() < 2 || x.Len() > 3 || !binding.IsNumber(x.Index(0)) || !binding.IsNumber(x.Index(1)) {
				return fmt.Errorf("%s is no range: write (lo, hi) or (lo, hi, label)", x)
			}
			lo, _ := starlark.AsFloat(x.Index(0))
			hi, _ := starlark.AsFloat(x.Index(1))
			b := charts.Band{Lo: lo, Hi: hi}
			if x.Len() == 3 {
				b.Label, _ = starlark.AsString(x.Index(2))
			}
			levels = append(levels, b)
		default:
			return fmt.Errorf("got %s, want a number, (lo, hi), a Span or a Mask", x.Type())
		}
		return nil
	})
	return levels, times, err
}

// marks reads points in time, with or without a label.
func marks(v starlark.Value) (out []charts.Mark, spans []charts.Interval, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case *values.Note:
			out = append(out, x.Mark())
			return nil
		case *values.Span:
			spans = append(spans, x.Interval())
			return nil
		case starlark.Tuple:
			if len(x) == 2 {
				ns, err := binding.AsDuration(x[0])
				if err != nil {
					return err
				}
				label, ok := starlark.AsString(x[1])
				if !ok {
					return fmt.Errorf("the label of a mark is %s, want str", x[1].Type())
				}
				out = append(out, charts.Mark{At: ns, Label: label})
				return nil
			}
			return fmt.Errorf("%s is no mark: write a time, (time, label) or plot.note(time, text)", x)
		}
		ns, err := binding.AsDuration(x)
		out = append(out, charts.Mark{At: ns})
		return err
	})
	return out, spans, err
}

// drawn wraps a finished chart.
func drawn(e *binding.Env, f func() (*charts.Plot, error)) (starlark.Value, error) {
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		p, err := f()
		if err != nil {
			return nil, err
		}
		return values.NewPlot(e, p), nil
	})
}

// labelValues are the values of a label, one per sample of the counter; "" where a sample has none.
func labelValues(c *values.Counter, name string) ([]string, error) {
	if c.From == nil {
		return nil, fmt.Errorf("%s was computed and has no labels: give a counter of a capture", c.Counter.Name)
	}
	l := c.From.Label(name)
	if l == nil || len(l.Codes) != c.Counter.Len() {
		var have []string
		for _, l := range c.From.Labels {
			have = append(have, l.Name)
		}
		if len(have) == 0 {
			return nil, fmt.Errorf("the capture has no label %q: it has none at all", name)
		}
		return nil, fmt.Errorf("the capture has no label %q: it has %s", name, strings.Join(have, ", "))
	}
	out := make([]string, len(l.Codes))
	for i := range out {
		out[i], _ = l.Value(i)
	}
	return out, nil
}

// sampled are the series among positional arguments: counters, lists, and dicts that name them. unit is that of the
// counters, "" where they differ and mixed is then set.
func sampled(args []starlark.Value) (out []charts.Sample, unit string, mixed bool, err error) {
	seen := false
	add := func(name string, v starlark.Value) error {
		s := charts.Sample{Name: name}
		if c, ok := v.(*values.Counter); ok {
			if name == "" {
				s.Name = c.Label()
			}
			if seen && c.Counter.Unit != unit {
				mixed = true
			}
			unit, seen = c.Counter.Unit, true
		}
		var err error
		if s.Values, err = values.AsFloats(v); err != nil {
			return fmt.Errorf("series %d: %w", len(out)+1, err)
		}
		out = append(out, s)
		return nil
	}
	for _, a := range args {
		switch a := a.(type) {
		case starlark.IterableMapping:
			for _, kv := range a.Items() {
				name, ok := starlark.AsString(kv[0])
				if !ok {
					name = kv[0].String()
				}
				if err := add(name, kv[1]); err != nil {
					return nil, "", false, err
				}
			}
		case starlark.Indexable:
			if _, counter := a.(*values.Counter); counter || a.Len() == 0 {
				if err := add("", a); err != nil {
					return nil, "", false, err
				}
				continue
			}
			if _, counters := a.Index(0).(*values.Counter); !counters {
				if err := add("", a); err != nil {
					return nil, "", false, err
				}
				continue
			}
			for i := range a.Len() {
				if err := add("", a.Index(i)); err != nil {
					return nil, "", false, err
				}
			}
		default:
			if err := add("", a); err != nil {
				return nil, "", false, err
			}
		}
	}
	if mixed {
		unit = ""
	}
	return out, unit, mixed, nil
}

// oneUnit is the unit of an axis that several series share: the one given, else theirs.
func oneUnit(given, unit string, mixed bool) (string, error) {
	if given != "" {
		return given, nil
	}
	if mixed {
		return "", errors.New("the counters have unlike units, and one axis holds one: draw them apart, or say unit=")
	}
	return unit, nil
}
