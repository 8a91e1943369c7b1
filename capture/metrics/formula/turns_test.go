package formula

import (
	"math"
	"testing"

	"astrolabe/capture"
)

// inTurns is a delta of one per sample that counts in every n-th sample only, beginning with off.
func inTurns(axis *capture.Axis, name string, n, off int) *capture.Counter {
	v := make([]float64, axis.Len())
	c := &capture.Counter{Meta: capture.Meta{Name: name}, Axis: axis}
	for i := range v {
		v[i] = 1
		if i%n != off {
			v[i] = math.NaN()
			c.Reasons = append(c.Reasons, capture.ReasonRun{From: i, To: i + 1, Reason: capture.Reason{Code: capture.NotScheduled}})
		}
	}
	c.Col = capture.NewColumn(capture.Data{F: v})
	return c
}

// Counters that never had their turn in the same sample had no ratio, and a rate was that of a fraction of the time.
func TestTotalsOfOperandsInTurnsAreThoseOfAllTheTime(t *testing.T) {
	axis := capture.NewUniformAxis(120, 1e9)
	counters := map[string]*capture.Counter{
		"a": inTurns(axis, "a", 3, 0), "b": inTurns(axis, "b", 3, 1), "always": {Meta: capture.Meta{Name: "always"}, Axis: axis, Col: ones(120)},
		"lost": inTurns(axis, "lost", 2, 0), "seconds": {Meta: capture.Meta{Name: "seconds"}, Axis: axis, Col: ones(120)},
	}
	for i := range counters["lost"].Reasons {
		counters["lost"].Reasons[i].Reason.Code = capture.LostReports
	}
	for src, want := range map[string]float64{
		"a / b": 1, "a / seconds": 1, "a / always": 1, "SUM(a) / SUM(b)": 1, "SUM(a * 2) / SUM(always)": 2, "100 * a / (a + b)": 50,
		"SUM(a)": 120, "SUM(2 * a)": 240, "a / lost": 1, "lost / seconds": 1,
	} {
		e, err := Parse(ROCm, src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Bind([]*Expr{e}, axis, counterEnv(counters), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Derivation(0).Aggregate(axis.Whole())[0]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v over all samples, want %v", src, got, want)
		}
		b, err := axis.Resample(6e9)
		if err != nil {
			t.Fatal(err)
		}
		if src[:3] != "SUM" {
			for j, got := range p.Derivation(0).Aggregate(b) {
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("%s is %v in larger sample %d, want %v", src, got, j, want)
				}
			}
		}
	}
	e, err := Parse(ROCm, "a / seconds")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bind([]*Expr{e}, axis, counterEnv(counters), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := p.Derivation(0).Warnings(); len(w) != 1 {
		t.Errorf("warnings %q", w)
	}
}

func ones(n int) *capture.Column {
	f := make([]float64, n)
	for i := range f {
		f[i] = 1
	}
	return capture.NewColumn(capture.Data{F: f})
}

// counterEnv resolves names to counters.
type counterEnv map[string]*capture.Counter

func (e counterEnv) Lookup(name string, _ bool) (Operand, error) {
	return Operand{Counter: e[name]}, nil
}
