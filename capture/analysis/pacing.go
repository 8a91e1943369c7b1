package analysis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"
)

// Cadence is how far a series repeats at one rate for as long as it lasts, as the work of frames does that keep the
// dates of a clock. Frames that a processor ends are about as long as each other at best, so that the time of the
// thousandth cannot be told from that of the first.
type Cadence struct {
	// Strength is the share of the variance, less what noise would have there, that lies at Hertz and its multiples; up
	// to 1.
	Strength float64
	Hertz    float64
}

// refreshes are the rates of usual displays in Hz.
var refreshes = []float64{50, 60, 72, 75, 90, 120, 144}

const (
	cadenceLeast    = 24      // samples without which nothing repeats
	cadenceMost     = 1 << 12 // samples that are looked at
	cadenceOvertone = 8       // multiples of the rate that are counted
	cadencePeriods  = 6       // times that it repeats at least
	cadenceSlowest  = 8.      // Hz: slower ones are no frames
	cadenceFine     = 4       // steps between the lines that the length of the series can tell apart
	datesKept       = 0.5     // the least strength of a cadence that a clock gives. Ours
	// the largest variance of the starts of frames about their dates, in that of the lengths of frames
	datesRandom = 1.5
	datesExact  = 0.02 // or their deviation, in lengths of a frame
	datesLeast  = 8    // frames without which nothing is said of dates
	// and from so many on those that begin when the one before is done deviate far more: by a fifteenth of their number
	// in variances of their lengths, of which datesRandom is half
	datesMany = 45
	frameFull = 0.95 // of a frame in which the device works leaves no time that anybody waits for
	datesSeen = 1.1  // samples: the least length of frames that are all seen
	// times the usual length: such a frame missed its date. Every other frame of 24 in a second on 60 Hz takes 1.5 of
	// the others
	datesMissed = 1.75
	datesRarely = 0.1  // of the frames miss their dates at most where they keep them
	busyThread  = 0.85 // a processor that works so much of the time sets the pace of what waits for it. Ours
	// and so does one that works more than this part of that where no dates are kept: its waits are for what it calls
	mostlyBusy      = 0.7
	calmThread      = 0.33  // a processor with so little to do is waited for by nobody whose frames keep dates
	turnsCertain    = -0.85 // unless the one hardly ever works while the other does
	turnsBeside     = 0.3   // and of two that work at the same time. Ours
	turnsCorrelated = -0.5  // the load of a processor and of a device that work in turn
	turnsTogether   = 0.85  // and the share of the time that both fill: submitting, answering and waking up take the rest
	turnsSteadily   = 0.88  // and that of work that repeats as steadily as a clock
	turnsFull       = 0.95  // where frames keep a display's dates: what is left waits for it
	turnsDated      = -0.7  // the two of frames that keep a display's dates: what is left for it is next to nothing
	turnsSteady     = -0.05 // and this much less where the rhythm is all that there is: the steadier, the likelier a clock
	// Where neither is full, and frames are known to keep no dates, one waits for the other, whatever a correlation of
	// samples longer than their turns says: together they fill the time, but for some waits and some overlap. Ours
	turnsOverlap = 1.3
	// Loads that were read so seldom that no correlation tells anything leave what both fill: those of two that wait for each
	// other and for nobody else are all of the time, but for what ticks and handing over blur. Ours
	turnsExact = 0.05
	// Nor does one processor, which has a part of a thread that the kernel moves, fill it with the device where frames keep
	// dates that a rhythm would show. Ours
	turnsAlone   = 0.93
	turnsMost    = 1.05
	seldomChange = 0.25  // of the samples: the load of a processor that changes in fewer was read more seldom than the device's
	seldomSame   = 0.001 // and that is no change: times are rounded
	refreshExact = 0.002 // a display's rate, as marks of frames tell it, but for half a sample
	// processors of which the least busy quarter tells what runs on all of them
	backgroundLeast = 4
	refreshNear     = 0.01 // a rate is known about that well
	refreshesMost   = 4    // refreshes of a display that a frame takes at most
)

