package metrics

import (
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Eval makes a derived counter of an expression in a vendor's syntax. The dialect may be given as a prefix ("rocm:
// SUM(A)", "streamline: $A", "intel: A 7 READ 4 UMUL"), else it is guessed: SUM( and its like or a Python conditional
// are ROCm, words such as READ and UMUL are Intel, $Mali is Streamline, and anything else is read in the dialect of the
// capture's catalogue. meta describes the result; an empty name becomes the expression. A surplus bracket, as printed
// guides have them, is mended with a warning.
func Eval(cap *capture.Capture, expr string, meta capture.Meta) (*capture.Counter, error) {
	return EvalWith(cap, nil, expr, meta)
}

// EvalWith is Eval where defs, metrics that the caller defined, may be named too.
func EvalWith(cap *capture.Capture, defs []*Entry, expr string, meta capture.Meta) (*capture.Counter, error) {
	if out, ok := beneath(cap, func(from *capture.Capture) ([]*capture.Counter, error) {
		c, err := EvalWith(from, defs, expr, meta)
		return []*capture.Counter{c}, err
	}); ok {
		return out[0], nil
	}
	s := newScope(cap, defs)
	d, text := formula.GuessDialect(expr, s.dialect())
	x, assumed, err := formula.ParseLenient(d, text)
	if err != nil {
		return nil, err
	}
	if meta.Name == "" {
		meta.Name = strings.Join(strings.Fields(text), " ")
	}
	e := &Entry{Name: meta.Name, Expr: text, expr: x, Dialect: d}
	return s.evaluate(e, meta, assumed)
}

// CheckFormula reads an expression as Eval does where the capture is of that GPU, "" for any. assumed tells what had to
// be mended, "" where nothing; the error is that of a text that is no formula.
func CheckFormula(gpu, expr string) (assumed string, err error) {
	s := newScope(&capture.Capture{Config: capture.Config{GPU: gpu, Axis: &capture.Axis{}}}, nil)
	d, text := formula.GuessDialect(expr, s.dialect())
	_, assumed, err = formula.ParseLenient(d, text)
	return assumed, err
}

// FormulaCounters are the counters and metrics that an expression reads, read as Eval does on a capture of that GPU.
func FormulaCounters(gpu, expr string) ([]string, error) {
	s := newScope(&capture.Capture{Config: capture.Config{GPU: gpu, Axis: &capture.Axis{}}}, nil)
	d, text := formula.GuessDialect(expr, s.dialect())
	x, _, err := formula.ParseLenient(d, text)
	if err != nil {
		return nil, err
	}
	return x.Counters(), nil
}

// evaluate compiles a user's expression.
func (s *scope) evaluate(e *Entry, meta capture.Meta, assumed string) (*capture.Counter, error) {
	env := &formulaEnv{s: s, expr: e.expr}
	opt := formula.Options{Notes: make([][]string, 1), Percent: []bool{SameUnit(meta.Unit, "percent")},
		ZeroIsZero: s.zeroIsZero(s.cap.GPU)}
	p, err := formula.Bind([]*formula.Expr{e.expr}, s.cap.Axis, env, opt)
	if err != nil {
		return nil, err
	}
	opt.Notes[0] = env.notes
	meta.Kind = capture.Derived
	meta.Expr = strings.Join(strings.Fields(e.Expr), " ")
	meta.Inputs = e.expr.Names()
	if meta.GPU == "" {
		meta.GPU = s.cap.GPU
	}
	c := &capture.Counter{Meta: meta, Axis: s.cap.Axis, Der: p.Derivation(0)}
	if assumed != "" {
		c.Warnings = []string{assumed} // of the text, not of what it was computed from
	}
	if s.sel == nil {
		for _, id := range commonInstances(c.Der.Operands()) {
			sel := &selection{ids: []string{id}, single: true, label: "[" + id + "]"}
			in := &capture.Counter{Meta: c.Meta, Axis: c.Axis}
			in.Name += sel.label
			in.Meta.Instance = id
			in.Der = &lazyDerivation{expr: c.Expr, make: func() (capture.Derivation, error) {
				out, err := s.restricted(sel).evaluate(e, meta, "")
				if err != nil {
					return nil, err
				}
				return out.Der, nil
			}}
			c.Instances = append(c.Instances, in)
		}
	}
	return c, nil
}

// dialect is the syntax of the capture's own catalogue.
func (s *scope) dialect() formula.Dialect {
	if len(s.cats) == 0 {
		return formula.Streamline
	}
	return s.cats[0].dialect
}
