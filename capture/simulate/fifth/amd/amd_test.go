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

var make5 simulatetest.Make = New

// cases calls visit for some cases of every kind of a family.
func cases(t *testing.T, family string, each int, o simulate.Options, visit func(*simulate.Case, *capture.Capture)) {
	t.Helper()
	for _, kind := range Kinds(family) {
		for seed := range uint64(each) {
			c := make5.Case(t, family, kind, seed)
			visit(c, simulatetest.Recorded(t, c, o))
		}
	}
}

func TestPlantsLimit(t *testing.T) {
	make5.PlantsLimit(t, LiveName, simulatetest.Number(t, len(plants), 10))
	make5.PlantsLimit(t, GPAName, simulatetest.Number(t, 2*len(plantsGPA), len(plantsGPA)))
}

func TestSharesAddUpInEveryKind(t *testing.T) {
	for _, family := range Names {
		for _, kind := range Kinds(family) {
			for seed := range uint64(simulatetest.Number(t, 3, 1)) {
				truth := simulatetest.Judged(t, make5.Case(t, family, kind, seed))
				for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
					sum := int64(0)
					for _, s := range p.QueueShares {
						sum += s.Ns
					}
					if len(p.QueueShares) > 0 && sum != p.End-p.Start {
						t.Errorf("%s %s %d: queues' shares are %d ns of %d", family, kind, seed, sum, p.End-p.Start)
					}
					if !slices.IsSortedFunc(p.Leaves, func(a, b simulate.Gain) int {
						return int(math.Copysign(1, b.Percent-a.Percent))
					}) && p.Leaves[0].Percent < p.Leaves[len(p.Leaves)-1].Percent {
						t.Errorf("%s %s %d: gains are in no order: %v", family, kind, seed, p.Leaves)
					}
				}
				if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
					t.Errorf("%s %d: %d phases", family, seed, len(truth.Phases))
				}
			}
		}
	}
}

func TestHealthyIsHealthy(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 20, 7)) {
		c := make5.Case(t, LiveName, simulate.KindHealthy, seed)
		truth := simulatetest.Judged(t, c)
		if !truth.Healthy || truth.Missed > 0 || truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75 {
			t.Errorf("%d (%s): healthy %v, %d dates missed, GPU busy %.2f, %v", seed, c.Text, truth.Healthy, truth.Missed, truth.GPUBusy,
				truth.Leaves[0])
		}
	}
}

func TestCasesInTurnGainByOverlap(t *testing.T) {
	queues, processor := 0, 0
	n := simulatetest.Number(t, 20, 10)
	for seed := range uint64(n) {
		truth := simulatetest.Judged(t, make5.Case(t, LiveName, simulate.KindSerial, seed))
		switch l, _ := truth.Limiter(); l {
		case simulate.QueuesInTurn:
			queues++
		case simulate.CPUSync:
			processor++
		}
	}
	if queues < n*2/5 || processor < n*2/5 {
		t.Errorf("of %d cases queues in turn limit %d and waits of the processor %d", n, queues, processor)
	}
}

func TestWhatIsUnknownIsRefused(t *testing.T) {
	for _, x := range [][2]string{{"amd-gpa", simulate.KindSingle}, {LiveName, "none"}, {GPAName, simulate.KindHealthy},
		{GPAName, simulate.KindSerial}} {
		if _, err := New(x[0], x[1], 1); err == nil {
			t.Errorf("%s %s is made", x[0], x[1])
		}
	}
	if Kinds("amd-live") != nil {
		t.Error("another family has kinds")
	}
}

