package kbase

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
	"astrolabe/hwio/internal/sysroot"
)

// fakeKernel is a kernel with a CSF driver and a Mali-G720 of three cores; fail makes requests fail.
type fakeKernel struct {
	t       *testing.T
	node    string
	plain   bool
	open    error
	fail    map[uint32]error
	zero    bool // the handshake leaves 0.0
	minor   uint16
	set     uint64
	empty   bool // samples take no time and count nothing
	change  func(command uint16, sample []byte)
	command uint16 // the last one
	ready   int
	broken  bool
	samples uint64
	raw     int64
	log     []uint32
	living  int // devices and mappings
}

func newFake(t *testing.T) *fakeKernel {
	return &fakeKernel{t: t, node: "/dev/mali0", fail: map[uint32]error{}, minor: 38, raw: 1e9}
}

func (k *fakeKernel) source() *Source {
	dir := k.t.TempDir()
	return &Source{root: sysroot.At(dir), kernel: k, clocks: func() (int64, int64, int64) { k.raw += 100; return k.raw + 7000, k.raw, k.raw + 7000 }}
}

func (k *fakeKernel) Character(path string) (exists, character bool) {
	ok := k.node != "" && strings.HasSuffix(filepath.ToSlash(path), k.node)
	return ok, ok && !k.plain
}

func (k *fakeKernel) Open(string, bool) (mali.Device, error) {
	if k.open != nil {
		return nil, k.open
	}
	k.living++
	return &fakeDevice{k: k}, nil
}

type fakeDevice struct {
	k      *fakeKernel
	ring   []byte
	reader bool
}

func (d *fakeDevice) Request(number uint32, arg []byte) (int, error) {
	k := d.k
	k.log = append(k.log, number)
	if err := k.fail[number]; err != nil {
		return 0, err
	}
	switch number {
	case reqVersionPreR21:
		return 0, syscall.ENOTTY
	case reqVersionJM:
		return 0, syscall.EPERM
	case reqVersionCSF:
		if le.Uint32(arg) != 0 {
			k.t.Errorf("the handshake offers version %x", arg)
		}
		if !k.zero {
			le.PutUint16(arg, 1)
			le.PutUint16(arg[2:], k.minor)
		}
	case reqGetProps:
		return len(fakeProps()), nil
	case reqEnumInfo:
		le.PutUint32(arg, enumItemSize)
		le.PutUint32(arg[4:], uint32(len(k.list())/enumItemSize))
	case reqCommand:
		k.command = le.Uint16(arg)
		switch k.command {
		case commandStop, commandSample:
			k.ready++
		}
	case reqGetSample:
		if k.ready == 0 {
			return 0, syscall.EINVAL
		}
		k.ready--
		k.samples++
		le.PutUint64(d.ring[8:], uint64(1e9+1e6*int64(k.samples-1)))
		le.PutUint64(d.ring[16:], uint64(1e9+1e6*int64(k.samples)))
		le.PutUint64(d.ring[24:], k.samples)
		le.PutUint32(d.ring[40:], 0)
		if k.empty {
			copy(d.ring[8:16], d.ring[16:24])
			clear(d.ring[len(d.ring)-3*64*8:])
		}
		if k.change != nil {
			k.change(k.command, d.ring)
		}
	}
	return 0, nil
}

func (d *fakeDevice) RequestWith(number uint32, arg []byte, _ int, buf []byte) (int, error) {
	k := d.k
	k.log = append(k.log, number)
	if err := k.fail[number]; err != nil {
		return 0, err
	}
	switch number {
	case reqGetProps:
		return copy(buf, fakeProps()), nil
	case reqEnumInfo:
		copy(buf, k.list())
	case reqSetup:
		le.PutUint32(arg, metaItemSize)
		le.PutUint32(arg[4:], uint32(len(ring(metaItemSize, 0, 1, 2))))
	}
	return 5, nil
}

func (d *fakeDevice) RequestValue(uint32, uint32) (int, error) { return 0, syscall.ENOTTY }

func (d *fakeDevice) Adopt(fd int, _ string) mali.Device {
	if fd != 5 {
		d.k.t.Errorf("descriptor %d", fd)
	}
	d.k.living++
	return &fakeDevice{k: d.k, reader: true}
}

func (d *fakeDevice) Ready() (ready, gone bool, err error) { return d.k.ready > 0, d.k.broken, nil }

func (d *fakeDevice) Map(int) ([]byte, error) {
	d.k.living++
	d.ring = ring(metaItemSize, 0, 1, 2)
	return d.ring, nil
}

func (d *fakeDevice) Unmap([]byte) error { d.k.living--; return nil }
func (d *fakeDevice) Close() error       { d.k.living--; return nil }

func fakeProps() []byte {
	return join(prop(55, 3, 0xc8700000), prop(62, 0, 1), prop(64, 3, 0b1011), prop(15, 0, 1), prop(29, 2, 8<<24))
}

