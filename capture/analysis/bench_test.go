package analysis

import (
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

// BenchmarkCompare compares 200 counters of 100,000 samples each.
func BenchmarkCompare(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := process{0.7, 0.5}
	one := simulated(b, rng, p, 200, 100_000, flat)
	two := simulated(b, rng, p, 200, 100_000, flat)
	for b.Loop() {
		if _, err := Compare(b.Context(), []*capture.Capture{one}, []*capture.Capture{two}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
