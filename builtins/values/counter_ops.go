package values

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
)

// operators are the Starlark operators that counters have, as formula.Apply calls them.
var operators = map[syntax.Token]string{
	syntax.PLUS: "+", syntax.MINUS: "-", syntax.STAR: "*", syntax.SLASH: "/", syntax.SLASHSLASH: "//",
	syntax.PERCENT: "%",
}

// Binary implements + - * / // % with a Counter or a number on either side.
func (c *Counter) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	name, ok := operators[op]
	if !ok {
		return nil, nil
	}
	switch y.(type) {
	case *Counter, starlark.Int, starlark.Float:
	case starlark.NoneType:
		return nil, fmt.Errorf("Counter %s %s None: the other side is missing; c.fill(x) replaces missing values",
			c.Counter.Name, op)
	default:
		return nil, nil
	}
	if side == starlark.Left {
		return c.apply(name, c, y)
	}
	return c.apply(name, y, c)
}

// Unary implements unary - and +.
func (c *Counter) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return c.apply("neg", c)
	case syntax.PLUS:
		return c, nil
	}
	return nil, nil
}

// apply computes an elementwise operator. Its result is a derived counter: its total is the operator on the totals.
func (c *Counter) apply(op string, args ...starlark.Value) (*Counter, error) {
	operands := make([]formula.Operand, len(args))
	meta := capture.Meta{GPU: c.Counter.GPU, Block: c.Counter.Block, Integral: op != "/"}
	var warnings []string
	for i, a := range args {
		switch a := a.(type) {
		case *Counter:
			if !a.Counter.Axis.Same(c.Counter.Axis) {
				return nil, AxisError(c.Counter, a.Counter)
			}
			operands[i] = formula.Operand{Counter: a.Counter}
			meta.Integral = meta.Integral && a.wholeNumbers()
		default:
			f, ok := starlark.AsFloat(a)
			if !ok {
				return nil, fmt.Errorf("got %s, want Counter or number", a.Type())
			}
			operands[i] = formula.Operand{Const: f, IsConst: true}
			meta.Integral = meta.Integral && f == math.Trunc(f)
		}
	}
	meta.Unit, warnings = resultUnit(op, args)
	out, err := formula.Apply(op, meta, operands...)
	if err != nil {
		return nil, err
	}
	out.Warnings = append(out.Warnings, warnings...)
	return c.with(out), nil
}

// resultUnit is the unit of an operation, with a warning where unlike units are added.
func resultUnit(op string, args []starlark.Value) (string, []string) {
	unit := func(v starlark.Value) (string, bool) {
		if c, ok := v.(*Counter); ok {
			return c.Counter.Unit, true
		}
		return "", false
	}
	a, aHas := unit(args[0])
	if len(args) == 1 {
		return a, nil
	}
	b, bHas := unit(args[1])
	switch op {
	case "*":
		if !aHas || !bHas {
			return a + b, nil // one is a plain number
		}
		return metrics.UnitMul(a, b), nil
	case "/", "//":
		if !bHas {
			return a, nil
		}
		if !aHas {
			return metrics.UnitDiv("", b), nil
		}
		return metrics.UnitDiv(a, b), nil
	}
	if !aHas {
		return b, nil
	}
	if !bHas {
		return a, nil
	}
	u, ok := metrics.UnitAdd(a, b)
	if !ok {
		return u, []string{fmt.Sprintf("%s of unlike units: %s and %s", op, orUnknown(a), orUnknown(b))}
	}
	return u, nil
}

func orUnknown(unit string) string {
	if unit == "" {
		return "a plain number"
	}
	return unit
}

func AxisError(a, b *capture.Counter) error {
	return fmt.Errorf(
		"%s and %s have different time axes (%d and %d samples): resample both to one period first, such as cap.resample(\"10ms\")",
		a.Name, b.Name, a.Len(), b.Len())
}

func unaryMethod(name, op, doc string) binding.Method[*Counter] {
	return binding.Method[*Counter]{
		Sig: name + "() -> Counter", Doc: doc, Example: "(-clk)." + name + "()",
		Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) { return recv.apply(op, recv) },
	}
}

func binaryMethod(name, op, doc string) binding.Method[*Counter] {
	return binding.Method[*Counter]{
		Sig: name + "(x: number|Counter) -> Counter", Doc: doc, Example: "clk." + name + "(10)",
		Run: func(recv *Counter, c *binding.Call) (starlark.Value, error) { return recv.apply(op, recv, c.Arg("x")) },
	}
}

func (c *Counter) clamp(lo, hi starlark.Value) (starlark.Value, error) {
	switch {
	case lo == starlark.None && hi == starlark.None:
		return c, nil
	case lo == starlark.None:
		return c.apply("min", c, hi)
	case hi == starlark.None:
		return c.apply("max", c, lo)
	}
	return c.apply("clamp", c, lo, hi)
}

// rate divides by the measuring time of each sample.
func (c *Counter) rate() (starlark.Value, error) {
	if c.Counter.Kind == capture.Gauge || c.Counter.Kind == capture.Constant {
		return nil, fmt.Errorf("%s is a %s, not a count of events: it has no rate (c.diff() gives its changes)",
			c.Counter.Name, c.Counter.Kind)
	}
	out, err := c.apply("/", c, &Counter{env: c.env, Counter: c.Counter.Duration()})
	if err != nil {
		return nil, err
	}
	out.Counter.Name = "rate(" + c.Counter.Name + ")"
	out.Counter.Unit = c.Counter.Unit + "/s"
	if c.Counter.Unit == "" {
		out.Counter.Unit = "1/s"
	}
	if c.Counter.Title != "" {
		out.Counter.Title = c.Counter.Title + " per second"
	}
	return out, nil
}

