// Package units reads units of measure as people and programs write them ("MB/s", "Mcycles", "msec", "°C", "misses/1000
// instructions"), says which of them are levels, and converts between those that measure the same. It reads durations too.
//
// It imports nothing of ours and knows no vendor. Formulas about units (bytes divided by s is bytes/s) are package
// metrics' own.
package units

import (
	"math"
	"slices"
	"strings"
)

// dimension is what a unit measures, as powers of bases. Two units convert into each other where theirs are equal.
type dimension struct {
	seconds, bytes, joules, volts, amperes, kelvins, share int8
	// count is the power of things that are counted, whichever they are: the same variable counts the same, whether its
	// unit is called requests, events or nothing at all.
	count int8
}

// unit is a unit taken apart. The zero unit is no unit at all.
type unit struct {
	dim    dimension
	factor float64 // how many of the base unit are one of this, times
	exp    int     // ten to this power
	offset float64 // added after the factor; of temperatures
	ratio  bool    // it has a denominator
	known  bool    // every word in it is a known unit, and there is one that is no number
	words  int     // that are no numbers
}

// Known reports whether every word of the text is a known unit or the name of something countable.
func Known(text string) bool { return parse(text).known }

// IsLevel reports whether values in that unit are levels, which are averaged over time: shares, rates, ratios,
// temperatures, power, voltage and current. ok is false where the text is no known unit, so that nothing follows from
// it.
func IsLevel(text string) (level, ok bool) {
	u := parse(text)
	return u.ratio || u.dim.seconds < 0 || u.dim.kelvins != 0 || u.dim.volts != 0 || u.dim.amperes != 0 ||
		u.dim.share != 0, u.known
}

// Conversion turns a value of one unit into one of another: value * Mul / Div + Offset. Powers of ten stay exact that
// way.
type Conversion struct{ Mul, Div, Offset float64 }

// Identity reports whether nothing changes.
func (c Conversion) Identity() bool { return c == identity }

var identity = Conversion{Mul: 1, Div: 1}

// Apply converts a value.
func (c Conversion) Apply(v float64) float64 { return v*c.Mul/c.Div + c.Offset }

// Whole is the factor of a conversion that keeps integers exact, 0 of any other.
func (c Conversion) Whole() uint64 {
	if c.Div != 1 || c.Offset != 0 || c.Mul < 1 || c.Mul > 1<<53 || c.Mul != float64(uint64(c.Mul)) {
		return 0
	}
	return uint64(c.Mul)
}

// Convert says how values of one unit become values of another; ok is false where they measure different things. A unit
// that is not stated ("") fits every other as it is, and so does any other spelling of the same text.
func Convert(from, to string) (c Conversion, ok bool) {
	if from == "" || to == "" || fold(from) == fold(to) {
		return identity, true
	}
	a, b := parse(from), parse(to)
	if a.dim != b.dim {
		return identity, false
	}
	c = Conversion{Mul: a.factor / b.factor, Div: 1}
	if r := b.factor / a.factor; r > c.Mul {
		c = Conversion{Mul: 1, Div: r}
	}
	if e := a.exp - b.exp; e > 0 {
		c.Mul *= math.Pow10(e)
	} else {
		c.Div *= math.Pow10(-e)
	}
	if g := math.Min(c.Mul, c.Div); g > 1 && c.Mul/g == math.Trunc(c.Mul/g) && c.Div/g == math.Trunc(c.Div/g) {
		c.Mul, c.Div = c.Mul/g, c.Div/g
	}
	if !(c.Mul/c.Div > 0) || math.IsInf(c.Mul/c.Div, 0) {
		return identity, false // a chain of prefixes beyond any measure
	}
	if a.offset != b.offset {
		c.Offset = (a.offset - b.offset) / (b.factor * math.Pow10(b.exp))
	}
	return c, true
}

// PerSecond says how values of one unit, times seconds, become values of another: bytes of MB/s, cycles of cycles/s. ok is
// false where the first is no rate of the second.
func PerSecond(from, to string) (c Conversion, ok bool) {
	if from == "" || to == "" {
		return identity, false
	}
	return Convert("s*"+from, to)
}

func fold(s string) string { return singular(strings.ToLower(strings.Join(strings.Fields(s), " "))) }

func singular(word string) string { return strings.TrimSuffix(word, "s") }

// parse reads a unit. A word that is no known unit counts as something countable.
func parse(text string) unit {
	text = strings.Trim(strings.TrimSpace(text), "[]")
	out := unit{factor: 1, known: text != ""}
	num, den, divided := strings.Cut(strings.ReplaceAll(text, " per ", "/"), "/")
	if rest, ok := strings.CutPrefix(text, "per "); ok {
		num, den, divided = "", rest, true
	}
	out.multiply(num, 1)
	if divided {
		out.ratio = true
		for _, part := range strings.Split(den, "/") {
			out.multiply(part, -1)
		}
	}
	out.known = out.known && out.words > 0
	return out
}

