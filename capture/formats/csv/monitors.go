package csv

import (
	"slices"

	"astrolabe/capture"
)

// What amd-smi monitor --csv writes beside nothing else, and its names for video memory. They are units' bare numbers: MiB with --vram-usage, whole ones, and GiB in
// the table that it writes by default.
var (
	smiNames  = []string{"power_usage", "hotspot_temperature", "gfx_clk"}
	smiMemory = []string{"vram_used", "vram_free", "vram_total"}
)

// mostGiB is less than the MiB of any card's video memory, and more than the GiB of any: MI355X has 288.
const mostGiB = 500

// ofMonitor gives the units to the columns of amd-smi that state none. Which of two it is, all of the memory tells: what is in use may be little.
func ofMonitor(cfg *capture.Config) {
	find := func(name string) *capture.Counter {
		i := slices.IndexFunc(cfg.Counters, func(c *capture.Counter) bool { return c.Name == name && c.Unit == "" && c.Col != nil })
		if i < 0 {
			return nil
		}
		return cfg.Counters[i]
	}
	all := find("vram_total")
	if all == nil || !slices.ContainsFunc(smiNames, func(name string) bool { return find(name) != nil }) {
		return
	}
	unit, d := "GiB", all.Col.Data()
	for i := range d.Len() {
		if !d.Missing(i) && d.Float(i) > mostGiB {
			unit = "MiB"
		}
	}
	for _, name := range smiMemory {
		if c := find(name); c != nil {
			c.Unit, c.Kind, c.Guessed = unit, capture.Gauge, false
		}
	}
}
