package budget

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	toml "github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"astrolabe/capture/metrics"
	"astrolabe/capture/spelling"
)

// Budget is a file of limits.
type Budget struct {
	File   string // as the user called it
	Hash   string // SHA-256 of its content, in hexadecimal
	Title  string
	GPU    string // catalogue id of the captures that it is for; "" is any
	Limits []*Limit
	lines  map[string]int
}

// What a limit holds for, besides the name of a label.
const (
	perTotal  = "total"  // the whole capture
	perFrame  = "frame"  // every frame
	perRegion = "region" // every occurrence of a region
	perSample = "sample" // every sample
)

// durationMetric is the metric that says how long a frame, a region, a sample or the capture took, in seconds.
const durationMetric = "duration"

// Limit is one [[limit]] of a file.
type Limit struct {
	Line      int    // of the file
	Name      string // "" where the file gives none: see Label
	Metric    string // exactly one of Metric and Expr is set
	Expr      string
	Unit      string // of Expr
	Max, Min  string // a number or a quantity such as "80GB/s", "" for none; at least one is set
	Per       string // perTotal, perFrame, perRegion, perSample or the name of a label
	Of        []string
	Statistic string // "" judges every part
	Allow     Allowance
	Skip      bool // what has no value is left out instead of failing
	Why       string

	file   string
	lines  map[string]int
	inline bool // of the command line
}

// Allowance is how many parts may break a limit.
type Allowance struct {
	Count   int
	Percent float64 // of all parts; used where Share is true
	Share   bool
}

// parts is how many of n parts may break the limit.
func (a Allowance) parts(n int) int {
	if a.Share {
		return int(math.Floor(a.Percent*float64(n)/100 + 1e-9)) // 0.57 × 10000 / 100 is a little less than 57
	}
	return a.Count
}

func (a Allowance) String() string {
	if a.Share {
		return strconv.FormatFloat(a.Percent, 'g', -1, 64) + " %"
	}
	return strconv.Itoa(a.Count)
}

// Label is what reports call the limit.
func (l *Limit) Label() string {
	return cmp.Or(l.Name, l.Metric, strings.Join(strings.Fields(l.Expr), " "))
}

// Scope says in words what the limit holds for, such as "p99 of frame".
func (l *Limit) Scope() string {
	text := l.Per
	if len(l.Of) > 0 {
		text += " " + strings.Join(l.Of, ", ")
	}
	if l.Statistic != "" {
		return l.Statistic + " per " + text
	}
	if l.Per == perTotal {
		return text
	}
	return "every " + text
}

// Error is a mistake in a budget file, or, without a line, in a limit of the command line.
type Error struct {
	File string
	Line int
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}
func (e *Error) Unwrap() error { return e.Err }

// fault is a mistake in the value of one key of the limit.
func (l *Limit) fault(key string, err error) error {
	if l.inline {
		return &Error{l.file, 0, err}
	}
	return &Error{l.file, cmp.Or(l.lines[key], l.Line), err}
}

