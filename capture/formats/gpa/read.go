package gpa

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
)

// cellRoom is what a cell takes (an integer, a double, and the text while its row is read), and columnRoom what a
// column does without its cells, in bytes.
const cellRoom, columnRoom = 40, 1024

// reader collects the rows of a file.
type reader struct {
	name     string
	skip     bool
	crlf     bool
	columns  []*column
	at       map[string]int
	section  []int // columns of the header that holds
	sessions []string
	samples  []string
	skipped  int // rows that were left out, and the first of them
	skipLine int
	headers  int
	most     int // cells, so that a small file cannot become a huge table
	warnings []string
	tally    memory.Tally
}

// column is the values of one counter. Rows that it does not have are missing.
type column struct {
	name    string
	ints    []uint64
	floats  []float64
	whole   bool // every value is an unsigned integer
	any     bool
	reasons []capture.ReasonRun
}

func (r *reader) fail(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, line, fmt.Sprintf(format, args...))
}

// read goes through the lines of the file.
func (r *reader) read(ctx context.Context, text string) error {
	r.at = map[string]int{}
	r.most = 1<<20 + 16*len(text)
	r.crlf = strings.Contains(text, "\r\n")
	meter, size := progress.From(ctx), len(text)
	for line := 1; text != ""; line++ {
		if line%4096 == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			meter.Set(int64(size - len(text)))
		}
		row, rest, ended := strings.Cut(text, "\n")
		text = rest
		row = strings.TrimSuffix(row, "\r")
		switch {
		case strings.HasPrefix(row, identifier):
			if err := r.header(line, row); err != nil {
				return err
			}
		case r.headers == 0:
			return r.fail(line, "the first line does not begin with %q", identifier)
		case row == "":
		default:
			if err := r.row(line, row, ended); err != nil {
				return err
			}
		}
	}
	if r.skipped > 0 {
		r.warnings = append(r.warnings, fmt.Sprintf("%d rows were left out, the first at line %d: their number of values is not that of the header, so nobody knows their counters", r.skipped, r.skipLine))
	}
	return nil
}

// header reads a line of names.
func (r *reader) header(line int, row string) error {
	names := strings.Split(row[len(identifier):], ",")
	if last := len(names) - 1; strings.TrimSpace(names[last]) == "" {
		names = names[:last]
	} else {
		r.warnings = append(r.warnings, fmt.Sprintf("line %d: the header does not end in a comma, as the guide's function writes it", line))
	}
	r.headers++
	if r.headers == 2 {
		r.warnings = append(r.warnings, fmt.Sprintf("line %d begins a part with a header of its own: counters that a part does not have are missing there", line))
	}
	r.section = nil
	here := map[int]int{} // the place of each column in this header
	for i, n := range names {
		n = strings.TrimSpace(n)
		if n == "" {
			return r.fail(line, "counter %d of the header has no name", i+1)
		}
		at, known := r.at[n]
		if !known {
			if err := r.tally.Add(uint64(len(n)) + columnRoom); err != nil {
				return err
			}
			at = len(r.columns)
			r.at[n] = at
			r.columns = append(r.columns, &column{name: n, whole: true})
		}
		if k, twice := here[at]; twice {
			return r.fail(line, "counters %d and %d of the header are both called %q", k+1, i+1, n)
		}
		here[at] = i
		r.section = append(r.section, at)
	}
	return nil
}

// splitIdentifier takes "session: 1; sample: 0, VALUES" apart.
func splitIdentifier(row string) (session, sample, values string, err error) {
	head, values, ok := strings.Cut(row, ",")
	first, second, two := strings.Cut(head, ";")
	session, one := strings.CutPrefix(first, "session: ")
	sample, other := strings.CutPrefix(second, " sample: ")
	if !ok || !two || !one || !other {
		return "", "", "", fmt.Errorf("the row begins with %.40q, not with \"session: N; sample: M,\"", head)
	}
	for _, n := range []string{session, sample} {
		if _, err := strconv.ParseInt(n, 10, 64); err != nil {
			return "", "", "", fmt.Errorf("%q is no number of a session or sample", n)
		}
	}
	return session, sample, strings.TrimPrefix(values, " "), nil
}

