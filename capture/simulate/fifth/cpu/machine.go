package cpu

import "astrolabe/capture/simulate"

// maker is whose processor it is: it decides which events there are and what the generic ones count.
type maker int

const (
	intelMetrics maker = iota // with PERF_METRICS, Ice Lake and later
	intelIssue                // Skylake and before: perf's older topdown events
	amdZen                    // Zen 4 and 5
	armCores                  // PMUv3
	virtual                   // a guest whose host passes no counters on
)

// coreType is one kind of core of a machine.
type coreType struct {
	width          float64 // slots per cycle
	slow           float64 // factor of all cycles per instruction
	highest, least float64 // GHz
	watts          float64 // of a busy core at its highest clock
}

// machine is everything that the program does not decide.
type machine struct {
	name   string
	maker  maker
	types  []coreType
	cpus   []int // type of each CPU
	wrong  float64
	onward float64 // share of the cost of a wrong guess that shows as slots without operations
	hides  float64 // how much of the front end's bubbles memory stalls hide
	loads  float64 // chance that a stall of the core coincides with a load under way

	latency  float64 // ns of an idle memory
	queueing float64 // ns: how steeply latency rises with load
	capacity float64 // lines per ns that can be reached
	counted  float64 // share of prefetched lines that the generic event of misses counts

	quantum int64   // ns of a time slice while others wait
	swap    float64 // instructions of a switch
	steal   float64
	devices []device

	clock   clock
	hz      int64   // the scheduler's ticks per second
	tick    bool    // times are accounted at ticks, else exactly
	nominal float64 // GHz of reference cycles
	others  float64 // share of the cycles of units that also keep the oldest operation
	empty   float64 // share of lost cycles of units in which nothing at all is dispatched
	issued  float64 // share of slots of wrong guesses whose operations were issued
	stores  float64 // per load
	refills float64 // of the first level for stores, per miss of a load
	tlb     float64 // misses of the first level of TLBs per walk of page tables
	sparse  float64 // and per load
	irq     float64 // ns in an interrupt, 0 where the kernel does not account for them
	soft    float64

	calls       float64 // interrupts of other CPUs per switch
	workers     float64 // switches a second of the kernel's threads
	devicesRate float64 // interrupts a second of devices that have nothing to do with the program
}

// device serves requests, some at a time.
type device struct{ slots int }

// clock is what holds the clock: nothing, heat or power. share is of the highest.
type clock struct {
	cause     simulate.Candidate
	start     float64 // share at first
	step      float64
	period    int64
	trip      float64 // °C where heat holds it
	ambient   float64
	perWatt   float64 // °C
	settle    float64 // ns
	limit     float64 // W where power holds it
	window    float64 // ns
	idleWatts float64
}

