package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/longtests"
)

// scene is what each frame of a replayed scene costs: a menu and then a level of ten times as much, with slow waves and
// a load in between.
func scene(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		x := float64(i) / float64(n)
		out[i] = 100
		if x > 0.4 {
			out[i] = 1000 * (1 + 0.4*math.Sin(40*x))
		}
		if x > 0.38 && x <= 0.4 {
			out[i] = 10
		}
	}
	return out
}

// replayed is a capture of one sample per frame: the cost of the frame times the noise of the run, which depends on the
// frame before.
func replayed(t testing.TB, rng *rand.Rand, p process, n, columns int, factor func(k int) float64) *capture.Capture {
	costs, cols := scene(n), map[string][]float64{}
	for k := range columns {
		v := p.series(rng, n, factor(k))
		for i := range v {
			v[i] *= costs[i]
		}
		cols[fmt.Sprintf("c%03d", k)] = v
	}
	return made(t, "scene", cols, numberedFrames(0))
}

// numberedFrames labels each sample as a frame.
func numberedFrames(first int) func(*capture.Config) {
	return func(c *capture.Config) {
		names := make([]string, c.Axis.Len())
		for i := range names {
			names[i] = fmt.Sprint(first + i)
		}
		c.Labels = []*capture.Label{capture.NewLabel("frame", names, nil)}
	}
}

func once(int) float64 { return 1 }

func TestAChangeOfEveryFrameOfAReplayedSceneIsFoundWithATightInterval(t *testing.T) {
	for _, n := range []int{40, 600, 1400} {
		rng := rand.New(rand.NewPCG(21, uint64(n)))
		a := replayed(t, rng, process{0.5, 0.03}, n, 3, once)
		b := replayed(t, rng, process{0.5, 0.03}, n, 3, func(k int) float64 { return []float64{1.12, 1, 0.9}[k] })
		res := compare(t, a, b, Options{By: ByFrame, MinEffect: 0.01})
		if !res.Paired || res.Unpaired != "" {
			t.Fatalf("%d frames: paired %v, %q", n, res.Paired, res.Unpaired)
		}
		tight := 0.6 / math.Sqrt(float64(n))
		for name, want := range map[string]float64{"c000": 1.12, "c001": 1, "c002": 0.9} {
			r := rowOf(t, res, "", name)
			if math.Abs(r.Ratio-want) > tight || r.RatioHi-r.RatioLo > tight || (r.Verdict == Same) != (want == 1) {
				t.Errorf("%d frames: %s is %v in %v to %v, %s; want %v within %v", n, name, r.Ratio, r.RatioLo,
					r.RatioHi, r.Verdict, want, tight)
			}
			if r.Basis != "per frame" || r.DifferenceLo > r.Difference || r.DifferenceHi < r.Difference ||
				(r.DifferenceLo > 0) != (r.RatioLo > 1) || (r.DifferenceHi < 0) != (r.RatioHi < 1) {
				t.Errorf("%d frames: %s %s: difference %v in %v to %v", n, name, r.Basis, r.Difference,
					r.DifferenceLo, r.DifferenceHi)
			}
		}
		if r := rowOf(t, res, "", "c000"); r.Effect < 0.9 {
			t.Errorf("%d frames: an effect of %v, though most frames cost more than their namesake", n, r.Effect)
		}
		// Without the pairs the change drowns in how unlike the frames of one capture are.
		one := made(t, "shifted", map[string][]float64{"c000": b.Counters[0].Floats()}, numberedFrames(1))
		res = compare(t, a, one, Options{By: ByFrame, MinEffect: 0.01})
		if r := rowOf(t, res, "", "c000"); res.Paired || r.Verdict != Same {
			t.Errorf("%d frames of other names: paired %v, %s in %v to %v", n, res.Paired, r.Verdict,
				r.RatioLo, r.RatioHi)
		}
	}
}