// cadenceOf finds the rate at which a series of one value per step seconds repeats best. Values that are missing count
// as the mean.
func cadenceOf(v []float64, step float64) Cadence {
	if len(v) > cadenceMost {
		// The middle: programs load at the start of a capture and close at its end.
		at := (len(v) - cadenceMost) / 2
		v = v[at : at+cadenceMost]
	}
	n := len(v)
	if n < cadenceLeast || !(step > 0) || math.IsInf(step, 0) {
		return Cadence{}
	}
	mean, count := 0.0, 0.0
	for _, x := range v {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			mean, count = mean+x, count+1
		}
	}
	mean /= max(count, 1)
	// Padding with zeros samples the spectrum between its lines: a cadence that falls between two would lose up to
	// half of its power to each.
	padded := make([]float64, cadenceFine*n)
	power := 0.0
	for i, x := range v {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			padded[i] = x - mean
			power += padded[i] * padded[i]
		}
	}
	// A constant has power of rounding only, whose largest line would look like a cadence of full strength. The
	// comparison is also false of NaN.
	if !(power > 1e-9*float64(n)*max(1e-6, mean*mean)) || math.IsInf(power, 0) {
		return Cadence{}
	}
	lines := fourier.NewFFT(len(padded)).Coefficients(nil, padded)
	share := make([]float64, len(lines))
	for i, c := range lines {
		share[i] = 2 * (real(c)*real(c) + imag(c)*imag(c)) / (float64(n) * power)
	}
	var out Cadence
	for k := cadenceFine * cadencePeriods; k < len(share)-1; k++ {
		hz := float64(k) / (float64(len(padded)) * step)
		if hz < cadenceSlowest {
			continue
		}
		times := min((len(share)-2)/k, cadenceOvertone)
		// Noise alone gives every line looked at 2/n of the power on average and about twice that to the largest of
		// three: without taking it off, slow cadences, which have most overtones, would win.
		sum := -4 * float64(times) / float64(n)
		for h := 1; h <= times; h++ {
			sum += max(share[h*k-1], share[h*k], share[h*k+1])
		}
		if sum > out.Strength {
			out = Cadence{min(1, sum), hz}
		}
	}
	return out
}

// keepDates reports whether the starts of frames, in ns, lie near dates of a steady clock, or of a pattern of up to
// five frames that repeats. A frame that misses its date moves all later ones to other dates, so that the frames
// between two such are judged by themselves, where there are few such.
func keepDates(starts []int64) (kept, known bool) {
	if len(starts) < datesLeast {
		return false, false
	}
	runs := betweenMissed(starts)
	if runs == nil {
		return keepDatesWithout(starts), true
	}
	all, calm := 0, 0
	for _, run := range runs {
		all += len(run)
		if keepDatesWithout(run) {
			calm += len(run)
		}
	}
	return 2*calm > all, true
}

// betweenMissed cuts the starts behind frames that take much longer than most, and returns the pieces that are long
// enough to be judged: nil where there is none, or where such frames are no exception.
func betweenMissed(starts []int64) (runs [][]int64) {
	lengths := make([]int64, len(starts)-1)
	for i := range lengths {
		lengths[i] = starts[i+1] - starts[i]
	}
	usual := Median(len(lengths), func(i int) int64 { return lengths[i] })
	long, missed, from := datesMissed*float64(usual), 0, 0
	for i := range starts {
		if last := i == len(lengths); last || float64(lengths[i]) > long {
			if !last {
				missed++
			}
			if run := starts[from : i+1]; len(run) >= datesLeast {
				runs = append(runs, run)
			}
			from = i + 1
		}
	}
	if float64(missed) > datesRarely*float64(len(lengths)) {
		return nil
	}
	return runs
}

