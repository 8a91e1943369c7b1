package i915

import (
	"encoding/binary"
	"strings"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// query answers DRM_IOCTL_I915_QUERY. What is wrong with one item is told as its negative length; the request then
// succeeds.
func (d *device) query(c *hwtest.Call, arg uint64) error {
	l, li := uapi.Struct("drm_i915_query"), uapi.Struct("drm_i915_query_item")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return syscall.EFAULT
	}
	if l.Get(b, "flags") != 0 {
		return syscall.EINVAL
	}
	for i := range l.Get(b, "num_items") {
		at := l.Get(b, "items_ptr") + i*uint64(li.Size)
		item := make([]byte, li.Size)
		if err := c.Read(at, item); err != nil {
			return syscall.EFAULT
		}
		var n int64
		switch id := li.Get(item, "query_id"); int64(id) {
		case 0:
			return syscall.EINVAL
		case uapi.Const("DRM_I915_QUERY_TOPOLOGY_INFO"):
			n = d.queryTopology(c, item)
		case uapi.Const("DRM_I915_QUERY_ENGINE_INFO"):
			n = d.queryEngines(c, item)
		case uapi.Const("DRM_I915_QUERY_PERF_CONFIG"):
			n = d.queryConfig(c, item)
		default:
			n = -int64(syscall.EINVAL)
		}
		if n != int64(int32(li.Get(item, "length"))) {
			f := li.Field("length")
			binary.LittleEndian.PutUint32(item[f.Offset:], uint32(int32(n)))
			if err := intel.Write(c, at+uint64(f.Offset), item[f.Offset:f.Offset+f.Size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// room says what an item's length asks for: size where it is 0, EINVAL where it is too little, else 0.
func room(item []byte, size int) int64 {
	switch n := int32(uapi.Struct("drm_i915_query_item").Get(item, "length")); {
	case n == 0:
		return int64(size)
	case int(n) < size:
		return -int64(syscall.EINVAL)
	}
	return 0
}

func (d *device) queryTopology(c *hwtest.Call, item []byte) int64 {
	return tell(c, item, topology(d.Part))
}

// queryEngines lists the engines: those of OA units, and a copy engine.
func (d *device) queryEngines(c *hwtest.Call, item []byte) int64 {
	l, le, lc := uapi.Struct("drm_i915_query_engine_info"), uapi.Struct("drm_i915_engine_info"), uapi.Struct("i915_engine_class_instance")
	list := []intel.Engine{{Class: intel.Copy}}
	for _, u := range d.units {
		list = append(list, u.Engines...)
	}
	b := make([]byte, l.Size, l.Size+len(list)*le.Size)
	l.Set(b, "num_engines", uint64(len(list)))
	for _, e := range list {
		x := make([]byte, le.Size)
		at := x[le.Field("engine").Offset:]
		lc.Set(at, "engine_class", uint64(e.Class))
		lc.Set(at, "engine_instance", uint64(e.Instance))
		b = append(b, x...)
	}
	return tell(c, item, b)
}

// tell answers a question without flags.
func tell(c *hwtest.Call, item, b []byte) int64 {
	li := uapi.Struct("drm_i915_query_item")
	if li.Get(item, "flags") != 0 {
		return -int64(syscall.EINVAL)
	}
	if n := room(item, len(b)); n != 0 {
		return n
	}
	if err := c.Write(li.Get(item, "data_ptr"), b); err != nil {
		return -int64(syscall.EFAULT)
	}
	return int64(len(b))
}

// topology is the answer to the topology query: masks of slices, of subslices by slice, of EUs by subslice, each row in
// whole bytes.
func topology(p *intel.Part) []byte {
	wide, stride := (p.MaxCores+7)/8, (p.MaxEUs+7)/8
	cores, eus := 1, 1+p.MaxSlices*wide
	l := uapi.Struct("drm_i915_query_topology_info")
	b := make([]byte, l.Size+eus+p.MaxSlices*p.MaxCores*stride)
	l.Set(b, "max_slices", uint64(p.MaxSlices))
	l.Set(b, "max_subslices", uint64(p.MaxCores))
	l.Set(b, "max_eus_per_subslice", uint64(p.MaxEUs))
	l.Set(b, "subslice_offset", uint64(cores))
	l.Set(b, "subslice_stride", uint64(wide))
	l.Set(b, "eu_offset", uint64(eus))
	l.Set(b, "eu_stride", uint64(stride))
	data := b[l.Size:]
	put := func(at, n int, mask uint64) {
		for i := range n {
			data[at+i] = byte(mask >> (8 * i))
		}
	}
	put(0, 1, p.Slices)
	for s := range p.MaxSlices {
		put(cores+s*wide, wide, p.Cores[s])
		for c := range p.MaxCores {
			put(eus+(s*p.MaxCores+c)*stride, stride, p.EUs[s][c])
		}
	}
	return b
}

// queryConfig answers the list of configurations and the registers of one.
func (d *device) queryConfig(c *hwtest.Call, item []byte) int64 {
	li, lc, lo := uapi.Struct("drm_i915_query_item"), uapi.Struct("drm_i915_query_perf_config"),
		uapi.Struct("drm_i915_perf_oa_config")
	if d.perfMissing() != nil {
		return -int64(syscall.ENODEV)
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	loaded := d.LoadedConfigs()
	// The kernel asks in this order: what is wanted, whether the room is enough (or only its size is asked for), the
	// header that the program filled in, and the configuration itself. Programs call twice, first for the size, so an
	// error of a later step must not hide the size.
	at := li.Get(item, "data_ptr")
	flags := int64(li.Get(item, "flags"))
	size := lc.Size
	switch flags {
	case uapi.Const("DRM_I915_QUERY_PERF_CONFIG_LIST"):
		size += 8 * len(loaded)
	case uapi.Const("DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID"), uapi.Const("DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID"):
		size += lo.Size
	default:
		return -int64(syscall.EINVAL)
	}
	if n := room(item, size); n != 0 {
		return n
	}
	b := make([]byte, size)
	if err := c.Read(at, b); err != nil {
		return -int64(syscall.EFAULT)
	}
	if lc.Get(b, "flags") != 0 {
		return -int64(syscall.EINVAL)
	}
	if flags == uapi.Const("DRM_I915_QUERY_PERF_CONFIG_LIST") {
		lc.Set(b, "n_configs", uint64(len(loaded)))
		for i, x := range loaded {
			binary.LittleEndian.PutUint64(b[lc.Size+8*i:], x.ID)
		}
	} else {
		f := lc.Field("uuid")
		var found *intel.Config
		for _, x := range loaded {
			if flags == uapi.Const("DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID") {
				if x.ID == lc.Get(b, "config") {
					found = x
				}
			} else if x.UUID == strings.ToLower(string(b[f.Offset:f.Offset+f.Size])) {
				found = x
			}
		}
		if found == nil {
			return -int64(syscall.ENOENT)
		}
		o := b[lc.Size:]
		for _, r := range []struct {
			n, ptr string
			list   []intel.Register
		}{{"n_boolean_regs", "boolean_regs_ptr", found.Boolean}, {"n_flex_regs", "flex_regs_ptr", found.Flex},
			{"n_mux_regs", "mux_regs_ptr", found.Mux}} {
			// A number of 0 asks for the number alone; else the program's array must hold the whole list.
			if n := lo.Get(o, r.n); n != 0 {
				if n < uint64(len(r.list)) {
					return -int64(syscall.EINVAL)
				}
				regs := make([]byte, 8*len(r.list))
				for i, x := range r.list {
					binary.LittleEndian.PutUint32(regs[8*i:], x.Address)
					binary.LittleEndian.PutUint32(regs[8*i+4:], x.Value)
				}
				if err := c.Write(lo.Get(o, r.ptr), regs); err != nil {
					return -int64(syscall.EFAULT)
				}
			}
			lo.Set(o, r.n, uint64(len(r.list)))
		}
		copy(o[lo.Field("uuid").Offset:], found.UUID)
	}
	if err := c.Write(at, b); err != nil {
		return -int64(syscall.EFAULT)
	}
	return int64(size)
}
