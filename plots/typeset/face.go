package typeset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"github.com/go-text/typesetting/harfbuzz"
)

// coverage is which characters a face of a font file has, and what else decides for or against it. It is all that is
// kept of fonts that were looked into.
type coverage struct {
	file   *fontFile
	index  int // of the face in a collection
	family string
	ranges [][2]rune // in order

	font   *Font // nil until it is used
	broken bool
}

func (c *coverage) has(r rune) bool {
	i := sort.Search(len(c.ranges), func(i int) bool { return c.ranges[i][1] >= r })
	return i < len(c.ranges) && c.ranges[i][0] <= r
}

// look reads the coverage of the faces of a file, once. A file that cannot be used has none.
func (f *fontFile) look() []*coverage {
	if f.read {
		return f.faces
	}
	f.read = true
	file, _, err := openFont(f.path)
	if err != nil {
		return nil
	}
	defer file.Close()
	f.faces, _ = guarded(func() ([]*coverage, error) { return coverages(f, file) })
	return f.faces
}

// guarded turns a panic of the font parser into an error: a damaged font must not end the program.
func guarded[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			var none T
			out, err = none, fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	return f()
}

func tagOf(name string) opentype.Tag { return opentype.MustNewTag(name) }

func coverages(f *fontFile, r opentype.Resource) ([]*coverage, error) {
	loaders, err := opentype.NewLoaders(r)
	if err != nil {
		return nil, err
	}
	var out []*coverage
	for i, ld := range loaders {
		raw, err := ld.RawTable(tagOf("cmap"))
		if err != nil {
			return nil, err
		}
		table, _, err := tables.ParseCmap(raw)
		if err != nil {
			return nil, err
		}
		chars, _, err := font.ProcessCmap(table, tables.FPNone)
		if err != nil {
			return nil, err
		}
		ranger, ok := chars.(font.CmapRuneRanger)
		if !ok {
			continue // a font of symbols in the places of letters, or of 256 characters at most
		}
		about, _ := font.Describe(ld, nil)
		out = append(out, &coverage{file: f, index: i, family: about.Family, ranges: ordered(ranger.RuneRanges(nil))})
	}
	return out, nil
}

// ordered sorts ranges and cuts them to what Unicode has. Damaged tables may hold anything.
func ordered(list [][2]rune) [][2]rune {
	var out [][2]rune
	for _, r := range list {
		if r[0] = max(r[0], 0); r[1] > 0x10ffff || r[1] < 0 {
			r[1] = 0x10ffff
		}
		if r[0] <= r[1] {
			out = append(out, r)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0] < out[j][0] })
	merged := out[:0]
	for _, r := range out {
		if n := len(merged); n > 0 && r[0] <= merged[n-1][1]+1 {
			merged[n-1][1] = max(merged[n-1][1], r[1])
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// Font is a face that text is set in.
type Font struct {
	Family  string // such as "Noto Sans CJK JP"
	Version string // as the font says it, "" if it does not
	Path    string // "" of one that is compiled in

	face     *font.Face
	hb       *harfbuzz.Font
	perEm    float64
	outlines map[uint32][]Segment
	hash     string
}

// Hash is the SHA-256 of the font's file, "" where it cannot be read any more.
func (f *Font) Hash() string {
	if f.hash == "" && f.Path != "" {
		if file, err := os.Open(f.Path); err == nil {
			defer file.Close()
			h := sha256.New()
			if _, err := io.Copy(h, file); err == nil {
				f.hash = hex.EncodeToString(h.Sum(nil))
			}
		}
	}
	return f.hash
}

// Name is family and version, such as "Noto Sans CJK JP 2.004".
func (f *Font) Name() string { return strings.TrimSpace(f.Family + " " + f.Version) }

// load reads the whole face.
func (c *coverage) load(bold bool) (*Font, error) {
	if c.broken {
		return nil, errors.New("it is broken")
	}
	if c.font != nil {
		return c.font, nil
	}
	f, err := guarded(func() (*Font, error) {
		file, _, err := openFont(c.file.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return loadFont(file, c.index, bold)
	})
	if err != nil {
		c.broken = true
		return nil, err
	}
	f.Path = c.file.path
	c.font = f
	return f, nil
}

func loadFont(r opentype.Resource, index int, bold bool) (*Font, error) {
	loaders, err := opentype.NewLoaders(r)
	if err != nil {
		return nil, err
	}
	if index >= len(loaders) {
		return nil, fmt.Errorf("it has no face %d", index)
	}
	parsed, err := font.NewFont(loaders[index])
	if err != nil {
		return nil, err
	}
	f := &Font{Family: parsed.Describe().Family, face: font.NewFace(parsed), outlines: map[uint32][]Segment{}}
	if raw, err := loaders[index].RawTable(tagOf("name")); err == nil {
		if names, _, err := tables.ParseName(raw); err == nil {
			f.Version = versionOf(names.Name(5))
		}
	}
	// The weight that a variable font has by itself may be its lightest.
	weight := float32(400)
	if bold {
		weight = 700
	}
	f.face.SetVariations([]font.Variation{{Tag: tagOf("wght"), Value: weight}})
	if f.perEm = float64(f.face.Upem()); f.perEm <= 0 {
		return nil, errors.New("it has no size")
	}
	f.hb = harfbuzz.NewFont(f.face)
	return f, nil
}

// versionOf is the number in a text such as "Version 2.004;hotconv 1.0.118".
func versionOf(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
		if word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}

// Kinds of segments, with the number of their points.
const (
	MoveTo uint8 = iota // 1
	LineTo              // 1
	QuadTo              // 2
	CubeTo              // 3
)

// Segment is a piece of the outline of a glyph in em, y upwards.
type Segment struct {
	Kind uint8
	X, Y [3]float64
}

// maxOutline bounds the segments of a glyph; the most intricate characters have some hundreds.
const maxOutline = 20000

// outline is that of a glyph, nil where it has none, such as a space.
func (f *Font) outline(gid uint32) []Segment {
	if s, ok := f.outlines[gid]; ok {
		return s
	}
	s, _ := guarded(func() ([]Segment, error) {
		o, ok := f.face.GlyphDataOutline(opentype.GID(gid))
		if !ok || len(o.Segments) > maxOutline {
			return nil, nil
		}
		out := make([]Segment, 0, len(o.Segments))
		for _, g := range o.Segments {
			s := Segment{Kind: uint8(g.Op)}
			for i := range s.X {
				x, y := float64(g.Args[i].X)/f.perEm, float64(g.Args[i].Y)/f.perEm
				if !(x > -50 && x < 50 && y > -50 && y < 50) {
					return nil, nil // damaged
				}
				s.X[i], s.Y[i] = x, y
			}
			out = append(out, s)
		}
		return out, nil
	})
	f.outlines[gid] = s
	return s
}

// glyph is the glyph of a character, as long as something is drawn for it or it is a space.
func (f *Font) glyph(r rune, blank bool) bool {
	gid, ok := f.face.NominalGlyph(r)
	return ok && gid != 0 && (blank || f.outline(uint32(gid)) != nil)
}
