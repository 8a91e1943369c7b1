package monitors

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture/formats/internal/machine"
)

// reader takes in lines.
type reader struct {
	options
	name    string
	tables  []*rows
	now     *rows // the table that rows belong to
	ends    []int64
	places  []string
	codes   map[string]int32
	cpus    int
	odd     int // lines that are neither header nor row
	oddLine int
	again   int // values that a sample has twice
	cut     int // the line that breaks off
	restart bool
	blank   bool // the line before was
}

// rows are what a table has.
type rows struct {
	header
	last    int64 // the time of the row before, with the days that passed
	day     int64
	first   int64 // the start of the first interval, -1 where it is not known
	reports int   // of programs that print no times
	seen    map[string]bool
	at      []int64 // of each row: its end
	of      []int32 // its place
	values  [][]cell
}

// cell is a value of a row.
type cell struct {
	row int32
	v   float64
}

var banner = regexp.MustCompile(`^Linux \S+ .*\((\d+) CPU\)|;LINUX-RESTART\s*\((\d+) CPU\)`)

// line takes in one line.
func (r *reader) line(text string, n int) error {
	ended := strings.HasSuffix(text, "\n")
	words := strings.Fields(text)
	blank := r.blank
	r.blank = len(words) == 0
	if r.blank {
		return nil
	}
	if m := banner.FindStringSubmatch(text); m != nil {
		r.cpus, _ = strconv.Atoi(m[1] + m[2])
		r.restart = r.restart || m[2] != ""
		return nil
	}
	if h := parseHeader(text); h != nil {
		r.begin(h, words)
		return nil
	}
	if blank && titles(words) {
		r.now = nil
	}
	if r.now == nil || passed(words) {
		return nil
	}
	if r.now.cells {
		words = strings.Split(strings.TrimSpace(text), ";")
	}
	row, at, err := r.now.split(words)
	if err == nil && row != nil {
		err = r.add(row, at)
	}
	switch {
	case err != nil && !ended && len(r.ends) > 0:
		r.cut = n
	case err != nil:
		return err
	case row == nil:
		if r.odd++; r.odd == 1 {
			r.oddLine = n
		}
	}
	return nil
}

// titles reports whether words are the header of a table of sysstat that is not known, such as that of interrupts of sar -A:
// a time, and no number behind it.
func titles(words []string) bool {
	n := clockWords(words)
	return n > 0 && n < len(words) && !slices.ContainsFunc(words[n:], func(w string) bool { _, ok := parseNumber(w); return ok })
}

// passed reports whether a line is what such a program prints beside headers and rows: means over all, and titles above headers.
func passed(words []string) bool {
	return words[0] == "Average:" || words[0] == "Summary:" || words[0] == "Minimum:" || words[0] == "Maximum:" || strings.HasPrefix(words[0], "procs") ||
		strings.HasPrefix(words[0], "--procs") || strings.HasPrefix(words[len(words)-1], "LINUX") || slices.Contains(words, "RESTART")
}

// begin makes a header's table the one that rows belong to.
func (r *reader) begin(h *header, words []string) {
	for _, t := range r.tables {
		if t.same(h) {
			t.clock = h.clock
			r.now = t
			return
		}
	}
	r.now = &rows{header: *h, first: -1, values: make([][]cell, len(h.names)), seen: map[string]bool{}}
	if h.titled {
		half := ""
		if h.clock > 1 {
			half = words[1]
		}
		if at, ok := clock(words[0], half); ok {
			r.now.first = at
		}
	}
	r.tables = append(r.tables, r.now)
}

