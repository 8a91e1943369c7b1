package amd

import "math"

// random is a small generator of numbers whose state is one word, so that a case can be drawn again from its seed.
type random struct{ s uint64 }

// mix spreads the bits of a word.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func newRandom(parts ...uint64) *random {
	s := uint64(0x51ed270b)
	for _, p := range parts {
		s = mix(s ^ mix(p))
	}
	return &random{s}
}

// hashText makes a number of a text.
func hashText(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h)
}

func (r *random) next() uint64 {
	r.s += 0x9e3779b97f4a7c15
	return mix(r.s)
}

// unit is a number from 0 to 1, 1 not included.
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

func (r *random) between(lo, hi float64) float64 { return lo + (hi-lo)*r.unit() }

// whole is a whole number from lo to hi, both included.
func (r *random) whole(lo, hi int) int { return lo + int(r.next()%uint64(hi-lo+1)) }

func (r *random) chance(p float64) bool { return r.unit() < p }

// normal is a number of the normal distribution, cut at three and a half.
func (r *random) normal() float64 {
	u, v := r.unit(), r.unit()
	x := math.Sqrt(-2*math.Log(u+1e-12)) * math.Cos(2*math.Pi*v)
	return max(-3.5, min(3.5, x))
}

// near is a factor around 1 with a relative deviation.
func (r *random) near(sigma float64) float64 { return math.Exp(sigma*r.normal() - sigma*sigma/2) }

func pick[T any](r *random, all ...T) T { return all[r.next()%uint64(len(all))] }
