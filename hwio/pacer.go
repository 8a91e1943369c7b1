package hwio

import "time"

// slowTicks are those that need no thread of their own: what is read then has times of its own, or need not be read on
// the dot.
const slowTicks = 20 * time.Millisecond

// pacer makes the ticks of a recording. Its times are nanoseconds of one monotonic clock.
type pacer interface {
	// Now is the clock's time.
	Now() int64
	// Arm makes ticks at first, first+period and so on.
	Arm(first, period int64) error
	// Wait blocks until a tick, the deadline (0 for none) or Wake. ticks is the number of ticks that came since the
	// last Wait: 0 after the deadline or Wake, more than 1 where some passed unseen.
	Wait(deadline int64) (ticks uint64, err error)
	// Wake ends the current or the next Wait. Any goroutine may call it, also after Close.
	Wake()
	Close() error
}
