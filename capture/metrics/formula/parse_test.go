package formula

import (
	"errors"
	"strings"
	"testing"
)

func TestParsePrintsBackTheSameTree(t *testing.T) {
	for _, c := range []struct {
		d         Dialect
		src, want string
	}{
		{Streamline, "max(min(($MaliA / $MaliB) * 100, 100), 0)", "max(min($MaliA / $MaliB * 100, 100), 0)"},
		{Streamline, "$A - ($B - $C) - $D", "$A - ($B - $C) - $D"},
		{Streamline, "$CPUActivityUser.Cluster[0] * 2", "$CPUActivityUser.Cluster[0] * 2"},
		{Streamline, "$X.Cluster[0..N]", "$X.Cluster[0..N]"},
		{Streamline, "if($a > 1 && !($b == 2) || $c <= 3, $a, -$b)", "if($a > 1 && !($b == 2) || $c <= 3, $a, -$b)"},
		{Streamline, "conditional($a, 1.5e3, .25)", "if($a, 1500, 0.25)"},
		{Streamline, "max($a, $b, $c, 4)", "max($a, $b, $c, 4)"},
		{Streamline, "--$a", "--$a"},
		{Streamline, "($a < $b) < $c", "($a < $b) < $c"},
		{Streamline, "$a / ($b / $c)", "$a / ($b / $c)"},
		{Streamline, "a // b % c", "a // b % c"},
		{ROCm, "SUM(100 * TCP_GATE_EN2) / SUM(GRBM_GUI_ACTIVE * MAX(1, TO_INT($cu_per_gpu / 2)))", "SUM(100 * TCP_GATE_EN2) / SUM(GRBM_GUI_ACTIVE * MAX(1, TO_INT($cu_per_gpu / 2)))"},
		{ROCm, "AVG((100 * A / B) if (B != 0) else None)", "AVG(100 * A / B if B != 0 else None)"},
		{ROCm, "TCC_HIT[3] + 1 if not A == 1 and B or C else D if E else F", "TCC_HIT[3] + 1 if not A == 1 and B or C else D if E else F"},
		{ROCm, "(A if B else C) if D else E", "(A if B else C) if D else E"},
		{ROCm, "QUANTILE(A, 0.5) + ROUND(MOD(A, 2), 1) + ROUND(B) + STD(A) + MEDIAN(A) + MIN(A) + MAX(A)", "QUANTILE(A, 0.5) + ROUND(A % 2, 1) + ROUND(B, 0) + STD(A) + MEDIAN(A) + MIN(A) + MAX(A)"},
		{ROCm, "SUM(((End_Timestamp - Start_Timestamp) / 1e9))", "SUM((End_Timestamp - Start_Timestamp) / 1e+09)"},
	} {
		e, err := Parse(c.d, c.src)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%s printed as\n%s, want\n%s", c.src, got, c.want)
		}
		again, err := Parse(c.d, e.String())
		if err != nil || !again.Root.Equal(e.Root) {
			t.Errorf("%s: printed form parses to another tree (%v)", c.src, err)
		}
	}
}

func TestSyntaxErrorsNameThePlaceAndTheFix(t *testing.T) {
	for _, c := range []struct {
		d    Dialect
		src  string
		col  int
		want []string
	}{
		{Streamline, "", 1, []string{"empty formula"}},
		{Streamline, "max(min((($A / $B) * 100, 100), 0)", 25, []string{`"(" at column 9 after max(min( is surplus: drop it`, "did you mean: max(min(($A / $B) * 100, 100), 0)"}},
		{Streamline, "($A + $B", 9, []string{`"(" at column 1 is never closed`, "did you mean: ($A + $B)"}},
		{Streamline, "$A + $B)", 8, []string{`")" without an opening bracket`, "did you mean: $A + $B"}},
		{Streamline, "$A $B", 4, []string{"unexpected $B after a complete value", "an operator"}},
		{Streamline, "$A = $B", 4, []string{"a comparison is written =="}},
		{Streamline, "$A & $B", 4, []string{"written &&"}},
		{Streamline, "mx($A, 1)", 1, []string{"no function mx", "did you mean max?"}},
		{Streamline, "max($A)", 1, []string{"max takes 2 or more arguments, here are 1"}},
		{Streamline, "SUM($A)", 1, []string{"belongs to the rocm dialect"}},
		{Streamline, "$A +", 5, []string{"ends where a value is expected"}},
		{Streamline, "$ + 1", 1, []string{"without a name"}},
		{Streamline, "1 < 2 < 3", 7, []string{"do not chain"}},
		{Streamline, "3x", 2, []string{"multiplication needs a *"}},
		{Streamline, "1e999", 1, []string{"does not fit"}},
		{Streamline, "$A × 2", 4, []string{"multiplication is written *"}},
		{ROCm, "SUM(A) / SUM(B", 15, []string{`"(" at column 13 is never closed`}},
		{ROCm, "CONCAT(A, B)", 1, []string{"makes text"}},
		{ROCm, "A if B", 7, []string{"expected else"}},
		{ROCm, "MIN(A, B, C)", 1, []string{"MIN takes 1 or 2 arguments, here are 3"}},
		{ROCm, "A ** 2", 3, []string{"power"}},
		{ROCm, "A +\n  B + + C", 11, []string{"line 2 column 7", "\n      B + + C\n          ^"}},
		{Streamline, strings.Repeat("(", 5000), 201, []string{"nested deeper"}},
		{Streamline, strings.Repeat("-", 5000) + "1", 200, []string{"nested deeper"}},
		{Streamline, strings.Repeat("1+", 50000) + "1", 1, []string{"longer than"}},
	} {
		_, err := Parse(c.d, c.src)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%.40q: got %v, want a SyntaxError", c.src, err)
			continue
		}
		if se.Col != c.col {
			t.Errorf("%.40q: column %d, want %d\n%v", c.src, se.Col, c.col, se)
		}
		for _, w := range c.want {
			if !strings.Contains(se.Error(), w) {
				t.Errorf("%.40q: message lacks %q:\n%v", c.src, w, se)
			}
		}
	}
}

