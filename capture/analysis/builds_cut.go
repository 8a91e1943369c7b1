package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// cutter finds stretches of builds that differ from the others of their segment.
type cutter struct {
	permutations int
	seed         uint64
	nulls        map[string][]float64 // sorted, of as many runs in each build
}

// Permutations: as many as a single change among all series takes to be found, within bounds.
const leastPermutations, mostPermutations = 2000, 50_000

func newCutter(series int, opt Options) *cutter {
	n := int(2 * float64(series) / opt.Alpha)
	return &cutter{min(max(n, leastPermutations), mostPermutations), opt.Seed, map[string][]float64{}}
}

// chance is the probability of as clear a stretch as the clearest one where nothing changes.
func (c *cutter) chance(builds [][]float64, series uint64) float64 {
	z, _, _ := c.clearest(builds, series)
	return c.probability(builds, z)
}

// cut lists the builds at which a new level begins, in order. Each cut is as unlikely by chance as level.
func (c *cutter) cut(builds [][]float64, level float64, series uint64) []int {
	var cuts []int
	var within func(lo, hi int)
	within = func(lo, hi int) {
		z, from, to := c.clearest(builds[lo:hi], series)
		if from == to || c.probability(builds[lo:hi], z) > level {
			return
		}
		from, to = lo+from, lo+to
		var at []int
		for _, b := range []int{from, to} {
			if b > lo && b < hi {
				at = append(at, b)
			}
		}
		cuts = append(cuts, at...)
		ends := append(append([]int{lo}, at...), hi)
		for k := range len(ends) - 1 {
			within(ends[k], ends[k+1])
		}
	}
	within(0, len(builds))
	slices.Sort(cuts)
	return cuts
}

// clearest is the stretch [from, to) of builds whose ranks differ most from those of the others, and by how much: the
// absolute value of its standardized sum of ranks.
func (c *cutter) clearest(builds [][]float64, series uint64) (z float64, from, to int) {
	var all []float64
	var ends []int
	for _, v := range builds {
		all = append(all, v...)
		ends = append(ends, len(all))
	}
	return clearestOf(c.ranks(all, series), ends)
}

// ranks are 1 to n, ties in random order.
func (c *cutter) ranks(v []float64, series uint64) []int {
	rng := rand.New(rand.NewPCG(c.seed^0x5eed, series))
	order := rng.Perm(len(v))
	sort.SliceStable(order, func(i, j int) bool { return v[order[i]] < v[order[j]] })
	out := make([]int, len(v))
	for r, i := range order {
		out[i] = r + 1
	}
	return out
}

// clearestOf looks at all stretches of builds, whose runs end where ends says.
func clearestOf(ranks []int, ends []int) (z float64, from, to int) {
	n := len(ranks)
	sums := make([]int, len(ends)+1) // of the ranks of all builds before
	at := 0
	for b, end := range ends {
		sums[b+1] = sums[b]
		for ; at < end; at++ {
			sums[b+1] += ranks[at]
		}
	}
	for i := range ends {
		begin := 0
		if i > 0 {
			begin = ends[i-1]
		}
		for j := i + 1; j <= len(ends); j++ {
			m := ends[j-1] - begin
			if m == 0 || m == n {
				continue
			}
			off := math.Abs(float64(sums[j]-sums[i]) - float64(m)*float64(n+1)/2)
			if s := off / math.Sqrt(float64(m)*float64(n-m)*float64(n+1)/12); s > z*(1+1e-12) {
				z, from, to = s, i, j
			}
		}
	}
	return z, from, to
}

// probability is that of a stretch at least as clear among runs in random order.
func (c *cutter) probability(builds [][]float64, z float64) float64 {
	key := ""
	var ends []int
	n := 0
	for _, v := range builds {
		n += len(v)
		ends = append(ends, n)
		key += fmt.Sprintf("%d ", len(v))
	}
	null := c.nulls[key]
	if null == nil {
		rng := rand.New(rand.NewPCG(c.seed, uint64(n)))
		null = make([]float64, c.permutations)
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = i + 1
		}
		for k := range null {
			rng.Shuffle(n, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
			null[k], _, _ = clearestOf(ranks, ends)
		}
		slices.Sort(null)
		c.nulls[key] = null
	}
	above := len(null) - sort.SearchFloat64s(null, z*(1-1e-12))
	return float64(1+above) / float64(1+len(null))
}
