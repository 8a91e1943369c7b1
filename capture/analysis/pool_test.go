package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRowsSideBySideAddUpAsEachDoesAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for _, cells := range []int{0, 1, 5, 64, 331} {
		for _, holes := range []bool{false, true} {
			s := &columnSums{num: make([]float64, cells), den: make([]float64, cells), has: make([]bool, cells)}
			for i := range cells {
				s.num[i], s.den[i], s.has[i] = rng.NormFloat64()*math.Pow(10, float64(i%9)), rng.Float64(), true
				if holes && rng.IntN(4) == 0 {
					s.num[i], s.has[i] = math.NaN(), false
				}
			}
			s.settle()
			all := []*draws{eachCell(cells)}
			for rows := range 9 {
				all = append(all, circular(rows, cells, 3, rng))
			}
			for _, d := range all {
				got := s.mixtures(d)
				if len(got) != d.rows {
					t.Fatalf("%d mixtures of %d rows", len(got), d.rows)
				}
				for r, m := range got {
					num, den, any := s.mix(d, r)
					if math.Float64bits(m.num) != math.Float64bits(num) ||
						math.Float64bits(m.den) != math.Float64bits(den) || m.any != any {
						t.Errorf("%d cells, row %d of %d is %v, alone %v %v %v", cells, r, d.rows, m, num, den, any)
					}
				}
			}
		}
	}
}
