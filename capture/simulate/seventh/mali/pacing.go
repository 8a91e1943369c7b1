package mali

import "astrolabe/capture/simulate"

// stay is how many refreshes frame i stays.
func stay(p *simulate.Pacing, i int) int64 {
	if len(p.Cadence) == 0 {
		return 1
	}
	return int64(p.Cadence[i%len(p.Cadence)])
}

// refreshes are those of phones, tablets and televisions.
var refreshes = []int{24, 30, 48, 60, 60, 60, 72, 90, 120, 120, 144}

// paced draws a pacing by a display or a cap.
func paced(r simulate.Random) simulate.Pacing {
	hz := simulate.Pick(r, refreshes...)
	p := simulate.Pacing{Refresh: int64(1e9 / float64(hz)), Cadence: []int{1}, Buffers: r.Whole(2, 4), Ahead: r.Whole(2, 3), Align: r.Chance(0.4)}
	if p.Align || hz > 72 {
		p.Buffers = max(3, p.Buffers)
	}
	switch r.IntN(5) {
	case 0: // fewer frames than refreshes
		rates := []int{24, 30, 36, 40, 45, 48, 60, 72, 90}
		var fit []int
		for _, x := range rates {
			if x < hz && hz%x*2%x == 0 {
				fit = append(fit, x)
			}
		}
		if len(fit) > 0 {
			p.Cadence = simulate.CadenceOf(hz, simulate.Pick(r, fit...))
			p.Align = false
		}
	case 1:
		p.Adaptive, p.Align = true, false
	case 2:
		p.Cap = int64(1e9 / float64(simulate.Pick(r, 24, 30, 48, 60, 72, 90, 120)))
		if r.Chance(0.6) {
			p.Refresh, p.Align = 0, false
		} else if p.Cap < p.Refresh {
			p.Cap = p.Refresh * 2
		}
		p.Adaptive = p.Refresh > 0
		p.Align = false
	}
	return p
}

// free draws a pacing in which nothing waits for a display, as benchmarks run.
func free(r simulate.Random) simulate.Pacing { return simulate.Pacing{Ahead: r.Whole(2, 3)} }
