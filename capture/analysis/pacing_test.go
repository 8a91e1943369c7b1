package analysis

import (
	"math"
	"testing"
)

// turnsOf is a device that works for the last samples of each period and a processor that works before it, of n samples
// of 1 ms.
func turnsOf(n, period, device, processor int) PaceInput {
	in := PaceInput{Step: 1e-3, Processors: [][]float64{make([]float64, n)}}
	for i := range n {
		at := i % period
		in.Active = append(in.Active, 0)
		if at >= period-device {
			in.Active[i] = 1
		}
		if at < processor {
			in.Processors[0][i] = 1
		}
	}
	return in
}

func TestFramesThatKeepDatesAreInTurnOnlyWhereTheTwoFillTheTime(t *testing.T) {
	full := PaceOf(turnsOf(400, 20, 10, 10))
	if full.Waiter != LimitTurns || !full.Dated {
		t.Errorf("%+v, want turns: nothing is left for a display", full)
	}
	// Half of what would be each other's wait is nobody's: the correlation alone says that the two work apart, as they
	// do by chance in dated frames.
	free := PaceOf(turnsOf(400, 20, 10, 7))
	if free.Waiter != LimitDisplay {
		t.Errorf("%+v, want the display: 15 %% of the time is free", free)
	}
	if math.Abs(free.Correlation) < -turnsCorrelated {
		t.Errorf("the correlation is %v: the case tests nothing", free.Correlation)
	}
}

func TestALoopThatIsSteadyAtARateOfNoDisplayIsInTurn(t *testing.T) {
	// 1000/45 is 22.2 times a second: no usual display shows a frame every two to four refreshes at that rate.
	loop := PaceOf(turnsOf(900, 45, 29, 14))
	if loop.Waiter != LimitTurns || !loop.Dated {
		t.Errorf("%+v, want turns", loop)
	}
	// At 20 Hz the same work may wait for every third refresh of 60 Hz.
	shown := PaceOf(turnsOf(1000, 50, 29, 14))
	if shown.Waiter != LimitDisplay {
		t.Errorf("%+v, want the display", shown)
	}
}
