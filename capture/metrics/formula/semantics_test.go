package formula

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

var nan = math.NaN()

func bindOne(t testing.TB, d Dialect, src string, axis *capture.Axis, columns map[string][]float64, opt Options) capture.Derivation {
	t.Helper()
	e, err := Parse(d, src)
	if err != nil {
		t.Fatal(err)
	}
	env := columnEnv(axis, func(name string) []float64 {
		v, ok := columns[name]
		if !ok {
			t.Fatalf("%s: no column %s", src, name)
		}
		return v
	})
	p, err := Bind([]*Expr{e}, axis, env, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p.Derivation(0)
}

func same(a, b float64) bool { return a == b || a != a && b != b }

func TestMissingAndZeroRules(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1e6)
	columns := map[string][]float64{"zero": {0}, "one": {1}, "two": {2}, "five": {5}, "neg": {-3}, "miss": {nan}}
	for _, c := range []struct {
		d    Dialect
		src  string
		want float64
	}{
		{Streamline, "$one / $zero", nan},
		{Streamline, "$zero / $zero", nan},
		{Streamline, "max(min(($zero / $zero) * 100, 100), 0)", nan},
		{Streamline, "min(max($miss, 0), 100)", nan},
		{Streamline, "max($one, $miss)", nan},
		{Streamline, "min($miss, $one)", nan},
		{Streamline, "max($one, $two, $neg)", 2},
		{Streamline, "min($one, $two, $neg, 7)", -3},
		{Streamline, "max(min($five * 100, 100), 0)", 100},
		{Streamline, "max(min($neg * 100, 100), 0)", 0},
		{Streamline, "if($miss, 1, 2)", nan},
		{Streamline, "if($one > 0, $five, $miss)", 5},
		{Streamline, "if($zero, $five, $two)", 2},
		{Streamline, "if($zero != 0, $five / $zero, 0)", 0},
		{Streamline, "$miss < 1", nan},
		{Streamline, "$one < $two && $two <= 2 && !($one == 2) && $two >= $one && $two > 1 && $one != $two", 1},
		{Streamline, "$zero || $zero", 0},
		{Streamline, "$zero && $miss", nan},
		{Streamline, "abs($neg)", 3},
		{Streamline, "-$neg + 2 - $one", 4},
		{Streamline, "7 // $two", 3},
		{Streamline, "$neg // $two", -2},
		{Streamline, "$neg % $two", 1},
		{Streamline, "5 % $neg", -1},
		{Streamline, "5 // $zero", nan},
		{Streamline, "5 % $zero", nan},
		{Streamline, "fill($miss, 3)", 3},
		{Streamline, "fill($one, 3)", 1},
		{Streamline, "fill($one / $zero, 9)", 9},
		{Streamline, "clamp($five, 0, 3)", 3},
		{Streamline, "clamp($miss, 0, 3)", nan},
		{Streamline, "10 / $five", 2},
		{Streamline, "10 / $zero", nan},
		{Streamline, "$five / 0", nan},
		{Streamline, "10 - $five", 5},
		{Streamline, "$five / 3", 5.0 / 3},
		{ROCm, "TO_INT(neg / 2)", -1},
		{ROCm, "ROUND(2.5 * one, 0)", 2},
		{ROCm, "ROUND(3.5 * one)", 4},
		{ROCm, "ROUND(1.2345 * one, 2)", 1.23},
		{ROCm, "MOD(five, two)", 1},
		{ROCm, "MAX(five, two) - MIN(five, two)", 3},
		{ROCm, "NOISE_CLAMP(neg, five)", 0},
		{ROCm, "NOISE_CLAMP(two, five)", 2},
		{ROCm, "one / zero if zero != 0 else None", nan},
		{ROCm, "one / two if two != 0 else None", 0.5},
		{ROCm, "SUM(five) / SUM(two)", 2.5},
		{ROCm, "AVG(five) + MEDIAN(five) + MIN(five) + MAX(five) + QUANTILE(five, 0.3)", 25},
		{ROCm, "STD(five)", 0},
		{ROCm, "STD(miss)", nan},
		{ROCm, "SUM(100 * zero) / SUM(zero)", nan},
		{ROCm, "ABS(neg)", 3},
	} {
		d := bindOne(t, c.d, c.src, axis, columns, Options{})
		got := make([]float64, 1)
		d.Eval(got, 0)
		if !same(got[0], c.want) {
			t.Errorf("%s = %v, want %v", c.src, got[0], c.want)
		}
		if strings.Contains(c.src, "$five, $miss") {
			continue // over many samples only complete ones count, and there is none here
		}
		if got := d.Aggregate(axis.Whole())[0]; !same(got, c.want) {
			t.Errorf("%s over all samples = %v, want %v", c.src, got, c.want)
		}
		if c.want != c.want {
			if r := d.Why(0); r.String() == "" || r.Code == capture.Unknown {
				t.Errorf("%s: no reason (%+v)", c.src, r)
			}
			if r := d.Why(-1); r.String() == "" || r.Code == capture.Unknown {
				t.Errorf("%s: no reason for the total (%+v)", c.src, r)
			}
		}
	}
}

