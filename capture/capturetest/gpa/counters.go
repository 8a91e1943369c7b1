package gpa

import (
	"math"
	"strconv"
	"sync"

	"astrolabe/capture/capturetest"
)

// ticks is how often the GPU's time stamp counts in a second.
const ticks = 27e6

// sink writes the hardware counters of one sample.
type sink struct {
	m model
	t *capturetest.Table
	i int
}

// instances is how many blocks of a kind are counted apart; 0 where one counter stands for all.
func (m model) instances(block string) int {
	each := m.api == "vk"
	switch block {
	case "CB", "DB":
		if each {
			return 16
		}
		return 4
	case "TA", "TCP":
		if each {
			return 64
		}
		return 16
	case "TCC":
		return 16
	case "GRBM", "GPUTime":
		return 0
	}
	if each {
		return engines
	}
	return 0
}

// collected says whether the model has counters of a block at all.
func (m model) collected(block string) bool {
	switch block {
	case "SPI", "GRBM", "GPUTime":
		return block != "SPI" || !m.fixed
	case "SQ", "SQ_VS", "SQ_LS", "SQ_ES", "SQ_HS", "SQ_GS", "SQ_PS", "SQ_CS":
		return !m.fixed && !m.stages
	}
	return !m.stages
}

var names sync.Map // of instances, by block and event

// counters lists the names of a counter, one for each instance.
func (m model) counters(block, event string) []string {
	n := m.instances(block)
	key := block + " " + event + " " + strconv.Itoa(n)
	if have, ok := names.Load(key); ok {
		return have.([]string)
	}
	out := []string{block + "_" + event}
	if n > 0 {
		out = nil
		for k := range n {
			out = append(out, block+strconv.Itoa(k)+"_"+event)
		}
	}
	names.Store(key, out)
	return out
}

// sum counts events that spread over all blocks of a kind.
func (s sink) sum(block, event string, total float64) {
	if !s.m.collected(block) {
		return
	}
	list := s.m.counters(block, event)
	left := uint64(math.Round(total))
	for k, name := range list {
		one := left / uint64(len(list)-k)
		s.t.Count(name, s.i, float64(one))
		left -= one
	}
}

// clocks counts clocks in which each block of a kind is in a state; the first is in it the longest. Without counters of
// single blocks those of all shader engines are added up, except where the block counts for the whole chip.
func (s sink) clocks(block, event string, v float64) {
	if !s.m.collected(block) {
		return
	}
	list := s.m.counters(block, event)
	if s.m.api != "vk" && block != "SPI" && block != "TCC" {
		v *= engines
	}
	for k, name := range list {
		s.t.Count(name, s.i, math.Floor(v*(1-0.05*float64(k)/float64(len(list)))))
	}
}

// write counts what a draw did.
func (s sink) write(d draw, l load, active, seconds float64) {
	gui := math.Round(l.clocks)
	s.t.Count("GRBM_GRBM_PERF_SEL_GUI_ACTIVE", s.i, gui)
	if s.m.api != "cl" {
		s.t.Count("GRBM_GRBM_PERF_SEL_COUNT", s.i, math.Ceil(gui/active))
		s.t.Count("GPUTime_Bottom_To_Bottom", s.i, seconds*ticks)
		s.front(d, l)
		s.pixels(d, l)
		s.filters(d, l)
	}
	s.memory(d, l)
	s.compute(d, l)
}

// alu counts the instructions of a hardware stage.
func (s sink) alu(stage string, waves float64, w shader) {
	block := "SQ_" + stage
	s.sum(block, "SQ_PERF_SEL_WAVES", waves)
	s.sum(block, "SQ_PERF_SEL_ITEMS", waves*64)
	s.sum(block, "SQ_PERF_SEL_INSTS_VALU", waves*w.valu)
	s.sum(block, "SQ_PERF_SEL_INST_CYCLES_VALU", waves*w.valu)
	s.sum(block, "SQ_PERF_SEL_ACTIVE_INST_VALU", waves*w.valu)
	s.sum(block, "SQ_PERF_SEL_INSTS_SALU", waves*w.salu)
	s.sum(block, "SQ_PERF_SEL_INST_CYCLES_SALU", waves*w.salu)
}

// spi counts the waves that a hardware stage has in flight.
func (s sink) spi(stage string, live, waves float64) {
	s.clocks("SPI", "SPI_PERF_"+stage+"_BUSY", live)
	s.sum("SPI", "SPI_PERF_"+stage+"_WAVE", math.Ceil(waves))
}

