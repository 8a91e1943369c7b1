package simulate

import (
	"math"
	"math/rand/v2"
)

// Random draws everything that a case is made of. Its methods are the few distributions that content and machines need.
type Random struct{ *rand.Rand }

// NewRandom is a source of random numbers for one purpose: the same seed and purpose give the same numbers on every
// machine.
func NewRandom(seed uint64, purpose string) Random {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(purpose) {
		h = (h ^ uint64(purpose[i])) * 1099511628211
	}
	return Random{rand.New(rand.NewPCG(seed, h))}
}

// Between is uniform in [lo, hi).
func (r Random) Between(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// Log is uniform on a logarithmic scale in [lo, hi), for quantities that span magnitudes.
func (r Random) Log(lo, hi float64) float64 { return lo * steady(math.Pow(hi/lo, r.Float64())) }

// Whole is uniform among the whole numbers from lo to hi, both included.
func (r Random) Whole(lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// Chance is true with probability p.
func (r Random) Chance(p float64) bool { return r.Float64() < p }

// Spread is log-normal with mean 1 and the standard deviation sigma of its logarithm.
func (r Random) Spread(sigma float64) float64 {
	return steady(math.Exp(sigma*r.NormFloat64() - sigma*sigma/2))
}

// steady rounds to 2^-40 of the value or so. The last bits of what package math calculates depend on the processor (on
// amd64, math.Exp fuses multiplications and additions where it can), and one ns of difference can change the order in
// which units serve.
func steady(x float64) float64 {
	const bits = 1<<12 - 1
	return math.Float64frombits((math.Float64bits(x) + (bits+1)/2) &^ bits)
}

// Weighted is an index drawn in proportion to weights, of which one at least must be positive.
func (r Random) Weighted(weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := r.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 && w > 0 {
			return i
		}
	}
	for i := len(weights) - 1; i > 0; i-- {
		if weights[i] > 0 {
			return i
		}
	}
	return 0
}

// Pick is one of the values, each as likely as another.
func Pick[T any](r Random, values ...T) T { return values[r.IntN(len(values))] }

// spreads are the standard deviations of the logarithm that a unit's work can have from chunk to chunk within a pass.
var spreads = [...]float64{0, 0.08, 0.15, 0.25, 0.4, 0.6, 0.9}

// Spreads is the number of classes of variation that Serve.Spread may name, from none to strong.
const Spreads = len(spreads)

// variations has, per class of variation, a row of factors with mean 1. Neighbours are alike: parts of a picture, or
// of a mesh, that lie beside each other cost alike. The correlation of 0.6 is invented.
var variations = func() (out [Spreads][variationRow]float32) {
	r := NewRandom(1, "variations")
	for class, sigma := range spreads {
		const keep = 0.6
		x, sum := r.NormFloat64(), 0.0
		for i := range out[class] {
			x = keep*x + math.Sqrt(1-keep*keep)*r.NormFloat64()
			v := steady(math.Exp(sigma * x))
			out[class][i] = float32(v)
			sum += v
		}
		for i := range out[class] {
			out[class][i] *= float32(variationRow / sum)
		}
	}
	return out
}()

const variationRow = 1024

// variation is the factor of chunk k on a unit in a stream: a stretch of the row that begins at a place of the
// stream's and the unit's own.
func variation(class uint8, seed uint32, unit int, k int) float64 {
	at := (seed + uint32(unit)*2654435761) >> 7
	return float64(variations[class][(at+uint32(k))%variationRow])
}
