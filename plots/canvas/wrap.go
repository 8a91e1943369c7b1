package canvas

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"astrolabe/plots/typeset"
)

// Wrap breaks a text into lines no wider than width: at spaces and where scripts without spaces allow it, else behind
// the punctuation and case changes that counter names consist of, else anywhere. Explicit line breaks are kept. At
// least one line is returned. Lines of a paragraph with Hebrew or Arabic begin with a mark of its direction.
func (s Style) Wrap(text string, width float64) []string {
	var lines []string
	for _, para := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		para = Printable(para)
		more := s.wrapLine(para, width)
		if rtl, ordered := typeset.Direction(para); ordered && len(more) > 1 {
			for i := range more {
				more[i] = typeset.Mark(rtl) + more[i]
			}
		}
		lines = append(lines, more...)
	}
	return lines
}

// parts divides a word where a line may end within it, as between Chinese characters. A word of the compiled-in fonts
// is one.
func (f Face) parts(word string) []string {
	if f.plain(word) {
		return []string{word}
	}
	var out []string
	from := 0
	characters, lines := typeset.Breaks(word)
	k := 0
	for _, to := range lines {
		// A word without such a place, as Thai has them, is cut at some length: it is set anew for every line that it
		// takes.
		for k < len(characters) && characters[k] <= to {
			k++
			if k == len(characters) || characters[k] > to || k%longestPart == 0 {
				out = append(out, word[from:characters[k-1]])
				from = characters[k-1]
			}
		}
	}
	return out
}

// longestPart is how many characters are kept together that no rule divides.
const longestPart = 256

// wordsOf are the words of a text. A number and the sign of percent behind it are one.
func wordsOf(text string) []string {
	words := strings.Fields(text)
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && strings.HasPrefix(w, "%") && len(w) <= 2 && out[n-1] != "" &&
			out[n-1][len(out[n-1])-1] <= '9' && out[n-1][len(out[n-1])-1] >= '0' {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func (s Style) wrapLine(text string, width float64) []string {
	var lines []string
	line, lineW := "", 0.0
	flush := func() {
		lines = append(lines, line)
		line, lineW = "", 0
	}
	for _, whole := range wordsOf(text) {
		// A word has places to break of its own in scripts that write without spaces.
		for i, word := range s.Face.parts(whole) {
			between, space := "", 0.0
			if i == 0 && line != "" {
				between, space = " ", s.Width(" ")
			}
			w := s.Width(word)
			if line != "" && lineW+space+w <= width {
				line += between + word
				lineW += space + w
				continue
			}
			// A word that no line holds begins on this one where half of it is free: a gap as wide as a path is worse
			// than one break more.
			if line != "" && (w <= width || lineW > width/2) {
				flush()
			}
			if line != "" {
				line += between
				lineW += space
			}
			// Ends because each round sets a character at least, or an empty line in which the next round does.
			for lineW+w > width {
				cut := s.breakAt(word, width-lineW)
				if cut == 0 && line != "" {
					line = strings.TrimRight(line, " ")
					flush()
					continue
				}
				if cut == 0 {
					cut = s.Face.firstCharacter(word)
				}
				line += word[:cut]
				word = word[cut:]
				if word == "" {
					w = 0
					lineW = s.Width(line)
					break
				}
				flush()
				w = s.Width(word)
			}
			line += word
			lineW += w
		}
	}
	if line != "" || len(lines) == 0 {
		flush()
	}
	return lines
}

// firstCharacter is the length in bytes of what a reader takes for the first character of a word.
func (f Face) firstCharacter(word string) int {
	if !f.plain(word) {
		if c, _ := typeset.Breaks(word); len(c) > 0 {
			return c[0]
		}
	}
	_, n := utf8.DecodeRuneInString(word)
	return n
}

// breakAt is the length in bytes of the part of word that fits into width and ends at a good place, 0 if nothing fits.
func (s Style) breakAt(word string, width float64) int {
	t := s.Face.typeface()
	if !s.Face.plain(word) {
		// No more characters than this can fit, so that the rest of a long text need not be set.
		most := 4 * (int(width/(s.Size*0.05)) + 1)
		for i := range word {
			if most--; most < 0 {
				word = word[:i]
				break
			}
		}
		c, _ := typeset.Breaks(word)
		n := sort.Search(len(c), func(i int) bool { return s.Width(word[:c[i]]) > width })
		if n == 0 {
			return 0
		}
		return c[n-1]
	}
	w, fit, good := 0.0, 0, 0
	prev := rune(0)
	for i, r := range word {
		if i > 0 && i <= fit && goodBreak(prev, r) {
			good = i
		}
		em, _ := t.glyph(r)
		w += em * s.Size
		if w > width {
			break
		}
		fit = i + utf8.RuneLen(r)
		if utf8.RuneLen(r) < 0 {
			fit = i + 1
		}
		prev = r
	}
	// A good place near the beginning would leave most of the line empty: then the word is divided where it is full.
	if good > fit/3 {
		return good
	}
	return fit
}

func goodBreak(before, after rune) bool {
	if strings.ContainsRune("_-/.,:;)]}=+|", before) {
		return true
	}
	return unicode.IsLower(before) && unicode.IsUpper(after)
}

// Fit shortens a text in its middle so that it is no wider than width; the cut shows as an ellipsis.
func (s Style) Fit(text string, width float64) string {
	text = Printable(text)
	if s.Width(text) <= width {
		return text
	}
	ends, _ := typeset.Breaks(text)
	lo, hi := 0, len(ends) // the most characters that may stay
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if s.Width(elided(text, ends, mid)) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return elided(text, ends, lo)
}

// elided keeps so many of the characters of a text, given by where they end, and puts an ellipsis in place of the
// others.
func elided(text string, ends []int, keep int) string {
	if keep >= len(ends) {
		return text
	}
	tail := keep / 3
	at := func(n int) int {
		if n == 0 {
			return 0
		}
		return ends[n-1]
	}
	return text[:at(keep-tail)] + "…" + text[at(len(ends)-tail):]
}

// Lines wraps a text to at most n lines; what is left over is cut from the middle of the last line, with an ellipsis.
func (s Style) Lines(text string, width float64, n int) []string {
	all := s.Wrap(text, width)
	if len(all) <= n {
		return all
	}
	last := s.Fit(strings.Join(all[n-1:], " "), width)
	return append(all[:n-1:n-1], last)
}

// Cut is the beginning of a sentence that is as wide as there is room, up to a word.
func (s Style) Cut(text string, width float64) string {
	text = Printable(text)
	if s.Width(text) <= width {
		return text
	}
	words := strings.Fields(text)
	lo, hi := 0, len(words) // words that fit, and that do not
	for lo+1 < hi {
		if n := (lo + hi) / 2; s.Width(strings.Join(words[:n], " ")+" …") <= width {
			lo = n
		} else {
			hi = n
		}
	}
	if lo == 0 {
		return s.Fit(text, width)
	}
	return strings.Join(words[:lo], " ") + " …"
}

// WrapCode breaks a line of code without touching its spaces.
func (s Style) WrapCode(line string, width float64) []string {
	var out []string
	for s.Width(line) > width {
		cut := s.breakAt(line, width)
		if cut == 0 {
			cut = s.Face.firstCharacter(line)
		}
		if cut >= len(line) {
			break
		}
		out = append(out, line[:cut])
		line = line[cut:]
	}
	return append(out, line)
}