// split divides a line into the cells of a row, nil where it is none, and its time, 0 where it has none.
func (t *rows) split(words []string) (row []string, at int64, err error) {
	switch {
	case t.cells:
		if words, at = t.sadf(words); words == nil {
			return nil, 0, nil
		}
	case t.dated:
		if len(words) < 2 {
			return nil, 0, nil
		}
		n := len(words) - 2
		when, err := time.Parse(time.DateTime, strings.Join(words[n:], " "))
		if err != nil {
			return nil, 0, nil
		}
		words, at = words[:n], when.UnixNano()
	case t.timed:
		n := clockWords(words)
		if n == 0 {
			return nil, 0, nil
		}
		half := ""
		if n > 1 {
			half = words[1]
		}
		at, _ = clock(words[0], half)
		if t.titled && t.clock == 3 {
			n++
		}
		if n > len(words) {
			return nil, 0, nil
		}
		words = words[n:]
	default:
		if _, ok := parseNumber(words[0]); !ok && words[0] != "-" {
			return nil, 0, nil
		}
	}
	if t.names[len(t.names)-1] == "Command" && len(words) > len(t.names) {
		last := len(t.names) - 1
		words = append(slices.Clone(words[:last]), strings.Join(words[last:], " "))
	}
	short := !t.timed && !t.since && len(words) > 2 && len(words) < len(t.names) // turbostat leaves out what the first CPU of a core has told
	if len(words) != len(t.names) && !short {
		return nil, 0, fmt.Errorf("%d values below a header of %d columns (%s ...): two lines run into each other, or columns without a blank between them", len(words),
			len(t.names), strings.Join(t.names[:min(3, len(t.names))], " "))
	}
	return words, at, nil
}

// sadf takes the host, the interval and the time from the cells of a row; nil where it is none.
func (t *rows) sadf(words []string) (row []string, at int64) {
	if len(words) < 4 {
		return nil, 0
	}
	length, err := strconv.ParseInt(words[1], 10, 32)
	if err != nil {
		return nil, 0
	}
	when, err := time.Parse(time.DateTime, strings.TrimSuffix(words[2], " UTC"))
	if at = when.UnixNano(); err != nil {
		var ok bool
		if at, ok = clock(words[2], ""); !ok {
			return nil, 0
		}
	}
	if len(t.at) == 0 && length > 0 {
		t.first = at - length*int64(time.Second)
	}
	return words[3:], at
}

// add takes in a row.
func (r *reader) add(words []string, at int64) error {
	t := r.now
	if t.process(words) {
		return nil
	}
	place := machine.Place(t.tasks, func(column string) string {
		i := slices.Index(t.names, column)
		if i < 0 || i >= len(words) || !slices.Contains(t.keys, column) {
			return ""
		}
		return words[i]
	})
	end, err := t.end(at, place)
	if err != nil {
		return err
	}
	values := make([]float64, len(words))
	for i, w := range words {
		if slices.Contains(t.keys, t.names[i]) {
			continue
		}
		v, ok := parseNumber(w)
		if !ok && w != "-" {
			return fmt.Errorf("column %s: %q is no number (print plain ones: without --human)", t.names[i], w)
		}
		values[i] = v
	}
	row := int32(len(t.at))
	t.at, t.of = append(t.at, end), append(t.of, r.code(place))
	for i, v := range values {
		if !slices.Contains(t.keys, t.names[i]) && words[i] != "-" {
			t.values[i] = append(t.values[i], cell{row, v})
		}
	}
	r.ends = append(r.ends, end)
	return nil
}

// process reports whether a row is of a process whose threads have rows of their own (pidstat -t): what they did is in both.
func (t *rows) process(words []string) bool {
	i := slices.Index(t.names, "TID")
	return i >= 0 && slices.Contains(t.names, "TGID") && words[i] == "-"
}

// code is the number of a place.
func (r *reader) code(place string) int32 {
	if r.codes == nil {
		r.codes, r.places = map[string]int32{"": 0}, []string{""}
	}
	place = strings.NewReplacer("[", "(", "]", ")").Replace(place)
	code, ok := r.codes[place]
	if !ok {
		code = int32(len(r.places))
		r.codes[place], r.places = code, append(r.places, place)
	}
	return code
}

// most is how far a clock goes back at midnight, at least.
const most = 12 * int64(time.Hour)

// end is the end of a row's interval. Of a program that prints no times it is the number of its report: another begins where a place comes again.
func (t *rows) end(at int64, place string) (int64, error) {
	if !t.timed {
		if t.seen[place] || t.reports == 0 {
			t.reports++
			clear(t.seen)
		}
		t.seen[place] = true
		return int64(t.reports), nil
	}
	if at += t.day; len(t.at) > 0 && at < t.last {
		if t.last-at < most || t.dated {
			return 0, fmt.Errorf("the time goes back by %v: these are two logs, or the clock was set: divide the file", time.Duration(t.last-at))
		}
		t.day += 24 * int64(time.Hour)
		at += 24 * int64(time.Hour)
	}
	t.last = at
	return at, nil
}
