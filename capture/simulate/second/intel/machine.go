package intel

import "math/rand/v2"

// model is what all GPUs of one family have in common.
type model struct {
	gpu       string  // of the catalogue
	xe        bool    // Gen12: FPU and extended math in place of two FPUs, and EUs in fused pairs
	subslices int     // dual subslices on Gen12
	eus       int     // of all subslices
	threads   int     // per EU
	banks     int     // of the L3
	pixels    float64 // per clock of the pixel backend
	front     float64 // vertices and triangles per clock, by those of Kaby Lake
	wide      float64 // samples and messages per clock and subslice, by those of Kaby Lake
	gtiWrite  float64 // bytes per clock
	moved     float64 // share of the traffic that compression and the size of the L3 leave
	tsHz      float64
	minMHz    float64
	stepMHz   float64
	skus      []sku
	memories  []memory
	sets      []metricSet
}

// sku is one product.
type sku struct {
	device uint32
	name   string
	maxMHz float64
	cpus   int // logical processors
}

// memory is how the machine's memory is populated: what its channels could carry at best.
type memory struct{ peak float64 } // bytes per ns

// The clocks are those of the products, the widths those of the Gen9 architecture paper and of the full scales in the
// metric sets: 24 EUs with seven threads, a sampler and a data port of 64 bytes per clock per subslice.
var kabyLake = model{
	gpu: "intel-kbl-gt2", subslices: 3, eus: 24, threads: 7, banks: 4, pixels: 8, front: 1, wide: 1,
	gtiWrite: 32, moved: 0.85, tsHz: 12e6, minMHz: 300,
	stepMHz: 50,
	skus: []sku{
		{0x5916, "HD Graphics 620", 1050, 4},
		{0x5917, "UHD Graphics 620", 1100, 8},
		{0x591b, "HD Graphics 630", 1100, 8},
		{0x5912, "HD Graphics 630", 1150, 8},
	},
	memories: []memory{{17.1}, {29.9}, {34.1}, {34.1}, {38.4}}, // one channel of DDR4-2133, LPDDR3-1866, two of DDR4
	sets:     kabyLakeSets,
}

// Tiger Lake has six pairs of subslices with a sampler and a data port each that do twice as much in a clock, and three
// times the pixels.
var tigerLake = model{
	gpu: "intel-tgl-gt2", xe: true, subslices: 6, eus: 96, threads: 7, banks: 8, pixels: 24, front: 1.6, wide: 2,
	gtiWrite: 64, moved: 0.5, tsHz: 19.2e6, minMHz: 100, stepMHz: 50,
	skus: []sku{
		{0x9a49, "Iris Xe Graphics", 1300, 8},
		{0x9a49, "Iris Xe Graphics", 1350, 8},
	},
	memories: []memory{{25.6}, {51.2}, {51.2}, {68.3}}, // one channel of DDR4-3200, two, LPDDR4X-4267
	sets:     tigerLakeSets,
}

var models = map[string]*model{"intel-kbl-gt2-second": &kabyLake, "intel-tgl-second": &tigerLake}

// machine is one computer.
type machine struct {
	*model
	sku
	maxGHz, minGHz float64
	bandwidth      float64 // bytes per ns that the GPU gets of its memory
	llcHits        float64 // share of its traffic that the last level cache serves
	l3Latency      float64 // ns
	memLatency     float64
	euShare        float64   // of issue slots that are ever filled
	bankSkew       []float64 // how unevenly addresses lie over the banks of the L3
	tilt           []float64 // how unevenly threads lie over the subslices
}

