package gfx1151

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// layout is which counters the real profile measures in one pass. What it does not list is measured in the first.
var layout = []string{
	"CPC_ALWAYS_COUNT CPC_STAT_BUSY GCEA_ALWAYS_COUNT_sum GCEA_SARB_BUSY_sum GL1C_BUSY_sum GL1C_CYCLE_sum GL1C_REQ_MISS_sum GL1C_REQ_sum " +
		"GL2C_EA_RDREQ_128B_sum GL2C_EA_RDREQ_32B_sum GL2C_EA_RDREQ_64B_sum GL2C_EA_RDREQ_96B_sum GRBM_COUNT GRBM_GUI_ACTIVE SQ_BUSY_CYCLES_avr " +
		"SQ_BUSY_CYCLES_sum SQ_INSTS_ALL_sum SQ_INSTS_INTERNAL_sum SQ_INSTS_VALU_sum SQ_WAIT_INST_ANY SQ_WAVES SQ_WAVE_CYCLES_sum " +
		"TCP_GL1_REQ_READ_sum TCP_GL1_REQ_WRITE_sum TCP_REQ_MISS_sum TCP_REQ_sum",
	"GCEA_RRET_VLD_sum GCEA_WDRAM_SIZE_REQ_sum GL1C_STALL_LFIFO_FULL_sum SQ_INSTS_FLAT_LOAD_sum SQ_INSTS_FLAT_STORE_sum SQ_INSTS_TEX_LOAD_sum " +
		"SQ_INSTS_TEX_STORE_sum SQ_INSTS_VALU",
	"GCEA_ALWAYS_COUNT GCEA_SARB_BUSY GL1C_GL2_REQ_WRITE_32B_sum GL1C_GL2_REQ_WRITE_64B_sum GL1C_STALL_GL2_GL1_sum GL1C_STARVE GL2C_EA_WRREQ_64B_sum " +
		"GL2C_HIT_sum GL2C_MC_WRREQ_sum GL2C_MISS_sum GRBM_GL2C_BUSY GRBM_TA_BUSY SQC_DCACHE_BUSY_CYCLES_sum SQC_DCACHE_INPUT_VALID_READYB_sum " +
		"SQC_LDS_BANK_CONFLICT_sum SQC_LDS_IDX_ACTIVE_sum SQ_WAIT_BARRIER SQ_WAIT_CNT_ANY SQ_WAIT_IFETCH SQ_WAVES_sum TCP_DATA_FIFO_STALL_sum " +
		"TCP_GATE_EN2_sum TCP_GL1_TCP_BACK_PRESSURE_sum TCP_TCP_TA_REQ_STALL_sum",
	"GCEA_RDRAM_SIZE_REQ_sum GCEA_WDRAM_REQ_PER_CLIGRP_sum GL1C_BUSY GL1C_CYCLE GL1C_REQ_READ_sum GL1C_REQ_WRITE_sum GL2C_ATOMIC_sum " +
		"GL2C_EA_RDREQ_DRAM_sum GL2C_EA_WRREQ_DRAM_sum GL2C_WRITE_sum SQ_INSTS_FLAT_sum SQ_INSTS_SALU_sum SQ_INSTS_SMEM_sum SQ_INSTS_TEX_sum " +
		"SQ_INSTS_VALU_TRANS_sum SQ_INST_CYCLES_LDS_sum SQ_ITEMS_sum SQ_WAIT_INST_LDS_sum",
	"GCEA_WRET_VLD_sum",
	"GCEA_RDRAM_REQ_PER_CLIGRP_sum GL1C_GL2_REQ_READ_LATENCY_sum GL1C_GL2_REQ_READ_sum GL1C_GL2_REQ_WRITE_LATENCY_sum GL1C_GL2_REQ_WRITE_sum " +
		"GL2C_BUSY_sum GL2C_CYCLE_sum GL2C_READ_sum GL2C_REQ_sum SQC_DCACHE_REQ_sum SQC_ICACHE_REQ_sum SQC_LDS_BANK_CONFLICT SQC_TC_DATA_READ_REQ_sum " +
		"SQC_TC_INST_REQ_sum SQ_INSTS_LDS_sum SQ_INSTS_VALU_DP_sum SQ_LDS_ATOMIC_RETURN_sum",
	"GCEA_SARB_STALLED GCEA_SARB_STALLED_sum GL1C_GL2_REQ_READ_128B_sum GL1C_GL2_REQ_READ_32B_sum GL1C_GL2_REQ_READ_64B_sum GL1C_STARVE_sum " +
		"GL2C_COMPRESSED_READ_96_REQ_sum GL2C_READ_128_REQ_sum GL2C_READ_32_REQ_sum GL2C_READ_64_REQ_sum SQC_DCACHE_HITS_sum SQC_DCACHE_MISSES_sum " +
		"SQC_ICACHE_BUSY_CYCLES_sum SQC_ICACHE_HITS_sum SQC_ICACHE_INPUT_VALID_READYB_sum SQC_ICACHE_MISSES_sum SQ_WAIT_ANY SQ_WAVE_CYCLES TCP_GATE_EN2 " +
		"TCP_GL1_REQ_READ_128B_sum TCP_REQ_READ_sum TCP_REQ_WRITE_sum",
}

