package rdna

import "math"

// run is one dispatch in one run of the program.
type measured struct {
	k      *kernel
	w      *network
	t      *tally
	m      *machine
	active float64 // cycles in which the GPU had any work
	always float64 // cycles of a memory arbiter by those of the shader clock
	some   float64 // what sampled blocks are off by
}

func (x *measured) busy() float64 { return x.t.busy * 0.995 }

// never is the chance that nothing is where a mean number of things is.
func never(mean float64) float64 { return math.Exp(-mean) }

// mean is something per wave turn, all of them added up.
func (x *measured) mean(each float64) float64 { return each * x.t.turns }

// insts counts instructions, of which the profiler sees a part of the GPU and multiplies.
func (x *measured) insts(each float64) float64 { return x.mean(each) * x.some }

func (x *measured) launched() float64 { return float64(x.k.waves) * x.some }

// waiting is the time that waves wait for results of loads and of local memory.
func (x *measured) waiting() float64 {
	t := x.t
	out := t.stay[loadLatency] + t.stay[localLatency]
	for _, s := range []int{firstCache, lastCache, memory} {
		out += t.stay[s] * (1 - 0.6*x.k.ahead)
	}
	return out + (1-x.m.sits)*(t.waited[loadStore]+t.waited[localMemory])
}

// ready is the time in which an instruction was ready and its unit was not.
func (x *measured) ready() float64 {
	t := x.t
	k := x.k
	others := x.mean(k.vector+k.scalar+k.fetch+k.shared+k.loads+k.stores) + 7*float64(k.waves) // a cycle for each
	return min(t.resident, t.waited[vectorALU]+x.m.sits*(t.waited[loadStore]+t.waited[localMemory])+x.m.clashes*others*min(1, t.resident/max(1, t.busy)/float64(4*simds*x.m.cus)))
}

// waits is the time in which waves waited for anything that had been issued, or for each other.
func (x *measured) waits() float64 {
	return max(0, min(0.995*x.t.resident-x.ready(), x.waiting()+x.t.barrier+x.mean(x.k.fetchMisses)+0.8*x.t.stay[chained]))
}

// held is the share of busy time in which a unit ahead of something that works for a share of the time is held up: where
// it is nearly always busy, nearly always.
func (x *measured) held(station int, room float64) float64 {
	if x.t.busy == 0 {
		return 0
	}
	u := x.t.used[station] / x.t.busy
	return u * power(u, room)
}

// outstanding is how many reads are under way on average behind each of the instances of GL1.
func (x *measured) outstanding() float64 {
	latency := x.w.readLatency*x.w.reads2 + x.w.writeLatency*x.w.writes
	return x.t.turns / max(1, x.t.busy) * latency / gl1s
}

// latency is the cycles that reads of GL2 took, in all: each waits in queues with those that its wave sent with it, and
// GL1 has room for so many.
func (x *measured) latency() float64 {
	reads := x.mean(x.w.reads2)
	if reads < 1 {
		return 0
	}
	turns := max(1, x.k.loads/max(1, x.k.together))
	queued := (x.t.waited[lastCache] + x.t.waited[memory]) / x.t.turns / turns * 0.6
	room := x.m.room * max(1, x.t.busy) / reads
	return reads * max(x.w.readLatency, min(x.w.readLatency+queued, room))
}

func (x *measured) gate() float64 {
	rate := x.mean(x.w.reads0+x.w.writes) / float64(x.m.wgps()) / max(1, x.t.busy)
	return float64(x.m.wgps()) * x.busy() * max(1-never(rate*x.m.hold), x.t.used[loadStore]/max(1, x.t.busy))
}

