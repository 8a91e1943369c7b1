package panfrost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// maxInterval is the longest time between two samples: their 32-bit values hold about 4 s at 1 GHz.
const maxInterval = time.Second

// stream is the device with its counters on.
type stream struct {
	schema     capture.Schema
	dev        mali.Device
	packed     *mali.Packed
	table      *mali.Table
	gauges     *mali.Gauges
	firstGauge int
	interval   time.Duration
	now        func() (before, raw, after int64)

	dumper *dumper // nil before the first Read
	closed bool
	ended  error // what the next Read returns

	removed error // the driver's words where the device went

	last   int64  // end of the last row
	silent uint64 // requests since then that were not answered

	merged, stretched, failed uint64
}

// Open prepares to measure. The counters are switched on by the first Read.
func (s *Source) Open(_ context.Context, r hwio.Request) (hwio.Stream, error) {
	for name := range r.Options {
		return nil, fmt.Errorf("source %s has no options, so none is called %q", sourceName, name)
	}
	if r.Period <= 0 {
		r.Period = hwio.DefaultPeriod
	}
	dev, g, at, err := s.open()
	if err != nil {
		return nil, err
	}
	want := func(m *capture.Meta) bool { return len(r.Counters) == 0 || hwio.MatchAny(r.Counters, m) }
	packed := mali.NewPacked(&g)
	st := &stream{
		dev: dev, packed: packed, interval: min(r.Period, maxInterval), now: s.clocks,
		table:  mali.NewTable(packed.Blocks, g.Product.Layout, g.Product.Catalogue(), sourceName, want),
		gauges: mali.OpenGauges(s.root, at.sysfs, sourceName, r.Period, want),
	}
	st.schema.Config = g.Config(sourceName, "panfrost")
	st.schema.Config.Warnings = append(st.schema.Config.Warnings,
		sourceName+": while its counters are on the GPU stays powered: its idle power is not what it is without them")
	if r.Period > maxInterval {
		st.schema.Config.Warnings = append(st.schema.Config.Warnings,
			sourceName+": samples are taken every second, because 32-bit values could overflow in a longer one")
	}
	st.firstGauge = len(st.table.Columns)
	st.schema.Columns = append(st.schema.Columns, st.table.Columns...)
	st.schema.Columns = append(st.schema.Columns, st.gauges.Columns...)
	if len(st.schema.Columns) == 0 {
		_ = st.gauges.Close()
		_ = dev.Close()
		return nil, hwio.ErrNoMatch
	}
	return st, nil
}

func (st *stream) Schema() *capture.Schema { return &st.schema }

// StampsSamples marks the stream: samples have the times of the requests for them.
func (st *stream) StampsSamples() {}

// Read appends the samples that have been taken.
func (st *stream) Read(_ context.Context, b *capture.Batch) error {
	if st.ended != nil {
		return st.ended
	}
	if st.dumper == nil {
		before, _, _ := st.now()
		if err := enable(st.dev, true); err != nil {
			return enableProblem(err)
		}
		_, _, after := st.now()
		st.last = before + (after-before)/2
		st.dumper = startDumper(st.dev, st.packed.Room, st.interval, st.now, st.last)
		return nil
	}
	return st.drain(b)
}

// drain appends what is there. Rows of a Read stay in the recording also where the device ends with them: the recorder
// takes back those of a Read that fails.
func (st *stream) drain(b *capture.Batch) error {
	rows := len(b.Start)
	for st.ended == nil {
		select {
		case d := <-st.dumper.full:
			st.append(b, &d)
			st.dumper.free <- d.data
		default:
			return nil
		}
	}
	if len(b.Start) > rows {
		return nil
	}
	return st.ended
}

const noAnswer = "the GPU did not answer the request for a sample in time"

func timedOut(err error) bool { return errors.Is(err, syscall.ETIMEDOUT) }

func (st *stream) append(b *capture.Batch, d *dump) {
	blocks, _ := st.packed.Values(d.data) // buffers have room for them
	switch {
	case d.err == nil:
	case timedOut(d.err):
		st.failed++
		st.silent++
		return
	case errors.Is(d.err, syscall.ENODEV), errors.Is(d.err, syscall.ENXIO), errors.Is(d.err, syscall.EIO):
		st.removed, st.ended = d.err, io.EOF
		return
	default:
		st.ended = fmt.Errorf("take a sample: %w", d.err)
		return
	}
	b.Start, b.End = append(b.Start, d.start), append(b.End, d.end)
	st.table.Append(b, blocks, nil)
	st.gauges.Append(b, st.firstGauge)
	st.last = d.end
	if st.silent > 0 {
		b.Late = append(b.Late, lost(d.start, d.end, st.silent,
			noAnswer+": this sample has that time and what was counted in it"))
		st.silent = 0
	} else if periods := float64(d.end-d.start) / float64(st.interval); periods >= 1.5 {
		n := uint64(math.Round(periods) - 1)
		st.stretched++
		st.merged += n
		b.Late = append(b.Late, lost(d.start, d.end, n,
			"no sample was taken for a while: this sample has that time and its counts"))
	}
}

// lost is a stretch that lacks n samples: a gap, or late time.
func lost(start, end int64, n uint64, why string) capture.Gap {
	return capture.Gap{Start: start, End: end, Lost: n, Reason: capture.Reason{Code: capture.LostReports, Text: why}}
}

// answerWait is how long the last sample may take. The driver gives up a request after a second by itself, so one that
// is under way at the end comes back, and another one takes what it would have counted; only a driver that hangs
// itself, or a machine that stands still, needs more.
const answerWait = 10 * time.Second

// Finish takes a last sample and appends what is left.
func (st *stream) Finish(_ context.Context, b *capture.Batch) error {
	if st.dumper == nil || st.ended != nil {
		return nil
	}
	if !st.dumper.stop(answerWait) {
		st.failed++
		st.silent++
	}
	err := st.drain(b)
	if now, _, _ := st.now(); st.silent > 0 && now > st.last {
		b.Gaps = append(b.Gaps, lost(st.last, now, st.silent, noAnswer+", and the recording ended"))
		st.silent = 0
	}
	return err
}

// Conclude sums up what happened to samples.
func (st *stream) Conclude() []string {
	var out []string
	if st.removed != nil {
		out = append(out, fmt.Sprintf("%s: the GPU or its driver was removed during the recording, which ends there (%v)", sourceName, st.removed))
	}
	if st.stretched > 0 {
		out = append(out, fmt.Sprintf("%s: %d samples cover %d periods more than their own, because the GPU or this program was late: counts are complete, resolution is lost there",
			sourceName, st.stretched, st.merged))
	}
	if st.failed > 0 {
		out = append(out, fmt.Sprintf("%s: the GPU did not answer %d requests for a sample in time: there the next sample covers more than its period, or the recording ends early", sourceName, st.failed))
	}
	return append(out, st.table.Notes(sourceName)...)
}

// Close switches the counters off and releases everything.
func (st *stream) Close() error {
	if st.closed {
		return nil
	}
	st.closed = true
	errs := []error{st.gauges.Close()}
	if st.dumper != nil {
		st.dumper.stop(answerWait)
		// A device that is gone has none to switch off.
		if err := enable(st.dev, false); err != nil && st.ended == nil {
			errs = append(errs, fmt.Errorf("switch the counters off: %w", err))
		}
	}
	return errors.Join(append(errs, st.dev.Close())...)
}
