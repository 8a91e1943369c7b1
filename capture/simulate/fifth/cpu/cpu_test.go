package cpu

import (
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func TestPlantsLimit(t *testing.T) {
	simulatetest.Make(New).PlantsLimit(t, Names[0], simulatetest.Number(t, 110, 22))
}

// TestKinds judges and records some cases of each kind: shares add up, and not too few are clear.
func TestKinds(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		n, clear := simulatetest.Number(t, 12, 4), 0
		by := map[string]int{}
		for seed := range uint64(n) {
			c := simulatetest.Make(New).Case(t, Names[0], kind, seed)
			truth := simulatetest.Judged(t, c)
			simulatetest.Recorded(t, c, simulate.Options{})
			if len(truth.Phases) != map[bool]int{true: 2}[kind == simulate.KindTwoPhase] {
				t.Errorf("%s %d: %d phases", kind, seed, len(truth.Phases))
			}
			if l, ok := truth.Limiter(); ok {
				clear++
				by[l.String()]++
			}
		}
		t.Logf("%s: %d of %d are clear: %v", kind, clear, n, by)
		if 2*clear < n {
			t.Errorf("%s: only %d of %d are clear", kind, clear, n)
		}
	}
}
