package intel

import (
	"fmt"
	"maps"
	"math"

	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
)

// linear is a formula of a metric set with the GPU's variables put in, as far as it is linear in the counters: a number
// and, for each counter, what a count of it adds, divided by a counter or by nothing.
type linear struct {
	number float64
	terms  map[string]float64
	over   string // "GPU_CLOCK", "GPU_TIME" (in ns), or "" for 1
}

// Counters of the report's header, as formulas call them.
const (
	clockName = "GPU_CLOCK"
	timeName  = "GPU_TIME" // in ns
)

// constant reports whether the formula is a number.
func (l *linear) constant() bool { return len(l.terms) == 0 && l.over == "" }

func (l *linear) scale(by float64) *linear {
	out := &linear{number: l.number * by, terms: map[string]float64{}, over: l.over}
	for name, c := range l.terms {
		out.terms[name] = c * by
	}
	return out
}

func (l *linear) plus(m *linear, by float64) (*linear, error) {
	if l.over != m.over {
		return nil, fmt.Errorf("adds what is divided by %q to what is divided by %q", m.over, l.over)
	}
	out := &linear{number: l.number + by*m.number, terms: maps.Clone(l.terms), over: l.over}
	for name, c := range m.terms {
		out.terms[name] += by * c
	}
	return out, nil
}

// value is what the formula comes to. Integer divisions are taken as if they left no remainder behind.
func (l *linear) value(of func(name string) float64) float64 {
	sum := l.number
	for name, c := range l.terms {
		sum += c * of(name)
	}
	if l.over != "" {
		d := of(l.over)
		if d == 0 {
			return math.NaN()
		}
		sum /= d
	}
	return sum
}

// reader turns formulas of one metric set into sums.
type reader struct {
	set       *metrics.MetricSet
	variables map[string]float64
}

// read is a metric's formula. The error says what is not linear in it.
func (r *reader) read(n *formula.Node) (*linear, error) {
	one := func(name string) *linear { return &linear{terms: map[string]float64{name: 1}} }
	switch n.Op {
	case formula.OpNumber:
		return &linear{number: n.Value, terms: map[string]float64{}}, nil
	case formula.OpName:
		if !n.Dollar {
			return one(n.Name), nil
		}
		if v, ok := r.variables[n.Name]; ok {
			return &linear{number: v, terms: map[string]float64{}}, nil
		}
		switch n.Name {
		case "GpuCoreClocks":
			return one(clockName), nil
		case "GpuTime":
			return one(timeName), nil
		}
		e := r.set.Entry(n.Name)
		if e == nil {
			return nil, fmt.Errorf("$%s has no value on this GPU", n.Name)
		}
		return r.read(e.Formula().Root)
	}
	var args []*linear
	for _, a := range n.Args {
		l, err := r.read(a)
		if err != nil {
			return nil, err
		}
		args = append(args, l)
	}
	return combine(n.Op, args)
}

// combine applies an operation of two operands.
func combine(op formula.Op, args []*linear) (*linear, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("operation %d has %d operands", op, len(args))
	}
	a, b := args[0], args[1]
	switch op {
	case formula.OpAdd, formula.OpUAdd:
		return a.plus(b, 1)
	case formula.OpSub, formula.OpUSub:
		return a.plus(b, -1)
	case formula.OpMul, formula.OpUMul:
		if a.constant() {
			return b.scale(a.number), nil
		}
		if b.constant() {
			return a.scale(b.number), nil
		}
		return nil, fmt.Errorf("multiplies counters")
	case formula.OpDiv, formula.OpUDiv:
		if b.constant() && b.number != 0 {
			return a.scale(1 / b.number), nil
		}
		for _, by := range []string{clockName, timeName} {
			if c := b.terms[by]; len(b.terms) == 1 && c != 0 && b.number == 0 && b.over == "" && a.over == "" {
				out := a.scale(1 / c)
				out.over = by
				return out, nil
			}
		}
		return nil, fmt.Errorf("divides by counters")
	case formula.OpUMin, formula.OpMin:
		// Formulas limit one counter by another so that what was read a moment later is no more than the whole; what
		// is modelled never is.
		return a, nil
	}
	return nil, fmt.Errorf("operation %d is not linear", op)
}
