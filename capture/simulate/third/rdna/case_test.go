package rdna

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
	"astrolabe/capture/simulate/telling"
)

var cases simulatetest.Make = New

func made(t *testing.T, kind string, seed uint64) (*simulate.Case, *capture.Capture) {
	t.Helper()
	c := cases.Case(t, Names[0], kind, seed)
	return c, simulatetest.Recorded(t, c, simulate.Options{})
}

func TestPlantsLimit(t *testing.T) { cases.PlantsLimit(t, Names[0], 64) }

func TestSharesAddUp(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(3) {
			c, got := made(t, kind, seed)
			truth := simulatetest.Judged(t, c)
			if len(truth.Each) != got.Len() {
				t.Errorf("%s %d: %d frames of %d samples", kind, seed, len(truth.Each), got.Len())
			}
			if truth.Start != got.Axis.Start[0] || truth.End-truth.Start != got.Axis.Measured() {
				t.Errorf("%s %d: %d to %d, the samples last %d", kind, seed, truth.Start, truth.End, got.Axis.Measured())
			}
			frames := 0
			for _, part := range append([]simulate.Part{truth.Part}, truth.Phases...) {
				if part.Name != "" {
					frames += part.Frames
				}
			}
			if kind == simulate.KindTwoPhase && frames != got.Len() {
				t.Errorf("%s %d: phases have %d frames", kind, seed, frames)
			}
		}
	}
}

// A resource that sets the pace for a share of the time can give no more than a third of that where its time shrinks by a
// third, but for what follows of another order; nothing makes a kernel much slower.
func TestGainsFollowShares(t *testing.T) {
	for seed := range uint64(24) {
		c, _ := New(Names[0], simulate.KindSingle, seed)
		truth := simulatetest.Judged(t, c)
		for _, g := range truth.Leaves {
			if most := 100*truth.ShareOf(g.Candidate)/3 + 5; g.Percent > most || g.Percent < -3 {
				t.Errorf("seed %d: %v gives %.1f %%, its share is %.2f", seed, g.Candidate, g.Percent, truth.ShareOf(g.Candidate))
			}
		}
	}
}

