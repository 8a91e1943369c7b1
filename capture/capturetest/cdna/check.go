package cdna

import (
	"errors"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// parts are counters that are no larger than another of the same run, and by how many events rounding may hide that.
var parts = []struct{ part, whole string }{
	{"SQ_WAIT_ANY", "SQ_WAVE_CYCLES"},
	{"SQ_WAIT_INST_ANY", "SQ_WAVE_CYCLES"},
	{"SQ_ACTIVE_INST_VALU", "SQ_ACTIVE_INST_ANY"},
	{"SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"},
	{"TCP_UTCL1_TRANSLATION_HIT_sum", "TCP_UTCL1_REQUEST_sum"},
	{"TCP_PENDING_STALL_CYCLES_sum", "TCP_GATE_EN1_sum"},
	{"TCP_TCR_TCP_STALL_CYCLES_sum", "TCP_GATE_EN1_sum"},
	{"TCC_BUSY_sum", "TCC_CYCLE_sum"},
	{"GRBM_SPI_BUSY", "GRBM_GUI_ACTIVE"},
}

// sums are counters whose parts add up to them, in one run.
var sums = []struct {
	whole string
	slack float64
	parts []string
}{
	{"SQ_WAVE_CYCLES", 3, []string{"SQ_WAIT_ANY", "SQ_WAIT_INST_ANY", "SQ_ACTIVE_INST_ANY"}},
	{"TCC_REQ_sum", 3, []string{"TCC_READ_sum", "TCC_WRITE_sum", "TCC_ATOMIC_sum"}},
	{"TCC_REQ_sum", 3, []string{"TCC_HIT_sum", "TCC_MISS_sum"}},
	{"SQC_ICACHE_REQ", 3, []string{"SQC_ICACHE_HITS", "SQC_ICACHE_MISSES", "SQC_ICACHE_MISSES_DUPLICATE"}},
	{"SQC_DCACHE_REQ", 3, []string{"SQC_DCACHE_HITS", "SQC_DCACHE_MISSES", "SQC_DCACHE_MISSES_DUPLICATE"}},
}

// Check says where the counters of a capture break an identity of the hardware. Counters of different runs obey none.
func (m *Model) Check(c *capture.Capture) error {
	var errs []error
	if m.Drift == 0 {
		for _, p := range parts {
			errs = append(errs, capturetest.AtMost(c, p.part, p.whole, 1))
		}
		for _, s := range sums {
			errs = append(errs, capturetest.SumsTo(c, s.whole, s.slack, s.parts...))
		}
		errs = append(errs, m.most(c, "SQ_BUSY_CYCLES", "SQ_ACTIVE_INST_VALU", m.machine.cus/m.machine.engines),
			m.most(c, "SQ_BUSY_CYCLES", "SQ_LDS_IDX_ACTIVE", m.machine.cus/m.machine.engines),
			m.most(c, "SQ_BUSY_CYCLES", "SQ_VALU_MFMA_BUSY_CYCLES", 4*m.machine.cus/m.machine.engines),
			m.most(c, "GRBM_GUI_ACTIVE", "SQ_BUSY_CYCLES", m.machine.engines/m.machine.dies))
	}
	return errors.Join(append(errs, m.moved(c))...)
}

// most checks that something happens no more than so many times in a cycle that another counter counts.
func (m *Model) most(c *capture.Capture, cycles, name string, each float64) error {
	n, err := capturetest.Column(c, name)
	if err != nil {
		return err
	}
	whole, err := capturetest.Column(c, cycles)
	if err != nil {
		return err
	}
	for i := range n {
		if n[i] > each*whole[i]*1.001+10 {
			return fmt.Errorf("sample %d: %s = %g in %g of %s is more than %g each", i, name, n[i], whole[i],
				cycles, each)
		}
	}
	return nil
}

// moved checks that no more bytes came from memory than it can move.
func (m *Model) moved(c *capture.Capture) error {
	got, err := capturetest.Column(c, m.machine.ea+"_RDREQ_sum")
	if err != nil {
		return err
	}
	bytes := 64.0
	if m.machine.wide {
		bytes = 128
	}
	for i, v := range got {
		if ns := float64(c.Axis.Interval(i)); ns > 0 && v*bytes/ns*1e9 > 1.25*m.machine.hbm {
			return fmt.Errorf("sample %d: %g bytes in %g ns are more than memory moves", i, v*bytes, ns)
		}
	}
	return nil
}
