// Package radeontop reads what radeontop writes with -d (--dump): a line for each interval,
//
//	1700000000.250031: bus 03, gpu 98.33%, ee 0.00%, vgt 5.00%, ta 90.83%, ..., cb 30.00%, vram 43.10% 7055.20mb, gtt 1.93% 310.10mb, mclk 100.00% 1.000ghz, sclk 97.20% 2.406ghz
//
// with the end of the interval in seconds of the day's clock, behind whose point stand microseconds without leading zeros, the
// share of readings of a status register that found each block working, memory in use and clocks.
//
// Values become the counters of the catalogue amd-live. How often the register was read is not in the file: its counts are for
// 120 readings in a second, which is what radeontop does unless -t says otherwise; the shares are exact to the hundredth of a percent.
// A register that is read more or less often gives the same shares.
package radeontop
