package capture

import (
	"math"
	"math/big"
	"math/bits"
)

type valueKind uint8

const (
	valMissing valueKind = iota
	valInt
	valFloat
)

// Value is one number: missing, an exact integer of up to 128 bits, or a double. The zero Value is missing.
type Value struct {
	kind   valueKind
	neg    bool
	Hi, Lo uint64  // magnitude of an integer
	F      float64 // the nearest double, also of an integer
}

// IntValue is an exact unsigned integer.
func IntValue(u uint64) Value { return Value{kind: valInt, Lo: u, F: float64(u)} }

// FloatValue is a double; NaN gives the missing Value.
func FloatValue(f float64) Value {
	if math.IsNaN(f) {
		return Value{}
	}
	return Value{kind: valFloat, F: f}
}

// Missing reports whether there is no value.
func (v Value) Missing() bool { return v.kind == valMissing }

// IsInt reports whether the value is an exact integer.
func (v Value) IsInt() bool { return v.kind == valInt }

// Float is the value as a double, NaN where missing.
func (v Value) Float() float64 {
	if v.kind == valMissing {
		return math.NaN()
	}
	return v.F
}

// Big is the exact integer. It may only be asked of an IsInt value.
func (v Value) Big() *big.Int {
	b := new(big.Int).SetUint64(v.Hi)
	b.Lsh(b, 64)
	b.Or(b, new(big.Int).SetUint64(v.Lo))
	if v.neg {
		b.Neg(b)
	}
	return b
}

// Uint64 is the exact integer where it is not negative and fits.
func (v Value) Uint64() (uint64, bool) {
	return v.Lo, v.kind == valInt && v.Hi == 0 && (!v.neg || v.Lo == 0)
}

// uint128 accumulates exact sums of unsigned integers.
type uint128 struct{ hi, lo uint64 }

func (s *uint128) add(u uint64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, u, 0)
	s.hi += carry
}

func (s *uint128) plus(o uint128) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + carry
}

func (s uint128) float() float64 { return float64(s.hi)*(1<<64) + float64(s.lo) }

func (s uint128) value() Value { return Value{kind: valInt, Hi: s.hi, Lo: s.lo, F: s.float()} }
