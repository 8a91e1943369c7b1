package simulate

import "testing"

func TestALimiterIsNotClearWhereADisplayHoldsEveryFrame(t *testing.T) {
	const refresh = 8_333_333.33
	for _, c := range []struct {
		name    string
		refresh float64
		stay    func(i int) float64 // refreshes that frame i is shown for
		held    bool
	}{
		{"every second refresh", refresh, func(int) float64 { return 2 }, true},
		{"the second or the third refresh", refresh, func(i int) float64 { return float64(2 + i%3/2) }, false},
		{"whenever they are ready", refresh, func(i int) float64 { return 1.9 + 0.01*float64(i%7) }, false},
		{"no display", 0, func(int) float64 { return 2 }, false},
	} {
		truth := &Truth{Part: Part{Leaves: []Gain{{Candidate: MemoryBandwidth, Percent: 35}}}}
		at := 0.0
		for i := range 60 {
			at += refresh * c.stay(i)
			truth.Each = append(truth.Each, FrameTruth{Shown: int64(at)})
		}
		truth.End = int64(at)
		truth.Hold(c.refresh)
		if l, clear := truth.Limiter(); truth.Held != c.held || clear == c.held || l != MemoryBandwidth {
			t.Errorf("%s: held %v, limiter %v clear %v", c.name, truth.Held, l, clear)
		}
	}
}
