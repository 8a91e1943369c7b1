package typeset

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
	"golang.org/x/text/unicode/bidi"
)

// Setter sets lines of text. It may be used by several goroutines.
type Setter struct {
	mu     sync.Mutex
	own    []ownFace
	places func() []string

	found    bool
	files    []*fontFile
	rankings map[string][]*fontFile
	chosen   map[choice]*Font
	lines    map[lineKey]*Line
	runes    int // in lines
}

// Face describes a typeface that is compiled in.
type Face struct {
	TTF  []byte
	Bold bool
}

// New returns a Setter for text in one of the given typefaces. places are asked for fonts when a text needs one.
func New(own []Face, places func() []string) *Setter {
	s := &Setter{places: places, rankings: map[string][]*fontFile{}, chosen: map[choice]*Font{},
		lines: map[lineKey]*Line{}}
	for _, f := range own {
		s.own = append(s.own, ownFace{Face: f})
	}
	return s
}

type lineKey struct {
	own  int
	text string
}

// Line is a text with the place of everything that is drawn for it, in em from its left end.
type Line struct {
	Width   float64
	Runs    []Run // from left to right
	Missing []rune
}

// Run is a stretch of a line in one font and direction.
type Run struct {
	// Text is what the run says, in the order in which it is read.
	Text     string
	X, Width float64
	RTL      bool

	// Own is the typeface of a run in which every character has its own glyph, side by side: it is drawn as any other
	// text. Other runs have a Font, and glyphs.
	Own    int
	Font   *Font
	Glyphs []Glyph
}

// Glyph is one glyph of a font, its origin in em from the left end of the line and above the baseline.
type Glyph struct {
	X, Y    float64
	Outline []Segment // nil of a space
}

// Bounds on the lines that are remembered, by number and by length.
const (
	maxLines = 4096
	maxRunes = 1 << 19
)

// Special reports whether a character has to be set here even if a typeface has a glyph for it: letters that run from
// right to left, marks that stand on others, and signs that say how others are written.
func Special(r rune) bool {
	if r < 0x300 {
		return false
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc, unicode.Cf, unicode.Co) {
		return true
	}
	c, _ := bidi.LookupRune(r)
	return c.Class() == bidi.R || c.Class() == bidi.AL || c.Class() == bidi.AN
}

// RightToLeft reports whether any character of a text runs from right to left, or decides on the direction of others.
func RightToLeft(text string) bool {
	for _, r := range text {
		if r < 0x590 {
			continue
		}
		if directional(r) {
			return true
		}
		switch c, _ := bidi.LookupRune(r); c.Class() {
		case bidi.R, bidi.AL, bidi.AN:
			return true
		}
	}
	return false
}

// Line sets a text, which is one line, in a typeface.
func (s *Setter) Line(own int, text string) *Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := lineKey{own, text}
	if l, ok := s.lines[key]; ok {
		return l
	}
	l := s.set(own, text)
	if len(s.lines) >= maxLines || s.runes > maxRunes {
		clear(s.lines)
		s.runes = 0
	}
	s.lines[key] = l
	s.runes += len(text)
	return l
}

// cluster is what a reader takes for one character, with how it is drawn.
type cluster struct {
	runes   []rune
	at      int // of its first character in the text
	plain   bool
	own     int   // of a plain one
	font    *Font // of one that is shaped
	missing bool
	script  language.Script
	level   int8
}

// maxAttempts bounds how often a line is set anew because a font turned out to be damaged.
const maxAttempts = 4

func (s *Setter) set(own int, text string) *Line {
	runes := []rune(text)
	for range maxAttempts {
		if l, ok := s.place(own, runes, s.clusters(own, runes)); ok {
			return l
		}
	}
	clusters := s.clusters(own, runes)
	for i := range clusters {
		c := &clusters[i]
		c.missing, c.font = c.missing || c.font != nil, nil
	}
	l, _ := s.place(own, runes, clusters)
	return l
}

