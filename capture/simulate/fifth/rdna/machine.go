package rdna

import "astrolabe/capture/simulate"

// machine is a Strix Halo GPU with what memory and firmware make of it. Cycles are of the shader clock at its highest.
type machine struct {
	name     string
	cus      int
	mhz      float64
	vectors  float64 // waves' vector instructions that a SIMD issues in a cycle; above 1 where pairs are found
	launch   float64 // cycles that a launcher needs for a wave
	group    float64 // and for a workgroup
	overhead float64 // ns before the first workgroup
	finish   float64 // ns from the last wave's end to the end of the dispatch

	near, middle, far float64         // ns of a load that the first level, GL2 and memory serve
	dram, mall        float64         // bytes per ns that can be reached
	queue             float64         // how much is waited at a unit under load, 1 is as with random arrival
	hold              float64         // cycles that the clock of a vector cache stays on
	reached           [queues]float64 // share of a unit's rate that kernels can reach
	clashes           float64         // cycles that an instruction waits for others of its SIMD
	sits              float64         // share of the time in the queues of memory's units that instructions wait before they are issued
	pressed           float64         // how much of what is full is felt one level up
	room              float64         // reads that all GL1 may have under way
	width             float64         // bytes per cycle of a GL2 channel
	arbiter           float64         // cycles of a memory arbiter for 64 bytes
	perRequest        float64         // how often it counts a request, over all virtual channels
}

const (
	simds     = 2  // per CU
	waves     = 16 // per SIMD
	engines   = 2
	gl1s      = 16
	channels  = 8
	registers = 1536 // of a lane in a SIMD
	local     = 131072
)

func drawMachine(r simulate.Random) *machine {
	m := &machine{name: "Radeon 8060S", cus: 40, mhz: 2900}
	if r.Chance(0.5) {
		m.name, m.cus, m.mhz = "Radeon 8050S", 32, 2799
	}
	m.vectors = r.Between(0.8, 1)
	m.launch, m.group = r.Between(0.7, 1.9), r.Between(1.5, 10)
	m.overhead, m.finish = r.Log(1500, 7000), r.Log(600, 2500)
	m.near = r.Between(38, 60)
	m.middle = m.near + r.Between(45, 90)
	m.far = m.middle + r.Between(130, 260)
	m.dram, m.mall = 256*r.Between(0.68, 0.9), r.Between(620, 1050)
	m.queue, m.hold, m.width = r.Between(0.35, 0.9), r.Between(3, 12), 128
	m.reached = [queues]float64{vectorALU: 1, localMemory: r.Between(0.78, 0.98), loadStore: r.Between(0.65, 0.97),
		firstCache: r.Between(0.7, 0.97), lastCache: r.Between(0.65, 0.95), memory: 1}
	m.sits = r.Between(0.3, 0.7)
	m.clashes = r.Log(0.2, 2)
	m.pressed = r.Log(0.03, 0.7)
	m.room = r.Log(600, 2400)
	return m
}

// requests draws how a machine's arbiters count, and how kernels ask for what they ask for.
func (c *scenario) requests(r simulate.Random) {
	c.m.arbiter, c.m.perRequest = r.Between(0.6, 1), r.Between(6.5, 10)
	for i := range c.kernels {
		k := &c.kernels[i]
		k.wide, k.halves = simulate.Pick(r, 0, r.Between(0, 0.3), r.Float64()), 0.5
		if k.pieces > 8 { // scattered
			k.wide, k.halves = k.wide*0.1, r.Between(0, 0.3)
		}
		k.arguments, k.first, k.strange = float64(r.Whole(1, 9)), r.Log(5, 80), r.Log(0.0005, 0.08)
	}
}

func (m *machine) wgps() int { return m.cus / 2 }

// kernel is a program of the GPU. Instructions and requests are of one turn of the loop of a wave.
type kernel struct {
	name          string
	waves         int // in all
	perGroup      int // waves of a workgroup
	vgprs, sgprs  int
	localBytes    int
	turns         float64
	uneven        float64 // between workgroups
	vector        float64 // instructions, the slow ones among them
	slow, double  float64 // those at a quarter of the rate, and of double precision
	chain         float64 // cycles of a result's latency that a wave waits for itself, per vector instruction
	scalar, fetch float64 // scalar instructions and loads
	shared        float64 // instructions on local memory
	atomics       float64 // those of them that return something
	conflicts     float64 // cycles of an instruction there
	loads, stores float64 // instructions
	pieces        float64 // requests of 64 bytes per load or store
	kept          float64 // share of reads that the first level serves
	kept1, kept2  float64 // of the rest GL1, and of the rest of that GL2
	writes2       float64 // share of writes that GL2 keeps
	inMALL        float64 // share of the traffic to memory that its cache serves
	together      float64 // loads that are waited for at once
	ahead         float64 // share of their latency that the wave itself hides
	barrier       float64 // share of time that waves wait for others of their group
	camped        float64 // share of a cache's rate that its addresses let it reach
	fetchMisses   float64 // cycles per turn that waves wait for instructions

	// What only counters see.
	wide      float64 // share of lines that the vector cache asks GL1 for at once, and not in halves
	halves    float64 // share of writes that GL2 does not keep which are to a line that another one has begun
	arguments float64 // scalar loads of a wave at its beginning
	first     float64 // cycles that a wave waits for its first instructions
	strange   float64 // share of scalar loads that miss
}

// resident is how many waves of the kernel the GPU holds at once.
func (k *kernel) resident(m *machine) int {
	perSIMD := min(waves, registers/max(24, (k.vgprs+23)/24*24))
	all := perSIMD * simds * m.cus
	if k.localBytes > 0 {
		all = min(all, local/k.localBytes*k.perGroup*m.wgps())
	}
	return max(k.perGroup, min(all, k.waves))
}
