package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// node is /dev/dri/cardN or renderDN.
type node struct{ g *gpu }

// Open implements hwtest.Node.
func (n node) Open(*hwtest.Call, int) (hwtest.File, error) {
	g := n.g
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.gone:
		return nil, syscall.ENODEV
	case g.unused:
		return nil, syscall.ENOENT
	case g.has(deniedScenario):
		return nil, syscall.EACCES
	}
	if g.opened < 0 {
		g.opened = g.since()
	}
	return file{g}, nil
}

// file is an open node.
type file struct{ g *gpu }

// Read implements hwtest.File: there are no DRM events.
func (f file) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }

// Close implements hwtest.File.
func (f file) Close() {}

// Ioctl implements hwtest.File.
func (f file) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	g := f.g
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inEvent(unplugScenario, math.MaxInt64) {
		return 0, syscall.ENODEV
	}
	switch request {
	case uapi.Ioctl("DRM_IOCTL_VERSION"):
		return 0, version(c, arg)
	case uapi.Ioctl("DRM_IOCTL_AMDGPU_INFO"):
		return 0, g.info(c, arg)
	}
	if request>>8&0xff == 'd' {
		return 0, syscall.EINVAL
	}
	return 0, syscall.ENOTTY
}

func version(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_version")
	b := make([]byte, l.Size)
	if c.Read(arg, b) != nil {
		return syscall.EFAULT
	}
	l.Set(b, "version_major", 3)
	l.Set(b, "version_minor", 57)
	for _, s := range [][2]string{{"name", "amdgpu"}, {"date", "20150101"}, {"desc", "AMD GPU"}} {
		if n := min(l.Get(b, s[0]+"_len"), uint64(len(s[1]))); n > 0 && l.Get(b, s[0]) != 0 {
			if c.Write(l.Get(b, s[0]), []byte(s[1][:n])) != nil {
				return syscall.EFAULT
			}
		}
		l.Set(b, s[0]+"_len", uint64(len(s[1])))
	}
	if c.Write(arg, b) != nil {
		return syscall.EFAULT
	}
	return nil
}

// info answers DRM_IOCTL_AMDGPU_INFO: at most as many bytes as the program has room for.
func (g *gpu) info(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("drm_amdgpu_info")
	b := make([]byte, l.Size)
	if c.Read(arg, b) != nil {
		return syscall.EFAULT
	}
	size, to := l.Get(b, "return_size"), l.Get(b, "return_pointer")
	if size == 0 || to == 0 {
		return syscall.EINVAL
	}
	if g.off && g.since()-g.opened > firstEvent+graceOfSuspended {
		g.woken++
	}
	answer, err := g.answer(c, l, b)
	if err != nil {
		return err
	}
	if c.Write(to, answer[:min(size, uint64(len(answer)))]) != nil {
		return syscall.EFAULT
	}
	return nil
}

func (g *gpu) answer(c *hwtest.Call, l *uapi.Layout, b []byte) ([]byte, error) {
	note := func(what string) {
		g.asked[what]++
		if c.Note != nil {
			c.Note("%s", what)
		}
	}
	u64 := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	u32 := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	lv := g.levels(g.since())
	// Each answer has the size that its structure has in this driver; the caller cuts it to the program's buffer, as
	// the kernel does, so that old programs read the beginning of newer structures.
	switch int64(l.Get(b, "query")) {
	case uapi.Const("AMDGPU_INFO_ACCEL_WORKING"):
		return u32(1), nil
	case uapi.Const("AMDGPU_INFO_TIMESTAMP"):
		return u64(uint64(g.since()) / 10), nil
	case uapi.Const("AMDGPU_INFO_NUM_BYTES_MOVED"):
		note("NUM_BYTES_MOVED")
		return u64(uint64(g.since()/1_000_000) * 4096), nil
	case uapi.Const("AMDGPU_INFO_NUM_EVICTIONS"):
		note("NUM_EVICTIONS")
		if g.has(oldScenario) {
			return nil, syscall.EINVAL
		}
		return u64(0), nil
	case uapi.Const("AMDGPU_INFO_VRAM_USAGE"):
		return u64(lv.VRAM), nil
	case uapi.Const("AMDGPU_INFO_GTT_USAGE"):
		return u64(lv.GTT), nil
	case uapi.Const("AMDGPU_INFO_READ_MMR_REG"):
		note("READ_MMR_REG")
		return g.registers(uint32(l.Get(b, "read_mmr_reg.dword_offset")), uint32(l.Get(b, "read_mmr_reg.count")))
	case uapi.Const("AMDGPU_INFO_DEV_INFO"):
		note("DEV_INFO")
		info := g.devInfo()
		if g.has(oldScenario) {
			info = info[:272] // old drivers know a shorter structure
		}
		return info, nil
	case uapi.Const("AMDGPU_INFO_VRAM_GTT"):
		note("VRAM_GTT")
		info := uapi.Struct("drm_amdgpu_info_vram_gtt")
		out := make([]byte, info.Size)
		info.Set(out, "vram_size", g.part.vram-reserved)
		info.Set(out, "vram_cpu_accessible_size", g.part.vram-reserved)
		info.Set(out, "gtt_size", g.part.gtt)
		return out, nil
	case uapi.Const("AMDGPU_INFO_MEMORY"):
		note("MEMORY")
		return g.memory(lv), nil
	case uapi.Const("AMDGPU_INFO_SENSOR"):
		id := uint32(l.Get(b, "sensor_info.type"))
		note(fmt.Sprintf("SENSOR %d", id))
		if g.off {
			return nil, syscall.EINVAL
		}
		v, err := g.sensor(id, lv)
		return u32(v), err
	case uapi.Const("AMDGPU_INFO_VRAM_LOST_COUNTER"):
		note("VRAM_LOST_COUNTER")
		if g.has(oldScenario) {
			return nil, syscall.EINVAL
		}
		lost := uint32(0)
		if g.has(resetScenario) && g.opened >= 0 && g.since()-g.opened > firstEvent+resetLength {
			lost = 1
		}
		return u32(lost), nil
	}
	return nil, syscall.EINVAL
}

