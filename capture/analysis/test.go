package analysis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// spreads are the variances of two means and the degrees of freedom behind them.
type spreads struct {
	before, after float64
	df            float64
	known         bool
}

func (s spreads) error() float64 { return math.Sqrt(s.before + s.after) }

// margin is half the width of the interval of the difference.
func (s spreads) margin(alpha float64) float64 {
	if se := s.error(); se > 0 {
		return se * s.critical(alpha)
	}
	return 0
}

func (s spreads) critical(alpha float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: s.df}.Quantile(1 - alpha/2)
}

// p is the probability of a difference at least as large where nothing changed.
func (s spreads) p(difference float64) float64 {
	se := s.error()
	switch {
	case difference == 0:
		return 1
	case se == 0:
		return 0
	}
	return min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: s.df}.Survival(math.Abs(difference)/se))
}

// within is the spread of the means that the runs' own blocks tell, with the Welch-Satterthwaite degrees of freedom.
func within(before, after []value) spreads {
	s := spreads{known: true}
	var square float64
	add := func(list []value) (sum float64) {
		k2 := float64(len(list) * len(list))
		for _, v := range list {
			if math.IsNaN(v.variance) {
				s.known = false
			}
			part := v.variance / k2
			sum += part
			square += part * part / float64(max(1, v.blocks-1))
		}
		return sum
	}
	s.before, s.after = add(before), add(after)
	all := s.before + s.after
	s.df = all * all / square
	if all == 0 {
		s.df = 1
	}
	return s
}

// between is the spread of the means that the differences between repeated runs tell. It is taken to be that of both
// sides.
func between(before, after []value) spreads {
	var squares, df float64
	for _, list := range [][]value{before, after} {
		if len(list) < 2 {
			continue
		}
		v := make([]float64, len(list))
		for i := range list {
			v[i] = list[i].v
		}
		squares += stat.Variance(v, nil) * float64(len(v)-1)
		df += float64(len(v) - 1)
	}
	if df == 0 {
		return spreads{}
	}
	run := squares / df
	return spreads{before: run / float64(len(before)), after: run / float64(len(after)), df: df, known: true}
}

// fieller is the interval of b/a (Fieller, 1954), NaN where a may be 0.
func fieller(a, b float64, s spreads, alpha float64) (lo, hi float64) {
	if a == 0 {
		return math.NaN(), math.NaN()
	}
	ratio := b / a
	if s.error() == 0 {
		return ratio, ratio
	}
	t := s.critical(alpha)
	g := t * t * s.before / (a * a)
	if g >= 1 {
		return math.NaN(), math.NaN()
	}
	half := t / math.Abs(a) * math.Sqrt(max(0, s.after*(1-g)+ratio*ratio*s.before))
	return (ratio - half) / (1 - g), (ratio + half) / (1 - g)
}

// cliff is Cliff's delta: the chance that a value of y exceeds one of x, less that of the reverse. Missing values are
// left out.
func cliff(x, y []float64) float64 {
	x, y = sortedPresent(x), sortedPresent(y)
	if len(x) == 0 || len(y) == 0 {
		return math.NaN()
	}
	var score float64
	below, upTo := 0, 0
	for _, v := range y {
		for below < len(x) && x[below] < v {
			below++
		}
		for upTo < len(x) && x[upTo] <= v {
			upTo++
		}
		score += float64(below - (len(x) - upTo))
	}
	return score / (float64(len(x)) * float64(len(y)))
}

func sortedPresent(v []float64) []float64 {
	out := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return x != x })
	slices.Sort(out)
	return out
}

// adjust gives each p value the least rate of false discoveries at which it is one (Benjamini and Hochberg, 1995).
func adjust(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	least := 1.0
	for rank := len(p); rank > 0; rank-- {
		i := order[rank-1]
		least = min(least, p[i]*float64(len(p))/float64(rank))
		out[i] = least
	}
	return out
}