func TestCaretStandsUnderTheFault(t *testing.T) {
	_, err := Parse(Streamline, "$A + µ * 2")
	want := "streamline formula, column 6: unexpected character 'µ'\n    $A + µ * 2\n         ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestLenientParseSaysWhatItAssumed(t *testing.T) {
	e, assumed, err := ParseLenient(Streamline, "max(min((($A / $B) * 100, 100), 0)")
	if err != nil || assumed == "" || e.String() != "max(min($A / $B * 100, 100), 0)" {
		t.Errorf("got %v, %q, %v", e, assumed, err)
	}
	if _, assumed, err := ParseLenient(Streamline, "$A"); err != nil || assumed != "" {
		t.Errorf("a well-formed formula gives %q, %v", assumed, err)
	}
	if _, _, err := ParseLenient(Streamline, "$A $B"); err == nil {
		t.Error("a formula without a known fix parsed")
	}
}

func TestLongChainsParse(t *testing.T) {
	src := strings.Repeat("$a+", 20000) + "$a"
	e, err := Parse(Streamline, src)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(e.String(), "$a"); got != 20001 {
		t.Errorf("printed %d terms", got)
	}
}

func TestNamesAreListedOnceInOrder(t *testing.T) {
	e, err := Parse(ROCm, "SUM(B + A) / SUM(B * $cu_per_gpu)")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Names(), " "); got != "B A cu_per_gpu" {
		t.Errorf("names %q", got)
	}
	if !e.reduces() {
		t.Error("SUM is not seen as a reduction")
	}
}

func fuzzParse(f *testing.F, d Dialect, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := Parse(d, src)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Col < 1 || se.Col > len(src)+1 {
				t.Fatalf("%q: error without a place: %v", src, err)
			}
			_ = err.Error()
			if se.Fix != "" {
				if _, err := Parse(d, se.Fix); err != nil {
					t.Fatalf("%q: the suggested fix %q does not parse: %v", src, se.Fix, err)
				}
			}
			return
		}
		printed := e.String()
		again, err := Parse(d, printed)
		if err != nil {
			if strings.Contains(err.Error(), "nested deeper") || strings.Contains(err.Error(), "longer than") {
				return // printing may add brackets and digits
			}
			t.Fatalf("%q printed as %q: %v", src, printed, err)
		}
		if !again.Root.Equal(e.Root) {
			t.Fatalf("%q printed as %q, which is another tree", src, printed)
		}
	})
}

func FuzzParseStreamline(f *testing.F) {
	fuzzParse(f, Streamline, "max(min((($A / $B) * 100, 100), 0)", "if($a>1&&!$b||$c!=2,$a.x[0],-1e-3)", "((1)", "$A[0..N]//2%3")
}

func FuzzParseROCm(f *testing.F) {
	fuzzParse(f, ROCm, "SUM(100 * A) / SUM(B * MAX(1, TO_INT($c / 2)))", "A if B else None", "not A == B and C or D", "ROUND(A, 2) + QUANTILE(B, 0.5)")
}

// reduces reports whether the formula contains a reduction over samples, such as SUM(x).
func (e *Expr) reduces() bool {
	found := false
	e.Root.walk(func(n *Node) { found = found || n.Op.reduction() })
	return found
}
