package analysis

import "testing"

// movedOf is a device that works for the last samples of each period, beside processors of which another one runs the
// same thread in each sample in which the device waits. Somebody else has a tenth of each.
func movedOf(n, period, device, processors int) PaceInput {
	in := PaceInput{Step: 1e-3, Processors: make([][]float64, processors)}
	for i := range n {
		waits := i%period < period-device
		in.Active = append(in.Active, 1)
		if waits {
			in.Active[i] = 0
		}
		for p := range in.Processors {
			load := 0.1
			if p == i*7%processors && waits {
				load = 1
			}
			in.Processors[p] = append(in.Processors[p], load)
		}
	}
	return in
}

func TestAThreadIsFoundThoughItMovesBetweenProcessors(t *testing.T) {
	const period = 22 // of 45.5 Hz, which no display has
	for _, c := range []struct {
		name string
		in   PaceInput
		want LimitKind
	}{
		{"works while the device waits", movedOf(440, period, 12, 8), LimitTurns},
		{"keeps dates of 50 Hz", movedOf(500, 20, 10, 8), LimitDisplay},
	} {
		if got := PaceOf(c.in); got.Waiter != c.want || got.Busiest > 0.5 {
			t.Errorf("a thread that %s: %+v, want %v, and no processor that shows it", c.name, got, c.want)
		}
	}
}
