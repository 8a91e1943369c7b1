package formula

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

// guideFormulas are the formulas of a Mali guide as it prints them, by section.
func guideFormulas(t testing.TB, gpu string) (sections []string, formulas map[string]string) {
	t.Helper()
	formulas = map[string]string{}
	for _, r := range testfiles.Rows(t, "guides", "mali_formulas.csv") {
		if r["gpu"] == gpu {
			sections = append(sections, r["section"])
			formulas[r["section"]] = r["formula"]
		}
	}
	return sections, formulas
}

type maliCase struct {
	GPU, Kind string
	Inputs    map[string]float64
	Expected  map[string]*float64
}

func maliCases(t testing.TB) []maliCase {
	t.Helper()
	var doc struct{ Cases []maliCase }
	testfiles.JSON(t, &doc, "vectors", "mali_formulas_sample.json")
	return doc.Cases
}

func TestGuideFormulasEqualTheVectors(t *testing.T) {
	cases := maliCases(t)
	for gpu, surplus := range map[string]int{"mali-g615": 7, "mali-g720": 0} {
		sections, formulas := guideFormulas(t, gpu)
		mended := 0
		var exprs []*Expr
		for _, s := range sections {
			e, assumed, err := ParseLenient(Streamline, formulas[s])
			if err != nil {
				t.Fatalf("%s %s: %v", gpu, s, err)
			}
			if assumed != "" {
				mended++
			}
			exprs = append(exprs, e)
			again, err := Parse(Streamline, e.String())
			if err != nil || !again.Root.Equal(e.Root) {
				t.Errorf("%s %s does not survive printing: %v", gpu, s, err)
			}
		}
		if mended != surplus {
			t.Errorf("%d formulas of the guide of %s had a surplus bracket, want %d", mended, gpu, surplus)
		}
		for _, c := range cases {
			if c.GPU != gpu {
				continue
			}
			if len(sections) != len(c.Expected) {
				t.Errorf("%s: %d formulas in the guide, %d in the vectors", gpu, len(sections), len(c.Expected))
			}
			axis := capture.NewUniformAxis(1, 1e6)
			env := columnEnv(axis, func(name string) []float64 {
				v, ok := c.Inputs[name]
				if !ok {
					t.Fatalf("%s: no input %s", gpu, name)
				}
				return []float64{v}
			})
			p, err := Bind(exprs, axis, env, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.evalAll(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range sections {
				total := p.Derivation(i).Aggregate(axis.Whole())[0]
				want := c.Expected[s]
				switch {
				case want == nil:
					if got[i][0] == got[i][0] || total == total {
						t.Errorf("%s %s %s: %v, total %v, want missing", gpu, c.Kind, s, got[i][0], total)
					} else if r := p.Derivation(i).Why(0); r.Code != capture.ZeroDenominator || !strings.Contains(r.Text, "is 0") {
						t.Errorf("%s %s %s: reason %v", gpu, c.Kind, s, r)
					}
				case !near(got[i][0], *want) || !near(total, *want):
					t.Errorf("%s %s %s: %v, total %v, want %v", gpu, c.Kind, s, got[i][0], total, *want)
				}
			}
		}
	}
}

func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*math.Abs(want)
}

// columnEnv resolves every name to a delta counter with the given values, one counter per name.
func columnEnv(axis *capture.Axis, values func(name string) []float64) envFunc {
	have := map[string]*capture.Counter{}
	return func(name string) (Operand, error) {
		if have[name] == nil {
			have[name] = deltaCounter(axis, name, values(name))
		}
		return Operand{Counter: have[name]}, nil
	}
}

func deltaCounter(axis *capture.Axis, name string, v []float64) *capture.Counter {
	return &capture.Counter{Meta: capture.Meta{Name: name}, Axis: axis, Col: capture.NewColumn(capture.Data{F: v})}
}

type envFunc func(name string) (Operand, error)

func (f envFunc) Lookup(name string, _ bool) (Operand, error) { return f(name) }

// benchmarkGuide prepares the 108 formulas of the G615 guide over rows random samples.
func benchmarkGuide(b *testing.B, integers bool) (*Program, int) {
	rows := 65536
	if s := os.Getenv("ASTROLABE_BENCH_ROWS"); s != "" {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || n < 1 {
			b.Fatalf("ASTROLABE_BENCH_ROWS=%s", s)
		}
		rows = int(n)
	}
	sections, formulas := guideFormulas(b, "mali-g615")
	var exprs []*Expr
	for _, s := range sections {
		e, _, err := ParseLenient(Streamline, formulas[s])
		if err != nil {
			b.Fatal(err)
		}
		exprs = append(exprs, e)
	}
	axis := capture.NewUniformAxis(rows, 1e6)
	state := uint64(1)
	random := func() uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return state >> 42
	}
	have := map[string]*capture.Counter{}
	env := envFunc(func(name string) (Operand, error) {
		if strings.HasPrefix(name, "MaliConstants") {
			return Operand{Const: 128, IsConst: true}, nil
		}
		if have[name] == nil {
			c := &capture.Counter{Meta: capture.Meta{Name: name}, Axis: axis}
			d := capture.Data{}
			if integers {
				d.U = make([]uint64, rows)
				for i := range d.U {
					d.U[i] = random()
				}
			} else {
				d.F = make([]float64, rows)
				for i := range d.F {
					d.F[i] = float64(random())
				}
			}
			c.Col = capture.NewColumn(d)
			have[name] = c
		}
		return Operand{Counter: have[name]}, nil
	})
	p, err := Bind(exprs, axis, env, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p, rows
}

// BenchmarkGuideFormulas evaluates all 108 formulas of the Mali-G615 guide. Rows: ASTROLABE_BENCH_ROWS.
func BenchmarkGuideFormulas(b *testing.B) {
	for _, integers := range []bool{false, true} {
		kind := "float"
		if integers {
			kind = "integer"
		}
		b.Run(fmt.Sprintf("%s/newOutputs", kind), func(b *testing.B) {
			p, rows := benchmarkGuide(b, integers)
			b.ResetTimer()
			for b.Loop() {
				if _, err := p.evalAll(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(rows)*float64(p.Len())/b.Elapsed().Seconds()/1e6, "Mvalues/s")
		})
		b.Run(fmt.Sprintf("%s/reusedOutputs", kind), func(b *testing.B) {
			p, rows := benchmarkGuide(b, integers)
			outs, err := p.evalAll(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for b.Loop() {
				if err := p.EvalInto(context.Background(), outs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(rows)*float64(p.Len())/b.Elapsed().Seconds()/1e6, "Mvalues/s")
		})
	}
}

// BenchmarkBind parses and compiles the 108 formulas.
func BenchmarkBind(b *testing.B) {
	sections, formulas := guideFormulas(b, "mali-g615")
	axis := capture.NewUniformAxis(1, 1e6)
	env := columnEnv(axis, func(string) []float64 { return []float64{1} })
	for b.Loop() {
		var exprs []*Expr
		for _, s := range sections {
			e, _, err := ParseLenient(Streamline, formulas[s])
			if err != nil {
				b.Fatal(err)
			}
			exprs = append(exprs, e)
		}
		if _, err := Bind(exprs, axis, env, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
