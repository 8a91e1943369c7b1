package analysis

import (
	"context"
	"math"

	"astrolabe/capture"
)

const (
	// minLevelChange is the least change of a level, relative to the larger of both, that makes a phase. Ours: below it
	// two phases would get the same diagnosis.
	minLevelChange = 0.05
	// penaltyFactor widens the penalty for noise that is not normal and whose correlation is only estimated.
	penaltyFactor = 1.5
)

// segmenter finds the segmentation of several series at once that costs least.
type segmenter struct {
	series []*levelSeries
	bins   int
	time   []float64 // measured ns before each bin, and after the last
	count  []float64 // samples before each bin

	// Of the scaled series, up to each bin: sums and numbers of values of each series, and the sum of all squares.
	sums    []float64
	present []int32
	squares []float64
	inverse []float64 // 1/i, 0 for 0

	opt PhaseOptions
}

func newSegmenter(bins *capture.Bins, opt PhaseOptions) *segmenter {
	s := &segmenter{bins: bins.Len(), opt: opt}
	s.time, s.count = make([]float64, s.bins+1), make([]float64, s.bins+1)
	for j := range s.bins {
		s.time[j+1], s.count[j+1] = s.time[j]+float64(bins.Axis.Covered[j]), s.count[j]
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			s.count[j+1] += bins.From.Merged(i)
		}
	}
	return s
}

// changePoints returns the bins at which a new level begins, in order, without 0 and the end.
//
// The segmentation is the exact minimum of the squared distances of all series from their mean in each segment plus a
// penalty for each segment (optimal partitioning; Jackson et al., 2005). Each series is first freed of spikes and
// divided by the deviation that its mean over a long stretch has per bin, which is estimated from differences of
// neighbouring blocks of several lengths, so that neither noise that depends on its past nor a pattern that repeats
// looks like a change (see noise). The penalty is the bound of Laurent and Massart (2000) for a chi-squared sum over
// the series. Afterwards a boundary stays only where its two sides differ by their own noise, for noise may differ from
// phase to phase, and by at least minLevelChange in one series. A slow ramp becomes a staircase.
func changePoints(ctx context.Context, values [][]float64, s *segmenter) ([]int, error) {
	if 2*s.leastBins() > s.bins || !s.read(values) {
		return nil, nil
	}
	cuts, err := s.partition(ctx)
	if err != nil {
		return nil, err
	}
	return s.settle(s.prune(cuts), s.bins), nil
}

// read prepares the series. It is false where none of them can show a phase.
func (s *segmenter) read(values [][]float64) bool {
	least := s.leastBins()
	for _, v := range values {
		if l := newLevelSeries(v, least); l != nil {
			s.series = append(s.series, l)
		}
	}
	if p := presence(values); p != nil {
		s.series = append(s.series, newPresence(p, least, s.penalty(len(s.series)+1)))
	}
	s.fill()
	return len(s.series) > 0
}

// allowed reports whether bins [from, to) are long enough for a phase.
func (s *segmenter) allowed(from, to int) bool {
	return s.time[to]-s.time[from] >= float64(s.opt.MinDuration) &&
		s.count[to]-s.count[from] >= float64(s.opt.MinSamples)
}

// leastBins is the usual number of bins of the shortest phase.
func (s *segmenter) leastBins() int {
	n := float64(s.bins)
	least := 1.0
	if all := s.time[s.bins]; all > 0 {
		least = max(least, n*float64(s.opt.MinDuration)/all)
	}
	if all := s.count[s.bins]; all > 0 {
		least = max(least, n*float64(s.opt.MinSamples)/all)
	}
	return int(math.Ceil(min(least, n)))
}

// penalty is what a segment costs where so many series are looked at.
func (s *segmenter) penalty(series int) float64 {
	l, d := math.Log(float64(s.bins))+2, float64(series)
	return penaltyFactor * (d + 2*math.Sqrt(d*l) + 2*l)
}

// fill adds the series up.
func (s *segmenter) fill() {
	n, d := s.bins, len(s.series)
	s.sums, s.present, s.squares = make([]float64, (n+1)*d), make([]int32, (n+1)*d), make([]float64, n+1)
	for j := range n {
		s.squares[j+1] = s.squares[j]
		for k, l := range s.series {
			x, c := l.scaled(j)
			s.sums[(j+1)*d+k] = s.sums[j*d+k] + x
			s.present[(j+1)*d+k] = s.present[j*d+k] + c
			s.squares[j+1] += x * x
		}
	}
	s.inverse = make([]float64, n+1)
	for i := 1; i <= n; i++ {
		s.inverse[i] = 1 / float64(i)
	}
}

