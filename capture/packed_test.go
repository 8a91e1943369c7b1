package capture

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// packedOf packs columns in stretches of the given lengths, each in runs from its own beginning.
func packedOf(columns [][]uint64, lengths ...int) *Packed {
	p, from := &Packed{}, 0
	var packers [2]Packer
	for _, n := range lengths {
		run := p.Grow(n)
		for lo := from; lo < from+n; lo += PackedRows {
			var part [][]uint64
			for _, c := range columns {
				part = append(part, c[lo:min(lo+PackedRows, from+n)])
			}
			packers[run%2].Put(p, run, part, nil)
			run++
		}
		from += n
	}
	return p
}

// comparePacked holds a packed column against its values, whole and in stretches.
func comparePacked(t *testing.T, c *Column, want []uint64, valid Bitmap, rng *rand.Rand) {
	t.Helper()
	if c.Len() != len(want) || !c.Integers() {
		t.Fatalf("%d values, integers: %v; want %d", c.Len(), c.Integers(), len(want))
	}
	for k := range 40 {
		if len(want) == 0 {
			break
		}
		lo := rng.IntN(len(want))
		hi := lo + 1 + rng.IntN(len(want)-lo)
		buf := make([]uint64, []int{0, 1, 7, 4096}[k%4])
		d := c.Stretch(lo, hi, buf)
		if n := d.Len(); n < 1 || n > hi-lo || !slices.Equal(d.U, want[lo:lo+n]) {
			t.Fatalf("values %d to %d: %v, want %v", lo, hi, d.U, want[lo:hi])
		}
		for i := range d.Len() {
			if d.Missing(i) == valid.Get(lo+i) {
				t.Fatalf("value %d: missing is %v", lo+i, d.Missing(i))
			}
		}
		part, floats := c.Slice(lo, hi), make([]float64, hi-lo)
		part.ReadFloats(floats, 0)
		for i, f := range floats {
			if w := float64(want[lo+i]); valid.Get(lo+i) && f != w || valid.Get(lo+i) == math.IsNaN(f) {
				t.Fatalf("value %d: %v, want %v", lo+i, f, w)
			}
		}
	}
	if valid.Bits == nil && len(want) > 0 {
		lo := rng.IntN(len(want))
		hi := lo + 1 + rng.IntN(len(want)-lo)
		got, all := integers{least: ^uint64(0)}, integers{least: ^uint64(0)}
		for at := lo; at < hi; {
			n := c.tally(&got, at, hi)
			if n == 0 {
				n = 1
				got.add(Data{U: want[at : at+1]})
			}
			at += n
		}
		if all.add(Data{U: want[lo:hi]}); got != all {
			t.Fatalf("values %d to %d together: %v, want %v", lo, hi, got, all)
		}
	}
	if d := c.Data(); !slices.Equal(d.U, want) {
		t.Fatalf("all values: %v, want %v", d.U, want)
	}
}

func TestPackedColumnsHaveTheValuesThatWerePacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, lengths := range [][]int{{}, {1}, {255}, {256}, {257}, {5000}, {1, 300, 256, 2}, {512, 7, 9000}} {
		n := 0
		for _, k := range lengths {
			n += k
		}
		var columns [][]uint64
		for _, width := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64} {
			column, least := make([]uint64, n), rng.Uint64()
			for i := range column {
				column[i] = least + rng.Uint64()>>(64-width)
			}
			columns = append(columns, column)
		}
		p := packedOf(columns, lengths...)
		if p.rows != n {
			t.Fatalf("%d rows, want %d", p.rows, n)
		}
		valid := NewBitmap(n)
		for i := 0; i < n; i += 3 {
			valid.Clear(i)
		}
		for i, want := range columns {
			comparePacked(t, p.Integers(i, Bitmap{}), want, Bitmap{}, rng)
			comparePacked(t, p.Integers(i, valid), want, valid, rng)
			d := p.Doubles(i, Bitmap{})
			if d.Integers() || d.Data().F == nil {
				t.Fatalf("doubles are integers")
			}
			for k, f := range d.Data().F {
				if math.Float64bits(f) != want[k] {
					t.Fatalf("double %d: %x, want %x", k, math.Float64bits(f), want[k])
				}
			}
		}
	}
}

