package metrics

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"astrolabe/capture/spelling"
)

// nearest lists up to limit of words that look like name, best first: a few typing errors away, or containing it.
func nearest(name string, words []string, limit int) []string {
	want := fold(name)
	if want == "" {
		return nil
	}
	allowed := 1 + len(want)/4
	type scored struct {
		word string
		dist int
	}
	var list []scored
	for _, w := range words {
		have := fold(w)
		if d := spelling.Distance(want, have, allowed); d <= allowed {
			list = append(list, scored{w, d})
		} else if len(want) >= 4 && len(have) >= 4 && (within(w, want) || within(name, have)) {
			list = append(list, scored{w, allowed + 1})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].dist < list[j].dist })
	var out []string
	for _, s := range list[:min(limit, len(list))] {
		out = append(out, s.word)
	}
	return out
}

// within reports whether a folded text stands in s: in one word of it, or from the beginning of one on. So "nope" is not in "without an operation".
func within(s, folded string) bool {
	words := strings.Fields(s)
	for i := range words {
		if strings.Contains(fold(words[i]), folded) || strings.HasPrefix(fold(strings.Join(words[i:], " ")), folded) {
			return true
		}
	}
	return false
}

func joinAnd(words []string) string { return join(words, " and ") }
func joinOr(words []string) string  { return join(words, " or ") }

// someOf names a few of many.
func someOf(words []string) string {
	const few = 4
	if len(words) > few {
		words = append(slices.Clone(words[:few-1]), fmt.Sprintf("%d others", len(words)-few+1))
	}
	return joinAnd(words)
}

func join(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}
