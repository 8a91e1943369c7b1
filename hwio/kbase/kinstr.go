package kbase

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// kinstr is a client of the new interface: a descriptor whose ring of samples is mapped.
type kinstr struct {
	dev     mali.Device
	ring    []byte
	walk    walker
	manual  bool
	started bool
	token   uint64 // of the last command
	begun   uint64 // token of the command that began counting, which samples of the timer bear
	command [16]byte
	access  [16]byte
}

// setUp makes a client that counts what enable selects, every period ns, or on demand where manual is set.
func setUp(s *session, caps *capabilities, enable map[mali.BlockType]mali.Mask, period uint64,
	manual bool) (*kinstr, error) {
	items := make([]byte, requestItemSize)
	binary.LittleEndian.PutUint16(items, requestMode)
	if !manual {
		items[8] = modePeriodic
		binary.LittleEndian.PutUint64(items[16:], max(period, minPeriod))
	}
	k := &kinstr{manual: manual, walk: walker{cores: s.gpu.CoreNumbers()}}
	for _, b := range caps.blocks {
		mask, ok := enable[b.typ]
		if !ok {
			continue
		}
		item := make([]byte, requestItemSize)
		binary.LittleEndian.PutUint16(item, requestEnable)
		item[8], item[9] = byte(b.typ), b.set
		binary.LittleEndian.PutUint64(item[16:], mask[0])
		binary.LittleEndian.PutUint64(item[24:], mask[1])
		items = append(items, item...)
		k.walk.values[b.typ] = b.values
	}
	items = append(items, make([]byte, requestItemSize)...) // terminator

	arg := make([]byte, 16)
	binary.LittleEndian.PutUint32(arg, uint32(len(items)/requestItemSize))
	binary.LittleEndian.PutUint32(arg[4:], requestItemSize)
	fd, err := s.dev.RequestWith(reqSetup, arg, 8, items)
	if err != nil {
		return nil, s.setupProblem(caps, err)
	}
	k.dev = s.dev.Adopt(fd, s.path+" samples")
	stride, size := binary.LittleEndian.Uint32(arg), binary.LittleEndian.Uint32(arg[4:])
	if stride < metaItemSize || stride > maxItemSize || size == 0 || size > 1<<30 {
		k.close()
		return nil, fmt.Errorf("the driver (%s) wants %d bytes mapped for samples with items of %d bytes", s.version,
			size, stride)
	}
	if k.ring, err = k.dev.Map(int(size)); err != nil {
		k.close()
		return nil, fmt.Errorf("map %d bytes of samples: %w", size, err)
	}
	k.walk.ring, k.walk.stride = k.ring, int(stride)
	return k, nil
}

func (s *session) setupProblem(caps *capabilities, err error) error {
	switch {
	case denied(err):
		return heldBack("set-up", s.android, err)
	case errors.Is(err, syscall.EINVAL):
		set := uint8(0)
		for _, b := range caps.blocks {
			set = b.set
		}
		return &hwio.Problem{
			Reason: fmt.Sprintf("the driver (%s) refuses the request for its counters (%v), although it names its own blocks and set %d of counters", s.version, err, set),
			Fix:    "a driver built for another counter set than it says does this; report the driver's version",
			Cause:  err,
		}
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE):
		return &hwio.Problem{Reason: fmt.Sprintf("the driver cannot make room for samples: %v", err),
			Fix: "close other programs that use the GPU's counters", Cause: err}
	}
	return &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) sets up no counters: %v", s.version, err), Cause: err}
}

func (k *kinstr) issue(command uint16) error {
	k.token++
	clear(k.command[:])
	binary.LittleEndian.PutUint16(k.command[:], command)
	binary.LittleEndian.PutUint64(k.command[8:], k.token)
	_, err := k.dev.Request(reqCommand, k.command[:])
	return err
}

// start begins counting from 0.
func (k *kinstr) start(int64) error {
	err := k.issue(commandStart)
	if errors.Is(err, syscall.EBUSY) {
		return &hwio.Problem{Reason: "the driver has no free place for a sample and cannot start counting",
			Fix: "close other programs that use the GPU's counters", Cause: err}
	}
	if err != nil {
		return fmt.Errorf("start counting: %w", err)
	}
	k.started, k.begun = true, k.token
	return nil
}

// trigger takes a sample now.
func (k *kinstr) trigger() error { return k.issue(commandSample) }

// stop ends counting. The driver then holds a last sample, for which a place must be free: read all others first.
func (k *kinstr) stop() error {
	if !k.started {
		return nil
	}
	k.started = false
	return k.issue(commandStop)
}

// fetch gets the next sample. ok is false where there is none. The sample has to be returned before the next fetch.
func (k *kinstr) fetch(s *sample) (ok bool, err error) {
	if ready, err := hasSample(k.dev); !ready {
		return false, err
	}
	if _, err := k.dev.Request(reqGetSample, k.access[:]); err != nil {
		if errors.Is(err, syscall.EINVAL) {
			return false, nil // somebody else dropped it
		}
		return false, err
	}
	if err := k.walk.walk(binary.LittleEndian.Uint64(k.access[8:]), s); err != nil {
		return false, errors.Join(&corruptError{err}, k.giveBack())
	}
	k.walk.renumber(s)
	s.requested = s.user != k.begun
	return true, nil
}

// corruptError says that a sample cannot be what the driver meant; nothing after it can be trusted.
type corruptError struct{ err error }

func (e *corruptError) Error() string { return "a sample of the driver is damaged: " + e.err.Error() }
func (e *corruptError) Unwrap() error { return e.err }

// giveBack returns the fetched sample. Its blocks must not be read any more.
func (k *kinstr) giveBack() error {
	if _, err := k.dev.Request(reqPutSample, k.access[:]); err != nil {
		return fmt.Errorf("return a sample: %w", err)
	}
	return nil
}

// close ends the client: what is mapped goes before the descriptor.
func (k *kinstr) close() error {
	var errs []error
	if k.started {
		// The descriptor's end stops counting too; this is the orderly way.
		_ = k.stop()
	}
	if k.ring != nil {
		errs = append(errs, k.dev.Unmap(k.ring))
		k.ring, k.walk.ring = nil, nil
	}
	if k.dev != nil {
		errs = append(errs, k.dev.Close())
		k.dev = nil
	}
	return errors.Join(errs...)
}
