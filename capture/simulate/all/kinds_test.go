package all

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cpu"
	"astrolabe/capture/simulate/simulatetest"
	"astrolabe/internal/longtests"
)

// judged is a case with its truth.
type judged struct {
	c     *simulate.Case
	truth *simulate.Truth
}

// known are those that were judged: several tests look at the same ones.
var known = map[string]judged{}

func judge(t *testing.T, family, kind string, seed uint64) (*simulate.Case, *simulate.Truth) {
	t.Helper()
	name := fmt.Sprintf("%s %s %d", family, kind, seed)
	if x, ok := known[name]; ok {
		return x.c, x.truth
	}
	c, err := Case(family, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := c.Judge()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	known[name] = judged{c, truth}
	return c, truth
}

func TestSharesOfEveryCaseAddUpExactly(t *testing.T) {
	for _, family := range Families() {
		for seed := range uint64(simulatetest.Number(t, 1, 1)) {
			for _, kind := range Kinds(family) {
				c, truth := judge(t, family, kind, seed)
				for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
					for _, list := range [][]simulate.Share{p.Shares, p.QueueShares} {
						sum := int64(0)
						for _, s := range list {
							sum += s.Ns
						}
						if len(list) > 0 && sum != p.End-p.Start {
							t.Errorf("%s %s %d (%s) %s: shares add up to %d ns of %d", family, kind, seed, c.Text,
								p.Name, sum, p.End-p.Start)
						}
					}
				}
			}
		}
	}
}

// slower is how much slower relief may make a case, in percent: units serve in the order in which chunks reach them,
// and where relief changes that order for the worse the whole can take longer (Graham's anomaly). Where something
// sets the clock it can be lower because there is less to do at some moment, and a frame that is a little later for a
// display is later by a whole refresh.
func slower(c *simulate.Case) float64 {
	if strings.Contains(c.Text, "highest clock") && strings.Contains(c.Text, "uncapped") {
		return 6
	}
	return 25
}

func TestReliefHardlyEverSlows(t *testing.T) {
	for _, family := range Families() {
		worst, below, all := 0.0, 0, 0
		for seed := range uint64(simulatetest.Number(t, 1, 1)) {
			for _, kind := range Kinds(family) {
				if kind == simulate.KindHealthy {
					continue
				}
				c, truth := judge(t, family, kind, seed)
				for _, g := range truth.Leaves {
					all++
					if g.Percent < -1 {
						below++
					}
					worst = min(worst, g.Percent)
					if g.Percent < -slower(c) {
						t.Errorf("%s %s %d (%s): relief of %v slows by %.1f %%", family, kind, seed, c.Text,
							g.Candidate, -g.Percent)
					}
				}
			}
		}
		t.Logf("%s: of %d reliefs %d slow by more than 1 %%, the worst by %.1f %%", family, all, below, -worst)
		if 25*below > all {
			t.Errorf("%s: %d of %d reliefs slow", family, below, all)
		}
	}
}

func TestHealthyCasesKeepTheirDates(t *testing.T) {
	for _, family := range Families() {
		for seed := range uint64(simulatetest.Number(t, 1, 1)) {
			if !has(family, simulate.KindHealthy) {
				continue
			}
			c, truth := judge(t, family, simulate.KindHealthy, seed)
			idle := family != cpu.Name && (truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75)
			if !truth.Healthy || truth.Missed > 0 || idle {
				t.Errorf("%s %d (%s): healthy %v, %d dates missed, GPU busy %.2f", family, seed, c.Text,
					truth.Healthy, truth.Missed, truth.GPUBusy)
			}
			if l, _ := truth.Limiter(); l.Level != simulate.LevelDisplay {
				t.Errorf("%s %d (%s): %v sets the pace", family, seed, c.Text, l)
			}
		}
	}
}

func has(family, kind string) bool {
	for _, k := range Kinds(family) {
		if k == kind {
			return true
		}
	}
	return false
}

func TestTwoPhasesAreJudgedApart(t *testing.T) {
	for _, family := range Families() {
		if !has(family, simulate.KindTwoPhase) {
			continue
		}
		clear, differ := 0, 0
		n := simulatetest.Number(t, 3, 2)
		for seed := range uint64(n) {
			c, truth := judge(t, family, simulate.KindTwoPhase, seed)
			if len(truth.Phases) != 2 {
				t.Fatalf("%s %d (%s): %d phases", family, seed, c.Text, len(truth.Phases))
			}
			a, b := &truth.Phases[0], &truth.Phases[1]
			if a.End > b.Start {
				t.Errorf("%s %d: phases overlap: %d, %d", family, seed, a.End, b.Start)
			}
			x, okX := a.Limiter()
			y, okY := b.Limiter()
			if okX && okY {
				clear++
				if x != y {
					differ++
				}
			}
		}
		if clear < n/3 || differ < clear*2/3 {
			t.Errorf("%s: of %d cases both phases are clear in %d, with other limits in %d", family, n, clear, differ)
		}
	}
}

func TestPlantsCoverEveryLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("judges every plant of every family")
	}
	// Seeds take the plants in turn. A plant that is not clear with its first seed has some more chances; with Times
	// all plants are looked at as many times.
	rounds, chances := simulatetest.Number(t, 1, 1), 8
	for _, family := range Families() {
		if sister := sisters[family]; sister != "" && !longtests.Asked() {
			t.Logf("%s has the plants of %s: in the long form only", family, sister)
			continue
		}
		plants := 0 // how many there are
		name := func(seed int) string {
			c, err := Case(family, simulate.KindSingle, uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			return c.Plant
		}
		first := name(0)
		for plants = 1; name(plants) != first; plants++ {
		}
		seen, tried, clear := map[string]int{}, 0, map[int]int{}
		display := false
		for seed := range plants * (rounds + chances) {
			if seed >= plants*rounds && clear[seed%plants] > 0 {
				continue
			}
			_, truth := judge(t, family, simulate.KindSingle, uint64(seed))
			tried++
			if l, ok := truth.Limiter(); ok {
				seen[l.String()]++
				clear[seed%plants]++
				display = display || l.Level == simulate.LevelDisplay
			}
		}
		t.Logf("%s: %d plants, %d cases: %v", family, plants, tried, seen)
		all := 0
		for plant := range plants {
			all += clear[plant]
			if clear[plant] == 0 {
				t.Errorf("%s: the plant %q is never clear", family, name(plant))
			}
		}
		if 2*all < tried {
			t.Errorf("%s: only %d of %d plants are clear", family, all, tried)
		}
		for _, want := range limits[family] {
			if seen[want] == 0 && !(want == anyDisplay && display) {
				t.Errorf("%s: no plant is clearly limited by %s", family, want)
			}
		}
	}
}

// sisters are families whose plants another one stands for: one with a job manager and one with command streams.
var sisters = map[string]string{"mali-g615": "mali-g720", "mali-g710": "mali-g720", "immortalis-g925": "mali-g720",
	"mali-g1-ultra": "mali-g720", "mali-g52": "mali-g78", "mali-g76": "mali-g78", "mali-g57": "mali-g78",
	"intel-bdw": "intel-kbl-gt2", "intel-icl": "intel-kbl-gt2", "intel-tgl": "intel-kbl-gt2", "intel-dg2": "intel-bmg",
	"intel-mtl": "intel-bmg", "intel-lnl": "intel-bmg"}

// limits are what plants of each family must reach.
var limits = map[string][]string{
	"mali-g615":       append([]string{"unit/ray_tracing"}, maliLimits...),
	"mali-g720":       append([]string{"unit/ray_tracing"}, maliLimits...),
	"immortalis-g925": append([]string{"unit/ray_tracing"}, maliLimits...),
	"mali-g1-ultra":   append([]string{"unit/ray_tracing"}, maliLimits...),
	"mali-g52":        maliLimits,
	"mali-g76":        maliLimits,
	"mali-g57":        maliLimits,
	"mali-g78":        maliLimits,
	"mali-g710":       maliLimits,

	"intel-kbl-gt2": intelLimits,
	"intel-kbl-gt3": intelLimits,
	"intel-bdw":     laterIntelLimits,
	"intel-icl":     laterIntelLimits,
	"intel-tgl":     laterIntelLimits,
	"intel-dg2":     append([]string{"unit/ray_tracing"}, laterIntelLimits...),
	"intel-mtl":     append([]string{"unit/ray_tracing"}, laterIntelLimits...),
	"intel-lnl":     append([]string{"unit/ray_tracing"}, laterIntelLimits...),
	"intel-bmg":     append([]string{"unit/ray_tracing"}, laterIntelLimits...),
	"amd-live": {"unit/arithmetic", "unit/texture", "unit/load_store", "unit/local_memory", "unit/vertex_fetch",
		"unit/primitive_assembly", "unit/rasterizer", "unit/depth", "unit/pixel_backend", "memory/bandwidth",
		"memory/latency", "memory/cache", "launch/overhead", "cpu/app", "cpu/driver", "cpu/sync", "clock/thermal",
		"clock/power"},
	"amd-gpa": {"unit/arithmetic", "unit/texture", "unit/load_store", "unit/local_memory", "unit/vertex_fetch",
		"unit/primitive_assembly", "unit/rasterizer", "unit/depth", "unit/pixel_backend", "memory/bandwidth",
		"memory/latency", "memory/cache", "launch/overhead"},
	"gfx1151": {"unit/arithmetic", "unit/load_store", "unit/local_memory", "unit/wave_launch", "memory/bandwidth",
		"memory/latency", "memory/cache", "launch/overhead"},
	"cpu": {"unit/core", "unit/branch", "unit/front_end", "memory/latency", "memory/bandwidth", "cpu/lock", "cpu/io",
		"queues/in_turn", "clock/thermal", "clock/power", "display/timer"},
}

var intelLimits = []string{"unit/arithmetic", "unit/texture", "unit/load_store", "unit/local_memory",
	"unit/vertex_fetch", "unit/clipper", "unit/setup",
	"unit/rasterizer", "unit/hierarchical_depth", "unit/early_depth", "unit/pixel_backend", "memory/bandwidth",
	"memory/latency", "memory/cache",
	"launch/overhead", "cpu/app", "cpu/driver", "cpu/sync", "clock/thermal", "clock/power", "display/vsync"}

// laterIntelLimits are those of platforms whose display's plant has another date than the refresh with some seeds.
var laterIntelLimits = append(slices.Clone(intelLimits[:len(intelLimits)-1]), anyDisplay)

var maliLimits = []string{"unit/arithmetic", "unit/texture", "unit/varying", "unit/load_store", "unit/tiler",
	"unit/rasterizer", "unit/pixel_backend", "memory/bandwidth",
	"memory/latency", "memory/cache", "launch/overhead", "cpu/app", "cpu/driver", "cpu/sync", "queues/in_turn",
	"clock/thermal", "clock/power", anyDisplay}

// anyDisplay is the display's refresh, a cap or the lack of requests: seeds choose which of them a plant has.
const anyDisplay = "display"
