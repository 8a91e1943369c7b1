package perfstat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Values that perf prints instead of a count.
const (
	notCounted   = "<not counted>"
	notSupported = "<not supported>"
)

// reading is one line of perf stat.
type reading struct {
	interval string // seconds, "" without -I
	instance string // CPU, core, socket or thread; "" for all
	parts    uint64 // how many CPUs the value is of, 0 if unknown
	value    string
	unit     string
	event    string
	noise    string // percent, "" without -r
	runtime  uint64 // ns
	running  string // percent of the time enabled
	timed    bool   // runtime and running are there
	metrics  int    // values that perf computed
	utilized string // CPUs that the tasks kept busy, as perf computed of a clock and the elapsed time
	whole    bool   // instance is a CPU, or some of the machine's
	thread   bool   // instance is a task
	summary  bool   // the total of intervals that stand there already
}

// parser reads lines. It keeps the separator that the first line of a CSV has.
type parser struct {
	separator string
}

func (p *parser) line(text string) (*reading, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return parseJSON(text)
	}
	if p.separator != "" {
		return parseCSV(text, p.separator)
	}
	// The first line decides: best by a separator that gives it all its fields.
	var first error
	var found *reading
	for _, sep := range []string{",", ";", "\t", "|"} {
		r, err := parseCSV(text, sep)
		switch {
		case err == nil && r.event != "" && (found == nil || r.timed && !found.timed):
			found, p.separator = r, sep
		case err != nil && first == nil && strings.Contains(text, sep):
			first = err
		case err == nil && found == nil && r.event == "" && strings.Contains(text, sep):
			found = r
		}
	}
	switch {
	case found != nil:
		return found, nil
	case first == nil:
		first = fmt.Errorf("%q has no fields", shorten(text))
	}
	return nil, first
}

var (
	intervalForm  = pattern(`^[0-9]+[.,][0-9]{9}$`)
	aggregateForm = pattern(`^(S[0-9]+(-D[0-9]+)?(-(C|CLS|L[0-9]+-ID)[0-9]+)?|N[0-9]+|D[0-9]+)$`)
	cpuForm       = pattern(`^CPU([0-9]+)$`)
)

// isValue reports whether a field can be a count.
func isValue(s string) bool {
	if s == notCounted || s == notSupported {
		return true
	}
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	_, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return err == nil
}

// parseCSV finds the count in a line: it is followed by a unit, which is no number, and an event, which is none either.
func parseCSV(text, sep string) (*reading, error) {
	f := strings.Split(text, sep)
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	r := &reading{}
	if f[0] == "summary" {
		r.summary = true
		return r, nil
	}
	at := -1
	for k := 0; k < 4 && k+2 < len(f); k++ {
		if isValue(f[k]) && !isValue(f[k+1]) && f[k+2] != "" && !isValue(f[k+2]) {
			at = k
			break
		}
	}
	if at < 0 {
		if isMetricLine(f) {
			r.metrics = 1
			return r, nil
		}
		return nil, fmt.Errorf("%q has no value, unit and event", shorten(text))
	}
	if err := r.before(f[:at]); err != nil {
		return nil, err
	}
	r.value, r.unit = f[at], f[at+1]
	return r, r.after(f[at+2:], sep)
}

// isMetricLine recognises lines with a further metric of the event above, and those of --metric-only.
func isMetricLine(f []string) bool {
	if len(f) < 3 {
		return false
	}
	if intervalForm().MatchString(f[0]) {
		return true
	}
	n := len(f)
	return f[0] == "" && isValue(f[n-2]) || isValue(f[n-2]) && !isValue(f[n-1]) && f[n-3] == ""
}

// before reads the fields that stand before the count: the time, what the count is of, and of how many CPUs.
func (r *reading) before(f []string) error {
	if len(f) > 0 && intervalForm().MatchString(f[0]) {
		r.interval, f = strings.Replace(f[0], ",", ".", 1), f[1:]
	}
	switch {
	case len(f) == 0:
	case len(f) == 1:
		r.instance, r.thread = f[0], true
		if m := cpuForm().FindStringSubmatch(f[0]); m != nil {
			r.instance, r.whole, r.thread = m[1], true, false
		}
	case len(f) == 2 && (aggregateForm().MatchString(f[0]) || f[0] != ""):
		n, err := strconv.ParseUint(f[1], 10, 32)
		if err != nil {
			return fmt.Errorf("%q is no number of CPUs", f[1])
		}
		r.instance, r.parts, r.whole = f[0], n, true
	default:
		return fmt.Errorf("%q stands before the count, where a time and a CPU are expected", strings.Join(f, " "))
	}
	return nil
}