// clusters divides a text and finds a font for each part.
func (s *Setter) clusters(own int, text []rune) []cluster {
	lang := languageOf(text)
	var seg segmenter.Segmenter
	seg.Init(text)
	var out []cluster
	for it := seg.GraphemeIterator(); it.Next(); {
		g := it.Grapheme()
		c := cluster{runes: text[g.Offset : g.Offset+len(g.Text)], at: g.Offset}
		dressed := s.dress(&c, own, lang)
		if n := len(out); n > 0 && !c.plain && c.script == language.Common && out[n-1].font != nil &&
			out[n-1].font.Path != "" &&
			drawsAll(out[n-1].font, c.runes) && !slices.ContainsFunc(c.runes, spelled) {
			// Signs that several scripts share, such as a full stop, go with the letters before them.
			c.font, c.missing, dressed = out[n-1].font, false, true
		}
		if dressed || len(c.runes) == 1 {
			out = append(out, c)
			continue
		}
		// No font has the whole: each character by itself shows which is missing.
		for i := range c.runes {
			one := cluster{runes: c.runes[i : i+1], at: c.at + i}
			s.dress(&one, own, lang)
			out = append(out, one)
		}
	}
	return out
}

// dress finds the font of a cluster, false where there is none.
func (s *Setter) dress(c *cluster, own int, lang string) bool {
	c.script = language.Common
	special, drawn := false, false
	for _, r := range c.runes {
		if sc := language.LookupScript(r); sc != language.Common && sc != language.Inherited &&
			c.script == language.Common {
			c.script = sc
			if sc == language.Hiragana || sc == language.Katakana || sc == language.Bopomofo {
				c.script = language.Han // they are written among each other, and shaped alike
			}
		}
		special = special || Special(r) && !ignorable(r)
		drawn = drawn || !ignorable(r)
	}
	if slices.ContainsFunc(c.runes, spelled) {
		c.missing = true
		return false
	}
	if !drawn { // only marks of direction: nothing is drawn
		c.plain, c.own = true, own
		return true
	}
	for _, k := range []int{own, 0} {
		face := &s.own[k]
		if !face.covers(c.runes) {
			continue
		}
		if !special && len(c.runes) == 1 {
			c.plain, c.own = true, k
			return true
		}
		if f := face.load(); f != nil {
			c.font = f
			return true
		}
	}
	c.font = s.choose(c.runes, lang, s.own[own].Bold)
	c.missing = c.font == nil
	return !c.missing
}

// place orders and shapes clusters. ok is false where a font failed: it is not chosen again.
func (s *Setter) place(own int, text []rune, clusters []cluster) (*Line, bool) {
	// What is written as a code point runs from left to right.
	shown := slices.Clone(text)
	l := &Line{}
	for _, c := range clusters {
		if c.missing {
			for i, r := range c.runes {
				shown[c.at+i] = 'x'
				l.Missing = append(l.Missing, r)
			}
		}
	}
	list, _ := levels(shown, byItself)
	var items []item
	for i := range clusters {
		c := &clusters[i]
		c.level = list[c.at]
		if c.plain && c.level%2 == 1 && !directional(c.runes[0]) {
			// Spaces and brackets among letters that run from right to left go with these.
			c.plain, c.font = false, nil
			if n := len(items); n > 0 && items[n-1].level == c.level && items[n-1].font != nil &&
				drawsAll(items[n-1].font, c.runes) {
				c.font = items[n-1].font
			} else {
				c.font = s.own[c.own].load()
			}
			if c.font == nil {
				c.plain = true
			}
		}
		if n := len(items); n > 0 && items[n-1].joins(c) {
			items[n-1].add(c)
			continue
		}
		items = append(items, newItem(c))
	}
	lv := make([]int8, len(items))
	for i := range items {
		lv[i] = items[i].level
	}
	x := 0.0
	for _, k := range visual(lv) {
		it := &items[k]
		var r Run
		switch {
		case it.missing:
			// Half a space at both sides sets it apart, whatever stands there.
			r = Run{Text: strings.Join(codePoints(it.runes), " "), Own: own}
			half := s.own[own].advance(' ') / 2
			r.X, r.Width = x+half, s.own[own].width(r.Text)
			x += r.Width + 2*half
			l.Runs = append(l.Runs, r)
			continue
		case it.plain:
			r = Run{Text: withoutMarks(it.runes), X: x, Own: it.own}
			r.Width = s.own[it.own].width(r.Text)
		default:
			var ok bool
			if r, ok = s.shape(it, x); !ok {
				return &Line{Width: x}, false
			}
		}
		x += r.Width
		if r.Text != "" {
			l.Runs = append(l.Runs, r)
		}
	}
	l.Width = x
	return l, true
}

