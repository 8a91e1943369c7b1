package infer

import (
	"slices"

	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
)

// Kind says what sort of thing a Type describes.
type Kind uint8

const (
	Unknown  Kind = iota // anything
	Nothing              // no value has been seen yet, as of a variable in a loop that only feeds on itself
	None                 // None
	Value                // a value of the type Name
	Module               // a predeclared module
	Function             // a function of ours, or a method
	Def                  // a function of a script
)

// Type is what is known of an expression.
type Type struct {
	Kind     Kind
	Name     string  // of the type or module
	Optional bool    // it may be None as well
	Elem     *Type   // of what a list holds, or the values of a dict; nil if not known
	Items    []*Type // of a tuple

	Table binding.Documented // of a type or module of ours
	Entry *binding.Entry     // of a Function
	Recv  *Type              // what a method belongs to; nil of a predeclared function
	Def   *syntax.DefStmt
	File  *File // that Def stands in

	GPU     string   // catalogue of a Capture and of what comes from it; "" if not known
	Columns []string // further counters that a Capture is known to have
}

var (
	unknown = &Type{}
	nothing = &Type{Kind: Nothing}
	none    = &Type{Kind: None, Name: "NoneType"}
)

// value is a value of a type by the name that signatures use.
func value(name string) *Type {
	t := &Type{Kind: Value, Name: name}
	for _, d := range values.Types {
		if d.TypeName() == name {
			t.Table = d
		}
	}
	return t
}

func listOf(elem *Type) *Type { return &Type{Kind: Value, Name: "list", Elem: elem} }

// Is reports whether it is a value of one of the named types, or None if it may be that too.
func (t *Type) Is(names ...string) bool {
	if t.Kind != Value {
		return false
	}
	for _, n := range names {
		if t.Name == n {
			return true
		}
	}
	return false
}

// isNumber reports whether it is a number of whatever kind.
func (t *Type) isNumber() bool { return t.Is("int", "float", "number") }

// of returns t for what comes from a capture: it keeps the GPU and the columns.
func (t *Type) of(from *Type) *Type {
	if t.Kind != Value || from == nil || from.GPU == "" && from.Columns == nil {
		return t
	}
	out := *t
	if out.GPU == "" {
		out.GPU = from.GPU
	}
	if out.Columns == nil {
		out.Columns = from.Columns
	}
	if out.Elem != nil {
		out.Elem = out.Elem.of(from)
	}
	return &out
}

// maxJoin bounds how deep types inside types are compared: what they share is not seen as shared.
const maxJoin = 6

// join is what an expression is that may be one of two.
func join(a, b *Type) *Type { return joinTo(a, b, maxJoin) }

func joinTo(a, b *Type, depth int) *Type {
	switch {
	case depth == 0:
		return unknown
	case a.Kind == Nothing || a == b:
		return b
	case b.Kind == Nothing:
		return a
	case a.Kind == None && b.Kind == None:
		return a
	case a.Kind == None:
		return b.orNone()
	case b.Kind == None:
		return a.orNone()
	case a.Kind != b.Kind:
		return unknown
	case a.isNumber() && b.isNumber() && a.Name != b.Name:
		t := *value("number")
		t.Optional = a.Optional || b.Optional
		return &t
	}
	switch a.Kind {
	case Value, Module:
		if a.Name != b.Name {
			return unknown
		}
		t := *a
		t.Optional = a.Optional || b.Optional
		t.Elem = joinElem(a.Elem, b.Elem, depth)
		if len(a.Items) != len(b.Items) {
			t.Items = nil
		}
		t.Items = slices.Clone(t.Items)
		for i := range t.Items {
			t.Items[i] = joinTo(a.Items[i], b.Items[i], depth-1)
		}
		if a.GPU != b.GPU {
			t.GPU = ""
		}
		for _, c := range b.Columns {
			if !slices.Contains(a.Columns, c) {
				t.Columns = append(slices.Clip(t.Columns), c)
			}
		}
		return &t
	case Def:
		if a.Def == b.Def {
			return a
		}
	case Function:
		if a.Entry == b.Entry {
			return a
		}
	}
	return unknown
}

func joinElem(a, b *Type, depth int) *Type {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return joinTo(a, b, depth-1)
}

func (t *Type) orNone() *Type {
	if t.Kind != Value {
		return unknown
	}
	out := *t
	out.Optional = true
	return &out
}

// String is the type for people.
func (t *Type) String() string {
	switch t.Kind {
	case None:
		return "None"
	case Value:
		s := t.Name
		if t.Elem != nil && t.Elem.Kind == Value {
			s += " of " + t.Elem.String()
		}
		if t.GPU != "" && t.Name == "Capture" {
			s += " of " + t.GPU
		}
		if t.Optional {
			s += " or None"
		}
		return s
	case Module:
		return "module " + t.Name
	case Function:
		return "function"
	case Def:
		return "function " + t.Def.Name.Name
	}
	return "unknown"
}
