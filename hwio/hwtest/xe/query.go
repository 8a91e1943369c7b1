package xe

import (
	"encoding/binary"
	"syscall"

	"astrolabe/hwio/hwtest"
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
	d.mu.Lock()
	d.queries[name]++
	d.mu.Unlock()
	switch size {
	case 0:
		l.Set(b, "size", uint64(len(answer)))
		return write(c, arg, b)
	case len(answer):
		return write(c, at, answer)
	}
	return syscall.EINVAL
}

// answer is what the driver says to a question, nil to one that it does not know.
func (d *device) answer(what int64) (string, []byte) {
	switch what {
	case uapi.Const("DRM_XE_DEVICE_QUERY_ENGINES"):
		return "engines", engineList()
	case uapi.Const("DRM_XE_DEVICE_QUERY_MEM_REGIONS"):
		return "memory", memoryRegions()
	case uapi.Const("DRM_XE_DEVICE_QUERY_CONFIG"):
		return "config", d.deviceConfig()
	case uapi.Const("DRM_XE_DEVICE_QUERY_GT_LIST"):
		return "gts", gtList()
	case uapi.Const("DRM_XE_DEVICE_QUERY_HWCONFIG"):
		return "hwconfig", hwconfig(d.part)
	case uapi.Const("DRM_XE_DEVICE_QUERY_GT_TOPOLOGY"):
		return "topology", d.part.topology()
	case uapi.Const("DRM_XE_DEVICE_QUERY_OA_UNITS"):
		if !d.has("old-kernel") && !d.has("no-observation") {
			return "oa-units", d.unitList()
		}
	}
	return "", nil
}

// engineEntry appends an engine as class, instance and GT.
func (e engine) entry(b []byte) []byte {
	l := uapi.Struct("drm_xe_engine_class_instance")
	x := make([]byte, l.Size)
	l.Set(x, "engine_class", uint64(e.class))
	l.Set(x, "engine_instance", uint64(e.instance))
	l.Set(x, "gt_id", uint64(e.gt))
	return append(b, x...)
}

func engineList() []byte {
	l, le := uapi.Struct("drm_xe_query_engines"), uapi.Struct("drm_xe_engine")
	b := make([]byte, l.Size)
	l.Set(b, "num_engines", uint64(len(engines)))
	for _, e := range engines {
		x := make([]byte, le.Size)
		copy(x[le.Field("instance").Offset:], e.entry(nil))
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
	info[uapi.Const("DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID")] = uint64(d.part.Revision)<<16 | uint64(d.part.DeviceID)
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

// gtList are the GT of render and compute, version 20.04, and the media GT, version 20.00.
func gtList() []byte {
	l, lg := uapi.Struct("drm_xe_query_gt_list"), uapi.Struct("drm_xe_gt")
	b := make([]byte, l.Size)
	l.Set(b, "num_gt", 2)
	for id, g := range []struct {
		kind  int64
		minor uint64
	}{{uapi.Const("DRM_XE_QUERY_GT_TYPE_MAIN"), 4}, {uapi.Const("DRM_XE_QUERY_GT_TYPE_MEDIA"), 0}} {
		x := make([]byte, lg.Size)
		lg.Set(x, "type", uint64(g.kind))
		lg.Set(x, "gt_id", uint64(id))
		lg.Set(x, "reference_clock", timestampHz)
		lg.Set(x, "near_mem_regions", 1)
		lg.Set(x, "ip_ver_major", 20)
		lg.Set(x, "ip_ver_minor", g.minor)
		lg.Set(x, "ip_ver_rev", 4)
		b = append(b, x...)
	}
	return b
}

// hwconfig is the firmware's table: pairs of a key and a number of words that follow.
func hwconfig(p *Part) []byte {
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
func (p *Part) topology() []byte {
	l := uapi.Struct("drm_xe_query_topology_mask")
	var b []byte
	for gt := range uint64(2) {
		for _, m := range []struct {
			kind string
			size int
			bits uint64
		}{{"DSS_GEOMETRY", 16, p.Cores}, {"DSS_COMPUTE", 16, p.Cores}, {"L3_BANK", 8, p.L3Banks},
			{"SIMD16_EU_PER_DSS", 8, p.Engines}} {
			x := make([]byte, l.Size+m.size)
			l.Set(x, "gt_id", gt)
			l.Set(x, "type", uint64(uapi.Const("DRM_XE_TOPO_"+m.kind)))
			l.Set(x, "num_bytes", uint64(m.size))
			if gt == gtMain {
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
	if d.has("kernel-7") {
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
		lu.Set(x, "oa_unit_id", uint64(u.id))
		lu.Set(x, "oa_unit_type", uint64(u.kind))
		lu.Set(x, "capabilities", d.capabilities())
		lu.Set(x, "oa_timestamp_freq", timestampHz)
		if d.has("kernel-7") {
			lu.Set(x, "gt_id", uint64(u.gt))
		}
		lu.Set(x, "num_engines", uint64(len(u.engines)))
		for _, e := range u.engines {
			x = e.entry(x)
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
		return write(c, arg, b)
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
	e := engine{uint16(le.Get(asked, "engine_class")), uint16(le.Get(asked, "engine_instance")),
		uint16(le.Get(asked, "gt_id"))}
	known := false
	for _, x := range engines {
		known = known || x == e
	}
	id := lq.Get(q, "clockid")
	now, ok := clocks[id]
	if !known || !ok {
		return syscall.EINVAL
	}
	d.mu.Lock()
	mono := d.now()
	t := mono
	if id != 1 {
		t = now() - (hwtest.Now() - mono)
	}
	lq.Set(q, "engine_cycles", d.clk.register(d.clk.at(mono)))
	d.queries["cycles"]++
	d.mu.Unlock()
	lq.Set(q, "width", 64)
	lq.Set(q, "cpu_timestamp", uint64(t-readTakes/2))
	lq.Set(q, "cpu_delta", readTakes)
	return write(c, at, q)
}
