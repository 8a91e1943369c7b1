package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAccount accounts for a million samples of two queues and ten units.
func BenchmarkAccount(b *testing.B) {
	const n = 1_000_000
	rng := rand.New(rand.NewPCG(1, 2))
	levels := func(least, most float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = least + (most-least)*rng.Float64()
		}
		return out
	}
	in := AccountInput{Length: make([]int64, n), Active: levels(0.8, 1), Floor: 0.6, Waiter: LimitWaiter}
	for i := range in.Length {
		in.Length[i] = 1e6
	}
	for k := range 2 {
		in.Queues = append(in.Queues, AccountQueue{Name: fmt.Sprint("queue ", k), Busy: levels(0.3, 0.9)})
	}
	for k := range 10 {
		in.Units = append(in.Units, AccountUnit{Name: fmt.Sprint("unit ", k), Kind: LimitUnit, Level: levels(0, 1)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Account(in); err != nil {
			b.Fatal(err)
		}
	}
}
