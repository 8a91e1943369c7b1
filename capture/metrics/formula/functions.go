package formula

import (
	"fmt"
	"strings"

	"astrolabe/capture/spelling"
)

// function is one callable name of a dialect. Where two rows share a name the number of arguments tells them apart.
type function struct {
	name     string
	op       Op
	min, max int // number of arguments; max < 0 is any
}

// functions lists the function names of a dialect, each once.
func functions(d Dialect) []string {
	var out []string
	for _, f := range d.traits().functions {
		if len(out) == 0 || out[len(out)-1] != f.name {
			out = append(out, f.name)
		}
	}
	return out
}

// callName is how dialect d spells op as a function, "" where it has none.
func callName(d Dialect, op Op) string {
	for _, f := range d.traits().functions {
		if f.op == op {
			return f.name
		}
	}
	return ""
}

// findFunction returns the function of that name and number of arguments. If there is none msg and hint say why.
func findFunction(d Dialect, name string, args int) (f function, msg, hint string) {
	var counts []string
	for _, f := range d.traits().functions {
		if !strings.EqualFold(f.name, name) {
			continue
		}
		if args >= f.min && (f.max < 0 || args <= f.max) {
			return f, "", ""
		}
		switch {
		case f.max < 0:
			counts = append(counts, fmt.Sprintf("%d or more", f.min))
		default:
			counts = append(counts, fmt.Sprint(f.min))
		}
	}
	if counts != nil {
		plural := "s"
		if counts[len(counts)-1] == "1" {
			plural = ""
		}
		return f, fmt.Sprintf("%s takes %s argument%s, here are %d", name, strings.Join(counts, " or "),
			plural, args), ""
	}
	msg = fmt.Sprintf("no function %s in the %s dialect", name, d)
	for other := range dialects {
		for _, f := range other.traits().functions {
			if other != d && strings.EqualFold(f.name, name) {
				return f, msg, fmt.Sprintf("%s belongs to the %s dialect", f.name, other)
			}
		}
	}
	best, bestDist := "", 3
	for _, f := range d.traits().functions {
		if n := spelling.Distance(strings.ToLower(f.name), strings.ToLower(name), bestDist-1); n < bestDist {
			best, bestDist = f.name, n
		}
	}
	if best != "" {
		return f, msg, "did you mean " + best + "?"
	}
	if strings.EqualFold(name, "CONCAT") {
		return f, msg, "CONCAT makes text; a formula here makes numbers"
	}
	return f, msg, "functions are " + strings.Join(functions(d), ", ")
}
