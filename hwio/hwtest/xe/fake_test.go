package xe

import (
	"encoding/binary"
	"slices"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/fake"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// rig is a device with a clock of the test's and a program that has opened it.
type rig struct {
	t    *testing.T
	d    *device
	m    *fake.Tree
	mem  *fake.Memory
	file hwtest.File
	call *hwtest.Call
	ns   int64
	made []*stream // descriptors given out, in order
}

// newRig starts a device of a model. The caller is privileged.
func newRig(t *testing.T, model string, scenarios ...string) *rig {
	t.Helper()
	r := &rig{t: t, mem: &fake.Memory{}, ns: 1_000_000_000_000, d: emulated.Device(t, Models(), model).(*device)}
	r.m = fake.NewTree(scenarios...)
	r.d.Now, r.d.ByHand = func() int64 { return r.ns }, true
	if err := r.d.Start(r.m); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.d.Stop)
	r.call = &hwtest.Call{PID: 1, TID: 1, Memory: r.mem, Privileged: true, Note: func(string, ...any) {},
		Install: func(f hwtest.File, _, _ bool) (int64, error) {
			r.made = append(r.made, f.(*stream))
			return int64(100 + len(r.made)), nil
		}}
	f, err := r.m.Nodes["/dev/dri/renderD128"].Open(r.call, 0)
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
	at := r.mem.Put(b)
	if _, err := r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"), at); err != nil {
		return nil, err
	}
	b, _ = r.mem.Place(at, l.Size)
	n := int(l.Get(b, "size"))
	data := r.mem.Put(make([]byte, n))
	b, _ = r.mem.Place(at, l.Size)
	l.Set(b, "data", data)
	_, err := r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"), at)
	out, _ := r.mem.Place(data, n)
	return slices.Clone(out), err
}

// observe makes a request of the observation interface.
func (r *rig) observe(kind, op uint64, param uint64) (int64, error) {
	l := uapi.Struct("drm_xe_observation_param")
	b := make([]byte, l.Size)
	l.Set(b, "observation_type", kind)
	l.Set(b, "observation_op", op)
	l.Set(b, "param", param)
	return r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_OBSERVATION"), r.mem.Put(b))
}

// add uploads registers under a GUID.
func (r *rig) add(uuid string, regs ...intel.Register) (int64, error) {
	var list []byte
	for _, x := range regs {
		list = binary.LittleEndian.AppendUint32(list, x.Address)
		list = binary.LittleEndian.AppendUint32(list, x.Value)
	}
	l := uapi.Struct("drm_xe_oa_config")
	b := make([]byte, l.Size)
	copy(b[l.Field("uuid").Offset:], uuid)
	l.Set(b, "n_regs", uint64(len(regs)))
	if len(list) > 0 {
		l.Set(b, "regs_ptr", r.mem.Put(list))
	}
	return r.observe(0, uint64(uapi.Const("DRM_XE_OBSERVATION_OP_ADD_CONFIG")), r.mem.Put(b))
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
		next = r.mem.Put(b)
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
var testOa = writes(0x13000, 0x1801, 0x13010, 0x3e00, 0x13018, 0x13e00, 0x13300, 0x5a00, 0x13318, 0x7e00, 0x13020, 0x113e00, 0x13500, 0x5a00)

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
	s.Check()
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

// writes are register writes: pairs of an address and a value.
func writes(pairs ...uint32) (out []intel.Register) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, intel.Register{Address: pairs[i], Value: pairs[i+1]})
	}
	return out
}