// values are the counters by name. Names as rocprofiler has them; what each counts stands in the catalogue gfx1151.
var values = map[string]func(x *measured) float64{
	"GRBM_COUNT":       func(x *measured) float64 { return x.active },
	"GRBM_GUI_ACTIVE":  func(x *measured) float64 { return x.active },
	"GRBM_CP_BUSY":     func(x *measured) float64 { return min(x.active, 0.9*x.active+300) },
	"GRBM_SPI_BUSY":    func(x *measured) float64 { return min(x.active, x.t.busy+120) },
	"GRBM_TA_BUSY":     func(x *measured) float64 { return x.busy() * (1 - never(x.gate()/max(1, x.busy())*1.5)) },
	"GRBM_GL2C_BUSY":   func(x *measured) float64 { return x.busy() * (1 - never(x.outstanding()*gl1s/2+0.02)) },
	"CPC_ALWAYS_COUNT": func(x *measured) float64 { return x.active },
	"CPC_STAT_BUSY":    func(x *measured) float64 { return x.active },
	"CPC_STAT_IDLE":    func(*measured) float64 { return 0 },
	"CPC_STAT_STALL":   func(x *measured) float64 { return min(0.3*x.active, 0.05*x.active+700) },
	"CPC_TCIU_BUSY":    func(x *measured) float64 { return min(x.active, 3300) },

	"SPI_BUSY":     func(x *measured) float64 { return engines * min(x.active, x.t.busy+100) },
	"SPI_CSN_WAVE": func(x *measured) float64 { return x.launched() },

	"SQ_BUSY_CYCLES_sum": func(x *measured) float64 { return float64(x.m.wgps()) * x.busy() },
	"SQ_BUSY_CYCLES_avr": func(x *measured) float64 { return x.busy() },
	"SQ_WAVES":           (*measured).launched,
	"SQ_WAVES_sum":       (*measured).launched,
	"SQ_ITEMS_sum":       func(x *measured) float64 { return 32 * x.launched() },
	"SQ_WAVE_CYCLES":     func(x *measured) float64 { return x.t.resident * x.some },
	"SQ_WAVE_CYCLES_sum": func(x *measured) float64 { return x.t.resident * x.some },
	"SQ_WAIT_ANY":        func(x *measured) float64 { return x.waits() * x.some },
	"SQ_WAIT_CNT_ANY":    func(x *measured) float64 { return min(x.waiting(), x.waits()) * x.some },
	"SQ_WAIT_BARRIER":    func(x *measured) float64 { return min(x.t.barrier, x.waits()) * x.some },
	"SQ_WAIT_IFETCH": func(x *measured) float64 {
		return min(x.insts(x.k.fetchMisses)+x.k.first*x.launched(), x.waits()*x.some)
	},
	"SQ_WAIT_INST_ANY":        func(x *measured) float64 { return x.ready() * x.some },
	"SQ_WAIT_INST_LDS_sum":    func(x *measured) float64 { return x.m.sits * x.t.waited[localMemory] * x.some },
	"SQ_INSTS_VALU":           func(x *measured) float64 { return x.insts(x.k.vector) },
	"SQ_INSTS_VALU_sum":       func(x *measured) float64 { return x.insts(x.k.vector) },
	"SQ_INSTS_VALU_TRANS_sum": func(x *measured) float64 { return x.insts(x.k.slow) },
	"SQ_INSTS_VALU_DP_sum":    func(x *measured) float64 { return x.insts(x.k.double) },
	"SQ_INSTS_SALU_sum":       func(x *measured) float64 { return x.insts(x.k.scalar) },
	"SQ_INSTS_SMEM_sum":       (*measured).scalarLoads,
	"SQ_INSTS_LDS_sum":        func(x *measured) float64 { return x.insts(x.k.shared) },
	"SQ_INSTS_FLAT_sum":       func(x *measured) float64 { return x.insts(x.k.loads + x.k.stores) },
	"SQ_INSTS_FLAT_LOAD_sum":  func(x *measured) float64 { return x.insts(x.k.loads) },
	"SQ_INSTS_FLAT_STORE_sum": func(x *measured) float64 { return x.insts(x.k.stores) },
	"SQ_INSTS_INTERNAL_sum":   func(x *measured) float64 { return x.insts(x.internal()) + 3*x.launched() },
	"SQ_INSTS_ALL_sum": func(x *measured) float64 {
		k := x.k
		return x.insts(k.vector+k.scalar+k.fetch+k.shared+k.loads+k.stores+x.internal()) + (3+x.k.arguments)*x.launched()
	},
	"SQ_LDS_ATOMIC_RETURN_sum": func(x *measured) float64 { return x.insts(x.k.atomics) },
	"SQ_INST_CYCLES_LDS_sum":   func(x *measured) float64 { return x.insts(x.k.shared * (x.k.conflicts + 1)) },

	"SQC_LDS_IDX_ACTIVE_sum":    func(x *measured) float64 { return x.insts(x.k.shared * x.k.conflicts) },
	"SQC_LDS_BANK_CONFLICT":     func(x *measured) float64 { return x.insts(x.k.shared * max(0, x.k.conflicts-1)) },
	"SQC_LDS_BANK_CONFLICT_sum": func(x *measured) float64 { return x.insts(x.k.shared * max(0, x.k.conflicts-1)) },
	"SQC_DCACHE_REQ_sum":        (*measured).scalarLoads,
	"SQC_DCACHE_HITS_sum":       func(x *measured) float64 { return x.scalarLoads() - x.scalarMisses() },
	"SQC_DCACHE_MISSES_sum":     (*measured).scalarMisses,
	"SQC_DCACHE_BUSY_CYCLES_sum": func(x *measured) float64 {
		return min(float64(x.m.wgps())*x.busy(), 1.9*x.scalarLoads())
	},
	"SQC_ICACHE_REQ_sum":    func(x *measured) float64 { return x.insts(0.05 * (x.k.vector + x.k.scalar)) },
	"SQC_ICACHE_HITS_sum":   func(x *measured) float64 { return x.insts(0.0495 * (x.k.vector + x.k.scalar)) },
	"SQC_ICACHE_MISSES_sum": func(x *measured) float64 { return x.insts(0.0005 * (x.k.vector + x.k.scalar)) },
	"SQC_ICACHE_BUSY_CYCLES_sum": func(x *measured) float64 {
		return min(float64(x.m.wgps())*x.busy(), x.insts(0.1*(x.k.vector+x.k.scalar)))
	},
	"SQC_TC_INST_REQ_sum":      func(x *measured) float64 { return 16 },
	"SQC_TC_DATA_READ_REQ_sum": func(x *measured) float64 { return x.scalarMisses() + 16 },

	"TCP_REQ_sum":       func(x *measured) float64 { return x.insts(x.w.reads0 + x.w.writes) },
	"TCP_REQ_READ_sum":  func(x *measured) float64 { return x.insts(x.w.reads0) },
	"TCP_REQ_WRITE_sum": func(x *measured) float64 { return x.insts(x.w.writes) },
	"TCP_REQ_MISS_sum":  func(x *measured) float64 { return x.insts(x.w.reads0*(1-x.k.kept) + x.w.writes) },
	"TCP_GATE_EN2":      (*measured).gate,
	"TCP_GATE_EN2_sum":  (*measured).gate,
	"TCP_TCP_TA_REQ_STALL_sum": func(x *measured) float64 {
		p := 0.3 + x.m.pressed
		up := max(x.held(loadStore, 3), p*max(x.held(firstCache, 3), 0.8*x.held(lastCache, 4), 0.7*x.held(memory, 5)))
		return min(x.gate(), float64(x.m.wgps())*x.busy()*0.85*up)
	},
	"TCP_GL1_REQ_READ_sum":      func(x *measured) float64 { return (2 - x.k.wide) * x.insts(x.w.reads1) },
	"TCP_GL1_REQ_READ_128B_sum": func(x *measured) float64 { return x.k.wide * x.insts(x.w.reads1) },
	"TCP_GL1_REQ_WRITE_sum":     func(x *measured) float64 { return x.insts(x.w.writes) },
	"TCP_GL1_TCP_BACK_PRESSURE_sum": func(x *measured) float64 {
		return float64(x.m.wgps()) * x.busy() * x.m.pressed * max(x.held(firstCache, 3), 0.7*x.held(lastCache, 4), 0.5*x.held(memory, 5))
	},
	"TCP_DATA_FIFO_STALL_sum": func(x *measured) float64 { return 0.1 * x.held(loadStore, 5) * x.busy() },

	"GL1C_CYCLE":                    func(x *measured) float64 { return gl1s * x.active },
	"GL1C_CYCLE_sum":                func(x *measured) float64 { return gl1s * x.active },
	"GL1C_BUSY":                     (*measured).busyGL1,
	"GL1C_BUSY_sum":                 (*measured).busyGL1,
	"GL1C_STARVE":                   (*measured).starving,
	"GL1C_STARVE_sum":               (*measured).starving,
	"GL1C_STALL_GL2_GL1_sum":        (*measured).stalledGL1,
	"GL1C_REQ_sum":                  func(x *measured) float64 { return x.mean(x.w.reads1+x.w.writes) + 16 },
	"GL1C_REQ_READ_sum":             func(x *measured) float64 { return x.mean(x.w.reads1) + 16 },
	"GL1C_REQ_WRITE_sum":            func(x *measured) float64 { return x.mean(x.w.writes) },
	"GL1C_REQ_MISS_sum":             func(x *measured) float64 { return x.mean(x.w.reads2+x.w.writes) + 4 },
	"GL1C_GL2_REQ_READ_sum":         func(x *measured) float64 { return x.mean(x.w.reads2) + 4 },
	"GL1C_GL2_REQ_READ_128B_sum":    func(x *measured) float64 { return x.mean(x.w.reads2) + 4 },
	"GL1C_GL2_REQ_WRITE_sum":        func(x *measured) float64 { return x.mean(x.w.writes) },
	"GL1C_GL2_REQ_WRITE_64B_sum":    func(x *measured) float64 { return x.mean(x.w.writes) },
	"GL1C_GL2_REQ_READ_LATENCY_sum": (*measured).latency,
	"GL1C_GL2_REQ_WRITE_LATENCY_sum": func(x *measured) float64 {
		return x.mean(x.w.writes) * x.w.writeLatency * (1 + 1.5*x.held(lastCache, 2) + 0.3*x.held(memory, 4))
	},

	"GL2C_CYCLE_sum":        func(x *measured) float64 { return channels * x.active * 0.97 },
	"GL2C_BUSY_sum":         (*measured).busyGL2,
	"GL2C_REQ_sum":          func(x *measured) float64 { return x.mean(x.w.reads2+x.w.writes) + 40 },
	"GL2C_READ_sum":         func(x *measured) float64 { return x.mean(x.w.reads2) + 20 },
	"GL2C_READ_128_REQ_sum": func(x *measured) float64 { return x.mean(x.w.reads2) + 4 },
	"GL2C_READ_64_REQ_sum":  func(x *measured) float64 { return 16 },
	"GL2C_WRITE_sum":        func(x *measured) float64 { return x.mean(x.w.writes) },
	// Each request hits or misses: in a real capture they add up to GL2C_REQ_sum. Of writes the first to a line misses.
	"GL2C_HIT_sum":           func(x *measured) float64 { return x.mean(x.w.reads2-x.w.readsM+x.w.writes-x.firstWrites()) + 24 },
	"GL2C_MISS_sum":          func(x *measured) float64 { return x.mean(x.w.readsM+x.firstWrites()) + 16 },
	"GL2C_EA_RDREQ_128B_sum": func(x *measured) float64 { return x.mean(x.w.readsM) },
	"GL2C_EA_RDREQ_64B_sum":  func(x *measured) float64 { return 17 },
	"GL2C_EA_RDREQ_DRAM_sum": func(x *measured) float64 { return x.mean(x.w.readsM) + 17 },
	"GL2C_MC_WRREQ_sum":      func(x *measured) float64 { return x.mean(x.w.writesM) },
	"GL2C_EA_WRREQ_64B_sum":  func(x *measured) float64 { return x.mean(x.w.writesM) },
	"GL2C_EA_WRREQ_DRAM_sum": func(x *measured) float64 { return x.mean(x.w.writesM) },

	"GCEA_ALWAYS_COUNT":             (*measured).arbiters,
	"GCEA_ALWAYS_COUNT_sum":         (*measured).arbiters,
	"GCEA_SARB_BUSY":                (*measured).arbiterBusy,
	"GCEA_SARB_BUSY_sum":            (*measured).arbiterBusy,
	"GCEA_SARB_STALLED":             (*measured).arbiterStalled,
	"GCEA_SARB_STALLED_sum":         (*measured).arbiterStalled,
	"GCEA_SARB_STARVING":            func(x *measured) float64 { return 0.9 * (x.arbiters() - x.arbiterBusy() - x.arbiterStalled()) },
	"GCEA_SARB_REQ_PER_VC_sum":      func(x *measured) float64 { return x.m.perRequest * x.mean(x.w.readsM+x.w.writesM) },
	"GCEA_SARB_DRAM_REQ_PER_VC_sum": func(x *measured) float64 { return x.m.perRequest * x.mean(x.w.readsM+x.w.writesM) },
	"GCEA_RDRAM_SIZE_REQ_sum":       func(x *measured) float64 { return 4*x.mean(x.w.readsM) + 100 },
	"GCEA_WDRAM_SIZE_REQ_sum":       func(x *measured) float64 { return 2 * x.mean(x.w.writesM) },
	"GCEA_RDRAM_REQ_PER_CLIGRP_sum": func(x *measured) float64 { return 5 * x.mean(x.w.readsM) },
	"GCEA_WDRAM_REQ_PER_CLIGRP_sum": func(x *measured) float64 { return 5 * x.mean(x.w.writesM) },
	"GCEA_RRET_VLD_sum":             func(x *measured) float64 { return 2*x.mean(x.w.readsM) + 40 },
	"GCEA_WRET_VLD_sum":             func(x *measured) float64 { return x.mean(x.w.writesM) },
}

