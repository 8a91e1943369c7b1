package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	models "astrolabe/capture/capturetest/all"
	"astrolabe/capture/metrics"
)

// Values of metrics are let go once they are described, in whatever order they are.
func TestStatSaysTheSameOfEachMetricByItself(t *testing.T) {
	for _, m := range models.Models() {
		c, err := m.Generate(capturetest.Case{Load: 0.5, Noise: 0.1, Samples: 100, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		list, err := statistics(t.Context(), c)
		if err != nil || len(list) <= len(c.Counters) {
			t.Fatalf("%s: %d rows for %d counters, error %v", m.Name(), len(list), len(c.Counters), err)
		}
		all, err := metrics.Metrics(c)
		if err != nil {
			t.Fatal(err)
		}
		for i, ctr := range slices.Concat(c.Counters, all) {
			one, _ := json.Marshal(describe(ctr))
			if row, err := json.Marshal(list[i]); err != nil || string(row) != string(one) {
				t.Errorf("%s: row %d is %s, by itself %s, error %v", m.Name(), i, row, one, err)
			}
		}
	}
}

func TestStatEndsWithCtrlC(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	axis := capture.NewUniformAxis(2, 1)
	c, err := capture.New(capture.Config{Name: "x", Axis: axis, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "a"}, Axis: axis, Col: capture.NewColumn(capture.Data{F: []float64{1, 2}})}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := statistics(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
