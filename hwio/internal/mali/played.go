package mali

import (
	"encoding/binary"
	"fmt"
	"syscall"

	"astrolabe/hwio/internal/tape"
)

// Played is a kernel that answers from a tape.
func Played(p *tape.Player) Kernel { return playedKernel{p} }

type playedKernel struct{ player *tape.Player }

func (k playedKernel) Character(path string) (exists, character bool) {
	n := k.player.There(path)
	return n > 0, n > 1
}

func (k playedKernel) Open(path string, _ bool) (Device, error) {
	d, err := k.player.Open(path)
	if err != nil {
		return nil, err
	}
	return &playedDevice{player: k.player, played: d}, nil
}

type playedDevice struct {
	player  *tape.Player
	played  *tape.Played
	mapping []byte
}

func (d *playedDevice) Request(number uint32, arg []byte) (int, error) {
	return d.RequestWith(number, arg, -1, nil)
}

func (d *playedDevice) RequestWith(number uint32, arg []byte, at int, buf []byte) (int, error) {
	code := fmt.Sprintf("%#08x", number)
	if e, ok := d.played.Next(func(e *tape.Event) bool { return e.Code == code }); ok {
		return d.answer(e, arg, buf)
	}
	if d.played.Spent(func(e *tape.Event) bool { return e.Code == code && (len(e.Pieces) > 0 || len(e.BufOut) > 0) }) {
		return 0, syscall.ENODEV // there are no further samples
	}
	if at >= 0 {
		clear(arg[at : at+8])
	}
	e, _, ok := d.played.Ask(code, arg, buf)
	if !ok {
		e, _, ok = d.played.Ask(code, arg, nil) // of a buffer that the driver fills
	}
	if !ok {
		return 0, syscall.ENOTTY
	}
	return d.answer(e, arg, buf)
}

// answer hands an answer over.
func (d *playedDevice) answer(e *tape.Event, arg, buf []byte) (int, error) {
	if e.Out != nil {
		copy(arg, e.Out)
	}
	copy(buf, e.BufOut)
	for _, p := range e.Pieces {
		if p.At >= 0 && p.At < int64(len(d.mapping)) {
			copy(d.mapping[p.At:], p.Data)
		}
	}
	if e.Errno != 0 {
		return int(e.Value), syscall.Errno(e.Errno)
	}
	return int(e.Value), nil
}

func (d *playedDevice) RequestValue(number uint32, value uint32) (int, error) {
	return d.Request(number, binary.LittleEndian.AppendUint32(nil, value))
}

func (d *playedDevice) Adopt(int, string) Device {
	if e, ok := d.played.Next(func(e *tape.Event) bool { return e.Kind == tape.Open }); ok {
		return &playedDevice{player: d.player, played: d.player.Made(e.New)}
	}
	return &playedDevice{player: d.player, played: d.player.Made(-1)}
}

// Ready says that there is something where the next that was asked is a sample.
func (d *playedDevice) Ready() (ready, gone bool, err error) {
	e, ok := d.played.Upcoming()
	return ok && len(e.Pieces) > 0, false, nil
}

// maxMapping bounds what a tape can have mapped.
const maxMapping = 256 << 20

func (d *playedDevice) Map(size int) ([]byte, error) {
	if size < 0 || size > maxMapping {
		return nil, syscall.ENOMEM
	}
	d.mapping = make([]byte, size)
	return d.mapping, nil
}

func (d *playedDevice) Unmap([]byte) error { return nil }

func (d *playedDevice) Close() error { return nil }

// PlayedClocks are clocks for a tape: those of the machine that made it stood so far apart. They do not run, as all
// times are on the tape.
func PlayedClocks(offset int64) func() (before, raw, after int64) {
	return func() (int64, int64, int64) { return offset, 0, offset }
}

// PlayedTimes are clocks for a tape on which times are those of requests: the first reading is when the next began, the
// last when the one before ended.
func PlayedTimes(p *tape.Player) func() (before, raw, after int64) {
	return func() (int64, int64, int64) {
		next, last := p.Around()
		return next, last, last
	}
}
