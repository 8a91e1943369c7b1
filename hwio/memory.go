package hwio

import (
	"fmt"

	"astrolabe/capture"
)

// Memory is a Sink that keeps a recording in memory and makes a Capture of it. It suits short recordings; a long one
// belongs in a file, which is mapped and not loaded.
type Memory struct {
	schema   capture.Schema
	limit    int64
	used     int64
	axis     capture.Axis
	cols     []capture.Data
	reasons  []capture.ColumnReason
	labels   []*capture.Label
	codes    []map[string]int32
	gaps     []capture.Gap
	late     []capture.Gap
	regions  []capture.Region
	warnings []string
}

var _ Sink = (*Memory)(nil)

// NewMemory returns an empty recording that takes at most limit bytes of samples.
func NewMemory(schema *capture.Schema, limit int64) *Memory {
	m := &Memory{schema: *schema, limit: limit, cols: make([]capture.Data, len(schema.Columns))}
	m.axis.Clock = "CLOCK_MONOTONIC"
	for i, c := range schema.Columns {
		if c.Integer {
			m.cols[i].U = []uint64{}
		} else {
			m.cols[i].F = []float64{}
		}
	}
	for _, name := range schema.Labels {
		m.labels = append(m.labels, &capture.Label{Name: name})
		m.codes = append(m.codes, map[string]int32{})
	}
	return m
}

// Write appends the batch.
func (m *Memory) Write(b *capture.Batch) error {
	n := int64(b.Len()) * int64(8*(2+len(m.cols))+4*len(m.labels))
	if m.used+n > m.limit {
		return fmt.Errorf("the recording needs more than %d MiB of memory: record to a file", m.limit>>20)
	}
	m.used += n
	row := len(m.axis.Start)
	m.axis.Start, m.axis.End = append(m.axis.Start, b.Start...), append(m.axis.End, b.End...)
	for i := range m.cols {
		c, src := &m.cols[i], &b.Cols[i]
		c.F = append(c.F, src.F...)
		c.U = append(c.U, src.U...)
		appendValid(c, src, row)
	}
	for _, r := range b.Reasons {
		r.From, r.To = r.From+row, r.To+row
		m.reasons = append(m.reasons, r)
	}
	for i, l := range m.labels {
		for _, text := range b.Labels[i] {
			code, ok := m.codes[i][text]
			if !ok {
				code = int32(len(l.Dict))
				l.Dict = append(l.Dict, text)
				m.codes[i][text] = code
			}
			l.Codes = append(l.Codes, code)
		}
	}
	m.gaps, m.late = append(m.gaps, b.Gaps...), append(m.late, b.Late...)
	m.regions, m.warnings = append(m.regions, b.Regions...), append(m.warnings, b.Warnings...)
	return nil
}

// appendValid extends the validity of dst, which had n values, by that of src.
func appendValid(dst, src *capture.Data, n int) {
	if dst.U == nil || (dst.Valid.Bits == nil && src.Valid.Bits == nil) {
		return
	}
	for len(dst.Valid.Bits)*8 < len(dst.U) {
		dst.Valid.Bits = append(dst.Valid.Bits, 0xff)
	}
	for i := n; i < len(dst.U); i++ {
		if !src.Valid.Get(i - n) {
			dst.Valid.Clear(i)
		}
	}
}

// Close does nothing: the samples stay.
func (m *Memory) Close() error { return nil }

// Capture returns what was recorded. It may be called once, after the recording.
func (m *Memory) Capture() (*capture.Capture, error) {
	cfg := m.schema.Config
	cfg.Axis = &m.axis
	cfg.Labels = m.labels
	cfg.Gaps = append(cfg.Gaps, m.gaps...)
	cfg.Late = append(cfg.Late, m.late...)
	cfg.Regions = append(cfg.Regions, m.regions...)
	cfg.Warnings = append(cfg.Warnings, m.warnings...)
	reasons := make([][]capture.ReasonRun, len(m.cols))
	for _, r := range m.reasons {
		list := &reasons[r.Col]
		if k := len(*list) - 1; k >= 0 && (*list)[k].To == r.From && (*list)[k].Reason == r.Reason {
			(*list)[k].To = r.To
			continue
		}
		*list = append(*list, capture.ReasonRun{From: r.From, To: r.To, Reason: r.Reason})
	}
	whole := map[string]*capture.Counter{}
	for i, spec := range m.schema.Columns {
		c := &capture.Counter{Meta: spec.Meta, Axis: cfg.Axis, Col: capture.NewColumn(m.cols[i]), Reasons: reasons[i]}
		if spec.Meta.Instance == "" {
			cfg.Counters = append(cfg.Counters, c)
			continue
		}
		key := spec.Meta.Device + "\x00" + spec.Meta.Name
		w, ok := whole[key]
		if !ok {
			w = &capture.Counter{Meta: spec.Meta, Axis: cfg.Axis}
			w.Meta.Instance = ""
			whole[key] = w
			cfg.Counters = append(cfg.Counters, w)
		}
		w.Instances = append(w.Instances, c)
	}
	return capture.New(cfg)
}