// registers reads status registers. Those that the workload does not move are idle.
func (g *gpu) registers(offset, count uint32) ([]byte, error) {
	if count == 0 || count > 128 {
		return nil, syscall.EINVAL
	}
	if g.inEvent(resetScenario, resetLength) {
		g.refused++
		return nil, syscall.ENOENT
	}
	t := g.since()
	var out []byte
	for k := range count {
		at := (offset + k) * 4
		switch at {
		case grbmStatus2:
			if g.has(refusedScenario) {
				g.refused++
				return nil, syscall.EFAULT
			}
		case gbAddrConfig:
			out = binary.LittleEndian.AppendUint32(out, g.part.addrConfig)
			continue
		case grbmStatus, 0x8014, 0x8018, 0x8038, 0x803c:
		default:
			g.refused++
			return nil, syscall.EFAULT
		}
		if g.has(steppedScenario) {
			// The frame goes on with every read, by a step that meets all its parts.
			t = g.since() + int64(g.reads[at]*7_477_777%frame)
		}
		v := uint32(0)
		for i := range g.part.work {
			if w := &g.part.work[i]; w.Reg == at && w.busy(t) {
				v |= 1 << w.Bit
			}
		}
		g.reads[at]++
		if len(g.answers) < maxAnswers {
			g.answers = append(g.answers, Answer{at, v})
		}
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return out, nil
}

// sensor is a sensor's value; EOPNOTSUPP where the part has none.
func (g *gpu) sensor(id uint32, l levels) (uint32, error) {
	known := false
	for _, s := range g.part.sensors {
		known = known || s == id
	}
	switch {
	case g.has(oldScenario) && id > 5:
		return 0, syscall.EINVAL
	case !known && id == 5:
		return g.sensor(12, l) // newer kernels answer with the power of the moment
	case !known:
		return 0, syscall.EOPNOTSUPP
	}
	switch id {
	case 1:
		return uint32(l.SclkMHz), nil
	case 2:
		return uint32(l.MclkMHz), nil
	case 3:
		return uint32(l.Celsius * 1000), nil
	case 4:
		return uint32(l.BusyPercent), nil
	case 5, 12:
		return uint32(l.Watts), nil
	case 6:
		return 750, nil
	case 7:
		return uint32(l.GfxMillivolts), nil
	case 8, 10:
		return uint32(g.part.light.SclkMHz), nil
	}
	return uint32(g.part.light.MclkMHz), nil
}

func (g *gpu) devInfo() []byte {
	l, p := uapi.Struct("drm_amdgpu_info_device"), g.part
	b := make([]byte, l.Size)
	for name, v := range map[string]uint64{
		"device_id": uint64(p.device), "chip_rev": 1, "external_rev": uint64(p.external), "pci_rev": uint64(p.revision),
		"family":             uint64(p.family),
		"num_shader_engines": uint64(p.engines), "num_shader_arrays_per_engine": uint64(p.arrays),
		"gpu_counter_freq": 100_000,
		"max_engine_clock": p.maxSclk * 1000, "max_memory_clock": p.maxMclk * 1000, "cu_active_number": uint64(p.cus),
		"num_rb_pipes":   uint64(p.rbs),
		"vram_bit_width": uint64(p.vramBits), "wave_front_size": uint64(p.wave), "num_cu_per_sh": uint64(p.cusPerArray),
		"num_tcc_blocks":  uint64(p.tccs),
		"gl1c_cache_size": uint64(p.gl1c), "gl2c_cache_size": uint64(p.gl2c), "mall_size": p.mall,
	} {
		l.Set(b, name, v)
	}
	if p.apu {
		l.Set(b, "ids_flags", uint64(uapi.Const("AMDGPU_IDS_FLAGS_FUSION")))
	}
	return b
}

// reserved is the memory of each heap that the driver keeps for itself.
const reserved = 64 << 20

func (g *gpu) memory(l levels) []byte {
	heap := uapi.Struct("drm_amdgpu_heap_info")
	b := make([]byte, uapi.Struct("drm_amdgpu_memory_info").Size)
	for i, h := range [][2]uint64{{g.part.vram, l.VRAM}, {g.part.vram, l.VRAM}, {g.part.gtt, l.GTT}} {
		part := b[i*heap.Size:]
		heap.Set(part, "total_heap_size", h[0])
		heap.Set(part, "usable_heap_size", h[0]-reserved)
		heap.Set(part, "heap_usage", h[1])
		heap.Set(part, "max_allocation", h[0]*3/4)
	}
	return b
}
