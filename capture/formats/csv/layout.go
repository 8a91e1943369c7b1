package csv

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/formats/internal/delimited"
)

// layout says what each column of a file is for.
type layout struct {
	cols  []header
	roles []role
	long  bool
	times [3]int // columns of roleTime, roleStart and roleEnd, -1 where there is none
	units [3]delimited.TimeUnit
	warn  []string
}

// at is the column of a time role.
func (l *layout) at(r role) int { return l.times[r-roleTime] }

// newLayout looks at the header and the first rows.
func newLayout(f *delimited.File, o *options) (*layout, error) {
	warn, err := checkHeader(f)
	if err != nil {
		return nil, err
	}
	rows, err := f.Sample(sampleRows)
	if err != nil {
		return nil, err
	}
	if f.Decimal == 0 {
		f.Decimal = f.GuessDecimal(rows)
	}
	l := &layout{cols: headers(f), times: [3]int{-1, -1, -1}}
	l.warn = append(append(l.warn, f.Warnings...), warn...)
	l.roles = make([]role, len(l.cols))
	for i := range l.cols {
		if l.isLabel(f, o, rows, i) {
			l.roles[i] = roleLabel
		}
	}
	if err := l.findTimes(f, o, rows); err != nil {
		return nil, err
	}
	l.findLong(o)
	l.distinguish()
	if o.shape == "long" && !l.long {
		return nil, &delimited.Error{File: f.Name, Line: f.Line, Msg: "option shape=\"long\" needs a column of counter names and one of values: name them counter and value"}
	}
	for _, name := range o.labels {
		if !slices.ContainsFunc(l.cols, func(h header) bool { return h.Full == name || h.Name == name }) {
			return nil, fmt.Errorf("option labels: %s has no column %q (it has %s)", f.Name, name, listNames(f.Header))
		}
	}
	return l, nil
}

func listNames(names []string) string {
	const show = 12
	if len(names) > show {
		return strings.Join(names[:show], ", ") + fmt.Sprintf(" and %d more", len(names)-show)
	}
	return strings.Join(names, ", ")
}

func (l *layout) isLabel(f *delimited.File, o *options, rows [][]string, i int) bool {
	h := &l.cols[i]
	switch {
	case slices.Contains(o.labels, h.Full), slices.Contains(o.labels, h.Name):
		return true
	case h.Unit == labelUnit:
		return true
	case h.Full == h.Name && isKnownLabel(h.Name):
		return true
	}
	return isText(f, rows, i)
}

// isText reports whether most of the first cells of a column are neither numbers nor missing.
func isText(f *delimited.File, rows [][]string, i int) bool {
	numbers, texts := classify(f, rows, i)
	return texts > numbers
}

func isNumeric(f *delimited.File, rows [][]string, i int) bool {
	numbers, texts := classify(f, rows, i)
	return numbers > texts
}

func classify(f *delimited.File, rows [][]string, i int) (numbers, texts int) {
	for _, row := range rows {
		c := row[i]
		switch {
		case delimited.IsNumber(c, f.Decimal):
			numbers++
		case !delimited.IsMissing(c) && !delimited.IsInfinity(c):
			texts++
		}
	}
	return numbers, texts
}

// findTimes finds the columns of times: a pair of start and end, else one alone.
func (l *layout) findTimes(f *delimited.File, o *options, rows [][]string) error {
	if o.timeColumn != "" {
		return l.namedTime(f, o, rows)
	}
	var found [3]int
	for k := range found {
		found[k] = -1
	}
	for i := range l.cols {
		h := l.cols[i]
		r, ok := h.timeRole()
		if !ok || found[r-roleTime] >= 0 || l.roles[i] == roleLabel && !isDates(rows, i) || len(rows) > 0 && l.roles[i] != roleLabel && !isNumeric(f, rows, i) {
			continue
		}
		if short := joinedName(h.Name); (short == "t" || short == "ts") && i > 0 && h.TimeUnit == nil {
			continue
		}
		l.cols[i] = h
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
	case o.period == 0:
		return &delimited.Error{File: f.Name, Line: f.Line, Msg: fmt.Sprintf(
			"no time column among %s: name one time, or start and end, or name it in option time_column=, or give the time between rows in option period=", listNames(f.Header))}
	}
	return l.findUnits(f, o, rows)
}