// keepDatesWithout is keepDates of frames of which none misses its date. Their deviations then stay; those of frames
// that begin when the one before is done add up.
func keepDatesWithout(starts []int64) bool {
	best := math.Inf(1)
	for pattern := 1; pattern <= 5 && 4*pattern <= len(starts); pattern++ {
		walk, deviation, ok := aboutDates(starts, pattern)
		if !ok {
			return false
		}
		if deviation < datesExact {
			return true
		}
		best = min(best, walk)
	}
	return best <= datesRandom
}

// aboutDates is how far starts lie from the dates of a pattern of so many frames: their variance in that of the lengths
// of frames, and their deviation in lengths of a frame.
func aboutDates(starts []int64, pattern int) (walk, deviation float64, ok bool) {
	// The rate is that of the whole; each place in the pattern has its own offset.
	each := pace(starts, pattern)
	if !(each > 0) {
		return 0, 0, false
	}
	rest := make([]float64, len(starts))
	for i, s := range starts {
		rest[i] = float64(s-starts[0]) - each*float64(i)
	}
	about := residuals(rest, pattern)
	lengths := make([]float64, len(starts)-1)
	for i := range lengths {
		lengths[i] = float64(starts[i+1] - starts[i])
	}
	steps := residuals(lengths, pattern)
	return variance(about) / max(variance(steps), 1), math.Sqrt(variance(about)) / each, true
}

// pace is the mean time from one start to the next over whole repetitions of a pattern.
func pace(starts []int64, pattern int) float64 {
	x, y := make([]float64, len(starts)), make([]float64, len(starts))
	for i, s := range starts {
		x[i], y[i] = float64(i), float64(s-starts[0])
	}
	if pattern == 1 {
		_, slope := stat.LinearRegression(x, y, nil, false)
		return slope
	}
	whole := (len(starts) - 1) / pattern * pattern
	return float64(starts[whole]-starts[0]) / float64(whole)
}

// residuals are the differences from the mean of the values that have the same place in a pattern.
func residuals(v []float64, pattern int) []float64 {
	sums, counts := make([]float64, pattern), make([]float64, pattern)
	for i, x := range v {
		sums[i%pattern], counts[i%pattern] = sums[i%pattern]+x, counts[i%pattern]+1
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x - sums[i%pattern]/counts[i%pattern]
	}
	return out
}

func variance(v []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	return stat.Variance(v, nil)
}

// PaceInput is what tells whom a device waits for.
type PaceInput struct {
	Active     []float64   // share of each sample in which the device worked
	Step       float64     // usual length of a sample in seconds
	Processors [][]float64 // share of each sample looked at in which each processor worked; empty where none was recorded
	Looked     []int       // the samples that Processors has, in their order; nil for all
	Starts     []int64     // starts of frames in ns; empty where none are marked
	Thread     float64     // the load from which a processor sets the pace, 0 for 0.85
	Loads      [][]float64 // share of each sample in which each queue worked; they tell of dates where the device works all the time
	Begins     []int64     // of samples, in ns
	Ends       []int64
}

// Pace is whom a device waits for.
type Pace struct {
	Waiter  LimitKind // LimitDisplay, LimitProcessor, LimitTurns or LimitWaiter
	Cadence Cadence
	// Busiest is the mean load of the busiest processor, NaN where none was recorded.
	Busiest float64
	// Work is the load of all processors above what runs on each of them, and that of the busiest at least: what a thread
	// works that the kernel moves from one to another, of which each processor shows a part only.
	Work float64
	// Correlation is that of the busiest one's load with the device's, NaN where it does not vary.
	Correlation float64
	Dated       bool // frames keep their dates
	Exact       bool // and each takes the same few refreshes of a usual display, to a small part of one
	// Steady says that work repeats exactly as often as a usual display is refreshed: a device with little time left waits
	// for it all the same.
	Steady bool
	shown  bool // which are those of a usual display
	usual  bool // work repeats at the rate of one, if it does
	seldom bool // loads of processors were read too seldom to fall apart from the device's
	apart  bool // processors do a thread's work more while the device waits
	late   bool // frames are marked, and are known to keep none
	loose  bool // work repeats at a rate of no display
	rests  bool // no processor works in much of the time
	phased bool // a processor works in some parts of the capture, and the device in others
	// the share of the time in which some processor or the device works; NaN where samples do not tell
	filled float64
}

