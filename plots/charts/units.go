package charts

import (
	"math"
	"strconv"
	"strings"
)

// unitClass says how numbers of a unit are scaled for people.
type unitClass uint8

const (
	plainUnit   unitClass = iota // a word: numbers take k, M, G behind them
	symbolUnit                   // a symbol that takes SI prefixes: 3.2 GHz
	binaryUnit                   // bytes: 3.2 MiB
	fixedUnit                    // never scaled: percent, degrees
	percentUnit                  // fixed, and an axis shows 0 to 100
)

// unit is how a unit of measure is written. factor converts to the base unit that takes prefixes.
type unit struct {
	symbol string
	class  unitClass
	factor float64
}

// knownUnits maps spellings to units; case matters only where two units differ by it.
var knownUnits = map[string]unit{
	"%": {"%", percentUnit, 1}, "percent": {"%", percentUnit, 1}, "pct": {"%", percentUnit, 1},
	"bytes": {"B", binaryUnit, 1}, "byte": {"B", binaryUnit, 1}, "B": {"B", binaryUnit, 1},
	"KiB": {"B", binaryUnit, 1 << 10}, "MiB": {"B", binaryUnit, 1 << 20}, "GiB": {"B", binaryUnit, 1 << 30},
	"kB": {"B", symbolUnit, 1e3}, "MB": {"B", symbolUnit, 1e6}, "GB": {"B", symbolUnit, 1e9},
	"bytes/s": {"B/s", symbolUnit, 1}, "B/s": {"B/s", symbolUnit, 1}, "byte/s": {"B/s", symbolUnit, 1},
	"kB/s": {"B/s", symbolUnit, 1e3}, "MB/s": {"B/s", symbolUnit, 1e6}, "GB/s": {"B/s", symbolUnit, 1e9},
	"KiB/s": {"B/s", symbolUnit, 1 << 10}, "MiB/s": {"B/s", symbolUnit, 1 << 20}, "GiB/s": {"B/s", symbolUnit, 1 << 30},
	"bits/s": {"b/s", symbolUnit, 1}, "b/s": {"b/s", symbolUnit, 1},
	"s": {"s", symbolUnit, 1}, "seconds": {"s", symbolUnit, 1}, "sec": {"s", symbolUnit, 1},
	"ms": {"s", symbolUnit, 1e-3}, "us": {"s", symbolUnit, 1e-6}, "µs": {"s", symbolUnit, 1e-6},
	"ns": {"s", symbolUnit, 1e-9},
	"Hz": {"Hz", symbolUnit, 1}, "hz": {"Hz", symbolUnit, 1}, "kHz": {"Hz", symbolUnit, 1e3},
	"MHz": {"Hz", symbolUnit, 1e6}, "GHz": {"Hz", symbolUnit, 1e9},
	"W": {"W", symbolUnit, 1}, "watts": {"W", symbolUnit, 1}, "mW": {"W", symbolUnit, 1e-3},
	"uW": {"W", symbolUnit, 1e-6},
	"J":  {"J", symbolUnit, 1}, "joules": {"J", symbolUnit, 1}, "uJ": {"J", symbolUnit, 1e-6},
	"V": {"V", symbolUnit, 1}, "mV": {"V", symbolUnit, 1e-3}, "A": {"A", symbolUnit, 1}, "mA": {"A", symbolUnit, 1e-3},
	"FLOP/s": {"FLOP/s", symbolUnit, 1}, "FLOPS": {"FLOP/s", symbolUnit, 1},
	"GFLOP/s": {"FLOP/s", symbolUnit, 1e9}, "GFLOPS": {"FLOP/s", symbolUnit, 1e9},
	"TFLOPS": {"FLOP/s", symbolUnit, 1e12},
	"IOP/s":  {"IOP/s", symbolUnit, 1},
	"°C":     {"°C", fixedUnit, 1}, "C": {"°C", fixedUnit, 1}, "celsius": {"°C", fixedUnit, 1},
	"degC": {"°C", fixedUnit, 1},
	"K":    {"K", fixedUnit, 1},
}