func TestFramesThatAreNotTheSameAreComparedUnpairedAndItIsSaid(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	of := func(n, first int) *capture.Capture {
		return made(t, fmt.Sprint("x", n, first), map[string][]float64{"c000": noisy(rng, n, 50)},
			numberedFrames(first))
	}
	regions := made(t, "regions", map[string][]float64{"c000": noisy(rng, 300, 50)}, func(c *capture.Config) {
		for i := range 300 {
			c.Regions = append(c.Regions, capture.Region{Name: fmt.Sprint("frame ", i), Start: int64(i) * 10e6,
				End: int64(i+1) * 10e6})
		}
	})
	for _, c := range []struct {
		b    *capture.Capture
		opt  Options
		want string
	}{
		{of(300, 0), Options{By: ByFrame}, ""},
		{of(300, 0), Options{By: ByLabel, Label: "frame"}, ""},
		{regions, Options{By: ByFrame}, ""},
		{of(298, 0), Options{By: ByFrame}, "x300 0 has 300, x298 0 has 298"},
		{of(300, 7), Options{By: ByFrame}, `number 1 is "0" in x300 0 and "7" in x300 7`},
	} {
		res := compare(t, of(300, 0), c.b, c.opt)
		if res.Paired != (c.want == "") || res.Unpaired != c.want {
			t.Errorf("paired %v, %q; want %q", res.Paired, res.Unpaired, c.want)
		}
		if r := rowOf(t, res, "", "c000"); r.Verdict != Same {
			t.Errorf("%s: %s in %v to %v", c.b.Name, r.Verdict, r.RatioLo, r.RatioHi)
		}
	}
	if res := compare(t, of(300, 0), of(300, 0), Options{}); res.Paired || res.Unpaired != "" {
		t.Errorf("by time: paired %v, %q", res.Paired, res.Unpaired)
	}
}

var replays = []struct {
	phi float64
	n   int
}{{0, 300}, {0.5, 60}, {0.7, 600}, {0.9, 1500}, {0, 5}}

func TestPairedFramesWithoutAChangeGiveAtMostTheStatedRateOfFalseDiscoveries(t *testing.T) {
	const columns = 12
	captures := longtests.Of(150, 28)
	for _, c := range replays {
		t.Run(fmt.Sprint(c.phi, " ", c.n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(23, uint64(c.n)))
			false_, rejected := 0, 0
			for i := range captures {
				a, b := replayed(t, rng, process{c.phi, 0.1}, c.n, columns, once), replayed(t, rng, process{c.phi, 0.1},
					c.n, columns, once)
				res := compare(t, a, b, Options{By: ByFrame, Replicates: 200, Seed: uint64(i), Metrics: []string{"c*"}})
				if !res.Paired || res.Judged != columns {
					t.Fatalf("paired %v, %d rows judged", res.Paired, res.Judged)
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
			rate, raw := float64(false_)/float64(captures), float64(rejected)/float64(captures*columns)
			t.Logf("false discoveries in %.3f of the comparisons, %.3f of single tests at 0.05", rate, raw)
			if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(captures)); rate > limit {
				t.Errorf("false discoveries in %.3f of the comparisons, more than %.3f", rate, limit)
			}
			if raw < 0.01 && c.n >= minCells { // a handful has nearly none
				t.Errorf("%.4f of single tests reject at 0.05: the test has lost its power", raw)
			}
		})
	}
}

func TestIntervalsOfPairedFramesCoverTheChange(t *testing.T) {
	const columns = 12
	captures := longtests.Of(60, 16)
	for _, c := range replays[:4] {
		rng := rand.New(rand.NewPCG(24, uint64(c.n)))
		covered, total := 0, 0
		for i := range captures {
			a, b := replayed(t, rng, process{c.phi, 0.1}, c.n, columns, once), replayed(t, rng, process{c.phi, 0.1},
				c.n, columns, func(int) float64 { return 1.12 })
			for _, r := range compare(t, a, b,
				Options{By: ByFrame, Replicates: 200, Seed: uint64(i), Metrics: []string{"c*"}}).Rows {
				total++
				if r.RatioLo <= 1.12 && 1.12 <= r.RatioHi {
					covered++
				}
			}
		}
		cover := float64(covered) / float64(total)
		t.Logf("%d frames, dependence %v: intervals cover the change in %.3f of the cases", c.n, c.phi, cover)
		if cover < 0.91 || cover > 0.99 {
			t.Errorf("%d frames, dependence %v: intervals at 0.95 cover the change in %.3f of the cases",
				c.n, c.phi, cover)
		}
	}
}

