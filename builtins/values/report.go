package values

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
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
}

// NewReport makes an empty document about a capture, or about none.
func NewReport(e *binding.Env, title string, cap *Capture) *Report {
	r := &Report{env: e, cap: cap, r: documents.Report{Title: title}}
	if cap != nil {
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
		out.Items = append(out.Items, documents.Text("## Warnings about the data\n\n"+bulletList(r.cap.Capture.Warnings)))
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

// provenance says what the report was made from. It names no path beyond the file's own name, so that the same inputs
// give the same report wherever they lie.
func (r *Report) provenance(ctx context.Context) ([]documents.KV, error) {
	var out []documents.KV
	add := func(key, value string) {
		if value != "" {
			out = append(out, documents.KV{Key: key, Value: value})
		}
	}
	if r.cap != nil {
		c := r.cap.Capture
		file := c.Name
		if c.Path != "" {
			hash, err := formats.HashFile(ctx, c.Path)
			if err != nil {
				return nil, fmt.Errorf("hash of the capture: %w", err)
			}
			file += " (sha256 " + short(hash) + ")"
		}
		add("Capture", file)
		if !c.StartTime.IsZero() {
			add("Captured", c.StartTime.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		add("Extent", charts.Extent(c))
		device := c.Device.Name
		if device == "" {
			device = c.GPU
		}
		add("Device", device)
		add("Driver", c.Device.Driver)
		for _, cat := range metrics.For(c) {
			add("Catalogue", cat.ID()+" "+short(cat.Version()))
		}
		add("By force", metrics.ByForce(c))
		if o := c.Options; o.Denom != "" || o.Duration != "" || o.Zero != "" {
			var parts []string
			for _, kv := range [][2]string{{"denom", o.Denom}, {"duration", o.Duration}, {"zero", o.Zero}} {
				if kv[1] != "" {
					parts = append(parts, kv[0]+"="+kv[1])
				}
			}
			add("Options", strings.Join(parts, " "))
		}
	}
	script := r.env.Script.Name
	if r.env.Script.Hash != "" {
		script += " (sha256 " + short(r.env.Script.Hash) + ")"
	}
	add("Script", script)
	all, _ := r.env.Parameters()
	add(parametersKey, strings.Join(all, " "))
	add("astrolabe", r.env.Version)
	return out, nil
}

// parametersKey heads the values of the script's flags, and maxHeadParameters is how many of them stand at the head of
// a report.
const (
	parametersKey     = "Parameters"
	maxHeadParameters = 8
)

// shortenParameters leaves those parameters at the head of a report that were given, where there are many, and lists
// all at its end: findings come first.
func (r *Report) shortenParameters(out *documents.Report) {
	all, given := r.env.Parameters()
	i := slices.IndexFunc(out.Provenance, func(kv documents.KV) bool { return kv.Key == parametersKey })
	if i < 0 || len(all) <= maxHeadParameters {
		return
	}
	head := fmt.Sprintf("%d at their defaults, listed at the end", len(all)-len(given))
	if len(given) > 0 {
		head = strings.Join(given, " ") + "; " + head
	}
	out.Provenance[i].Value = head
	out.Items = append(out.Items,
		documents.Text("## Parameters\n\n`"+strings.ReplaceAll(strings.Join(all, " "), "`", "'")+"`"))
}

// short is the beginning of a hash that tells it from others.
func short(hash string) string {
	return hash[:min(16, len(hash))]
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
	doc, err := binding.Await(ctx, func() (*documents.Report, error) { return r.document(ctx) })
	if err != nil {
		return err
	}
	if theme != nil {
		doc.Theme = theme
	}
	doc.Progress, doc.Warn = progress.From(ctx), r.env.WarnText
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

// finding adds a judgement.
func (r *Report) finding(c *binding.Call) (starlark.Value, error) {
	sev, err := canvas.ParseSeverity(c.Str("severity", ""))
	if err != nil {
		return nil, fmt.Errorf("parameter severity: %w", err)
	}
	f := documents.Finding{ID: c.Str("id", ""), Severity: sev, Title: c.Str("title", ""), Advice: c.Str("advice", ""),
		Source: c.Str("source", ""), Confidence: c.Str("confidence", ""), Win: c.Str("win", "")}
	unit := ""
	err = binding.Each(c.Value("evidence"), func(x starlark.Value) error {
		switch x := x.(type) {
		case *Counter:
			if len(f.Evidence) == 0 {
				f.Metric, unit = x.Label(), x.Counter.Unit
				f.Unit = unit
				if total := x.Counter.Total().Float(); !c.Has("value") {
					f.Value, f.Measured = notation.Quantity(total, unit), &total
				}
			}
			f.Evidence = append(f.Evidence, x.Counter.Name)
		case starlark.String:
			f.Evidence = append(f.Evidence, string(x))
		case *Plot:
			f.Plots = append(f.Plots, x.Plot)
		default:
			return fmt.Errorf("parameter evidence: got %s, want Counter, Plot or str", x.Type())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.Has("value") {
		f.Value = valueText(c.Arg("value"), unit)
		f.Measured, f.Unit = numberOf(c.Arg("value"), unit)
	}
	if c.Has("threshold") {
		f.Threshold = valueText(c.Arg("threshold"), unit)
		limit, in := numberOf(c.Arg("threshold"), unit)
		switch {
		case f.Measured == nil:
			f.Limit, f.Unit = limit, in
		case in == f.Unit || in == "": // otherwise the two cannot be compared
			f.Limit = limit
		}
	}
	if c.Has("metric") {
		f.Metric = c.Str("metric", "")
	}
	if f.Share, err = share(c, "share"); err != nil {
		return nil, err
	}
	if c.Has("gain") {
		bounds, err := AsFloats(c.Arg("gain"))
		if err != nil || len(bounds) != 2 {
			return nil, fmt.Errorf("parameter gain: got %s, want two numbers, the least and the largest", c.Arg("gain"))
		}
		f.Gain = bounds
	}
	f.RunnerUp, f.Hint, f.InsteadOf = c.Str("runner_up", ""), c.Flag("hint", false), c.Str("instead_of", "")
	err = binding.Each(c.Value("spans"), func(x starlark.Value) error {
		switch x := x.(type) {
		case *Span:
			f.Spans = append(f.Spans, x.Span)
		case *Mask:
			f.Spans = append(f.Spans, x.Mask.Spans(0)...)
		default:
			return fmt.Errorf("parameter spans: got %s, want Span or Mask", x.Type())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return starlark.None, r.add(f)
}

// share is an argument as a share of the time, nil where it was not given.
func share(c *binding.Call, name string) (*float64, error) {
	if !c.Has(name) {
		return nil, nil
	}
	x, ok := starlark.AsFloat(c.Arg(name))
	if !ok || !(x >= 0 && x <= 1) {
		return nil, fmt.Errorf("parameter %s: got %s, want a number from 0 to 1", name, c.Arg(name))
	}
	return &x, nil
}

// numberOf is a number for machines and its unit, where unit is that of the metric. A text such as "52.4 %" or "above 3
// ms" counts as its number; any other text gives nil and no unit.
func numberOf(v starlark.Value, unit string) (number *float64, in string) {
	if f, ok := starlark.AsFloat(v); ok {
		return &f, unit
	}
	s, ok := starlark.AsString(v)
	if !ok {
		return nil, ""
	}
	s = strings.ReplaceAll(s, "−", "-")
	for _, word := range []string{"above ", "below ", "> ", "< "} {
		s = strings.TrimPrefix(s, word)
	}
	for _, in := range []string{"", unit, "percent"} {
		if f, err := notation.ParseQuantity(s, in); err == nil {
			return &f, in
		}
	}
	return nil, ""
}

// valueText writes a number in a unit; text stays as it is.
func valueText(v starlark.Value, unit string) string {
	if s, ok := starlark.AsString(v); ok {
		return s
	}
	if f, ok := starlark.AsFloat(v); ok {
		return notation.Quantity(f, unit)
	}
	return v.String()
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

var reportTable = binding.MethodTable[*Report]{
	Name: "Report",
	Doc: "A document: findings, text, charts and tables, with where they come from. The methods add to it; save " +
		"draws it.",
	Attrs: []binding.Attribute[*Report]{
		{Name: "title", Type: "str", Doc: "Title.", Get: func(r *Report) (starlark.Value, error) {
			return starlark.String(r.r.Title), nil
		}},
		{Name: "findings", Type: "Table", Doc: "The findings so far, the gravest first.",
			Get: func(r *Report) (starlark.Value, error) { return r.FindingsTable(), nil }},
		{Name: "capture", Type: "Capture", Doc: "The capture that the report is about, None where it is about none.",
			Get: func(r *Report) (starlark.Value, error) {
				if r.cap == nil {
					return starlark.None, nil
				}
				return r.cap, nil
			}},
		{Name: "judgements", Type: "Table",
			Doc: "What was judged, and why what could not be could not: subject, and why (None where it was judged).",
			Get: func(r *Report) (starlark.Value, error) {
				t := NewTable(r.env, []string{"subject", "why"}, nil)
				for _, j := range r.r.Judgements {
					t.Append(starlark.String(j.Subject), binding.Text(j.Why))
				}
				return t, nil
			}},
		{Name: "provenance", Type: "dict", Doc: "What the report was made from.",
			Get: func(r *Report) (starlark.Value, error) {
				kv, err := r.provenance(r.env.Context())
				if err != nil {
					return nil, err
				}
				d := starlark.NewDict(len(kv))
				for _, p := range kv {
					d.SetKey(starlark.String(p.Key), starlark.String(p.Value))
				}
				d.Freeze()
				return d, nil
			}},
	},
	Methods: []binding.Method[*Report]{
		{Sig: "text(markdown: str)",
			Doc:     "Adds prose: headings, paragraphs, lists, bold, emphasis and code in Markdown.",
			Example: "report.new(\"t\").text(\"## What this shows\")",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				return starlark.None, r.add(documents.Text(c.Str("markdown", "")))
			}},
		{Sig: "plot(p: Plot)", Doc: "Adds a chart.", Example: "report.new(\"t\").plot(plot.timeline(clk))",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				return starlark.None, r.add(documents.Chart{Plot: c.Arg("p").(*Plot).Plot})
			}},
		{Sig: "table(t: Table, title: str=None)", Doc: "Adds a table.",
			Example: "report.new(\"t\").table(cap.summary(), title=\"Everything\")",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				t, title := c.Arg("t").(*Table), c.Str("title", "")
				if n := t.rows - documents.MaxPageRows; n > 0 {
					c.Env.Warnf(
						"the table of %d rows is too long for a picture, which leaves out the last %d; .md, .html and .json have them",
						t.rows, n)
				}
				return starlark.None, r.add(t.page(title))
			}},
		{
			Sig: "finding(id: str, severity: str, title: str, evidence: list|Counter=None, value: number|str=None, threshold: number|str=None, advice: str=None, spans: list|Span|Mask=None, source: str=None, confidence: str=None, win: str=None, metric: str=None, share: number=None, gain: list=None, runner_up: str=None, hint: bool=False, instead_of: str=None)",
			Doc: "Adds a judgement: \"critical\", \"warning\", \"info\" or \"good\". evidence are the counters it " +
				"rests on (the first is the metric; its total is the value if none is given), threshold what the " +
				"value was compared with; numbers are in the unit of the first counter, and texts such as \"52.4 %\" " +
				"or \"above 3 ms\" say their own. spans say where it holds, advice one sentence on what to do. " +
				"source says where the threshold comes from, confidence how sure the judgement is, win what a fix " +
				"could gain at most. metric says what value is of where it is not the first counter; \"\" says " +
				"nothing. share is how much of the time it limits (0 to 1), gain the bounds of what relieving it " +
				"saves (two numbers, 0 to 1), runner_up what sets the pace then. A hint is worth knowing whatever " +
				"limits, and no page begins with it. instead_of is the id of a finding: this one says what limits if " +
				"that does not, and stands right behind it.",
			Example: "report.new(\"t\").finding(\"clk/high\", \"warning\", \"The clock is high\", evidence=[clk], threshold=\"above 1000\", spans=clk.gt(1000).spans())",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.finding(c) }},
		{Sig: "account(a: Account=None) -> Account",
			Doc: "Says where the time went: page one shows it as a bar and as a lane over time, and JSON has its " +
				"parts. Without an argument it only returns what was said before, None where nothing was.",
			Example: "report.new(\"t\", capture=cap).account(account(cap))",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				if r.frozen {
					return nil, errFrozenReport
				}
				if c.Has("a") {
					r.time = c.Arg("a").(*Account)
					r.r.Account = r.time.page()
				}
				if r.time == nil {
					return starlark.None, nil
				}
				return r.time, nil
			}},
		{Sig: "judged(subject: str, why: str=None)",
			Doc: "Says that a subject, such as \"the GPU\", was judged, or why it could not be. Where nothing " +
				"could be, the page, the terminal and `report --strict` say so.",
			Example: "report.new(\"t\").judged(\"the GPU\", why=\"only 3 samples\")",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				if r.frozen {
					return nil, errFrozenReport
				}
				j := documents.Judgement{Subject: c.Str("subject", ""), Why: c.Str("why", "")}
				if !slices.Contains(r.r.Judgements, j) {
					r.r.Judgements = append(r.r.Judgements, j)
				}
				return starlark.None, nil
			}},
		{Sig: "summary(verdict: str, note: str=None, severity: str=\"info\", timeline: Plot=None, quality: list=None)",
			Doc: "Makes page one: the verdict in a sentence and what it rests on, the bar of `account`, three " +
				"findings, one timeline (without one, that of the page which shows most of what the findings rest " +
				"on), and what is to know about the data, a list of texts or of (severity, text).",
			Example: "report.new(\"t\", capture=cap).summary(\"The vector units set the pace\", severity=\"warning\", quality=[(\"good\", \"no gaps\")])",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.summary(c) }},
		{Sig: "save(path: str, " + sizeParams + ")",
			Doc: "Writes the report; the extension says the format: .png, .svg, .pdf, .md (its pictures beside " +
				"it), .html (one file that needs no network and no script) or .json. A long PNG goes on in files " +
				"name-2.png and so on. " + sizeDoc,
			Example: "report.new(\"t\", capture=cap).save(\"out.png\")",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.save(c) }},
	},
}

// FindingsTable is a table of the findings so far, the gravest first.
func (r *Report) FindingsTable() *Table {
	t := NewTable(r.env, []string{"id", "severity", "title", "metric", "value", "threshold", "advice", "spans",
		"source", "confidence", "win", "share", "gain_low", "gain_high", "runner_up", "hint", "instead_of"}, nil)
	for _, f := range r.r.Findings() {
		t.Append(starlark.String(f.ID), starlark.String(f.Severity.String()), starlark.String(f.Title),
			binding.Text(f.Metric), binding.Text(f.Value),
			binding.Text(f.Threshold), binding.Text(f.Advice), starlark.MakeInt(len(f.Spans)), binding.Text(f.Source),
			binding.Text(f.Confidence), binding.Text(f.Win), optional(f.Share), bound(f.Gain, 0), bound(f.Gain, 1),
			binding.Text(f.RunnerUp), starlark.Bool(f.Hint), binding.Text(f.InsteadOf))
	}
	return t
}

// optional is a number, None where there is none.
func optional(x *float64) starlark.Value {
	if x == nil {
		return starlark.None
	}
	return binding.Float(*x)
}

// bound is one of the bounds of a gain, None where there are none.
func bound(gain []float64, i int) starlark.Value {
	if i >= len(gain) {
		return starlark.None
	}
	return binding.Float(gain[i])
}