func TestCountersAreLeftOut(t *testing.T) {
	c, err := New(Names[0], simulate.KindRandom, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Record(simulate.Options{Without: []string{"SQ_ITEMS_sum"}, Withheld: []simulate.Candidate{candidates[byLDS]}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"SQ_ITEMS_sum"}, telling.RDNA[candidates[byLDS]]...) {
		if got.Counter(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	measured := map[string]bool{}
	for _, p := range passes {
		for _, name := range p.counters {
			measured[name] = true
		}
	}
	for i := range candidates {
		if !slices.ContainsFunc(telling.RDNA[candidates[i]], func(name string) bool { return measured[name] }) {
			t.Errorf("%v has no counters of its own", candidates[i])
		}
	}
}

// identity is a rule that counters keep in hardware. Counters of different passes agree but for noise.
type identity struct {
	name    string
	holds   func(v func(string) float64) (less, more float64) // less <= more
	rel     float64
	least   float64
	between bool // both ways
}

var identities = []identity{
	{name: "the GPU is active in every cycle of its count", between: true, holds: func(v func(string) float64) (float64, float64) {
		return v("GRBM_GUI_ACTIVE"), v("GRBM_COUNT")
	}},
	{name: "busy and idle cycles of the command processor are all", between: true, holds: func(v func(string) float64) (float64, float64) {
		return v("CPC_STAT_BUSY") + v("CPC_STAT_IDLE"), v("CPC_ALWAYS_COUNT")
	}},
	{name: "busy cycles are those of 16 sequencers", between: true, rel: 1e-5, least: 16, holds: func(v func(string) float64) (float64, float64) {
		return 16 * v("SQ_BUSY_CYCLES_avr"), v("SQ_BUSY_CYCLES_sum")
	}},
	{name: "no more than 1024 waves are resident", rel: 0.03, holds: func(v func(string) float64) (float64, float64) {
		return v("SQ_WAVE_CYCLES_sum"), 1024 * v("SQ_BUSY_CYCLES_sum") / 16
	}},
	{name: "special and double instructions are vector instructions", rel: 0.02, holds: func(v func(string) float64) (float64, float64) {
		return v("SQ_INSTS_VALU_TRANS_sum") + v("SQ_INSTS_VALU_DP_sum"), v("SQ_INSTS_VALU_sum")
	}},
	{name: "instructions add up", rel: 0.02, least: 32, holds: func(v func(string) float64) (float64, float64) {
		return v("SQ_INSTS_VALU_sum") + v("SQ_INSTS_SALU_sum") + v("SQ_INSTS_SMEM_sum") + v("SQ_INSTS_FLAT_sum") + v("SQ_INSTS_TEX_sum") +
			v("SQ_INSTS_LDS_sum") + v("SQ_INSTS_INTERNAL_sum"), v("SQ_INSTS_ALL_sum")
	}},
	{name: "flat instructions load or store", between: true, rel: 0.03, least: 9, holds: func(v func(string) float64) (float64, float64) {
		return v("SQ_INSTS_FLAT_LOAD_sum") + v("SQ_INSTS_FLAT_STORE_sum"), v("SQ_INSTS_FLAT_sum")
	}},
	{name: "waiting is part of waves' time", holds: func(v func(string) float64) (float64, float64) {
		return v("SQ_WAIT_ANY"), v("SQ_WAVE_CYCLES")
	}},
	{name: "conflicts are part of the active cycles of LDS", rel: 0.02, least: 1, holds: func(v func(string) float64) (float64, float64) {
		return v("SQC_LDS_BANK_CONFLICT_sum"), v("SQC_LDS_IDX_ACTIVE_sum")
	}},
	{name: "requests at GL1 read or write", between: true, rel: 0.001, least: 60, holds: func(v func(string) float64) (float64, float64) {
		return v("GL1C_REQ_READ_sum") + v("GL1C_REQ_WRITE_sum"), v("GL1C_REQ_sum")
	}},
	{name: "GL1 is busy at most all the time", rel: 1e-5, holds: func(v func(string) float64) (float64, float64) {
		return v("GL1C_BUSY_sum"), v("GL1C_CYCLE_sum")
	}},
	{name: "requests at GL2 read, write or are atomic", between: true, rel: 0.001, least: 60, holds: func(v func(string) float64) (float64, float64) {
		return v("GL2C_READ_sum") + v("GL2C_WRITE_sum") + v("GL2C_ATOMIC_sum"), v("GL2C_REQ_sum")
	}},
	{name: "requests at GL2 hit or miss", between: true, rel: 0.001, least: 60, holds: func(v func(string) float64) (float64, float64) {
		return v("GL2C_HIT_sum") + v("GL2C_MISS_sum"), v("GL2C_REQ_sum")
	}},
	{name: "GL2 is busy at most all the time", rel: 1e-5, holds: func(v func(string) float64) (float64, float64) {
		return v("GL2C_BUSY_sum"), v("GL2C_CYCLE_sum")
	}},
	{name: "memory reads what GL2 asks for", between: true, rel: 0.001, least: 80, holds: func(v func(string) float64) (float64, float64) {
		return 4*v("GL2C_EA_RDREQ_128B_sum") + 2*v("GL2C_EA_RDREQ_64B_sum"), v("GCEA_RDRAM_SIZE_REQ_sum")
	}},
	{name: "memory writes what GL2 sends", between: true, rel: 0.001, least: 8, holds: func(v func(string) float64) (float64, float64) {
		return v("GL2C_MC_WRREQ_sum") + v("GL2C_EA_WRREQ_64B_sum"), v("GCEA_WDRAM_SIZE_REQ_sum")
	}},
	{name: "the memory's arbiter is busy, stalled or starving at most all the time", holds: func(v func(string) float64) (float64, float64) {
		return v("GCEA_SARB_BUSY"), v("GCEA_ALWAYS_COUNT")
	}},
	{name: "GL0 misses at most what it is asked for", rel: 0.001, holds: func(v func(string) float64) (float64, float64) {
		return v("TCP_REQ_MISS_sum"), v("TCP_REQ_sum")
	}},
	{name: "scalar loads hit or miss", between: true, rel: 0.02, least: 16, holds: func(v func(string) float64) (float64, float64) {
		return v("SQC_DCACHE_HITS_sum") + v("SQC_DCACHE_MISSES_sum"), v("SQC_DCACHE_REQ_sum")
	}},
}

func TestCountersKeepTheirIdentities(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(8) {
			_, c := made(t, kind, seed)
			for i := range c.Len() {
				v := func(name string) float64 { return c.Counter(name).Floats()[i] }
				for _, id := range identities {
					less, more := id.holds(v)
					slack := id.rel*math.Abs(more) + id.least
					if less > more+slack || id.between && less < more-slack {
						t.Errorf("%s %d, dispatch %d: %s: %.0f, %.0f", kind, seed, i, id.name, less, more)
					}
				}
				read := v("GCEA_RDRAM_SIZE_REQ_sum") * 32 / c.Counter("GCEA_RDRAM_SIZE_REQ_sum").Interval(i)
				if read > fabricRate*1.05 {
					t.Errorf("%s %d, dispatch %d: %.0f bytes read each ns", kind, seed, i, read)
				}
			}
		}
	}
}

// Counters of different passes are of other clocks, so that these are compared as one pass would have all of them.
func TestNothingWaitsForLongerThanThereIsTime(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(24) {
			h := fnv.New64a()
			h.Write([]byte(Names[0] + " " + kind))
			d := draw{rand.New(rand.NewPCG(h.Sum64(), seed))}
			p := &program{family: Names[0], kind: kind, seed: seed, results: map[key]*result{}}
			p.content(d)
			p.conditions(d)
			for i := range p.dispatches {
				v := p.counters(0, i, draw{rand.New(rand.NewPCG(seed, 1))})
				for _, x := range []struct {
					name       string
					less, more float64
				}{
					{"instruction caches", v["SQC_ICACHE_INPUT_VALID_READYB"], v["SQ_BUSY_CYCLES_sum"]},
					{"waves without instructions", v["SQ_WAIT_IFETCH"], v["SQ_WAVE_CYCLES"]},
					{"the arbiter", v["GCEA_SARB_BUSY"] + v["GCEA_SARB_STALLED"] + v["GCEA_SARB_STARVING"], v["GCEA_ALWAYS_COUNT"]},
				} {
					if x.less > x.more*1.0001 {
						t.Errorf("%s %d, dispatch %d: %s: %.0f of %.0f", kind, seed, i, x.name, x.less, x.more)
					}
				}
				// By Little's law no more reads are on their way than a processor's GL0 have places for lines.
				if flight := v["GL1C_GL2_REQ_READ_LATENCY"] / v["SQ_BUSY_CYCLES_avr"]; flight > 1.1*processors*linesUnderWay {
					t.Errorf("%s %d, dispatch %d: %.0f reads under way", kind, seed, i, flight)
				}
				// A GL2 that has little to do takes what it is sent.
				if v["GL2C_REQ"] < 0.3*8*v["SQ_BUSY_CYCLES_avr"] && v["GL2C_ATOMIC"] == 0 && v["GL1C_STALL_GL2_GL1"] > 0.1*v["GL1C_BUSY"] {
					t.Errorf("%s %d, dispatch %d: GL2 pushes back for %.2f of the time", kind, seed, i,
						v["GL1C_STALL_GL2_GL1"]/v["GL1C_BUSY"])
				}
			}
		}
	}
}
