package interactive

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture/metrics/formula"
)

// Feed follows the lanes of a recording under way. The first samples say what lanes there are; each further stretch is
// appended to them, as assets/feed.js takes it. A Feed keeps the lanes and none of their values.
type Feed struct {
	lanes   []Lane  // without values; nil until there are samples
	columns [][]int // of each lane: the numbers of least, greatest, sum and count, then those of its steps
	valued  []bool  // lanes that have had a value
}

// The columns of the times and numbers of samples of the one axis come first.
const (
	startColumn = iota
	endColumn
	rowsColumn
	firstColumn
)

// Columns is how many numbers a bucket of a fed page has, with all of its lanes.
func (d *Data) Columns() int {
	n := firstColumn
	for _, l := range d.Lanes {
		n += len(l.columns())
	}
	return n
}

// Layout is the data of a page without a bucket.
func (f *Feed) Layout() (string, error) {
	if f.lanes == nil {
		return "", errors.New("there is no sample yet")
	}
	d := Data{Axes: []Axis{{Start: []int64{}, End: []int64{}, Rows: []int{}}}, Lanes: f.lanes}
	return d.Encode()
}

// Append writes the event of one stretch of samples, as JSON: the lanes of its counters, which were made as Fed.
func (f *Feed) Append(d Data) ([]byte, error) {
	if len(d.Axes) != 1 {
		return nil, fmt.Errorf("%d rows of samples are recorded, a page that is fed shows one", len(d.Axes))
	}
	if f.lanes == nil {
		f.begin(d)
	}
	if len(d.Lanes) != len(f.lanes) {
		return nil, fmt.Errorf("there are %d lanes, where %d were at first", len(d.Lanes), len(f.lanes))
	}
	a := d.Axes[0]
	out := append([]byte(`{"axis":0,"start":`), numbers(nil, a.Start)...)
	out = numbers(append(out, `,"end":`...), a.End)
	out = numbers(append(out, `,"rows":`...), a.Rows)
	noTotal, why := map[int]string{}, map[int]string{}
	out = append(out, `,"columns":{`...)
	for i, l := range d.Lanes {
		have := &f.lanes[i]
		if l.Name != have.Name {
			return nil, fmt.Errorf("lane %d is %s, where %s was at first", i+1, l.Name, have.Name)
		}
		f.valued[i] = f.valued[i] || slices.ContainsFunc(l.Count, func(n float64) bool { return n > 0 })
		if f.valued[i] {
			l.Why = ""
		}
		if have.Why != l.Why {
			have.Why, why[i] = l.Why, l.Why
		}
		if have.NoTotal == "" && (l.NoTotal != "" || !sameSteps(have.Steps, l.Steps)) {
			if have.NoTotal = l.NoTotal; have.NoTotal == "" {
				have.NoTotal = "what it is worked out from changed during the recording"
			}
			noTotal[i] = have.NoTotal
		}
		list := l.columns()
		if have.NoTotal != "" {
			list = list[:4]
		}
		for k, column := range list {
			if len(out) > 0 && out[len(out)-1] != '{' {
				out = append(out, ',')
			}
			out = append(out, '"')
			out = strconv.AppendInt(out, int64(f.columns[i][k]), 10)
			out = doubles(append(out, `":`...), column)
		}
	}
	out = append(out, '}')
	out = texts(out, "noTotal", noTotal)
	out = texts(out, "why", why)
	return append(out, '}'), nil
}

// begin takes the lanes over.
func (f *Feed) begin(d Data) {
	f.valued = make([]bool, len(d.Lanes))
	all := firstColumn
	for _, l := range d.Lanes {
		var own []int
		for range l.columns() {
			own = append(own, all)
			all++
		}
		f.columns = append(f.columns, own)
		l.Min, l.Max, l.Sum, l.Count = []float64{}, []float64{}, []float64{}, []float64{}
		l.Steps = slices.Clone(l.Steps)
		for k := range l.Steps {
			s := &l.Steps[k]
			s.Columns = slices.Clone(s.Columns)
			for c := range s.Columns {
				s.Columns[c] = []float64{}
			}
		}
		f.lanes = append(f.lanes, l)
	}
}

// columns are those of a lane, in the order in which they are numbered.
func (l *Lane) columns() [][]float64 {
	out := [][]float64{l.Min, l.Max, l.Sum, l.Count}
	for _, s := range l.Steps {
		out = append(out, s.Columns...)
	}
	return out
}

// sameSteps reports whether totals follow in the same way, whatever the values.
func sameSteps(a, b []formula.Step) bool {
	return slices.EqualFunc(a, b, func(x, y formula.Step) bool {
		return x.Op == y.Op && x.Zero == y.Zero && len(x.Columns) == len(y.Columns) && slices.Equal(x.Args, y.Args) &&
			(x.Value == y.Value || x.Value != x.Value && y.Value != y.Value)
	})
}

func numbers[T int | int64](out []byte, list []T) []byte {
	out = append(out, '[')
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(v), 10)
	}
	return append(out, ']')
}

// doubles writes values so that they are read back to the last bit. A missing one is null, an infinite one a text,
// since JSON has neither.
func doubles(out []byte, list []float64) []byte {
	out = append(out, '[')
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		switch {
		case v != v:
			out = append(out, "null"...)
		case math.IsInf(v, 0):
			out = fmt.Appendf(out, "%q", number(v))
		case v == math.Trunc(v) && math.Abs(v) < mostExact && !(v == 0 && math.Signbit(v)):
			out = strconv.AppendInt(out, int64(v), 10)
		default:
			out = strconv.AppendFloat(out, v, 'g', -1, 64)
		}
	}
	return append(out, ']')
}

// texts writes what changed of lanes, by their numbers; nothing where nothing did.
func texts(out []byte, name string, list map[int]string) []byte {
	if len(list) == 0 {
		return out
	}
	text, _ := json.Marshal(list) // of numbers and texts, which JSON can say
	return append(fmt.Appendf(out, ",%q:", name), text...)
}
