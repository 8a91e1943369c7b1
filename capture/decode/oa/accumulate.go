package oa

import (
	"fmt"

	"astrolabe/capture"
)

// Options say how reports are accumulated.
type Options struct {
	Info Info
	// GPU is the catalogue id; "" takes that of Info.DeviceID, if there is one.
	GPU string
	// Source is the name of the reader, for the columns' descriptions.
	Source string
	// Variant is the meaning of a report's first word; nil takes that of Info.DeviceID.
	Variant *Variant
	// Filtered says that the stream is restricted to the hardware context Context: reports of others come without a
	// valid id.
	Filtered bool
	Context  uint32
	// PeriodTicks is the sampling period in ticks of the timestamp, to estimate how many reports were lost; 0 if
	// unknown.
	PeriodTicks uint64
	// Survey is the result of a first pass over the stream; nil for a live one.
	Survey *Survey
	// Stream is the whole stream where it lies in memory, which must stay until Finish or Abandon. Reports are then
	// taken over by ReportAt, and their columns are filled on all cores.
	Stream []byte
	// stretch is how many rows of Stream are worked on together, 0 for as many as is good.
	stretch int
	// Separate makes rows of reports 0 and 1, 2 and 3, and so on, instead of every report with the next.
	Separate bool
}

// Accumulator turns reports into rows, one from each report to the next: exact deltas, as wide as each field is.
// Everything is told to it in the order of the stream. It is used by one goroutine at a time and holds a fixed number
// of reports; what it appends to a batch is all that grows.
type Accumulator struct {
	opt     Options
	format  *Format
	variant Variant
	layout  layout
	schema  capture.Schema
	clock   clock
	limits  limits
	stats   Stats
	doubts  []int64 // by field: how many differences are more than can have been counted
	names   contextNames
	reasons reasonCodes
	whole   wholeColumns // of a whole stream

	block block
	base  base

	// Of correlation points.
	seen    point // the last one met in the stream
	synced  bool  // there is one
	renewed bool  // it came after the last report
	next    int   // of the points of a survey, the next to be met

	header   bool  // the headers were repeated since the last report
	pending  marks // losses since the last report
	why      string
	marks    marks // of the base: what was lost before it
	retry    int   // reports in a row that ran backwards
	misses   int   // of a filtered stream: mismatching reports in a row, with the base
	lastEnd  int64 // of the last row, ns
	anyRow   bool
	pairOpen bool // of Separate: the base waits for its second report

	stopped    bool // the clock stood still in the last row
	stoppedRow capture.Region
}

// base is the report that the next one is compared with.
type base struct {
	set     bool
	at      int // in the block
	full    int64
	stamp   uint64
	id      ReportID
	context uint32
	match   bool  // of a filtered stream
	end     int64 // CPU time, ns
}

// NewAccumulator checks the options. The error says what is wrong with Info.
func NewAccumulator(o Options) (*Accumulator, error) {
	f, err := o.Info.Layout()
	if err != nil {
		return nil, err
	}
	a := &Accumulator{opt: o, format: f}
	if o.Variant != nil {
		a.variant = *o.Variant
	} else {
		v, sure := variantOf(o.Info.DeviceID, f)
		if a.variant = v; !sure {
			a.schema.Config.Warnings = append(a.schema.Config.Warnings,
				fmt.Sprintf("device %#04x is unknown: the first words of its reports are read as those of %s",
					o.Info.DeviceID, v))
		}
	}
	if a.opt.Info.TimestampFrequency == 0 {
		if a.opt.Info.TimestampFrequency = TimestampFrequencyOf(o.Info.DeviceID); a.opt.Info.TimestampFrequency == 0 {
			return nil, fmt.Errorf("the timestamp frequency is not stated, and that of %s depends on the part", DeviceName(o.Info.DeviceID))
		}
		a.schema.Config.Warnings = append(a.schema.Config.Warnings,
			fmt.Sprintf("the timestamp frequency is not stated: %g MHz is assumed, which this GPU has by its device id",
				float64(a.opt.Info.TimestampFrequency)/1e6))
	}
	// Only a damaged file states such a clock, and the times computed with it would not show it.
	if a.opt.Info.TimestampFrequency > 1e12 {
		return nil, fmt.Errorf("timestamp frequency of %d Hz: Intel's GPUs have 12 to 40 MHz",
			a.opt.Info.TimestampFrequency)
	}
	a.configure()
	a.limits = newLimits(&a.opt.Info, a.schema.Config.GPU, f)
	a.clock.frequency, a.clock.live = a.opt.Info.TimestampFrequency, o.Survey == nil
	a.clock.register = registerBits + a.opt.Info.Shift
	// A survey has read the whole file before: with all correlations known, the times of the first reports are as good
	// as those of the last. Live, they come in one by one.
	if o.Survey != nil {
		anew := false
		for _, s := range o.Survey.syncs {
			// A mark that the clock begins anew is no correlation; the next one that is taken carries it.
			if anew = anew || s.anew; s.anew {
				continue
			}
			if a.clock.add(s.Correlation, anew) {
				anew = false
			}
		}
	}
	a.doubts = make([]int64, len(f.fields))
	a.block.init(f.Size, o.Stream, o.stretch)
	return a, nil
}

