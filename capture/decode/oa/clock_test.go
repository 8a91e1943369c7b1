package oa

import "testing"

func TestTimesAreInterpolatedBetweenCorrelations(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	const base = 5_000_000_000_000
	gpu := m.full
	m.a.Correlate(Correlation{CPU: base, GPU: gpu})
	m.a.Correlate(Correlation{CPU: base + 2_000_100_000, GPU: gpu + 24e6}) // 50 ppm off
	m.run(12e6, 1000)
	m.report(1)
	m.step(6e6, 1000, 1)
	m.step(12e6, 1000, 1) // half a second behind the last correlation: of a live stream the line goes on
	b := m.finish()
	if b.Start[0] != base+1_000_050_000 || b.End[0] != base+1_500_075_000 || b.End[1] != base+2_500_125_000 {
		t.Errorf("rows from %d to %d and %d", b.Start[0]-base, b.End[0]-base, b.End[1]-base)
	}
}

func TestALiveStreamIsTheSameAsItsRecording(t *testing.T) {
	// Correlations are taken before each read, with jitter; rows must not overlap for it.
	m := newModel(t, A32u40A4u32B8C8, nil)
	cpu := int64(1e12)
	for read := range 50 {
		m.a.Correlate(Correlation{CPU: cpu + int64(read%7)*3000, GPU: m.full + 100})
		for range 10 {
			m.step(12000, 1000, 0x20)
		}
		cpu += 10_000_000
		m.a.Flush(m.b)
	}
	if b := m.finish(); b.Len() != 499 {
		t.Errorf("%d rows", b.Len())
	}
}

func TestALiveStreamHasNoRowsWithoutALength(t *testing.T) {
	// Some correlations are measured late, by more than a row is long: a busy machine took the processor away between
	// the two clocks.
	m := newModel(t, A32u40A4u32B8C8, nil)
	cpu := int64(1e12)
	for read := range 60 {
		late := int64(0)
		if read%9 == 4 {
			late = 2_500_000
		}
		m.a.Correlate(Correlation{CPU: cpu + late, GPU: m.full})
		for range 10 {
			m.step(12000, 1000, 0x20)
		}
		cpu += 10_000_000
		m.a.Flush(m.b)
	}
	b := m.finish()
	for i := range b.Start {
		if n := b.End[i] - b.Start[i]; n < 500_000 {
			t.Fatalf("row %d of a millisecond lasts %d ns", i, n)
		}
	}
	if off := b.End[b.Len()-1] - cpu; off < -1_000_000 || off > 1_000_000 {
		t.Errorf("the last row ends %d ns from where it does", off)
	}
}

func TestTimestampsWrapWithAndWithoutCorrelations(t *testing.T) {
	for _, correlated := range []bool{true, false} {
		m := newModel(t, A32u40A4u32B8C8, nil)
		first := m.full
		for i := range 10 { // 1000 s, each row 100 s: every value but the time is missing
			if correlated {
				m.a.Correlate(Correlation{CPU: int64(i)*100e9 + 1e9, GPU: m.full})
			}
			m.report(0x20)
			m.run(100*12e6, 1000)
		}
		b := m.finish()
		if d := b.End[8] - b.Start[0]; d != 900e9 {
			t.Errorf("correlated %t: %d ns", correlated, d)
		}
		if correlated && m.column(colTime).U[8] != first+8*100*12e6 {
			t.Errorf("full timestamp %d", m.column(colTime).U[8])
		}
	}
}

func TestACorrelationShowsThatWholeWrapsPassed(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.a.Correlate(Correlation{CPU: 1e9, GPU: m.full})
	m.report(0x20)
	m.run(2000*12e6, 1000)
	m.a.Correlate(Correlation{CPU: 2001e9, GPU: m.full & (1<<36 - 1)}) // the register has 36 bits
	m.report(0x20)
	b := m.finish()
	if got := m.column("TIMESTAMP").U[0]; got != 2000*12e6 || b.End[0]-b.Start[0] != 2000e9 {
		t.Errorf("%d ticks, %d ns", got, b.End[0]-b.Start[0])
	}
	if !m.column("A0").Missing(0) {
		t.Error("A0 has a value after 2000 s")
	}
}

func TestARegisterThatWrapsLeavesRecordsExact(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.full = 1<<36 - 5*12e6
	gpu := m.full
	m.a.Correlate(Correlation{CPU: 3e12, GPU: m.full})
	m.report(0x20)
	for i := range 400 {
		m.step(12e6, 1000, 0x20)
		if i%2 == 1 {
			m.a.Correlate(Correlation{CPU: 3e12 + int64(m.full-gpu)*1000/12, GPU: m.full & (1<<36 - 1)})
		}
	}
	want := m.captureOf()
	a, got := rebuilt(t, want)
	sameRows(t, got, want, 3)
	if s := a.Stats(); s.Restarts != 0 || s.Backwards != 0 || got.Axis.End[399] < 400e9-3 ||
		got.Axis.End[399] > 400e9+3 {
		t.Errorf("%+v, the last row ends at %d", s, got.Axis.End[399])
	}
}

func TestAClockSetAnewBeginsAnew(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.a.Correlate(Correlation{CPU: 1e9, GPU: m.full})
	m.report(0x20)
	m.step(12000, 1000, 0x20)
	m.full = 500 // the GPU was reset
	m.a.Correlate(Correlation{CPU: 2e9, GPU: m.full})
	m.report(0x20)
	m.step(12000, 1000, 0x20)
	b := m.finish()
	if b.Len() != 2 || b.Start[1] != 2e9 || b.End[1] != 2e9+1e6 || len(b.Gaps) != 1 {
		t.Errorf("rows %v to %v, gaps %+v", b.Start, b.End, b.Gaps)
	}
	m.a.Correlate(Correlation{CPU: 1, GPU: 5})
	if s := m.a.Stats(); s.rejected != 1 {
		t.Errorf("%d correlations were rejected", s.rejected)
	}
}

func TestASurveyFindsTheTimeBeforeTheFirstCorrelation(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	var s Survey
	first := m.full
	for i := range 5 {
		r := make(Report, m.f.Size)
		m.f.Put(r, uint64(Timer)<<19, uint64(m.full), 0, 0, m.values)
		s.Add(Record{Type: RecordSample, Data: r})
		if i < 4 {
			m.run(1<<29, 1)
		}
	}
	s.Add(Record{Type: RecordCorrelation, Data: Correlation{CPU: 1e12, GPU: m.full + 12}.Payload()})
	if !s.beginning || uint64(s.begin) != first || s.PeriodTicks() != 1<<29 || s.Reports != 5 || s.Correlations() != 1 {
		t.Errorf("%+v, first report at %d", s, first)
	}
}
