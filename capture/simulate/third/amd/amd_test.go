package amd

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

func made(t *testing.T, name, kind string, seed uint64) (*simulate.Case, *capture.Capture) {
	t.Helper()
	c, err := New(name, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := c.Record(simulate.Options{})
	if err != nil {
		t.Fatalf("%s %s %d: %v", name, kind, seed, err)
	}
	return c, rec
}

func judged(t *testing.T, c *simulate.Case) *simulate.Truth {
	t.Helper()
	truth, err := c.Judge()
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

func each(f func(name, kind string)) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			f(name, kind)
		}
	}
}

func TestEqualArgumentsGiveEqualCases(t *testing.T) {
	each(func(name, kind string) {
		a, ca := made(t, name, kind, 3)
		b, cb := made(t, name, kind, 3)
		if a.Text != b.Text || !reflect.DeepEqual(judged(t, a), judged(t, b)) || len(ca.Counters) != len(cb.Counters) {
			t.Fatalf("%s %s: two cases of one seed differ", name, kind)
		}
		for i, c := range ca.Counters {
			if !equal(c, cb.Counters[i]) {
				t.Errorf("%s %s: %s differs", name, kind, c.Name)
			}
		}
	})
}

func equal(a, b *capture.Counter) bool {
	x, y := a.Floats(), b.Floats()
	for i := range x {
		if x[i] != y[i] && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
			return false
		}
	}
	return a.Name == b.Name && len(x) == len(y)
}

func TestRecordsOfManySeedsHoldTogether(t *testing.T) {
	each(func(name, kind string) {
		for seed := range uint64(30) {
			_, rec := made(t, name, kind, seed)
			if rec.Len() == 0 || len(rec.Counters) < 20 {
				t.Fatalf("%s %s %d: %d samples of %d counters", name, kind, seed, rec.Len(), len(rec.Counters))
			}
			for _, c := range rec.Counters {
				for i, v := range c.Floats() {
					if v < 0 || math.IsInf(v, 0) || c.Unit == "percent" && v > 100.0001 {
						t.Errorf("%s %s %d: %s is %v in sample %d", name, kind, seed, c.Name, v, i)
					}
				}
			}
		}
	})
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		right, all := 0, 0
		for seed := range uint64(52) {
			c, err := New(name, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			truth := judged(t, c)
			best, clear := truth.Limiter()
			all++
			if clear && best.String() == c.Plant {
				right++
				continue
			}
			t.Logf("%s %d: planted %s, gains %v", name, seed, c.Plant, truth.Leaves[:3])
		}
		if float64(right) < 0.95*float64(all) {
			t.Errorf("%s: %d of %d plants limit clearly", name, right, all)
		}
	}
}

func TestSharesAddUp(t *testing.T) {
	each(func(name, kind string) {
		clear, n := 0, uint64(8)
		var who []string
		for seed := range n {
			c, rec := made(t, name, kind, seed)
			truth := judged(t, c)
			for _, p := range append(truth.Phases, truth.Part) {
				sum := int64(0)
				for _, s := range p.Shares {
					sum += s.Ns
				}
				if sum != p.End-p.Start {
					t.Errorf("%s %s %d: shares are %d of %d ns", name, kind, seed, sum, p.End-p.Start)
				}
			}
			if start, end := rec.Axis.Extent(); truth.Start != start || truth.End > end {
				t.Errorf("%s %s %d: the truth is of %d to %d, the capture of %d to %d", name, kind, seed, truth.Start, truth.End, start, end)
			}
			l, ok := truth.Limiter()
			if ok {
				clear++
			}
			who = append(who, l.Name)
		}
		t.Logf("%s %s: %d of %d clear: %s", name, kind, clear, n, strings.Join(who, " "))
	})
}
