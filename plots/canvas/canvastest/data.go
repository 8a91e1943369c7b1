package canvastest

import (
	"astrolabe/capture"
	"math"
	"math/rand/v2"
)

// Times returns n adjoining samples of period ns.
func Times(n int, period int64) (start, end []int64) {
	a := capture.NewUniformAxis(n, period)
	return a.Start, a.End
}

// Values are n numbers.
func Values(n int, f func(i int) float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = f(i)
	}
	return y
}

// Noise is the same for every test.
func Noise() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// Wave is a noisy wave between 0 and 100.
func Wave(r *rand.Rand, n int, mid, swing, period, jitter float64) []float64 {
	return Values(n, func(i int) float64 {
		return min(100, max(0, mid+swing*math.Sin(float64(i)/period)+jitter*r.NormFloat64()))
	})
}
