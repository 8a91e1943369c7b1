package i915perf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/formats/i915perf"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// counts are those of the raw counters of a report.
type counts struct {
	time, clock uint64
	a, b, c, p  []uint64
}

// laidOut is a report after the published layouts, which shares nothing with the decoder's tables.
func laidOut(format string, k counts) []byte {
	const id = 1<<19 | 1<<16
	at := func(list []uint64, i int) uint64 {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	switch format {
	case "PEC64u64":
		out := make([]byte, 576)
		for i, v := range append([]uint64{id, k.time, 0x20, k.clock}, k.p...) {
			binary.LittleEndian.PutUint64(out[8*i:], v)
		}
		return out
	case "MPEC8u32_B8_C8":
		out := make([]byte, 128)
		for i, v := range []uint64{id, k.time, 0x20, k.clock} {
			binary.LittleEndian.PutUint64(out[8*i:], v)
		}
		for i := range 8 {
			binary.LittleEndian.PutUint32(out[32+4*i:], uint32(at(k.a, i)))
			binary.LittleEndian.PutUint32(out[64+4*i:], uint32(at(k.b, i)))
			binary.LittleEndian.PutUint32(out[96+4*i:], uint32(at(k.c, i)))
		}
		return out
	}
	out := make([]byte, 256)
	for i, v := range []uint64{id, k.time, 0x20, k.clock} {
		binary.LittleEndian.PutUint32(out[4*i:], uint32(v))
	}
	long := format == "A32u40_A4u32_B8_C8"
	for i := range 36 {
		binary.LittleEndian.PutUint32(out[16+4*i:], uint32(at(k.a, i)))
		if i < 32 && (long || 4 <= i && i < 24 || i >= 28) {
			out[160+i] = byte(at(k.a, i) >> 32)
		}
	}
	if !long {
		binary.LittleEndian.PutUint32(out[160:], uint32(at(k.a, 36)))
		binary.LittleEndian.PutUint32(out[184:], uint32(at(k.a, 37)))
	}
	for i := range 8 {
		binary.LittleEndian.PutUint32(out[192+4*i:], uint32(at(k.b, i)))
		binary.LittleEndian.PutUint32(out[224+4*i:], uint32(at(k.c, i)))
	}
	return out
}

// platformCase is a metric set of a platform with what it counted and what follows from that.
type platformCase struct {
	Platform, GUID string
	Set            string                 `json:"metric_set"`
	Format         string                 `json:"report_format"`
	Device         map[string]json.Number `json:"device"`
	Raw            struct {
		Time  uint64 `json:"GPU_TIME"`
		Clock uint64 `json:"GPU_CLOCK"`
		A     []uint64
		B     []uint64
		C     []uint64
		P     []uint64 `json:"PEC"`
	}
	Expected map[string]*float64
	Missing  []string `json:"unavailable"`
}

// file is a recording of the case by one of the two recorders, on a device of the platform.
func (c *platformCase) file(t *testing.T, device uint32, xe bool) []byte {
	frequency, err := c.Device["GpuTimestampFrequency"].Int64()
	if err != nil {
		t.Fatal(err)
	}
	base, numbers := uint32(0x10000), map[string]uint32{"A32u40_A4u32_B8_C8": 10, "A24u40_A14u32_B8_C8": 12, "MPEC8u32_B8_C8": 14}
	if xe {
		base, numbers = 4, map[string]uint32{"A32u40_A4u32_B8_C8": 4, "A24u40_A14u32_B8_C8": 6, "MPEC8u32_B8_C8": 10, "PEC64u64": 11}
	}
	var out []byte
	record := func(kind uint32, payload []byte) {
		out = binary.LittleEndian.AppendUint32(out, kind)
		out = append(out, 0, 0)
		out = binary.LittleEndian.AppendUint16(out, uint16(8+len(payload)))
		out = append(out, payload...)
	}
	info := make([]byte, 336)
	binary.LittleEndian.PutUint64(info, uint64(frequency))
	for i, v := range []uint32{device, 1, 3e8, 2e9, 0, 0, numbers[c.Format]} {
		binary.LittleEndian.PutUint32(info[8+4*i:], v)
	}
	copy(info[36:], c.Set)
	copy(info[292:], c.GUID)
	record(base, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	record(base+1, info)
	// The counters are about to wrap; those of 32 bits do so together.
	begin := counts{time: 1<<36 - 1000, clock: 1<<32 - 1000}
	after := func(from uint64, deltas []uint64) (before, then []uint64) {
		for _, d := range deltas {
			before, then = append(before, from), append(then, from+d)
		}
		return before, then
	}
	end := counts{time: begin.time + c.Raw.Time, clock: begin.clock + c.Raw.Clock}
	begin.a, end.a = after(1<<40-5, c.Raw.A)
	begin.b, end.b = after(1<<32-5, c.Raw.B)
	begin.c, end.c = after(1<<32-5, c.Raw.C)
	begin.p, end.p = after(1<<32-5, c.Raw.P)
	shift := 0
	if strings.HasPrefix(c.Platform, "acm") || strings.HasPrefix(c.Platform, "mtl") {
		shift = 1
	}
	correlation := func(ticks uint64) {
		p := binary.LittleEndian.AppendUint64(nil, uint64(7e12)+(ticks-begin.time)*1e9/uint64(frequency))
		record(base+3, binary.LittleEndian.AppendUint64(p, ticks>>shift&(1<<36-1)))
	}
	correlation(begin.time)
	record(1, laidOut(c.Format, begin))
	record(1, laidOut(c.Format, end))
	correlation(end.time + 1000)
	return out
}

func openBytes(t *testing.T, content []byte, opt formats.Options) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.record")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := all.Registry().Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// One metric set of every platform, recorded by every recorder that reads the platform: the values are the exact ones,
// and survive writing.
func TestRecordingsOfEveryPlatformGiveItsValues(t *testing.T) {
	var v struct{ Cases []platformCase }
	testfiles.JSON(t, &v, "vectors", "intel_families_sample.json")
	devices := map[string]uint32{}
	drivers := map[string]string{}
	for _, row := range testfiles.Rows(t, "reference", "intel_platforms.csv") {
		id, _ := strconv.ParseUint(row["device_id"], 0, 32)
		devices[row["metric_platform"]], drivers[row["metric_platform"]] = uint32(id), row["drivers"]
	}
	files, values := 0, 0
	for i := range v.Cases {
		c := &v.Cases[i]
		for _, driver := range strings.Fields(drivers[c.Platform]) {
			content := c.file(t, devices[c.Platform], driver == "xe")
			files++
			var opt formats.Options
			for name, n := range c.Device {
				p := capture.Property{Name: name}
				if whole, _ := new(big.Int).SetString(n.String(), 10); whole.BitLen() > 53 {
					p.Text, p.IsText = n.String(), true
				} else {
					p.Number, _ = n.Float64()
				}
				opt.Properties = append(opt.Properties, p)
			}
			got := openBytes(t, content, opt)
			if got.Len() != 1 || got.Device.Driver != driver || !strings.Contains(strings.ReplaceAll(got.GPU, "-", ""), c.Platform) {
				t.Errorf("%s of %s: %d samples of %s by %s", c.Platform, driver, got.Len(), got.GPU, got.Device.Driver)
				continue
			}
			values += c.check(t, got)
			var again bytes.Buffer
			if err := (i915perf.Format{}).Encode(context.Background(), &again, got); err != nil {
				t.Errorf("%s of %s: %v", c.Platform, driver, err)
				continue
			}
			back := openBytes(t, again.Bytes(), opt)
			c.check(t, back)
			if back.Device.Driver != driver || back.Axis.End[0] != got.Axis.End[0] || !bytes.Equal(again.Bytes()[:24], content[:24]) {
				t.Errorf("%s of %s: written and read again it is of %s, %d ns long, not %d", c.Platform, driver, back.Device.Driver,
					back.Axis.End[0], got.Axis.End[0])
			}
		}
	}
	t.Logf("%d files, %d values", files, values)
	if len(v.Cases) != 28 || files < 28 {
		t.Errorf("%d cases in %d files", len(v.Cases), files)
	}
}

func (c *platformCase) check(t *testing.T, got *capture.Capture) (values int) {
	t.Helper()
	got.Options.Zero = "vendor"
	for symbol, want := range c.Expected {
		m, err := metrics.Resolve(got, c.Set+"/"+symbol)
		if err != nil {
			t.Error(err)
			continue
		}
		if want == nil || slices.Contains(c.Missing, symbol) {
			continue
		}
		values++
		if x := m.Value(0).Float(); !(math.Abs(x-*want) <= 1e-9*math.Abs(*want)) {
			r, _ := m.Why(0)
			t.Errorf("%s: %s is %v (%s), want %v", c.Platform, symbol, x, r.Text, *want)
		}
	}
	return values
}

func TestAnUnknownDeviceIsNamedWithWhatItsConfigurationTells(t *testing.T) {
	info := gt2()
	info.DeviceID = 0xFFF1
	info.GUID = "12f20772-0044-44ff-bcc0-d2bc252d140e"
	c := newRecording(info).correlate().report(0x20).steps(5, 1).correlate().open(t)
	if c.GPU != "" || sum(t, c, "GPU_TICKS") != 5e6 {
		t.Errorf("GPU %q", c.GPU)
	}
	wantWarning(t, c, "device 0xfff1 is in no list of Intel's GPUs: there is no catalogue of it, and its counters are shown as they are")
	wantWarning(t, c, `is that of RenderBasic on Intel Lunar Lake (Arc 140V and its like): gpu="intel-lnl" reads the recording as one of that GPU, which is a guess`)
}

func TestFormatsThatNoSetUsesAreRefusedByName(t *testing.T) {
	for xe, numbers := range map[bool]map[uint32]string{false: {11: "OAR_A32u40_A4u32_B8_C8", 13: "MPEC8u64_B8_C8"}, true: {8: "OAC_A22u32_R2u32_B8_C8", 13: "PEC64u32"}} {
		for number, name := range numbers {
			info := gt2()
			info.Xe, info.Format, info.Set, info.GUID = xe, number, "", ""
			r := newRecording(info).correlate()
			r.add(oa.RecordSample, make([]byte, 192)).fails(t, "OA report format "+name+" is not read: no public metric set uses it")
		}
	}
}

// Correlations of DG2 and Meteor Lake count at half the pace of reports. Where they show another pace than the device is
// known for, the file is read by what they show.
func TestThePaceOfCorrelationsIsWhatTheyShow(t *testing.T) {
	for _, device := range []uint32{0x5916, 0x5690} {
		for shift := range 2 {
			info := gt2()
			info.DeviceID, info.Set, info.GUID = device, "", ""
			r := newRecording(info)
			correlate := func() {
				r.add(oa.RecordCorrelation, oa.Correlation{CPU: r.cpu, GPU: r.full >> shift}.Payload())
			}
			correlate()
			r.run(1e6, 1e6).report(0x20).steps(40, 1)
			r.run(1e6, 1e6)
			correlate()
			c := r.open(t)
			if n := c.Len(); n != 40 || c.Duration() != 40e6 {
				t.Errorf("device %#x, shifted by %d: %d samples, %d ns", device, shift, n, c.Duration())
			}
			told := slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "the pace of the timestamp frequency") })
			if usual := shift == oa.ShiftOf(device); told == usual {
				t.Errorf("device %#x, shifted by %d: warnings %q", device, shift, c.Warnings)
			}
		}
	}
}
