package cpu

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var family = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	family.PlantsLimit(t, Names[0], simulatetest.Number(t, 28, 14))
}

func TestKindsHold(t *testing.T) {
	family.KindsHold(t, Names[0], simulate.Kinds(), simulatetest.Number(t, 6, 2))
}

func TestSameSeedSameCase(t *testing.T) {
	for _, kind := range simulate.Kinds() {
		a := simulatetest.Recorded(t, family.Case(t, Names[0], kind, 3), simulate.Options{})
		b := simulatetest.Recorded(t, family.Case(t, Names[0], kind, 3), simulate.Options{})
		if len(a.Counters) != len(b.Counters) || !a.Axis.Same(b.Axis) {
			t.Fatalf("%s: two captures of one seed differ", kind)
		}
		for i, c := range a.Counters {
			if !slices.Equal(c.Floats(), b.Counters[i].Floats()) {
				t.Errorf("%s: %s differs", kind, c.Name)
			}
		}
	}
}

func TestCountersStayInBounds(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 12, 4)) {
		for _, kind := range simulate.Kinds() {
			c := simulatetest.Recorded(t, family.Case(t, Names[0], kind, seed), simulate.Options{})
			ids := c.Counter("cpu_user").Instances
			for _, in := range ids {
				id := in.Meta.Instance
				hz := 0.0
				if p, ok := c.Property("cpu_max_freq." + id); ok {
					hz = p.Number
				}
				of := func(name string) []float64 {
					if x := c.Counter(name); x != nil && x.Instance(id) != nil {
						return x.Instance(id).Floats()
					}
					return make([]float64, c.Len())
				}
				cycles, instr := of("cycles"), of("instructions")
				slots := [][]float64{of("topdown_retiring"), of("topdown_bad_spec"), of("topdown_fe_bound"), of("topdown_be_bound")}
				for i := range c.Len() {
					ns := float64(c.Axis.Interval(i))
					if cycles[i] > hz*ns/1e9*1.001+2 || instr[i] > 8*cycles[i]+8 {
						t.Fatalf("%s %d: CPU %s has %v cycles and %v instructions in %v ns", kind, seed, id, cycles[i], instr[i], ns)
					}
					sum := 0.0
					for _, s := range slots {
						sum += s[i]
					}
					if sum > 8*cycles[i]+16 || sum > 0 && sum < 8*cycles[i]-16 {
						t.Fatalf("%s %d: %v slots of %v cycles", kind, seed, sum, cycles[i])
					}
				}
				busy := 0.0
				for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait"} {
					for _, x := range of(name) {
						busy += x
					}
				}
				if whole := float64(c.Axis.Measured()); busy > whole+6e7 || busy < whole-6e7 {
					t.Fatalf("%s %d: CPU %s has %v ns of %v", kind, seed, id, busy, whole)
				}
			}
		}
	}
}

func TestNamesAreInTheCatalogue(t *testing.T) {
	for seed := range uint64(12) {
		c := simulatetest.Recorded(t, family.Case(t, Names[0], simulate.KindArchetype, seed), simulate.Options{})
		for _, x := range c.Counters {
			if strings.HasPrefix(x.Name, "hwmon_") || strings.Contains(x.Name, "/") {
				continue // named by the machine
			}
			if !known(c, x) {
				t.Errorf("%s is in no catalogue", x.Name)
			}
		}
	}
}

func known(c *capture.Capture, x *capture.Counter) bool {
	for _, k := range metrics.For(c) {
		if _, err := k.Find(x.Name); err == nil {
			return true
		}
	}
	return false
}

func TestOptionsAreHonoured(t *testing.T) {
	c := family.Case(t, Names[0], simulate.KindSingle, 5)
	out := simulatetest.Recorded(t, c, simulate.Options{Period: 4e6, Marks: simulate.Yes, Gaps: 2, Late: 0.1, Missed: 0.05,
		Withheld: []simulate.Candidate{cpuIO}, Without: []string{"ctxt"}})
	if len(out.Gaps) == 0 || len(out.Late) == 0 || out.Label("frame") == nil || len(out.Regions) == 0 {
		t.Errorf("%d gaps, %d late spans, %d regions", len(out.Gaps), len(out.Late), len(out.Regions))
	}
	for _, name := range []string{"cpu_iowait", "procs_blocked", "ctxt"} {
		if out.Counter(name) != nil {
			t.Errorf("%s was not to be recorded", name)
		}
	}
}
