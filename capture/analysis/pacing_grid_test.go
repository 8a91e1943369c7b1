package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// loopOf is a device that works through the last of each period, beside a thread that works through the first of it, in
// samples of a length, for some seconds. The thread moves between three processors, whose time is told in ticks of 10 ms: each
// is that of who runs when it ends.
func loopOf(hertz, step, seconds, device, thread float64, processors int) PaceInput {
	r := rand.New(rand.NewPCG(1, 2))
	in := PaceInput{Step: step, Processors: make([][]float64, processors)}
	tick := 0.004
	for at := 0.0; at+step <= seconds; at += step {
		worked := 0.0
		for k := range 64 {
			if _, part := math.Modf((at + step*float64(k)/64) * hertz); part >= 1-device {
				worked += 1.0 / 64
			}
		}
		in.Active = append(in.Active, worked)
		in.Begins, in.Ends = append(in.Begins, int64(at*1e9)), append(in.Ends, int64((at+step)*1e9))
		on := r.IntN(3)
		for p := range in.Processors {
			in.Processors[p] = append(in.Processors[p], math.NaN())
		}
		if tick < at+step {
			_, part := math.Modf(tick * hertz)
			for p := range in.Processors {
				load := 0.
				if p == on && part < thread {
					load = 1
				}
				in.Processors[p][len(in.Active)-1] = load
			}
			tick += 0.01
		}
	}
	return in
}

func TestARhythmOfNoDisplayIsWhoeverFillsTheTime(t *testing.T) {
	for _, c := range []struct {
		name string
		in   PaceInput
		want LimitKind
	}{
		{"a thread that moves works while the device waits", loopOf(97.3, 0.0015, 2, 0.6, 0.42, 8), LimitTurns},
		{"time is left: a cap", loopOf(97.3, 0.0015, 2, 0.5, 0.2, 8), LimitDisplay},
		{"nobody told of the processors", loopOf(97.3, 0.0015, 2, 0.6, 0.4, 0), LimitWaiter},
		{"a display has that rate", loopOf(60.05, 0.0015, 2, 0.6, 0.3, 0), LimitDisplay},
		{"each third refresh of one", loopOf(40, 0.0015, 2, 0.6, 0.3, 0), LimitDisplay},
		{"a display has that rate, longer samples show another", loopOf(60, 0.0137, 2, 0.6, 0.3, 0), LimitDisplay},
		{"some processor works all the time", loopOf(97.3, 0.0015, 2, 0.6, 1, 8), LimitProcessor},
	} {
		if got := PaceOf(c.in); got.Waiter != c.want {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
	}
}

func TestAThreadThatIsBusyBesideADisplaysRhythmIsNobodysForCertain(t *testing.T) {
	for _, c := range []struct {
		name   string
		period int
		marked bool
		want   LimitKind
	}{
		{"a rhythm of 50 Hz: the display, or that thread", 20, false, LimitWaiter},
		{"marks of frames on each date of it: the display", 20, true, LimitDisplay},
		{"45.5 Hz, which no display has: the thread", 22, false, LimitProcessor},
	} {
		in := turnsOf(1000, c.period, 8, 4)
		full := make([]float64, 1000)
		for i := range full {
			full[i] = 1
		}
		in.Processors = append(in.Processors, full)
		for at := 0; c.marked && at < 1000; at += c.period {
			in.Starts = append(in.Starts, int64(at)*1e6)
		}
		if got := PaceOf(in); got.Waiter != c.want {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
	}
}

func TestARateIsKnownBetterThanTheLinesOfItsTransform(t *testing.T) {
	in := loopOf(61.3, 0.0021, 0.8, 0.5, 0, 0)
	coarse, fine := cadenceOf(in.Active, in.Step), PaceOf(in).Cadence
	if math.Abs(fine.Hertz-61.3) > 0.1 || math.Abs(coarse.Hertz-61.3) < math.Abs(fine.Hertz-61.3) {
		t.Errorf("61.3 Hz are %v, by lines alone %v", fine.Hertz, coarse.Hertz)
	}
}

func TestAWeakRhythmIsADisplaysWhereItHasItsRateExactly(t *testing.T) {
	in := PaceInput{Step: 0.00683, Active: make([]float64, 200)} // 120 Hz show as 26.4 in such samples
	for _, c := range []struct {
		strength, hertz float64
		want            bool
	}{
		{0.3, 60.1, true}, {0.3, 61, false}, {0.2, 60.1, false}, {0.45, 26.45, true}, {0.3, 26.45, false}, {0.45, 27, false},
	} {
		if got := in.atRefresh(Cadence{c.strength, c.hertz}); got != c.want {
			t.Errorf("strength %v at %v Hz: %v", c.strength, c.hertz, got)
		}
	}
}

func TestMarksOfACapKeepDatesAndThoseOfALoopDoNot(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name  string
		loose bool
		next  func(k int, before float64) float64
	}{
		{"a cap of 97.3 Hz, each frame a little late", false, func(k int, _ float64) float64 {
			return float64(k)/97.3 + 3e-4*r.Float64()
		}},
		{"each frame begins when the one before is done", true, func(_ int, before float64) float64 {
			return before + (1+0.02*r.NormFloat64())/97.3
		}},
	} {
		in := PaceInput{Step: 0.002, Active: make([]float64, 500)}
		at := 0.0
		for k := range 90 {
			at = c.next(k, at)
			in.Starts = append(in.Starts, int64(at*1e9))
		}
		if got := in.loose(97.3); got != c.loose {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
