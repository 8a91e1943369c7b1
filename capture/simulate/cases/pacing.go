package cases

import "astrolabe/capture/simulate"

// Refresh rates of displays, and the frame rates that programs hold on them.
var displays = []struct {
	refresh int
	rates   []int
}{
	{60, []int{60, 60, 60, 30, 30, 24, 48, 20, 40}},
	{72, []int{72, 72, 36, 24}},
	{90, []int{90, 90, 45, 30, 60}},
	{120, []int{120, 120, 60, 60, 40, 30, 24, 48}},
	{144, []int{144, 144, 72, 48, 36}},
}

// drawPacing draws a display and the rate that a program holds on it.
func drawPacing(r simulate.Random) simulate.Pacing {
	d := displays[r.Weighted([]float64{5, 1, 1.5, 2.5, 1})]
	p := simulate.Pacing{Refresh: int64(1e9 / float64(d.refresh)), Buffers: simulate.Pick(r, 2, 3, 3),
		Ahead: simulate.Pick(r, 1, 2, 2, 2, 3), Align: r.Chance(0.35)}
	rate := d.rates[r.IntN(len(d.rates))]
	p.Cadence = simulate.CadenceOf(d.refresh, rate)
	switch r.Weighted([]float64{6, 1.2, 1.5}) {
	case 1:
		p.Adaptive, p.Cadence, p.Align = true, []int{1}, false
	case 2: // the program's own limit, which knows nothing of the display
		p.Cap = int64(1e9 / r.Between(24, float64(d.refresh)*0.98))
		p.Cadence = []int{1}
		p.Adaptive = r.Chance(0.2)
		p.Align = p.Align && !p.Adaptive
	}
	return p
}

// uncapped is the pacing of a benchmark.
func uncapped(r simulate.Random) simulate.Pacing {
	return simulate.Pacing{Buffers: 3, Ahead: simulate.Pick(r, 2, 2, 3)}
}
