package metrics_test

import (
	"context"
	"testing"

	"astrolabe/capture/analysis"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// What the vendor's tool prints is of the dispatches, also where they were put together.
func TestCellsOfMergedSamplesAreThoseOfTheSamples(t *testing.T) {
	cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(),
		testfiles.Path(t, "captures", "mi300x-vcopy-long"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := analysis.MergeAll(cap)
	if err != nil {
		t.Fatal(err)
	}
	if cap.Len() < 2 || all.Len() != 1 {
		t.Fatalf("%d dispatches, %d merged", cap.Len(), all.Len())
	}
	seen, averages := 0, 0
	for _, name := range []string{"vl1d_hit_rate", "wavefront_occupancy", "l2_hit_rate", "l2_channel_hit_rate[3]"} {
		want, err := metrics.Cells(cap, nil, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := metrics.Cells(all, nil, name)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d columns, want %d: %v", name, len(got), len(want), err)
		}
		for i, c := range want {
			seen++
			if got[i].Value != c.Value {
				t.Errorf("%s, %s: %v, want %v", name, c.Heading, got[i].Value, c.Value)
			}
			if m, err := metrics.ResolveWith(all, nil, name); err == nil && m.Total() != c.Value {
				averages++
			}
		}
	}
	if seen == 0 || averages == 0 {
		t.Errorf("%d columns, of which %d differ from the ratio of totals", seen, averages)
	}
}
