package amd

import (
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var maker = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		maker.PlantsLimit(t, name, simulatetest.Number(t, 24, 8))
	}
}

func TestKindsHold(t *testing.T) {
	for _, name := range Names {
		maker.KindsHold(t, name, Kinds(name), simulatetest.Number(t, 8, 2))
	}
}

func TestTheSameSeedGivesTheSameCase(t *testing.T) {
	for _, kind := range Kinds(gfx1151) {
		a, b := maker.Case(t, gfx1151, kind, 3), maker.Case(t, gfx1151, kind, 3)
		x, y := simulatetest.Recorded(t, a, simulate.Options{}), simulatetest.Recorded(t, b, simulate.Options{})
		if x.Len() != y.Len() || len(x.Counters) != len(y.Counters) {
			t.Fatalf("%s: %d and %d samples", kind, x.Len(), y.Len())
		}
		for i, c := range x.Counters {
			for k := range x.Len() {
				if c.Value(k) != y.Counters[i].Value(k) {
					t.Fatalf("%s: %s differs in sample %d", kind, c.Name, k)
				}
			}
		}
	}
}

func TestNamesAndUnitsAreThoseOfTheCatalogue(t *testing.T) {
	cat, err := metrics.Get("gfx1151")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counters {
		if e := cat.Titled(c.name); e == nil || e.Unit != c.unit {
			t.Errorf("%s in %s is not in the catalogue", c.name, c.unit)
		}
	}
}

// No counter is more than the machine can do in a clock, and parts add up to at most the whole.
func TestCountersStayInBounds(t *testing.T) {
	for _, kind := range Kinds(gfx1151) {
		for seed := range uint64(simulatetest.Number(t, 8, 2)) {
			p := &program{kind: kind, seed: seed}
			r := simulate.NewRandom(seed, gfx1151+kind)
			p.m = newMachine(r)
			p.compose(r)
			base := p.results(p.m)
			for i := range p.list {
				d := &p.list[i]
				s := p.sample(d, &base[d.kernel], d.took(&base[d.kernel], false), 1, 1)
				v := map[string]float64{}
				for _, c := range counters {
					v[c.name] = c.get(&s)
				}
				g, gui, ticks := s.wgps, v["GRBM_GUI_ACTIVE"], v["SQ_BUSY_CYCLES_sum"]
				memory := 32 * (v["GCEA_RDRAM_SIZE_REQ_sum"] + v["GCEA_WDRAM_SIZE_REQ_sum"]) / s.took
				for _, b := range []struct {
					what    string
					x, most float64
				}{
					{"instructions of vectors", v["SQ_INSTS_VALU_sum"], 4 * ticks},
					{"all instructions", v["SQ_INSTS_ALL_sum"], 20 * ticks},
					{"local memory", v["SQC_LDS_IDX_ACTIVE_sum"], 2 * ticks},
					{"conflicts", v["SQC_LDS_BANK_CONFLICT_sum"], v["SQC_LDS_IDX_ACTIVE_sum"]},
					{"waves", v["SQ_WAVE_CYCLES"], 64 * ticks * 1.02},
					{"waits", v["SQ_WAIT_ANY"], v["SQ_WAVE_CYCLES"]},
					{"L0", v["TCP_REQ_sum"], 4 * ticks},
					{"misses of L0", v["TCP_REQ_MISS_sum"], v["TCP_REQ_sum"]},
					{"GL1", v["GL1C_BUSY_sum"], v["GL1C_CYCLE_sum"]},
					{"requests of GL1", v["GL1C_REQ_sum"], v["GL1C_CYCLE_sum"]},
					{"GL2", v["GL2C_BUSY_sum"], v["GL2C_CYCLE_sum"]},
					{"misses of GL2", v["GL2C_MISS_sum"], v["GL2C_REQ_sum"]},
					{"addressers", v["GRBM_TA_BUSY"], gui},
					{"L0's clock", v["TCP_GATE_EN2_sum"], gui * g},
					{"memory", memory, s.m.mall * 1.02},
				} {
					if b.x > b.most*1.001+2 || b.x < 0 {
						t.Fatalf("%s %d, %s: %s is %g of at most %g", kind, seed, s.k.name, b.what, b.x, b.most)
					}
				}
			}
		}
	}
}

// What a recorder is told not to measure is not there, and without noise every pass takes as long as the first.
func TestOptionsAreHonoured(t *testing.T) {
	c := maker.Case(t, gfx1151, simulate.KindRandom, 5)
	x := simulatetest.Recorded(t, c, simulate.Options{Noise: -1, Missed: -1, Marks: simulate.Yes,
		Withheld: []simulate.Candidate{simulate.MemoryBandwidth}, Without: []string{"SQ_WAIT_ANY"}})
	if x.Counter("SQ_WAIT_ANY") != nil || x.Counter("GL2C_MC_WRREQ_sum") != nil || x.Counter("SQ_WAVES") == nil {
		t.Error("counters that are withheld are there, or others are not")
	}
	if len(x.Regions) != x.Len() || len(x.Passes) < 2 {
		t.Errorf("%d regions of %d samples, %d passes", len(x.Regions), x.Len(), len(x.Passes))
	}
	for i := range x.Len() {
		a, b := x.Passes[0].Duration.Data().Float(i), x.Passes[1].Duration.Data().Float(i)
		if a-b > 2 || b-a > 2 {
			t.Fatalf("sample %d takes %g and %g ns", i, a, b)
		}
	}
	few := simulatetest.Recorded(t, c, simulate.Options{Missed: 0.2, Gaps: 3, Marks: simulate.No})
	if few.Len() >= x.Len() || len(few.Regions) > 0 {
		t.Errorf("%d of %d samples, %d regions", few.Len(), x.Len(), len(few.Regions))
	}
}