// Runs of a column of doubles may hold integers, as those of a text before its first fraction do.
func TestDoublesPackedAsIntegersAreTheSame(t *testing.T) {
	const n = 700
	ints, bits, want := make([]uint64, n), make([]uint64, n), make([]float64, n)
	valid := NewBitmap(2 * n)
	for i := range ints {
		ints[i] = uint64(i) << (i % 60)
		want[i] = float64(ints[i])
		bits[i] = math.Float64bits(want[i] / 3)
		if i%5 == 0 {
			valid.Clear(i)
			want[i] = math.NaN()
		}
	}
	var all Packed
	var w Packer
	for _, half := range []struct {
		values  []uint64
		integer bool
	}{{ints, true}, {bits, false}} {
		var p Packed
		for k, lo := p.Grow(n), 0; lo < n; k, lo = k+1, lo+PackedRows {
			w.Put(&p, k, [][]uint64{half.values[lo:min(lo+PackedRows, n)]}, []bool{half.integer})
		}
		all.Append(&p)
	}
	for _, v := range bits {
		want = append(want, math.Float64frombits(v))
	}
	got := all.Doubles(0, valid).Data().F
	for i, v := range want {
		if math.Float64bits(got[i]) != math.Float64bits(v) && !(v != v && got[i] != got[i]) {
			t.Fatalf("value %d: %v, want %v", i, got[i], v)
		}
	}
}

func TestStatisticsOfPackedColumnsAreThoseOfTheirValues(t *testing.T) {
	const n = 40_000
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]uint64, n)
	valid := NewBitmap(n)
	for i := range values {
		values[i] = rng.Uint64() >> (i / 1000)
		if i%7 == 0 {
			valid.Clear(i)
		}
	}
	p := packedOf([][]uint64{values}, 16_384, 16_384, n-2*16_384)
	axis := NewUniformAxis(n, 1000)
	var packed, plain *Counter
	for _, valid := range []Bitmap{{}, valid} {
		packed = &Counter{Axis: axis, Col: p.Integers(0, valid)}
		plain = &Counter{Axis: axis, Col: NewColumn(Data{U: values, Valid: valid})}
		for name, of := range map[string]func(c *Counter) Value{"sum": (*Counter).Sum, "least": (*Counter).Min,
			"most": (*Counter).Max, "std": (*Counter).Std, "median": (*Counter).Median, "total": (*Counter).Total,
			"first": (*Counter).First, "last": (*Counter).Last} {
			if got, want := of(packed), of(plain); got != want {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
	bins := &Bins{From: axis, Lo: []int{0, 5, 300, 20_000}, Hi: []int{5, 300, 20_000, n}}
	if got, want := packed.SumExcept(bins, nil), plain.SumExcept(bins, nil); !slices.Equal(got, want) {
		t.Errorf("bins: %v, want %v", got, want)
	}
}

// Values of any kind, in stretches of any length, are those that were packed.
func FuzzPacked(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02"), uint16(1), uint64(3))
	f.Add(make([]byte, 800), uint16(300), uint64(1<<40))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16, factor uint64) {
		var values []uint64
		for ; len(data) >= 2; data = data[2:] {
			values = append(values, uint64(binary.LittleEndian.Uint16(data))*factor)
		}
		first := min(int(cut), len(values))
		other := slices.Clone(values)
		slices.Reverse(other)
		p := packedOf([][]uint64{values, other}, first, len(values)-first)
		rng := rand.New(rand.NewPCG(factor, uint64(cut)))
		for i, want := range [][]uint64{values, other} {
			if len(want) > 0 {
				comparePacked(t, p.Integers(i, Bitmap{}), want, Bitmap{}, rng)
			}
		}
	})
}
