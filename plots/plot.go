package plots

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"astrolabe/capture/progress"
)

// Plot is a chart that is ready to be drawn at any size. It holds data, not pixels, and is immutable.
type Plot struct {
	Title string // "" if the chart says what it shows in another way
	Kind  string // the chart: "timeline", "scatter", "heatmap" and so on, as its function is called
	body  body
	theme *Theme
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

// body is the drawing side of one kind of chart.
type body interface {
	// prefer is the height in logical pixels at which the chart reads well at a width.
	prefer(t *Theme, width float64) float64
	// draw fills area. It never draws outside of it, however small it is.
	draw(sc *scene, t *Theme, area rect)
}

// WithTheme returns the same chart in another look.
func (p *Plot) WithTheme(t *Theme) *Plot {
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
func (p *Plot) scene(sz Size) (*scene, error) {
	t := p.theme
	if t == nil {
		t = Light()
	}
	w, _, _, err := sz.resolve(DefaultWidth, DefaultHeight)
	if err != nil {
		return nil, err
	}
	height := DefaultHeight
	if sz.Height == 0 {
		// A chart with many panels needs more than the default height to be legible.
		th := t.shrunk(w)
		_, _, scale, _ := sz.resolve(DefaultWidth, DefaultHeight)
		need := (p.body.prefer(th, w-2*pagePad(th))*0.75 + 2*pagePad(th)) * scale
		height = min(max(height, int(need)), maxSide)
	}
	w, h, scale, err := sz.resolve(DefaultWidth, height)
	if err != nil {
		return nil, err
	}
	t = t.shrunk(w)
	sc := newScene(w, h, scale, t.Page)
	pad := pagePad(t)
	p.body.draw(sc, t, rect{pad, pad, w - 2*pad, h - 2*pad})
	measure(p.meter, sc)
	return sc, nil
}

// pagePad is the margin around a chart on its own page.
func pagePad(t *Theme) float64 { return t.Text * 1.1 }

// render returns the chart as a file in the given format.
func (p *Plot) render(format string, sz Size) ([]byte, error) {
	f, err := parseFormat(format)
	if err != nil {
		return nil, err
	}
	sc, err := p.scene(sz)
	if err != nil {
		return nil, fmt.Errorf("plot %q: %w", p.Title, err)
	}
	if w := fontsOf(sc).warning(); w != "" && p.warn != nil {
		p.warn(w)
	}
	return encode(f, sc, p.Title, sz)
}

// encode turns one page into a file.
func encode(format string, sc *scene, title string, sz Size) ([]byte, error) {
	switch format {
	case "svg":
		return sc.svg()
	case "pdf":
		return pdf([]*scene{sc}, title, time.Time{})
	}
	dpi := sz.DPI
	if dpi == 0 {
		dpi = DefaultDPI
	}
	data, err := encodePNG(sc.paint(), dpi)
	if fonts := fontsOf(sc).text(); fonts != "" && err == nil {
		data = withText(data, fontsKey, fonts)
	}
	return data, err
}

// WriteTo writes the chart to w in a format of Formats.
func (p *Plot) WriteTo(w io.Writer, format string, sz Size) error {
	data, err := p.render(format, sz)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(data))
	return err
}

// Save writes the chart to a file whose extension names the format. The file appears whole or not at all.
func (p *Plot) Save(path string, sz Size) error { return p.SaveWith(Files, path, sz) }

// SaveWith is Save through a function that decides where files may be created.
func (p *Plot) SaveWith(create Create, path string, sz Size) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	data, err := p.render(format, sz)
	if err != nil {
		return err
	}
	return save(create, path, data)
}
