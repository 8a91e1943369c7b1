package i915

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
)

// report n of a made-up stream: at 1 ms times n after the fake kernel's first second, with 1000 clocks and 3 of A0 per report.
func report(k *fakeKernel, n int) []byte {
	r := make(oa.Report, oa.A32u40A4u32B8C8.Size)
	counters := make([]uint64, len(oa.A32u40A4u32B8C8.Counters()))
	counters[0] = uint64(n)*3 + 1<<40 - 10 // wraps
	id := uint32(oa.Timer)<<19 | 1<<16 | 60<<25 | 60
	oa.A32u40A4u32B8C8.Put(r, uint64(id), uint64(12_000_000+12_000*n+int(k.gpu)), 0x20, uint64(1000*n), counters)
	return r
}

func sample(k *fakeKernel, n int) []byte { return oa.AppendRecord(nil, oa.RecordSample, report(k, n)) }

func openFake(t *testing.T, reads ...readStep) (*stream, *fakeKernel, *capture.Batch) {
	t.Helper()
	s, k := newFake(t)
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		k.released(t)
	})
	b := capture.NewBatch(st.Schema(), 16)
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 0 || !k.stream.enabled {
		t.Fatalf("the first read gave %d rows, enabled %v", b.Len(), k.stream.enabled)
	}
	k.reads = reads
	return st.(*stream), k, b
}

