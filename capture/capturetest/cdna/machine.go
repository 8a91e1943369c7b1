package cdna

// machine is what the modelled products have, as their sysinfo.csv and data sheets say.
type machine struct {
	gpu, model       string
	cus, engines     float64 // compute units, shader engines
	dies             float64 // XCDs
	channels         float64 // of the L2 cache
	sqcs             float64 // instruction and scalar caches
	slots            float64 // for waves on a SIMD
	hz               float64
	memHz            float64 // of the HBM's command clock, MHz
	hbm              float64 // bytes/s that streams attain, four fifths of the peak
	link             float64 // bytes/s from other devices or the host
	overhead         float64 // cycles that the profiler adds around a dispatch
	ea               string  // what the counters of the interface to the fabric begin with
	wide             bool    // reads of the fabric are 128 bytes
	stalls           bool    // it counts waits for credits by target
	line             float64 // bytes of a request from a vector L1 to the L2
	latency1, lds    float64 // cycles of a hit in the vector L1, and of an access of the LDS
	latency2         float64 // of a hit in the L2
	latencyM         float64 // of memory
	latencyR         float64 // of memory of others
	launch           float64 // cycles of a dispatch before and after its waves
	partition, space string
}

var machines = []*machine{
	{
		gpu: "gfx90a", model: "MI200", cus: 104, engines: 8, dies: 1, channels: 32, sqcs: 56, slots: 8, hz: 1.7e9,
		memHz: 1600, hbm: 1.37e12, link: 50e9, overhead: 4000,
		ea: "TCC_EA", stalls: true, line: 64, latency1: 120, lds: 64, latency2: 300, latencyM: 800, latencyR: 2500,
		launch: 3000, partition: "NA", space: "NA",
	},
	{
		gpu: "gfx942", model: "MI300X_A1", cus: 304, engines: 32, dies: 8, channels: 128, sqcs: 160, slots: 8,
		hz: 2.1e9, memHz: 1300, hbm: 4.2e12, link: 64e9, overhead: 90000,
		ea: "TCC_EA0", wide: true, line: 128, latency1: 120, lds: 64, latency2: 260, latencyM: 1100, latencyR: 3000,
		launch: 5000, partition: "SPX", space: "NPS1",
	},
}

// kernel is what a wave of a kernel does. Numbers are means over its waves.
type kernel struct {
	waves    float64 // in a dispatch
	perSIMD  float64 // waves that a SIMD holds, by the registers, the LDS and the barriers that they take
	short    string  // the counter of the resource that lets no more of them in, "" where it is the waves themselves
	valu     float64 // vector instructions of four cycles
	trans    float64 // transcendental ones, of sixteen
	lanes    float64 // that are active in one
	mfma     float64
	mfmaLong float64 // cycles of one
	salu     float64
	smem     float64
	branch   float64
	lds      float64 // accesses of 256 bytes: two cycles
	conflict float64 // further cycles of one
	loads    float64
	stores   float64
	atomics  float64
	access   float64 // lookups of the vector L1 for one of these: 4 for neighbouring floats, 64 for scattered ones
	lines    float64 // bytes asked of the L2 for one of them that misses, in 64-byte lines
	hit1     float64 // of loads
	hit2     float64
	remote   float64 // share of what misses the L2 that lies in memory of others
	uncached float64 // share of that which no cache may keep
	tlb      float64 // share of translations that miss the first level
	rounds   float64 // times that a wave waits for loads: what depends on what
	rounds3  float64 // times that it waits for the LDS
	barrier  float64 // cycles that it waits for others
	code     float64 // share of fetches that miss
	constant float64 // share of scalar loads that miss
	skew     float64 // the work of the busiest channel, of that of the mean
	hot      float64 // share of the atomics that meet in one line
	dieSkew  float64 // the work of the busiest XCD, of that of the mean
	launch   float64 // more cycles of a dispatch before and after its waves
}

// vmem is the number of vector memory instructions of a wave.
func (k *kernel) vmem() float64 { return k.loads + k.stores + k.atomics }

// insts is the number of all its instructions.
func (k *kernel) insts() float64 {
	return k.valu + k.trans + k.mfma + k.salu + k.smem + k.branch + k.lds + k.vmem()
}

// fetches is how often a wave asks for instructions: eight at a time.
func (k *kernel) fetches() float64 { return k.insts() / 8 }

// asked is the bytes that a wave asks of the L2, and missed those that the L2 asks of the fabric.
func (k *kernel) readBytes() float64  { return 64 * k.lines * k.loads * (1 - k.hit1) }
func (k *kernel) writeBytes() float64 { return 64 * k.lines * k.stores }
func (k *kernel) missed() float64     { return k.missedReads() + k.missedWrites() }
func (k *kernel) missedReads() float64 {
	return k.readBytes() * (1 - k.hit2)
}
func (k *kernel) missedWrites() float64 { return k.writeBytes() * (1 - k.hit2) }

// requests is how many lines and half lines a wave asks of the L2, which takes two halves that a vector L1 reads as
// one.
func (k *kernel) requests() float64 {
	return k.readBytes()/128 + k.writeBytes()/64 + k.atomics*k.lines
}
