package gpumetrics

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/internal/testfiles"
)

func TestLayoutsAreThoseOfTheReference(t *testing.T) {
	var want, got []string
	for _, r := range testfiles.Rows(t, "reference", "amd_gpu_metrics_layouts.csv") {
		want = append(want, strings.Join([]string{r["version"], r["field"], r["offset"], r["type"], r["count"]}, ","))
	}
	for _, l := range layouts() {
		if l.Format == 1 && l.Content >= 6 && l.Size > 384 {
			continue // newer than the reference: see TestTablesWithPartitionsAreAsACompilerLaysThemOut
		}
		v := fmt.Sprintf("v%d_%d,", l.Format, l.Content)
		for _, f := range l.Fields {
			got = append(got, fmt.Sprintf("%s%s,%d,u%d,%d", v, f.Name, f.Offset, 8*f.Size, f.Count))
		}
		got = append(got, fmt.Sprintf("%s(sizeof),%d,,", v, l.Size))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("layouts differ from the reference: %d rows, want %d", len(got), len(want))
	}
}

func TestFieldsFollowEachOtherWithinTheTable(t *testing.T) {
	if len(layouts()) != 16 {
		t.Errorf("%d layouts, want 16", len(layouts()))
	}
	for _, l := range layouts() {
		at := 0
		for _, f := range l.Fields {
			if f.Offset < at || f.End() > l.Size {
				t.Errorf("%s: %s at %d..%d, the field before ends at %d, the table at %d", l.Version(), f.Name, f.Offset, f.End(), at, l.Size)
			}
			at = f.End()
		}
	}
}

// expected is the file of sample tables.
type expected struct {
	Cases []struct {
		File, Expect, Version string
		StructureSize         int `json:"structure_size"`
		FileSize              int `json:"file_size"`
		Fields                []struct {
			Name, Type    string
			Offset, Count int
			Value         json.RawMessage
		}
		FirstFieldCut string   `json:"first_field_cut"`
		UsableFields  []string `json:"usable_fields"`
	}
}

func TestSampleTablesDecodeAsTheirDescriptionSays(t *testing.T) {
	var all expected
	testfiles.JSON(t, &all, "vectors", "gpu_metrics_sample.json")
	if len(all.Cases) != 4 {
		t.Fatalf("%d cases", len(all.Cases))
	}
	for _, c := range all.Cases {
		data := testfiles.Read(t, "vectors", c.File)
		var table Table
		err := table.Decode(data)
		switch c.Expect {
		case "decode":
			if err != nil || table.Layout().Version() != c.Version || table.Layout().Size != c.StructureSize || table.AllMissing() || table.AllZero() {
				t.Fatalf("%s: %v, %+v", c.File, err, table.Layout())
			}
			if len(c.Fields) != len(table.Layout().Fields) {
				t.Errorf("%s: %d fields, want %d", c.File, len(table.Layout().Fields), len(c.Fields))
			}
			for i, want := range c.Fields {
				f := &table.Layout().Fields[i]
				if got := text(&table, f); f.Name != want.Name || f.Offset != want.Offset || fmt.Sprintf("u%d", 8*f.Size) != want.Type || f.Count != want.Count ||
					got != strings.Join(strings.Fields(string(want.Value)), "") {
					t.Errorf("field %d is %s = %s, want %+v", i, f.Name, got, want)
				}
			}
		case "truncated":
			var cut *TruncatedError
			if !errors.As(err, &cut) || cut.Have != c.FileSize || cut.Want != c.StructureSize || cut.FirstCut != c.FirstFieldCut || cut.Version != c.Version {
				t.Fatalf("%s: %v", c.File, err)
			}
			if msg := cut.Error(); !strings.Contains(msg, strconv.Itoa(c.FileSize)) || !strings.Contains(msg, strconv.Itoa(c.StructureSize)) {
				t.Errorf("%q does not say both sizes", msg)
			}
			var usable []string
			for i := range table.Layout().Fields {
				f := &table.Layout().Fields[i]
				if table.Holds(f) {
					usable = append(usable, f.Name)
				} else if v, ok := table.Raw(f, 0); ok {
					t.Errorf("%s is cut off and has the value %d", f.Name, v)
				}
			}
			if !slices.Equal(usable, c.UsableFields) {
				t.Errorf("usable fields are %v, want %v", usable, c.UsableFields)
			}
		case "all_missing":
			if err != nil || !table.AllMissing() || table.Layout().Version() != c.Version {
				t.Errorf("%s: %v, all missing %v", c.File, err, table.AllMissing())
			}
			for i := range table.Layout().Fields[3:] {
				f := &table.Layout().Fields[3+i]
				if _, ok := table.Raw(f, 0); ok {
					t.Errorf("%s has a value", f.Name)
				}
			}
		case "unknown_version":
			var v *versionError
			if !errors.As(err, &v) || !strings.Contains(err.Error(), c.Version) || !strings.Contains(err.Error(), strconv.Itoa(c.StructureSize)) || table.Layout() != nil {
				t.Errorf("%s: %v", c.File, err)
			}
		default:
			t.Errorf("%s expects %q", c.File, c.Expect)
		}
	}
}

