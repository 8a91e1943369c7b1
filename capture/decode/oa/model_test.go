package oa

import (
	"slices"
	"testing"

	"astrolabe/capture"
)

// gt2 describes a Kaby Lake GT2.
func gt2(f *Format) Info {
	i := Info{TimestampFrequency: 12e6, DeviceID: 0x5916, Revision: 2, MinFrequency: 3e8, MaxFrequency: 1.1e9,
		Set: "RenderBasic", Topology: topologyBlob(1, [3]byte{7}, func(int, int) byte { return 0xFF }),
		Xe: f.Enum == 0}
	i.SetFormat(f)
	return i
}

// model is a GPU with 64-bit counters, of which reports hold what the format has room for.
type model struct {
	t      testing.TB
	a      *Accumulator
	b      *capture.Batch
	f      *Format
	full   uint64 // timestamp
	ticks  uint64
	values []uint64
	id     uint32
}

func newModel(t testing.TB, f *Format, change func(*Options)) *model {
	t.Helper()
	o := Options{Info: gt2(f)}
	if change != nil {
		change(&o)
	}
	a, err := NewAccumulator(o)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{t: t, a: a, b: capture.NewBatch(a.Schema(), 0), f: f, full: 1 << 36,
		values: make([]uint64, len(f.Counters())), id: uint32(Timer)<<19 | 60<<25 | 60}
	m.run(0xFFFF_FF00, 0) // the 32 bits of everything are about to wrap
	return m
}

// run lets time pass: dt ticks of the timestamp, during which the clock counts n and counter k counts n/2+k.
func (m *model) run(dt, n uint64) {
	m.full += dt
	m.ticks += n
	for k := range m.values {
		if n > 0 {
			m.values[k] += n/2 + uint64(k)
		}
	}
}

// report writes a report of a context; 0 is none.
func (m *model) report(context uint32) {
	m.t.Helper()
	id, raw := m.id, context
	if context == 0 {
		raw = NoContext
	} else {
		id |= 1 << 16
	}
	r := make(Report, m.f.Size)
	m.f.Put(r, uint64(id), uint64(m.full), uint64(raw), uint64(m.ticks), m.values)
	if err := m.a.Report(m.b, r); err != nil {
		m.t.Fatal(err)
	}
}

// step is run and report.
func (m *model) step(dt, n uint64, context uint32) {
	m.t.Helper()
	m.run(dt, n)
	m.report(context)
}

// finish ends the stream and checks what holds of every batch.
func (m *model) finish() *capture.Batch {
	m.t.Helper()
	m.a.Finish(m.b)
	checkBatch(m.t, m.a.Schema(), m.b)
	return m.b
}

func checkBatch(t testing.TB, s *capture.Schema, b *capture.Batch) {
	t.Helper()
	for i := range b.Start {
		if b.End[i] < b.Start[i] || i > 0 && b.Start[i] < b.End[i-1] {
			t.Fatalf("row %d lies from %d to %d, the one before ended at %d", i, b.Start[i], b.End[i],
				b.End[max(i, 1)-1])
		}
	}
	for c := range b.Cols {
		if b.Cols[c].Len() != b.Len() {
			t.Fatalf("column %s has %d values in %d rows", s.Columns[c].Meta.Name, b.Cols[c].Len(), b.Len())
		}
	}
	for l := range b.Labels {
		if len(b.Labels[l]) != b.Len() {
			t.Fatalf("label %s has %d values in %d rows", s.Labels[l], len(b.Labels[l]), b.Len())
		}
	}
	for _, r := range b.Reasons {
		if r.From < 0 || r.To > b.Len() || r.From >= r.To {
			t.Fatalf("reason for rows %d to %d of %d", r.From, r.To, b.Len())
		}
	}
}

// column is a column by name.
func (m *model) column(name string) capture.Data {
	m.t.Helper()
	i := slices.IndexFunc(m.a.Schema().Columns, func(c capture.ColumnSpec) bool { return c.Meta.Name == name })
	if i < 0 {
		m.t.Fatalf("no column %s", name)
	}
	return m.b.Cols[i]
}

func (m *model) wantLabels(label int, want ...string) {
	m.t.Helper()
	if !slices.Equal(m.b.Labels[label], want) {
		m.t.Errorf("%s: %q, want %q", m.a.Schema().Labels[label], m.b.Labels[label], want)
	}
}
