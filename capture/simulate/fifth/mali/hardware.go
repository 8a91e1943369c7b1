package mali

import (
	"fmt"
	"math/bits"

	"astrolabe/capture/simulate"
)

// product is a GPU that is sold. The numbers of cores are those of products.csv of Arm's counter database and of chips
// that are known to the public (a Rockchip RK3588 has a G610 with 4 cores, 4 slices of L2 of 256 KiB); clocks and
// bandwidths are the order of magnitude of the phones and boards of the years.
type product struct {
	name, catalogue string
	id              uint64
	least, most     int // cores
	ghz             [2]float64
	gbs             [2]float64 // of the memory, at most
}

var gen5 = []product{
	{"Immortalis-G720", "immortalis-g720", 0xc0000010, 10, 12, [2]float64{1.0, 1.4}, [2]float64{55, 77}},
	{"Mali-G720", "mali-g720", 0xc0000000, 6, 9, [2]float64{0.85, 1.3}, [2]float64{34, 68}},
	{"Mali-G620", "mali-g620", 0xc0000000, 2, 5, [2]float64{0.8, 1.1}, [2]float64{17, 38}},
}

var valhall = []product{
	{"Mali-G710", "mali-g710", 0xa0020000, 7, 10, [2]float64{0.65, 0.96}, [2]float64{34, 55}},
	{"Mali-G610", "mali-g610", 0xa0070000, 3, 6, [2]float64{0.75, 1.0}, [2]float64{17, 34}},
	{"Mali-G510", "mali-g510", 0xa0030000, 2, 6, [2]float64{0.6, 1.0}, [2]float64{12, 25}},
	{"Mali-G310", "mali-g310", 0xa0040000, 1, 2, [2]float64{0.6, 0.95}, [2]float64{8, 17}},
}

// Stations are where work is served: those of a core, those that all cores share, and the memory. need of a segment is
// in cycles of the GPU's clock, but for the last two in ns.
const (
	stArith = iota
	stTex
	stVary
	stLS
	stRT
	stRast
	stPixel
	stTiler // the first that cores share
	stCache
	stBus // the memory's bandwidth
	stLat // the time that an access to the memory takes: everybody waits for himself
	stations
)

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var candidates = [stations]simulate.Candidate{unit("arithmetic"), unit("texture"), unit("varying"), unit("load_store"),
	unit("ray_tracing"), unit("rasterizer"), unit("pixel_backend"), unit("tiler"),
	{Level: simulate.LevelMemory, Name: "cache"}, simulate.MemoryBandwidth, simulate.MemoryLatency}

// Queues of the front end.
const (
	qBinning = iota // vertex and tiling work; binning phase
	qMain           // fragments; main phase
	qCompute
	queues
)

var queueNames = [queues]string{"vertex", "fragment", "compute"}

// machine is the hardware of a case.
type machine struct {
	product
	five    bool // 5th generation
	layout  string
	cores   int
	mask    uint64
	slices  int
	bus     float64 // bytes of a beat
	warps   float64 // that a core holds at most
	steps   []float64
	dram    float64 // bytes per ns that can be had
	axi     float64 // share of the bus's beats that can be had
	lat     float64 // ns of an access to an idle memory
	rise    float64 // by how much of itself that grows when the memory is full
	eff     [stations]float64
	kept    float64 // share of what is written that is overwritten in L2 before it leaves
	taskPx  float64
	varRate float64

	// Habits of the hardware that only counters show.
	arKeen, awKeen float64 // how soon requests pile up at the bus,
	arMost, awMost float64 // and for how much of the time they do at most: the rest of what is too much waits in L2
	l2Keen, l2Most float64 // the same of L2
	fpkSoft        float64
	depends        float64 // share of what arithmetic does not attain that is waiting for results
	most           float64 // reads of a slice that may be under way
	blur           float64 // spread of the latency of one read
	assign         float64 // how much of the time a queue waits while another has the cores
	fpkHold        float64
	starveOther    float64
	flushNs        float64
	irqNs          float64
	ceuNs          float64
	snoop          float64
	scoreboard     float64    // share of a job in which its stream waits for its end
	streams        [4]int     // which stream interface each queue's commands come through; the last is others'
	domains        int        // clocks that the driver tells
	early          float64    // share of a launch in which the queue holds the job already
	blocked        float64    // share of that in which it counts as waiting for room
	mcu, lsu       float64    // how busy launches keep the microcontroller and the front end's loads
	habit          [8]float64 // of counts that hardly matter, in relation to what they go with
	clock          clockPolicy
}

