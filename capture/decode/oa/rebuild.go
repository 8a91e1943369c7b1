package oa

import (
	"fmt"
	"math"

	"astrolabe/capture"
)

// Rebuilder makes the records of a stream again from a capture of reports: reports whose deltas, contexts and
// timestamps are those of the capture, loss marks and clock correlations. Counters start at 0, since only differences
// were kept.
type Rebuilder struct {
	info    Info
	format  *Format
	n       int
	axis    *capture.Axis
	epoch   int64    // CPU time of the axis's zero, ns
	time    []uint64 // delta
	deltas  []capture.Data
	keep    [8][]uint64
	present capture.Data // of the rows: a row without a time was not made of reports
	synced  capture.Data
	tail    Correlation // behind the last report
	tailed  bool        // it is known
	ending  capture.Gap // after the last row; of no length where nothing was lost there
}

// NewRebuilder checks that the capture holds what it takes. The error says what is missing, and why that may be.
func NewRebuilder(c *capture.Capture) (*Rebuilder, error) {
	info, err := InfoOf(&c.Config)
	if err != nil {
		return nil, err
	}
	if info.Set, err = setOf(c, info.Set); err != nil {
		return nil, err
	}
	f, err := info.Layout()
	if err != nil {
		return nil, err
	}
	// Reports are rebuilt by adding up differences. A sample that stands for several has no report at its ends.
	if c.Axis.Count != nil || c.Axis.Covered != nil {
		return nil, fmt.Errorf("the capture was resampled: its samples no longer lie between two reports")
	}
	r := &Rebuilder{info: info, format: f, n: c.Len(), axis: c.Axis}
	column := func(name string) (capture.Data, error) {
		ctr := c.Counter(name)
		if ctr == nil || ctr.Col == nil {
			return capture.Data{}, fmt.Errorf(
				"the capture has no column %s: it was not made from a stream of OA reports, or has lost it", name)
		}
		d := ctr.Col.Data()
		if err := ctr.Col.Err(); err != nil {
			return d, fmt.Errorf("read column %s: %w", name, err)
		}
		if d.U == nil && d.Len() > 0 {
			return d, fmt.Errorf(
				"column %s no longer holds whole numbers: the capture was resampled or otherwise computed", name)
		}
		return d, nil
	}
	d, err := column("TIMESTAMP")
	if err != nil {
		return nil, err
	}
	r.time, r.present = d.U, d
	for _, name := range append([]string{"GPU_TICKS"}, f.Counters()...) {
		if d, err = column(name); err != nil {
			return nil, err
		}
		r.deltas = append(r.deltas, d)
	}
	for i, k := range keepColumns {
		if d, err = column(k.name); err != nil {
			return nil, err
		}
		r.keep[i] = d.U
		if k.name == colSyncCPU {
			r.synced = d
		}
	}
	// A clock correlation stands in the row that follows it; the one behind the last report has none.
	r.tail, r.tailed = tailOf(&c.Config)
	r.findEpoch()
	for _, g := range c.Gaps {
		if last := r.n - 1; last >= 0 && g.Start >= r.axis.End[last] &&
			(g.Reason.Text == overflowed || g.Reason.Text == droppedAtEnd) {
			r.ending = g
		}
	}
	return r, r.check()
}

// findEpoch finds the CPU time of the axis's zero, from the row that begins closest to its correlation. Readers count
// full timestamps from the first correlation on, so that later ones are beyond the register by some times 2^36 where it
// wrapped, and by some times 2^32 where the CPU's clock went on for longer than the GPU's, which reports with 32 bits
// cannot tell from a wrap. A capture of one correlation far from every row was cut out of a longer one: there the
// distance is meant.
func (r *Rebuilder) findEpoch() {
	const near, far = int64(1) << 31, int64(1) << (registerBits - 1)
	register := registerBits + r.info.Shift
	_ = r.closest(64, near) || r.closest(register, near) || r.correlations() > 1 && r.closest(32, near) ||
		r.closest(64, far) || r.closest(register, far)
}

// closest takes the epoch from the row that begins closest to its correlation by the low bits of their difference, if
// that is below the limit.
func (r *Rebuilder) closest(bits int, limit int64) bool {
	found := false
	for i := range r.n {
		if r.present.Missing(i) || r.synced.Missing(i) {
			continue
		}
		d := int64(r.keep[keepTime][i]-r.keep[keepGPU][i]) << (64 - bits) >> (64 - bits)
		if abs := max(d, -d); abs >= 0 && abs < limit {
			limit, found = abs, true
			r.epoch = int64(r.keep[keepCPU][i]) + scale(d, 1e9, r.info.TimestampFrequency) - r.axis.Start[i]
		}
	}
	return found
}

