package documents

import (
	"fmt"
	"path/filepath"
	"strings"

	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// markdown returns the report in Markdown (CommonMark with the tables of GitHub) and its pictures, which lie beside it.
func (r *Report) markdown(path string, sz canvas.Size) ([]Document, error) {
	m := &mdWriter{r: r, base: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), dir: filepath.Dir(path),
		sz: sz, theme: r.Theme}
	if m.theme == nil {
		m.theme = canvas.Light()
	}
	// Drawing the pictures takes nearly all of the time, so only they are counted.
	r.Progress.Begin(int64(r.pictures()), progress.Pictures)
	title := r.Title
	if title == "" {
		title = "Report"
	}
	m.line("# " + mdEscape(title))
	t0, t1 := r.extent()
	if s := r.Summary; s != nil {
		// Page one as a picture would say this twice: its words are text here, which can be searched, and only its
		// charts are pictures.
		m.line("**" + mdEscape(s.Verdict) + "**")
		m.line(mdEscape(s.Note))
		if err := m.plots(r.lead()); err != nil {
			return nil, err
		}
		var notes []string
		for _, n := range s.Quality {
			notes = append(notes, "- "+mdEscape(n.Text))
		}
		m.line(strings.Join(notes, "\n"))
	}
	findings := r.shownFindings()
	if len(findings) > 0 {
		m.line("## Findings")
		m.line(mdEscape(countFindings(findings)))
	}
	for _, f := range findings {
		if err := m.finding(f, t0, t1); err != nil {
			return nil, err
		}
	}
	for _, it := range r.shownItems() {
		switch it := it.(type) {
		case Chart:
			if err := m.plots([]*charts.Plot{r.painting(it.Plot)}); err != nil {
				return nil, err
			}
		case Text:
			m.text(string(it))
		case Table:
			m.table(it)
		}
	}
	if th := r.thresholds(); len(th) > 0 {
		m.line("## Thresholds used")
		m.keyValues("Metric", "Threshold", th)
	}
	if r.Command != "" {
		m.line("## " + reproduceTitle)
		m.line(fenced(r.Command))
	}
	// Only now is it known which letters the fonts of the pictures lacked.
	r.warnOf(m.use)
	if made := r.withFonts(m.use); len(made) > 0 {
		m.line("## Made from")
		m.keyValues("", "", made)
	}
	doc := Document{path, []byte(m.out.String())}
	// The page comes first: it is the file that was asked for, and the pictures lie beside it.
	return append([]Document{doc}, m.pictures...), nil
}

type mdWriter struct {
	r         *Report
	base, dir string
	sz        canvas.Size
	theme     *canvas.Theme
	out       strings.Builder
	pictures  []Document
	use       canvas.FontUse // of the pictures
}

// line writes a block of its own.
func (m *mdWriter) line(s string) {
	if s != "" {
		if m.out.Len() > 0 {
			m.out.WriteString("\n")
		}
		m.out.WriteString(s + "\n")
	}
}

func (m *mdWriter) finding(f Finding, t0, t1 int64) error {
	head := mdEscape(f.headline())
	if w := f.Severity.String(); w != "" {
		head = strings.ToUpper(w[:1]) + w[1:] + ": " + head
	}
	m.line("### " + head)
	var parts []string
	if f.Metric != "" || f.Value != "" {
		text := mdEscape(f.Metric)
		if f.Value != "" {
			if text != "" {
				text += ": "
			}
			text += "**" + mdEscape(f.Value) + "**"
		}
		parts = append(parts, text)
	}
	if f.Threshold != "" {
		text := "threshold " + mdEscape(f.Threshold)
		if f.Source != "" {
			text += " (" + mdEscape(f.Source) + ")"
		}
		parts = append(parts, text)
	}
	m.line(strings.Join(parts, " · "))
	if f.Advice != "" {
		m.line("→ " + mdInline(f.Advice))
	}
	if text := f.judgement(); text != "" {
		m.line(mdEscape(text))
	}
	if len(f.Spans) > 0 {
		m.line(mdEscape(charts.SpansText(f.Spans, t0, t1)))
	}
	if err := m.plots(f.Plots); err != nil {
		return err
	}
	var foot []string
	if len(f.Evidence) > 0 {
		var names []string
		for _, e := range f.Evidence {
			names = append(names, mdCode(e))
		}
		foot = append(foot, "evidence: "+strings.Join(names, ", "))
	}
	if f.ID != "" {
		foot = append(foot, mdCode(f.ID))
	}
	m.line(strings.Join(foot, " · "))
	return nil
}

