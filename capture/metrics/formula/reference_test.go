package formula

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"astrolabe/capture"
)

// rational is a number of the reference evaluator: a fraction of any size, an infinity, or nothing.
type rational struct {
	missing bool
	inf     int // sign of an infinity
	r       *big.Rat
}

var nothing = rational{missing: true}

func rationalOf(f float64) rational {
	switch {
	case f != f:
		return nothing
	case math.IsInf(f, 0):
		return rational{inf: int(math.Copysign(1, f))}
	}
	return rational{r: new(big.Rat).SetFloat64(f)}
}

func whole(n int64) rational { return rational{r: new(big.Rat).SetInt64(n)} }

// float is the nearest double.
func (x rational) float() float64 {
	switch {
	case x.missing:
		return math.NaN()
	case x.inf != 0:
		return math.Inf(x.inf)
	}
	f, _ := x.r.Float64()
	return f
}

func (x rational) rounded() rational { return rationalOf(x.float()) }

func (x rational) sign() int {
	if x.inf != 0 {
		return x.inf
	}
	return x.r.Sign()
}

func (x rational) cmp(y rational) int {
	if x.inf != 0 || y.inf != 0 {
		return x.inf - y.inf
	}
	return x.r.Cmp(y.r)
}

func (x rational) isWhole() bool { return x.inf == 0 && x.r.IsInt() }

// truncated drops the fraction.
func (x rational) truncated() rational {
	if x.missing || x.inf != 0 {
		return x
	}
	return rational{r: new(big.Rat).SetInt(new(big.Int).Quo(x.r.Num(), x.r.Denom()))}
}

func (x rational) floor() rational {
	if x.missing || x.inf != 0 {
		return x
	}
	return rational{r: new(big.Rat).SetInt(new(big.Int).Div(x.r.Num(), x.r.Denom()))}
}

// halfToEven is the nearest whole number, the even one of two.
func (x rational) halfToEven() rational {
	if x.missing || x.inf != 0 {
		return x
	}
	down := x.floor()
	half := new(big.Rat).Sub(x.r, down.r).Cmp(big.NewRat(1, 2))
	if half < 0 || half == 0 && down.r.Num().Bit(0) == 0 {
		return down
	}
	return added(down, whole(1))
}

func (x rational) negated() rational {
	if x.missing || x.inf != 0 {
		return rational{missing: x.missing, inf: -x.inf}
	}
	return rational{r: new(big.Rat).Neg(x.r)}
}

func added(x, y rational) rational {
	switch {
	case x.missing || y.missing || x.inf*y.inf < 0:
		return nothing
	case x.inf != 0:
		return x
	case y.inf != 0:
		return y
	}
	return rational{r: new(big.Rat).Add(x.r, y.r)}
}

func multiplied(x, y rational) rational {
	switch {
	case x.missing || y.missing:
		return nothing
	case x.inf != 0 || y.inf != 0:
		if x.sign()*y.sign() == 0 {
			return nothing
		}
		return rational{inf: x.sign() * y.sign()}
	}
	return rational{r: new(big.Rat).Mul(x.r, y.r)}
}

// divided is x/y where y is not 0.
func divided(x, y rational) rational {
	switch {
	case x.inf != 0 && y.inf != 0:
		return nothing
	case x.inf != 0:
		return rational{inf: x.inf * y.sign()}
	case y.inf != 0:
		return whole(0)
	}
	return rational{r: new(big.Rat).Quo(x.r, y.r)}
}

func truthOf(b bool) rational {
	if b {
		return whole(1)
	}
	return whole(0)
}

// oracle evaluates a tree on one sample with fractions of any size, and shares no code with the engine. Operations on doubles
// round to the nearest double once; operations on unsigned integers do not round among themselves.
type oracle struct {
	values     map[string]float64
	zeroIsZero bool
}

func (e oracle) byZero(x rational) rational {
	if e.zeroIsZero && !x.missing {
		return whole(0)
	}
	return nothing
}

