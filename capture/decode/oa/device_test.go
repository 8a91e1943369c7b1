package oa

import (
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

func TestEveryDeviceOfTheTableIsKnownByItsID(t *testing.T) {
	n := 0
	for _, row := range testfiles.Rows(t, "reference", "intel_platforms.csv") {
		id, err := strconv.ParseUint(row["device_id"], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		n++
		d, ok := DeviceByID(uint32(id))
		major, minor, _ := strings.Cut(row["graphics_version"], ".")
		version, _ := strconv.Atoi(major + (minor + "00")[:2])
		if want := strings.TrimSpace(row["platform"] + " " + row["gt"]); !ok || d.Name != want || d.Version != version {
			t.Errorf("%#x is %+v, want %s of version %d", id, d, want, version)
		}
		catalogue := ""
		if p := row["metric_platform"]; p != "" {
			catalogue = "intel-" + strings.Replace(p, "gt", "-gt", 1)
		}
		if got, why := CatalogueOf(uint32(id)); got != catalogue || (why == "") != (got != "") {
			t.Errorf("%#x has the catalogue %q (%s), want %q", id, got, why, catalogue)
		}
		for _, f := range []struct {
			what, want string
			got        uint64
		}{{"threads", row["threads_per_eu"], uint64(d.Threads)}, {"ticks per second", row["timestamp_hz_default"], d.Frequency}} {
			if f.want != "" && strconv.FormatUint(f.got, 10) != f.want {
				t.Errorf("%#x has %d %s, want %s", id, f.got, f.what, f.want)
			}
		}
		if most, _ := strconv.Atoi(row["eu_total_max"]); most > 0 && d.EUs < most {
			t.Errorf("%#x has %d EUs at most, want %d", id, d.EUs, most)
		}
	}
	if n != len(devices()) {
		t.Errorf("%d devices, the table has %d", len(devices()), n)
	}
}

// flat is a topology with one slice of subslices of 16 EUs each, of which some are there.
func flat(subslices int, mask uint64) []byte {
	stride := (subslices + 7) / 8
	blob := make([]byte, 16+1+stride+2*subslices)
	for i, v := range []uint16{0, 1, uint16(subslices), 16, 1, uint16(stride), uint16(1 + stride), 2} {
		blob[2*i], blob[2*i+1] = byte(v), byte(v>>8)
	}
	blob[16] = 1
	for i := range stride {
		blob[17+i] = byte(mask >> (8 * i))
	}
	for i := range subslices {
		if mask>>i&1 != 0 {
			blob[17+stride+2*i], blob[17+stride+2*i+1] = 0xFF, 0xFF
		}
	}
	return blob
}

func TestTheTopologyTellsTheVariablesOfEachGeneration(t *testing.T) {
	for _, c := range []struct {
		device uint32
		blob   []byte
		want   map[string]string
		lacks  []string
	}{
		{0x8A52, flat(8, 0xFF), map[string]string{"EuCoresTotalCount": "128", "SubsliceMask": "255", "EuSubslicesTotalCount": "8", "EuThreadsCount": "7"},
			[]string{"DualSubsliceMask", "XeCoreMask"}},
		{0x9A49, flat(6, 0x2F), map[string]string{"DualSubsliceMask": "47", "EuSubslicesTotalCount": "5", "EuSlicesTotalCount": "1"},
			[]string{"XeCoreTotalCount"}},
		// DG2 with two Xe-cores of its second slice fused off, which the driver shows as bits 4 and 5.
		{0x5690, flat(32, 0xFFFFFFCF), map[string]string{"XeCoreTotalCount": "30", "GtSlice0XeCore3": "1", "GtSlice1XeCore0": "0", "GtSlice1XeCore1": "0",
			"GtSlice1XeCore2": "1", "GtSlice1": "1", "GtSlice7XeCore3": "1", "XeCoreMask": "0xf0f0f0f0f0f0c0f", "VectorEngineThreadsCount": "8",
			"EuThreadsCount": "8", "SliceTotalCount": "8", "VectorEngineTotalCount": "480"}, []string{"GtXeCore0"}},
		{0x7D55, flat(8, 0x3F), map[string]string{"XeCoreMask": "783", "GtSlice1XeCore1": "1", "GtSlice1XeCore2": "0", "GtSlice2": "0"}, nil},
		{0xE20B, flat(20, 0xFFFFF), map[string]string{"GtXeCore0": "1", "GtXeCore19": "1", "GtXeCore20": "0", "GtXeCore27": "0", "XeCoreTotalCount": "20", "VectorEngineTotalCount": "320"},
			[]string{"GtSlice0", "L3BankTotalCount"}},
	} {
		info := Info{DeviceID: c.device, TimestampFrequency: 19_200_000, Format: A32u40A4u32B8C8.Enum, Topology: c.blob}
		props, warnings := info.properties()
		if len(warnings) > 0 {
			t.Errorf("%#x: %q", c.device, warnings)
		}
		have := map[string]string{}
		for _, p := range props {
			have[p.Name] = p.Text
			if !p.IsText {
				have[p.Name] = strconv.FormatFloat(p.Number, 'f', -1, 64)
			}
		}
		for name, want := range c.want {
			if have[name] != want {
				t.Errorf("%#x: %s is %q, want %s", c.device, name, have[name], want)
			}
		}
		for _, name := range c.lacks {
			if v, ok := have[name]; ok {
				t.Errorf("%#x has %s, %s", c.device, name, v)
			}
		}
		back, err := InfoOf(&capture.Config{Properties: props})
		if err != nil || back.DeviceID != c.device || string(back.Topology) != string(c.blob) {
			t.Errorf("%#x reads back as %+v, %v", c.device, back, err)
		}
	}
}

func TestReportsOfGen12HaveOneReasonMoreAndNoClocks(t *testing.T) {
	id := Gen12.Decode(1<<25 | 1<<16 | 0x1FF)
	if want := (ReportID{Raw: id.Raw, Reason: MMIOTrigger, ContextValid: true}); id != want {
		t.Errorf("%+v, want %+v", id, want)
	}
	for device, want := range map[uint32]Variant{0x1616: Gen8, 0x8A52: Gen9, 0x9A49: Gen12, 0x64A0: Gen12} {
		if v, sure := variantOf(device, A32u40A4u32B8C8); v != want || !sure {
			t.Errorf("%#x has variant %s", device, v)
		}
	}
	if v, sure := variantOf(0x1234, PEC64u64); v != Gen12 || sure {
		t.Errorf("an unknown device with PECs has variant %s, sure %t", v, sure)
	}
}
