package rdna

import (
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

func made(t *testing.T, kind string, seed uint64) (*simulate.Case, *capture.Capture) {
	t.Helper()
	c := cases.Case(t, Names[0], kind, seed)
	return c, simulatetest.Recorded(t, c, simulate.Options{})
}

func TestPlantsLimit(t *testing.T) { cases.PlantsLimit(t, Names[0], simulatetest.Number(t, 48, 16)) }

func TestSharesAreOfTheTimeOfTheDispatches(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 3, 2)) {
			c, got := made(t, kind, seed)
			truth := simulatetest.Judged(t, c)
			if len(truth.Each) != got.Len() || truth.End-truth.Start != got.Axis.Measured() {
				t.Errorf("%s %d: %d frames of %d samples, %d ns of %d", kind, seed, len(truth.Each), got.Len(), truth.End-truth.Start,
					got.Axis.Measured())
			}
			if kind == simulate.KindTwoPhase && (len(truth.Phases) != 2 || truth.Phases[0].End != truth.Phases[1].Start) {
				t.Errorf("%s %d: the phases do not follow each other", kind, seed)
			}
			// The time is homogeneous in those of the resources, so that the elasticities add up to one.
			plain, less := 0.0, 0.0
			p := newProgram(Names[0], kind, seed)
			all := relief{}
			for i := range all {
				all[i] = 0.9
			}
			for i := range p.dispatches {
				plain += p.ns(0, i, unrelieved())
				less += p.ns(0, i, all)
			}
			if math.Abs(less/plain-0.9) > 0.01 {
				t.Errorf("%s %d: with all times at 0.9 it takes %.3f", kind, seed, less/plain)
			}
		}
	}
}

// rule is what counters keep to in hardware, where one run measures both sides.
type rule struct {
	name       string
	less, more []string
	by         float64 // times more
	exact      bool
}

var rules = []rule{
	{name: "requests at GL1 read or write", less: []string{"GL1C_REQ_READ_sum", "GL1C_REQ_WRITE_sum"}, more: []string{"GL1C_REQ_sum"}, by: 1, exact: true},
	{name: "requests at GL2 read, write or are atomic", less: []string{"GL2C_READ_sum", "GL2C_WRITE_sum", "GL2C_ATOMIC_sum"}, more: []string{"GL2C_REQ_sum"}, by: 1, exact: true},
	{name: "requests at GL2 hit or miss", less: []string{"GL2C_HIT_sum", "GL2C_MISS_sum"}, more: []string{"GL2C_REQ_sum"}, by: 1, exact: true},
	{name: "GL1 is busy at most all the time", less: []string{"GL1C_BUSY_sum"}, more: []string{"GL1C_CYCLE_sum"}, by: 1},
	{name: "GL2 is busy at most all the time", less: []string{"GL2C_BUSY_sum"}, more: []string{"GL2C_CYCLE_sum"}, by: 1},
	{name: "the sequencers have at most 1024 waves", less: []string{"SQ_WAVE_CYCLES_sum"}, more: []string{"SQ_BUSY_CYCLES_avr"}, by: 1024},
	{name: "vector units issue one instruction a cycle", less: []string{"SQ_INSTS_VALU_sum"}, more: []string{"SQ_BUSY_CYCLES_sum"}, by: 4},
	{name: "waits are part of waves' time", less: []string{"SQ_WAIT_ANY"}, more: []string{"SQ_WAVE_CYCLES"}, by: 1},
	{name: "conflicts are part of the cycles of LDS", less: []string{"SQC_LDS_BANK_CONFLICT_sum"}, more: []string{"SQC_LDS_IDX_ACTIVE_sum"}, by: 1},
	{name: "GL0 misses at most what it is asked for", less: []string{"TCP_REQ_MISS_sum"}, more: []string{"TCP_REQ_sum"}, by: 1},
	{name: "the fabric's arbiter works at most all the time", less: []string{"GCEA_SARB_BUSY"}, more: []string{"GCEA_ALWAYS_COUNT"}, by: 1},
	{name: "special instructions are instructions", less: []string{"SQ_INSTS_VALU_TRANS_sum", "SQ_INSTS_VALU_DP_sum"}, more: []string{"SQ_INSTS_VALU_sum"}, by: 1},
	{name: "GL2 looks up one line a cycle", less: []string{"GL2C_REQ_sum"}, more: []string{"GL2C_CYCLE_sum"}, by: 1},
	{name: "LDS serves one access a cycle", less: []string{"SQC_LDS_IDX_ACTIVE_sum"}, more: []string{"SQ_BUSY_CYCLES_sum"}, by: 2},
	{name: "waves wait for instructions or data, or issue", less: []string{"SQ_WAIT_CNT_ANY", "SQ_WAIT_INST_ANY", "SQ_WAIT_BARRIER"}, more: []string{"SQ_WAVE_CYCLES"}, by: 1},
}

func TestCountersKeepTheirRules(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 12, 2)) {
			p := newProgram(Names[0], kind, seed)
			rnd := simulate.NewRandom(seed, "counters")
			for i := range p.dispatches {
				v := counts{}
				p.count(v, 0, i, rnd, 1)
				sum := func(names []string) (s float64) {
					for _, n := range names {
						s += v[n]
					}
					return s
				}
				for _, x := range rules {
					less, more := sum(x.less), sum(x.more)*x.by
					if less > more*1.03+64 || x.exact && less < more*0.999-64 {
						t.Errorf("%s %d, dispatch %d of %s: %s: %.0f, %.0f", kind, seed, i, p.kernels[p.dispatches[i].kernel].name, x.name, less, more)
					}
				}
				ns := p.ns(0, i, unrelieved())
				if read := 32 * v["GCEA_RDRAM_SIZE_REQ_sum"] / ns; read > 1050 {
					t.Errorf("%s %d, dispatch %d: %.0f bytes read each ns", kind, seed, i, read)
				}
			}
		}
	}
}