func (e oracle) eval(n *Node) rational {
	switch n.Op {
	case OpNone:
		return nothing
	case OpNumber:
		return rationalOf(n.Value)
	case OpName:
		return rationalOf(e.values[n.Name])
	}
	args := make([]rational, len(n.Args))
	for i, a := range n.Args {
		args[i] = e.eval(a)
		if !n.Op.unsigned() {
			args[i] = args[i].rounded()
		}
	}
	if n.Op.unsigned() {
		return e.unsigned(n.Op, args[0], args[1])
	}
	return e.apply(n.Op, args).rounded()
}

func (e oracle) apply(op Op, a []rational) rational {
	x := a[0]
	switch op {
	case OpIf:
		switch {
		case x.missing:
			return nothing
		case x.sign() != 0:
			return a[1]
		}
		return a[2]
	case OpFill:
		if x.missing {
			return a[1]
		}
		return x
	case OpSum, OpAvg, OpMedian, OpReduceMin, OpReduceMax, OpQuantile: // of one sample
		return x
	}
	for _, y := range a {
		if y.missing {
			return nothing
		}
	}
	switch op {
	case OpNeg:
		return x.negated()
	case OpNot:
		return truthOf(x.sign() == 0)
	case OpAbs:
		if x.sign() < 0 {
			return x.negated()
		}
		return x
	case OpToInt:
		return x.truncated()
	case OpStd: // of one sample
		return added(x, x.negated())
	case OpMin, OpMax:
		for _, y := range a[1:] {
			if op == OpMin && y.cmp(x) < 0 || op == OpMax && y.cmp(x) > 0 {
				x = y
			}
		}
		return x
	case OpClamp:
		switch {
		case x.cmp(a[1]) < 0:
			return a[1]
		case x.cmp(a[2]) > 0:
			return a[2]
		}
		return x
	}
	y := a[1]
	switch op {
	case OpRound:
		p := rationalOf(math.Pow(10, y.float()))
		v := multiplied(x, p).rounded().halfToEven()
		if v = divided(v, p).rounded(); v.missing || v.inf != 0 {
			return x
		}
		return v
	case OpAdd:
		return added(x, y)
	case OpSub:
		return added(x, y.negated())
	case OpMul:
		return multiplied(x, y)
	case OpDiv, OpFloorDiv, OpMod:
		if y.sign() == 0 {
			return e.byZero(x)
		}
		switch {
		case op == OpDiv:
			return divided(x, y)
		case op == OpFloorDiv:
			return divided(x, y).rounded().floor()
		case x.inf != 0:
			return nothing
		case y.inf != 0:
			if x.sign()*y.inf < 0 {
				return y
			}
			return x
		}
		return added(x, multiplied(y, divided(x, y).floor()).negated())
	case OpNoiseClamp:
		if x.sign() < 0 {
			return whole(0)
		}
		return x
	case OpLess:
		return truthOf(x.cmp(y) < 0)
	case OpLessEqual:
		return truthOf(x.cmp(y) <= 0)
	case OpGreater:
		return truthOf(x.cmp(y) > 0)
	case OpGreaterEqual:
		return truthOf(x.cmp(y) >= 0)
	case OpEqual:
		return truthOf(x.cmp(y) == 0)
	case OpNotEqual:
		return truthOf(x.cmp(y) != 0)
	case OpAnd:
		return truthOf(x.sign() != 0 && y.sign() != 0)
	case OpOr:
		return truthOf(x.sign() != 0 || y.sign() != 0)
	}
	panic("the oracle does not know an operation")
}

