package analysis

import (
	"math"

	"astrolabe/capture"
)

// What made the samples of a capture.
const (
	byClock    = "clock"      // a clock: nearly all follow each other at one interval
	byDispatch = "dispatches" // each is a dispatch or a draw, as long as it took
	byOthers   = "irregular"  // neither
)

// Sampling is how a capture was sampled.
type Sampling struct {
	Kind     string
	Interval float64 // the median length of a sample, in ns; 0 where they have none
	Odd      float64 // the share of samples whose length is more than a quarter from that, 0 to 1
}

// SamplingOf says how a capture was sampled.
func SamplingOf(c *capture.Capture) Sampling {
	s := Sampling{Kind: byOthers}
	n := c.Len()
	if n == 0 {
		return s
	}
	s.Interval = typicalInterval(c.Axis)
	odd := 0
	for i := range n {
		if math.Abs(float64(c.Axis.Interval(i))-s.Interval) > s.Interval/4 {
			odd++
		}
	}
	s.Odd = float64(odd) / float64(n)
	switch {
	case clocked(c.Axis):
		s.Kind = byClock
	case areDispatches([]*capture.Capture{c}):
		s.Kind = byDispatch
	}
	return s
}
