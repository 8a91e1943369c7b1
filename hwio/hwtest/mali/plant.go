package mali

import (
	"slices"
	"strings"

	"astrolabe/hwio/hwtest"
)

// plant is a limiter that a scenario plants: frames never end before the next one begins, fragments are shaded all the
// time while a fifth of it bins beside them, and one thing works as fast as it can. Everything else has much to spare.
type plant struct {
	limiter string // what the truth says, and the end of the scenario's name
	doc     string
	rates   []rate
}

// rate is how fast a counter grows under a plant.
type rate struct {
	name    string // the hardware's; several with spaces between
	ratio   float64
	layouts string // "" for all
}

// limitedBy begins the names of scenarios that plant a limiter.
const limitedBy = "limited-by-"

// spare are the rates of what does not limit.
var spare = []rate{
	{"EXEC_CORE_ACTIVE", 0.985, ""}, {"EXEC_INSTR_COUNT", 0.15, ""}, {"EXEC_INSTR_FMA", 0.1, ""},
	{"EXEC_INSTR_CVT", 0.05, ""}, {"EXEC_INSTR_SFU", 0.01, ""},
	{"TEX_FILT_NUM_OPERATIONS TEX_COORD_ISSUE", 0.1, ""}, {"TEX_FILT_NUM_FXR_OPERATIONS", 0.05, ""},
	{"TEX_TIDX_NUM_OPERATIONS TEX_TFCH_NUM_TCL_OPERATIONS", 0.09, ""},
	{"BEATS_RD_TEX", 0.03, ""}, {"BEATS_RD_TEX_EXT", 0.01, ""}, {"BEATS_RD_LSC", 0.03, ""},
	{"BEATS_RD_LSC_EXT", 0.01, ""},
	{"TEX_CFCH_NUM_OUTPUT_OPERATIONS TEX_CFCH_NUM_L1_CL_OPERATIONS TEX_CFCH_NUM_L1_CT_OPERATIONS TEX_CFCH_NUM_DIRECT_PATH_OPERATIONS", 0.07, ""},
}

var plants = []plant{
	{"texture", "filtering of textures", []rate{
		{"TEX_FILT_NUM_OPERATIONS TEX_COORD_ISSUE", 0.96, ""}, {"TEX_FILT_NUM_FXR_OPERATIONS", 0.8, ""},
		{"TEX_TIDX_NUM_OPERATIONS", 0.4, ""},
	}},
	{"arithmetic", "arithmetic", []rate{
		{"EXEC_INSTR_COUNT", 0.96, ""},
		{"EXEC_INSTR_FMA", 0.96, "g57 g78"},
		{"EXEC_INSTR_FMA", 0.7, "g710"}, {"EXEC_INSTR_CVT", 0.25, "g710"},
		// A fused multiply-add goes to either of two pipes, anything else to one of them; the newest have two slots.
		{"EXEC_INSTR_FMA", 0.96, "g615 g720 g925 g1"}, {"EXEC_INSTR_CVT", 0.9, "g615 g720"},
		{"EXEC_INSTR_SFU", 0.06, "g615 g720"},
		{"EXEC_INSTR_CVT", 0.63, "g925 g1"}, {"EXEC_ISSUE_SLOT_ANY", 0.6, "g925 g1"},
	}},
	{"load-store", "loads and stores", []rate{
		{"LS_MEM_READ_FULL", 0.66, ""}, {"LS_MEM_READ_SHORT", 0.1, ""}, {"LS_MEM_WRITE_FULL", 0.13, ""},
		{"LS_MEM_WRITE_SHORT", 0.06, ""}, {"BEATS_RD_LSC", 0.08, ""},
	}},
	{"memory", "the bandwidth of external memory for reads", []rate{
		{"L2_EXT_AR_STALL", 0.6, ""}, {"L2_EXT_READ", 0.2, "g72 g52 g76 g57 g78 g710 g615"},
		{"L2_EXT_READ", 0.4, "g720 g925 g1"},
		{"L2_RD_MSG_IN L2_READ_LOOKUP", 0.5, ""}, {"L2_EXT_RRESP_0_127", 0.03, ""},
		{"L2_EXT_RRESP_128_191 L2_EXT_RRESP_192_255", 0.05, ""},
		{"BEATS_RD_TEX", 0.2, ""}, {"BEATS_RD_TEX_EXT", 0.15, ""}, {"EXEC_INSTR_STARVING EXEC_STARVE_ARITH", 0.7, ""},
	}},
}

// plantOf is the one that a scenario asks for, nil where none does.
func plantOf(set *hwtest.Settings) *plant {
	for i := range plants {
		if set.Has(limitedBy + plants[i].limiter) {
			return &plants[i]
		}
	}
	return nil
}

// change gives a block's counters the rates of the plant. A slice of the L2 has a part of the GPU's traffic, but waits
// and answers by itself.
func (p *plant) change(rules []rule, s *spec, block string) {
	for i := range rules {
		for _, r := range slices.Concat(spare, p.rates) {
			if r.layouts != "" && !slices.Contains(strings.Fields(r.layouts), s.layout) ||
				!slices.Contains(strings.Fields(r.name), rules[i].name) {
				continue
			}
			rules[i].ratio = r.ratio
			if block == "memory" && rules[i].terms == nil {
				rules[i].ratio *= float64(s.slices)
			}
		}
	}
}

// frame is one without an end: the fragment work of the frame before goes on while this one is binned.
func (p *plant) frame(f *frame) {
	f.frag = window{0, frameNs}
	f.bin = window{0, 0.2 * frameNs}
}
