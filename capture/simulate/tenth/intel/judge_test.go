package intel

import (
	"testing"
	"time"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func TestPlantsLimit(t *testing.T) {
	simulatetest.Make(New).PlantsLimit(t, Names[0], simulatetest.Number(t, 2*len(plants), len(plants)))
}

// TestKinds judges cases of each kind: shares add up, half of them or more are clear, and the clear ones of content are
// limited by something.
func TestKinds(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		clear, n := 0, simulatetest.Number(t, 16, 4)
		slowest := time.Duration(0)
		by := map[string]int{}
		for seed := range uint64(n) {
			c := simulatetest.Make(New).Case(t, Names[0], kind, seed)
			at := time.Now()
			truth := simulatetest.Judged(t, c)
			slowest = max(slowest, time.Since(at))
			limiter, ok := truth.Limiter()
			switch kind {
			case simulate.KindHealthy:
				if !truth.Healthy {
					t.Errorf("%s %d is not healthy: %d missed, busy %.2f, gains %v", kind, seed, truth.Missed, truth.GPUBusy, truth.Leaves[:2])
				}
			case simulate.KindTwoPhase:
				if len(truth.Phases) != 2 {
					t.Errorf("%s %d: %d phases", kind, seed, len(truth.Phases))
				}
				ok = true
				for i := range truth.Phases {
					p := &truth.Phases[i]
					_, clear := p.Limiter()
					ok = ok && clear
					if p.End-p.Start < 400e6 {
						t.Errorf("%s %d: a phase of %d ms", kind, seed, (p.End-p.Start)/1e6)
					}
				}
			case simulate.KindArchetype:
				ok = ok && !truth.Healthy
			}
			if ok {
				clear++
				by[limiter.String()]++
			}
		}
		t.Logf("%s: %d of %d are clear, at most %v each: %v", kind, clear, n, slowest, by)
		if 2*clear < n {
			t.Errorf("%s: only %d of %d are clear", kind, clear, n)
		}
	}
}
