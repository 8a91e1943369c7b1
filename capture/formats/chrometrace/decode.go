package chrometrace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// event is an event of a trace. Numbers may be written as texts.
type event struct {
	Phase string          `json:"ph"`
	Name  string          `json:"name"`
	Cat   string          `json:"cat"`
	TS    json.RawMessage `json:"ts"`
	Dur   json.RawMessage `json:"dur"`
	PID   json.RawMessage `json:"pid"`
	TID   json.RawMessage `json:"tid"`
	ID    json.RawMessage `json:"id"`
	ID2   struct {
		Local  json.RawMessage `json:"local"`
		Global json.RawMessage `json:"global"`
	} `json:"id2"`
	Scope string          `json:"s"`
	Args  json.RawMessage `json:"args"`
}

// seriesKey names the values of a counter: one argument of the events of one name and id of a process.
type seriesKey struct{ pid, name, id, arg string }

// threadKey names a thread of a process, or what else slices are on.
type threadKey struct{ pid, tid, async string }

// slice is what a thread did, or a mark.
type slice struct {
	thread     threadKey
	name, cat  string
	start, end int64
	args       json.RawMessage // of slices that this package wrote
}

// decoder takes a trace in.
type decoder struct {
	series    map[seriesKey]*line
	order     []*line
	slices    []slice
	open      map[threadKey][]slice
	processes map[string]string // names
	threads   map[threadKey]string
	texts     map[string]string // names that repeat, once
	about     map[string]any    // otherData
	docs      []counterDoc      // what this package says of its counters
	devices   []string
	last      int64 // the latest time
	damaged   tooMany
	timeless  tooMany
	valueless tooMany
	endless   int // slices that begin and do not end
	loose     int // ends without a beginning
	warnings  []string
	tally     memory.Tally
}

// tooMany counts what is left out, and keeps where the first is.
type tooMany struct {
	n     int
	first int64
	why   string
}

func (t *tooMany) add(at int64, why string) {
	if t.n == 0 {
		t.first, t.why = at, why
	}
	t.n++
}

func decode(ctx context.Context, r io.Reader) (*capture.Config, error) {
	d := &decoder{series: map[seriesKey]*line{}, open: map[threadKey][]slice{}, processes: map[string]string{},
		threads: map[threadKey]string{}, texts: map[string]string{}, last: math.MinInt64}
	cut, err := newScanner(ctx, r).trace(d.event, d.beside)
	if err != nil {
		return nil, err
	}
	if cut != "" {
		d.warn("truncated: %s: what came before it was kept", cut)
	}
	for _, left := range []struct {
		tooMany
		what string
	}{{d.damaged, "damaged"}, {d.timeless, "without a time"}, {d.valueless, "a counter without a number"}} {
		if left.n > 0 {
			some := fmt.Sprintf("%d events are left out, %s: the first", left.n, left.what)
			if left.n == 1 {
				some = fmt.Sprintf("an event is left out, %s:", left.what)
			}
			d.warn("%s at byte %d: %s", some, left.first, left.why)
		}
	}
	d.closeSlices()
	return d.build()
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// text keeps one copy of each name.
func (d *decoder) text(s string) string {
	if have, ok := d.texts[s]; ok {
		return have
	}
	d.tally.Must(uint64(2*len(s)) + 64)
	s = strings.ToValidUTF8(strings.Clone(s), "\uFFFD")
	d.texts[s] = s
	return s
}

// plain is a number or a text as text: "7" and 7 name the same process.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if s = string(raw); s == "null" {
		return ""
	}
	return s
}

