package table

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/memory"
)

// Layout says what each column of a table is for.
type Layout struct {
	cols  []Column
	heads []Header
	roles []role
	opt   *Options
	long  bool
	times [3]int // columns of roleTime, roleStart and roleEnd, -1 where there is none
	units [3]delimited.TimeUnit
	// lengths says that the one time column holds how long each row took.
	lengths bool
	// length is the column that says how long each row took beside that of its start, -1 where there is none.
	length int
	// frames is the column that says how long the frame of each row took beside one time of each, -1 where there is none.
	frames int
	// Warnings is what a user should know about the way the table is read.
	Warnings []string
}

// at is the column of a time role, -1 where there is none.
func (l *Layout) at(r role) int { return l.times[r-roleTime] }

// Timed reports whether the table says anything about time.
func (l *Layout) Timed() bool { return slices.Max(l.times[:]) >= 0 }

// Pairs reports whether the table has the start and the end, or the length, of every sample.
func (l *Layout) Pairs() bool { return l.at(roleStart) >= 0 && (l.at(roleEnd) >= 0 || l.length >= 0) }

// EndsOnly reports whether the one time column of the table holds ends.
func (l *Layout) EndsOnly() bool {
	return l.opt.Ends || l.at(roleTime) < 0 && l.at(roleStart) < 0 && l.at(roleEnd) >= 0
}

// Lengths reports whether the table says how long each row took and not when: the rows follow each other.
func (l *Layout) Lengths() bool { return l.lengths }

// columnRoom is what the layout of a column takes, and counterRoom what a counter does without its values, in bytes.
const columnRoom, counterRoom = 256, 768

// NewLayout finds out what the columns are for. name is that of the file, for messages; errorf makes an error about its
// header.
func NewLayout(name string, cols []Column, o *Options, errorf func(format string, args ...any) error) (*Layout, error) {
	if err := memory.Room(uint64(len(cols)) * columnRoom); err != nil {
		return nil, fmt.Errorf("%d columns: %w", len(cols), err)
	}
	l := &Layout{cols: cols, heads: parseHeaders(cols), opt: o, times: [3]int{-1, -1, -1}, length: -1, frames: -1,
		roles: make([]role, len(cols))}
	for i := range cols {
		l.heads[i].assumeUnit(cols[i], i)
		if l.isLabel(i) {
			l.roles[i] = roleLabel
		}
	}
	ownLabels(l.heads)
	for _, label := range o.Labels {
		if !slices.ContainsFunc(l.heads, func(h Header) bool { return h.Full == label || h.Name == label }) {
			return nil, fmt.Errorf("option labels: %s has no column %q (it has %s)", name, label, l.names())
		}
	}
	if o.TimeColumn != "" {
		if !l.namedTime() {
			return nil, fmt.Errorf("option time_column: %s has no column %q of numbers or dates (it has %s)", name,
				o.TimeColumn, l.names())
		}
		l.lengths = o.Lengths
	} else if !l.findTimes() && !l.findLengths() && o.Period == 0 && !o.CountRows {
		return nil, errorf(
			"no time column among %s: name one time, or start and end, or name it in option time_column=, or give the time between rows in option period=",
			l.names())
	}
	l.findUnits()
	l.findLong()
	l.findLength()
	if l.lengths && l.long {
		return nil, errorf(
			"column %q is how long a row took, and a table of one value in each row has no samples that follow each other: name their times in option time_column=",
			l.cols[l.at(roleTime)].Name)
	}
	l.distinguish()
	if o.Shape == "long" && !l.long {
		return nil, errorf(
			"option shape=\"long\" needs a column of counter names and one of values: name them counter and value")
	}
	return l, nil
}

func (l *Layout) names() string {
	var names []string
	for _, c := range l.cols {
		names = append(names, c.Name)
	}
	const show = 12
	if len(names) > show {
		return strings.Join(names[:show], ", ") + fmt.Sprintf(" and %d more", len(names)-show)
	}
	return strings.Join(names, ", ")
}

