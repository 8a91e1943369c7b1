package screenshots

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a run of letters, a number with its decimals, or one other sign of a name.
type word struct {
	text   string
	number bool
	letter bool
}

// fromName reads what a picture is of from its name without the extension: a number with a unit of time (t=1.25s,
// 1250ms), the number behind "frame" or "f" (screenshot_frame_12, app_frame12, F000012), or a number that is the only
// one (0012, out-12). ok is false where the name says none of these, or could mean several.
func fromName(name string) (at, frame *int64, ok bool) {
	words := split(name)
	var numbers []string
	for i, w := range words {
		if !w.number {
			continue
		}
		after, before := next(words, i), previous(words, i)
		if ns, is := duration(w.text, after); is && apart(words, i) {
			if at != nil {
				return nil, nil, false
			}
			at = &ns
			continue
		}
		if !strings.Contains(w.text, ".") && (before == "frame" || before == "f" || strings.HasSuffix(before, "frame")) {
			n, err := strconv.ParseInt(w.text, 10, 64)
			if err != nil || frame != nil {
				return nil, nil, false
			}
			frame = &n
			continue
		}
		numbers = append(numbers, w.text)
	}
	if at != nil || frame != nil {
		return at, frame, true
	}
	if len(numbers) != 1 {
		return nil, nil, false
	}
	n, err := strconv.ParseInt(numbers[0], 10, 64)
	if err != nil {
		return nil, nil, false
	}
	return nil, &n, true
}

// next is the word behind a number, if it is a word that touches it or a space is between; previous the one before it,
// from which one sign may divide it. Both are in small letters.
func next(words []word, i int) string {
	if i+1 < len(words) && words[i+1].text == " " {
		i++
	}
	if i+1 < len(words) && words[i+1].letter {
		return strings.ToLower(words[i+1].text)
	}
	return ""
}

func previous(words []word, i int) string {
	if i > 1 && !words[i-1].letter && !words[i-1].number {
		i--
	}
	if i > 0 && words[i-1].letter {
		return strings.ToLower(words[i-1].text)
	}
	return ""
}

// apart reports whether a number touches no letters before it but those for time: the 56 of 12h34m56s is none by itself.
func apart(words []word, i int) bool {
	if i == 0 || !words[i-1].letter {
		return true
	}
	switch strings.ToLower(words[i-1].text) {
	case "t", "at", "time":
		return true
	}
	return false
}

// split divides a name into words. A point between two digits belongs to a number, once.
func split(name string) (out []word) {
	digit := func(i int) bool { return i < len(name) && name[i] >= '0' && name[i] <= '9' }
	for i := 0; i < len(name); {
		from := i
		switch r, size := utf8.DecodeRuneInString(name[i:]); {
		case digit(i):
			for digit(i) {
				i++
			}
			if i < len(name) && name[i] == '.' && digit(i+1) {
				for i++; digit(i); {
					i++
				}
			}
			out = append(out, word{text: name[from:i], number: true})
		case unicode.IsLetter(r):
			for i < len(name) {
				if r, size = utf8.DecodeRuneInString(name[i:]); !unicode.IsLetter(r) {
					break
				}
				i += size
			}
			out = append(out, word{text: name[from:i], letter: true})
		default:
			i += size
			out = append(out, word{text: name[from:i]})
		}
	}
	return out
}

// nsPer are the units of time that names and indexes may have.
var nsPer = map[string]float64{"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "sec": 1e9, "min": 60e9}

// duration is a number of a unit in ns; ok is false where it is none, or longer than a capture can be.
func duration(number, unit string) (ns int64, ok bool) {
	per, known := nsPer[unit]
	v, err := strconv.ParseFloat(number, 64)
	if !known || err != nil {
		return 0, false
	}
	if v = math.Round(v * per); !(math.Abs(v) < 1<<62) {
		return 0, false
	}
	return int64(v), true
}
