package intel

import "astrolabe/capture/simulate"

// machine is a GPU with its memory and the processors beside it. Times are in ns and clocks in GHz, which is clocks
// in a ns.
type machine struct {
	family, gpu, device, pci string
	discrete                 bool

	slices, subslices, eus, threads float64
	lowest, highest, step           float64
	oaClock                         float64 // Hz of the timestamps

	rate      [leaves]float64 // work in a clock of the whole GPU: see work
	dram      float64         // bytes in a ns that a good pattern reaches
	llc       float64         // share of the traffic that the last-level cache of the processor takes
	ringRead  float64         // bytes in a clock
	ringWrite float64
	near, far float64 // latency of L3 in clocks and of memory in ns
	launch    float64 // ns between dependent passes
	pause     float64 // share of that in which the engine has no work, because launches are submitted one by one
	draw      float64 // clocks of the command streamer for a draw
	copy      float64 // bytes in a ns that the copy engine moves
	simd      float64 // clocks of an EU for an instruction of a quad

	cpus     int
	cpuClock float64 // Hz
	refresh  []float64
}

const (
	dg2Name = "intel-dg2-fourth"
	kblName = "intel-kbl-gt2-fourth"
)

// Names are the families: an Arc A770 and the GT2 graphics of Kaby Lake.
var Names = []string{dg2Name, kblName}

// newMachine draws a machine of a family.
func newMachine(family string, r simulate.Random) *machine {
	m := newKabyLake
	if family == dg2Name {
		m = newArc
	}
	out := m(r)
	if r.Chance(0.4) {
		out.pause = r.Between(0.4, 1)
	}
	return out
}

func newKabyLake(r simulate.Random) *machine {
	m := &machine{family: kblName, gpu: "intel-kbl-gt2", device: "Intel HD Graphics 620", pci: "8086:5916",
		slices: 1, subslices: 3, eus: 24, threads: 7, lowest: 0.3, highest: simulate.Pick(r, 1.0, 1.05), step: 0.05, oaClock: 12e6,
		llc: r.Between(0.05, 0.35), ringRead: 64 * 0.92, ringWrite: 32 * 0.92, near: r.Between(130, 190), far: r.Between(110, 160),
		launch: r.Log(3e3, 9e3), draw: r.Between(120, 320), copy: r.Between(9, 15), simd: 1, cpus: 4, cpuClock: simulate.Pick(r, 3.1e9, 3.5e9, 3.9e9),
		refresh: []float64{60, 60, 60, 48, 75}}
	m.dram = simulate.Pick(r, 29.9, 34.1, 34.1, 19.2) * r.Between(0.74, 0.86)
	if r.Chance(0.35) { // a desktop's
		m.device, m.pci, m.highest, m.cpus, m.cpuClock = "Intel HD Graphics 630", "8086:5912", 1.15, 8, 4.2e9
		m.dram = 38.4 * r.Between(0.74, 0.86)
	}
	m.rate = [leaves]float64{texture: 3, loadStore: 3, localMemory: 3, vertexFetch: 1, clipper: 0.5, setup: 0.5, rasterizer: 2,
		hierarchicalDepth: 1, earlyDepth: 2, pixelBackend: 2, cache: r.Between(2.1, 2.6)}
	return m
}

func newArc(r simulate.Random) *machine {
	m := &machine{family: dg2Name, gpu: "intel-acm-gt3", device: "Intel Arc A770 Graphics", pci: "8086:56a0", discrete: true,
		slices: 8, subslices: 32, eus: 512, threads: 8, lowest: 0.3, highest: simulate.Pick(r, 2.1, 2.25, 2.4), step: 0.05, oaClock: 19.2e6,
		ringRead: 512 * 0.92, ringWrite: 512 * 0.92, near: r.Between(190, 260), far: r.Between(260, 380),
		launch: r.Log(3.5e3, 1e4), draw: r.Between(150, 450), copy: r.Between(18, 25), simd: 0.5, cpus: simulate.Pick(r, 8, 12, 16), cpuClock: simulate.Pick(r, 4.4e9, 4.9e9, 5.2e9),
		refresh: []float64{60, 60, 75, 120, 144}}
	m.dram = simulate.Pick(r, 512.0, 560, 560) * r.Between(0.76, 0.88)
	m.rate = [leaves]float64{texture: 64, loadStore: 32, localMemory: 32, vertexFetch: 16, clipper: 6, setup: 6, rasterizer: 32,
		hierarchicalDepth: 12, earlyDepth: 32, pixelBackend: 32, rayTracing: 32, cache: r.Between(13, 17)}
	return m
}
