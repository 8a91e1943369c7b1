package arrow

import (
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"astrolabe/capture"
)

// isExotic reports whether columns of that type hold numbers in a form that is converted value by value.
func isExotic(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.FLOAT16, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256, arrow.DURATION:
		return true
	}
	return false
}

// readExotic converts rows [lo, hi): to integers where all values are whole by their type and not negative, else to the
// nearest doubles.
func (c *column) readExotic(lo, hi int) capture.Data {
	u := make([]uint64, hi-lo)
	f := capture.MissingData(hi - lo).F
	valid := capture.NewBitmap(hi - lo)
	whole := true
	row := 0
	for _, a := range c.exotic {
		for i := max(lo-row, 0); i < min(hi-row, a.Len()); i++ {
			at := row + i - lo
			if a.IsNull(i) {
				valid.Clear(at)
				continue
			}
			n, scale := exoticValue(a, i)
			if n == nil {
				f[at], whole = float64(a.(*array.Float16).Value(i).Float32()), false
				continue
			}
			if whole = whole && scale <= 0 && n.IsUint64(); whole {
				u[at] = n.Uint64()
			}
			f[at] = decimalFloat(n, scale)
		}
		row += a.Len()
	}
	if whole {
		return capture.Data{U: u, Valid: valid}
	}
	return capture.Data{F: f}
}

// exoticValue is the unscaled value of a decimal; nil of a number that is none.
func exoticValue(a arrow.Array, i int) (n *big.Int, scale int32) {
	if d, ok := a.DataType().(arrow.DecimalType); ok {
		scale = d.GetScale()
	}
	switch a := a.(type) {
	case *array.Duration:
		n = big.NewInt(int64(a.Value(i)))
	case *array.Decimal32:
		n = big.NewInt(int64(a.Value(i)))
	case *array.Decimal64:
		n = big.NewInt(int64(a.Value(i)))
	case *array.Decimal128:
		n = a.Value(i).BigInt()
	case *array.Decimal256:
		n = a.Value(i).BigInt()
	}
	if n != nil && scale < 0 && scale > -80 {
		return n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil)), 0
	}
	return n, scale
}

// decimalFloat is the nearest double: the quotient of exact numbers is rounded once.
func decimalFloat(n *big.Int, scale int32) float64 {
	if scale <= 0 {
		f, _ := new(big.Float).SetInt(n).Float64()
		return f
	}
	f, _ := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).Float64()
	return f
}

// boolTexts reads truth values as text.
type boolTexts struct{ *array.Boolean }

func (b boolTexts) Value(i int) string {
	if b.Boolean.Value(i) {
		return "true"
	}
	return "false"
}

// runTexts reads runs of equal texts.
type runTexts struct {
	*array.RunEndEncoded
	values texts
}

func (r runTexts) IsNull(i int) bool  { return r.values.IsNull(r.GetPhysicalIndex(i)) }
func (r runTexts) Value(i int) string { return r.values.Value(r.GetPhysicalIndex(i)) }