func drawMachine(r simulate.Random, five bool) *machine {
	m := &machine{five: five, layout: "Mali-G710", taskPx: 32 * 32, varRate: 2}
	list := valhall
	if five {
		list, m.layout, m.taskPx, m.varRate = gen5, "Mali-G720", 64*64, 4
	}
	m.product = list[r.IntN(len(list))]
	m.cores = r.Whole(m.least, m.product.most)
	m.mask = drawMask(r, m.cores)
	switch {
	case m.cores >= 10:
		m.slices = simulate.Pick(r, 2, 4, 4)
	case m.cores >= 4:
		m.slices = simulate.Pick(r, 2, 2, 4)
	default:
		m.slices = simulate.Pick(r, 1, 1, 2)
	}
	top := r.Between(m.ghz[0], m.ghz[1])
	n := r.Whole(5, 12)
	low := r.Between(0.15, 0.35)
	for i := range n {
		m.steps = append(m.steps, float64(int(1e3*top*(low+(1-low)*float64(i)/float64(n-1))))/1e3)
	}
	top = m.steps[n-1]
	m.dram = r.Between(m.gbs[0], m.gbs[1]) * r.Between(0.6, 0.85)
	m.axi = r.Between(0.75, 0.93)
	m.bus = 16
	if 16*float64(m.slices)*top*m.axi < 1.15*m.dram {
		m.bus = 32
	}
	m.warps = simulate.Pick(r, 64.0, 64, 96, 128)
	m.lat, m.rise = r.Between(95, 230), r.Between(0.5, 2.5)
	m.eff = [stations]float64{r.Between(0.66, 0.98), r.Between(0.64, 0.97), r.Between(0.72, 0.98), r.Between(0.58, 0.95),
		r.Between(0.58, 0.95), r.Between(0.65, 0.96), r.Between(0.65, 0.96), r.Between(0.5, 0.92), r.Between(0.5, 0.9), 1, 1}
	m.kept = r.Between(0, 0.3)
	m.arKeen, m.awKeen, m.arMost, m.awMost = r.Log(2, 60), r.Log(2, 60), r.Log(0.06, 1), r.Log(0.04, 0.8)
	m.l2Keen, m.l2Most, m.fpkSoft, m.depends = r.Log(2, 60), r.Between(0.3, 1), r.Log(0.02, 0.15), r.Between(0, 0.8)
	m.product.id += uint64(r.IntN(3))
	m.most = simulate.Pick(r, 48.0, 64, 96, 128)
	m.blur = r.Between(0.18, 0.45)
	m.assign, m.fpkHold, m.starveOther = r.Log(0.02, 0.4), r.Between(0.4, 0.8), r.Between(0.02, 0.12)
	m.flushNs, m.irqNs, m.ceuNs = r.Log(800, 9000), r.Log(1500, 15000), r.Log(500, 6000)
	m.snoop, m.scoreboard = r.Between(0, 0.5), r.Between(0.35, 1)
	for i, s := range r.Perm(4) {
		m.streams[i] = s
	}
	if r.Chance(0.15) { // a driver that sends compute through the stream of vertices
		m.streams[qCompute] = m.streams[qBinning]
	}
	m.domains = simulate.Pick(r, 1, 1, 2)
	m.early, m.blocked, m.mcu, m.lsu = r.Between(0.1, 0.8), r.Between(0, 0.6), r.Log(0.04, 0.6), r.Log(0.03, 0.4)
	for i := range m.habit {
		m.habit[i] = r.Log(0.4, 2.5)
	}
	m.clock = drawClock(r, len(m.steps))
	return m
}

// drawMask is a mask of cores, which now and then has holes: defective ones are fused off.
func drawMask(r simulate.Random, cores int) uint64 {
	mask := uint64(1)<<cores - 1
	if r.Chance(0.3) && cores > 1 {
		mask = mask<<1 | 1
		mask &^= 1 << r.Whole(1, cores-1)
	}
	if bits.OnesCount64(mask) != cores {
		mask = uint64(1)<<cores - 1
	}
	return mask
}

func (m *machine) coreIDs() (out []string) {
	for x := m.mask; x != 0; x &= x - 1 {
		out = append(out, fmt.Sprint(bits.TrailingZeros64(x)))
	}
	return out
}

func (m *machine) top() float64 { return m.steps[len(m.steps)-1] }

// issue is how many cycles a core needs to issue a warp's arithmetic: Arm's formulas of the unit's use, by which the
// 5th generation has two multiply-add pipes, one of them beside conversions, and G710 one way for all three.
func (m *machine) issue(fma, cvt, sfu float64) float64 {
	if m.five {
		return max(cvt+sfu+max(0, fma-cvt-sfu)/2, 4*sfu, fma/2)
	}
	return max(fma+cvt+sfu, 4*sfu)
}
