package i915

import (
	"encoding/binary"
	"slices"
	"syscall"
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
		Install: func(f hwtest.File, cloexec, nonblock bool) (int64, error) {
			r.made = append(r.made, f.(*stream))
			return int64(100 + len(r.made)), nil
		}}
	r.file = r.open()
	return r
}

func (r *rig) open() hwtest.File {
	r.t.Helper()
	f, err := r.m.Nodes["/dev/dri/renderD128"].Open(r.call, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// ask makes an ioctl on the DRM node with a structure, which is changed as the kernel would.
func (r *rig) ask(name string, b []byte) (int64, error) {
	addr := r.mem.Put(b)
	v, err := r.file.Ioctl(r.call, uapi.Ioctl(name), addr)
	copy(b, r.mem.B[addr-fake.Base:])
	return v, err
}

func (r *rig) param(id string) (int, error) {
	l := uapi.Struct("drm_i915_getparam")
	at := r.mem.Put(make([]byte, 4))
	b := make([]byte, l.Size)
	l.Set(b, "param", uint64(uapi.Const("I915_PARAM_"+id)))
	l.Set(b, "value", at)
	_, err := r.ask("DRM_IOCTL_I915_GETPARAM", b)
	return int(int32(binary.LittleEndian.Uint32(r.mem.B[at-fake.Base:]))), err
}

func packRegisters(regs []intel.Register) []byte {
	var b []byte
	for _, x := range regs {
		b = binary.LittleEndian.AppendUint32(b, x.Address)
		b = binary.LittleEndian.AppendUint32(b, x.Value)
	}
	return b
}

func (r *rig) add(uuid string, mux, boolean, flex []intel.Register) (int64, error) {
	l := uapi.Struct("drm_i915_perf_oa_config")
	b := make([]byte, l.Size)
	copy(b, uuid)
	for _, x := range []struct {
		n, p string
		regs []intel.Register
	}{{"n_mux_regs", "mux_regs_ptr", mux}, {"n_boolean_regs", "boolean_regs_ptr", boolean}, {"n_flex_regs", "flex_regs_ptr", flex}} {
		if len(x.regs) > 0 {
			l.Set(b, x.n, uint64(len(x.regs)))
			l.Set(b, x.p, r.mem.Put(packRegisters(x.regs)))
		}
	}
	return r.ask("DRM_IOCTL_I915_PERF_ADD_CONFIG", b)
}

// property is a pair for PERF_OPEN.
type property struct {
	name  string
	value uint64
}

func (r *rig) perfOpen(flags uint64, props ...property) (*stream, error) {
	var b []byte
	for _, p := range props {
		id := uint64(99)
		if p.name != "?" {
			id = uint64(uapi.Const("DRM_I915_PERF_PROP_" + p.name))
		}
		b = binary.LittleEndian.AppendUint64(b, id)
		b = binary.LittleEndian.AppendUint64(b, p.value)
	}
	l := uapi.Struct("drm_i915_perf_open_param")
	o := make([]byte, l.Size)
	l.Set(o, "flags", flags)
	l.Set(o, "num_properties", uint64(len(props)))
	l.Set(o, "properties_ptr", r.mem.Put(b))
	n := len(r.made)
	_, err := r.ask("DRM_IOCTL_I915_PERF_OPEN", o)
	if err != nil {
		return nil, err
	}
	return r.made[n], nil
}

// usual are the properties of a plain stream of a set in a format.
func usual(set int64, format string, exponent uint64) []property {
	return []property{{"SAMPLE_OA", 1}, {"OA_METRICS_SET", uint64(set)}, {"OA_FORMAT", formatNumber(format)},
		{"OA_EXPONENT", exponent}}
}

func formatNumber(format string) uint64 {
	if format == media {
		return uint64(uapi.Const("I915_OAM_FORMAT_" + format))
	}
	return uint64(uapi.Const("I915_OA_FORMAT_" + format))
}

// Formats of GPUs up to Alder Lake, of later ones, and of a media unit.
const (
	wide  = "A32u40_A4u32_B8_C8"
	mixed = "A24u40_A14u32_B8_C8"
	media = "MPEC8u32_B8_C8"
)

// replace changes a property, or adds it.
func replace(props []property, name string, value uint64) []property {
	props = slices.Clone(props)
	for i := range props {
		if props[i].name == name {
			props[i].value = value
			return props
		}
	}
	return append(props, property{name, value})
}

// without takes a property away.
func without(props []property, name string) []property {
	return slices.DeleteFunc(slices.Clone(props), func(p property) bool { return p.name == name })
}

// nonblock is the flag a reader opens with.
var nonblock = uint64(uapi.Const("I915_PERF_FLAG_FD_NONBLOCK"))

// stream opens a plain nonblocking one of RenderBasic, which the scenario "loaded" must have put there.
func (r *rig) stream(format string, exponent uint64) *stream {
	r.t.Helper()
	s, err := r.perfOpen(nonblock, usual(2, format, exponent)...)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// run lets time pass in steps, and reads after each into one sequence of records.
func (r *rig) run(s *stream, ms, step, buffer int) []byte {
	r.t.Helper()
	var out []byte
	for range ms / step {
		r.ns += int64(step) * 1_000_000
		s.Check()
		for {
			b, err := s.Read(r.call, buffer)
			if err == syscall.EAGAIN {
				break
			}
			if err != nil {
				r.t.Fatalf("read: %v", err)
			}
			out = append(out, b...)
		}
	}
	return out
}

func want(t *testing.T, what string, got error, errno syscall.Errno) {
	t.Helper()
	if (errno == 0 && got != nil) || (errno != 0 && got != errno) {
		t.Errorf("%s: %v, want %v", what, got, errno)
	}
}

func (r *rig) truth() *Truth { return r.d.Truth().(*Truth) }

// writes are register writes: pairs of an address and a value.
func writes(pairs ...uint32) (out []intel.Register) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, intel.Register{Address: pairs[i], Value: pairs[i+1]})
	}
	return out
}
