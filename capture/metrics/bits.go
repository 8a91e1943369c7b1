package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// Other programs write a word of the firmware's of which each bit is a condition, where a catalogue has a counter for each group of
// conditions. A catalogue says so in lines "bits NAME MASK": the counter is 100 percent in samples in which one of the bits is set.

// statusBits are some of the bits of a column.
type statusBits struct {
	column string
	mask   uint64
}

// parseBits reads "NAME MASK".
func parseBits(value string) (b statusBits, err error) {
	words := strings.Fields(value)
	if len(words) != 2 {
		return b, fmt.Errorf("bits is %q, want the name of a column and a mask", value)
	}
	b.column = words[0]
	if b.mask, err = strconv.ParseUint(words[1], 0, 64); err != nil || b.mask == 0 {
		return b, fmt.Errorf("the mask of %s is %q, want a whole number above 0, as in 0xff", b.column, words[1])
	}
	return b, nil
}

// conditions are the counters that columns of conditions make and that the capture does not have. Such a column is a level,
// of which no mean is of use.
func (s *scope) conditions(counters []*capture.Counter) (out []*capture.Counter) {
	for _, cat := range s.cats {
		for _, e := range cat.entries {
			for _, b := range e.bits {
				i := -1
				if s.cap.Counter(e.Name) == nil {
					i = columnOf(counters, b.column)
				}
				if i < 0 || !cat.owns(counters[i].GPU) {
					continue
				}
				c := counters[i].Clone()
				c.Kind, c.Guessed, c.Combine = capture.Gauge, false, capture.CombineMax
				counters[i] = c
				made := &capture.Counter{Meta: capture.Meta{Name: e.Name, Unit: e.Unit, Kind: e.Kind, GPU: c.GPU,
					Combine: capture.CombineMax}, Axis: c.Axis, Col: maskedColumn(c.Col, b.mask)}
				out = append(out, filled(made, e))
				break
			}
		}
	}
	return out
}

// columnOf is the place of a counter of that name that is a column of numbers, -1 where there is none.
func columnOf(counters []*capture.Counter, name string) int {
	for i, c := range counters {
		if c.Name == name && c.Col != nil && len(c.Instances) == 0 {
			return i
		}
	}
	return -1
}

// maskedColumn is 100 where a column has one of some bits, else 0. What is no whole number is missing.
func maskedColumn(col *capture.Column, mask uint64) *capture.Column {
	return capture.LazyColumn(col.Len(), func() (capture.Data, error) {
		d := col.Data()
		if err := col.Err(); err != nil {
			return d, err
		}
		out := make([]float64, d.Len())
		for i := range out {
			word, ok := uint64(0), !d.Missing(i)
			switch {
			case !ok:
			case d.U != nil:
				word = d.U[i]
			default:
				x := d.Float(i)
				if ok = x >= 0 && x < 1<<63 && x == math.Trunc(x); ok {
					word = uint64(x)
				}
			}
			switch {
			case !ok:
				out[i] = math.NaN()
			case word&mask != 0:
				out[i] = 100
			}
		}
		return capture.Data{F: out}, nil
	})
}
