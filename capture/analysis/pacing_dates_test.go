package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestADeviceThatAlwaysWorksMayWaitForADisplay(t *testing.T) {
	full := make([]float64, 1000)
	for i := range full {
		full[i] = 0.99
	}
	starts := func(n int, at func(i int) float64) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = int64(1e9 * at(i))
		}
		return out
	}
	walk := func(length, varies float64) []int64 { // frames that begin when the one before is done
		at := 0.0
		return starts(60, func(i int) float64 {
			at += length * (1 + varies*math.Sin(float64(i*i)))
			return at
		})
	}
	for name, c := range map[string]struct {
		starts []int64
		want   bool
	}{
		"each refresh of 60 Hz":             {starts(60, func(i int) float64 { return float64(i) / 60 }), true},
		"every third of 144 Hz":             {starts(48, func(i int) float64 { return float64(i) / 48 }), true},
		"a film on 60 Hz":                   {starts(40, func(i int) float64 { return math.Floor(2.5*float64(i)) / 60 }), true},
		"a rate of no display":              {starts(60, func(i int) float64 { return float64(i) / 57 }), false},
		"few frames":                        {starts(20, func(i int) float64 { return float64(i) / 60 }), false},
		"frames as long as their work":      {walk(1./58, 0.05), false},
		"frames as long as a third refresh": {starts(60, func(i int) float64 { return math.Floor(2.4*float64(i)) / 60 }), false},
	} {
		p := PaceOf(PaceInput{Active: full, Step: 0.001, Starts: c.starts})
		if p.Exact != c.want || (p.Waiter == LimitDisplay) != c.want {
			t.Errorf("%s: %v, waits for %v", name, p.Exact, p.Waiter)
		}
	}
}

// A table with a row for each frame has its times exactly: frames that begin when the one before is done, by chance some
// 90 times a second, keep no display's dates, though samples of a recorder that carry the marks would hide that.
func TestRowsOfFramesAreNoSamplesThatCarryMarks(t *testing.T) {
	const n = 64
	for name, drifts := range map[string]bool{"dates": false, "work": true} {
		var in PaceInput
		at := 0.0
		for i := range n {
			start := float64(i) / 90
			if drifts {
				start = at
			}
			in.Starts = append(in.Starts, int64(1e9*start))
			length := (1 + 0.03*math.Sin(float64(i)/4)) / 90
			at += length
			in.Begins = append(in.Begins, int64(1e9*start))
			in.Ends = append(in.Ends, int64(1e9*(start+length)))
			in.Active = append(in.Active, 0.99)
		}
		in.Step = 1. / 90
		if p := PaceOf(in); p.Exact == drifts || (p.Waiter == LimitDisplay) == drifts {
			t.Errorf("%s: exact %v, waits for %v", name, p.Exact, p.Waiter)
		}
	}
}

// turning is a processor and a device that work one after the other in each frame, of which each begins after so many ms.
func turning(lengths func(i int) float64) PaceInput {
	in := PaceInput{Step: 1e-3, Processors: make([][]float64, 1)}
	at := 0.0
	for i := range 100 {
		in.Starts = append(in.Starts, int64(1e6*at))
		at += lengths(i)
	}
	frame := 0
	for ms := range int(at) {
		for frame+1 < len(in.Starts) && in.Starts[frame+1] <= int64(ms)*1e6 {
			frame++
		}
		in.Begins, in.Ends = append(in.Begins, int64(ms)*1e6), append(in.Ends, int64(ms+1)*1e6)
		device := 0.0
		if float64(ms)-float64(in.Starts[frame])/1e6 >= 5.5 {
			device = 1
		}
		in.Active, in.Processors[0] = append(in.Active, device), append(in.Processors[0], 1-device)
	}
	return in
}

func TestWhoKeepsTheDatesOfACapTakesNoTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	capped := turning(func(i int) float64 { return 13.1 + 0.4*(r.Float64()-0.5) - 0.4*(r.Float64()-0.5)*float64(i%2) })
	if p := PaceOf(capped); p.Waiter != LimitTurns { // each begins when the one before is done
		t.Errorf("a loop: %v, want turns", p.Waiter)
	}
	i := 0
	late := 0.0
	held := turning(func(int) float64 { // a clock that is met within 0.2 ms
		i++
		was := late
		late = 0.2 * r.Float64()
		return 13.1 + late - was
	})
	if p := PaceOf(held); p.Waiter != LimitDisplay {
		t.Errorf("a cap: %v, want the display", p.Waiter)
	}
}

func TestTheRateIsThatOfFramesWhichMissedNoDate(t *testing.T) {
	var starts []int64
	at := 0.0
	for i := range 84 {
		starts = append(starts, int64(1e9*at))
		at += 1. / 72
		if i == 0 {
			at -= 0.0118 // the mark of a frame that began before the capture
		}
		if i == 30 || i == 61 {
			at += 1. / 72 // a refresh that was missed
		}
	}
	if hz := rateOf(starts); math.Abs(hz/72-1) > 0.002 {
		t.Errorf("%.2f frames a second, want 72", hz)
	}
	if !displayRate(starts, 0) {
		t.Error("it is no display's rate")
	}
}
