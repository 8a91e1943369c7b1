package csv

import (
	"fmt"
	"math"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// keepBelow is the time up to which a file's own zero is kept, in ns: 1e6 seconds, which a double still holds to the nanosecond.
const keepBelow = 1e15

// backwards is the error for a time that is earlier than the one of the row before.
func backwards(f *delimited.File, t *delimited.Table, row int, col string, before, now int64) error {
	return &delimited.Error{File: f.Name, Line: t.Line(row), Msg: fmt.Sprintf("column %q: time goes back from %s to %s: sort the rows by time", col, nanos(before), nanos(now))}
}

func nanos(ns int64) string { return fmt.Sprintf("%d ns", ns) }

// wideAxis makes the axis of the wide form, one sample for each row.
func wideAxis(f *delimited.File, t *delimited.Table, l *layout, o *options, cfg *capture.Config) error {
	n := t.Rows
	start, end, at := l.at(roleStart), l.at(roleEnd), l.at(roleTime)
	if start < 0 && end < 0 && at < 0 {
		cfg.Axis = capture.NewUniformAxis(n, o.period)
		return nil
	}
	for _, i := range []int{start, end, at} {
		if i < 0 {
			continue
		}
		times := t.Cols[i].Times
		for r := 1; r < n; r++ {
			if times[r] < times[r-1] && !(i == end && start >= 0) {
				return backwards(f, t, r, f.Header[i], times[r-1], times[r])
			}
		}
	}
	ends := o.ends
	if at < 0 && start < 0 {
		at, ends = end, true
	} else if at < 0 && end < 0 {
		at = start
	}
	if at >= 0 {
		var warn string
		cfg.Axis, warn = oneColumn(t.Cols[at].Times, ends, o.period)
		if warn != "" {
			cfg.Warnings = append(cfg.Warnings, f.Name+": "+warn)
		}
	} else {
		cfg.Axis = &capture.Axis{Start: t.Cols[start].Times, End: t.Cols[end].Times}
		for r := range n {
			if s, e := cfg.Axis.Start[r], cfg.Axis.End[r]; e < s {
				return &delimited.Error{File: f.Name, Line: t.Line(r), Msg: fmt.Sprintf("the sample ends at %s, before its start at %s", nanos(e), nanos(s))}
			}
		}
	}
	return rebase(f, cfg, l.isDate(t))
}

// isDate reports whether times are nanoseconds of the Unix epoch, to judge by their size (2001 to 2100).
func (l *layout) isDate(t *delimited.Table) bool {
	for _, i := range l.times {
		if i >= 0 && t.Rows > 0 {
			first := t.Cols[i].Times[0]
			return first >= 1e18 && first < 4_102_444_800e9
		}
	}
	return false
}

// oneColumn makes intervals of one column of times.
func oneColumn(times []int64, ends bool, period int64) (a *capture.Axis, warn string) {
	n := len(times)
	a = &capture.Axis{Start: times, End: make([]int64, n)}
	if n == 0 {
		return a, ""
	}
	if n == 1 && period == 0 {
		warn = "one row only, so the length of its sample is unknown and taken as 0: option period= gives it"
	}
	if !ends {
		copy(a.End, times[1:])
		last := period
		if last == 0 && n > 1 {
			last = times[n-1] - times[n-2]
		}
		a.End[n-1] = times[n-1] + last
		return a, warn
	}
	a.Start, a.End = a.End, times
	copy(a.Start[1:], times)
	first := period
	if first == 0 && n > 1 {
		first = times[1] - times[0]
	}
	a.Start[0] = times[0] - first
	return a, warn
}

// rebase moves times that are values of some clock so that the first sample starts at 0, and keeps the origin as a property.
func rebase(f *delimited.File, cfg *capture.Config, date bool) error {
	a := cfg.Axis
	if a.Len() == 0 {
		return nil
	}
	const most = math.MaxInt64 / 2
	if lo, hi := a.Extent(); lo < -most || hi > most {
		return fmt.Errorf("%s: times from %s to %s do not fit 64 bits of nanoseconds: is the unit of time right (option time_unit=)?", f.Name, nanos(lo), nanos(hi))
	}
	origin := a.Start[0]
	if date {
		cfg.StartTime = time.Unix(0, origin).UTC()
	}
	if origin >= 0 && origin <= keepBelow {
		return nil
	}
	for i := range a.Start {
		a.Start[i] -= origin
		a.End[i] -= origin
	}
	cfg.Properties = append(cfg.Properties, capture.Property{Name: "time_origin", Text: nanos(origin), IsText: true})
	return nil
}
