package xe

import (
	"encoding/binary"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// query answers DRM_IOCTL_XE_DEVICE_QUERY: with a size of 0 it tells the size, and any other must be it.
func (d *device) query(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_xe_device_query")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	spare := l.Field("reserved")
	for _, x := range b[spare.Offset : spare.Offset+spare.Size] {
		if x != 0 {
			return syscall.EINVAL
		}
	}
	if l.Get(b, "extensions") != 0 {
		return syscall.EINVAL
	}
	what, size, at := int64(l.Get(b, "query")), int(l.Get(b, "size")), l.Get(b, "data")
	if what == uapi.Const("DRM_XE_DEVICE_QUERY_ENGINE_CYCLES") {
		return d.engineCycles(c, arg, b, size, at)
	}
	name, answer := d.answer(what)
	if c.Note != nil {
		c.Note("query %d (%s), %d bytes", what, name, size)
	}
	if answer == nil {
		return syscall.EINVAL
	}
	d.Mu.Lock()
	d.queries[name]++
	d.Mu.Unlock()
	switch size {
	case 0:
		l.Set(b, "size", uint64(len(answer)))
		return intel.Write(c, arg, b)
	case len(answer):
		return intel.Write(c, at, answer)
	}
	return syscall.EINVAL
}

// answer is what the driver says to a question, nil to one that it does not know.
func (d *device) answer(what int64) (string, []byte) {
	switch what {
	case uapi.Const("DRM_XE_DEVICE_QUERY_ENGINES"):
		return "engines", d.engineList()
	case uapi.Const("DRM_XE_DEVICE_QUERY_MEM_REGIONS"):
		return "memory", memoryRegions()
	case uapi.Const("DRM_XE_DEVICE_QUERY_CONFIG"):
		return "config", d.deviceConfig()
	case uapi.Const("DRM_XE_DEVICE_QUERY_GT_LIST"):
		return "gts", d.gtList()
	case uapi.Const("DRM_XE_DEVICE_QUERY_HWCONFIG"):
		return "hwconfig", hwconfig(d.Part)
	case uapi.Const("DRM_XE_DEVICE_QUERY_GT_TOPOLOGY"):
		return "topology", d.topology()
	case uapi.Const("DRM_XE_DEVICE_QUERY_OA_UNITS"):
		if !d.Has("old-kernel") && !d.Has("no-observation") {
			return "oa-units", d.unitList()
		}
	}
	return "", nil
}

// entry appends an engine as class, instance and GT.
func entry(b []byte, e intel.Engine) []byte {
	l := uapi.Struct("drm_xe_engine_class_instance")
	x := make([]byte, l.Size)
	l.Set(x, "engine_class", uint64(e.Class))
	l.Set(x, "engine_instance", uint64(e.Instance))
	l.Set(x, "gt_id", uint64(e.GT))
	return append(b, x...)
}

func (d *device) engineList() []byte {
	l, le := uapi.Struct("drm_xe_query_engines"), uapi.Struct("drm_xe_engine")
	b := make([]byte, l.Size)
	l.Set(b, "num_engines", uint64(len(d.engines)))
	for _, e := range d.engines {
		x := make([]byte, le.Size)
		copy(x[le.Field("instance").Offset:], entry(nil, e))
		b = append(b, x...)
	}
	return b
}

// memoryRegions is the one that the GPU shares with the processors.
func memoryRegions() []byte {
	l, lm := uapi.Struct("drm_xe_query_mem_regions"), uapi.Struct("drm_xe_mem_region")
	b := make([]byte, l.Size)
	l.Set(b, "num_mem_regions", 1)
	x := make([]byte, lm.Size)
	lm.Set(x, "min_page_size", 4096)
	lm.Set(x, "total_size", 16<<30)
	return append(b, x...)
}

func (d *device) deviceConfig() []byte {
	l := uapi.Struct("drm_xe_query_config")
	info := make([]uint64, 5)
	info[uapi.Const("DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID")] = uint64(d.Part.Revision)<<16 | uint64(d.Part.DeviceID)
	info[uapi.Const("DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT")] = 4096
	info[uapi.Const("DRM_XE_QUERY_CONFIG_VA_BITS")] = 48
	info[uapi.Const("DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY")] = 1
	b := make([]byte, l.Size)
	l.Set(b, "num_params", uint64(len(info)))
	for _, v := range info {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// gtList are the GT of render and compute, and the media GT.
func (d *device) gtList() []byte {
	l, lg := uapi.Struct("drm_xe_query_gt_list"), uapi.Struct("drm_xe_gt")
	b := make([]byte, l.Size)
	l.Set(b, "num_gt", uint64(len(d.gts())))
	kinds := []int64{uapi.Const("DRM_XE_QUERY_GT_TYPE_MAIN"), uapi.Const("DRM_XE_QUERY_GT_TYPE_MEDIA")}
	for id := range d.gts() {
		x := make([]byte, lg.Size)
		lg.Set(x, "type", uint64(kinds[id]))
		lg.Set(x, "gt_id", uint64(id))
		lg.Set(x, "reference_clock", d.Part.TimestampHz>>d.Part.Shift)
		lg.Set(x, "near_mem_regions", 1)
		lg.Set(x, "ip_ver_major", uint64(d.Part.Version/100))
		lg.Set(x, "ip_ver_minor", uint64(d.Part.Version%100))
		lg.Set(x, "ip_ver_rev", uint64(d.Part.Revision))
		b = append(b, x...)
	}
	return b
}

// hwconfig is the firmware's table: pairs of a key and a number of words that follow.
func hwconfig(p *intel.Part) []byte {
	var b []byte
	for _, kv := range [][2]uint32{{1, uint32(p.TotalSlices)}, {2, uint32(p.TotalCores)}} {
		for _, w := range []uint32{kv[0], 1, kv[1]} {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
	}
	return b
}

// topology lists masks by GT. Their lengths are the driver's, whatever the part: 96 bits of Xe-cores in whole 64-bit
// words. The media GT has none of them.
func (d *device) topology() []byte {
	p := d.Part
	eus := "EU_PER_DSS"
	if p.Xe2() {
		eus = "SIMD16_EU_PER_DSS"
	}
	l := uapi.Struct("drm_xe_query_topology_mask")
	var b []byte
	for gt := range d.gts() {
		for _, m := range []struct {
			kind string
			size int
			bits uint64
		}{{"DSS_GEOMETRY", 16, p.CoreMask()}, {"DSS_COMPUTE", 16, p.CoreMask()}, {"L3_BANK", 8, p.L3Banks},
			{eus, 8, p.EUMask()}} {
			x := make([]byte, l.Size+m.size)
			l.Set(x, "gt_id", uint64(gt))
			l.Set(x, "type", uint64(uapi.Const("DRM_XE_TOPO_"+m.kind)))
			l.Set(x, "num_bytes", uint64(m.size))
			if gt == intel.MainGT {
				binary.LittleEndian.PutUint64(x[l.Size:], m.bits)
			}
			b = append(b, x...)
		}
	}
	return b
}

// capabilities are those of every unit.
func (d *device) capabilities() uint64 {
	v := uapi.Const("DRM_XE_OA_CAPS_BASE") | uapi.Const("DRM_XE_OA_CAPS_SYNCS")
	if d.Has("kernel-7") {
		v |= uapi.Const("DRM_XE_OA_CAPS_OA_BUFFER_SIZE") | uapi.Const("DRM_XE_OA_CAPS_WAIT_NUM_REPORTS") |
			uapi.Const("DRM_XE_OA_CAPS_OAM") | uapi.Const("DRM_XE_OA_CAPS_OA_UNIT_GT_ID")
	}
	return uint64(v)
}

func (d *device) unitList() []byte {
	l, lu := uapi.Struct("drm_xe_query_oa_units"), uapi.Struct("drm_xe_oa_unit")
	b := make([]byte, l.Size)
	l.Set(b, "num_oa_units", uint64(len(d.units)))
	for _, u := range d.units {
		x := make([]byte, lu.Size)
		lu.Set(x, "oa_unit_id", uint64(u.ID))
		lu.Set(x, "oa_unit_type", uint64(u.kind))
		lu.Set(x, "capabilities", d.capabilities())
		lu.Set(x, "oa_timestamp_freq", d.Part.TimestampHz)
		if d.Has("kernel-7") {
			lu.Set(x, "gt_id", uint64(u.GT))
		}
		lu.Set(x, "num_engines", uint64(len(u.Engines)))
		for _, e := range u.Engines {
			x = entry(x, e)
		}
		b = append(b, x...)
	}
	return b
}

// readTakes is how long the driver needs to read an engine's clock, in ns.
const readTakes = 400

// clocks are those that engine cycles can be told with (clockid_t), each with what it is ahead of CLOCK_MONOTONIC here.
var clocks = map[uint64]func() int64{1: hwtest.Now, 4: hwtest.NowRaw}

// engineCycles tells an engine's clock and the CPU's at one time. The question is in the data.
func (d *device) engineCycles(c *hwtest.Call, arg uint64, b []byte, size int, at uint64) error {
	l, lq := uapi.Struct("drm_xe_device_query"), uapi.Struct("drm_xe_query_engine_cycles")
	if size == 0 {
		l.Set(b, "size", uint64(lq.Size))
		return intel.Write(c, arg, b)
	}
	q := make([]byte, lq.Size)
	if size != lq.Size {
		return syscall.EINVAL
	}
	if err := c.Read(at, q); err != nil {
		return syscall.EFAULT
	}
	le := uapi.Struct("drm_xe_engine_class_instance")
	asked := q[lq.Field("eci").Offset:]
	e := intel.Engine{Class: uint16(le.Get(asked, "engine_class")), Instance: uint16(le.Get(asked, "engine_instance")),
		GT: uint16(le.Get(asked, "gt_id"))}
	known := false
	for _, x := range d.engines {
		known = known || x == e
	}
	id := lq.Get(q, "clockid")
	now, ok := clocks[id]
	if !known || !ok {
		return syscall.EINVAL
	}
	d.Mu.Lock()
	mono := d.Now()
	t := mono
	if id != 1 {
		t = now() - (hwtest.Now() - mono)
	}
	lq.Set(q, "engine_cycles", d.Clock.Register(d.Clock.At(mono))>>d.Part.Shift)
	d.queries["cycles"]++
	d.Mu.Unlock()
	lq.Set(q, "width", 64)
	lq.Set(q, "cpu_timestamp", uint64(t-readTakes/2))
	lq.Set(q, "cpu_delta", readTakes)
	return intel.Write(c, at, q)
}