// Parse reads a budget. file is its name in errors. The error joins an *Error for every mistake, in the order of the
// lines.
func Parse(file string, data []byte) (*Budget, error) {
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, &Error{file, line, err}
		}
		return nil, &Error{file, 1, err}
	}
	r := &reader{file: file, lines: keyLines(data)}
	b := r.budget(doc)
	b.Hash = fmt.Sprintf("%x", sha256.Sum256(data))
	if len(r.faults) > 0 {
		sort.SliceStable(r.faults, func(i, j int) bool { return r.faults[i].Line < r.faults[j].Line })
		errs := make([]error, len(r.faults))
		for i, f := range r.faults {
			errs[i] = f
		}
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// keyLines finds the line of every key: "title", "limit[0]" for a table and "limit[0].max" for what stands in it.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	newlines, counted := 0, 0                                // in data[:counted]
	name := func(n *unstable.Node) (text string, line int) { // of the first part of a key
		it := n.Key()
		if !it.Next() {
			return "", 0
		}
		k := it.Node()
		// keys come in order; Parser.Shape would count from the start for each
		if offset := int(k.Raw.Offset); offset >= counted {
			newlines += bytes.Count(data[counted:offset], []byte{'\n'})
			counted = offset
		}
		return string(k.Data), newlines + 1
	}
	note := func(key string, line int) {
		if _, ok := lines[key]; !ok {
			lines[key] = line
		}
	}
	tables, prefix := 0, ""
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.ArrayTable, unstable.Table:
			key, line := name(n)
			if n.Kind == unstable.ArrayTable && key == limitKey {
				prefix = fmt.Sprintf("%s[%d]", limitKey, tables)
				tables++
				note(prefix, line)
				prefix += "."
			} else {
				prefix = key + "."
			}
			note(key, line)
		case unstable.KeyValue:
			key, line := name(n)
			note(prefix+key, line)
			if prefix != "" || key != limitKey || n.Value().Kind != unstable.Array {
				continue
			}
			for it := n.Value().Children(); it.Next(); tables++ { // limit = [{…}, {…}]
				table := fmt.Sprintf("%s[%d]", limitKey, tables)
				for kv := it.Node().Children(); it.Node().Kind == unstable.InlineTable && kv.Next(); {
					if kv.Node().Kind != unstable.KeyValue {
						continue
					}
					key, line := name(kv.Node())
					note(table, line)
					note(table+"."+key, line)
				}
			}
		}
	}
	return lines
}

const limitKey = "limit"

// The keys of a file and of a limit.
var (
	topKeys   = []string{"title", "gpu", limitKey}
	limitKeys = []string{"metric", "expr", "unit", "name", "max", "min", "per", "of", "statistic", "allow",
		"missing", "why"}
)

// reader turns decoded TOML into a Budget and collects what is wrong with it.
type reader struct {
	file   string
	lines  map[string]int
	faults []*Error
}

func (r *reader) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, &Error{r.file, max(line, 1), fmt.Errorf(format, args...)})
}

func (r *reader) budget(doc map[string]any) *Budget {
	b := &Budget{File: r.file, lines: r.lines}
	top := table{r, doc, "", 1}
	top.known(topKeys)
	b.Title, b.GPU = top.text("title"), top.text("gpu")
	if b.GPU != "" {
		if _, err := metrics.Get(b.GPU); err != nil {
			r.fault(r.lines["gpu"], "gpu: %v", err)
		}
	}
	list, ok := doc[limitKey].([]any)
	switch {
	case doc[limitKey] == nil || ok && len(list) == 0:
		r.fault(1, "there is no [[limit]]: a budget without limits keeps nothing in check")
		return b
	case !ok:
		r.fault(r.lines[limitKey], "limit is %s: write [[limit]] before every limit", kindOf(doc[limitKey]))
		return b
	}
	for i, v := range list {
		prefix := fmt.Sprintf("%s[%d]", limitKey, i)
		line := cmp.Or(r.lines[prefix], r.lines[limitKey])
		m, ok := v.(map[string]any)
		if !ok {
			r.fault(line, "limit is %s: write [[limit]] before every limit", kindOf(v))
			continue
		}
		b.Limits = append(b.Limits, r.limit(table{r, m, prefix + ".", line}))
	}
	return b
}

