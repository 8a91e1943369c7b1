package parquet

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
)

// timeAxis finds the columns of the time axis and reads them. It returns the other columns.
func (d *decoder) timeAxis(leaves []leaf) (rest []leaf, err error) {
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
		return d.guessAxis(leaves)
	}
	for role, dst := range map[string]*[]int64{arrow.RoleStart: &d.axis.Start, arrow.RoleEnd: &d.axis.End, arrow.RoleCovered: &d.axis.Covered} {
		if l := roles[role]; l != nil {
			if *dst, err = d.nanoseconds(l, 1); err != nil {
				return nil, err
			}
		}
	}
	if l := roles[arrow.RoleCount]; l != nil {
		data, err := d.numbers(l, false)
		if err != nil {
			return nil, err
		}
		d.axis.Count = data.Floats()
	}
	return rest, d.checkOrder(roles[arrow.RoleStart].name)
}

func (d *decoder) checkOrder(name string) error {
	start := d.axis.Start
	for i := 1; i < len(start); i++ {
		if start[i] < start[i-1] {
			return fmt.Errorf("time column %q goes back in row %d: %d after %d: sort the rows by time", name, i, start[i], start[i-1])
		}
	}
	return nil
}

// guessAxis makes the axis of a file that another program wrote: from the column that the user names, from a start and an end column, from
// points in time that each last until the next, or else from the row numbers.
func (d *decoder) guessAxis(leaves []leaf) (rest []leaf, err error) {
	start, end, err := d.timeColumns(leaves)
	if err != nil {
		return nil, err
	}
	if start == nil {
		return leaves, d.rowAxis(leaves)
	}
	for i := range leaves {
		if l := &leaves[i]; l != start && l != end {
			rest = append(rest, *l)
		}
	}
	return rest, d.timesFrom(start, end)
}

func (d *decoder) timeColumns(leaves []leaf) (start, end *leaf, err error) {
	var point, typed *leaf
	types := 0
	for i := range leaves {
		l := &leaves[i]
		if !isNumber(l.class) && !isTime(l.class) {
			continue
		}
		if d.opt.timeColumn != "" {
			if l.name == d.opt.timeColumn {
				return l, nil, nil
			}
			continue
		}
		role, _ := arrow.TimeRole(l.name)
		switch {
		case role == arrow.RoleStart && start == nil:
			start = l
		case role == arrow.RoleEnd && end == nil:
			end = l
		case role == "point" && point == nil:
			point = l
		case isTime(l.class):
			typed = l
			types++
		}
	}
	switch {
	case d.opt.timeColumn != "":
		return nil, nil, fmt.Errorf("option time_column: there is no column of numbers or times called %q", d.opt.timeColumn)
	case start != nil:
		return start, end, nil
	case point != nil:
		return point, nil, nil
	case types == 1:
		return typed, nil, nil
	}
	return nil, nil, nil
}

// rowAxis counts rows, for data that says nothing about time.
func (d *decoder) rowAxis(leaves []leaf) error {
	backed := slices.ContainsFunc(leaves, func(l leaf) bool { return isNumber(l.class) })
	if !backed {
		return errors.New("it holds no numeric column: nothing to make a counter of")
	}
	period := d.opt.period
	if period == 0 {
		period = int64(time.Second)
		d.warn("there is no time column (named time, timestamp or start): each row counts as one second, so times and rates mean nothing (option period= gives the time of a row)")
	}
	if d.rows > 0 && period > math.MaxInt64/int64(d.rows) {
		return fmt.Errorf("%d rows of %d ns each are more than 292 years", d.rows, period)
	}
	d.axis = capture.NewUniformAxis(d.rows, period)
	return nil
}

// timesFrom fills in the axis from a column of starts and, if not nil, one of ends.
func (d *decoder) timesFrom(start, end *leaf) (err error) {
	a := d.axis
	if a.Start, err = d.nanoseconds(start, d.unit(start)); err != nil {
		return err
	}
	if err := d.checkOrder(start.name); err != nil {
		return err
	}
	if end == nil {
		a.End = arrow.UntilNext(a.Start)
		if n := len(a.End); n > 0 && d.opt.period > 0 {
			a.End[n-1] = a.Start[n-1] + d.opt.period
		}
	} else if a.End, err = d.nanoseconds(end, d.unit(end)); err != nil {
		return err
	}
	if len(a.Start) == 0 {
		return nil
	}
	origin := a.Start[0]
	if isTime(start.class) {
		d.origin = &origin
	}
	for i, s := range a.Start {
		e := a.End[i]
		if e < s {
			return fmt.Errorf("row %d ends at %d ns, before its start at %d ns", i, e, s)
		}
		if e-origin < 0 || s-origin < 0 {
			return fmt.Errorf("time column %q spans more than 292 years up to row %d", start.name, i)
		}
		a.Start[i], a.End[i] = s-origin, e-origin
	}
	return nil
}

// unit is the length in ns of what a time column counts.
func (d *decoder) unit(l *leaf) int64 {
	if isTime(l.class) {
		return l.unit
	}
	if d.opt.timeUnit > 0 {
		return d.opt.timeUnit
	}
	if _, ns := arrow.TimeRole(l.name); ns > 0 {
		return ns
	}
	if l.class == classFloat {
		d.warn("time column %q names no unit: its values are taken for seconds (option time_unit= gives it)", l.name)
		return 1e9
	}
	d.warn("time column %q names no unit: its values are taken for nanoseconds (option time_unit= gives it)", l.name)
	return 1
}

// nanoseconds reads a column of times in units of ns.
func (d *decoder) nanoseconds(l *leaf, ns int64) ([]int64, error) {
	out := []int64{}
	err := d.values(l, func(values []pq.Value) error {
		for _, v := range values {
			if v.IsNull() {
				return fmt.Errorf("time column %q has no value in row %d", l.name, len(out))
			}
			t, ok := l.time(v, ns)
			if !ok {
				return fmt.Errorf("time column %q has no time that fits in row %d: nanoseconds in 64 bits reach 292 years", l.name, len(out))
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
	case classSigned:
		if l.Type().Kind() == pq.Int32 {
			return scaled(int64(v.Int32()), ns)
		}
		return scaled(v.Int64(), ns)
	}
	b := &builder{}
	l.add(b, v)
	if b.float {
		f := math.RoundToEven(b.f[0] * float64(ns))
		return int64(f), math.Abs(f) < 1<<63
	}
	hi, lo := bits.Mul64(b.u[0], uint64(ns))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

func scaled(v, ns int64) (int64, bool) {
	out := v * ns
	return out, out/ns == v
}

// finish adds what the columns said to the configuration.
func (d *decoder) finish(cfg *capture.Config) {
	if d.origin != nil && cfg.StartTime.IsZero() {
		cfg.StartTime = time.Unix(0, *d.origin).UTC()
	}
	cfg.Warnings = append(cfg.Warnings, d.warnings...)
}