func newMachine(m *model, r *rand.Rand) *machine {
	s := m.skus[r.IntN(len(m.skus))]
	peak := m.memories[r.IntN(len(m.memories))].peak
	// Refresh, turnarounds and closed pages take a fifth to a third; programs on the processor take their part.
	out := &machine{model: m, sku: s, maxGHz: s.maxMHz / 1000, minGHz: m.minMHz / 1000,
		bandwidth: peak*span(r, 0.68, 0.82) - span(r, 0.2, 2.5), llcHits: span(r, 0.1, 0.42),
		l3Latency: span(r, 75, 110), memLatency: span(r, 190, 280), euShare: span(r, 0.86, 0.97)}
	for range m.banks {
		out.bankSkew = append(out.bankSkew, span(r, 0.94, 1.06))
	}
	for range m.subslices {
		out.tilt = append(out.tilt, span(r, 0.96, 1.04))
	}
	level(out.bankSkew)
	level(out.tilt)
	return out
}

// level divides values by their mean.
func level(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	for i := range v {
		v[i] *= float64(len(v)) / sum
	}
}

// clock is what holds the GPU's clock.
type clock struct {
	kind  clockKind
	share float64 // of the highest, where something holds it below
	swing float64 // of share, up and down
	wave  float64 // ns of one swing
	boost bool    // of the governor: it goes to the highest when somebody waits for the GPU
	down  float64 // busy share below which the governor goes down a step
	up    float64
}

type clockKind uint8

const (
	clockFixed clockKind = iota // the highest
	clockGovernor
	clockPower
	clockThermal
)

// governor follows the kernel's: it looks at the share of busy time in each evaluation interval and goes a step up or
// down, faster the longer it goes up.
type governor struct {
	clock
	m      *machine
	ghz    float64
	begin  float64 // of the interval
	busy   float64
	streak float64
	track  []clockPoint
}

// clockPoint says since when the GPU has had a clock.
type clockPoint struct{ at, ghz float64 }

const evaluation = 16e6 // ns

func newGovernor(c clock, m *machine, released bool) *governor {
	g := &governor{clock: c, m: m, ghz: m.maxGHz}
	if released {
		g.kind = clockFixed
	}
	switch g.kind {
	case clockGovernor:
		g.ghz = m.minGHz + (m.maxGHz-m.minGHz)*c.share
	case clockPower, clockThermal:
		g.ghz = g.step(m.maxGHz * c.share)
	}
	g.track = []clockPoint{{0, g.ghz}}
	return g
}

func (g *governor) step(ghz float64) float64 {
	s := g.m.stepMHz / 1000
	return min(g.m.maxGHz, max(g.m.minGHz, float64(int(ghz/s+0.5))*s))
}

// spend tells the governor of busy time until now.
func (g *governor) spend(from, to float64, busy bool) {
	for g.kind != clockFixed && to >= g.begin+evaluation {
		end := g.begin + evaluation
		if busy {
			g.busy += max(0, end-max(from, g.begin))
		}
		// A pass keeps the clock that it began with.
		g.evaluate(end, map[bool]float64{false: end, true: to}[busy])
		from = max(from, end)
	}
	if busy {
		g.busy += max(0, to-from)
	}
}

func (g *governor) evaluate(at, effect float64) {
	share := g.busy / evaluation
	g.begin, g.busy = at, 0
	ghz := g.ghz
	switch g.kind {
	case clockGovernor:
		step := g.m.stepMHz / 1000
		switch {
		case share > g.up:
			g.streak = max(1, min(8, g.streak*2))
		case share < g.down:
			g.streak = min(-1, max(-4, g.streak*2))
		default:
			g.streak = 0
		}
		ghz = g.step(ghz + g.streak*step)
	default:
		phase := at / g.wave
		phase -= float64(int(phase))
		ghz = g.step(g.m.maxGHz * g.share * (1 + g.swing*(4*max(phase, 1-phase)-3)))
	}
	g.set(effect, ghz)
}

// waited tells the governor that somebody waits for the GPU.
func (g *governor) waited(at float64) {
	if g.kind == clockGovernor && g.boost {
		g.set(at, g.m.maxGHz)
	}
}

func (g *governor) set(at, ghz float64) {
	if ghz != g.ghz {
		g.ghz = ghz
		g.track = append(g.track, clockPoint{at, ghz})
	}
}

func span(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
