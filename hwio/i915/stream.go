package i915

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
)

const (
	// readBuffer holds 992 records of the largest report.
	readBuffer = 256 << 10
	// maxPerRead bounds what one Read takes: somewhat more than all that the driver's buffer of 16 MiB holds, with the
	// headers of its records. What is newer waits for the next Read.
	maxPerRead = 20 << 20
)

// stream reads reports and turns them into rows. The GPU stamps them; the recorder's ticks only say when to look.
type stream struct {
	k      kernel
	plan   *plan
	acc    *oa.Accumulator
	dec    oa.Decoder
	buf    []byte
	schema capture.Schema

	began    bool
	ended    bool  // the GPU is gone: nothing more will come
	stopped  bool  // by the driver, and started again; no report has come since
	synced   int64 // ns, when the clocks were last correlated
	wait     int64 // ns until they are again
	failures int   // correlations in a row that failed
	warned   []string
}

var (
	_ hwio.Stream    = (*stream)(nil)
	_ hwio.Stamper   = (*stream)(nil)
	_ hwio.Finisher  = (*stream)(nil)
	_ hwio.Concluder = (*stream)(nil)
	_ hwio.Matcher   = (*stream)(nil)
)

func newStream(k kernel, p *plan) (*stream, error) {
	acc, err := oa.NewAccumulator(oa.Options{Info: p.info(), Source: sourceName, PeriodTicks: 2 << p.exponent})
	if err != nil {
		return nil, err
	}
	s := &stream{k: k, plan: p, acc: acc, buf: make([]byte, readBuffer), schema: *acc.Schema()}
	cfg := &s.schema.Config
	cfg.Properties = append(cfg.Properties, p.properties()...)
	cfg.Device.Extra = maps.Clone(cfg.Device.Extra)
	cfg.Device.Extra["address"], cfg.Device.Extra["node"] = p.hw.card.Address, p.node
	s.describe()
	cfg.Warnings = append(append(cfg.Warnings, p.warnings...), p.hw.warnings...)
	return s, nil
}

// describe tells of counters what they were programmed for, which no catalogue knows.
func (s *stream) describe() {
	s.schema.Columns = slices.Clone(s.schema.Columns)
	for _, c := range s.plan.sel.Flex {
		column := slices.IndexFunc(s.schema.Columns,
			func(spec capture.ColumnSpec) bool { return spec.Meta.Name == c.Counter })
		raw := slices.IndexFunc(s.plan.sel.Raw, func(m capture.Meta) bool { return m.Name == c.Counter })
		m, of := &s.schema.Columns[column].Meta, &s.plan.sel.Raw[raw]
		m.Title, m.Doc, m.Aliases = of.Title, of.Doc, of.Aliases
	}
}

func (s *stream) Schema() *capture.Schema { return &s.schema }

// StampsSamples marks the stream as one whose rows have times of their own.
func (s *stream) StampsSamples() {}

// Matches says whether a pattern names a raw counter or a metric of the set.
func (s *stream) Matches(pattern string) bool { return s.plan.sel.Matches(pattern) }

// Read starts the counters the first time, and then appends the rows of all reports that the driver has.
func (s *stream) Read(_ context.Context, b *capture.Batch) error {
	if s.ended {
		return io.EOF
	}
	if !s.began {
		return s.begin()
	}
	s.correlate(false)
	err := s.drain(b)
	s.acc.Flush(b)
	if gone(err) {
		// What came before is kept: the recording ends with the next Read.
		s.lose(err)
		return nil
	}
	return err
}

func (s *stream) begin() error {
	at, _, err := correlate(s.k, s.plan.dev)
	if err != nil {
		return err
	}
	s.acc.Correlate(at)
	s.synced, s.wait = at.CPU, firstCorrelation
	if err := s.plan.stream.enable(); err != nil {
		return fmt.Errorf("start the GPU's counters: %w", intel.Cause(err))
	}
	s.began = true
	return nil
}

// correlate puts the GPU's clock in line with the CPU's when it is time, or at once.
func (s *stream) correlate(now bool) {
	if !now && s.k.now()-s.synced < s.wait {
		return
	}
	s.wait = min(2*s.wait, correlateEvery)
	at, _, err := correlate(s.k, s.plan.dev)
	if err != nil {
		// The line through the points so far goes on; the next try comes in a second.
		s.synced = s.k.now()
		if s.failures++; s.failures == 1 && !gone(err) {
			s.warn(fmt.Sprintf("i915: the GPU's clock could not be compared with the CPU's any more: times are extrapolated from here on: %v", err))
		}
		return
	}
	s.failures = 0
	s.synced = at.CPU
	s.acc.Correlate(at)
}

