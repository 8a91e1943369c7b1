package mali

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// pacing says when frames begin and when they are shown.
type pacing struct {
	refresh  int64 // ns; 0 where nothing is shown
	cadence  []int // refreshes that frames stay
	adaptive bool
	buffers  int
	cap      int64 // least ns between the starts of frames
	align    bool
	ahead    int // frames in the making
	request  bool
}

func (p *pacing) stay(i int) int64 {
	if len(p.cadence) == 0 {
		return 1
	}
	return int64(p.cadence[i%len(p.cadence)])
}

// interval is the mean ns between frames that keep their dates, 0 where nothing paces.
func (p *pacing) interval() float64 {
	iv := 0.0
	if p.refresh > 0 {
		sum := int64(0)
		for i := range max(1, len(p.cadence)) {
			sum += p.stay(i)
		}
		iv = float64(p.refresh*sum) / float64(max(1, len(p.cadence)))
	}
	return max(iv, float64(p.cap))
}

func (p *pacing) text() string {
	s := "uncapped"
	if p.refresh > 0 {
		s = fmt.Sprintf("%.0f Hz, %d buffers", 1e9/float64(p.refresh), p.buffers)
		if p.adaptive {
			s += ", adaptive"
		}
		if len(p.cadence) > 0 {
			s += fmt.Sprintf(", stays %v", p.cadence)
		}
	}
	if p.cap > 0 {
		s += fmt.Sprintf(", capped at %.4g/s", 1e9/float64(p.cap))
	}
	if p.request {
		s += ", on request"
	}
	return s
}

// refreshes are those of phones, tablets and televisions.
var refreshes = []int{24, 30, 48, 60, 60, 60, 72, 90, 120, 120, 144}

// paced draws a pacing by a display or a cap.
func paced(r simulate.Random) pacing {
	hz := simulate.Pick(r, refreshes...)
	p := pacing{refresh: int64(1e9 / float64(hz)), buffers: r.Whole(2, 4), ahead: r.Whole(2, 3), align: r.Chance(0.4)}
	if p.align || hz > 72 {
		p.buffers = max(3, p.buffers)
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
			p.cadence = simulate.CadenceOf(hz, simulate.Pick(r, fit...))
			p.align = false
		}
	case 1:
		p.adaptive, p.align = true, false
	case 2:
		p.cap = int64(1e9 / float64(simulate.Pick(r, 24, 30, 48, 60, 72, 90, 120)))
		if r.Chance(0.6) {
			p.refresh, p.align = 0, false
		} else if p.cap < p.refresh {
			p.cap = p.refresh * 2
		}
		p.adaptive = p.refresh > 0
		p.align = false
	}
	return p
}

// free draws a pacing in which nothing waits for a display, as benchmarks run.
func free(r simulate.Random) pacing { return pacing{ahead: r.Whole(2, 3)} }
