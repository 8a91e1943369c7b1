package delimited

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestNumbersAreRoundedAsStrconvDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := func(s string) {
		t.Helper()
		want, err := strconv.ParseFloat(s, 64)
		got, ok := ParseFloat([]byte(s), '.')
		if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s = %v (%v), want %v (%v)", s, got, ok, want, err)
		}
	}
	for range 200000 {
		f := math.Float64frombits(rng.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		check(strconv.FormatFloat(f, 'e', -1, 64))
		check(strconv.FormatFloat(rng.NormFloat64()*math.Pow10(rng.IntN(30)-15), 'f', rng.IntN(25), 64))
	}
	for _, s := range []string{
		"9007199254740993", "9007199254740992.5", "18446744073709551615", "18446744073709551616",
		"184467440737095516150.25",
		"0.000000000000000000000000000000001", "1e-400", "1e400", "-0", "-0.0", "00012.500",
		"123456789012345678901234567890e-20",
		"2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623159e308", "5e-324",
		"2.4703282292062327e-324", ".5", "5.", "+7", "1e0000000005",
	} {
		check(s)
	}
}

func TestTextThatIsNoNumberIsRefused(t *testing.T) {
	for _, s := range []string{"", ".", "-", "+", "e5", "1e", "1e+", "1.2.3", "1,5", "0x10", "1_000", "--1", "1 2",
		"inf", "nan", "1f", "۱"} {
		if v, ok := ParseFloat([]byte(s), '.'); ok {
			t.Errorf("%q = %v", s, v)
		}
	}
	if v, ok := ParseFloat([]byte("-1,25e1"), ','); !ok || v != -12.5 {
		t.Errorf("decimal comma: %v, %v", v, ok)
	}
}

func TestTimesAreExactNanoseconds(t *testing.T) {
	for _, tc := range []struct {
		text string
		unit TimeUnit
		want int64
		ok   bool
	}{
		{"9223372036854775807", TimeUnit{}, math.MaxInt64, true},
		{"9223372036854775808", TimeUnit{}, 0, false},
		{"-12", TimeUnit{}, -12, true},
		{"1714979289.123456789", TimeUnit{Exp: 9}, 1714979289123456789, true},
		{"0.1", TimeUnit{Exp: 9}, 1e8, true},
		{"1.5e-3", TimeUnit{Exp: 9}, 1500000, true},
		{"0.4", TimeUnit{}, 0, true},
		{"0.5", TimeUnit{}, 1, true},
		{"0.05", TimeUnit{}, 0, true},
		{"2.5", TimeUnit{Exp: 9, Mul: 60}, 150e9, true},
		{"1e30", TimeUnit{}, 0, false},
		{"1e-900000", TimeUnit{Exp: 9}, 0, true},
		{"0e900000", TimeUnit{Exp: 9}, 0, true},
	} {
		n, q, ok := scanNumber([]byte(tc.text+"\n"), 0, '.')
		if !ok || q != len(tc.text) {
			t.Fatalf("%s: no number", tc.text)
		}
		got, ok := tc.unit.nanoseconds(n)
		if got != tc.want || ok != tc.ok {
			t.Errorf("%s in %+v = %d, %v, want %d, %v", tc.text, tc.unit, got, ok, tc.want, tc.ok)
		}
	}
}

func TestNarrowKeepsWhatIsNotWhole(t *testing.T) {
	nan := math.NaN()
	if d, _ := Narrow([]float64{1770040, nan, 0}); d.U == nil || d.U[0] != 1770040 || !d.Missing(1) || d.Missing(2) {
		t.Errorf("whole doubles gave %+v", d)
	}
	for _, tc := range []struct {
		f     []float64
		whole bool
	}{{[]float64{1, 0.5}, false}, {[]float64{1, -2}, true}, {[]float64{1 << 60}, false}, {[]float64{nan}, false},
		{[]float64{math.Inf(1)}, false}} {
		if d, whole := Narrow(tc.f); d.U != nil || whole != tc.whole {
			t.Errorf("%v gave %+v, %v", tc.f, d, whole)
		}
	}
}

var decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)

func FuzzParseFloat(f *testing.F) {
	for _, s := range []string{"1", "-1.5e3", "9007199254740993", "1e999", ".", "0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		trimmed := strings.TrimSpace(s)
		got, ok := ParseFloat([]byte(s), '.')
		want, err := strconv.ParseFloat(trimmed, 64)
		if wantOK := err == nil && decimal.MatchString(trimmed); ok != wantOK {
			t.Fatalf("%q: ok = %v, want %v", s, ok, wantOK)
		}
		if ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q = %v, want %v", s, got, want)
		}
	})
}