// scalarLoads are those of the loop, and of each wave's beginning those of the kernel's arguments.
func (x *measured) scalarLoads() float64 { return x.insts(x.k.fetch) + x.k.arguments*x.launched() }

func (x *measured) scalarMisses() float64 {
	return x.k.strange * (x.insts(x.k.fetch) + 0.1*x.k.arguments*x.launched())
}

func (x *measured) internal() float64 { return 0.12*x.k.vector + x.k.loads/max(1, x.k.together) + 1.5 }

// firstWrites are those of a turn to lines that GL2 does not have.
func (x *measured) firstWrites() float64 { return x.w.writesM * (1 - x.k.halves) }

// starving is the cycles in which no request stands before GL1: none enters, and none waits because GL2 takes no more.
func (x *measured) starving() float64 { return max(0, gl1s*x.active-x.passing()-x.stalledGL1()) }

func (x *measured) stalledGL1() float64 {
	return min(x.busyGL1(), gl1s*x.busy()*(0.004*x.t.used[firstCache]/max(1, x.t.busy)+x.m.pressed*max(x.held(lastCache, 2), 0.7*x.held(memory, 6))))
}

// passing is the cycles in which requests enter GL1: one for each.
func (x *measured) passing() float64 { return x.mean(x.w.reads1+x.w.writes) * 1.4 }

