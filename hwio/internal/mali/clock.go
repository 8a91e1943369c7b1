package mali

// Clock turns times of CLOCK_MONOTONIC_RAW, in which Arm's driver stamps samples, into CLOCK_MONOTONIC. The two drift
// apart slowly, as the second follows the network's time: their distance is measured again and again.
type Clock struct {
	now    func() (before, raw, after int64)
	offset int64
	next   int64 // time of the next measurement
	rawEnd int64
	end    int64
}

// remeasure is the time between two measurements of the clocks' distance, in ns. At the fastest that the kernel slews
// they drift apart by 50 µs in that time.
const remeasure = 100e6

// NewClock measures the distance of the two clocks. now reads CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC
// again.
func NewClock(now func() (before, raw, after int64)) *Clock {
	c := &Clock{now: now}
	c.Measure()
	return c
}

// Measure renews the distance where it is old. The best of a few readings counts: a delay between two readings is an
// error of the distance.
func (c *Clock) Measure() {
	best, end := int64(-1), int64(0)
	for range 4 {
		before, raw, after := c.now()
		if before < c.next {
			return
		}
		if took := after - before; best < 0 || took < best {
			best, c.offset = took, before+took/2-raw
		}
		if end = after; best < 2000 {
			break
		}
	}
	c.next = end + remeasure
}

// Raw is the time of CLOCK_MONOTONIC_RAW.
func (c *Clock) Raw() int64 {
	_, raw, _ := c.now()
	return raw
}

// Convert is the same time of CLOCK_MONOTONIC.
func (c *Clock) Convert(raw int64) int64 { return raw + c.offset }

// Interval converts the ends of a sample. It keeps samples in order: one that begins where the last ended does so after
// the conversion too, and none is empty.
func (c *Clock) Interval(start, end int64) (int64, int64) {
	s, e := c.Convert(start), c.Convert(end)
	if start == c.rawEnd || s < c.end {
		s = c.end
	}
	e = max(e, s+1)
	c.rawEnd, c.end = end, e
	return s, e
}
