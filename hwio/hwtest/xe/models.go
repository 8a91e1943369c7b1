// Package xe models the xe driver of Intel GPUs for the emulated kernel: sysfs, procfs, the DRM nodes with the driver's
// queries, and the observation interface with its streams of reports. The OA units themselves are package intel's.
//
// Everything here is a reading of the kernel's interface: numbers and layouts come from package uapi. It imports nothing
// of astrolabe but hwtest: a decoder shared with the readers would hide the mistakes of both. What a counter of Lunar
// Lake and later counts follows from the event that its register selects, so that a set whose registers are wrong counts
// wrong.
package xe

import (
	"astrolabe/hwio/hwtest"
)

// Models are the devices of this package.
func Models() []hwtest.Model {
	var out []hwtest.Model
	for _, m := range []struct{ name, sets, doc string }{
		{"lnl", "lnl", "Lunar Lake (8086:64a0) with the driver xe: 2 slices, 8 Xe-cores, 64 vector engines, an OA unit for render and compute and one for media"},
		{"bmg", "bmg", "Battlemage G21 (Intel Arc B580, 8086:e20b) with the driver xe: 5 slices, 20 Xe-cores, 160 vector engines, an OA unit for render and compute and one for each of two media slices"},
		{"ptl", "ptl", "Panther Lake (8086:b080) with the driver xe: 2 slices, 12 Xe-cores, 96 vector engines, an OA unit for render and compute and one for media"},
		{"tgl-xe", "tglgt2", "Tiger Lake GT2 (8086:9a49) with the driver xe: 6 dual subslices, 96 EUs, reports as i915's"},
		{"dg2-xe", "acmgt3", "DG2 G10 (Intel Arc A770, 8086:56a0) with the driver xe: 32 Xe-cores, 512 EUs, OA timestamps at 38.4 MHz, twice the engines'"},
		{"mtl-xe", "mtlgt3", "Meteor Lake GT3 (8086:7d55) with the driver xe: 8 Xe-cores, 128 EUs, OA timestamps at 38.4 MHz, twice the engines', and an OA unit of the media engines"},
	} {
		out = append(out, hwtest.Model{Name: m.name, Doc: m.doc, Scenarios: scenarios,
			New: func() hwtest.Device { return newDevice(m.sets) }})
	}
	return out
}

// New is a GPU with metric sets of a part, as a card of a number.
func New(sets string, card int) hwtest.Device {
	d := newDevice(sets)
	d.Card = card
	return d
}

var scenarios = []hwtest.Scenario{
	{Name: "kernel-7", Doc: "the driver of Linux 7: a chosen buffer, a number of reports to wait for, the GT of a unit, and a third OA unit in front of the media one"},
	{Name: "paranoid-0", Doc: "dev.xe.observation_paranoid is 0: streams and configurations need no privilege"},
	{Name: "busy", Doc: "another process has a stream of the OA unit for render and compute open: EBUSY"},
	{Name: "no-observation", Doc: "the driver has no OA, as in a virtual GPU or without the firmware: ENODEV, no metrics folder"},
	{Name: "old-kernel", Doc: "the driver is older than the observation interface: EINVAL for what it does not know"},
	{Name: "narrow-whitelist", Doc: "the kernel refuses the registers of events: EINVAL for every published set"},
	{Name: "loaded", Doc: "another program has uploaded RenderBasic and left it"},
	{Name: "fused", Doc: "a Xe-core and some vector engines of another are fused off"},
	{Name: "small-buffer", Doc: "the kernel's report buffer has 128 KiB in place of 16 MiB, so a pause of the reader loses reports"},
	{Name: "slow-reader", Doc: "the report buffer overflows every 300 ms, as if the program had not run for long"},
	{Name: "report-loss", Doc: "the hardware drops a few reports after every 150"},
	{Name: "counter-overflow", Doc: "the unit says once that a counter has overflowed"},
	{Name: "trigger-queue", Doc: "the unit says once that its queue of triggers is full"},
	{Name: "unplug", Doc: "the GPU vanishes when 60 reports have been read: ENODEV, and its files are gone"},
	{Name: "wrap", Doc: "32-bit counters and the low 32 bits of the timestamp wrap in the first second"},
	{Name: "clock-change", Doc: "slice and unslice clocks change from frame to frame"},
	{Name: "idle", Doc: "nothing runs on the GPU"},
	{Name: "one-context", Doc: "one context runs all the time"},
	{Name: "fast-drift", Doc: "the GPU's clock runs 500 parts in a million fast, in place of 20"},
}
