package oa

import (
	"strings"
	"testing"

	"astrolabe/capture"
)

func TestDeltasAreExactWhereFieldsWrap(t *testing.T) {
	for _, f := range Formats() {
		m := newModel(t, f, nil)
		for k := range m.values {
			m.values[k] = 1<<40 - 100 + uint64(k) // 32 and 40 bits wrap in the first row
		}
		m.ticks = 1<<32 - 3
		m.report(0x20)
		for i := range 200 {
			m.step(12000+uint64(i), 1_000_000+uint64(i), 0x20)
		}
		b := m.finish()
		if b.Len() != 200 {
			t.Fatalf("%s: %d rows", f.Name, b.Len())
		}
		for i := range 200 {
			n := 1_000_000 + uint64(i)
			if got := m.column("GPU_TICKS").U[i]; got != n {
				t.Fatalf("%s: row %d has %d clocks", f.Name, i, got)
			}
			if got := m.column("TIMESTAMP").U[i]; got != 12000+uint64(i) {
				t.Fatalf("%s: row %d has %d ticks", f.Name, i, got)
			}
			for k, name := range f.Counters() {
				if got, want := m.column(name).U[i], n/2+uint64(k); got != want {
					t.Fatalf("%s: row %d of %s is %d, want %d", f.Name, i, name, got, want)
				}
			}
			if clock := m.column(colSliceClock).F[i]; clock != 1000 {
				t.Fatalf("slice clock %v MHz", clock)
			}
		}
		if w := m.a.Warnings(); len(w) > 0 {
			t.Errorf("%s: %q", f.Name, w)
		}
	}
}

func TestADeltaMayTakeAllBitsOfItsField(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.step(3*12e6, 1<<32-5000, 0x20)
	if m.finish(); m.column("GPU_TICKS").U[0] != 1<<32-5000 {
		t.Errorf("GPU_TICKS is %d", m.column("GPU_TICKS").U[0])
	}
	m = newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.full += 30 * 12e6
	for k := range m.values {
		m.values[k] += 600e9 // of 24 EUs in 30 s: more than 2^39
	}
	m.report(0x20)
	m.finish()
	if got := m.column("A7"); got.Missing(0) || got.U[0] != 600e9 {
		t.Errorf("A7 is %d", got.U[0])
	}
}

func TestLossesAfterTheLastRowAreAGap(t *testing.T) {
	for _, buffer := range []bool{false, true} {
		m := newModel(t, A32u40A4u32B8C8, func(o *Options) { o.PeriodTicks = 12000 })
		m.a.Correlate(Correlation{CPU: 5e12, GPU: m.full})
		m.report(0x20)
		for range 20 {
			m.step(12000, 1_000_000, 0x20) // 1 ms
		}
		if buffer {
			m.a.BufferLost()
		} else {
			m.a.ReportLost()
		}
		m.run(10*12000, 10_000_000)
		m.a.Correlate(Correlation{CPU: 5e12 + 30e6, GPU: m.full})
		want := m.captureOf()
		if len(want.Gaps) != 1 || want.Gaps[0].Start != 20e6 || want.Gaps[0].End != 30e6 || want.Gaps[0].Lost != 9 {
			t.Fatalf("gaps %+v", want.Gaps)
		}
		stats := m.a.Stats()
		if got := stats.Coverage(); got < 0.66 || got > 0.67 {
			t.Errorf("coverage is %v, 20 of 30 ms were measured", got)
		}
		a, got := rebuilt(t, want)
		sameRows(t, got, want, 3)
		if s := a.Stats(); s.BufferLost+s.ReportLost != 1 || (s.BufferLost == 1) != buffer || len(got.Gaps) != 1 ||
			got.Gaps[0].End != 30e6 {
			t.Errorf("made again: %+v, gaps %+v", s, got.Gaps)
		}
	}
}

func TestARowBelongsToTheContextThatBeginsIt(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.id = uint32(ContextSwitch|Timer) << 19
	m.step(1000, 10000, 0x21)
	m.id = uint32(ContextSwitch) << 19
	m.step(1000, 10000, 0)
	m.step(1000, 10000, 0x20)
	m.step(1000, 10000, 0x20)
	m.finish()
	m.wantLabels(0, "0x20", "0x21", "idle", "0x20")
	m.wantLabels(1, "timer", "timer", "context switch", "context switch")
	if c := m.column(colUnsliceClock); c.F[0] != 1000 || !c.Missing(1) {
		t.Errorf("unslice clock %v: the last three reports have no ratios", c.F)
	}
	if len(m.b.Reasons) != 4 || m.b.Reasons[0].From != 1 || m.b.Reasons[0].To != 4 {
		t.Errorf("reasons %+v", m.b.Reasons)
	}
}

