package parquet

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"astrolabe/capture/formats/arrow"

	"astrolabe/capture/memory"
)

// timeAxis finds the columns of the time axis and reads them. It returns the other columns; ours is false where there
// is no axis of layout 1, so that this is a table of another program.
func (d *decoder) timeAxis(leaves []leaf) (rest []leaf, ours bool, err error) {
	roles := map[string]*leaf{}
	for i := range leaves {
		l := &leaves[i]
		role := d.keys[l.name][arrow.KeyRole]
		switch role {
		case arrow.RoleStart, arrow.RoleEnd, arrow.RoleCovered, arrow.RoleCount:
			if isNumber(l.class) {
				roles[role] = l
				continue
			}
		}
		rest = append(rest, *l)
	}
	if roles[arrow.RoleStart] == nil || roles[arrow.RoleEnd] == nil {
		return nil, false, nil
	}
	for role, dst := range map[string]*[]int64{arrow.RoleStart: &d.axis.Start, arrow.RoleEnd: &d.axis.End,
		arrow.RoleCovered: &d.axis.Covered} {
		if l := roles[role]; l != nil {
			if *dst, err = d.nanoseconds(l, 1); err != nil {
				return nil, true, err
			}
		}
	}
	if l := roles[arrow.RoleCount]; l != nil {
		data, err := d.numbers(l, false)
		if err != nil {
			return nil, true, err
		}
		d.axis.Count = data.Floats()
	}
	return rest, true, d.checkOrder(roles[arrow.RoleStart].name)
}

func (d *decoder) checkOrder(name string) error {
	start := d.axis.Start
	for i := 1; i < len(start); i++ {
		if start[i] < start[i-1] {
			return fmt.Errorf("time column %q goes back in row %d: %d after %d: sort the rows by time", name, i,
				start[i], start[i-1])
		}
	}
	return nil
}

// nanoseconds reads a column of times in units of ns.
func (d *decoder) nanoseconds(l *leaf, ns int64) ([]int64, error) {
	if err := memory.Room(uint64(d.rows) * 16); err != nil { // starts and ends
		return nil, fmt.Errorf("the times of %d rows: %w", d.rows, err)
	}
	out := make([]int64, 0, d.rows)
	err := d.values(l, func(values []pq.Value) error {
		for _, v := range values {
			if v.IsNull() {
				return fmt.Errorf("row %d: time column %q has no value", len(out), l.name)
			}
			t, ok := l.time(v, ns)
			if !ok {
				return fmt.Errorf(
					"row %d: time column %q has no time that fits: nanoseconds in 64 bits reach 292 years",
					len(out), l.name)
			}
			out = append(out, t)
		}
		return nil
	})
	return out, err
}

func (l *leaf) time(v pq.Value, ns int64) (int64, bool) {
	switch l.class {
	case classTime96:
		t := v.Int96()
		day := int64(t[2]) - julianEpoch
		ofDay := int64(uint64(t[0]) | uint64(t[1])<<32)
		const perDay = int64(24 * time.Hour)
		if day > math.MaxInt64/perDay-1 || day < math.MinInt64/perDay+1 || ofDay < 0 || ofDay > perDay {
			return 0, false
		}
		return day*perDay + ofDay, true
	case classTime:
		return scaled(v.Int64(), ns)
	case classSigned, classOfDay, classDate:
		if l.Type().Kind() == pq.Int32 {
			return scaled(int64(v.Int32()), ns)
		}
		return scaled(v.Int64(), ns)
	}
	b := &builder{}
	l.add(b, v)
	if b.float {
		f := math.RoundToEven(b.floats()[0] * float64(ns))
		return int64(f), math.Abs(f) < 1<<63
	}
	hi, lo := bits.Mul64(b.bits[0], uint64(ns))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

func scaled(v, ns int64) (int64, bool) {
	out := v * ns
	return out, out/ns == v
}
