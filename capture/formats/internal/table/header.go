package table

import (
	"slices"
	"strings"
	"unicode"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/units"
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
	roleKind
)

// Header is what the header says of one column.
type Header struct {
	Full     string // as it stands in the file
	Name     string // without unit
	Unit     string
	Base     string // without instance
	Instance string
	TimeUnit *delimited.TimeUnit // of a time column that states one
	Kind     *capture.Kind       // nil where nobody states it
	Combine  *capture.Combine    // of the instances; nil where nobody states it
}

// LabelUnit in the place of a unit marks a column of labels.
const LabelUnit = "label"

// ParseHeader takes a column's name apart.
func ParseHeader(full string) Header { return parseHeader(full, false) }

// parseHeader is ParseHeader, in a table of titles: what is counted is a unit behind a comma there.
func parseHeader(full string, titles bool) Header {
	h := Header{Full: full}
	if rest, kind, ok := cutBracket(full, '{', '}'); ok && strings.HasSuffix(rest, " ") {
		kind, combine, combined := strings.Cut(kind, " ")
		k, ok := capture.ParseKind(kind)
		how, known := capture.ParseCombine(combine)
		if ok && k != capture.Derived && known == combined {
			h.Kind, full = &k, strings.TrimRightFunc(rest, unicode.IsSpace)
			if combined {
				h.Combine = &how
			}
		}
	}
	h.Name, h.Unit = splitUnit(full, titles)
	h.Base = h.Name
	if base, id, ok := cutBracket(h.Name, '[', ']'); ok && base != "" && id != "" &&
		base == strings.TrimRight(base, " ") {
		h.Base, h.Instance = base, id
		if plain, unit := splitUnit(base, titles); h.Unit == "" && units.Known(unit) { // "CPU user (%)[0]"
			h.Base, h.Name, h.Unit = plain, plain+"["+id+"]", unit
		}
	}
	return h
}

// splitUnit divides "GPU active (cycles)" into its name and unit.
func splitUnit(full string, titles bool) (name, unit string) {
	if n, u, ok := cutBracket(full, '[', ']'); ok && n != "" {
		trimmed := strings.TrimRightFunc(n, unicode.IsSpace)
		if trimmed != n && trimmed != "" {
			return trimmed, strings.TrimSpace(u)
		}
		if units.Known(u) {
			return trimmed, strings.TrimSpace(u)
		}
	}
	if n, u, ok := cutBracket(full, '(', ')'); ok {
		if n = strings.TrimRightFunc(n, unicode.IsSpace); n != "" && (units.Known(u) || u == LabelUnit) {
			return n, strings.TrimSpace(u)
		}
	}
	if name, unit, sure := behindComma(full); sure || titles && unit != "" {
		return name, unit
	}
	if strings.HasPrefix(full, "%") {
		return full, "percent" // as sysstat's tools call shares: %user, %idle
	}
	return full, ""
}

// behindComma divides "GPU Time Elapsed, ns", as titles have their units, also in front of what of it a column is
// ("Bandwidth, GB/sec:Read"). It is not sure of what is counted, which may be a second name: "Reads, writes".
func behindComma(full string) (name, unit string, sure bool) {
	i := strings.LastIndex(full, ", ")
	if i <= 0 {
		return "", "", false
	}
	unit, part, _ := strings.Cut(full[i+2:], ":")
	if unit = strings.TrimSpace(unit); !units.Known(unit) {
		return "", "", false
	}
	name = strings.TrimRightFunc(full[:i], unicode.IsSpace)
	if part = strings.TrimSpace(part); part != "" {
		name += ":" + part
	}
	if sure = !units.Counts(unit); !sure && units.NamesToo(unit) {
		return "", "", false
	}
	return name, unit, sure
}

// InstanceText is the name of an instance as the header of a wide table can hold it, between the brackets behind a
// counter's name.
func InstanceText(name string) string {
	return strings.NewReplacer("[", "(", "]", ")").Replace(name)
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
	timeNames = []string{"time", "timestamp", "timestamps", "times", "ts", "t", "datetime", "date", "elapsed",
		"elapsedtime", "timeelapsed", "walltime", "sampletime"}
	startName = []string{"start", "starttime", "starttimestamp", "begin", "begintime", "begintimestamp", "timestart",
		"intervalstart", "timestampstart", "startts", "querybegintime"}
	endNames = []string{"end", "endtime", "endtimestamp", "stop", "stoptime", "timeend", "intervalend",
		"timestampend", "endts"}
	// lengthNames say how long a row took.
	lengthNames = []string{"duration", "gputime", "gputimeelapsed", "kernelduration", "kerneltime", "computingtasktotaltime"}
	// frameNames say how long the frame of a row took, in tables that programs write of their own frames beside the times of these.
	frameNames = []string{"frametime", "frameduration", "framelength"}
	// inNanos are names that programs print without a unit, as whole nanoseconds: symbols and titles of Intel's metrics library.
	inNanos = []string{"querybegintime", "gputime", "gputimeelapsed"}
	// inSeconds are the same in seconds: those of reports of VTune.
	inSeconds = []string{"computingtasktotaltime"}

	labelNames = []string{"kernel", "dispatch", "pass", "session", "frame", "framenumber", "frameid", "frameindex", "region", "pid", "tid",
		"process", "thread", "contextid", "contextidvalid", "subdeviceid", "globalinstanceid", "sourceid", "reportreason", "reportid", "worksizeglobal",
		"worksizelocal", "streammarker", "computingtasksvmusagetype", "svmusagetype"}
	nameNames = []string{"counter", "countername", "metric", "metricname", "variable", "event", "eventname",
		"series", "seriesname"}
	// looseNames are those of counters only where a column of values stands beside them: databases and queries of traces
	// call them so, and other tables what a row is about.
	looseNames    = []string{"name", "field", "key", "sensor", "signal", "channel"}
	valueNames    = []string{"value", "values", "countervalue", "metricvalue", "val", "reading"}
	instanceNames = []string{"instance", "instanceid"}
)

