package csv

import (
	"fmt"

	"astrolabe/capture"
)

// vtuneHighest is about the highest clock of the usual products of a GPU in MHz, ours after Intel's specifications, and not held against them one by one: what a report
// without a column of the clock is taken to have run at, as a GPU that computes does but for heat and power. Only what is counted by clock depends on it, and may be as much nearer to its peak as the
// clock was lower: shares of the time and bytes per second need none.
var vtuneHighest = map[string]float64{
	"intel-bdw": 1000, "intel-chv": 600, "intel-skl-gt2": 1150, "intel-skl-gt3": 1050, "intel-skl-gt4": 1150, "intel-bxt": 700, "intel-kbl-gt2": 1150, "intel-kbl-gt3": 1100,
	"intel-glk": 750, "intel-cfl-gt2": 1200, "intel-cfl-gt3": 1200, "intel-cnl": 1000, "intel-icl": 1100, "intel-ehl": 850, "intel-tgl-gt1": 1250, "intel-tgl-gt2": 1350,
	"intel-rkl": 1300, "intel-dg1": 1650, "intel-adl": 1450, "intel-acm-gt1": 2450, "intel-acm-gt2": 2000, "intel-acm-gt3": 2400, "intel-mtl-gt2": 2000, "intel-mtl-gt3": 2300,
	"intel-pvc": 1600, "intel-lnl": 2050, "intel-bmg": 2850, "intel-ptl": 2500,
}

// vtuneClock is the clock in each row in MHz, and where it is from: the column, or what such products have at most. nil where neither is known.
func vtuneClock(cfg *capture.Config, column *capture.Counter) (at func(i int) float64, doc string) {
	if column != nil && column.Unit == "MHz" {
		d := column.Col.Data()
		return d.Float, "The clock times how long the row took."
	}
	mhz, known := vtuneHighest[cfg.GPU]
	if column != nil || !known {
		return nil, ""
	}
	cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s has no column of the clock (GPU Core Frequency, MHz): it is taken to be %.0f MHz, the highest of usual products. What moves in each clock (shared local "+
		"memory, data ports, L3) may be nearer to its peak than it seems; shares of the time and bytes per second need no clock", cfg.Path, mhz))
	return func(int) float64 { return mhz }, "Not in the file: the highest clock of usual products times how long the row took."
}
