package simulatetest

import (
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Make makes a case of a family.
type Make func(name, kind string, seed uint64) (*simulate.Case, error)

// Case is the case that a family makes.
func (m Make) Case(t testing.TB, name, kind string, seed uint64) *simulate.Case {
	t.Helper()
	c, err := m(name, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Recorded is a capture of a case.
func Recorded(t testing.TB, c *simulate.Case, o simulate.Options) *capture.Capture {
	t.Helper()
	out, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %s %d: %v", c.Family, c.Kind, c.Seed, err)
	}
	return out
}

// Judged is the truth of a case, whose shares add up in all of its parts.
func Judged(t testing.TB, c *simulate.Case) *simulate.Truth {
	t.Helper()
	truth, err := c.Judge()
	if err != nil {
		t.Fatalf("%s %s %d: %v", c.Family, c.Kind, c.Seed, err)
	}
	for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
		sum := int64(0)
		for _, s := range p.Shares {
			if sum += s.Ns; s.Ns < -10 { // what is left by rounding
				t.Errorf("%s %s %d: %s set the pace for %d ns", c.Family, c.Kind, c.Seed, s.Candidate, s.Ns)
			}
		}
		if sum != p.End-p.Start || p.Frames <= 0 {
			t.Errorf("%s %s %d: shares are %d ns of %d, in %d frames", c.Family, c.Kind, c.Seed, sum, p.End-p.Start, p.Frames)
		}
	}
	return truth
}

// PlantsLimit checks that of the first seeds of a family nearly all are limited, and clearly, by what they are meant to
// be.
func (m Make) PlantsLimit(t *testing.T, name string, seeds int) {
	t.Helper()
	right := 0
	for seed := range uint64(seeds) {
		c := m.Case(t, name, simulate.KindSingle, seed)
		truth := Judged(t, c)
		if l, clear := truth.Limiter(); clear && l.String() == c.Plant {
			right++
			continue
		}
		t.Logf("%s %d, %s: planted %s, gains %v", name, seed, c.Text, c.Plant, truth.Leaves[:2])
	}
	if right < seeds*95/100 {
		t.Errorf("%s: %d of %d plants limit clearly", name, right, seeds)
	}
}

// KindsHold judges and records the first seeds of each kind of a family: shares add up, those of two phases have two, and
// half of them or more are clear.
func (m Make) KindsHold(t *testing.T, name string, kinds []string, seeds int) {
	t.Helper()
	for _, kind := range kinds {
		clear, by := 0, map[string]int{}
		for seed := range uint64(seeds) {
			c := m.Case(t, name, kind, seed)
			truth := Judged(t, c)
			Recorded(t, c, simulate.Options{})
			if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
				t.Errorf("%s %d: %d phases", kind, seed, len(truth.Phases))
			}
			if l, ok := truth.Limiter(); ok {
				clear++
				by[l.String()]++
			}
		}
		t.Logf("%s: %d of %d are clear: %v", kind, clear, seeds, by)
		if 2*clear < seeds {
			t.Errorf("%s: only %d of %d are clear", kind, clear, seeds)
		}
	}
}
