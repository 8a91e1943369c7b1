package plots

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
		Page:     rgb(0xffffff),
		Panel:    rgb(0xf3f5f8),
		Stripe:   rgb(0xf8f9fb),
		Ink:      rgb(0x1c2430),
		Muted:    rgb(0x566273),
		Rule:     rgb(0xaeb7c2),
		Grid:     rgb(0xe3e7ec),
		GapFill:  rgb(0xe6e9ed),
		LateFill: rgb(0xfbf3e0),
		LateEdge: rgb(0xb98a2e),
		SpanFill: rgba(0x0072b2, 0x26),
		BandFill: rgba(0x009e73, 0x22),
		MarkLine: rgb(0x3b4656),
		Series: []color.NRGBA{
			rgb(0x0072b2), // blue
			rgb(0xd55e00), // vermillion
			rgb(0x009e73), // bluish green
			rgb(0xcc79a7), // reddish purple
			rgb(0xe69f00), // orange
			rgb(0x56b4e9), // sky blue
			rgb(0x3a3f4a), // near black
		},
		Critical:  rgb(0xb2182b),
		Warning:   rgb(0xb85c00),
		Info:      rgb(0x0b63a5),
		Good:      rgb(0x1b7a4b),
		OnAccent:  rgb(0xffffff),
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

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func rgba(v uint32, a uint8) color.NRGBA {
	c := rgb(v)
	c.A = a
	return c
}

func withAlpha(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}

// shrunk returns the theme for a picture w logical pixels wide: text shrinks with small pictures, though never below
// what can be read, and does not grow with large ones.
func (t *Theme) shrunk(w float64) *Theme {
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

// seriesColor is the colour of series i; marker tells apart those beyond the palette (0 is none).
func (t *Theme) seriesColor(i int) (c color.NRGBA, marker int) {
	n := len(t.Series)
	return t.Series[i%n], i / n
}

// inkOn is the colour of text on a ground.
func (t *Theme) inkOn(c color.NRGBA) color.NRGBA {
	if bright := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B); bright > 150 {
		return color.NRGBA{0x1c, 0x24, 0x30, 0xff}
	}
	return color.NRGBA{0xff, 0xff, 0xff, 0xff}
}

// unexplained is the grey of time that nothing explains.
func (t *Theme) unexplained(kind string) color.NRGBA {
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

func (t *Theme) tint(s Severity, otherwise color.NRGBA) color.NRGBA {
	if s == None {
		return otherwise
	}
	return withAlpha(t.severity(s), t.TintAlpha)
}

// spanEdge is the strong colour that goes with a tint.
func (t *Theme) spanEdge(s Severity) color.NRGBA {
	if s == None {
		return t.MarkLine
	}
	return t.severity(s)
}

// dark reports whether ink is lighter than the page.
func (t *Theme) dark() bool { return luminance(t.Ink) > luminance(t.Page) }

// luminance is the relative luminance of a colour (WCAG 2.1).
func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}
