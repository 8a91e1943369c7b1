package intel

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		cases.PlantsLimit(t, name, simulatetest.Number(t, 22, 22))
	}
}

func TestHealthyCasesAreHealthy(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 6, 3)) {
			c := cases.Case(t, name, simulate.KindHealthy, seed)
			truth := simulatetest.Judged(t, c)
			if !truth.Healthy || truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75 {
				t.Errorf("%s %d, %s: healthy %v, %d dates missed, GPU busy for %.2f", name, seed, c.Text, truth.Healthy, truth.Missed,
					truth.GPUBusy)
			}
		}
	}
}

func TestQueuesAndProcessorsInTurnLimit(t *testing.T) {
	for _, name := range Names {
		right, n := 0, simulatetest.Number(t, 10, 6)
		for seed := range uint64(n) {
			c := cases.Case(t, name, simulate.KindSerial, seed)
			truth := simulatetest.Judged(t, c)
			want := []simulate.Candidate{simulate.QueuesInTurn, simulate.CPUSync}[seed%2]
			if truth.Leaves[0].Candidate == want && truth.Leaves[0].Percent > 10 {
				right++
			} else {
				t.Logf("%s %d, %s: %v", name, seed, c.Text, truth.Leaves[:2])
			}
		}
		if right < n*8/10 {
			t.Errorf("%s: of %d cases things in turn limit %d", name, n, right)
		}
	}
}

func TestPhasesAreJudgedApart(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 3, 2)) {
			truth := simulatetest.Judged(t, cases.Case(t, name, simulate.KindTwoPhase, seed))
			if len(truth.Phases) != 2 || truth.Phases[0].End > truth.Phases[1].Start {
				t.Errorf("%s %d: %d phases", name, seed, len(truth.Phases))
			}
		}
	}
}

func TestReliefHardlyEverSlows(t *testing.T) {
	for _, name := range Names {
		for _, kind := range simulate.Kinds() {
			for seed := range uint64(simulatetest.Number(t, 2, 1)) {
				c := cases.Case(t, name, kind, seed)
				for _, g := range simulatetest.Judged(t, c).Leaves {
					if g.Percent < -12 {
						t.Errorf("%s %s %d, %s: relief of %s slows by %.1f %%", name, kind, seed, c.Text, g.Candidate, -g.Percent)
					}
				}
			}
		}
	}
}

func TestMetricSetsThatAreNotModelledAreRefused(t *testing.T) {
	c := cases.Case(t, Names[1], simulate.KindRandom, 1)
	if _, err := c.Record(simulate.Options{Sets: []string{"RenderPipeProfile"}}); err == nil {
		t.Error("a metric set is taken that DG2 has not")
	}
}

func TestMetricsAreWithinTheirRange(t *testing.T) {
	kinds := simulate.Kinds()
	for _, name := range Names {
		seed := uint64(0)
		for _, set := range setsOf(name) {
			for range simulatetest.Number(t, 1, 1) * 22 / len(setsOf(name)) {
				seed++
				o := simulate.Options{Host: simulate.Yes, Sets: []string{set}}
				checkMetrics(t, cases.Case(t, name, kinds[seed%uint64(len(kinds))], seed), o)
			}
		}
	}
}

// checkMetrics finds metrics that are out of their range in a sample.
func checkMetrics(t *testing.T, c *simulate.Case, o simulate.Options) {
	list, err := metrics.Metrics(simulatetest.Recorded(t, c, o))
	if err != nil {
		t.Fatal(err)
	}
	values, err := metrics.Floats(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		for k, v := range values[i] {
			if math.IsInf(v, 0) || v < 0 || m.Unit == "percent" && v > 100+1e-6 {
				t.Errorf("%s %s %d, %s: %s is %v %s in sample %d", c.Family, c.Kind, c.Seed, o.Sets, m.Name, v, m.Unit, k)
				break
			}
		}
	}
}

func setsOf(name string) (out []string) {
	for key := range tables {
		if s, set, _ := strings.Cut(key, "/"); s == "tgl" && name == Names[0] {
			out = append(out, set)
		}
	}
	slices.Sort(out)
	if len(out) == 0 {
		out = []string{"RenderBasic"}
	}
	return out
}

func TestEveryCounterOfASetIsKnown(t *testing.T) {
	for key, table := range tables {
		for _, x := range routes(table) {
			if _, _, ok := tallyOf(x.symbol); !ok {
				t.Errorf("%s: nothing counts %s", key, x.symbol)
			}
		}
	}
}

// sums adds up counters sample by sample.
func sums(cap *capture.Capture, names ...string) []float64 {
	out := make([]float64, cap.Len())
	for _, n := range names {
		for i, v := range cap.Counter(n).Floats() {
			out[i] += v
		}
	}
	return out
}

