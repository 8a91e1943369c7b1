package oa

import (
	"encoding/binary"
	"fmt"
)

// Types of records: those of the kernel's stream, and from 0x10000 on those that i915-perf-recorder adds in its files.
const (
	RecordSample      uint32 = 1 // payload: a report
	RecordReportLost  uint32 = 2 // no payload: the hardware dropped one or more reports
	RecordBufferLost  uint32 = 3 // no payload: everything pending is gone, the unit has been restarted
	RecordVersion     uint32 = 0x10000
	RecordInfo        uint32 = 0x10001 // payload: see ParseInfo
	RecordTopology    uint32 = 0x10002 // payload: see ParseTopology
	RecordCorrelation uint32 = 0x10003 // payload: see ParseCorrelation
)

// RecordHeader is the size of a record's header in bytes: u32 type, u16 zero, u16 size of the record with its header.
const RecordHeader = 8

// Record is one record of a stream.
type Record struct {
	Type   uint32
	Offset int64  // of its header in the stream, in bytes
	Data   []byte // payload; valid until the next call of Next or Feed
}

// recordError is a record that cannot be: what follows it cannot be found.
type recordError struct {
	Type   uint32
	Size   int
	Offset int64 // in bytes
}

func (e *recordError) Error() string {
	return fmt.Sprintf(
		"record at byte %d (type %#x) has size %d, and its header alone has %d: the data is damaged there, and what follows cannot be found",
		e.Offset, e.Type, e.Size, RecordHeader)
}

// Decoder takes a stream of records apart. The stream is fed in pieces of any length, such as what read returns. Its
// zero value is ready for use. It holds at most one record beside the piece that it was given.
type Decoder struct {
	piece  []byte // not yet decoded
	part   []byte // beginning of a record that the pieces so far have not completed
	offset int64  // of the first byte not yet decoded
	err    error
}

// Feed hands over the next piece. The decoder refers to it until Next has returned ok = false, which the caller must
// see first before the next Feed.
func (d *Decoder) Feed(piece []byte) { d.piece = piece }

// Next returns the next complete record. ok is false where the piece is used up. The error is a *recordError, and
// stays.
func (d *Decoder) Next() (r Record, ok bool, err error) {
	if d.err != nil {
		return r, false, d.err
	}
	if len(d.part) > 0 {
		return d.complete()
	}
	if len(d.piece) < RecordHeader {
		d.keep()
		return r, false, nil
	}
	size, err := d.size(d.piece)
	if err != nil {
		return r, false, err
	}
	if len(d.piece) < size {
		d.keep()
		return r, false, nil
	}
	r = d.record(d.piece[:size])
	d.piece = d.piece[size:]
	return r, true, nil
}

// complete fills the kept beginning of a record up from the piece.
func (d *Decoder) complete() (r Record, ok bool, err error) {
	d.take(RecordHeader)
	if len(d.part) < RecordHeader {
		return r, false, nil
	}
	size, err := d.size(d.part)
	if err != nil {
		return r, false, err
	}
	d.take(size)
	if len(d.part) < size {
		return r, false, nil
	}
	r = d.record(d.part)
	d.part = d.part[:0]
	return r, true, nil
}

// take moves bytes of the piece to the kept part until that holds n.
func (d *Decoder) take(n int) {
	if m := min(n-len(d.part), len(d.piece)); m > 0 {
		d.part = append(d.part, d.piece[:m]...)
		d.piece = d.piece[m:]
	}
}

func (d *Decoder) keep() {
	d.part = append(d.part[:0], d.piece...)
	d.piece = nil
}

func (d *Decoder) size(b []byte) (int, error) {
	size := int(binary.LittleEndian.Uint16(b[6:]))
	if size < RecordHeader {
		d.err = &recordError{Type: binary.LittleEndian.Uint32(b), Size: size, Offset: d.offset}
		return 0, d.err
	}
	return size, nil
}

func (d *Decoder) record(b []byte) Record {
	r := Record{Type: binary.LittleEndian.Uint32(b), Offset: d.offset, Data: b[RecordHeader:]}
	d.offset += int64(len(b))
	return r
}

// Pending is the number of bytes of a record that has begun and is not complete, and the offset where it begins.
func (d *Decoder) Pending() (n int, offset int64) { return len(d.part) + len(d.piece), d.offset }

// AppendRecord appends a record with that payload to dst. The payload must be shorter than 65528 bytes.
func AppendRecord(dst []byte, kind uint32, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, kind)
	dst = binary.LittleEndian.AppendUint16(dst, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(RecordHeader+len(payload)))
	return append(dst, payload...)
}
