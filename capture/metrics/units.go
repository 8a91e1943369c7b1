package metrics

import (
	"sort"
	"strings"
)

// unitNames maps spellings to the unit that results are given in.
var unitNames = map[string]string{
	"%": "percent", "percent": "percent", "pct": "percent",
	"byte": "bytes", "bytes": "bytes", "b": "bytes",
	"cycle": "cycles", "cycles": "cycles",
	"instruction": "instructions", "instructions": "instructions", "instr": "instructions",
	"s": "s", "sec": "s", "second": "s", "seconds": "s",
	"request": "requests", "requests": "requests",
}

// powers are the factors of a unit with their exponents.
type powers map[string]int

// parseUnit reads a unit such as "bytes/s", "requests per kernel" or "bytes/(s*kernel)".
func parseUnit(u string) powers {
	out := powers{}
	u = strings.ReplaceAll(u, " per ", "/")
	num, den, divided := strings.Cut(u, "/")
	add := func(part string, sign int) {
		part = strings.Trim(strings.TrimSpace(part), "()")
		for _, f := range strings.FieldsFunc(part, func(r rune) bool { return r == '*' || r == '·' || r == '/' }) {
			f = strings.TrimSpace(f)
			if name, ok := unitNames[strings.ToLower(f)]; ok {
				f = name
			}
			if f != "" && f != "1" {
				out[f] += sign
			}
		}
	}
	add(num, 1)
	if divided {
		add(den, -1)
	}
	return out
}

func (p powers) String() string {
	var num, den []string
	for f, n := range p {
		for range n {
			num = append(num, f)
		}
		for range -n {
			den = append(den, f)
		}
	}
	sort.Strings(num)
	sort.Strings(den)
	s := strings.Join(num, "*")
	switch len(den) {
	case 0:
		return s
	case 1:
		if s == "" {
			s = "1"
		}
		return s + "/" + den[0]
	}
	if s == "" {
		s = "1"
	}
	return s + "/(" + strings.Join(den, "*") + ")"
}

func combine(a, b string, sign int) string {
	if b == "" {
		return a
	}
	p := parseUnit(a)
	for f, n := range parseUnit(b) {
		p[f] += sign * n
	}
	return p.String()
}

// UnitMul is the unit of a product. "" is a plain number.
func UnitMul(a, b string) string {
	if a == "" {
		return b
	}
	return combine(a, b, 1)
}

// UnitDiv is the unit of a quotient: bytes by s is bytes/s, and a unit by itself is "".
func UnitDiv(a, b string) string { return combine(a, b, -1) }

// UnitAdd is the unit of a sum or difference; ok is false where the units do not fit together. A value without a unit
// fits everything.
func UnitAdd(a, b string) (unit string, ok bool) {
	if a == "" {
		return b, true
	}
	if b == "" || a == b || SameUnit(a, b) {
		return a, true
	}
	return a, false
}

// SameUnit reports whether two units are the same however they are spelt.
func SameUnit(a, b string) bool { return parseUnit(a).String() == parseUnit(b).String() }
