package amd

import (
	"slices"

	"astrolabe/capture"
)

// table is the counters of a capture in the making.
type table struct {
	axis *capture.Axis
	left []string // names that are not measured
	out  []*capture.Counter
}

// whole adds a counter of whole numbers, level one of levels. Those with an instance hang below their whole.
func (t *table) whole(m capture.Meta, values []uint64) { t.add(m, capture.Data{U: values}) }

func (t *table) level(m capture.Meta, values []float64) {
	m.Kind = capture.Gauge
	t.add(m, capture.Data{F: values})
}

func (t *table) add(m capture.Meta, d capture.Data) {
	if slices.Contains(t.left, m.Name) {
		return
	}
	if m.GPU == "" {
		m.GPU, m.Source = "amd-live", "amdgpu"
	}
	c := &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(d)}
	if m.Instance == "" {
		t.out = append(t.out, c)
		return
	}
	for _, whole := range t.out {
		if whole.Name == m.Name && len(whole.Instances) > 0 {
			whole.Instances = append(whole.Instances, c)
			return
		}
	}
	m.Instance = ""
	t.out = append(t.out, &capture.Counter{Meta: m, Axis: t.axis, Instances: []*capture.Counter{c}})
}

// rows are the samples of a capture in the simulation's time.
type rows struct {
	start, end []int64
	origin     int64
	axis       *capture.Axis
	gaps, late []capture.Gap
}