// warn notes something, once, to be said at the end.
func (s *stream) warn(text string) {
	if !slices.Contains(s.warned, text) {
		s.warned = append(s.warned, text)
	}
}

// drain reads until the driver has nothing more.
func (s *stream) drain(b *capture.Batch) error {
	for taken := 0; taken < maxPerRead; {
		n, err := s.plan.stream.read(s.buf)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return nil
		case errors.Is(err, syscall.EIO):
			return s.restart()
		case errors.Is(err, syscall.ENOSPC):
			if len(s.buf) >= maxPerRead {
				return explainRead(err)
			}
			s.buf = make([]byte, 4*len(s.buf))
			continue
		case err != nil:
			return explainRead(err)
		case n == 0:
			return fmt.Errorf("the driver ended the stream of reports: %w", syscall.ENODEV)
		}
		taken, s.stopped = taken+n, false
		if err := s.decode(b, s.buf[:n]); err != nil {
			return err
		}
	}
	return nil
}

// decode turns what was read into rows.
func (s *stream) decode(b *capture.Batch, data []byte) error {
	s.dec.Feed(data)
	for {
		r, ok, err := s.dec.Next()
		if err != nil {
			return fmt.Errorf("the driver's stream of reports: %w", err)
		}
		if !ok {
			return nil
		}
		switch r.Type {
		case oa.RecordSample:
			if err := s.acc.Report(b, oa.Report(r.Data)); err != nil {
				return fmt.Errorf("the driver's stream of reports: %w", err)
			}
		case oa.RecordReportLost:
			s.acc.ReportLost()
		case oa.RecordBufferLost:
			s.acc.BufferLost()
		default:
			s.warn(fmt.Sprintf("i915: the driver delivers records of type %d, which are not known here and left out", r.Type))
		}
	}
}

// restart starts the counters again that the driver stopped. A second stop before any report came is the end.
func (s *stream) restart() error {
	if s.stopped {
		return fmt.Errorf("%w; starting the counters again did not help", errStopped)
	}
	s.stopped = true
	s.acc.Restart("the driver had stopped the counters")
	s.warn("i915: the driver stopped the counters, as it does when the GPU is reset; they were started again, and what ran in between is missing")
	if err := s.plan.stream.enable(); err != nil {
		return fmt.Errorf("%w; starting the counters again: %w", errStopped, intel.Cause(err))
	}
	return nil
}

// lose ends the recording because there is no GPU any more.
func (s *stream) lose(err error) {
	s.ended = true
	s.warn(fmt.Sprintf("i915: the GPU is gone, and the recording ends here with what was measured until then: %v", err))
}

// Finish reads what the GPU still holds. The driver looks for it only now and then.
func (s *stream) Finish(_ context.Context, b *capture.Batch) error {
	defer s.acc.Finish(b)
	if s.ended || !s.began {
		return nil
	}
	time.Sleep(s.plan.poll + time.Millisecond)
	s.correlate(true)
	err := s.drain(b)
	if gone(err) {
		s.lose(err)
		return nil
	}
	return err
}

// Conclude tells how it went: what the driver did, losses, doubts.
func (s *stream) Conclude() []string {
	out := slices.Clone(s.warned)
	for _, w := range s.acc.Warnings() {
		out = append(out, "i915: "+w)
	}
	return out
}

// Close stops the counters and takes back everything that was set up.
func (s *stream) Close() error { return s.plan.close() }

// explainRead says why reports could not be read.
func explainRead(err error) error {
	switch {
	case gone(err):
		return fmt.Errorf("the driver says that there is no such device any more: it was removed, unbound from its driver, or has hung: %w", intel.Cause(err))
	case errors.Is(err, syscall.EIO):
		return fmt.Errorf("the driver has stopped the stream of reports: %w", intel.Cause(err))
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the driver's next record is larger than any buffer: %w", intel.Cause(err))
	}
	return fmt.Errorf("read reports: %w", intel.Cause(err))
}
