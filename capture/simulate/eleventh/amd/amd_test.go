package amd

import (
	"fmt"
	"slices"
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var maker = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		maker.PlantsLimit(t, name, simulatetest.Number(t, 26, 13))
	}
}

func TestKindsHold(t *testing.T) {
	for _, name := range Names {
		maker.KindsHold(t, name, []string{simulate.KindArchetype, simulate.KindTwoPhase}, simulatetest.Number(t, 8, 3))
	}
}

// Mixtures need not be clear: that depends on what was drawn.
func TestMixtures(t *testing.T) {
	for _, name := range Names {
		clear, cases := 0, simulatetest.Number(t, 6, 2)
		for seed := range uint64(cases) {
			c := maker.Case(t, name, simulate.KindRandom, seed)
			truth := simulatetest.Judged(t, c)
			simulatetest.Recorded(t, c, simulate.Options{})
			if _, ok := truth.Limiter(); ok {
				clear++
			}
		}
		t.Logf("%s: %d of %d mixtures are clear", name, clear, cases)
	}
}

// Both phases of two are long enough, in the capture of cards, and clear by what they were made for.
func TestPhases(t *testing.T) {
	for _, name := range Names {
		right, all := 0, 0
		for seed := range uint64(simulatetest.Number(t, 5, 2)) {
			truth := simulatetest.Judged(t, maker.Case(t, name, simulate.KindTwoPhase, seed))
			for _, p := range truth.Phases {
				all++
				if l, ok := p.Limiter(); ok && l.Name == p.Name {
					right++
				}
				if p.End-p.Start < 4e8 {
					t.Errorf("%s %d: a phase takes %d ns", name, seed, p.End-p.Start)
				}
			}
		}
		if 10*right < 9*all {
			t.Errorf("%s: %d of %d phases are clear", name, right, all)
		}
	}
}

func TestSameSeedSameCase(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			a, b := maker.Case(t, name, kind, 3), maker.Case(t, name, kind, 3)
			x, y := simulatetest.Recorded(t, a, simulate.Options{}), simulatetest.Recorded(t, b, simulate.Options{})
			if len(x.Counters) != len(y.Counters) || x.Len() != y.Len() {
				t.Fatalf("%s %s: %d counters of %d samples, then %d of %d", name, kind, len(x.Counters), x.Len(), len(y.Counters), y.Len())
			}
			for i, c := range x.Counters {
				if fmt.Sprint(c.Floats()) != fmt.Sprint(y.Counters[i].Floats()) {
					t.Errorf("%s %s: %s differs", name, kind, c.Name)
				}
			}
		}
	}
}

func TestCountersInBounds(t *testing.T) {
	for _, kind := range Kinds(gpaName) {
		for seed := range uint64(4) {
			p := newProgram(gpaName, kind, seed)
			c, err := p.record(simulate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			cat, err := metrics.Get(c.GPU)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range c.Counters {
				e := cat.Titled(x.Name)
				if e == nil || !slices.ContainsFunc(e.Variants, func(v *metrics.Variant) bool {
					return slices.Contains(v.Generations, p.dev.generation) && slices.Contains(v.APIs, "vk")
				}) {
					t.Errorf("no counter %s on %s", x.Name, p.dev.generation)
					continue
				}
				for i, v := range x.Floats() {
					clocks := float64(c.Axis.Interval(i)) * p.dev.clock * 1.25
					switch {
					case v < 0, e.Usage == "percentage" && v > 100, e.Usage == "cycles" && v > clocks:
						t.Fatalf("%s %s %d: %s is %g in %d ns", gpaName, kind, seed, x.Name, v, c.Axis.Interval(i))
					}
					if x.Name == "PSPixelsOut" && v > clocks*p.dev.pixels || x.Name == "PrimitivesIn" && v > clocks*p.dev.engines ||
						x.Name == "L2CacheRequestCount" && v > clocks*p.dev.channels {
						t.Fatalf("%s %s %d: %s is %g in %d ns", gpaName, kind, seed, x.Name, v, c.Axis.Interval(i))
					}
				}
			}
		}
	}
}

func TestHaloInBounds(t *testing.T) {
	for _, kind := range Kinds(haloName) {
		for seed := range uint64(4) {
			p := newProgram(haloName, kind, seed)
			c, err := p.record(simulate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			cat, err := metrics.Get(c.GPU)
			if err != nil {
				t.Fatal(err)
			}
			d := &p.dev
			most := map[string]float64{ // in a clock
				"GRBM_COUNT": 1, "SQ_BUSY_CYCLES_avr": 1, "SQ_BUSY_CYCLES_sum": wgps, "SQ_WAVES_sum": d.engines,
				"SQ_WAVE_CYCLES_sum": d.waves * 2 * d.cus, "SQ_WAIT_ANY": d.waves * 2 * d.cus, "SQ_INSTS_VALU_sum": 2 * d.cus,
				"SQC_LDS_IDX_ACTIVE_sum": d.cus, "GL2C_REQ_sum": d.channels, "GL2C_BUSY_sum": gl2s, "GRBM_TA_BUSY": 1,
				"GL2C_EA_RDREQ_128B_sum": d.dram * d.behind / 128 / d.clock, "TCP_TCP_TA_REQ_STALL_sum": d.cus,
			}
			for _, x := range c.Counters {
				if cat.Named(x.Name) == nil {
					t.Errorf("no counter %s in the catalogue", x.Name)
				}
				limit, ok := most[x.Name]
				for i, v := range x.Floats() {
					if clocks := x.Interval(i) * d.clock * 1.03; ok && v > limit*clocks+limit {
						t.Fatalf("%s %d: %s is %g in %g clocks", kind, seed, x.Name, v, clocks)
					}
				}
			}
			sums := [][3]string{{"GL2C_HIT_sum", "GL2C_MISS_sum", "GL2C_REQ_sum"}, {"SQ_INSTS_FLAT_LOAD_sum", "SQ_INSTS_FLAT_STORE_sum", "SQ_INSTS_FLAT_sum"},
				{"GL1C_REQ_READ_sum", "GL1C_REQ_WRITE_sum", "GL1C_REQ_sum"}}
			for _, s := range sums {
				a, b, all := c.Counter(s[0]), c.Counter(s[1]), c.Counter(s[2])
				if a == nil || b == nil || all == nil {
					continue
				}
				for i, v := range all.Floats() {
					if x := a.Floats()[i] + b.Floats()[i]; x < v-2 || x > v+2 {
						t.Fatalf("%s %d: %s and %s are %g, %s is %g", kind, seed, s[0], s[1], x, s[2], v)
					}
				}
			}
		}
	}
}

func TestOptions(t *testing.T) {
	c := maker.Case(t, gpaName, simulate.KindArchetype, 1)
	without := simulatetest.Recorded(t, c, simulate.Options{Without: []string{"FetchSize"}, Marks: simulate.Yes, Missed: -1,
		Withheld: []simulate.Candidate{candidates[depth]}})
	for _, name := range []string{"FetchSize", "DepthStencilTestBusy", "DepthStencilTestBusyCycles"} {
		if without.Counter(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	if without.Counter("GPUTime") == nil || without.Label("session") == nil {
		t.Error("no times, or no sessions")
	}
}
