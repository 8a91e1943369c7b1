package notation

import (
	"fmt"
	"strconv"
	"strings"

	"astrolabe/capture/units"
	"astrolabe/plots/charts"
)

// A quantity is text such as "80GB/s", "95%" or "250us": a number with a unit. It is compared with a counter in the
// counter's unit.

// baseUnit is a unit with what it takes to get to the base of its dimension.
type baseUnit struct {
	dim   string  // name of the base
	scale float64 // how many of the base are one of this
}

// spellings are the units that are known by several names. Anything else is its own dimension.
var spellings = map[string]baseUnit{
	"B": {"byte", 1}, "byte": {"byte", 1}, "bytes": {"byte", 1}, "b": {"byte", 0.125}, "bit": {"byte", 0.125},
	"bits": {"byte", 0.125},
	"s":    {"s", 1}, "sec": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1}, "min": {"s", 60}, "h": {"s", 3600},
	"%": {"percent", 1}, "percent": {"percent", 1}, "pct": {"percent", 1},
	"Hz": {"Hz", 1}, "hz": {"Hz", 1}, "hertz": {"Hz", 1}, "fps": {"Hz", 1}, "W": {"W", 1}, "J": {"J", 1},
	"V": {"V", 1}, "A": {"A", 1},
	"FLOP": {"flop", 1}, "FLOPs": {"flop", 1}, "flop": {"flop", 1}, "flops": {"flop", 1},
}

var prefixes = []struct {
	text  string
	scale float64
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40},
	{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15},
	{"m", 1e-3}, {"u", 1e-6}, {"µ", 1e-6}, {"μ", 1e-6}, {"n", 1e-9}, {"p", 1e-12},
}

// parseUnit reads a unit such as "GB/s" or "Mcycles". words are further names that may carry a prefix.
func parseUnit(s string, words ...string) baseUnit {
	s = strings.TrimSpace(s)
	num, den, ratio := strings.Cut(s, "/")
	if ratio {
		n, d := parseUnit(num, words...), parseUnit(den, words...)
		return baseUnit{n.dim + "/" + d.dim, n.scale / d.scale}
	}
	if u, ok := spellings[s]; ok {
		return u
	}
	known := func(w string) (baseUnit, bool) {
		if u, ok := spellings[w]; ok {
			return u, true
		}
		for _, k := range words {
			if singular(w) == singular(k) {
				return baseUnit{singular(k), 1}, true
			}
		}
		return baseUnit{}, false
	}
	if u, ok := known(s); ok {
		return u
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p.text); ok {
			if u, ok := known(strings.TrimSpace(rest)); ok {
				return baseUnit{u.dim, u.scale * p.scale}
			}
		}
	}
	return baseUnit{singular(s), 1}
}

// singular makes "cycles" and "cycle" one word.
func singular(s string) string { return strings.TrimSuffix(strings.ToLower(s), "s") }

// UnitRatio is how many of unit to are one of unit from; ok is false where they measure different things.
func UnitRatio(from, to string) (ratio float64, ok bool) {
	a, b := parseUnit(from, strings.Split(to, "/")...), parseUnit(to, strings.Split(from, "/")...)
	if a.dim != b.dim {
		// Hertz and "per second" of anything countable read alike.
		if !(a.dim == "Hz" && perSecond(b.dim) || b.dim == "Hz" && perSecond(a.dim)) {
			return 0, false
		}
	}
	return a.scale / b.scale, true
}

// perSecond reports whether a dimension is something countable per second, as bytes are not.
func perSecond(dim string) bool {
	what, ok := strings.CutSuffix(dim, "/s")
	return ok && what != "byte" && what != "J"
}

// ParseQuantity reads text such as "80GB/s" as a number in the given unit.
func ParseQuantity(s, unit string) (float64, error) {
	t := strings.TrimSpace(s)
	n := 0
	for n < len(t) && strings.IndexByte("0123456789.+-_", t[n]) >= 0 {
		n++
	}
	if n < len(t)-1 && (t[n] == 'e' || t[n] == 'E') && strings.IndexByte("0123456789+-", t[n+1]) >= 0 {
		n += 2
		for n < len(t) && t[n] >= '0' && t[n] <= '9' {
			n++
		}
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(t[:n], "_", ""), 64)
	if err != nil {
		return 0, fmt.Errorf(`%q is no quantity: write a number with a unit, such as "80GB/s" or "95%%"`, s)
	}
	of := strings.TrimSpace(t[n:])
	if of == "" {
		return v, nil
	}
	if of == unit {
		return v, nil
	}
	for _, p := range prefixes {
		if of == p.text && p.scale >= 1 { // "2M" of whatever the counter counts
			return v * p.scale, nil
		}
	}
	if unit == "" {
		return 0, fmt.Errorf("%q has a unit, and the unit of the counter is not known: give a plain number", s)
	}
	per := strings.NewReplacer(" per ", "/")
	what, rate, isRate := strings.Cut(per.Replace(" "+of), "/")
	if what = strings.TrimSpace(what); isRate {
		// "5/s" and "2k/s" are of whatever the counter counts.
		for _, p := range prefixes {
			if what == p.text && p.scale >= 1 {
				v, what = v*p.scale, ""
			}
		}
		if what == "" {
			what, _, _ = strings.Cut(per.Replace(unit), "/")
		}
		of = what + "/" + rate
	}
	ratio, ok := UnitRatio(per.Replace(of), per.Replace(unit))
	if !ok && (parseUnit(of).dim == "percent" || !units.Counts(of) && !units.Counts(unit)) {
		// watts, degrees, GBps; unlike things that are counted do not convert
		if c, fits := units.Convert(of, unit); fits {
			return c.Apply(v), nil
		}
	}
	if !ok {
		return 0, fmt.Errorf("%q is in %s, the counter is in %s", s, of, unit)
	}
	return v * ratio, nil
}

// Quantity writes a number with its unit, with a minus sign that terminals and scripts read.
func Quantity(v float64, unit string) string {
	return strings.ReplaceAll(charts.Quantity(v, unit), "−", "-")
}

func Plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
