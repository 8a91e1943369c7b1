package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// Stations of the closed network: what threads and the work before them queue for.
const (
	sVF = iota
	sCL
	sSF
	sRAS
	sHZ
	sEZ
	sPB
	sFPU
	sEM
	sSMP
	sHDC
	sSLM
	sRT
	sL3
	sBW
	stations
)

// Causes of time, of which shares are made: the stations' candidates first, then what is no station.
const (
	cArithmetic = iota
	cTexture
	cLoadStore
	cLocal
	cRay
	cVF
	cCL
	cSF
	cRAS
	cHZ
	cEZ
	cPB
	cCache
	cBandwidth
	cLatency
	cLaunch
	cApp
	cDriver
	cVsync
	cCap
	cRequest
	causes
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var candidates = [causes]simulate.Candidate{
	cArithmetic: unit("arithmetic"), cTexture: unit("texture"), cLoadStore: unit("load_store"), cLocal: unit("local_memory"),
	cRay: unit("ray_tracing"), cVF: unit("vertex_fetch"), cCL: unit("clipper"), cSF: unit("setup"), cRAS: unit("rasterizer"),
	cHZ: unit("hierarchical_depth"), cEZ: unit("early_depth"), cPB: unit("pixel_backend"),
	cCache: {Level: simulate.LevelMemory, Name: "cache"}, cBandwidth: simulate.MemoryBandwidth, cLatency: simulate.MemoryLatency,
	cLaunch: simulate.LaunchOverhead, cApp: simulate.CPUApp, cDriver: simulate.CPUDriver, cVsync: simulate.DisplayVsync,
	cCap: simulate.DisplayCap, cRequest: simulate.DisplayRequest,
}

// causeOf is the candidate of each station. Both pipes of an EU are arithmetic.
var causeOf = [stations]int{cVF, cCL, cSF, cRAS, cHZ, cEZ, cPB, cArithmetic, cArithmetic, cTexture, cLoadStore, cLocal, cRay,
	cCache, cBandwidth}

// product is a part that is sold. Facts are from Mesa's device table and Intel's public data sheets.
type product struct {
	name, id   string // of the catalogue
	device     int
	eus, cores int     // cores are dual subslices or Xe-cores
	slices     int     // geometry pipes: 1, or Xe-cores by four
	mhz        float64 // highest clock
	least      float64
	gbs        []float64 // memory that it is sold with, GB/s
	banks      float64   // of L3: 64 bytes a clock each
	watts      float64
}

var products = map[string][]product{
	"intel-tgl": {
		{"Tiger Lake GT2", "intel-tgl-gt2", 0x9a49, 96, 6, 1, 1300, 100, []float64{68.3, 68.3, 51.2, 25.6}, 8, 28},
		{"Tiger Lake GT2", "intel-tgl-gt2", 0x9a49, 80, 5, 1, 1300, 100, []float64{68.3, 51.2, 25.6}, 8, 28},
		{"Tiger Lake GT2", "intel-tgl-gt2", 0x9a49, 96, 6, 1, 1350, 100, []float64{68.3}, 8, 28},
		{"Tiger Lake GT2", "intel-tgl-gt2", 0x9a40, 80, 5, 1, 1100, 100, []float64{68.3}, 8, 15},
		{"Tiger Lake GT2", "intel-tgl-gt2", 0x9a78, 48, 3, 1, 1250, 100, []float64{51.2, 25.6}, 8, 28},
	},
	"intel-dg2": {
		{"DG2-G10 (ACM)", "intel-acm-gt3", 0x56a0, 512, 32, 8, 2400, 300, []float64{560}, 32, 225},
		{"DG2-G10 (ACM)", "intel-acm-gt3", 0x56a1, 448, 28, 7, 2400, 300, []float64{512}, 28, 225},
		{"DG2-G10 (ACM)", "intel-acm-gt3", 0x56a2, 384, 24, 6, 2000, 300, []float64{512}, 24, 175},
		{"DG2-G10 (ACM)", "intel-acm-gt3", 0x5691, 384, 24, 6, 2050, 300, []float64{336}, 24, 100},
		{"DG2-G11 (ACM)", "intel-acm-gt1", 0x56a5, 128, 8, 2, 2450, 300, []float64{186}, 8, 75},
	},
}

// machine is one computer. All but product is drawn.
type machine struct {
	product
	base     string // family without the model's suffix
	set      string // prefix of its table of metric sets
	threads  float64
	stampHz  float64
	serial   float64           // how many of an EU's threads the network has as tokens
	peak     [stations]float64 // what a core clock serves, of the whole GPU; of sBW bytes per ns
	eff      [stations]float64 // attainable share
	gti      float64           // bytes per core clock between GPU and memory
	memNs    float64           // latency of an idle memory
	memLoad  float64           // by how much of itself it rises when the bus is full
	l3Clocks float64           // latency of L3 in core clocks
	fill     float64           // ns from the start of a pass to full flow
	hide     float64           // what of an EU's pipes' latency its threads cannot hide
	queueSmp float64           // depth of a sampler's input
	queueFF  float64           // depth of buffers between fixed functions
	missSmp  float64           // threads whose misses a sampler can keep
	busySmp  float64           // how much of its time a thread's misses keep it at work
	overlap  float64           // how far the pipes of an EU work at once beyond chance
	gather   float64           // how evenly threads lie over EUs
	sq       float64           // how many requests the queue to memory holds
	lean     [8]float64        // of instances around 1
	cpus     int
}

// slots is how many threads the EUs hold.
func (m *machine) slots() float64 { return float64(m.eus) * m.threads }

func newMachine(base string, r simulate.Random) *machine {
	list := products[base]
	p := list[r.IntN(len(list))]
	m := &machine{product: p, base: base, cpus: simulate.Pick(r, 4, 8, 8, 8, 12, 16)}
	m.gbs = []float64{simulate.Pick(r, p.gbs...)}
	c, s := float64(p.cores), float64(p.slices)
	m.threads, m.stampHz, m.set, m.gti = 7, 19.2e6, "tgl", 64
	if base == "intel-dg2" {
		m.threads, m.stampHz, m.set, m.gti = 8, 38.4e6, "acm3", 512
		if p.id == "intel-acm-gt1" {
			m.set, m.gti = "acm1", 256
		}
		m.memNs, m.l3Clocks = r.Between(260, 420), r.Between(150, 240)
		m.cpus = simulate.Pick(r, 8, 12, 16, 16)
	} else {
		m.memNs, m.l3Clocks = r.Between(140, 260), r.Between(90, 160)
		if base == "intel-tgl" {
			m.cpus = simulate.Pick(r, 4, 8, 8)
		}
	}
	// Vertices, primitives, 2x2 blocks and messages in a core clock. That of the samplers, of shared memory and of the data
	// ports are as the metric sets bound them; of fixed functions they are assumptions from public block diagrams.
	m.peak = [stations]float64{sVF: s * r.Between(0.8, 1.2), sCL: s * r.Between(0.7, 1.1), sSF: s * r.Between(0.5, 1),
		sRAS: 4 * s, sHZ: 16 * s, sEZ: 8 * s, sPB: 4 * s, sFPU: float64(p.eus), sEM: float64(p.eus), sSMP: 2 * c, sHDC: c,
		sSLM: 2 * c, sRT: c, sL3: m.banks, sBW: m.gbs[0]}
	if base == "intel-tgl" {
		m.peak[sPB], m.peak[sRAS] = 6, simulate.Pick(r, 4.0, 6)
		if r.Chance(0.5) {
			m.peak[sVF], m.peak[sCL], m.peak[sSF] = m.peak[sVF]*2, m.peak[sCL]*1.5, m.peak[sSF]*1.5
		}
	} else {
		m.peak[sSLM] = c // a message is a whole access there
	}
	for i := range m.eff {
		m.eff[i] = r.Between(0.78, 0.99)
	}
	m.eff[sFPU], m.eff[sEM] = r.Between(0.8, 0.98), r.Between(0.75, 0.96)
	m.eff[sBW] = r.Between(0.66, 0.9)
	m.serial = r.Between(1.1, 2.6)
	m.memLoad = r.Between(0.3, 1.6)
	m.fill = r.Between(4e3, 22e3)
	m.hide = r.Between(0.6, 2)
	m.queueSmp, m.queueFF = r.Between(3, 9), r.Between(4, 20)
	m.missSmp, m.busySmp = m.threads*r.Between(7, 20), r.Log(0.008, 0.08)
	m.overlap = r.Between(-0.1, 0.25)
	m.gather = r.Between(1, 2.6)
	m.sq = r.Between(5, 16)
	for i := range m.lean {
		m.lean[i] = 1 + r.Between(-0.04, 0.04)
	}
	return m
}

// demand is how long each station works for a load when it has it alone, in ns at a clock of f GHz, and how long its
// threads wait, by the slots that they have: for memory, for L3, and for the results of their own instructions.
func (m *machine) demand(l *load, f float64) (d [stations]float64, wait [3]float64) {
	for i := range d {
		d[i] = l.clocks[i] / (m.peak[i] * m.eff[i] * f)
	}
	d[sBW] = max((l.read+l.write)/(m.peak[sBW]*m.eff[sBW]), l.read/(m.gti*f*0.95), l.write/(m.gti*f*0.7))
	slots := m.slots() * l.room
	own := (l.clocks[sFPU] + l.clocks[sEM]) * m.hide / (f * slots)
	return d, [3]float64{l.memWaits * m.memNs / slots, l.l3Waits * m.l3Clocks / f / slots, own}
}

// tokens is the population of the network for a load.
func (m *machine) tokens(l *load) float64 { return max(1.5, m.threads*m.serial*l.room*l.grain) }

func pow(x, y float64) float64 { return steady(math.Pow(x, y)) }

// steady keeps the last bits of what package math calculates from deciding anything.
func steady(x float64) float64 {
	const bits = 1<<12 - 1
	return math.Float64frombits((math.Float64bits(x) + (bits+1)/2) &^ bits)
}
