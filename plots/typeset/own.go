package typeset

import (
	"bytes"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// ownFace is a compiled-in typeface. Its advances are those that pictures measure text with.
type ownFace struct {
	Face
	plain  *sfnt.Font
	buf    sfnt.Buffer
	font   *Font
	failed bool
}

func (o *ownFace) parsed() *sfnt.Font {
	if o.plain == nil {
		f, err := sfnt.Parse(o.TTF)
		if err != nil {
			panic("typeset: compiled-in font: " + err.Error())
		}
		o.plain = f
	}
	return o.plain
}

// covers reports whether the typeface has all characters.
func (o *ownFace) covers(runes []rune) bool {
	if o.failed {
		return false
	}
	for _, r := range runes {
		if ignorable(r) {
			continue
		}
		if i, err := o.parsed().GlyphIndex(&o.buf, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

// advance is the width of a character in em.
func (o *ownFace) advance(r rune) float64 {
	f := o.parsed()
	i, err := f.GlyphIndex(&o.buf, r)
	if err != nil {
		return 0
	}
	a, err := f.GlyphAdvance(&o.buf, i, fixed.Int26_6(f.UnitsPerEm()), 0)
	if err != nil {
		return 0
	}
	return float64(a) / float64(f.UnitsPerEm())
}

func (o *ownFace) width(text string) float64 {
	w := 0.0
	for _, r := range text {
		w += o.advance(r)
	}
	return w
}

// load is the typeface for shaping, nil where it failed.
func (o *ownFace) load() *Font {
	if o.font == nil && !o.failed {
		f, err := guarded(func() (*Font, error) { return loadFont(bytes.NewReader(o.TTF), 0, o.Bold) })
		if err != nil {
			o.failed = true
			return nil
		}
		o.font = f
	}
	return o.font
}
