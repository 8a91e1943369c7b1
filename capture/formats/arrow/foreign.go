package arrow

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
)

// Names under which other programs keep the time of a sample, in lower case and without the unit.
var (
	startNames = map[string]bool{"start": true, "begin": true, "start_time": true, "time_start": true}
	endNames   = map[string]bool{"end": true, "stop": true, "end_time": true, "time_end": true}
	pointNames = map[string]bool{"time": true, "timestamp": true, "t": true, "ts": true, "datetime": true, "elapsed": true}
)

// unitSuffixes are the spellings of a unit at the end of a column's name, and its length in ns.
var unitSuffixes = []struct {
	suffix string
	ns     int64
}{
	{"_ns", 1}, {"(ns)", 1}, {"[ns]", 1}, {"_us", 1e3}, {"(us)", 1e3}, {"[us]", 1e3}, {"(µs)", 1e3}, {"[µs]", 1e3},
	{"_ms", 1e6}, {"(ms)", 1e6}, {"[ms]", 1e6}, {"_s", 1e9}, {"(s)", 1e9}, {"[s]", 1e9}, {"_sec", 1e9}, {"_seconds", 1e9},
}

// timeName splits a column's name into its base and the unit that it names, 0 if none.
func timeName(name string) (base string, ns int64) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, u := range unitSuffixes {
		if b, ok := strings.CutSuffix(name, u.suffix); ok {
			return strings.TrimSpace(b), u.ns
		}
	}
	return name, 0
}

// typeUnit is the unit of a column that holds times by its type, 0 for any other.
func typeUnit(t arrow.DataType) int64 {
	with, ok := t.(arrow.TemporalWithUnit)
	if !ok {
		return 0
	}
	return int64(with.TimeUnit().Multiplier())
}

// guessAxis makes the axis of a file that another program wrote: from a start and an end column, or from points in time that each
// last until the next, or else from the row numbers.
func (d *decoded) guessAxis() (rest []*column, err error) {
	var start, end, point, typed *column
	types := 0
	for i := range d.cols {
		col := &d.cols[i]
		base, _ := timeName(col.field.Name)
		isTime := typeUnit(col.field.Type) > 0
		if !isTime && !isNumber(col.field.Type) {
			continue
		}
		switch {
		case startNames[base] && start == nil:
			start = col
		case endNames[base] && end == nil:
			end = col
		case pointNames[base] && point == nil:
			point = col
		case col.field.Type.ID() == arrow.TIMESTAMP:
			typed = col
			types++
		}
	}
	switch {
	case start != nil:
	case point != nil:
		start, end = point, nil
	case types == 1:
		start, end = typed, nil
	default:
		return d.rowAxis()
	}
	for i := range d.cols {
		if col := &d.cols[i]; col != start && col != end {
			rest = append(rest, col)
		}
	}
	return rest, d.timesFrom(start, end)
}

// rowAxis counts rows, for data that says nothing about time.
func (d *decoded) rowAxis() (rest []*column, err error) {
	backed := false
	for i := range d.cols {
		rest = append(rest, &d.cols[i])
		backed = backed || isNumber(d.cols[i].field.Type)
	}
	if !backed {
		return nil, errors.New("it holds no numeric column: nothing to make a counter of")
	}
	d.warn("there is no time column (named time, timestamp or start): each row counts as one second, so times and rates mean nothing")
	clock := d.cfg.Axis.Clock
	*d.cfg.Axis = *capture.NewUniformAxis(d.rows(), int64(time.Second))
	d.cfg.Axis.Clock = clock
	return rest, nil
}

// timesFrom fills in the axis from a column of starts and, if not nil, one of ends.
func (d *decoded) timesFrom(start, end *column) error {
	s, err := d.nanoseconds(start)
	if err != nil {
		return err
	}
	a := d.cfg.Axis
	a.Start = s
	if err := d.checkAxis(start.field.Name); err != nil {
		return err
	}
	if end == nil {
		a.End = untilNext(s)
	} else if a.End, err = d.nanoseconds(end); err != nil {
		return err
	}
	if len(s) == 0 {
		return nil
	}
	origin := s[0]
	if start.field.Type.ID() == arrow.TIMESTAMP && d.cfg.StartTime.IsZero() {
		d.cfg.StartTime = time.Unix(0, origin).UTC()
	}
	for i := range s {
		if a.End[i] < s[i] {
			return fmt.Errorf("row %d ends at %d ns, before its start at %d ns", i, a.End[i], s[i])
		}
		// Starts never decrease, so only a span beyond 292 years turns negative here.
		if a.End[i]-origin < 0 || s[i]-origin < 0 {
			return fmt.Errorf("time column %q spans more than 292 years up to row %d", start.field.Name, i)
		}
		s[i], a.End[i] = s[i]-origin, a.End[i]-origin
	}
	return nil
}

// untilNext lets every sample last until the next one starts, and the last as long as the one before it.
func untilNext(start []int64) []int64 {
	end := make([]int64, len(start))
	copy(end, start[min(1, len(start)):])
	if n := len(start); n > 1 {
		end[n-1] = start[n-1] + (start[n-1] - start[n-2])
	} else if n == 1 {
		end[0] = start[0]
	}
	return end
}

// nanoseconds reads a time column into a new slice.
func (d *decoded) nanoseconds(col *column) ([]int64, error) {
	n := d.rows()
	name := col.field.Name
	ns := typeUnit(col.field.Type)
	if ns == 0 {
		_, ns = timeName(name)
	}
	if ns == 0 {
		ns = 1
		unit := "nanoseconds"
		if isFloat(col.field.Type) {
			ns, unit = 1e9, "seconds"
		}
		d.warn("time column %q names no unit: its values are taken for %s", name, unit)
	}
	valid := col.validity(0, n)
	for i := range n {
		if !valid.Get(i) {
			return nil, fmt.Errorf("time column %q has no value in row %d", name, i)
		}
	}
	out := make([]int64, n)
	if typeUnit(col.field.Type) > 0 {
		if col.width == 4 {
			return out, scale(out, widen(whole[int32](col, 0, n)), ns, name)
		}
		return out, scale(out, whole[int64](col, 0, n), ns, name)
	}
	data, err := col.read(0, n)
	if err != nil {
		return nil, err
	}
	if data.U == nil {
		return out, round(out, data.F, ns, name)
	}
	for i, u := range data.U {
		hi, lo := bits.Mul64(u, uint64(ns))
		if hi != 0 || lo > math.MaxInt64 {
			return nil, tooLate(name, i)
		}
		out[i] = int64(lo)
	}
	return out, nil
}

func widen(v []int32) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

func scale(dst, v []int64, ns int64, name string) error {
	for i, x := range v {
		dst[i] = x * ns
		if dst[i]/ns != x {
			return tooLate(name, i)
		}
	}
	return nil
}

func round(dst []int64, v []float64, ns int64, name string) error {
	for i, x := range v {
		x = math.RoundToEven(x * float64(ns))
		if !(math.Abs(x) < 1<<63) {
			return tooLate(name, i)
		}
		dst[i] = int64(x)
	}
	return nil
}

func tooLate(name string, row int) error {
	return fmt.Errorf("time column %q has no time that fits in row %d: nanoseconds in 64 bits reach 292 years", name, row)
}
