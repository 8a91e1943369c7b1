package amd

import (
	"context"
	"math"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var maker = simulatetest.Make(New)

// each calls f with recordings of a few cases of every kind.
func each(t *testing.T, n int, o simulate.Options, f func(what string, c *simulate.Case, cap *capture.Capture)) {
	t.Helper()
	for _, kind := range Kinds(Name) {
		for seed := range uint64(simulatetest.Number(t, n, 2)) {
			c := maker.Case(t, Name, kind, seed)
			f(c.Text, c, simulatetest.Recorded(t, c, o))
		}
	}
}

func TestTheSameSeedGivesTheSameCase(t *testing.T) {
	each(t, 3, simulate.Options{}, func(what string, c *simulate.Case, a *capture.Capture) {
		again := maker.Case(t, Name, c.Kind, c.Seed)
		b := simulatetest.Recorded(t, again, simulate.Options{})
		if c.Text != again.Text || a.Len() != b.Len() || len(a.Counters) != len(b.Counters) {
			t.Fatalf("%s becomes %s", what, again.Text)
		}
		for i, x := range a.Counters {
			if !slices.Equal(x.Floats(), b.Counters[i].Floats()) {
				t.Errorf("%s: %s differs", what, x.Name)
			}
		}
		x, y := simulatetest.Judged(t, c), simulatetest.Judged(t, again)
		if !slices.Equal(x.Leaves, y.Leaves) {
			t.Errorf("%s: gains are %v, then %v", what, x.Leaves, y.Leaves)
		}
		other := simulatetest.Recorded(t, maker.Case(t, Name, c.Kind, c.Seed+1), simulate.Options{})
		if other.Len() == a.Len() && slices.Equal(other.Counter("GPUTime").Floats(), a.Counter("GPUTime").Floats()) {
			t.Errorf("%s: another seed takes the same times", what)
		}
	})
}

// Relations that AMD's definitions of the public counters give: the sum of the first names is that of the second.
var sums = [][2][]string{
	{{"L0CacheHitCount", "L0CacheMissCount"}, {"L0CacheRequestCount"}},
	{{"L1CacheHitCount", "L1CacheMissCount"}, {"L1CacheRequestCount"}},
	{{"L2CacheHitCount", "L2CacheMissCount"}, {"L2CacheRequestCount"}},
	{{"InstCacheHitCount", "InstCacheMissCount"}, {"InstCacheRequestCount"}},
	{{"ScalarCacheHitCount", "ScalarCacheMissCount"}, {"ScalarCacheRequestCount"}},
	{{"HiZQuadsAcceptedCount"}, {"PreZQuadsCulledCount", "PreZQuadsSurvivingCount"}},
	{{"PreZQuadsSurvivingCount"}, {"PostZQuadCount"}},
	{{"HiZTilesAcceptedCount", "HiZTilesRejectedCount"}, {"PreZTilesDetailSurvivingCount"}},
	{{"FetchSize", "WriteSize"}, {"LocalVidMemBytes"}},
	{{"ExecutionStart", "ExecutionDuration"}, {"ExecutionEnd"}},
	{{"TexUnitBusy"}, {"MemUnitBusy"}},
	{{"TexUnitBusyCycles"}, {"MemUnitBusyCycles"}},
}

// What is never more than something else: in whatever replays the two are counted, and in one and the same replay.
var bounds, boundsOfOne = [][2]string{
	{"ExecutionDuration", "GPUTime"}, {"VsGsTime", "GPUTime"}, {"PSTime", "GPUTime"}, {"CSTime", "GPUTime"},
	{"CBMemRead", "CBColorAndMaskRead"}, {"CBMemWritten", "CBColorAndMaskWritten"}, {"CulledPrims", "PrimitivesIn"},
	{"ClippedPrims", "PrimitivesIn"}, {"CSThreadGroupsLaunched", "CSWavefrontsLaunched"},
	{"CSWavefrontsLaunched", "CSThreadsLaunched"},
}, [][2]string{{"MemUnitStalledCycles", "MemUnitBusyCycles"}, {"L0CacheMissCount", "L1CacheRequestCount"},
	{"L1CacheMissCount", "L2CacheRequestCount"}}

func TestCountersFitTogether(t *testing.T) {
	for _, noise := range []float64{0, -1, 4} {
		each(t, 6, simulate.Options{Noise: noise}, func(what string, _ *simulate.Case, cap *capture.Capture) {
			value := func(name string, i int) float64 {
				c := cap.Counter(name)
				if c == nil {
					t.Fatalf("%s: there is no %s", what, name)
				}
				return c.Floats()[i]
			}
			total := func(names []string, i int) (sum float64) {
				for _, n := range names {
					sum += value(n, i)
				}
				return sum
			}
			list := slices.Clone(bounds)
			for _, c := range cap.Counters {
				if c.Unit == "cycles" {
					list = append(list, [2]string{c.Name, "GPUBusyCycles"})
				}
			}
			if noise < 0 {
				list = append(list, boundsOfOne...)
			}
			for i := range cap.Len() {
				for _, s := range sums {
					if a, b := total(s[0], i), total(s[1], i); math.Abs(a-b) > 1e-5 {
						t.Errorf("%s, sample %d: %v are %v and %v are %v", what, i, s[0], a, s[1], b)
					}
				}
				for _, b := range list {
					if x, y := value(b[0], i), value(b[1], i); x > y+1e-5 {
						t.Errorf("%s, sample %d: %s is %v and %s is %v", what, i, b[0], x, b[1], y)
					}
				}
				if x := value("VsGsBusy", i) / 100 * value("GPUTime", i); math.Abs(x-value("VsGsTime", i)) > 0.01+x*1e-5 {
					t.Errorf("%s, sample %d: VsGsTime is %v, of its share %v", what, i, value("VsGsTime", i), x)
				}
			}
		})
	}
}

func TestEveryCounterIsKnownAndEveryMetricANumber(t *testing.T) {
	cat, err := metrics.Get("amd-gpa-rdna")
	if err != nil {
		t.Fatal(err)
	}
	each(t, 4, simulate.Options{}, func(what string, _ *simulate.Case, cap *capture.Capture) {
		for _, c := range cap.Counters {
			e := cat.Titled(c.Name)
			if e == nil {
				t.Fatalf("no catalogue knows %s", c.Name)
			}
			level := e.Usage == "percentage" || e.Usage == "ratio"
			if e.Unit != c.Unit || level != (c.Kind == capture.Gauge) {
				t.Errorf("%s is a %s in %q here and in %q in the catalogue, its usage %s", c.Name, c.Kind, c.Unit, e.Unit, e.Usage)
			}
		}
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		values, err := metrics.Floats(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) < 100 {
			t.Errorf("%s has %d metrics only", what, len(list))
		}
		for k, m := range list {
			for i, v := range values[k] {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || m.Unit == "percent" && v > 100+1e-6 {
					t.Errorf("%s, sample %d: %s is %v %s", what, i, m.Name, v, m.Unit)
				}
			}
		}
	})
}

func TestEverythingLimitsSometimes(t *testing.T) {
	seen := map[string]int{}
	clear, all, planted := 0, 0, 0
	for seed := range uint64(simulatetest.Number(t, 40, 13)) {
		for _, kind := range []string{simulate.KindSingle, simulate.KindArchetype} {
			c := maker.Case(t, Name, kind, seed)
			truth := simulatetest.Judged(t, c)
			l, ok := truth.Limiter()
			if ok {
				seen[l.String()]++
			}
			if ok && l.String() == c.Plant {
				planted++
			}
			if kind == simulate.KindArchetype {
				all++
				if ok {
					clear++
				}
			}
			for _, g := range truth.Leaves {
				if g.Percent < -1 {
					t.Errorf("%s %d: relief of %s slows by %.2f %%", kind, seed, g.Candidate, -g.Percent)
				}
				if g.Percent > 100-100/simulate.Faster+0.5 {
					t.Errorf("%s %d: relief of %s gives %.2f %%", kind, seed, g.Candidate, g.Percent)
				}
			}
		}
	}
	for _, c := range candidates {
		if seen[c.String()] == 0 {
			t.Errorf("%s never limits: %v", c, seen)
		}
	}
	// Plants of depth and colors want memory more where that is slow.
	if 10*clear < 3*all || 10*clear > 9*all || 10*planted < 8*all {
		t.Errorf("of %d archetypes %d are clear, and of as many plants %d limit", all, clear, planted)
	}
}

func TestPhasesFollowEachOther(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 6, 3)) {
		c := maker.Case(t, Name, simulate.KindTwoPhase, seed)
		truth := simulatetest.Judged(t, c)
		cap := simulatetest.Recorded(t, c, simulate.Options{})
		if len(truth.Phases) != 2 {
			t.Fatalf("%d phases", len(truth.Phases))
		}
		a, b := truth.Phases[0], truth.Phases[1]
		if a.First != 0 || a.Frames != b.First || b.First+b.Frames != cap.Len() || a.End != b.Start || len(truth.Each) != cap.Len() {
			t.Errorf("phases are %d to %d and %d to %d of %d", a.First, a.First+a.Frames, b.First, b.First+b.Frames, cap.Len())
		}
		if s, _ := cap.Label("session").Value(b.First); s != "2" {
			t.Errorf("the second phase is session %s", s)
		}
	}
}

func TestWithheldCountersAreLeftOut(t *testing.T) {
	for _, x := range candidates {
		o := simulate.Options{Withheld: []simulate.Candidate{x}, Without: []string{"GPUBusy"}}
		cap := simulatetest.Recorded(t, maker.Case(t, Name, simulate.KindArchetype, 1), o)
		for _, name := range append(left(&o), "GPUBusy") {
			if cap.Counter(name) != nil {
				t.Errorf("%s is there without %s", name, x)
			}
		}
		if cap.Counter("PrimitivesIn") == nil && x != candidates[primitives] {
			t.Errorf("without %s too much is left out", x)
		}
	}
}