// PaceOf says whom a device waits for, where it waits: a processor that works all the time; one with which it takes
// turns; the dates of a display or a cap, where its work repeats as steadily as only a clock does. Else nobody knows.
func PaceOf(in PaceInput) Pace {
	out := Pace{Waiter: LimitWaiter, Busiest: math.NaN(), Work: math.NaN(), Correlation: math.NaN(),
		Cadence: in.sharpened(cadenceOf(in.Active, in.Step))}
	if !(in.Thread > 0) {
		in.Thread = busyThread
	}
	device := meanLoad(in.Active)
	busiest := -1
	var loads []float64
	for i, p := range in.Processors {
		m := meanLoad(p)
		if math.IsNaN(m) {
			continue
		}
		loads = append(loads, m)
		if busiest < 0 || m > out.Busiest {
			busiest, out.Busiest = i, m
		}
	}
	if busiest >= 0 {
		out.Work = max(out.Busiest, above(loads))
		beside := in.beside()
		out.Correlation = together(in.Processors[busiest], beside)
		out.seldom = seldomRead(in.Processors[busiest])
		if out.Correlation <= turnsCorrelated && !out.seldom && onlyOnce(in.Processors[busiest], beside) {
			out.phased, out.Correlation = true, oppositeIn(in.Processors[busiest], beside)
		}
		out.apart = in.apart(beside) && !onlyOnce(in.everywhere(), beside)
		var always float64
		always, out.filled = in.always(beside)
		out.rests = always < gridAlways
	}
	kept, marked := keepDates(in.Starts)
	// A frame in each refresh keeps its dates, wherever samples that carry the marks put them, unless these are the frames.
	if marked && !kept && !in.wholeFrames() && in.eachRefresh() {
		kept = true
	}
	usual := displayRate(in.Starts, out.Cadence.Hertz)
	out.usual = usual
	out.Dated = (out.Cadence.Strength >= datesKept || in.atRefresh(out.Cadence)) && (kept || !marked)
	// Work that varies from frame to frame, or samples longer than frames, hide the rhythm, and marks do not. Where most
	// frames are full of work they leave nothing for a clock: the device waits elsewhere, as while something is loaded.
	pressed := in.pressed()
	out.Exact = kept && !pressed && in.onDates()
	byMarks := kept && !out.Dated && (out.Exact || !in.full())
	if byMarks && usual {
		out.Dated = true
	}
	// Frames that are shorter than samples are not all seen where samples carry the marks, and those that are begin with
	// samples.
	if marked && pace(in.Starts, 1) > datesSeen*in.Step*1e9 {
		out.late = !kept
		if byMarks && len(in.Starts) >= datesMany {
			out.Dated, out.Cadence.Hertz = true, rateOf(in.Starts)
		}
	}
	if !marked && device > 1-accountDates && !pressed {
		if hz := in.onDatesByLoads(); hz > 0 {
			out.Dated, out.Exact, out.Cadence.Hertz, usual = true, true, hz, true
		}
	}
	out.loose = out.Dated && !out.Exact && in.loose(out.Cadence.Hertz)
	out.shown = out.Dated && usual && !out.loose
	out.Steady = out.shown && out.Cadence.Strength >= datesKept && slices.ContainsFunc(refreshes, func(hz float64) bool {
		return math.Abs(out.Cadence.Hertz/hz-1) < gridClock
	})
	switch {
	case out.Busiest >= in.Thread && out.Exact && out.shown:
		// Marks of frames tell of a display's dates, so that the thread is somebody else's or waits without rest.
		out.Waiter = LimitDisplay
	case out.Busiest >= in.Thread && out.Dated && !out.loose && (kept || out.Cadence.Strength >= gridSteady):
		// Of dates that are less exact, or of a rhythm alone, that is only likely, and to call a program healthy that waits for
		// its own thread is the worse mistake.
	case out.Busiest >= in.Thread:
		out.Waiter = LimitProcessor
	case out.apart && !out.displayed() && (out.late || !in.onDisplay(out.Cadence)) && !onClock(in.Starts):
		out.Waiter = LimitTurns
	// what both do in a frame may fall apart by chance
	case out.shown && out.Work < calmThread && out.Correlation > turnsCertain:
		out.Waiter = LimitDisplay
	case out.Exact && device >= frameFull: // nobody takes turns with a device that always works
		out.Waiter = LimitDisplay
	// A thread that sets the pace by itself works while the device does as well; one that rests then waits for it.
	case (!out.Dated || out.loose) && out.Work >= in.Thread && !out.rests && !(out.Correlation <= turnsCorrelated):
		out.Waiter = LimitProcessor
	case out.turns(device) && !onClock(in.Starts):
		// At the rate of a display those who wait for it may do the one's work before the other's in each refresh, and fill it
		// but for little: that they wait for each other is then only as likely.
		if !in.onDisplay(out.Cadence) || out.late || out.Correlation <= turnsCertain {
			out.Waiter = LimitTurns
		}
	case out.loose && (busiest < 0 || !out.certain()): // a cap, or two that wait for each other: nothing recorded tells
	case out.Dated:
		out.Waiter = LimitDisplay
	case (out.Busiest+out.Work)/2 >= mostlyBusy*in.Thread && !out.rests && !out.phased: // between these two lies the load of one thread
		out.Waiter = LimitProcessor
	}
	return out
}