func (x *measured) busyGL1() float64 {
	share := 1 - never(x.outstanding()+0.05)
	return gl1s * min(x.active*0.99, x.busy()*max(share, x.t.used[firstCache]/max(1, x.t.busy)))
}

func (x *measured) busyGL2() float64 {
	share := 1 - never(x.outstanding()*gl1s/channels+0.05)
	return channels * 0.97 * min(x.active*0.99, x.busy()*max(share, x.t.used[lastCache]/max(1, x.t.busy)))
}

func (x *measured) arbiters() float64 { return channels * x.active * x.always }

// arbiterBusy is about three cycles for four requests of 64 bytes.
func (x *measured) arbiterBusy() float64 {
	return min(0.98*x.arbiters(), x.m.arbiter*x.mean(2*x.w.readsM+x.w.writesM))
}

func (x *measured) arbiterStalled() float64 {
	room := x.arbiters() - x.arbiterBusy()
	return min(room, channels*x.always*x.busy()*(0.03*x.t.used[memory]/max(1, x.t.busy)+(0.2+0.5*x.m.pressed)*x.held(memory, 2)))
}

// passes are what the profiler measures in each run of the program, as a real capture of gfx1151 has it
// (testdata/captures/gfx1151-vcopy).
var passes = [][]string{
	{"GCEA_SARB_DRAM_REQ_PER_VC_sum"},
	{"GCEA_RRET_VLD_sum", "GCEA_WDRAM_SIZE_REQ_sum", "SQ_INSTS_FLAT_LOAD_sum", "SQ_INSTS_FLAT_STORE_sum", "SQ_INSTS_VALU"},
	{"GCEA_WRET_VLD_sum"},
	{"CPC_ALWAYS_COUNT", "CPC_STAT_BUSY", "GCEA_ALWAYS_COUNT_sum", "GCEA_SARB_BUSY_sum", "GL1C_BUSY_sum", "GL1C_CYCLE_sum",
		"GL1C_REQ_MISS_sum", "GL1C_REQ_sum", "GL2C_EA_RDREQ_128B_sum", "GL2C_EA_RDREQ_32B_sum", "GL2C_EA_RDREQ_64B_sum",
		"GL2C_EA_RDREQ_96B_sum", "GRBM_COUNT", "GRBM_GUI_ACTIVE", "SPI_BUSY", "SPI_CSN_WAVE", "SQ_BUSY_CYCLES_avr",
		"SQ_BUSY_CYCLES_sum", "SQ_INSTS_ALL_sum", "SQ_INSTS_INTERNAL_sum", "SQ_INSTS_VALU_sum", "SQ_WAIT_INST_ANY", "SQ_WAVES",
		"SQ_WAVE_CYCLES_sum", "TCP_GL1_REQ_READ_sum", "TCP_GL1_REQ_WRITE_sum", "TCP_REQ_MISS_sum", "TCP_REQ_sum"},
	{"CPC_TCIU_BUSY", "GCEA_ALWAYS_COUNT", "GCEA_SARB_BUSY", "GL1C_GL2_REQ_WRITE_32B_sum", "GL1C_GL2_REQ_WRITE_64B_sum",
		"GL1C_STALL_GL2_GL1_sum", "GL1C_STARVE", "GL2C_EA_WRREQ_64B_sum", "GL2C_HIT_sum", "GL2C_MC_WRREQ_sum", "GL2C_MISS_sum",
		"GRBM_GL2C_BUSY", "GRBM_TA_BUSY", "SQC_DCACHE_BUSY_CYCLES_sum", "SQC_LDS_BANK_CONFLICT_sum", "SQC_LDS_IDX_ACTIVE_sum",
		"SQ_WAIT_BARRIER", "SQ_WAIT_CNT_ANY", "SQ_WAIT_IFETCH", "SQ_WAVES_sum", "TCP_DATA_FIFO_STALL_sum", "TCP_GATE_EN2_sum",
		"TCP_GL1_TCP_BACK_PRESSURE_sum", "TCP_TCP_TA_REQ_STALL_sum"},
	{"GCEA_SARB_REQ_PER_VC_sum"},
	{"GCEA_RDRAM_SIZE_REQ_sum", "GCEA_WDRAM_REQ_PER_CLIGRP_sum", "GL1C_BUSY", "GL1C_CYCLE", "GL1C_REQ_READ_sum",
		"GL1C_REQ_WRITE_sum", "GL2C_ATOMIC_sum", "GL2C_EA_RDREQ_DRAM_sum", "GL2C_EA_WRREQ_DRAM_sum", "GL2C_WRITE_sum",
		"SQ_INSTS_FLAT_sum", "SQ_INSTS_SALU_sum", "SQ_INSTS_SMEM_sum", "SQ_INSTS_TEX_sum", "SQ_INSTS_VALU_TRANS_sum",
		"SQ_INST_CYCLES_LDS_sum", "SQ_ITEMS_sum", "SQ_WAIT_INST_LDS_sum"},
	{"GCEA_RDRAM_REQ_PER_CLIGRP_sum", "GCEA_SARB_STARVING", "GL1C_GL2_REQ_READ_LATENCY_sum", "GL1C_GL2_REQ_READ_sum",
		"GL1C_GL2_REQ_WRITE_LATENCY_sum", "GL1C_GL2_REQ_WRITE_sum", "GL2C_BUSY_sum", "GL2C_CYCLE_sum", "GL2C_READ_sum",
		"GL2C_REQ_sum", "SQC_DCACHE_REQ_sum", "SQC_ICACHE_REQ_sum", "SQC_LDS_BANK_CONFLICT", "SQC_TC_DATA_READ_REQ_sum",
		"SQC_TC_INST_REQ_sum", "SQ_INSTS_LDS_sum", "SQ_INSTS_VALU_DP_sum", "SQ_LDS_ATOMIC_RETURN_sum"},
	{"CPC_STAT_IDLE", "CPC_STAT_STALL", "GCEA_SARB_STALLED", "GCEA_SARB_STALLED_sum", "GL1C_GL2_REQ_READ_128B_sum",
		"GL1C_GL2_REQ_READ_32B_sum", "GL1C_GL2_REQ_READ_64B_sum", "GL1C_STARVE_sum", "GL2C_COMPRESSED_READ_96_REQ_sum",
		"GL2C_READ_128_REQ_sum", "GL2C_READ_32_REQ_sum", "GL2C_READ_64_REQ_sum", "GRBM_CP_BUSY", "GRBM_SPI_BUSY",
		"SQC_DCACHE_HITS_sum", "SQC_DCACHE_MISSES_sum", "SQC_ICACHE_BUSY_CYCLES_sum", "SQC_ICACHE_HITS_sum",
		"SQC_ICACHE_MISSES_sum", "SQ_WAIT_ANY", "SQ_WAVE_CYCLES", "TCP_GATE_EN2", "TCP_GL1_REQ_READ_128B_sum",
		"TCP_REQ_READ_sum", "TCP_REQ_WRITE_sum"},
}
