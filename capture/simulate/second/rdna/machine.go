package rdna

import "math/rand/v2"

// machine is one Strix Halo. Rates are per cycle of the shader clock and of the whole chip.
type machine struct {
	cus      int
	clock    float64 // GHz
	model    string
	gl2      float64 // cycles of service of all channels per cycle: less than 8 where channels are hit unevenly
	fabric   float64 // bytes per cycle in each direction, between GL2 and the memory-side cache
	dram     float64 // bytes per cycle for requests in long runs, less what the processor takes
	launch   float64 // waves per cycle that all launchers start, of workgroups that need little
	begin    float64 // cycles from the packet to the first wave
	end      float64 // cycles from the last wave to the signal: caches are written back
	inFlight int     // requests of 64 bytes under way per L0

	// shares of their cycles that units can use at best: fetches, register banks and returns take the rest
	simd, lds, ta float64

	latency latencies
}

// latencies are cycles without a queue, each on top of the one before.
type latencies struct {
	l0, gl1, gl2, mall, dram float64
	scalar, lds              float64
}

const (
	gl2Channels  = 8
	simdsPerWGP  = 4
	wavesPerSIMD = 16
	vgprsPerSIMD = 1536 // of 32 lanes
	ldsPerWGP    = 128 << 10
	lineBytes    = 128
	segmentBytes = 64
	lineCost     = 1.5 // cycles of a GL2 channel per line, by those of a request of 64 bytes
)

func (m *machine) wgps() int { return m.cus / 2 }

func drawMachine(r *rand.Rand, standard bool) *machine {
	m := &machine{cus: 32, model: "8050S", clock: 2.799}
	if r.IntN(2) == 0 {
		m.cus, m.model, m.clock = 40, "8060S", 2.9
	}
	// The package's power allows no more, or the power level for profiles sets a clock that it can always hold.
	of := between(r, 0.82, 1)
	if standard {
		of *= 0.75
	}
	m.clock *= of
	fabric := between(r, 1.8, 2.0) // GHz
	m.gl2 = gl2Channels * between(r, 0.8, 0.95)
	m.fabric = 8 * 64 * fabric / m.clock * between(r, 0.85, 0.95)
	m.dram = 256 / m.clock * between(r, 0.78, 0.9) * between(r, 0.88, 1)
	m.launch = between(r, 1.05, 1.9)
	m.begin = between(r, 1.4, 2.6) * 1000 * m.clock
	m.end = between(r, 0.8, 1.8) * 1000 * m.clock
	m.inFlight = 280 + r.IntN(180)
	m.simd, m.lds, m.ta = between(r, 0.86, 0.97), between(r, 0.82, 0.95), between(r, 0.78, 0.93)
	m.latency = latencies{
		l0:     between(r, 65, 85),
		gl1:    between(r, 45, 65),
		gl2:    between(r, 95, 130),
		mall:   between(r, 190, 270) * of,
		dram:   between(r, 330, 480) * of,
		scalar: between(r, 50, 90),
		lds:    between(r, 30, 40),
	}
	return m
}

func between(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// relief is what is made better: rates are multiplied, times too.
type relief struct {
	arithmetic, loadStore, local, launch, bandwidth, cache float64 // rates
	latency, overhead                                      float64 // times
}

func noRelief() relief { return relief{1, 1, 1, 1, 1, 1, 1, 1} }