// unsigned is one operation of Intel's equations.
func (e oracle) unsigned(op Op, x, y rational) rational {
	if x.missing || y.missing {
		return nothing
	}
	natural := func(v rational) rational {
		if v.missing || v.sign() < 0 {
			return nothing
		}
		return v
	}
	switch op {
	case OpUAdd, OpUSub, OpUMul, OpUMin, OpUMax:
		inexact := !x.isWhole() || !y.isWhole()
		if inexact {
			x, y = x.rounded(), y.rounded()
		}
		var v rational
		switch op {
		case OpUAdd:
			v = added(x, y)
		case OpUSub:
			v = added(x, y.negated())
		case OpUMul:
			v = multiplied(x, y)
		case OpUMin:
			v = e.apply(OpMin, []rational{x, y})
		case OpUMax:
			v = e.apply(OpMax, []rational{x, y})
		}
		if inexact {
			v = v.rounded().truncated()
		}
		return natural(v)
	}
	x, y = x.truncated(), y.truncated()
	switch op {
	case OpUDiv:
		if y.sign() == 0 {
			return e.byZero(x)
		}
		return natural(divided(x, y).truncated())
	case OpULess:
		return truthOf(x.cmp(y) < 0)
	case OpULessEqual:
		return truthOf(x.cmp(y) <= 0)
	case OpUGreater:
		return truthOf(x.cmp(y) > 0)
	case OpUGreaterEqual:
		return truthOf(x.cmp(y) >= 0)
	}
	if x.inf != 0 || y.inf != 0 || !x.r.Num().IsUint64() || !y.r.Num().IsUint64() {
		return nothing
	}
	a, b := x.r.Num(), y.r.Num()
	out := new(big.Int)
	switch op {
	case OpBitAnd:
		out.And(a, b)
	case OpBitOr:
		out.Or(a, b)
	case OpShiftLeft:
		if b.Cmp(big.NewInt(64)) < 0 {
			out.Lsh(a, uint(b.Uint64()))
			out.And(out, new(big.Int).SetUint64(math.MaxUint64))
		}
	case OpShiftRight:
		if b.Cmp(big.NewInt(64)) < 0 {
			out.Rsh(a, uint(b.Uint64()))
		}
	default:
		panic("the oracle does not know an operation")
	}
	return rational{r: new(big.Rat).SetInt(out)}
}

// interesting are values at the borders of what doubles can tell apart.
var interesting = []float64{0, 0, 0, 1, 1, 2, 3, 7, 100, -1, -5, 0.5, 1.0 / 3, -2.75, 1 << 31, 1<<53 - 1, 1 << 53, 1<<53 + 2, -(1 << 53), 1 << 63, 1 << 64, 1e17,
	1e308, 5e-324, math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1)}

var columnNames = []string{"a", "b", "c", "d", "e"}

// operations of each kind with their numbers of arguments.
var doubleOps = map[Op]int{OpAdd: 2, OpSub: 2, OpMul: 2, OpDiv: 2, OpFloorDiv: 2, OpMod: 2, OpNeg: 1, OpLess: 2, OpLessEqual: 2, OpGreater: 2, OpGreaterEqual: 2,
	OpEqual: 2, OpNotEqual: 2, OpAnd: 2, OpOr: 2, OpNot: 1, OpIf: 3, OpMin: 2, OpMax: 2, OpAbs: 1, OpToInt: 1, OpNoiseClamp: 2, OpClamp: 3, OpFill: 2, OpRound: 2}

var unsignedOps = map[Op]int{OpUAdd: 2, OpUSub: 2, OpUMul: 2, OpUDiv: 2, OpUMin: 2, OpUMax: 2, OpBitAnd: 2, OpBitOr: 2, OpShiftLeft: 2, OpShiftRight: 2,
	OpULess: 2, OpULessEqual: 2, OpUGreater: 2, OpUGreaterEqual: 2}

var reductions = map[Op]int{OpSum: 1, OpAvg: 1, OpMedian: 1, OpStd: 1, OpReduceMin: 1, OpReduceMax: 1, OpQuantile: 2}

func sortedOps(sets ...map[Op]int) (list []Op, args map[Op]int) {
	args = map[Op]int{}
	for op := OpNone; op <= OpQuantile; op++ {
		for _, s := range sets {
			if n, ok := s[op]; ok {
				list = append(list, op)
				args[op] = n
			}
		}
	}
	return list, args
}

// grower makes random trees.
type grower struct {
	rng  *rand.Rand
	ops  []Op
	args map[Op]int
	seen map[Op]int
}

