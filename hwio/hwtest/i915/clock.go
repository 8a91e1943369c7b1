package i915

import "math/bits"

// clock is the GPU's timestamp, told from CLOCK_MONOTONIC with a drift. Inside the model a time is the number
// of ticks since the device appeared, 64 bits wide; base is added to it where hardware shows it.
type clock struct {
	now   func() int64 // ns of CLOCK_MONOTONIC
	start int64        // when the device appeared
	hz    uint64
	ppm   int64 // parts in a million by which it runs fast
	base  uint64
	// settle, where not nil, chooses base at the first use: a wrap is to come a given time after that, not after the
	// device appeared.
	settle func(t uint64) uint64
}

// at is the time in ticks at a moment of CLOCK_MONOTONIC.
func (c *clock) at(ns int64) uint64 {
	hi, lo := bits.Mul64(uint64(max(0, ns-c.start)), c.hz/1000*uint64(1_000_000+c.ppm))
	q, _ := bits.Div64(hi, lo, 1_000_000_000_000)
	if c.settle != nil {
		c.base, c.settle = c.settle(q), nil
	}
	return q
}

// register is the 36-bit timestamp register at time t.
func (c *clock) register(t uint64) uint64 { return (c.base + t) & (1<<36 - 1) }