// beside is the share in which the device worked in each sample that Processors has.
func (in *PaceInput) beside() []float64 {
	if in.Looked == nil || len(in.Looked) == len(in.Active) {
		return in.Active
	}
	var out []float64
	for _, i := range in.Looked {
		if i < len(in.Active) { // there are none where nothing tells of the device's work
			out = append(out, in.Active[i])
		}
	}
	return out
}

// full reports whether most stretches as long as a frame are full of work.
func (in *PaceInput) full() bool {
	n := max(1, int(math.Round(pace(in.Starts, 1)/1e9/in.Step)))
	frames, full := 0, 0
	for v := in.Active; len(v) >= n; v = v[n:] {
		frames++
		if meanLoad(v[:n]) >= frameFull {
			full++
		}
	}
	return 2*full > frames
}

// displayRate reports whether frames with such starts, in ns, or else work that repeats at that rate, come as often as
// a usual display can show them, each for a few refreshes.
func displayRate(starts []int64, hertz float64) bool {
	if len(starts) > datesLeast {
		hertz = rateOf(starts)
	}
	return slices.ContainsFunc(refreshes, func(hz float64) bool {
		k := math.Round(hz / hertz)
		return k >= 1 && k <= refreshesMost && math.Abs(k*hertz/hz-1) < refreshNear
	})
}

// rateOf is how often frames with such starts in ns begin, in Hz, but for those that missed their date. A mark that began before
// the capture begins with it instead, which changes a line through all starts by little.
func rateOf(starts []int64) float64 {
	runs := betweenMissed(starts)
	if runs == nil {
		return 1e9 / pace(starts, 1)
	}
	frames, took := 0.0, 0.0
	for _, run := range runs {
		n := float64(len(run) - 1)
		frames, took = frames+n, took+n*pace(run, 1)
	}
	return 1e9 * frames / took
}

// eachRefresh reports whether work repeats as often as a usual display is refreshed.
func (p *Pace) eachRefresh() bool {
	return slices.ContainsFunc(refreshes, func(hz float64) bool {
		return math.Abs(p.Cadence.Hertz/hz-1) < refreshNear
	})
}

// eachRefresh reports whether frames begin exactly as often as a usual display is refreshed.
func (in *PaceInput) eachRefresh() bool {
	hertz := 1e9 / pace(in.Starts, 1)
	near := refreshExact + in.Step*hertz/float64(2*len(in.Starts))
	return near <= refreshNear && slices.ContainsFunc(refreshes, func(hz float64) bool { return math.Abs(hertz/hz-1) <= near })
}
