package amd

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

const name = "amd-live-seventh"

func each(t *testing.T, seeds int, visit func(what string, c *simulate.Case, cap *capture.Capture)) {
	for _, kind := range Kinds(name) {
		for seed := range uint64(simulatetest.Number(t, seeds, 2)) {
			c := simulatetest.Make(New).Case(t, name, kind, seed)
			cap := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.Yes, Marks: simulate.Yes})
			visit(fmt.Sprintf("%s %d (%s)", kind, seed, c.Text), c, cap)
		}
	}
}

func TestPlantsLimit(t *testing.T) {
	simulatetest.Make(New).PlantsLimit(t, name, simulatetest.Number(t, 2*len(plants), len(plants)))
}

func TestKindsHold(t *testing.T) {
	// Whole cases of two phases are clear more rarely than their phases.
	simulatetest.Make(New).KindsHold(t, name, []string{simulate.KindArchetype, simulate.KindRandom, simulate.KindSerial, simulate.KindHealthy},
		simulatetest.Number(t, 12, 6))
}

func TestPhasesHaveOtherLimits(t *testing.T) {
	differ, n := 0, simulatetest.Number(t, 12, 6)
	for seed := range uint64(n) {
		truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, name, simulate.KindTwoPhase, seed))
		a, okA := truth.Phases[0].Limiter()
		b, okB := truth.Phases[1].Limiter()
		if okA && okB && a != b {
			differ++
		}
	}
	if differ < n*2/3 {
		t.Errorf("only %d of %d cases have two phases with other limits", differ, n)
	}
}

func TestSameSeedSameCase(t *testing.T) {
	each(t, 2, func(what string, c *simulate.Case, a *capture.Capture) {
		again := simulatetest.Make(New).Case(t, name, c.Kind, c.Seed)
		b := simulatetest.Recorded(t, again, simulate.Options{Host: simulate.Yes, Marks: simulate.Yes})
		if !a.Axis.Same(b.Axis) || len(a.Counters) != len(b.Counters) || c.Text != again.Text {
			t.Fatalf("%s is another case when it is made again", what)
		}
		for i := range a.Counters {
			if x, y := a.Counters[i], b.Counters[i]; x.Name != y.Name || !reflect.DeepEqual(fmt.Sprint(x.Floats()), fmt.Sprint(y.Floats())) {
				t.Errorf("%s: %s has other values", what, x.Name)
			}
		}
	})
}

func TestHealthyCasesKeepTheirDates(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 20, 5)) {
		c := simulatetest.Make(New).Case(t, name, simulate.KindHealthy, seed)
		truth := simulatetest.Judged(t, c)
		if !truth.Healthy || truth.Missed > 0 || truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75 {
			t.Errorf("%d (%s): healthy %v, missed %d, busy %.2f", seed, c.Text, truth.Healthy, truth.Missed, truth.GPUBusy)
		}
	}
}

func TestReliefHardlyEverSlows(t *testing.T) {
	slow, all := 0, 0
	for _, kind := range Kinds(name) {
		for seed := range uint64(simulatetest.Number(t, 6, 2)) {
			truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, name, kind, seed))
			for _, g := range truth.Leaves {
				if all++; g.Percent < -1 {
					slow++
				}
			}
		}
	}
	if 25*slow > all {
		t.Errorf("%d of %d reliefs slow", slow, all)
	}
}

// TestCountsFitTogether checks what must hold by what counters are.
func TestCountsFitTogether(t *testing.T) {
	each(t, 6, func(what string, _ *simulate.Case, cap *capture.Capture) {
		of := func(name string, i int) float64 {
			if c := cap.Counter(name); c != nil {
				return c.Floats()[i]
			}
			return 0
		}
		for i := range cap.Len() {
			length := float64(cap.Axis.End[i] - cap.Axis.Start[i])
			for _, b := range statusBits {
				ones, samples := of("busy_"+b.name+"_ones", i), of(registers[b.register], i)
				if ones > samples || b.register == 0 && ones > of("busy_gfx_ones", i) {
					t.Fatalf("%s: %s is found busy %v times in %v samples, the pipe %v times", what, b.name, ones, samples, of("busy_gfx_ones", i))
				}
			}
			if n := of("grbm_samples", i); math.Abs(n*1e9/length-5000) > 5600 && length > 5e6 {
				t.Fatalf("%s: %v samples in %v ns", what, n, length)
			}
			if of("throttled_by_power", i) > of("throttled", i) || of("throttled_by_heat", i) > of("throttled", i) {
				t.Fatalf("%s: throttled by something, and not throttled", what)
			}
		}
		busy := 0.0
		for _, n := range []string{"cpu_user", "cpu_system", "cpu_idle", "cpu_irq", "cpu_iowait"} {
			busy += cap.Counter(n).Total().Float()
		}
		_, end := cap.Axis.Extent()
		cpus := float64(len(cap.Counter("cpu_idle").Instances))
		if math.Abs(busy-cpus*float64(end)) > cpus*5*userHz {
			t.Errorf("%s: the processor's times add up to %v of %v", what, busy, cpus*float64(end))
		}
		for _, n := range engineNames {
			if x := cap.Counter("engine_" + n).Total().Float(); x > 2.05*float64(end)+2.5e8 {
				t.Errorf("%s: %s engines work %v ns of %d", what, n, x, end)
			}
		}
		vram, _ := cap.Property("vram_bytes")
		if of("vram_used", 0) > vram.Number {
			t.Errorf("%s: more video memory is in use than there is", what)
		}
	})
}

func TestMetricsAreWithinTheirRange(t *testing.T) {
	each(t, 3, func(what string, _ *simulate.Case, cap *capture.Capture) {
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
			most := 100 + 1e-6
			if m.Name == "power_share" {
				most = 115 // firmware averages before it acts
			}
			for _, v := range append(values[i], m.Total().Float()) {
				engine := strings.HasPrefix(m.Name, "engine_") // whose counts come in steps
				if math.IsInf(v, 0) || v < 0 || m.Unit == "percent" && v > most && !engine {
					t.Errorf("%s: %s is %v %s", what, m.Name, v, m.Unit)
					break
				}
			}
		}
		if n < 30 {
			t.Errorf("%s: only %d metrics", what, n)
		}
	})
}

func TestOptionsHold(t *testing.T) {
	c := simulatetest.Make(New).Case(t, name, simulate.KindArchetype, 2)
	cap := simulatetest.Recorded(t, c, simulate.Options{Period: 4e6, Host: simulate.No, Marks: simulate.No, Gaps: 2, Late: -1, Missed: -1,
		Withheld: []simulate.Candidate{pcie, unit("copy"), unit("video"), unit("texture")}, Without: []string{"sensor_load"}})
	for _, n := range []string{"cpu_user", "evictions", "engine_dma", "engine_dec", "busy_ta_ones", "sensor_load"} {
		if cap.Counter(n) != nil {
			t.Errorf("%s is there", n)
		}
	}
	if len(cap.Labels) > 0 || len(cap.Gaps) == 0 || len(cap.Late) > 0 {
		t.Errorf("%d labels, %d gaps, %d late samples", len(cap.Labels), len(cap.Gaps), len(cap.Late))
	}
	if _, err := New(name, "usual", 1); err == nil {
		t.Error("there are usual cases")
	}
	if _, err := New("none", simulate.KindSingle, 1); err == nil {
		t.Error("there is another family")
	}
}