// text is a field's value as JSON.
func text(table *Table, f *Field) string {
	var parts []string
	for k := range f.Count {
		if v, ok := table.Raw(f, k); ok {
			parts = append(parts, strconv.FormatUint(v, 10))
		} else {
			parts = append(parts, "null")
		}
	}
	if f.Count == 1 {
		return parts[0]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func TestUnitsFollowTheFamilyOfTheTable(t *testing.T) {
	for _, c := range []struct {
		format uint8
		field  string
		want   Meaning
	}{
		{1, "temperature_hotspot", Meaning{Level, "celsius", 1, false}},
		{2, "temperature_core", Meaning{Level, "celsius", 0.01, false}},
		{3, "temperature_skin", Meaning{Level, "celsius", 0.01, false}},
		{1, "average_socket_power", Meaning{Level, "watts", 1, false}},
		{3, "average_socket_power", Meaning{Level, "watts", 0.001, false}},
		{3, "current_stapm_power_limit", Meaning{Level, "watts", 0.001, false}},
		{1, "average_gfx_activity", Meaning{Level, "percent", 1, false}},
		{2, "average_gfx_activity", Meaning{Level, "percent", 0.01, true}},
		{3, "average_core_c0_activity", Meaning{Level, "percent", 1, false}},
		{1, "energy_accumulator", Meaning{Total, "joules", 1.0 / 65536, false}},
		{1, "current_vclk0", Meaning{Level, "Hz", 1e6, false}},
		{3, "average_fclk_frequency", Meaning{Level, "Hz", 1e6, false}},
		{3, "current_gfx_maxfreq", Meaning{Level, "Hz", 1e6, false}},
		{1, "gfxclk_lock_status", Meaning{Bits, "", 1, false}},
		{1, "indep_throttle_status", Meaning{Bits, "", 1, false}},
		{1, "pcie_link_speed", Meaning{Level, "GT/s", 0.1, false}},
		{1, "pcie_link_width", Meaning{Level, "lanes", 1, false}},
		{1, "voltage_gfx", Meaning{Level, "volts", 0.001, false}},
		{2, "average_cpu_current", Meaning{Level, "amperes", 0.001, false}},
		{1, "firmware_timestamp", Meaning{Clock, "ns", 10, false}},
		{1, "pcie_replay_count_acc", Meaning{Total, "events", 1, false}},
		{3, "throttle_residency_spl", Meaning{Total, "cycles", 1, false}},
		{1, "padding1", Meaning{}},
		{1, "gfx_busy_inst", Meaning{Level, "percent", 1, false}},
		{1, "gfx_busy_acc", Meaning{Total, "", 1, false}},
		{1, "gfx_below_host_limit_thm_acc", Meaning{Total, "", 1, false}},
		{1, "gfx_low_utilization_acc", Meaning{Total, "", 1, false}},
		{1, "num_partition", Meaning{Level, "", 1, false}},
	} {
		if got := meaning(c.format, c.field); got != c.want {
			t.Errorf("%d.x %s: %+v, want %+v", c.format, c.field, got, c.want)
		}
	}
}

func TestAllBitsSetIsMissingInFieldsOfEverySize(t *testing.T) {
	sizes := map[int]bool{}
	for _, l := range layouts() {
		data := bytes.Repeat([]byte{0xff}, l.Size)
		binary.LittleEndian.PutUint16(data, uint16(l.Size))
		data[2], data[3] = l.Format, l.Content
		var table Table
		if err := table.Decode(data); err != nil || !table.AllMissing() {
			t.Fatalf("%s: %v, all missing %v", l.Version(), err, table.AllMissing())
		}
		for i := range l.Fields {
			f := &l.Fields[i]
			if f.Offset < headerSize {
				continue
			}
			sizes[f.Size] = true
			for k := range f.Count {
				at := f.Offset + k*f.Size
				if v, ok := table.Raw(f, k); ok {
					t.Errorf("%s %s[%d] with all bits set is %d", l.Version(), f.Name, k, v)
				}
				data[at] = 0xfe
				if v, ok := table.Raw(f, k); !ok || v != ^uint64(0)>>(64-8*f.Size)-1 {
					t.Errorf("%s %s[%d] with the lowest bit clear is %d, %v", l.Version(), f.Name, k, v, ok)
				}
				data[at] = 0xff
			}
		}
	}
	if len(sizes) != 4 {
		t.Errorf("fields of the sizes %v were looked at", sizes)
	}
}

func TestTablesWithoutDataAreTold(t *testing.T) {
	data := make([]byte, 120)
	data[0], data[2], data[3] = 120, 1, 3
	var table Table
	if err := table.Decode(data); err != nil || !table.AllZero() || table.AllMissing() {
		t.Errorf("a table of zeros: %v, all zero %v, all missing %v", err, table.AllZero(), table.AllMissing())
	}
	for size, want := range map[int]string{0: "0 bytes", 3: "3 bytes"} {
		if err := table.Decode(data[:size]); err == nil || !strings.Contains(err.Error(), want) || table.Layout() != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	data[0] = 100 // a header that promises less than the revision has
	var cut *TruncatedError
	if err := table.Decode(data); !errors.As(err, &cut) || cut.Have != 100 || cut.Want != 120 {
		t.Errorf("a short structure: %v", err)
	}
	data[0] = 2
	if err := table.Decode(data); err == nil || table.Layout() != nil {
		t.Errorf("a structure of 2 bytes: %v", err)
	}
}

func TestALongerTableIsReadUpToWhatItsRevisionHas(t *testing.T) {
	data := make([]byte, 4096)
	data[0], data[1], data[2], data[3] = 0x00, 0x10, 1, 3
	data[16] = 42
	var table Table
	if err := table.Decode(data); err != nil {
		t.Fatal(err)
	}
	for i := range table.Layout().Fields {
		if f := &table.Layout().Fields[i]; f.Name == "average_gfx_activity" {
			if v, ok := table.Raw(f, 0); v != 42 || !ok {
				t.Errorf("activity is %d, %v", v, ok)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, l := range layouts() {
		data := make([]byte, l.Size)
		data[0], data[1], data[2], data[3] = byte(l.Size), byte(l.Size>>8), l.Format, l.Content
		f.Add(data)
		f.Add(data[:l.Size/2])
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		var table Table
		err := table.Decode(data)
		var cut *TruncatedError
		if err != nil && !errors.As(err, &cut) {
			if table.Layout() != nil {
				t.Fatal("a table that was refused has a layout")
			}
			return
		}
		for i := range table.Layout().Fields {
			fld := &table.Layout().Fields[i]
			for k := -1; k <= fld.Count; k++ {
				if _, ok := table.Raw(fld, k); ok && !table.Holds(fld) {
					t.Fatalf("%s lies outside the table and has a value", fld.Name)
				}
			}
		}
		_, _ = table.AllMissing(), table.AllZero()
	})
}

func BenchmarkDecode(b *testing.B) {
	data := make([]byte, 264)
	data[0], data[1], data[2] = 8, 1, 3
	var table Table
	b.ReportAllocs()
	for b.Loop() {
		if err := table.Decode(data); err != nil {
			b.Fatal(err)
		}
		for i := range table.Layout().Fields {
			f := &table.Layout().Fields[i]
			for k := range f.Count {
				table.Raw(f, k)
			}
		}
	}
}

// The sizes and offsets are what a C compiler makes of AMD's declarations of these tables.
func TestTablesWithPartitionsAreAsACompilerLaysThemOut(t *testing.T) {
	for _, c := range []struct {
		content uint8
		size    int
		at      map[string][3]int // offset, bytes of a value, values
	}{
		{6, 1664, map[string][3]int{"accumulation_counter": {32, 4, 1}, "ppt_residency_acc": {40, 4, 1}, "num_partition": {306, 2, 1}, "xcp0_gfx_busy_inst": {312, 4, 8},
			"xcp0_vcn_busy": {408, 2, 4}, "xcp7_gfx_busy_acc": {1592, 8, 8}, "pcie_lc_perf_other_end_recovery": {1656, 4, 1}}},
		{7, 2208, map[string][3]int{"mem_max_bandwidth": {16, 8, 1}, "xgmi_link_status": {264, 2, 8}, "firmware_timestamp": {288, 8, 1}, "xcp1_gfx_busy_inst": {576, 4, 8},
			"xcp7_gfx_below_host_limit_acc": {2136, 8, 8}, "pcie_lc_perf_other_end_recovery": {2200, 4, 1}}},
		{8, 3872, map[string][3]int{"num_partition": {338, 2, 1}, "xcp0_jpeg_busy": {376, 2, 40}, "xcp0_gfx_below_host_limit_ppt_acc": {528, 8, 8},
			"xcp1_gfx_busy_inst": {784, 4, 8}, "pcie_lc_perf_other_end_recovery": {3864, 4, 1}}},
	} {
		data := bytes.Repeat([]byte{0xff}, c.size)
		binary.LittleEndian.PutUint16(data, uint16(c.size))
		data[2], data[3] = 1, c.content
		var table Table
		if err := table.Decode(data); err != nil || table.Layout().Size != c.size {
			t.Fatalf("1.%d of %d bytes: %v", c.content, c.size, err)
		}
		found := 0
		for _, f := range table.Layout().Fields {
			if want, ok := c.at[f.Name]; ok {
				found++
				if got := [3]int{f.Offset, f.Size, f.Count}; got != want {
					t.Errorf("1.%d: %s is %v, want %v", c.content, f.Name, got, want)
				}
			}
		}
		if found != len(c.at) {
			t.Errorf("1.%d has %d of %d fields", c.content, found, len(c.at))
		}
	}
	data := make([]byte, 384) // what kernel 6.10 called 1.6
	binary.LittleEndian.PutUint16(data, 384)
	data[2], data[3] = 1, 6
	var table Table
	if err := table.Decode(data); err != nil || table.Layout().Size != 384 {
		t.Errorf("1.6 of 384 bytes: %v", err)
	}
}

func TestReasonsForThrottlingShareNoBit(t *testing.T) {
	var all uint64
	for _, r := range Reasons {
		if all&r.Mask() != 0 {
			t.Errorf("%s shares a bit", r.Name)
		}
		all |= r.Mask()
	}
	if want := uint64(0x0300_ffff_00ff_00ff); all != want {
		t.Errorf("the bits of all reasons are %x, want %x", all, want)
	}
}
