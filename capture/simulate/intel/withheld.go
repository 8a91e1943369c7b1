package intel

import "astrolabe/capture/simulate"

// Counters are those that tell of a candidate directly.
func (d *device) Counters(c simulate.Candidate) []string {
	if d.plat != nil {
		return d.platformCounters(c)
	}
	switch c {
	case simulate.MemoryBandwidth:
		return []string{"C4", "C5", "C6", "C7"}
	case simulate.MemoryLatency:
		return []string{"A8"}
	case simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor:
		return []string{"SLICE_CLOCK", "UNSLICE_CLOCK"}
	}
	switch c.Level + "/" + c.Name {
	case "unit/arithmetic":
		return []string{"A7", "A9", "A10", "A11", "A15", "A16", "A18"}
	case "unit/texture":
		return []string{"A28", "A29", "B0", "B1", "B2", "B3"}
	case "unit/load_store":
		return []string{"A32", "A33", "A34"}
	case "unit/local_memory":
		return []string{"A30", "A31"}
	case "unit/vertex_fetch":
		return []string{"C0"}
	case "unit/clipper":
		return []string{"B5", "C4"}
	case "unit/setup":
		return []string{"B6", "C5"}
	case "unit/rasterizer":
		return []string{"A21"}
	case "unit/hierarchical_depth":
		return []string{"A22", "C6"}
	case "unit/early_depth":
		return []string{"A23", "B7"}
	case "unit/pixel_backend":
		return []string{"A26", "A27"}
	case "memory/cache":
		return []string{"A29", "A32"}
	}
	return nil
}
