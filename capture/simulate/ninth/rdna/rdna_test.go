package rdna

import (
	"context"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var make9 = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		make9.PlantsLimit(t, name, simulatetest.Number(t, 26, 13))
	}
}

func TestKindsHold(t *testing.T) {
	for _, name := range Names {
		make9.KindsHold(t, name, Kinds(name), simulatetest.Number(t, 12, 4))
	}
}

// identities are counters that add up to another, in every row: those of one run of a program.
var identities = map[string][]string{
	"GL2C_REQ_sum":             {"GL2C_HIT_sum", "GL2C_MISS_sum"},
	"GL2C_READ_sum":            {"GL2C_READ_128_REQ_sum", "GL2C_READ_64_REQ_sum", "GL2C_READ_32_REQ_sum", "GL2C_COMPRESSED_READ_96_REQ_sum"},
	"GL1C_REQ_sum":             {"GL1C_REQ_READ_sum", "GL1C_REQ_WRITE_sum"},
	"GL1C_GL2_REQ_READ_sum":    {"GL1C_GL2_REQ_READ_128B_sum", "GL1C_GL2_REQ_READ_64B_sum", "GL1C_GL2_REQ_READ_32B_sum"},
	"GL1C_GL2_REQ_WRITE_sum":   {"GL1C_GL2_REQ_WRITE_64B_sum", "GL1C_GL2_REQ_WRITE_32B_sum"},
	"SQ_INSTS_FLAT_sum":        {"SQ_INSTS_FLAT_LOAD_sum", "SQ_INSTS_FLAT_STORE_sum"},
	"SQC_ICACHE_REQ_sum":       {"SQC_ICACHE_HITS_sum", "SQC_ICACHE_MISSES_sum"},
	"SQC_DCACHE_REQ_sum":       {"SQC_DCACHE_HITS_sum", "SQC_DCACHE_MISSES_sum"},
	"CPC_ALWAYS_COUNT":         {"CPC_STAT_BUSY", "CPC_STAT_IDLE"},
	"GCEA_SARB_REQ_PER_VC_sum": {"GCEA_RDRAM_REQ_PER_CLIGRP_sum", "GCEA_WDRAM_REQ_PER_CLIGRP_sum"},
	"L0CacheRequestCount":      {"L0CacheHitCount", "L0CacheMissCount"},
	"L1CacheRequestCount":      {"L1CacheHitCount", "L1CacheMissCount"},
	"L2CacheRequestCount":      {"L2CacheHitCount", "L2CacheMissCount"},
	"LocalVidMemBytes":         {"FetchSize", "WriteSize"},
	"HiZQuadsAcceptedCount":    {"PreZQuadsCulledCount", "PreZQuadsSurvivingCount"},
	"SQ_INSTS_ALL_sum":         {"SQ_INSTS_VALU_sum", "SQ_INSTS_SALU_sum", "SQ_INSTS_SMEM_sum", "SQ_INSTS_LDS_sum", "SQ_INSTS_FLAT_sum", "SQ_INSTS_INTERNAL_sum"},
}

// most are counters that are at most so many times another.
var most = []struct {
	part, whole string
	times       float64
}{
	{"GRBM_GUI_ACTIVE", "GRBM_COUNT", 1}, {"GRBM_SPI_BUSY", "GRBM_GUI_ACTIVE", 1}, {"GRBM_TA_BUSY", "GRBM_GUI_ACTIVE", 1},
	{"GRBM_GL2C_BUSY", "GRBM_GUI_ACTIVE", 1}, {"GRBM_CP_BUSY", "GRBM_GUI_ACTIVE", 1}, {"TCP_REQ_MISS_sum", "TCP_REQ_sum", 1},
	{"GL1C_REQ_MISS_sum", "GL1C_REQ_sum", 1}, {"GL1C_BUSY_sum", "GL1C_CYCLE_sum", 1}, {"GL1C_STALL_GL2_GL1_sum", "GL1C_BUSY_sum", 1},
	{"GL2C_BUSY_sum", "GL2C_CYCLE_sum", 1}, {"GCEA_SARB_BUSY_sum", "GCEA_ALWAYS_COUNT_sum", 1}, {"GCEA_SARB_STALLED_sum", "GCEA_SARB_BUSY_sum", 1},
	{"SQC_LDS_BANK_CONFLICT_sum", "SQC_LDS_IDX_ACTIVE_sum", 1}, {"SQ_WAVE_CYCLES_sum", "SQ_BUSY_CYCLES_sum", 64},
	{"SQ_WAIT_BARRIER", "SQ_WAIT_ANY", 1}, {"SQ_WAIT_CNT_ANY", "SQ_WAIT_ANY", 1}, {"SQ_INSTS_VALU_TRANS_sum", "SQ_INSTS_VALU_sum", 1},
	{"GL2C_EA_WRREQ_64B_sum", "GL2C_MC_WRREQ_sum", 1}, {"SQ_INSTS_VALU_sum", "GRBM_GUI_ACTIVE", 4 * 32},
	{"SQC_LDS_IDX_ACTIVE_sum", "GRBM_GUI_ACTIVE", 2 * 32}, {"TCP_GATE_EN2", "GRBM_GUI_ACTIVE", 32}, {"TA_TA_BUSY", "GRBM_GUI_ACTIVE", 64},
	{"MemUnitStalledCycles", "MemUnitBusyCycles", 1}, {"CulledPrims", "PrimitivesIn", 1}, {"GPUTime", "ExecutionDuration", 1},
}

