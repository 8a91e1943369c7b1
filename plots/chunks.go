package plots

import (
	"fmt"

	"astrolabe/plots/canvas"
)

// chunks lays out the whole report for a content width, in reading order: title, provenance, findings, items.
// pageH is the greatest height of a chunk.
func (r *Report) chunks(t *canvas.Theme, width, pageH float64) []*chunk {
	var out []*chunk
	if r.Summary != nil {
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

	shared := r.geometry(t, width)
	t0, t1 := r.extent()
	findings := r.Findings()
	if len(findings) > 0 {
		out = append(out, sectionHeading(t, "Findings", countFindings(findings)))
	}
	for _, f := range findings {
		out = append(out, f.chunks(t, width, pageH, t0, t1)...)
		out = append(out, plotChunks(t, f.Plots, shared, width, pageH)...)
	}
	var plots []*Plot // a run of plots that may share an axis
	flush := func() {
		out = append(out, plotChunks(t, plots, shared, width, pageH)...)
		plots = nil
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *Plot:
			if it != nil && it.body != nil {
				plots = append(plots, it)
			}
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
		sc.TextAt(box.Right()+t.Text*0.8, y+hs.Ascent(), canvas.Left, ns, t.Muted, ns.Fit(note, x+w-box.Right()-t.Text*0.8))
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

// timelines lists the timelines of the report, also those of findings and grids.
func (r *Report) timelines() []*lane {
	var out []*lane
	add := func(p *Plot) {
		if p != nil {
			out = append(out, lanesOf(p)...)
		}
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *Plot:
			add(it)
		case Finding:
			for _, p := range it.Plots {
				add(p)
			}
		}
	}
	return out
}

// lanesOf returns the lanes of a timeline or of a column of timelines, nil for any other chart.
func lanesOf(p *Plot) []*lane {
	switch b := p.body.(type) {
	case *timeline:
		return b.lanes
	case *grid:
		return b.single()
	}
	return nil
}

// geometry aligns every timeline of the report.
func (r *Report) geometry(t *canvas.Theme, width float64) laneGeometry {
	lanes := r.timelines()
	g := laneGeometry{}
	least := 0.0
	for _, l := range lanes {
		if len(l.series) > 1 && (least == 0 || l.frameHeight(t) < least) {
			least = l.frameHeight(t)
		}
	}
	if len(lanes) > 0 {
		g = geometry(t, lanes, width, max(least, t.Text*7.5))
	}
	return g
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
	for _, l := range r.timelines() {
		grow(l.tl.t0, l.tl.t1)
	}
	for _, f := range r.Findings() {
		for _, s := range f.Spans {
			grow(s.Start, s.End)
		}
	}
	return t0, t1
}

// plotChunks lays out plots under one another. Neighbouring timelines whose windows overlap stand on one time axis.
func plotChunks(t *canvas.Theme, plots []*Plot, g laneGeometry, width, pageH float64) []*chunk {
	var out []*chunk
	for i := 0; i < len(plots); {
		lanes := lanesOf(plots[i])
		if lanes == nil {
			out = append(out, plotChunk(t, plots[i], width, pageH))
			i++
			continue
		}
		// Take in the timelines that follow as long as all share their time.
		starts := map[int]bool{0: true}
		i++
		for i < len(plots) {
			more := lanesOf(plots[i])
			if more == nil {
				break
			}
			all := append(lanes[:len(lanes):len(lanes)], more...)
			if _, _, ok := shareTime(all); !ok {
				break
			}
			starts[len(lanes)] = true
			lanes = all
			i++
		}
		out = append(out, laneChunks(t, lanes, starts, g, width, pageH)...)
	}
	return out
}

// laneChunks lays out lanes on one time axis. starts holds the indices at which a new plot begins.
func laneChunks(t *canvas.Theme, lanes []*lane, starts map[int]bool, g laneGeometry, width, pageH float64) []*chunk {
	if _, _, ok := shareTime(lanes); !ok { // a grid over unlike windows
		var out []*chunk
		for _, l := range lanes {
			out = append(out, laneChunks(t, []*lane{l}, map[int]bool{0: true}, g, width, pageH)...)
		}
		return out
	}
	t0, t1, _ := shareTime(lanes)
	foot := newTimeFoot(t, lanes, t0, t1, g, width)
	ax := foot.ax
	grp := &group{foot: &chunk{h: foot.height(t), draw: func(sc *canvas.Scene, x, y, w float64) {
		foot.draw(sc, t, sc.Snapped(canvas.Box(x+g.gutter, y-1, g.frameW(w), 1)))
	}}}
	var out []*chunk
	for i, l := range lanes {
		fh := l.frameHeight(t)
		parts := l.measure(t, g, ax, width, fh, pageH*0.4)
		c := &chunk{h: min(parts.fixed+fh, pageH-foot.height(t)), space: l.gapAbove(t), group: grp, keep: i+1 < len(lanes) && lanes[i+1].follows && !l.follows}
		if starts[i] {
			c.space = t.Text * 1.1
		}
		c.draw = func(sc *canvas.Scene, x, y, w float64) {
			l.draw(sc, t, g, ax, parts, canvas.Box(x, y, w, c.h), nil)
		}
		out = append(out, c)
	}
	return out
}

// plotChunk lays out any other chart at the height that it prefers.
func plotChunk(t *canvas.Theme, p *Plot, width, pageH float64) *chunk {
	c := &chunk{h: min(p.body.prefer(t, width), pageH), space: t.Text * 1.4}
	c.draw = func(sc *canvas.Scene, x, y, w float64) { p.body.draw(sc, t, canvas.Box(x, y, w, c.h)) }
	return c
}
