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

// Families are Kaby Lake's two GPUs and the platforms from Broadwell to Battlemage, each of which has several parts that
// seeds choose from. Until Tiger Lake there is one ring for all work, so that queues cannot work in turn: processor and
// GPU can. Later ones have a ring for compute beside it.
var Families = func() []*cases.Family {
	out := []*cases.Family{
		{Name: "intel-kbl-gt2", Device: func(r simulate.Random) cases.Device { return newDevice(r, "intel-kbl-gt2") }},
		{Name: "intel-kbl-gt3", Device: func(r simulate.Random) cases.Device { return newDevice(r, "intel-kbl-gt3") }},
	}
	for _, p := range platforms {
		out = append(out, &cases.Family{Name: p.name, Device: func(r simulate.Random) cases.Device {
			return newPlatformDevice(r, p)
		}})
	}
	return out
}()
