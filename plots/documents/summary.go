package documents

import (
	"fmt"
	"strings"

	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// Summary is page one of a report: what set the pace, in one screen. The bar of time and its lane are those of
// Report.Account.
type Summary struct {
	Severity canvas.Severity
	Verdict  string       // one sentence
	Note     string       // what it rests on, or what it would gain, in a sentence or two
	Timeline *charts.Plot // the one that shows it best, or any other chart; nil where there is none
	Quality  []Note       // what is to know about the data
}

// Note is a sentence with how much it matters.
type Note struct {
	Severity canvas.Severity
	Text     string
}

// Judgement says that something was judged, or why it could not be.
type Judgement struct {
	Subject string // such as "the GPU"
	Why     string // why it could not be judged; "" where it was
}

// NotJudged are the subjects that could not be judged, and why.
func (r *Report) NotJudged() []Judgement {
	var out []Judgement
	for _, j := range r.Judgements {
		if j.Why != "" {
			out = append(out, j)
		}
	}
	return out
}

// Judged reports whether anything was judged.
func (r *Report) Judged() bool {
	return len(r.Judgements) == 0 || len(r.NotJudged()) < len(r.Judgements)
}

// The proportions of page one: those of a screen.
const summaryWidth, summaryHeight = 16, 9

// summaryFindings is how many findings page one tells of.
const summaryFindings = 3

// findingsFirst are the findings of page one: what would gain most goes first, then what weighs most. Those about the
// data stand in its last lines.
func (r *Report) findingsFirst() []Finding {
	var limits, rest []Finding
	for _, f := range r.Findings() {
		switch {
		case len(f.Gain) == 2 && f.Severity > canvas.Info:
			at := len(limits)
			for at > 0 && limits[at-1].Gain[0] < f.Gain[0] {
				at--
			}
			limits = append(limits[:at:at], append([]Finding{f}, limits[at:]...)...)
		case strings.HasPrefix(f.ID, dataFindings):
		default:
			rest = append(rest, f)
		}
	}
	return followed(append(limits, rest...))
}

// shownItems are what follows the findings: nothing where only page one was asked for.
func (r *Report) shownItems() []Item {
	if r.Only && r.Summary != nil {
		return nil
	}
	return r.Items
}

// painted is the account in the colours of the timeline of page one; nil where there is none.
func (r *Report) painted() *charts.Account {
	if r.Account != nil && r.Summary != nil && r.Summary.Timeline != nil {
		return r.Account.Beside(r.Summary.Timeline)
	}
	return r.Account
}

// painting is a chart of the report: what its bars tell of the account has the colours of the bar of the whole.
func (r *Report) painting(p *charts.Plot) *charts.Plot {
	if a := r.painted(); a != nil && p != nil {
		return a.Colored(p)
	}
	return p
}

// lead are the charts of page one for formats that are read from the top to the bottom.
func (r *Report) lead() []*charts.Plot {
	var out []*charts.Plot
	if a := r.painted(); a != nil && a.Base > 0 {
		out = append(out, charts.AccountChart(a, "Where the time went"))
	}
	if r.Only && r.Summary.Timeline != nil {
		out = append(out, r.painting(r.Summary.Timeline))
	}
	return out
}

// shownFindings are all of them, or those of page one where only that was asked for. JSON, which machines read, has
// all.
func (r *Report) shownFindings() []Finding {
	if r.Only && r.Summary != nil {
		all := r.findingsFirst()
		return all[:min(summaryFindings, len(all))]
	}
	return r.Findings()
}

// BestChart is the chart of the page that shows most of what the first findings rest on: the timeline with their
// counters, else the first timeline, else the first chart; nil where there is none.
func (r *Report) BestChart() *charts.Plot {
	var all []*charts.Plot
	var collect func(p *charts.Plot)
	collect = func(p *charts.Plot) {
		switch {
		case !p.Drawable():
		case p.Children() != nil:
			for _, row := range p.Children() {
				for _, q := range row {
					collect(q)
				}
			}
		default:
			all = append(all, p)
		}
	}
	for _, it := range r.Items {
		if c, ok := it.(Chart); ok {
			collect(c.Plot)
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, f := range r.findingsFirst() {
		var best *charts.Plot
		most := 0
		for _, p := range all {
			if n := p.Names(f.Evidence); n > most && f.Severity > canvas.Good {
				best, most = p, n
			}
		}
		if best != nil {
			return best
		}
	}
	for _, p := range all {
		if p.Kind == "timeline" {
			return p
		}
	}
	return all[0]
}

// dataFindings begins the ids of findings about the data.
const dataFindings = "data_"

// summaryTheme is smaller than that of other pages: a screen holds a page that is read from afar.
func summaryTheme(t *canvas.Theme) *canvas.Theme {
	s := *t
	for _, m := range []*float64{&s.Text, &s.Small, &s.Title, &s.Heading, &s.PageTitle, &s.Margin} {
		*m *= 0.82
	}
	return &s
}

// summaryChunk is page one, for a page of that width.
func (r *Report) summaryChunk(t *canvas.Theme, width, pageH float64) *chunk {
	h := min((width+2*t.Margin)*summaryHeight/summaryWidth-2*t.Margin, pageH)
	return &chunk{h: h, alone: true, draw: func(sc *canvas.Scene, x, y, w float64) {
		r.drawSummary(sc, summaryTheme(t), canvas.Box(x, y, w, h))
	}}
}

// drawSummary draws page one into an area, from the top to the bottom; the timeline takes what is left.
func (r *Report) drawSummary(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	s := r.Summary
	account := r.painted()
	y := r.summaryTitle(sc, t, area)
	y = s.drawVerdict(sc, t, canvas.Box(area.X, y+t.Text*0.5, area.W, 0))
	if account != nil && account.Base > 0 {
		y = account.DrawWhole(sc, t, canvas.Box(area.X, y+t.Text*0.7, area.W, 0))
	}
	y = r.summaryFindings(sc, t, canvas.Box(area.X, y+t.Text*0.7, area.W, 0))
	bottom := s.drawQuality(sc, t, area)
	room := canvas.Box(area.X, y+t.Text*0.7, area.W, bottom-y-t.Text*1.2)
	if room.H < t.Text*6 {
		return // the words matter more; the chart stands on the next page
	}
	chart := r.painting(s.Timeline)
	if account != nil {
		chart = account.Below(chart)
	}
	if chart.Drawable() {
		chart.Draw(sc, t, room)
	}
}

// summaryTitle is what the page is about, in a line.
func (r *Report) summaryTitle(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) float64 {
	ts, ns := canvas.Bold.Of(t.Heading), canvas.Regular.Of(t.Small)
	title := r.Title
	if title == "" {
		title = "Report"
	}
	var parts []string
	for _, kv := range r.Provenance {
		if kv.Key == "Extent" || kv.Key == "Device" && !strings.Contains(title, kv.Value) {
			parts = append(parts, kv.Value)
		}
	}
	note := ns.Fit(strings.Join(parts, " · "), area.W*0.5)
	base := area.Y + ts.Ascent()
	box := sc.TextAt(area.Right(), base, canvas.Right, ns, t.Muted, note)
	sc.TextAt(area.X, base, canvas.Left, ts, t.Ink, ts.Fit(title, box.X-area.X-t.Text))
	return area.Y + ts.Leading()
}

// drawVerdict draws the sentence that the page is about.
func (s *Summary) drawVerdict(sc *canvas.Scene, t *canvas.Theme, at canvas.Rect) float64 {
	c := t.Severity(s.Severity)
	vs, ns := canvas.Bold.Of(t.Heading), canvas.Regular.Of(t.Text)
	inner := at.W - t.Text*4
	lines := vs.Lines(s.Verdict, inner, 2)
	notes := ns.Lines(s.Note, inner, 2)
	if s.Note == "" {
		notes = nil
	}
	pad := t.Text * 0.5
	h := float64(len(lines))*vs.Size*1.22 + float64(len(notes))*ns.Leading() + 2*pad
	sc.Fill(canvas.Box(at.X, at.Y, at.W, h), canvas.WithAlpha(c, 0x16))
	sc.Fill(canvas.Box(at.X, at.Y, t.Text*0.5, h), c)
	sc.Glyph(t, s.Severity, at.X+t.Text*1.9, at.Y+pad+vs.Size*0.62, t.Text*1.7)
	y := at.Y + pad
	for _, l := range lines {
		sc.TextAt(at.X+t.Text*3.3, y+vs.Ascent(), canvas.Left, vs, t.Ink, l)
		y += vs.Size * 1.22
	}
	sc.TextLines(at.X+t.Text*3.3, y, canvas.Left, ns, t.Ink, notes)
	return at.Y + h
}

// summaryFindings draws the first findings, each in two lines.
func (r *Report) summaryFindings(sc *canvas.Scene, t *canvas.Theme, at canvas.Rect) float64 {
	all := r.findingsFirst()
	list := all[:min(summaryFindings, len(all))]
	if len(list) == 0 {
		return at.Y - t.Text*0.7
	}
	note := ""
	if n := len(all) - len(list); n > 0 {
		note = fmt.Sprintf("the first %d of %d", len(list), len(all))
	}
	y := charts.DrawHeading(sc, t, "Findings", note, at) + t.Text*0.2
	ts, ns := canvas.Bold.Of(t.Text), canvas.Regular.Of(t.Small)
	for _, f := range list {
		c := t.Severity(f.Severity)
		left0 := at.X + t.Text*2.1
		lines := ts.Lines(f.headline(), at.Right()-left0, 2)
		text := f.summaryText(t)
		h := float64(len(lines))*ts.Leading() + t.Text*0.25
		if text != "" {
			h += ns.Leading()
		}
		sc.Fill(canvas.Box(at.X, y, t.Text*0.3, h-t.Text*0.2), c)
		sc.Glyph(t, f.Severity, at.X+t.Text*1.2, y+ts.Leading()*0.5, t.Text*1.1)
		ty := sc.TextLines(left0, y, canvas.Left, ts, t.Ink, lines)
		if text != "" {
			sc.TextAt(left0, ty+ns.Ascent(), canvas.Left, ns, t.Muted, ns.Cut(text, at.Right()-left0))
		}
		y += h
	}
	return y
}

// toldGain is what a finding that warns of nothing has to gain for certain, of the time, for page one to tell it.
const toldGain = 0.025

// summaryText is what stands below the title of a finding on page one: what it gains, how sure it is, and its value or
// what to do.
func (f Finding) summaryText(t *canvas.Theme) string {
	var parts []string
	if f.Severity <= canvas.Info && f.InsteadOf == "" && (len(f.Gain) != 2 || f.Gain[0] < toldGain) {
		f.Win = "" // what does not matter gains nothing that does
	}
	if text := f.judgement(); text != "" {
		parts = append(parts, text)
	}
	if f.Advice != "" {
		parts = append(parts, "→ "+plainText(f.Advice))
	}
	return strings.Join(parts, "  ·  ")
}

// plainText is Markdown without the marks of code and emphasis.
func plainText(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }

// drawQuality draws what is to know about the data at the bottom of an area, and returns where it begins.
func (s *Summary) drawQuality(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) float64 {
	ns := canvas.Regular.Of(t.Small)
	type row struct {
		sev   canvas.Severity
		lines []string
	}
	var rows []row
	h := 0.0
	for _, n := range s.Quality {
		lines := ns.Lines(n.Text, area.W-t.Text*2.1, 2)
		rows = append(rows, row{n.Severity, lines})
		h += float64(len(lines)) * ns.Leading()
	}
	top := area.Bottom() - h
	y := top
	for _, r := range rows {
		sc.Glyph(t, r.sev, area.X+t.Text*1.0, y+ns.Leading()*0.5, t.Small)
		y = sc.TextLines(area.X+t.Text*2.1, y, canvas.Left, ns, t.Muted, r.lines)
	}
	return top
}
