package rdna

import (
	"math"
	"testing"

	"astrolabe/capture/simulate"
)

// copied are counters of the second dispatch of AMD's public capture of vcopy, in runs that found the clock high.
var copied = map[string]float64{
	"SQ_INSTS_ALL_sum": 824600, "SQ_INSTS_VALU_sum": 263872, "SQ_INSTS_SMEM_sum": 132608, "SQ_INSTS_FLAT_sum": 66304, "SQ_WAVES": 32984,
	"SQ_ITEMS_sum": 1060860, "SQC_DCACHE_REQ_sum": 132448, "SQC_DCACHE_BUSY_CYCLES_sum": 249844, "GL1C_REQ_sum": 196640,
	"GL1C_GL2_REQ_WRITE_64B_sum": 131072, "GL2C_REQ_sum": 196612, "GL2C_HIT_sum": 65554, "GL2C_MISS_sum": 131093,
	"GL2C_EA_RDREQ_128B_sum": 65538, "GL2C_MC_WRREQ_sum": 118406, "GCEA_RDRAM_SIZE_REQ_sum": 262271, "GCEA_RDRAM_REQ_PER_CLIGRP_sum": 327845,
	"GCEA_WDRAM_SIZE_REQ_sum": 235066, "GCEA_WRET_VLD_sum": 117454, "GCEA_SARB_BUSY": 184017, "GCEA_SARB_REQ_PER_VC_sum": 1644040,
	"TCP_GL1_REQ_READ_sum": 116592,
}

// about are those that our machine has in a wider range, because they are times.
var about = map[string]float64{"SQ_WAVE_CYCLES": 46454690, "SQ_WAIT_ANY": 44056760, "GL1C_GL2_REQ_READ_LATENCY_sum": 30045700,
	"GL1C_GL2_REQ_WRITE_LATENCY_sum": 14734100, "GL2C_BUSY_sum": 414440, "TCP_GATE_EN2": 555328}

func vcopy() *program {
	k := kernel{name: "vecCopy(double*, double*, double*, int, int)", group: 256, groups: 4096, vgpr: 8, code: 0.25, segments: []segment{
		{valu: 4, dep: 1.5, salu: 2, smem: 4, branch: 1},
		{valu: 4, dep: 1, branch: 1, loads: 1, stores: 1, lines: 2, bytes: 128, mlp: 1, hitMall: 0.97},
	}}
	cold := k
	p := &program{m: newMachine(simulate.NewRandom(1, "vcopy")), kernels: []*kernel{&cold, &k}, known: map[flight]*flown{}}
	for i := range 3 {
		p.dispatches = append(p.dispatches, dispatch{min(i, 1), 1, 0})
	}
	for run := range p.conditions {
		for range 3 {
			p.conditions[run] = append(p.conditions[run], condition{2.8, 1, 1e5})
		}
	}
	return p
}

func TestACopyIsCountedAsItWas(t *testing.T) {
	p := vcopy()
	if us := p.ns(0, 1, unrelieved()) / 1000; us < 16 || us > 21.5 {
		t.Errorf("it takes %.1f us and took 17.3 to 20.9", us)
	}
	c, err := p.record(&simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, real := range copied {
		if got := c.Counter(name).Floats()[1]; math.Abs(got/real-1) > 0.06 {
			t.Errorf("%s is %.0f, and was %.0f", name, got, real)
		}
	}
	for name, real := range about {
		if got := c.Counter(name).Floats()[1]; got < 0.6*real || got > 1.6*real {
			t.Errorf("%s is %.0f, and was %.0f", name, got, real)
		}
	}
}
