package mali

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var make5 simulatetest.Make = New

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		make5.PlantsLimit(t, name, simulatetest.Number(t, 38, 19))
	}
}

func TestWorkInTurnIsClearlyThat(t *testing.T) {
	for _, name := range Names {
		n := simulatetest.Number(t, 20, 6)
		right := 0
		for seed := range uint64(n) {
			truth := simulatetest.Judged(t, make5.Case(t, name, simulate.KindSerial, seed))
			want := []simulate.Candidate{simulate.QueuesInTurn, simulate.CPUSync}[seed%2]
			if l, clear := truth.Limiter(); clear && l == want {
				right++
			}
		}
		if right < n*8/10 {
			t.Errorf("%s: %d of %d serial cases are clear", name, right, n)
		}
	}
}

func TestHealthyKeepsDates(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 10, 5)) {
			c := make5.Case(t, name, simulate.KindHealthy, seed)
			truth := simulatetest.Judged(t, c)
			if l, clear := truth.Limiter(); !truth.Healthy || !clear || l.Level != simulate.LevelDisplay || truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75 {
				t.Errorf("%s %d (%s): healthy %v, missed %d, busy %.2f, limited by %v", name, seed, c.Text, truth.Healthy,
					truth.Missed, truth.GPUBusy, l)
			}
		}
	}
}

func TestPhasesAreJudgedApart(t *testing.T) {
	for _, name := range Names {
		n, clear, differ := simulatetest.Number(t, 12, 4), 0, 0
		for seed := range uint64(n) {
			truth := simulatetest.Judged(t, make5.Case(t, name, simulate.KindTwoPhase, seed))
			if len(truth.Phases) != 2 || truth.Phases[0].End > truth.Phases[1].Start {
				t.Fatalf("%s %d: phases %v", name, seed, truth.Phases)
			}
			x, okX := truth.Phases[0].Limiter()
			y, okY := truth.Phases[1].Limiter()
			if okX && okY {
				clear++
				if x != y {
					differ++
				}
			}
		}
		if clear < n/2 || differ < clear*2/3 {
			t.Errorf("%s: of %d both phases are clear in %d, with other limits in %d", name, n, clear, differ)
		}
	}
}

// bad finds values that no metric has: above 100 percent, below nothing, or no number.
func bad(m *capture.Counter, v float64, stages bool) bool {
	return math.IsInf(v, 0) || !stages && v < -1e-9 || m.Unit == "percent" && v > 100+1e-6
}

func TestMetricsStayWithinTheirRange(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(simulatetest.Number(t, 2, 1)) {
				c := make5.Case(t, name, kind, seed)
				cap := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.Yes})
				list, err := metrics.Metrics(cap)
				if err != nil {
					t.Fatal(err)
				}
				values, err := metrics.Floats(context.Background(), list)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for i, m := range list {
					if m.Total().Missing() {
						continue
					}
					n++
					stages := m.Der != nil && slices.ContainsFunc(m.Der.Operands(), func(o *capture.Counter) bool {
						return slices.Contains(o.Aliases, "MaliFragWarp")
					})
					if v := m.Total().Float(); bad(m, v, stages) {
						t.Errorf("%s %s %d: %s is %v %s", name, kind, seed, m.Name, v, m.Unit)
					}
					for k, v := range values[i] {
						if bad(m, v, stages) {
							t.Errorf("%s %s %d: %s is %v %s in sample %d", name, kind, seed, m.Name, v, m.Unit, k)
							break
						}
					}
				}
				if n < 60 {
					t.Errorf("%s %s %d: %d metrics only", name, kind, seed, n)
				}
			}
		}
	}
}

// counter is the counter of a machine name.
func counter(cap *capture.Capture, name string) *capture.Counter {
	for _, c := range cap.Counters {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

func TestPartsAreNoMoreThanTheirWhole(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 6, 2)) {
			cap := simulatetest.Recorded(t, make5.Case(t, name, simulate.KindRandom, seed), simulate.Options{})
			checked := 0
			for _, p := range within {
				part, whole := counter(cap, p[0]), counter(cap, p[1])
				if part == nil || whole == nil {
					continue
				}
				checked++
				a, b := part.Floats(), whole.Floats()
				for i := range a {
					if a[i] > b[i] {
						t.Errorf("%s %d: %s is %v, %s %v in sample %d", name, seed, p[0], a[i], p[1], b[i], i)
						break
					}
				}
			}
			for _, s := range sums {
				if counter(cap, s.whole) == nil {
					continue
				}
				whole := slices.Clone(counter(cap, s.whole).Floats())
				for _, p := range s.parts {
					if c := counter(cap, p); c != nil {
						for i, v := range c.Floats() {
							whole[i] -= v
						}
					}
				}
				if slices.Min(whole) < 0 {
					t.Errorf("%s %d: parts of %s are more than it", name, seed, s.whole)
				}
			}
			if checked < 30 {
				t.Errorf("%s: %d pairs only", name, checked)
			}
		}
	}
}

