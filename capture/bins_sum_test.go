package capture

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// inPieces is a column of integers that lie in pieces of uneven lengths, with some missing where holes says so.
func inPieces(rng *rand.Rand, n int, top uint64, holes bool) (*Column, []Value) {
	d := Data{U: make([]uint64, n)}
	if holes {
		d.Valid = NewBitmap(n)
	}
	all := make([]Value, n)
	for i := range d.U {
		d.U[i] = rng.Uint64N(top)
		if holes && rng.IntN(3) == 0 {
			d.Valid.Clear(i)
			continue
		}
		all[i] = IntValue(d.U[i])
	}
	const piece = 1777
	return LazyColumn(n, func() (Data, error) { return d, nil }).InParts(func(lo, hi int, _ []uint64) (Data, error) {
		return d.Slice(lo, min(hi, (lo/piece+1)*piece)), nil
	}), all
}

// TestSumsOnAllCoresAreThoseOfOneLoop adds up what is long enough for several cores: sums per bin and of everything,
// the least and the most are those of the plainest loop.
func TestSumsOnAllCoresAreThoseOfOneLoop(t *testing.T) {
	const n = 10 * BlockRows
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		top   uint64
		holes bool
	}{{1000, false}, {1000, true}, {1 << 40, true}, {math.MaxUint64, false}, {math.MaxUint64, true}} {
		t.Run(fmt.Sprint(c.top, c.holes), func(t *testing.T) {
			axis := NewUniformAxis(n, 1000)
			col, all := inPieces(rng, n, c.top, c.holes)
			ctr := &Counter{Meta: Meta{Name: "c", Kind: Delta}, Axis: axis, Col: col}
			var sum uint128
			var least, most Value
			count := 0
			for _, v := range all {
				if v.Missing() {
					continue
				}
				u, _ := v.Uint64()
				if count++; count == 1 || u < least.Lo {
					least = v
				}
				if count == 1 || u > most.Lo {
					most = v
				}
				sum.add(u)
			}
			if got := ctr.Sum(); got != sum.value() || ctr.Min() != least || ctr.Max() != most || ctr.Count() != count {
				t.Errorf("sum %v, least %v, most %v of %d; want %v, %v, %v of %d", got, ctr.Min(), ctr.Max(), ctr.Count(),
					sum.value(), least, most, count)
			}
			for _, period := range []int64{1000, 7000, 1_000_000, 7_777_000, 7_777_777} {
				b, err := axis.Resample(period)
				if err != nil {
					t.Fatal(err)
				}
				sameSums(t, b, ctr, all)
			}
		})
	}
}

// sameSums holds the sums of bins against those of a loop in the same order: what is cut first, then the rest.
func sameSums(t *testing.T, b *Bins, ctr *Counter, all []Value) {
	t.Helper()
	got := ctr.Aggregate(b)
	exact := ctr.Rebin(b).Col
	for j := range b.Len() {
		var sum uint128
		want, n := 0.0, 0
		add := func(i int) {
			if w := b.Weight(j, i); w > 0 && !all[i].Missing() {
				want += all[i].Float() * w
				sum.add(all[i].Lo)
				n++
			}
		}
		lo, hi := b.Lo[j], b.Hi[j]
		if b.Cut {
			add(lo)
			if lo++; lo < hi {
				hi--
				add(hi)
			}
		}
		for i := lo; i < hi; i++ {
			add(i)
		}
		if n == 0 {
			want = math.NaN()
		}
		if math.Float64bits(got[j]) != math.Float64bits(want) {
			t.Fatalf("bin %d of %d: %v, want %v", j, b.Len(), got[j], want)
		}
		if d := exact.Data(); d.U != nil && (d.Missing(j) != (n == 0) || n > 0 && (sum.hi != 0 || d.U[j] != sum.lo)) {
			t.Fatalf("bin %d of %d: exactly %d, want %v", j, b.Len(), d.U[j], sum.value())
		}
	}
}

// Bins of a period and the sums of a column in them are made once. What a caller does with its sums is its own affair.
func TestSumsThatAreKeptAreNotChangedByWhoGetsThem(t *testing.T) {
	axis := NewUniformAxis(1000, 10)
	column, _ := inPieces(rand.New(rand.NewPCG(3, 4)), axis.Len(), 1000, false)
	first, err := axis.Resample(250)
	if err != nil {
		t.Fatal(err)
	}
	again, err := axis.Resample(250)
	if err != nil {
		t.Fatal(err)
	}
	if first != again {
		t.Error("the bins of one period were made twice")
	}
	sums := first.sumColumn(column)
	want := slices.Clone(sums)
	clear(sums)
	if got := again.sumColumn(column); !slices.Equal(got, want) {
		t.Errorf("sums that somebody changed are %v, want %v", got[:3], want[:3])
	}
	if got := first.sumColumnAnew(column); !slices.Equal(got, want) {
		t.Errorf("sums made anew are %v, want %v", got[:3], want[:3])
	}
	other := make([]*Bins, 2*keptResampled)
	for i := range other {
		if other[i], err = axis.Resample(int64(100 + i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(axis.resampled) != keptResampled {
		t.Errorf("%d bins are kept, want %d", len(axis.resampled), keptResampled)
	}
}