// codePoints writes characters as their code points.
func codePoints(runes []rune) []string {
	out := make([]string, len(runes))
	for i, r := range runes {
		out[i] = CodePoint(r)
	}
	return out
}

// CodePoint is how a character is written that no font has.
func CodePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }

// withoutMarks is the text of runes that are drawn one by one.
func withoutMarks(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		if !ignorable(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// item is neighbouring clusters that are drawn together.
type item struct {
	runes   []rune
	plain   bool
	own     int
	font    *Font
	missing bool
	script  language.Script
	level   int8
}

func newItem(c *cluster) item {
	return item{slices.Clone(c.runes), c.plain, c.own, c.font, c.missing, c.script, c.level}
}

// joins reports whether a cluster belongs to the item before it.
func (it *item) joins(c *cluster) bool {
	if it.level != c.level || it.missing != c.missing || it.plain != c.plain {
		return false
	}
	switch {
	case it.missing:
		return true
	case it.plain:
		return it.own == c.own
	}
	return it.font == c.font && (it.script == c.script || it.script == language.Common || c.script == language.Common)
}

func (it *item) add(c *cluster) {
	it.runes = append(it.runes, c.runes...)
	if it.script == language.Common {
		it.script = c.script
	}
}

// noKerning sets text in a compiled-in typeface as all other text is: digits stand in columns.
var noKerning = []harfbuzz.Feature{
	{Tag: tagOf("kern"), Value: 0, Start: harfbuzz.FeatureGlobalStart, End: harfbuzz.FeatureGlobalEnd},
	{Tag: tagOf("liga"), Value: 0, Start: harfbuzz.FeatureGlobalStart, End: harfbuzz.FeatureGlobalEnd},
}

// shape sets an item in its font from x on.
func (s *Setter) shape(it *item, x float64) (Run, bool) {
	r := Run{X: x, RTL: it.level%2 == 1, Font: it.font}
	var runes []rune
	for _, c := range it.runes {
		if !directional(c) {
			runes = append(runes, c)
		}
	}
	r.Text = string(runes)
	f := it.font
	_, err := guarded(func() (struct{}, error) {
		b := harfbuzz.NewBuffer()
		b.AddRunes(runes, 0, len(runes))
		b.Props.Direction = harfbuzz.LeftToRight
		if r.RTL {
			b.Props.Direction = harfbuzz.RightToLeft
		}
		b.Props.Script = it.script
		b.Props.Language = language.NewLanguage("en")
		var features []harfbuzz.Feature
		if f.Path == "" {
			features = noKerning
		}
		b.Shape(f.hb, features)
		if len(b.Info) > 64*len(runes)+64 {
			return struct{}{}, fmt.Errorf("%d glyphs for %d characters", len(b.Info), len(runes))
		}
		at := x
		for i, g := range b.Info {
			p := b.Pos[i]
			if g.Glyph == 0 {
				return struct{}{}, fmt.Errorf("no glyph for %q", r.Text)
			}
			gl := Glyph{X: at + float64(p.XOffset)/f.perEm, Y: float64(p.YOffset) / f.perEm,
				Outline: f.outline(uint32(g.Glyph))}
			adv := float64(p.XAdvance) / f.perEm
			if !(adv > -10 && adv < 100 && gl.X-at > -10 && gl.X-at < 100 && gl.Y > -10 && gl.Y < 10) {
				return struct{}{}, fmt.Errorf("a glyph %g em wide", adv)
			}
			at += adv
			r.Glyphs = append(r.Glyphs, gl)
		}
		r.Width = max(at-x, 0)
		return struct{}{}, nil
	})
	if err != nil {
		s.discard(f)
		return Run{}, false
	}
	return r, true
}

// discard makes sure that a font which failed is not chosen again.
func (s *Setter) discard(f *Font) {
	for i := range s.own {
		if s.own[i].font == f {
			s.own[i].failed = true
		}
	}
	for _, file := range s.files {
		for _, c := range file.faces {
			if c.font == f {
				c.broken, c.font = true, nil
			}
		}
	}
	clear(s.chosen)
}
