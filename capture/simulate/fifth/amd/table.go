package amd

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// table is the counters of a capture in the making, as readers give them.
type table struct {
	axis *capture.Axis
	list []*capture.Counter
}

func checked(m *capture.Meta, values []float64) []float64 {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic("simulate: " + m.Name + " is no number")
		}
	}
	return values
}

// floats adds a column of numbers, whole one of whole numbers.
func (t *table) floats(m capture.Meta, values []float64) {
	t.list = append(t.list, &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(capture.Data{F: checked(&m, values)})})
}

func (t *table) whole(m capture.Meta, values []uint64) {
	t.list = append(t.list, &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(capture.Data{U: values})})
}

// instance adds a column of one instance to the counter of that name.
func (t *table) instance(m capture.Meta, d capture.Data) {
	if d.F != nil {
		checked(&m, d.F)
	}
	whole := m
	whole.Instance = ""
	i := slices.IndexFunc(t.list, func(c *capture.Counter) bool { return c.Name == m.Name })
	if i < 0 {
		i = len(t.list)
		t.list = append(t.list, &capture.Counter{Meta: whole, Axis: t.axis})
	}
	t.list[i].Instances = append(t.list[i].Instances, &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(d)})
}

// counters are those that the recorder measured.
func (t *table) counters(o *simulate.Options, of map[simulate.Candidate][]string) []*capture.Counter {
	left := telling.Left(o, of)
	return slices.DeleteFunc(t.list, func(c *capture.Counter) bool { return slices.Contains(left, c.Name) })
}
