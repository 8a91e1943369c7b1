package cpu

import (
	"math"
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// TestMetrics looks at what the catalogue's formulas make of the counters: shares are shares, and every way to account
// for slots occurs.
func TestMetrics(t *testing.T) {
	seen := map[string]int{}
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 12, 4)) {
			c := simulatetest.Recorded(t, family.Case(t, Names[0], kind, seed), simulate.Options{})
			list, err := metrics.Metrics(c)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				x := m.Total().Float()
				if math.IsNaN(x) {
					continue
				}
				seen[m.Name]++
				// Estimates of groups that take turns are of different times.
				if m.Unit == "percent" && (x < -6 || x > 106) {
					t.Errorf("%s %d: %s is %v", kind, seed, m.Name, x)
				}
			}
		}
	}
	for _, name := range []string{"ipc", "retiring_slots", "memory_slots", "amd_retiring_slots", "amd_frontend_slots", "backend_stalls",
		"cache_miss_rate", "cpu_pressure", "io_stall", "frequency_share", "reference_ratio", "amd_memory_slots", "run_queue_per_cpu"} {
		if seen[name] == 0 && !testing.Short() {
			t.Errorf("no capture has %s", name)
		}
	}
	t.Logf("metrics that captures have: %v", seen)
}
