package formats

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Kinds says of what kind counters are, by the names of counters or patterns with * and ?. A name wins over a pattern,
// and among patterns the one that says more.
type Kinds map[string]capture.Kind

// ParseKind reads the kind of a measured counter.
func ParseKind(text string) (capture.Kind, error) {
	k, ok := capture.ParseKind(text)
	if !ok || k == capture.Derived {
		return 0, fmt.Errorf(
			"%q is no kind of counter: use \"delta\" (counts, added up), \"gauge\" (levels, averaged) or \"constant\"",
			text)
	}
	return k, nil
}

// ParseKinds reads "GLOB=KIND,GLOB=KIND", or a kind alone for every counter.
func ParseKinds(texts ...string) (Kinds, error) {
	out := Kinds{}
	for _, text := range texts {
		for _, part := range splitKinds(text) {
			i := strings.LastIndexByte(part, '=')
			glob := "*"
			if i >= 0 {
				glob = strings.TrimSpace(part[:i])
			}
			k, err := ParseKind(strings.TrimSpace(part[i+1:]))
			if err != nil || glob == "" {
				return nil, fmt.Errorf(
					"kinds %q: write NAME=KIND, such as gpu_temp*=gauge; a kind is delta, gauge or constant", part)
			}
			out[glob] = k
		}
	}
	return out, nil
}

// splitKinds divides at the commas that stand behind a kind: names may have commas of their own.
func splitKinds(text string) []string {
	var out []string
	from := 0
	for i := range text {
		if text[i] != ',' {
			continue
		}
		part := text[from:i]
		if _, err := ParseKind(strings.TrimSpace(part[strings.LastIndexByte(part, '=')+1:])); err == nil {
			out = append(out, part)
			from = i + 1
		}
	}
	return append(out, text[from:])
}

// of is the kind that is said of one of a counter's names.
func (k Kinds) of(names ...string) (kind capture.Kind, glob string, ok bool) {
	for _, name := range names {
		if kind, ok := k[name]; ok {
			return kind, name, true
		}
	}
	said := -1
	for _, g := range slices.Sorted(maps.Keys(k)) {
		literal := len(g) - strings.Count(g, "*") - strings.Count(g, "?")
		if literal <= said {
			continue
		}
		for _, name := range names {
			if metrics.Glob(g, name) {
				kind, glob, ok, said = k[g], g, true, literal
			}
		}
	}
	return kind, glob, ok
}

// settleKinds gives counters the kinds that the user says, and tells in one warning which are guessed then.
func settleKinds(c *capture.Capture, kinds Kinds) (*capture.Capture, string, error) {
	counters := slices.Clone(c.Counters)
	used := map[string]bool{}
	var counts, levels []string
	for i, ctr := range counters {
		if len(kinds) > 0 {
			names := []string{ctr.Name}
			for _, in := range ctr.Instances {
				names = append(names, in.Name)
			}
			kind, glob, said := kinds.of(append(names, ctr.Aliases...)...)
			if said {
				used[glob] = true
				counters[i] = ctr.OfKind(kind, false)
				continue
			}
		}
		switch {
		case !ctr.Guessed:
		case ctr.Kind == capture.Gauge:
			levels = append(levels, ctr.Name)
		default:
			counts = append(counts, ctr.Name)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(kinds)) {
		if !used[g] {
			return nil, "", fmt.Errorf("option kinds: no counter is called %q%s", g, nearCounters(g, c))
		}
	}
	warning := guessed(counts, levels)
	if len(kinds) == 0 && warning == "" {
		return c, "", nil
	}
	out, err := c.With(func(cfg *capture.Config) {
		cfg.Counters = counters
		if warning != "" {
			cfg.Warnings = append(slices.Clone(cfg.Warnings), warning)
		}
	})
	return out, warning, err
}

// nearCounters helps with a mistyped name.
func nearCounters(name string, c *capture.Capture) string {
	var names []string
	for _, ctr := range c.Counters {
		names = append(names, ctr.Name)
	}
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Sprintf(" (there are %s)", firstNames(names))
}

// guessed is the one line about counters whose kind nobody states.
func guessed(counts, levels []string) string {
	var parts []string
	if len(counts) > 0 {
		parts = append(parts, "for counts that add up (delta): "+firstNames(counts))
	}
	if len(levels) > 0 {
		parts = append(parts, "for levels by their names (gauge): "+firstNames(levels))
	}
	if len(parts) == 0 {
		return ""
	}
	return "guessed: nothing says of what kind these counters are, they are taken " + strings.Join(parts, "; ") +
		" (kinds= decides)"
}
