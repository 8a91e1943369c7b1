package builtins

import (
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/capture"
)

// Span is a stretch of time: selected samples of a Mask, a region, a gap in the data, or what one longer sample covers.
type Span struct {
	env    *Env
	s      capture.Span // First and Last only where rows is set
	rows   bool
	name   string // of a region or phase
	track  string // of a region
	depth  int
	reason *capture.Reason // of a gap or late span
	late   bool
	lost   uint64
}

var (
	_ starlark.HasAttrs = (*Span)(nil)
	_ json.Marshaler    = (*Span)(nil)
)

func (s *Span) String() string {
	out := fmt.Sprintf("Span %s to %s (%s)", formatNS(float64(s.s.Start)), formatNS(float64(s.s.End)), formatNS(float64(s.s.End-s.s.Start)))
	switch {
	case s.name != "":
		out += " " + s.name
	case s.late:
		out += " in one longer sample: " + s.reason.String()
	case s.reason != nil:
		out += " without data: " + s.reason.String()
	}
	return VisibleLine(out)
}
func (s *Span) Type() string          { return "Span" }
func (s *Span) Freeze()               {}
func (s *Span) Truth() starlark.Bool  { return true }
func (s *Span) Hash() (uint32, error) { return uint32(s.s.Start*31 + s.s.End), nil }
func (s *Span) AttrNames() []string   { return spanTable.attrNames() }

func (s *Span) Attr(name string) (starlark.Value, error) { return spanTable.attr(s.env, s, name) }

// MarshalJSON writes start and end in seconds.
func (s *Span) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Start float64 `json:"start"`
		End   float64 `json:"end"`
		Name  string  `json:"name,omitempty"`
	}{float64(s.s.Start) / 1e9, float64(s.s.End) / 1e9, s.name})
}

func (s *Span) row(i int) (starlark.Value, error) {
	if !s.rows {
		return starlark.None, nil
	}
	return starlark.MakeInt(i), nil
}

var spanTable = methodTable[*Span]{
	Name: "Span",
	Doc:  "A stretch of time: consecutive selected samples of a Mask, a region of a capture, a gap without data, or late time that one longer sample covers.",
	Attrs: []attribute[*Span]{
		{Name: "start", Type: "float", Doc: "Start in seconds since the start of the capture.", Get: func(s *Span) (starlark.Value, error) { return seconds(s.s.Start), nil }},
		{Name: "end", Type: "float", Doc: "End in seconds.", Get: func(s *Span) (starlark.Value, error) { return seconds(s.s.End), nil }},
		{Name: "duration", Type: "float", Doc: "Length in seconds.", Get: func(s *Span) (starlark.Value, error) { return seconds(s.s.End - s.s.Start), nil }},
		{Name: "first", Type: "int", Doc: "Index of the first sample; None of a region, gap or late span.", Get: func(s *Span) (starlark.Value, error) { return s.row(s.s.First) }},
		{Name: "last", Type: "int", Doc: "Index of the last sample; None of a region, gap or late span.", Get: func(s *Span) (starlark.Value, error) { return s.row(s.s.Last) }},
		{Name: "name", Type: "str", Doc: "Name of a region or phase, else None.", Get: func(s *Span) (starlark.Value, error) { return text(s.name), nil }},
		{Name: "track", Type: "str", Doc: "What a region happened on, such as a thread or a queue, where a capture has regions of several; else None.", Get: func(s *Span) (starlark.Value, error) { return text(s.track), nil }},
		{Name: "depth", Type: "int", Doc: "How many regions of its track a region lies in.", Get: func(s *Span) (starlark.Value, error) { return starlark.MakeInt(s.depth), nil }},
		{Name: "reason", Type: "str", Doc: "Why there is no data in a gap, or one sample for several in a late span; else None.", Get: func(s *Span) (starlark.Value, error) {
			if s.reason == nil {
				return starlark.None, nil
			}
			return starlark.String(s.reason.String()), nil
		}},
		{Name: "lost", Type: "int", Doc: "Samples that are not there in a gap or late span, None where not known.", Get: func(s *Span) (starlark.Value, error) {
			if s.lost == 0 {
				return starlark.None, nil
			}
			return starlark.MakeUint64(s.lost), nil
		}},
	},
}
