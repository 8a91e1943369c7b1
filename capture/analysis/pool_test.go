package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
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
			s.common = holes != (cells%2 == 0)
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

// A column without gaps is added up a block at a time and shares what does not depend on its values: the sums are those
// of the samples one by one.
func TestColumnsWithoutGapsAddUpAsThoseWithGapsDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	n := 3*capture.BlockRows + 17
	axis := &capture.Axis{}
	whole, holed, bounded := make([]uint64, n), make([]float64, n), make([]float64, n)
	var now int64
	for i := range n {
		axis.Start = append(axis.Start, now)
		now += 1000 + rng.Int64N(50)
		axis.End = append(axis.End, now)
		whole[i] = rng.Uint64N(1 << 50)
		holed[i], bounded[i] = rng.NormFloat64(), rng.NormFloat64()*1e300
	}
	holed[n-1] = math.NaN()
	counters := []*capture.Counter{
		{Meta: capture.Meta{Name: "whole", Kind: capture.Delta}, Col: capture.NewColumn(capture.Data{U: whole})},
		{Meta: capture.Meta{Name: "holed", Kind: capture.Delta}, Col: capture.NewColumn(capture.Data{F: holed})},
		{Meta: capture.Meta{Name: "large", Kind: capture.Delta}, Col: capture.NewColumn(capture.Data{F: bounded})},
		{Meta: capture.Meta{Name: "gauge", Kind: capture.Gauge}, Col: capture.NewColumn(capture.Data{U: whole})},
	}
	for _, c := range counters {
		c.Axis = axis
	}
	c, err := capture.New(capture.Config{Axis: axis, Counters: counters})
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []struct{ cells, fold int }{{1, 1}, {7, 1}, {n, 1}, {97, 2}} {
		bins := &capture.Bins{}
		for k := range cut.cells * cut.fold {
			bins.Lo = append(bins.Lo, k*n/(cut.cells*cut.fold))
			bins.Hi = append(bins.Hi, (k+1)*n/(cut.cells*cut.fold))
		}
		p := newPool(part{cap: c, cells: &cells{bins: bins, count: cut.cells, fold: cut.fold}})
		for _, ctr := range c.Counters {
			got := p.timed(ctr)
			if shared := got.common; shared != (ctr.Name == "whole" || ctr.Name == "large") {
				t.Errorf("%s in %d cells shares its time: %v", ctr.Name, cut.cells, shared)
			}
			v := ctr.Floats()
			for k := range cut.cells {
				var num, den float64
				for j := k * cut.fold; j < (k+1)*cut.fold; j++ {
					for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
						x, s := v[i], float64(axis.Interval(i))/1e9
						if x != x {
							continue
						}
						if ctr.Kind == capture.Gauge {
							x *= s
						}
						num, den = num+x, den+s
					}
				}
				if math.Float64bits(got.num[k]) != math.Float64bits(num) || math.Float64bits(got.den[k]) != math.Float64bits(den) {
					t.Fatalf("%s, cell %d of %d: %v over %v s, want %v over %v s", ctr.Name, k, cut.cells, got.num[k], got.den[k],
						num, den)
				}
			}
		}
	}
}