// configure makes the schema.
func (a *Accumulator) configure() {
	cfg, info := &a.schema.Config, &a.opt.Info
	cfg.GPU = a.opt.GPU
	if cfg.GPU == "" {
		var why string
		if cfg.GPU, why = CatalogueOf(info.DeviceID); why != "" {
			cfg.Warnings = append(cfg.Warnings, why)
		}
	}
	props, warnings := info.properties()
	cfg.Properties, cfg.Warnings = props, append(cfg.Warnings, warnings...)
	cfg.Device = deviceOf(info)
	a.layout = newLayout(a.format, a.variant, cfg.GPU, a.opt.Source)
	a.schema.Columns = a.layout.columns
	a.schema.Labels = []string{labelContext}
	if a.variant != UserID {
		a.schema.Labels = append(a.schema.Labels, labelReason)
	}
}

// Schema describes the rows: columns, labels, and of the capture the GPU, device, properties and warnings known from
// the start.
func (a *Accumulator) Schema() *capture.Schema { return &a.schema }

// Format is the layout of the reports.
func (a *Accumulator) Format() *Format { return a.format }

// Correlate takes over a clock correlation. In a live stream it is to be taken before the read whose reports follow:
// these then lie between two points.
func (a *Accumulator) Correlate(c Correlation) {
	c.GPU <<= a.opt.Info.Shift
	if a.opt.Survey == nil {
		if a.clock.add(c, false) {
			a.meet(a.clock.points[len(a.clock.points)-1])
		}
		return
	}
	for i := a.next; i < len(a.clock.points); i++ {
		if a.clock.points[i].measured == c {
			a.next = i + 1
			a.meet(a.clock.points[i])
			return
		}
	}
}

func (a *Accumulator) meet(p point) {
	a.seen, a.synced, a.renewed = p, true, true
	if p.fresh {
		a.Restart("the GPU's clock was set anew")
	}
}

// ReportLost says that the hardware dropped reports here.
func (a *Accumulator) ReportLost() {
	a.stats.ReportLost++
	a.pending.Within = addMark(a.pending.Within)
}

// BufferLost says that the buffer overflowed here and the unit was started again.
func (a *Accumulator) BufferLost() {
	a.stats.BufferLost++
	a.pending.Buffer = addMark(a.pending.Buffer)
	a.drop(overflowed)
}

// Restart says that what follows does not continue what was before, such as after the stream was disabled and enabled.
// why is a clause for the gap, such as "the stream was stopped for a while".
func (a *Accumulator) Restart(why string) {
	a.stats.Restarts++
	a.pending.Restarts = addMark(a.pending.Restarts)
	a.drop(why)
}

// Header says that the headers of a recording stand here once more, and no clock correlation that would begin another
// one. What follows continues what was before, unless so much time has passed that counters may have wrapped in it.
func (a *Accumulator) Header() { a.header = true }

func (a *Accumulator) drop(why string) {
	a.why = why
	a.base.set, a.pairOpen = false, false
}

func addMark(n uint16) uint16 { return min(n, 1<<16-2) + 1 }

// ReportAt is Report for the report of size bytes that lies at a position of Options.Stream.
func (a *Accumulator) ReportAt(b *capture.Batch, at, size int) error {
	a.block.at = at
	return a.Report(b, a.block.data[at:at+size])
}