func TestZeroIsZeroWhereTheCatalogueSaysSo(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1e6)
	columns := map[string][]float64{"zero": {0}, "one": {1}, "miss": {nan}}
	for src, want := range map[string]float64{
		"$one / $zero": 0, "$zero / $zero * 100": 0, "$miss / $zero": nan, "$one / 0": 0, "3 / $zero": 0,
		"max(min($one / $zero * 100, 100), 0)": 0, "5 % $zero": 0,
	} {
		got := make([]float64, 1)
		bindOne(t, Streamline, src, axis, columns, Options{ZeroIsZero: true}).Eval(got, 0)
		if !same(got[0], want) {
			t.Errorf("%s = %v, want %v", src, got[0], want)
		}
	}
}

func TestTotalOfARatioIsTheRatioOfTotalsOverCompleteSamples(t *testing.T) {
	axis := capture.NewUniformAxis(4, 1e6)
	columns := map[string][]float64{"a": {10, 20, nan, 40}, "b": {1, nan, 3, 4}}
	for src, want := range map[string]float64{
		"$a / $b":          50.0 / 5, // samples 0 and 3 only
		"$a - $b":          45,
		"fill($a, 0) + $b": 50 + 8, // a may be missing, b may not: samples 0, 2, 3
	} {
		if got := bindOne(t, Streamline, src, axis, columns, Options{}).Aggregate(axis.Whole())[0]; got != want {
			t.Errorf("total of %s = %v, want %v", src, got, want)
		}
	}
	for src, want := range map[string]float64{
		"SUM(100 * a) / SUM(b)": 5000.0 / 5,
		"AVG(a / b)":            10,
		"MIN(a)":                10,
		"MAX(a)":                40,
		"MEDIAN(a)":             25,
		"QUANTILE(a, 0.25)":     17.5,
		"STD(a / b)":            0,
		"MAX(a, b)":             50, // element-wise, so on totals: no reduction is asked for
		"AVG(b) + SUM(b)":       8.0/3 + 8,
	} {
		if src == "MIN(a)" || src == "MAX(a)" || src == "MEDIAN(a)" || src == "QUANTILE(a, 0.25)" {
			columns["a"] = []float64{10, nan, nan, 40}
		} else {
			columns["a"] = []float64{10, 20, nan, 40}
		}
		if got := bindOne(t, ROCm, src, axis, columns, Options{}).Aggregate(axis.Whole())[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("total of %s = %v, want %v", src, got, want)
		}
	}
}

