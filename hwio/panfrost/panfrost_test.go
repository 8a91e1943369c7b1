package panfrost

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/mali"
	"astrolabe/hwio/internal/sysroot"
)

func TestNumbersAreThoseOfTheKernelsHeader(t *testing.T) {
	for name, got := range map[string]uint32{
		"DRM_IOCTL_PANFROST_GET_PARAM": reqGetParam, "DRM_IOCTL_PANFROST_PERFCNT_ENABLE": reqEnable, "DRM_IOCTL_PANFROST_PERFCNT_DUMP": reqDump,
	} {
		if want := uapi.Ioctl(name); got != want {
			t.Errorf("%s is %#x, want %#x", name, got, want)
		}
	}
	for name, got := range map[string]int64{
		"DRM_PANFROST_PARAM_GPU_PROD_ID": paramProductID, "DRM_PANFROST_PARAM_GPU_REVISION": paramRevision, "DRM_PANFROST_PARAM_SHADER_PRESENT": paramShaderPresent,
		"DRM_PANFROST_PARAM_L2_PRESENT": paramL2Present, "DRM_PANFROST_PARAM_L2_FEATURES": paramL2Features, "DRM_PANFROST_PARAM_MEM_FEATURES": paramMemFeatures,
	} {
		if want := uapi.Const(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	for _, c := range []struct {
		structure, field string
		at, size         int
	}{
		{"drm_panfrost_get_param", "param", 0, 4}, {"drm_panfrost_get_param", "value", 8, 8}, {"drm_panfrost_perfcnt_enable", "enable", 0, 4},
		{"drm_panfrost_perfcnt_dump", "buf_ptr", 0, 8},
	} {
		if f := uapi.Struct(c.structure).Field(c.field); f.Offset != c.at || f.Size != c.size {
			t.Errorf("%s.%s is %d bytes at %d", c.structure, c.field, f.Size, f.Offset)
		}
	}
}

// fakeKernel has a Mali-G52 with a hole in its core mask behind panfrost, or a GPU behind panthor.
type fakeKernel struct {
	mu     sync.Mutex
	t      *testing.T
	open   error
	enable error
	dump   error
	query  func(arg []byte) error
	on     bool
	now    int64
	dumps  uint32
	living int
}

func (k *fakeKernel) source(driver string) *Source {
	dir := k.t.TempDir()
	node := filepath.Join(dir, "sys/devices/platform/gpu")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "sys/bus/platform/drivers", driver), 0o755), os.MkdirAll(node, 0o755),
		os.MkdirAll(filepath.Join(dir, "sys/class/drm/renderD128"), 0o755), os.MkdirAll(filepath.Join(dir, "proc/sys/kernel"), 0o755),
		os.WriteFile(filepath.Join(dir, "proc/sys/kernel/osrelease"), []byte("6.18.1-board\n"), 0o644),
	); err != nil {
		k.t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(filepath.Join(dir, "sys/bus/platform/drivers", driver), filepath.Join(node, "driver")),
		os.Symlink(node, filepath.Join(dir, "sys/class/drm/renderD128/device"))); err != nil {
		k.t.Skip("SKIPPED: no symbolic links here:", err)
	}
	return &Source{root: sysroot.At(dir), kernel: k, clocks: func() (int64, int64, int64) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.now += 1000
		return k.now, k.now, k.now
	}}
}

func (k *fakeKernel) Character(string) (exists, character bool) { return true, true }

func (k *fakeKernel) Open(string, bool) (mali.Device, error) {
	if k.open != nil {
		return nil, k.open
	}
	k.living++
	return &fakeDevice{k}, nil
}

type fakeDevice struct{ k *fakeKernel }

func (d *fakeDevice) Request(number uint32, arg []byte) (int, error) {
	k := d.k
	k.mu.Lock()
	defer k.mu.Unlock()
	switch number {
	case reqGetParam:
		v := map[uint32]uint64{
			paramProductID: 0x7212, paramRevision: 0x10, paramShaderPresent: 0b1011, paramL2Present: 1, paramL2Features: 7 << 24, paramMemFeatures: 1 << 8,
		}
		binary.LittleEndian.PutUint64(arg[8:], v[binary.LittleEndian.Uint32(arg)])
	case reqEnable:
		if k.enable != nil {
			return 0, k.enable
		}
		k.on = arg[0] == 1
	case reqPanthorQuery:
		return 0, k.query(arg)
	default:
		return 0, syscall.ENOTTY
	}
	return 0, nil
}