func TestNothingPassesWhatAClockAllows(t *testing.T) {
	// Of a slice a beat and a lookup, of the tiler a triangle, of a core a quad, a filter operation, an access and a beat.
	const cores, slices = "MaliConstantsShaderCoreCount", "MaliConstantsL2SliceCount"
	limits := []struct {
		property string
		by       float64
		names    []string
	}{{slices, 1, []string{"MaliExtBusRdBt"}}, {slices, 1, []string{"MaliExtBusWrBt"}}, {slices, 1, []string{"MaliL2CacheLookup"}},
		{slices, 1, []string{"MaliExtBusRdStallCy"}}, {slices, 1, []string{"MaliL2CacheRdStallCy"}}, {"", 1, []string{"MaliGeomTrianglePrim"}},
		{cores, 1, []string{"MaliAnyActiveCy"}}, {cores, 1, []string{"MaliFragRastQd"}}, {cores, 1, []string{"MaliTexFiltIssueCy"}},
		{cores, 1, []string{"MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"}},
		{cores, 4, []string{"MaliVar16IssueSlot", "MaliVar32IssueSlot"}}, {cores, 1, []string{"MaliSCBusTileWrBt"}}}
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 10, 5)) {
			cap := simulatetest.Recorded(t, make5.Case(t, name, simulate.KindSingle, seed), simulate.Options{})
			clocks := cap.Counter("gpu_clock_cycles").Floats()
			for _, l := range limits {
				most := l.by
				if p, ok := cap.Property(l.property); ok {
					most *= p.Number
				}
				sum := make([]float64, len(clocks))
				for _, n := range l.names {
					for i, v := range counter(cap, n).Floats() {
						sum[i] += v
					}
				}
				for i := range sum {
					if sum[i] > most*clocks[i]+2 {
						t.Errorf("%s %d: %v is %v in %v cycles of sample %d", name, seed, l.names, sum[i], clocks[i], i)
						break
					}
				}
			}
		}
	}
}

func TestCountersAreKnownAndAddUp(t *testing.T) {
	for _, name := range Names {
		cap := simulatetest.Recorded(t, make5.Case(t, name, simulate.KindArchetype, 2), simulate.Options{Host: simulate.Yes})
		cats := metrics.For(cap)
		for _, c := range cap.Counters {
			known := slices.Contains([]string{"gpu_clock_cycles", "shader_clock_cycles", "gpu_utilisation", "memory_frequency"}, c.Name)
			for _, cat := range cats {
				_, err := cat.Find(c.Name)
				known = known || err == nil
			}
			if !known {
				t.Errorf("%s: no catalogue knows %s", name, c.Name)
			}
			if len(c.Instances) == 0 || c.Kind != capture.Delta {
				continue
			}
			for i := range min(cap.Len(), 50) {
				sum := uint64(0)
				for _, in := range c.Instances {
					v, _ := in.Value(i).Uint64()
					sum += v
				}
				if v, ok := c.Value(i).Uint64(); !ok || v != sum {
					t.Fatalf("%s: %s is %d, its instances make %d", name, c.Name, v, sum)
				}
			}
		}
	}
}

func TestCountersAreWhatTheWorkIs(t *testing.T) {
	// Whatever the samples, all work between two frames is counted once.
	c := make5.Case(t, Names[0], simulate.KindArchetype, 3)
	a := simulatetest.Recorded(t, c, simulate.Options{Period: time.Millisecond, Late: -1, Missed: -1})
	b := simulatetest.Recorded(t, c, simulate.Options{Period: 5 * time.Millisecond, Late: -1, Missed: -1})
	for _, name := range []string{"MaliFragRastQd", "MaliGPUActiveCy", "MaliExtBusRdBt", "MaliCoreActiveCy"} {
		x, y := counter(a, name).Total().Float(), counter(b, name).Total().Float()
		if math.Abs(x/y-1) > 0.05 {
			t.Errorf("%s is %v, with other samples %v", name, x, y)
		}
	}
}

