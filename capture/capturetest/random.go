package capturetest

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// Random is the noise of a case: the same for the same case.
type Random struct {
	*rand.Rand
	sd float64
}

// NewRandom returns the noise of a case. Streams of different names are independent, so that one more does not change
// the others.
func NewRandom(c Case, stream string) *Random {
	h := fnv.New64a()
	h.Write([]byte(c.Plant + "\x00" + c.Second + "\x00" + stream))
	return &Random{rand.New(rand.NewPCG(c.Seed, h.Sum64())), c.Noise}
}

// Factor is a factor around 1 with the relative standard deviation of the case, never below a twentieth: log-normal, as
// work is, with mean 1.
func (r *Random) Factor() float64 {
	if r.sd == 0 {
		return 1
	}
	s := math.Sqrt(math.Log(1 + r.sd*r.sd))
	return max(0.05, math.Exp(s*r.NormFloat64()-s*s/2))
}

// Small is a factor with a tenth of that deviation, for what varies little from sample to sample, such as rates of
// hits.
func (r *Random) Small() float64 { return 1 + 0.1*r.sd*max(-3, min(3, r.NormFloat64())) }
