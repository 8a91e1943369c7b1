package oa

import (
	"fmt"
	"strings"

	"astrolabe/capture"
)

// Stats counts what an Accumulator met.
type Stats struct {
	Reports      uint64 // taken over, without those that had not landed
	Rows         uint64
	ReportLost   uint64 // marks of OA_REPORT_LOST, each of one or more reports
	BufferLost   uint64 // marks of OA_BUFFER_LOST
	Restarts     uint64
	NotLanded    uint64 // reports that the hardware had not written yet
	Backwards    uint64 // reports whose timestamp was before that of the report before
	ZeroElapsed  uint64 // reports with the timestamp of the report before
	TooLong      uint64 // rows in which counters may have wrapped more than once
	LostInRow    uint64 // rows within which reports were lost
	ClockChanges uint64 // of the slice or unslice clock, between two reports
	Stopped      uint64 // rows in which the GPU's clock stood still
	Spurious     uint64 // of a filtered stream: single mismatching reports that were tolerated
	Elsewhere    uint64 // of a filtered stream: rows of other contexts, or idle
	Matched      uint64 // of a filtered stream: rows of the context
	Measured     int64  // ns, in rows
	First, Last  int64  // ns, start of the first row and end of the last

	unequalClocks, tooFast, rejected uint64
}

// Coverage is the share of the time between the first row's start and the last one's end that lies in rows; 0 without
// rows.
func (s *Stats) Coverage() float64 {
	if s.Last <= s.First {
		return 0
	}
	return float64(s.Measured) / float64(s.Last-s.First)
}

// Stats returns the counts so far.
func (a *Accumulator) Stats() Stats {
	s := a.stats
	s.rejected = uint64(a.clock.rejected)
	return s
}

// limits are how much can have been counted in a time.
type limits struct {
	frequency uint64  // of the timestamp, Hz
	fastest   float64 // core clock, Hz
	checked   uint64  // highest average core clock that is believed, Hz; 0 where the device's is unknown
	eus       uint64
	fields    missing // kinds of fields that the format has
	wide      bool    // the clocks themselves do not wrap
	wrap      uint64  // ticks of the timestamp until a counter that counts once a clock wraps its 32 bits
}

// assumedClock is the highest core clock where the device's is unknown, in Hz.
const assumedClock = 1.15e9

func newLimits(i *Info, gpu string, f *Format) limits {
	l := limits{frequency: i.TimestampFrequency, fastest: assumedClock, wide: f.wide}
	if !f.wide {
		l.fields = missingClocked
	}
	for k := range f.fields {
		l.fields |= f.fields[k].kind()
	}
	if i.MaxFrequency > 0 {
		l.fastest = float64(i.MaxFrequency) + ratioStep
		l.checked = uint64(l.fastest)
	}
	t, err := ParseTopology(i.Topology)
	switch {
	case err == nil && t.EUs > 0:
		l.eus = uint64(t.EUs)
	default:
		l.eus = mostEUs(gpu, i.DeviceID)
	}
	l.wrap = uint64((1 << 32) / l.fastest * float64(l.frequency))
	return l
}

// judge decides which fields of a row may have wrapped more than once, and how much the others can have counted. What
// the clocks themselves counted is the bound where they are known.
func (l *limits) judge(w *row, clocks uint64) {
	if w.elapsed >= l.wrap {
		w.missing = missingClocked
	}
	if w.elapsed >= l.wrap && !l.wide {
		clocks = uint64(min(float64(w.elapsed)/float64(l.frequency)*l.fastest, 1<<50))
	}
	clocks = min(clocks, 1<<50)
	all := clocks * l.eus
	if all >= 1<<32 {
		w.missing |= missingEU32
	}
	if all >= 1<<40 {
		w.missing |= missingEU40
	}
	w.missing &= l.fields
	// Counters are not latched in one and the same clock.
	slack := clocks/100 + 1024
	w.busy, w.eus = clocks+slack, all+slack*l.eus
}

// note counts what is worth telling about a row, and appends its gap or late span, and the region that it ends.
func (a *Accumulator) note(b *capture.Batch, w *row) {
	s := &a.stats
	if s.Rows++; s.Rows == 1 {
		s.First = w.start
	}
	s.Measured += w.end - w.start
	s.Last = w.end
	ticks := a.block.ticks(a.format, w)
	if w.id.HasRatios && w.id.Slice != w.id.Unslice {
		s.unequalClocks++
	}
	if max := a.limits.checked; max > 0 && w.missing&missingClocked == 0 &&
		ticks*a.limits.frequency > max*(w.elapsed+2) {
		s.tooFast++
	}
	lost := uint64(0)
	if w.marks.Within > 0 {
		s.LostInRow++
		lost = a.lost(w.elapsed)
	}
	if w.missing != 0 {
		s.TooLong++
	}
	// A row that lacks the counters of EUs only is no gap: the others are there, and those missing say why.
	switch {
	case w.missing&missingClocked != 0 && !a.format.wide:
		b.Gaps = append(b.Gaps, capture.Gap{Start: w.start, End: w.end, Lost: lost, Reason: wrapped})
	case w.marks.Within > 0:
		b.Late = append(b.Late, capture.Gap{Start: w.start, End: w.end, Lost: lost, Reason: droppedWithin})
	}
	if ticks == 0 && w.missing&missingClocked == 0 {
		s.Stopped++
		if !a.stopped {
			a.stopped, a.stoppedRow = true, capture.Region{Name: regionStopped, Start: w.start}
		}
		a.stoppedRow.End = w.end
	} else {
		a.endStop(b)
	}
}

