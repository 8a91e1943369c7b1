package xe

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// tree is a Machine that only remembers files.
type tree struct {
	mu       sync.Mutex
	settings hwtest.Settings
	files    map[string]string
	node     hwtest.Node
}

func (m *tree) Settings() *hwtest.Settings                   { return &m.settings }
func (m *tree) Own(string)                                   {}
func (m *tree) Fail(string, error)                           {}
func (m *tree) Watch(string, func())                         {}
func (m *tree) File(path, content string)                    { m.mu.Lock(); m.files[path] = content; m.mu.Unlock() }
func (m *tree) Dir(path string)                              { m.File(path, "") }
func (m *tree) Link(string, string)                          {}
func (m *tree) Node(_ string, _, _, _ uint32, n hwtest.Node) { m.node = n }
func (m *tree) Remove(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p := range m.files {
		if p == path || strings.HasPrefix(p, path+"/") {
			delete(m.files, p)
		}
	}
}

// memory is a program's memory: what was put there, from 0x10000 on.
type memory struct{ b []byte }

const memoryBase = 0x10000

func (m *memory) place(addr uint64, n int) ([]byte, error) {
	if addr < memoryBase || addr-memoryBase+uint64(n) > uint64(len(m.b)) {
		return nil, syscall.EFAULT
	}
	return m.b[addr-memoryBase:][:n], nil
}

func (m *memory) Read(addr uint64, b []byte) error {
	p, err := m.place(addr, len(b))
	copy(b, p)
	return err
}

func (m *memory) Write(addr uint64, b []byte) error {
	p, err := m.place(addr, len(b))
	copy(p, b)
	return err
}

// put appends to the memory and returns the address.
func (m *memory) put(b []byte) uint64 {
	addr := memoryBase + uint64(len(m.b))
	m.b = append(m.b, b...)
	return addr
}

// rig is a device with a clock of the test's and a program that has opened it.
type rig struct {
	t    *testing.T
	d    *device
	m    *tree
	mem  *memory
	file hwtest.File
	call *hwtest.Call
	ns   int64
	made []*stream // descriptors given out, in order
}

// newRig starts a device. The caller is privileged.
func newRig(t *testing.T, scenarios ...string) *rig {
	t.Helper()
	r := &rig{t: t, mem: &memory{}, ns: 1_000_000_000_000, d: newDevice()}
	r.m = &tree{settings: hwtest.Settings{Scenarios: scenarios, Seed: 7}, files: map[string]string{}}
	r.d.now, r.d.byHand = func() int64 { return r.ns }, true
	if err := r.d.Start(r.m); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.d.Stop)
	r.call = &hwtest.Call{PID: 1, TID: 1, Memory: r.mem, Privileged: true, Note: func(string, ...any) {},
		Install: func(f hwtest.File, _, _ bool) (int64, error) {
			r.made = append(r.made, f.(*stream))
			return int64(100 + len(r.made)), nil
		}}
	f, err := r.m.node.Open(r.call, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.file = f
	return r
}

// query asks for the size, and then for the answer.
func (r *rig) query(name string) ([]byte, error) {
	l := uapi.Struct("drm_xe_device_query")
	b := make([]byte, l.Size)
	l.Set(b, "query", uint64(uapi.Const("DRM_XE_DEVICE_QUERY_"+name)))
	at := r.mem.put(b)
	if _, err := r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"), at); err != nil {
		return nil, err
	}
	b, _ = r.mem.place(at, l.Size)
	n := int(l.Get(b, "size"))
	data := r.mem.put(make([]byte, n))
	b, _ = r.mem.place(at, l.Size)
	l.Set(b, "data", data)
	_, err := r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"), at)
	out, _ := r.mem.place(data, n)
	return slices.Clone(out), err
}

// observe makes a request of the observation interface.
func (r *rig) observe(kind, op uint64, param uint64) (int64, error) {
	l := uapi.Struct("drm_xe_observation_param")
	b := make([]byte, l.Size)
	l.Set(b, "observation_type", kind)
	l.Set(b, "observation_op", op)
	l.Set(b, "param", param)
	return r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_OBSERVATION"), r.mem.put(b))
}

// add uploads registers under a GUID.
func (r *rig) add(uuid string, regs ...register) (int64, error) {
	var list []byte
	for _, x := range regs {
		list = binary.LittleEndian.AppendUint32(list, x.addr)
		list = binary.LittleEndian.AppendUint32(list, x.value)
	}
	l := uapi.Struct("drm_xe_oa_config")
	b := make([]byte, l.Size)
	copy(b[l.Field("uuid").Offset:], uuid)
	l.Set(b, "n_regs", uint64(len(regs)))
	if len(list) > 0 {
		l.Set(b, "regs_ptr", r.mem.put(list))
	}
	return r.observe(0, uint64(uapi.Const("DRM_XE_OBSERVATION_OP_ADD_CONFIG")), r.mem.put(b))
}

// chain writes a chain of properties and returns its address. Pairs are a number and a value.
func (r *rig) chain(pairs ...uint64) uint64 {
	l, lb := uapi.Struct("drm_xe_ext_set_property"), uapi.Struct("drm_xe_user_extension")
	next := uint64(0)
	for i := len(pairs) - 2; i >= 0; i -= 2 {
		b := make([]byte, l.Size)
		lb.Set(b, "next_extension", next)
		l.Set(b, "property", pairs[i])
		l.Set(b, "value", pairs[i+1])
		next = r.mem.put(b)
	}
	return next
}

// open opens a stream with properties.
func (r *rig) open(pairs ...uint64) (*stream, error) {
	_, err := r.observe(0, uint64(uapi.Const("DRM_XE_OBSERVATION_OP_STREAM_OPEN")), r.chain(pairs...))
	if err != nil {
		return nil, err
	}
	return r.made[len(r.made)-1], nil
}

// testUUID is nobody's.
const testUUID = "01234567-0123-0123-0123-0123456789ab"

// testOa are the registers of the published set's first eight test counters.
var testOa = []register{{0x13000, 0x1801}, {0x13010, 0x3e00}, {0x13018, 0x13e00}, {0x13300, 0x5a00}, {0x13318, 0x7e00},
	{0x13020, 0x113e00}, {0x13500, 0x5a00}}

// started opens a stream of the test counters at an exponent.
func (r *rig) started(exponent uint64, more ...uint64) *stream {
	r.t.Helper()
	id, err := r.add(testUUID, testOa...)
	if err != nil {
		r.t.Fatal(err)
	}
	s, err := r.open(append([]uint64{2, 1, 3, uint64(id), 4, 0x10105, 5, exponent}, more...)...)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// pass lets time go by, with the driver's looks.
func (r *rig) pass(s *stream, ns int64) {
	r.ns += ns
	s.check()
}

// report is a report of PEC64u64, as its documentation lays it out.
type report struct {
	id, ts, ctx, ticks uint64
	c                  [64]uint64
}

func parse(b []byte) (out []report) {
	for ; len(b) >= 576; b = b[576:] {
		var r report
		w := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
		r.id, r.ts, r.ctx, r.ticks = w(0), w(1), w(2), w(3)
		for i := range r.c {
			r.c[i] = w(4 + i)
		}
		out = append(out, r)
	}
	return out
}
