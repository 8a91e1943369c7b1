package xe

import (
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/tape"
)

// Played implements hwio.Playable. All times are on the tape, so that no clock is needed.
func (s *Source) Played(p *tape.Player, _ int64) hwio.Source {
	return &playedSource{&Source{root: sysroot.Played(p), k: playedKernel{p}}, p}
}

// playedSource opens streams that find what was read at their end only when it is asked for.
type playedSource struct {
	*Source
	player *tape.Player
}

func (s *playedSource) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	st, err := s.Source.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	return &playedStream{st.(*stream), s.player}, nil
}

type playedStream struct {
	*stream
	player *tape.Player
}

func (s *playedStream) Finish(ctx context.Context, b *capture.Batch) error {
	s.player.Finish()
	return s.stream.Finish(ctx, b)
}

type playedKernel struct{ player *tape.Player }

func (k playedKernel) now() int64 { return k.player.Clock(sourceName) }

func (k playedKernel) open(path string) (device, error) {
	d, err := k.player.Open(path)
	if err != nil {
		return nil, err
	}
	return playedNode{d}, nil
}

type playedNode struct{ tape *tape.Played }

func (n playedNode) query(id uint32) ([]byte, error) {
	e, _, err := n.tape.Request(ioctlDeviceQuery, queryBytes(id, 0), nil)
	if err != nil {
		return nil, err
	}
	return e.BufOut, nil
}

func (n playedNode) cycles(c intel.Engine) (ticks uint64, when, took int64, err error) {
	e, _, err := n.tape.Request(ioctlDeviceQuery, queryBytes(queryCycles, cyclesSize), cyclesBytes(c, 0, 0, 0))
	switch {
	case err != nil:
		return 0, 0, 0, err
	case len(e.BufOut) != cyclesSize:
		return 0, 0, 0, fmt.Errorf("clock of an engine: an answer of %d bytes on the tape", len(e.BufOut))
	}
	return le.Uint64(e.BufOut[16:]), int64(le.Uint64(e.BufOut[24:])), int64(le.Uint64(e.BufOut[32:])), nil
}

// observe is a request of the observation interface.
func (n playedNode) observe(op uint64, buf []byte) (*tape.Event, *tape.Played, error) {
	return n.tape.Request(ioctlObservation, observationBytes(op), buf)
}

func (n playedNode) addConfig(guid string, regs []oaregisters.Register) (uint64, error) {
	e, _, err := n.observe(opAddConfig, configBytes(guid, regs))
	if err != nil {
		return 0, err
	}
	return uint64(e.Value), nil
}

func (n playedNode) removeConfig(id uint64) error {
	_, _, err := n.observe(opRemoveConfig, le.AppendUint64(nil, id))
	return err
}

func (n playedNode) openStream(properties []property) (reportStream, error) {
	_, made, err := n.observe(opStreamOpen, propertyBytes(properties...))
	if err != nil {
		return nil, err
	}
	return playedReports{made}, nil
}

func (playedNode) close() error { return nil }

type playedReports struct{ tape *tape.Played }

func (s playedReports) read(buf []byte) (int, error) { return s.tape.Read(buf) }

func (s playedReports) enable() error {
	_, _, err := s.tape.Request(ioctlEnable, plain().In, nil)
	return err
}

// disable cannot fail: a recording that broke off was closed in another way than it is here.
func (playedReports) disable() error { return nil }

func (s playedReports) config(id uint64) (uint64, error) {
	e, _, err := s.tape.Request(ioctlConfig, propertyBytes(property{propSet, id}), nil)
	if err != nil {
		return 0, err
	}
	return uint64(e.Value), nil
}

func (s playedReports) status() (uint64, error) {
	e, _, err := s.tape.Request(ioctlStatus, statusBytes(0), nil)
	switch {
	case err != nil:
		return 0, err
	case len(e.Out) != len(statusBytes(0)):
		return 0, fmt.Errorf("status of a stream: an answer of %d bytes on the tape", len(e.Out))
	}
	return le.Uint64(e.Out[8:]), nil
}

func (playedReports) close() error { return nil }