// regionStopped is the region of rows in which the GPU's clock stood still.
const regionStopped = "clock stopped (RC6 or gated)"

// endStop appends the region of a stopped clock that has ended.
func (a *Accumulator) endStop(b *capture.Batch) {
	if a.stopped {
		b.Regions = append(b.Regions, a.stoppedRow)
		a.stopped = false
	}
}

// lost estimates how many reports a row lacks; 0 where the period is unknown.
func (a *Accumulator) lost(elapsed uint64) uint64 {
	if a.opt.PeriodTicks == 0 {
		return 0
	}
	n := (elapsed + a.opt.PeriodTicks/2) / a.opt.PeriodTicks
	return max(n, 2) - 1
}

// gapBefore appends the gap between the last row and a report that begins anew.
func (a *Accumulator) gapBefore(b *capture.Batch, until int64) {
	a.endStop(b)
	if !a.anyRow || until <= a.lastEnd {
		return
	}
	var lost uint64
	if a.opt.PeriodTicks > 0 {
		lost = a.lost(uint64(scale(until-a.lastEnd, a.limits.frequency, 1e9)))
	}
	b.Gaps = append(b.Gaps, capture.Gap{Start: a.lastEnd, End: until, Lost: lost,
		Reason: capture.Reason{Code: capture.LostReports, Text: a.why}})
}

// droppedWithin is why a row is longer than the period.
var droppedWithin = capture.Reason{Code: capture.LostReports,
	Text: "the hardware dropped reports: its counters ran on, so this sample has the counts of all that time, of whichever context"}

// Reasons of gaps: after the last row they stand for the mark of the loss, which no row keeps.
const (
	overflowed   = "the buffer overflowed and every report in it was lost"
	droppedAtEnd = "the hardware dropped reports here, and none came after"
)

// gapAtEnd appends the gap between the last row and the last clock correlation, where reports were lost and none came
// after. Without such a correlation nothing tells how long it was.
func (a *Accumulator) gapAtEnd(b *capture.Batch) {
	n := len(a.clock.points)
	if a.pending == (marks{}) || !a.anyRow || n == 0 {
		return
	}
	if !a.pending.breaks() {
		a.why = droppedAtEnd
	}
	until := a.clock.points[n-1].CPU
	a.gapBefore(b, until)
	a.stats.Last = max(a.stats.Last, until)
	a.pending = marks{}
}

// Warnings says what is wrong with, or worth knowing of, everything so far: losses with their counts, and values that
// cannot be.
func (a *Accumulator) Warnings() []string {
	var out []string
	say := func(n uint64, format string, args ...any) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	s := a.Stats()
	// In the order of what to look at first: what was lost, then what cannot be trusted, then what is only unusual.
	say(s.ReportLost,
		"the hardware dropped reports %d times: rows that span a loss are longer, count for the total, and have no context",
		s.ReportLost)
	say(s.BufferLost, "the buffer of reports overflowed %d times: what was measured until it ran again is lost",
		s.BufferLost)
	if s.ReportLost+s.BufferLost+s.Restarts > 0 && s.Rows > 0 {
		say(1, "the rows cover %.4g %% of the time from the first report to the last", 100*s.Coverage())
	}
	say(s.TooLong,
		"in %d of %d rows the two reports are so far apart that counters may have wrapped more than once: those values are missing; sample more often",
		s.TooLong, s.Rows)
	say(s.Backwards, "%d reports have a timestamp before that of the report before them: they were left out",
		s.Backwards)
	say(s.ZeroElapsed,
		"%d reports have the same timestamp as the report before them: what was counted between the two was left out",
		s.ZeroElapsed)
	say(s.NotLanded, "%d reports were empty, because the hardware had not written them yet: they were left out",
		s.NotLanded)
	say(s.rejected, "%d clock correlations do not follow in time from those before: they were left out", s.rejected)
	say(s.Spurious,
		"%d single reports without the context's id were counted for it: the hardware marks one so where a context is submitted again",
		s.Spurious)
	if s.Matched > 0 {
		say(s.Elsewhere, "the context did not run all the time (disjoint): %d of %d rows are of other contexts or idle",
			s.Elsewhere, s.Rows)
	}
	say(s.unequalClocks,
		"slice and unslice clocks differ in %d of %d rows: C counters cannot count events of the slice there, and at most 7 of its signals were counted together",
		s.unequalClocks, s.Rows)
	say(s.tooFast,
		"in %d of %d rows the GPU's clock ran faster than its highest frequency: the frequencies that the capture states, or the reports, are wrong",
		s.tooFast, s.Rows)
	var parts []string
	for c, n := range a.doubts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d)", a.format.fields[c].name, n))
		}
	}
	if len(parts) > 0 {
		say(1,
			"more was counted than clocks and EUs allow, in this many rows: %s: the reports are damaged, or of another format or GPU",
			strings.Join(parts, ", "))
	}
	return out
}
