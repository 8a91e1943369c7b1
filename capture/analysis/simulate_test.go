package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/longtests"
)

// process makes series as counters are: lognormal around a level, each value depending on the one before.
type process struct {
	phi   float64 // dependence on the value before
	sigma float64 // of the logarithm: 0.3 is mild, 1 has a long tail
}

// series is n values whose mean is level.
func (p process) series(rng *rand.Rand, n int, level float64) []float64 {
	out := make([]float64, n)
	z := rng.NormFloat64()
	step := math.Sqrt(1 - p.phi*p.phi)
	for i := range out {
		out[i] = level * math.Exp(p.sigma*z-p.sigma*p.sigma/2)
		z = p.phi*z + step*rng.NormFloat64()
	}
	return out
}

// made is a capture of the given columns with a period of 10 ms.
func made(t testing.TB, name string, columns map[string][]float64, change ...func(*capture.Config)) *capture.Capture {
	t.Helper()
	n := 0
	for _, v := range columns {
		n = len(v)
	}
	cfg := capture.Config{Name: name, Axis: capture.NewUniformAxis(n, 10e6)}
	for k := range len(columns) {
		key := fmt.Sprintf("c%03d", k)
		if v, ok := columns[key]; ok {
			cfg.Counters = append(cfg.Counters, deltaOf(cfg.Axis, key, v))
		}
	}
	for key, v := range columns {
		if len(key) != 4 || key[0] != 'c' {
			cfg.Counters = append(cfg.Counters, deltaOf(cfg.Axis, key, v))
		}
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func deltaOf(axis *capture.Axis, name string, v []float64) *capture.Counter {
	return &capture.Counter{Meta: capture.Meta{Name: name, Unit: "events", Kind: capture.Delta}, Axis: axis,
		Col: capture.NewColumn(capture.Data{F: v})}
}

// simulated are columns c00, c01, ... of one process.
func simulated(t testing.TB, rng *rand.Rand, p process, columns, n int, level func(k int) float64) *capture.Capture {
	cols := map[string][]float64{}
	for k := range columns {
		cols[fmt.Sprintf("c%03d", k)] = p.series(rng, n, level(k))
	}
	return made(t, "sim", cols)
}

func flat(int) float64 { return 1000 }

var processes = []struct {
	name string
	p    process
	n    int
}{
	{"independent and skewed", process{0, 1}, 400},
	{"dependent", process{0.7, 0.3}, 1000},
	{"strongly dependent and skewed", process{0.9, 0.8}, 3000},
	{"short", process{0.3, 0.3}, 60},
}

func TestNullDataGivesAtMostTheStatedRateOfFalseDiscoveries(t *testing.T) {
	const columns = 12
	captures := longtests.Of(150, 28)
	for _, c := range processes {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(c.n)))
			false_, rejected := 0, 0
			for i := range captures {
				a, b := simulated(t, rng, c.p, columns, c.n, flat), simulated(t, rng, c.p, columns, c.n, flat)
				res, err := Compare(t.Context(), []*capture.Capture{a}, []*capture.Capture{b},
					Options{Replicates: 200, Seed: uint64(i)})
				if err != nil {
					t.Fatal(err)
				}
				if len(res.Rows) != columns || res.Judged != columns {
					t.Fatalf("%d rows, %d judged, want %d", len(res.Rows), res.Judged, columns)
				}
				if res.Count(Changed) > 0 {
					false_++
				}
				for _, r := range res.Rows {
					if r.P <= 0.05 {
						rejected++
					}
				}
			}
			// With nothing changed every discovery is false, so the rate is that of comparisons with any. Three
			// standard errors are allowed.
			rate := float64(false_) / float64(captures)
			raw := float64(rejected) / float64(captures*columns)
			t.Logf("false discoveries in %.3f of the comparisons, %.3f of single tests at 0.05", rate, raw)
			if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(captures)); rate > limit {
				t.Errorf("false discoveries in %.3f of the comparisons, more than %.3f", rate, limit)
			}
			if raw < 0.01 {
				t.Errorf("%.4f of single tests reject at 0.05: the test has lost its power", raw)
			}
		})
	}
}

func TestPlantedChangesAreFoundAndIntervalsCoverThem(t *testing.T) {
	const columns, planted = 12, 4
	for _, c := range processes {
		t.Run(c.name, func(t *testing.T) {
			captures := 60
			if c.n > 500 {
				captures = longtests.Of(captures, 16)
			}
			rng := rand.New(rand.NewPCG(2, uint64(c.n)))
			level := func(k int) float64 {
				if k < planted {
					return 1500
				}
				return 1000
			}
			found, covered, coveredRatio, wrong, total := 0, 0, 0, 0.0, 0
			for i := range captures {
				a, b := simulated(t, rng, c.p, columns, c.n, flat), simulated(t, rng, c.p, columns, c.n, level)
				res, err := Compare(t.Context(), []*capture.Capture{a}, []*capture.Capture{b},
					Options{Replicates: 200, Seed: uint64(i)})
				if err != nil {
					t.Fatal(err)
				}
				hits, misses := 0, 0
				for _, r := range res.Rows {
					ratio, isPlanted := 1.0, r.Name < fmt.Sprintf("c%03d", planted)
					if isPlanted {
						ratio = 1.5
					}
					total++
					const perSecond = 1000 * 100 // samples of 10 ms
					if truth := (ratio - 1) * perSecond; r.DifferenceLo <= truth && truth <= r.DifferenceHi {
						covered++
					}
					if r.RatioLo <= ratio && ratio <= r.RatioHi {
						coveredRatio++
					}
					switch {
					case r.Verdict == Changed && isPlanted:
						hits++
					case r.Verdict == Changed:
						misses++
					}
				}
				found += hits
				if hits+misses > 0 {
					wrong += float64(misses) / float64(hits+misses)
				}
			}
			power := float64(found) / float64(captures*planted)
			cover, ratios := float64(covered)/float64(total), float64(coveredRatio)/float64(total)
			t.Logf(
				"found %.3f of the planted changes; intervals cover %.3f (difference), %.3f (ratio); %.3f of the discoveries are false",
				power, cover, ratios, wrong/float64(captures))
			if power < 0.85 {
				t.Errorf("found only %.3f of the planted changes of 50 %%", power)
			}
			for _, x := range []float64{cover, ratios} {
				if x < 0.91 || x > 0.99 {
					t.Errorf("intervals at 0.95 cover the truth in %.3f of the cases", x)
				}
			}
			if wrong/float64(captures) > 0.08 {
				t.Errorf("%.3f of the discoveries are false, want at most 0.05", wrong/float64(captures))
			}
		})
	}
}