// front counts what happens before the rasterizer. The hardware's stages are not the program's: before a hull shader
// the vertex shader runs as LS, before a geometry shader as ES, and what comes last runs as VS. GFX9 runs LS with HS
// and ES with GS.
func (s sink) front(d draw, l load) {
	w := l.waves
	var ls, es, vs shader
	var lsLive, esLive, vsLive, lsWaves, esWaves, vsWaves float64
	switch {
	case w["HS"] > 0:
		ls, lsLive, lsWaves = d.vs, l.vsLive, w["VS"]
		vs, vsLive, vsWaves = d.ds, l.dsLive, w["DS"]
	case w["GS"] > 0:
		es, esLive, esWaves = d.vs, l.vsLive, w["VS"]
		vs, vsLive, vsWaves = shader{6, 2}, 0.1*l.gsLive, w["GS"]*d.gsOut
	default:
		vs, vsLive, vsWaves = d.vs, l.vsLive, w["VS"]
	}
	s.spi("LS", lsLive, lsWaves)
	s.spi("ES", esLive, esWaves)
	s.spi("VS", vsLive, vsWaves)
	s.spi("HS", l.hsLive, w["HS"])
	s.spi("GS", l.gsLive, w["GS"])
	s.alu("LS", lsWaves, ls)
	s.alu("ES", esWaves, es)
	s.alu("VS", vsWaves, vs)
	s.alu("HS", w["HS"], d.hs)
	s.alu("GS", w["GS"], d.gs)

	s.sum("VGT", "VGT_PERF_VGT_SPI_VSVERT_SEND", vsWaves*64)
	s.sum("VGT", "VGT_PERF_VGT_SPI_ESVERT_VALID", esWaves*64)
	s.sum("VGT", "VGT_PERF_VGT_SPI_LSVERT_VALID", lsWaves*64)
	s.sum("VGT", "VGT_PERF_VGT_SPI_HSVERT_VALID", w["HS"]*64)
	s.sum("VGT", "VGT_PERF_VGT_SPI_GSPRIM_VALID", w["GS"]*64)
	s.clocks("VGT", "VGT_PERF_VGT_TE11_BUSY", l.tess)

	culled := l.prims - l.drawn
	s.sum("PA_SU", "PERF_PAPC_PA_INPUT_PRIM", l.prims)
	s.sum("PA_SU", "PERF_PAPC_CLPR_VVUCP_CLIP_PRIM", l.prims*d.clipped)
	s.sum("PA_SU", "PERF_PAPC_CLPR_CULL_PRIM", culled*0.3)
	s.sum("PA_SU", "PERF_PAPC_SU_ZERO_AREA_CULL_PRIM", culled*0.1)
	s.sum("PA_SU", "PERF_PAPC_SU_BACK_FACE_CULL_PRIM", culled*0.6)
	s.sum("PA_SU", "PERF_PAPC_SU_FRONT_FACE_CULL_PRIM", 0)
	s.sum("PA_SU", "PERF_PAPC_SU_POLYMODE_FACE_CULL", 0)
	clipped := l.drawn * d.clipped
	s.sum("PA_SU", "PERF_PAPC_SU_OUTPUT_PRIM", l.drawn-clipped)
	s.sum("PA_SU", "PERF_PAPC_SU_OUTPUT_PRIM_DUAL", 0)
	s.sum("PA_SU", "PERF_PAPC_SU_OUTPUT_CLIP_PRIM", clipped)
	s.sum("PA_SU", "PERF_PAPC_SU_OUTPUT_CLIP_PRIM_DUAL", 0)
	s.clocks("PA_SU", "PERF_PAPC_SU_STALLED_SC", l.stalled)
	s.clocks("PA_SU", "PERF_PAPC_CLIP_BUSY", l.assembly+l.drawn/engines+l.stalled)
}