// unitOf finds a unit by its spelling; an unknown one is a word.
func unitOf(name string) unit {
	name = strings.TrimSpace(name)
	if u, ok := knownUnits[name]; ok {
		return u
	}
	if u, ok := knownUnits[strings.ToLower(name)]; ok {
		return u
	}
	return unit{name, plainUnit, 1}
}

type prefix struct {
	factor float64
	symbol string
}

var siPrefixes = []prefix{
	{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""},
	{1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"},
}

var iecPrefixes = []prefix{
	{1 << 60, "Ei"}, {1 << 50, "Pi"}, {1 << 40, "Ti"}, {1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}, {1, ""},
}

// prefixFor is the prefix in which v reads best; ok is false where v is beyond all of them.
func (u unit) prefixFor(v float64) (p prefix, ok bool) {
	v = math.Abs(v)
	list := siPrefixes
	switch u.class {
	case fixedUnit, percentUnit:
		return prefix{1, ""}, v == 0 || (v >= 1e-4 && v < 1e9)
	case binaryUnit:
		list = iecPrefixes
	case plainUnit:
		list = siPrefixes[:7]
	}
	if v == 0 {
		return prefix{1, ""}, true
	}
	if v >= list[0].factor*1e4 {
		return prefix{1, ""}, false
	}
	for _, p := range list {
		if v >= p.factor*(1-1e-12) {
			return p, true
		}
	}
	last := list[len(list)-1]
	return last, v >= last.factor*1e-3
}

// Quantity writes a number with its unit for people: "93.1 GB/s", "12.4 %", "1.5M cycles". It has at most four
// significant figures. A missing value is written "missing".
func Quantity(v float64, unitName string) string {
	return unitOf(unitName).format(v)
}

func (u unit) format(v float64) string {
	switch {
	case math.IsNaN(v):
		return "missing"
	case math.IsInf(v, 1):
		return u.join("∞", "")
	case math.IsInf(v, -1):
		return u.join("−∞", "")
	}
	v *= u.factor
	p, ok := u.prefixFor(v)
	if !ok {
		return u.join(minus(strconv.FormatFloat(v, 'g', 4, 64)), "")
	}
	n := significant(v/p.factor, 4)
	if a, err := strconv.ParseFloat(n, 64); err == nil && math.Abs(a) >= 1000 { // 999.96 k rounds to 1 M
		if q, ok := u.prefixFor(a * p.factor); ok && q != p {
			p, n = q, significant(a*p.factor/q.factor, 4)
		}
	}
	return u.join(minus(n), p.symbol)
}

// join puts a number, a prefix and the unit together.
func (u unit) join(number, prefix string) string {
	switch {
	case u.class == plainUnit && u.symbol == "":
		return number + prefix
	case u.class == plainUnit && prefix == "" && strings.TrimLeft(number, "-−") == "1":
		return number + " " + singular(u.symbol)
	case u.class == plainUnit:
		return number + prefix + " " + u.symbol
	}
	return number + " " + prefix + u.symbol
}

// Scale is how numbers of a unit are written for people: times factor, they are in units of symbol, with prefixes of a
// class: "plain" (behind the number: 1.5M cycles), "si", "binary", or "fixed" for none.
func Scale(unitName string) (symbol, class string, factor float64) {
	u := unitOf(unitName)
	return u.symbol, [...]string{"plain", "si", "binary", "fixed", "fixed"}[u.class], u.factor
}

// singular is the unit of one: "request" of "requests", "request/s" of "requests/s". A word that is no plural stays.
func singular(name string) string {
	end := len(name)
	for _, per := range []string{"/", " per ", " ("} {
		if i := strings.Index(name[:end], per); i >= 0 {
			end = i
		}
	}
	begin := strings.LastIndexByte(name[:end], ' ') + 1
	word, rest := name[begin:end], name[end:]
	for _, form := range [...][2]string{{"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"caches", "cache"}, {"ies", "y"},
		{"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(word, form[0]); ok && len(word) > 3 && strings.ToLower(word) == word {
			return name[:begin] + stem + form[1] + rest
		}
	}
	return name
}

// significant writes v with n significant figures, without trailing zeros after the point.
func significant(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	digits := n - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	s := strconv.FormatFloat(v, 'f', max(0, digits), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// minus turns hyphens into minus signs, which are as wide as a digit.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
