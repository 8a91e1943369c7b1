package values

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
)

// Sample is one row of a capture.
type Sample struct {
	cap *Capture
	i   int
}

var (
	_ starlark.HasAttrs = (*Sample)(nil)
	_ starlark.Mapping  = (*Sample)(nil)
	_ json.Marshaler    = (*Sample)(nil)
)

func (s *Sample) String() string {
	a := s.cap.Capture.Axis
	out := fmt.Sprintf("Sample %d %s to %s", s.i, notation.FormatNS(float64(a.Start[s.i])),
		notation.FormatNS(float64(a.End[s.i])))
	for _, l := range s.cap.Capture.Labels {
		if v, ok := l.Value(s.i); ok {
			out += fmt.Sprintf(" %s=%q", notation.VisibleLine(l.Name), v)
		}
	}
	return out
}
func (s *Sample) Type() string          { return "Sample" }
func (s *Sample) Freeze()               {}
func (s *Sample) Truth() starlark.Bool  { return true }
func (s *Sample) Hash() (uint32, error) { return uint32(s.i), nil }
func (s *Sample) AttrNames() []string   { return sampleTable.AttrNames() }

func (s *Sample) Attr(name string) (starlark.Value, error) {
	v, err := sampleTable.Member(s.cap.env, s, name)
	if v != nil || err != nil {
		return v, err
	}
	if s.hasLabel(name) {
		return nil, fmt.Errorf("Sample has no .%s: a label is taken by its name, s.labels[%q]", name, name)
	}
	if _, absent := s.cap.resolve(name); absent == nil {
		return nil, fmt.Errorf("Sample has no .%s: a value is taken by the name of its counter, s[%q]", name, name)
	}
	if len(s.cap.Capture.Labels) > 0 && CounterTable.Entry(name) == nil && captureTable.Entry(name) == nil {
		return nil, fmt.Errorf("Sample has no .%s: s[\"Name\"] is the value of a counter, and s.labels has %s", name,
			s.cap.labelNames())
	}
	return nil, sampleTable.Absent("Sample", name, sampleTable.AttrNames())
}

func (s *Sample) hasLabel(name string) bool {
	return slices.ContainsFunc(s.cap.Capture.Labels, func(l *capture.Label) bool { return l.Name == name })
}

// Get returns the value of a counter or metric in this sample.
func (s *Sample) Get(k starlark.Value) (starlark.Value, bool, error) {
	name, ok := k.(starlark.String)
	if !ok {
		return nil, false, fmt.Errorf("Sample index: got %s, want the name of a counter or metric", k.Type())
	}
	c, err := s.cap.resolve(string(name))
	switch {
	case err != nil && s.hasLabel(string(name)):
		return nil, false, fmt.Errorf("%q is a label and no counter: s.labels[%q]", string(name), string(name))
	case err != nil && len(s.cap.Capture.Labels) > 0:
		return nil, false, fmt.Errorf("%w; s.labels has %s", err, s.cap.labelNames())
	case err != nil:
		return nil, false, err
	}
	return binding.Number(c.Value(s.i)), true, nil
}

// MarshalJSON writes times in seconds, labels and the values of the counters.
func (s *Sample) MarshalJSON() ([]byte, error) {
	values := make(map[string]any, len(s.cap.Capture.Counters))
	for _, c := range s.cap.Capture.Counters {
		switch v := c.Value(s.i); {
		case v.Missing():
			values[c.Name] = nil
		case v.IsInt():
			values[c.Name] = v.Big()
		default:
			values[c.Name] = jsonFloat(v.Float())
		}
	}
	a := s.cap.Capture.Axis
	return json.Marshal(map[string]any{
		"index": s.i, "start": float64(a.Start[s.i]) / 1e9, "end": float64(a.End[s.i]) / 1e9, "labels": s.labelMap(),
		"counters": values,
	})
}

func (s *Sample) labelMap() map[string]string {
	out := map[string]string{}
	for _, l := range s.cap.Capture.Labels {
		if v, ok := l.Value(s.i); ok {
			out[l.Name] = v
		}
	}
	return out
}

func (s *Sample) labels() starlark.Value {
	d := starlark.NewDict(len(s.cap.Capture.Labels))
	for _, l := range s.cap.Capture.Labels {
		var v starlark.Value = starlark.None
		if t, ok := l.Value(s.i); ok {
			v = starlark.String(t)
		}
		d.SetKey(starlark.String(l.Name), v)
	}
	d.Freeze()
	return d
}

// row is a dict of the values of every counter of a map.
func (s *Sample) row(m *counterMap) (starlark.Value, error) {
	list, err := m.all()
	if err != nil {
		return nil, err
	}
	d := starlark.NewDict(len(list))
	for _, c := range list {
		if err := d.SetKey(starlark.String(c.Name), binding.Number(c.Value(s.i))); err != nil {
			return nil, err
		}
	}
	d.Freeze()
	return d, nil
}

var sampleTable = binding.MethodTable[*Sample]{
	Name: "Sample",
	Doc: "One row of a capture: an interval of time and the value of every counter in it. s[\"Name\"] is the value " +
		"of a counter or metric.",
	Attrs: []binding.Attribute[*Sample]{
		{Name: "index", Type: "int", Doc: "Position in the capture.", Get: func(s *Sample) starlark.Value {
			return starlark.MakeInt(s.i)
		}},
		{Name: "start", Type: "float", Doc: "Start in seconds since the start of the capture.",
			Get: func(s *Sample) starlark.Value {
				return binding.Seconds(s.cap.Capture.Axis.Start[s.i])
			}},
		{Name: "end", Type: "float", Doc: "End in seconds.", Get: func(s *Sample) starlark.Value {
			return binding.Seconds(s.cap.Capture.Axis.End[s.i])
		}},
		{Name: "duration", Type: "float", Doc: "Length in seconds.", Get: func(s *Sample) starlark.Value {
			return binding.Seconds(s.cap.Capture.Axis.End[s.i] - s.cap.Capture.Axis.Start[s.i])
		}},
		{Name: "labels", Type: "dict",
			Doc: "Kernel, dispatch, pass, session, frame or whatever the source names; None where a sample has none.",
			Get: func(s *Sample) starlark.Value { return s.labels() }},
		{Name: "counters", Type: "dict", Doc: "Counter names and their values in this sample.",
			Ask: func(s *Sample) (starlark.Value, error) { return s.row(s.cap.counterMap()) }},
		{Name: "metrics", Type: "dict", Doc: "Catalogue metrics and their values in this sample.",
			Ask: func(s *Sample) (starlark.Value, error) { return s.row(s.cap.metricMap()) }},
	},
}
