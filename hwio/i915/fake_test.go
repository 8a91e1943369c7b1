package i915

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"astrolabe/hwio/internal/oaregisters"
)

// tree is a copied root file system that a test builds.
type tree struct {
	t    testing.TB
	root string
}

func newTree(t testing.TB) *tree { return &tree{t, t.TempDir()} }

func (f *tree) file(path, text string) {
	f.t.Helper()
	full := filepath.Join(f.root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *tree) link(path, target string) {
	f.t.Helper()
	full := filepath.Join(f.root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		f.t.Fatal(err)
	}
}

func (f *tree) remove(path string) {
	f.t.Helper()
	if err := os.RemoveAll(filepath.Join(f.root, filepath.FromSlash(path))); err != nil {
		f.t.Fatal(err)
	}
}

const pci = "/sys/devices/pci0000:00/0000:00:02.0"

// kabyLake is a machine with that GPU under that driver; card0 has renderD129.
func kabyLake(t testing.TB, deviceID, driver string) *tree {
	f := newTree(t)
	f.file(pci+"/vendor", "0x8086\n")
	f.file(pci+"/device", deviceID+"\n")
	f.file(pci+"/revision", "0x02\n")
	f.link(pci+"/driver", "../../../bus/pci/drivers/"+driver)
	f.link("/sys/class/drm/card0/device", "../../../devices/pci0000:00/0000:00:02.0")
	f.link("/sys/class/drm/renderD129/device", "../../../devices/pci0000:00/0000:00:02.0")
	f.file("/sys/class/drm/card0/gt_min_freq_mhz", "350\n")
	f.file("/sys/class/drm/card0/gt_max_freq_mhz", "1150\n")
	f.file("/sys/class/drm/card0/metrics/.keep", "")
	f.file(paranoidFile, "1\n")
	f.file(maxRateFile, "100000\n")
	f.file("/proc/self/status", "Name:\tastrolabe\nCapEff:\t000001ffffffffff\n")
	return f
}

// gt2Topology is what the driver answers for 24 EUs in one slice.
func gt2Topology() []byte {
	b := make([]byte, 32)
	for i, v := range []uint16{0, 3, 4, 8, 1, 1, 4, 1} {
		binary.LittleEndian.PutUint16(b[2*i:], v)
	}
	b[16], b[17] = 1, 7
	b[20], b[21], b[22] = 0xff, 0xff, 0xff
	return b
}

// fakeKernel stands for the kernel and its driver. Errors that a test sets are returned by the call of that name.
type fakeKernel struct {
	tree   *tree
	clock  int64 // ns, advanced by every look
	params map[int32]int32
	topo   []byte
	gpu    uint64  // ticks of the timestamp register at clock 0
	drift  float64 // share by which the GPU's clock is too fast
	errs   map[string]error

	opened   []string
	calls    []string
	props    []uint64
	flags    uint32
	configs  map[uint64]string // by number, as loaded
	next     uint64
	onAdd    func() // runs within addConfig
	onStream func() // runs after a stream was refused
	onEnable func() // runs once a stream counts, before its program knows
	live     int    // open nodes and streams
	stream   *fakeStream
	powered  *sseu
	step     int64                   // ns that pass with every look at the clock, at least 1000
	make     func(set uint64) []byte // what a read gives where there are no steps
	reads    []readStep
}

// readStep is the answer to one read.
type readStep struct {
	data []byte
	err  error
}

func newFakeKernel(f *tree) *fakeKernel {
	return &fakeKernel{
		tree: f, clock: 1_000_000_000, topo: gt2Topology(), errs: map[string]error{}, configs: map[uint64]string{}, next: 7,
		params: map[int32]int32{paramChipsetID: 0x5912, paramRevision: 4, paramPerfRev: 7, paramOAFrequency: 12_000_000, paramCSFrequency: 12_000_000},
	}
}

func (k *fakeKernel) call(name string) error {
	k.calls = append(k.calls, name)
	return k.errs[name]
}

func (k *fakeKernel) open(path string) (device, error) {
	k.opened = append(k.opened, path)
	if err := k.call("open"); err != nil {
		return nil, err
	}
	k.live++
	return &fakeDevice{k: k}, nil
}

func (k *fakeKernel) now() int64 {
	k.clock += max(k.step, 1000)
	return k.clock
}

// ticks is the register at a time of the CPU's.
func (k *fakeKernel) ticks(ns int64) uint64 {
	return (k.gpu + uint64(float64(ns)*0.012*(1+k.drift))) & (1<<36 - 1)
}

type fakeDevice struct {
	k      *fakeKernel
	closed bool
}

func (d *fakeDevice) param(id int32) (int32, error) {
	if v, ok := d.k.params[id]; ok {
		return v, nil
	}
	return 0, syscall.EINVAL
}

func (d *fakeDevice) query(id uint64) ([]byte, error) {
	if id == queryEngines { // as a kernel that does not know the question
		return nil, syscall.EINVAL
	}
	if err := d.k.call("query"); err != nil {
		return nil, err
	}
	return slices.Clone(d.k.topo), nil
}

func (d *fakeDevice) readRegister(uint64) (uint64, error) {
	if err := d.k.errs["register"]; err != nil {
		return 0, err
	}
	d.k.clock += 500
	return d.k.ticks(d.k.clock), nil
}

func (d *fakeDevice) addConfig(guid string, r *oaregisters.Lists) (uint64, error) {
	if d.k.onAdd != nil {
		d.k.onAdd()
	}
	if err := d.k.call("add"); err != nil {
		return 0, err
	}
	if len(r.All()) == 0 {
		return 0, syscall.EINVAL
	}
	d.k.next++
	d.k.configs[d.k.next] = guid
	d.k.tree.file("/sys/class/drm/card0/metrics/"+guid+"/id", strconv.FormatUint(d.k.next, 10)+"\n")
	return d.k.next, nil
}

func (d *fakeDevice) removeConfig(id uint64) error {
	if err := d.k.call("remove"); err != nil {
		return err
	}
	guid, ok := d.k.configs[id]
	if !ok {
		return syscall.ENOENT
	}
	delete(d.k.configs, id)
	d.k.tree.remove("/sys/class/drm/card0/metrics/" + guid)
	return nil
}

func (d *fakeDevice) openStream(flags uint32, properties []uint64, powered *sseu) (reportStream, error) {
	d.k.flags, d.k.props, d.k.powered = flags, slices.Clone(properties), powered
	if err := d.k.call("stream"); err != nil {
		if d.k.onStream != nil {
			d.k.onStream()
		}
		return nil, err
	}
	d.k.live++
	d.k.stream = &fakeStream{k: d.k, set: d.k.property(propMetricsSet)}
	return d.k.stream, nil
}

func (d *fakeDevice) close() error {
	if d.closed {
		return syscall.EBADF
	}
	d.closed = true
	d.k.live--
	return d.k.call("close")
}

type fakeStream struct {
	k       *fakeKernel
	enabled bool
	set     uint64
}

func (s *fakeStream) read(buf []byte) (int, error) {
	if !s.enabled {
		return 0, syscall.EIO
	}
	if len(s.k.reads) == 0 && s.k.make != nil {
		return copy(buf, s.k.make(s.set)), nil
	}
	if len(s.k.reads) == 0 {
		return 0, syscall.EAGAIN
	}
	step := s.k.reads[0]
	if step.err != nil {
		s.k.reads = s.k.reads[1:]
		return 0, step.err
	}
	if len(step.data) > len(buf) {
		return 0, syscall.ENOSPC
	}
	s.k.reads = s.k.reads[1:]
	return copy(buf, step.data), nil
}

func (s *fakeStream) enable() error {
	s.enabled = true
	if s.k.onEnable != nil {
		s.k.onEnable()
	}
	return s.k.call("enable")
}

func (s *fakeStream) disable() error {
	s.enabled = false
	return s.k.call("disable")
}

func (s *fakeStream) config(id uint64) (uint64, error) {
	old := s.set
	s.set = id
	return old, s.k.call("config")
}

func (s *fakeStream) close() error {
	s.k.live--
	return s.k.call("closestream")
}

// property is what the stream was opened with, or 0.
func (k *fakeKernel) property(id uint64) uint64 {
	for i := 0; i < len(k.props); i += 2 {
		if k.props[i] == id {
			return k.props[i+1]
		}
	}
	return 0
}

func wantText(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}
