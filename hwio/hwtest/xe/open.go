package xe

import (
	"encoding/binary"
	"slices"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// Numbers of the properties of a stream.
var (
	propUnit     = uapi.Const("DRM_XE_OA_PROPERTY_OA_UNIT_ID")
	propSample   = uapi.Const("DRM_XE_OA_PROPERTY_SAMPLE_OA")
	propSet      = uapi.Const("DRM_XE_OA_PROPERTY_OA_METRIC_SET")
	propFormat   = uapi.Const("DRM_XE_OA_PROPERTY_OA_FORMAT")
	propExponent = uapi.Const("DRM_XE_OA_PROPERTY_OA_PERIOD_EXPONENT")
	propDisabled = uapi.Const("DRM_XE_OA_PROPERTY_OA_DISABLED")
	propQueue    = uapi.Const("DRM_XE_OA_PROPERTY_EXEC_QUEUE_ID")
	propEngine   = uapi.Const("DRM_XE_OA_PROPERTY_OA_ENGINE_INSTANCE")
	propPreempt  = uapi.Const("DRM_XE_OA_PROPERTY_NO_PREEMPT")
	propNumSyncs = uapi.Const("DRM_XE_OA_PROPERTY_NUM_SYNCS")
	propSyncs    = uapi.Const("DRM_XE_OA_PROPERTY_SYNCS")
	propBuffer   = uapi.Const("DRM_XE_OA_PROPERTY_OA_BUFFER_SIZE")
	propWait     = uapi.Const("DRM_XE_OA_PROPERTY_WAIT_NUM_REPORTS")
)

// maxLinks is the most that a chain of properties may have.
const maxLinks = 16

// readProperties follows a chain. A property that comes twice has its last value, as in the kernel. only, where not
// nil, are those that are allowed.
func (d *device) readProperties(c *hwtest.Call, at uint64, only []int64) (map[int64]uint64, error) {
	l, lb := uapi.Struct("drm_xe_ext_set_property"), uapi.Struct("drm_xe_user_extension")
	p := map[int64]uint64{}
	for n := 0; at != 0; n++ {
		if n >= maxLinks {
			return nil, syscall.E2BIG
		}
		b := make([]byte, l.Size)
		if err := c.Read(at, b); err != nil {
			return nil, syscall.EFAULT
		}
		id, v := int64(l.Get(b, "property")), l.Get(b, "value")
		last := propSyncs
		if d.Has("kernel-7") {
			last = propWait
		}
		if lb.Get(b, "pad") != 0 || lb.Get(b, "name") != uint64(uapi.Const("DRM_XE_OA_EXTENSION_SET_PROPERTY")) ||
			l.Get(b, "pad") != 0 || id == 0 || id > last || only != nil && !slices.Contains(only, id) {
			return nil, syscall.EINVAL
		}
		if err := d.checkProperty(id, v); err != nil {
			return nil, err
		}
		p[id] = v
		at = lb.Get(b, "next_extension")
	}
	return p, nil
}

// Limits of a chosen buffer.
const (
	minBuffer = 128 << 10
	maxBuffer = 128 << 20
)

func (d *device) checkProperty(id int64, v uint64) error {
	bad := false
	switch id {
	case propUnit:
		bad = v >= uint64(len(d.units))
	case propExponent:
		bad = v > 31
	case propBuffer:
		bad = v < minBuffer || v > maxBuffer || v&(v-1) != 0
	case propWait:
		bad = v == 0
	}
	if bad {
		return syscall.EINVAL
	}
	return nil
}

// openStream answers the opening of a stream; the result is its descriptor. The order of the checks is the driver's.
func (d *device) openStream(c *hwtest.Call, param uint64) (int64, error) {
	p, err := d.readProperties(c, param, nil)
	if err != nil {
		return 0, err
	}
	if c.Note != nil {
		c.Note("properties %v", p)
	}
	if _, single := p[propQueue]; single {
		return 0, syscall.ENOENT // no queues can be made here
	}
	if p[propPreempt] != 0 {
		return 0, syscall.EINVAL
	}
	if d.paranoid && !c.Privileged {
		return 0, syscall.EACCES
	}
	if p[propSample] == 0 {
		return 0, syscall.EINVAL
	}
	u := d.units[p[propUnit]]
	f := d.formatOf(u, p)
	if f == nil {
		return 0, syscall.EINVAL
	}
	if n, ok := p[propWait]; ok && n > d.bufferSize(p)/uint64(f.Size) {
		return 0, syscall.EINVAL
	}
	fences, err := d.readSyncs(c, p)
	if err != nil {
		return 0, err
	}
	d.Mu.Lock()
	cfg := d.Config(p[propSet])
	switch {
	case d.Open(&u.Unit) != nil, d.Has("busy") && !u.Media:
		err = syscall.EBUSY
	case cfg == nil:
		err = syscall.EINVAL
	}
	if err != nil {
		d.Mu.Unlock()
		return 0, err
	}
	s := newStream(d, u, f, p, cfg)
	d.Mu.Unlock()
	if err := signal(c, fences); err != nil {
		s.Close()
		return 0, err
	}
	if p[propDisabled] == 0 {
		s.Enable()
	}
	fd, err := c.Install(s, false, false)
	if err != nil {
		s.Close()
	}
	return fd, err
}

// formatOf is the format that was asked for, nil where the unit does not have it, or not the engine. The media GT's own
// unit has none, and takes that of others of its GT.
func (d *device) formatOf(u *unit, p map[int64]uint64) *intel.Format {
	if p[propEngine] >= uint64(max(1, len(u.Engines))) || u.kind != unitSAG && len(u.Engines) == 0 {
		return nil
	}
	for _, f := range d.Part.Formats(&u.Unit) {
		if f.Word == p[propFormat] {
			return f
		}
	}
	return nil
}

func (d *device) bufferSize(p map[int64]uint64) uint64 {
	if n, ok := p[propBuffer]; ok {
		return n
	}
	if d.Has("small-buffer") {
		return minBuffer
	}
	return 16 << 20
}

// fence is a number that is to be written to the program's memory.
type fence struct{ at, value uint64 }

// readSyncs reads what is to be told when a configuration is in place: numbers in memory. Objects to be waited for or
// signalled cannot be made here.
func (d *device) readSyncs(c *hwtest.Call, p map[int64]uint64) ([]fence, error) {
	n, at := p[propNumSyncs], p[propSyncs]
	if n == 0 {
		return nil, nil
	}
	l := uapi.Struct("drm_xe_sync")
	if at == 0 || n > 64 {
		return nil, syscall.EINVAL
	}
	var out []fence
	for i := range n {
		b := make([]byte, l.Size)
		if err := c.Read(at+i*uint64(l.Size), b); err != nil {
			return nil, syscall.EFAULT
		}
		switch int64(l.Get(b, "type")) {
		case uapi.Const("DRM_XE_SYNC_TYPE_USER_FENCE"):
			f := fence{l.Get(b, "addr"), l.Get(b, "timeline_value")}
			if l.Get(b, "flags") != uint64(uapi.Const("DRM_XE_SYNC_FLAG_SIGNAL")) || f.at%8 != 0 {
				return nil, syscall.EINVAL
			}
			out = append(out, f)
		case uapi.Const("DRM_XE_SYNC_TYPE_SYNCOBJ"), uapi.Const("DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ"):
			return nil, syscall.ENOENT
		default:
			return nil, syscall.EINVAL
		}
	}
	return out, nil
}

func signal(c *hwtest.Call, fences []fence) error {
	for _, f := range fences {
		if err := intel.Write(c, f.at, binary.LittleEndian.AppendUint64(nil, f.value)); err != nil {
			return err
		}
	}
	return nil
}
