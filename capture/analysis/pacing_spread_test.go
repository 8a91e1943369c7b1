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

func TestAThreadThatWaitsForTheDeviceIsFoundThoughItMoves(t *testing.T) {
	turns := movedOf(440, 22, 12, 8) // 45.5 Hz, which no display has
	if got := PaceOf(turns); got.Waiter != LimitTurns || got.Work > 0.3 {
		t.Errorf("%+v, want turns of a thread that no processor shows", got)
	}
	display := movedOf(500, 20, 10, 8) // 50 Hz
	if got := PaceOf(display); got.Waiter != LimitDisplay {
		t.Errorf("%+v, want the display, whose dates are kept", got)
	}
}
