package plots

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// face is one of the typefaces of a picture.
type face uint8

const (
	regular face = iota
	bold
	mono
	faceCount
)

// style is how a text looks; size is in logical pixels.
type style struct {
	face face
	size float64
}

// typeface is a parsed font with the advances of its common glyphs. Texts are set without kerning: digits then stand
// in columns, and every backend measures the same.
type typeface struct {
	font     *opentype.Font
	ttf      []byte
	perEm    float64
	advance  [0x250]float64 // em, of the first code points
	have     [0x250]bool
	ascent   float64 // em
	descent  float64 // em
	fallback float64 // em, of a rune that the font lacks
}

var typefaces = sync.OnceValue(func() [faceCount]*typeface {
	return [faceCount]*typeface{
		regular: parseTypeface(liberationsansregular.TTF),
		bold:    parseTypeface(liberationsansbold.TTF),
		mono:    parseTypeface(liberationmonoregular.TTF),
	}
})

func (f face) typeface() *typeface { return typefaces()[f] }

// parseTypeface panics on damaged data only: the fonts are compiled in, and a test reads all of them.
func parseTypeface(ttf []byte) *typeface {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("plots: embedded font: " + err.Error())
	}
	t := &typeface{font: f, ttf: ttf, perEm: float64(f.UnitsPerEm()), ascent: 0.905, descent: 0.212, fallback: 1}
	var buf sfnt.Buffer
	for r := range rune(len(t.advance)) {
		t.advance[r], t.have[r] = t.lookup(&buf, r)
	}
	return t
}

func (t *typeface) lookup(buf *sfnt.Buffer, r rune) (em float64, ok bool) {
	idx, err := t.font.GlyphIndex(buf, r)
	if err != nil || idx == 0 {
		return t.fallback, false
	}
	adv, err := t.font.GlyphAdvance(buf, idx, fixed.Int26_6(t.font.UnitsPerEm()), 0)
	if err != nil {
		return t.fallback, false
	}
	return float64(adv) / t.perEm, true
}

// glyph is the advance of a rune in em, and whether the font has it.
func (t *typeface) glyph(r rune) (em float64, ok bool) {
	if r >= 0 && int(r) < len(t.advance) {
		return t.advance[r], t.have[r]
	}
	var buf sfnt.Buffer
	return t.lookup(&buf, r)
}

// width is the width of a text in logical pixels.
func (s style) width(text string) float64 {
	t := s.face.typeface()
	w := 0.0
	for _, r := range text {
		em, _ := t.glyph(r)
		w += em
	}
	return w * s.size
}

func (s style) ascent() float64  { return s.face.typeface().ascent * s.size }
func (s style) descent() float64 { return s.face.typeface().descent * s.size }

// height is the height of one line without leading.
func (s style) height() float64 { return s.ascent() + s.descent() }

// leading is the distance between the baselines of running text.
func (s style) leading() float64 { return s.size * 1.38 }

// missingGlyph stands for a rune that the fonts lack.
const missingGlyph = '□'

// printable replaces what cannot be drawn in a single line: control characters and line breaks become spaces, invalid
// UTF-8 and invisible formatting becomes U+FFFD or vanishes. Every text of a scene has passed through it.
func printable(s string) string {
	clean := true
	for _, r := range s {
		if r < 0x20 || r == utf8.RuneError || (r >= 0x7f && r < 0xa0) || (r > 0x7f && !unicode.IsPrint(r)) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return utf8.RuneError
		case r == 0x200b || r == 0xfeff || unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Zs, r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// drawable replaces the runes that the font lacks by a box.
func (t *typeface) drawable(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return strings.Map(func(r rune) rune {
				if _, ok := t.glyph(r); !ok {
					return missingGlyph
				}
				return r
			}, s)
		}
	}
	return s
}