func (g *grower) tree(depth int) *Node {
	if depth == 0 || g.rng.IntN(8) == 0 {
		switch g.rng.IntN(12) {
		case 0:
			return &Node{Op: OpNone, Pos: -1}
		case 1, 2, 3:
			for {
				if v := interesting[g.rng.IntN(len(interesting))]; v == v && !math.IsInf(v, 0) {
					return &Node{Op: OpNumber, Value: v, Pos: -1}
				}
			}
		}
		return &Node{Op: OpName, Name: columnNames[g.rng.IntN(len(columnNames))], Pos: -1}
	}
	if _, doubles := g.args[OpDiv]; doubles && g.rng.IntN(6) == 0 {
		return g.ratio(depth - 1)
	}
	op := g.ops[g.rng.IntN(len(g.ops))]
	g.seen[op]++
	count := g.args[op]
	if (op == OpMin || op == OpMax) && g.rng.IntN(3) == 0 {
		count = 3 + g.rng.IntN(3)
	}
	n := &Node{Op: op, Pos: -1}
	for range count {
		n.Args = append(n.Args, g.tree(depth-1))
	}
	switch op {
	case OpRound:
		n.Args[1] = &Node{Op: OpNumber, Value: float64(g.rng.IntN(4)), Pos: -1}
	case OpQuantile:
		n.Args[1] = &Node{Op: OpNumber, Value: 0.5, Pos: -1}
	}
	if op == OpIf && g.rng.IntN(2) == 0 {
		n.Args[0] = &Node{Op: OpName, Name: columnNames[g.rng.IntN(len(columnNames))], Pos: -1}
	}
	return n
}

// ratio makes what counters' formulas are made of, for which the engine has instructions of their own.
func (g *grower) ratio(depth int) *Node {
	number := func(v float64) *Node { return &Node{Op: OpNumber, Value: v, Pos: -1} }
	node := func(op Op, args ...*Node) *Node { return &Node{Op: op, Args: args, Pos: -1} }
	x, y := g.tree(depth), g.tree(depth)
	factor := number([]float64{100, 1, 0, 8, 1.0 / 3}[g.rng.IntN(5)])
	var n *Node
	switch g.rng.IntN(4) {
	case 0:
		n = node(OpMul, node(OpDiv, x, y), factor)
	case 1:
		n = node(OpDiv, node(OpMul, factor, x), y)
	case 2:
		n = node(OpAdd, node(OpAdd, x, y), g.tree(depth))
	case 3:
		n = node(OpDiv, x, factor)
	}
	switch g.rng.IntN(4) {
	case 0:
		n = node(OpMax, node(OpMin, n, number(100)), number(0))
	case 1:
		n = node(OpClamp, n, number(0), number(100))
	case 2:
		n = node(OpMin, number(100), node(OpMax, number(0), n))
	}
	return n
}

// agreesExactly compares an engine's result with the reference. Elsewhere than on amd64 the compiler may fuse operations.
func agreesExactly(got, want float64) bool {
	if got == want || got != got && want != want {
		return true
	}
	return runtime.GOARCH != "amd64" && math.Abs(got-want) <= 1e-12*math.Max(math.Abs(got), math.Abs(want))
}

func TestTheEngineAgreesWithAnExactReferenceOnRandomTrees(t *testing.T) {
	for name, sets := range map[string][]map[Op]int{
		"doubles": {doubleOps}, "integers": {unsignedOps}, "both": {doubleOps, unsignedOps}, "reductions": {doubleOps, reductions},
	} {
		for _, zeroIsZero := range []bool{false, true} {
			compareWithReference(t, name, zeroIsZero, sets...)
		}
	}
}

