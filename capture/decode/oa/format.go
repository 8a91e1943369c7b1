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
	Enum   uint32 // I915_OA_FORMAT_*; 0 where i915 has no number for it
	Xe     uint32 // its number in files of xe-perf-recorder
	Word   uint32 // the property with which xe opens a stream of it: type, counter select, counter size, B and C counters
	Select uint8  // Counter Select in OACONTROL
	Size   int    // of a report in bytes

	wide   bool // the header's words have 64 bits
	fields []field
}

// field is one counter of a report.
type field struct {
	name string
	dw   int   // position of the low 32 bits, in 32-bit words
	high int   // position of bits 39:32, in bytes; 0 for a counter of another width
	bits uint8 // 32, 40 or 64
	// perEU: every EU may add to it in each clock, so that it wraps that much sooner than one that counts once a clock.
	perEU bool
}

// The header of every format: position of the field in words, which have 32 or 64 bits.
const (
	wordID      = 0
	wordTime    = 1
	wordContext = 2
	wordTicks   = 3
	headerWords = 4
)

// The formats that metric sets use, and the older ones of Gen8 to Gen12.
var (
	A12     = &Format{Name: "A12", Enum: 8, Xe: 2, Word: 0x000, Select: 0b000, Size: 64, fields: lowA()}
	A12B8C8 = &Format{Name: "A12_B8_C8", Enum: 9, Xe: 3, Word: 0x200, Select: 0b010, Size: 128,
		fields: join(lowA(), words("B", 8, 16), words("C", 8, 24))}
	A32u40A4u32B8C8 = &Format{Name: "A32u40_A4u32_B8_C8", Enum: 10, Xe: 4, Word: 0x500, Select: 0b101, Size: 256,
		fields: join(wideA(), words("B", 8, 48), words("C", 8, 56))}
	C4B8 = &Format{Name: "C4_B8", Enum: 7, Xe: 1, Word: 0x700, Select: 0b111, Size: 64,
		fields: join(words("B", 8, 8), words("C", 4, 4))}
	// Of DG2 and later.
	A24u40A14u32B8C8 = &Format{Name: "A24u40_A14u32_B8_C8", Enum: 12, Xe: 6, Word: 0x500, Select: 0b101, Size: 256,
		fields: join(mixedA(), words("B", 8, 48), words("C", 8, 56))}
	// Of media units. Equations call the eight counters of an MPEC A0 to A7.
	MPEC8u32B8C8 = &Format{Name: "MPEC8u32_B8_C8", Enum: 14, Xe: 10, Word: 0x204, Select: 0b010, Size: 128, wide: true,
		fields: join(words("A", 8, 8), words("B", 8, 16), words("C", 8, 24))}
	// Of Xe2 and later.
	PEC64u64 = &Format{Name: "PEC64u64", Xe: 11, Word: 0x10105, Select: 0b001, Size: 576, wide: true, fields: longWords("PEC", 64, 8)}
)

// Formats lists the formats that this package decodes.
func Formats() []*Format {
	return []*Format{A32u40A4u32B8C8, A12, A12B8C8, C4B8, A24u40A14u32B8C8, MPEC8u32B8C8, PEC64u64}
}

// Before reports whether a format is older than another.
func (f *Format) Before(g *Format) bool { return f.Xe < g.Xe }

// unread are formats of the kernel's headers that are known by name only: no public metric set uses them, and nothing
// says what their counters mean.
var unread = []struct {
	name     string
	enum, xe uint32
}{
	{"OAR_A32u40_A4u32_B8_C8", 11, 5}, {"MPEC8u64_B8_C8", 13, 9}, {"OAC_A24u64_B8_C8", 0, 7}, {"OAC_A22u32_R2u32_B8_C8", 0, 8},
	{"PEC64u64_B8_C8", 0, 12}, {"PEC64u32", 0, 13}, {"PEC32u64_G1", 0, 14}, {"PEC32u32_G1", 0, 15}, {"PEC32u64_G2", 0, 16},
	{"PEC32u32_G2", 0, 17}, {"PEC36u64_G1_32_G2_4", 0, 18}, {"PEC36u64_G1_4_G2_32", 0, 19},
}

func unreadError(name string) error {
	return fmt.Errorf("OA report format %s is not read: no public metric set uses it, so nothing says what its counters mean; there are %s",
		name, formatNames())
}

// words are n counters of 32 bits from a position on.
func words(bank string, n, dw int) []field {
	out := make([]field, n)
	for i := range out {
		out[i] = field{name: bank + strconv.Itoa(i), dw: dw + i, bits: 32}
	}
	return out
}

// longWords are n counters of 64 bits from a position on, which is given in 32-bit words.
func longWords(bank string, n, dw int) []field {
	out := make([]field, n)
	for i := range out {
		out[i] = field{name: bank + strconv.Itoa(i), dw: dw + 2*i, bits: 64}
	}
	return out
}

// lowA are the low words of A7 to A18 that the small formats hold.
func lowA() []field {
	out := make([]field, 12)
	for i := range out {
		out[i] = field{name: "A" + strconv.Itoa(7+i), dw: 4 + i, bits: 32, perEU: true}
	}
	return out
}

// wideA are the 32 counters of 40 bits and the 4 of 32 bits of the large format.
func wideA() []field {
	out := words("A", 36, 4)
	for i := range 32 {
		out[i].widen(i)
	}
	return out
}