// multiply multiplies by the factors of one side of a ratio, or divides by them.
func (u *unit) multiply(side string, sign int8) {
	side = strings.Trim(strings.TrimSpace(side), "()")
	for _, word := range strings.FieldsFunc(side, func(r rune) bool { return r == '*' || r == '·' || r == '×' }) {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		w := ofWord(word)
		u.dim = u.dim.times(w.dim, sign)
		u.known, u.words = u.known && w.known, u.words+w.words
		u.exp += int(sign) * w.exp
		if sign > 0 {
			u.factor *= w.factor
			u.offset = w.offset
		} else {
			u.factor /= w.factor
		}
	}
}

func (d dimension) times(o dimension, sign int8) dimension {
	return dimension{d.seconds + sign*o.seconds, d.bytes + sign*o.bytes, d.joules + sign*o.joules,
		d.volts + sign*o.volts,
		d.amperes + sign*o.amperes, d.kelvins + sign*o.kelvins, d.share + sign*o.share, d.count + sign*o.count}
}

// ofWord reads a unit without a slash: a number and a unit ("1000 instructions"), a unit, or a unit with a prefix.
func ofWord(word string) unit {
	number := 1.0
	if head, rest, ok := strings.Cut(word, " "); ok && rest != "" {
		if n, ok := wholeNumber(head); ok {
			number, word = n, strings.TrimSpace(rest)
		}
	} else if n, ok := wholeNumber(word); ok {
		return unit{factor: n, known: true} // the 1 of 1/s
	}
	u, ok := named(word)
	if !ok {
		u, ok = prefixed(word)
	}
	if !ok {
		u = unit{dim: count, factor: 1}
	}
	u.words = 1
	u.factor *= number
	return u
}

func wholeNumber(text string) (float64, bool) {
	n := 0.0
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0, false
		}
		n = n*10 + float64(r-'0')
	}
	return n, text != "" && n > 0 && n < 1e15
}

// named finds a unit by its whole name, first in the case that it is written in: a "b" is a bit where a "B" is a byte.
func named(word string) (unit, bool) {
	for _, w := range []string{word, strings.ToLower(word)} {
		if b, ok := names[w]; ok {
			return unit{dim: b.dim, factor: b.factor, offset: b.offset, known: true}, true
		}
	}
	if isCounted(word) {
		return unit{dim: dimension{count: 1}, factor: 1, known: true}, true
	}
	return unit{}, false
}

// prefixed finds a unit behind a prefix: MHz, KiB, msec, Mcycles. A word that may be counted takes only the prefixes of
// large numbers.
func prefixed(word string) (unit, bool) {
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(word, p.text)
		if !ok || rest == "" {
			continue
		}
		if b, ok := bases[rest]; ok && (p.large() || !b.whole) {
			return unit{dim: b.dim, factor: b.factor * p.factor, exp: p.exp, offset: b.offset, known: true}, true
		}
		if b, ok := bases[strings.ToLower(rest)]; ok && len(rest) > 1 && (p.large() || !b.whole) {
			return unit{dim: b.dim, factor: b.factor * p.factor, exp: p.exp, offset: b.offset, known: true}, true
		}
		if p.large() && len(rest) > 2 && isCounted(strings.TrimSpace(rest)) {
			return unit{dim: count, factor: p.factor, exp: p.exp, known: true}, true
		}
	}
	return prefixedLower(strings.ToLower(word))
}

// prefixedLower reads units in the wrong case whose meaning is plain all the same, such as "mhz" and "KB": nobody
// measures millihertz.
func prefixedLower(low string) (unit, bool) {
	for _, p := range []prefix{{"k", 1, 3}, {"m", 1, 6}, {"g", 1, 9}, {"t", 1, 12}} {
		if rest, ok := strings.CutPrefix(low, p.text); ok &&
			slices.Contains([]string{"hz", "b", "bps", "flops"}, rest) {
			if b, ok := bases[map[string]string{"hz": "Hz", "b": "B", "bps": "Bps", "flops": "FLOPS"}[rest]]; ok {
				return unit{dim: b.dim, factor: b.factor * p.factor, exp: p.exp, known: true}, true
			}
		}
	}
	return unit{}, false
}

func isCounted(word string) bool {
	low := strings.ToLower(word)
	return counted[low] || counted[singular(low)] || plurals[low]
}

// Counts reports whether something countable is in the unit, by whichever name: those convert into each other, and need
// not be the same thing.
func Counts(text string) bool { return strings.TrimSpace(text) == "" || parse(text).dim.count != 0 }

// NamesToo reports whether the text is something countable that as well names values of its own, such as reads and hits, where others
// are only counted in, such as cycles.
func NamesToo(text string) bool { return plurals[strings.ToLower(strings.TrimSpace(text))] }

// IsCount reports whether the text is the known name of something countable, so that values in it are counts.
func IsCount(text string) bool {
	u := parse(text)
	return u.known && !u.ratio && u.dim == count
}
