package intel

import "math/bits"

// Clock is the timestamp of OA units, told from CLOCK_MONOTONIC with a drift. Inside the model a time is the number of
// ticks since the device appeared, 64 bits wide; Base is added to it where hardware shows it.
type Clock struct {
	Now   func() int64 // ns of CLOCK_MONOTONIC
	Start int64        // when the device appeared
	Hz    uint64
	PPM   int64 // parts in a million by which it runs fast
	Base  uint64
	Bits  int // of the register
	// Settle, where not nil, chooses Base at the first use: a wrap is to come a given time after that, not after the
	// device appeared.
	Settle func(t uint64) uint64
}

// At is the time in ticks at a moment of CLOCK_MONOTONIC.
func (c *Clock) At(ns int64) uint64 {
	hi, lo := bits.Mul64(uint64(max(0, ns-c.Start)), c.Hz/1000*uint64(1_000_000+c.PPM))
	q, _ := bits.Div64(hi, lo, 1_000_000_000_000)
	if c.Settle != nil {
		c.Base, c.Settle = c.Settle(q), nil
	}
	return q
}

// Full is the timestamp at time t in the 64 bits that some reports have.
func (c *Clock) Full(t uint64) uint64 { return c.Base + t }

// Register is what the hardware's register shows at time t.
func (c *Clock) Register(t uint64) uint64 { return (c.Base + t) & (1<<c.Bits - 1) }
