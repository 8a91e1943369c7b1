package values

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/plots/charts"
)

// Note is a text at a time, for the marks of charts.
type Note struct {
	env  *binding.Env
	At   int64 // ns since the start of the capture
	Text string
}

var _ starlark.HasAttrs = (*Note)(nil)

// NewNote makes a note.
func NewNote(e *binding.Env, at int64, text string) *Note { return &Note{e, at, text} }

func (n *Note) String() string {
	return notation.VisibleLine(fmt.Sprintf("Note at %s: %s", notation.FormatNS(float64(n.At)), n.Text))
}
func (n *Note) Type() string          { return "Note" }
func (n *Note) Freeze()               {}
func (n *Note) Truth() starlark.Bool  { return true }
func (n *Note) Hash() (uint32, error) { return starlark.String(n.Text).Hash() }
func (n *Note) AttrNames() []string   { return noteTable.AttrNames() }

func (n *Note) Attr(name string) (starlark.Value, error) { return noteTable.Attr(n.env, n, name) }

// Mark is the note as charts have it.
func (n *Note) Mark() charts.Mark { return charts.Mark{At: n.At, Label: n.Text, Note: true} }

var noteTable = binding.MethodTable[*Note]{
	Name: "Note",
	Doc:  "A text at a time: plot.note makes one, and the marks of a chart take it.",
	Attrs: []binding.Attribute[*Note]{
		{Name: "t", Type: "float", Doc: "The time in seconds since the start of the capture.",
			Get: func(n *Note) starlark.Value { return binding.Seconds(n.At) }},
		{Name: "text", Type: "str", Doc: "The text.",
			Get: func(n *Note) starlark.Value { return starlark.String(n.Text) }},
	},
}
