package xe

import "math/bits"

// timestampHz is the crystal's: on these GPUs the OA units and the command streamers both count it.
const timestampHz = 19_200_000

// clock is the GPU's timestamp, told from CLOCK_MONOTONIC with a drift. Inside the model a time is the number of ticks
// since the device appeared; base is added to it where hardware shows it, in 64 bits.
type clock struct {
	now   func() int64 // ns of CLOCK_MONOTONIC
	start int64        // when the device appeared
	ppm   int64        // parts in a million by which it runs fast
	base  uint64
	// settle, where not nil, chooses base at the first use: a wrap is to come a given time after that.
	settle func(t uint64) uint64
}

// at is the time in ticks at a moment of CLOCK_MONOTONIC.
func (c *clock) at(ns int64) uint64 {
	hi, lo := bits.Mul64(uint64(max(0, ns-c.start)), uint64(timestampHz/1000*(1_000_000+c.ppm)))
	q, _ := bits.Div64(hi, lo, 1_000_000_000_000)
	if c.settle != nil {
		c.base, c.settle = c.settle(q), nil
	}
	return q
}

// register is what the hardware shows at time t.
func (c *clock) register(t uint64) uint64 { return c.base + t }
