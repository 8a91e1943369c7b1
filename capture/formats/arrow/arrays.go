package arrow

import (
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"astrolabe/capture"
)

// view is an Arrow buffer over the memory of v.
func view[T any](v []T) *memory.Buffer {
	n := len(v) * int(unsafe.Sizeof(*new(T)))
	return memory.NewBufferBytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), n))
}

// numberArray is an Arrow array over the values of d, which must stay as they are while it is used.
func numberArray(d capture.Data, integer bool) arrow.Array {
	if integer {
		valid, missing := packValid(d.Valid, len(d.U))
		return makeArray(uint64Type, len(d.U), valid, view(d.U), missing)
	}
	valid, missing := packNaN(d.F)
	return makeArray(float64Type, len(d.F), valid, view(d.F), missing)
}

func timeArray(v []int64) arrow.Array { return makeArray(int64Type, len(v), nil, view(v), 0) }

func plainFloats(v []float64) arrow.Array { return makeArray(float64Type, len(v), nil, view(v), 0) }

func makeArray(t arrow.DataType, n int, valid, values *memory.Buffer, missing int) arrow.Array {
	return array.MakeFromData(array.NewData(t, n, []*memory.Buffer{valid, values}, nil, missing, 0))
}

// packValid copies n bits so that they start at bit 0, and counts the missing ones; without any there is no bitmap.
func packValid(b capture.Bitmap, n int) (*memory.Buffer, int) {
	if b.Bits == nil {
		return nil, 0
	}
	bits := make([]byte, (n+7)/8)
	missing := n
	for i := range n {
		if b.Get(i) {
			bits[i>>3] |= 1 << (i & 7)
			missing--
		}
	}
	if missing == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bits), missing
}

// packNaN makes a bitmap that marks the NaNs as missing.
func packNaN(v []float64) (*memory.Buffer, int) {
	missing := 0
	for _, x := range v {
		if math.IsNaN(x) {
			missing++
		}
	}
	if missing == 0 {
		return nil, 0
	}
	bits := make([]byte, (len(v)+7)/8)
	for i, x := range v {
		if !math.IsNaN(x) {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return memory.NewBufferBytes(bits), missing
}

// labelArray codes labels by a dictionary of strings; a code of -1 is a missing value.
func labelArray(codes []int32, dict arrow.Array) arrow.Array {
	var valid *memory.Buffer
	missing := 0
	for i, c := range codes {
		if c >= 0 {
			continue
		}
		if valid == nil {
			bits := capture.NewBitmap(len(codes))
			valid = memory.NewBufferBytes(bits.Bits)
		}
		capture.Bitmap{Bits: valid.Bytes()}.Clear(i)
		missing++
	}
	if missing > 0 {
		// What lies beneath a missing value must still be a position in the dictionary for some readers.
		clean := make([]int32, len(codes))
		for i, c := range codes {
			clean[i] = max(c, 0)
		}
		codes = clean
	}
	data := array.NewDataWithDictionary(labelType, len(codes), []*memory.Buffer{valid, view(codes)}, missing, 0,
		dict.Data().(*array.Data))
	return array.NewDictionaryData(data)
}

// stringArray is an Arrow array of a label's dictionary.
func stringArray(texts []string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for _, t := range texts {
		b.Append(validText(t))
	}
	return b.NewArray()
}
