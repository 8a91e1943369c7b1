package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// vendor decides what the kernel's generic events count, and which slots of the pipeline can be told apart.
type vendor int

const (
	intel vendor = iota
	amd
	arm
)

// machine is the computer. Clocks are in cycles per ns, times in ns, bandwidth in bytes per ns, power in watts.
type machine struct {
	vendor  vendor
	name    string
	cpus    int // as the kernel counts them
	threads int // of a core
	width   float64
	uops    float64 // operations per instruction
	penalty float64 // cycles that a wrong guess costs
	top     float64 // the highest clock, that of one core alone
	all     float64 // the clock that all cores have together
	hold    float64 // what the governor sets, as a share of top; 1 unless the load is low
	far     float64 // latency of memory
	near    float64 // latency of the last level of cache, in cycles
	band    float64
	idle    float64 // power of everything but busy cores
	core    float64 // power of a core that runs ordinary code at the highest clock
	power   float64 // limit of power
	heat    float64 // power that the cooling takes away at the highest temperature allowed
	hot     float64 // that temperature
	wake    float64 // from an event to the thread that it woke
	queue   int     // requests that storage serves at once
	others  float64 // CPUs that other programs keep busy
	traffic float64 // share of the bandwidth that they take
}

// draw makes a machine: a laptop, desktop, server or virtual machine, of the last ten years.
func draw(r *rand.Rand) *machine {
	m := &machine{vendor: vendor(r.IntN(3)), threads: 1, hold: 1, queue: 1 << r.IntN(5)}
	size := r.IntN(3)
	m.cpus = []int{4, 8, 12, 16, 8, 16, 24, 32, 4, 8, 16, 32}[4*size+r.IntN(4)]
	names := [][]string{
		{"11th Gen Intel(R) Core(TM) i7", "Intel(R) Core(TM) i5", "Intel(R) Xeon(R) Gold", "Intel(R) Xeon(R) Platinum"},
		{"AMD Ryzen 7", "AMD Ryzen 9", "AMD EPYC", "AMD EPYC"},
		{"Cortex-A76", "Cortex-A78AE", "Neoverse-N1", "Neoverse-V1"},
	}
	server := size == 2
	m.name = names[m.vendor][r.IntN(2)+2*btoi(server)]
	m.top = 3.2 + 1.8*r.Float64()
	if server || m.vendor == arm {
		m.top = 2.2 + 1.2*r.Float64()
	}
	m.all = m.top * (0.82 + 0.18*r.Float64())
	if m.vendor == arm {
		m.all = m.top
	} else if r.IntN(3) > 0 && m.cpus > 4 {
		m.threads = 2
	}
	m.width = []float64{4, 6}[r.IntN(2)]
	if m.vendor == amd {
		m.width = 6
	}
	m.uops = 1.03 + 0.12*r.Float64()
	m.penalty = 12 + 9*r.Float64()
	m.far, m.near = 75+45*r.Float64(), 38+35*r.Float64()
	m.band = (14 + 22*r.Float64()) * math.Sqrt(float64(m.cpus)/4)
	if server {
		m.band *= 2
	}
	m.core = 2 + 5*r.Float64()
	if m.vendor == arm {
		m.core *= 0.4
	}
	m.idle = m.core * (1 + 0.25*float64(m.cpus))
	most := m.idle + 1.8*m.core*float64(m.cpus)
	m.power, m.heat, m.hot = most, most*1.2, 85+15*r.Float64()
	m.wake = 4e3 + 40e3*r.Float64()*r.Float64()
	if r.IntN(3) == 0 {
		m.others = 0.4 * float64(m.cpus) * r.Float64()
		m.traffic = 0.15 * r.Float64()
	}
	return m
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *machine) text() string { return fmt.Sprintf("%s, %d CPUs", m.name, m.cpus) }

// code is how a stretch of a program behaves, whatever it computes. Rates are per instruction.
type code struct {
	core   float64 // cycles that dependencies and ports alone take
	branch float64 // branches
	wrong  float64 // of them guessed wrongly
	fetch  float64 // cycles without instructions
	itlb   float64
	loads  float64
	l1     float64 // misses of the first level
	l2     float64 // requests to the last level
	miss   float64 // lines from memory
	write  float64 // lines to memory
	ahead  float64 // share of the lines that prefetchers ask for
	flight float64 // requests under way at once
	tlb    float64
	warm   float64 // power, ordinary code being 1
	kernel float64 // share of time in the kernel
	fault  float64 // page faults per ms
	spin   bool    // does nothing but look whether it may go on
}

