package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// Known is a name that completion may offer, with what else people call it.
type Known struct {
	Name   string
	Others []string // addresses, titles and other names: each finds it too
	Refs   []string // sections of the vendor's guide
}

// Known are the names of the catalogue's entries, in order.
func (c *Catalogue) Known() []Known {
	out := make([]Known, len(c.entries))
	for i, e := range c.entries {
		others := e.others()
		if e.IsMetric() {
			others = append(others, e.Address())
		}
		out[i] = Known{Name: e.Name, Others: append(others, e.Title), Refs: e.Refs}
	}
	return out
}

// KnownCounter is the name of a counter that was measured.
func KnownCounter(c *capture.Counter) Known {
	return Known{Name: c.Name, Others: append(slices.Clone(c.Aliases), c.Title), Refs: c.Refs}
}

// Suggestion is what may stand for a name that has been begun.
type Suggestion struct {
	Text  string // that addresses it
	Note  string // how it was found, where the text does not show that
	Index int    // of what is known
}

// Suggest lists what somebody may mean who has typed the beginning of a name, or any part of it. The first of these
// that fits anything decides: names that begin so, other names and titles that begin so in any case of letters,
// sections of the guide, and words that occur in a name or title in any order.
func Suggest(known []Known, typed string) []Suggestion {
	var out []Suggestion
	seen := map[string]bool{}
	add := func(text, note string, i int) {
		if !seen[text] {
			seen[text] = true
			out = append(out, Suggestion{text, note, i})
		}
	}
	for i, k := range known {
		if strings.HasPrefix(k.Name, typed) {
			add(k.Name, "", i)
		}
	}
	if len(out) > 0 {
		return out
	}
	for i, k := range known {
		for _, text := range append([]string{k.Name}, k.Others...) {
			if hasPrefixFold(text, typed) {
				add(text, "", i)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	if typed != "" && digit(typed[0]) {
		for i, k := range known {
			for _, ref := range k.Refs {
				if strings.HasPrefix(ref, typed) {
					add(k.Name, ref, i)
					break
				}
			}
		}
		slices.SortStableFunc(out, func(a, b Suggestion) int { return compareRefs(a.Note, b.Note) })
		if len(out) > 0 {
			return out
		}
	}
	words := strings.FieldsFunc(strings.ToLower(typed),
		func(r rune) bool { return r < 0x80 && !letterOrDigit(byte(r)) })
	if len(words) == 0 {
		return nil
	}
	for i, k := range known {
		if all := fold(k.Name) + " " + fold(strings.Join(k.Others, " ")); fits(all, words) {
			add(k.Name, "", i)
		}
	}
	return out
}

func letterOrDigit(c byte) bool { return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// fits reports whether every word occurs in a folded text.
func fits(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, fold(w)) {
			return false
		}
	}
	return true
}

// compareRefs orders sections by their numbers.
func compareRefs(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if len(x[i]) != len(y[i]) {
			return len(x[i]) - len(y[i])
		}
		if c := strings.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return len(x) - len(y)
}

// SuggestWords is Suggest for words that have only one name.
func SuggestWords(words []string, typed string) []string {
	known := make([]Known, len(words))
	for i, w := range words {
		known[i] = Known{Name: w}
	}
	var out []string
	for _, s := range Suggest(known, typed) {
		out = append(out, s.Text)
	}
	return out
}