func (d *decoder) event(b []byte, at int64) error {
	var e event
	if err := json.Unmarshal(b, &e); err != nil {
		// Some programs write numbers that JSON does not have, or a comma too many.
		e = event{}
		if json.Unmarshal(mended(b), &e) != nil {
			d.damaged.add(at, err.Error())
			return nil
		}
	}
	pid, tid := d.text(plain(e.PID)), plain(e.TID)
	if e.Phase == "M" {
		d.name(&e, pid, d.text(tid))
		return nil
	}
	phase := (e.Phase + " ")[:1] // viewers look at the first letter
	if !strings.Contains("CXBEbeniIR", phase) {
		return nil
	}
	ts, err := nanoseconds(plain(e.TS))
	if err != nil {
		d.timeless.add(at, err.Error())
		return nil
	}
	d.last = max(d.last, ts)
	thread := threadKey{pid: pid, tid: d.text(tid)}
	switch phase {
	case "C":
		return d.counter(&e, pid, ts, at)
	case "X":
		dur := int64(0)
		if len(e.Dur) > 0 {
			if dur, err = nanoseconds(plain(e.Dur)); err != nil || dur < 0 {
				d.timeless.add(at, fmt.Sprintf("a duration of %s", e.Dur))
				return nil
			}
		}
		d.last = max(d.last, ts+dur)
		d.keep(&e, thread, ts, ts+dur)
	case "B", "b":
		if phase == "b" {
			thread = d.async(&e, pid)
		}
		d.tally.Must(uint64(len(e.Args)) + 128)
		d.open[thread] = append(d.open[thread], slice{thread: thread, name: d.text(e.Name), cat: d.text(e.Cat), start: ts})
	case "E", "e":
		if phase == "e" {
			thread = d.async(&e, pid)
		}
		stack := d.open[thread]
		if len(stack) == 0 {
			d.loose++
			return nil
		}
		s := stack[len(stack)-1]
		d.open[thread] = stack[:len(stack)-1]
		s.end = max(ts, s.start)
		d.slices = memory.Append(&d.tally, d.slices, s)
	case "n":
		d.keep(&e, d.async(&e, pid), ts, ts)
	default:
		switch e.Scope {
		case "g":
			thread = threadKey{}
		case "p":
			thread.tid = ""
		}
		d.keep(&e, thread, ts, ts)
	}
	return nil
}

// async is what slices that no thread has are on: those of one category, name and id nest.
func (d *decoder) async(e *event, pid string) threadKey {
	id, name := plain(e.ID), cmp.Or(e.Cat, e.Name)
	switch {
	case len(e.ID2.Global) > 0:
		id, pid = plain(e.ID2.Global), ""
	case len(e.ID2.Local) > 0:
		id = plain(e.ID2.Local)
	}
	return threadKey{pid: pid, tid: d.text(id), async: d.text(name)}
}

func (d *decoder) keep(e *event, thread threadKey, start, end int64) {
	s := slice{thread: thread, name: d.text(e.Name), cat: d.text(e.Cat), start: start, end: end}
	if ourCategories[e.Cat] {
		d.tally.Must(uint64(len(e.Args)))
		s.args = bytes.Clone(e.Args)
	}
	d.slices = memory.Append(&d.tally, d.slices, s)
}

// closeSlices ends what did not end at the end of the trace.
func (d *decoder) closeSlices() {
	for _, stack := range d.open {
		for _, s := range stack {
			d.endless++
			s.end = max(d.last, s.start)
			d.slices = memory.Append(&d.tally, d.slices, s)
		}
	}
	if d.endless > 0 {
		d.warn("%d slices begin and do not end: they last to the end of the trace", d.endless)
	}
	if d.loose > 0 {
		d.warn("%d ends of slices are left out: nothing began there", d.loose)
	}
}

// name keeps the name of a process or thread.
func (d *decoder) name(e *event, pid, tid string) {
	var args struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(e.Args, &args) != nil || args.Name == "" {
		return
	}
	switch e.Name {
	case "process_name":
		d.processes[pid] = d.text(args.Name)
	case "thread_name":
		d.threads[threadKey{pid: pid, tid: tid}] = d.text(args.Name)
	}
}

// beside takes what stands beside the events. What cannot be read of it is not needed.
func (d *decoder) beside(key string, b []byte) {
	d.tally.Must(uint64(4 * len(b)))
	switch key {
	case `"otherData"`:
		_ = json.Unmarshal(b, &d.about)
	case `"counters"`:
		_ = json.Unmarshal(b, &d.docs)
	case `"deviceProperties"`:
		var list []struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(b, &list)
		for _, one := range list {
			d.devices = append(d.devices, one.Name)
		}
	}
}

