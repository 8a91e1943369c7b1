package values

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
	"astrolabe/hwio"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

// Report is a document under construction: the one value that a script changes. It can no longer be changed once it is
// frozen.
type Report struct {
	env    *binding.Env
	cap    *Capture
	r      documents.Report
	time   *Account // where it went; nil where nobody said
	failed []string // parts that it lacks, and why, each once
	frozen bool
	shots  *Screenshots // that were given for the frames of the capture; nil for none

	hash        func() (string, error) // of the file or folder of the capture; nil where it was not begun
	hashAwaited atomic.Bool            // nothing else is left to do
}

// NewReport makes an empty document about a capture, or about none.
func NewReport(e *binding.Env, title string, cap *Capture) *Report {
	r := &Report{env: e, cap: cap, r: documents.Report{Title: title}}
	if cap != nil {
		r.r.Of = cap.Capture
		r.r.Captured = cap.Capture.StartTime
		r.r.Start, r.r.End = cap.Capture.Axis.Extent()
	}
	return r
}

// Lacks says on the page that it is drawn without a part, because of an error. It is false where the page says so
// already.
func (r *Report) Lacks(what string, err error) bool {
	text := what + ": " + err.Error()
	if at := binding.Place(err); at != "" {
		text += " (" + at + ")"
	}
	if slices.Contains(r.failed, text) {
		return false
	}
	r.failed = append(r.failed, text)
	return true
}

// Lacking reports whether the page is drawn without some part.
func (r *Report) Lacking() bool { return len(r.failed) > 0 }

var _ starlark.HasAttrs = (*Report)(nil)

// Report returns the document as it is now, with its provenance and the capture's warnings.
func (r *Report) Report() (*documents.Report, error) { return r.document(r.env.Context()) }

func (r *Report) document(ctx context.Context) (*documents.Report, error) {
	out := r.r
	out.Items = slices.Clone(out.Items)
	out.Command = r.env.Command
	prov, err := r.provenance(ctx)
	out.Provenance = append(prov, out.Provenance...)
	r.shortenParameters(&out)
	if r.cap != nil {
		if text := metrics.ByForce(r.cap.Capture); text != "" {
			out.Title += fmt.Sprintf(" (read as %s by force)", r.cap.Capture.GPU)
			out.Items = slices.Insert(out.Items, 0, documents.Item(documents.Text("**By force:** "+text+".")))
		}
	}
	if len(r.failed) > 0 {
		out.Items = slices.Insert(out.Items, 0,
			documents.Item(
				documents.Text(
					"## What this page lacks\n\nA mistake in the script, not in the capture, left these parts out. Please report it with the capture.\n\n"+bulletList(r.failed))))
	}
	if r.cap != nil && len(r.cap.Capture.Warnings) > 0 {
		out.Items = append(out.Items, documents.Text("## Warnings about the data\n\n"+
			bulletList(r.cap.Capture.Warnings)))
	}
	return &out, err
}

// bulletList is Markdown with one point for each text, whose own markup shows as it is.
func bulletList(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString("- " + strings.NewReplacer("*", "\\*", "`", "\\`", "\n", " ").Replace(t) + "\n")
	}
	return b.String()
}

// Findings returns the findings so far, the gravest first.
func (r *Report) Findings() []documents.Finding { return r.r.Findings() }

// Bare reports whether the page shows nothing yet: no finding, and no chart.
func (r *Report) Bare() bool {
	return !slices.ContainsFunc(r.r.Items, func(it documents.Item) bool {
		switch it.(type) {
		case documents.Finding, documents.Chart:
			return true
		}
		return false
	})
}

// Draws reports whether a chart of a kind is on the page, by itself or under a finding.
func (r *Report) Draws(kind string) bool {
	is := func(p *charts.Plot) bool { return p != nil && p.Kind == kind }
	return slices.ContainsFunc(r.r.Items, func(it documents.Item) bool {
		switch it := it.(type) {
		case documents.Chart:
			return is(it.Plot)
		case documents.Finding:
			return slices.ContainsFunc(it.Plots, is)
		}
		return false
	})
}