func (d *fakeDevice) RequestWith(number uint32, _ []byte, _ int, buf []byte) (int, error) {
	k := d.k
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dumps++
	if number != reqDump || !k.on {
		return 0, syscall.EINVAL
	}
	if k.dump != nil {
		return 0, k.dump
	}
	for i := 0; i+4 <= len(buf); i += 4 {
		binary.LittleEndian.PutUint32(buf[i:], uint32(i/256*1000+i/4%64))
	}
	return 0, nil
}

func (d *fakeDevice) RequestValue(uint32, uint32) (int, error) { return 0, syscall.ENOTTY }
func (d *fakeDevice) Adopt(int, string) mali.Device            { return d }
func (d *fakeDevice) Ready() (ready, gone bool, err error)     { return false, false, nil }
func (d *fakeDevice) Map(int) ([]byte, error)                  { return nil, syscall.ENODEV }
func (d *fakeDevice) Unmap([]byte) error                       { return nil }
func (d *fakeDevice) Close() error                             { d.k.living--; return nil }

func TestProbeTellsEveryTroubleApart(t *testing.T) {
	for _, c := range []struct {
		name   string
		driver string
		k      *fakeKernel
		want   string
	}{
		{"another driver", "i915", &fakeKernel{}, "no graphics card here is driven by panfrost"},
		{"denied", "panfrost", &fakeKernel{open: syscall.EACCES}, "usermod"},
		{"held back", "panfrost", &fakeKernel{enable: syscall.ENOSYS}, "echo 1 > /sys/module/panfrost/parameters/unstable_ioctls"},
		{"busy", "panfrost", &fakeKernel{enable: syscall.EBUSY}, "another program"},
		{"hung", "panfrost", &fakeKernel{enable: syscall.ETIMEDOUT}, "within a second"},
		{"panthor", "panthor", &fakeKernel{query: func([]byte) error { return syscall.EINVAL }}, "6.18.1-board) has no counter interface for it: it lacks the query PERF_INFO"},
		{"panthor, something else", "panthor", &fakeKernel{query: func(b []byte) error { b[4] = 12; return nil }}, "with 12 bytes"},
		{"panthor, patched", "panthor", &fakeKernel{query: func(b []byte) error { b[4] = panthorPerfInfoSize; return nil }}, "not settled"},
		{"panthor, denied", "panthor", &fakeKernel{open: syscall.EACCES}, "could not be asked"},
	} {
		c.k.t = t
		s := c.k.source(c.driver)
		st := s.Probe(t.Context())
		if st.Usable || !strings.Contains(st.Reason+" "+st.Fix, c.want) {
			t.Errorf("%s: %+v, want %q", c.name, st, c.want)
		}
		if c.k.living != 0 || c.k.on {
			t.Errorf("%s: %d things are still open, counters on: %v", c.name, c.k.living, c.k.on)
		}
		if f := s.Diagnose(t.Context()); len(f) != 1 || f[0].Usable || f[0].Reason == "" {
			t.Errorf("%s: findings %+v", c.name, f)
		}
	}
}

// rows reads until there are n rows or an error.
func rows(t *testing.T, st hwio.Stream, b *capture.Batch, n int) error {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if err := st.Read(t.Context(), b); err != nil || len(b.Start) >= n {
			return err
		}
	}
	t.Fatalf("only %d rows", len(b.Start))
	return nil
}

func TestSamplesAdjoinAndCoresHaveTheirPlaces(t *testing.T) {
	k := &fakeKernel{t: t}
	s := k.source("panfrost")
	if st := s.Probe(t.Context()); !st.Usable || st.Device != "Mali-G52" {
		t.Errorf("%+v", st)
	}
	st, err := s.Open(t.Context(), hwio.Request{Period: time.Millisecond, Counters: []string{"core_10", "fe_10"}})
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(st.Schema(), 8)
	if err := rows(t, st, b, 3); err != nil {
		t.Fatal(err)
	}
	before := len(b.Start)
	if err := st.(hwio.Finisher).Finish(t.Context(), b); err != nil || len(b.Start) <= before {
		t.Errorf("%v, %d rows after %d", err, len(b.Start), before)
	}
	for i := 1; i < len(b.Start); i++ {
		if b.Start[i] != b.End[i-1] || b.End[i] <= b.Start[i] {
			t.Errorf("rows %v to %v", b.Start, b.End)
		}
	}
	// Front-end, tiler, two slices, then a place per core.
	for i, want := range []uint64{10, 4010, 5010, 7010} {
		if got := b.Cols[i].U[1]; got != want {
			t.Errorf("column %s[%s] holds %d, want %d", st.Schema().Columns[i].Meta.Name, st.Schema().Columns[i].Meta.Instance, got, want)
		}
	}
	if err := errors.Join(st.Close(), st.Close()); err != nil || k.living != 0 || k.on {
		t.Errorf("%v, %d things are still open, counters on: %v", err, k.living, k.on)
	}
}

