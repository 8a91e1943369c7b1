package formula

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

// intelTable reads Intel's reference table: one map of field to text per counter.
func intelTable(t testing.TB) []map[string]string {
	t.Helper()
	return testfiles.Rows(t, "reference", "intel_kbl_metrics.csv")
}

func TestEveryIntelEquationSurvivesPrinting(t *testing.T) {
	n := map[string]int{}
	distinct := map[string]bool{}
	for _, row := range intelTable(t) {
		for _, field := range []string{"equation", "max_equation", "availability"} {
			src := row[field]
			if src == "" {
				continue
			}
			e, err := Parse(Intel, src)
			if err != nil {
				t.Fatalf("%s %s: %v", row["metric_set"], row["counter_symbol"], err)
			}
			again, err := Parse(Intel, e.String())
			if err != nil || !again.Root.Equal(e.Root) || e.String() != collapse(src) {
				t.Errorf("%q prints as %q: %v", src, e.String(), err)
			}
			if infix := e.Infix(); infix == "" || strings.Contains(infix, "READ") {
				t.Errorf("%q is %q in infix", src, infix)
			}
			n[field]++
			distinct[src] = true
		}
	}
	if n["equation"] != 1383 || n["max_equation"] == 0 || n["availability"] == 0 {
		t.Errorf("the table has %v", n)
	}
	t.Logf("%d equations, %d maximum and %d availability equations (%d distinct) parse, print and parse to the same tree",
		n["equation"], n["max_equation"], n["availability"], len(distinct))
}

func TestIntelEquationsPrintAsInfix(t *testing.T) {
	for src, want := range map[string]string{
		"A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV":       "A7 // $EuCoresTotalCount * 100 / $GpuCoreClocks",
		"A 9 READ A 10 READ A 11 READ UADD A 9 READ USUB FDIV 1 FADD":         "A9 / (A10 + A11 - A9) + 1",
		"B 1 READ 2 UMUL $L3Bank00IcAccesses UMIN":                            "min(B1 * 2, $L3Bank00IcAccesses)",
		"$Sampler0Busy $Sampler1Busy FMAX":                                    "max($Sampler0Busy, $Sampler1Busy)",
		"$SubsliceMask 0x09 AND":                                              "$SubsliceMask & 9",
		"true $QueryMode &&":                                                  "1 && $QueryMode",
		"GPU_TIME 0 READ 1000000000 UMUL $GpuTimestampFrequency UDIV":         "GPU_TIME * 1e+09 // $GpuTimestampFrequency",
		"A 1 READ 3 UGTE A 2 READ 1 << && PERFCNT 1 READ UMAX A 0 READ USUB ": "max(A1 >= 3 && A2 << 1, PERFCNT1) - A0",
	} {
		e, err := Parse(Intel, src)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := e.Infix(); got != want {
			t.Errorf("%s in infix is %s, want %s", src, got, want)
		}
	}
}

func TestIntelSyntaxErrorsNameThePlaceAndTheFix(t *testing.T) {
	for _, c := range []struct {
		src  string
		col  int
		want []string
	}{
		{"", 1, []string{"empty formula"}},
		{"A 7 READ 100", 10, []string{"2 values are left", "operator such as UADD is missing"}},
		{"A 7 READ UADD", 10, []string{"UADD needs two operands before it, here is one"}},
		{"UADD", 1, []string{"here is none"}},
		{"A 7", 4, []string{"READ is missing after A 7"}},
		{"A 7 100 UMUL", 4, []string{"READ is missing"}},
		{"A", 2, []string{"expected the number of a counter after A, found the end of the formula"}},
		{"A x READ", 3, []string{"found x", "A 0 READ"}},
		{"A 38 READ", 3, []string{"no counter A 38", "0 to 37"}},
		{"B 8 READ", 3, []string{"0 to 7"}},
		{"1 2 uadd", 5, []string{"did you mean UADD?"}},
		{"1 2 UDVI", 5, []string{"did you mean UDIV?"}},
		{"1 2 UAD", 5, []string{"unknown operator UAD", "did you mean UADD?"}},
		{"1 GpuCoreClocks UMUL", 3, []string{"is written $GpuCoreClocks"}},
		{"$ 1 UADD", 1, []string{"$ without a name"}},
		{"$A/$B", 1, []string{"unexpected character '/'"}},
		{"(1 2 UADD)", 1, []string{"neither brackets nor infix operators"}},
		{"1 0x 2 UADD", 3, []string{"is no number", "hexadecimal"}},
		{"1 18446744073709551616 UADD", 3, []string{"does not fit 64 bits"}},
		{"READ 1 UADD", 1, []string{"READ without a counter"}},
		{strings.Repeat("1 ", 300) + strings.Repeat("UADD ", 299), 0, []string{"nested deeper than"}},
	} {
		_, err := Parse(Intel, c.src)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		if c.col != 0 && se.Col != c.col {
			t.Errorf("%q: column %d, want %d: %v", c.src, se.Col, c.col, err)
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %v\nwant %q", c.src, err, w)
			}
		}
		if !strings.Contains(err.Error(), "^") {
			t.Errorf("%q: no caret in %v", c.src, err)
		}
	}
}

