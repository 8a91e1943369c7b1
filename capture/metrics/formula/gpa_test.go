package formula

import (
	"errors"
	"strings"
	"testing"
)

func TestGPAProgramsPrintBackTheSameTree(t *testing.T) {
	for _, c := range []struct{ src, want, infix string }{
		{"0,1,+,(32),* of CB0_X CB1_X", "0,1,+,(32),* of CB*_X[0,1]", "(CB0_X + CB1_X) * 32"},
		{"0..2,sum3,(32),* of CB*_X[0..2]", "0..2,sum3,(32),* of CB*_X[0..2]", "(CB0_X + CB1_X + CB2_X) * 32"},
		{"(0),0,1,/,2,ifnotzero of A B C", "(0),0,1,/,2,ifnotzero of A B C", "if(C, A / B, 0)"},
		{"0..3,max4,0,1,max,min of T*[0..3]", "0..3,max4,0,1,max,min of T*[0..3]", "min(max(T0, T1, T2, T3), max(T0, T1))"},
		{"0,NUM_SIMDS,/,ts_freq,(1e3),/,- of A", "0,NUM_SIMDS,/,TS_FREQ,(1000),/,- of A", "A / $num_simds - $ts_freq / 1000"},
		{"A_X, B_X , +, $own, *", "0,1,+,$own,* of A_X B_X", "(A_X + B_X) * $own"},
		{"1,0,- of A B", "0,1,- of B A", "B - A"},
		{"0,1,+,2,3,+,+ of A B C D", "0..3,+,sum3 of A B C D", "A + B + (C + D)"},
		{"0,1,2,sum2,sum1,max2 of A B C", "0..2,+,max of A B C", "max(A, B + C)"},
		{"(-0.5),0,* of A.b[3]", "(-0.5),0,* of A.b[3]", "-0.5 * A.b[3]"},
		{"X*_Y[0,2],+", "0,1,+ of X0_Y X2_Y", "X0_Y + X2_Y"},
		{"0..3,vecsum2,max2 of A B C D", "0,1,+,2,3,+,max of A C B D", "max(A + C, B + D)"},
		{"0..3,vecsub2,sum2 of A B C D", "0,1,-,2,3,-,+ of A C B D", "A - C + (B - D)"},
		{"0..2,scalarmul2,- of A B C", "0,1,*,2,1,*,- of B A C", "B * A - C * A"},
		{"0..3,comparemax2 of A B C D", "(0),(0),0,1,ifnotzero,(0),2,3,ifnotzero,max3 of A C B D", "max(0, if(C, A, 0), if(D, B, 0))"},
		{"0,NUM_CUS,/,MAX_WAVES,/,NUM_SHADER_ARRAYS,/ of A", "0,NUM_CUS,/,MAX_WAVES,/,NUM_SHADER_ARRAYS,/ of A", "A / $num_cus / $max_waves / $num_shader_arrays"},
	} {
		e, err := Parse(GPA, c.src)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("%s printed as\n%s, want\n%s", c.src, got, c.want)
		}
		if got := e.Infix(); got != c.infix {
			t.Errorf("%s in infix is\n%s, want\n%s", c.src, got, c.infix)
		}
		again, err := Parse(GPA, e.String())
		if err != nil || !again.Root.Equal(e.Root) {
			t.Errorf("%s: printed form parses to another tree (%v)", c.src, err)
		}
	}
}

