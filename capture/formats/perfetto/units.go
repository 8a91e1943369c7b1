package perfetto

import "strings"

// measureUnits are the names that astrolabe uses for GpuCounterDescriptor.MeasureUnit, by its number.
var measureUnits = map[uint64]string{
	1: "bits", 2: "kbit", 3: "Mbit", 4: "Gbit", 5: "Tbit", 6: "Pbit",
	7: "bytes", 8: "KB", 9: "MB", 10: "GB", 11: "TB", 12: "PB",
	13: "Hz", 14: "kHz", 15: "MHz", 16: "GHz", 17: "THz", 18: "PHz",
	19: "ns", 20: "us", 21: "ms", 22: "s", 23: "min", 24: "h",
	25: "vertices", 26: "pixels", 27: "triangles", 38: "primitives", 39: "fragments",
	28: "mW", 29: "W", 30: "kW", 31: "J", 32: "V", 33: "A", 34: "degC", 35: "degF", 36: "K", 37: "percent",
	40: "instructions",
}

// levels are the units of levels; all other values are events.
var levels = map[string]bool{
	"Hz": true, "kHz": true, "MHz": true, "GHz": true, "THz": true, "PHz": true, "mW": true, "W": true, "kW": true,
	"V": true, "A": true,
	"degC": true, "degF": true, "K": true, "percent": true,
}

// groupNames are the schema's groups of counters, by number.
var groupNames = map[uint64]string{1: "system", 2: "vertices", 3: "fragments", 4: "primitives", 5: "memory",
	6: "compute", 7: "ray tracing"}

// unitOf words the units of a GPU counter, and says whether it is a level.
func unitOf(numerator, denominator []uint64) (unit string, level bool) {
	words := func(list []uint64) string {
		var out []string
		for _, u := range list {
			if name := measureUnits[u]; name != "" {
				out = append(out, name)
			}
		}
		return strings.Join(out, "*")
	}
	n, d := words(numerator), words(denominator)
	switch {
	case d != "" && n != "":
		return n + "/" + d, true
	case d != "":
		return "1/" + d, true
	}
	return n, levels[n]
}
