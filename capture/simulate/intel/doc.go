// Package intel simulates the graphics of Kaby Lake (GT2 and GT3): what content asks of the 3D pipeline, the
// execution units, samplers, L3 and memory, and the reports that the Observation Architecture would have written
// about it.
//
// Which events exist, how wide the links are, how many threads a unit holds and which register field selects what are
// facts of Intel's manual (Kaby Lake PRM, volume 14) and of the published metric sets, as the project's reference
// tables hold them. How two pipes of a unit share work, how often a stage is seen to wait and the time to start a
// pass are invented and said so where they stand.
package intel

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// Families are the two GPUs. Both have one ring for all work, so that queues cannot work in turn: processor and GPU
// can.
var Families = []*cases.Family{
	{Name: "intel-kbl-gt2", Device: func(r simulate.Random) cases.Device { return newDevice(r, "intel-kbl-gt2") }},
	{Name: "intel-kbl-gt3", Device: func(r simulate.Random) cases.Device { return newDevice(r, "intel-kbl-gt3") }},
}
