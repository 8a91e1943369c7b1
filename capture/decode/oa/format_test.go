package oa

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestFormatsAreThoseOfTheKernelAndTheManual(t *testing.T) {
	for _, want := range []struct {
		name   string
		enum   uint32
		sel    uint8
		size   int
		fields int
	}{
		{"A12", 8, 0b000, 64, 12}, {"A12_B8_C8", 9, 0b010, 128, 28}, {"A32u40_A4u32_B8_C8", 10, 0b101, 256, 52},
		{"C4_B8", 7, 0b111, 64, 12}, {"A24u40_A14u32_B8_C8", 12, 0, 256, 54}, {"MPEC8u32_B8_C8", 14, 0, 128, 24},
		{"PEC64u64", 0, 0, 576, 64},
	} {
		f, err := FormatByEnum(want.enum)
		if want.enum == 0 {
			f, err = FormatByXe(11)
		}
		if err != nil {
			t.Fatal(err)
		}
		if want.sel == 0 && f != A12 {
			want.sel = f.Select // others have that number too
		}
		if f.Name != want.name || f.Select != want.sel || f.Size != want.size || len(f.Counters()) != want.fields {
			t.Errorf("%+v, want %+v", f, want)
		}
		for _, name := range []string{want.name, strings.ToLower(want.name), "I915_OA_FORMAT_" + want.name,
			fmt.Sprintf("%03b", want.sel), fmt.Sprint(want.enum)} {
			if (want.enum == 0 || want.enum > 10) && strings.Trim(name, "0123456789") == "" {
				continue // the numbers of i915's first formats
			}
			if g, err := FormatByName(name); g != f {
				t.Errorf("name %q gives %v, %v", name, g, err)
			}
		}
	}
	for enum, text := range map[uint32]string{5: "Haswell", 11: "OAR_A32u40_A4u32_B8_C8 is not read: no public metric set uses it", 13: "MPEC8u64_B8_C8 is not read", 0: "unknown", 99: "unknown"} {
		if _, err := FormatByEnum(enum); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("format %d: %v", enum, err)
		}
	}
	for number, want := range []string{"", "C4_B8", "A12", "A12_B8_C8", "A32u40_A4u32_B8_C8", "", "A24u40_A14u32_B8_C8", "", "", "",
		"MPEC8u32_B8_C8", "PEC64u64", "", "", "", "", "", "", "", ""} {
		f, err := FormatByXe(uint32(number))
		switch {
		case want == "" && (err == nil || number > 0 && !strings.Contains(err.Error(), "no public metric set uses it")):
			t.Errorf("number %d of xe: %v, %v", number, f, err)
		case want != "" && (err != nil || f.Name != want):
			t.Errorf("number %d of xe: %v, %v; want %s", number, f, err, want)
		}
	}
	if _, err := FormatByName("PEC32u64_G1"); err == nil || !strings.Contains(err.Error(), "PEC32u64_G1 is not read") {
		t.Errorf("a format that no set uses: %v", err)
	}
	for name, word := range map[string]uint32{"A24u40_A14u32_B8_C8": 0x500, "MPEC8u32_B8_C8": 0x204, "PEC64u64": 0x10105, "C4_B8": 0x700} {
		if f, err := FormatByName(name); err != nil || f.Word != word {
			t.Errorf("%s is opened with %#x, %v; want %#x", name, f.Word, err, word)
		}
	}
	if _, err := FormatByName("A13"); err == nil || !strings.Contains(err.Error(), "A12_B8_C8") {
		t.Errorf("error %v", err)
	}
}

// where says, independently of the tables, at which byte a counter's low word stands, and its high byte if it has one.
func where(f *Format, name string) (low, high int) {
	bank := name[0]
	i, _ := strconv.Atoi(strings.TrimLeft(name, "ABCPE"))
	switch {
	case f == PEC64u64:
		return 32 + 8*i, 0
	case f == MPEC8u32B8C8:
		return map[byte]int{'A': 32, 'B': 64, 'C': 96}[bank] + 4*i, 0
	case f == A24u40A14u32B8C8 && bank == 'A' && i == 36:
		return 160, 0
	case f == A24u40A14u32B8C8 && bank == 'A' && i == 37:
		return 184, 0
	case f == A24u40A14u32B8C8 && bank == 'A' && (i < 4 || 24 <= i && i < 28 || i >= 32):
		return 16 + 4*i, 0 // of A0 to A3 and A24 to A27 there is no high byte
	case f == A24u40A14u32B8C8 && bank == 'A':
		return 16 + 4*i, 160 + i
	case f == A24u40A14u32B8C8:
		return map[byte]int{'B': 192, 'C': 224}[bank] + 4*i, 0
	case f == A32u40A4u32B8C8 && bank == 'A' && i < 32:
		return 16 + 4*i, 160 + i
	case f == A32u40A4u32B8C8 && bank == 'A':
		return 144 + 4*(i-32), 0
	case f == A32u40A4u32B8C8 && bank == 'B':
		return 192 + 4*i, 0
	case f == A32u40A4u32B8C8:
		return 224 + 4*i, 0
	case f == C4B8 && bank == 'C':
		return 16 + 4*i, 0
	case f == C4B8:
		return 32 + 4*i, 0
	case bank == 'A':
		return 16 + 4*(i-7), 0
	case bank == 'B':
		return 64 + 4*i, 0
	}
	return 96 + 4*i, 0
}

