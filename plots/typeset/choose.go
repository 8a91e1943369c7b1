package typeset

import (
	"strings"
	"unicode"
)

// choice is what the font of a cluster depends on, besides the fonts that are there.
type choice struct {
	text     string
	language string
	bold     bool
}

// maxChoices bounds what is remembered; a page has some hundreds of different characters.
const maxChoices = 1 << 16

// choose finds the font of the system for the characters of a cluster, nil where none has all of them.
func (s *Setter) choose(cluster []rune, language string, bold bool) *Font {
	key := choice{string(cluster), language, bold}
	if f, ok := s.chosen[key]; ok {
		return f
	}
	if len(s.chosen) >= maxChoices {
		clear(s.chosen)
	}
	f := s.search(cluster, language, bold)
	s.chosen[key] = f
	return f
}

func (s *Setter) search(cluster []rune, language string, bold bool) *Font {
	if !s.found {
		s.found = true
		s.files = findFiles(s.places())
	}
	if len(s.files) == 0 {
		return nil
	}
	// The first character that belongs to a script decides which fonts are asked first.
	lead := cluster[0]
	for _, r := range cluster {
		if !unicode.In(r, unicode.Common, unicode.Inherited) {
			lead = r
			break
		}
	}
	key, part := wishList(lead, language)
	order, ok := s.rankings[key+" "+part]
	if !ok {
		order = ranked(s.files, key, part)
		s.rankings[key+" "+part] = order
	}
	for _, file := range order {
		c := bestFace(file.look(), cluster, language)
		if c == nil {
			continue
		}
		if bold {
			if b := s.boldOf(c, cluster, language); b != nil {
				if f, err := b.load(true); err == nil && drawsAll(f, cluster) {
					return f
				}
			}
		}
		if f, err := c.load(false); err == nil && drawsAll(f, cluster) {
			return f
		}
	}
	return nil
}

// bestFace is the face of a file that has all characters of a cluster, and of several the one for the language.
func bestFace(faces []*coverage, cluster []rune, language string) *coverage {
	var best *coverage
	score := -1
	for _, c := range faces {
		if c.broken || !coversAll(c, cluster) {
			continue
		}
		n := 1
		if !strings.Contains(c.family, "Mono") && !strings.Contains(c.family, "Sans Code") {
			n += 2
		}
		if strings.Contains(c.family+" ", regions[language]) {
			n += 4
		}
		if n > score {
			best, score = c, n
		}
	}
	return best
}

// regions are the parts of the names of faces, in collections for East Asia, that are made for a language.
var regions = map[string]string{"ja": " JP ", "ko": " KR ", "zh": " SC ", "tw": " TC "}

func coversAll(c *coverage, cluster []rune) bool {
	for _, r := range cluster {
		if !ignorable(r) && !c.has(r) {
			return false
		}
	}
	return true
}

// drawsAll reports whether a font draws something for every character of a cluster that is not white space.
func drawsAll(f *Font, cluster []rune) bool {
	for _, r := range cluster {
		if !ignorable(r) && !f.glyph(r, unicode.IsSpace(r)) {
			return false
		}
	}
	return true
}

// boldOf is the face that a family has for bold text, nil where there is none.
func (s *Setter) boldOf(c *coverage, cluster []rune, language string) *coverage {
	for _, name := range boldNames(c.file.name) {
		for _, file := range s.files {
			if file.name == name {
				if b := bestFace(file.look(), cluster, language); b != nil {
					return b
				}
			}
		}
	}
	return nil
}

// ignorable reports whether nothing is drawn for a character where its font lacks it: joiners, selectors of variants
// and marks of direction.
func ignorable(r rune) bool {
	switch {
	case r == 0xad || r == 0x34f || r == 0x61c || r == 0x180e || r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f || r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0x180b && r <= 0x180d || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// directional reports whether a character only says in which direction others run.
func directional(r rune) bool {
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2066 && r <= 0x2069
}

// spelled reports whether a character is always written as its code point: one for private use, which every font draws
// as it likes, and one that embeds or overrides a direction, so that what follows reads in another order than it is
// written: it has no business in the names of counters and is shown instead of obeyed.
func spelled(r rune) bool { return r >= 0x202a && r <= 0x202e || unicode.Is(unicode.Co, r) }
