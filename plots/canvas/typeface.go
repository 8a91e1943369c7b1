package canvas

import (
	"fmt"
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

	"astrolabe/plots/typeset"
)

// Face is one of the typefaces of a picture.
type Face uint8

const (
	Regular Face = iota
	Bold
	Mono
	faceCount
)

// Style is how a text looks; size is in logical pixels.
type Style struct {
	Face Face
	Size float64
}

// commonFrom and commonTo bound the punctuation, arrows and operators that texts are full of.
const commonFrom, commonTo = 0x2000, 0x2300

// typeface is a parsed font with the advances of its common glyphs. Texts are set without kerning: digits then stand
// in columns, and every backend measures the same.
type typeface struct {
	font    *opentype.Font
	ttf     []byte
	perEm   float64
	advance [0x250]float64 // em, of the first code points
	have    [0x250]bool
	common  [commonTo - commonFrom]glyphWidth
	ascent  float64 // em
	descent float64 // em
}

var typefaces = sync.OnceValue(func() [faceCount]*typeface {
	return [faceCount]*typeface{
		Regular: parseTypeface(liberationsansregular.TTF),
		Bold:    parseTypeface(liberationsansbold.TTF),
		Mono:    parseTypeface(liberationmonoregular.TTF),
	}
})

func (f Face) typeface() *typeface { return typefaces()[f] }

// parseTypeface panics on damaged data only: the fonts are compiled in, and a test reads all of them.
func parseTypeface(ttf []byte) *typeface {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("plots: embedded font: " + err.Error())
	}
	t := &typeface{font: f, ttf: ttf, perEm: float64(f.UnitsPerEm()), ascent: 0.905, descent: 0.212}
	var buf sfnt.Buffer
	for r := range rune(len(t.advance)) {
		t.advance[r], t.have[r] = t.lookup(&buf, r)
	}
	for i := range t.common {
		if r := rune(commonFrom + i); !typeset.Special(r) {
			t.common[i].em, t.common[i].have = t.lookup(&buf, r)
		}
	}
	return t
}

type glyphWidth struct {
	em   float64
	have bool
}

func (t *typeface) lookup(buf *sfnt.Buffer, r rune) (em float64, ok bool) {
	idx, err := t.font.GlyphIndex(buf, r)
	if err != nil || idx == 0 {
		return 0, false
	}
	adv, err := t.font.GlyphAdvance(buf, idx, fixed.Int26_6(t.font.UnitsPerEm()), 0)
	if err != nil {
		return 0, false
	}
	return float64(adv) / t.perEm, true
}

// glyph is the advance of a rune in em, and whether the font has it and it can stand by itself.
func (t *typeface) glyph(r rune) (em float64, ok bool) {
	if r >= 0 && int(r) < len(t.advance) {
		return t.advance[r], t.have[r]
	}
	if r >= commonFrom && r < commonTo {
		g := t.common[r-commonFrom]
		return g.em, g.have
	}
	if typeset.Special(r) {
		return 0, false
	}
	var buf sfnt.Buffer
	return t.lookup(&buf, r)
}

// Width is the width of a text in logical pixels.
func (s Style) Width(text string) float64 {
	if w, ok := s.Face.typeface().width(text); ok {
		return w * s.Size
	}
	return SetLine(s.Face, text).Width * s.Size
}

// width is the width of a text in em; ok is false where it takes more than one glyph of this typeface per character.
func (t *typeface) width(text string) (w float64, ok bool) {
	for _, r := range text {
		em, have := t.glyph(r)
		if !have {
			return 0, false
		}
		w += em
	}
	return w, true
}

// plain reports whether a text is set with one glyph of the typeface after another.
func (f Face) plain(text string) bool {
	_, ok := f.typeface().width(text)
	return ok
}

func (s Style) Ascent() float64  { return s.Face.typeface().ascent * s.Size }
func (s Style) Descent() float64 { return s.Face.typeface().descent * s.Size }

// Height is the height of one line without leading.
func (s Style) Height() float64 { return s.Ascent() + s.Descent() }

// Leading is the distance between the baselines of running text.
func (s Style) Leading() float64 { return s.Size * 1.38 }

// Printable makes a text one line: control characters and line breaks become spaces, invisible formatting vanishes, and
// invalid UTF-8 becomes U+FFFD. What joins or orders letters stays. Characters that would change the order of what
// follows them unseen stay too: they are drawn as their code points. Every text of a scene has passed through it.
func Printable(s string) string {
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
		case unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Zs, r):
			return ' '
		case r == 0xad || r == 0x200b || r == 0xfeff || r >= 0x2060 && r <= 0x2064 || r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// Undirected is printable for pages that another program draws: characters that turn around the order of what follows
// stand as their code points, as they do in pictures.
func Undirected(s string) string {
	s = Printable(s)
	if !strings.ContainsAny(s, directions) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(directions, r) {
			fmt.Fprintf(&b, "U+%04X", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// directions are the embeddings and overrides; what isolates does not reach beyond its own text.
const directions = "\u202a\u202b\u202c\u202d\u202e"

// Of is the face in a size of logical pixels.
func (f Face) Of(size float64) Style { return Style{f, size} }
