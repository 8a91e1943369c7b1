package canvas

import (
	"fmt"
	"image/color"
)

// Dark is the theme for dark pages: light ink on near black. The series colours are those of Light, lightened until
// each stands out from the page, with yellow in the place of near black.
func Dark() *Theme {
	t := Light()
	t.Name = "dark"
	t.Page, t.Panel, t.Stripe = Rgb(0x14181f), Rgb(0x1f252e), Rgb(0x191e26)
	t.Ink, t.Muted, t.Rule, t.Grid = Rgb(0xe8ecf1), Rgb(0xa3afbd), Rgb(0x566273), Rgb(0x2b323d)
	t.GapFill, t.LateFill, t.LateEdge = Rgb(0x2b313a), Rgb(0x2b261a), Rgb(0xd9ac55)
	t.SpanFill, t.BandFill = rgba(0x56b4e9, 0x38), rgba(0x2bc49a, 0x30)
	t.MarkLine = Rgb(0xc3ccd6)
	t.Series = []color.NRGBA{
		Rgb(0x56b4e9), // sky blue
		Rgb(0xff8a4c), // vermillion
		Rgb(0x2fc79b), // bluish green
		Rgb(0xe79bca), // reddish purple
		Rgb(0xf0d442), // yellow
		Rgb(0x8c9eff), // periwinkle
		Rgb(0xd5dae1), // near white
	}
	t.Critical, t.Warning, t.Info, t.Good = Rgb(0xff7b7b), Rgb(0xffb65c), Rgb(0x6cbcff), Rgb(0x57d394)
	t.OnAccent = Rgb(0x14181f)
	t.TintAlpha = 0x38
	return t
}

// ThemeNamed returns a theme by its name; "" is Light.
func ThemeNamed(name string) (*Theme, error) {
	switch name {
	case "", "light":
		return Light(), nil
	case "dark":
		return Dark(), nil
	}
	return nil, fmt.Errorf("unknown theme %q: choose light or dark", name)
}

// SizeNamed returns a size for a purpose: "page" is the default, "ticket" fits the column of an issue tracker without
// being scaled down, "ticket2x" is the same for screens of twice the density, "slide" fills a slide of 16:9, and
// "print" is 18 cm wide at 300 dpi.
func SizeNamed(name string) (Size, error) {
	switch name {
	case "", "page":
		return Size{}, nil
	case "ticket":
		return Size{Width: 960, Height: 540, DPI: 96}, nil
	case "ticket2x":
		return Size{Width: 1920, Height: 1080, DPI: 192}, nil
	case "slide":
		return Size{Width: 1920, Height: 1080, DPI: 120}, nil
	case "print":
		return Size{Width: 2126, Height: 1240, DPI: 300}, nil
	}
	return Size{}, fmt.Errorf("unknown size %q: choose page, ticket, ticket2x, slide or print", name)
}
