package metrics

import (
	"testing"

	"astrolabe/capture"
)

// XveActive is what the EUs do in most sets and something else in AsyncCompute.
func TestTheSetOfATableFollowsFromItsColumns(t *testing.T) {
	columns := map[string][]float64{"GpuTime": {1, 1}, "GpuCoreClocks": {2, 2}, "XveActive": {60, 70}, "XveStall": {30, 20},
		"SamplersBusy": {40, 50}, "SamplerTexels": {5, 5}, "RasterizedPixels": {6, 6}, "GtiReadThroughput": {7, 7}, "VsThreads": {8, 8}}
	cap := imported(t, "intel-mtl-gt3", columns, nil)
	if p, ok := cap.Property("metric_set"); !ok || p.Text != "RenderBasic" {
		t.Fatalf("the set is %q", p.Text)
	}
	if v, why := total(t, cap, "busy:eu"); v != 65 {
		t.Errorf("the EUs compute %v %% (%s), want 65", v, why)
	}
	columns["Rasterizer0InputAvailable"], columns["HiDepth00Bottleneck"], columns["L30Bank0Stalled"] = columns["XveActive"], columns["XveActive"], columns["XveActive"]
	if p, ok := imported(t, "intel-mtl-gt3", columns, nil).Property("metric_set"); ok {
		t.Errorf("columns of four sets are said to be of %q", p.Text)
	}
	if p, ok := imported(t, "intel-mtl-gt3", map[string][]float64{"GpuTime": {1, 1}, "GpuCoreClocks": {2, 2}}, nil).Property("metric_set"); ok {
		t.Errorf("columns of all sets are said to be of %q", p.Text)
	}
}

// A stage of which a set counts two instances is told by the one that the file has.
func TestWhatPlaysARoleAndIsThereStandsForAll(t *testing.T) {
	cap := imported(t, "intel-mtl-gt3", map[string][]float64{"GpuTime": {1, 1}, "GpuCoreClocks": {2, 2}, "HiDepth01Bottleneck": {80, 90}, "Bc00Bottleneck": {1, 1},
		"Vf0Bottleneck": {2, 2}, "Vs0Bottleneck": {3, 3}, "Cl0Bottleneck": {4, 4}, "Sf0Bottleneck": {5, 5}}, nil)
	if v, why := total(t, cap, "stall:hierarchical_depth"); v != 85 {
		t.Errorf("hierarchical depth holds up others for %v %% (%s), want 85", v, why)
	}
}

func TestRatesOfWhatTheCatalogueCountsBecomeCounts(t *testing.T) {
	cap := imported(t, "intel-kbl-gt2", map[string][]float64{"GpuCoreClocks": {1e9, 2e9}, "PsThreads": {1e6, 1e6}},
		map[string]string{"GpuCoreClocks": "cycles/s", "PsThreads": "threads/s"})
	seconds := float64(cap.Duration()) / 1e9
	for name, want := range map[string]float64{"GpuCoreClocks": 1.5e9 * seconds, "PsThreads": 1e6 * seconds} {
		c := cap.Counter(name)
		if got := c.Total().Float(); c.Kind != capture.Delta || got < 0.999*want || got > 1.001*want {
			t.Errorf("%s is a %s of %v %s, want %v", name, c.Kind, got, c.Unit, want)
		}
	}
	// What no report tells is the length of the samples.
	if v, why := total(t, cap, "GpuTime"); v != float64(cap.Duration()) {
		t.Errorf("GpuTime is %v (%s), want %v", v, why, cap.Duration())
	}
}