func TestAFilteredStreamToleratesOneMismatch(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, func(o *Options) { o.Filtered, o.Context = true, 0x20 })
	for _, c := range []uint32{0x20, 0x20, 0, 0x20, 0, 0, 0x20, 0x20} {
		m.step(1000, 10000, c)
	}
	m.finish()
	m.wantLabels(0, "0x20", "0x20", "0x20", "0x20", otherContext, otherContext, "0x20")
	s := m.a.Stats()
	if s.Spurious != 1 || s.Elsewhere != 2 || s.Matched != 4 {
		t.Errorf("%+v", s)
	}
	if w := strings.Join(m.a.Warnings(), "\n"); !strings.Contains(w, "disjoint") {
		t.Errorf("warnings %q", w)
	}

	m = newModel(t, A32u40A4u32B8C8, func(o *Options) { o.Filtered, o.Context = true, 0x20 })
	m.report(0)
	m.step(1000, 10000, 0x20)
	m.step(1000, 10000, 0x20)
	m.a.BufferLost()
	m.step(1000, 10000, 0)
	m.step(1000, 10000, 0x20)
	m.finish()
	m.wantLabels(0, otherContext, "0x20", otherContext)
}

func TestLostReportsLeaveALongRowWithoutContext(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, func(o *Options) { o.PeriodTicks = 16384 })
	m.report(0x20)
	m.step(16384, 1000, 0x20)
	m.a.ReportLost()
	m.step(5*16384, 5000, 0x20)
	m.step(16384, 1000, 0x20)
	b := m.finish()
	m.wantLabels(0, "0x20", "", "0x20")
	if got := m.column("GPU_TICKS").U[1]; got != 5000 {
		t.Errorf("%d clocks in the long row", got)
	}
	if len(b.Late) != 1 || b.Late[0].Lost != 4 || b.Late[0].Start != b.Start[1] || b.Late[0].End != b.End[1] ||
		b.Late[0].Reason.Code != capture.LostReports || len(b.Gaps) != 0 {
		t.Errorf("late %+v, gaps %+v", b.Late, b.Gaps)
	}
	if m := unpackMarks(m.column(colMarks).U[1]); m != (marks{Within: 1}) {
		t.Errorf("marks %+v", m)
	}
	if s := m.a.Stats(); s.ReportLost != 1 || s.LostInRow != 1 || s.Coverage() != 1 {
		t.Errorf("%+v", s)
	}
}

func TestALostBufferAndARestartBeginAnew(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, func(o *Options) { o.PeriodTicks = 12000 })
	m.report(0x20)
	m.step(12000, 1000, 0x20)
	m.a.BufferLost()
	m.step(120000, 1<<33, 0x20)
	m.step(12000, 1000, 0x20)
	m.a.Restart("the stream was stopped for a while")
	m.step(24000, 77, 0x20)
	m.step(12000, 1000, 0x20)
	b := m.finish()
	if b.Len() != 3 || m.column("GPU_TICKS").U[1] != 1000 || m.column("GPU_TICKS").U[2] != 1000 {
		t.Fatalf("%d rows, clocks %v", b.Len(), m.column("GPU_TICKS").U)
	}
	if len(b.Gaps) != 2 || b.Gaps[0].Start != b.End[0] || b.Gaps[0].End != b.Start[1] || b.Gaps[0].Lost != 9 ||
		b.Gaps[1].Reason.Text != "the stream was stopped for a while" {
		t.Errorf("gaps %+v", b.Gaps)
	}
	if unpackMarks(m.column(colMarks).U[1]).Buffer != 1 || unpackMarks(m.column(colMarks).U[2]).Restarts != 1 {
		t.Errorf("marks %x", m.column(colMarks).U)
	}
	if s := m.a.Stats(); s.Coverage() > 0.21 || s.Coverage() < 0.19 {
		t.Errorf("coverage %v: three of fifteen periods, and two of restart", s.Coverage())
	}
}