// correlations is how many different ones the rows have, of which those that follow each other count.
func (r *Rebuilder) correlations() int {
	n, last := 0, Correlation{}
	for i := range r.n {
		if r.present.Missing(i) || r.synced.Missing(i) {
			continue
		}
		if c := (Correlation{CPU: int64(r.keep[keepCPU][i]), GPU: r.keep[keepGPU][i]}); n == 0 || c != last {
			n, last = n+1, c
		}
	}
	return n
}

// setOf is the metric set of a capture: its property, or the one value of the label of samples whose sets took turns.
func setOf(c *capture.Capture, set string) (string, error) {
	l := c.Label(propSet)
	if set != "" || l == nil {
		return set, nil
	}
	code := int32(-1)
	for _, k := range l.Codes {
		if k >= 0 && code >= 0 && k != code {
			return "", fmt.Errorf(
				"the metric sets %s and %s took turns in the capture, and a recording holds one: take the samples of one set, such as by group_by(%q)",
				l.Dict[code], l.Dict[k], propSet)
		}
		code = max(code, k)
	}
	if code < 0 {
		return "", nil
	}
	return l.Dict[code], nil
}

// Positions in Rebuilder.keep, those of keepColumns.
const (
	keepID = iota
	keepContext
	keepEndID
	keepEndContext
	keepTime
	keepCPU
	keepGPU
	keepMarks
)

// check makes sure that rows follow each other wherever no loss says why not.
func (r *Rebuilder) check() error {
	last, any := uint64(0), false
	for i := range r.n {
		if r.present.Missing(i) {
			continue
		}
		if any && r.keep[keepTime][i] != last && !unpackMarks(r.keep[keepMarks][i]).breaks() {
			return fmt.Errorf(
				"sample %d does not begin with the report that ended the sample before, and no loss explains it: samples were left out or put in another order; take the whole recording",
				i)
		}
		last, any = r.keep[keepTime][i]+r.time[i], true
	}
	return nil
}

// Info describes the device and the measurement.
func (r *Rebuilder) Info() *Info { return &r.info }

// Shape is what decides how well other programs read the stream.
type Shape struct {
	Reports      int
	Correlations bool // there is one, so that there will be one before the first report and one after the last
	Crosses      bool // the timestamp's low 32 bits wrap between first and last report
	Breaks       int  // new beginnings after losses
	Lost         int  // rows within which reports were lost
	Wrapped      int  // rows without all of their values
}

// Shape looks through the rows.
func (r *Rebuilder) Shape() Shape {
	var s Shape
	first, last, any := uint64(0), uint64(0), false
	for i := range r.n {
		if r.present.Missing(i) {
			continue
		}
		m := unpackMarks(r.keep[keepMarks][i])
		begin := r.keep[keepTime][i]
		switch {
		case !any:
			first, any = begin, true
			s.Reports++
		case m.breaks():
			s.Breaks++
			s.Reports++
		}
		s.Reports++
		if m.Within > 0 {
			s.Lost++
		}
		for c := range r.deltas {
			if r.deltas[c].Missing(i) {
				s.Wrapped++
				break
			}
		}
		last = begin + r.time[i]
		s.Correlations = s.Correlations || !r.synced.Missing(i)
	}
	s.Crosses = any && first>>32 != last>>32
	return s
}

// Records makes the records in order. payload is valid during the call only.
func (r *Rebuilder) Records(emit func(kind uint32, payload []byte) error) error {
	w := &rebuilding{Rebuilder: r, emit: emit, values: make([]uint64, len(r.format.fields)),
		report: make([]byte, r.format.Size)}
	for i := range r.n {
		if r.present.Missing(i) {
			continue
		}
		if err := w.row(i); err != nil {
			return err
		}
	}
	return w.close()
}

// rebuilding is the state between two rows.
type rebuilding struct {
	*Rebuilder
	emit   func(kind uint32, payload []byte) error
	values []uint64
	ticks  uint64
	report []byte

	any      bool
	full     uint64 // of the last report
	stable   int64  // full timestamp of the last correlation that was written, or of the last report near one
	sync     Correlation
	haveSync bool
	written  bool  // sync was
	offset   int64 // from the register to full timestamps, a multiple of 2^32
	at       int64 // of the last report, on the axis
	started  bool  // a correlation was written
}