func (l *Layout) isLabel(i int) bool {
	h := &l.heads[i]
	switch {
	case slices.Contains(l.opt.Labels, h.Full), slices.Contains(l.opt.Labels, h.Name):
		return true
	case h.Unit == LabelUnit:
		return true
	case h.Full == h.Name && IsLabel(h.Name):
		return true
	}
	return l.cols[i].Type == Text || l.cols[i].Type == Dates
}

// canBeTime reports whether a column's values may be times.
func (l *Layout) canBeTime(i int) bool {
	switch l.cols[i].Type {
	case Number:
		return l.roles[i] != roleLabel
	case Dates, Instant:
		return true
	}
	return false
}

// findTimes finds the columns of times: a pair of start and end, else one alone. It reports whether there are any.
func (l *Layout) findTimes() bool {
	var found [3]int
	for k := range found {
		found[k] = -1
	}
	for i := range l.cols {
		h := l.heads[i]
		r, ok := h.timeRole()
		if !ok || found[r-roleTime] >= 0 || !l.canBeTime(i) {
			continue
		}
		if short := joinedName(h.Name); (short == "t" || short == "ts") && i > 0 && h.TimeUnit == nil &&
			l.cols[i].Type == Number {
			continue
		}
		l.heads[i] = h
		found[r-roleTime] = i
	}
	use := func(r role) {
		i := found[r-roleTime]
		l.times[r-roleTime], l.roles[i] = i, r
	}
	start, end, at := found[roleStart-roleTime], found[roleEnd-roleTime], found[0]
	switch {
	case start >= 0 && end >= 0:
		use(roleStart)
		use(roleEnd)
	case start >= 0:
		use(roleStart)
	case at >= 0 && end >= 0:
		// "time" beside "end" is the start.
		found[roleStart-roleTime] = at
		use(roleStart)
		use(roleEnd)
	case at >= 0:
		use(roleTime)
	case end >= 0:
		use(roleEnd)
	default:
		return l.onlyInstant()
	}
	return true
}

// onlyInstant takes the one column of points in time for the time, whatever it is called.
func (l *Layout) onlyInstant() bool {
	only := -1
	for i, c := range l.cols {
		if c.Type != Instant {
			continue
		}
		if only >= 0 {
			return false
		}
		only = i
	}
	if only >= 0 {
		l.times[0], l.roles[only] = only, roleTime
	}
	return only >= 0
}

// findLengths takes a column that says how long each row took, in a unit, for the time of a table that has no other:
// profilers of kernels print such.
func (l *Layout) findLengths() bool {
	if l.opt.Period > 0 {
		return false
	}
	for i := range l.cols {
		h := l.heads[i]
		if !l.canBeTime(i) || l.cols[i].Type != Number || !h.isLength() {
			continue
		}
		l.heads[i], l.times[0], l.roles[i], l.lengths = h, i, roleTime, true
		l.Warnings = append(l.Warnings,
			fmt.Sprintf(
				"there is no time column (named time, timestamp or start): rows follow each other, each as long as its %s",
				h.Full))
		return true
	}
	return false
}

// findLength finds the length of rows that have a start and no end, or of frames.
func (l *Layout) findLength() {
	for i := range l.cols {
		if h := l.heads[i]; l.at(roleTime) >= 0 && !l.long && l.roles[i] == roleCounter && l.cols[i].Type == Number && h.lasts(frameNames) {
			l.heads[i].TimeUnit, l.frames = h.TimeUnit, i
			return
		}
	}
	if l.at(roleStart) < 0 || l.at(roleEnd) >= 0 || l.long || l.opt.Ends {
		return
	}
	for i := range l.cols {
		if h := l.heads[i]; l.roles[i] == roleCounter && l.cols[i].Type == Number && h.isLength() {
			l.heads[i], l.length = h, i
			return
		}
	}
}

