package formula

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
)

// Step is one step of working out what a counter is over any run of adjoining bins: a reduction of columns with one
// value per bin, a number, or an operation on earlier steps. The last step is the counter.
//
// Reductions skip bins without a value, and are missing where no bin of the run has one:
//
//	sum    the sum of column 0
//	first  the first value of column 0
//	least, most  of column 0
//	mean   column 0 over column 1; where column 1 adds up to nothing, column 2 over column 3
//	std    of the samples whose numbers, sums and squared distances from the mean of the bin are columns 0, 1 and 2
//	turns  column 1 where column 0, in how many samples it waited, adds up to nothing; else the sum over columns 2, 3, 4
//	       and each further three, of what was counted, scaled by the time in which it was to count by that in which it did
type Step struct {
	Op      string
	Args    []int       // earlier steps
	Value   float64     // of "number"
	Columns [][]float64 // one value per bin, NaN where missing
	Zero    bool        // what is divided by zero is zero, not missing
}

// opNames are the operations that a Step may have on earlier steps.
var opNames = map[Op]string{
	OpAdd: "+", OpSub: "-", OpMul: "*", OpDiv: "/", OpFloorDiv: "//", OpMod: "%", OpNeg: "neg", OpLess: "<",
	OpLessEqual: "<=", OpGreater: ">", OpGreaterEqual: ">=", OpEqual: "==", OpNotEqual: "!=", OpAnd: "and", OpOr: "or",
	OpNot: "not", OpIf: "if", OpMin: "min", OpMax: "max", OpAbs: "abs", OpToInt: "trunc", OpRound: "round",
	OpNoiseClamp: "noise", OpClamp: "clamp", OpFill: "fill", OpUAdd: "u+", OpUSub: "u-", OpUMul: "u*", OpUDiv: "u/",
	OpUMin: "umin", OpUMax: "umax", OpBitAnd: "u&", OpBitOr: "u|", OpShiftLeft: "u<<", OpShiftRight: "u>>",
	OpULess: "u<", OpULessEqual: "u<=", OpUGreater: "u>", OpUGreaterEqual: "u>=",
}

// maxTurnParts is of how many instances that take turns the sums are kept one by one.
const maxTurnParts = 16

// Parts are the steps by which the counter's value over any run of adjoining bins follows from columns of the bins: the
// value that a slice of these samples has in total. An error says why there are none, as for the median of a formula.
func Parts(c *capture.Counter, b *capture.Bins) ([]Step, error) {
	return stepsOf(c, b, false)
}

// SteadyParts are Parts for samples that others follow: a counter that may take turns has the steps for that, though it
// counted all of these samples.
func SteadyParts(c *capture.Counter, b *capture.Bins) ([]Step, error) { return stepsOf(c, b, true) }

func stepsOf(c *capture.Counter, b *capture.Bins, steady bool) ([]Step, error) {
	p := &parts{steady: steady}
	if _, err := p.counter(c, b, nil); err != nil {
		return nil, err
	}
	return p.steps, nil
}

type parts struct {
	steps  []Step
	steady bool
}

func (p *parts) add(s Step) int {
	p.steps = append(p.steps, s)
	return len(p.steps) - 1
}

// counter adds a counter without the samples of mask, which only concerns deltas.
func (p *parts) counter(c *capture.Counter, b *capture.Bins, mask capture.Bits) (int, error) {
	switch {
	case c.Der != nil:
		der, beneath := capture.Beneath(c.Der, b)
		d, ok := der.(*derivation)
		if !ok {
			return 0, fmt.Errorf("%s is no formula whose parts are known", c.Name)
		}
		return p.formula(d, beneath)
	case c.Kind == capture.Gauge:
		num, den := c.TimeSums(b)
		sum, n := counted(c.ReadFloats, b)
		return p.add(Step{Op: "mean", Columns: [][]float64{num, den, sum, n}}), nil
	case c.Kind == capture.Constant:
		return p.add(Step{Op: "first", Columns: [][]float64{c.Aggregate(b)}}), nil
	}
	sum := b.SumFloats(func(dst []float64, from int) {
		c.ReadFloats(dst, from)
		blank(dst, from, mask)
	})
	turns, waits, ok := c.TurnSums(b, mask, p.steady)
	many := len(turns) > maxTurnParts
	if !ok || many && !slices.ContainsFunc(waits, func(n float64) bool { return n > 0 }) {
		return p.add(Step{Op: "sum", Columns: [][]float64{sum}}), nil
	}
	if many {
		return 0, fmt.Errorf("%d instances of %s took turns on the hardware", len(turns), c.Name)
	}
	s := Step{Op: "turns", Columns: [][]float64{waits, sum}}
	for _, t := range turns {
		s.Columns = append(s.Columns, t[0], t[1], t[2])
	}
	return p.add(s), nil
}

