package mali

import (
	"reflect"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	for _, l := range layouts {
		cases.PlantsLimit(t, l.family, simulatetest.Number(t, len(l.plants()), len(l.plants())))
	}
}

func TestKindsHold(t *testing.T) {
	for _, family := range Names {
		t.Log(family)
		cases.KindsHold(t, family, Kinds(family), simulatetest.Number(t, 6, 4))
	}
}

func TestHealthyAndPhases(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.family, func(t *testing.T) { healthyAndPhases(t, l) })
	}
}

func healthyAndPhases(t *testing.T, l *layout) {
	family := l.family
	for seed := range uint64(simulatetest.Number(t, 12, 4)) {
		c := cases.Case(t, family, simulate.KindHealthy, seed)
		if tr := simulatetest.Judged(t, c); !tr.Healthy {
			t.Errorf("healthy %d is not: missed %d, display %.2f, %v", seed, tr.Missed, tr.Displayed(), tr.Leaves[0])
		}
		c = cases.Case(t, family, simulate.KindTwoPhase, seed)
		for _, p := range simulatetest.Judged(t, c).Phases {
			if _, ok := p.Limiter(); !ok || p.End-p.Start < 4e8 {
				t.Errorf("two-phase %d, %s: clear %v, %d ns, %v", seed, p.Name, ok, p.End-p.Start, p.Leaves[:2])
			}
		}
	}
}

// sums are a capture's totals by the hardware's machine names.
func sums(c *capture.Capture) map[string]float64 {
	out := map[string]float64{}
	for _, k := range c.Counters {
		sum := 0.0
		for i := range c.Len() {
			sum += k.Value(i).F
		}
		out[k.Name] = sum
	}
	return out
}

func TestSameSeedSameCase(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.family, func(t *testing.T) { sameSeedSameCase(t, l) })
	}
}

func sameSeedSameCase(t *testing.T, l *layout) {
	family := l.family
	for _, kind := range simulate.Kinds() {
		o := simulate.Options{Host: simulate.Yes, Marks: simulate.Yes}
		a := simulatetest.Recorded(t, cases.Case(t, family, kind, 5), o)
		c := cases.Case(t, family, kind, 5)
		x := simulatetest.Judged(t, c)
		b := simulatetest.Recorded(t, c, o)
		if !reflect.DeepEqual(sums(a), sums(b)) || !reflect.DeepEqual(a.Axis.Start, b.Axis.Start) || len(a.Regions) == 0 {
			t.Errorf("%s: two captures of one seed differ, or have no frames", kind)
		}
		if y := simulatetest.Judged(t, cases.Case(t, family, kind, 5)); !reflect.DeepEqual(x, y) {
			t.Errorf("%s: two truths of one seed differ", kind)
		}
	}
}

func TestNamesAreInTheCatalogue(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.family, func(t *testing.T) { namesAreInTheCatalogue(t, l) })
	}
}

func namesAreInTheCatalogue(t *testing.T, l *layout) {
	family := l.family
	known := map[string]bool{}
	for _, gpu := range []string{l.gpu, "cpu"} {
		list, err := metrics.Get(gpu)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list.Entries() {
			known[e.Name] = true
			for _, a := range e.Aliases {
				known[a] = true
			}
		}
	}
	beside := map[string]bool{"gpu_clock_cycles": true, "gpu_frequency": true, "gpu_temperature": true}
	for seed := range uint64(6) {
		c := simulatetest.Recorded(t, cases.Case(t, family, simulate.KindArchetype, seed), simulate.Options{Host: simulate.Yes})
		for _, k := range c.Counters {
			if !known[k.Name] && !beside[k.Name] {
				t.Errorf("%s is in no catalogue", k.Name)
			}
		}
	}
}

// TestCountersStayInBounds checks samples against what the hardware can count in a clock.
func TestCountersStayInBounds(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.family, func(t *testing.T) { countersStayInBounds(t, l) })
	}
}

