package cpu

import (
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func TestEveryLimiterIsTheTruthOfSomeProgram(t *testing.T) {
	clear, all, seen := 0, 0, map[simulate.Candidate]int{}
	for seed := range uint64(simulatetest.Number(t, 40, 20)) {
		truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, Name, simulate.KindArchetype, seed))
		limiter, ok := truth.Limiter()
		all++
		if ok {
			clear++
			seen[limiter]++
		}
		for _, g := range truth.Leaves {
			if g.Percent < -25 {
				t.Errorf("seed %d: relief of %v slows by %.1f %%", seed, g.Candidate, -g.Percent)
			}
		}
	}
	t.Logf("%d of %d programs are clear: %v", clear, all, seen)
	if 3*clear < all || 20*clear > 17*all {
		t.Errorf("%d of %d programs are clear", clear, all)
	}
	for seed := range uint64(2 * len(plants)) {
		truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, Name, simulate.KindSingle, seed))
		if limiter, ok := truth.Limiter(); ok {
			seen[limiter]++
		}
	}
	for _, p := range plants {
		if seen[p.of] == 0 {
			t.Errorf("%v limits nothing clearly", p.of)
		}
	}
}

func TestHealthyAndPhasesAreWhatTheySay(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 8, 3)) {
		truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, Name, simulate.KindHealthy, seed))
		if l, _ := truth.Limiter(); !truth.Healthy || truth.Missed > 0 || l != timerDate {
			t.Errorf("healthy %d: healthy %v, %d dates missed, %v", seed, truth.Healthy, truth.Missed, l)
		}
		truth = simulatetest.Judged(t, simulatetest.Make(New).Case(t, Name, simulate.KindTwoPhase, seed))
		if len(truth.Phases) != 2 || truth.Phases[0].End > truth.Phases[1].Start {
			t.Errorf("two phases %d: %d phases", seed, len(truth.Phases))
		}
	}
}
