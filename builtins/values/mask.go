package values

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
)

// Mask selects samples of a time axis.
type Mask struct {
	env  *binding.Env
	Mask *capture.Mask
}

var (
	_ starlark.HasAttrs   = (*Mask)(nil)
	_ starlark.HasBinary  = (*Mask)(nil)
	_ starlark.HasUnary   = (*Mask)(nil)
	_ starlark.Indexable  = (*Mask)(nil)
	_ starlark.Comparable = (*Mask)(nil)
)

// NewMask makes a mask visible to scripts.
func NewMask(env *binding.Env, m *capture.Mask) *Mask { return &Mask{env, m} }

func (m *Mask) String() string {
	s := fmt.Sprintf("Mask %d of %d %s", m.Mask.Count(), m.Mask.Len(), notation.Plural(m.Mask.Len(), "sample"))
	if f, ok := m.Mask.Fraction(); ok {
		s += " (" + notation.Quantity(f*100, "percent") + ")"
	}
	if n := len(m.Mask.Spans(0)); n > 0 {
		s += fmt.Sprintf(" in %d %s", n, notation.Plural(n, "span"))
	}
	return s
}
func (m *Mask) Type() string          { return "Mask" }
func (m *Mask) Freeze()               {}
func (m *Mask) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Mask") }
func (m *Mask) AttrNames() []string   { return maskTable.AttrNames() }

func (m *Mask) Attr(name string) (starlark.Value, error) { return maskTable.Attr(m.env, m, name) }

// Truth stops the statement: whether any or all samples are meant must be said.
func (m *Mask) Truth() starlark.Bool {
	m.env.Stop(
		"a Mask is not true or false: use m.any() or m.all(); combine masks with & | ^ ~ instead of and, or, not")
	return false
}

// CompareSameType refuses, because == of two masks would give one bool.
func (m *Mask) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return false, &IncomparableError{op: op, v: m}
}

func (m *Mask) Len() int                   { return m.Mask.Len() }
func (m *Mask) Index(i int) starlark.Value { return starlark.Bool(m.Mask.Get(i)) }

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
			return nil, fmt.Errorf(
				"Mask %s bool: comparisons of counters are methods and give a Mask, such as c.gt(5) %s c.lt(9)", op, op)
		}
		return nil, nil
	}
	if !m.Mask.Axis.Same(o.Mask.Axis) {
		return nil, fmt.Errorf(
			"masks have different time axes (%d and %d samples): make both from counters of one capture",
			m.Len(), o.Len())
	}
	return &Mask{env: m.env, Mask: f(m.Mask, o.Mask)}, nil
}

// Unary implements ~.
func (m *Mask) Unary(op syntax.Token) (starlark.Value, error) {
	if op == syntax.TILDE {
		return &Mask{env: m.env, Mask: m.Mask.Not()}, nil
	}
	return nil, nil
}

var maskTable = binding.MethodTable[*Mask]{
	Name: "Mask",
	Doc: "Selected samples of a time axis. Combine masks with & | ^ and invert with ~, which selects all others, also " +
		"those without a value. cap.where(mask) keeps the selected samples. m[i] says whether sample i is selected.",
	Methods: []binding.Method[*Mask]{
		{Sig: "count() -> int", Doc: "Number of selected samples.", Example: "clk.gt(1000).count()",
			Run: func(m *Mask, c *binding.Call) (starlark.Value, error) {
				return starlark.MakeInt(m.Mask.Count()), nil
			}},
		{Sig: "fraction() -> float", Doc: "Selected share of the samples, 0 to 1; None where there are no samples.",
			Example: "percent(clk.gt(1000).fraction())",
			Run: func(m *Mask, c *binding.Call) (starlark.Value, error) {
				f, ok := m.Mask.Fraction()
				if !ok {
					return starlark.None, nil
				}
				return starlark.Float(f), nil
			}},
		{Sig: "any() -> bool", Doc: "Whether some sample is selected.", Example: "clk.gt(1000).any()",
			Run: func(m *Mask, c *binding.Call) (starlark.Value, error) {
				return starlark.Bool(m.Mask.Count() > 0), nil
			}},
		{Sig: "all() -> bool", Doc: "Whether every sample is selected.", Example: "clk.gt(0).all()",
			Run: func(m *Mask, c *binding.Call) (starlark.Value, error) {
				return starlark.Bool(m.Mask.Count() == m.Mask.Len()), nil
			}},
		{Sig: "spans(min_duration: duration=None, across: Mask=None) -> list",
			Doc: "Stretches of consecutive selected samples that last at least min_duration, as Span values. A gap " +
				"in the data ends a stretch. Samples of the mask across may lie inside a stretch without breaking it " +
				"up: those without a value, for example.",
			Example: "[s.duration for s in clk.gt(1000).spans(\"1s\", across=clk.missing())]",
			Run: func(m *Mask, c *binding.Call) (starlark.Value, error) {
				ns, err := c.Duration("min_duration", 0)
				if err != nil {
					return nil, err
				}
				var across *capture.Mask
				if c.Has("across") {
					across = c.Arg("across").(*Mask).Mask
					if !across.Axis.Same(m.Mask.Axis) {
						return nil, errors.New("parameter across: the mask has another time axis")
					}
				}
				return binding.Interruptible(c, func() (starlark.Value, error) {
					spans := m.Mask.SpansAcross(across, ns)
					out := make([]starlark.Value, len(spans))
					for i, s := range spans {
						out[i] = &Span{env: m.env, Span: s, OfSamples: true}
					}
					return binding.FrozenList(out), nil
				})
			}},
	},
}