func TestBinsAreAggregatedOneByOne(t *testing.T) {
	axis := capture.NewUniformAxis(4, 1000)
	columns := map[string][]float64{"a": {10, 20, 30, 40}, "b": {1, 1, 1, 3}}
	bins, err := axis.Resample(2000)
	if err != nil {
		t.Fatal(err)
	}
	if got := bindOne(t, Streamline, "$a / $b", axis, columns, Options{}).Aggregate(bins); !slices.Equal(got, []float64{15, 17.5}) {
		t.Errorf("a / b per bin: %v", got)
	}
	if got := bindOne(t, ROCm, "SUM(a) / SUM(b) + MAX(a)", axis, columns, Options{}).Aggregate(bins); !slices.Equal(got, []float64{35, 57.5}) {
		t.Errorf("SUM(a) / SUM(b) + MAX(a) per bin: %v", got)
	}
	cut, err := axis.Resample(1500)
	if err != nil {
		t.Fatal(err)
	}
	if got := bindOne(t, ROCm, "SUM(a)", axis, columns, Options{}).Aggregate(cut); !slices.Equal(got, []float64{20, 40, 40}) {
		t.Errorf("SUM(a) with cut samples: %v", got)
	}
}

func TestGaugesAreAveragedInTotals(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1000)
	e, _ := Parse(Streamline, "$busy / $freq")
	env := envFunc(func(name string) (Operand, error) {
		c := deltaCounter(axis, name, []float64{30, 10})
		if name == "freq" {
			c.Kind = capture.Gauge
			c.Col = capture.NewColumn(capture.Data{F: []float64{1, 3}})
		}
		return Operand{Counter: c}, nil
	})
	p, err := Bind([]*Expr{e}, axis, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Derivation(0).Aggregate(axis.Whole())[0]; got != 20 {
		t.Errorf("total %v, want 40 / 2", got)
	}
}

func TestWhyNamesTheOperandOrTheDivisor(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e6)
	gated := deltaCounter(axis, "TCP_REQ_sum", []float64{0, 0})
	gated.Warnings = []string{"TCP_REQ_sum reads 0 in every dispatch: the counter clock was probably gated"}
	gap := deltaCounter(axis, "gap", []float64{1, nan})
	gap.Reasons = []capture.ReasonRun{{From: 1, To: 2, Reason: capture.Reason{Code: capture.LostReports, Text: "the driver lost 3 reports"}}}
	env := envFunc(func(name string) (Operand, error) {
		switch name {
		case "TCP_REQ_sum":
			return Operand{Counter: gated}, nil
		case "gap":
			return Operand{Counter: gap}, nil
		case "one":
			return Operand{Const: 1, IsConst: true}, nil
		}
		return Operand{MissingReason: &capture.Reason{Code: capture.NotCollected, Text: name + " was not collected"}}, nil
	})
	for _, c := range []struct {
		src  string
		row  int
		code capture.ReasonCode
		want string
	}{
		{"SUM(100 * gap) / SUM(TCP_REQ_sum)", 0, capture.ZeroDenominator, "the divisor SUM(TCP_REQ_sum) is 0 (TCP_REQ_sum reads 0"},
		{"SUM(100 * gap) / SUM(TCP_REQ_sum)", -1, capture.ZeroDenominator, "the divisor SUM(TCP_REQ_sum) is 0 (TCP_REQ_sum reads 0"},
		{"gap * 2", 1, capture.LostReports, "gap is missing: the driver lost 3 reports"},
		{"A / (B + A) + gap", 0, capture.NotCollected, "A and B were not collected"},
		{"A + 1", -1, capture.NotCollected, "A was not collected"},
		{"one / (gap - gap)", 0, capture.ZeroDenominator, "the divisor gap - gap is 0"},
		{"1 if TCP_REQ_sum != 0 else None", 0, capture.OperandMissing, "TCP_REQ_sum != 0 does not hold here"},
		{"AVG(gap if TCP_REQ_sum != 0 else None)", -1, capture.OperandMissing, "no sample has a value"},
	} {
		e, err := Parse(ROCm, c.src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind([]*Expr{e}, axis, env, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := p.Derivation(0).Why(c.row)
		if r.Code != c.code || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s at %d: %v %q, want %v %q", c.src, c.row, r.Code, r.Text, c.code, c.want)
		}
	}
}