func (r *reader) row(line int, row string, ended bool) error {
	session, sample, values, err := splitIdentifier(row)
	if err != nil && ended {
		return r.fail(line, "%v", err)
	}
	cells := strings.Split(values, ",")
	for i, cell := range cells {
		cells[i] = strings.Trim(cell, " \t")
	}
	closed := cells[len(cells)-1] == ""
	if closed {
		cells = cells[:len(cells)-1]
	}
	if !ended && (err != nil || !closed || len(cells) != len(r.section)) {
		r.warnings = append(r.warnings, fmt.Sprintf("the last line (%d) is truncated and left out", line))
		return nil
	}
	if len(cells) != len(r.section) {
		if !r.skip {
			return r.fail(line, "the row has %d values and the header names %d counters: the counters were changed while the file was appended to; split the file there, or leave such rows out with skip=True",
				len(cells), len(r.section))
		}
		if r.skipped++; r.skipped == 1 {
			r.skipLine = line
		}
		return nil
	}
	n := len(r.sessions)
	if r.headers > 1 && n*len(r.columns) > r.most {
		return r.fail(line, "the parts of the file have so many different counters that most values would be missing: split the file at its headers")
	}
	if err := r.tally.Add(cellRoom * uint64(len(cells)+2)); err != nil {
		return err
	}
	r.sessions, r.samples = append(r.sessions, session), append(r.samples, sample)
	for i, at := range r.section {
		if err := r.columns[at].add(n, cells[i]); err != nil {
			return r.fail(line, "counter %s: %v", r.columns[at].name, err)
		}
	}
	return nil
}

// reach fills rows before n that the column does not have.
func (c *column) reach(n int) {
	from := len(c.floats)
	for len(c.floats) < n {
		c.floats, c.ints = append(c.floats, math.NaN()), append(c.ints, 0)
	}
	if from < n {
		c.reasons = append(c.reasons, capture.ReasonRun{From: from, To: n,
			Reason: capture.Reason{Code: capture.NotCollected,
				Text: "the header of this part of the file does not name " + c.name}})
	}
}

// unusual begins the reason of a value that is no number; the spelling follows in quotes, so that it can be written
// again.
const unusual = "the file has a value that is no number: "

// vacant is the reason of a value whose cell is empty.
const vacant = "the file has an empty cell"

func (c *column) add(n int, cell string) error {
	c.reach(n)
	if u, err := strconv.ParseUint(cell, 10, 64); err == nil {
		c.ints, c.floats, c.any = append(c.ints, u), append(c.floats, float64(u)), true
		return nil
	}
	c.ints = append(c.ints, 0)
	if f, err := strconv.ParseFloat(cell, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) &&
		!strings.ContainsAny(cell, "xX_") {
		c.floats, c.whole, c.any = append(c.floats, f), false, true
		return nil
	}
	if cell == "" {
		c.floats = append(c.floats, math.NaN())
		c.reasons = append(c.reasons, capture.ReasonRun{From: n, To: n + 1, Reason: capture.Reason{Code: capture.NotCollected, Text: vacant}})
		return nil
	}
	lower := strings.ToLower(cell)
	if !strings.Contains(lower, "nan") && !strings.Contains(lower, "inf") && !strings.Contains(lower, "#") {
		return fmt.Errorf("%.40q is no number", cell)
	}
	c.floats = append(c.floats, math.NaN())
	c.reasons = append(c.reasons, capture.ReasonRun{From: n, To: n + 1, Reason: capture.Reason{Code: capture.NotANumber,
		Text: unusual + strconv.Quote(cell)}})
	return nil
}

const (
	gcn  = "amd-gpa"
	rdna = "amd-gpa-rdna"
)

