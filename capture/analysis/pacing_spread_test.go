package analysis

import (
	"math"
	"testing"
)

// movedOf is a device that works for the last samples of each period, beside processors of which another one runs the
// same thread in each sample: in those in which the device waits, or in all. Somebody else has a tenth of each.
func movedOf(n, period, device, processors int, always bool) PaceInput {
	in := PaceInput{Step: 1e-3, Spread: true, Processors: make([][]float64, processors)}
	for i := range n {
		waits := i%period < period-device
		in.Active = append(in.Active, 1)
		if waits {
			in.Active[i] = 0
		}
		for p := range in.Processors {
			load := 0.1
			if p == i*7%processors && (always || waits) {
				load = 1
			}
			in.Processors[p] = append(in.Processors[p], load)
		}
	}
	return in
}

func TestAThreadIsFoundThoughItMovesBetweenProcessors(t *testing.T) {
	const period = 22 // of 45.5 Hz, which no display has
	turns, always := movedOf(440, period, 12, 8, false), movedOf(440, period, 12, 8, true)
	for _, c := range []struct {
		name string
		in   PaceInput
		want LimitKind
	}{{"works while the device waits", turns, LimitTurns}, {"always works", always, LimitProcessor}} {
		if got := PaceOf(c.in); got.Waiter != c.want {
			t.Errorf("a thread that %s: %+v, want %v", c.name, got, c.want)
		}
		c.in.Spread = false
		if got := PaceOf(c.in); got.Waiter == c.want || !math.IsNaN(got.Working) {
			t.Errorf("a thread that %s is found without looking at all processors: %+v", c.name, got)
		}
	}
	display := movedOf(500, 20, 10, 8, false) // 50 Hz
	if got := PaceOf(display); got.Waiter != LimitDisplay {
		t.Errorf("%+v, want the display, whose dates are kept", got)
	}
}