func (r *Report) String() string {
	n := len(r.r.Findings())
	return fmt.Sprintf("Report %q %d %s, %d %s", r.r.Title, len(r.r.Items), notation.Plural(len(r.r.Items), "item"), n,
		notation.Plural(n, "finding"))
}
func (r *Report) Type() string          { return "Report" }
func (r *Report) Freeze()               { r.frozen = true }
func (r *Report) Truth() starlark.Bool  { return true }
func (r *Report) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Report") }
func (r *Report) AttrNames() []string   { return reportTable.AttrNames() }

func (r *Report) Attr(name string) (starlark.Value, error) { return reportTable.Attr(r.env, r, name) }

func (r *Report) add(it documents.Item) error {
	if r.frozen {
		return errFrozenReport
	}
	r.r.Items = append(r.r.Items, it)
	return nil
}

var errFrozenReport = errors.New("the report is frozen: fill it in the module that made it")

// Judging reports whether a script said of anything that it was judged, or could not be.
func (r *Report) Judging() bool { return len(r.r.Judgements) > 0 }

// Judged reports whether anything was judged, and NotJudged what could not be.
func (r *Report) Judged() bool                     { return r.r.Judged() }
func (r *Report) NotJudged() []documents.Judgement { return r.r.NotJudged() }

// Verdict is what page one says first, "" where there is no page one.
func (r *Report) Verdict() string {
	if r.r.Summary == nil {
		return ""
	}
	return r.r.Summary.Verdict
}

// Doubts are what page one warns of: what could not be judged, and what was not measured. Without a page one it is what
// could not be judged.
func (r *Report) Doubts() []string {
	var out []string
	if s := r.r.Summary; s != nil {
		for _, n := range s.Quality {
			if n.Severity >= canvas.Warning {
				out = append(out, n.Text)
			}
		}
		return out
	}
	for _, j := range r.r.NotJudged() {
		out = append(out, fmt.Sprintf("not judged: %s: %s", j.Subject, j.Why))
	}
	return out
}

// Page says how an HTML page is to be: static is without scripts, full holds every sample.
func (r *Report) Page(static, full bool) { r.r.Static, r.r.Full = static, full }

// Lanes adds counters that an HTML page can zoom, by their names in the capture: those of counters and metrics, or
// patterns of names of counters, in which * and ? stand for others.
func (r *Report) Lanes(names []string) error {
	for _, name := range names {
		if hwio.IsGlob(name) {
			n := len(r.r.Lanes)
			for _, c := range r.cap.Capture.Counters {
				if hwio.Match(name, &c.Meta) {
					r.r.Lanes = append(r.r.Lanes, r.cap.Counter(c).Series())
				}
			}
			if len(r.r.Lanes) == n {
				return fmt.Errorf("no counter of the capture has a name like %q", name)
			}
			continue
		}
		v, _, err := r.cap.Get(starlark.String(name))
		if err != nil {
			return err
		}
		r.r.Lanes = append(r.r.Lanes, v.(*Counter).Series())
	}
	return nil
}