func TestCountersAgreeWithEachOther(t *testing.T) {
	for _, name := range Names {
		for _, kind := range simulate.Kinds() {
			for seed := range uint64(simulatetest.Number(t, 2, 1)) {
				c := cases.Case(t, name, kind, seed)
				cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}})
				p, _ := cap.Property("EuCoresTotalCount")
				clocks := sums(cap, "GPU_TICKS")
				active, stall, slots := sums(cap, "A7"), sums(cap, "A8"), sums(cap, "A9")
				threads := 8.0
				if name == Names[0] {
					active, stall = sums(cap, "A7", "A8", "A9", "A10"), sums(cap, "A11", "A12", "A13", "A14")
					slots, threads = sums(cap, "A15", "A16", "A17", "A18"), 7
				}
				busy, fail, quads := sums(cap, "A0"), sums(cap, "A22", "A23"), sums(cap, "A21")
				at := func(i int, what string, a, b, slack float64) {
					if a > b+slack {
						t.Errorf("%s %s %d, sample %d: %s: %.0f of %.0f", name, kind, seed, i, what, a, b)
					}
				}
				total, most := 0.0, 0.0
				for i := range clocks {
					at(i, "EUs active or stalled while the GPU works", active[i]+stall[i], p.Number*busy[i], 12+p.Number)
					at(i, "threads in slots", slots[i]*8, threads*p.Number*clocks[i], 100)
					at(i, "threads where EUs are active or stalled", active[i]+stall[i], slots[i]*8, 100)
					at(i, "stages that fail tests", fail[i], quads[i], 3)
					total, most = total+busy[i], most+clocks[i]
				}
				at(-1, "busy", total, most, 0)
			}
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := cases.Case(t, Names[0], simulate.KindArchetype, 2)
	cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic", "RenderPipeProfile"}, Host: simulate.Yes,
		Marks: simulate.Yes, Period: 2 * time.Millisecond, Gaps: 2})
	l := cap.Label("metric_set")
	if l == nil || len(l.Dict) != 2 {
		t.Fatal("two sets do not take turns")
	}
	if cap.Label("frame") == nil || cap.Counter("cpu_user") == nil || cap.Counter("cpu_steal") == nil {
		t.Error("there are no marks or no processors")
	}
	if len(cap.Gaps) < 3 {
		t.Errorf("%d gaps", len(cap.Gaps))
	}
	if ns := cap.Axis.End[0] - cap.Axis.Start[0]; ns < 1_300_000 || ns > 2_800_000 {
		t.Errorf("a sample is of %d ns", ns)
	}
	none := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.No, Marks: simulate.No})
	if none.Label("frame") != nil || none.Counter("cpu_user") != nil {
		t.Error("there are marks or processors")
	}
	late := simulatetest.Recorded(t, c, simulate.Options{Missed: 0.2})
	if len(late.Late) == 0 {
		t.Error("no sample is missed")
	}
	for cand, of := range telling {
		o := simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.Yes, Withheld: []simulate.Candidate{cand}}
		less := simulatetest.Recorded(t, c, o)
		for _, n := range of.counters {
			if less.Counter(n) != nil {
				t.Errorf("%s is there without %s", n, cand)
			}
		}
	}
	less := simulatetest.Recorded(t, c, simulate.Options{Without: []string{"A26"}})
	if less.Counter("A26") != nil {
		t.Error("A26 is there")
	}
}

func TestThreadsThatThePixelBackEndHoldsUpStay(t *testing.T) {
	at := slices.IndexFunc(plants, func(p planted) bool { return p.station == sPB })
	sum, n := 0.0, simulatetest.Number(t, 5, 3)
	for k := range n {
		c := cases.Case(t, Names[0], simulate.KindSingle, uint64(at+k*len(plants)))
		cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.No})
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			if m.Name == "render_basic_eu_thread_occupancy" {
				sum += m.Total().Float()
			}
		}
	}
	if sum < 35*float64(n) {
		t.Errorf("where the pixel back end limits, %.0f %% of thread slots are taken", sum/float64(n))
	}
}

func TestWhatTheDepthTestLimitsIsTested(t *testing.T) {
	at := slices.IndexFunc(plants, func(p planted) bool { return p.station == sEZ })
	for k := range simulatetest.Number(t, 5, 3) {
		c := cases.Case(t, Names[0], simulate.KindSingle, uint64(at+k*len(plants)))
		cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.No})
		if x := cap.Counter("A21").Total().Float() / cap.Counter("GPU_TICKS").Total().Float(); x < 0.7 || x > 6 {
			t.Errorf("%s: %.2f quads are made in a clock", c.Text, x)
		}
	}
}
