package xe

import (
	"encoding/binary"
	"fmt"

	"astrolabe/hwio/hwtest/uapi"
)

// Reasons of a report: bits of its field at bit 19 of the first word.
const (
	reasonTimer         = 1 << 0
	reasonContextSwitch = 1 << 3
)

// event is a report before its counters are worked out.
type event struct {
	t      uint64
	seg    *segment
	reason uint32
	gap    bool // reports were lost before it
}

// format is a layout of reports with a header of four 64-bit numbers.
type format struct {
	name   string
	word   uint64 // as the property has it
	size   int
	bits   int // of a counter
	n      int // counters
	banks  string
	media  bool
	others []string // counters that the format has beside them, which no event drives
}

// formatWord is the kernel's number of a format.
func formatWord(kind string, sel, size uint64) uint64 {
	return uint64(uapi.Const("DRM_XE_OA_FMT_TYPE_"+kind)) | sel<<8 | size<<16
}

// formats are those that published sets use on these GPUs.
var formats = []*format{
	{name: "PEC64u64", word: formatWord("PEC", 1, 1), size: 576, bits: 64, n: 64, banks: "PEC"},
	{name: "MPEC8u32_B8_C8", word: formatWord("OAM_MPEC", 2, 0), size: 128, bits: 32, n: 8, banks: "A", media: true,
		others: []string{"B", "C"}},
}

// header is the size of the four numbers.
const header = 32

// put writes a report. ts is the timestamp.
func (f *format) put(b []byte, e *event, ts uint64, v *counters) {
	// With the clock ratios included: slice ratio in 31:25 and 10:9, unslice ratio in 8:0, context valid in 16.
	id := uint32(e.seg.slice&0x7f)<<25 | uint32(e.seg.slice>>7&3)<<9 | uint32(e.seg.unslice&0x1ff) | e.reason<<19
	le := binary.LittleEndian
	ctx := uint64(0xffffffff)
	if e.seg.ctx != ctxIdle {
		id |= 1 << 16
		ctx = uint64(e.seg.ctx)
	}
	le.PutUint64(b, uint64(id))
	le.PutUint64(b[8:], ts)
	le.PutUint64(b[16:], ctx)
	le.PutUint64(b[24:], v.clocks)
	for i := range f.n {
		if f.bits == 64 {
			le.PutUint64(b[header+8*i:], v.c[i])
		} else {
			le.PutUint32(b[header+4*i:], uint32(v.c[i]))
		}
	}
}

// name is what a counter is called in the format.
func (f *format) counter(i int) string { return fmt.Sprintf("%s%d", f.banks, i) }