func TestTheSameCaseIsTheSame(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			x, y := make5.Case(t, name, kind, 5), make5.Case(t, name, kind, 5)
			a, b := simulatetest.Recorded(t, x, simulate.Options{}), simulatetest.Recorded(t, y, simulate.Options{})
			other := simulatetest.Recorded(t, make5.Case(t, name, kind, 6), simulate.Options{})
			if a.Len() != b.Len() || len(a.Counters) != len(b.Counters) || x.Text != y.Text {
				t.Fatalf("%s %s: differs", name, kind)
			}
			same := a.Len() == other.Len() && len(a.Counters) == len(other.Counters)
			for k, c := range a.Counters {
				if !slices.EqualFunc(c.Floats(), b.Counters[k].Floats(), func(p, q float64) bool { return p == q }) {
					t.Errorf("%s %s: %s differs", name, kind, c.Name)
				}
			}
			if same {
				t.Errorf("%s %s: another seed gives the same", name, kind)
			}
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := make5.Case(t, Names[0], simulate.KindArchetype, 1)
	o := simulate.Options{Period: 2 * time.Millisecond, Marks: simulate.Yes, Host: simulate.Yes, Late: -1, Missed: -1}
	cap := simulatetest.Recorded(t, c, o)
	if cap.Label("frame") == nil || len(cap.Regions) < 10 || len(cap.Late) > 0 || len(cap.Gaps) > 0 {
		t.Errorf("label %v, %d regions, %d late, %d gaps", cap.Label("frame") != nil, len(cap.Regions), len(cap.Late), len(cap.Gaps))
	}
	for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
		"cpu_steal", "ctxt", "intr", "cpu_frequency", "procs_running"} {
		if counter(cap, name) == nil {
			t.Errorf("there is no %s", name)
		}
	}
	o = simulate.Options{Marks: simulate.No, Host: simulate.No, Gaps: 2, Missed: 0.2, Without: []string{"gpu_clock_cycles"},
		Withheld: []simulate.Candidate{unit("texture"), simulate.MemoryBandwidth}}
	cap = simulatetest.Recorded(t, c, o)
	if cap.Label("frame") != nil || len(cap.Regions) > 0 || len(cap.Gaps) == 0 || len(cap.Late) == 0 {
		t.Errorf("label %v, %d regions, %d gaps, %d late", cap.Label("frame") != nil, len(cap.Regions), len(cap.Gaps), len(cap.Late))
	}
	for _, name := range []string{"cpu_user", "MaliTexFiltIssueCy", "MaliExtBusRdBt", "gpu_clock_cycles"} {
		if counter(cap, name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	if counter(cap, "MaliEngFMAInstr") == nil {
		t.Error("arithmetic is not there")
	}
}

func TestARateFallsAsMuchAsAllNeedsGrow(t *testing.T) {
	r := simulate.NewRandom(7, "network")
	m := drawMachine(r, true)
	a := newAuthor(r, m)
	a.render(a.pass("main", 1280, 720, 2, a.lit(1)))
	x := mix{segs: [classes]int16{0, int16(len(a.b.segs) - 2), -1}}
	one := [stations]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	slow := [queues]float64{1, 1, 1}
	m.solve(&x, a.b.segs, 1, &one, &slow)
	y := x
	m.solve(&y, a.b.segs, 1, &one, &[queues]float64{1.5, 1.5, 1})
	for c := range 2 {
		if f := x.rate[c] / y.rate[c]; math.Abs(f-1.5) > 0.01 {
			t.Errorf("the rate of class %d falls by %v", c, f)
		}
		if x.util[stArith] > 1.001 || x.util[stBus] > 1.001 {
			t.Errorf("used %v", x.util)
		}
	}
	m.share(&x, a.b.segs, 1, &one, &slow)
	for c := range 2 {
		sum := 0.0
		for _, v := range x.shares[c] {
			sum += v
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("shares add up to %v", sum)
		}
	}
}

func TestShortProgramsAreRecordedInShorterSamples(t *testing.T) {
	cap, err := make5.Case(t, "mali-g720-fifth", simulate.KindSingle, 95086).Record(simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if cap.Len() < 3 {
		t.Errorf("%d samples", cap.Len())
	}
}
