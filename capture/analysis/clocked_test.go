package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rerun is the same work twice: core ns at 1 GHz that go with the clock, and memory ns that do not.
func rerun(r *rand.Rand, n int, core, memory, noise float64) Rerun {
	var out Rerun
	for run := range 2 {
		out.Time[run], out.Cycles[run] = make([]float64, n), make([]float64, n)
		for i := range n {
			clock := 1.5 + 0.5*r.Float64()
			out.Time[run][i] = (core/clock + memory) * (1 + noise*r.NormFloat64())
			out.Cycles[run][i] = out.Time[run][i] * clock
		}
	}
	return out
}

func TestTheShareOfTheTimeThatGoesWithTheClockIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ core, memory, want float64 }{{1e6, 0, 1}, {0, 1e6, 0}, {1e6, 1e6 / 1.75, 0.5}} {
		got := FollowsClock([]Rerun{rerun(r, 20, c.core, c.memory, 0.01)}, make([]int32, 20))
		if math.Abs(got[7]-c.want) > 0.15 {
			t.Errorf("core %g, memory %g: %g follows the clock, want %g", c.core, c.memory, got[7], c.want)
		}
	}
}

func TestRunsThatTellNothingOfTheClockAreNotJudged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	same := rerun(r, 10, 1e6, 0, 0)
	same.Time[1], same.Cycles[1] = same.Time[0], same.Cycles[0]
	for what, runs := range map[string][]Rerun{
		"one clock":         {same},
		"work that differs": {rerun(r, 10, 1e6, 0, 0.5)},
		"no run":            nil,
	} {
		if got := FollowsClock(runs, make([]int32, 10)); !math.IsNaN(got[0]) {
			t.Errorf("%s: %g follows the clock, want no answer", what, got[0])
		}
	}
}

func TestEachGroupFollowsTheClockByItself(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	core, memory := rerun(r, 20, 1e6, 0, 0.01), rerun(r, 20, 0, 1e6, 0.01)
	group := make([]int32, 20)
	for i := 10; i < 20; i++ {
		group[i] = 1
		for run := range 2 {
			core.Time[run][i], core.Cycles[run][i] = memory.Time[run][i], memory.Cycles[run][i]
		}
	}
	if got := FollowsClock([]Rerun{core}, group); got[0] < 0.9 || got[19] > 0.1 {
		t.Errorf("got %g and %g, want about 1 and 0", got[0], got[19])
	}
}