// share is 100 * c / of.
func (c *Counter) share(of starlark.Value) (starlark.Value, error) {
	ratio, err := c.apply("/", c, of)
	if err != nil {
		return nil, err
	}
	out, err := ratio.apply("*", ratio, starlark.MakeInt(100))
	if err != nil {
		return nil, err
	}
	var name string
	if o, ok := of.(*Counter); ok {
		name = o.Counter.Name
	} else {
		name = of.String()
	}
	out.Counter.Name, out.Counter.Unit = "share("+c.Counter.Name+", "+name+")", "percent"
	return out, nil
}

// diff is the change from the sample before.
func (c *Counter) diff() *capture.Counter {
	n := c.Len()
	out := &capture.Counter{Axis: c.Counter.Axis, Meta: capture.Meta{
		Name: "diff(" + c.Counter.Name + ")", Unit: c.Counter.Unit, Kind: capture.Delta, GPU: c.Counter.GPU,
		Block: c.Counter.Block, Inputs: []string{c.Counter.Name}, Integral: c.wholeNumbers(),
	}}
	if n > 0 {
		out.Reasons = []capture.ReasonRun{{From: 0, To: 1,
			Reason: capture.Reason{Code: capture.TooFewSamples, Text: "the first sample has none before it"}}}
	}
	src := c.Counter
	out.Col = capture.LazyColumn(n, func() (capture.Data, error) {
		v := src.Floats()
		f := make([]float64, n)
		last := math.NaN()
		for i, x := range v {
			f[i] = x - last
			last = x
		}
		return capture.Data{F: f}, nil
	})
	return out
}

// cumsum is the running sum, in integers where they are exact and fit.
func (c *Counter) cumsum() *capture.Counter {
	n := c.Len()
	out := &capture.Counter{Axis: c.Counter.Axis, Reasons: c.Counter.Reasons, Meta: capture.Meta{
		Name: "cumsum(" + c.Counter.Name + ")", Unit: c.Counter.Unit, Kind: capture.Gauge, GPU: c.Counter.GPU,
		Block: c.Counter.Block, Inputs: []string{c.Counter.Name}, Integral: c.wholeNumbers(),
	}}
	src := c.Counter
	out.Col = capture.LazyColumn(n, func() (capture.Data, error) {
		if src.Col != nil {
			if d := src.Col.Data(); d.U != nil {
				if sums, ok := runningSum(d); ok {
					return sums, nil
				}
			}
		}
		f := make([]float64, n)
		sum := 0.0
		for i, x := range src.Floats() {
			if x == x {
				sum += x
				f[i] = sum
			} else {
				f[i] = x
			}
		}
		return capture.Data{F: f}, nil
	})
	return out
}

// runningSum adds integers; ok is false where the sum outgrows 64 bits.
func runningSum(d capture.Data) (capture.Data, bool) {
	out := capture.Data{U: make([]uint64, len(d.U)), Valid: d.Valid}
	var sum uint64
	for i, u := range d.U {
		if d.Valid.Get(i) {
			if sum+u < sum {
				return capture.Data{}, false
			}
			sum += u
		}
		out.U[i] = sum
	}
	return out, true
}

// wholeNumbers reports whether every value is an integer by nature.
func (c *Counter) wholeNumbers() bool {
	if c.Counter.Integral {
		return true
	}
	if c.Counter.Col != nil {
		return c.Counter.Col.Integers()
	}
	for _, in := range c.Counter.Instances {
		if in.Col == nil || !in.Col.Integers() {
			return false
		}
	}
	return len(c.Counter.Instances) > 0 && c.Counter.Der == nil && c.Counter.Combine != capture.CombineMean
}

// compare selects the samples for which keep holds between the value and x.
func (c *Counter) compare(call *binding.Call, x starlark.Value, keep func(a, b float64) bool) (*Mask, error) {
	v, err := AsFloats(c)
	if err != nil {
		return nil, err
	}
	var limit float64
	switch x := x.(type) {
	case *Counter:
		if !x.Counter.Axis.Same(c.Counter.Axis) {
			return nil, AxisError(c.Counter, x.Counter)
		}
		w, err := AsFloats(x)
		if err != nil {
			return nil, err
		}
		scale := 1.0
		if x.Counter.Unit != c.Counter.Unit && x.Counter.Unit != "" && c.Counter.Unit != "" {
			ratio, ok := notation.UnitRatio(x.Counter.Unit, c.Counter.Unit)
			if !ok {
				c.env.Warnf("comparing unlike units: %s is in %s, %s in %s", c.Counter.Name, c.Counter.Unit,
					x.Counter.Name, x.Counter.Unit)
			} else {
				scale = ratio
			}
		}
		return &Mask{env: c.env, Mask: capture.NewMask(c.Counter.Axis, func(i int) bool {
			return keep(v[i], w[i]*scale)
		})}, nil
	case starlark.String:
		if limit, err = notation.ParseQuantity(string(x), c.Counter.Unit); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Counter.Name, err)
		}
	default:
		f, ok := starlark.AsFloat(x)
		if !ok {
			return nil, fmt.Errorf("got %s, want a number, a Counter or a quantity such as \"80GB/s\"", x.Type())
		}
		limit = f
	}
	return &Mask{env: c.env, Mask: capture.NewMask(c.Counter.Axis, func(i int) bool { return keep(v[i], limit) })}, nil
}
