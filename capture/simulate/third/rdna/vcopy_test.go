package rdna

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"astrolabe/capture/simulate"
)

// The public capture has 17.3 to 17.7 us in passes with few counters, 56 to 84 us and some 39000 to 41000 busy cycles
// where the clock was low, and 30.5 to 38 us for the first dispatch. A read took 458 and 208 cycles from GL1 to GL2 and
// back at the high clock and the low one.
func TestCopyTakesAsLongAsItDid(t *testing.T) {
	for _, c := range []struct {
		m         machine
		low, high float64 // us
		latency   float64 // cycles
	}{{newMachine(maxClock, 1, 0), 16.5, 18.5, 458}, {newMachine(0.65, 1, 0), 56, 84, 208},
		{newMachine(maxClock, 0.55, 2500), 30, 39, 814}} {
		r := run(vcopy(), &c.m, 1)
		us := r.total / c.m.clock / 1000
		if us < c.low || us > c.high || math.Abs(r.latency/c.latency-1) > 0.25 {
			t.Errorf("%.1f us, not %.1f to %.1f; a latency of %.0f cycles, not %.0f", us, c.low, c.high, r.latency, c.latency)
		}
		if waves := r.waveCycles / r.busy; waves > 1024 || waves < 600 {
			t.Errorf("%.0f waves at a time", waves)
		}
	}
}

// copied are values of the public capture, of its second dispatch, in passes that found the clock high.
var copied = map[string]float64{
	"SQ_INSTS_ALL_sum": 824600, "SQ_INSTS_INTERNAL_sum": 230888, "SQ_INSTS_VALU_sum": 263872, "SQ_INSTS_SMEM_sum": 132608,
	"SQ_INSTS_FLAT_sum": 66304, "SQ_INSTS_SALU_sum": 66304, "SQ_WAVES": 32984, "SQ_ITEMS_sum": 1060860,
	"SQC_DCACHE_REQ_sum": 132448, "SQC_DCACHE_MISSES_sum": 16, "SQC_DCACHE_BUSY_CYCLES_sum": 249844,
	"GL1C_REQ_sum": 196640, "GL1C_GL2_REQ_READ_sum": 65540, "GL1C_GL2_REQ_WRITE_64B_sum": 131072,
	"GL1C_GL2_REQ_READ_LATENCY_sum": 30045700, "GL1C_GL2_REQ_WRITE_LATENCY_sum": 14734100, "GL2C_BUSY_sum": 414440,
	"GL2C_CYCLE_sum": 544376, "GL2C_REQ_sum": 196612, "GL2C_HIT_sum": 65554, "GL2C_MISS_sum": 131093,
	"GL2C_EA_RDREQ_128B_sum": 65538, "GL2C_MC_WRREQ_sum": 118406, "GCEA_RDRAM_SIZE_REQ_sum": 262271,
	"GCEA_RDRAM_REQ_PER_CLIGRP_sum": 327845, "GCEA_WDRAM_SIZE_REQ_sum": 235066, "GCEA_WRET_VLD_sum": 117454,
	"GCEA_SARB_BUSY": 184017, "GCEA_SARB_REQ_PER_VC_sum": 1644040, "TCP_GL1_REQ_READ_sum": 116592,
	"CPC_TCIU_BUSY": 3326, "CPC_STAT_STALL": 4537,
}

func TestCopyCountsAsItDid(t *testing.T) {
	p := &program{results: map[key]*result{}}
	p.repeat([]*kernel{vcopy()}, 3, 0)
	for seed := uint64(0); p.passes == nil || p.pinned; seed++ {
		p.conditions(draw{rand.New(rand.NewPCG(seed, 1))})
	}
	for i := range p.passes {
		p.passes[i][1].low, p.passes[i][1].warm = false, 0
	}
	c, err := p.record(simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, real := range copied {
		got := c.Counter(name).Floats()[1]
		most := 0.1
		if name == "GL1C_GL2_REQ_WRITE_LATENCY_sum" || strings.HasPrefix(name, "CPC_") || strings.HasPrefix(name, "GL2C_") {
			most = 0.2
		}
		if math.Abs(got/real-1) > most {
			t.Errorf("%s is %.0f, and was %.0f", name, got, real)
		}
	}
}