func TestCountersAddUp(t *testing.T) {
	checked := map[string]int{}
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 24, 8)) {
			cap := simulatetest.Recorded(t, make9.Case(t, name, kinds[seed%4], seed), simulate.Options{Noise: -1})
			values := func(names ...string) []float64 {
				sum := make([]float64, cap.Len())
				for _, n := range names {
					c := cap.Counter(n)
					if c == nil {
						return nil
					}
					for i, v := range c.Floats() {
						sum[i] += v
					}
				}
				return sum
			}
			for whole, parts := range identities {
				a, b := values(whole), values(parts...)
				for i := range b {
					if a != nil {
						if checked[whole]++; math.Abs(a[i]-b[i]) > 1e-6*a[i] && math.Abs(a[i]-b[i]) > 1 {
							t.Errorf("%s %d row %d: %s is %v, its parts %v", name, seed, i, whole, a[i], b[i])
						}
					}
				}
			}
			for _, x := range most {
				a, b := values(x.part), values(x.whole)
				for i := range a {
					if b != nil {
						if checked[x.part+" in "+x.whole]++; a[i] > b[i]*x.times+1 {
							t.Errorf("%s %d row %d: %s is %v of %v %s", name, seed, i, x.part, a[i], b[i], x.whole)
						}
					}
				}
			}
		}
	}
	if len(checked) < len(identities)+len(most) {
		t.Errorf("%d of %d identities were checked", len(checked), len(identities)+len(most))
	}
}

func TestMetricsAreInRange(t *testing.T) {
	for _, name := range Names {
		known := 0
		for seed := range uint64(simulatetest.Number(t, 16, 8)) {
			cap := simulatetest.Recorded(t, make9.Case(t, name, kinds[seed%4], seed), simulate.Options{Noise: -1})
			list, err := metrics.Metrics(cap)
			if err != nil {
				t.Fatal(err)
			}
			values, err := metrics.Floats(context.Background(), list)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range list {
				// rocprofiler counts one of the two arrays of LDS in a work-group processor, the panels of
				// rocprof-compute both; TexAveAnisotropy and the like are no shares.
				if m.Name == "LdsUtil" || m.Total().Missing() {
					continue
				}
				known++
				for _, v := range append(values[i], m.Total().Float()) {
					if math.IsInf(v, 0) || v < -1e-9 || m.Unit == "percent" && v > 105 {
						t.Errorf("%s %d: %s is %v %s", name, seed, m.Name, v, m.Unit)
						break
					}
				}
			}
			for _, c := range cap.Counters {
				if c.Kind == capture.Gauge && c.Unit == "percent" {
					for i, v := range c.Floats() {
						if !(v >= 0 && v <= 100.0001) {
							t.Errorf("%s %d row %d: %s is %v", name, seed, i, c.Name, v)
						}
					}
				}
			}
		}
		if known < 100 {
			t.Errorf("%s: only %d metrics have values", name, known)
		}
	}
}

func TestEveryLimitIsTheTruthOfSome(t *testing.T) {
	for _, name := range Names {
		seen := map[simulate.Candidate]bool{}
		for _, kind := range kinds {
			for seed := range uint64(13) {
				if l, clear := simulatetest.Judged(t, make9.Case(t, name, kind, seed)).Limiter(); clear {
					seen[l] = true
				}
			}
		}
		for _, c := range limits[name] {
			if !seen[candidates[c]] {
				t.Errorf("%s: nothing is limited by %s", name, candidates[c])
			}
		}
	}
}

func TestRecordersLeaveOutAndLose(t *testing.T) {
	for _, name := range Names {
		c := make9.Case(t, name, simulate.KindArchetype, 3)
		all := simulatetest.Recorded(t, c, simulate.Options{})
		less := simulatetest.Recorded(t, c, simulate.Options{Gaps: 2, Withheld: []simulate.Candidate{simulate.MemoryBandwidth},
			Without: []string{all.Counters[0].Name}})
		if less.Len() >= all.Len() || less.Counter(all.Counters[0].Name) != nil || len(less.Counters) >= len(all.Counters) {
			t.Errorf("%s: %d rows of %d, %d counters of %d", name, less.Len(), all.Len(), len(less.Counters), len(all.Counters))
		}
	}
}
