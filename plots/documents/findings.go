package documents

import (
	"strings"

	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// chunks lays a finding out as a card: a bar in the colour of its severity, a sign and the word for it, what was found,
// the value beside its threshold, advice, and where in the capture it holds.
func (f Finding) chunks(t *canvas.Theme, width, pageH float64, t0, t1 int64) []*chunk {
	c := t.Severity(f.Severity)
	left0 := t.Text * 3.1 // text begins here, right of bar and sign
	inner := width - left0 - t.Text
	var rows []*chunk
	add := func(h float64, draw func(sc *canvas.Scene, x, y, w float64)) {
		rows = append(rows, &chunk{h: h, draw: draw})
	}
	// A line is a chunk of its own, so that a card that is longer than a page can go on at the next one.
	lines := func(runs []canvas.Run, space float64) {
		for i, l := range canvas.WrapRuns(runs, inner) {
			size := l.Size(t.Text)
			gap := 0.0
			if i == 0 {
				gap = space
			}
			add(canvas.Regular.Of(size).Leading()+gap, func(sc *canvas.Scene, x, y, w float64) {
				l.Draw(sc, t, x+left0, y+gap+canvas.Regular.Of(size).Ascent()+size*0.1)
			})
		}
	}

	f.titleRows(t, inner, left0, add)
	if runs := f.valueRuns(t); len(runs) > 0 {
		lines(runs, 0)
	}
	if f.Advice != "" {
		lines(adviceRuns(t, f.Advice), t.Text*0.2)
	}
	if text := f.judgement(); text != "" {
		lines([]canvas.Run{{Text: text, Style: canvas.Regular.Of(t.Text), Color: t.Muted}}, t.Text*0.2)
	}
	// Without an extent there is nothing to show places in.
	if len(f.Spans) > 0 && t1 > t0 {
		lines([]canvas.Run{{Text: charts.SpansText(f.Spans, t0, t1), Style: canvas.Regular.Of(t.Text), Color: t.Muted}},
			t.Text*0.2)
		add(t.Text*1.1, func(sc *canvas.Scene, x, y, w float64) {
			charts.DrawSpans(sc, t, canvas.Box(x+left0, y+t.Text*0.35, inner, t.Text*0.6), f.Severity, f.Spans, t0, t1)
		})
	}
	if foot := f.footer(); foot != "" {
		lines([]canvas.Run{{Text: foot, Style: canvas.Regular.Of(t.Small), Color: t.Muted}}, t.Text*0.2)
	}

	pad := t.Text * 0.6
	// Ground and bar are drawn by every row: a card that is divided has them on both pages. The space above and below
	// belongs to the first and the last row, so that nothing shows between two.
	rows[len(rows)-1].h += pad
	for i, row := range rows {
		draw, top := row.draw, 0.0
		if i == 0 {
			top = pad
			row.h += pad
			row.space = t.Text * 0.8
		}
		// A card stays together where a page has room for it.
		row.keep = i < len(rows)-1
		h := row.h
		row.draw = func(sc *canvas.Scene, x, y, w float64) {
			sc.Fill(canvas.Box(x, y, w, h), canvas.WithAlpha(c, 0x12))
			sc.Fill(canvas.Box(x, y, t.Text*0.4, h), c)
			draw(sc, x, y+top, w)
		}
	}
	return rows
}

// titleRows are the lines of the title; the first also carries the sign and the word of the severity.
func (f Finding) titleRows(t *canvas.Theme, inner, left0 float64,
	add func(float64, func(*canvas.Scene, float64, float64, float64))) {
	ts, ws := canvas.Bold.Of(t.Title), canvas.Bold.Of(t.Small)
	word := strings.ToUpper(f.Severity.String())
	wordW := 0.0
	if word != "" {
		wordW = ws.Width(word) + t.Text*1.2
	}
	title := f.Title
	if title == "" {
		title = f.ID
	}
	if title == "" {
		title = f.Metric
	}
	c := t.Severity(f.Severity)
	for i, l := range ts.Wrap(title, inner-wordW-t.Text*0.5) {
		add(ts.Leading(), func(sc *canvas.Scene, x, y, w float64) {
			base := y + ts.Ascent() + t.Title*0.08
			if i == 0 {
				sc.Glyph(t, f.Severity, x+t.Text*1.75, base-t.Title*0.34, t.Text*1.35)
				if word != "" {
					chip := canvas.Box(x+w-t.Text*0.8-wordW+t.Text*0.4, base-t.Small*1.02,
						wordW-t.Text*0.4, t.Small*1.42)
					sc.Fill(chip, c)
					sc.TextAt(chip.X+chip.W/2, base-t.Small*0.02, canvas.Center, ws, t.OnAccent, word)
				}
			}
			sc.TextAt(x+left0, base, canvas.Left, ts, t.Ink, l)
		})
	}
}

// valueRuns say what was measured and what it was compared with.
func (f Finding) valueRuns(t *canvas.Theme) []canvas.Run {
	var out []canvas.Run
	add := func(text string, face canvas.Face, clr func(*canvas.Theme) canvas.Run) {
		r := clr(t)
		r.Text, r.Style = text, face.Of(t.Text)
		out = append(out, r)
	}
	ink := func(t *canvas.Theme) canvas.Run { return canvas.Run{Color: t.Ink} }
	muted := func(t *canvas.Theme) canvas.Run { return canvas.Run{Color: t.Muted} }
	if f.Metric != "" {
		add(canvas.Isolated(f.Metric), canvas.Regular, ink)
	}
	if f.Value != "" {
		if f.Metric != "" {
			add(": ", canvas.Regular, ink)
		}
		add(canvas.Isolated(f.Value), canvas.Bold, func(t *canvas.Theme) canvas.Run {
			return canvas.Run{Color: t.Severity(f.Severity)}
		})
	}
	if f.Threshold != "" {
		sep := "threshold "
		if len(out) > 0 {
			sep = "  ·  threshold "
		}
		add(sep, canvas.Regular, muted)
		add(canvas.Isolated(f.Threshold), canvas.Regular, muted)
		if f.Source != "" {
			add(" ("+canvas.Isolated(f.Source)+")", canvas.Regular, muted)
		}
	}
	return out
}

func adviceRuns(t *canvas.Theme, advice string) []canvas.Run {
	out := []canvas.Run{{Text: "→ ", Style: canvas.Bold.Of(t.Text), Color: t.Muted}}
	return append(out, inlineRuns(t, advice, canvas.Regular.Of(t.Text))...)
}

// judgement says how sure the finding is and what fixing it could gain.
func (f Finding) judgement() string {
	var parts []string
	if f.Win != "" {
		parts = append(parts, "could gain "+f.Win)
	}
	if f.RunnerUp != "" {
		parts = append(parts, "next limit: "+f.RunnerUp)
	}
	if f.Confidence != "" {
		parts = append(parts, "confidence "+f.Confidence)
	}
	return strings.Join(parts, "  ·  ")
}

func (f Finding) footer() string {
	var parts []string
	if len(f.Evidence) > 0 {
		var names []string
		for _, e := range f.Evidence {
			names = append(names, canvas.Isolated(e))
		}
		parts = append(parts, "evidence: "+strings.Join(names, ", "))
	}
	if f.ID != "" && f.Title != "" {
		parts = append(parts, canvas.Isolated(f.ID))
	}
	return strings.Join(parts, "  ·  ")
}