// relief is what a simulation does better than the machine.
type relief struct {
	core, branch, fetch, latency, band, storage, lock float64 // factors of time
	loose, cool, strong                               bool
}

var none = relief{core: 1, branch: 1, fetch: 1, latency: 1, band: 1, storage: 1, lock: 1}

// Parts of a running thread's time.
const (
	partCore = iota
	partBranch
	partFetch
	partLatency
	partBand
	partThermal
	partPower
	parts
)

// pace is how code runs in a state of the machine.
type pace struct {
	ns     [parts]float64 // per instruction
	total  float64
	cycles float64 // per instruction
	memory float64 // cycles of them that wait for caches and memory
}

// state is what the machine does while no thread starts or stops.
type state struct {
	clock float64
	share float64 // of a CPU that each running thread has
	watts float64
	load  float64 // share of the bandwidth in use
	of    []pace  // by code
}

// solve finds the clock, the load of memory and the pace of each code where running threads are counted by code.
func (m *machine) solve(codes []code, running []int, rel *relief, s *state) {
	all, warm := 0.0, 0.0
	for i, n := range running {
		all += float64(n)
		warm += float64(n) * codes[i].warm
	}
	s.share = 1
	if room := float64(m.cpus) - m.others; all > room {
		s.share = room / all
	}
	busy := all*s.share + m.others
	cores := float64(m.cpus / m.threads)
	// Two threads of a core get some 1.25 times what one gets, if neither waits.
	crowd := 1.0
	if m.threads == 2 {
		crowd = 1 + 0.6*min(1, max(0, busy-cores)/cores)
	}
	want := min(m.top*m.hold, m.top-(m.top-m.all)*min(1, busy/cores))
	dynamic := m.core * (warm*s.share + m.others) / crowd
	limit := func(watts float64) float64 {
		if dynamic <= 0 {
			return want
		}
		return min(want, m.top*math.Pow(max(0.02, (watts-m.idle)/dynamic), 1/2.4))
	}
	power, heat := want, want
	if !rel.strong {
		power = max(0.3*want, limit(m.power))
	}
	if !rel.cool {
		heat = max(0.3*want, limit(m.heat))
	}
	f := min(power, heat)
	s.clock, s.watts = f, m.idle+dynamic*math.Pow(f/m.top, 2.4)
	over := partPower
	if heat < power {
		over = partThermal
	}
	band := m.band / rel.band
	far, near := m.far*rel.latency, m.near*rel.latency
	eval := func(c *code, wait float64, p *pace) {
		run := c.core * rel.core
		guess := c.wrong * m.penalty * rel.branch
		fetch := c.fetch * rel.fetch
		cached := max(0, c.l2-c.miss) * near / c.flight / f
		// The other thread of the core is in the way where it works, and not where it waits.
		works := run / (run + guess + fetch + (cached+c.miss*far/c.flight)*f)
		run *= 1 + (crowd-1)*works
		fetch *= 1 + (crowd-1)*works*0.5
		p.ns = [parts]float64{partCore: run / want, partBranch: guess / want, partFetch: fetch / want,
			partLatency: cached + c.miss*far/c.flight, partBand: c.miss * wait / c.flight}
		p.ns[over] += (run + guess + fetch) * (1/f - 1/want)
		p.total = 0
		for _, v := range p.ns {
			p.total += v
		}
		p.cycles = p.total * f
		p.memory = (p.ns[partLatency] + p.ns[partBand]) * f
	}
	if cap(s.of) < len(codes) {
		s.of = make([]pace, len(codes))
	}
	s.of = s.of[:len(codes)]
	moved := func(wait float64) (bytes float64) {
		for i, n := range running {
			if n == 0 || codes[i].miss+codes[i].write == 0 {
				continue
			}
			var p pace
			eval(&codes[i], wait, &p)
			bytes += float64(n) * s.share * (codes[i].miss + codes[i].write) * 64 / p.total
		}
		return bytes + m.traffic*m.band
	}
	// Requests queue the longer, the more of the bandwidth is in use: what is asked for falls with the wait.
	delay := func(u float64) float64 { return 9 * u * u / (1 - u) }
	lo, hi := 0.0, 0.9999
	for range 18 {
		u := (lo + hi) / 2
		if moved(delay(u)) > u*band*0.92 {
			lo = u
		} else {
			hi = u
		}
	}
	s.load = hi
	for i := range codes {
		eval(&codes[i], delay(hi), &s.of[i])
	}
}

// alone is the time per instruction of code that runs alone on the machine.
func (m *machine) alone(c code) float64 {
	var s state
	m.solve([]code{c}, []int{1}, &none, &s)
	return s.of[0].total
}
