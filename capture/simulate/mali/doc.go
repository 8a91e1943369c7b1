// Package mali simulates Arm Mali-G615 and Mali-G720: what content asks of their queues and units, and the raw
// counters that the kernel's driver would have given for it.
//
// Facts are from Arm's counter reference guides of the two GPUs and from the data of Arm's open counter library:
// which queues there are, what counts in which clock, threads in a warp, pixels in a task, how the three arithmetic
// pipes share an issue cycle. Sizes and rates that Arm does not publish (how many bytes a slice of L2 moves, how long
// the front end takes) are invented and said so where they stand.
package mali

import (
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// Families are the two GPUs.
var Families = []*cases.Family{
	{Name: "mali-g615", Queues: true, Device: func(r simulate.Random) cases.Device {
		return newDevice(r,
			"mali-g615")
	}},
	{Name: "mali-g720", Queues: true, Device: func(r simulate.Random) cases.Device {
		return newDevice(r,
			"mali-g720")
	}},
}