// cost is the squared distance of bins [a, b) from their means.
func (s *segmenter) cost(a, b int) float64 {
	d := len(s.series)
	cost := s.squares[b] - s.squares[a]
	from, to := s.sums[a*d:(a+1)*d], s.sums[b*d:(b+1)*d]
	had, have := s.present[a*d:(a+1)*d], s.present[b*d:(b+1)*d]
	for k := range to {
		x := to[k] - from[k]
		cost -= x * x * s.inverse[have[k]-had[k]]
	}
	return cost
}

// partition is the segmentation that costs least.
func (s *segmenter) partition(ctx context.Context) ([]int, error) {
	n := s.bins
	best, from := make([]float64, n+1), make([]int, n+1)
	penalty := s.penalty(len(s.series))
	last := 0 // segments that end at t begin at last at the latest
	for t := 1; t <= n; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		best[t], from[t] = math.Inf(1), -1
		if !s.allowed(0, t) {
			continue
		}
		for last+1 < t && s.allowed(last+1, t) {
			last++
		}
		for a := 0; a <= last; a++ {
			if from[a] < 0 && a > 0 {
				continue
			}
			cost := best[a] + s.cost(a, t) + penalty
			if cost < best[t] {
				best[t], from[t] = cost, a
			}
		}
	}
	var cuts []int
	for t := from[n]; t > 0; t = from[t] {
		cuts = append(cuts, t)
	}
	for i, j := 0, len(cuts)-1; i < j; i, j = i+1, j-1 {
		cuts[i], cuts[j] = cuts[j], cuts[i]
	}
	return cuts, nil
}

// prune takes away boundaries whose sides do not differ enough, the least clear one first, and then those beyond the
// most phases.
func (s *segmenter) prune(cuts []int) []int {
	edges := append(append([]int{0}, cuts...), s.bins)
	clear := make([]float64, len(edges)) // of edge i; the outer ones have none
	judge := func(i int) {
		if i > 0 && i < len(edges)-1 {
			clear[i] = s.clearness(edges[i-1], edges[i], edges[i+1])
		}
	}
	for i := range edges {
		judge(i)
	}
	merged := false // boundaries that were clear enough are gone
	for len(edges) > 2 {
		worst := 1
		for i := 2; i < len(edges)-1; i++ {
			if clear[i] < clear[worst] {
				worst = i
			}
		}
		enough := clear[worst] >= 1
		if s.opt.MaxPhases > 0 && len(edges)-1 <= s.opt.MaxPhases {
			enough = enough || merged // what is left was clear before others were merged
		} else if s.opt.MaxPhases > 0 && enough {
			enough, merged = false, true
		}
		if enough {
			break
		}
		edges = append(edges[:worst], edges[worst+1:]...)
		clear = append(clear[:worst], clear[worst+1:]...)
		judge(worst - 1)
		judge(worst)
	}
	return edges[1 : len(edges)-1]
}

// settle puts each boundary where the two segments beside it cost least, at most reach bins from where it is. It stays
// where they would differ less: of a series without noise one value costs more than the level of all others.
func (s *segmenter) settle(cuts []int, reach int) []int {
	edges := append(append([]int{0}, cuts...), s.bins)
	for range 2 {
		for i := 1; i < len(edges)-1; i++ {
			a, c := edges[i-1], edges[i+1]
			least, at, to := math.Inf(1), edges[i], edges[i]
			for b := max(a+1, at-reach); b < min(c, at+reach+1); b++ {
				if !s.allowed(a, b) || !s.allowed(b, c) {
					continue
				}
				if cost := s.cost(a, b) + s.cost(b, c); cost < least {
					least, to = cost, b
				}
			}
			if to != at && s.clearness(a, to, c) >= s.clearness(a, at, c) {
				edges[i] = to
			}
		}
	}
	return edges[1 : len(edges)-1]
}

// clearness is how many times over the difference between the levels of bins [a, b) and [b, c) makes a boundary; from 1
// on it is one.
func (s *segmenter) clearness(a, b, c int) float64 {
	sum, enough := 0.0, false
	for _, l := range s.series {
		m1, v1, ok1 := l.meanOf(a, b)
		m2, v2, ok2 := l.meanOf(b, c)
		if !ok1 || !ok2 {
			continue
		}
		diff := math.Abs(m1 - m2)
		t := diff * diff / (v1 + v2)
		sum += t
		if t >= s.penalty(1) && diff >= minLevelChange*max(math.Abs(m1), math.Abs(m2)) {
			enough = true
		}
	}
	clear := sum / s.penalty(len(s.series))
	if !enough {
		return min(clear, 0.999)
	}
	return clear
}