func (k *fakeKernel) list() []byte {
	return join(requestItem(32, 0, 1), requestItem(32, 1, 1), infoItem(32, 2), blockItem(32, 3, k.set, 3, 64), make([]byte, 32))
}

func TestProbeTellsEveryTroubleApart(t *testing.T) {
	android := func(s *Source) {
		path := s.root.Path("/system/build.prop")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		change  func(*fakeKernel)
		android bool
		want    string
	}{
		{"no node", func(k *fakeKernel) { k.node = "" }, false, "no /dev/mali0"},
		{"plain file", func(k *fakeKernel) { k.plain = true }, false, "no character device"},
		{"denied", func(k *fakeKernel) { k.open = syscall.EACCES }, false, "usermod"},
		{"denied on Android", func(k *fakeKernel) { k.open = syscall.EACCES }, true, "SELinux"},
		{"no device behind it", func(k *fakeKernel) { k.open = syscall.ENODEV }, false, "no device behind"},
		{"handshake", func(k *fakeKernel) { k.zero = true }, false, "0.0"},
		{"properties", func(k *fakeKernel) { k.fail[reqGetProps] = syscall.EFAULT }, false, "properties"},
		{"context", func(k *fakeKernel) { k.fail[reqSetFlags] = syscall.ENOMEM }, false, "no context"},
		{"too old", func(k *fakeKernel) { k.minor = 9 }, false, "came with kbase 1.10"},
		{"held back at the list", func(k *fakeKernel) { k.fail[reqEnumInfo] = syscall.EPERM }, false, "held back"},
		{"held back at set-up", func(k *fakeKernel) { k.fail[reqSetup] = syscall.EACCES }, true, "Android 16 QPR2"},
		{"refused", func(k *fakeKernel) { k.fail[reqSetup] = syscall.EINVAL }, false, "set 0"},
		{"no list", func(k *fakeKernel) { k.fail[reqEnumInfo] = syscall.ENOTTY }, false, "lists its counters"},
	} {
		k := newFake(t)
		c.change(k)
		s := k.source()
		if c.android {
			android(s)
		}
		st := s.Probe(t.Context())
		if st.Usable || !strings.Contains(st.Reason+" "+st.Fix, c.want) {
			t.Errorf("%s: %+v, want %q", c.name, st, c.want)
		}
		if _, err := s.Open(t.Context(), hwio.Request{Period: time.Millisecond}); err == nil {
			t.Errorf("%s: Open went well", c.name)
		}
		if k.living != 0 {
			t.Errorf("%s: %d things are still open", c.name, k.living)
		}
		if f := s.Diagnose(t.Context()); len(f) != 1 || f[0].Usable || f[0].Reason == "" {
			t.Errorf("%s: findings %+v", c.name, f)
		}
	}
}

// start opens a stream and takes the baseline.
func start(t *testing.T, k *fakeKernel, r hwio.Request) (*stream, *capture.Batch) {
	t.Helper()
	r.Period = time.Millisecond
	st, err := k.source().Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(st.Schema(), 8)
	if err := st.Read(t.Context(), b); err != nil || len(b.Start) != 0 {
		t.Fatalf("baseline: %v, %d rows", err, len(b.Start))
	}
	return st.(*stream), b
}

func TestSamplesAreStampedInMonotonicTimeAndTheStopGivesTheLast(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{Counters: []string{"core_10", "gpu_clock_cycles"}})
	k.ready = 2
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := st.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if len(b.Start) != 3 || b.Start[0] != 1e9+7000 || b.End[0] != b.Start[1] || b.End[2] != 1e9+3e6+7000 {
		t.Errorf("rows %v to %v", b.Start, b.End)
	}
	cols := st.Schema().Columns
	if len(cols) != 4 || cols[2].Meta.Instance != "3" || b.Cols[2].U[2] != 1002 {
		t.Errorf("columns %+v", cols)
	}
	if err := errors.Join(st.Close(), st.Close()); err != nil || k.living != 0 {
		t.Errorf("%v, %d things are still open", err, k.living)
	}
}

// A sample of the timer that came between the emptying of the ring and the end of counting was taken for the last one, and said to cover a period
// more than it does. Nothing but load made it come then.
func TestALateSampleBeforeTheLastCoversOnlyThePeriodsBeforeItsOwn(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{Counters: []string{"core_10"}})
	defer st.Close()
	k.ready = 1
	k.change = func(_ uint16, s []byte) { le.PutUint64(s[32:], 1) } // the token of START
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	k.change = func(command uint16, s []byte) {
		if command != commandStop {
			t.Fatalf("a sample after command %d", command)
		}
		le.PutUint64(s[8:], 1e9+1e6)
		le.PutUint64(s[16:], 1e9+7e6)
		le.PutUint64(s[32:], 1)
		le.PutUint32(s[40:], flagStretched)
		k.ready = 1
		k.change = func(_ uint16, s []byte) {
			le.PutUint64(s[8:], 1e9+7e6)
			le.PutUint64(s[16:], 1e9+9e6)
			le.PutUint64(s[32:], 2)
		}
	}
	if err := st.Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if len(b.Start) != 3 || len(b.Late) != 2 || b.Late[0].Lost != 5 || b.Late[1].Lost != 2 {
		t.Errorf("rows %v to %v, late %+v", b.Start, b.End, b.Late)
	}
}