// mixedA are the 38 counters of DG2. A0 to A3 and A24 to A27 have 32 bits there, and what were their high bytes are two
// counters more.
func mixedA() []field {
	out := words("A", 36, 4)
	for i := range 32 {
		if i >= 4 && i < 24 || i >= 28 {
			out[i].widen(i)
		}
	}
	return append(out, field{name: "A36", dw: 40, bits: 32}, field{name: "A37", dw: 46, bits: 32})
}

// widen makes a counter A one of 40 bits, whose high byte stands behind all low words.
func (fd *field) widen(i int) { fd.high, fd.bits, fd.perEU = 160+i, 40, true }

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
		if f.Enum == enum && enum != 0 {
			return f, nil
		}
	}
	for _, u := range unread {
		if u.enum == enum && enum != 0 {
			return nil, unreadError(u.name)
		}
	}
	if enum >= 1 && enum <= 6 {
		return nil, fmt.Errorf("OA report format %d is one of Haswell's, which are not read here; there are %s", enum, formatNames())
	}
	return nil, fmt.Errorf("unknown OA report format %d; there are %s", enum, formatNames())
}

// FormatByXe returns the format with that number in files of xe-perf-recorder.
func FormatByXe(number uint32) (*Format, error) {
	for _, f := range Formats() {
		if f.Xe == number {
			return f, nil
		}
	}
	for _, u := range unread {
		if u.xe == number {
			return nil, unreadError(u.name)
		}
	}
	return nil, fmt.Errorf("unknown OA report format %d of a recording of the driver xe; there are %s", number, formatNames())
}

// FormatByName returns the format of a name in any case and punctuation, of a Counter Select of three binary digits
// ("101"), of those that i915 had first, or of i915's number ("10").
func FormatByName(name string) (*Format, error) {
	key := foldName(name)
	for _, f := range Formats() {
		if foldName(f.Name) == key || foldName("I915_OA_FORMAT_"+f.Name) == key || foldName("XE_OA_FORMAT_"+f.Name) == key ||
			fmt.Sprintf("%03b", f.Select) == key || f.Enum != 0 && strconv.Itoa(int(f.Enum)) == key {
			return f, nil
		}
	}
	for _, u := range unread {
		if foldName(u.name) == key {
			return nil, unreadError(u.name)
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
		name := f.Name
		if f.Enum != 0 {
			name += fmt.Sprintf(" (%d)", f.Enum)
		}
		out = append(out, name)
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
		return f.wordBits()
	}
	for i := range f.fields {
		if fd := &f.fields[i]; fd.name == counter {
			return int(fd.bits)
		}
	}
	return 0
}

// wordBits is how many bits the header's words have.
func (f *Format) wordBits() int {
	if f.wide {
		return 64
	}
	return 32
}

// Report is one report: Format.Size bytes, little endian.
type Report []byte

// word is a word of the header.
func (f *Format) word(r Report, n int) uint64 {
	if f.wide {
		return binary.LittleEndian.Uint64(r[8*n:])
	}
	return uint64(binary.LittleEndian.Uint32(r[4*n:]))
}

// ID is the first word of a report, whose low 32 bits ReportID has: or a value of the user's in a snapshot of
// MI_REPORT_PERF_COUNT.
func (f *Format) ID(r Report) uint64 { return f.word(r, wordID) }

// Timestamp is the timestamp in ticks: its low 32 bits where the header has 32.
func (f *Format) Timestamp(r Report) uint64 { return f.word(r, wordTime) }

// Context is the raw context id, of which 32 bits mean something; NoContext where there is none.
func (f *Format) Context(r Report) uint32 { return uint32(f.word(r, wordContext)) }

// Ticks is the number of clocks.
func (f *Format) Ticks(r Report) uint64 { return f.word(r, wordTicks) }

// Since is how far a word of the header has moved.
func (f *Format) Since(now, before uint64) uint64 {
	if f.wide {
		return now - before
	}
	return uint64(uint32(now) - uint32(before))
}

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
	switch fd.bits {
	case 64:
		return binary.LittleEndian.Uint64(r[4*fd.dw:])
	case 40:
		return uint64(binary.LittleEndian.Uint32(r[4*fd.dw:])) | uint64(r[fd.high])<<32
	}
	return uint64(binary.LittleEndian.Uint32(r[4*fd.dw:]))
}

// put writes a counter into a report; bits that the field lacks are cut off.
func (fd *field) put(r Report, v uint64) {
	if fd.bits == 64 {
		binary.LittleEndian.PutUint64(r[4*fd.dw:], v)
		return
	}
	binary.LittleEndian.PutUint32(r[4*fd.dw:], uint32(v))
	if fd.bits == 40 {
		r[fd.high] = byte(v >> 32)
	}
}

// Put fills a report of f.Size bytes: header and counters, these in the order of Counters. Bits that a header of 32 bits
// lacks are cut off.
func (f *Format) Put(r Report, id, timestamp, context, ticks uint64, counters []uint64) {
	for n, v := range [headerWords]uint64{id, timestamp, context, ticks} {
		if f.wide {
			binary.LittleEndian.PutUint64(r[8*n:], v)
		} else {
			binary.LittleEndian.PutUint32(r[4*n:], uint32(v))
		}
	}
	for i := range f.fields {
		f.fields[i].put(r, counters[i])
	}
}
