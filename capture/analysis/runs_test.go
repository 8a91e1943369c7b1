package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/longtests"
)

// drifting are runs of one program whose counters differ from run to run by a factor of their own: clock, temperature,
// other load.
func drifting(t testing.TB, rng *rand.Rand, runs, columns int, drift float64,
	level func(k int) float64) []*capture.Capture {
	p := process{0.6, 0.3}
	out := make([]*capture.Capture, runs)
	for i := range out {
		out[i] = simulated(t, rng, p, columns, 800, func(k int) float64 {
			return level(k) * math.Exp(drift*rng.NormFloat64())
		})
	}
	return out
}

func TestRepeatedRunsKeepTheNoiseBetweenRunsFromBeingReported(t *testing.T) {
	const columns = 20
	comparisons := longtests.Of(80, 16)
	alone, repeated := 0, 0
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range comparisons {
		before, after := drifting(t, rng, 4, columns, 0.05, flat), drifting(t, rng, 1, columns, 0.05, flat)
		opt := Options{Replicates: 200, Seed: uint64(i)}
		for _, c := range []struct {
			runs  []*capture.Capture
			count *int
		}{{before[:1], &alone}, {before, &repeated}} {
			res, err := Compare(t.Context(), c.runs, after, opt)
			if err != nil {
				t.Fatal(err)
			}
			if res.Count(Changed) > 0 {
				*c.count++
			}
		}
	}
	t.Logf("false changes in %d of %d comparisons of single runs, in %d with repeated runs", alone,
		comparisons, repeated)
	if alone < comparisons*3/4 {
		t.Errorf("single runs differ in only %d of %d comparisons: the simulation has no noise between runs",
			alone, comparisons)
	}
	if limit := int(float64(comparisons)*0.05 + 3*math.Sqrt(float64(comparisons)*0.05*0.95)); repeated > limit {
		t.Errorf("false changes in %d of %d comparisons with repeated runs, more than %d", repeated, comparisons, limit)
	}
}

func TestAChangeBeyondTheNoiseBetweenRunsIsFoundWithThreeRuns(t *testing.T) {
	const columns = 60
	comparisons := longtests.Of(30, 8)
	rng := rand.New(rand.NewPCG(6, 6))
	found := 0
	for i := range comparisons {
		before := drifting(t, rng, 3, columns, 0.02, flat)
		after := drifting(t, rng, 1, columns, 0.02, func(k int) float64 {
			if k == 0 {
				return 1300
			}
			return 1000
		})
		res, err := Compare(t.Context(), before, after, Options{Replicates: 200, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range res.Rows {
			if r.Name == "c000" && r.Verdict == Changed {
				found++
			}
			if r.Name != durationName && !(r.Noise > 0.01) {
				t.Errorf("%s: noise between runs is %v, want about 0.05", r.Name, r.Noise)
			}
		}
	}
	if found < comparisons*9/10 {
		t.Errorf("a change of 30 %% over a noise of 2 %% was found in %d of %d comparisons", found, comparisons)
	}
}

func TestTrigammaInverseInvertsTrigamma(t *testing.T) {
	for _, x := range []float64{1e-8, 1e-3, 0.1, 1, 1.6449340668, 7, 1e3, 1e9} {
		if got := trigamma(trigammaInverse(x)); math.Abs(got/x-1) > 1e-3 {
			t.Errorf("trigamma(trigammaInverse(%g)) = %g", x, got)
		}
	}
}

func TestShortCapturesAreJudgedByRepeatedRunsAlone(t *testing.T) {
	of := func(level float64) *capture.Capture {
		return made(t, "short", map[string][]float64{"c000": {level, level + 1, level - 1, level}})
	}
	one, err := Compare(t.Context(), []*capture.Capture{of(100)}, []*capture.Capture{of(200)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := one.Rows[0]; r.Verdict != NotJudged ||
		r.Why != fmt.Sprintf("too few samples: 4, it takes %d to know their spread", minCells) {
		t.Errorf("one run of four samples: %s, %q", r.Verdict, r.Why)
	}
	res, err := Compare(t.Context(), []*capture.Capture{of(100), of(101), of(99), of(100.5)},
		[]*capture.Capture{of(200)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := res.Rows[0]; r.Name != "c000" || r.Verdict != Changed || math.Abs(r.Change()-1) > 0.01 {
		t.Errorf("four runs: %s %s, change %v", r.Name, r.Verdict, r.Change())
	}
}

func TestACaptureIsTheSameAsItselfHoweverShort(t *testing.T) {
	c := made(t, "x", map[string][]float64{"c000": {1, 2}})
	res, err := Compare(t.Context(), []*capture.Capture{c}, []*capture.Capture{c}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := res.Rows[0]; r.Verdict != Same || r.P != 1 {
		t.Errorf("%s, p %v", r.Verdict, r.P)
	}
}

func TestAHandfulOfDispatchesIsJudgedAsIndependent(t *testing.T) {
	of := func(level float64) *capture.Capture {
		return made(t, "k", map[string][]float64{"c000": {level, level * 1.01, level * 0.99, level * 1.02}},
			func(c *capture.Config) {
				c.Labels = []*capture.Label{capture.NewLabel("dispatch", []string{"0", "1", "2", "3"}, nil)}
				for i := range c.Axis.End {
					c.Axis.End[i] = c.Axis.Start[i] + int64(1e5*(1+i))
				}
			})
	}
	res, err := Compare(t.Context(), []*capture.Capture{of(100)}, []*capture.Capture{of(130)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := res.Rows[0]; r.Name != "c000" || r.Verdict != Changed || r.Basis != "per sample" || r.RatioLo < 1.2 ||
		r.RatioHi > 1.4 {
		t.Errorf("%s %s %s, %v to %v", r.Name, r.Verdict, r.Basis, r.RatioLo, r.RatioHi)
	}
}
