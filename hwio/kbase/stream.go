package kbase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio/internal/mali"
)

// client is a user of one of the driver's two interfaces.
type client interface {
	// start begins counting; now is the time of CLOCK_MONOTONIC_RAW.
	start(now int64) error
	// trigger asks for a sample now, where the driver takes none by itself.
	trigger() error
	// stop ends counting. The driver then holds a last sample.
	stop() error
	// fetch gets the next sample, without waiting. ok is false where there is none. What it points to is valid until
	// giveBack.
	fetch(s *sample) (ok bool, err error)
	giveBack() error
	close() error
}

// stream is an open client with the columns that its samples fill.
type stream struct {
	schema     capture.Schema
	ses        *session
	client     client
	table      *mali.Table
	gauges     *mali.Gauges
	clock      *mali.Clock
	firstClock int
	domains    []int // per clock column
	firstGauge int
	manual     bool
	old        bool // the older interface, which flags nothing
	complete   bool // sequence numbers can be relied on
	period     int64

	began, stopped, closed bool
	concluded              bool  // the sample that the end of counting asked for has come
	ended                  error // what the next Read returns
	removed                error // the driver's words where the device went
	s                      sample
	seq                    uint64 // that the next sample should have
	seqKnown               bool
	last                   int64 // end of the last row, ns of CLOCK_MONOTONIC

	stretched, merged, failed, lost, busy, skipped uint64
}

func (st *stream) Schema() *capture.Schema { return &st.schema }

// StampsSamples marks the stream: the driver says when a sample began and ended.
func (st *stream) StampsSamples() {}

// maxPerRead bounds the samples of one Read: more than the driver's ring holds.
const maxPerRead = 2 * ringSlots

// Read appends a row for every sample that the driver has ready.
func (st *stream) Read(_ context.Context, b *capture.Batch) error {
	switch {
	case st.ended != nil:
		return st.ended
	case st.stopped:
		return io.EOF
	}
	st.clock.Measure()
	if !st.began {
		if err := st.client.start(st.clock.Raw()); err != nil {
			return err
		}
		st.began = true
		return nil
	}
	rows := len(b.Start)
	err := st.drain(b)
	if err == nil && st.manual {
		err = st.demand(b)
	}
	return st.end(err, len(b.Start) > rows)
}

// demand takes a sample by hand.
func (st *stream) demand(b *capture.Batch) error {
	err := st.client.trigger()
	if errors.Is(err, syscall.EBUSY) {
		st.busy++
		return nil
	}
	if err != nil {
		return fmt.Errorf("take a sample: %w", err)
	}
	return st.drain(b)
}

// end decides what an error of the driver means. Rows of this Read stay in the recording: the recorder takes back those
// of a Read that fails.
func (st *stream) end(err error, rows bool) error {
	if err == nil {
		return nil
	}
	st.ended = err
	if gone(err) {
		st.removed, st.ended = err, io.EOF
	}
	if rows {
		return nil
	}
	return st.ended
}

// drain appends all samples that are ready.
func (st *stream) drain(b *capture.Batch) error {
	for range maxPerRead {
		ok, err := st.client.fetch(&st.s)
		if err != nil || !ok {
			return err
		}
		st.append(b, &st.s)
		st.concluded = st.stopped && st.s.requested
		if err := st.client.giveBack(); err != nil {
			return err
		}
	}
	return nil
}

var inError = capture.Reason{Code: capture.LostReports,
	Text: "the driver flagged the sample as in error: its values are not to be used"}

