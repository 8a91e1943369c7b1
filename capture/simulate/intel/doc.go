// Package intel simulates Intel's GPUs from Broadwell to Battlemage: what content asks of the 3D pipeline, the
// execution units, samplers, L3 and memory, and the reports that the Observation Architecture would have written
// about it.
//
// Kaby Lake (GT2 and GT3) has its counters written out, set by set. Of the other platforms the model says what each
// metric shows (targets…), and the formulas of the catalogue are inverted to find the counters that give it (plan.go):
// a formula that is not linear, such as a ratio, follows from what the others tell. A test holds what the catalogue
// makes of a capture against the model.
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

// Families are Kaby Lake's two GPUs and the platforms from Broadwell to Battlemage, each of which has several parts
// that seeds choose from. Until Tiger Lake there is one ring for all work, so that queues cannot work in turn: processor
// and GPU can. Later ones have a ring for compute beside it.
var Families = func() []*cases.Family {
	var out []*cases.Family
	for _, name := range []string{"intel-kbl-gt2", "intel-kbl-gt3"} {
		out = append(out, &cases.Family{Name: name, Device: func(r simulate.Random) cases.Device {
			return newDevice(r, name)
		}})
	}
	for _, p := range platforms {
		out = append(out, &cases.Family{Name: p.name, Device: func(r simulate.Random) cases.Device {
			return newPlatformDevice(r, p)
		}})
	}
	return out
}()
