package kbase

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"

	"astrolabe/hwio/internal/mali"
)

// sample is what the metadata of one sample says, in the form of kinstr. Blocks lie in the mapping and are valid until
// the sample is returned.
type sample struct {
	start, end int64 // ns of CLOCK_MONOTONIC_RAW
	seq, user  uint64
	flags      uint32
	requested  bool // by a command, the last sample's being that which ends counting: the driver's timer took all others
	domains    int
	cycles     [4]uint64
	blocks     []mali.Values
	unknown    bool // a block or item of a type that this version does not know was passed over
}

// walker reads the samples of a mapping.
type walker struct {
	ring    []byte
	stride  int      // between metadata items
	values  [256]int // per type of block; 0 where none was asked for
	cores   []int    // physical numbers of the shader cores
	decided bool
	byCore  bool // samples carry physical numbers of cores
}

// walk reads the metadata at offset into s, whose memory is used again. Nothing of a sample that does not lie in the
// mapping is used.
func (w *walker) walk(offset uint64, s *sample) error {
	s.blocks, s.domains, s.unknown = s.blocks[:0], 0, false
	if w.stride < metaItemSize {
		return fmt.Errorf("metadata items of %d bytes are too short", w.stride)
	}
	found := false
	for at := offset; ; at += uint64(w.stride) {
		if at > uint64(len(w.ring)) || uint64(len(w.ring))-at < uint64(w.stride) {
			return fmt.Errorf("metadata at offset %d reaches beyond the mapping of %d bytes", at, len(w.ring))
		}
		item := w.ring[at : at+uint64(w.stride)]
		switch typ := binary.LittleEndian.Uint16(item); typ {
		case metaEnd:
			if !found {
				return fmt.Errorf("the metadata at offset %d has no item that describes the sample", offset)
			}
			return nil
		case metaSample:
			found = true
			s.start, s.end = int64(binary.LittleEndian.Uint64(item[8:])), int64(binary.LittleEndian.Uint64(item[16:]))
			s.seq, s.user = binary.LittleEndian.Uint64(item[24:]), binary.LittleEndian.Uint64(item[32:])
			s.flags = binary.LittleEndian.Uint32(item[40:])
		case metaClock:
			s.domains = int(min(binary.LittleEndian.Uint32(item[8:]), 4))
			for i := range s.cycles {
				s.cycles[i] = binary.LittleEndian.Uint64(item[16+8*i:])
			}
		case metaBlock:
			b := mali.Values{Type: mali.BlockType(item[8]), Rank: int(item[9]),
				State: mali.State(binary.LittleEndian.Uint32(item[12:])), Width: 8}
			n := uint64(w.values[item[8]]) * 8
			if n == 0 {
				s.unknown = true
				continue
			}
			from := uint64(binary.LittleEndian.Uint32(item[16:]))
			if from > uint64(len(w.ring)) || uint64(len(w.ring))-from < n {
				return fmt.Errorf("the values of %s block %d at offset %d reach beyond the mapping of %d bytes", b.Type,
					b.Rank, from, len(w.ring))
			}
			b.Data = w.ring[from : from+n]
			s.blocks = append(s.blocks, b)
		default:
			s.unknown = true
		}
	}
}

// renumber turns the physical core numbers of the first driver versions, and of some vendors' later ones, into ranks.
// Which of both a driver gives shows in the first sample, which has a block for every core: numbers that are those of a
// mask with holes are physical.
func (w *walker) renumber(s *sample) {
	if !w.decided {
		w.decided = true
		n, same, dense := 0, true, true
		for i := range s.blocks {
			if b := &s.blocks[i]; b.Type == mali.Core {
				same = same && slices.Contains(w.cores, b.Rank)
				dense = dense && b.Rank < len(w.cores)
				n++
			}
		}
		w.byCore = n > 0 && same && !dense
	}
	if !w.byCore {
		return
	}
	for i := range s.blocks {
		if b := &s.blocks[i]; b.Type == mali.Core {
			b.Rank = slices.Index(w.cores, b.Rank)
		}
	}
}

// hasSample asks whether a sample waits. A device that hangs up without one is gone.
func hasSample(dev mali.Device) (bool, error) {
	ready, broken, err := dev.Ready()
	if err == nil && !ready && broken {
		err = syscall.ENODEV
	}
	return ready && err == nil, err
}
