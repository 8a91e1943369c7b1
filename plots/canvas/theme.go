package canvas

import (
	"image/color"
	"math"
)

// Theme is every colour and measure that a picture takes its look from. Measures are logical pixels (96 per inch)
// for a picture 1600 of them wide.
type Theme struct {
	Name string

	Page      color.NRGBA // behind everything
	Panel     color.NRGBA // behind provenance, table heads and code
	Stripe    color.NRGBA // every other table row
	Ink       color.NRGBA // text
	Muted     color.NRGBA // units, notes, secondary text
	Rule      color.NRGBA // borders and axis lines
	Grid      color.NRGBA // grid lines
	GapFill   color.NRGBA // stretches without data
	LateFill  color.NRGBA // stretches that longer samples cover
	LateEdge  color.NRGBA // the line along their bottom, which tells them from gaps also in grey
	SpanFill  color.NRGBA // shaded spans that carry no severity
	BandFill  color.NRGBA // bands of values that carry no severity
	MarkLine  color.NRGBA
	Series    []color.NRGBA // told apart by colour-blind readers; markers are added when there are more series
	Critical  color.NRGBA
	Warning   color.NRGBA
	Info      color.NRGBA
	Good      color.NRGBA
	OnAccent  color.NRGBA // text and glyphs on the four colours above
	TintAlpha uint8       // opacity of a severity colour where it shades a span or band

	Text      float64 // body, ticks and legends
	Small     float64 // notes
	Title     float64 // of a panel
	Heading   float64 // of a section
	PageTitle float64
	Line      float64 // stroke width of a series
	Margin    float64 // around a page
}

// Light is the default theme: dark ink on white. The series colours are Okabe and Ito's, without the yellow that
// does not show on white, reordered for contrast between neighbours.
func Light() *Theme {
	return &Theme{
		Name:     "light",
		Page:     Rgb(0xffffff),
		Panel:    Rgb(0xf3f5f8),
		Stripe:   Rgb(0xf8f9fb),
		Ink:      Rgb(0x1c2430),
		Muted:    Rgb(0x566273),
		Rule:     Rgb(0xaeb7c2),
		Grid:     Rgb(0xe3e7ec),
		GapFill:  Rgb(0xe6e9ed),
		LateFill: Rgb(0xfbf3e0),
		LateEdge: Rgb(0xb98a2e),
		SpanFill: rgba(0x0072b2, 0x26),
		BandFill: rgba(0x009e73, 0x22),
		MarkLine: Rgb(0x3b4656),
		Series: []color.NRGBA{
			Rgb(0x0072b2), // blue
			Rgb(0xd55e00), // vermillion
			Rgb(0x009e73), // bluish green
			Rgb(0xcc79a7), // reddish purple
			Rgb(0xe69f00), // orange
			Rgb(0x56b4e9), // sky blue
			Rgb(0x3a3f4a), // near black
		},
		Critical:  Rgb(0xb2182b),
		Warning:   Rgb(0xb85c00),
		Info:      Rgb(0x0b63a5),
		Good:      Rgb(0x1b7a4b),
		OnAccent:  Rgb(0xffffff),
		TintAlpha: 0x24,

		Text:      20,
		Small:     18,
		Title:     23,
		Heading:   29,
		PageTitle: 40,
		Line:      2,
		Margin:    48,
	}
}

func Rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func rgba(v uint32, a uint8) color.NRGBA {
	c := Rgb(v)
	c.A = a
	return c
}

func WithAlpha(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}

// Shrunk returns the theme for a picture w logical pixels wide: text shrinks with small pictures, though never below
// what can be read, and does not grow with large ones.
func (t *Theme) Shrunk(w float64) *Theme {
	k := min(1, max(0.55, w/1280))
	if k == 1 {
		return t
	}
	s := *t
	for _, m := range []*float64{&s.Text, &s.Small, &s.Title, &s.Heading, &s.PageTitle, &s.Margin} {
		*m *= k
	}
	s.Line = max(1, s.Line*(k+1)/2)
	return &s
}

// SeriesColor is the colour of series i; marker tells apart those beyond the palette (0 is none).
func (t *Theme) SeriesColor(i int) (c color.NRGBA, marker int) {
	n := len(t.Series)
	return t.Series[i%n], i / n
}

// InkOn is the colour of text on a ground.
func (t *Theme) InkOn(c color.NRGBA) color.NRGBA {
	if bright := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B); bright > 150 {
		return color.NRGBA{0x1c, 0x24, 0x30, 0xff}
	}
	return color.NRGBA{0xff, 0xff, 0xff, 0xff}
}

// Unexplained is the grey of time that nothing explains.
func (t *Theme) Unexplained(kind string) color.NRGBA {
	mix := func(share float64) color.NRGBA {
		blend := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*share + float64(b)*(1-share))) }
		return color.NRGBA{blend(t.Muted.R, t.Page.R), blend(t.Muted.G, t.Page.G), blend(t.Muted.B, t.Page.B), 0xff}
	}
	switch kind {
	case "not measured":
		return mix(0.75)
	case "waiter unknown":
		return mix(0.5)
	case "mixed":
		return mix(0.35)
	}
	return mix(0.25)
}

func (t *Theme) Tint(s Severity, otherwise color.NRGBA) color.NRGBA {
	if s == None {
		return otherwise
	}
	return WithAlpha(t.Severity(s), t.TintAlpha)
}

// SpanEdge is the strong colour that goes with a tint.
func (t *Theme) SpanEdge(s Severity) color.NRGBA {
	if s == None {
		return t.MarkLine
	}
	return t.Severity(s)
}

// Dark reports whether ink is lighter than the page.
func (t *Theme) Dark() bool { return Luminance(t.Ink) > Luminance(t.Page) }

// Luminance is the relative luminance of a colour (WCAG 2.1).
func Luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}
