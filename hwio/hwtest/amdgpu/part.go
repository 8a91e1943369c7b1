package amdgpu

import "encoding/binary"

// part is a kind of GPU.
type part struct {
	name             string // product_name, "" where the board does not say
	device, revision uint32
	board            [2]uint32 // vendor and number of the board
	family, external uint32
	engines, arrays  uint32
	cus, cusPerArray uint32
	rbs, wave, tccs  uint32
	vramBits         uint32
	maxSclk, maxMclk uint64 // MHz
	gl1c, gl2c       uint32 // KiB
	mall             uint64
	vram, gtt        uint64
	addrConfig       uint32 // how addresses are spread over the memory, which libdrm reads before anything else
	apu              bool
	work             []work
	heavy, light     levels
	sensors          []uint32 // types that this part's driver has
	energyStart      uint64   // of the count in gpu_metrics, in units of 2^-16 J; 0 where the table has none
	metrics          func(g *gpu, t int64) []byte
	partitions       int // that it is cut into, each but the first a device of its own; 0 where it cannot be
}

var vega20 = &part{
	name: "Radeon VII", device: 0x66af, revision: 0xc1, board: [2]uint32{0x1002, 0x081e}, addrConfig: 0x22014042,
	family: 141, external: 0x29, engines: 4, arrays: 1, cus: 60, cusPerArray: 16, rbs: 16, wave: 64, tccs: 32,
	vramBits: 4096, maxSclk: 1802, maxMclk: 1000, gl2c: 4096, vram: 16 << 30, gtt: 8 << 30, work: vegaWork,
	heavy: levels{SclkMHz: 1801, MclkMHz: 1001, FclkMHz: 1225, Watts: 240, Celsius: 75, HotCelsius: 98,
		BusyPercent: 80, MemPercent: 48, GfxMillivolts: 1068, VRAM: 6 << 30, GTT: 3 << 29, RPM: 2900},
	light: levels{SclkMHz: 1300, MclkMHz: 1001, FclkMHz: 1080, Watts: 120, Celsius: 62, HotCelsius: 71,
		BusyPercent: 20, MemPercent: 12, GfxMillivolts: 1006, VRAM: 5 << 30, GTT: 1 << 30, RPM: 2100},
	sensors:     []uint32{1, 2, 3, 4, 5, 7, 8, 9, 10, 11},
	energyStart: 1<<32 - 40*65536, // wraps after 40 J
	metrics:     metrics10,
}

var strixHalo = &part{
	device: 0x1586, revision: 0xc1, board: [2]uint32{0xf111, 0x000a}, addrConfig: 0x0545,
	family: 150, external: 0xc1, engines: 2, arrays: 2, cus: 40, cusPerArray: 10, rbs: 16, wave: 32, tccs: 16,
	vramBits: 256, maxSclk: 2900, maxMclk: 1000, gl1c: 256, gl2c: 2048, mall: 32 << 20, vram: 512 << 20, gtt: 32 << 30,
	apu: true, work: strixWork,
	heavy: levels{SclkMHz: 2800, MclkMHz: 1000, FclkMHz: 2000, Watts: 98, Celsius: 78, HotCelsius: 85,
		BusyPercent: 72, GfxMillivolts: 1040, VRAM: 400 << 20, GTT: 6 << 30},
	light: levels{SclkMHz: 1100, MclkMHz: 1000, FclkMHz: 1200, Watts: 31, Celsius: 58, HotCelsius: 63,
		BusyPercent: 18, GfxMillivolts: 1009, VRAM: 300 << 20, GTT: 4 << 30},
	sensors: []uint32{1, 2, 3, 4, 6, 7, 12},
	metrics: metrics30,
}

// mi300x is cut into two partitions (DPX) of four dies each.
var mi300x = &part{
	name: "AMD Instinct MI300X OAM", device: 0x74a1, revision: 0, board: [2]uint32{0x1002, 0x74a1},
	addrConfig: 0x2a114042,
	family:     141, external: 0x46, engines: 32, arrays: 1, cus: 304, cusPerArray: 10, rbs: 0, wave: 64, tccs: 128,
	vramBits: 8192, maxSclk: 2100, maxMclk: 1300, gl2c: 4096, mall: 256 << 20, vram: 192 << 30, gtt: 64 << 30,
	work: vegaWork, partitions: 2,
	heavy: levels{SclkMHz: 2100, MclkMHz: 1300, FclkMHz: 1800, Watts: 740, Celsius: 70, HotCelsius: 88,
		BusyPercent: 96, MemPercent: 60, GfxMillivolts: 900, VRAM: 100 << 30, GTT: 1 << 30},
	light: levels{SclkMHz: 1300, MclkMHz: 1300, FclkMHz: 1400, Watts: 300, Celsius: 50, HotCelsius: 61,
		BusyPercent: 24, MemPercent: 10, GfxMillivolts: 800, VRAM: 90 << 30, GTT: 1 << 30},
	sensors: []uint32{1, 2, 3, 4, 5},
	metrics: metrics18,
}

