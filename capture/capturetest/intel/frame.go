package intel

// Sources of memory traffic.
const (
	srcL3 = iota
	srcColor
	srcDepth
	srcVertex
	srcCommand
	nSources
)

// reads is the share of each source's traffic that is read.
var reads = [nSources]float64{0.8, 0.5, 0.6, 1, 1}

// dram is the highest rate of the memory in bytes per second: two channels of DDR4 at 2133 MT/s.
const dram = 34.1e9

// good is the clocks per result of a unit that nothing slows down.
const good = 1.05

// frame is the work that a case does, as its plant has made it. Rates are per clock of a GPU with one slice, at flow's
// pace.
type frame struct {
	demand    [nUnits]float64
	cost      [nUnits]float64 // clocks per result
	slots     float64         // share of the thread slots that registers and SLM allow
	vertex    float64         // share of the EUs' instructions in vertex shaders
	compute   bool            // a compute job: no pixels
	fpu0      float64         // of the clocks with any pipe active
	fpu1      float64
	both      float64
	send      float64
	moves     float64           // share of instructions
	wide      float64           // pixels per thread of pixel shaders
	early     float64           // share of rasterized pixels that early tests reject
	late      float64           // share of shaded pixels that are thrown away after shading
	samples   float64           // written per pixel that passes
	blended   float64           // of those
	texelMiss float64           // of the 2x2s asked of the samplers
	footprint float64           // cache lines of L3 for each
	bytes     [nSources]float64 // of memory traffic
	cached    float64           // share of it that the CPU's last-level cache answers
	lines     float64           // of cache that a message of the data port touches
	atomics   float64           // of the data port's messages
	barriers  float64           // messages per thread of a compute job
	bankSkew  float64           // accesses of the busiest bank of L3 by the mean of all
	capped    float64           // clock, of the highest
	starved   float64           // share of the time without work
	waits     float64           // share of each frame, at its end, in which the GPU waits
	thread    float64           // load of the processor that it waits for
	turns     bool              // the processor works while the GPU waits, and only then
	ring      float64           // how busy the video engine is
}

func usual(compute bool) *frame {
	f := &frame{demand: base, slots: 0.85, vertex: 0.12, compute: compute, fpu0: 0.75, fpu1: 0.45, both: 0.30,
		send: 0.18, moves: 0.12, wide: 15,
		early: 0.25, late: 0.03, samples: 1, blended: 0.2, texelMiss: 0.10, footprint: 1,
		bytes: [nSources]float64{1.6, 1.3, 0.7, 0.5, 0.2},
		lines: 1.3, atomics: 0.03, barriers: 2, bankSkew: 1.1, capped: 1}
	for u := range f.cost {
		f.cost[u] = good
	}
	if compute {
		for u := vf; u < dispatch; u++ {
			f.demand[u] = 0
		}
		f.vertex, f.demand[backend], f.demand[sampler] = 0, 0, 0.10
		f.demand[data], f.demand[slm] = 0.25, 0.25
		f.bytes = [nSources]float64{srcL3: 4.2, srcCommand: 0.2}
	}
	return f
}

// messages of 64 bytes that the EUs exchange with SLM and L3, and lines that the samplers read from L3, per clock.
func (f *frame) slmMessages() float64  { return 3 * f.demand[slm] }
func (f *frame) dataMessages() float64 { return 3 * f.demand[data] }
func (f *frame) texels() float64       { return 3 * f.demand[sampler] / f.cost[sampler] }
func (f *frame) texLines() float64     { return f.texels() * f.texelMiss * f.footprint }
func (f *frame) l3Reads() float64      { return f.bytes[srcL3] * reads[srcL3] / 64 }

func (f *frame) traffic() (read, written float64) {
	for i, b := range f.bytes {
		read += b * reads[i]
		written += b * (1 - reads[i])
	}
	return read, written
}

// settle makes the work consistent: what L3 misses was asked of it, and units need as long as what passes through them
// takes. maxHz is the highest clock, slices how many there are: memory does not grow with them.
func (f *frame) settle(maxHz, slices float64) {
	for i := range f.bytes {
		f.bytes[i] /= slices
	}
	if lack := 1.25*f.l3Reads() - f.texLines() - f.dataMessages(); lack > 0 {
		if f.compute {
			f.demand[data] += lack / 3
		} else {
			f.footprint *= 1 + lack/f.texLines()
		}
	}
	f.demand[texL3] = f.texLines()
	f.demand[bank] = max(f.demand[bank], (f.texLines()+f.dataMessages())/4*f.bankSkew)
	read, written := f.traffic()
	f.demand[gti] = max(read/64, written/32) * slices
	f.demand[mem] = (read + written) * slices * (1 - f.cached) * maxHz / dram
}