func column(t *testing.T, s *stream, b *capture.Batch, name string) []uint64 {
	t.Helper()
	for i, c := range s.schema.Columns {
		if c.Meta.Name == name {
			return b.Cols[i].U
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

func TestReportsBecomeRowsOnTheCPUsClock(t *testing.T) {
	s, k, b := openFake(t)
	var data []byte
	for n := range 5 {
		data = append(data, sample(k, n)...)
	}
	k.reads = []readStep{{data: data[:3*264]}, {data: data[3*264:]}, {err: syscall.EAGAIN}}
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 4 || !slices.Equal(column(t, s, b, "A0"), []uint64{3, 3, 3, 3}) || !slices.Equal(column(t, s, b, "GPU_TICKS"), []uint64{1000, 1000, 1000, 1000}) {
		t.Errorf("%d rows, A0 %v", b.Len(), column(t, s, b, "A0"))
	}
	// The fake GPU's clock shows 12 ticks per µs since the CPU's 0, read somewhere in a window of 1.5 µs.
	for i := range b.Start {
		if want := int64(1e9 + 1e6*i); b.Start[i] < want-2000 || b.Start[i] > want+2000 || b.End[i]-b.Start[i] != 1e6 {
			t.Errorf("row %d lies in [%d, %d), want it from %d on", i, b.Start[i], b.End[i], want)
		}
	}
	for _, name := range []string{"metric_set", "metric_set_guid", "oa_topology", "oa_format", "oa_exponent", "EuCoresTotalCount", "GpuTimestampFrequency"} {
		if !slices.ContainsFunc(s.schema.Config.Properties, func(p capture.Property) bool { return p.Name == name }) {
			t.Errorf("no property %s", name)
		}
	}
	if _, err := oa.InfoOf(&s.schema.Config); err != nil {
		t.Error(err)
	}
}

func TestLossesAreCountedAndSplitTheRows(t *testing.T) {
	s, k, b := openFake(t)
	data := slices.Concat(sample(k, 0), sample(k, 1), oa.AppendRecord(nil, oa.RecordReportLost, nil), sample(k, 5),
		oa.AppendRecord(nil, oa.RecordBufferLost, nil), sample(k, 8), sample(k, 9), oa.AppendRecord(nil, 9, []byte("news")))
	k.reads = []readStep{{data: data}}
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if got := column(t, s, b, "A0"); !slices.Equal(got, []uint64{3, 12, 3}) {
		t.Errorf("A0 = %v", got)
	}
	// 4 ms without a report, of which there should be one every 0.683 ms.
	if len(b.Late) != 1 || len(b.Gaps) != 1 || b.Late[0].Lost != 5 || b.Gaps[0].Lost != 3 {
		t.Errorf("lost reports: late %+v, gaps %+v", b.Late, b.Gaps)
	}
	if len(s.warned) != 1 || !strings.Contains(s.warned[0], "records of type 9") {
		t.Errorf("warnings %q", s.warned)
	}
	if err := s.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(s.Conclude(), "\n")
	for _, want := range []string{"i915: the hardware dropped reports 1 times", "overflowed 1 times"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}

func TestWhatTheDriverStillHoldsIsReadAtTheEnd(t *testing.T) {
	s, k, b := openFake(t)
	k.reads = []readStep{{data: slices.Concat(sample(k, 0), sample(k, 1))}, {err: syscall.EAGAIN}, {data: slices.Concat(sample(k, 2), sample(k, 3))}, {err: syscall.EAGAIN}}
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if got := column(t, s, b, "A0"); !slices.Equal(got, []uint64{3, 3, 3}) {
		t.Errorf("A0 = %v", got)
	}
}

func TestVanishedGPUEndsTheRecordingWithWhatItHas(t *testing.T) {
	for name, steps := range map[string][]error{"unplugged": {syscall.ENODEV}, "stopped for good": {syscall.EIO, syscall.EIO}} {
		s, k, b := openFake(t)
		k.reads = []readStep{{data: slices.Concat(sample(k, 0), sample(k, 1))}}
		for _, err := range steps {
			k.reads = append(k.reads, readStep{err: err})
		}
		for range steps {
			if err := s.Read(t.Context(), b); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if err := s.Read(t.Context(), b); !errors.Is(err, io.EOF) {
			t.Errorf("%s: err = %v", name, err)
		}
		if b.Len() != 1 || len(s.warned) == 0 || !strings.Contains(s.warned[len(s.warned)-1], "the GPU is gone") {
			t.Errorf("%s: %d rows, warnings %q", name, b.Len(), s.warned)
		}
		if err := s.Finish(t.Context(), b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStoppedStreamIsStartedAgain(t *testing.T) {
	s, k, b := openFake(t)
	k.reads = []readStep{{data: slices.Concat(sample(k, 0), sample(k, 1))}, {err: syscall.EIO}}
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	k.reads = []readStep{{data: slices.Concat(sample(k, 4), sample(k, 5))}, {err: syscall.EAGAIN}}
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if got := column(t, s, b, "A0"); !slices.Equal(got, []uint64{3, 3}) || len(b.Gaps) != 1 || len(s.warned) != 1 || !strings.Contains(s.warned[0], "started again") {
		t.Errorf("A0 %v, gaps %v, warnings %q", got, b.Gaps, s.warned)
	}
}

func TestTooSmallBufferGrows(t *testing.T) {
	s, k, b := openFake(t)
	s.buf = make([]byte, 264)
	k.reads = []readStep{{data: sample(k, 0)}, {data: slices.Concat(sample(k, 1), sample(k, 2))}}
	if err := s.Read(t.Context(), b); err != nil || b.Len() != 2 || len(s.buf) <= 264 {
		t.Errorf("%v, %d rows, buffer %d", err, b.Len(), len(s.buf))
	}
	s.buf = make([]byte, maxPerRead)
	k.reads = []readStep{{err: syscall.ENOSPC}}
	wantText(t, s.Read(t.Context(), b), "larger than any buffer")
}

func TestOtherReadErrorsAreExplained(t *testing.T) {
	s, k, b := openFake(t)
	k.reads = []readStep{{err: syscall.EFAULT}}
	wantText(t, s.Read(t.Context(), b), "read reports", "bad address")
	bad := sample(k, 0)
	bad[6], bad[7] = 0, 0
	k.reads = []readStep{{data: bad}}
	wantText(t, s.Read(t.Context(), b), "the driver's stream of reports", "size 0")
}

func TestClockIsCorrelatedEverySecondAndAtTheEnd(t *testing.T) {
	s, k, b := openFake(t)
	// First the time to the next one doubles, from 10 ms on.
	for wait := int64(10e6); wait < 1e9; wait *= 2 {
		before := s.synced
		k.clock += wait / 2
		if err := s.Read(t.Context(), b); err != nil || s.synced != before {
			t.Errorf("%v, correlated after half of %d ns", err, wait)
		}
		k.clock += wait / 2
		if err := s.Read(t.Context(), b); err != nil || s.synced == before {
			t.Errorf("%v, not correlated after %d ns", err, wait)
		}
	}
	first := s.synced
	k.clock += 9e8
	if err := s.Read(t.Context(), b); err != nil || s.synced != first {
		t.Errorf("%v, correlated within a second", err)
	}
	k.clock += 2e8
	if err := s.Read(t.Context(), b); err != nil || s.synced-first < 1e9 {
		t.Errorf("%v, not correlated after a second", err)
	}
	// It fails later on: said once.
	k.errs["register"] = syscall.EPERM
	for range 3 {
		k.clock += 2e9
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.warned) != 1 || !strings.Contains(s.warned[0], "extrapolated") {
		t.Errorf("warnings %q", s.warned)
	}
	delete(k.errs, "register")
	before := s.synced
	if err := s.Finish(t.Context(), b); err != nil || s.synced <= before {
		t.Errorf("%v, not correlated at the end", err)
	}
}

func TestKernelWithoutTheGPUsClockIsRefused(t *testing.T) {
	s, k := newFake(t)
	k.errs["register"] = syscall.EINVAL
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, st.Read(t.Context(), capture.NewBatch(st.Schema(), 1)), "cannot be placed in time")
	st.Close()
	k.released(t)
}

// The quickest of several readings counts.
func TestCorrelationTakesTheReadingWithTheLeastDelay(t *testing.T) {
	k := &slowKernel{delays: []int64{9000, 5000, 700, 8000, 3000}}
	got, slack, err := correlate(k, k)
	if err != nil || slack != 700 || got.GPU != 3 || got.CPU != 9000+5000+350 {
		t.Errorf("%+v, slack %d, %v", got, slack, err)
	}
}

type slowKernel struct {
	fakeDevice
	delays []int64
	n      int
	clock  int64
}

func (k *slowKernel) open(string) (device, error) { return nil, syscall.ENOENT }
func (k *slowKernel) now() int64                  { return k.clock }
func (k *slowKernel) readRegister(uint64) (uint64, error) {
	k.clock += k.delays[k.n]
	k.n++
	return uint64(k.n), nil
}

func TestReadAllocatesNothingOnceWarm(t *testing.T) {
	s, k, b := openFake(t)
	n := 0
	step := []readStep{{}}
	read := func() {
		step[0].data = sample(k, n)
		n++
		k.reads = step[:1:1]
		b.Reset()
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		read()
	}
	made := testing.AllocsPerRun(200, func() { step[0].data = sample(k, n) })
	if got := testing.AllocsPerRun(200, read); got > made+1 {
		t.Errorf("%v allocations per read, of which %v are the test's", got, made)
	}
}

// The GPU's clock is faster than it should be and wraps its 36 bits on the way. Rows keep their true length all the same.
func TestRowsStayInPlaceThoughTheGPUsClockDrifts(t *testing.T) {
	s, k := newFake(t)
	k.drift, k.gpu = 500e-6, 1<<36-20_000_000
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b := capture.NewBatch(st.Schema(), 16)
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	const every = 1_000_000
	at := k.clock + every
	var ends []int64
	for range 5000 {
		r := make(oa.Report, oa.A32u40A4u32B8C8.Size)
		copy(r, report(k, len(ends)))
		binary.LittleEndian.PutUint32(r[4:], uint32(k.ticks(at)))
		k.reads = append(k.reads[:0], readStep{data: oa.AppendRecord(nil, oa.RecordSample, r)})
		ends = append(ends, at)
		k.clock = max(k.clock, at+every/2)
		if err := st.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		at += every
	}
	if b.Len() != len(ends)-1 {
		t.Fatalf("%d rows of %d reports", b.Len(), len(ends))
	}
	for i := range b.Start {
		if i > 0 && b.Start[i] != b.End[i-1] {
			t.Fatalf("row %d starts at %d, the one before ends at %d", i, b.Start[i], b.End[i-1])
		}
		if off, long := b.End[i]-ends[i+1], b.End[i]-b.Start[i]-every; off < -8000 || off > 8000 || long < -8000 || long > 8000 {
			t.Fatalf("row %d ends %d ns off and is %d ns too long", i, off, long)
		}
	}
}
