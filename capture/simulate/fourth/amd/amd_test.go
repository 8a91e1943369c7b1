package amd

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
	"astrolabe/capture/simulate/telling"
)

var cases simulatetest.Make = New

func each(f func(name, kind string)) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			f(name, kind)
		}
	}
}

func TestUnknownNamesAndKindsAreRefused(t *testing.T) {
	if _, err := New("amd-gpa", simulate.KindSingle, 1); err == nil || !strings.Contains(err.Error(), gpaName) {
		t.Errorf("an unknown family: %v", err)
	}
	if _, err := New(gpaName, simulate.KindHealthy, 1); err == nil || !strings.Contains(err.Error(), simulate.KindTwoPhase) {
		t.Errorf("a kind that the family has not: %v", err)
	}
	if Kinds("amd") != nil {
		t.Error("a family that there is not has kinds")
	}
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		cases.PlantsLimit(t, name, simulatetest.Number(t, 46, 23))
	}
}

func TestValuesAndMetricsAreWithinTheirRange(t *testing.T) {
	each(func(name, kind string) {
		for seed := range uint64(simulatetest.Number(t, 4, 2)) {
			rec := simulatetest.Recorded(t, cases.Case(t, name, kind, seed), simulate.Options{Host: simulate.Yes})
			if n := rec.Len(); n < 30 || n > 420 {
				t.Errorf("%s %s %d: %d samples", name, kind, seed, n)
			}
			list, err := metrics.Metrics(rec)
			if err != nil {
				t.Fatal(err)
			}
			values, err := metrics.Floats(context.Background(), list)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range list {
				most := 100.0
				if m.Name == "power_share" { // firmware lets it pass a little before it acts
					most = 103
				}
				if strings.HasPrefix(m.Name, "engine_") { // grow in steps of 100 ms
					most = math.Inf(1)
				}
				if v := m.Total(); m.Unit == "percent" && !v.Missing() && v.Float() > min(most, 103)+1e-6 {
					t.Errorf("%s %s %d: %s is %v in all", name, kind, seed, m.Name, v)
				}
				for k, v := range values[i] {
					if v < 0 || math.IsInf(v, 0) || m.Unit == "percent" && v > most+1e-6 {
						t.Errorf("%s %s %d: %s is %v in sample %d", name, kind, seed, m.Name, v, k)
						break
					}
				}
			}
		}
	})
}

// TestIdentitiesOfDraws checks that hits and misses are the requests, that parts are no more than their whole and agree
// with each other, and that no unit does more in a clock than it can.
func TestIdentitiesOfDraws(t *testing.T) {
	for _, kind := range Kinds(gpaName) {
		for seed := range uint64(simulatetest.Number(t, 8, 4)) {
			c := cases.Case(t, gpaName, kind, seed)
			rec := simulatetest.Recorded(t, c, simulate.Options{})
			d := deviceOf(t, rec)
			for _, c := range rec.Counters {
				if c.Doc == "" {
					t.Errorf("%s %d: the catalogue does not know %s", kind, seed, c.Name)
				}
			}
			for i := range rec.Len() {
				v := func(name string) float64 {
					if c := rec.Counter(name); c != nil {
						return c.Floats()[i]
					}
					return 0
				}
				holds := func(what string, ok bool) {
					if !ok {
						t.Errorf("%s %d, sample %d: %s", kind, seed, i, what)
					}
				}
				for _, c := range []string{"L0", "L1", "L2", "Inst", "Scalar"} {
					holds(c+": hits and misses are not the requests", v(c+"CacheHitCount")+v(c+"CacheMissCount") == v(c+"CacheRequestCount"))
				}
				holds("the memory unit waits for longer than it works", v("MemUnitStalled") <= v("MemUnitBusy")+1e-9)
				holds("two names of one counter differ", v("MemUnitBusy") == v("TexUnitBusy"))
				holds("primitives leave that never came", v("CulledPrims")+v("ClippedPrims") <= v("PrimitivesIn"))
				holds("quads are lost", v("PreZQuadsCulledCount")+v("PreZQuadsSurvivingCount") == v("HiZQuadsAcceptedCount"))
				holds("threads are not those of groups", v("CSThreadGroupSize")*v("CSThreadGroupsLaunched") == v("CSThreadsLaunched"))
				cycles := v("GPUBusyCycles") + 1
				holds("more primitives than clocks", v("PrimitivesIn") <= d.pipes*cycles)
				if w := v("CSWavefrontsLaunched"); w > 8 { // whose number was rounded up to whole groups
					holds("more instructions than clocks", 0.9*v("CSVALUInsts")*(w-8) <= d.simds()*cycles)
				}
				holds("more bytes than memory moves", v("LocalVidMemBytes") <= 1.1*float64(rec.Axis.Interval(i))*d.dram*max(1, d.mall))
				holds("bytes are no whole requests", math.Mod(v("FetchSize"), 32) == 0 && math.Mod(v("WriteSize"), 32) == 0)
				sum := v("FetchSize") + v("WriteSize")
				holds("memory moves what L2 does not ask for", math.Abs(v("LocalVidMemBytes")-sum) <= 0.03*sum+64)
				holds("the sample is not its time", float64(rec.Axis.Interval(i)) == v("GPUTime"))
				holds("compute and pixels in one dispatch", v("CSBusy") == 0 || v("PSBusy") == 0)
			}
		}
	}
}

