package i915

import (
	"encoding/binary"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// node is /dev/dri/card0 or renderD128.
type node struct{ d *device }

// Open implements hwtest.Node.
func (n node) Open(*hwtest.Call, int) (hwtest.File, error) {
	n.d.mu.Lock()
	defer n.d.mu.Unlock()
	if n.d.gone {
		return nil, syscall.ENODEV
	}
	return &drmFile{d: n.d, contexts: map[uint32]bool{0: true}}, nil
}

// drmFile is an open DRM node.
type drmFile struct {
	d        *device
	contexts map[uint32]bool // GEM context handles; 0 is there from the start
}

// Read implements hwtest.File: DRM events, of which there are none.
func (f *drmFile) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }

// Close implements hwtest.File.
func (f *drmFile) Close() {}

// Ioctl implements hwtest.File.
func (f *drmFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	d := f.d
	d.mu.Lock()
	gone := d.gone
	d.mu.Unlock()
	if gone {
		return 0, syscall.ENODEV
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_VERSION"):
		return 0, version(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_GETPARAM"):
		return 0, d.getparam(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_REG_READ"):
		return 0, d.regRead(c, arg)
	case uapi.Ioctl("DRM_IOCTL_I915_QUERY"):
		if d.has("no-topology") {
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

func version(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_version")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	l.Set(b, "version_major", 1)
	l.Set(b, "version_minor", 6)
	l.Set(b, "version_patchlevel", 0)
	for _, s := range [][2]string{{"name", "i915"}, {"date", "20201103"}, {"desc", "Intel Graphics"}} {
		// As much as there is room for is copied, without a NUL; the length says how much there is.
		if n := min(l.Get(b, s[0]+"_len"), uint64(len(s[1]))); n > 0 && l.Get(b, s[0]) != 0 {
			if err := c.Write(l.Get(b, s[0]), []byte(s[1][:n])); err != nil {
				return syscall.EFAULT
			}
		}
		l.Set(b, s[0]+"_len", uint64(len(s[1])))
	}
	return write(c, arg, b)
}

func write(c *hwtest.Call, addr uint64, b []byte) error {
	if err := c.Write(addr, b); err != nil {
		return syscall.EFAULT
	}
	return nil
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
	return write(c, l.Get(b, "value"), out[:])
}

// param is a parameter of this kernel, and whether it knows it.
func (d *device) param(id int64) (uint32, bool) {
	p := d.part
	switch id {
	case uapi.Const("I915_PARAM_CHIPSET_ID"):
		return p.DeviceID, true
	case uapi.Const("I915_PARAM_REVISION"):
		return p.Revision, true
	case uapi.Const("I915_PARAM_SUBSLICE_TOTAL"):
		return uint32(p.TotalSubslices), true
	case uapi.Const("I915_PARAM_EU_TOTAL"):
		return uint32(p.TotalEUs), true
	case uapi.Const("I915_PARAM_SLICE_MASK"):
		return uint32(p.Slices), true
	case uapi.Const("I915_PARAM_SUBSLICE_MASK"):
		return uint32(p.Subslices[0]), true
	case uapi.Const("I915_PARAM_HAS_GEM"):
		return 1, true
	case uapi.Const("I915_PARAM_CS_TIMESTAMP_FREQUENCY"):
		return uint32(p.TimestampHz), !d.has("no-timestamps")
	case uapi.Const("I915_PARAM_OA_TIMESTAMP_FREQUENCY"):
		return uint32(p.TimestampHz), d.revision >= 6 && !d.has("no-timestamps") && !d.has("no-oa-timestamp")
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
	d.mu.Lock()
	l.Set(b, "val", d.clk.register(d.clk.at(d.now())))
	d.mu.Unlock()
	return write(c, arg, b)
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
	f.d.mu.Lock()
	f.d.contexts++
	id := f.d.contexts
	f.contexts[id] = true
	f.d.mu.Unlock()
	l.Set(b, "ctx_id", uint64(id))
	return write(c, arg, b)
}

func (f *drmFile) contextDestroy(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_i915_gem_context_destroy")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	id := uint32(l.Get(b, "ctx_id"))
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if l.Get(b, "pad") != 0 || id == 0 || !f.contexts[id] {
		return syscall.ENOENT
	}
	delete(f.contexts, id)
	return nil
}
