package gpa

import (
	"errors"
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Check says where the counters break an identity of the hardware: parts and wholes, states and clocks, cache lookups
// and bytes.
func (m model) Check(c *capture.Capture) error {
	x := &checker{m: m, c: c}
	const gui = "GRBM_GRBM_PERF_SEL_GUI_ACTIVE"
	active := x.total("GRBM", strings.TrimPrefix(gui, "GRBM_"))
	if m.stages {
		x.clocks()
		for _, spi := range []string{"VS", "HS", "GS", "PS", "CSG"} {
			x.busyAtMost("SPI", "SPI_PERF_"+spi+"_BUSY", active)
		}
		return x.failed()
	}
	x.busyAtMost("TA", "TA_PERF_SEL_TA_BUSY", active)
	x.busyAtMost("TCC", x.memory("WRREQ_STALL"), active)
	x.each("TCP", "TCP_PERF_SEL_TCP_TA_DATA_STALL_CYCLES", "TA", "TA_PERF_SEL_TA_BUSY")
	x.sums("TCC", "TCC_PERF_SEL_MISS", "TCC", "TCC_PERF_SEL_HIT", "TCP", "TCP_PERF_SEL_TCC_READ_REQ",
		"TCP_PERF_SEL_TCC_WRITE_REQ")
	x.part("TCP", "TCP_PERF_SEL_TCC_READ_REQ", "TCP", "TCP_PERF_SEL_TOTAL_CACHE_ACCESSES", 1)
	lines := 1.0
	if m.generation == "gfx9" {
		x.part("TCC", "TCC_PERF_SEL_EA_RDREQ_32B", "TCC", "TCC_PERF_SEL_EA_RDREQ", 1)
		x.part("TCC", "TCC_PERF_SEL_EA_WRREQ_64B", "TCC", "TCC_PERF_SEL_EA_WRREQ", 1)
	} else {
		lines = 2
	}
	x.part("TCC", x.memory("RDREQ"), "TCC", "TCC_PERF_SEL_MISS", lines)
	x.atMost("bytes read from memory", x.total("TCC", x.memory("RDREQ")), active, readBytes/lineBytes*lines)
	x.atMost("bytes written to memory", x.total("TCC", x.memory("WRREQ")), active, writeBytes/lineBytes*lines)
	cs := "SQ_CS"
	if m.api == "cl" {
		cs = "SQ"
	}
	if !m.fixed {
		work := "SQ_PERF_SEL_ACTIVE_INST_VALU"
		x.part(cs, "SQ_PERF_SEL_THREAD_CYCLES_VALU", cs, work, 64)
		x.atMost(cs+" vector clocks", x.total(cs, work), active, simds/4)
		x.atMost(cs+" scalar clocks", x.total(cs, "SQ_PERF_SEL_INST_CYCLES_SALU"), active, cus/4)
		x.atMost("conflicts of the LDS", x.total(cs, "SQ_PERF_SEL_LDS_BANK_CONFLICT"), active, cus)
	}
	if m.api != "cl" {
		x.graphics(active)
	}
	return x.failed()
}

func (x *checker) failed() error {
	if x.err != nil {
		return fmt.Errorf("%s: %w", x.m.Name(), x.err)
	}
	return nil
}

// clocks checks how long the GPU worked against the time.
func (x *checker) clocks() {
	if err := capturetest.AtMost(x.c, "GRBM_GRBM_PERF_SEL_GUI_ACTIVE", "GRBM_GRBM_PERF_SEL_COUNT", 0); err != nil {
		x.err = errors.Join(x.err, err)
	}
	x.atMost("clocks in the time of the sample", x.total("GRBM", "GRBM_PERF_SEL_COUNT"),
		x.total("GPUTime", "Bottom_To_Bottom"), x.m.hz/ticks*1.01)
}

func (x *checker) graphics(active []float64) {
	x.clocks()
	for _, b := range []struct{ block, event string }{
		{"DB", "DB_PERF_SEL_OP_PIPE_BUSY"}, {"DB", "DB_PERF_SEL_DB_CB_LQUAD_STALLS"}, {"PA_SU", "PERF_PAPC_CLIP_BUSY"},
		{"VGT", "VGT_PERF_VGT_TE11_BUSY"},
		{"SX", "SX_PERF_SEL_DB0_PIXEL_STALL"},
	} {
		x.busyAtMost(b.block, b.event, active)
	}
	x.part("PA_SU", "PERF_PAPC_SU_STALLED_SC", "PA_SU", "PERF_PAPC_CLIP_BUSY", 1)
	x.sums("PA_SU", "PERF_PAPC_CLPR_CULL_PRIM", "PA_SU", "PERF_PAPC_SU_ZERO_AREA_CULL_PRIM", "PA_SU",
		"PERF_PAPC_PA_INPUT_PRIM", "-PERF_PAPC_SU_BACK_FACE_CULL_PRIM",
		"-PERF_PAPC_SU_OUTPUT_PRIM", "-PERF_PAPC_SU_OUTPUT_CLIP_PRIM")
	x.part("PA_SC", "SC_P0_HIZ_QUAD_COUNT", "PA_SC", "SC_QZ0_QUAD_COUNT", 1)
	x.part("PA_SC", "SC_EARLYZ_QUAD_COUNT", "PA_SC", "SC_P0_HIZ_QUAD_COUNT", 4)
	x.part("DB", "DB_PERF_SEL_DB_SC_TILE_CULLED", "DB", "DB_PERF_SEL_SC_DB_TILE_TILES", 1)
	x.part("CB", "CB_PERF_SEL_EXPORT_32_ABGR_QUAD_FRAGMENT", "CB", "CB_PERF_SEL_DRAWN_QUAD_FRAGMENT", 1)
	if x.m.fixed {
		return
	}
	hardware := []string{"VS", "HS", "GS", "PS", "CS"}
	if x.m.generation == "gfx8" {
		hardware = append(hardware, "LS", "ES")
	}
	all := make([]float64, len(active))
	for _, stage := range hardware {
		spi := map[string]string{"CS": "CSG", "PS": map[bool]string{true: "PS",
			false: "PS_CTL"}[x.m.api == "vk"]}[stage]
		if spi == "" {
			spi = stage
		}
		x.busyAtMost("SPI", "SPI_PERF_"+spi+"_BUSY", active)
		for i, v := range x.total("SQ_"+stage, "SQ_PERF_SEL_ACTIVE_INST_VALU") {
			all[i] += v
		}
	}
	x.atMost("vector clocks of all stages", all, active, simds/4)
}

// checker keeps the first identity that is broken.
type checker struct {
	m   model
	c   *capture.Capture
	err error
}

func (x *checker) memory(event string) string {
	if x.m.generation == "gfx9" {
		return "TCC_PERF_SEL_EA_" + event
	}
	return "TCC_PERF_SEL_MC_" + event
}

// total adds up the instances of a counter.
func (x *checker) total(block, event string) []float64 {
	out := make([]float64, x.c.Len())
	for _, name := range x.m.counters(block, event) {
		v, err := capturetest.Column(x.c, name)
		if err != nil {
			x.err = errors.Join(x.err, err)
			return out
		}
		for i := range v {
			out[i] += v[i]
		}
	}
	return out
}

// atMost checks a against b times a factor. Rounding takes an event for each instance.
func (x *checker) atMost(what string, a, b []float64, factor float64) {
	for i := range a {
		if x.err == nil && a[i] > b[i]*factor+64 {
			x.err = fmt.Errorf("sample %d: %s are %g, above %g", i, what, a[i], b[i]*factor)
		}
	}
}

// part checks that a counter is at most another times a factor.
func (x *checker) part(block, event, ofBlock, of string, factor float64) {
	x.atMost(block+"_"+event, x.total(block, event), x.total(ofBlock, of), factor)
}

// busyAtMost checks that no block is in a state for longer than the GPU is busy.
func (x *checker) busyAtMost(block, event string, active []float64) {
	most := 1.0
	if x.m.api != "vk" && block != "SPI" && block != "TCC" {
		most = engines
	}
	for _, name := range x.m.counters(block, event) {
		v, err := capturetest.Column(x.c, name)
		if err != nil {
			x.err = errors.Join(x.err, err)
			return
		}
		x.atMost(name, v, active, most)
	}
}

// each checks that a state of each block is part of another.
func (x *checker) each(block, event, ofBlock, of string) {
	whole := x.m.counters(ofBlock, of)
	for k, name := range x.m.counters(block, event) {
		if err := capturetest.AtMost(x.c, name, whole[k], 1); err != nil && x.err == nil {
			x.err = err
		}
	}
}

// sums checks that two counters add up to the sum of others, of which those with a minus are taken away.
func (x *checker) sums(blockA, a, blockB, b, block string, of ...string) {
	left, right := x.total(blockA, a), x.total(blockB, b)
	want := make([]float64, len(left))
	for _, name := range of {
		event, minus := strings.CutPrefix(name, "-")
		for i, v := range x.total(block, event) {
			if minus {
				v = -v
			}
			want[i] += v
		}
	}
	for i := range want {
		if d := left[i] + right[i] - want[i]; x.err == nil && (d > 64 || d < -64) {
			x.err = fmt.Errorf("sample %d: %s and %s add up to %g, not to %g", i, a, b, left[i]+right[i], want[i])
		}
	}
}