// assumeUnit completes the unit of a column of times that states none, where programs that call it so count seconds, or whole
// nanoseconds.
func (h *Header) assumeUnit(c Column, i int) {
	switch joined := joinedName(h.Name); {
	case h.Unit != "" || c.Type != Number:
	case slices.Contains(inSeconds, joined):
		h.Unit = "s"
	case c.Peek != nil && slices.Contains(inNanos, joined) && c.Peek(i).Whole:
		h.Unit = "ns"
	}
}

// isLength says whether a column's name is one of a length in a unit that it states, and completes its unit.
func (h *Header) isLength() bool { return h.lasts(lengthNames) }

// lasts is the same for the names of a list.
func (h *Header) lasts(list []string) bool {
	ws := units.Words(h.Name)
	if n := len(ws); h.Unit == "" && n > 1 {
		if u, ok := timeUnits[ws[n-1]]; ok {
			h.TimeUnit, ws = &u, ws[:n-1]
		}
	} else if u, ok := timeUnits[strings.ToLower(h.Unit)]; ok {
		h.TimeUnit = &u
	}
	return h.TimeUnit != nil && slices.Contains(list, strings.Join(ws, ""))
}

// timeRole says whether a column's name is one of a time column, and completes its unit.
func (h *Header) timeRole() (role, bool) {
	ws := units.Words(h.Name)
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
			if u, ok := timeUnits[strings.TrimPrefix(joined, base)]; ok && strings.HasPrefix(joined, base) &&
				joined != base+"s" {
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

// ownNames are what recordings call labels that other programs call otherwise: by what is left of their names, see joinedName.
var ownNames = map[string]string{"contextid": "context", "frame": "frame", "framenumber": "frame", "frameid": "frame",
	"frameindex": "frame"}

// ownLabels renames columns of labels to what recordings call theirs, where nothing else is called so.
func ownLabels(heads []Header) {
	for i := range heads {
		h := &heads[i]
		label, known := ownNames[joinedName(h.Name)]
		if known && h.Full == h.Name && !slices.ContainsFunc(heads, func(h Header) bool { return h.Name == label }) {
			h.Name, h.Base = label, label
		}
	}
}

// joinedName is a name reduced to its letters and digits, to compare with the lists above.
func joinedName(name string) string { return strings.Join(units.Words(name), "") }

// IsLabel reports whether columns of that name are labels whatever they hold.
func IsLabel(name string) bool { return slices.Contains(labelNames, joinedName(name)) }

// IsTime reports whether a column of that header is one of times.
func (h Header) IsTime() bool {
	_, ok := h.timeRole()
	return ok
}

// parseHeaders parses every column's name. What the file's metadata says of a column comes first.
func parseHeaders(cols []Column) []Header {
	out := make([]Header, len(cols))
	// One title whose unit is plain says that all are titles with units.
	titles := slices.ContainsFunc(cols, func(c Column) bool { _, _, sure := behindComma(c.Name); return sure })
	for i, c := range cols {
		out[i] = parseHeader(c.Name, titles)
		if c.Meta != nil && c.Exact {
			out[i] = exactHeader(c)
		}
		if c.Meta != nil && c.Meta.Unit != "" {
			out[i].Unit = c.Meta.Unit
		}
		if c.Meta != nil && c.Stated {
			kind := c.Meta.Kind
			out[i].Kind = &kind
		}
	}
	return out
}

// exactHeader is the header of a column whose metadata names the counter.
func exactHeader(c Column) Header {
	name := c.Meta.Name
	if name == "" {
		name = c.Name
	}
	h := Header{Full: c.Name, Name: name, Base: name, Instance: c.Meta.Instance}
	if c.Counter != "" && h.Instance != "" {
		h.Base = c.Counter
	}
	return h
}

// distinguish keeps the units in the names of counters that would be the same without.
func (l *Layout) distinguish() {
	cut := func(i int) bool { return l.roles[i] == roleCounter && l.heads[i].Name != l.heads[i].Full }
	count := map[string]int{}
	for i := range l.heads {
		if cut(i) {
			count[l.heads[i].Name] = 0
		}
	}
	if len(count) == 0 {
		return
	}
	for i, h := range l.heads {
		if n, known := count[h.Name]; known && l.roles[i] == roleCounter {
			count[h.Name] = n + 1
		}
	}
	for i := range l.cols {
		if h := &l.heads[i]; cut(i) && count[h.Name] > 1 {
			*h = Header{Full: h.Full, Name: h.Full, Unit: h.Unit, Base: h.Full, Kind: h.Kind}
		}
	}
}
