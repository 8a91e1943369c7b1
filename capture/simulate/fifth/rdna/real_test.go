package rdna

import "testing"

// TestVectorCopyIsNearTheRealOne compares the model's vector copy with dispatches 1 and 2 of a real one of a Radeon 8050S
// (testdata/captures/gfx1151-vcopy). Its runs differ from each other by factors of two.
func TestVectorCopyIsNearTheRealOne(t *testing.T) {
	m := &machine{cus: 32, mhz: 2799, vectors: 1, launch: 0.9, group: 3, overhead: 2500, finish: 900, near: 48, middle: 110,
		far: 290, dram: 205, mall: 950, queue: 0.6, hold: 5, width: 128, room: 700, pressed: 0.03, clashes: 1, sits: 0.5, arbiter: 0.75, perRequest: 9,
		reached: [queues]float64{1, 0.9, 0.9, 0.9, 0.9, 1}}
	k := kernel{waves: 32768, perGroup: 8, vgprs: 8, sgprs: 128, turns: 1, vector: 8, chain: 1, scalar: 2, conflicts: 1, loads: 1,
		stores: 1, pieces: 4, writes2: 0.08, inMALL: 1, together: 1, fetchMisses: 10, camped: 1, wide: 0.2,
		halves: 0.5, arguments: 4, first: 30}
	c := scenario{m: m, kernels: []kernel{k}, phases: []string{""}, list: []dispatch{{0, 1, 1}}}
	ns, run, w := c.ns(0, conditions{share: 1, off: 1, start: 1})
	if ns < 15e3 || ns > 35e3 {
		t.Errorf("it takes %d ns", ns)
	}
	x := measured{k: w.k, w: w, t: run, m: m, active: run.cycles + 6000, always: 1.1, some: 1}
	for name, real := range map[string]float64{"GRBM_GUI_ACTIVE": 70e3, "SQ_BUSY_CYCLES_avr": 55e3, "SQ_WAVE_CYCLES": 46e6,
		"SQ_WAIT_ANY": 43e6, "SQ_WAIT_CNT_ANY": 35e6, "SQ_WAIT_INST_ANY": 780e3, "SQ_INSTS_ALL_sum": 828e3, "SQ_INSTS_INTERNAL_sum": 231e3,
		"SQ_INSTS_SMEM_sum": 132e3, "SQC_DCACHE_REQ_sum": 132e3, "TCP_GATE_EN2": 555e3, "GRBM_TA_BUSY": 43e3,
		"GRBM_GL2C_BUSY": 46e3, "GL1C_BUSY_sum": 900e3, "GL1C_STARVE_sum": 780e3, "GL1C_GL2_REQ_READ_sum": 65540,
		"GL1C_GL2_REQ_READ_LATENCY_sum": 25e6, "GL1C_GL2_REQ_WRITE_LATENCY_sum": 14.7e6, "GL1C_STALL_GL2_GL1_sum": 12e3,
		"GL2C_BUSY_sum": 360e3, "GL2C_HIT_sum": 65554, "GL2C_MISS_sum": 131e3, "GL2C_REQ_sum": 196e3, "GCEA_SARB_REQ_PER_VC_sum": 1.64e6,
		"GCEA_SARB_BUSY":    184e3,
		"GCEA_SARB_STALLED": 175e3, "GCEA_SARB_STARVING": 300e3, "GCEA_ALWAYS_COUNT": 530e3, "GCEA_RDRAM_SIZE_REQ_sum": 262e3,
		"GCEA_WDRAM_SIZE_REQ_sum": 235e3, "GCEA_RRET_VLD_sum": 131e3, "GL2C_MC_WRREQ_sum": 118e3, "SPI_BUSY": 120e3} {
		if v := values[name](&x); v < real/2.2 || v > real*2.2 {
			t.Errorf("%s is %.0f, and really some %.0f", name, v, real)
		}
	}
}
