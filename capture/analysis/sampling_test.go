package analysis

import (
	"slices"
	"testing"

	"astrolabe/capture"
)

func TestSamplesAreTimedByAClockOrAreDispatches(t *testing.T) {
	clock, err := capture.New(capture.Config{Axis: capture.NewUniformAxis(50, 1e6)})
	if err != nil {
		t.Fatal(err)
	}
	if s := SamplingOf(clock); s.Kind != byClock || s.Interval != 1e6 || s.Odd != 0 {
		t.Errorf("a clock is %+v", s)
	}
	odd := dispatches(t, []int64{100, 900, 100, 5000, 100, 100, 40000, 100}, nil)
	if s := SamplingOf(odd); s.Kind != byOthers || s.Interval != 100 || s.Odd != 3.0/8 {
		t.Errorf("samples without a label are %+v", s)
	}
	kernels, err := odd.With(func(cfg *capture.Config) {
		cfg.Labels = []*capture.Label{capture.NewLabel("kernel", []string{"a", "b", "a", "b", "a", "", "a", "a"},
			func(i int) bool { return i != 5 })}
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := SamplingOf(kernels); s.Kind != byDispatch {
		t.Errorf("dispatches are %+v", s)
	}
	parts := LabelParts(kernels, "kernel")
	if len(parts) != 3 || parts[0].Name != "a" || parts[0].Count != 5 || parts[0].Longest != 40e-6 ||
		parts[0].Median != 100e-9 || !parts[2].Missing {
		t.Errorf("parts are %+v", parts)
	}
	regions, err := kernels.With(func(cfg *capture.Config) {
		cfg.Regions = []capture.Region{{Name: "outer", Start: 0, End: 900}, {Name: "inner", Start: 0, End: 100},
			{Name: "inner", Start: 100, End: 400}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := RegionParts(regions); len(p) != 2 || p[0].Name != "outer" || p[0].Time != 900e-9 || p[1].Count != 2 ||
		p[1].Time != 400e-9 || p[1].Shortest != 100e-9 {
		t.Errorf("regions took %+v", p)
	}
	lengths := make([]int64, 30)
	for i := range lengths {
		lengths[i] = 1000 + int64(i%3)
	}
	lengths[17] = 9000
	one := dispatches(t, lengths, nil)
	one, err = one.With(func(cfg *capture.Config) {
		cfg.Labels = []*capture.Label{capture.NewLabel("kernel", slices.Repeat([]string{"copy"}, 30), nil)}
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := LabelParts(one, "kernel"); len(p) != 1 || p[0].Name != "copy" || p[0].Slow != 1 {
		t.Errorf("one slow dispatch of thirty is %+v", p)
	}
	if empty := SamplingOf(&capture.Capture{Config: capture.Config{Axis: &capture.Axis{}}}); empty.Interval != 0 {
		t.Errorf("nothing is %+v", empty)
	}
}
