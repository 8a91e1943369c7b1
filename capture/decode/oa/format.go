package oa

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Format is the layout of a report.
type Format struct {
	Name   string // as in the kernel's header, such as "A32u40_A4u32_B8_C8"
	Enum   uint32 // I915_OA_FORMAT_*
	Select uint8  // Counter Select in OACONTROL
	Size   int    // of a report in bytes

	fields []field
}

// field is one counter of a report.
type field struct {
	name string
	dw   int // position of the low 32 bits, in 32-bit words
	high int // position of bits 39:32, in bytes; 0 for a counter of 32 bits
	// perEU: every EU may add to it in each clock, so that it wraps that much sooner than one that counts once a clock.
	perEU bool
}

// The header of every format: position of the field in 32-bit words.
const (
	dwID      = 0
	dwTime    = 1
	dwContext = 2
	dwTicks   = 3
)

// MaxReport is the size of the largest report in bytes.
const MaxReport = 256

// The formats of Gen8 to Gen11.
var (
	A12     = &Format{Name: "A12", Enum: 8, Select: 0b000, Size: 64, fields: lowA()}
	A12B8C8 = &Format{Name: "A12_B8_C8", Enum: 9, Select: 0b010, Size: 128,
		fields: join(lowA(), words("B", 8, 16), words("C", 8, 24))}
	A32u40A4u32B8C8 = &Format{Name: "A32u40_A4u32_B8_C8", Enum: 10, Select: 0b101, Size: 256,
		fields: join(wideA(), words("B", 8, 48), words("C", 8, 56))}
	C4B8 = &Format{Name: "C4_B8", Enum: 7, Select: 0b111, Size: 64,
		fields: join(words("B", 8, 8), words("C", 4, 4))}
)

// Formats lists the formats that this package decodes.
func Formats() []*Format { return []*Format{A32u40A4u32B8C8, A12, A12B8C8, C4B8} }

// words are n counters of 32 bits from a position on.
func words(bank string, n, dw int) []field {
	out := make([]field, n)
	for i := range out {
		out[i] = field{name: bank + strconv.Itoa(i), dw: dw + i}
	}
	return out
}

// lowA are the low words of A7 to A18 that the small formats hold.
func lowA() []field {
	out := make([]field, 12)
	for i := range out {
		out[i] = field{name: "A" + strconv.Itoa(7+i), dw: 4 + i, perEU: true}
	}
	return out
}

// wideA are the 32 counters of 40 bits and the 4 of 32 bits of the large format.
func wideA() []field {
	out := words("A", 36, 4)
	for i := range 32 {
		out[i].high, out[i].perEU = 160+i, true
	}
	return out
}

func join(parts ...[]field) []field {
	var out []field
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// FormatByEnum returns the format with that I915_OA_FORMAT_* value.
func FormatByEnum(enum uint32) (*Format, error) {
	for _, f := range Formats() {
		if f.Enum == enum {
			return f, nil
		}
	}
	switch {
	case enum >= 1 && enum <= 6:
		return nil, fmt.Errorf(
			"OA report format %d is one of Haswell's, which are not read here; Gen8 to Gen11 have %s",
			enum, formatNames())
	case enum >= 11 && enum <= 14:
		return nil, fmt.Errorf(
			"OA report format %d is one of DG2's and Meteor Lake's, which are not read here; Gen8 to Gen11 have %s",
			enum, formatNames())
	}
	return nil, fmt.Errorf("unknown OA report format %d; Gen8 to Gen11 have %s", enum, formatNames())
}

// FormatByName returns the format of a name in any case and punctuation, of a Counter Select of three binary digits
// ("101"), or of the kernel's number ("10").
func FormatByName(name string) (*Format, error) {
	key := foldName(name)
	for _, f := range Formats() {
		if foldName(f.Name) == key || foldName("I915_OA_FORMAT_"+f.Name) == key ||
			fmt.Sprintf("%03b", f.Select) == key || strconv.Itoa(int(f.Enum)) == key {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown OA report format %q; there are %s", name, formatNames())
}

func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, s)
}

func formatNames() string {
	var out []string
	for _, f := range Formats() {
		out = append(out, fmt.Sprintf("%s (%d)", f.Name, f.Enum))
	}
	return strings.Join(out, ", ")
}

// Counters lists the names of the format's counters, without the header's, in the order A, B, C.
func (f *Format) Counters() []string {
	out := make([]string, len(f.fields))
	for i := range f.fields {
		out[i] = f.fields[i].name
	}
	return out
}

// Width is the number of bits of a counter in this format, 0 where the format lacks it.
func (f *Format) Width(counter string) int {
	if counter == "GPU_TICKS" || counter == "TIMESTAMP" {
		return 32
	}
	for i := range f.fields {
		if fd := &f.fields[i]; fd.name == counter {
			if fd.high > 0 {
				return 40
			}
			return 32
		}
	}
	return 0
}

// Report is one report: Format.Size bytes, little endian.
type Report []byte

// ID is the first word: see ReportID, or a value of the user's in a snapshot of MI_REPORT_PERF_COUNT.
func (r Report) ID() uint32 { return binary.LittleEndian.Uint32(r[4*dwID:]) }

// Timestamp is the low 32 bits of the timestamp, in ticks.
func (r Report) Timestamp() uint32 { return binary.LittleEndian.Uint32(r[4*dwTime:]) }

// Context is the raw context id; NoContext where there is none.
func (r Report) Context() uint32 { return binary.LittleEndian.Uint32(r[4*dwContext:]) }

// Ticks is the number of render clocks.
func (r Report) Ticks() uint32 { return binary.LittleEndian.Uint32(r[4*dwTicks:]) }

// NoContext is the context id of a report without a valid context.
const NoContext = 0xFFFFFFFF

// Values appends the format's counters to dst in the order of Counters, each with all the bits that the format has. The
// report must hold f.Size bytes.
func (f *Format) Values(dst []uint64, r Report) []uint64 {
	for i := range f.fields {
		dst = append(dst, f.fields[i].value(r))
	}
	return dst
}

func (fd *field) value(r Report) uint64 {
	v := uint64(binary.LittleEndian.Uint32(r[4*fd.dw:]))
	if fd.high > 0 {
		v |= uint64(r[fd.high]) << 32
	}
	return v
}

// put writes a counter into a report; bits that the field lacks are cut off.
func (fd *field) put(r Report, v uint64) {
	binary.LittleEndian.PutUint32(r[4*fd.dw:], uint32(v))
	if fd.high > 0 {
		r[fd.high] = byte(v >> 32)
	}
}

// Put fills a report of f.Size bytes: header and counters, these in the order of Counters.
func (f *Format) Put(r Report, id, timestamp, context, ticks uint32, counters []uint64) {
	binary.LittleEndian.PutUint32(r[4*dwID:], id)
	binary.LittleEndian.PutUint32(r[4*dwTime:], timestamp)
	binary.LittleEndian.PutUint32(r[4*dwContext:], context)
	binary.LittleEndian.PutUint32(r[4*dwTicks:], ticks)
	for i := range f.fields {
		f.fields[i].put(r, counters[i])
	}
}