// counted are the sums of the present values per bin, and how many there are.
func counted(read func(dst []float64, from int), b *capture.Bins) (sum, n []float64) {
	return b.SumFloats(read), b.SumFloats(func(dst []float64, from int) {
		read(dst, from)
		for i, v := range dst {
			dst[i] = v - v + 1
			if math.IsInf(v, 0) {
				dst[i] = 1
			}
		}
	})
}

// formula adds the nodes of a formula, each once.
func (p *parts) formula(d *derivation, b *capture.Bins) (int, error) {
	done := map[int32]int{}
	mask := d.aggregation().mask
	var visit func(id int32) (int, error)
	visit = func(id int32) (int, error) {
		if at, ok := done[id]; ok {
			return at, nil
		}
		n := d.p.g.nodes[id]
		var at int
		var err error
		switch {
		case n.op == OpNumber:
			at = p.add(Step{Op: "number", Value: math.Float64frombits(n.bits)})
		case n.op == OpName:
			at, err = p.counter(d.p.inputs[n.bits].counter, b, mask)
		case n.op.reduction():
			at, err = p.reduction(d.p, d.p.reduction(id), b, mask)
		default:
			name, ok := opNames[n.op]
			if !ok {
				return 0, fmt.Errorf("operation %d has no parts", n.op)
			}
			s := Step{Op: name, Zero: d.p.g.zeroIsZero}
			for _, arg := range []int32{n.a, n.b, n.c} {
				if arg < 0 {
					continue
				}
				k, err := visit(arg)
				if err != nil {
					return 0, err
				}
				s.Args = append(s.Args, k)
			}
			at = p.add(s)
		}
		done[id] = at
		return at, err
	}
	return visit(d.id)
}

// reduction adds a reduction over samples.
func (p *parts) reduction(of *Program, r *reduction, b *capture.Bins, mask capture.Bits) (int, error) {
	if n := of.g.nodes[r.arg]; n.op == OpName && r.op == OpSum && of.inputs[n.bits].counter.Kind == capture.Delta {
		return p.counter(of.inputs[n.bits].counter, b, mask)
	}
	read := func(dst []float64, from int) {
		r.x.runOne(dst, from)
		blank(dst, from, mask)
	}
	column := func(f func(v []float64) float64) []float64 {
		all, out := make([]float64, b.From.Len()), make([]float64, b.Len())
		read(all, 0)
		for j := range out {
			var rows []float64
			for _, v := range all[b.Lo[j]:b.Hi[j]] {
				if v == v {
					rows = append(rows, v)
				}
			}
			if out[j] = math.NaN(); len(rows) > 0 {
				out[j] = f(rows)
			}
		}
		return out
	}
	switch r.op {
	case OpSum:
		if of.turns(r.arg).Count() > 0 {
			return 0, fmt.Errorf("a sum over samples in which counters took turns on the hardware")
		}
		return p.add(Step{Op: "sum", Columns: [][]float64{b.SumFloats(read)}}), nil
	case OpAvg:
		sum, n := counted(read, b)
		return p.add(Step{Op: "mean", Columns: [][]float64{sum, n, sum, n}}), nil
	case OpReduceMin:
		return p.add(Step{Op: "least", Columns: [][]float64{column(r.of)}}), nil
	case OpReduceMax:
		return p.add(Step{Op: "most", Columns: [][]float64{column(r.of)}}), nil
	case OpStd:
		sum, n := counted(read, b)
		return p.add(Step{Op: "std", Columns: [][]float64{n, sum, column(squares)}}), nil
	}
	return 0, fmt.Errorf("a quantile of samples does not follow from parts")
}

// squares is the sum of the squared distances from the mean.
func squares(v []float64) float64 {
	var n, mean, m2 float64
	for _, x := range v {
		n++
		d := x - mean
		mean += d / n
		m2 += d * (x - mean)
	}
	return m2
}