// counter takes a counter event: a number for each argument, whose names may be nested.
func (d *decoder) counter(e *event, pid string, ts, at int64) error {
	id := plain(e.ID)
	switch {
	case len(e.ID2.Global) > 0:
		id = plain(e.ID2.Global)
	case len(e.ID2.Local) > 0:
		id = plain(e.ID2.Local)
	}
	dec := json.NewDecoder(bytes.NewReader(e.Args))
	dec.UseNumber()
	some := false
	var path []string
	var lists int
	key, isKey := "", true
	for {
		tok, err := dec.Token()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				d.valueless.add(at, err.Error())
				return nil
			}
			break
		}
		switch v := tok.(type) {
		case json.Delim:
			switch v {
			case '{':
				if len(path) >= 16 {
					d.valueless.add(at, "arguments nest too deep")
					return nil
				}
				path, isKey = append(path, key), true
			case '}':
				path, isKey = path[:len(path)-1], true
			case '[':
				lists++
			case ']':
				lists--
				isKey = true
			}
			continue
		case string:
			if isKey && lists == 0 {
				key, isKey = v, false
				continue
			}
			some = d.value(seriesKey{pid, e.Name, id, dotted(path, key)}, ts, v) || some
		case json.Number:
			if lists == 0 && len(path) > 0 {
				some = d.value(seriesKey{pid, e.Name, id, dotted(path, key)}, ts, v.String()) || some
			}
		}
		isKey = lists == 0
	}
	if !some {
		d.valueless.add(at, fmt.Sprintf("counter %q has no argument that is a number", e.Name))
	}
	return nil
}

// dotted is the name of an argument: the names of the objects that it is in, but for the first, which is args.
func dotted(path []string, key string) string {
	if len(path) > 1 {
		return strings.Join(append(path[1:len(path):len(path)], key), ".")
	}
	return key
}

func (d *decoder) value(key seriesKey, ts int64, text string) bool {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		d.add(key, ts, uint64(i), false)
		return true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(text, "xX_pP") {
		return false
	}
	d.add(key, ts, math.Float64bits(f), true)
	return true
}

// mended is the text of an event without what JSON does not have: numbers that are none become null, commas before the
// end of a list or an object go, and lines may end within a text.
func mended(b []byte) []byte {
	out := make([]byte, 0, len(b))
	text, escaped := false, false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case escaped:
			escaped = false
		case text && c == '\\':
			escaped = true
		case c == '"':
			text = !text
		case text && c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
			continue
		case text:
		case c == '}' || c == ']':
			trimmed := bytes.TrimRight(out, " \t\r\n")
			if n := len(trimmed); n > 0 && trimmed[n-1] == ',' {
				out = trimmed[:n-1]
			}
		case c == 'N' || c == 'I' || c == '-' && i+1 < len(b) && b[i+1] == 'I':
			rest := bytes.TrimPrefix(b[i:], []byte("-"))
			if word := notNumber(rest); word > 0 {
				out = append(out, "null"...)
				i += len(b[i:]) - len(rest) + word - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

func notNumber(b []byte) int {
	for _, w := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(b, []byte(w)) {
			return len(w)
		}
	}
	return 0
}

// nanoseconds reads microseconds, exactly where they have at most three decimals.
func nanoseconds(text string) (int64, error) {
	whole, decimals, _ := strings.Cut(text, ".")
	if us, err := strconv.ParseInt(whole, 10, 64); err == nil && len(decimals) <= 3 && !strings.HasPrefix(text, "+") &&
		us < math.MaxInt64/4000 && us > math.MinInt64/4000 {
		if part, err := strconv.ParseUint((decimals + "000")[:3], 10, 16); err == nil {
			ns := 1000 * us
			if strings.HasPrefix(whole, "-") {
				return ns - int64(part), nil
			}
			return ns + int64(part), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > math.MaxInt64/4000 {
		return 0, fmt.Errorf("%q is no time in microseconds", text)
	}
	return int64(math.Round(f * 1000)), nil
}
