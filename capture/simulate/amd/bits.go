package amd

import (
	"slices"

	"astrolabe/capture/simulate"
)

// bit is a status bit, with the generations that have it.
type bit struct {
	name     string
	second   bool // in the second register
	from, to int
	busy     func(m *moment) float64 // ns of the sample in which it is set
	tells    []string                // candidates that it tells of
}

// bits are those of the two registers of the graphics pipe. Bits 8 to 11 stand for GFX8 to GFX11.
var bits = []bit{
	{"gfx", false, 8, 11, func(m *moment) float64 { return m.busy }, nil},
	{"cp", false, 8, 11, func(m *moment) float64 { return m.busy }, []string{"launch/overhead"}},
	{"spi", false, 8, 11, func(m *moment) float64 { return m.cores }, nil},
	{"ta", false, 8, 11, func(m *moment) float64 { return m.in(unitTexture, unitLoadStore) },
		[]string{"unit/texture", "unit/load_store"}},
	{"cb", false, 8, 11, func(m *moment) float64 { return m.in(unitColour) }, []string{"unit/pixel_backend"}},
	{"db", false, 8, 11, func(m *moment) float64 { return m.in(unitDepth) }, []string{"unit/depth"}},
	// Triangles stay in assembly while the scan converter takes no more.
	{"pa", false, 8, 11, func(m *moment) float64 {
		return max(m.in(unitAssembly), m.span(simulate.StreamSpan(queueGraphics, 0, simulate.StreamHeld)))
	}, []string{"unit/primitive_assembly"}},
	{"sc", false, 8, 11, func(m *moment) float64 {
		return max(m.in(unitScan), m.span(simulate.StreamSpan(queueGraphics, 1, simulate.StreamBuffer)))
	}, []string{"unit/rasterizer"}},
	{"bci", false, 8, 11, func(m *moment) float64 { return min(m.cores, 0.9*m.held[pixels]) }, nil},
	{"sx", false, 8, 11, func(m *moment) float64 {
		return min(m.cores, max(m.in(unitColour), 0.5*m.held[pixels], 0.3*m.held[vertices]))
	}, nil},
	{"wd", false, 8, 9, func(m *moment) float64 { return m.in(unitFetch) }, []string{"unit/vertex_fetch"}},
	{"ge", false, 10, 11, func(m *moment) float64 { return m.in(unitFetch) }, []string{"unit/vertex_fetch"}},
	{"ia", false, 8, 9, func(m *moment) float64 { return 0.9 * m.in(unitFetch) }, []string{"unit/vertex_fetch"}},
	{"vgt", false, 8, 9, func(m *moment) float64 { return m.in(unitFetch) }, []string{"unit/vertex_fetch"}},
	{"gds", false, 8, 9, func(*moment) float64 { return 0 }, nil},
	{"ee", false, 8, 9, func(m *moment) float64 { return 0.02 * m.busy }, nil},

	{"cpf", true, 8, 11, func(m *moment) float64 { return m.busy }, nil},
	{"cpc", true, 8, 11, func(m *moment) float64 { return m.queue(queueCompute) }, nil},
	{"cpg", true, 8, 11, func(m *moment) float64 { return m.queue(queueGraphics) }, nil},
	{"rlc", true, 8, 11, func(m *moment) float64 { return 0.01 * m.ns }, nil},
	{"tc", true, 8, 11, func(m *moment) float64 {
		return max(m.in(unitCache, simulate.UnitBandwidth), 0.6*m.in(unitTexture, unitLoadStore))
	}, []string{"memory/cache"}},
	{"utcl2", true, 9, 11, func(m *moment) float64 { return 0.4 * m.in(simulate.UnitBandwidth) }, nil},
	{"ea", true, 9, 11, func(m *moment) float64 { return m.in(simulate.UnitBandwidth) },
		[]string{"memory/bandwidth"}},
	{"rmi", true, 9, 11, func(m *moment) float64 { return min(m.busy, m.in(unitColour, unitDepth)) }, nil},
	{"sdma", true, 10, 11, func(m *moment) float64 { return 0.005 * m.ns }, nil},
}

// bitsOf are the bits of a generation in one of the registers.
func bitsOf(generation int, second bool) (out []*bit) {
	for i := range bits {
		if b := &bits[i]; b.second == second && b.from <= generation && generation <= b.to {
			out = append(out, b)
		}
	}
	return out
}

// Counters are the counters that tell of a candidate.
func (d *device) Counters(c simulate.Candidate) []string {
	var out []string
	for i := range bits {
		if slices.Contains(bits[i].tells, c.String()) {
			out = append(out, "busy_"+bits[i].name+"_ones")
		}
	}
	switch c {
	case simulate.MemoryBandwidth:
		out = append(out, "mem_busy_percent", "gpu_metrics_average_umc_activity")
	case simulate.ClockThermal:
		out = append(out, "throttled", "gpu_metrics_throttle_status", "temperature")
	case simulate.ClockPower:
		out = append(out, "throttled", "gpu_metrics_throttle_status", "power", "sensor_power")
	case simulate.QueuesInTurn:
		out = append(out, "busy_cpc_ones", "busy_cpg_ones")
	}
	if c.Level == simulate.LevelClock {
		out = append(out, "sensor_sclk", "gpu_metrics_current_gfxclk")
	}
	return out
}
