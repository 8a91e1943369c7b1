package mali

import (
	"slices"
	"strings"

	"astrolabe/capture/simulate"
)

// Counters are those that tell of a candidate directly, for recordings that withhold them.
func (d *device) Counters(c simulate.Candidate) []string {
	var prefixes []string
	switch c {
	case simulate.MemoryBandwidth:
		prefixes = []string{"MaliExtBusRdStall", "MaliExtBusWrStall", "MaliExtBusRdBt", "MaliExtBusWrBt"}
	case simulate.MemoryLatency:
		prefixes = []string{"MaliExtBusRdLat", "MaliExtBusRdStall", "MaliExtBusWrStall", "MaliEngStarve"}
	case simulate.QueuesInTurn:
		for _, q := range []string{"Frag", "Main", "Vert", "Binning", "Comp", "NonFrag"} {
			for _, time := range []string{"QueuedCy", "QueueAssignStall", "QueueActive", "QueueWait"} {
				prefixes = append(prefixes, "Mali"+q+time)
			}
		}
	case simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor:
		return []string{"gpu_clock_cycles", "shader_clock_cycles", "gpu_frequency"}
	}
	switch c.Level + "/" + c.Name {
	case "unit/arithmetic":
		prefixes = []string{"MaliEngFMA", "MaliEngCVT", "MaliEngSFU", "MaliEngInstr", "MaliEngSlot"}
	case "unit/texture":
		prefixes = []string{"MaliTex", "MaliEngTex"}
	case "unit/varying":
		prefixes = []string{"MaliVar", "MaliEngVar"}
	case "unit/load_store":
		prefixes = []string{"MaliLS", "MaliEngLS"}
	case "unit/ray_tracing":
		prefixes = []string{"MaliRTU", "MaliEngRTU"}
	case "unit/tiler":
		prefixes = []string{"MaliGeom", "MaliTiler"}
	case "unit/rasterizer":
		prefixes = []string{"MaliFragRast", "MaliFragEZS", "MaliFragLZS", "MaliFragFPK", "MaliFragOpaque",
			"MaliFragPrepass"}
	case "unit/pixel_backend":
		prefixes = []string{"MaliSCBusTile", "MaliFragTile", "MaliBlend", "MaliEngBlend"}
	case "memory/cache":
		prefixes = []string{"MaliSCBusTexL2", "MaliSCBusLSL2", "MaliSCBusFFEL2", "MaliL2Cache"}
	}
	var out []string
	for _, e := range layouts()[d.layout] {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.machine, p) }) {
			out = append(out, e.name)
		}
	}
	return out
}