func drawMachine(r simulate.Random) *machine {
	m := &machine{maker: maker(r.Weighted([]float64{0.32, 0.13, 0.27, 0.24, 0.04}))}
	n := simulate.Pick(r, 4, 4, 6, 8, 8, 12)
	m.latency, m.queueing = r.Between(72, 125), r.Between(8, 22)
	gbs := r.Log(22, 90)
	fast := coreType{slow: 1, least: r.Between(0.4, 1.2), watts: r.Log(1.5, 12)}
	switch m.maker {
	case intelMetrics:
		m.name, fast.width, fast.highest = "Intel Core (PERF_METRICS)", simulate.Pick(r, 5.0, 6, 6), r.Between(3.4, 5.4)
	case intelIssue:
		m.name, fast.width, fast.highest = "Intel Core (Skylake)", 4, r.Between(2.8, 4.5)
	case amdZen:
		m.name, fast.width, fast.highest = "AMD Ryzen", simulate.Pick(r, 6.0, 8), r.Between(3.6, 5.5)
	case armCores:
		m.name, fast.width, fast.highest = "Arm cores", simulate.Pick(r, 4.0, 5, 6), r.Between(1.9, 3.3)
		gbs = r.Log(12, 60)
	case virtual:
		m.name, fast.width, fast.highest = "Virtual machine", 6, r.Between(2.4, 3.6)
		m.steal = r.Between(0, 0.04)
	}
	if m.maker == intelMetrics && r.Chance(0.15) {
		m.steal = r.Between(0.002, 0.03) // a guest that has counters
	}
	m.types = []coreType{fast}
	little := 0
	if m.maker == armCores && r.Chance(0.6) {
		little = n / 2
		m.types = append(m.types, coreType{width: simulate.Pick(r, 2.0, 3), slow: r.Between(1.5, 2.3),
			highest: r.Between(0.55, 0.8) * fast.highest, least: fast.least, watts: fast.watts * r.Between(0.15, 0.3)})
	}
	for i := range n {
		if i < little {
			m.cpus = append(m.cpus, 1) // small cores come first, as on phones
		} else {
			m.cpus = append(m.cpus, 0)
		}
	}
	m.capacity = gbs * r.Between(0.72, 0.92) / 64
	m.wrong, m.onward = r.Between(11, 20), r.Between(0.12, 0.32)
	if m.maker == amdZen {
		m.onward = r.Between(0.35, 0.65)
	}
	m.hides, m.loads, m.counted = r.Between(0.1, 0.6), r.Between(0.4, 0.9), r.Between(0.3, 1)
	m.quantum, m.swap = int64(r.Between(1e6, 4e6)), r.Log(2500, 9000)
	m.hz, m.tick = simulate.Pick[int64](r, 100, 250, 250, 300, 1000), r.Chance(0.4)
	if m.tick { // ticks as long as what they add to would hide work in step with them
		m.hz = max(m.hz, 250)
	}
	if r.Chance(0.6) {
		m.irq, m.soft = r.Log(500, 4000), r.Log(300, 6000)
	}
	m.nominal = fast.highest * r.Between(0.45, 0.8)
	m.others, m.empty, m.issued = r.Between(0.3, 0.8), r.Between(0.25, 0.6), r.Between(0.4, 0.75)
	m.calls, m.workers, m.devicesRate = r.Between(0.03, 0.8), r.Log(20, 1500), r.Log(5, 2500)
	m.devices = []device{{simulate.Pick(r, 1, 2, 4, 8)}}
	m.clock = clock{start: 1, idleWatts: r.Between(0.5, 4)}
	if r.Chance(0.25) {
		m.clock.start, m.clock.cause = r.Between(0.86, 0.98), simulate.ClockPower
	}
	return m
}

// drawCaches draws what some makers' generic events of caches count beside demand loads.
func (m *machine) drawCaches(r simulate.Random) {
	m.stores, m.tlb, m.sparse = r.Between(0.25, 0.8), r.Log(1.5, 20), r.Log(0.0001, 0.005)
	m.refills = m.stores * r.Between(0.1, 0.8)
}

// full is the power with so many fast cores busy at the highest clock.
func (m *machine) full(busy float64) float64 { return m.clock.idleWatts + busy*m.types[0].watts }

// hold makes heat or power hold the clock near a share while so many cores are busy.
func (m *machine) hold(r simulate.Random, cause simulate.Candidate, share, busy float64) {
	c := &m.clock
	c.cause, c.start = cause, min(1, share+r.Between(-0.03, 0.05))
	c.step, c.period = r.Between(0.02, 0.06), int64(r.Log(4e6, 24e6))
	settled := c.idleWatts + (m.full(busy)-c.idleWatts)*share*share*share
	if cause == simulate.ClockThermal {
		c.trip, c.ambient = r.Between(72, 98), r.Between(24, 38)
		c.perWatt, c.settle = (c.trip-c.ambient)/settled, r.Log(0.4e9, 6e9)
		return
	}
	c.limit, c.window = settled, r.Log(8e6, 120e6)
	c.trip, c.ambient = r.Between(88, 100), r.Between(24, 38)
	c.perWatt, c.settle = r.Between(0.4, 0.75)*(c.trip-c.ambient)/settled, r.Log(1e9, 8e9)
}