func TestARemovalEndsAndAnErrorIsTold(t *testing.T) {
	for _, c := range []struct {
		dump error
		want func(error) bool
	}{
		{syscall.ENODEV, func(err error) bool { return errors.Is(err, io.EOF) }},
		{syscall.EINVAL, func(err error) bool { return errors.Is(err, syscall.EINVAL) }},
	} {
		k := &fakeKernel{t: t, dump: c.dump}
		st, err := k.source("panfrost").Open(t.Context(), hwio.Request{Period: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if err := rows(t, st, capture.NewBatch(st.Schema(), 8), 1); !c.want(err) {
			t.Errorf("%v: %v", c.dump, err)
		}
		if err := st.Close(); err != nil || k.living != 0 {
			t.Errorf("%v, %d things are still open", err, k.living)
		}
	}
}

func TestTheSampleAfterAHangCoversItsTime(t *testing.T) {
	k := &fakeKernel{t: t, dump: syscall.ETIMEDOUT}
	st, err := k.source("panfrost").Open(t.Context(), hwio.Request{Period: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	asked := func(n uint32) bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.dumps >= n
	}
	b := capture.NewBatch(st.Schema(), 8)
	for !asked(2) {
		if err := st.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	k.mu.Lock()
	k.dump = nil
	k.mu.Unlock()
	if err := rows(t, st, b, 2); err != nil {
		t.Fatal(err)
	}
	if b.Cols[0].Missing(0) || len(b.Late) == 0 || b.Late[0].Lost < 2 || b.Late[0].Start != b.Start[0] || b.Late[0].End != b.End[0] || b.Start[1] != b.End[0] || len(b.Gaps) != 0 {
		t.Errorf("rows %v to %v, late %+v, gaps %+v", b.Start, b.End, b.Late, b.Gaps)
	}
	said := strings.Join(st.(hwio.Concluder).Conclude(), "\n")
	if !strings.Contains(said, "did not answer") {
		t.Errorf("concludes with %q", said)
	}
}

func TestAHangAtTheEndIsAGap(t *testing.T) {
	k := &fakeKernel{t: t}
	st, err := k.source("panfrost").Open(t.Context(), hwio.Request{Period: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b := capture.NewBatch(st.Schema(), 8)
	if err := rows(t, st, b, 2); err != nil {
		t.Fatal(err)
	}
	k.mu.Lock()
	k.dump = syscall.ETIMEDOUT
	k.mu.Unlock()
	if err := st.(hwio.Finisher).Finish(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	n := len(b.Gaps)
	if n == 0 || b.Gaps[n-1].Lost == 0 || b.Gaps[n-1].Start != b.End[len(b.End)-1] || b.Gaps[n-1].End <= b.Gaps[n-1].Start {
		t.Errorf("rows to %d, gaps %+v", b.End[len(b.End)-1], b.Gaps)
	}
}

// described answers questions about a GPU of a product.
type described struct {
	mali.Device
	product uint64
}

func (d described) Request(_ uint32, arg []byte) (int, error) {
	v := map[uint32]uint64{paramProductID: d.product, paramShaderPresent: 0b1111, paramL2Present: 1, paramMemFeatures: 1}
	binary.LittleEndian.PutUint64(arg[8:], v[binary.LittleEndian.Uint32(arg)])
	return 0, nil
}

// Linux has the older arrangement of blocks, eight for each core group, for three products, and its own number for the first (Linux 6.1,
// hwio/hwtest/guests).
func TestDumpsAreAsLinuxArrangesThem(t *testing.T) {
	for _, c := range []struct {
		product uint64
		name    string
		old     bool
	}{{0x600, "Mali-T600", true}, {0x620, "Mali-T620", true}, {0x720, "Mali-T720", true}, {0x750, "Mali-T760", false}, {0x860, "Mali-T860", false}, {0x7402, "Mali-G52", false}} {
		g, err := describe(described{product: c.product})
		if err != nil || !g.Known || g.Product.Name != c.name {
			t.Errorf("%#x is %q, known %v: %v", c.product, g.Product.Name, g.Known, err)
		}
		size := 7 * 64 * 4 // job manager, tiler, memory system, four cores
		if c.old {
			size = 8 * 64 * 4
		}
		if p := mali.NewPacked(&g); p.Size != size || p.Room < 8*64*4 {
			t.Errorf("%s: a dump of %d bytes in room for %d, Linux writes %d", c.name, p.Size, p.Room, size)
		}
	}
}