// empty is a table with its header, all other fields marked as not available.
func empty(size int, format, content byte) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = 0xff
	}
	binary.LittleEndian.PutUint16(b, uint16(size))
	b[2], b[3] = format, content
	return b
}

// metrics10 is struct gpu_metrics_v1_0.
func metrics10(g *gpu, t int64) []byte {
	l := g.levels(t)
	b := empty(80, 1, 0)
	u16 := func(at int, v uint64) { binary.LittleEndian.PutUint16(b[at:], uint16(v)) }
	binary.LittleEndian.PutUint64(b[8:], uint64(t)) // system_clock_counter
	u16(16, l.Celsius)
	u16(18, l.HotCelsius)
	u16(28, l.BusyPercent)
	u16(30, l.MemPercent)
	u16(32, 0) // video: idle, which is not missing
	u16(34, l.Watts)
	binary.LittleEndian.PutUint32(b[36:], uint32(g.part.energyStart+energyUnits(g.energy(t))))
	u16(40, l.SclkMHz)
	u16(44, l.MclkMHz)
	u16(54, l.SclkMHz)
	u16(58, l.MclkMHz)
	throttled := uint32(0)
	if heavy(t) {
		throttled = 1 << 4
	}
	binary.LittleEndian.PutUint32(b[68:], throttled)
	u16(72, l.RPM)
	b[74], b[75] = 16, 80
	return b
}

// metrics30 is struct gpu_metrics_v3_0.
func metrics30(g *gpu, t int64) []byte {
	l := g.levels(t)
	b := empty(264, 3, 0)
	u16 := func(at int, v uint64) { binary.LittleEndian.PutUint16(b[at:], uint16(v)) }
	u32 := func(at int, v uint64) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	u16(4, l.Celsius*100+25)
	u16(6, l.HotCelsius*100)
	for core := range 8 { // of 16
		u16(8+2*core, 5000+uint64(core)*100)
		u16(62+2*core, 10+uint64(core))
		u16(136+2*core, 1500)
		u16(190+2*core, 3000+uint64(core)*10)
	}
	u16(42, l.BusyPercent)
	u16(44, 0)
	u16(94, 45_000) // MB/s
	u16(96, 21_000)
	binary.LittleEndian.PutUint64(b[104:], uint64(t))
	u32(112, l.Watts*1000)
	u32(120, l.Watts*1000)
	u32(124, l.Watts*700)
	u16(174, l.SclkMHz)
	u16(182, l.FclkMHz)
	u16(186, l.MclkMHz)
	return b
}

// Cycles of the firmware in a second, and those of them in which a heavy MI300 is held down by the power limit, in a
// hundred. Light work is not.
const (
	FirmwareCycles = 1000
	HeldByPower    = 30
)

// heavyTime is how long work was heavy until t, in ns.
func heavyTime(t int64) int64 {
	turns, rest := t/(2*halfTurn), t%(2*halfTurn)
	return turns*halfTurn + min(rest, halfTurn)
}

// metrics18 is struct gpu_metrics_v1_8. Partition p's die k is busy for BusyPercent less p less k percent.
func metrics18(g *gpu, t int64) []byte {
	l := g.levels(t)
	b := empty(3872, 1, 8)
	u16 := func(at int, v uint64) { binary.LittleEndian.PutUint16(b[at:], uint16(v)) }
	u32 := func(at int, v uint64) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	u64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	u16(4, l.HotCelsius)
	u16(10, l.Watts)
	u16(12, l.BusyPercent)
	u16(14, l.MemPercent)
	u64(16, 5300) // mem_max_bandwidth
	u64(24, energyUnits(g.energy(t)))
	u64(32, uint64(t))
	u32(40, uint64(t)*FirmwareCycles/1e9)
	u32(44, 0) // prochot
	u32(48, uint64(heavyTime(t))*FirmwareCycles/1e9*HeldByPower/100)
	u32(52, 0)
	u16(338, uint64(g.part.partitions))
	for p := range g.part.partitions {
		at := 344 + 440*p // struct amdgpu_xcp_metrics_v1_2
		for k := range 4 {
			u32(at+4*k, l.BusyPercent-uint64(p+k))
			u64(at+120+8*k, uint64(t/1e6))
		}
	}
	return b
}
