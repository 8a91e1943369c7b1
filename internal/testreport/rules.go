package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// module is the beginning of the import paths of this module's packages. The list leaves it out.
const module = "astrolabe"

// rule is a line of the list: tests of these packages and of these names may be skipped with this message.
type rule struct {
	line                   int
	packages, test, reason string
	why                    string
	testRE, reasonRE       *regexp.Regexp
}

// parseRules reads the list: lines of four fields between bars, empty lines, and comments from # at the beginning of a
// line on. An asterisk in the names of tests and in messages stands for any text.
func parseRules(path, text string) ([]rule, error) {
	var rules []rule
	seen := map[string]int{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s:%d: the line is not UTF-8", path, n)
		}
		fields := strings.Split(line, "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) != 4 || fields[0] == "" || fields[1] == "" || fields[2] == "" || fields[3] == "" {
			return nil, fmt.Errorf("%s:%d: want PACKAGES | TESTS | MESSAGE | WHY", path, n)
		}
		if strings.Trim(fields[2], "* ") == "" {
			return nil, fmt.Errorf("%s:%d: the message fits any skip: say which", path, n)
		}
		key := strings.Join(fields[:3], "|")
		if first := seen[key]; first > 0 {
			return nil, fmt.Errorf("%s:%d: line %d says the same", path, n, first)
		}
		seen[key] = n
		rules = append(rules, rule{n, fields[0], fields[1], fields[2], fields[3], pattern(fields[1]),
			pattern(fields[2])})
	}
	return rules, nil
}

// pattern is a text with asterisks as a regular expression for the whole of another.
func pattern(glob string) *regexp.Regexp {
	parts := strings.Split(glob, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `.*`) + `$`)
}

// covers says whether a package, as its path below the module, is one of the rule's.
func (r *rule) covers(pkg string) bool {
	if dir, ok := strings.CutSuffix(r.packages, "..."); ok {
		dir = strings.TrimSuffix(dir, "/")
		return dir == "" || dir == "." || pkg == dir || strings.HasPrefix(pkg, dir+"/")
	}
	return pkg == r.packages
}

// allows says whether a skip is one of the rule's.
func (r *rule) allows(s skip) bool {
	pkg := strings.TrimPrefix(strings.TrimPrefix(s.pkg, module), "/")
	if pkg == "" {
		pkg = "."
	}
	if !r.covers(pkg) || !r.testRE.MatchString(s.test) {
		return false
	}
	for _, m := range s.logged {
		if r.reasonRE.MatchString(m) {
			return true
		}
	}
	return false
}
