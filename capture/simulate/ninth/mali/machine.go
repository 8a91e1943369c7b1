package mali

import "astrolabe/capture/simulate"

// Stations at which warps wait for service. Those up to stBack are one in each core.
const (
	stArith = iota
	stTex
	stVary
	stLS
	stRay
	stRast
	stBack
	stTiler
	stL2
	stDRAM
	stations
)

// Causes of the path beyond the stations.
const (
	causeLatency = stations + iota
	causeLaunch
	causeApp
	causeDriver
	causeVsync
	causeCap
	causeStart
	causes
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

// candidates are by cause.
var candidates = [causes]simulate.Candidate{
	stArith: unit("arithmetic"), stTex: unit("texture"), stVary: unit("varying"), stLS: unit("load_store"),
	stRay: unit("ray_tracing"), stRast: unit("rasterizer"), stBack: unit("pixel_backend"), stTiler: unit("tiler"),
	stL2: {Level: simulate.LevelMemory, Name: "cache"}, stDRAM: simulate.MemoryBandwidth,
	causeLatency: simulate.MemoryLatency, causeLaunch: simulate.LaunchOverhead, causeApp: simulate.CPUApp,
	causeDriver: simulate.CPUDriver, causeVsync: simulate.DisplayVsync, causeCap: simulate.DisplayCap,
	causeStart: simulate.DisplayRequest,
}

// Queues. A job manager has one for all that is not fragment work, and then none is queueComp.
const (
	queueGeom = iota // job slot 1, or the binning phase's iterator
	queueFrag        // job slot 0, or the main phase's
	queueComp
	queues
)

// machine is a chip with one of the two GPUs.
type machine struct {
	family, gpu, title string
	id                 string
	soc                string
	csf                bool
	queues             []string

	cores, slices, warp int
	pus                 float64 // processing units of a core
	slots               float64 // warps that a core holds if each has at most 32 registers
	texQuads            float64 // bilinear quads that a core filters in a clock
	varySlots           float64
	pixels              float64 // that a core writes to its tile in a clock
	tri                 float64 // clocks that the tiler takes for a visible primitive; a culled one takes a third
	l2Line              float64 // clocks of a slice for a line
	bus                 float64 // bytes of a beat of a slice's external bus
	l2Latency           float64 // clocks
	dram                float64 // bytes per ns that the GPU can have
	latency             float64 // ns of external memory without load
	launch, finish      float64 // ns to start a job and to end one
	interrupt           float64 // ns until the processor knows of it
	eff                 [stations]float64
	clock               simulate.Clock
	cpus                int
	fast                int // of them, that run threads of games
}

func (m *machine) ghz(share float64) float64 { return m.clock.Highest * share / 1e9 }

// newMachine draws a chip. What differs between chips that are sold is drawn, and so is what nobody publishes.
func newMachine(family string, r simulate.Random) *machine {
	m := &machine{family: family, clock: simulate.Clock{Period: 20e6, Up: 0.8, Down: 0.55}}
	hz := 0.0
	if family == nameG1 {
		m.gpu, m.title, m.id, m.csf = "mali-g1-ultra", "Mali G1-Ultra", "0xe0000", true
		m.queues = []string{"binning", "main", "compute"}
		m.soc, m.cores, m.slices, m.warp, m.pus, m.slots = "Dimensity 9500", simulate.Pick(r, 12, 12, 10), 4, 16, 4, 128
		m.texQuads, m.varySlots, m.pixels, m.tri, m.l2Line = 2, 4, 4, r.Between(0.9, 1.4), 1
		m.bus, m.l2Latency = simulate.Pick(r, 16.0, 32), 90
		m.dram, m.latency = 85*r.Between(0.5, 0.72), r.Between(170, 280)
		m.launch, m.finish, m.interrupt = r.Between(4e3, 9e3), r.Between(3e3, 7e3), r.Between(20e3, 50e3)
		m.cpus, m.fast, hz = 8, 4, simulate.Pick(r, 1.0e9, 1.11e9)
		m.clock.Steps = []float64{0.24, 0.38, 0.52, 0.66, 0.8, 0.9, 1}
	} else {
		m.gpu, m.title, m.id = "mali-g52", "Mali-G52", "0x70020000"
		m.queues = []string{"non_fragment", "fragment"}
		m.slices, m.warp, m.slots, m.texQuads, m.varySlots, m.pixels = 1, 8, 64, 0.5, 1, 2
		m.tri, m.l2Line, m.bus, m.l2Latency = r.Between(2.4, 3.6), 2, 16, 60
		m.latency, m.cpus, m.fast = r.Between(180, 330), 8, 2
		m.launch, m.finish, m.interrupt = r.Between(9e3, 22e3), r.Between(7e3, 16e3), r.Between(30e3, 90e3)
		share := r.Between(0.45, 0.68)
		switch r.IntN(4) {
		case 0:
			m.soc, m.cores, m.pus, hz, m.dram, m.cpus = "RK3566", 1, 2, 0.8e9, 8.4*share, 4
		case 1:
			m.soc, m.cores, m.pus, hz, m.dram = "Helio G85", 2, 3, 1.0e9, 14.4*share
		case 2:
			m.soc, m.cores, m.pus, hz, m.dram, m.cpus, m.fast = "S922X", 2, 3, 0.8e9, 10.5*share, 6, 4
		default:
			m.soc, m.cores, m.pus, hz, m.dram = "T618", 2, 2, 0.85e9, 14.9*share
		}
		m.slots = 32 * m.pus
		m.clock.Steps = []float64{0.36, 0.5, 0.65, 0.8, 1}
	}
	m.clock.Highest = hz
	m.clock.Start = len(m.clock.Steps) - 1
	for s := range m.eff {
		m.eff[s] = r.Between(0.82, 0.96)
	}
	m.eff[stTex] = r.Between(0.78, 0.92) // accesses that fall into one bank
	m.eff[stDRAM] = 1                    // which dram has already
	return m
}
