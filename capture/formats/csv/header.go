package csv

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/formats/internal/delimited"
)

// role is what a column is for.
type role uint8

const (
	roleCounter role = iota
	roleTime
	roleStart
	roleEnd
	roleLabel
	// The others exist in the long form only.
	roleName
	roleValue
	roleInstance
	roleUnit
	roleBlock
)

// header is what the header says of one column.
type header struct {
	Full     string // as it stands in the file
	Name     string // without unit
	Unit     string
	Base     string // without instance
	Instance string
	TimeUnit *delimited.TimeUnit // of a time column that states one
}

const labelUnit = "label"

// parseHeader takes a column's name apart.
func parseHeader(full string) header {
	h := header{Full: full}
	h.Name, h.Unit = splitUnit(full)
	h.Base = h.Name
	if base, id, ok := cutBracket(h.Name, '[', ']'); ok && base != "" && id != "" && base == strings.TrimRight(base, " ") {
		h.Base, h.Instance = base, id
	}
	return h
}

// splitUnit divides "GPU active (cycles)" into its name and unit.
func splitUnit(full string) (name, unit string) {
	if n, u, ok := cutBracket(full, '[', ']'); ok && n != "" {
		trimmed := strings.TrimRight(n, " ")
		if trimmed != n && trimmed != "" {
			return trimmed, strings.TrimSpace(u)
		}
		if _, known := unitKind(u); known && u != "" {
			return trimmed, strings.TrimSpace(u)
		}
	}
	if n, u, ok := cutBracket(full, '(', ')'); ok {
		_, known := unitKind(u)
		if n = strings.TrimRight(n, " "); n != "" && u != "" && (known || u == labelUnit) {
			return n, strings.TrimSpace(u)
		}
	}
	return full, ""
}

// cutBracket divides "before[inside]".
func cutBracket(s string, left, right byte) (before, inside string, ok bool) {
	if len(s) < 2 || s[len(s)-1] != right {
		return "", "", false
	}
	i := strings.LastIndexByte(s, left)
	if i < 0 || strings.IndexByte(s[i:len(s)-1], right) >= 0 {
		return "", "", false
	}
	return s[:i], s[i+1 : len(s)-1], true
}

var (
	timeNames = []string{"time", "timestamp", "timestamps", "times", "ts", "t", "datetime", "date", "elapsed", "elapsedtime", "timeelapsed", "walltime", "sampletime"}
	startName = []string{"start", "starttime", "starttimestamp", "begin", "begintime", "begintimestamp", "timestart", "intervalstart", "timestampstart", "startts"}
	endNames  = []string{"end", "endtime", "endtimestamp", "stop", "stoptime", "timeend", "intervalend", "timestampend", "endts"}

	labelNames    = []string{"kernel", "dispatch", "pass", "session", "frame", "region", "pid", "tid", "process", "thread"}
	nameNames     = []string{"counter", "countername", "metric", "metricname", "variable", "event", "eventname", "series", "seriesname"}
	valueNames    = []string{"value", "values", "countervalue", "metricvalue", "val", "reading"}
	instanceNames = []string{"instance", "instanceid"}
)

// timeRole says whether a column's name is one of a time column, and completes its unit.
func (h *header) timeRole() (role, bool) {
	ws := words(h.Name)
	if h.Unit != "" {
		u, ok := timeUnits[strings.ToLower(h.Unit)]
		if !ok {
			return 0, false
		}
		h.TimeUnit = &u
	} else if n := len(ws); n > 1 {
		if u, ok := timeUnits[ws[n-1]]; ok {
			h.TimeUnit = &u
			ws = ws[:n-1]
		}
	}
	joined := strings.Join(ws, "")
	if h.TimeUnit == nil {
		// timens, timestampus
		for _, base := range []string{"timestamp", "time"} {
			if u, ok := timeUnits[strings.TrimPrefix(joined, base)]; ok && strings.HasPrefix(joined, base) && joined != base+"s" {
				h.TimeUnit = &u
				joined = base
			}
		}
	}
	switch {
	case slices.Contains(timeNames, joined):
		return roleTime, true
	case slices.Contains(startName, joined):
		return roleStart, true
	case slices.Contains(endNames, joined):
		return roleEnd, true
	}
	return 0, false
}

// joinedName is a name reduced to its letters and digits, to compare with the lists above.
func joinedName(name string) string { return strings.Join(words(name), "") }

// checkHeader names columns without a name and refuses names that stand twice.
func checkHeader(f *delimited.File) (warnings []string, err error) {
	for i, h := range f.Header {
		if h == "" {
			f.Header[i] = fmt.Sprintf("column %d", i+1)
			warnings = append(warnings, fmt.Sprintf("%s:%d: column %d has no name: it is called %q", f.Name, f.Line, i+1, f.Header[i]))
		}
	}
	return warnings, f.CheckNames()
}

// headers parses every column's name.
func headers(f *delimited.File) []header {
	out := make([]header, len(f.Header))
	for i, full := range f.Header {
		out[i] = parseHeader(full)
	}
	return out
}

// distinguish keeps the units in the names of counters that would be the same without.
func (l *layout) distinguish() {
	count := map[string]int{}
	for i, h := range l.cols {
		if l.roles[i] == roleCounter {
			count[h.Name]++
		}
	}
	for i := range l.cols {
		if h := &l.cols[i]; l.roles[i] == roleCounter && count[h.Name] > 1 && h.Name != h.Full {
			*h = header{Full: h.Full, Name: h.Full, Unit: h.Unit, Base: h.Full}
		}
	}
}
