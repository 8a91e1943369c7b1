package documents

import (
	"fmt"

	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// chunks lays out the whole report for a content width, in reading order: title, provenance, findings, items.
// pageH is the greatest height of a chunk.
func (r *Report) chunks(t *canvas.Theme, width, pageH float64) []*chunk {
	var out []*chunk
	if r.Summary != nil {
		// Page one is one chunk of a whole page: it is never divided, and what follows begins on the next.
		out = append(out, r.summaryChunk(t, width, pageH))
		if r.Only {
			return out
		}
	}
	ts := canvas.Bold.Of(t.PageTitle)
	title := r.Title
	if title == "" {
		title = "Report"
	}
	for _, l := range ts.Lines(title, width, 4) {
		out = append(out, &chunk{h: ts.Size * 1.22, keep: true, draw: func(sc *canvas.Scene, x, y, w float64) {
			sc.TextAt(x, y+ts.Ascent(), canvas.Left, ts, t.Ink, l)
		}})
	}
	out = append(out, r.provenanceChunks(t, width, pageH)...)

	// Over all charts of the report, also those of findings: a moment is at the same place on every page.
	shared := charts.AlignTimelines(t, r.drawn(), width)
	t0, t1 := r.extent()
	findings := r.Findings()
	if len(findings) > 0 {
		out = append(out, sectionHeading(t, "Findings", countFindings(findings)))
	}
	for _, f := range findings {
		out = append(out, f.chunks(t, width, pageH, t0, t1)...)
		out = append(out, panelChunks(charts.Panels(t, f.Plots, shared, width, pageH))...)
	}
	var plots []*charts.Plot // a run of plots that may share an axis
	// What stands between two charts ends their run: they no longer touch, so each needs a time axis of its own.
	flush := func() {
		out = append(out, panelChunks(charts.Panels(t, plots, shared, width, pageH))...)
		plots = nil
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case Chart:
			plots = append(plots, r.painting(it.Plot))
		case Text:
			flush()
			out = append(out, textChunks(t, it, width)...)
		case Table:
			flush()
			out = append(out, tableChunks(t, it, width, pageH)...)
		}
	}
	flush()
	if r.Command != "" {
		out = append(out, sectionHeading(t, reproduceTitle, ""))
		out = append(out, codeLines(t, r.Command, width)...)
	}
	// Nothing may be higher than a page: such a chunk would be cut off.
	for _, c := range out {
		c.h = min(c.h, pageH)
	}
	return out
}

func sectionHeading(t *canvas.Theme, title, note string) *chunk {
	hs, ns := canvas.Bold.Of(t.Heading), canvas.Regular.Of(t.Text)
	return &chunk{h: hs.Leading(), space: t.Heading * 0.8, keep: true, draw: func(sc *canvas.Scene, x, y, w float64) {
		box := sc.TextAt(x, y+hs.Ascent(), canvas.Left, hs, t.Ink, title)
		sc.TextAt(box.Right()+t.Text*0.8, y+hs.Ascent(), canvas.Left, ns, t.Muted,
			ns.Fit(note, x+w-box.Right()-t.Text*0.8))
	}}
}

func countFindings(list []Finding) string {
	var n [canvas.Critical + 1]int
	for _, f := range list {
		if f.Severity <= canvas.Critical {
			n[f.Severity]++
		}
	}
	text := ""
	for s := int(canvas.Critical); s >= int(canvas.Good); s-- {
		if n[s] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", n[s], canvas.Severity(s))
		if canvas.Severity(s) == canvas.Warning && n[s] > 1 {
			text += "s"
		}
	}
	return text
}

// extent is the stretch of time against which the spans of findings are drawn.
func (r *Report) extent() (t0, t1 int64) {
	if r.End > r.Start {
		return r.Start, r.End
	}
	first := true
	grow := func(a, b int64) {
		if first {
			t0, t1, first = a, b, false
		}
		t0, t1 = min(t0, a), max(t1, b)
	}
	for _, p := range r.drawn() {
		if from, to, ok := p.Window(); ok {
			grow(from, to)
		}
	}
	for _, f := range r.Findings() {
		for _, s := range f.Spans {
			grow(s.Start, s.End)
		}
	}
	return t0, t1
}

// drawn lists the charts of the report, also those of findings.
func (r *Report) drawn() []*charts.Plot {
	var out []*charts.Plot
	for _, it := range r.Items {
		switch it := it.(type) {
		case Chart:
			out = append(out, it.Plot)
		case Finding:
			out = append(out, it.Plots...)
		}
	}
	return out
}

// panelChunks are panels of charts as chunks; those that share a time axis are a group, at whose end it stands.
func panelChunks(panels []charts.Panel) []*chunk {
	var out []*chunk
	groups := map[*charts.Foot]*group{nil: nil}
	for _, p := range panels {
		if _, known := groups[p.Foot]; !known {
			groups[p.Foot] = &group{foot: &chunk{h: p.Foot.Height, draw: p.Foot.Draw}}
		}
		out = append(out, &chunk{h: p.Height, space: p.Space, keep: p.Keep, group: groups[p.Foot], draw: p.Draw})
	}
	return out
}