func compareWithReference(t *testing.T, name string, zeroIsZero bool, sets ...map[Op]int) {
	t.Helper()
	const samples, programs, together = 60, 48, 6
	ops, args := sortedOps(sets...)
	g := &grower{rng: rand.New(rand.NewPCG(53, uint64(len(ops)))), ops: ops, args: args, seen: map[Op]int{}}
	compared, failures := 0, 0
	for range programs {
		axis := capture.NewUniformAxis(samples, 1000)
		values := map[string][]float64{}
		counters := map[string]*capture.Counter{}
		for _, c := range columnNames {
			v := make([]float64, samples)
			for i := range v {
				if v[i] = interesting[g.rng.IntN(len(interesting))]; g.rng.IntN(3) == 0 {
					v[i] = float64(g.rng.IntN(1000))
				}
			}
			values[c] = v
			counters[c] = deltaCounter(axis, c, v)
		}
		env := envFunc(func(name string) (Operand, error) { return Operand{Counter: counters[name]}, nil })
		var exprs []*Expr
		for range together {
			exprs = append(exprs, &Expr{Dialect: Streamline, Root: g.tree(1 + g.rng.IntN(5))})
		}
		p, err := Bind(exprs, axis, env, Options{ZeroIsZero: zeroIsZero})
		if err != nil {
			t.Fatal(err)
		}
		outs, err := p.evalAll(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		one := make([]float64, 1)
		for k, e := range exprs {
			for i := range samples {
				row := map[string]float64{}
				for c, v := range values {
					row[c] = v[i]
				}
				want := oracle{row, zeroIsZero}.eval(e.Root).float()
				compared++
				p.Derivation(k).Eval(one, i)
				if !agreesExactly(outs[k][i], want) || !agreesExactly(one[0], want) {
					if failures++; failures < 6 {
						t.Errorf("%s, zero is zero %v: %s with %v is %v together and %v alone, want %v", name, zeroIsZero, e, row, outs[k][i], one[0], want)
					}
				}
			}
		}
	}
	t.Logf("%s, zero is zero %v: %d values of %d trees agree", name, zeroIsZero, compared-failures, programs*together)
	for _, op := range ops {
		if g.seen[op] == 0 {
			t.Errorf("%s: no tree has operation %d", name, op)
		}
	}
}

func TestTotalsAgreeWithTheReferenceOnTheSumsOfCompleteSamples(t *testing.T) {
	ops, args := sortedOps(map[Op]int{OpAdd: 2, OpSub: 2, OpMul: 2, OpDiv: 2, OpNeg: 1, OpMin: 2, OpMax: 2, OpClamp: 3, OpIf: 3, OpLess: 2, OpAbs: 1})
	g := &grower{rng: rand.New(rand.NewPCG(7, 11)), ops: ops, args: args, seen: map[Op]int{}}
	compared := 0
	for range 300 {
		const samples = 40
		axis := capture.NewUniformAxis(samples, 1000)
		counters := map[string]*capture.Counter{}
		values := map[string][]float64{}
		for _, c := range columnNames {
			v := make([]float64, samples)
			for i := range v {
				if v[i] = float64(g.rng.IntN(1000)); g.rng.IntN(10) == 0 {
					v[i] = math.NaN()
				}
			}
			values[c], counters[c] = v, deltaCounter(axis, c, v)
		}
		e := &Expr{Dialect: Streamline, Root: g.tree(4)}
		p, err := Bind([]*Expr{e}, axis, envFunc(func(name string) (Operand, error) { return Operand{Counter: counters[name]}, nil }), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.inputs) != len(e.Names()) || len(e.Names()) == 0 || folded(p, e) {
			continue // what was folded away does not decide which samples are complete
		}
		sums := map[string]float64{}
		complete := 0
		for i := range samples {
			ok := true
			for _, n := range e.Names() {
				ok = ok && values[n][i] == values[n][i]
			}
			if !ok {
				continue
			}
			complete++
			for _, n := range e.Names() {
				sums[n] += values[n][i]
			}
		}
		if complete == 0 {
			continue
		}
		want := oracle{sums, false}.eval(e.Root).float()
		if got := p.Derivation(0).Aggregate(axis.Whole())[0]; !agreesExactly(got, want) {
			t.Errorf("total of %s is %v, want %v", e, got, want)
		}
		compared++
	}
	t.Logf("%d totals agree", compared)
	if compared < 50 {
		t.Errorf("only %d totals compared", compared)
	}
}

// folded reports whether the compiled formula no longer reads a counter that its tree names.
func folded(p *Program, e *Expr) bool {
	reads := 0
	p.g.walk(p.outs[0].id, map[int32]bool{}, func(id int32) {
		if p.g.nodes[id].op == OpName {
			reads++
		}
	})
	return reads != len(e.Names())
}
