package i915

import (
	"encoding/binary"
	"slices"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// properties are what PERF_OPEN was asked for.
type properties struct {
	given      map[int64]uint64 // by id
	exponent   int              // -1: no periodic sampling
	pollPeriod time.Duration
	powered    *intel.PoweredTruth // nil: as contexts ask for
}

// get is a property's value, and whether it was given.
func (p *properties) get(name string) (uint64, bool) {
	v, ok := p.given[uapi.Const("DRM_I915_PERF_PROP_"+name)]
	return v, ok
}

// firstRevision says since which perf revision the driver knows a property.
var firstRevision = map[int64]int{
	uapi.Const("DRM_I915_PERF_PROP_CTX_HANDLE"):         1,
	uapi.Const("DRM_I915_PERF_PROP_SAMPLE_OA"):          1,
	uapi.Const("DRM_I915_PERF_PROP_OA_METRICS_SET"):     1,
	uapi.Const("DRM_I915_PERF_PROP_OA_FORMAT"):          1,
	uapi.Const("DRM_I915_PERF_PROP_OA_EXPONENT"):        1,
	uapi.Const("DRM_I915_PERF_PROP_HOLD_PREEMPTION"):    3,
	uapi.Const("DRM_I915_PERF_PROP_GLOBAL_SSEU"):        4,
	uapi.Const("DRM_I915_PERF_PROP_POLL_OA_PERIOD"):     5,
	uapi.Const("DRM_I915_PERF_PROP_OA_ENGINE_CLASS"):    6,
	uapi.Const("DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE"): 6,
}

// Periods of the driver's look at the hardware's tail pointer.
const (
	defaultPollPeriod = 5 * time.Millisecond
	minPollPeriod     = 100 * time.Microsecond
)

// maxProperties is one less than the enumeration's end in a kernel of this revision.
func (d *device) maxProperties() uint64 {
	n := uint64(0)
	for id, since := range firstRevision {
		if since <= d.revision {
			n = max(n, uint64(id))
		}
	}
	return n
}

// readProperties checks every property by itself. Where a property comes twice the kernel takes the last; the model
// refuses it, because no program means that.
func (d *device) readProperties(c *hwtest.Call, addr, n uint64) (*properties, error) {
	if n == 0 || n > d.maxProperties() {
		return nil, syscall.EINVAL
	}
	b := make([]byte, 16*n)
	if err := c.Read(addr, b); err != nil {
		return nil, syscall.EFAULT
	}
	p := &properties{given: map[int64]uint64{}, exponent: -1, pollPeriod: defaultPollPeriod}
	for i := range n {
		id, v := binary.LittleEndian.Uint64(b[16*i:]), binary.LittleEndian.Uint64(b[16*i+8:])
		if id == 0 || id > d.maxProperties() {
			return nil, syscall.EINVAL
		}
		if _, twice := p.given[int64(id)]; twice {
			return nil, syscall.EINVAL
		}
		p.given[int64(id)] = v
		if err := d.checkProperty(c, p, int64(id), v); err != nil {
			return nil, err
		}
	}
	_, class := p.get("OA_ENGINE_CLASS")
	_, instance := p.get("OA_ENGINE_INSTANCE")
	if class != instance {
		return nil, syscall.EINVAL
	}
	return p, nil
}

func (d *device) checkProperty(c *hwtest.Call, p *properties, id int64, v uint64) error {
	switch id {
	case uapi.Const("DRM_I915_PERF_PROP_OA_METRICS_SET"):
		if v == 0 {
			return syscall.EINVAL
		}
	case uapi.Const("DRM_I915_PERF_PROP_OA_FORMAT"):
		if !slices.ContainsFunc(d.units, func(u *intel.Unit) bool { return d.format(u, v) != nil }) {
			return syscall.EINVAL
		}
	case uapi.Const("DRM_I915_PERF_PROP_OA_EXPONENT"):
		if v > 31 {
			return syscall.EINVAL
		}
		if d.Part.TimestampHz>>(v+1) > defaultMaxSampleRate && !c.Privileged {
			return syscall.EACCES
		}
		p.exponent = int(v)
	case uapi.Const("DRM_I915_PERF_PROP_POLL_OA_PERIOD"):
		if v < uint64(minPollPeriod) || v > uint64(time.Hour) {
			return syscall.EINVAL
		}
		p.pollPeriod = time.Duration(v)
	case uapi.Const("DRM_I915_PERF_PROP_GLOBAL_SSEU"):
		return d.checkSSEU(c, p, v)
	}
	return nil
}

// formatNames are the kernel's names of formats where they are not made of the format's.
var formatNames = map[*intel.Format]string{intel.MPEC8u32: "I915_OAM_FORMAT_MPEC8u32_B8_C8"}

// format is the unit's format of a number, nil where it has none.
func (d *device) format(u *intel.Unit, number uint64) *intel.Format {
	for _, f := range d.Part.Formats(u) {
		name := formatNames[f]
		if name == "" {
			name = "I915_OA_FORMAT_" + f.Name
		}
		if uint64(uapi.Const(name)) == number {
			return f
		}
	}
	return nil
}

// unit is the one of the engine that was asked for, nil where that has none.
func (d *device) unit(p *properties) *intel.Unit {
	class, _ := p.get("OA_ENGINE_CLASS")
	instance, _ := p.get("OA_ENGINE_INSTANCE")
	if i := slices.IndexFunc(d.units, func(u *intel.Unit) bool { return u.Has(class, instance) }); i >= 0 {
		return d.units[i]
	}
	return nil
}

// checkSSEU accepts a power configuration of the render engine that the part can have. GPUs from DG2 on have none.
func (d *device) checkSSEU(c *hwtest.Call, p *properties, addr uint64) error {
	if d.Part.Version >= 1250 {
		return syscall.ENODEV
	}
	l := uapi.Struct("drm_i915_gem_context_param_sseu")
	b := make([]byte, l.Size)
	if err := c.Read(addr, b); err != nil {
		return syscall.EFAULT
	}
	slices, subslices := l.Get(b, "slice_mask"), l.Get(b, "subslice_mask")
	lo, hi := l.Get(b, "min_eus_per_subslice"), l.Get(b, "max_eus_per_subslice")
	f := l.Field("engine")
	for _, x := range b[f.Offset : f.Offset+f.Size] {
		if x != 0 { // the render engine is class 0, instance 0
			return syscall.EINVAL
		}
	}
	if l.Get(b, "flags") != 0 || l.Get(b, "rsvd") != 0 || slices == 0 || subslices == 0 ||
		slices&^d.Part.Slices != 0 ||
		subslices&^d.Part.Cores[0] != 0 || lo > hi || hi == 0 || hi > uint64(d.Part.MaxEUs) {
		return syscall.EINVAL
	}
	p.powered = &intel.PoweredTruth{Slices: slices, Subslices: subslices, MinEUs: lo, MaxEUs: hi}
	return nil
}

// perfOpen answers PERF_OPEN; the result is the stream's descriptor. The order of the checks is the driver's.
func (f *drmFile) perfOpen(c *hwtest.Call, arg uint64) (int64, error) {
	d := f.d
	if d.Has("no-perf") {
		return 0, syscall.Errno(524)
	}
	l := uapi.Struct("drm_i915_perf_open_param")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return 0, syscall.EFAULT
	}
	flags := int64(l.Get(b, "flags"))
	cloexec, nonblock, disabled := uapi.Const("I915_PERF_FLAG_FD_CLOEXEC"), uapi.Const("I915_PERF_FLAG_FD_NONBLOCK"),
		uapi.Const("I915_PERF_FLAG_DISABLED")
	if flags&^(cloexec|nonblock|disabled) != 0 {
		return 0, syscall.EINVAL
	}
	p, err := d.readProperties(c, l.Get(b, "properties_ptr"), l.Get(b, "num_properties"))
	if err != nil {
		return 0, err
	}
	if c.Note != nil {
		c.Note("flags %d, properties %v", flags, p.given)
	}
	s, err := f.newStream(c, p, flags&nonblock != 0)
	if err != nil {
		return 0, err
	}
	if flags&disabled == 0 {
		s.Enable()
	}
	fd, err := c.Install(s, flags&cloexec != 0, flags&nonblock != 0)
	if err != nil {
		s.Close()
		return 0, err
	}
	return fd, nil
}