func TestAValueWhoseWrapTimeWasExceededIsMissing(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.step(3*12e6, 3*900e6, 0x20)   // below 2^32 clocks
	m.step(5*12e6, 5*900e6, 0x20)   // above, and 24 EUs stay below 2^40
	m.step(60*12e6, 60*900e6, 0x20) // above both
	b := m.finish()
	for name, want := range map[string][3]bool{"TIMESTAMP": {}, "GPU_TICKS": {false, true, true},
		"A0": {false, false, true}, "A35": {false, true, true}, "B0": {false, true, true}, "C7": {false, true, true}} {
		for i, missing := range want {
			if m.column(name).Missing(i) != missing {
				t.Errorf("%s is missing in row %d: %t", name, i, !missing)
			}
		}
	}
	if got := m.column("A3").U[1]; got != 5*900e6/2+3 {
		t.Errorf("A3 is %d in row 1", got)
	}
	if len(b.Gaps) != 2 || m.a.Stats().TooLong != 2 {
		t.Errorf("gaps %+v", b.Gaps)
	}
	for _, r := range b.Reasons {
		if r.Reason != noSync && (r.Reason.Code != capture.LostReports || r.Reason.Text == "") {
			t.Fatalf("reason %+v", r)
		}
	}

	small := newModel(t, A12B8C8, nil)
	small.report(0x20)
	small.step(0.1*12e6, 0.1*1000e6, 0x20)
	small.step(0.2*12e6, 0.2*1000e6, 0x20)
	small.step(0.2*12e6, 1000, 0x20) // asleep: nothing can have wrapped
	small.finish()
	if a := small.column("A7"); a.Missing(0) || !a.Missing(1) || a.Missing(2) || small.column("B0").Missing(1) {
		t.Error("the 32-bit copies of EU counters wrap after 0.16 s of work, others later")
	}
}

func TestAStoppedClockIsARegion(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	for _, n := range []uint64{1000, 0, 0, 1000, 0} {
		m.step(12000, n, 0)
	}
	b := m.finish()
	if len(b.Regions) != 2 || b.Regions[0] != (capture.Region{Name: regionStopped, Start: b.Start[1], End: b.End[2]}) ||
		b.Regions[1].End != b.End[4] {
		t.Errorf("regions %+v", b.Regions)
	}
	if m.column("GPU_TICKS").Missing(1) || m.column("GPU_TICKS").U[1] != 0 {
		t.Error("a measured zero is no longer a zero")
	}
}

func TestReportsOutOfOrderAreLeftOutAndCounted(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.step(12000, 1000, 0x20)
	m.full -= 5000
	m.report(0x21) // late
	m.full += 5000
	m.step(12000, 1000, 0x20)
	m.report(0x22) // again
	m.step(12000, 1000, 0x20)
	m.a.Report(m.b, make(Report, m.f.Size))
	b := m.finish()
	if b.Len() != 3 || m.column("GPU_TICKS").U[1] != 1000 {
		t.Errorf("%d rows, clocks %v", b.Len(), m.column("GPU_TICKS").U)
	}
	m.wantLabels(0, "0x20", "0x20", "0x22")
	if s := m.a.Stats(); s.Backwards != 1 || s.ZeroElapsed != 1 || s.NotLanded != 1 {
		t.Errorf("%+v", s)
	}

	m = newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.step(12000, 1000, 0x20)
	m.full, m.ticks = m.full-1<<30, 0 // the GPU was reset
	for range 4 {
		m.step(12000, 1000, 0x20)
	}
	b = m.finish()
	if b.Len() != 3 || len(b.Gaps) != 1 || m.column("GPU_TICKS").U[1] != 1000 ||
		unpackMarks(m.column(colMarks).U[1]).Restarts != 1 {
		t.Errorf("%d rows, gaps %+v", b.Len(), b.Gaps)
	}
}

func TestValuesThatCannotBeAreTold(t *testing.T) {
	m := newModel(t, A32u40A4u32B8C8, nil)
	m.report(0x20)
	m.values[0] += 5_000_000   // busy more clocks than there were
	m.values[7] += 100_000_000 // 24 EUs cannot
	m.run(12000, 1_000_000)
	m.report(0x20)
	m.step(12000, 2_000_000, 0x20) // 2 GHz
	m.finish()
	w := strings.Join(m.a.Warnings(), "\n")
	if !strings.Contains(w, "A0 (1), A7 (1)") || !strings.Contains(w, "1 of 2 rows the GPU's clock ran faster") {
		t.Errorf("warnings %q", w)
	}
}

func TestAReportOfAnotherSizeIsRefused(t *testing.T) {
	m := newModel(t, A12, nil)
	if err := m.a.Report(m.b, make(Report, 256)); err == nil || !strings.Contains(err.Error(), "256 bytes") {
		t.Errorf("error %v", err)
	}
}