func TestEveryCounterStandsWhereTheManualHasIt(t *testing.T) {
	for _, f := range Formats() {
		for i, name := range f.Counters() {
			r := make(Report, f.Size)
			low, high := where(f, name)
			binary.LittleEndian.PutUint32(r[low:], 0x89ABCDEF)
			want := uint64(0x89ABCDEF)
			if high > 0 {
				r[high] = 0x67
				want |= 0x67 << 32
			}
			for k, v := range f.Values(nil, r) {
				if k == i && v != want || k != i && v != 0 {
					t.Errorf("%s: with only %s set, %s is %#x", f.Name, name, f.Counters()[k], v)
				}
			}
			width := 32
			if high > 0 {
				width = 40
			}
			if f == PEC64u64 {
				binary.LittleEndian.PutUint32(r[low+4:], 0xFEDCBA98)
				width, want = 64, want|0xFEDCBA98<<32
				if got := f.Values(nil, r)[i]; got != want {
					t.Errorf("%s is %#x, want %#x", name, got, want)
				}
			}
			if f.Width(name) != width {
				t.Errorf("%s: %s has %d bits", f.Name, name, f.Width(name))
			}
			values := make([]uint64, len(f.Counters()))
			values[i] = want
			put := make(Report, f.Size)
			if f.Put(put, 0, 0, 0, 0, values); string(put) != string(r) {
				t.Errorf("%s: writing %s gives other bytes", f.Name, name)
			}
		}
		r := make(Report, f.Size)
		f.Put(r, 1, 2, 3, 4, make([]uint64, len(f.Counters())))
		word := 4
		if f == PEC64u64 || f == MPEC8u32B8C8 {
			word = 8
		}
		if f.ID(r) != 1 || f.Timestamp(r) != 2 || f.Context(r) != 3 || f.Ticks(r) != 4 || r[0] != 1 || r[word] != 2 ||
			r[2*word] != 3 || r[3*word] != 4 {
			t.Errorf("%s: header % x", f.Name, r[:16])
		}
	}
	if A12.Width("A0") != 0 || A12.Width("GPU_TICKS") != 32 {
		t.Error("A12 has A0, or no clock")
	}
}

func TestReportIdsAreReadByGeneration(t *testing.T) {
	for _, c := range []struct {
		v    Variant
		raw  uint32
		want ReportID
	}{
		{Gen9, 0x8409003c, ReportID{Reason: Timer, ContextValid: true, HasRatios: true, Slice: 66, Unslice: 60}},
		{Gen9, 0x7F<<25 | 3<<9 | 0x1FF, ReportID{HasRatios: true, Slice: 0x1FF, Unslice: 0x1FF}},
		{Gen9, 1<<24 | 1<<22 | 1<<18 | 1<<17, ReportID{Reason: ClockRatioChange | ContextSwitch, StartTrigger: true,
			Threshold: true}},
		{Gen8, 1<<25 | 1<<23 | 1<<16, ReportID{Reason: GoTransition, ContextValid: true, TimerEnabled: true}},
		{Gen8, 1<<24 | 1<<20, ReportID{Reason: Trigger1}},
		{UserID, 0xFFFFFFFF, ReportID{}},
	} {
		c.want.Raw = c.raw
		if got := c.v.Decode(c.raw); got != c.want {
			t.Errorf("variant %d, %#x: %+v, want %+v", c.v, c.raw, got, c.want)
		}
	}
	for r, want := range map[Reason]string{0: "none", Timer: "timer", ContextSwitch | GoTransition: "context switch",
		ClockRatioChange: "clock ratio change"} {
		if r.String() != want {
			t.Errorf("reason %d is %q", r, r)
		}
	}
	if mHz(69) != 1150 || mHz(60) != 1000 {
		t.Errorf("ratios 69 and 60 are %v and %v MHz", mHz(69), mHz(60))
	}
	for id, want := range map[uint32]Variant{0x1616: Gen8, 0x22B1: Gen8, 0x5916: Gen9, 0x1916: Gen9, 0x3E92: Gen9} {
		if v, sure := variantOf(id, A32u40A4u32B8C8); v != want || !sure {
			t.Errorf("device %#x has variant %d, sure %t", id, v, sure)
		}
	}
	if _, sure := variantOf(0x1234, A32u40A4u32B8C8); sure {
		t.Error("device 0x1234 is known")
	}
}

