package i915

import (
	"encoding/binary"
	"fmt"

	"astrolabe/hwio/hwtest/uapi"
)

// Reasons of a report: bits of its field at bit 19 of the first word.
const (
	reasonTimer         = 1 << 0
	reasonContextSwitch = 1 << 3
	reasonGoTransition  = 1 << 4
)

const invalidContext = 0xffffffff

// event is a report before its counters are worked out.
type event struct {
	t        uint64
	seg      *segment
	reason   uint32
	invalid  bool // the report says that the context id is not valid, though one runs
	unlanded bool // its first two words were not written yet
}

// context is the id that the report carries, and whether it says that it is valid.
func (e *event) context() (uint32, bool) {
	if e.invalid || e.seg.ctx == ctxIdle {
		return invalidContext, false
	}
	return e.seg.ctx, true
}

// format is a layout of reports. A field's place is its byte offset, -1 where the format lacks it.
type format struct {
	name  string
	value uint64 // of I915_OA_FORMAT
	size  int
	a     [36]int
	high  int // of 32 bytes with the bits 39:32 of A0 to A31; 0: none
	b, c  [8]int
}

// formats are those that Gen8 to Gen11 accept.
var formats = func() []*format {
	absent := func(name string, size int) *format {
		f := &format{name: name, value: uint64(uapi.Const("I915_OA_FORMAT_" + name)), size: size}
		for i := range f.a {
			f.a[i] = -1
		}
		for i := range 8 {
			f.b[i], f.c[i] = -1, -1
		}
		return f
	}
	const word = 4
	a12, a12b8c8, c4b8 := absent("A12", 64), absent("A12_B8_C8", 128), absent("C4_B8", 64)
	a36 := absent("A32u40_A4u32_B8_C8", 256)
	for i := range 12 {
		a12.a[7+i] = word * (4 + i)
		a12b8c8.a[7+i] = word * (4 + i)
	}
	for i := range 8 {
		a12b8c8.b[i], a12b8c8.c[i] = word*(16+i), word*(24+i)
		c4b8.b[i] = word * (8 + i)
		a36.b[i], a36.c[i] = word*(48+i), word*(56+i)
	}
	for i := range 4 {
		c4b8.c[i] = word * (4 + i)
	}
	for i := range 36 {
		a36.a[i] = word * (4 + i)
	}
	a36.high = 160
	return []*format{a12, a12b8c8, a36, c4b8}
}()

// put writes a report. ts is the timestamp register.
func (f *format) put(b []byte, e *event, ts uint64, v *counters) {
	ctx, valid := e.context()
	// Gen9 with the clock ratios included: slice ratio in 31:25 and 10:9, unslice ratio in 8:0, context valid in 16.
	id := uint32(e.seg.slice&0x7f)<<25 | uint32(e.seg.slice>>7&3)<<9 | uint32(e.seg.unslice&0x1ff) | e.reason<<19
	if valid {
		id |= 1 << 16
	}
	le := binary.LittleEndian
	le.PutUint32(b, id)
	le.PutUint32(b[4:], uint32(ts))
	le.PutUint32(b[8:], ctx)
	le.PutUint32(b[12:], uint32(v.clocks))
	for i, at := range f.a {
		if at >= 0 {
			le.PutUint32(b[at:], uint32(v.c[i]))
		}
	}
	if f.high != 0 {
		for i := range 32 {
			b[f.high+i] = byte(v.c[i] >> 32)
		}
	}
	for i := range 8 {
		if at := f.b[i]; at >= 0 {
			le.PutUint32(b[at:], uint32(v.c[counterB+i]))
		}
		if at := f.c[i]; at >= 0 {
			le.PutUint32(b[at:], uint32(v.c[counterC+i]))
		}
	}
}

// bits is how wide a counter is in the format, 0 where it lacks it.
func (f *format) bits(counter int) int {
	switch {
	case counter >= counterC:
		if f.c[counter-counterC] < 0 {
			return 0
		}
	case counter >= counterB:
		if f.b[counter-counterB] < 0 {
			return 0
		}
	case f.a[counter] < 0:
		return 0
	case f.high != 0 && counter < 32:
		return 40
	}
	return 32
}

// counterName is A0 to A35, B0 to B7 or C0 to C7.
func counterName(i int) string {
	switch {
	case i >= counterC:
		return fmt.Sprintf("C%d", i-counterC)
	case i >= counterB:
		return fmt.Sprintf("B%d", i-counterB)
	}
	return fmt.Sprintf("A%d", i)
}