// newStream checks the properties together and takes the unit.
func (f *drmFile) newStream(c *hwtest.Call, p *properties, nonblock bool) (*stream, error) {
	d := f.d
	unit := d.unit(p)
	if unit == nil {
		return nil, syscall.EINVAL
	}
	number, hasFormat := p.get("OA_FORMAT")
	format := d.format(unit, number)
	if hasFormat && format == nil {
		return nil, syscall.EINVAL // one of another unit
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	handle, single := p.get("CTX_HANDLE")
	if single && (handle > 1<<32-1 || !f.contexts[uint32(handle)]) {
		return nil, syscall.ENOENT
	}
	if hold, _ := p.get("HOLD_PREEMPTION"); hold != 0 && !single {
		return nil, syscall.EINVAL
	}
	// Gen8 to Gen11 cannot keep other contexts out of a report, so every stream is a privileged one there.
	if d.paranoid && !c.Privileged {
		return nil, syscall.EACCES
	}
	if d.Has("no-metrics") {
		return nil, syscall.EINVAL
	}
	if sample, _ := p.get("SAMPLE_OA"); sample == 0 {
		return nil, syscall.EINVAL
	}
	if d.Has("no-oa-unit") {
		return nil, syscall.ENODEV
	}
	if d.Open(unit) != nil || d.Has("busy") && !unit.Media {
		return nil, syscall.EBUSY
	}
	if format == nil {
		return nil, syscall.EINVAL
	}
	id, _ := p.get("OA_METRICS_SET")
	cfg := d.Config(id)
	if cfg == nil {
		return nil, syscall.EINVAL
	}
	s := &stream{d: d, nonblock: nonblock, lastCtx: intel.InvalidContext}
	s.Stream = d.OpenStream(unit, format, p.exponent, cfg, p.pollPeriod, s)
	s.Truth.Properties, s.Truth.Powered = p.given, p.powered
	if single {
		s.Filter = intel.App + uint32(handle)
		s.Truth.Context = intel.ContextName(s.Filter)
	}
	return s, nil
}
