package values

import (
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
)

// Span is a stretch of time: selected samples of a Mask, a region, a gap in the data, or what one longer sample covers.
type Span struct {
	env       *binding.Env
	Span      capture.Span // First and Last only where rows is set
	OfSamples bool
	name      string // of a region or phase
	track     string // of a region
	depth     int
	reason    *capture.Reason // of a gap or late span
	late      bool
	lost      uint64
}

var (
	_ starlark.HasAttrs = (*Span)(nil)
	_ json.Marshaler    = (*Span)(nil)
)

func (s *Span) String() string {
	out := fmt.Sprintf("Span %s to %s (%s)", notation.FormatNS(float64(s.Span.Start)),
		notation.FormatNS(float64(s.Span.End)), notation.FormatNS(float64(s.Span.End-s.Span.Start)))
	switch {
	case s.name != "":
		out += " " + s.name
	case s.late:
		out += " in one longer sample: " + s.reason.String()
	case s.reason != nil:
		out += " without data: " + s.reason.String()
	}
	return notation.VisibleLine(out)
}
func (s *Span) Type() string          { return "Span" }
func (s *Span) Freeze()               {}
func (s *Span) Truth() starlark.Bool  { return true }
func (s *Span) Hash() (uint32, error) { return uint32(s.Span.Start*31 + s.Span.End), nil }
func (s *Span) AttrNames() []string   { return spanTable.AttrNames() }

func (s *Span) Attr(name string) (starlark.Value, error) { return spanTable.Attr(s.env, s, name) }

// MarshalJSON writes start and end in seconds.
func (s *Span) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Start float64 `json:"start"`
		End   float64 `json:"end"`
		Name  string  `json:"name,omitempty"`
	}{float64(s.Span.Start) / 1e9, float64(s.Span.End) / 1e9, s.name})
}

func (s *Span) row(i int) (starlark.Value, error) {
	if !s.OfSamples {
		return starlark.None, nil
	}
	return starlark.MakeInt(i), nil
}

var spanTable = binding.MethodTable[*Span]{
	Name: "Span",
	Doc: "A stretch of time: consecutive selected samples of a Mask, a region of a capture, a gap without data, or " +
		"late time that one longer sample covers.",
	Attrs: []binding.Attribute[*Span]{
		{Name: "start", Type: "float", Doc: "Start in seconds since the start of the capture.",
			Get: func(s *Span) starlark.Value { return binding.Seconds(s.Span.Start) }},
		{Name: "end", Type: "float", Doc: "End in seconds.", Get: func(s *Span) starlark.Value {
			return binding.Seconds(s.Span.End)
		}},
		{Name: "duration", Type: "float", Doc: "Length in seconds.", Get: func(s *Span) starlark.Value {
			return binding.Seconds(s.Span.End - s.Span.Start)
		}},
		{Name: "first", Type: "int", Doc: "Index of the first sample; None of a region, gap or late span.",
			Ask: func(s *Span) (starlark.Value, error) { return s.row(s.Span.First) }},
		{Name: "last", Type: "int", Doc: "Index of the last sample; None of a region, gap or late span.",
			Ask: func(s *Span) (starlark.Value, error) { return s.row(s.Span.Last) }},
		{Name: "name", Type: "str", Doc: "Name of a region or phase, else None.",
			Get: func(s *Span) starlark.Value { return binding.Text(s.name) }},
		{Name: "track", Type: "str",
			Doc: "What a region happened on, such as a thread or a queue, where a capture has regions of several; " +
				"else None.",
			Get: func(s *Span) starlark.Value { return binding.Text(s.track) }},
		{Name: "depth", Type: "int", Doc: "How many regions of its track a region lies in.",
			Get: func(s *Span) starlark.Value { return starlark.MakeInt(s.depth) }},
		{Name: "reason", Type: "str",
			Doc: "Why there is no data in a gap, or one sample for several in a late span; else None.",
			Get: func(s *Span) starlark.Value {
				if s.reason == nil {
					return starlark.None
				}
				return starlark.String(s.reason.String())
			}},
		{Name: "lost", Type: "int", Doc: "Samples that are not there in a gap or late span, None where not known.",
			Get: func(s *Span) starlark.Value {
				if s.lost == 0 {
					return starlark.None
				}
				return starlark.MakeUint64(s.lost)
			}},
	},
}

// Phases numbers phases.
func Phases(e *binding.Env, spans []capture.Span) starlark.Value {
	out := make([]starlark.Value, len(spans))
	for i, s := range spans {
		out[i] = &Span{env: e, Span: s, OfSamples: true, name: fmt.Sprintf("phase %d", i+1)}
	}
	return binding.FrozenList(out)
}