// ratMachine evaluates the text of an Intel equation with rationals, one word after the other. A missing value is nil. It shares
// nothing with the engine.
func ratMachine(src string, read func(bank string, index int) *big.Rat, variable func(name string) *big.Rat) *big.Rat {
	var stack []*big.Rat
	words := strings.Fields(src)
	truncate := func(r *big.Rat) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
	}
	unsigned := func(r *big.Rat) *big.Rat {
		if r.Sign() < 0 {
			return nil
		}
		return truncate(r)
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w[0] == '$' {
			stack = append(stack, variable(w[1:]))
			continue
		}
		if v, ok := new(big.Int).SetString(w, 0); ok {
			stack = append(stack, new(big.Rat).SetInt(v))
			continue
		}
		if i+2 < len(words) && words[i+2] == "READ" {
			n, _ := strconv.Atoi(words[i+1])
			stack = append(stack, read(w, n))
			i += 2
			continue
		}
		a, b := stack[len(stack)-2], stack[len(stack)-1]
		stack = stack[:len(stack)-2]
		var v *big.Rat
		if a != nil && b != nil {
			switch w {
			case "FADD":
				v = new(big.Rat).Add(a, b)
			case "FSUB":
				v = new(big.Rat).Sub(a, b)
			case "FMUL":
				v = new(big.Rat).Mul(a, b)
			case "FDIV":
				if b.Sign() != 0 {
					v = new(big.Rat).Quo(a, b)
				}
			case "FMAX", "UMAX":
				if v = a; b.Cmp(a) > 0 {
					v = b
				}
			case "UMIN":
				if v = a; b.Cmp(a) < 0 {
					v = b
				}
			case "UADD":
				v = unsigned(new(big.Rat).Add(a, b))
			case "USUB":
				v = unsigned(new(big.Rat).Sub(a, b))
			case "UMUL":
				v = unsigned(new(big.Rat).Mul(a, b))
			case "UDIV":
				if b := truncate(b); b.Sign() != 0 {
					v = unsigned(new(big.Rat).Quo(truncate(a), b))
				}
			default:
				panic("the reference evaluator has no " + w)
			}
		}
		stack = append(stack, v)
	}
	if len(stack) != 1 {
		panic("the reference evaluator ends with " + fmt.Sprint(len(stack)) + " values")
	}
	return stack[0]
}

// agrees compares an engine's double with a rational: the result of an integer operation must be the nearest double, others near.
func agrees(e *Expr, got float64, want *big.Rat) bool {
	if want == nil {
		return got != got
	}
	f, _ := want.Float64()
	if e.Root.Op.unsigned() {
		return got == f
	}
	return math.Abs(got-f) <= 1e-12*math.Abs(f)
}

func TestEveryIntelEquationAgreesWithRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const rows = 257
	axis := capture.NewUniformAxis(rows, 1e6)
	columns := map[string][]float64{}
	column := func(name string) []float64 {
		if c := columns[name]; c != nil {
			return c
		}
		c := make([]float64, rows)
		for i := range c {
			switch rng.IntN(8) {
			case 0:
				c[i] = 0
			case 1:
				c[i] = nan
			case 2:
				c[i] = float64(rng.Uint64N(1 << 53))
			case 3:
				c[i] = 1<<53 - float64(rng.IntN(3))
			case 4:
				c[i] = float64(rng.IntN(50))
			default:
				c[i] = float64(rng.Uint64N(1 << 40))
			}
		}
		if strings.HasSuffix(name, "Busy") || strings.HasSuffix(name, "Bottleneck") {
			for i := range c {
				c[i] /= 7
			}
		}
		columns[name] = c
		return c
	}
	sources := map[string]bool{}
	for _, row := range intelTable(t) {
		sources[row["equation"]] = true
		if row["max_equation"] != "" {
			sources[row["max_equation"]] = true
		}
	}
	compared := 0
	for src := range sources {
		e, err := Parse(Intel, src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind([]*Expr{e}, axis, columnEnv(axis, column), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, rows)
		p.Derivation(0).Eval(got, 0)
		for i := range got {
			value := func(name string) *big.Rat {
				v := column(name)[i]
				if v != v {
					return nil
				}
				return new(big.Rat).SetFloat64(v)
			}
			want := ratMachine(src, func(bank string, n int) *big.Rat {
				if bank == "GPU_TIME" || bank == "GPU_CLOCK" {
					return value(bank)
				}
				return value(bank + strconv.Itoa(n))
			}, value)
			if !agrees(e, got[i], want) {
				t.Fatalf("%s, row %d: %v, want %v", src, i, got[i], want.FloatString(3))
			}
			compared++
		}
	}
	t.Logf("%d distinct equations, %d values", len(sources), compared)
}

func TestIntegerOperationsAreExactBeyondDoubles(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1e6)
	for _, c := range []struct {
		src  string
		cols map[string]float64
		want float64
	}{
		{"A 0 READ 1000000000 UMUL A 1 READ UDIV", map[string]float64{"A0": 271701267, "A1": 271701333}, 999999757},
		// 2^53-1 times 1e9 is far past 2^64.
		{"A 0 READ 1000000000 UMUL 1000000000 UDIV", map[string]float64{"A0": 1<<53 - 1}, 1<<53 - 1},
		{"A 0 READ A 0 READ UMUL A 0 READ UDIV", map[string]float64{"A0": 1<<53 - 1}, 1<<53 - 1},
		{"A 0 READ 1 UADD A 0 READ USUB", map[string]float64{"A0": 1 << 53}, 1},
		{"A 0 READ 3 UMUL 1 USUB 3 UDIV", map[string]float64{"A0": 1 << 53}, 1<<53 - 1},
		{"A 0 READ 7 UDIV", map[string]float64{"A0": 1<<53 - 1}, (1<<53 - 1) / 7},
		{"A 0 READ A 1 READ USUB", map[string]float64{"A0": 1, "A1": 2}, nan},
		{"A 0 READ A 1 READ UDIV", map[string]float64{"A0": 1, "A1": 0}, nan},
		{"A 0 READ A 1 READ UDIV", map[string]float64{"A0": 7.9, "A1": 2.9}, 3},
		{"A 0 READ A 1 READ UMUL", map[string]float64{"A0": 2.5, "A1": 3}, 7},
		{"A 0 READ A 1 READ FDIV 100 UMUL", map[string]float64{"A0": 1, "A1": 3}, 33},
		{"A 0 READ A 1 READ UMIN", map[string]float64{"A0": nan, "A1": 3}, nan},
		{"A 0 READ A 1 READ UMAX", map[string]float64{"A0": 1 << 60, "A1": 3}, 1 << 60},
		{"A 0 READ 0x1 AND A 1 READ 0x2 OR UADD 4 << 1 >>", map[string]float64{"A0": 3, "A1": 1}, 32},
		{"A 0 READ A 1 READ UGT A 0 READ A 1 READ UGTE UADD A 0 READ A 1 READ ULT UADD A 0 READ A 1 READ ULTE UADD", map[string]float64{"A0": 2.9, "A1": 2.1}, 2},
		{"18446744073709551615 1 UADD 2 UDIV", nil, 1 << 63},
	} {
		columns := map[string][]float64{}
		for k, v := range c.cols {
			columns[k] = []float64{v}
		}
		der := bindOne(t, Intel, c.src, axis, columns, Options{})
		got := make([]float64, 1)
		der.Eval(got, 0)
		if whole := der.Aggregate(axis.Whole()); !same(got[0], c.want) || !same(whole[0], c.want) {
			t.Errorf("%s of %v = %v, in total %v; want %v", c.src, c.cols, got[0], whole[0], c.want)
		}
	}
	der := bindOne(t, Intel, "A 0 READ A 1 READ UDIV A 0 READ FADD", axis, map[string][]float64{"A0": {5}, "A1": {0}}, Options{ZeroIsZero: true})
	got := make([]float64, 1)
	if der.Eval(got, 0); got[0] != 5 {
		t.Errorf("with the vendor's rule 5/0 + 5 = %v", got[0])
	}
}

func TestRandomIntelEquationsAgreeWithRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	leaves := []float64{0, 1, 2, 3, 7, 100, 1e9, 1<<32 - 1, 1<<40 - 1, 1<<53 - 1, 1 << 53, nan}
	operators := []string{"UADD", "UMUL", "UDIV", "USUB", "UMIN", "UMAX"}
	axis := capture.NewUniformAxis(1, 1e6)
	var grow func(depth int) string
	grow = func(depth int) string {
		if depth == 0 || rng.IntN(5) == 0 {
			if rng.IntN(3) == 0 {
				return strconv.Itoa(rng.IntN(1 << 20))
			}
			return fmt.Sprintf("A %d READ", rng.IntN(len(leaves)))
		}
		return grow(depth-1) + " " + grow(depth-1) + " " + operators[rng.IntN(len(operators))]
	}
	missing, large := 0, 0
	const trees = 3000
	for range trees {
		src := grow(1 + rng.IntN(5))
		e, err := Parse(Intel, src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind([]*Expr{e}, axis, columnEnv(axis, func(name string) []float64 {
			n, _ := strconv.Atoi(name[1:])
			return leaves[n : n+1]
		}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 1)
		p.Derivation(0).Eval(got, 0)
		want := ratMachine(src, func(_ string, n int) *big.Rat {
			if leaves[n] != leaves[n] {
				return nil
			}
			return new(big.Rat).SetFloat64(leaves[n])
		}, nil)
		if want == nil {
			missing++
		} else if f, _ := want.Float64(); f > 1<<53 {
			large++
		}
		if want == nil && got[0] == got[0] || want != nil && func() bool { f, _ := want.Float64(); return f != got[0] }() {
			t.Fatalf("%s = %v, want %v", src, got[0], want)
		}
	}
	if missing < trees/10 || large < trees/50 || missing+large > trees*9/10 {
		t.Errorf("of %d equations %d are missing and %d large: the test does not test much", trees, missing, large)
	}
}

func TestWideIntegersRoundToTheNearestDouble(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		x := u128{rng.Uint64() >> rng.IntN(64), rng.Uint64() >> rng.IntN(64)}
		if rng.IntN(4) == 0 { // halfway between two doubles, or one off
			x = u128{1<<52 | rng.Uint64()>>12, 1<<63 + uint64(rng.IntN(3)) - 1}
			x.hi = x.hi << 11 >> 11
		}
		b := new(big.Int).SetUint64(x.hi)
		b.Add(b.Lsh(b, 64), new(big.Int).SetUint64(x.lo))
		if want, _ := new(big.Float).SetInt(b).Float64(); x.float() != want {
			t.Fatalf("%x %x is %v, want %v", x.hi, x.lo, x.float(), want)
		}
	}
}

func TestMissingIntegersSayWhy(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1e6)
	der := bindOne(t, Intel, "C 7 READ C 6 READ USUB 100 UMUL", axis, map[string][]float64{"C7": {1}, "C6": {2}}, Options{})
	if r := der.Why(0); !strings.Contains(r.Text, "C 7 READ C 6 READ USUB is below zero") {
		t.Errorf("underflow: %v", r)
	}
	der = bindOne(t, Intel, "C 7 READ C 6 READ UDIV", axis, map[string][]float64{"C7": {1}, "C6": {0}}, Options{})
	if r := der.Why(0); r.Code != capture.ZeroDenominator || !strings.Contains(r.Text, "the divisor C 6 READ is 0") {
		t.Errorf("zero divisor: %v", r)
	}
	tr, ok := Explain(der, 0)
	if !ok || len(tr.Args) != 2 || tr.Args[0].Value != 1 || tr.Args[0].Text != "C 7 READ" {
		t.Errorf("trace %+v", tr)
	}
}