// Report takes over a report, and appends rows to b when enough have come together. The error is that of a report of
// another size; it is not taken over. r is not kept.
func (a *Accumulator) Report(b *capture.Batch, r Report) error {
	if len(r) != a.format.Size {
		return fmt.Errorf("report of %d bytes, and format %s has %d", len(r), a.format.Name, a.format.Size)
	}
	stamp := a.format.Timestamp(r)
	// The tail pointer moves before memory has the report. Where users choose the id, 0 is one, and time alone says
	// too little.
	if a.format.ID(r) == 0 && stamp == 0 && a.variant != UserID {
		a.stats.NotLanded++
		return nil
	}
	a.stats.Reports++
	renewed := a.renewed
	full := a.unwrap(stamp)
	if header := a.header; header && a.base.set {
		a.header = false
		// A recorder that was restarted on the same file goes on within the wrap of its counters; anything else
		// would be counted as one row across both recordings.
		if d := full - a.base.full; d < 0 || a.limits.wrap > 0 && uint64(d) > a.limits.wrap {
			a.Restart("another recording begins")
		}
	}
	if !a.base.set {
		a.start(b, r, full)
		return nil
	}
	elapsed := full - a.base.full
	if a.opt.Separate {
		a.separate(b, r, full, elapsed)
		return nil
	}
	switch {
	case elapsed < 0:
		// One report out of order is left out, and the next is compared with the same base. A second one means that
		// time itself was set back.
		a.stats.Backwards++
		if a.retry++; a.retry < 2 {
			a.renewed = renewed
			return nil
		}
		if !renewed {
			full += 1 << 32 // nothing tells how far time was set back: it goes on
		}
		a.pending.Restarts = addMark(a.pending.Restarts)
		a.why = "the GPU's timestamps ran backwards"
		a.start(b, r, full)
		return nil
	case elapsed == 0:
		// The later of the two becomes the base: its counters hold what the first had not latched yet.
		a.stats.ZeroElapsed++
		a.move(b, r, full)
		return nil
	}
	a.row(b, r, full, uint64(elapsed))
	return nil
}

// separate takes over a report of a stream of pairs.
func (a *Accumulator) separate(b *capture.Batch, r Report, full, elapsed int64) {
	switch {
	case !a.pairOpen:
		if elapsed < 0 {
			full += 1 << 32 // pairs stand in order, so the timestamp has wrapped between them
		}
		a.start(b, r, full)
	case elapsed < 0:
		a.stats.Backwards++
		a.pairOpen = false
	case elapsed == 0:
		a.stats.ZeroElapsed++
		a.pairOpen = false
	default:
		a.row(b, r, full, uint64(elapsed))
	}
}

// unwrap is the full timestamp of a report: by the correlation that came since the last report, else by its distance to
// that.
func (a *Accumulator) unwrap(stamp uint64) int64 {
	renewed := a.renewed
	a.renewed = false
	low := uint32(stamp)
	if a.stats.Reports == 1 {
		switch {
		case a.synced:
			return a.seen.anchor(low)
		case a.opt.Survey != nil && a.opt.Survey.beginning:
			return a.opt.Survey.begin
		}
		return int64(stamp)
	}
	if renewed {
		// They differ by whole wraps. More of them passed than two reports can show, or none: time ran backwards.
		return a.seen.anchor(low)
	}
	if a.format.wide {
		return a.base.full + int64(stamp-a.base.stamp) // it does not wrap
	}
	was := uint32(a.base.stamp)
	if a.base.set && low-was > 1<<31 {
		return a.base.full - int64(was-low)
	}
	return a.base.full + int64(low-was)
}

// start makes a report the base, with nothing to compare it with.
func (a *Accumulator) start(b *capture.Batch, r Report, full int64) {
	a.move(b, r, full)
	a.base.end = a.time(full)
	a.pairOpen = true
	if a.pending.breaks() {
		a.gapBefore(b, a.base.end)
	}
	a.marks = marks{Before: a.pending.Within, Buffer: a.pending.Buffer, Restarts: a.pending.Restarts}
	a.pending = marks{}
	if !a.base.match {
		a.misses = 2 // what came before is unknown, so this is no single mismatch
	}
}

