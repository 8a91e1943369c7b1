package formula

import (
	"fmt"

	"astrolabe/capture"
)

// applyOps are the operators of Apply with their numbers of arguments.
var applyOps = map[string]struct {
	op   Op
	args int
}{
	"+": {OpAdd, 2}, "-": {OpSub, 2}, "*": {OpMul, 2}, "/": {OpDiv, 2}, "//": {OpFloorDiv, 2}, "%": {OpMod, 2},
	"neg": {OpNeg, 1}, "abs": {OpAbs, 1}, "min": {OpMin, 2}, "max": {OpMax, 2}, "clamp": {OpClamp, 3},
	"fill": {OpFill, 2},
}

// operandEnv resolves the names that Apply makes up.
type operandEnv map[string]Operand

func (e operandEnv) Lookup(name string, _ bool) (Operand, error) { return e[name], nil }

// Apply makes a counter of an operator and its operands: + - * / // % neg abs min max clamp(x, low, high)
// fill(x, value). Its total is the operator on the operands' totals. meta describes the result; its Kind, Expr and
// Inputs are filled in. Operands must share their samples, else the error wraps errAxis.
func Apply(op string, meta capture.Meta, args ...Operand) (*capture.Counter, error) {
	o, ok := applyOps[op]
	if !ok || len(args) != o.args {
		return nil, fmt.Errorf("no operator %q of %d operands", op, len(args))
	}
	if below, bins := beneath(args); below != nil {
		out, err := Apply(op, meta, below...)
		if err != nil {
			return nil, err
		}
		return out.Rebin(bins), nil
	}
	root := &Node{Op: o.op, Pos: -1}
	env := operandEnv{}
	var axis *capture.Axis
	for _, a := range args {
		if a.IsConst && a.Const >= 0 {
			root.Args = append(root.Args, &Node{Op: OpNumber, Value: a.Const, Pos: -1})
			continue
		}
		if a.IsConst {
			root.Args = append(root.Args, &Node{Op: OpNeg, Pos: -1,
				Args: []*Node{{Op: OpNumber, Value: -a.Const, Pos: -1}}})
			continue
		}
		if a.Counter == nil {
			return nil, fmt.Errorf("operator %s has an operand that is neither a counter nor a number", op)
		}
		if axis == nil {
			axis = a.Counter.Axis
		}
		name := operandName(a.Counter)
		for k := 2; ; k++ { // two counters may have one name, such as a counter and its copy in a window
			if have, taken := env[name]; !taken || have.Counter == a.Counter {
				break
			}
			name = fmt.Sprintf("%s'%d", operandName(a.Counter), k)
		}
		env[name] = a
		root.Args = append(root.Args, &Node{Op: OpName, Name: name, Pos: -1})
		meta.Inputs = append(meta.Inputs, name)
	}
	if axis == nil {
		return nil, fmt.Errorf("operator %s has no counter among its operands", op)
	}
	e := &Expr{Dialect: Streamline, Root: root}
	e.Src = clip(e.String())
	p, err := Bind([]*Expr{e}, axis, env, Options{})
	if err != nil {
		return nil, err
	}
	meta.Kind = capture.Derived
	meta.Expr = e.Src
	if meta.Name == "" {
		meta.Name = e.Src
	}
	return &capture.Counter{Meta: meta, Axis: axis, Der: p.Derivation(0)}, nil
}

// beneath are operands in the samples of which theirs were put together, all in the same way; nil where they were not. There
// it is known in which of them an operand is missing.
func beneath(args []Operand) (below []Operand, bins *capture.Bins) {
	for _, a := range args {
		if a.Counter != nil {
			of, b := a.Counter.Beneath()
			if of == nil || bins != nil && !bins.Same(b) {
				return nil, nil
			}
			a.Counter, bins = of, b
		}
		below = append(below, a)
	}
	if bins == nil {
		return nil, nil
	}
	return below, bins
}

// operandName is how a counter appears in the formula that Apply makes: by its name, or by its formula in brackets
// where it is an unnamed result of Apply.
func operandName(c *capture.Counter) string {
	if c.Name == "" {
		return "?"
	}
	if c.Expr != "" && c.Name == c.Expr {
		return "(" + c.Name + ")"
	}
	return c.Name
}