func TestExplainGivesTheValueOfEveryNode(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e6)
	d := bindOne(t, ROCm, "SUM(100 * (a - b)) / SUM(a)", axis, map[string][]float64{"a": {4, 6}, "b": {1, 4}}, Options{})
	tr, ok := Explain(d, 0)
	if !ok || tr.Value != 75 || tr.Args[0].Value != 300 || tr.Args[0].Args[0].Args[1].Text != "(a - b)" || tr.Args[0].Args[0].Args[1].Value != 3 {
		t.Errorf("sample 0: %+v", tr)
	}
	tr, _ = Explain(d, -1)
	if tr.Value != 50 || tr.Args[0].Value != 500 || len(tr.Args[0].Args) != 2 || tr.Args[0].Args[1].Text != "b" || tr.Args[0].Args[1].Value != 5 {
		t.Errorf("total: %+v", tr)
	}
}

func TestCrossPassOperandsAreNamedAndImpossiblePercentagesFlagged(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e6)
	a, b := deltaCounter(axis, "A", []float64{5, 5}), deltaCounter(axis, "B", []float64{4, 10})
	a.Pass, b.Pass = &capture.Pass{ID: "first"}, &capture.Pass{ID: "second"}
	env := envFunc(func(name string) (Operand, error) {
		return Operand{Counter: map[string]*capture.Counter{"A": a, "B": b}[name]}, nil
	})
	e, _ := Parse(ROCm, "SUM(100 * A) / SUM(B)")
	p, err := Bind([]*Expr{e}, axis, env, Options{Percent: []bool{true}, Notes: [][]string{{"noted"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(p.Derivation(0).Warnings(), "\n")
	for _, want := range []string{"noted", "A in pass first; B in pass second", "1 of 2 samples are over 100 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("warnings lack %q:\n%s", want, got)
		}
	}
	b.Pass = a.Pass
	p, _ = Bind([]*Expr{e}, axis, env, Options{Percent: []bool{true}})
	if w := p.Derivation(0).Warnings(); len(w) != 0 {
		t.Errorf("one pass warns %q", w)
	}
}

func TestApplyCombinesCountersAndTotals(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1e6)
	a, b := deltaCounter(axis, "a", []float64{1, 9}), deltaCounter(axis, "b", []float64{2, 3})
	num := func(v float64) Operand { return Operand{Const: v, IsConst: true} }
	apply := func(op string, args ...Operand) *capture.Counter {
		t.Helper()
		c, err := Apply(op, capture.Meta{}, args...)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ratio := apply("/", Operand{Counter: a}, Operand{Counter: b})
	if got := ratio.Floats(); got[0] != 0.5 || got[1] != 3 {
		t.Errorf("a / b = %v", got)
	}
	if got := ratio.Total().Float(); got != 2 {
		t.Errorf("total of a / b = %v, want 10 / 5", got)
	}
	percent := apply("clamp", Operand{Counter: apply("*", Operand{Counter: ratio}, num(100))}, num(0), num(150))
	if got := percent.Floats(); got[0] != 50 || got[1] != 150 {
		t.Errorf("clamped percentage = %v", got)
	}
	if got := percent.Total().Float(); got != 150 {
		t.Errorf("total = %v", got)
	}
	if got := apply("neg", Operand{Counter: a}).Expr; got != "-a" {
		t.Errorf("expr %q", got)
	}
	if got := apply("-", num(1), Operand{Counter: a}).Floats()[1]; got != -8 {
		t.Errorf("1 - a = %v", got)
	}
	if got := apply("max", Operand{Counter: a}, num(-2)).Floats()[0]; got != 1 {
		t.Errorf("max(a, -2) = %v", got)
	}
	x := ratio
	for range 100 { // text and work must not double each time
		x = apply("+", Operand{Counter: x}, Operand{Counter: x})
	}
	if len(x.Name) > 1000 || x.Floats()[0] != math.Ldexp(0.5, 100) {
		t.Errorf("100 doublings: %d bytes of name, %v", len(x.Name), x.Floats()[0])
	}
	_, err := Apply("+", capture.Meta{}, Operand{Counter: a}, Operand{Counter: deltaCounter(capture.NewUniformAxis(3, 1), "c", []float64{1, 2, 3})})
	if !errors.Is(err, errAxis) || !strings.Contains(err.Error(), "resample") {
		t.Errorf("different axes: %v", err)
	}
}

// randomTree makes a tree over the names a to e and small constants.
func randomTree(r *rand.Rand, depth int) *Node {
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(3) == 0 {
			return &Node{Op: OpNumber, Value: []float64{0, 1, 2, 4, 100, 0.5, 3}[r.IntN(7)], Pos: -1}
		}
		return &Node{Op: OpName, Name: string(rune('a' + r.IntN(5))), Dollar: true, Pos: -1}
	}
	ops := []Op{OpAdd, OpSub, OpMul, OpDiv, OpAdd, OpSub, OpMul, OpDiv, OpMin, OpMax, OpMin, OpMax, OpNeg, OpAbs, OpFloorDiv, OpMod,
		OpLess, OpEqual, OpAnd, OpOr, OpNot, OpIf, OpClamp, OpFill}
	op := ops[r.IntN(len(ops))]
	args := 2
	switch op {
	case OpNeg, OpAbs, OpNot:
		args = 1
	case OpIf, OpClamp:
		args = 3
	case OpMin, OpMax:
		args = 2 + r.IntN(2)
	}
	n := &Node{Op: op, Pos: -1}
	for range args {
		n.Args = append(n.Args, randomTree(r, depth-1))
	}
	return n
}

// reference evaluates a tree for one sample, node by node.
func reference(n *Node, row map[string]float64, zeroIsZero bool) float64 {
	switch n.Op {
	case OpNumber:
		return n.Value
	case OpName:
		return row[n.Name]
	}
	v := make([]float64, 3)
	for i, a := range n.Args[:min(3, len(n.Args))] {
		v[i] = reference(a, row, zeroIsZero)
	}
	if (n.Op == OpMin || n.Op == OpMax) && len(n.Args) == 3 {
		return scalar(n.Op, scalar(n.Op, v[0], v[1], 0, zeroIsZero), v[2], 0, zeroIsZero)
	}
	return scalar(n.Op, v[0], v[1], v[2], zeroIsZero)
}

func TestCompiledFormulasEqualTheReferenceOnRandomTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rows = 37
	special := []float64{0, 1, -1, nan, math.Inf(1), math.Inf(-1), 1 << 53, 1<<53 + 2, 1e300, 1e-300, 3, 100, 0, 7.5, math.Copysign(0, -1)}
	axis := capture.NewUniformAxis(rows, 1000)
	columns := map[string][]float64{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		v := make([]float64, rows)
		for i := range v {
			v[i] = special[r.IntN(len(special))]
		}
		columns[name] = v
	}
	for round := range 300 {
		zero := round%3 == 0
		var exprs []*Expr
		for range 1 + r.IntN(12) {
			tree := randomTree(r, 1+r.IntN(5))
			exprs = append(exprs, &Expr{Dialect: Streamline, Root: tree, Src: format(Streamline, tree)})
		}
		p, err := Bind(exprs, axis, columnEnv(axis, func(name string) []float64 { return columns[name] }), Options{ZeroIsZero: zero})
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.evalAll(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		one := make([]float64, rows)
		for k, e := range exprs {
			p.Derivation(k).Eval(one, 0)
			for i := range rows {
				row := map[string]float64{}
				for name, v := range columns {
					row[name] = v[i]
				}
				want := reference(e.Root, row, zero)
				if !same(all[k][i], want) || !same(one[i], want) {
					t.Fatalf("%s with %v: together %v, alone %v, want %v", e.Src, row, all[k][i], one[i], want)
				}
				if want != want && i < 3 {
					if r := p.Derivation(k).Why(i); r.String() == "" {
						t.Fatalf("%s: no reason", e.Src)
					}
				}
			}
			again, err := Parse(Streamline, e.String())
			if err != nil || !again.Root.Equal(e.Root) {
				t.Fatalf("%s does not survive printing: %v", e.Src, err)
			}
		}
	}
}

func TestManyRowsInParallelEqualOneByOne(t *testing.T) {
	rows := 3*capture.BlockRows*8 + 17
	axis := capture.NewUniformAxis(rows, 1000)
	ints := make([]uint64, rows)
	floats := make([]float64, rows)
	for i := range ints {
		ints[i], floats[i] = uint64(i%1000), float64(i%7)
	}
	a := &capture.Counter{Meta: capture.Meta{Name: "a"}, Axis: axis, Col: capture.NewColumn(capture.Data{U: ints})}
	b := deltaCounter(axis, "b", floats)
	env := envFunc(func(name string) (Operand, error) {
		return Operand{Counter: map[string]*capture.Counter{"a": a, "b": b}[name]}, nil
	})
	var exprs []*Expr
	for _, src := range []string{"$a / $b", "max(min($a / $b * 100, 100), 0)", "$a + $b + $a + $b", "$b", "$a", "3", "$a * 4 / $b"} {
		e, err := Parse(Streamline, src)
		if err != nil {
			t.Fatal(err)
		}
		exprs = append(exprs, e)
	}
	p, err := Bind(exprs, axis, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.evalAll(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		x, y := float64(ints[i]), floats[i]
		q := x / y
		if y == 0 {
			q = nan
		}
		want := []float64{q, min(q*100, 100), x + y + x + y, y, x, 3, x * 4 / y}
		if y == 0 {
			want[1], want[6] = nan, nan
		}
		for k := range want {
			if !same(all[k][i], want[k]) {
				t.Fatalf("%s at %d = %v, want %v", exprs[k].Src, i, all[k][i], want[k])
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.evalAll(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled evaluation: %v", err)
	}
}

func TestEvaluationAllocatesNothingPerBlock(t *testing.T) {
	axis := capture.NewUniformAxis(capture.BlockRows, 1000)
	ints := make([]uint64, capture.BlockRows)
	a := &capture.Counter{Meta: capture.Meta{Name: "a"}, Axis: axis, Col: capture.NewColumn(capture.Data{U: ints})}
	e, _ := Parse(Streamline, "max(min(($a + 1) / ($a + 2) * 100, 100), 0) + abs($a - 3)")
	p, err := Bind([]*Expr{e}, axis, envFunc(func(string) (Operand, error) { return Operand{Counter: a}, nil }), Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := p.Derivation(0)
	dst := make([]float64, capture.BlockRows)
	d.Eval(dst, 0)
	if n := testing.AllocsPerRun(20, func() { d.Eval(dst, 0) }); n > 1 {
		t.Errorf("%v allocations per block", n)
	}
}

func TestSharedSubexpressionsAreComputedOnce(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1000)
	var exprs []*Expr
	for _, src := range []string{"($a + $b) / $c", "($b + $a) / $c * 2", "max(min(($a + $b) / $c, 5), 0)"} {
		e, _ := Parse(Streamline, src)
		exprs = append(exprs, e)
	}
	p, err := Bind(exprs, axis, columnEnv(axis, func(string) []float64 { return []float64{1} }), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := p.compileAll(p.outs)
	if len(c.ins) != 4 {
		t.Errorf("%d instructions, want 4: add, divide, double, clamp\n%+v", len(c.ins), c.ins)
	}
}

func TestBindNamesTheFormulaOfAnUnknownOperand(t *testing.T) {
	e, _ := Parse(Streamline, "$a + $nope")
	_, err := Bind([]*Expr{e}, capture.NewUniformAxis(1, 1), envFunc(func(name string) (Operand, error) {
		if name == "nope" {
			return Operand{}, fmt.Errorf("no counter %q", name)
		}
		return Operand{Const: 1, IsConst: true}, nil
	}), Options{})
	if err == nil || !strings.Contains(err.Error(), `formula $a + $nope: no counter "nope"`) {
		t.Errorf("got %v", err)
	}
}

func TestCountersOfOneProgramAreEvaluatedTogether(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1000)
	a := deltaCounter(axis, "a", []float64{1, 2})
	env := envFunc(func(string) (Operand, error) { return Operand{Counter: a}, nil })
	var exprs []*Expr
	for _, src := range []string{"$a * 2", "$a * 2 + 1"} {
		e, _ := Parse(Streamline, src)
		exprs = append(exprs, e)
	}
	p, err := Bind(exprs, axis, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := &capture.Counter{Axis: axis, Der: p.Derivation(0)}
	y := &capture.Counter{Axis: axis, Der: p.Derivation(1)}
	got, err := EvalCounters(context.Background(), []*capture.Counter{y, a, x, y})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{3, 5}, {1, 2}, {2, 4}, {3, 5}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("counter %d: %v, want %v", i, got[i], want)
		}
	}
}

// FuzzEvaluate compares compiled code with the node-by-node reference on whatever parses, and asks for every reason.
func FuzzEvaluate(f *testing.F) {
	f.Add("max(min(($a / $b) * 100, 100), 0)", 1.0, 0.0)
	f.Add("if($a > 1, $a // $b, -$b % 3) + fill($a / 0, 2)", 2.5, -1.0)
	f.Fuzz(func(t *testing.T, src string, a, b float64) {
		e, err := Parse(Streamline, src)
		if err != nil {
			return
		}
		axis := capture.NewUniformAxis(2, 1000)
		rows := []map[string]float64{{}, {}}
		env := columnEnv(axis, func(name string) []float64 {
			v := []float64{a, b}
			if len(name)%2 == 0 {
				v = []float64{b, a}
			}
			rows[0][name], rows[1][name] = v[0], v[1]
			return v
		})
		p, err := Bind([]*Expr{e}, axis, env, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := p.Derivation(0)
		got := make([]float64, 2)
		d.Eval(got, 0)
		for i := range got {
			if want := fuzzReference(e.Root, rows[i]); !same(got[i], want) {
				t.Fatalf("%q with %v = %v, want %v", src, rows[i], got[i], want)
			}
			if got[i] != got[i] && d.Why(i).String() == "" {
				t.Fatalf("%q: no reason", src)
			}
		}
		if total := d.Aggregate(axis.Whole())[0]; total != total && d.Why(-1).String() == "" {
			t.Fatalf("%q: no reason for the total", src)
		}
	})
}

// fuzzReference is reference for min and max of any number of arguments.
func fuzzReference(n *Node, row map[string]float64) float64 {
	switch n.Op {
	case OpNumber:
		return n.Value
	case OpName:
		return row[n.Name]
	case OpMin, OpMax:
		v := fuzzReference(n.Args[0], row)
		for _, a := range n.Args[1:] {
			v = scalar(n.Op, v, fuzzReference(a, row), 0, false)
		}
		return v
	}
	v := make([]float64, 3)
	for i, a := range n.Args {
		v[i] = fuzzReference(a, row)
	}
	return scalar(n.Op, v[0], v[1], v[2], false)
}

// evalAll evaluates every formula for every sample, on all cores where the work is worth it. The result of a formula that is
// nothing but a column of doubles is that column: the slices are read-only.
func (p *Program) evalAll(ctx context.Context) ([][]float64, error) { return p.evalSome(ctx, p.outs) }
