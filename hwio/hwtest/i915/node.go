package i915

import (
	"encoding/binary"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// drmFile is an open DRM node.
type drmFile struct {
	intel.NoEvents
	d        *device
	contexts map[uint32]bool // GEM context handles; 0 is there from the start
}

// Ioctl implements hwtest.File.
func (f *drmFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	d := f.d
	if err := d.Present(); err != nil {
		return 0, err
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_VERSION"):
		return 0, d.Version(c, arg, 6, "Intel Graphics")
	case uapi.Ioctl("DRM_IOCTL_I915_GETPARAM"):
		return 0, d.getparam(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_REG_READ"):
		return 0, d.regRead(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_QUERY"):
		if d.Has("no-topology") {
			return 0, syscall.EINVAL
		}
		return 0, d.query(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_GEM_CONTEXT_CREATE"):
		return 0, f.contextCreate(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_GEM_CONTEXT_DESTROY"):
		return 0, f.contextDestroy(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_PERF_OPEN"):
		return f.perfOpen(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_PERF_ADD_CONFIG"):
		return d.addConfig(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_PERF_REMOVE_CONFIG"):
		return d.removeConfig(c, arg)
	}
	if request>>8&0xff == 'd' {
		return 0, syscall.EINVAL
	}
	return 0, syscall.ENOTTY
}

func (d *device) getparam(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_i915_getparam")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	v, ok := d.param(int64(int32(l.Get(b, "param"))))
	if c.Note != nil {
		c.Note("I915_GETPARAM of parameter %d", int32(l.Get(b, "param")))
	}
	if !ok {
		return syscall.EINVAL
	}
	var out [4]byte
	binary.LittleEndian.PutUint32(out[:], v)
	return intel.Write(c, l.Get(b, "value"), out[:])
}

// param is a parameter of this kernel, and whether it knows it.
func (d *device) param(id int64) (uint32, bool) {
	p := d.Part
	switch id {
	case uapi.Const("I915_PARAM_CHIPSET_ID"):
		return p.DeviceID, true
	case uapi.Const("I915_PARAM_REVISION"):
		return p.Revision, true
	case uapi.Const("I915_PARAM_SUBSLICE_TOTAL"):
		return uint32(p.TotalCores), true
	case uapi.Const("I915_PARAM_EU_TOTAL"):
		return uint32(p.TotalEUs), true
	case uapi.Const("I915_PARAM_SLICE_MASK"):
		return uint32(p.Slices), true
	case uapi.Const("I915_PARAM_SUBSLICE_MASK"):
		return uint32(p.Cores[0]), true
	case uapi.Const("I915_PARAM_HAS_GEM"):
		return 1, true
	case uapi.Const("I915_PARAM_CS_TIMESTAMP_FREQUENCY"):
		return uint32(p.TimestampHz >> p.Shift), !d.Has("no-timestamps")
	case uapi.Const("I915_PARAM_OA_TIMESTAMP_FREQUENCY"):
		return uint32(p.TimestampHz), d.revision >= 6 && !d.Has("no-timestamps") && !d.Has("no-oa-timestamp")
	case uapi.Const("I915_PARAM_PERF_REVISION"):
		return uint32(d.revision), d.revision >= 2
	}
	return 0, false
}

// renderTimestamp is the register of the render ring's timestamp; bit 0 of the offset asks for the read in two halves.
const renderTimestamp = 0x2358

func (d *device) regRead(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_i915_reg_read")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	if off := l.Get(b, "offset"); off != renderTimestamp|1 && off != renderTimestamp {
		return syscall.EINVAL
	}
	d.Mu.Lock()
	l.Set(b, "val", d.Clock.Register(d.Clock.At(d.Now()))>>d.Part.Shift)
	d.Mu.Unlock()
	return intel.Write(c, arg, b)
}

func (f *drmFile) contextCreate(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_i915_gem_context_create")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	if l.Get(b, "pad") != 0 {
		return syscall.EINVAL
	}
	f.d.Mu.Lock()
	f.d.contexts++
	id := f.d.contexts
	f.contexts[id] = true
	f.d.Mu.Unlock()
	l.Set(b, "ctx_id", uint64(id))
	return intel.Write(c, arg, b)
}

func (f *drmFile) contextDestroy(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_i915_gem_context_destroy")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	id := uint32(l.Get(b, "ctx_id"))
	f.d.Mu.Lock()
	defer f.d.Mu.Unlock()
	if l.Get(b, "pad") != 0 || id == 0 || !f.contexts[id] {
		return syscall.ENOENT
	}
	delete(f.contexts, id)
	return nil
}