func (r *reader) limit(t table) *Limit {
	l := &Limit{Line: t.line, file: r.file, lines: map[string]int{}}
	for _, k := range limitKeys {
		l.lines[k] = t.lineOf(k)
	}
	t.known(limitKeys)
	l.Name, l.Metric, l.Expr, l.Unit, l.Why = t.text("name"), t.text("metric"), t.text("expr"),
		t.text("unit"), t.text("why")
	l.Per, l.Statistic = cmp.Or(t.text("per"), perTotal), t.text("statistic")
	l.Max, l.Min = t.bound("max"), t.bound("min")
	l.Of, l.Allow = t.texts("of"), t.allowance("allow")
	switch {
	case !t.has("metric") && !t.has("expr"):
		r.fault(t.line, "the limit names no metric: give metric or expr")
	case t.has("metric") && t.has("expr"):
		r.fault(t.lineOf("expr"), "a limit has a metric or an expr, not both")
	}
	if t.has("unit") && !t.has("expr") {
		r.fault(t.lineOf("unit"), "unit goes with expr: a metric has its own unit")
	}
	if !t.has("max") && !t.has("min") {
		r.fault(t.line, "the limit has neither max nor min")
	}
	if l.Statistic == "every" {
		l.Statistic = ""
	}
	if _, err := statisticOf(l.Statistic); err != nil {
		r.fault(t.lineOf("statistic"), "%v", err)
	}
	switch missing := cmp.Or(t.text("missing"), "fail"); missing {
	case "fail":
	case "skip":
		l.Skip = true
	default:
		r.fault(t.lineOf("missing"), `missing is %q: it is "fail" or "skip"`, missing)
	}
	if t.has("of") && (l.Per == perTotal || l.Per == perSample || l.Per == perFrame) {
		r.fault(t.lineOf("of"), "of selects regions or values of a label: it says nothing per %s", l.Per)
	}
	if t.has("allow") && (l.Statistic != "" || l.Per == perTotal) {
		r.fault(t.lineOf("allow"),
			"allow is for limits that every frame, region, sample or the like must keep: a total or a statistic is one number")
	}
	if l.Statistic != "" && l.Per == perTotal {
		r.fault(t.lineOf("statistic"),
			`a total is one number: a statistic needs per = "frame", "region", "sample" or a label`)
	}
	return l
}

// table is a table of the file.
type table struct {
	r      *reader
	values map[string]any
	prefix string // of its keys in reader.lines
	line   int
}

func (t table) has(key string) bool { return t.values[key] != nil }

func (t table) lineOf(key string) int { return cmp.Or(t.r.lines[t.prefix+key], t.line) }

// known complains about keys that are not in the list.
func (t table) known(keys []string) {
	for key := range t.values {
		if slices.Contains(keys, key) {
			continue
		}
		hint := "; there are " + strings.Join(keys, ", ")
		if near := spelling.Near(key, keys); len(near) > 0 {
			hint = fmt.Sprintf(" (did you mean %s?)", near[0])
		}
		t.r.fault(t.lineOf(key), "unknown key %q%s", key, hint)
	}
}

func (t table) text(key string) string {
	v, ok := t.values[key]
	if !ok {
		return ""
	}
	s, ok := v.(string)
	switch {
	case !ok:
		t.r.fault(t.lineOf(key), "%s is %s: it must be a text in quotes", key, kindOf(v))
	case strings.TrimSpace(s) == "":
		t.r.fault(t.lineOf(key), "%s is empty: leave it out instead", key)
	}
	return s
}

// texts is a text, or a list of them.
func (t table) texts(key string) []string {
	list, ok := t.values[key].([]any)
	if !ok {
		if s := t.text(key); s != "" {
			return []string{s}
		}
		return nil
	}
	var out []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok || s == "" {
			t.r.fault(t.lineOf(key), "%s holds %s: it must be a list of texts", key, kindOf(v))
			return nil
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		t.r.fault(t.lineOf(key), "%s is empty: leave it out instead", key)
	}
	return out
}

// bound is a number as text, or a quantity. Its unit is judged beside the metric's.
func (t table) bound(key string) string {
	switch v := t.values[key].(type) {
	case nil:
		return ""
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.r.fault(t.lineOf(key), "%s is %v: a limit is a finite number", key, v)
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return t.text(key)
	default:
		t.r.fault(t.lineOf(key), `%s is %s: it must be a number or a quantity such as "80GB/s"`, key, kindOf(v))
		return ""
	}
}

func (t table) allowance(key string) Allowance {
	wrong := func() Allowance {
		t.r.fault(t.lineOf(key), `%s is %v: it must be a count such as 3, or a share from "0%%" to "100%%"`,
			key, t.values[key])
		return Allowance{}
	}
	switch v := t.values[key].(type) {
	case nil:
		return Allowance{}
	case int64:
		if v < 0 || v > math.MaxInt32 {
			return wrong()
		}
		return Allowance{Count: int(v)}
	case string:
		number, ok := strings.CutSuffix(strings.TrimSpace(v), "%")
		p, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if !ok || err != nil || !(p >= 0 && p <= 100) {
			return wrong()
		}
		return Allowance{Percent: p, Share: true}
	}
	return wrong()
}

// kindOf says in words what a value of TOML is.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the text %q", v)
	case int64, float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