func deviceOf(t *testing.T, rec *capture.Capture) *device {
	t.Helper()
	for i := range devices {
		if devices[i].name == rec.Device.Name {
			return &devices[i]
		}
	}
	t.Fatalf("there is no %s", rec.Device.Name)
	return nil
}

// TestIdentitiesOfStatusBits checks that no bit is found more often than it was looked at, that no block works while
// the pipe is idle, and that engines work for no more than the time.
func TestIdentitiesOfStatusBits(t *testing.T) {
	for _, kind := range Kinds(liveName) {
		for seed := range uint64(simulatetest.Number(t, 4, 2)) {
			rec := simulatetest.Recorded(t, cases.Case(t, liveName, kind, seed), simulate.Options{})
			pipe, n := rec.Counter("busy_gfx_ones").Floats(), rec.Counter("grbm_samples").Floats()
			for b, x := range bits {
				for i, v := range rec.Counter("busy_" + x.name + "_ones").Floats() {
					most := pipe[i]
					if b == bCPF || b == bDMA {
						most = n[i]
					}
					if v > most {
						t.Errorf("%s %d, sample %d: %s is set %v times of %v", kind, seed, i, x.name, v, most)
					}
				}
			}
			_, end := rec.Axis.Extent()
			for _, name := range []string{"engine_gfx", "engine_compute"} {
				sum := 0.0
				for _, v := range rec.Counter(name).Floats() {
					sum += v
				}
				if sum > float64(end) {
					t.Errorf("%s %d: %s worked for %v of %d ns", kind, seed, name, sum, end)
				}
			}
		}
	}
}

// TestNothingOfTheTimeIsLost checks that what the events waited for is all of the time, in a walk back over them.
func TestNothingOfTheTimeIsLost(t *testing.T) {
	for _, kind := range Kinds(liveName) {
		for seed := range uint64(simulatetest.Number(t, 12, 4)) {
			var pipe pipe
			p := programOf(t, kind, seed).prepared(&pipe, &relief{})
			f := p.play(relief{}, true)
			last := len(p.frames) - 1
			sum := 0.0
			for _, v := range f.walk(p, p.warm-1, last).own {
				sum += v
			}
			if all := float64(f.frames[last].flip - f.frames[p.warm-1].flip); math.Abs(sum-all) > 1e-4*all {
				t.Errorf("%s %d (%s): %v of %v ns are accounted for", kind, seed, p.c.Text, sum, all)
			}
			for i := range f.frames {
				if x := &f.frames[i]; i > 0 && x.flip < f.frames[i-1].flip || x.flip < x.done || x.done < x.drvEnd {
					t.Fatalf("%s %d: frame %d is shown before it is done: %+v", kind, seed, i, x)
				}
			}
		}
	}
}

func programOf(t *testing.T, kind string, seed uint64) *program {
	t.Helper()
	return newProgram(&simulate.Case{Family: liveName, Kind: kind, Seed: seed})
}

func TestHealthyOnesKeepEveryDate(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 12, 6)) {
		truth := simulatetest.Judged(t, cases.Case(t, liveName, simulate.KindHealthy, seed))
		if l, _ := truth.Limiter(); !truth.Healthy || truth.Missed > 0 || l.Level != simulate.LevelDisplay {
			t.Errorf("%d: healthy %v, %d dates missed, %v limits", seed, truth.Healthy, truth.Missed, l)
		}
	}
}

func TestOptionsChangeTheRecording(t *testing.T) {
	c := cases.Case(t, liveName, simulate.KindArchetype, 3)
	o := simulate.Options{Period: 3 * time.Millisecond, Late: -1, Missed: -1, Host: simulate.Yes, Marks: simulate.Yes, Gaps: 2}
	rec := simulatetest.Recorded(t, c, o)
	for i := range rec.Len() {
		if ns := rec.Axis.Interval(i); ns < 2.5e6 || ns > 3.5e6 {
			t.Errorf("sample %d takes %d ns", i, ns)
		}
	}
	if rec.Counter("cpu_user") == nil || rec.Label("frame") == nil || len(rec.Regions) == 0 || len(rec.Gaps) == 0 || len(rec.Late) > 0 {
		t.Error("processor, frames or gaps are not there, or late samples are")
	}
	o = simulate.Options{Missed: 0.2, Host: simulate.No, Marks: simulate.No, Without: []string{"busy_ta_ones"}}
	rec = simulatetest.Recorded(t, c, o)
	if rec.Counter("cpu_user") != nil || rec.Label("frame") != nil || len(rec.Late) == 0 || rec.Counter("busy_ta_ones") != nil {
		t.Error("processor, frames or a counter are there, or late samples are not")
	}
	for name, table := range map[string]map[simulate.Candidate][]string{gpaName: telling.GPA, liveName: telling.AMD} {
		for k, names := range table {
			rec := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSingle, 2), simulate.Options{Host: simulate.Yes,
				Withheld: []simulate.Candidate{k}})
			for _, n := range names {
				if rec.Counter(n) != nil {
					t.Errorf("%s: %s is there without %v", name, n, k)
				}
			}
		}
	}
}