func TestLongIntegerFormulasAgreeWithShortOnes(t *testing.T) {
	// More operations than an island has scratch for, and columns longer than one of its blocks.
	const rows = 1000
	axis := capture.NewUniformAxis(rows, 1e6)
	a := make([]float64, rows)
	for i := range a {
		a[i] = float64(i) * 1e13
	}
	src := "A 0 READ" + strings.Repeat(" 3 UMUL", 20) + strings.Repeat(" 3 UDIV", 20)
	got := make([]float64, rows)
	bindOne(t, Intel, src, axis, map[string][]float64{"A0": a}, Options{}).Eval(got, 0)
	if !slices.Equal(got, a) {
		t.Error("multiplying and dividing by 3 twenty times changes a value")
	}
}

func FuzzParseIntel(f *testing.F) {
	for _, s := range []string{"A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV", "true $QueryMode &&", "$SubsliceMask 0x09 AND",
		"8 A 10 READ FMUL 1.5 FDIV", "A 38 READ", "PEC 63 READ", "1 2", "UADD", "A", "18446744073709551615 99999999999999999999.5 UADD"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := Parse(Intel, src)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Error() == "" || se.Col < 1 || se.Col > len(src)+1 {
				t.Fatalf("%q: %#v", src, err)
			}
			return
		}
		again, err := Parse(Intel, e.String())
		if err != nil || !again.Root.Equal(e.Root) {
			t.Fatalf("%q printed as %q: %v", src, e.String(), err)
		}
		axis := capture.NewUniformAxis(3, 1e6)
		p, err := Bind([]*Expr{e}, axis, columnEnv(axis, func(string) []float64 { return []float64{0, 1 << 60, nan} }), Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Derivation(0).Eval(make([]float64, 3), 0)
		p.Derivation(0).Why(0)
	})
}

func BenchmarkIntelRatio(b *testing.B) {
	axis := capture.NewUniformAxis(1<<18, 1e6)
	col := make([]float64, 1<<18)
	for i := range col {
		col[i] = float64(i) * 7919
	}
	e, err := Parse(Intel, "A 7 READ 24 UDIV 100 UMUL B 0 READ FDIV")
	if err != nil {
		b.Fatal(err)
	}
	p, err := Bind([]*Expr{e}, axis, columnEnv(axis, func(string) []float64 { return col }), Options{})
	if err != nil {
		b.Fatal(err)
	}
	out := make([]float64, 1<<18)
	b.SetBytes(8 << 18)
	for b.Loop() {
		p.Derivation(0).Eval(out, 0)
	}
}

// Conditions are on masks of 64 bits, which doubles would round.
func TestConditionsHoldExactly(t *testing.T) {
	values := map[string]uint64{"Mask": 0x0F0F0F0F0F0F0F0F, "SliceMask": 0x3000, "Off": 0}
	lookup := func(name string) (uint64, bool) { v, ok := values[name]; return v, ok }
	for src, want := range map[string][2]bool{
		"$Mask 1 AND": {true, true}, "$Mask 0x10 AND": {false, true}, "$SliceMask 3 6 2 UMUL << AND": {true, true}, "$SliceMask 3 5 2 UMUL << AND": {false, true},
		"true $Off &&": {false, true}, "true $Mask &&": {true, true}, "1": {true, true}, "$Unknown 1 AND": {false, false}, "$Mask 1 FDIV": {false, false},
		"$Off $Mask ||": {true, true}, "$Mask 56 >> 15 UADD 30 OR": {true, true},
	} {
		x, err := Parse(Intel, src)
		if err != nil {
			t.Fatal(err)
		}
		if holds, known := x.Holds(lookup); known != want[1] || known && holds != want[0] {
			t.Errorf("%s holds: %v, known: %v", src, holds, known)
		}
	}
}
