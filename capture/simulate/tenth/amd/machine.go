package amd

import "astrolabe/capture/simulate"

// machine is a GPU of the family Strix Halo. Rates are those that programs attain, not those of data sheets.
type machine struct {
	product string
	wgps    int // workgroup processors, of two compute units each
	engines int // shader engines
	arrays  int // shader arrays, each with a GL1
	chans   int // channels of GL2, and of the arbiters behind it

	clock  float64 // clocks per ns
	fabric float64 // clocks per ns of the arbiters
	dram   float64 // bytes per ns
	mall   float64 // bytes per ns from the cache in front of the memory, and through the arbiters
	launch float64 // clocks per wave in a shader engine

	l0, gl1, gl2   float64 // latency in clocks: of a hit in L0, and what the next two add
	toMALL, toDRAM float64 // latency in ns that they add
	lds, scalar    float64 // latency in clocks
	window         float64 // ns of waiting in GL2 and behind it that its places for outstanding reads allow
	held, stalls   float64 // share of the time of full queues that L0 and GL1 count as their stalls
	gated          bool    // the counters' clock of L0 is off: they stay 0
	speed          [parts]float64
	noOverhead     bool
	scale          float64 // of the sizes of problems
}

// part is what can set the pace.
type part uint8

const (
	arithmetic part = iota
	loadStore
	localMemory
	waveLaunch
	bandwidth
	cache
	latency
	overhead
	parts
)

// candidates are the parts by their names.
var candidates = [parts]simulate.Candidate{
	{Level: simulate.LevelUnit, Name: "arithmetic"},
	{Level: simulate.LevelUnit, Name: "load_store"},
	{Level: simulate.LevelUnit, Name: "local_memory"},
	{Level: simulate.LevelUnit, Name: "wave_launch"},
	simulate.MemoryBandwidth,
	{Level: simulate.LevelMemory, Name: "cache"},
	simulate.MemoryLatency,
	simulate.LaunchOverhead,
}

// relief is how much faster a part becomes that is relieved.
const relief = 1.5

// relieved is the machine with one part faster, or without overhead.
func (m machine) relieved(p part) machine {
	if p == overhead {
		m.noOverhead = true
	} else {
		m.speed[p] = relief
	}
	return m
}

// Widths of a workgroup processor.
const (
	simds    = 4
	units    = 2 // compute units: each has its own L0, and half of the local memory's ports
	slots    = 16
	ldsBytes = 128 << 10
	lanes    = 32
	line     = 128 // bytes
)

// newMachine draws a machine.
func newMachine(r simulate.Random) machine {
	m := machine{product: "Radeon 8060S Graphics", wgps: 20, engines: 2, arrays: 4, chans: 8}
	if r.Chance(0.35) {
		m.product, m.wgps = "Radeon 8050S Graphics", 16
	}
	m.clock = r.Between(2.1, 2.78)
	m.gated = r.Chance(0.2) // where the power level is left at auto
	m.fabric = r.Between(1.8, 2.0)
	m.dram = 256 * r.Between(0.78, 0.88)
	m.mall = float64(m.chans) * 64 * m.fabric * r.Between(0.72, 0.85)
	m.launch = r.Between(1.3, 2.4)
	m.l0, m.gl1, m.gl2 = r.Between(95, 130), r.Between(50, 80), r.Between(90, 140)
	m.toMALL, m.toDRAM = r.Between(80, 130), r.Between(190, 290)
	m.window = r.Between(500, 1300)
	m.held, m.stalls = r.Between(0.3, 0.85), r.Between(0.03, 0.35)
	m.lds, m.scalar = r.Between(55, 75), r.Between(45, 70)
	m.scale = 1
	for i := range m.speed {
		m.speed[i] = 1
	}
	return m
}

// Shares of the rates of data sheets that units attain.
const (
	aluAttains   = 0.93
	l0Attains    = 0.88
	ldsAttains   = 0.92
	cacheAttains = 0.82
)

// The times of a workgroup processor's part of the machine, in ns.

func (m *machine) tick() float64 { return 1 / m.clock }

func (m *machine) perWave() float64 {
	return m.launch * float64(m.wgps) / float64(m.engines) * m.tick() / m.speed[waveLaunch]
}

// gl1Line is a line's time in the GL1 of a shader array: four banks of 64 bytes.
func (m *machine) gl1Line() float64 {
	each := 4 * 64 * cacheAttains / (float64(m.wgps) / float64(m.arrays)) // bytes per clock
	return line / each * m.tick() / m.speed[cache]
}

// gl2Line is a line's time in GL2: a line per clock and channel.
func (m *machine) gl2Line() float64 {
	return float64(m.wgps) / (float64(m.chans) * cacheAttains) * m.tick() / m.speed[cache]
}

func (m *machine) dramByte() float64 { return float64(m.wgps) / m.dram / m.speed[bandwidth] }
func (m *machine) mallByte() float64 { return float64(m.wgps) / m.mall / m.speed[bandwidth] }
