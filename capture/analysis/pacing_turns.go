package analysis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// above is the sum of the loads of processors above what runs on all of them. A thread that works on all of them alike
// looks as if it did not exist.
func above(loads []float64) float64 {
	slices.Sort(loads)
	sum, all := 0.0, 0.0
	if len(loads) >= backgroundLeast {
		all = loads[len(loads)/backgroundLeast]
	}
	for _, l := range loads {
		sum += max(0, l-all)
	}
	return sum
}

// turns reports whether a thread and a device with that load work in turn: they fill the time, and fall apart in it.
// Those that wait for the dates of a display may fall apart as well, and work as often as it allows. A loop of two that
// wait for each other is at such a rate by chance only, however steady it is.
func (p *Pace) turns(device float64) bool {
	both := p.Busiest + device
	exact := p.seldom && math.Abs(p.Work+device-1) <= turnsExact
	switch {
	case p.late && exact:
		return true
	case exact && !p.Dated && !p.usual:
		return true
	case p.seldom && !p.Dated && both >= turnsAlone && both <= turnsMost && !math.IsNaN(p.Correlation): // a load that never changes is no thread's
		return true
	case p.loose && p.certain() && p.Cadence.Hertz >= gridFilm && p.Work+device >= gridFull && !(p.filled < gridApart):
		return true
	case p.shown:
		return p.Correlation <= turnsDated+turnsSteady*(p.Cadence.Strength-datesKept)/(1-datesKept) && both >= turnsFull
	case p.Cadence.Strength >= datesKept && p.eachRefresh():
		return false // who shows a frame in each refresh of a display has nothing to gain
	}
	least := turnsTogether
	switch steady := p.Cadence.Strength >= datesKept; {
	case steady: // a cap of any rate leaves time free, and loops are rarely as steady
		least = turnsSteadily
	case p.Correlation > turnsDated:
		least = turnsFull
	}
	return p.Correlation <= turnsCorrelated && both >= least ||
		p.late && !(p.Correlation > turnsBeside) && !(p.usual && p.Cadence.Strength >= datesKept) &&
			p.Work+device >= turnsTogether && (p.rests || p.Work+device <= turnsOverlap)
}

// seldomRead reports whether a load stays the same from most samples to the next.
func seldomRead(load []float64) bool {
	changes, known := 0, 0
	for i := 1; i < len(load); i++ {
		if d := load[i] - load[i-1]; d == d {
			known++
			if math.Abs(d) > seldomSame {
				changes++
			}
		}
	}
	return known >= cadenceLeast && float64(changes) < seldomChange*float64(known)
}

// meanLoad is the mean of the values that are numbers, NaN where none is.
func meanLoad(v []float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range v {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

// together is the correlation of two series where both have values, NaN where one does not vary.
func together(x, y []float64) float64 {
	n := min(len(x), len(y))
	a, b := x[:n], y[:n]
	known := 0
	for i := range a {
		if s := a[i] + b[i]; s-s == 0 { // not of NaN or an infinity
			known++
		}
	}
	if known < n { // usually all are there, and a copy costs more than all else here
		a, b = make([]float64, 0, known), make([]float64, 0, known)
		for i := range n {
			if s := x[i] + y[i]; s-s == 0 {
				a, b = append(a, x[i]), append(b, y[i])
			}
		}
	}
	if len(a) < 3 || slices.Min(a) == slices.Max(a) || slices.Min(b) == slices.Max(b) {
		return math.NaN()
	}
	return stat.Correlation(a, b, nil)
}