// lanes adds the counters of a script's call.
func (r *Report) lanes(c *binding.Call) (starlark.Value, error) {
	if r.frozen {
		return nil, errFrozenReport
	}
	add := func(x starlark.Value) error {
		ctr, ok := x.(*Counter)
		if !ok {
			return fmt.Errorf("got %s, want Counter", x.Type())
		}
		r.r.Lanes = append(r.r.Lanes, ctr.Series())
		return nil
	}
	for _, arg := range c.Rest {
		if _, list := arg.(*starlark.List); !list { // a counter can be gone through as well, by its values
			if err := add(arg); err != nil {
				return nil, err
			}
		} else if err := binding.Each(arg, add); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

// Screenshots gives the report pictures of frames, for its scripts to draw.
func (r *Report) Screenshots(s *Screenshots) { r.shots = s }

// Capture is the capture that the report is about.
func (r *Report) Capture() *Capture { return r.cap }

// Only lets the report be nothing but page one.
func (r *Report) Only() { r.r.Only = true }

// summary makes page one.
func (r *Report) summary(c *binding.Call) (starlark.Value, error) {
	if r.frozen {
		return nil, errFrozenReport
	}
	sev, err := canvas.ParseSeverity(c.Str("severity", "info"))
	if err != nil {
		return nil, fmt.Errorf("parameter severity: %w", err)
	}
	s := &documents.Summary{Severity: sev, Verdict: c.Str("verdict", ""), Note: c.Str("note", "")}
	if c.Has("timeline") {
		s.Timeline = c.Arg("timeline").(*Plot).Plot
	} else {
		s.Timeline = r.r.BestChart()
	}
	err = binding.Each(c.Value("quality"), func(x starlark.Value) error {
		n := documents.Note{Severity: canvas.Info}
		if pair, ok := x.(starlark.Indexable); ok && pair.Len() == 2 && x.Type() == "tuple" {
			word, _ := starlark.AsString(pair.Index(0))
			if n.Severity, err = canvas.ParseSeverity(word); err != nil {
				return fmt.Errorf("parameter quality: %w", err)
			}
			x = pair.Index(1)
		}
		text, ok := starlark.AsString(x)
		if !ok {
			return fmt.Errorf("parameter quality: got %s, want str or (severity, text)", x.Type())
		}
		n.Text = text
		s.Quality = append(s.Quality, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.r.Summary = s
	return starlark.None, nil
}

func (r *Report) save(c *binding.Call) (starlark.Value, error) {
	sz, err := size(c)
	if err != nil {
		return nil, err
	}
	theme, err := theme(c)
	if err != nil {
		return nil, err
	}
	return starlark.None, r.Save(c.Str("path", ""), sz, theme)
}

// Save draws the document as it is now into files whose format the extension of path says. The size may be partly or
// wholly zero, and the theme nil, for those that a page has by itself. It runs under the context of the running
// statement.
func (r *Report) Save(path string, sz canvas.Size, theme *canvas.Theme) error {
	if _, err := canvas.ReportFormatOf(path); err != nil {
		return err
	}
	if _, err := r.env.Output(path); err != nil { // before anything is drawn
		return err
	}
	ctx, done := r.env.Begin("drawing " + path)
	defer done()
	doc, err := r.drawable(ctx, theme)
	if err != nil {
		return err
	}
	create := func(p string) (io.WriteCloser, error) {
		out, err := r.env.Output(p)
		if err != nil {
			return nil, err
		}
		return canvas.Files(out)
	}
	paths, err := binding.Await(ctx, func() ([]string, error) { return doc.SaveWith(create, path, sz) })
	for _, p := range paths {
		if out, err := r.env.Output(p); err == nil {
			r.env.Written(out)
		}
	}
	return err
}

// drawable is the document as it is now, which tells ctx how far its drawing is. A nil theme keeps its own.
func (r *Report) drawable(ctx context.Context, theme *canvas.Theme) (*documents.Report, error) {
	doc, err := binding.Await(ctx, func() (*documents.Report, error) { return r.document(ctx) })
	if err != nil {
		return nil, err
	}
	if theme != nil {
		doc.Theme = theme
	}
	doc.Progress, doc.Warn = progress.From(ctx), r.env.WarnText
	return doc, nil
}

// Pages draws the document as it is now and returns its pages, pictures in a format such as "png", without a file.
func (r *Report) Pages(format string, sz canvas.Size) ([][]byte, error) {
	ctx, done := r.env.Begin("drawing " + r.r.Title)
	defer done()
	doc, err := r.drawable(ctx, nil)
	if err != nil {
		return nil, err
	}
	return binding.Await(ctx, func() ([][]byte, error) { return doc.Pages(format, sz) })
}

// page converts a table for the page.
func (t *Table) page(title string) documents.Table {
	out := documents.Table{Title: title}
	all := make([]int, t.rows)
	for i := range all {
		all[i] = i
	}
	out.Rows = make([][]string, t.rows)
	for _, c := range t.columns {
		align := documents.AlignLeft
		if isNumeric(c.cells) {
			align = documents.AlignRight
		}
		out.Columns = append(out.Columns, documents.Column{Name: c.name, Unit: c.unit, Align: align})
		for i, s := range formatColumn(c.cells, all) {
			out.Rows[i] = append(out.Rows[i], s)
		}
	}
	return out
}
