package gfx1151

import (
	"errors"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// parts are counters that are no larger than another of the same pass, and by how many events rounding may hide that.
var parts = []struct {
	part, whole string
	slack       float64
}{
	{"TCP_REQ_MISS_sum", "TCP_REQ_sum", 1},
	{"TCP_GL1_REQ_READ_128B_sum", "TCP_GL1_REQ_READ_sum", 1},
	{"TCP_TCP_TA_REQ_STALL_sum", "TCP_GATE_EN2_sum", 1},
	{"TCP_GL1_TCP_BACK_PRESSURE_sum", "TCP_GATE_EN2_sum", 1},
	{"TCP_DATA_FIFO_STALL_sum", "TCP_GATE_EN2_sum", 1},
	{"GL1C_REQ_MISS_sum", "GL1C_REQ_sum", 1},
	{"GL1C_BUSY_sum", "GL1C_CYCLE_sum", 1},
	{"GL1C_STALL_GL2_GL1_sum", "GL1C_BUSY_sum", 1},
	{"GL2C_BUSY_sum", "GL2C_CYCLE_sum", 1},
	{"GCEA_SARB_BUSY_sum", "GCEA_ALWAYS_COUNT_sum", 1},
	{"GCEA_SARB_STALLED_sum", "GCEA_ALWAYS_COUNT_sum", 1},
	{"SQC_LDS_BANK_CONFLICT_sum", "SQC_LDS_IDX_ACTIVE_sum", 1},
	{"SQC_ICACHE_BUSY_CYCLES_sum", "SQ_BUSY_CYCLES_sum", 1},
	{"SQC_DCACHE_BUSY_CYCLES_sum", "SQ_BUSY_CYCLES_sum", 1},
	{"SQ_INSTS_VALU_TRANS_sum", "SQ_INSTS_VALU_sum", 1},
	{"SQ_INSTS_VALU_sum", "SQ_INSTS_ALL_sum", 1},
	{"SQ_INSTS_INTERNAL_sum", "SQ_INSTS_ALL_sum", 1},
	{"SQ_WAIT_ANY", "SQ_WAVE_CYCLES", 1},
	{"SQ_WAIT_INST_ANY", "SQ_WAVE_CYCLES_sum", 1},
	{"SQ_WAIT_CNT_ANY", "SQ_WAIT_ANY", 1},
	{"SQ_WAIT_IFETCH", "SQ_WAIT_ANY", 1},
	{"SQ_WAIT_INST_LDS_sum", "SQ_WAIT_INST_ANY", 1},
	{"SQ_BUSY_CYCLES_avr", "GRBM_GUI_ACTIVE", 1},
}

// sums are counters whose parts add up to them, in one pass.
var sums = []struct {
	whole string
	parts []string
}{
	{"TCP_REQ_sum", []string{"TCP_REQ_READ_sum", "TCP_REQ_WRITE_sum"}},
	{"GL1C_REQ_sum", []string{"GL1C_REQ_READ_sum", "GL1C_REQ_WRITE_sum"}},
	{"GL1C_CYCLE_sum", []string{"GL1C_BUSY_sum", "GL1C_STARVE_sum"}},
	{"GL1C_GL2_REQ_READ_sum", []string{"GL1C_GL2_REQ_READ_32B_sum", "GL1C_GL2_REQ_READ_64B_sum",
		"GL1C_GL2_REQ_READ_128B_sum"}},
	{"GL2C_REQ_sum", []string{"GL2C_READ_sum", "GL2C_WRITE_sum", "GL2C_ATOMIC_sum"}},
	{"GL2C_REQ_sum", []string{"GL2C_HIT_sum", "GL2C_MISS_sum"}},
	{"SQC_ICACHE_REQ_sum", []string{"SQC_ICACHE_HITS_sum", "SQC_ICACHE_MISSES_sum"}},
	{"SQC_DCACHE_REQ_sum", []string{"SQC_DCACHE_HITS_sum", "SQC_DCACHE_MISSES_sum"}},
	{"SQ_INSTS_FLAT_sum", []string{"SQ_INSTS_FLAT_LOAD_sum", "SQ_INSTS_FLAT_STORE_sum"}},
	{"SQ_WAIT_ANY", []string{"SQ_WAIT_CNT_ANY", "SQ_WAIT_IFETCH", "SQ_WAIT_BARRIER"}},
}

// Check says where the counters of a capture break an identity of the hardware. Counters of different passes come from
// different runs of the kernel and obey none; counters that are not clocked obey those that zeros do.
func (m *Model) Check(c *capture.Capture) error {
	var errs []error
	together := func(names ...string) bool {
		for _, n := range names {
			if c.Counter(n) == nil {
				errs = append(errs, fmt.Errorf("there is no counter %s", n))
				return false
			}
			if c.Counter(n).PassID() != c.Counter(names[0]).PassID() {
				return false
			}
		}
		return true
	}
	for _, p := range parts {
		if together(p.part, p.whole) {
			errs = append(errs, capturetest.AtMost(c, p.part, p.whole, p.slack))
		}
	}
	for _, s := range sums {
		if together(append([]string{s.whole}, s.parts...)...) {
			errs = append(errs, capturetest.SumsTo(c, s.whole, 2, s.parts...))
		}
	}
	if together("SQ_INSTS_VALU_sum", "SQ_INSTS_ALL_sum", "SQ_BUSY_CYCLES_sum") {
		errs = append(errs, most(c, "SQ_INSTS_VALU_sum", 4), most(c, "SQ_INSTS_ALL_sum", 5))
	}
	errs = append(errs, clock(c), bytesOf(c, together))
	return errors.Join(errs...)
}

// most checks that a work-group processor issues no more instructions in a cycle than it can.
func most(c *capture.Capture, name string, each float64) error {
	n, err := capturetest.Column(c, name)
	if err != nil {
		return err
	}
	busy, err := capturetest.Column(c, "SQ_BUSY_CYCLES_sum")
	if err != nil {
		return err
	}
	for i := range n {
		if n[i] > each*busy[i]*1.01 {
			return fmt.Errorf("sample %d: %s = %g in %g cycles is more than %g a cycle", i, name, n[i], busy[i], each)
		}
	}
	return nil
}

// clock checks that no dispatch has more cycles than its own pass had time for.
func clock(c *capture.Capture) error {
	active, err := capturetest.Column(c, "GRBM_GUI_ACTIVE")
	if err != nil {
		return err
	}
	ctr := c.Counter("GRBM_GUI_ACTIVE")
	for i, v := range active {
		ns := float64(c.Axis.Interval(i))
		if ctr.Pass != nil {
			ns = ctr.Pass.Duration.Data().Float(i)
		}
		if most := maxHz * ns / 1e9 * 1.0001; v > most+maxHz/1e9 {
			return fmt.Errorf("sample %d: %g cycles in %g ns is more than the clock gives", i, v, ns)
		}
	}
	return nil
}

// bytesOf checks that what GL2 read from the fabric is what memory gave.
func bytesOf(c *capture.Capture, together func(...string) bool) error {
	if !together("GL2C_EA_RDREQ_128B_sum", "GCEA_RDRAM_SIZE_REQ_sum") {
		return nil
	}
	asked, err := capturetest.Column(c, "GL2C_EA_RDREQ_128B_sum")
	if err != nil {
		return err
	}
	given, err := capturetest.Column(c, "GCEA_RDRAM_SIZE_REQ_sum")
	if err != nil {
		return err
	}
	for i := range asked {
		if asked[i]*line != given[i]*32 {
			return fmt.Errorf("sample %d: GL2 read %g bytes, memory gave %g", i, asked[i]*line, given[i]*32)
		}
	}
	return nil
}
