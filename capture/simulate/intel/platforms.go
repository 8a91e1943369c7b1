package intel

import (
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// platform is a generation of GPUs.
type platform struct {
	name      string // of the family
	version   int    // of the graphics, times 100: 1255 is DG2
	driver    string
	threads   int     // that a unit holds (metric data, Mesa's device table)
	frequency float64 // of the timestamps, as the drivers tell it
	low       float64 // lowest clock
	// perSlice is how many subslices a slice has at most, and stride how many bits of a mask each slice has.
	perSlice, stride int
	units            int     // of a subslice
	quads            float64 // attained, of a slice; half a block short of the width, as on Kaby Lake
	blocks           float64 // of 2x2 that a subslice's sampler takes in a clock
	link             float64 // bytes that the GPU's link to memory carries in a clock, each way
	near             bool
	matrix, rays     bool
	compute          bool // a ring for compute beside that for rendering
	sets             []string
	usual            []string // that content which draws is measured with
	parts            []part
}

// part is one that is sold.
type part struct {
	gpu, name string
	id        int // of PCI
	slices    int
	subs      int
	eus       int
	megahertz []float64  // highest clocks
	memory    [2]float64 // bytes/ns that are attained, from slow memory to fast
	matrix    bool
}

// platforms have these facts. Units, threads and subslices: Mesa's device table and the published metric sets. Clocks
// and memories: Intel's product pages. Texels that a sampler filters in a clock: 4 in a subslice until Gen11 and 8 in a
// dual subslice or Xe-core since (Intel's papers on the architectures of Gen8, Gen11 and Xe-HPG). Pixels: 8 in a clock
// of a slice on Gen8, 16 on Gen11, 24 of the one slice of Tiger Lake GT2, 8 of GT1, and 16 of a render slice since
// Xe-HPG (the same papers; the last is also taken for Xe-LPG and Xe2). The link to memory carries 64 bytes in a clock
// until Tiger Lake (Gen11's paper) and at most 512 since Xe-HPG (peaks of the metric sets). Of a memory's nominal
// bandwidth 45 to 85 percent are attained (invented), up to 93 on DG2-G10 and Xe2 (published for Battlemage).
var platforms = []*platform{
	{
		name: "intel-bdw", version: 800, driver: "i915", threads: 7, frequency: 12.5e6, low: 300e6, perSlice: 3, stride: 3,
		units: 8, quads: 1.9, blocks: 1, link: 64,
		sets: []string{"RenderBasic", "ComputeBasic", "RenderPipeProfile", "MemoryReads", "MemoryWrites",
			"ComputeExtended", "ComputeL3Cache", "DataPortReadsCoalescing", "DataPortWritesCoalescing", "HDCAndSF",
			"L3_1", "L3_2", "L3_3", "L3_4", "RasterizerAndPixelBackend", "Sampler_1", "Sampler_2", "TDL_1", "TDL_2",
			"GpuBusyness", "STC_PmaStall"},
		usual: []string{"RenderBasic", "RenderBasic", "RenderBasic", "RenderPipeProfile", "ComputeBasic", "MemoryReads",
			"MemoryWrites", "Sampler_1", "Sampler_2", "RasterizerAndPixelBackend", "ComputeL3Cache", "L3_1", "TDL_1",
			"HDCAndSF"},
		parts: []part{
			{"intel-bdw", "Broadwell GT1", 0x1606, 1, 2, 12, []float64{800, 850}, [2]float64{10, 20}, false},
			{"intel-bdw", "Broadwell GT2", 0x1616, 1, 3, 24, []float64{900, 950, 1000}, [2]float64{10, 21}, false},
			{"intel-bdw", "Broadwell GT2", 0x1612, 1, 3, 23, []float64{1000, 1150}, [2]float64{10, 21}, false},
			{"intel-bdw", "Broadwell GT3", 0x1626, 2, 6, 48, []float64{950, 1000}, [2]float64{10, 21}, false},
			{"intel-bdw", "Broadwell GT3", 0x1622, 2, 6, 48, []float64{1100, 1150}, [2]float64{18, 45}, false}, // eDRAM
		},
	},
	{
		name: "intel-icl", version: 1100, driver: "i915", threads: 7, frequency: 12e6, low: 300e6, perSlice: 8, stride: 8,
		units: 8, quads: 3.8, blocks: 1, link: 64,
		sets: []string{"RenderBasic", "ComputeBasic", "ComputeExtended", "ComputeL3Cache", "RenderPipeProfile",
			"HDCAndSF", "RasterizerAndPixelBackend", "L3_1", "L3_2", "L3_3", "L3_4", "L3_5", "Sampler_1", "Sampler_2",
			"TDL_1", "TDL_2", "TDL_3", "GpuBusyness", "AsyncCompute"},
		usual: []string{"RenderBasic", "RenderBasic", "RenderBasic", "RenderPipeProfile", "ComputeBasic", "Sampler_1",
			"RasterizerAndPixelBackend", "ComputeL3Cache", "L3_1", "TDL_1", "HDCAndSF"},
		parts: []part{
			{"intel-icl", "Ice Lake", 0x8a56, 1, 4, 32, []float64{900, 1050}, [2]float64{17, 42}, false},
			{"intel-icl", "Ice Lake", 0x8a5a, 1, 6, 48, []float64{1050, 1100}, [2]float64{20, 50}, false},
			{"intel-icl", "Ice Lake", 0x8a52, 1, 8, 64, []float64{1050, 1100}, [2]float64{20, 50}, false},
		},
	},
	{
		name: "intel-tgl", version: 1200, driver: "i915", threads: 7, frequency: 19.2e6, low: 100e6, perSlice: 6, stride: 8,
		units: 16, quads: 5.7, blocks: 2, link: 64,
		sets: []string{"RenderBasic", "ComputeBasic", "RenderPipeProfile", "HDCAndSF", "RasterizerAndPixelBackend",
			"L3_1", "L3_2", "L3_3", "L3_4", "L3_5", "L3_6", "Sampler_1", "Sampler_2", "TDL_1", "TDL_2", "TDL_3",
			"GpuBusyness", "EuActivity1", "EuActivity2", "EuActivity3", "EuActivity4", "EuActivity5", "EuActivity6",
			"EuActivity7", "EuActivity8"},
		usual: []string{"RenderBasic", "RenderBasic", "RenderBasic", "RenderPipeProfile", "ComputeBasic", "Sampler_1",
			"RasterizerAndPixelBackend", "L3_1", "TDL_1", "HDCAndSF", "EuActivity7", "EuActivity1"},
		parts: []part{
			{"intel-tgl-gt1", "Tiger Lake GT1", 0x9a60, 1, 2, 32, []float64{1350, 1450}, [2]float64{20, 40}, false},
			{"intel-tgl-gt2", "Tiger Lake GT2", 0x9a78, 1, 3, 48, []float64{1250}, [2]float64{18, 40}, false},
			{"intel-tgl-gt2", "Tiger Lake GT2", 0x9a49, 1, 5, 80, []float64{1300}, [2]float64{22, 55}, false},
			{"intel-tgl-gt2", "Tiger Lake GT2", 0x9a49, 1, 6, 96, []float64{1300, 1350}, [2]float64{22, 55}, false},
		},
	},
	{
		name: "intel-dg2", version: 1255, driver: "i915", threads: 8, frequency: 38.4e6, low: 300e6, perSlice: 4, stride: 8,
		units: 16, quads: 3.8, blocks: 2, link: 512, near: true, matrix: true, rays: true, compute: true,
		sets:  []string{"RenderBasic"},
		usual: []string{"RenderBasic"},
		parts: []part{
			{"intel-acm-gt1", "DG2-G11 (ACM)", 0x56a6, 2, 6, 96, []float64{2000, 2050}, [2]float64{55, 105}, true},
			{"intel-acm-gt1", "DG2-G11 (ACM)", 0x56a5, 2, 8, 128, []float64{2000, 2450}, [2]float64{85, 155}, true},
			{"intel-acm-gt3", "DG2-G10 (ACM)", 0x5691, 6, 24, 384, []float64{1650, 1800}, [2]float64{170, 320}, true},
			{"intel-acm-gt3", "DG2-G10 (ACM)", 0x56a1, 7, 28, 448, []float64{2050, 2400}, [2]float64{230, 430}, true},
			{"intel-acm-gt3", "DG2-G10 (ACM)", 0x56a0, 8, 32, 512, []float64{2100, 2400}, [2]float64{250, 500}, true},
		},
	},
	{
		name: "intel-mtl", version: 1270, driver: "i915", threads: 8, frequency: 38.4e6, low: 300e6, perSlice: 4, stride: 8,
		units: 16, quads: 3.8, blocks: 2, link: 128, near: true, rays: true, compute: true,
		sets: []string{"RenderBasic", "ComputeBasic", "AsyncCompute", "XveActivity", "GpuBusyness", "HDCAndSF",
			"HDCAndSF1", "HDCAndSF2", "L3", "RasterizerAndPixelBackend1", "RasterizerAndPixelBackend2",
			"RenderPipeProfile", "RenderPipeProfile1", "RenderPipeProfile2", "Sampler", "TDL1", "TDL2", "TDL3", "TDL4"},
		usual: []string{"RenderBasic", "RenderBasic", "RenderBasic", "RenderPipeProfile", "RenderPipeProfile1",
			"ComputeBasic", "Sampler", "RasterizerAndPixelBackend1", "L3", "TDL1", "HDCAndSF", "HDCAndSF1",
			"XveActivity"},
		parts: []part{
			{"intel-mtl-gt2", "Meteor Lake-P GT2", 0x7d45, 1, 4, 64, []float64{1800, 2000}, [2]float64{38, 90}, false},
			{"intel-mtl-gt2", "Arrow Lake GT1", 0x7d41, 1, 4, 64, []float64{1900, 2000}, [2]float64{38, 90}, false},
			{"intel-mtl-gt3", "Meteor Lake-P GT3", 0x7d55, 2, 7, 112, []float64{2200}, [2]float64{42, 100}, false},
			{"intel-mtl-gt3", "Meteor Lake-P GT3", 0x7d55, 2, 8, 128, []float64{2200, 2350}, [2]float64{42, 100}, false},
			{"intel-mtl-gt3", "Arrow Lake GT2", 0x7d51, 2, 8, 128, []float64{2250, 2350}, [2]float64{42, 105}, true},
		},
	},
	{
		name: "intel-lnl", version: 2004, driver: "xe", threads: 8, frequency: 19.2e6, low: 400e6, perSlice: 4, stride: 8,
		units: 8, quads: 3.8, blocks: 2, link: 128, near: true, matrix: true, rays: true, compute: true,
		sets: xe2Sets, usual: xe2Usual,
		parts: []part{
			{"intel-lnl", "Lunar Lake", 0x6420, 2, 7, 56, []float64{1850}, [2]float64{60, 122}, true},
			{"intel-lnl", "Lunar Lake", 0x64a0, 2, 8, 64, []float64{1950, 2050}, [2]float64{60, 122}, true},
		},
	},
	{
		name: "intel-bmg", version: 2001, driver: "xe", threads: 8, frequency: 19.2e6, low: 400e6, perSlice: 4, stride: 8,
		units: 8, quads: 3.8, blocks: 2, link: 512, near: true, matrix: true, rays: true, compute: true,
		sets: xe2Sets, usual: xe2Usual,
		parts: []part{
			{"intel-bmg", "Battlemage", 0xe20c, 5, 18, 144, []float64{2500, 2740}, [2]float64{170, 353}, true},
			{"intel-bmg", "Battlemage", 0xe20b, 5, 20, 160, []float64{2670, 2850}, [2]float64{205, 425}, true},
		},
	},
}

var (
	xe2Sets = []string{"RenderBasic", "ComputeBasic", "DepthProfile", "DeviceCacheProfile", "MemoryProfile",
		"RenderPipeProfile", "RTProfile", "VectorEngineProfile", "VectorEngineStalls", "XvePipelineRasterizationProfile",
		"XvePipelineRaytracingProfile"}
	xe2Usual = []string{"RenderBasic", "RenderBasic", "RenderBasic", "RenderPipeProfile", "ComputeBasic", "DepthProfile",
		"DeviceCacheProfile", "MemoryProfile", "VectorEngineProfile", "VectorEngineStalls",
		"XvePipelineRasterizationProfile"}
)

// newPlatformDevice draws a part with clocks and memory. Now and then a part has other subslices than the first ones.
func newPlatformDevice(r simulate.Random, p *platform) *device {
	x := simulate.Pick(r, p.parts...)
	d := &device{plat: p, gpu: x.gpu, name: "Intel " + x.name, id: x.id, eus: x.eus, subs: x.subs, slices: x.slices,
		threads: p.threads, quads: p.quads, blocks: p.blocks, pipes: 1, lines: 1, near: p.near, matrix: p.matrix || x.matrix,
		low: p.low}
	d.hz = 1e6 * simulate.Pick(r, x.megahertz...)
	if p.version >= 1255 {
		d.pipes = float64(x.slices) // each render slice has the functions for vertices and primitives
	}
	if p.version >= 1200 {
		d.lines = 2 // 128 bytes in a clock of a dual subslice (Intel's guide to optimization for Xe), also taken for Xe-cores
	}
	if x.gpu == "intel-tgl-gt1" {
		d.quads = 1.9
	}
	d.memory = min(r.Log(x.memory[0], x.memory[1]), 0.6*p.link*d.hz/1e9)
	d.latency = r.Log(160, 420)
	d.launch = r.Log(4e3, 20e3)
	d.topology(r)
	d.build(r)
	d.spread = uint64(r.Uint64())
	return d
}

// topology draws which subslices are there, and makes the variables of the metric sets' equations.
func (d *device) topology(r simulate.Random) {
	p := d.plat
	d.variables = map[string]float64{}
	number := func(name string, v float64) {
		d.variables[name] = v
		d.told = append(d.told, capture.Property{Name: name, Number: v})
	}
	slices, mask := uint64(0), uint64(0)
	room := p.perSlice // for subslices, in each slice of the chip
	if d.gpu == "intel-tgl-gt1" {
		room = 2
	}
	left := d.subs
	first := 0
	if d.gpu == "intel-acm-gt1" && r.Chance(0.5) {
		first = 2 // the published set asks for slice 2, and nothing public says how the part numbers its two
	}
	for s := range d.slices {
		slices |= 1 << (first + s)
		// As many as the slices after this one cannot have, and the others evenly.
		here := min(room, (left+d.slices-s-1)/(d.slices-s))
		left -= here
		places := make([]int, room)
		for i := range places {
			places[i] = i
		}
		if here < room && r.Chance(0.3) {
			places = r.Perm(room)
		}
		for _, i := range places[:here] {
			mask |= 1 << ((first+s)*p.stride + i)
		}
	}
	number("GpuTimestampFrequency", p.frequency)
	number("GpuMinFrequency", d.low)
	number("GpuMaxFrequency", d.hz)
	number("EuThreadsCount", float64(p.threads))
	if p.version >= 1255 {
		number("VectorEngineThreadsCount", float64(p.threads))
	}
	number("QueryMode", 0)
	number("EuCoresTotalCount", float64(d.eus))
	number("EuSubslicesTotalCount", float64(d.subs))
	number("EuSlicesTotalCount", float64(d.slices))
	number("SliceMask", float64(slices))
	number("SubsliceMask", float64(mask))
	if p.version >= 1200 {
		number("DualSubsliceMask", float64(mask))
	}
	if p.version >= 1255 {
		number("VectorEngineTotalCount", float64(d.eus))
		number("XeCoreTotalCount", float64(d.subs))
		number("SliceTotalCount", float64(d.slices))
		number("XeCoreMask", float64(mask))
		d.cores(slices, mask, number)
	}
	banks := d.banks()
	if p.version >= 2000 {
		// As a recording derives them: nodes of four banks, each with a channel to memory, and a copy engine for two.
		nodes := math.Ceil(banks / 4)
		number("L3BankTotalCount", banks)
		number("L3NodeTotalCount", nodes)
		number("SqidiTotalCount", nodes)
		number("ComputeEngineTotalCount", 1)
		number("CopyEngineTotalCount", math.Ceil(nodes/2))
		number("GeometryPipeTotalCount", float64(d.slices))
		number("DepthPipeTotalCount", float64(2*d.slices))
		number("ColorPipeTotalCount", float64(2*d.slices))
	}
}

// banks is how many banks L3 has: four in a slice on Gen8, eight on Gen11 and Xe-LP (the metric sets count them), and
// since Xe-HPG as many as Xe-cores, rounded up to whole nodes of four (assumed).
func (d *device) banks() float64 {
	switch {
	case d.plat.version < 1100:
		return float64(4 * d.slices)
	case d.plat.version < 1255:
		return 8
	}
	return float64((d.subs + 3) / 4 * 4)
}

// cores says of each Xe-core whether it is there.
func (d *device) cores(slices, mask uint64, number func(string, float64)) {
	there := func(on bool) float64 {
		if on {
			return 1
		}
		return 0
	}
	if d.plat.version >= 2000 {
		const most = 32
		for n := range most {
			number(fmt.Sprintf("GtXeCore%d", n), there(mask>>(n/4*8+n%4)&1 != 0))
		}
		return
	}
	for s := range 8 {
		number(fmt.Sprintf("GtSlice%d", s), there(slices>>s&1 != 0))
		for c := range 4 {
			number(fmt.Sprintf("GtSlice%dXeCore%d", s, c), there(mask>>(s*8+c)&1 != 0))
		}
	}
}
