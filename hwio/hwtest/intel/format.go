package intel

import (
	"encoding/binary"
	"fmt"
)

// Format is a layout of reports.
type Format struct {
	Name   string // as in the kernel's headers
	Size   int
	Word   uint64 // the number by which the driver xe knows it
	wide   bool   // the four numbers of the header have 64 bits
	fields []field
}

// field is a counter's place in bytes.
type field struct {
	name      string
	slot      int
	low, high int // of the low word; of the byte of bits 39:32, 0: none
	bits      int
}

// words are n counters of 32 bits, from a bank's counter first on.
func words(bank string, slot, first, n, at int) (out []field) {
	for i := range n {
		out = append(out, field{fmt.Sprintf("%s%d", bank, first+i), slot + first + i, at + 4*i, 0, 32})
	}
	return out
}

// banksBC are B0 to B7 and C0 to C7, one after the other.
func banksBC(at int) []field {
	return append(words("B", SlotB, 0, 8, at), words("C", SlotC, 0, 8, at+32)...)
}

// widened are counters A of 32 bits with a byte more, which stands at 160 plus the counter's number.
func widened(list []field, from, to int) []field {
	for i := from; i < to; i++ {
		list[i].high, list[i].bits = 160+i, 40
	}
	return list
}

func pec() (out []field) {
	for i := range 64 {
		out = append(out, field{fmt.Sprintf("PEC%d", i), i, 32 + 8*i, 0, 64})
	}
	return out
}

// The formats that published sets use, and the older ones of Gen8 to Gen12.
var (
	A12     = &Format{Name: "A12", Size: 64, Word: 0x000, fields: words("A", 0, 7, 12, 16)}
	A12B8C8 = &Format{Name: "A12_B8_C8", Size: 128, Word: 0x200,
		fields: append(words("A", 0, 7, 12, 16), banksBC(64)...)}
	C4B8 = &Format{Name: "C4_B8", Size: 64, Word: 0x700,
		fields: append(words("C", SlotC, 0, 4, 16), words("B", SlotB, 0, 8, 32)...)}
	A32u40 = &Format{Name: "A32u40_A4u32_B8_C8", Size: 256, Word: 0x500,
		fields: append(widened(words("A", 0, 0, 36, 16), 0, 32), banksBC(192)...)}
	// A24u40 has whole counters where the one before has high bytes of A0 to A3 and of A24 to A27.
	A24u40 = &Format{Name: "A24u40_A14u32_B8_C8", Size: 256, Word: 0x500,
		fields: append(append(widened(widened(words("A", 0, 0, 36, 16), 4, 24), 28, 32),
			field{"A36", 36, 160, 0, 32}, field{"A37", 37, 184, 0, 32}), banksBC(192)...)}
	MPEC8u32 = &Format{Name: "MPEC8u32_B8_C8", Size: 128, Word: 0x204, wide: true,
		fields: append(words("A", 0, 0, 8, 32), banksBC(64)...)}
	PEC64u64 = &Format{Name: "PEC64u64", Size: 576, Word: 0x10105, wide: true, fields: pec()}
)

// Formats are those that a unit writes.
func (p *Part) Formats(u *Unit) []*Format {
	switch {
	case u.Media:
		return []*Format{MPEC8u32}
	case p.Xe2():
		return []*Format{PEC64u64}
	case p.Version >= 1255:
		return []*Format{A24u40}
	}
	return []*Format{A12, A12B8C8, A32u40, C4B8}
}

// Reasons of a report: bits of its field at bit 19 of the first word.
const (
	ReasonTimer         = 1 << 0
	reasonContextSwitch = 1 << 3
	reasonGoTransition  = 1 << 4
)

// InvalidContext is the id of a report without one.
const InvalidContext = 0xffffffff

// Event is a report before its counters are worked out.
type Event struct {
	T        uint64
	Reason   uint32
	Invalid  bool // the report says that the context id is not valid, though one runs
	Unlanded bool // its first two words were not written yet
	Gap      bool // reports were lost before it
	seg      *Segment
}

// Context is the id that the report carries, and whether it says that it is valid.
func (e *Event) Context() (uint32, bool) {
	if e.Invalid || e.seg.Ctx == Idle {
		return InvalidContext, false
	}
	return e.seg.Ctx, true
}

// Switched says whether the report is one of a switch between contexts.
func (e *Event) Switched() bool { return e.Reason&reasonContextSwitch != 0 }

// put writes a report. ts is the timestamp, of which headers of 32 bits hold the low half.
func (f *Format) put(b []byte, e *Event, ts uint64, v *Counters) {
	ctx, valid := e.Context()
	// As on Gen9 with the clock ratios included: slice ratio in 31:25 and 10:9, unslice ratio in 8:0, context valid in 16.
	id := uint32(e.seg.Slice&0x7f)<<25 | uint32(e.seg.Slice>>7&3)<<9 | uint32(e.seg.Unslice&0x1ff) | e.Reason<<19
	if valid {
		id |= 1 << 16
	}
	le := binary.LittleEndian
	for i, x := range [4]uint64{uint64(id), ts, uint64(ctx), v.Clocks} {
		if f.wide {
			le.PutUint64(b[8*i:], x)
		} else {
			le.PutUint32(b[4*i:], uint32(x))
		}
	}
	for _, fd := range f.fields {
		x := v.C[fd.slot]
		if fd.bits == 64 {
			le.PutUint64(b[fd.low:], x)
			continue
		}
		le.PutUint32(b[fd.low:], uint32(x))
		if fd.high != 0 {
			b[fd.high] = byte(x >> 32)
		}
	}
}

// word is the size of one of the header's four numbers.
func (f *Format) word() int { return f.headerBits() / 8 }

// headerBits is how wide the timestamp and the clocks are.
func (f *Format) headerBits() int {
	if f.wide {
		return 64
	}
	return 32
}
