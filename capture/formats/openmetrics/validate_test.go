package openmetrics

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The grammar and the rules of the OpenMetrics 1.0.0 specification, as far as they concern gauges, counters and info.

var (
	nameForm   = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	metaForm   = regexp.MustCompile(`^# (TYPE|UNIT|HELP) (\S+) (.*)$`)
	sampleForm = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+) ([0-9.]+)$`)
	labelForm  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)`)
	numberForm = regexp.MustCompile(`^([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?Inf|NaN)$`)
)

// validate returns the samples by name, labels and time.
func validate(text string) (map[string]string, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("no UTF-8")
	}
	body, ok := strings.CutSuffix(text, "# EOF\n")
	if !ok {
		return nil, fmt.Errorf("it does not end with # EOF")
	}
	out := map[string]string{}
	done := map[string]bool{} // families
	claimed := map[string]string{}
	family, kind := "", "unknown"
	lastKey, last, open := "", 0.0, map[string]bool{}
	seen := map[string]bool{} // metadata of the current family
	for n, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		fail := func(format string, args ...any) (map[string]string, error) {
			return nil, fmt.Errorf("line %d %q: %s", n+1, line, fmt.Sprintf(format, args...))
		}
		if m := metaForm.FindStringSubmatch(line); m != nil {
			if !nameForm.MatchString(m[2]) {
				return fail("bad name")
			}
			if m[2] != family {
				if done[m[2]] {
					return fail("families are interleaved")
				}
				family, kind, seen = m[2], "unknown", map[string]bool{}
				done[family] = true
			}
			if seen[m[1]] || seen["sample"] {
				return fail("metadata stands twice or behind samples")
			}
			seen[m[1]] = true
			switch m[1] {
			case "TYPE":
				kind = m[3]
				if kind != "gauge" && kind != "counter" && kind != "info" {
					return fail("type %q", kind)
				}
			case "UNIT":
				if kind == "info" || !strings.HasSuffix(family, "_"+m[3]) {
					return fail("the unit does not end the name")
				}
			case "HELP":
				if strings.Contains(strings.NewReplacer(`\\`, "", `\n`, "", `\"`, "").Replace(m[3]), `\`) {
					return fail("bad escape")
				}
			}
			continue
		}
		m := sampleForm.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(line, "#") {
			return fail("neither metadata nor a sample")
		}
		want := map[string]string{"gauge": family, "counter": family + "_total", "info": family + "_info"}[kind]
		if m[1] != want {
			return fail("a sample of a %s %s is called %s", kind, family, want)
		}
		at, err := strconv.ParseFloat(m[5], 64)
		if key := m[1] + m[2]; err != nil || key == lastKey && at <= last || key != lastKey && open[key] {
			return fail("times do not increase, or a series is interleaved")
		} else {
			lastKey, last, open[key] = key, at, true
		}
		seen["sample"] = true
		if owner, ok := claimed[m[1]]; ok && owner != family {
			return fail("its name belongs to family %s", owner)
		}
		claimed[m[1]] = family
		labels := map[string]bool{}
		for rest := m[3]; rest != ""; {
			l := labelForm.FindStringSubmatch(rest)
			if l == nil || labels[l[1]] || strings.HasPrefix(l[1], "_") {
				return fail("bad labels at %q", rest)
			}
			labels[l[1]] = true
			rest = rest[len(l[0]):]
			if l[3] == "," && rest == "" {
				return fail("a comma at the end")
			}
		}
		if !numberForm.MatchString(m[4]) {
			return fail("%q is no number", m[4])
		}
		if kind == "counter" && (strings.HasPrefix(m[4], "-") || strings.Contains(m[4], "Inf") || m[4] == "NaN") ||
			kind == "info" && m[4] != "1" {
			return fail("no value of a %s", kind)
		}
		key := m[1] + m[2] + " " + m[5]
		if _, twice := out[key]; twice {
			return fail("the sample stands twice")
		}
		out[key] = m[4]
	}
	for name, owner := range claimed {
		if done[name] && name != owner {
			return nil, fmt.Errorf("the sample %s of %s is called like a family", name, owner)
		}
	}
	return out, nil
}
