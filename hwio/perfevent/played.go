package perfevent

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/tape"
)

// Played implements hwio.Playable. All times are on the tape, so that no clock is needed.
func (s *Source) Played(p *tape.Player, _ int64) hwio.Source {
	return &playedSource{&Source{root: sysroot.Played(p), k: playedKernel{p}, sleep: func(time.Duration) {}}, p}
}

// playedSource opens streams that are read as often as they were.
type playedSource struct {
	*Source
	player *tape.Player
}

func (s *playedSource) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	if r.PID != 0 {
		return nil, errNoProcess
	}
	st, err := s.Source.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	switch st := st.(type) {
	case *sampling:
		return &playedSampling{st, s.player}, nil
	case *stream:
		return &playedStream{st, s.player}, nil
	}
	return nil, errNoProcess
}

type playedStream struct {
	*stream
	player *tape.Player
}

func (s *playedStream) Read(ctx context.Context, b *capture.Batch) error {
	if s.player.Over(sourceName) {
		return io.EOF
	}
	s.opener.k.now()
	return s.stream.Read(ctx, b)
}

type playedSampling struct {
	*sampling
	player *tape.Player
}

func (s *playedSampling) Read(ctx context.Context, b *capture.Batch) error {
	if s.player.Over(sourceName) {
		return io.EOF
	}
	s.k.now()
	return s.sampling.Read(ctx, b)
}

func (s *playedSampling) Finish(ctx context.Context, b *capture.Batch) error {
	s.player.Finish()
	return s.sampling.Finish(ctx, b)
}

type playedKernel struct{ player *tape.Player }

func (k playedKernel) now() int64 { return k.player.Clock(sourceName) }

func (k playedKernel) tick() int64 {
	e, _, err := k.player.Kernel().Call(callResolution, nil, nil)
	if err != nil {
		return 1
	}
	return e.Value
}

func (k playedKernel) open(a *attr, pid, cpu int, leader counter) (counter, error) {
	asked := k.player.Kernel()
	if l, ok := leader.(*playedCounter); ok && l != nil {
		asked = l.tape
	}
	e, made, err := asked.Call(callOpen, attrBytes(a), targetBytes(pid, cpu))
	switch {
	case e == nil:
		return nil, syscall.ENOENT // what never was asked is not there
	case err != nil:
		return nil, err
	}
	return &playedCounter{made}, nil
}

type playedCounter struct{ tape *tape.Played }

func (c *playedCounter) read(buf []byte) (int, error) { return c.tape.Read(buf) }

func (c *playedCounter) id() (uint64, error) {
	e, _, err := c.tape.Call("PERF_EVENT_IOC_ID", nil, nil)
	switch {
	case err != nil:
		return 0, err
	case len(e.Out) != 8:
		return 0, fmt.Errorf("an event's id: an answer of %d bytes on the tape", len(e.Out))
	}
	return binary.LittleEndian.Uint64(e.Out), nil
}

func (c *playedCounter) enable() error {
	_, _, err := c.tape.Call("PERF_EVENT_IOC_ENABLE", nil, nil)
	return err
}

// disable cannot fail: a recording that broke off was closed in another way than it is here.
func (c *playedCounter) disable() error { return nil }

func (c *playedCounter) into(counter) error {
	_, _, err := c.tape.Call("PERF_EVENT_IOC_SET_OUTPUT", nil, nil)
	return err
}

func (c *playedCounter) ring(bytes int) (records, error) {
	made, err := c.tape.Map(bytes)
	if err != nil {
		return nil, err
	}
	return &playedRing{made, uint64(bytes)}, nil
}

func (*playedCounter) close() error { return nil }

// playedRing hands over what was taken out of a ring each time.
type playedRing struct {
	tape *tape.Played
	size uint64
}

func (r *playedRing) drain(f func(kind uint32, body []byte)) (full bool, err error) {
	data, err := r.tape.Collect()
	if err != nil {
		return false, err
	}
	used, longest := uint64(len(data)), uint64(0)
	for len(data) > 0 {
		if len(data) < recordHeader {
			return false, fmt.Errorf("a record of %d bytes on the tape", len(data))
		}
		kind, n := recordHead(data)
		if n < recordHeader || n > uint64(len(data)) {
			return false, fmt.Errorf("a record of %d bytes where %d are left on the tape", n, len(data))
		}
		f(kind, data[recordHeader:n])
		data, longest = data[n:], max(longest, n)
	}
	return used+longest > r.size, nil
}

func (*playedRing) unmap() error { return nil }
