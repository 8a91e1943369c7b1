package cpu

import "math"

// maker says what the generic events of a processor count.
type maker uint8

const (
	intel maker = iota
	amd
	arm
)

var vendors = [...]string{"GenuineIntel", "AuthenticAMD", "ARM"}

// model is a processor as its maker sells it. Clocks are cycles per ns, times ns, bandwidth bytes per ns.
type model struct {
	name      string
	maker     maker
	cores     int
	smt       bool
	most      float64 // clock with one core busy
	all       float64 // share of that with all cores busy, by the turbo table
	least     float64
	nominal   float64
	width     float64 // slots per cycle
	window    float64 // instructions in flight
	penalty   float64 // cycles of a mispredicted branch
	l2, l3    float64 // cycles, ns
	dram      float64
	bandwidth float64
	lines     float64 // of prefetched streams in flight per core
	hot       float64 // temperature at which the firmware throttles
	slots     bool    // has events that account for all slots
	cloud     bool    // is let as virtual machines as a rule
}

// models are drawn from. Bandwidth is what a copy reaches, about 80 % of the channels' peak.
var models = []model{
	{"Intel(R) Core(TM) i5-8350U CPU @ 1.70GHz", intel, 4, true, 3.6, 0.92, 0.4, 1.9, 4, 224, 16.5, 14, 11, 78, 27, 22, 97, false, false},
	{"Intel(R) Core(TM) i7-1165G7 @ 2.80GHz", intel, 4, true, 4.7, 0.87, 0.4, 2.8, 5, 352, 17, 14, 13, 92, 48, 30, 100, true, false},
	{"Intel(R) Xeon(R) E-2288G CPU @ 3.70GHz", intel, 8, true, 5.0, 0.94, 0.8, 3.7, 4, 224, 16.5, 12, 11, 62, 34, 22, 100, false, false},
	{"Intel(R) Xeon(R) Gold 6334 CPU @ 3.60GHz", intel, 8, true, 3.7, 0.98, 0.8, 3.6, 5, 352, 17, 14, 22, 96, 70, 34, 96, true, true},
	{"12th Gen Intel(R) Core(TM) i5-12400", intel, 6, true, 4.4, 0.91, 0.8, 2.5, 6, 512, 17, 15, 15, 82, 58, 40, 100, true, false},
	{"AMD Ryzen 5 3600 6-Core Processor", amd, 6, true, 4.2, 0.96, 2.2, 3.6, 5, 224, 18, 12, 10, 80, 36, 26, 95, false, false},
	{"AMD Ryzen 7 5800X 8-Core Processor", amd, 8, true, 4.85, 0.95, 2.2, 3.8, 6, 256, 14, 12, 11, 72, 40, 32, 90, false, false},
	{"AMD Ryzen 7 7840U w/ Radeon 780M Graphics", amd, 8, true, 5.1, 0.86, 0.4, 3.3, 6, 320, 14, 14, 12, 96, 62, 36, 100, true, false},
	{"AMD EPYC 9124 16-Core Processor", amd, 16, false, 3.7, 0.98, 1.5, 3.0, 6, 320, 14, 14, 15, 112, 150, 36, 96, true, true},
	{"Neoverse-N1", arm, 4, false, 2.5, 1, 1, 2.5, 4, 128, 11, 11, 30, 98, 36, 22, 105, false, true},
	{"Neoverse-N1", arm, 16, false, 3.0, 1, 1, 3.0, 4, 128, 11, 11, 32, 104, 110, 22, 105, false, true},
}

// threads is how many threads the processor runs at a time.
func (m *model) threads() int {
	if m.smt {
		return m.cores * 2
	}
	return m.cores
}

// turbo is the highest clock with n cores busy.
func (m *model) turbo(n float64) float64 {
	if n <= 1 || m.cores == 1 {
		return m.most
	}
	return m.most * (1 - (1-m.all)*min(1, (n-1)/float64(m.cores-1)))
}

// mix is what the instructions of a piece of work are like. Rates are per instruction.
type mix struct {
	name     string
	ipc      float64 // that ports and dependencies allow
	branches float64
	misses   float64 // mispredicted branches
	fetch    float64 // cycles without instructions from fetch: instruction cache, its TLB, decoding
	icache   float64 // instruction lines that come from the second level and beyond
	l1, l2   float64 // data lines that miss there, without those of streams
	llc      float64
	tlb      float64 // walks for data
	itlb     float64
	overlap  float64 // misses of data in flight at a time
	stream   float64 // lines that are read one after the other from memory
	writes   float64 // lines written back per line read
	loads    float64
	kernel   float64 // share of the time in the kernel
	faults   float64 // minor faults
}

// parts of the time per instruction.
const (
	partCore = iota
	partBranch
	partFetch
	partLatency
	partBandwidth
	numParts
)

// relief is what is better than it is.
type relief struct {
	core, branch, fetch, latency, bandwidth, io float64 // times
	lock, turns, thermal, power                 bool
}

func noRelief() relief { return relief{core: 1, branch: 1, fetch: 1, latency: 1, bandwidth: 1, io: 1} }

// cost is the time per instruction in cycles, by parts, at a clock, with memory slower by a factor, and the core
// shared with a sibling so that execution takes longer.
func (m *model) cost(x *mix, r *relief, clock, slower, sibling float64) (parts [numParts]float64, total float64) {
	core := sibling / x.ipc * r.core
	branch := x.misses * m.penalty * r.branch
	fetch := x.fetch * r.fetch
	dram, l3 := m.dram*slower*r.latency*clock, m.l3*r.latency*clock
	// While a miss is under way the window fills with instructions that do not depend on it.
	hidden := m.window * core * 0.6
	fromDram := x.llc * max(dram*0.25, dram-hidden) / x.overlap
	fromL3 := (x.l2-x.llc)*max(0, l3-hidden*0.5)/x.overlap + x.tlb*m.l3*r.latency*clock
	fromL2 := (x.l1 - x.l2) * max(0, m.l2-hidden*0.3) / max(1.5, x.overlap)
	core += fromL2
	sum := core + branch + fetch + fromDram + fromL3
	// Streams are fetched ahead and run beside; near balance neither is hidden wholly.
	streams := x.stream * dram / m.lines
	total = sum
	if streams > 0 {
		s2, t2 := streams*streams, sum*sum
		total = math.Sqrt(math.Sqrt(s2*s2 + t2*t2))
	}
	waits := fromDram + total - sum
	b := bound(slower)
	parts = [numParts]float64{core, branch, fetch, fromL3 + waits*(1-b), waits * b}
	return parts, total
}

// traffic is the bytes of memory per instruction.
func (x *mix) traffic() float64 { return 64 * (x.llc*1.25 + x.stream*(1+x.writes)) }
