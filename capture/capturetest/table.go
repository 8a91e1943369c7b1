package capturetest

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Table collects the columns of a capture while a model fills them in, sample by sample.
type Table struct {
	axis  *capture.Axis
	names []string
	cols  map[string]*column
}

type column struct {
	kind   capture.Kind
	unit   string
	values []float64
}

// NewTable returns a table for the samples of some work. What is never set is missing.
func NewTable(w *Work) *Table {
	return &Table{axis: &capture.Axis{Start: w.Start, End: w.End}, cols: map[string]*column{}}
}

// Names such as "cpu_user[3]" are those of instances: they hang below a whole counter of the name before the bracket,
// which is their sum, or their mean where they are levels.

// Count sets how often something happened in sample i. Counts are whole: they are rounded when the capture is built.
func (t *Table) Count(name string, i int, v float64) {
	t.set(name, capture.Delta, "", i, math.Round(v))
}

// Level sets the level of something during sample i.
func (t *Table) Level(name, unit string, i int, v float64) { t.set(name, capture.Gauge, unit, i, v) }

// Get is what was set, NaN where nothing was.
func (t *Table) Get(name string, i int) float64 {
	if c := t.cols[name]; c != nil {
		return c.values[i]
	}
	return math.NaN()
}

func (t *Table) set(name string, kind capture.Kind, unit string, i int, v float64) {
	c := t.cols[name]
	if c == nil {
		c = &column{kind: kind, unit: unit, values: make([]float64, t.axis.Len())}
		for k := range c.values {
			c.values[k] = math.NaN()
		}
		t.cols[name] = c
		t.names = append(t.names, name)
	}
	c.values[i] = v
}

// Capture builds the capture; the catalogue of its GPU describes the columns. The configuration's axis and counters are
// those of the table.
func (t *Table) Capture(cfg capture.Config) (*capture.Capture, error) {
	cfg.Axis, cfg.Counters = t.axis, nil
	whole := map[string]*capture.Counter{}
	for _, name := range t.names {
		c := t.cols[name]
		col, err := c.data(name)
		if err != nil {
			return nil, err
		}
		ctr := &capture.Counter{Meta: capture.Meta{Name: name, Kind: c.kind, Unit: c.unit}, Axis: t.axis,
			Col: capture.NewColumn(col)}
		base, rest, isInstance := strings.Cut(name, "[")
		if !isInstance {
			cfg.Counters = append(cfg.Counters, ctr)
			continue
		}
		ctr.Meta.Instance = strings.TrimSuffix(rest, "]")
		if whole[base] == nil {
			meta := ctr.Meta
			meta.Name, meta.Instance = base, ""
			if c.kind == capture.Gauge {
				meta.Combine = capture.CombineMean
			}
			whole[base] = &capture.Counter{Meta: meta, Axis: t.axis}
			cfg.Counters = append(cfg.Counters, whole[base])
		}
		whole[base].Instances = append(whole[base].Instances, ctr)
	}
	cap, err := capture.New(cfg)
	if err != nil {
		return nil, err
	}
	return metrics.Describe(cap)
}

// data is the column as a capture stores it: whole numbers for counts.
func (c *column) data(name string) (capture.Data, error) {
	if c.kind != capture.Delta {
		return capture.Data{F: c.values}, nil
	}
	out := capture.Data{U: make([]uint64, len(c.values)), Valid: capture.NewBitmap(len(c.values))}
	for i, v := range c.values {
		switch {
		case math.IsNaN(v):
			out.Valid.Clear(i)
		case v < 0 || v >= 1<<63:
			return capture.Data{}, fmt.Errorf("%s counted %g in sample %d: the model is wrong", name, v, i)
		default:
			out.U[i] = uint64(v)
		}
	}
	return out, nil
}