func (m *mdWriter) plots(list []*charts.Plot) error {
	for _, p := range charts.Drawable(list) {
		dpi := m.sz.DPI
		if dpi == 0 {
			dpi = canvas.DefaultDPI
		}
		sc := p.Figure(m.theme, 1)
		m.use = m.use.With(canvas.FontsOf(sc))
		data, err := sc.PNG(dpi)
		if err != nil {
			return fmt.Errorf("report %q: %w", m.r.Title, err)
		}
		name := fmt.Sprintf("%s-fig%d.png", m.base, len(m.pictures)+1)
		m.r.Progress.Add(1)
		m.pictures = append(m.pictures, Document{filepath.Join(m.dir, name), data})
		m.line("![" + mdEscape(p.Caption()) + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n",
			" ").Replace(name) + ">)")
	}
	return nil
}

// keyValues is a table of two columns.
func (m *mdWriter) keyValues(key, value string, list []KV) {
	t := Table{Columns: []Column{{Name: key, Align: AlignLeft}, {Name: value, Align: AlignLeft}}}
	for _, kv := range list {
		t.Rows = append(t.Rows, []string{kv.Key, kv.Value})
	}
	m.table(t)
}

func (m *mdWriter) table(t Table) {
	if t.Title != "" {
		m.line("#### " + mdEscape(t.Title))
	}
	if len(t.Columns) == 0 {
		return
	}
	var b strings.Builder
	rule := "|"
	b.WriteString("|")
	for j, c := range t.Columns {
		name := mdEscape(c.Name)
		if c.Unit != "" {
			name += " [" + mdEscape(c.Unit) + "]"
		}
		b.WriteString(" " + name + " |")
		if t.right(j) {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	b.WriteString("\n" + rule)
	for _, row := range t.Rows {
		b.WriteString("\n|")
		for j := range t.Columns {
			cell := ""
			if j < len(row) {
				cell = mdEscape(row[j])
			}
			b.WriteString(" " + cell + " |")
		}
	}
	m.line(b.String())
	if len(t.Rows) == 0 {
		m.line("no rows")
	}
}

// right reports whether the cells of a column stand at the right: it was asked for, or all of them are numbers.
func (t Table) right(j int) bool {
	if t.Columns[j].Align != AlignAuto {
		return t.Columns[j].Align == AlignRight
	}
	any := false
	for _, row := range t.Rows {
		if j < len(row) && !isMissing(row[j]) {
			if !isNumber(row[j]) {
				return false
			}
			any = true
		}
	}
	return any
}

var mdSpecial = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<",
	"&lt;", ">", "&gt;",
	"|", "\\|", "~", "\\~", "&", "&amp;", "#", "\\#", "!", "\\!")

// mdEscape writes a text so that Markdown shows it as it is, in one line.
func mdEscape(s string) string { return mdStart(mdSigns(s)) }

// mdSigns is mdEscape for what stands inside a line.
func mdSigns(s string) string { return mdSpecial.Replace(canvas.Undirected(s)) }

// mdStart takes its meaning from what would begin a list, a rule or the line below a heading at the start of a line.
func mdStart(s string) string {
	trimmed := strings.TrimLeft(s, " ")
	if n := strings.IndexFunc(trimmed, func(r rune) bool {
		return r < '0' || r > '9'
	}); n > 0 && (trimmed[n] == '.' || trimmed[n] == ')') && (n+1 == len(trimmed) || trimmed[n+1] == ' ') {
		return trimmed[:n] + "\\" + trimmed[n:]
	}
	if strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "+ ") || strings.HasPrefix(trimmed, "---") ||
		strings.HasPrefix(trimmed, "=") {
		return "\\" + trimmed
	}
	return s
}

var mdCellSpecial = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "[", "\\[", "]", "\\]", "<", "&lt;", ">",
	"&gt;", "&", "&amp;", "|", "\\|")

// MarkdownCell writes a text as the cell of a table in Markdown: what ends the cell, begins HTML or makes a link loses
// its meaning. Underscores stay, as most names of counters have them.
func MarkdownCell(s string) string { return mdCellSpecial.Replace(canvas.Undirected(s)) }

// mdCode writes a text as code, within as many backticks as it takes.
func mdCode(s string) string {
	s = canvas.Undirected(s)
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 || strings.HasPrefix(s, " ") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fenced writes lines as a block of code.
func fenced(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + s + "\n" + fence
}