// pixels counts what happens behind the rasterizer.
func (s sink) pixels(d draw, l load) {
	name := "PS_CTL"
	if s.m.api == "vk" {
		name = "PS"
	}
	s.spi(name, l.psLive, l.waves["PS"])
	s.alu("PS", l.waves["PS"], d.ps)

	for k := range 4 {
		n := strconv.Itoa(k)
		s.sum("PA_SC", "SC_QZ"+n+"_QUAD_COUNT", l.quads/4)
		s.sum("PA_SC", "SC_P"+n+"_HIZ_QUAD_COUNT", l.hizQuads/4)
		s.sum("SX", "SX_PERF_SEL_DB"+n+"_PIXELS", l.shadedQuads*4*math.Max(1, d.targets)/4)
		s.clocks("SX", "SX_PERF_SEL_DB"+n+"_PIXEL_STALL", l.exportStall)
	}
	s.sum("PA_SC", "SC_EARLYZ_QUAD_COUNT", l.shadedQuads)

	tiles := l.quads / 16
	tested := 4 * l.hizQuads
	late := 4 * l.shadedQuads * d.late
	early := math.Max(0, tested-late)
	s.clocks("DB", "DB_PERF_SEL_OP_PIPE_BUSY", l.depth+l.colorStall*0.2)
	s.clocks("DB", "DB_PERF_SEL_DB_CB_LQUAD_STALLS", l.colorStall)
	s.sum("DB", "DB_PERF_SEL_SC_DB_TILE_TILES", tiles)
	s.sum("DB", "DB_PERF_SEL_DB_SC_TILE_CULLED", tiles*d.hiz)
	s.sum("DB", "DB_PERF_SEL_SC_DB_QUAD_KILLED_TILES", tiles*0.05)
	s.sum("DB", "DB_PERF_SEL_TILE_RD_SENDS", tiles*0.2)
	s.sum("DB", "DB_PERF_SEL_TILE_WR_SENDS", tiles*0.2)
	s.sum("DB", "DB_PERF_SEL_QUAD_RD_32BYTE_REQS", tested/8)
	s.sum("DB", "DB_PERF_SEL_QUAD_WR_SENDS", tested/8+l.shadedQuads*d.depthWrite)
	s.sum("DB", "DB_PERF_SEL_PREZ_SAMPLES_PASSING_Z", early*0.7)
	s.sum("DB", "DB_PERF_SEL_PREZ_SAMPLES_FAILING_Z", early*0.3)
	s.sum("DB", "DB_PERF_SEL_PREZ_SAMPLES_FAILING_S", 0)
	s.sum("DB", "DB_PERF_SEL_POSTZ_SAMPLES_PASSING_Z", late*0.7)
	s.sum("DB", "DB_PERF_SEL_POSTZ_SAMPLES_FAILING_Z", late*0.3)
	s.sum("DB", "DB_PERF_SEL_POSTZ_SAMPLES_FAILING_S", 0)

	out := l.shadedQuads * d.targets
	s.sum("CB", "CB_PERF_SEL_DRAWN_QUAD_FRAGMENT", out)
	s.sum("CB", "CB_PERF_SEL_EXPORT_32_ABGR_QUAD_FRAGMENT", out*d.slow)
	s.sum("CB", "CB_PERF_SEL_CC_MC_WRITE_REQUEST", out/4*(1+d.slow))
	s.sum("CB", "CB_PERF_SEL_CC_MC_READ_REQUEST", out/4*(1+d.slow)*d.blend)
}

// anisotropies are the numbers of samples for one that the texture unit tells apart.
var anisotropies = []float64{1, 2, 4, 6, 8, 10, 12, 14, 16}

// filters counts what the texture units do for pixel shaders.
func (s sink) filters(d draw, l load) {
	pixels := l.waves["PS"] * d.tex * 64
	s.sum("TA", "TA_PERF_SEL_MIP_1_CYCLE_PIXELS", pixels*(1-d.tri))
	s.sum("TA", "TA_PERF_SEL_MIP_2_CYCLE_PIXELS", pixels*d.tri)
	s.sum("TA", "TA_PERF_SEL_VOL_1_CYCLE_PIXELS", pixels*(1-d.vol))
	s.sum("TA", "TA_PERF_SEL_VOL_2_CYCLE_PIXELS", pixels*d.vol)
	a := math.Max(1, d.aniso)
	for k, n := range anisotropies {
		share := 0.0
		switch {
		case k > 0 && anisotropies[k-1] < a && a <= n:
			share = (a - anisotropies[k-1]) / (n - anisotropies[k-1])
		case n <= a && k+1 < len(anisotropies) && a < anisotropies[k+1]:
			share = 1 - (a-n)/(anisotropies[k+1]-n)
		}
		s.sum("TA", "TA_PERF_SEL_ANISO_"+strconv.Itoa(int(n))+"_CYCLE_QUADS", pixels/4*share)
	}
}