// catalogue is whose counters the file has, which holds names only: a caller may say so, or of which generation the GPU
// is, and else a counter that one of the two alone knows decides. Times are milliseconds of the one and nanoseconds of
// the other.
func (r *reader) catalogue(opt formats.Options) string {
	for _, p := range opt.Properties {
		if p.Name == "generation" && p.IsText {
			return metrics.On(gcn, p.Text)
		}
	}
	if opt.GPU == gcn || opt.GPU == rdna {
		return opt.GPU
	}
	known := func(id, name string) bool {
		c, err := metrics.Get(id)
		return err == nil && c.Titled(name) != nil
	}
	for _, c := range r.columns {
		switch a, b := known(gcn, c.name), known(rdna, c.name); {
		case a && !b:
			return gcn
		case b && !a:
			return rdna
		}
	}
	return r.byLength()
}

// byLength tells by how long samples take where every counter is of both: a millisecond has a million nanoseconds, and
// no draw takes a thousand seconds.
func (r *reader) byLength() string {
	at, ok := r.at["GPUTime"]
	if !ok {
		return gcn
	}
	c := r.columns[at]
	longest := 0.0
	for _, v := range c.floats {
		if v > longest {
			longest = v
		}
	}
	if longest < 1e6 {
		return gcn
	}
	r.warnings = append(r.warnings, "nothing in the file says whether GPUTime is in milliseconds (hardware up to GFX9) or in nanoseconds (from GFX10 on): it is taken for nanoseconds, "+
		"as samples would take longer than 1000 s; say generation= to decide")
	return rdna
}

// build makes the configuration of the capture.
func (r *reader) build(cfg *capture.Config) {
	n := len(r.sessions)
	cat, _ := metrics.Get(cfg.GPU)
	cfg.Axis = r.axis(n, cat)
	for _, c := range r.columns {
		r.tally.Must(columnRoom)
		c.reach(n)
		meta := capture.Meta{Name: c.name, Title: c.name, Source: "gpa", GPU: cfg.GPU}
		if cat != nil {
			if e := cat.Titled(c.name); e != nil {
				meta.Unit, meta.Doc = e.Unit, e.Doc
				if meta.Kind = e.Kind; meta.Kind == capture.Derived {
					meta.Kind = capture.Delta
				}
				if e.Usage == "percentage" || e.Usage == "ratio" {
					meta.Kind = capture.Gauge
				}
			}
		}
		ctr := &capture.Counter{Meta: meta, Axis: cfg.Axis, Reasons: c.reasons}
		data := capture.Data{F: c.floats}
		if c.whole && c.any {
			data = capture.Data{U: c.ints}
			if len(c.reasons) > 0 {
				data.Valid = capture.NewBitmap(n)
				for _, run := range c.reasons {
					for i := run.From; i < run.To; i++ {
						data.Valid.Clear(i)
					}
				}
			}
		}
		ctr.Col = capture.NewColumn(data)
		cfg.Counters = append(cfg.Counters, ctr)
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", r.sessions, nil),
		capture.NewLabel("sample", r.samples, nil)}
	if r.crlf {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: lineEndsName, Text: "crlf", IsText: true})
	}
	cfg.Warnings = r.warnings
}

// axis gives each sample the length that its GPUTime says, in the unit of the catalogue, and where nothing says one
// second.
func (r *reader) axis(n int, cat *metrics.Catalogue) *capture.Axis {
	var times *column
	ns := 1e6 // of a millisecond
	for _, name := range []string{"GPUTime", "D3DGPUTime"} {
		if at, ok := r.at[name]; ok && times == nil {
			times = r.columns[at]
			times.reach(n)
			if cat != nil {
				if e := cat.Titled(name); e != nil && e.Unit == "ns" {
					ns = 1
				}
			}
		}
	}
	a := &capture.Axis{Clock: "samples", Start: make([]int64, n), End: make([]int64, n)}
	var now int64
	for i := range n {
		length := int64(1e9)
		if times != nil {
			length = 1
			if f := times.floats[i] * ns; f > 0 && f < 1e15 {
				length = max(1, int64(f))
			}
		}
		a.Start[i], a.End[i] = now, now+length
		now += length
	}
	switch {
	case n == 0:
	case times != nil:
		r.warnings = append(r.warnings, "the file has no times: samples follow each other, each as long as its "+times.name)
	default:
		r.warnings = append(r.warnings, "the file has no times: each sample is given 1 s, so rates mean nothing")
	}
	return a
}