// namedTime takes the column that the user names.
func (l *layout) namedTime(f *delimited.File, o *options, rows [][]string) error {
	for i := range l.cols {
		h := &l.cols[i]
		if h.Full != o.timeColumn && h.Name != o.timeColumn {
			continue
		}
		h.timeRole()
		if u, ok := timeUnits[strings.ToLower(h.Unit)]; ok {
			h.TimeUnit = &u
		}
		l.times[0], l.roles[i] = i, roleTime
		return l.findUnits(f, o, rows)
	}
	return fmt.Errorf("option time_column: %s has no column %q (it has %s)", f.Name, o.timeColumn, listNames(f.Header))
}

func isDates(rows [][]string, i int) bool {
	for _, row := range rows {
		if _, ok := delimited.ParseDate(row[i]); !ok {
			return false
		}
	}
	return len(rows) > 0
}

// clockValue is where whole numbers without a unit are taken for nanoseconds: as seconds they would be 3000 years.
const clockValue = 1e11

// findUnits decides the units of the time columns.
func (l *layout) findUnits(f *delimited.File, o *options, rows [][]string) error {
	for k, i := range l.times {
		if i < 0 {
			continue
		}
		h := &l.cols[i]
		switch {
		case o.timeUnit != nil:
			l.units[k] = *o.timeUnit
		case h.TimeUnit != nil:
			l.units[k] = *h.TimeUnit
		case isDates(rows, i):
		default:
			l.units[k] = timeUnits["s"]
			largest, whole := 0.0, len(rows) > 0
			for _, row := range rows {
				v, ok := delimited.ParseFloat([]byte(row[i]), f.Decimal)
				largest = max(largest, v)
				whole = whole && ok && !strings.ContainsAny(row[i], ".,eE")
			}
			unit := "seconds"
			if whole && largest >= clockValue {
				l.units[k], unit = timeUnits["ns"], "nanoseconds"
			}
			if whole && largest > 0 {
				l.warn = append(l.warn, fmt.Sprintf("%s:%d: column %q states no unit of time: read as %s (option time_unit= says otherwise)", f.Name, f.Line, h.Full, unit))
			}
		}
	}
	return nil
}

// findLong recognises the long form by a column of counter names and one of values.
func (l *layout) findLong(o *options) {
	if o.shape == "wide" {
		return
	}
	name, value := -1, -1
	for i := range l.cols {
		joined := joinedName(l.cols[i].Name)
		switch {
		case l.roles[i] == roleTime || l.roles[i] == roleStart || l.roles[i] == roleEnd:
		case name < 0 && slices.Contains(nameNames, joined):
			name = i
		case value < 0 && slices.Contains(valueNames, joined):
			value = i
		}
	}
	if name < 0 || value < 0 {
		return
	}
	l.long = true
	l.roles[name], l.roles[value] = roleName, roleValue
	for i := range l.cols {
		if l.roles[i] != roleCounter && l.roles[i] != roleLabel {
			continue
		}
		switch joined := joinedName(l.cols[i].Name); {
		case slices.Contains(instanceNames, joined):
			l.roles[i] = roleInstance
		case joined == "unit" || joined == "units":
			l.roles[i] = roleUnit
		case joined == "block":
			l.roles[i] = roleBlock
		default:
			l.roles[i] = roleLabel
		}
	}
}

// specs says how the columns are read.
func (l *layout) specs() []delimited.Spec {
	out := make([]delimited.Spec, len(l.cols))
	for i, r := range l.roles {
		switch r {
		case roleTime, roleStart, roleEnd:
			out[i] = delimited.Spec{Want: delimited.Time, Unit: l.units[r-roleTime]}
		case roleCounter:
			out[i] = delimited.Spec{Want: delimited.Number, Hint: fmt.Sprintf(" (option labels=[%q] reads the column as text)", l.cols[i].Full)}
		case roleValue:
			out[i].Want = delimited.Number
		default:
			out[i].Want = delimited.Text
		}
	}
	return out
}