// memory counts the caches and what goes to memory.
func (s sink) memory(d draw, l load) {
	var requests, misses, lines, written float64
	if c := d.cs; c != nil {
		requests = c.requests(l.waves["CS"])
		misses = requests * (1 - c.l1)
		lines = c.lines(l.waves["CS"])
		written = l.waves["CS"] * c.written / lineBytes
	} else {
		requests = l.waves["PS"] * d.tex * 16
		misses = requests * 0.2
		lines = misses * 0.3
	}
	s.clocks("TA", "TA_PERF_SEL_TA_BUSY", l.texture)
	s.clocks("TCP", "TCP_PERF_SEL_TCP_TA_DATA_STALL_CYCLES", l.fetchStall)
	s.sum("TCP", "TCP_PERF_SEL_TOTAL_CACHE_ACCESSES", requests+written)
	s.sum("TCP", "TCP_PERF_SEL_TCC_READ_REQ", misses)
	s.sum("TCP", "TCP_PERF_SEL_TCC_WRITE_REQ", written)
	s.sum("TCP", "TCP_PERF_SEL_TCC_ATOMIC_WITH_RET_REQ", 0)
	s.sum("TCP", "TCP_PERF_SEL_TCC_ATOMIC_WITHOUT_RET_REQ", 0)
	s.sum("TCC", "TCC_PERF_SEL_HIT", misses-lines+written)
	s.sum("TCC", "TCC_PERF_SEL_MISS", lines)
	if s.m.generation == "gfx9" {
		s.sum("TCC", "TCC_PERF_SEL_EA_RDREQ", lines)
		s.sum("TCC", "TCC_PERF_SEL_EA_RDREQ_32B", lines*0.05)
		s.sum("TCC", "TCC_PERF_SEL_EA_WRREQ", written)
		s.sum("TCC", "TCC_PERF_SEL_EA_WRREQ_64B", written*0.9)
		s.clocks("TCC", "TCC_PERF_SEL_EA_WRREQ_STALL", l.writeStall)
	} else {
		s.sum("TCC", "TCC_PERF_SEL_MC_RDREQ", lines*2)
		s.sum("TCC", "TCC_PERF_SEL_MC_WRREQ", written*2)
		s.clocks("TCC", "TCC_PERF_SEL_MC_WRREQ_STALL", l.writeStall)
	}
}

// compute counts the instructions of dispatches. Through OpenCL they are those of all stages, as there is no other.
func (s sink) compute(d draw, l load) {
	c, waves := dispatch{}, l.waves["CS"]
	if d.cs != nil {
		c = *d.cs
	}
	block := "SQ_CS"
	if s.m.api == "cl" {
		block = "SQ"
	}
	s.spi("CSG", l.csLive, waves)
	s.sum("SPI", "SPI_PERF_CSG_NUM_THREADGROUPS", math.Ceil(waves/4))
	if s.m.api == "cl" {
		s.sum(block, "SQ_PERF_SEL_WAVES", waves)
		s.sum(block, "SQ_PERF_SEL_INSTS_VALU", waves*c.valu)
		s.sum(block, "SQ_PERF_SEL_ACTIVE_INST_VALU", waves*c.valu)
		s.sum(block, "SQ_PERF_SEL_INSTS_SALU", waves*c.salu)
		s.sum(block, "SQ_PERF_SEL_INST_CYCLES_SALU", waves*c.salu)
	} else {
		s.alu("CS", waves, c.shader)
		all := waves
		for _, stage := range stages {
			all += l.waves[stage]
		}
		s.sum("SQ", "SQ_PERF_SEL_WAVES", all)
		s.sum("SQ", "SQ_PERF_SEL_ITEMS", all*64)
		s.sum("SQ", "SQ_PERF_SEL_WAIT_INST_LDS", l.conflicts/4+l.ldsStall*all*engines)
	}
	s.sum(block, "SQ_PERF_SEL_THREAD_CYCLES_VALU", math.Floor(waves*c.valu)*64*c.lanes)
	s.sum(block, "SQ_PERF_SEL_INSTS_VMEM_RD", waves*c.fetch)
	s.sum(block, "SQ_PERF_SEL_INSTS_VMEM_WR", waves*c.written/1024)
	s.sum(block, "SQ_PERF_SEL_INSTS_LDS", waves*c.lds)
	s.sum(block, "SQ_PERF_SEL_INSTS_SMEM", waves*4)
	s.sum(block, "SQ_PERF_SEL_INSTS_GDS", 0)
	s.sum(block, "SQ_PERF_SEL_INSTS_FLAT", 0)
	s.sum(block, "SQ_PERF_SEL_INSTS_FLAT_LDS_ONLY", 0)
	s.sum(block, "SQ_PERF_SEL_LDS_BANK_CONFLICT", l.conflicts)
	if s.m.api != "cl" {
		s.sum("SQ_CS", "SQ_PERF_SEL_WAIT_INST_LDS", l.conflicts/4+l.ldsStall*waves*engines)
	}
	s.sum("TA", "TA_PERF_SEL_FLAT_READ_WAVEFRONTS", 0)
	s.sum("TA", "TA_PERF_SEL_FLAT_WRITE_WAVEFRONTS", 0)
}