func TestDevicesHaveCataloguesOrAReason(t *testing.T) {
	for id, want := range map[uint32]string{0x5916: "intel-kbl-gt2", 0x591C: "intel-kbl-gt2", 0x87C0: "intel-kbl-gt2",
		0x5927: "intel-kbl-gt3", 0x5902: "", 0x593B: "", 0x1916: "intel-skl-gt2", 0x7D40: "", 0x7D55: "intel-mtl-gt3", 0x64A0: "intel-lnl", 0x1234: ""} {
		got, why := CatalogueOf(id)
		if got != want || (why == "") != (want != "") {
			t.Errorf("device %#x: %q, %q", id, got, why)
		}
	}
	if f := TimestampFrequencyOf(0x5A84); f != 19_200_000 || threadsPerEU(0x5A84) != 6 ||
		TimestampFrequencyOf(0x5916) != 12_000_000 || TimestampFrequencyOf(0x1616) != 12_500_000 {
		t.Error("wrong constants of devices")
	}
}

// topologyBlob is what the kernel gives on big-core Gen9 parts: room for 3 slices of 4 subslices of 8 EUs.
func topologyBlob(slices byte, subslices [3]byte, eus func(s, ss int) byte) []byte {
	blob := make([]byte, 32)
	for i, v := range []uint16{0, 3, 4, 8, 1, 1, 4, 1} {
		binary.LittleEndian.PutUint16(blob[2*i:], v)
	}
	blob[16] = slices
	copy(blob[17:], subslices[:])
	for s := range 3 {
		for ss := range 4 {
			if slices>>s&1 != 0 && subslices[s]>>ss&1 != 0 {
				blob[20+s*4+ss] = eus(s, ss)
			}
		}
	}
	return blob
}

func TestTopologyCountsWhatIsPresent(t *testing.T) {
	all := func(int, int) byte { return 0xFF }
	for _, c := range []struct {
		name string
		blob []byte
		want Topology
	}{
		{"GT2", topologyBlob(1, [3]byte{7}, all),
			Topology{Slices: 1, Subslices: 3, EUs: 24, SliceMask: 1, SubsliceMask: 7}},
		{"GT3", topologyBlob(3, [3]byte{7, 7}, all),
			Topology{Slices: 2, Subslices: 6, EUs: 48, SliceMask: 3, SubsliceMask: 0o77}},
		{"fused", topologyBlob(1, [3]byte{5}, func(_, ss int) byte {
			return 0x7F
		}), Topology{Slices: 1, Subslices: 2, EUs: 14, SliceMask: 1, SubsliceMask: 5}},
		{"second slice only", topologyBlob(2, [3]byte{7, 1}, all),
			Topology{Slices: 1, Subslices: 1, EUs: 8, SliceMask: 2, SubsliceMask: 8}},
	} {
		c.want.MaxSlices, c.want.MaxSubslices, c.want.MaxEUs = 3, 4, 8
		if got, err := ParseTopology(c.blob); got != c.want || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
	if _, err := ParseTopology(make([]byte, 15)); err == nil {
		t.Error("15 bytes are a topology")
	}
	if _, err := ParseTopology(topologyBlob(1, [3]byte{7}, all)[:22]); err == nil ||
		!strings.Contains(err.Error(), "22 bytes") {
		t.Errorf("cut off: %v", err)
	}
}

func FuzzTopology(f *testing.F) {
	f.Add(topologyBlob(3, [3]byte{7, 7}, func(int, int) byte { return 0xFF }))
	f.Fuzz(func(t *testing.T, blob []byte) {
		if got, err := ParseTopology(blob); err == nil && (got.EUs > got.MaxSlices*got.MaxSubslices*got.MaxEUs ||
			got.Slices > got.MaxSlices) {
			t.Errorf("%+v", got)
		}
	})
}
