// Package mali simulates Arm's Mali GPUs, one product of each generation since Bifrost: what content asks of their
// queues and units, and the raw counters that the kernel's driver would have given for it.
//
// Facts are from Arm's counter reference guides, from what Arm has published of the counters of other tools, and from
// the data of Arm's open counter library: which queues there are, what counts in which clock, threads in a warp, pixels
// in a task, samples and varying slots in a cycle, how the arithmetic pipes share an issue cycle. Sizes and rates that
// Arm does not publish (how many bytes a slice of L2 moves, how long the front end takes) are invented and said so
// where they stand.
//
// Older GPUs have a job manager with three slots: one for fragments, one that runs vertices, tiling and work groups in
// turn, and one that is not used. Newer ones have command streams and a queue for each of the three. From Mali-G720 on
// most shading of vertices is left to the phase that shades fragments.
package mali

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// Families are the GPUs.
var Families = func() (out []*cases.Family) {
	for i := range products {
		p := &products[i]
		out = append(out, &cases.Family{Name: p.gpu, Queues: true, Device: func(r simulate.Random) cases.Device {
			return newDevice(r, p)
		}})
	}
	return out
}()
