package hwio

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// IsGlob reports whether a pattern holds a wildcard and so may fit any number of counters.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// Match reports whether the pattern fits the counter's name or one of its aliases. * stands for any text, ? for one
// character; case does not matter, - is the same as _, and a leading $ is ignored.
func Match(pattern string, m *capture.Meta) bool {
	p := fold(strings.TrimPrefix(pattern, "$")) // as variables stand in formulas
	if globFits(p, fold(m.Name)) {
		return true
	}
	return slices.ContainsFunc(m.Aliases, func(a string) bool { return globFits(p, fold(a)) })
}

// MatchAny reports whether one of the patterns fits the counter.
func MatchAny(patterns []string, m *capture.Meta) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Match(p, m) })
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// globFits matches without backtracking over more than the last star.
func globFits(p, s string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