// namedTime takes the column that the user names.
func (l *Layout) namedTime() bool {
	for i := range l.cols {
		h := &l.heads[i]
		if h.Full != l.opt.TimeColumn && h.Name != l.opt.TimeColumn || l.cols[i].Type == Text ||
			l.cols[i].Type == Nothing {
			continue
		}
		h.timeRole()
		if u, ok := timeUnits[strings.ToLower(h.Unit)]; ok {
			h.TimeUnit = &u
		}
		l.times[0], l.roles[i] = i, roleTime
		return true
	}
	return false
}

// clockValue is where whole numbers without a unit are taken for nanoseconds: as seconds they would be 3000 years.
const clockValue = 1e11

// findUnits decides the units of the time columns.
func (l *Layout) findUnits() {
	for k, i := range l.times {
		if i < 0 || l.cols[i].Type != Number {
			continue
		}
		switch h := &l.heads[i]; {
		case l.opt.TimeUnit != nil:
			l.units[k] = *l.opt.TimeUnit
		case h.TimeUnit != nil:
			l.units[k] = *h.TimeUnit
		default:
			l.units[k] = timeUnits["s"]
			unit := "seconds"
			var seen Peek
			if l.cols[i].Peek != nil {
				seen = l.cols[i].Peek(i)
			}
			if seen.Whole && seen.Largest >= clockValue {
				l.units[k], unit = timeUnits["ns"], "nanoseconds"
			}
			if seen.Whole && seen.Largest > 0 {
				l.Warnings = append(l.Warnings,
					fmt.Sprintf("column %q states no unit of time: read as %s (option time_unit= says otherwise)",
						h.Full, unit))
			}
		}
	}
}

// findLong recognises the long form by a column of counter names and one of values.
func (l *Layout) findLong() {
	if l.opt.Shape == "wide" {
		return
	}
	name, loose, value := -1, -1, -1
	for i := range l.cols {
		joined := joinedName(l.heads[i].Name)
		switch {
		case l.roles[i] == roleTime || l.roles[i] == roleStart || l.roles[i] == roleEnd:
		case name < 0 && slices.Contains(nameNames, joined):
			name = i
		case loose < 0 && slices.Contains(looseNames, joined) && l.cols[i].Type == Text &&
			!slices.Contains(l.opt.Labels, l.heads[i].Full):
			loose = i
		case value < 0 && slices.Contains(valueNames, joined):
			value = i
		}
	}
	if name < 0 {
		name = loose
	}
	if name < 0 || value < 0 || !l.Timed() && l.opt.CountRows && l.opt.Shape != "long" {
		return
	}
	l.long = true
	l.roles[name], l.roles[value] = roleName, roleValue
	for i := range l.cols {
		if l.roles[i] != roleCounter && l.roles[i] != roleLabel {
			continue
		}
		switch joined := joinedName(l.heads[i].Name); {
		case slices.Contains(instanceNames, joined):
			l.roles[i] = roleInstance
		case joined == "unit" || joined == "units":
			l.roles[i] = roleUnit
		case joined == "block":
			l.roles[i] = roleBlock
		case joined == "kind":
			l.roles[i] = roleKind
		default:
			l.roles[i] = roleLabel
		}
	}
}

// Specs says how the columns are to be read, by a format that reads all at once.
func (l *Layout) Specs() []delimited.Spec {
	out := make([]delimited.Spec, len(l.cols))
	for i, r := range l.roles {
		switch r {
		case roleTime, roleStart, roleEnd:
			out[i] = delimited.Spec{Want: delimited.Time, Unit: l.units[r-roleTime]}
		case roleCounter:
			out[i] = delimited.Spec{Want: delimited.Number, Hint: " (option labels=[%q] reads the column as text)"}
		case roleValue:
			out[i].Want = delimited.Number
		default:
			out[i].Want = delimited.Text
		}
	}
	return out
}
