package documents

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// Report is a document that answers a question about a capture: what it was made from, what was found, and the
// pictures and tables that show it. It is plain data; the pages of a picture are only one way to write it.
type Report struct {
	Title      string
	Provenance []KV   // capture file and hash, GPU, driver, catalogue, script and hash, astrolabe version, thresholds
	Items      []Item // in reading order; findings are shown before everything else, the gravest first

	Account    *charts.Account // where the time went; nil where nothing tells
	Judgements []Judgement     // what was judged, and what could not be
	Summary    *Summary        // page one; nil is none
	Only       bool            // only page one

	// Captured is the wall clock at the start of the capture, zero if unknown. It dates a PDF: the time of drawing is
	// never shown.
	Captured time.Time
	// Start and End are the extent of the capture in ns, against which the spans of findings are drawn. Both 0 takes
	// the extent of the spans and timelines.
	Start, End int64

	Theme *canvas.Theme // nil is Light

	// Static leaves scripts out of an HTML page, and Full puts every sample into one.
	Static, Full bool
	// Lanes are series that an HTML page can zoom beside those of its timelines; they stand first.
	Lanes []charts.Series
	// Of is the capture that the report is about; nil where it is about none. An HTML page has its regions and gaps.
	Of *capture.Capture

	// Command is the command line that makes this report again, "" if there is none.
	Command string

	// Progress is told how far drawing the report is; nil is not told.
	Progress *progress.Meter
	// Warn is told of characters which no font has; nil is not told.
	Warn func(string)
}

// KV is one line of a report's provenance.
type KV struct{ Key, Value string }

// Item is one part of a report: a Text, a Finding, a Table or a Chart.
type Item interface{ item() }

// Text is prose in a small subset of Markdown: headings, paragraphs, lists, block quotes, fenced code, rules, bold,
// emphasis, code spans and links.
type Text string

// Chart is a chart as a part of a report.
type Chart struct{ *charts.Plot }

// Finding is a judgement about the capture, with what it rests on. Values are texts, formatted by whoever judged.
type Finding struct {
	ID        string // stable name, such as "gfx1151/l2-hit-rate"
	Severity  canvas.Severity
	Title     string // what was found, in one sentence
	Metric    string // what was measured
	Value     string // such as "31.2 %"
	Threshold string // what it was compared with, such as "below 50 %"
	Source    string // where the threshold comes from, such as "Arm's Mali-G720 guide, 3.3.1"
	Advice    string // what to do about it, in one sentence

	Confidence string // how sure the judgement is, and why not surer: "medium: 12 samples"
	Win        string // what fixing it could gain at most, such as "up to 23 % of the frame"
	RunnerUp   string // what sets the pace once it does not, such as "memory bandwidth"
	Spans      []capture.Span
	Evidence   []string       // names of the counters and metrics that it rests on
	Plots      []*charts.Plot // shown under the finding

	// Measured and Limit are Value and Threshold as numbers in Unit, for machines; nil where they are only text.
	Measured, Limit *float64
	Unit            string

	Share *float64  // of the time whose pace it sets, 0 to 1; nil where that is not known
	Gain  []float64 // the least and the most that relieving it saves, of the time; nil where that is not known
	Hint  bool      // worth knowing whatever limits, such as the energy that something costs

	InsteadOf string // the ID of the finding that it stands behind: what limits if that does not; "" for none
}

// Table is rows of text under named columns.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string // a row may be shorter than Columns
}

// Column describes one column of a Table. Units stand in a header row of their own.
type Column struct {
	Name  string
	Unit  string
	Align Align
}

// Align says on which side the cells of a column stand.
type Align uint8

const (
	AlignAuto Align = iota // right where every cell is a number, else left
	AlignLeft
	AlignRight
)

func (Text) item()    {}
func (Finding) item() {}
func (Table) item()   {}
func (Chart) item()   {}

// Findings returns the findings of the report, the gravest first, those of one severity in their order, and behind all
// others the hints. What limits if another does not follows that, whatever its severity.
func (r *Report) Findings() []Finding {
	var out []Finding
	for _, hint := range []bool{false, true} {
		for s := int(canvas.Critical); s >= int(canvas.None); s-- {
			for _, it := range r.Items {
				if f, ok := it.(Finding); ok && f.Hint == hint && int(f.Severity) == s {
					out = append(out, f)
				}
			}
		}
	}
	return followed(out)
}

// followed are findings in their order, but for those that limit if another does not: they follow that one.
func followed(list []Finding) []Finding {
	var out, seconds []Finding
	for _, f := range list {
		if f.InsteadOf != "" && slices.ContainsFunc(list, func(g Finding) bool {
			return g.InsteadOf == "" && g.ID == f.InsteadOf
		}) {
			seconds = append(seconds, f)
			continue
		}
		out = append(out, f)
	}
	for _, f := range seconds {
		at := slices.IndexFunc(out, func(g Finding) bool { return g.ID == f.InsteadOf })
		out = slices.Insert(out, at+1, f)
	}
	return out
}

// Page sizes. A PNG grows with its content up to maxPageHeight and is then continued in a further file; a PDF has pages
// of the proportions of ISO 216 paper; an SVG is one page.
const (
	reportWidth   = 1600
	maxPageHeight = 4000
	minPageHeight = 400
)