// passOf is the pass of each counter.
var passOf = func() map[string]int {
	out := map[string]int{}
	for i, names := range layout {
		for _, n := range strings.Fields(names) {
			out[n] = i
		}
	}
	return out
}()

// clocked are the counters of TCP that count although its counters' clock is off: one of each pass.
var clocked = map[string]bool{"TCP_GL1_REQ_READ_sum": true, "TCP_GATE_EN2_sum": true, "TCP_GATE_EN2": true}

// passes is how long the dispatches took in each pass, compared with a run that nothing disturbs. Without any, all is
// one run.
type passes struct {
	slower [][]float64 // by pass and dispatch
	cycles [][]float64 // by pass and dispatch: the same of cycles, which are fewer at a lower clock
	again  [][]float64 // by pass and dispatch: how many events a replay counts of what happened in another
	ids    []*capture.Pass
}

func (m *Model) passes(c capturetest.Case, dispatches []*dispatch) *passes {
	p := &passes{}
	if !m.Passes {
		return p
	}
	r := rand.New(rand.NewPCG(c.Seed, 0x1151))
	for k := range layout {
		speed := 1 + 2*m.Drift*math.Abs(r.NormFloat64()) // never faster than what nothing disturbs
		if m.Slow != "" && passOf[m.Slow] == k {
			speed *= m.SlowBy
		}
		var slower, cycles, again []float64
		for i, d := range dispatches {
			cold := 0.6 * math.Exp(-float64(i)) * r.Float64() // the caches of the first dispatches are cold
			longer := speed * (1 + cold) * (1 + m.Drift/2*math.Abs(r.NormFloat64()))
			clock := 1.0
			if m.Gated { // the power level that gates clocks moves them as well
				clock = 1 - 0.35*r.Float64()
			}
			memory := d.share[memory] + d.share[latency]
			longer *= math.Pow((1-memory)/math.Pow(clock, sharp)+memory, 1.0/sharp)
			slower, cycles = append(slower, longer), append(cycles, longer*clock)
			again = append(again, 1+0.002*max(-3, min(3, r.NormFloat64())))
		}
		p.slower, p.cycles, p.again = append(p.slower, slower), append(p.cycles, cycles), append(p.again, again)
	}
	return p
}

// attach gives every counter the pass that measured it, and every pass its own durations.
func (p *passes) attach(cap *capture.Capture) (*capture.Capture, error) {
	if p.slower == nil {
		return cap, nil
	}
	cfg := cap.Config
	for k, slower := range p.slower {
		durations := make([]float64, len(slower))
		for i, s := range slower {
			durations[i] = math.Round(s * float64(cap.Axis.Interval(i)))
		}
		p.ids = append(p.ids, &capture.Pass{ID: fmt.Sprintf("pass-%d", k+1),
			Duration: capture.NewColumn(capture.Data{F: durations})})
	}
	cfg.Passes = p.ids
	cfg.Counters = nil
	for _, c := range cap.Counters {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: c.Meta, Axis: c.Axis, Col: c.Col,
			Pass: p.ids[passOf[c.Name]]})
	}
	return capture.New(cfg)
}

// counting writes the counters of dispatch i.
type counting struct {
	t     *capturetest.Table
	p     *passes
	i     int
	gated bool
}

// cycles counts cycles of something that takes as long as the dispatch does in the pass that measures it.
func (c *counting) cycles(name string, v float64) {
	if c.p.cycles != nil {
		v *= c.p.cycles[passOf[name]][c.i]
	}
	c.write(name, v)
}

// events counts what happens about as often in every replay.
func (c *counting) events(name string, v float64) {
	if c.p.again != nil {
		v *= c.p.again[passOf[name]][c.i]
	}
	c.write(name, v)
}

func (c *counting) write(name string, v float64) {
	if c.gated && strings.HasPrefix(name, "TCP_") && !clocked[name] {
		v = 0
	}
	c.t.Count(name, c.i, v)
}
