package i915perf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/formats/i915perf"
	"astrolabe/capture/metrics"
)

func TestLongResidencyIsAddedUpFromItsReports(t *testing.T) {
	// 10.9 s in one context: the last report minus the first would have wrapped three times.
	c := newRecording(gt2()).correlate().report(0x20).steps(100, 109).correlate().open(t)
	if got := sum(t, c, "GPU_TICKS"); got != 100*109e6 {
		t.Errorf("%d clocks", got)
	}
	for symbol, want := range map[string]float64{"AvgGpuCoreFrequency": 1e9, "GpuTime": 10.9e9} {
		m, err := metrics.Resolve(c, symbol)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Total().Float(); got != want {
			t.Errorf("%s is %v, want %v", symbol, got, want)
		}
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestTimestampWrapsLeaveTimesRight(t *testing.T) {
	r := newRecording(gt2())
	r.full = 1<<36 + 1<<32 - 6e6 // wraps after half a second
	r.correlate().report(0x20)
	for range 400 {
		r.steps(2, 500).correlate()
	}
	c := r.open(t)
	if got := c.Duration(); got != 400e9 || sum(t, c, "TIMESTAMP") != 400*12e6 {
		t.Errorf("%d ns, %d ticks", got, sum(t, c, "TIMESTAMP"))
	}
}

func TestATruncatedFileOpensUpToItsLastWholeRecord(t *testing.T) {
	r := newRecording(gt2()).correlate().report(0x20).steps(10, 1)
	for _, cut := range []int{1, 100, 263} {
		part := &recording{bytes: r.bytes[:len(r.bytes)-cut]}
		c := part.open(t)
		if c.Len() != 9 {
			t.Errorf("%d bytes cut off: %d samples", cut, c.Len())
		}
		wantWarning(t, c, fmt.Sprintf("%d bytes after its beginning at byte %d", 264-cut, len(r.bytes)-264))
	}
}

func TestOneOrNoCorrelationIsEnough(t *testing.T) {
	c := newRecording(gt2()).correlate().run(1e6, 1e6).report(0x20).steps(10, 1).open(t)
	if c.Len() != 10 || c.Duration() != 10e6 || c.Axis.Clock != "cpu" {
		t.Errorf("%d samples, %d ns of %s", c.Len(), c.Duration(), c.Axis.Clock)
	}
	wantWarning(t, c, "single clock correlation")
	c = newRecording(gt2()).report(0x20).steps(10, 1).open(t)
	if c.Len() != 10 || c.Duration() != 10e6 || c.Axis.Clock != "gpu" {
		t.Errorf("%d samples, %d ns of %s", c.Len(), c.Duration(), c.Axis.Clock)
	}
	wantWarning(t, c, "no clock correlation")
}

func TestADumpOfTheRingBeginsWithoutACorrelation(t *testing.T) {
	r := newRecording(gt2())
	r.full = 1<<36 - 12e6 // 1 s before the register wraps
	first := r.full
	c := r.report(0x20).steps(300, 1000).correlate().open(t)
	if c.Len() != 300 || c.Duration() != 300e9 {
		t.Errorf("%d samples, %d ns", c.Len(), c.Duration())
	}
	if got := c.Counter("REPORT_TIME").Col.Data().U[0]; got != first {
		t.Errorf("the first report's full timestamp is %d, want %d", got, first)
	}
}

func TestHeadersAloneAreAnEmptyCapture(t *testing.T) {
	c := newRecording(gt2()).open(t)
	if c.Len() != 0 || c.GPU != "intel-kbl-gt2" {
		t.Errorf("%d samples of %s", c.Len(), c.GPU)
	}
	wantWarning(t, c, "headers only")
	wantWarning(t, newRecording(gt2()).correlate().report(1).open(t), "a sample takes two")
}

func TestAnUnknownMetricSetOpensWithRawCounters(t *testing.T) {
	info := gt2()
	info.Set, info.GUID = "MyOwnSet", "11111111-0000-0000-0000-000000000000"
	c := newRecording(info).correlate().report(0x20).steps(5, 1).correlate().open(t)
	if sum(t, c, "B3") == 0 {
		t.Error("no raw counters")
	}
	wantWarning(t, c, `metric set "MyOwnSet" is unknown for intel-kbl-gt2`)
	list, err := metrics.Metrics(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) > 0 {
		t.Errorf("%d metrics of sets that were not measured, such as %s", len(list), list[0].Name)
	}
	info = gt2()
	info.GUID = "00000000-0000-0000-0000-000000000000"
	wantWarning(t, newRecording(info).correlate().report(1).steps(5, 1).open(t),
		"RenderBasic is 99c1a40e-a090-4354-86e3-4d068bb1917e")
}

func TestUnsupportedDevicesOpenWithRawCounters(t *testing.T) {
	for id, text := range map[uint32]string{0x5902: "GT1", 0x593B: "GT4", 0x1902: "Skylake GT1, for which no metric sets exist", 0x1234: "is in no list of Intel's GPUs"} {
		info := gt2()
		info.DeviceID = id
		c := newRecording(info).correlate().report(0x20).steps(5, 1).correlate().open(t)
		if c.GPU != "" || sum(t, c, "GPU_TICKS") != 5e6 {
			t.Errorf("device %#x: GPU %q", id, c.GPU)
		}
		wantWarning(t, c, text)
	}
	info := gt2()
	info.DeviceID = 0x5926
	if c := newRecording(info).open(t); c.GPU != "intel-kbl-gt3" {
		t.Errorf("GPU %q", c.GPU)
	}
}

func TestARecordWithoutASizeIsAnErrorWithItsOffset(t *testing.T) {
	r := newRecording(gt2()).correlate().report(0x20)
	at := len(r.bytes)
	r.bytes = append(r.bytes, 1, 0, 0, 0, 0, 0, 0, 0)
	r.steps(3, 1).fails(t, fmt.Sprintf("byte %d", at), "size 0")
}

func TestOtherReportFormatsAreRead(t *testing.T) {
	for _, f := range oa.Formats() {
		info := gt2()
		info.Format = f.Enum
		if info.Xe = f.Enum == 0; info.Xe {
			info.Format, info.Set, info.GUID = f.Xe, "", ""
		}
		c := newRecording(info).correlate().report(0x20).steps(10, 1).correlate().open(t)
		for k, name := range f.Counters() {
			if got, want := sum(t, c, name), uint64(10*(1e6/2+k)); got != want {
				t.Errorf("%s: %s is %d, want %d", f.Name, name, got, want)
			}
		}
		if c.Counter("B7") == nil && f != oa.A12 && f != oa.PEC64u64 || len(c.Warnings) > 0 && !info.Xe {
			t.Errorf("%s: warnings %q", f.Name, c.Warnings)
		}
	}
	// The header may say anything where the size of the reports is of one format only.
	info := gt2()
	r := newRecording(info)
	r.f, r.values = oa.A12B8C8, make([]uint64, 28)
	c := r.correlate().report(0x20).steps(10, 1).open(t)
	if sum(t, c, "A7") != 10*(1e6/2) {
		t.Error("A7 is wrong")
	}
	wantWarning(t, c, "they are read as A12_B8_C8")
	info.Format = 3
	c = newRecording(info).correlate().report(0x20).steps(10, 1).open(t)
	wantWarning(t, c, "report format 3")
	r = newRecording(gt2())
	r.f, r.values = oa.A12, make([]uint64, 12)
	r.report(1).steps(2, 1).fails(t, "64")
}

func TestLossesAreLateOrGaps(t *testing.T) {
	r := newRecording(gt2()).correlate().report(0x20).steps(5, 1)
	r.add(oa.RecordReportLost, nil).steps(5, 1)
	r.add(oa.RecordBufferLost, nil).run(1e9, 1e9).steps(5, 1)
	c := r.correlate().open(t)
	if c.Len() != 14 || len(c.Late) != 1 || len(c.Gaps) != 1 || sum(t, c, "GPU_TICKS") != 14e6 {
		t.Fatalf("%d samples, late %+v, gaps %+v", c.Len(), c.Late, c.Gaps)
	}
	if v, ok := c.Label("context").Value(5); ok {
		t.Errorf("the sample that spans a loss has the context %q", v)
	}
	if g := c.Gaps[0]; g.Start != 10e6 || g.End != 1011e6 || g.Reason.Code != capture.LostReports {
		t.Errorf("gap %+v", g)
	}
	wantWarning(t, c, "dropped reports 1 times")
	wantWarning(t, c, "overflowed 1 times")
}

func TestUnknownRecordsAreSkippedAndTold(t *testing.T) {
	r := newRecording(gt2()).correlate().report(0x20)
	c := r.add(0x10004, []byte("something new")).steps(3, 1).add(9, nil).open(t)
	if c.Len() != 3 {
		t.Errorf("%d samples", c.Len())
	}
	wantWarning(t, c, "1 records of the unknown type 0x10004")
}

func TestConcatenatedRecordingsFollowEachOther(t *testing.T) {
	r := newRecording(gt2()).correlate().report(0x20).steps(5, 1).correlate()
	r.cpu, r.full = 3e12, 77 // after a restart of the machine, the clocks begin anew
	r.headers(gt2()).correlate().report(0x20).steps(5, 1).correlate()
	c := r.open(t)
	if c.Len() != 10 || sum(t, c, "GPU_TICKS") != 10e6 || c.Duration() > 11e6 || c.Duration() < 10e6 {
		t.Errorf("%d samples, %d clocks in %d ns", c.Len(), sum(t, c, "GPU_TICKS"), c.Duration())
	}
	other := gt2()
	other.Set = "ComputeBasic"
	at := len(r.bytes) + 16
	c = r.headers(other).report(0x20).steps(5, 1).open(t)
	if c.Len() != 10 {
		t.Errorf("%d samples", c.Len())
	}
	wantWarning(t, c, fmt.Sprintf("from byte %d on", at))
}

func TestEnginesThatAreNotStatedAreNoProblem(t *testing.T) {
	info := gt2()
	info.EngineClass, info.EngineInstance, info.TimestampFrequency = oa.NoEngine, oa.NoEngine, 0
	c := newRecording(info).correlate().report(0x20).steps(3, 1).correlate().open(t)
	if c.Duration() != 3e6 {
		t.Errorf("%d ns", c.Duration())
	}
	wantWarning(t, c, "12 MHz is assumed")
}

func TestAFileWithoutDeviceIsRefused(t *testing.T) {
	r := &recording{f: oa.A12, values: make([]uint64, 12)}
	r.add(oa.RecordVersion, make([]byte, 8)).report(1).fails(t, "no device information")
}

func TestContentIsRecognisedByItsFirstRecord(t *testing.T) {
	r := newRecording(gt2())
	for name, c := range map[string]struct {
		head []byte
		sure bool
	}{
		"version first": {r.bytes, true},
		"device first":  {r.bytes[16:], true},
		"version alone": {r.bytes[:16], true},
		"reports first": {r.report(1).bytes[len(r.bytes)-264:], false},
		"text":          {[]byte("Dispatch_ID,Kernel_Name"), false},
		"too short":     {r.bytes[:7], false},
		"padding used":  {append([]byte{0, 0, 1, 0, 9, 0, 16, 0}, make([]byte, 8)...), false},
	} {
		in := &formats.Input{Head: c.head, Size: int64(len(c.head))}
		if got := (i915perf.Format{}).Sniff(in); got > 0 != c.sure {
			t.Errorf("%s: %d", name, got)
		}
		if why := (i915perf.Format{}).WhyNot(in); !c.sure && why == "" {
			t.Errorf("%s: no reason", name)
		}
	}
}

func TestCapturesThatAreNoRecordingAreRefused(t *testing.T) {
	c := newRecording(gt2()).correlate().report(0x20).steps(20, 1).correlate().open(t)
	resampled, err := c.Resample(5e6)
	if err != nil {
		t.Fatal(err)
	}
	axis := capture.NewUniformAxis(1, 1e6)
	foreign, err := capture.New(capture.Config{Axis: axis})
	if err != nil {
		t.Fatal(err)
	}
	for text, x := range map[string]*capture.Capture{"resampled": resampled, "GpuTimestampFrequency": foreign} {
		var out bytes.Buffer
		err := all.Registry().Encode(context.Background(), &out, "x.record", "", x)
		if err == nil || !strings.Contains(err.Error(), text) || out.Len() > 0 {
			t.Errorf("error %v, want %q in it; %d bytes", err, text, out.Len())
		}
		if err := all.Registry().Save(context.Background(), t.TempDir()+"/x.record", "", x); err == nil ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want %q in it", err, text)
		}
	}
}

func TestDoubtsNameWhatTheUsualReaderGetsWrong(t *testing.T) {
	unknown, small := gt2(), gt2()
	unknown.Set, unknown.GUID, small.Format = "MyOwnSet", "", oa.A12.Enum
	gt1 := gt2()
	gt1.DeviceID = 0x5902
	wrap := newRecording(gt2())
	wrap.full = 1<<36 + 1<<32 - 12000
	for name, x := range map[string]struct {
		r    *recording
		text string
	}{
		"set":     {newRecording(unknown).correlate().report(1).steps(3, 1), `no metric set "MyOwnSet"`},
		"format":  {newRecording(small).correlate().report(1).steps(3, 1), "format A32u40"},
		"device":  {newRecording(gt1).correlate().report(1).steps(3, 1), "0x5902"},
		"no time": {newRecording(gt2()).report(1).steps(3, 1), "two clock correlations"},
		"wrap":    {wrap.correlate().report(1).steps(3, 1), "wrap within"},
		"loss": {newRecording(gt2()).correlate().report(1).steps(3, 1).add(oa.RecordBufferLost, nil).steps(3, 1),
			"lost at 1 places"},
		"long":  {newRecording(gt2()).correlate().report(1).steps(3, 60000), "3 samples have missing values"},
		"empty": {newRecording(gt2()).correlate(), "no two reports"},
	} {
		got := strings.Join(all.Registry().Doubts("x.record", "", x.r.open(t)), "\n")
		if !strings.Contains(got, x.text) {
			t.Errorf("%s: doubts %q", name, got)
		}
	}
}

func TestACutFileSaysTruncatedWhereverItIsCut(t *testing.T) {
	whole := newRecording(gt2()).correlate().report(0x20).steps(5, 1).correlate().bytes
	for _, n := range []int{20, 40, 200, 350} { // inside the version, and inside the device information
		r := &recording{bytes: whole[:n]}
		r.fails(t, "truncated: ", "before its device information")
	}
	r := &recording{bytes: whole[:len(whole)-5]}
	wantWarning(t, r.open(t), "truncated")
	noInfo := &recording{}
	noInfo.add(oa.RecordVersion, binary.LittleEndian.AppendUint64(nil, 1)).add(oa.RecordSample,
		make([]byte, 256)).fails(t, "no device information")
}

func TestAKnownGUIDDecidesTheSetOfAnUnknownName(t *testing.T) {
	info := gt2()
	info.Set = "MyOwnName"
	c := newRecording(info).correlate().report(0x20).steps(5, 1).correlate().open(t)
	if p, _ := c.Property("metric_set"); p.Text != "RenderBasic" {
		t.Errorf("the set is %q", p.Text)
	}
	wantWarning(t, c, `metric set "MyOwnName" is unknown for intel-kbl-gt2, and its configuration `+info.GUID+
		` is that of RenderBasic`)
	if m, err := metrics.Resolve(c, "GpuTime"); err != nil || m.Total().Missing() {
		t.Errorf("GpuTime: %v", err)
	}
}

func TestRepeatedHeadersWithoutACorrelationLoseNoInterval(t *testing.T) {
	plain := newRecording(gt2()).correlate().report(0x20).steps(6, 1).correlate().open(t)
	c := newRecording(gt2()).correlate().report(0x20).steps(3, 1).headers(gt2()).steps(3, 1).correlate()
	// The correlation at the end is behind the second headers, so that they might begin another recording: without it
	// they do not.
	c.bytes = c.bytes[:len(c.bytes)-24]
	got := c.open(t)
	if got.Len() != plain.Len() || sum(t, got, "GPU_TICKS") != sum(t, plain, "GPU_TICKS") || len(got.Gaps) > 0 {
		t.Errorf("%d samples with %d ticks, want %d with %d; gaps %v", got.Len(), sum(t, got, "GPU_TICKS"), plain.Len(),
			sum(t, plain, "GPU_TICKS"), got.Gaps)
	}
	far := newRecording(gt2()).correlate().report(0x20).steps(3, 1).headers(gt2())
	far.run(20e9, 1e9)
	if got := far.report(0x20).steps(3, 1).open(t); len(got.Gaps) != 1 {
		t.Errorf("reports 20 s apart are one interval: gaps %v", got.Gaps)
	}
}

func TestTheLastClockCorrelationSurvivesBeingWrittenBack(t *testing.T) {
	r := newRecording(gt2()).correlate().report(0x20).steps(5, 1)
	r.run(7e6, 7000).correlate()
	c := r.open(t)
	again, err := rebuiltBytes(t, c)
	if err != nil {
		t.Fatal(err)
	}
	first, second := correlations(t, r.bytes), correlations(t, again)
	if len(first) != 2 || len(second) < 2 || second[len(second)-1] != first[1] {
		t.Errorf("correlations %v are written back as %v", first, second)
	}
}

func rebuiltBytes(t *testing.T, c *capture.Capture) ([]byte, error) {
	t.Helper()
	var b bytes.Buffer
	err := (i915perf.Format{}).Encode(t.Context(), &b, c)
	return b.Bytes(), err
}

func correlations(t *testing.T, data []byte) (out []oa.Correlation) {
	t.Helper()
	var d oa.Decoder
	d.Feed(data)
	for {
		rec, ok, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return out
		}
		if rec.Type != oa.RecordCorrelation {
			continue
		}
		p, err := oa.ParseCorrelation(rec.Data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
}
