package metrics

import (
	"math"
	"testing"

	"astrolabe/capture"
)

func export(t *testing.T, gpu string, columns map[string][]float64) *capture.Capture {
	t.Helper()
	axis := &capture.Axis{Start: []int64{0, 1e6}, End: []int64{1e6, 2e6}}
	cfg := capture.Config{GPU: gpu, Axis: axis}
	for name, v := range columns {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name}, Axis: axis, Col: capture.NewColumn(capture.Data{F: v})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestColumnsNamedByTitleOrSymbolStandForTheirCounters(t *testing.T) {
	c := export(t, "mali-g720", map[string][]float64{
		"GPU Active":                                      {100, 200},
		"$MaliGPUQueuedCyclesMainPhaseQueued":             {60, 160},
		"GPU Wait Cycles/Main Phase Queue Endpoint Stall": {10, 20},
		"Early ZS killed quad percentage":                 {5, 7},
	})
	for name, want := range map[string]float64{
		"MaliGPUCyclesGPUActive":             300,
		"gpu_active_cycles":                  300,
		"main_phase_queue_utilization":       190.0 / 3,
		"MaliGPUQueuedCyclesMainPhaseQueued": 220,
	} {
		x, err := Resolve(c, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := x.Total().Float(); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	list, err := Metrics(c)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range list {
		if m.Name == "early_zs_killed_quad_percentage" {
			found = m.Value(1).Float() == 7 && m.Unit == "percent"
		}
	}
	if !found {
		t.Error("a metric that the file holds by its title is not among the capture's metrics with its values")
	}
}

func TestMeasuredInputsComeBeforeAnExportedMetric(t *testing.T) {
	c := export(t, "mali-g720", map[string][]float64{"MaliGPUCyclesGPUActive": {100, 100}, "GPU active cycles": {1, 1}})
	x, err := Resolve(c, "gpu_active_cycles")
	if err != nil || x.Total().Float() != 200 {
		t.Errorf("total is %v (%v), want that of the measured counter", x.Total(), err)
	}
}
