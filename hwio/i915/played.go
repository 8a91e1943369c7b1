package i915

import (
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/hwio"
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

func (n playedNode) param(id int32) (int32, error) {
	e, _, err := n.tape.Request(ioctlGetParam, paramBytes(id), nil)
	switch {
	case err != nil:
		return 0, err
	case len(e.BufOut) != 4:
		return 0, fmt.Errorf("parameter %d: an answer of %d bytes on the tape", id, len(e.BufOut))
	}
	return int32(le.Uint32(e.BufOut)), nil
}

func (n playedNode) query(id uint64) ([]byte, error) {
	in, item := queryBytes(id)
	e, _, err := n.tape.Request(ioctlQuery, in, item)
	if err != nil {
		return nil, err
	}
	return e.BufOut, nil
}

func (n playedNode) readRegister(offset uint64) (uint64, error) {
	e, _, err := n.tape.Request(ioctlRegRead, registerBytes(offset, 0), nil)
	switch {
	case err != nil:
		return 0, err
	case len(e.Out) != 16:
		return 0, fmt.Errorf("register %#x: an answer of %d bytes on the tape", offset, len(e.Out))
	}
	return le.Uint64(e.Out[8:]), nil
}

func (n playedNode) addConfig(guid string, r *oaregisters.Lists) (uint64, error) {
	in, registers := configBytes(guid, r)
	e, _, err := n.tape.Request(ioctlAddConfig, in, registers)
	if err != nil {
		return 0, err
	}
	return uint64(e.Value), nil
}

func (n playedNode) removeConfig(id uint64) error {
	_, _, err := n.tape.Request(ioctlRemoveConfig, le.AppendUint64(nil, id), nil)
	return err
}

func (n playedNode) openStream(flags uint32, properties []uint64, powered *sseu) (reportStream, error) {
	in, buf := openBytes(flags, properties, powered)
	_, made, err := n.tape.Request(ioctlPerfOpen, in, buf)
	if err != nil {
		return nil, err
	}
	return playedReports{made}, nil
}

func (playedNode) close() error { return nil }

type playedReports struct{ tape *tape.Played }

func (s playedReports) read(buf []byte) (int, error) { return s.tape.Read(buf) }

func (s playedReports) enable() error {
	_, _, err := s.tape.Request(ioctlEnable, plain(0).In, nil)
	return err
}

// disable cannot fail: a recording that broke off was closed in another way than it is here.
func (playedReports) disable() error { return nil }

func (s playedReports) config(id uint64) (uint64, error) {
	e, _, err := s.tape.Request(ioctlConfig, plain(id).In, nil)
	if err != nil {
		return 0, err
	}
	return uint64(e.Value), nil
}

func (playedReports) close() error { return nil }
