package plots

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/plots/canvas"
)

// What the written forms of a report have in common: Markdown (mdreport.go), HTML (html.go) and JSON (jsonreport.go). They
// come in the order of need: findings with their evidence, what was drawn and tabulated, the thresholds, how to make the
// report again, and what it was made from.

const reproduceTitle = "How to reproduce"

// Thresholds lists what the findings were compared with, each once, in the order of the findings.
func (r *Report) Thresholds() []KV {
	var out []KV
	for _, f := range r.Findings() {
		if f.Threshold == "" {
			continue
		}
		name := f.Metric
		if name == "" {
			name = f.ID
		}
		if kv := (KV{name, f.Threshold}); !slices.Contains(out, kv) {
			out = append(out, kv)
		}
	}
	return out
}

// figureWidth is the width in logical pixels of a picture between text.
const figureWidth = 1280

// figure lays a chart out for a document: as high as it needs, on the page of the report's theme.
func (p *Plot) figure(t *canvas.Theme) *canvas.Scene {
	t = t.Shrunk(figureWidth)
	pad := t.Text * 0.6
	h := p.body.prefer(t, figureWidth-2*pad) + 2*pad
	if h > canvas.MaxSide { // a chart of thousands of rows
		h = canvas.MaxSide
	}
	sc := canvas.NewScene(figureWidth, h, 1, t.Page)
	p.body.draw(sc, t, canvas.Box(pad, pad, figureWidth-2*pad, h-2*pad))
	return sc
}

// caption says what a picture shows, for those who cannot see it.
func (p *Plot) caption() string {
	title := canvas.Printable(p.Title)
	if title == "" {
		var names []string
		switch b := p.body.(type) {
		case *timeline:
			for _, l := range b.lanes {
				for _, s := range l.series {
					names = append(names, canvas.Printable(s.Name))
				}
			}
		case *grid:
			for _, row := range b.rows {
				for _, q := range row {
					names = append(names, q.caption())
				}
			}
		}
		const most = 6
		if len(names) > most {
			names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
		}
		title = strings.Join(names, ", ")
	}
	if title == "" {
		return p.Kind
	}
	return p.Kind + ": " + title
}

// headline is what a finding is called where it has several names.
func (f Finding) headline() string {
	for _, s := range []string{f.Title, f.ID, f.Metric} {
		if s != "" {
			return canvas.Printable(s)
		}
	}
	return "finding"
}

// usable lists the plots that can be drawn.
func usable(list []*Plot) []*Plot {
	var out []*Plot
	for _, p := range list {
		if p != nil && p.body != nil {
			out = append(out, p)
		}
	}
	return out
}