func TestALostSampleIsAGapWithItsNumber(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{})
	defer st.Close()
	k.ready = 1
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	k.samples += 3
	k.ready = 1
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if len(b.Gaps) != 1 || b.Gaps[0].Lost != 3 || b.Gaps[0].Start != b.End[0] || b.Gaps[0].End != b.Start[1] {
		t.Errorf("gaps %+v between %v and %v", b.Gaps, b.End[0], b.Start[1])
	}
}

func TestAnEmptySampleIsNeitherALossNorTheLast(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{})
	defer st.Close()
	for _, k.empty = range []bool{false, true, false} {
		k.ready = 1
		if err := st.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Start) != 2 || len(b.Gaps) != 0 {
		t.Errorf("%d rows, gaps %+v", len(b.Start), b.Gaps)
	}
	if err := st.Finish(t.Context(), b); err != nil || len(b.Start) != 3 {
		t.Errorf("%v: %d rows, the last sample is missing", err, len(b.Start))
	}
}

func TestARingThatIsFullLosesNoCounts(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{Options: map[string]string{"mode": "manual"}})
	defer st.Close()
	k.fail[reqCommand] = syscall.EBUSY
	if err := st.Read(t.Context(), b); err != nil || len(b.Start) != 0 {
		t.Fatalf("%v, %d rows", err, len(b.Start))
	}
	delete(k.fail, reqCommand)
	if err := st.Read(t.Context(), b); err != nil || len(b.Start) != 1 {
		t.Fatalf("%v, %d rows", err, len(b.Start))
	}
	if notes := strings.Join(st.Conclude(), "\n"); !strings.Contains(notes, "ring was full") {
		t.Errorf("notes %q", notes)
	}
}

func TestRowsBeforeARemovalStay(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{})
	k.ready, k.broken = 1, true
	if err := st.Read(t.Context(), b); err != nil || len(b.Start) != 1 {
		t.Fatalf("%v, %d rows", err, len(b.Start))
	}
	if err := st.Read(t.Context(), b); !errors.Is(err, io.EOF) {
		t.Errorf("then: %v", err)
	}
	if notes := strings.Join(st.Conclude(), "\n"); !strings.Contains(notes, "removed") {
		t.Errorf("notes %q", notes)
	}
	if err := st.Close(); err != nil || k.living != 0 {
		t.Errorf("%v, %d things are still open", err, k.living)
	}
}

func TestADamagedSampleEndsTheRecordingWithAnError(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{})
	defer st.Close()
	le.PutUint32(st.client.(*kinstr).ring[2*metaItemSize+16:], 1<<30)
	k.ready = 1
	if err := st.Read(t.Context(), b); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("err = %v", err)
	}
}

func TestOptionsThatAreUnknownAreRefused(t *testing.T) {
	for option, value := range map[string]string{"mode": "sometimes", "set": "1"} {
		if _, err := newFake(t).source().Open(t.Context(), hwio.Request{Period: time.Millisecond, Options: map[string]string{option: value}}); err == nil {
			t.Errorf("%s=%s was taken", option, value)
		}
	}
	if _, err := newFake(t).source().Open(t.Context(), hwio.Request{Period: time.Millisecond, Counters: []string{"nothing_like_it"}}); !errors.Is(err, hwio.ErrNoMatch) {
		t.Errorf("err = %v", err)
	}
}

func TestAPeriodThatTheDriverRaisesIsRaisedHereToo(t *testing.T) {
	st, err := newFake(t).source().Open(t.Context(), hwio.Request{Period: 50 * time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if p := st.(*stream).period; p != minPeriod {
		t.Errorf("merged periods are counted in %d ns", p)
	}
	if w := strings.Join(st.Schema().Config.Warnings, "\n"); !strings.Contains(w, "100 µs") {
		t.Errorf("warnings %q", w)
	}
}

func TestASecondaryCounterSetHasNoNames(t *testing.T) {
	k := newFake(t)
	k.set = 1
	st, _ := start(t, k, hwio.Request{})
	defer st.Close()
	if name := st.Schema().Columns[0].Meta.Name; name != "core_set1_4" {
		t.Errorf("the first column is %s", name)
	}
	if w := strings.Join(st.Schema().Config.Warnings, "\n"); !strings.Contains(w, "counter set 1") {
		t.Errorf("warnings %q", w)
	}
}

func TestReadingAllocatesNothingOnceWarm(t *testing.T) {
	k := newFake(t)
	st, b := start(t, k, hwio.Request{})
	defer st.Close()
	read := func() {
		b.Reset()
		k.ready = 1
		k.log = k.log[:0]
		if err := st.Read(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		read()
	}
	if n := testing.AllocsPerRun(100, read); n > 0 {
		t.Errorf("%v allocations per read", n)
	}
}
