package capture

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"astrolabe/capture/memory"
)

// pieces makes two counters of the same values: one in memory, one in a file of batches that are no multiple of a block.
// loads counts how often all of the second were read at once.
func pieces(t *testing.T, d Data, loads *int) (whole, parted *Counter) {
	t.Helper()
	axis := NewUniformAxis(d.Len(), 1000)
	col := LazyColumn(d.Len(), func() (Data, error) {
		*loads++
		return d, nil
	}).Again().InParts(func(lo, hi int, _ []uint64) (Data, error) {
		const batch = 1000
		return d.Slice(lo, min(hi, (lo/batch+1)*batch)), nil
	})
	for i := range axis.End {
		axis.End[i] -= int64(i % 7) // intervals weigh differently
	}
	return &Counter{Meta: Meta{Name: "a"}, Axis: axis, Col: NewColumn(d)},
		&Counter{Meta: Meta{Name: "a"}, Axis: axis, Col: col}
}

func TestStatisticsOfAFileInPartsAreThoseOfOneInMemoryAndLoadNothing(t *testing.T) {
	const n = 3*BlockRows + 1234
	integers := Data{U: make([]uint64, n), Valid: NewBitmap(n)}
	doubles := Data{F: make([]float64, n)}
	for i := range n {
		integers.U[i] = uint64(i)*0x9e3779b97f4a7c15 | 1 // sums are beyond 64 bits
		doubles.F[i] = math.Sin(float64(i)) * float64(i)
		if i%5 == 0 {
			integers.Valid.Clear(i)
			doubles.F[i] = math.NaN()
		}
	}
	complete := Data{U: integers.U}
	for name, d := range map[string]Data{"integers": integers, "complete": complete, "doubles": doubles} {
		for _, kind := range []Kind{Delta, Gauge, Constant} {
			loads := 0
			a, b := pieces(t, d, &loads)
			a.Kind, b.Kind = kind, kind
			for what, of := range map[string]func(c *Counter) Value{
				"total": (*Counter).Total, "sum": (*Counter).Sum, "mean": (*Counter).Mean, "min": (*Counter).Min,
				"max": (*Counter).Max, "std": (*Counter).Std, "median": (*Counter).Median, "first": (*Counter).First,
				"last":  (*Counter).Last,
				"count": func(c *Counter) Value { return IntValue(uint64(c.Count())) },
				"one":   func(c *Counter) Value { return c.Value(BlockRows + 1) },
				"some": func(c *Counter) Value {
					sliced := &Counter{Axis: c.Axis.Slice(5, n-5), Col: c.Col.Slice(5, n-5)}
					return sliced.Sum()
				},
			} {
				if x, y := of(a), of(b); x != y || x.Missing() {
					t.Errorf("%s, %s: %s is %v in memory and %v in parts", name, kind, what, x, y)
				}
			}
			if loads != 0 {
				t.Errorf("%s, %s: all values were loaded %d times", name, kind, loads)
			}
		}
	}
}

func TestPartsThatCannotBeReadAgainAreNoMissingValues(t *testing.T) {
	gone := errors.New("gone")
	var fails error
	d := Data{U: []uint64{1, 2, 3}}
	c := LazyColumn(3, func() (Data, error) { return d, fails }).Again().Of("file.x").
		InParts(func(lo, hi int, _ []uint64) (Data, error) { return d.Slice(lo, hi), fails })
	if got := c.Stretch(1, 2, nil).U[0]; got != 2 {
		t.Fatalf("the second value is %d", got)
	}
	fails = gone
	defer func() {
		if err := memory.Caught(recover()); !errors.Is(err, memory.ErrAgain) || !errors.Is(err, gone) {
			t.Errorf("values that were seen are missing later: %v", err)
		}
	}()
	c.Stretch(1, 2, nil)
}

// counted is a formula that counts the samples it computes.
type counted struct {
	identity
	samples *atomic.Int64
}

func (d *counted) Eval(dst []float64, from int) {
	d.identity.Eval(dst, from)
	d.samples.Add(int64(len(dst)))
}

func TestAFormulaIsComputedTwiceAtMost(t *testing.T) {
	for _, n := range []int{100, 100*BlockRows + 3} {
		var samples atomic.Int64
		values := Data{F: make([]float64, n)}
		for i := range values.F {
			values.F[i] = float64(i)
		}
		axis := NewUniformAxis(n, 1)
		c := &Counter{Meta: Meta{Kind: Derived}, Axis: axis,
			Der: &counted{identity{&Counter{Axis: axis, Col: NewColumn(values)}}, &samples}}
		for range 4 {
			if got, want := c.Mean().Float(), float64(n-1)/2; got != want {
				t.Errorf("the mean of %d samples is %v, not %v", n, got, want)
			}
		}
		if got := samples.Load(); got > int64(2*n) {
			t.Errorf("%d samples were computed for %d", got, n)
		}
	}
}

// Bounds are values of samples, also where there is nothing but infinities, and the first of equals counts.
func TestBoundsOfDoublesAreThoseOfThePresentValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		values      []float64
		least, most float64
		n           int
	}{
		{[]float64{nan, inf, inf}, inf, inf, 2},
		{[]float64{-inf, nan}, -inf, -inf, 1},
		{[]float64{nan, inf, 3, -inf, nan}, -inf, inf, 3},
		{[]float64{inf, 2, 2}, 2, inf, 3},
		{[]float64{math.Copysign(0, -1), 0}, math.Copysign(0, -1), math.Copysign(0, -1), 2},
	} {
		x := &Counter{Axis: NewUniformAxis(len(c.values), 1000), Col: NewColumn(Data{F: c.values})}
		least, most := x.Min().Float(), x.Max().Float()
		if math.Float64bits(least) != math.Float64bits(c.least) || math.Float64bits(most) != math.Float64bits(c.most) || x.Count() != c.n {
			t.Errorf("%v: %v to %v of %d, want %v to %v of %d", c.values, least, most, x.Count(), c.least, c.most, c.n)
		}
	}
	none := &Counter{Axis: NewUniformAxis(2, 1000), Col: NewColumn(Data{F: []float64{nan, nan}})}
	if v := none.Min(); !v.Missing() {
		t.Errorf("least of nothing: %v", v)
	}
}
