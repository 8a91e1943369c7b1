package simulate

import "math"

// Hold finds the parts in which a display shows nearly every frame the same number of refreshes after the one before,
// although dates are missed: work that is a little too long for one refresh waits for the second. A capture does not
// tell how often the display refreshes, so that such frames cannot be told from those of a slower display that keep
// their dates, and no limiter is clear. refresh is the ns between refreshes, 0 where nothing waits for them.
func (t *Truth) Hold(refresh float64) {
	t.Held = t.held(&t.Part, refresh)
	for i := range t.Phases {
		t.Phases[i].Held = t.held(&t.Phases[i], refresh)
	}
}

func (t *Truth) held(p *Part, refresh float64) bool {
	if p.Healthy || refresh <= 0 {
		return false
	}
	stays, all := map[float64]int{}, 0
	before := p.Start
	for i := range t.Each {
		shown := t.Each[i].Shown
		if shown <= p.Start || shown > p.End {
			continue
		}
		all++
		n := math.Round(float64(shown-before) / refresh)
		if math.Abs(float64(shown-before)-n*refresh) <= 2 { // ns are rounded
			stays[n]++
		}
		before = shown
	}
	for _, n := range stays {
		if 20*n >= 19*all {
			return true
		}
	}
	return false
}
