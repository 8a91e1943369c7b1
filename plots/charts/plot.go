package charts

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
)

// Plot is a chart that is ready to be drawn at any size. It holds data, not pixels, and is immutable.
type Plot struct {
	Title string // "" if the chart says what it shows in another way
	Kind  string // the chart: "timeline", "scatter", "heatmap" and so on, as its function is called
	body  Body
	theme *canvas.Theme
	meter *progress.Meter
	warn  func(string)
}

// Telling returns the chart with a meter that is told how far drawing it is; nil is not told.
func (p *Plot) Telling(m *progress.Meter) *Plot {
	q := *p
	q.meter = m
	return &q
}

// Warning returns the chart with a function that is told of characters which no font has; nil is not told.
func (p *Plot) Warning(f func(string)) *Plot {
	q := *p
	q.warn = f
	return &q
}

// New makes a chart of what draws it. kind is what the function is called that makes such charts.
func New(title, kind string, b Body) *Plot { return &Plot{Title: title, Kind: kind, body: b} }

// Body is the drawing side of one kind of chart.
type Body interface {
	// Prefer is the height in logical pixels at which the chart reads well at a width.
	Prefer(t *canvas.Theme, width float64) float64
	// Draw fills area. It never draws outside of it, however small it is.
	Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect)
}

// WithTheme returns the same chart in another look.
func (p *Plot) WithTheme(t *canvas.Theme) *Plot {
	q := *p
	q.theme = t
	return &q
}

// Children returns the charts of a grid, row by row; nil for any other kind.
func (p *Plot) Children() [][]*Plot {
	if g, ok := p.body.(*grid); ok {
		return g.rows
	}
	return nil
}

// scene lays the chart out on a page of its own.
func (p *Plot) scene(sz canvas.Size) (*canvas.Scene, error) {
	t := p.theme
	if t == nil {
		t = canvas.Light()
	}
	w, _, _, err := sz.Resolve(canvas.DefaultWidth, canvas.DefaultHeight)
	if err != nil {
		return nil, err
	}
	height := canvas.DefaultHeight
	if sz.Height == 0 {
		// A chart with many panels needs more than the default height to be legible.
		th := t.Shrunk(w)
		_, _, scale, _ := sz.Resolve(canvas.DefaultWidth, canvas.DefaultHeight)
		need := (p.body.Prefer(th, w-2*pagePad(th))*0.75 + 2*pagePad(th)) * scale
		height = min(max(height, int(need)), canvas.MaxSide)
	}
	w, h, scale, err := sz.Resolve(canvas.DefaultWidth, height)
	if err != nil {
		return nil, err
	}
	t = t.Shrunk(w)
	sc := canvas.NewScene(w, h, scale, t.Page)
	pad := pagePad(t)
	p.body.Draw(sc, t, canvas.Box(pad, pad, w-2*pad, h-2*pad))
	canvas.Measure(p.meter, sc)
	return sc, nil
}

// pagePad is the margin around a chart on its own page.
func pagePad(t *canvas.Theme) float64 { return t.Text * 1.1 }

// render returns the chart as a file in the given format.
func (p *Plot) render(format string, sz canvas.Size) ([]byte, error) {
	f, err := canvas.ParseFormat(format)
	if err != nil {
		return nil, err
	}
	sc, err := p.scene(sz)
	if err != nil {
		return nil, fmt.Errorf("plot %q: %w", p.Title, err)
	}
	if w := canvas.FontsOf(sc).Warning(); w != "" && p.warn != nil {
		p.warn(w)
	}
	return canvas.Encode(f, sc, p.Title, sz)
}

// WriteTo writes the chart to w in a format of Formats.
func (p *Plot) WriteTo(w io.Writer, format string, sz canvas.Size) error {
	data, err := p.render(format, sz)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(data))
	return err
}

// Save writes the chart to a file whose extension names the format. The file appears whole or not at all.
func (p *Plot) Save(path string, sz canvas.Size) error { return p.saveWith(canvas.Files, path, sz) }

// saveWith is Save through a function that decides where files may be created.
func (p *Plot) saveWith(create canvas.Create, path string, sz canvas.Size) error {
	format, err := canvas.FormatOf(path)
	if err != nil {
		return err
	}
	data, err := p.render(format, sz)
	if err != nil {
		return err
	}
	return canvas.Save(create, path, data)
}

// Drawable reports whether there is a chart to draw.
func (p *Plot) Drawable() bool { return p != nil && p.body != nil }

// Drawable lists the charts that can be drawn.
func Drawable(list []*Plot) []*Plot {
	return slices.DeleteFunc(slices.Clone(list), func(p *Plot) bool { return !p.Drawable() })
}

// Draw draws the chart into an area, however small it is.
func (p *Plot) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) { p.body.Draw(sc, t, area) }

// Window is the stretch of time that a timeline or a column of timelines shows; ok is false for any other chart.
func (p *Plot) Window() (t0, t1 int64, ok bool) {
	for i, l := range lanesOf(p) {
		if i == 0 {
			t0, t1, ok = l.tl.t0, l.tl.t1, true
		}
		t0, t1 = min(t0, l.tl.t0), max(t1, l.tl.t1)
	}
	return t0, t1, ok
}

// Series lists what a timeline or a heat map draws; nil for any other chart, whose data are no series.
func (p *Plot) Series() (out []Series) {
	switch b := p.body.(type) {
	case *timeline:
		for _, l := range b.lanes {
			out = append(out, l.series...)
			if l.right != nil {
				out = append(out, l.right.series...)
			}
		}
	case *heatmap:
		out = b.rows
	}
	return out
}

// Events are the stretches that a timeline shades, but for those without data, and its marks; none for any other chart.
func (p *Plot) Events() (spans []Interval, marks []Mark) {
	if tl, ok := p.body.(*timeline); ok {
		return tl.o.Spans, tl.o.Marks
	}
	return nil, nil
}

// Names counts how many of the names are those of series that a timeline draws against its left axes.
func (p *Plot) Names(names []string) (n int) {
	tl, ok := p.body.(*timeline)
	if !ok {
		return 0
	}
	for _, name := range names {
		for _, l := range tl.lanes {
			for _, s := range l.series {
				if plainName(s.Name) == plainName(name) {
					n++
				}
			}
		}
	}
	return n
}

// plainName is a title as the name of a metric is written.
func plainName(s string) string {
	return strings.NewReplacer(" ", "_", "/", "_").Replace(strings.ToLower(s))
}
