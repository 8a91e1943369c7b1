package kbase

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// vinstr is a client of the old interface: a descriptor with a few mapped buffers of 32-bit values.
type vinstr struct {
	dev     mali.Device
	buffers []byte
	size    int // of one sample
	manual  bool
	period  uint32
	packed  *mali.Packed
	cycles  int // clock domains whose cycles come with a buffer
	last    int64
	meta    []byte
}

// maxBuffers is how many buffers are asked for; a driver without the memory gives fewer.
const maxBuffers = 32

// maxInterval is the longest time between two samples: their 32-bit values hold about 4 s at 1 GHz.
const maxInterval = 1_000_000_000

// setUpReader makes a client of the old interface.
func setUpReader(s *session, packed *mali.Packed, enable map[mali.BlockType]mali.Mask, period uint64,
	manual bool) (*vinstr, error) {
	v := &vinstr{packed: packed, manual: manual, period: uint32(min(max(period, 1), maxInterval))}
	header := 0
	if s.version.family == preR21 {
		header = 8
	}
	var fd int
	count := maxBuffers
	for {
		arg := make([]byte, header+20+header/2)
		if header > 0 {
			binary.LittleEndian.PutUint32(arg, headerReaderSetup)
		}
		binary.LittleEndian.PutUint32(arg[header:], uint32(count))
		for i, t := range []mali.BlockType{mali.FrontEnd, mali.Core, mali.Tiler, mali.Memory} {
			if mask, ok := enable[t]; ok {
				// The first group is the header.
				binary.LittleEndian.PutUint32(arg[header+4+4*i:], mask.Groups()|1)
			}
		}
		var err error
		if header > 0 {
			if _, err = s.dev.Request(reqReaderSetupPreR21, arg); err == nil {
				fd = int(int32(binary.LittleEndian.Uint32(arg[28:])))
			}
		} else {
			fd, err = s.dev.Request(reqReaderSetup, arg)
		}
		if errors.Is(err, syscall.ENOMEM) && count > 1 {
			count /= 2
			continue
		}
		if err != nil {
			return nil, s.readerProblem(err)
		}
		break
	}
	v.dev = s.dev.Adopt(fd, s.path+" samples")
	if err := v.prepare(count); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

func (s *session) readerProblem(err error) error {
	switch {
	case denied(err):
		return heldBack("set-up of the reader", s.android, err)
	case errors.Is(err, syscall.EBUSY):
		return &hwio.Problem{Reason: fmt.Sprintf("another program uses the GPU's counters and this driver (%s) lets only one: %v", s.version, err), Fix: "end the other program", Cause: err}
	case errors.Is(err, syscall.ENOMEM):
		return &hwio.Problem{Reason: "the driver has no memory for a single sample",
			Fix: "close programs that use the GPU", Cause: err}
	}
	return &hwio.Problem{Reason: fmt.Sprintf("the driver (%s) sets up no counters: %v", s.version, err), Cause: err}
}

// prepare learns what the reader gives and maps its buffers.
func (v *vinstr) prepare(count int) error {
	two := make([]byte, 8)
	var err error
	for _, form := range []struct {
		request uint32
		size    int
	}{{reqAPIFeatures, 8}, {reqAPIFeaturesW, 8}, {reqAPIVersion, 4}} {
		if _, err = v.dev.Request(form.request, two[:form.size]); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("ask for the reader's version: %w", err)
	}
	v.meta = make([]byte, 16)
	switch features := binary.LittleEndian.Uint32(two[4:]); {
	case features&featureShaderCycles != 0:
		v.cycles, v.meta = 2, make([]byte, 32)
	case features&featureTopCycles != 0:
		v.cycles, v.meta = 1, make([]byte, 32)
	}
	size := make([]byte, 4)
	if _, err := v.dev.Request(reqBufferSize, size); err != nil {
		return fmt.Errorf("ask for the size of a sample: %w", err)
	}
	v.size = int(binary.LittleEndian.Uint32(size))
	if v.size < v.packed.Size || v.size > 1<<24 {
		return fmt.Errorf("the driver's samples have %d bytes, but the blocks of this GPU take %d", v.size,
			v.packed.Size)
	}
	if v.buffers, err = v.dev.Map(v.size * count); err != nil {
		return fmt.Errorf("map %d samples of %d bytes: %w", count, v.size, err)
	}
	return nil
}

// start zeroes the counters. now is the time of CLOCK_MONOTONIC_RAW just before.
func (v *vinstr) start(now int64) error {
	v.last = now
	if _, err := v.dev.RequestValue(reqClear, 0); err != nil {
		return fmt.Errorf("clear the counters: %w", err)
	}
	if v.manual {
		return nil
	}
	if _, err := v.dev.RequestValue(reqSetInterval, v.period); err != nil {
		return fmt.Errorf("start sampling every %d ns: %w", v.period, err)
	}
	return nil
}

// trigger takes a sample now.
func (v *vinstr) trigger() error {
	_, err := v.dev.RequestValue(reqDump, 0)
	return err
}

// stop ends periodic sampling and takes a last sample.
func (v *vinstr) stop() error {
	if !v.manual {
		if _, err := v.dev.RequestValue(reqSetInterval, 0); err != nil {
			return err
		}
	}
	return v.trigger()
}

// fetch gets the next sample, in the form of the new interface. ok is false where there is none.
func (v *vinstr) fetch(s *sample) (ok bool, err error) {
	if ready, err := hasSample(v.dev); !ready {
		return false, err
	}
	get := uint32(reqGetBuffer)
	if v.cycles > 0 {
		get = reqGetBufferLong
	}
	if _, err := v.dev.Request(get, v.meta); err != nil {
		if errors.Is(err, syscall.EAGAIN) {
			return false, nil
		}
		return false, err
	}
	if err := v.decode(s); err != nil {
		return false, errors.Join(&corruptError{err}, v.giveBack())
	}
	return true, nil
}

// decode reads the buffer that the metadata names.
func (v *vinstr) decode(s *sample) error {
	index := binary.LittleEndian.Uint32(v.meta[12:])
	if v.size <= 0 || uint64(index) >= uint64(len(v.buffers)/v.size) {
		return fmt.Errorf("it lies in buffer %d of %d", index, len(v.buffers)/max(v.size, 1))
	}
	blocks, ok := v.packed.Values(v.buffers[int(index)*v.size:][:v.size])
	if !ok {
		return fmt.Errorf("it has %d bytes, but the blocks of this GPU take %d", v.size, v.packed.Size)
	}
	*s = sample{
		blocks: blocks, start: v.last, end: int64(binary.LittleEndian.Uint64(v.meta)), domains: v.cycles,
		requested: binary.LittleEndian.Uint32(v.meta[8:]) == eventRequested,
	}
	for i := range v.cycles {
		s.cycles[i] = binary.LittleEndian.Uint64(v.meta[16+8*i:])
	}
	v.last = max(v.last, s.end)
	return nil
}

// giveBack returns the fetched buffer.
func (v *vinstr) giveBack() error {
	put := uint32(reqPutBuffer)
	if v.cycles > 0 {
		put = reqPutBufferLong
	}
	if _, err := v.dev.Request(put, v.meta); err != nil {
		return fmt.Errorf("return a sample: %w", err)
	}
	return nil
}

// close ends the client: what is mapped goes before the descriptor.
func (v *vinstr) close() error {
	var errs []error
	if v.buffers != nil {
		errs = append(errs, v.dev.Unmap(v.buffers))
		v.buffers = nil
	}
	if v.dev != nil {
		errs = append(errs, v.dev.Close())
		v.dev = nil
	}
	return errors.Join(errs...)
}
