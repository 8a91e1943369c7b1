package exposition

import (
	"fmt"
	"strings"
)

// Names keeps families apart. Its zero value is ready for use.
type Names struct{ taken map[string]bool }

// suffixes are those that the samples of a family may have; no other family may be called so.
var suffixes = []string{"", "_total", "_created", "_info", "_count", "_sum", "_bucket", "_gcount", "_gsum"}

// Family makes the name of a family of a counter's name and unit.
func (n *Names) Family(name, unit string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	base := "astrolabe_" + Word(name)
	for _, s := range suffixes[1:] {
		base = strings.TrimSuffix(base, s)
	}
	end := ""
	if unit != "" {
		end = "_" + unit
		base = strings.TrimSuffix(base, end)
	}
	unique := base + end
	for i := 2; n.clashes(unique); i++ {
		unique = fmt.Sprintf("%s_%d%s", base, i, end)
	}
	for _, s := range suffixes {
		n.taken[unique+s] = true
	}
	return unique
}

func (n *Names) clashes(name string) bool {
	for _, s := range suffixes {
		if n.taken[name+s] {
			return true
		}
	}
	return false
}

// Word is s in lower case with letters, digits and single underscores only.
func Word(s string) string {
	var b strings.Builder
	under := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if under && b.Len() > 0 {
				b.WriteByte('_')
			}
			under = false
			b.WriteRune(r)
		default:
			under = true
		}
	}
	if b.Len() == 0 {
		return "x"
	}
	return b.String()
}

// perUnit spells the units below a division.
var perUnit = map[string]string{"s": "second", "ms": "millisecond", "us": "microsecond", "ns": "nanosecond",
	"second": "second"}

// Unit spells a unit as the end of a name, and says by what power of ten values are to be divided.
func Unit(unit string) (name string, power int) {
	switch unit {
	case "":
		return "", 0
	case "ns":
		return "seconds", 9
	case "us", "µs":
		return "seconds", 6
	case "ms":
		return "seconds", 3
	case "s":
		return "seconds", 0
	case "%":
		return "percent", 0
	case "Hz":
		return "hertz", 0
	}
	if above, below, ok := strings.Cut(unit, "/"); ok {
		if p := perUnit[below]; p != "" {
			below = p
		}
		if Word(above) == "1" || above == "" {
			return "per_" + Word(below), 0
		}
		return Word(above) + "_per_" + Word(below), 0
	}
	return Word(unit), 0
}

// Escape writes a text for label values, and for what describes a family of OpenMetrics.
func Escape(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, `"`, `\"`, "\x00", "").Replace(s)
}

// EscapeHelp writes a text for what describes a family of Prometheus' text form, which knows no escaped quotes.
func EscapeHelp(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\x00", "").Replace(s)
}