func TestMetricsAreWithinTheirRange(t *testing.T) {
	for _, family := range Names {
		evaluated := 0
		cases(t, family, simulatetest.Number(t, 4, 2), simulate.Options{Host: simulate.Yes}, func(c *simulate.Case, cap *capture.Capture) {
			list, err := metrics.Metrics(cap)
			if err != nil {
				t.Fatal(err)
			}
			values, err := metrics.Floats(context.Background(), list)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range list {
				if m.Total().Missing() || slices.Contains([]string{"engine_gfx_busy", "engine_compute_busy", "engine_dma_busy", "engine_dec_busy",
					"energy_power"}, m.Name) { // which come in steps of 100 ms
					continue
				}
				evaluated++
				most := math.Inf(1)
				switch {
				case m.Name == "power_share":
					most = 110
				case m.Unit == "percent":
					most = 100 + 1e-6
				}
				for k, v := range append(values[i], m.Total().Float()) {
					if v < -1e-9 || v > most || math.IsInf(v, 0) {
						t.Errorf("%s %s %d: %s is %v %s in sample %d", family, c.Kind, c.Seed, m.Name, v, m.Unit, k)
						break
					}
				}
			}
		})
		if evaluated < 300 {
			t.Errorf("%s: %d metrics were evaluated", family, evaluated)
		}
	}
}

func TestTheCatalogueHasEveryPublicCounterForTheGeneration(t *testing.T) {
	catalogue, err := metrics.Get("amd-gpa-rdna")
	if err != nil {
		t.Fatal(err)
	}
	cases(t, GPAName, 4, simulate.Options{}, func(c *simulate.Case, cap *capture.Capture) {
		generation, _ := cap.Property("generation")
		api, _ := cap.Property("api")
		for _, x := range cap.Counters {
			e := catalogue.Titled(x.Name)
			if e == nil {
				t.Fatalf("no catalogue knows %s", x.Name)
			}
			if !slices.ContainsFunc(e.Variants, func(v *metrics.Variant) bool {
				return slices.Contains(v.Generations, generation.Text) && slices.Contains(v.APIs, api.Text)
			}) {
				t.Errorf("%s is not counted on %s with %s", x.Name, generation.Text, api.Text)
			}
			if e.Unit != x.Unit {
				t.Errorf("%s is in %q, the catalogue has %q", x.Name, x.Unit, e.Unit)
			}
		}
	})
}

func TestOptionsAreKept(t *testing.T) {
	c := make5.Case(t, LiveName, simulate.KindArchetype, 3)
	none := simulate.Options{Host: simulate.No, Marks: simulate.No, Late: -1, Missed: -1, Period: 4e6}
	bare := simulatetest.Recorded(t, c, none)
	if bare.Counter("cpu_user") != nil || len(bare.Labels) > 0 || len(bare.Regions) > 0 || len(bare.Late) > 0 {
		t.Errorf("%d labels, %d regions, %d late", len(bare.Labels), len(bare.Regions), len(bare.Late))
	}
	if mean := float64(bare.Axis.Measured()) / float64(bare.Len()); math.Abs(mean-4e6) > 4e5 {
		t.Errorf("samples last %.0f ns", mean)
	}
	o := none
	o.Host, o.Marks, o.Missed, o.Gaps = simulate.Yes, simulate.Yes, 0.2, 2
	o.Withheld, o.Without = []simulate.Candidate{candidates[tex], simulate.CPUApp}, []string{"power"}
	full := simulatetest.Recorded(t, c, o)
	if full.Counter("cpu_idle") == nil || full.Label("frame") == nil || len(full.Regions) == 0 || len(full.Late) == 0 || len(full.Gaps) == 0 {
		t.Errorf("%d labels, %d regions, %d late, %d gaps", len(full.Labels), len(full.Regions), len(full.Late), len(full.Gaps))
	}
	for _, name := range []string{"busy_ta_ones", "busy_ta_error", "cpu_user", "power"} {
		if full.Counter(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	g := make5.Case(t, GPAName, simulate.KindRandom, 1)
	a, b := simulatetest.Recorded(t, g, simulate.Options{Noise: -1}), simulatetest.Recorded(t, g, simulate.Options{Noise: 10})
	off := func(cap *capture.Capture) (sum float64) {
		x, y := cap.Counter("TexUnitBusyCycles").Floats(), cap.Counter("GPUBusyCycles").Floats()
		for i, v := range cap.Counter("TexUnitBusy").Floats() {
			if y[i] > 0 {
				sum += math.Abs(v/100 - x[i]/y[i])
			}
		}
		return sum / float64(len(x))
	}
	if off(a) > 0.001 || off(b) < 3*off(a) {
		t.Errorf("passes differ by %.4f without noise, and by %.4f with much", off(a), off(b))
	}
}