func (w *rebuilding) row(i int) error {
	begin, m := w.keep[keepTime][i], unpackMarks(w.keep[keepMarks][i])
	end := begin + w.time[i]
	w.meet(i, int64(begin), int64(end))
	if !w.any || m.breaks() {
		lost := int(m.Buffer)
		if lost == 0 && m.Restarts > 0 {
			lost = 1 // a new beginning has no mark of its own
		}
		if err := w.marks(RecordBufferLost, lost); err != nil {
			return err
		}
		if err := w.marks(RecordReportLost, int(m.Before)); err != nil {
			return err
		}
		if err := w.put(int64(begin), w.axis.Start[i], w.keep[keepID][i], w.keep[keepContext][i]); err != nil {
			return err
		}
	}
	if err := w.marks(RecordReportLost, int(m.Within)); err != nil {
		return err
	}
	for c, d := range w.deltas {
		if d.Missing(i) {
			continue // the reports are as far apart as they were: readers know by that
		}
		if c == 0 {
			w.ticks += d.U[i]
		} else {
			w.values[c-1] += d.U[i]
		}
	}
	return w.put(int64(end), w.axis.End[i], w.keep[keepEndID][i], w.keep[keepEndContext][i])
}

func (w *rebuilding) marks(kind uint32, n int) error {
	for range n {
		if err := w.emit(kind, nil); err != nil {
			return err
		}
	}
	return nil
}

// meet takes note of the correlation that governs a row.
func (w *rebuilding) meet(i int, begin, end int64) {
	if w.synced.Missing(i) {
		return
	}
	c := Correlation{CPU: int64(w.keep[keepCPU][i]), GPU: w.keep[keepGPU][i]}
	if w.haveSync && c == w.sync {
		return
	}
	first := !w.haveSync
	w.sync, w.haveSync, w.written = c, true, false
	// Full timestamps go on where the register wraps its 36 bits or is set anew. A point lies in its row, or long after
	// the first one.
	const near = 1 << 31
	if at := w.syncFull(); at < begin-near || !first && at > end+near {
		// Rows may be hours long where the CPU's clock went on for that time: which end the point is near, the CPU's
		// clock says.
		since := c.CPU - w.epoch - w.axis.Start[i]
		w.offset = int64(math.Round(float64(begin+scale(since, w.info.TimestampFrequency, 1e9)-int64(c.GPU))/
			(1<<32))) << 32
	}
}

// syncFull is the full timestamp of the correlation.
func (w *rebuilding) syncFull() int64 { return int64(w.sync.GPU) + w.offset }

// put writes a report, and before it the correlation that it needs. at is its time on the axis.
func (w *rebuilding) put(full, at int64, id, context uint64) error {
	if err := w.correlateBefore(full, at); err != nil {
		return err
	}
	w.any, w.full, w.at = true, uint64(full), at
	w.stable = max(w.stable, full)
	w.format.Put(w.report, id, uint64(full), context, w.ticks, w.values)
	return w.emit(RecordSample, w.report)
}

// correlateBefore writes the correlations that belong before a report: the row's own, one before the first report, and
// one where the low 32 bits of the timestamp would not tell how much time has passed.
func (w *rebuilding) correlateBefore(full, at int64) error {
	if !w.haveSync {
		return nil
	}
	if !w.written && w.syncFull() <= full {
		w.written = true
		if err := w.correlate(w.sync, w.syncFull()); err != nil {
			return err
		}
	}
	if w.started && full-w.stable < 1<<31 {
		return nil
	}
	if c := w.made(full, at); c.CPU >= 0 { // the CPU's clock begins at 0
		return w.correlate(c, full)
	}
	return nil
}

func (w *rebuilding) correlate(c Correlation, full int64) error {
	w.started, w.stable = true, full
	return w.emit(RecordCorrelation, w.measured(c).Payload())
}

// measured is a correlation as a recorder measures it.
func (w *rebuilding) measured(c Correlation) Correlation {
	c.GPU >>= w.info.Shift
	return c
}

// made is the correlation at a full timestamp, which the axis has at a time.
func (w *rebuilding) made(full, at int64) Correlation {
	c := Correlation{CPU: w.epoch + at, GPU: uint64(full - w.offset)}
	if register := registerBits + w.info.Shift; w.sync.GPU < 1<<register {
		c.GPU &= 1<<register - 1
	}
	return c
}

// close writes the correlation after the last report.
func (w *rebuilding) close() error {
	if !w.any || !w.haveSync {
		return nil
	}
	if w.ending.End > w.ending.Start {
		kind := uint32(RecordBufferLost)
		if w.ending.Reason.Text == droppedAtEnd {
			kind = RecordReportLost
		}
		if err := w.emit(kind, nil); err != nil {
			return err
		}
	}
	if w.tailed && w.tail.CPU >= w.epoch+w.at {
		return w.emit(RecordCorrelation, w.measured(w.tail).Payload())
	}
	if !w.written && w.syncFull() > int64(w.full) {
		return w.correlate(w.sync, w.syncFull())
	}
	// A reader wants it after the last report; what was lost at the end reaches up to it.
	margin := max(12, scale(w.ending.End-w.ending.Start, w.info.TimestampFrequency, 1e9))
	last := int64(w.full) + margin
	return w.correlate(w.made(last, w.at+scale(margin, 1e9, w.info.TimestampFrequency)), last)
}