// after reads the event and what stands behind it. An event such as cpu/event=0x3c,umask=0x1/ may hold the separator.
func (r *reading) after(f []string, sep string) error {
	r.event, f = f[0], f[1:]
	for strings.Count(r.event, "/")%2 == 1 && len(f) > 0 {
		r.event, f = r.event+sep+f[0], f[1:]
	}
	if len(f) > 1 && f[0] != "" && !isValue(f[0]) && !strings.HasSuffix(f[0], "%") &&
		(isWhole(f[1]) || strings.HasSuffix(f[1], "%")) {
		r.instance, f = joinIDs(r.instance, f[0]), f[1:] // a control group
	}
	if len(f) > 0 && strings.HasSuffix(f[0], "%") {
		r.noise, f = strings.TrimSuffix(f[0], "%"), f[1:]
	}
	if len(f) >= 2 {
		n, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			return fmt.Errorf("event %s: %q is no running time in ns", r.event, f[0])
		}
		if !isValue(f[1]) {
			return fmt.Errorf("event %s: %q is no percentage", r.event, f[1])
		}
		r.runtime, r.running, r.timed, f = n, f[1], true, f[2:]
	}
	for i := 0; i+1 < len(f); i += 2 {
		if f[i] != "" {
			r.metrics++
		}
		if strings.EqualFold(f[i+1], cpusUtilized) {
			r.utilized = f[i]
		}
	}
	return nil
}

// cpusUtilized is what perf calls a clock divided by the elapsed time.
const cpusUtilized = "CPUs utilized"

func isWhole(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

func joinIDs(a, b string) string {
	if a == "" {
		return b
	}
	return a + "/" + b
}

// jsonLine is a line of perf stat -j, of all versions since 6.0.
type jsonLine struct {
	Interval    *json.Number `json:"interval"`
	CPU         *string      `json:"cpu"`
	Core        *string      `json:"core"`
	Die         *string      `json:"die"`
	Cluster     *string      `json:"cluster"`
	Cache       *string      `json:"cache"`
	Socket      *string      `json:"socket"`
	Node        *string      `json:"node"`
	Thread      *string      `json:"thread"`
	Cgroup      *string      `json:"cgroup"`
	Aggregate   uint64       `json:"aggregate-number"`
	Counters    uint64       `json:"counters"`
	Value       *string      `json:"counter-value"`
	Unit        string       `json:"unit"`
	Event       string       `json:"event"`
	Variance    *json.Number `json:"variance"`
	Runtime     *uint64      `json:"event-runtime"`
	Running     *json.Number `json:"pcnt-running"`
	MetricUnit  string       `json:"metric-unit"`
	MetricValue any          `json:"metric-value"`
}

func parseJSON(text string) (*reading, error) {
	var j jsonLine
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return nil, fmt.Errorf("%q is no JSON of perf stat: %w", shorten(text), err)
	}
	r := &reading{unit: j.Unit, event: j.Event, parts: max(j.Aggregate, j.Counters)}
	if j.MetricUnit != "" {
		r.metrics = 1
	}
	if j.Value == nil {
		if j.Event != "" || j.MetricValue == nil && j.MetricUnit == "" && j.Unit == "" && j.Interval == nil {
			return nil, fmt.Errorf("%q has no counter-value", shorten(text))
		}
		r.event, r.metrics = "", 1
		return r, nil
	}
	if j.Event == "" {
		return nil, fmt.Errorf("%q has no event", shorten(text))
	}
	r.value = *j.Value
	if !isValue(r.value) {
		return nil, fmt.Errorf("event %s: the counter-value %q is no number", r.event, r.value)
	}
	if strings.EqualFold(j.MetricUnit, cpusUtilized) {
		r.utilized = fmt.Sprint(j.MetricValue)
	}
	r.whole, r.thread = j.Thread == nil && j.Cgroup == nil, j.Thread != nil
	for _, id := range []*string{j.CPU, j.Core, j.Die, j.Cluster, j.Cache, j.Socket, j.Node, j.Thread, j.Cgroup} {
		if id != nil {
			r.instance = joinIDs(r.instance, *id)
		}
	}
	r.whole = r.whole && r.instance != ""
	if j.Interval != nil {
		r.interval = j.Interval.String()
	}
	if j.Variance != nil {
		r.noise = j.Variance.String()
	}
	if j.Runtime != nil && j.Running != nil {
		r.runtime, r.running, r.timed = *j.Runtime, j.Running.String(), true
	}
	return r, nil
}

func shorten(text string) string {
	const most = 60
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