func TestRepeatedReplaysKeepTheNoiseBetweenRunsFromBeingReported(t *testing.T) {
	const columns = 20
	comparisons := longtests.Of(80, 16)
	rng := rand.New(rand.NewPCG(25, 25))
	run := func(change float64) *capture.Capture {
		return replayed(t, rng, process{0.5, 0.1}, 400, columns, func(k int) float64 {
			drift := math.Exp(0.02 * rng.NormFloat64())
			if k == 0 {
				return change * drift
			}
			return drift
		})
	}
	alone, repeated, found := 0, 0, 0
	for i := range comparisons {
		before := []*capture.Capture{run(1), run(1), run(1), run(1)}
		opt := Options{By: ByFrame, Replicates: 200, Seed: uint64(i), Metrics: []string{"c*"}}
		changed := func(before []*capture.Capture, after *capture.Capture) *Result {
			res, err := Compare(t.Context(), before, []*capture.Capture{after}, opt)
			if err != nil || !res.Paired {
				t.Fatal(err, res)
			}
			return res
		}
		after := run(1)
		if changed(before[:1], after).Count(Changed) > 0 {
			alone++
		}
		res := changed(before, after)
		if res.Count(Changed) > 0 {
			repeated++
		}
		if r := rowOf(t, res, "", "c001"); !(r.Noise > 0.01 && r.Noise < 0.3) {
			t.Errorf("noise between runs is %v, want about 0.05", r.Noise)
		}
		if rowOf(t, changed(before, run(1.2)), "", "c000").Verdict == Changed {
			found++
		}
	}
	t.Logf("false changes in %d of %d comparisons of single runs, in %d with repeated runs; %d changes of 20 %% found",
		alone, comparisons, repeated, found)
	if alone < comparisons/2 {
		t.Errorf("single runs differ in only %d of %d comparisons: the simulation has no noise between runs",
			alone, comparisons)
	}
	if limit := int(float64(comparisons)*0.05 + 3*math.Sqrt(float64(comparisons)*0.05*0.95)); repeated > limit {
		t.Errorf("false changes in %d of %d comparisons with repeated runs, more than %d", repeated, comparisons, limit)
	}
	if found < comparisons*9/10 {
		t.Errorf("a change of 20 %% over a noise of 2 %% was found in %d of %d comparisons", found, comparisons)
	}
}

func TestPairedFramesWithZerosAndNegativeValuesAreJudgedByTheirDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 26))
	of := func(shift float64, zero bool) *capture.Capture {
		signed, rare, none := make([]float64, 200), make([]float64, 200), make([]float64, 200)
		for i := range signed {
			signed[i] = 100*math.Sin(float64(i)/7) + shift + rng.NormFloat64()
			if i == 77 {
				rare[i] = 1
			}
			if !zero {
				none[i] = 5 + rng.NormFloat64()
			}
		}
		return made(t, "x", map[string][]float64{"c000": signed, "c001": rare, "c002": none}, numberedFrames(0))
	}
	res := compare(t, of(-3, true), of(2, false), Options{By: ByFrame, Less: []string{"*"}})
	if r := rowOf(t, res, "", "c000"); r.Verdict != Worse || math.Abs(r.Difference-5) > 0.5 ||
		r.DifferenceHi-r.DifferenceLo > 1 {
		t.Errorf("what rose by 5 in each frame: %s, %v in %v to %v", r.Verdict, r.Difference,
			r.DifferenceLo, r.DifferenceHi)
	}
	if r := rowOf(t, res, "", "c001"); r.Verdict != Same || r.P != 1 {
		t.Errorf("one event in the same frame: %s, p %v", r.Verdict, r.P)
	}
	if r := rowOf(t, res, "", "c002"); r.Verdict != Worse || r.Ratio == r.Ratio {
		t.Errorf("from nothing to something: %s, ratio %v", r.Verdict, r.Ratio)
	}
}

func TestMetricsOfPairedFramesAreTheirFormulasOnTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 27))
	res := compare(t, mali(t, rng, 300, 0.5, numberedFrames(0)), mali(t, rng, 300, 0.6, numberedFrames(0)),
		Options{By: ByFrame})
	r := rowOf(t, res, "", "fragment_queue_utilization")
	if r.Basis != "formula" || r.Verdict == Same || r.Verdict == NotJudged || r.RatioLo > 1.2 || r.RatioHi < 1.18 {
		t.Errorf("%s: %s, %v in %v to %v; want 1.2", r.Basis, r.Verdict, r.Ratio, r.RatioLo, r.RatioHi)
	}
}

func TestDominanceCountsFramesThatCostMoreThanTheirNamesake(t *testing.T) {
	nan := math.NaN()
	if got := dominance([]float64{1, 10, 100, nan}, []float64{2, 11, 101, 5}); got != 1 {
		t.Errorf("%v, want 1: every frame costs more", got)
	}
	if got := dominance([]float64{1, 10}, []float64{1, 9}); got != -0.5 {
		t.Errorf("%v, want -0.5", got)
	}
	if got := dominance([]float64{nan}, []float64{1}); got == got {
		t.Errorf("%v without pairs", got)
	}
}

func TestFrameNamesAreThoseInOrderOfTime(t *testing.T) {
	got := frameNames([]capture.Region{{Name: "frame 2", Start: 5}, {Name: "frame 1", Start: 1},
		{Name: "frame", Start: 9}})
	if strings.Join(got, ",") != "1,2,frame" {
		t.Errorf("%q", got)
	}
}
