package oa

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

// captureOf makes a capture of the model's rows.
func (m *model) captureOf() *capture.Capture {
	m.t.Helper()
	m.finish()
	c, err := capture.New(m.a.Config(m.b, "cpu"))
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

// rebuilt accumulates the records that a capture gives again.
func rebuilt(t testing.TB, c *capture.Capture) (*Accumulator, *capture.Capture) {
	t.Helper()
	r, err := NewRebuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	var s Survey
	var records []Record
	if err := r.Records(func(kind uint32, payload []byte) error {
		records = append(records, Record{Type: kind, Data: slices.Clone(payload)})
		s.Add(records[len(records)-1])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	a, err := NewAccumulator(Options{Info: *r.Info(), Survey: &s})
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(a.Schema(), 0)
	for _, rec := range records {
		give(t, a, b, rec)
	}
	a.Finish(b)
	out, err := capture.New(a.Config(b, "cpu"))
	if err != nil {
		t.Fatal(err)
	}
	return a, out
}

func sameRows(t testing.TB, got, want *capture.Capture, slack int64) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%d rows, want %d", got.Len(), want.Len())
	}
	for i := range got.Len() {
		if d := got.Axis.Start[i] - want.Axis.Start[i]; d > slack || d < -slack {
			t.Fatalf("row %d starts at %d, want %d", i, got.Axis.Start[i], want.Axis.Start[i])
		}
		for k, l := range want.Labels {
			a, _ := got.Labels[k].Value(i)
			if b, _ := l.Value(i); a != b {
				t.Fatalf("row %d: label %s is %q, want %q", i, l.Name, a, b)
			}
		}
	}
	for k, c := range want.Counters {
		if strings.HasPrefix(c.Name, "CORRELATION") || c.Name == colMarks {
			continue
		}
		a, b := got.Counters[k].Col.Data(), c.Col.Data()
		for i := range got.Len() {
			if a.Missing(i) != b.Missing(i) || !a.Missing(i) &&
				(a.U != nil && a.U[i] != b.U[i] || a.U == nil && a.F[i] != b.F[i]) {
				t.Fatalf("%s: row %d differs", c.Name, i)
			}
		}
	}
}

func TestRecordsMadeAgainGiveTheSameRows(t *testing.T) {
	for _, f := range Formats() {
		m := newModel(t, f, nil)
		gpu := m.full
		m.a.Correlate(Correlation{CPU: 5e12, GPU: gpu})
		m.report(0x20)
		for i := range 100 {
			switch i {
			case 30:
				m.a.ReportLost()
			case 50:
				m.a.BufferLost()
				m.run(12e6, 1e9)
			case 55:
				m.a.BufferLost()
				m.a.ReportLost() // before the report that begins anew
			case 60:
				m.a.Restart("the stream was stopped for a while")
			case 70:
				m.run(100*12e6, 100e9) // longer than everything takes to wrap
			case 80:
				m.run(400*12e6, 400e9) // longer than the timestamp, too
				m.a.Correlate(Correlation{CPU: 5e12 + int64(m.full-gpu)*1000/12, GPU: m.full})
			}
			m.id = uint32(ContextSwitch)<<19 | uint32(60+i)<<25 | uint32(i)
			m.step(12000+uint64(i), 1_000_000+uint64(i), []uint32{0x20, 0, 0x21}[i%3])
		}
		want := m.captureOf()
		a, got := rebuilt(t, want)
		sameRows(t, got, want, 3)
		if s := a.Stats(); s.ReportLost != 2 || s.BufferLost != 3 || s.TooLong != m.a.Stats().TooLong {
			t.Errorf("%s: %+v", f.Name, s)
		}
		_, again := rebuilt(t, got)
		sameRows(t, again, got, 3)
	}
}

func TestWhatCannotBeMadeAgainIsRefusedWithTheReason(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	for i := range 10 {
		m.step(12000, 1000, uint32(0x20+i%2))
	}
	c := m.captureOf()
	resampled, err := c.Resample(5e6)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := c.GroupBy(labelContext)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := c.With(func(cfg *capture.Config) { cfg.Properties = nil })
	if err != nil {
		t.Fatal(err)
	}
	less, err := c.With(func(cfg *capture.Config) { cfg.Counters = cfg.Counters[:10] })
	if err != nil {
		t.Fatal(err)
	}
	sets, err := c.With(func(cfg *capture.Config) {
		cfg.Properties = slices.DeleteFunc(slices.Clone(cfg.Properties), func(p capture.Property) bool {
			return p.Name == propSet
		})
		cfg.Labels = append(slices.Clone(cfg.Labels),
			&capture.Label{Name: propSet, Dict: []string{"A", "B"}, Codes: []int32{0, 0, 0, 1, 1, 1, 1, 1, 1, 1}})
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		c    *capture.Capture
		text string
	}{"resampled": {resampled, "resampled"}, "grouped": {groups[0].Capture, "left out"}, "bare": {bare, propFrequency},
		"less": {less, "no column A8"}, "sets": {sets, "A and B took turns"}} {
		if _, err := NewRebuilder(x.c); err == nil || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	part, err := c.Slice(3e6, 8e6)
	if err != nil {
		t.Fatal(err)
	}
	_, got := rebuilt(t, part)
	if got.Len() != 5 || got.Counter("GPU_TICKS").Sum().Float() != 5000 {
		t.Errorf("a slice gives %d rows again", got.Len())
	}
}

// FuzzStream feeds any records to survey, accumulator and rebuilder.
func FuzzStream(f *testing.F) {
	report := make(Report, 64)
	var seed []byte
	for i := range 6 {
		A12.Put(report, uint64(Timer)<<19|1<<16, uint64(i)*1000, 0x20, uint64(i)*9999, make([]uint64, 12))
		seed = AppendRecord(seed, RecordSample, report)
		seed = AppendRecord(seed, RecordCorrelation, Correlation{CPU: int64(i) * 1e6, GPU: uint64(i) * 12000}.Payload())
	}
	f.Add(seed, false, uint8(0))
	f.Add(AppendRecord(AppendRecord(seed, RecordBufferLost, nil), RecordReportLost, nil), true, uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, live bool, mode uint8) {
		o := Options{Info: gt2([]*Format{A12, C4B8}[mode&1]), Filtered: mode&2 != 0, Context: 0x20,
			Separate: mode&4 != 0, PeriodTicks: uint64(mode) * 100}
		if mode&8 != 0 {
			v := UserID
			o.Variant = &v
		}
		var records []Record
		var d Decoder
		d.Feed(stream)
		for {
			r, ok, err := d.Next()
			if err != nil || !ok {
				break
			}
			records = append(records, r)
		}
		if !live {
			o.Survey = &Survey{}
			for _, r := range records {
				o.Survey.Add(r)
			}
		}
		a, b := play(t, o, records)
		checkBatch(t, a.Schema(), b)
		if s := a.Stats(); s.Rows != uint64(b.Len()) {
			t.Errorf("%d rows counted, %d made", s.Rows, b.Len())
		}
		warnings := a.Warnings()
		cfg := a.Config(b, "cpu")
		whole := o
		whole.Stream, whole.stretch = stream, int(mode>>4)+1
		inPlace, rows := play(t, whole, records)
		sameConfig(t, inPlace.Config(rows, "cpu"), cfg)
		if got := inPlace.Warnings(); !slices.Equal(got, warnings) {
			t.Fatalf("of a whole stream: %q, want %q", got, warnings)
		}
		if o.Filtered || o.Separate || o.Variant != nil || b.Len() == 0 {
			return
		}
		c, err := capture.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, again := rebuilt(t, c)
		// Times before the CPU's clock began, or years apart, cannot be written; all others are.
		for _, v := range b.Cols[0].U {
			if v > 1<<40 {
				return
			}
		}
		for _, name := range []string{"TIMESTAMP", "GPU_TICKS"} {
			got, want := again.Counter(name).Sum(), c.Counter(name).Sum()
			if again.Len() != c.Len() || name == "TIMESTAMP" && got != want {
				break
			}
			if got != want {
				t.Errorf("%v clocks, made again %v", want, got)
			}
		}
	})
}
