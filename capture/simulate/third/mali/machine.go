package mali

import (
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// A quantity is something that a pass does and the hardware counts or spends time on.
const (
	qFMA       = iota // instructions of a warp
	qCVT              //
	qSFU              //
	qMessage          // texture messages of two quads
	qFilter           // cycles of the texture unit's filter
	qIndex            // cycles of its index calculation
	qLookup           // cycles of its cache lookup
	qComplex          // cycles of loading compressed texels
	qTexOut           // beats of its answers
	qSlot32           // interpolated slots
	qSlot16           //
	qReadFull         // cycles of the load/store unit
	qReadPart         //
	qWriteFull        //
	qWritePart        //
	qAtomic           //
	qBox              // cycles of the ray tracing unit's box tester
	qTriangle         //
	qRay              //
	qPrimitive        // that the tiler is given
	qVisible          // that it bins
	qPosition         // tasks of position shading
	qVarying          // tasks of varying shading
	qRastPrim         // primitives in tiles
	qQuad             // rasterized
	qKilled           // quads that early tests kill
	qTile             // of 32 x 32 pixels
	qWarp             //
	qBlend            // cycles of the blender and the tile memory
	qFrontRead        // beats of 16 bytes between a core and the L2 cache
	qLoadRead         //
	qTexRead          //
	qOtherRead        //
	qLoadWrite        //
	qTileWrite        //
	qTilerBeat        // beats of the tiler, reads and writes alike
	qMissFront        // beats that come from memory
	qMissLoad         //
	qMissTex          //
	qMissTiler        //
	qMemWrite         // beats that reach memory
	qWaited           // reads that somebody waits for, over the share of requests that can be in flight
	quantities
)

type work [quantities]float64

func (w *work) scale(by float64) {
	for i := range w {
		w[i] *= by
	}
}

// A resource is what passes take time from.
const (
	rArithmetic = iota
	rTexture
	rVarying
	rLoadStore
	rRayTracing
	rTiler
	rRasterizer
	rBackend
	rCache
	rBandwidth
	rLatency
	resources
)

const (
	beat = 16.0 // bytes that a core and the L2 cache exchange per cycle
	line = 64.0 // bytes of a request
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var leafOf = [resources]simulate.Candidate{unit("arithmetic"), unit("texture"), unit("varying"), unit("load_store"),
	unit("ray_tracing"), unit("tiler"), unit("rasterizer"), unit("pixel_backend"),
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.MemoryBandwidth, simulate.MemoryLatency}

// machine is one phone or board.
type machine struct {
	gen5      bool // Mali-G720
	cores     int
	slices    int
	busBits   int
	lookups   float64   // of a line that a slice of the L2 cache does per cycle
	hz        float64   // highest clock
	steps     []float64 // shares of it that the clock can have
	bandwidth float64   // bytes per ns that memory gives the GPU
	latency   float64   // ns of an unloaded read
	inFlight  float64   // reads that all cores together can have in flight
	efficient [resources]float64
	faster    [resources]float64 // by relief; latency's is of the time
	irq       float64            // ns from the GPU's end to the processor's start
	cpus      int
}

func drawMachine(r *rand.Rand, gen5 bool) *machine {
	m := &machine{gen5: gen5, busBits: 128, lookups: 1, irq: uniform(r, 15e3, 60e3), cpus: 8}
	if gen5 {
		m.cores = pick(r, 6, 7, 8, 9)
		m.slices = pick(r, 2, 4)
		m.hz = pick(r, 850e6, 955e6, 1000e6, 1100e6, 1300e6)
		m.bandwidth = uniform(r, 24, 44)
	} else {
		m.cores = pick(r, 7, 7, 10, 10, 12)
		m.slices = pick(r, 2, 4)
		m.hz = pick(r, 700e6, 800e6, 848e6, 850e6, 900e6)
		m.bandwidth = uniform(r, 17, 32)
	}
	n := 5 + r.IntN(5)
	for i := range n {
		m.steps = append(m.steps, 0.25+0.75*float64(i+1)/float64(n))
	}
	m.latency = uniform(r, 150, 240)
	m.inFlight = float64(m.cores) * uniform(r, 56, 96)
	for i := range m.efficient {
		m.efficient[i] = uniform(r, 0.86, 0.98)
		m.faster[i] = 1
	}
	m.efficient[rBandwidth] = uniform(r, 0.78, 0.92) // refresh, turns between reads and writes
	m.efficient[rLatency] = 1
	return m
}

// arithmetic is the cycles for which a core issues, as Arm's formulas have it: the G720 issues two FMA at a time.
func (m *machine) arithmetic(w *work) float64 {
	fma, other := w[qFMA], w[qCVT]+w[qSFU]
	if m.gen5 {
		return max(other+(fma-min(fma, other))/2, 4*w[qSFU])
	}
	return max(fma+other, 4*w[qSFU])
}

func (m *machine) texture(w *work) float64 {
	if m.gen5 {
		return max(w[qFilter], w[qIndex], w[qLookup], w[qComplex], w[qTexOut])
	}
	return w[qFilter]
}

func (m *machine) slots() float64 {
	if m.gen5 {
		return 4
	}
	return 2
}

// quads is how many of them a core rasterizes per cycle.
func (m *machine) quads() float64 {
	if m.gen5 {
		return 1.5
	}
	return 1
}

func lookups(w *work) float64 {
	return (w[qFrontRead] + w[qLoadRead] + w[qTexRead] + w[qOtherRead] + w[qLoadWrite] + w[qTileWrite] + w[qTilerBeat]) * beat / line
}

func memoryBytes(w *work) float64 {
	return beat * (w[qMissFront] + w[qMissLoad] + w[qMissTex] + w[qMissTiler] + w[qMemWrite])
}

// terms is how long each resource takes for w alone, in ns at the highest clock, with all cores.
func (m *machine) terms(w *work) (t [resources]float64) {
	core := float64(m.cores) * m.hz * 1e-9 // cycles per ns
	top := m.hz * 1e-9
	t[rArithmetic] = m.arithmetic(w) / core
	t[rTexture] = m.texture(w) / core
	t[rVarying] = (w[qSlot32] + w[qSlot16]) / m.slots() / core
	t[rLoadStore] = (w[qReadFull] + w[qReadPart] + w[qWriteFull] + w[qWritePart] + w[qAtomic]) / core
	t[rRayTracing] = max(w[qBox], w[qTriangle]) / core
	t[rTiler] = (w[qPrimitive] + 0.6*w[qVisible] + 0.25*w[qTilerBeat]) / top
	t[rRasterizer] = (w[qQuad]/m.quads() + 1.5*w[qRastPrim] + 40*w[qTile]) / core
	t[rBackend] = (w[qBlend] + w[qTileWrite]) / core
	t[rCache] = lookups(w) / (float64(m.slices) * m.lookups * top)
	t[rBandwidth] = memoryBytes(w) / m.bandwidth
	t[rLatency] = w[qWaited] * m.latency / m.inFlight
	for i := range t {
		t[i] /= m.efficient[i] * m.faster[i]
	}
	return t
}

// clocked says whether a resource runs at the GPU's clock.
func clocked(resource int) bool { return resource < rBandwidth }

// power6 is for the norm that joins the times of resources: work of several units overlaps well, but not wholly, because
// warps that wait for one keep others waiting now and then.
func power6(x float64) float64 { x *= x * x; return x * x }

func root6(x float64) float64 { return math.Cbrt(math.Sqrt(x)) }

func uniform(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// logarithmic draws a number whose magnitude is even.
func logarithmic(r *rand.Rand, lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
