package plots

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrap breaks a text into lines no wider than width: at spaces, else behind the punctuation and case changes that
// counter names consist of, else anywhere. Explicit line breaks are kept. At least one line is returned.
func (s style) wrap(text string, width float64) []string {
	var lines []string
	for _, para := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		lines = append(lines, s.wrapLine(printable(para), width)...)
	}
	return lines
}

func (s style) wrapLine(text string, width float64) []string {
	var lines []string
	line, lineW := "", 0.0
	space := s.width(" ")
	flush := func() {
		lines = append(lines, line)
		line, lineW = "", 0
	}
	for _, word := range strings.Fields(text) {
		w := s.width(word)
		if line != "" && lineW+space+w <= width {
			line += " " + word
			lineW += space + w
			continue
		}
		if line != "" && (w <= width || lineW > width/2) {
			flush()
		}
		if line != "" {
			line += " "
			lineW += space
		}
		for lineW+w > width {
			cut := s.breakAt(word, width-lineW)
			if cut == 0 && line != "" {
				line = strings.TrimRight(line, " ")
				flush()
				continue
			}
			if cut == 0 {
				_, cut = utf8.DecodeRuneInString(word)
			}
			line += word[:cut]
			word = word[cut:]
			if word == "" {
				w = 0
				lineW = s.width(line)
				break
			}
			flush()
			w = s.width(word)
		}
		line += word
		lineW += w
	}
	if line != "" || len(lines) == 0 {
		flush()
	}
	return lines
}

// breakAt is the length in bytes of the part of word that fits into width and ends at a good place, 0 if nothing fits.
func (s style) breakAt(word string, width float64) int {
	t := s.face.typeface()
	w, fit, good := 0.0, 0, 0
	prev := rune(0)
	for i, r := range word {
		if i > 0 && i <= fit && goodBreak(prev, r) {
			good = i
		}
		em, _ := t.glyph(r)
		w += em * s.size
		if w > width {
			break
		}
		fit = i + utf8.RuneLen(r)
		if utf8.RuneLen(r) < 0 {
			fit = i + 1
		}
		prev = r
	}
	if good > fit/3 {
		return good
	}
	return fit
}

func goodBreak(before, after rune) bool {
	if strings.ContainsRune("_-/.,:;)]}=+|", before) {
		return true
	}
	return (unicode.IsLower(before) && unicode.IsUpper(after)) || before > 0x2e80
}

// fit shortens a text in its middle so that it is no wider than width; the cut shows as an ellipsis.
func (s style) fit(text string, width float64) string {
	text = printable(text)
	if s.width(text) <= width {
		return text
	}
	runes := []rune(text)
	lo, hi := 0, len(runes) // the most runes that may stay
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if s.width(elided(runes, mid)) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return elided(runes, lo)
}

func elided(runes []rune, keep int) string {
	if keep >= len(runes) {
		return string(runes)
	}
	tail := keep / 3
	return string(runes[:keep-tail]) + "…" + string(runes[len(runes)-tail:])
}

// lines wraps a text to at most n lines; what is left over is cut from the middle of the last line, with an ellipsis.
func (s style) lines(text string, width float64, n int) []string {
	all := s.wrap(text, width)
	if len(all) <= n {
		return all
	}
	last := s.fit(strings.Join(all[n-1:], " "), width)
	return append(all[:n-1:n-1], last)
}