func TestGPASyntaxErrorsNameThePlaceAndTheFix(t *testing.T) {
	for _, c := range []struct {
		src  string
		col  int
		want []string
	}{
		{"", 1, []string{"empty formula"}},
		{" of A", 1, []string{"empty formula"}},
		{"0,1,+", 1, []string{"operand 0 has no name", "of CB0_X CB1_X"}},
		{"0,2,+ of A B", 3, []string{"there is no operand 2: the list has 2 counters", "a constant stands in brackets", "\n      ^"}},
		{"0,+ of A", 3, []string{"+ takes 2 values, and 1 stand before it", "behind its operands"}},
		{"0,sum3 of A", 3, []string{"sum3 takes 3 values"}},
		{"0,sum0 of A", 3, []string{"takes no operand"}},
		{"0..2,vecsum2 of A B C", 6, []string{"vecsum2 takes 4 values, and 3 stand before it"}},
		{"0..2,scalarmul3 of A B C", 6, []string{"scalarmul3 takes 4 values"}},
		{"0,1,comparmax1 of A B", 5, []string{"no operator comparmax1", "comparemax"}},
		{"A" + strings.Repeat(",(2),(3),scalarmul2,sum2", 40), 0, []string{"longer than"}},
		{"0,1,2,+ of A B C", 1, []string{"2 values are left on the stack", "did you mean: 1,2,+ of A B C"}},
		{"0,,1 of A B", 3, []string{"a token is missing"}},
		{"0, of A", 4, []string{"a token is missing", "drop the comma"}},
		{"0 1 + of A B", 3, []string{"tokens stand between commas"}},
		{"0,0.5,* of A", 3, []string{"a constant stands in brackets, such as (0.5)"}},
		{"0,(5,* of A", 3, []string{"never closed"}},
		{"0,(x),* of A", 4, []string{`"x" is no number`}},
		{"0,(inf),* of A", 4, []string{"is no number"}},
		{"0,1,mux of A B", 5, []string{"no operator mux", "max"}},
		{"0,1,ifnotzer of A B", 5, []string{"no operator ifnotzer"}},
		{"3..1,+ of A*[0..4]", 1, []string{"goes backwards"}},
		{"0,% of A", 3, []string{"unexpected character"}},
		{"0 of A*_B", 10, []string{"needs its numbers behind it", "[0..7]"}},
		{"0 of A*_B[x]", 11, []string{"no numbers of instances"}},
		{"0 of A*_B[0..60000]", 11, []string{"more than 4096 operands"}},
		{"0 of é", 6, []string{"unexpected character 'é'"}},
		{strings.Repeat("0..4000,", 20) + "sum80020 of A*[0..4095]", 129, []string{"longer than"}},
	} {
		_, err := Parse(GPA, c.src)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%.40q: got %v, want a SyntaxError", c.src, err)
			continue
		}
		if c.col != 0 && se.Col != c.col {
			t.Errorf("%.40q: column %d, want %d\n%v", c.src, se.Col, c.col, se)
		}
		for _, w := range c.want {
			if !strings.Contains(se.Error(), w) {
				t.Errorf("%.40q: message lacks %q:\n%v", c.src, w, se)
			}
		}
	}
}

func TestASpareGPAOperandIsDroppedWithAWord(t *testing.T) {
	e, assumed, err := ParseLenient(GPA, "0,1,2,+ of A B C")
	if err != nil || e.Infix() != "B + C" || !strings.Contains(assumed, "1 value before column 3 is not used") {
		t.Errorf("got %v, %q, %v", e, assumed, err)
	}
}

func FuzzParseGPA(f *testing.F) {
	fuzzParse(f, GPA, "(0),0..3,sum4,4..7,max4,/,NUM_SIMDS,/,(100),*,8,ifnotzero of SQ*_X[0..7] SPI_Y", "A,B,+,$c,min", "0,1,2,+ of A B C", "X*_Y[0,2],+", "0,1,- of A.b[3] A9",
		"0..7,vecsub2,vecsum2,(2),0,1,scalarmul2,comparemax1,sum2 of A*[0..7]")
}

func TestGPAProgramsAreToldFromInfixFormulas(t *testing.T) {
	for src, want := range map[string]bool{
		"0,1,+ of A B": true, "0,1,% of A B": true, "A,B,sum2": true, "A,B,max": true, "A,B,comparemax1": true, "A,B,vecsum": false, "A, B, ifnotzero": true,
		"A + B": false, "max(A, B)": false, "max": false, "$offset * 2": false, "SUM(A) / SUM(B)": false, "A 7 READ": false,
	} {
		if got := looksLikeGPA(src); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
