package analysis

import (
	"math"
	"math/rand/v2"
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

// wandering is a thread that works through a share of each sample of 10 ms, each on another of three of eight processors,
// all of which work for background as well, and a device that works through another share; frames take any of the
// lengths, in ms.
func wandering(n int, thread, background, device float64, lengths ...int64) PaceInput {
	in := PaceInput{Step: 1e-2, Processors: make([][]float64, 8)}
	for i := range n {
		in.Active = append(in.Active, device)
		for p := range in.Processors {
			load := background
			if p == 2*(i%3) {
				load += thread
			}
			in.Processors[p] = append(in.Processors[p], load)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for at := int64(0); len(lengths) > 0 && at < int64(n)*10; at += lengths[r.IntN(len(lengths))] {
		in.Starts = append(in.Starts, at*1e6)
	}
	return in
}

func TestAThreadThatMovesIsKnownByTheSumOfItsProcessors(t *testing.T) {
	for _, c := range []struct {
		name                       string
		thread, background, device float64
		lengths                    []int64
		want                       LimitKind
	}{
		{"it works all along", 0.95, 0.03, 0.5, nil, LimitProcessor},
		{"what runs on all processors is none of it", 0.3, 0.3, 0.3, nil, LimitWaiter},
		{"it fills the rest of frames that keep no dates", 0.45, 0.02, 0.55, []int64{13, 17, 22, 15, 26, 19, 11}, LimitTurns},
		{"frames are not known to keep none", 0.45, 0.02, 0.55, nil, LimitWaiter},
		{"something else is waited for as well", 0.3, 0.02, 0.4, []int64{13, 17, 22, 15, 26, 19, 11}, LimitWaiter},
		{"marks keep dates that samples do not show", 0.45, 0.02, 0.55, []int64{12}, LimitDisplay},
	} {
		if got := PaceOf(wandering(300, c.thread, c.background, c.device, c.lengths...)); got.Waiter != c.want {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
	}
}

func TestMarksKeepNoDatesWhereFramesAreFullOfWork(t *testing.T) {
	// 60 frames in a second of which none leaves time, and 300 ms without work while something is loaded.
	in := PaceInput{Step: 4e-3}
	for i := range 375 {
		load := 1.0
		if i >= 150 && i < 225 {
			load = 0
		}
		in.Active = append(in.Active, load)
	}
	for at := 0.0; at < 1.5; at += 1. / 60 {
		if at < 0.6 || at >= 0.9 {
			in.Starts = append(in.Starts, int64(at*1e9))
		}
	}
	if got := PaceOf(in); got.Waiter != LimitWaiter || got.Dated {
		t.Errorf("%+v: want a device of which nobody knows whom it waited for", got)
	}
	for i := range in.Active { // the same frames with time left in each
		in.Active[i] *= []float64{1, 0.8, 0.5, 0.2}[i*7%4]
	}
	if got := PaceOf(in); got.Waiter != LimitDisplay || !got.Dated {
		t.Errorf("%+v: want the display, whose dates the marks keep", got)
	}
}

func TestProcessorsThatAreReadSeldomTellTurnsByWhatIsLeft(t *testing.T) {
	// A loop whose length wanders, so that it keeps no dates, and a processor whose load is known of every 200 samples.
	loop := func(device, processor, other float64, each int) PaceInput {
		in := PaceInput{Step: 1e-3, Processors: [][]float64{nil, nil}}
		r := rand.New(rand.NewPCG(3, 4))
		for len(in.Active) < 2000 {
			n := 10 + r.IntN(30)
			for k := range n {
				work := 0.
				if float64(k) >= (1-device)*float64(n) {
					work = 1
				}
				in.Active = append(in.Active, work)
			}
		}
		for i := range in.Active {
			in.Processors[0] = append(in.Processors[0], processor+0.01*float64(i/each%3))
			in.Processors[1] = append(in.Processors[1], other)
		}
		return in
	}
	for _, c := range []struct {
		name                     string
		device, processor, other float64
		each                     int
		want                     LimitKind
	}{
		{"both fill the time", 0.65, 0.33, 0, 200, LimitTurns},
		{"one processor fills it, and others work beside", 0.65, 0.3, 0.25, 200, LimitTurns},
		{"others would fill it", 0.65, 0.2, 0.25, 200, LimitWaiter},
		{"time is left", 0.65, 0.2, 0, 200, LimitWaiter},
		{"both work at the same time", 0.65, 0.5, 0, 200, LimitWaiter},
		{"loads of each sample would fall apart", 0.65, 0.33, 0, 1, LimitWaiter},
	} {
		if got := PaceOf(loop(c.device, c.processor, c.other, c.each)); got.Waiter != c.want {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
	}
}

func TestTwoThatDoTheirWorkOneAfterTheOtherInEachRefreshNeedNotWaitForEachOther(t *testing.T) {
	for _, c := range []struct {
		name   string
		period int
		want   LimitKind
	}{
		{"40 Hz, each third refresh of 120", 25, LimitWaiter},
		{"38.5 Hz, which no display has", 26, LimitTurns},
	} {
		got := PaceOf(turnsOf(400, c.period, 15, 13))
		if got.Waiter != c.want {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
		if got.Correlation > turnsCorrelated {
			t.Errorf("%s: the correlation is %v: the case tests nothing", c.name, got.Correlation)
		}
	}
}

// What a part of the samples shows of processors is set beside what the device does in these.
func TestProcessorsThatAreLookedAtInAPartOfTheSamplesTellTheSame(t *testing.T) {
	for name, whole := range map[string]PaceInput{"turns": turnsOf(4000, 20, 10, 10), "free": turnsOf(4000, 20, 10, 7),
		"moved": movedOf(4400, 22, 12, 8)} {
		part := whole
		part.Processors = make([][]float64, len(whole.Processors))
		for lo := 0; lo < len(whole.Active); lo += 1109 {
			for i := lo; i < min(lo+443, len(whole.Active)); i++ {
				part.Looked = append(part.Looked, i)
				for k, p := range whole.Processors {
					part.Processors[k] = append(part.Processors[k], p[i])
				}
			}
		}
		got, want := PaceOf(part), PaceOf(whole)
		if got.Waiter != want.Waiter || math.Abs(got.Correlation-want.Correlation) > 0.02 || math.Abs(got.Busiest-want.Busiest) > 0.02 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		part.Looked = nil // beside the first samples, those tell nothing
		if off := PaceOf(part); math.Abs(off.Correlation-want.Correlation) < 0.02 {
			t.Errorf("%s: the correlation is %v wherever the samples lie: the case tests nothing", name, off.Correlation)
		}
	}
}

func TestAReportIsSureOfADisplayByItsRefreshOnly(t *testing.T) {
	for _, c := range []struct {
		period int
		step   float64
		want   bool
	}{
		{10, 1e-3, false},           // 100 Hz, which are not usual
		{16, 1. / 960, true},        // 60 Hz
		{16, 1. / 960 / .99, false}, // 59.4 Hz
		{32, 1. / 960, false},       // 30 Hz, which a slow program has as well
	} {
		in := turnsOf(640, c.period, c.period*7/8, 0)
		in.Step, in.Processors = c.step, nil
		if got := PaceOf(in); got.Steady != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