// append adds one sample.
func (st *stream) append(b *capture.Batch, s *sample) {
	bad := !st.old && s.flags&flagError != 0
	dropped := uint64(0)
	if st.complete {
		if st.seqKnown && s.seq > st.seq {
			dropped = s.seq - st.seq
		}
		st.seq, st.seqKnown = s.seq+1, true
	}
	if s.end <= s.start && !bad && dropped == 0 && st.table.Zero(s.blocks) {
		st.skipped++ // the first versions of kinstr give an empty sample at the end, others where another client was served just before
		return
	}
	start, end := st.clock.Interval(s.start, s.end)
	if dropped > 0 {
		st.lost += dropped
		b.Gaps = append(b.Gaps, lost(st.last, start, dropped, "samples were dropped before they could be read"))
	}
	// The first sample begins before the driver's timer does, and no sample was in its way.
	first := st.last == 0
	st.last = end
	b.Start, b.End = append(b.Start, start), append(b.End, end)
	var invalid *capture.Reason
	if bad {
		invalid = &inError
		st.failed++
		b.Gaps = append(b.Gaps, lost(start, end, 1, "the driver flagged a sample as in error"))
	}
	st.table.Append(b, s.blocks, invalid)
	for i, d := range st.domains {
		switch {
		case bad:
			b.AppendMissingFor(st.firstClock+i, inError)
		case d >= s.domains:
			b.AppendMissingFor(st.firstClock+i, capture.Reason{Code: capture.Unsupported,
				Text: "the sample has no cycles of this clock"})
		default:
			b.AppendInt(st.firstClock+i, s.cycles[d])
		}
	}
	st.gauges.Append(b, st.firstGauge)
	if n := st.mergedPeriods(s); n > 0 && !first {
		st.stretched++
		st.merged += n
		b.Late = append(b.Late, lost(start, end, n,
			"the driver took no sample in some periods, for lack of room or time: this sample has their time and counts"))
	}
}

// mergedPeriods is how many periods have no sample of their own because this one covers them. Both interfaces take
// samples at the multiples of the period in CLOCK_MONOTONIC_RAW, a little late each: the multiples that lie in a sample
// are counted exactly, where its length would be off by one whenever the sample before it came late.
func (st *stream) mergedPeriods(s *sample) uint64 {
	if st.manual || st.period <= 0 || s.end <= s.start {
		return 0
	}
	within := s.end/st.period - s.start/st.period
	switch {
	case s.requested && s.end-s.start >= st.period*3/2:
		// The last sample is none of a period. It covers those for which there was no room. One of the timer may come
		// just before it, after the ring was emptied to make room, and is as those before it.
		return uint64(max(0, within))
	case s.requested:
		return 0
	case s.flags&flagStretched != 0 && !st.old:
		return uint64(max(1, within-1))
	case st.old && s.end-s.start >= st.period*3/2:
		return uint64(max(0, within-1))
	}
	return 0
}

// lost is a stretch that lacks n samples: a gap, or late time.
func lost(start, end int64, n uint64, why string) capture.Gap {
	return capture.Gap{Start: min(start, end), End: end, Lost: n, Reason: capture.Reason{Code: capture.LostReports,
		Text: why}}
}

// lastWait is how long Finish waits for the last sample.
const lastWait = 20 * time.Millisecond

// Finish stops counting and appends what is left: the place for the last sample must be free, so that the ring is
// emptied first.
func (st *stream) Finish(_ context.Context, b *capture.Batch) error {
	if !st.began || st.stopped || st.ended != nil {
		return nil
	}
	st.clock.Measure()
	rows := len(b.Start)
	err := st.drain(b)
	if err == nil {
		st.stopped = true
		if err = st.client.stop(); errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EINVAL) {
			err = nil // nothing was counted since the last sample
		}
	}
	for wait := time.Duration(0); err == nil && !st.concluded && wait < lastWait; wait += time.Millisecond {
		if wait > 0 {
			time.Sleep(time.Millisecond)
		}
		err = st.drain(b)
	}
	return st.end(err, len(b.Start) > rows)
}

// Conclude sums up what happened to samples.
func (st *stream) Conclude() []string {
	var out []string
	if st.removed != nil {
		out = append(out, fmt.Sprintf("%s: the GPU or its driver was removed during the recording, which ends there (%v)", sourceName, st.removed))
	}
	say := func(n uint64, format string, args ...any) {
		if n > 0 {
			out = append(out, sourceName+": "+fmt.Sprintf(format, args...))
		}
	}
	say(st.stretched, "%d samples cover %d periods more than their own, because samples were not read in time: counts are complete, resolution is lost there", st.stretched, st.merged)
	say(st.lost, "%d samples were dropped before they could be read", st.lost)
	say(st.failed, "%d samples were flagged as in error by the driver: their values are missing", st.failed)
	say(st.busy, "%d samples could not be taken because the driver's ring was full; the next ones cover their time", st.busy)
	return append(out, st.table.Notes(sourceName)...)
}

// Close stops counting and releases everything. The client goes before the device, whose context it needs.
func (st *stream) Close() error {
	if st.closed {
		return nil
	}
	st.closed = true
	return errors.Join(st.client.close(), st.gauges.Close(), st.ses.dev.Close())
}
