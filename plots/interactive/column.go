package interactive

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// A column of numbers is written as planes of bytes: first the lowest byte of every number, then the next, which packs
// far better than numbers side by side. Whole numbers take as many bytes as their range needs, counted from Base; 0
// stands for a missing one. Other columns are the eight bytes of their doubles. Times, which grow, are differences.

// column is the head of one.
type column struct {
	Length int     `json:"length"`
	Width  int     `json:"width"`           // bytes of a number
	Double bool    `json:"double,omitzero"` // they are those of a double
	Base   float64 `json:"base,omitzero"`
	Delta  bool    `json:"delta,omitzero"` // each is the difference to the one before
}

// mostExact is the largest whole number below which a double holds every other.
const mostExact = 1 << 53

// packer collects columns.
type packer struct {
	heads []column
	bytes bytes.Buffer
}

// add appends a column and returns its number.
func (p *packer) add(v []float64) int {
	base, top, whole := math.Inf(1), math.Inf(-1), true
	for _, x := range v {
		if x != x {
			continue
		}
		if x != math.Trunc(x) || math.Abs(x) >= mostExact || x == 0 && math.Signbit(x) {
			whole = false
			break
		}
		base, top = min(base, x), max(top, x)
	}
	switch {
	case base > top && whole: // nothing but missing values
		base, top = 0, 0
	case !whole || top-base >= mostExact-2:
		codes := make([]uint64, len(v))
		for i, x := range v {
			codes[i] = math.Float64bits(x)
		}
		return p.planes(column{Length: len(v), Width: 8, Double: true}, codes)
	}
	codes := make([]uint64, len(v))
	for i, x := range v {
		if x == x {
			codes[i] = uint64(x-base) + 1
		}
	}
	return p.planes(column{Length: len(v), Width: width(uint64(top-base) + 1), Base: base}, codes)
}

// times appends a column of times in ns.
func (p *packer) times(v []int64) (int, error) {
	codes := make([]uint64, len(v))
	var last int64
	least, most := int64(0), int64(0)
	for _, t := range v {
		if t >= mostExact || t <= -mostExact {
			return 0, fmt.Errorf("the time %d ns is too far from the start of the capture for a page", t)
		}
		least, most = min(least, t-last), max(most, t-last)
		last = t
	}
	last = 0
	for i, t := range v {
		codes[i] = uint64(t-last-least) + 1
		last = t
	}
	return p.planes(column{Length: len(v), Width: width(uint64(most-least) + 1), Base: float64(least), Delta: true},
		codes), nil
}

// width is how many bytes a number needs.
func width(most uint64) int {
	n := 1
	for ; most >= 256; most >>= 8 {
		n++
	}
	return n
}

func (p *packer) planes(head column, codes []uint64) int {
	for k := range head.Width {
		for _, c := range codes {
			p.bytes.WriteByte(byte(c >> (8 * k)))
		}
	}
	p.heads = append(p.heads, head)
	return len(p.heads) - 1
}

// pack is the head as JSON behind its length in four bytes, then the columns, compressed, as base64.
func (p *packer) pack(head any) (string, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return "", err
	}
	for _, part := range [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text, p.bytes.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}
