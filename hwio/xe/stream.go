package xe

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
	// readBuffer holds 455 of the largest reports.
	readBuffer = 256 << 10
	// maxPerRead bounds what one Read takes: somewhat more than all that the driver's buffer of 16 MiB holds. What is
	// newer waits for the next Read.
	maxPerRead = 20 << 20
	// pollPeriod is how often the driver looks for new reports.
	pollPeriod = 5 * time.Millisecond
	// maxFailures is how often in a row a read may fail with a status.
	maxFailures = 1000
)

// stream reads reports and turns them into rows. The GPU stamps them; the recorder's ticks only say when to look.
type stream struct {
	k        kernel
	plan     *plan
	acc      *oa.Accumulator
	buf      []byte
	schema   capture.Schema
	losses   losses
	began    bool
	ended    bool  // the GPU is gone: nothing more will come
	stopped  bool  // by the driver, and started again; no report has come since
	synced   int64 // ns, when the clocks were last correlated
	wait     int64 // ns until they are again
	failures int   // correlations in a row that failed
	overflow int   // of counters, as the status told
	triggers int   // full queues of triggers
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
	s := &stream{k: k, plan: p, acc: acc, buf: make([]byte, readBuffer), schema: *acc.Schema(),
		losses: newLosses(p.exponent)}
	cfg := &s.schema.Config
	for _, own := range p.properties() {
		// What the driver tells is stronger than what follows from the device's id.
		cfg.Properties = slices.DeleteFunc(cfg.Properties, func(c capture.Property) bool { return c.Name == own.Name })
		cfg.Properties = append(cfg.Properties, own)
	}
	cfg.Device.Extra = maps.Clone(cfg.Device.Extra)
	cfg.Device.Extra["address"], cfg.Device.Extra["node"] = p.hw.card.Address, p.node
	cfg.Warnings = append(append(cfg.Warnings, p.warnings...), p.hw.warnings...)
	return s, nil
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
	at, err := s.plan.correlate()
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

const (
	// correlateEvery is the time between two correlations of the clocks in nanoseconds: their drift within it is far
	// below a microsecond.
	correlateEvery = 1e9
	// firstCorrelation is the time to the second one; each further one takes twice as long to come. So the rate of the
	// two clocks is known before they can drift apart.
	firstCorrelation = 10e6
	// correlateTries is how many readings are taken, of which the quickest counts.
	correlateTries = 5
)

// correlate has the driver read the engine's clock and the CPU's several times, and keeps the quickest reading.
func (p *plan) correlate() (best oa.Correlation, err error) {
	least := int64(-1)
	for range correlateTries {
		ticks, when, took, err := p.dev.cycles(p.clock)
		if err != nil {
			if gone(err) {
				return oa.Correlation{}, fmt.Errorf("read the GPU's clock: the GPU is gone (%w)", intel.Cause(err))
			}
			return oa.Correlation{}, fmt.Errorf("read the GPU's clock: %w", intel.Cause(err))
		}
		if least < 0 || took < least {
			least, best = took, oa.Correlation{CPU: when + took/2, GPU: ticks}
		}
	}
	return best, nil
}

// correlate puts the GPU's clock in line with the CPU's when it is time, or at once.
func (s *stream) correlate(now bool) {
	if !now && s.k.now()-s.synced < s.wait {
		return
	}
	s.wait = min(2*s.wait, correlateEvery)
	at, err := s.plan.correlate()
	if err != nil {
		// The line through the points so far goes on; the next try comes in a second.
		s.synced = s.k.now()
		if s.failures++; s.failures == 1 && !gone(err) {
			s.warn(fmt.Sprintf("xe: the GPU's clock could not be compared with the CPU's any more: times are extrapolated from here on: %v", err))
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
	failed := 0
	for taken := 0; taken < maxPerRead; {
		n, err := s.plan.stream.read(s.buf)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			if taken > 0 {
				s.losses.drained()
			}
			return nil
		case errors.Is(err, syscall.EIO):
			if failed++; failed > maxFailures {
				return explainRead(err)
			}
			if err := s.ask(); err != nil {
				return err
			}
			continue
		case errors.Is(err, syscall.EINVAL):
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
		taken, failed, s.stopped = taken+n, 0, false
		if err := s.decode(b, s.buf[:n]); err != nil {
			return err
		}
	}
	return nil
}

// ask has the driver say why a read failed.
func (s *stream) ask() error {
	status, err := s.plan.stream.status()
	if err != nil {
		if gone(err) {
			return err
		}
		return fmt.Errorf("ask the driver for the status of the stream: %w", intel.Cause(err))
	}
	s.losses.told(status)
	if status&statusCounter != 0 {
		s.overflow++
	}
	if status&statusTrigger != 0 {
		s.triggers++
	}
	return nil
}

// decode turns what was read into rows. It is bare reports, one after the other.
func (s *stream) decode(b *capture.Batch, data []byte) error {
	f := s.plan.format
	size := f.Size
	if len(data)%size != 0 {
		return fmt.Errorf("the driver's stream of reports: %d bytes, which are no reports of %d", len(data), size)
	}
	for ; len(data) > 0; data = data[size:] {
		r := oa.Report(data[:size])
		if s.losses.before(uint32(f.Timestamp(r)), oa.Gen9.Decode(uint32(f.ID(r))).Reason&oa.Timer != 0) {
			s.acc.ReportLost()
		}
		if err := s.acc.Report(b, r); err != nil {
			return fmt.Errorf("the driver's stream of reports: %w", err)
		}
	}
	return nil
}

// restart starts the counters again that the driver stopped. A second stop before any report came is the end.
func (s *stream) restart() error {
	if s.stopped {
		return fmt.Errorf("%w; starting the counters again did not help", errStopped)
	}
	s.stopped = true
	s.acc.Restart("the driver had stopped the counters")
	s.losses.known = false
	s.warn("xe: the driver stopped the counters, as it does when the GPU is reset; they were started again, and what ran in between is missing")
	if err := s.plan.stream.enable(); err != nil {
		return fmt.Errorf("%w; starting the counters again: %w", errStopped, intel.Cause(err))
	}
	return nil
}

// lose ends the recording because there is no GPU any more.
func (s *stream) lose(err error) {
	s.ended = true
	s.warn(fmt.Sprintf("xe: the GPU is gone, and the recording ends here with what was measured until then: %v", err))
}

// Finish reads what the GPU still holds. The driver looks for it only now and then.
func (s *stream) Finish(_ context.Context, b *capture.Batch) error {
	defer s.acc.Finish(b)
	if s.ended || !s.began {
		return nil
	}
	time.Sleep(pollPeriod + time.Millisecond)
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
	say := func(n int, format string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("xe: "+format, n))
		}
	}
	say(s.losses.reports, "the driver told %d times that the hardware had dropped reports")
	say(s.losses.buffers, "the driver told %d times that its buffer of reports had overflowed: the program did not get to read it in time, and reports are missing from there on until it did")
	say(s.losses.unfound, "%d times it told so, and the times of reports do not show where: samples may be longer there, and of more than one context")
	say(s.overflow, "the driver told %d times that a counter had overflowed: do not trust sums that are out of the ordinary")
	say(s.triggers, "the driver told %d times that the queue of triggers was full: reports that a program on the GPU asked for are missing")
	for _, w := range s.acc.Warnings() {
		out = append(out, "xe: "+w)
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
		return fmt.Errorf("the driver tells a status in place of reports, %d times in a row: %w", maxFailures, intel.Cause(err))
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("the driver's next report is larger than any buffer: %w", intel.Cause(err))
	}
	return fmt.Errorf("read reports: %w", intel.Cause(err))
}
