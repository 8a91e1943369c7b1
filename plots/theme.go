package plots

import "image/color"

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
