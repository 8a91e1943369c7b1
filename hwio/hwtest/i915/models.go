// Package i915 models the i915 driver of Intel GPUs for the emulated kernel: sysfs, procfs, the DRM nodes, the driver's
// counter unit, and its streams of reports. The OA units themselves are package intel's.
//
// Everything here is a reading of the kernel's interface: numbers and layouts come from package uapi. It imports nothing
// of astrolabe but hwtest: a decoder shared with the readers would hide the mistakes of both.
package i915

import (
	"slices"

	"astrolabe/hwio/hwtest"
)

// Models are the devices of this package.
func Models() []hwtest.Model {
	return []hwtest.Model{
		{
			Name: "kbl-gt2", Doc: "Kaby Lake GT2 (Intel HD Graphics 620, 8086:5916): 1 slice, 3 subslices, 24 EUs, timestamps at 12 MHz",
			Scenarios: scenarios, New: func() hwtest.Device { return newDevice("kblgt2") },
		},
		{
			Name: "kbl-gt3", Doc: "Kaby Lake GT3 (Intel Iris Plus Graphics 640, 8086:5926): 2 slices, 6 subslices, 48 EUs, timestamps at 12 MHz",
			Scenarios: scenarios, New: func() hwtest.Device { return newDevice("kblgt3") },
		},
		{
			Name: "tgl", Doc: "Tiger Lake GT2 (Intel Iris Xe Graphics, 8086:9a49): 1 slice, 6 dual subslices, 96 EUs, timestamps at 19.2 MHz",
			Scenarios: allBut(gen9Only), New: func() hwtest.Device { return newDevice("tglgt2") },
		},
		{
			Name: "dg2", Doc: "DG2 G10 (Intel Arc A770, 8086:56a0): 32 Xe-cores, 512 EUs, OA timestamps at 38.4 MHz, twice the engines'",
			Scenarios: allBut(gen9Only, oldRevisions), New: func() hwtest.Device { return newDevice("acmgt3") },
		},
		{
			Name: "mtl", Doc: "Meteor Lake GT3 (8086:7d55): 8 Xe-cores, 128 EUs, OA timestamps at 38.4 MHz, twice the engines', and an OA unit of the media engines",
			Scenarios: allBut(gen9Only, oldRevisions), New: func() hwtest.Device { return newDevice("mtlgt3") },
		},
	}
}

// New is a GPU with metric sets of a part, as a card of a number.
func New(sets string, card int) hwtest.Device {
	d := newDevice(sets)
	d.Card = card
	return d
}

// allBut are the scenarios but for those of lists.
func allBut(lists ...[]string) []hwtest.Scenario {
	return slices.DeleteFunc(slices.Clone(scenarios),
		func(s hwtest.Scenario) bool { return slices.Contains(slices.Concat(lists...), s.Name) })
}

// gen9Only are scenarios of drivers that are older than Tiger Lake, and of a part of Kaby Lake.
var gen9Only = []string{"revision-1", "revision-2", "kernel-testoa", "no-timestamps", "no-topology", "gt1"}

// oldRevisions are scenarios of drivers that are older than DG2.
var oldRevisions = []string{"revision-3", "revision-4", "revision-5", "no-oa-timestamp"}

var scenarios = []hwtest.Scenario{
	{Name: "revision-1", Doc: "the driver's perf revision is 1: no PERF_REVISION parameter, only the first five properties, no IOCTL_CONFIG"},
	{Name: "revision-2", Doc: "perf revision 2: IOCTL_CONFIG"},
	{Name: "revision-3", Doc: "perf revision 3: HOLD_PREEMPTION"},
	{Name: "revision-4", Doc: "perf revision 4: GLOBAL_SSEU"},
	{Name: "revision-5", Doc: "perf revision 5: POLL_OA_PERIOD"},
	{Name: "revision-6", Doc: "perf revision 6: OA_ENGINE_CLASS and OA_ENGINE_INSTANCE"},
	{Name: "revision-7", Doc: "perf revision 7, the usual one"},
	{Name: "paranoid-0", Doc: "dev.i915.perf_stream_paranoid is 0: streams and configurations need no privilege"},
	{Name: "busy", Doc: "another process has an OA stream open: EBUSY"},
	{Name: "no-metrics", Doc: "the kernel does not offer OA for this GPU: no metrics folder, EINVAL"},
	{Name: "no-oa-unit", Doc: "the driver knows no OA unit here: ENODEV on opening a stream"},
	{Name: "no-perf", Doc: "the driver has no i915-perf at all: errno 524"},
	{Name: "narrow-whitelist", Doc: "the kernel refuses mux registers at 0x9840 and 0x9884: EINVAL for every published set"},
	{Name: "loaded", Doc: "another program has uploaded RenderBasic and left it"},
	{Name: "kernel-testoa", Doc: "the kernel ships the TestOa set with id 1, as 4.13 did"},
	{Name: "no-oa-timestamp", Doc: "GETPARAM does not know OA_TIMESTAMP_FREQUENCY"},
	{Name: "no-timestamps", Doc: "GETPARAM knows neither OA_TIMESTAMP_FREQUENCY nor CS_TIMESTAMP_FREQUENCY, as before Linux 4.16"},
	{Name: "no-topology", Doc: "QUERY is unknown, as before Linux 4.17"},
	{Name: "gt1", Doc: "a GT1 part (8086:5902, 12 EUs), for which no metric sets are published"},
	{Name: "fused", Doc: "some EUs and, on GT3, a subslice of each slice, or on DG2 and Meteor Lake a Xe-core, are fused off"},
	{Name: "small-buffer", Doc: "the kernel's report buffer has 16 KiB in place of 16 MiB, so a pause of the reader loses it"},
	{Name: "slow-reader", Doc: "the report buffer overflows every 300 ms, as if the program had not run for long"},
	{Name: "report-loss", Doc: "the hardware drops a few reports after every 150"},
	{Name: "unplug", Doc: "the GPU vanishes when 60 reports have been read: ENODEV, and its files are gone"},
	{Name: "wrap", Doc: "counters and the low 32 bits of the timestamp wrap in the first second"},
	{Name: "wrap-36", Doc: "as wrap, and the timestamp register wraps at 36 bits at the same time"},
	{Name: "clock-change", Doc: "slice and unslice clocks change from frame to frame"},
	{Name: "rc6", Doc: "the GPU powers down when idle: its clocks freeze and a GO transition is reported"},
	{Name: "idle", Doc: "nothing runs on the GPU"},
	{Name: "one-context", Doc: "one context runs all the time"},
	{Name: "missed-switch", Doc: "some context switches give no report of their own: a timer report is the first to show the new context"},
	{Name: "spurious-invalid", Doc: "in every frame one report of a running context says that its context id is not valid"},
	{Name: "reason-zero", Doc: "some reports have no reason bit (drivers before perf revision 5 drop these)"},
	{Name: "unlanded", Doc: "some reports have not landed: their first two words are zero"},
	{Name: "unknown-record", Doc: "the stream has records of a type that nobody knows"},
	{Name: "fast-drift", Doc: "the GPU's clock runs 500 parts in a million fast, in place of 20"},
}
