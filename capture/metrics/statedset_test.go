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

// GTI Read Throughput has another equation in RenderBasic than in ComputeBasic: the set decides of which metric it is the column.
func TestTheSetOfATableOfTitlesFollowsFromItsColumns(t *testing.T) {
	columns := map[string][]float64{"GPU Time Elapsed": {1, 1}, "GPU Core Clocks": {2, 2}, "EU Active": {60, 70}, "EU Stall": {30, 20},
		"Sampler Slice0 Dualsubslice0 is bottleneck": {40, 50}, "GTI Read Throughput": {7, 7}, "GTI Write Throughput": {8, 8}}
	cap := imported(t, "intel-tgl-gt2", columns, nil)
	if p, ok := cap.Property("metric_set"); !ok || p.Text != "RenderBasic" {
		t.Fatalf("the set is %q", p.Text)
	}
	for name, want := range map[string]float64{"GtiReadThroughput": 14, "render_basic_gti_write_throughput": 16, "Sampler00Bottleneck": 45} {
		if v, why := total(t, cap, name); v != want {
			t.Errorf("%s is %v (%s), want %v", name, v, why, want)
		}
	}
}

// Where the set stays open a column is what all sets that have its columns call so.
func TestAColumnThatSetsCallAlikeIsReadWithoutTheSet(t *testing.T) {
	cap := imported(t, "intel-tgl-gt2", map[string][]float64{"GPU Core Clocks": {2, 2}, "GTI Read Throughput": {7, 7}}, nil)
	if p, ok := cap.Property("metric_set"); ok {
		t.Fatalf("two columns are said to be of %q", p.Text)
	}
	if v, why := total(t, cap, "GtiReadThroughput"); v != 14 {
		t.Errorf("what is read is %v (%s), want 14", v, why)
	}
	if c := cap.Counter("GTI Read Throughput"); c.Guessed {
		t.Error("the kind of the column is guessed")
	}
	// Reports have counters, which each set programs for something of its own.
	if _, err := Resolve(imported(t, "intel-tgl-gt2", map[string][]float64{"A7": {1, 1}, "C1": {2, 2}}, nil), "GtiReadThroughput"); err == nil {
		t.Error("a metric is made of counters that nobody knows the set of")
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
