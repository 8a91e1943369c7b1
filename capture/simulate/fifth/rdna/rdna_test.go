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

func TestPlantsLimit(t *testing.T) {
	simulatetest.Make(New).PlantsLimit(t, Names[0], simulatetest.Number(t, 40, 16))
}

func TestKinds(t *testing.T) {
	simulatetest.Make(New).KindsHold(t, Names[0], Kinds(Names[0]), simulatetest.Number(t, 10, 4))
}

// pairs are counters of which the first is never larger than the second, times by.
var pairs = []struct {
	small, large string
	by           float64
}{
	{"GRBM_GUI_ACTIVE", "GRBM_COUNT", 1}, {"GRBM_SPI_BUSY", "GRBM_GUI_ACTIVE", 1}, {"GRBM_TA_BUSY", "GRBM_SPI_BUSY", 1},
	{"GRBM_GL2C_BUSY", "GRBM_GUI_ACTIVE", 1}, {"SQ_BUSY_CYCLES_avr", "GRBM_GUI_ACTIVE", 1}, {"SPI_BUSY", "GRBM_GUI_ACTIVE", 2},
	{"SQ_WAIT_ANY", "SQ_WAVE_CYCLES", 1}, {"SQ_WAIT_CNT_ANY", "SQ_WAIT_ANY", 1}, {"SQ_WAIT_INST_ANY", "SQ_WAVE_CYCLES", 1},
	{"SQ_WAIT_BARRIER", "SQ_WAIT_ANY", 1}, {"SQ_WAIT_IFETCH", "SQ_WAIT_ANY", 1}, {"SQ_INSTS_VALU_sum", "SQ_INSTS_ALL_sum", 1}, {"SQ_INSTS_VALU_DP_sum", "SQ_INSTS_VALU_sum", 1},
	{"SQ_INSTS_VALU_TRANS_sum", "SQ_INSTS_VALU_sum", 1}, {"SQC_LDS_BANK_CONFLICT_sum", "SQC_LDS_IDX_ACTIVE_sum", 1},
	{"SQ_LDS_ATOMIC_RETURN_sum", "SQ_INSTS_LDS_sum", 1}, {"TCP_REQ_MISS_sum", "TCP_REQ_sum", 1}, {"GL1C_REQ_MISS_sum", "GL1C_REQ_sum", 1},
	{"GL1C_BUSY_sum", "GL1C_CYCLE_sum", 1}, {"GL1C_STARVE_sum", "GL1C_CYCLE_sum", 1}, {"GL1C_STALL_GL2_GL1_sum", "GL1C_BUSY_sum", 1},
	{"GL2C_BUSY_sum", "GL2C_CYCLE_sum", 1}, {"GCEA_SARB_BUSY_sum", "GCEA_ALWAYS_COUNT_sum", 1},
	{"GCEA_SARB_STALLED", "GCEA_ALWAYS_COUNT", 1},
}

func TestCountersAgreeWithEachOther(t *testing.T) {
	kinds := Kinds(Names[0])
	for seed := range uint64(simulatetest.Number(t, 32, 8)) {
		c := simulatetest.Make(New).Case(t, Names[0], kinds[seed%uint64(len(kinds))], seed)
		cap := simulatetest.Recorded(t, c, simulate.Options{Noise: -1})
		at := func(name string) []float64 { return cap.Counter(name).Floats() }
		stale, rounds := true, 0.0
		for _, v := range at("GRBM_SPI_BUSY") {
			stale = stale && v == at("GRBM_SPI_BUSY")[0]
		}
		for _, p := range pairs {
			if stale && (p.small == "GRBM_SPI_BUSY" || p.large == "GRBM_SPI_BUSY") {
				continue
			}
			small, large := at(p.small), at(p.large)
			for i := range small {
				// Each run sees another part of the GPU, and large values may be rounded.
				if rounds = 2e-3*large[i] + 2; small[i] > p.by*(large[i]+rounds) {
					t.Errorf("%s %s: %s is %.0f in dispatch %d, %s %.0f", c.Kind, c.Text, p.small, small[i], i, p.large, large[i])
					break
				}
			}
		}
		hits, misses := at("GL2C_HIT_sum"), at("GL2C_MISS_sum")
		for i, all := range at("GL2C_REQ_sum") {
			if d := hits[i] + misses[i] - all; math.Abs(d) > 4e-3*all+2 {
				t.Errorf("%s: %.0f hits and %.0f misses of %.0f requests", c.Text, hits[i], misses[i], all)
				break
			}
		}
		checkMetrics(t, c.Kind+" "+c.Text, cap)
		clocks := at("GRBM_GUI_ACTIVE")
		cus, _ := cap.Property("cu_per_gpu")
		for i, v := range at("SQ_INSTS_VALU_sum") {
			if v > 1.3*2*cus.Number*clocks[i] {
				t.Errorf("%s: %.0f vector instructions in %.0f cycles", c.Text, v, clocks[i])
			}
			ns := float64(cap.Axis.End[i] - cap.Axis.Start[i])
			if bytes := 32 * at("GCEA_RDRAM_SIZE_REQ_sum")[i]; bytes > 1100*ns+4e4 {
				t.Errorf("%s: %.0f bytes are read in %.0f ns", c.Text, bytes, ns)
			}
		}
	}
}

// checkMetrics lets percentages of rounded values pass 100 by a little.
func checkMetrics(t *testing.T, what string, cap *capture.Capture) {
	t.Helper()
	list, err := metrics.Metrics(cap)
	if err != nil {
		t.Fatal(err)
	}
	all, err := metrics.Floats(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		for k, v := range append([]float64{m.Total().Float()}, all[i]...) {
			if math.IsInf(v, 0) || v < -1e-6 || m.Unit == "percent" && v > 100.2 {
				t.Errorf("%s: %s is %v in %d", what, m.Name, v, k)
				break
			}
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := simulatetest.Make(New).Case(t, Names[0], simulate.KindArchetype, 3)
	still := simulatetest.Recorded(t, c, simulate.Options{Noise: -1})
	noisy := simulatetest.Recorded(t, c, simulate.Options{Noise: 8})
	spread := func(cap *capture.Capture) float64 {
		a, b := cap.Passes[0].Duration.Data().Float(0), cap.Passes[1].Duration.Data().Float(0)
		return math.Abs(a-b) / a
	}
	if spread(still) > 1e-9 || spread(noisy) <= 0 {
		t.Errorf("runs differ by %.3f without noise, by %.3f with", spread(still), spread(noisy))
	}
	less := simulatetest.Recorded(t, c, simulate.Options{Without: []string{"SQ_WAVES"}, Withheld: []simulate.Candidate{Arithmetic}})
	for _, name := range []string{"SQ_WAVES", "SQ_INSTS_VALU", "SQ_INSTS_VALU_sum"} {
		if less.Counter(name) != nil || still.Counter(name) == nil {
			t.Errorf("%s was withheld, or never there", name)
		}
	}
}