// Pages draws the report and returns one file per page for PNG and SVG, one file for anything else. Width, or 1600
// pixels, is the width of a page; Height, if given, is its greatest height. Markdown has its pictures in further files:
// see Documents.
func (r *Report) Pages(format string, sz canvas.Size) ([][]byte, error) {
	f, err := canvas.ParseReportFormat(format)
	if err != nil {
		return nil, err
	}
	switch f {
	case "html":
		doc, err := r.html()
		return [][]byte{doc}, err
	case "json":
		doc, err := r.json()
		return [][]byte{doc}, err
	case "md":
		docs, err := r.markdown("report.md", sz)
		if err != nil {
			return nil, err
		}
		if len(docs) > 1 {
			return nil, fmt.Errorf("report %q: Markdown has its %d pictures in files of their own: save it to a file",
				r.Title, len(docs)-1)
		}
		return [][]byte{docs[0].Data}, nil
	}
	scenes, err := r.scenes(f, sz)
	if err != nil {
		return nil, fmt.Errorf("report %q: %w", r.Title, err)
	}
	if f == "pdf" {
		doc, err := canvas.Pdf(scenes, r.Title, r.Captured)
		return [][]byte{doc}, err
	}
	return canvas.EncodeAll(f, scenes, r.Title, sz)
}

// scenes lays the report out on pages.
func (r *Report) scenes(format string, sz canvas.Size) ([]*canvas.Scene, error) {
	w, h, scale, err := sz.Resolve(reportWidth, 0)
	if err != nil {
		return nil, err
	}
	t := r.Theme
	if t == nil {
		t = canvas.Light()
	}
	t = t.Shrunk(w)
	p := pager{t: t, w: w, scale: scale, title: canvas.Printable(r.Title), meter: r.Progress}
	switch {
	case h > 0:
		if h < minPageHeight {
			return nil, fmt.Errorf("a page %d pixels high is too low for a report: choose at least %d", sz.Height,
				int(minPageHeight*scale))
		}
		p.h, p.fixed = h, format == "pdf"
	case format == "pdf":
		p.h, p.fixed = w*1.4142, true
	case format == "svg":
		p.h, p.endless = 1e9, true
	default:
		p.h = maxPageHeight
	}
	scenes := p.layOut(r.chunks(t, w-2*t.Margin, p.h-2*t.Margin))
	// which shows only now: lay it out again, with the fonts at its head
	if u := canvas.FontsOf(scenes...); len(u.Names()) > 0 {
		r.warnOf(u)
		named := *r
		named.Provenance = r.withFonts(u)
		scenes = p.layOut(named.chunks(t, w-2*t.Margin, p.h-2*t.Margin))
	}
	for _, sc := range scenes {
		if px := sc.W * sc.H * scale * scale; (px > canvas.MaxPixels && format == "png") || sc.H*scale > 1e6 {
			return nil, fmt.Errorf("the page would be %.0f pixels high; give it a greatest height", sc.H*scale)
		}
	}
	canvas.Measure(r.Progress, scenes...)
	return scenes, nil
}

// warnOf tells of what fonts lack.
func (r *Report) warnOf(u canvas.FontUse) {
	if w := u.Warning(); w != "" && r.Warn != nil {
		r.Warn(w)
	}
}

// withFonts is the provenance of the report with the fonts of its pictures.
func (r *Report) withFonts(u canvas.FontUse) []KV {
	out := slices.Clone(r.Provenance)
	for _, name := range u.Names() {
		out = append(out, KV{canvas.FontsKey, name})
	}
	return out
}

// pictures is how many plots the report has.
func (r *Report) pictures() (n int) {
	for _, it := range r.shownItems() {
		if c, ok := it.(Chart); ok && c.Drawable() {
			n++
		}
	}
	for _, f := range r.shownFindings() {
		n += len(charts.Drawable(f.Plots))
	}
	if r.Summary != nil {
		n += len(r.lead())
	}
	return n
}

// WriteTo writes the report to w in a format of Formats. A PNG or SVG holds one page: where the report needs more it is
// an error that says so, and Save or Pages is the way.
func (r *Report) WriteTo(w io.Writer, format string, sz canvas.Size) error {
	pages, err := r.Pages(format, sz)
	if err != nil {
		return err
	}
	if len(pages) > 1 {
		return fmt.Errorf(
			"report %q has %d pages, one %s holds one: save it to files, as PDF, or give a greater height", r.Title,
			len(pages), format)
	}
	_, err = io.Copy(w, bytes.NewReader(pages[0]))
	return err
}

// Save writes the report to a file whose extension names the format, and returns the paths written: out.png, and for
// further pages out-2.png, out-3.png, ...; out.md, and its pictures out-fig1.png, out-fig2.png, ... Every file appears
// whole or not at all.
func (r *Report) Save(path string, sz canvas.Size) ([]string, error) {
	return r.SaveWith(canvas.Files, path, sz)
}

// SaveWith is Save through a function that decides where files may be created.
func (r *Report) SaveWith(create canvas.Create, path string, sz canvas.Size) ([]string, error) {
	docs, err := r.documents(path, sz)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, d := range docs {
		if err := canvas.Save(create, d.Path, d.Data); err != nil {
			return paths, err
		}
		paths = append(paths, d.Path)
	}
	return paths, nil
}

// Document is one file of a report.
type Document struct {
	Path string
	Data []byte
}

// documents returns the files of the report, as Save would write them: the one that was asked for comes first.
func (r *Report) documents(path string, sz canvas.Size) ([]Document, error) {
	format, err := canvas.ReportFormatOf(path)
	if err != nil {
		return nil, err
	}
	if format == "md" {
		return r.markdown(path, sz)
	}
	pages, err := r.Pages(format, sz)
	if err != nil {
		return nil, err
	}
	var out []Document
	for i, data := range pages {
		out = append(out, Document{canvas.PagePath(path, i+1), data})
	}
	return out, nil
}
