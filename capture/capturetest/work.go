package capturetest

import "math"

// frame is the length of a frame in seconds: sixty a second.
const frame = 1.0 / 60

// Work is how much a processor had to do in every sample, and at which clock it did it.
type Work struct {
	Start, End []int64   // ns
	Active     []float64 // share of the sample in which there was work, 0 to 1
	Hz         []float64 // clock while there was work
	Amount     []float64 // how much work of the usual kind arrived, 1 on average: what noise varies
}

// NewWork lays out the samples of a case. Idle time lies at the end of every frame, where a program waits for the
// display; a case with more idle time than work leaves whole samples without any.
func NewWork(c Case, maxHz float64) *Work {
	c = c.Filled()
	r := NewRandom(c, "work")
	w := &Work{}
	step := c.Period.Nanoseconds()
	idle := max(0, min(0.9, c.Idle))
	for i := range c.Samples {
		t0, t1 := int64(i)*step, int64(i+1)*step
		w.Start, w.End = append(w.Start, t0), append(w.End, t1)
		w.Active = append(w.Active, overlap(float64(t0)/1e9, float64(t1)/1e9, 1-idle))
		hz := maxHz
		if c.DVFS {
			hz *= 2.0/3 + math.Sin(2*math.Pi*float64(i)/float64(c.Samples)*3)/3
		}
		w.Hz = append(w.Hz, hz)
		w.Amount = append(w.Amount, r.Factor())
	}
	return w
}

// overlap is the share of [a, b) seconds that lies in the first part of its frames.
func overlap(a, b, part float64) float64 {
	if part >= 1 {
		return 1
	}
	sum := 0.0
	for n := math.Floor(a / frame); n*frame < b; n++ {
		lo, hi := max(a, n*frame), min(b, (n+part)*frame)
		sum += max(0, hi-lo)
	}
	return min(1, sum/(b-a))
}

// Len is the number of samples.
func (w *Work) Len() int { return len(w.Start) }

// Seconds is the length of sample i.
func (w *Work) Seconds(i int) float64 { return float64(w.End[i]-w.Start[i]) / 1e9 }

// Cycles is the number of clock cycles with work in sample i.
func (w *Work) Cycles(i int) float64 { return w.Seconds(i) * w.Active[i] * w.Hz[i] }
