package builtins

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/capture"
)

// Mask selects samples of a time axis.
type Mask struct {
	env *Env
	m   *capture.Mask
}

var (
	_ starlark.HasAttrs   = (*Mask)(nil)
	_ starlark.HasBinary  = (*Mask)(nil)
	_ starlark.HasUnary   = (*Mask)(nil)
	_ starlark.Indexable  = (*Mask)(nil)
	_ starlark.Comparable = (*Mask)(nil)
)

// Mask returns the mask behind the value.
func (m *Mask) Mask() *capture.Mask { return m.m }

func (m *Mask) String() string {
	s := fmt.Sprintf("Mask %d of %d %s", m.m.Count(), m.m.Len(), plural(m.m.Len(), "sample"))
	if f, ok := m.m.Fraction(); ok {
		s += " (" + quantity(f*100, "percent") + ")"
	}
	if n := len(m.m.Spans(0)); n > 0 {
		s += fmt.Sprintf(" in %d %s", n, plural(n, "span"))
	}
	return s
}
func (m *Mask) Type() string          { return "Mask" }
func (m *Mask) Freeze()               {}
func (m *Mask) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Mask") }
func (m *Mask) AttrNames() []string   { return maskTable.attrNames() }

func (m *Mask) Attr(name string) (starlark.Value, error) { return maskTable.attr(m.env, m, name) }

// Truth stops the statement: whether any or all samples are meant must be said.
func (m *Mask) Truth() starlark.Bool {
	m.env.stop("a Mask is not true or false: use m.any() or m.all(); combine masks with & | ^ ~ instead of and, or, not")
	return false
}

// CompareSameType refuses, because == of two masks would give one bool.
func (m *Mask) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return false, &incomparableError{op: op, v: m}
}

func (m *Mask) Len() int                   { return m.m.Len() }
func (m *Mask) Index(i int) starlark.Value { return starlark.Bool(m.m.Get(i)) }

// Binary implements & | ^ between masks of one time axis.
func (m *Mask) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	var f func(a, b *capture.Mask) *capture.Mask
	switch op {
	case syntax.AMP:
		f = (*capture.Mask).And
	case syntax.PIPE:
		f = (*capture.Mask).Or
	case syntax.CIRCUMFLEX:
		f = (*capture.Mask).Xor
	default:
		return nil, nil
	}
	o, ok := y.(*Mask)
	if !ok {
		if _, isb := y.(starlark.Bool); isb {
			return nil, fmt.Errorf("Mask %s bool: comparisons of counters are methods and give a Mask, such as c.gt(5) %s c.lt(9)", op, op)
		}
		return nil, nil
	}
	if !m.m.Axis.Same(o.m.Axis) {
		return nil, fmt.Errorf("masks have different time axes (%d and %d samples): make both from counters of one capture", m.Len(), o.Len())
	}
	return &Mask{env: m.env, m: f(m.m, o.m)}, nil
}

// Unary implements ~.
func (m *Mask) Unary(op syntax.Token) (starlark.Value, error) {
	if op == syntax.TILDE {
		return &Mask{env: m.env, m: m.m.Not()}, nil
	}
	return nil, nil
}

var maskTable = methodTable[*Mask]{
	Name:      "Mask",
	Elsewhere: maskElsewhere,
	Doc:       "Selected samples of a time axis. Combine masks with & | ^ and invert with ~. cap.where(mask) keeps the selected samples. m[i] says whether sample i is selected.",
	Methods: []method[*Mask]{
		{Sig: "count() -> int", Doc: "Number of selected samples.", Example: "clk.gt(1000).count()",
			Run: func(m *Mask, c *call) (starlark.Value, error) { return starlark.MakeInt(m.m.Count()), nil }},
		{Sig: "fraction() -> float", Doc: "Selected share of the samples, 0 to 1; None where there are no samples.", Example: "percent(clk.gt(1000).fraction())",
			Run: func(m *Mask, c *call) (starlark.Value, error) {
				f, ok := m.m.Fraction()
				if !ok {
					return starlark.None, nil
				}
				return starlark.Float(f), nil
			}},
		{Sig: "any() -> bool", Doc: "Whether some sample is selected.", Example: "clk.gt(1000).any()",
			Run: func(m *Mask, c *call) (starlark.Value, error) { return starlark.Bool(m.m.Count() > 0), nil }},
		{Sig: "all() -> bool", Doc: "Whether every sample is selected.", Example: "clk.gt(0).all()",
			Run: func(m *Mask, c *call) (starlark.Value, error) { return starlark.Bool(m.m.Count() == m.m.Len()), nil }},
		{Sig: "spans(min_duration: duration=None, across: Mask=None) -> list", Doc: "Stretches of consecutive selected samples that last at least min_duration, as Span values. A gap in the data ends a stretch. " +
			"Samples of the mask across may lie inside a stretch without breaking it up: those without a value, for example.",
			Example: "[s.duration for s in clk.gt(1000).spans(\"1s\", across=clk.missing())]",
			Run: func(m *Mask, c *call) (starlark.Value, error) {
				ns, err := c.duration(0, 0)
				if err != nil {
					return nil, err
				}
				var across *capture.Mask
				if c.has(1) {
					across = c.args[1].(*Mask).m
					if !across.Axis.Same(m.m.Axis) {
						return nil, errors.New("parameter across: the mask has another time axis")
					}
				}
				spans := m.m.SpansAcross(across, ns)
				out := make([]starlark.Value, len(spans))
				for i, s := range spans {
					out[i] = &Span{env: m.env, s: s, rows: true}
				}
				return frozenList(out), nil
			}},
	},
}