// move makes a report the base.
func (a *Accumulator) move(b *capture.Batch, r Report, full int64) {
	if a.block.full() {
		a.write(b)
	}
	id := a.variant.Decode(uint32(a.format.ID(r)))
	if a.base.set && id.HasRatios && (id.Slice != a.base.id.Slice || id.Unslice != a.base.id.Unslice) {
		a.stats.ClockChanges++
	}
	a.retry = 0
	a.base = base{set: true, at: a.block.add(r), full: full, stamp: a.format.Timestamp(r), id: id, context: a.format.Context(r),
		end: a.base.end}
	if a.opt.Filtered {
		a.base.match = a.matches(id, a.format.Context(r))
		if a.misses++; a.base.match {
			a.misses = 0
		}
	}
}

func (a *Accumulator) matches(id ReportID, context uint32) bool {
	return id.ContextValid && context == a.opt.Context
}

// time is the CPU's time of a report: it never goes back before the end of the last row.
func (a *Accumulator) time(full int64) int64 {
	t := a.clock.ns(full)
	if a.anyRow {
		t = max(t, a.lastEnd)
	}
	return t
}

// shortest is the least length in ns of a row over some ticks. The line of a live stream runs ahead where one of its
// last two points was measured late, as happens on a busy machine. What comes next then catches up at half the pace of
// the GPU's clock: rows without a length would have no rates.
func (a *Accumulator) shortest(elapsed uint64) int64 {
	const longest = 1 << 50 // two weeks, far below what could overflow
	if !a.clock.live {
		return 0
	}
	return min(scale(int64(min(elapsed, longest)), 1e9, a.clock.frequency)/2, longest)
}

// row appends the row from the base to r.
func (a *Accumulator) row(b *capture.Batch, r Report, full int64, elapsed uint64) {
	if a.block.full() {
		a.write(b)
	}
	before, misses := a.base, a.misses
	a.move(b, r, full)
	end := max(a.time(full), before.end, before.end+a.shortest(elapsed))
	w := &a.block.rows[a.block.n]
	*w = row{old: before.at, new: a.base.at, start: before.end, end: end, begin: before.full, elapsed: elapsed,
		id: before.id, marks: a.marks}
	w.marks.Within = a.pending.Within
	a.context(w, &before, misses)
	w.reason = a.reasons.code(before.id.Reason)
	if p := a.clock.near(full); p != nil {
		w.sync, w.synced = p.Correlation, true
	}
	a.limits.judge(w, a.block.ticks(a.format, w))
	a.note(b, w)
	a.block.n++
	a.marks, a.pending = marks{}, marks{}
	a.base.end, a.lastEnd, a.anyRow = w.end, w.end, true
	a.pairOpen = false
}

// context names the context of a row, which is that of the report that begins it.
func (a *Accumulator) context(w *row, before *base, misses int) {
	valid := before.id.ContextValid && before.context != NoContext
	if a.variant == UserID {
		valid = before.context != NoContext
	}
	switch {
	case w.marks.Within > 0:
		// Another context may have run meanwhile: the row counts for the whole only.
		w.context = nowhere
	case a.opt.Filtered && before.match:
		w.context = a.names.id(a.opt.Context)
	case a.opt.Filtered && misses == 1 && a.base.match:
		// The hardware sometimes marks one report invalid where the same context is submitted again.
		w.context = a.names.id(a.opt.Context)
		a.stats.Spurious++
	case a.opt.Filtered:
		w.context = a.names.of(otherContext, &a.names.other)
		a.stats.Elsewhere++
	case valid:
		w.context = a.names.id(before.context)
	default:
		w.context = a.names.of(idleContext, &a.names.idle)
	}
	if before.match {
		a.stats.Matched++
	}
}

// Names of contexts without an id.
const (
	idleContext  = "idle"          // no context was valid
	otherContext = "other or idle" // of a filtered stream: any but the one that was asked for
)

// Flush appends the rows that are complete to b. A live reader calls it at the end of every read.
func (a *Accumulator) Flush(b *capture.Batch) {
	a.write(b)
	a.settle(b)
	if a.opt.Survey == nil {
		a.clock.forget()
	}
}

// Finish appends what remains to b: the rows that are complete, and what was lost after the last of them.
func (a *Accumulator) Finish(b *capture.Batch) {
	a.Flush(b)
	a.endStop(b)
	a.gapAtEnd(b)
}
