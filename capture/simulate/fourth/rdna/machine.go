package rdna

import "astrolabe/capture/simulate"

// Resources are what can limit: stations, the launch units, latencies, and the cost of a dispatch.
const (
	byALU = iota
	byTA
	byLDS
	byGL2
	byFabric // with byDRAM one candidate
	byDRAM
	stations
	bySPI = iota - 1
	byLatency
	byOverhead
	resources
)

// candidates in the order of their indices in gains; parts are their resources.
var candidates = []struct {
	simulate.Candidate
	parts []int
}{
	{simulate.Candidate{Level: simulate.LevelUnit, Name: "arithmetic"}, []int{byALU}},
	{simulate.Candidate{Level: simulate.LevelUnit, Name: "load_store"}, []int{byTA}},
	{simulate.Candidate{Level: simulate.LevelUnit, Name: "local_memory"}, []int{byLDS}},
	{simulate.Candidate{Level: simulate.LevelUnit, Name: "wave_launch"}, []int{bySPI}},
	{simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}, []int{byGL2}},
	{simulate.MemoryBandwidth, []int{byFabric, byDRAM}},
	{simulate.MemoryLatency, []int{byLatency}},
	{simulate.LaunchOverhead, []int{byOverhead}},
}

// relief is by how much the times of each resource are multiplied.
type relief [resources]float64

// relieved makes the times of a candidate's resources so long.
func relieved(candidate int, by float64) (r relief) {
	r = unrelieved()
	if candidate >= 0 {
		for _, p := range candidates[candidate].parts {
			r[p] = by
		}
	}
	return r
}

func unrelieved() (r relief) {
	for i := range r {
		r[i] = 1
	}
	return r
}

const (
	units    = 32   // compute units
	engines  = 2    // shader engines, each with launch units
	channels = 8    // of GL2, and of the fabric
	simds    = 2    // of a compute unit
	slots    = 16   // waves of a SIMD
	vgprs    = 1536 // of a lane
	ldsBytes = 128 << 10
	fastest  = 2.799 // GHz
)

// machine is the GPU in one of its states.
type machine struct {
	// By what the servers of a station do less than they could: dependences and conflicts of register banks, bursts,
	// an uneven spread of addresses over channels, refresh and turns of the memory's bus.
	efficiency [stations]float64
	fabric     float64 // bytes a ns, all channels
	dram       float64
	gl0        float64 // cycles to GL0 and back
	gl1        float64 // cycles more to GL1, and so on
	gl2        float64
	mall       float64 // ns
	memory     float64 // ns
	scalar     float64 // cycles of a scalar load that hits
	overhead   float64 // ns of a dispatch within its time stamps at the highest clock
	perWave    float64 // cycles of a launch unit for a wave
	perGroup   float64
	backlog    float64 // how much of the time GL2 takes nothing more of GL1 where DRAM is at its limit
}

func newMachine(r simulate.Random) *machine {
	return &machine{
		efficiency: [stations]float64{byALU: r.Between(0.84, 0.95), byTA: r.Between(0.82, 0.93), byLDS: r.Between(0.85, 0.95),
			byGL2: r.Between(0.66, 0.86), byFabric: r.Between(0.86, 0.95), byDRAM: r.Between(0.78, 0.89)},
		fabric: 1024, dram: 256,
		gl0: r.Between(95, 130), gl1: r.Between(60, 90), gl2: r.Between(110, 150), mall: r.Between(70, 100),
		memory: r.Between(90, 150), scalar: r.Between(45, 75), overhead: r.Between(1100, 2300),
		perWave: r.Between(1, 1.5), perGroup: r.Between(3, 7), backlog: r.Between(0, 0.3),
	}
}