func countersStayInBounds(t *testing.T, l *layout) {
	family := l.family
	for _, kind := range simulate.Kinds() {
		for seed := range uint64(simulatetest.Number(t, 6, 2)) {
			c := simulatetest.Recorded(t, cases.Case(t, family, kind, seed), simulate.Options{})
			at := func(name string, i int) uint64 {
				at, ok := l.find(name)
				if !ok {
					return 0
				}
				k := c.Counter(l.counters[at].name)
				if k == nil {
					return 0
				}
				v := k.Value(i)
				return uint64(v.F)
			}
			has := func(name string) bool {
				at, ok := l.find(name)
				return ok && c.Counter(l.counters[at].name) != nil
			}
			cores, _ := c.Property("MaliConstantsShaderCoreCount")
			slices, _ := c.Property("MaliConstantsL2SliceCount")
			for i := range c.Len() {
				clock := uint64(c.Counter("gpu_clock_cycles").Value(i).F)
				most := func(name string, limit uint64) {
					if v := at(name, i); v > limit {
						t.Errorf("%s %d, sample %d: %s is %d of %d", kind, seed, i, name, v, limit)
					}
				}
				if has("GPUActiveCy") {
					most("GPUActiveCy", clock)
					most("AnyActiveCy", at("GPUActiveCy", i)*uint64(cores.Number))
				}
				for _, n := range []string{"FragActiveCy", "NonFragActiveCy", "MainActiveCy", "CompOrBinningActiveCy", "CoreActiveCy"} {
					most(n, at("AnyActiveCy", i))
				}
				for _, n := range []string{"TexFiltIssueCy", "TexInBt", "LSFullRd", "RTUBoxIssueCy", "EngSlotAnyIssueCy", "EngSlot1IssueCy", "EngStarveCy"} {
					most(n, at("CoreActiveCy", i))
				}
				wide := uint64(1)
				if l.fifth {
					wide = 2
				}
				most("EngFMAInstr", wide*at("CoreActiveCy", i))
				most("EngSFUInstr", at("CoreActiveCy", i)/4)
				if has("Var16IssueSlot") {
					most("Var32IssueSlot", uint64(l.varyingSlots)*at("CoreActiveCy", i)-at("Var16IssueSlot", i))
				}
				if has("MainQueuedCy") {
					most("MainQueuedCy", at("GPUActiveCy", i))
					most("CSFCS1ActiveCy", at("GPUActiveCy", i))
				}
				if has("LSPartRd") && has("LSAtomic") {
					if sum := at("LSFullRd", i) + at("LSPartRd", i) + at("LSFullWr", i) + at("LSPartWr", i) + at("LSAtomic", i); sum > at("CoreActiveCy", i)+5 {
						t.Errorf("%s %d, sample %d: %d issues of loads and stores", kind, seed, i, sum)
					}
				}
				most("ExtBusRdBt", clock*uint64(slices.Number))
				most("L2CacheLookup", clock*uint64(slices.Number))
				most("GeomTrianglePrim", clock)
				if has("ExtBusRdLat0") {
					sum := uint64(0)
					for _, n := range []string{"ExtBusRdLat0", "ExtBusRdLat128", "ExtBusRdLat192", "ExtBusRdLat256", "ExtBusRdLat320"} {
						sum += at(n, i)
					}
					if sum > at("ExtBusRdBt", i) {
						t.Errorf("%s %d, sample %d: %d beats in the bands of latency", kind, seed, i, sum)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// TestPathHasNoHoles checks that each stretch of the path begins when what it waited for ended.
func TestPathHasNoHoles(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.family, func(t *testing.T) { pathHasNoHoles(t, l) })
	}
}

func pathHasNoHoles(t *testing.T, l *layout) {
	family := l.family
	for _, kind := range simulate.Kinds() {
		for seed := range uint64(simulatetest.Number(t, 6, 2)) {
			p := programOf(t, family, kind, seed)
			s := newSim(p, relief{}, nil)
			s.run()
			rec := s.frame[p.frames-1].shown
			holes, steps := int64(0), 0
			for cur := s.recs[rec].end; rec >= 0; rec = s.recs[rec].prev {
				r := &s.recs[rec]
				if r.end != cur {
					holes += max(cur-r.end, r.end-cur)
				}
				cur = r.start
				steps++
			}
			if total := s.frame[p.frames-1].shownAt; holes > total/200 {
				t.Errorf("%s %d: holes of %d ns in %d, over %d steps", kind, seed, holes, total, steps)
			}
		}
	}
}

func TestWithheld(t *testing.T) {
	l := layouts[1]
	c := cases.Case(t, l.family, simulate.KindSingle, 1)
	for leaf := range tellers {
		got := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.Yes, Withheld: []simulate.Candidate{candidates[leaf]}})
		for _, n := range l.telling(candidates[leaf]) {
			if got.Counter(n) != nil {
				t.Errorf("%s is there although %s is withheld", n, candidates[leaf])
			}
		}
	}
}

func programOf(t *testing.T, family, kind string, seed uint64) *program {
	t.Helper()
	p, _, _, err := draw(family, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
