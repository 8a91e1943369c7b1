package formula

import (
	"strings"
)

// Dialect is the syntax a formula is written in. What tells the dialects apart is their rows in the table below, and
// their own parsers and printers; everything else of this package asks the table.
type Dialect uint8

const (
	// Streamline is the syntax of the Arm guides: $Name, infix operators, max and min of two or more arguments, abs,
	// if(condition, then, else), comparisons, && || !. Names may stand without $. What no dialect claims is read in it.
	Streamline Dialect = iota
	// ROCm is the syntax of rocprof-compute's panels: SUM(x) / SUM($denom), reductions of one argument, element-wise
	// MIN and MAX of two, "a if c else None".
	ROCm
	// GPA is the reverse Polish notation of AMD's GPUPerfAPI: "0,1,+,(32),* of CB0_X CB1_X". See parseGPA.
	GPA
	// Intel is the reverse Polish notation of Intel's metric sets: "A 7 READ $EuCoresTotalCount UDIV". See parseIntel.
	Intel

	dialects // how many there are
)

// dialect is what the generic parser, printer and resolver need to know of one.
type dialect struct {
	name      string
	functions []function
	// measured are calls that stand for one measured number, with the words that their second argument may be.
	measured map[string][]string
	marked   bool // names with $ are constants of the device, all others counters
	words    bool // operators and conditionals are words: and, or, not, a if c else b, None
	numbered bool // operands are numbers of a list, which mean nothing alone

	// Of a dialect with operators behind their operands: its own parser and printer. Infix dialects share one of each.
	parse  func(src string) (*Expr, *SyntaxError)
	format func(n *Node) string
}

// traits is the row of a dialect. It is a function because parsers and printers, which it names, ask for it themselves:
// a variable would depend on itself.
func (d Dialect) traits() dialect {
	switch d {
	case Streamline:
		return dialect{name: "streamline", functions: streamlineFunctions}
	case ROCm:
		return dialect{name: "rocm", functions: rocmFunctions, measured: rocmMeasured, marked: true, words: true}
	case GPA:
		return dialect{name: "gpa", numbered: true, parse: parseGPA, format: formatGPA}
	case Intel:
		return dialect{name: "intel", parse: parseIntel, format: formatIntel}
	}
	return dialect{name: "unknown dialect"}
}

// clues tell, in this order, whose syntax a text is in that names no dialect.
var clues = [...]struct {
	of    Dialect
	looks func(src string) bool
}{
	{GPA, looksLikeGPA},
	{Intel, looksLikeIntel},
	{Streamline, looksLikeStreamline},
	{ROCm, looksLikeROCm},
	{Streamline, func(src string) bool { return strings.Contains(src, "$Mali") }},
}

func (d Dialect) String() string { return d.traits().name }

// Postfix reports whether operators stand behind their operands.
func (d Dialect) Postfix() bool { return d.traits().parse != nil }

// ParseDialect is the inverse of Dialect.String.
func ParseDialect(s string) (Dialect, bool) {
	for d := range dialects {
		if d.String() == s {
			return d, true
		}
	}
	return 0, false
}

// StatedDialect separates a dialect prefix such as "rocm:" from a text. ok is false where it has none.
func StatedDialect(src string) (d Dialect, rest string, ok bool) {
	prefix, rest, ok := strings.Cut(src, ":")
	if !ok {
		return 0, "", false
	}
	d, ok = ParseDialect(strings.ToLower(strings.TrimSpace(prefix)))
	return d, rest, ok
}

// GuessDialect separates a dialect prefix such as "rocm:" from a text, or guesses the dialect from what only one has.
// What tells nothing is read in the dialect other, unless that is one with operators behind their operands: it would be
// told by them.
func GuessDialect(src string, other Dialect) (Dialect, string) {
	if d, rest, ok := StatedDialect(src); ok {
		return d, rest
	}
	for _, c := range clues {
		if c.looks(src) {
			return c.of, src
		}
	}
	if other.Postfix() {
		other = Streamline
	}
	return other, src
}
