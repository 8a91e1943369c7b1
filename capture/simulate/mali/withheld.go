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
		prefixes = []string{"MaliExternalBusStall", "MaliExternalBusBeats"}
	case simulate.MemoryLatency:
		prefixes = []string{"MaliExternalBusReadLatency", "MaliExternalBusStall"}
	case simulate.QueuesInTurn:
		prefixes = []string{"MaliGPUQueuedCycles", "MaliGPUWaitCycles"}
	case simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor:
		prefixes = []string{"gpu_clock", "shader_clock", "gpu_frequency"}
	}
	switch c.Level + "/" + c.Name {
	case "unit/arithmetic":
		prefixes = []string{"MaliALUInstructionsFMA", "MaliALUInstructionsCVT", "MaliALUInstructionsSFU"}
	case "unit/texture":
		prefixes = []string{"MaliTextureUnit"}
	case "unit/varying":
		prefixes = []string{"MaliVaryingUnit"}
	case "unit/load_store":
		prefixes = []string{"MaliLoadStoreUnit"}
	case "unit/ray_tracing":
		prefixes = []string{"MaliRayTracingUnit"}
	case "unit/tiler":
		prefixes = []string{"MaliPrimitiveCulling", "MaliTilerShading"}
	case "unit/rasterizer":
		prefixes = []string{"MaliFragmentQuads", "MaliFragmentZSQuads", "MaliShaderCoreCyclesFragmentFPK"}
	case "unit/pixel_backend":
		prefixes = []string{"MaliShaderCoreWritesTileUnit", "MaliShaderCoreTiles"}
	case "memory/cache":
		prefixes = []string{"MaliShaderCoreL2Reads"}
	}
	var out []string
	for _, e := range layouts()[d.gpu] {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(e.Name, p) }) {
			out = append(out, e.Name)
		}
	}
	for _, p := range prefixes {
		if strings.Contains(p, "_") {
			out = append(out, "gpu_clock_cycles", "shader_clock_cycles", "gpu_frequency")
		}
	}
	return out
}
