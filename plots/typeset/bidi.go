package typeset

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// The Unicode Bidirectional Algorithm (UAX #9), for a line of text. golang.org/x/text has the classes of characters but tells only
// the direction of runs, and go-text merges runs of unlike levels; an order needs the levels: in a line that runs from left to right, a
// number behind an Arabic word belongs to the left of it, a Latin word to the right, and both run from left to right.

// maxDepth is the deepest level of explicit embedding (BD2).
const maxDepth = 125

// byItself is the level of a paragraph that its first strong character decides, left to right where it has none (rules P2 and P3).
const byItself int8 = -1

// levels gives each character its embedding level in a paragraph of level base, and that level. Even ones run from left to right.
func levels(text []rune, base int8) ([]int8, int8) {
	p := paragraph{text: text, class: make([]bidi.Class, len(text)), level: make([]int8, len(text))}
	for i, r := range text {
		c, _ := bidi.LookupRune(r)
		p.class[i] = c.Class()
	}
	p.matchIsolates()
	if base == byItself {
		base = 0
		if p.firstStrong(0, len(text)) == bidi.R {
			base = 1
		}
	}
	original := slices.Clone(p.class)
	p.explicit(base)
	for _, seq := range p.sequences(base) {
		seq.resolveWeak()
		seq.resolveBrackets(text, original)
		seq.resolveNeutrals()
		seq.implicit()
	}
	// A character that the rules take out stands where the one before it does.
	for i, c := range p.class {
		if removed(c) {
			p.level[i] = base
			if i > 0 {
				p.level[i] = p.level[i-1]
			}
		}
	}
	// L1: separators, and white space before them and at the end, stand at the level of the paragraph.
	trailing := true
	for i := len(text) - 1; i >= 0; i-- {
		switch original[i] {
		case bidi.S, bidi.B:
			trailing = true
			p.level[i] = base
		case bidi.WS, bidi.FSI, bidi.LRI, bidi.RLI, bidi.PDI, bidi.BN, bidi.LRE, bidi.RLE, bidi.LRO, bidi.RLO, bidi.PDF:
			if trailing {
				p.level[i] = base
			}
		default:
			trailing = false
		}
	}
	return p.level, base
}

type paragraph struct {
	text  []rune
	class []bidi.Class
	level []int8
	// match is the place of the end of an isolate at its initiator, len(text) where it has none, and the place of the initiator
	// at its end; -1 everywhere else.
	match []int
}

// removed reports whether rule X9 takes characters of a class out.
func removed(c bidi.Class) bool {
	switch c {
	case bidi.LRE, bidi.RLE, bidi.LRO, bidi.RLO, bidi.PDF, bidi.BN:
		return true
	}
	return false
}

func isolates(c bidi.Class) bool { return c == bidi.LRI || c == bidi.RLI || c == bidi.FSI }

// matchIsolates pairs isolate initiators with their ends (BD9).
func (p *paragraph) matchIsolates() {
	p.match = make([]int, len(p.text))
	var open []int
	for i, c := range p.class {
		p.match[i] = -1
		switch {
		case isolates(c):
			p.match[i] = len(p.text)
			open = append(open, i)
		case c == bidi.PDI && len(open) > 0:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			p.match[last], p.match[i] = i, last
		}
	}
}

// firstStrong is R where the first strong character runs from right to left, else L. What stands in isolates does not count.
func (p *paragraph) firstStrong(from, to int) bidi.Class {
	for i := from; i < to; i++ {
		switch c := p.class[i]; {
		case c == bidi.L:
			return bidi.L
		case c == bidi.R || c == bidi.AL:
			return bidi.R
		case isolates(c):
			i = p.match[i]
		}
	}
	return bidi.L
}

// explicit applies rules X1 to X8: it sets the level that embeddings, overrides and isolates give each character.
func (p *paragraph) explicit(base int8) {
	const none = bidi.ON // no override
	type entry struct {
		level    int8
		override bidi.Class
		isolate  bool
	}
	stack := []entry{{base, none, false}}
	overIsolates, overEmbeddings, valid := 0, 0, 0
	next := func(level int8, odd bool) int8 { // the least greater odd or even level
		if odd {
			return (level + 1) | 1
		}
		return (level + 2) &^ 1
	}
	for i, c := range p.class {
		top := stack[len(stack)-1]
		switch c {
		case bidi.RLE, bidi.LRE, bidi.RLO, bidi.LRO:
			p.level[i] = top.level
			l := next(top.level, c == bidi.RLE || c == bidi.RLO)
			if l > maxDepth || overIsolates > 0 || overEmbeddings > 0 {
				if overIsolates == 0 {
					overEmbeddings++
				}
				continue
			}
			e := entry{level: l, override: none}
			if c == bidi.RLO {
				e.override = bidi.R
			} else if c == bidi.LRO {
				e.override = bidi.L
			}
			stack = append(stack, e)
		case bidi.RLI, bidi.LRI, bidi.FSI:
			p.level[i] = top.level
			if top.override != none {
				p.class[i] = top.override
			}
			right := c == bidi.RLI || c == bidi.FSI && p.firstStrong(i+1, min(p.match[i], len(p.text))) == bidi.R
			l := next(top.level, right)
			if l > maxDepth || overIsolates > 0 || overEmbeddings > 0 {
				overIsolates++
				continue
			}
			valid++
			stack = append(stack, entry{l, none, true})
		case bidi.PDI:
			switch {
			case overIsolates > 0:
				overIsolates--
			case valid > 0:
				overEmbeddings = 0
				for !stack[len(stack)-1].isolate {
					stack = stack[:len(stack)-1]
				}
				stack = stack[:len(stack)-1]
				valid--
			}
			top = stack[len(stack)-1]
			p.level[i] = top.level
			if top.override != none {
				p.class[i] = top.override
			}
		case bidi.PDF:
			p.level[i] = top.level
			switch {
			case overIsolates > 0:
			case overEmbeddings > 0:
				overEmbeddings--
			case !top.isolate && len(stack) > 1:
				stack = stack[:len(stack)-1]
			}
		case bidi.B:
			p.level[i] = base
		default:
			p.level[i] = top.level
			if top.override != none && c != bidi.BN {
				p.class[i] = top.override
			}
		}
	}
}

// sequence is an isolating run sequence: the places of characters that the later rules see as neighbours (BD13).
type sequence struct {
	p        *paragraph
	at       []int
	level    int8
	sos, eos bidi.Class
}

// sequences divides the text (X10). The characters that X9 removes are in none.
func (p *paragraph) sequences(base int8) []sequence {
	// Level runs first.
	var runs [][]int
	runAt := make([]int, len(p.text)) // the run of each character
	last := int8(-1)
	for i := range p.text {
		if removed(p.class[i]) {
			continue
		}
		if len(runs) == 0 || p.level[i] != last {
			runs = append(runs, nil)
		}
		n := len(runs) - 1
		runs[n] = append(runs[n], i)
		runAt[i] = n
		last = p.level[i]
	}
	neighbour := func(i, step int) int8 { // the level of the next character in a direction that is not removed
		for i += step; i >= 0 && i < len(p.text); i += step {
			if !removed(p.class[i]) {
				return p.level[i]
			}
		}
		return base
	}
	strong := func(l int8) bidi.Class {
		if l%2 == 1 {
			return bidi.R
		}
		return bidi.L
	}
	var out []sequence
	for _, run := range runs {
		if first := run[0]; p.match[first] >= 0 && p.match[first] < first {
			continue // it goes on where its isolate began
		}
		seq := sequence{p: p, at: slices.Clone(run), level: p.level[run[0]]}
		for {
			end := seq.at[len(seq.at)-1]
			to := p.match[end]
			if to <= end || to == len(p.text) {
				break
			}
			seq.at = append(seq.at, runs[runAt[to]]...)
		}
		first, end := seq.at[0], seq.at[len(seq.at)-1]
		after := base // an isolate without an end reaches to that of the paragraph
		if p.match[end] != len(p.text) {
			after = neighbour(end, 1)
		}
		seq.sos = strong(max(seq.level, neighbour(first, -1)))
		seq.eos = strong(max(seq.level, after))
		out = append(out, seq)
	}
	return out
}

// class is that of the i-th character of the sequence, sos before and eos behind it.
func (s *sequence) class(i int) bidi.Class {
	switch {
	case i < 0:
		return s.sos
	case i >= len(s.at):
		return s.eos
	}
	return s.p.class[s.at[i]]
}

func (s *sequence) set(i int, c bidi.Class) { s.p.class[s.at[i]] = c }

// resolveWeak applies rules W1 to W7.
func (s *sequence) resolveWeak() {
	n := len(s.at)
	for i := range n { // W1
		if s.class(i) == bidi.NSM {
			before := s.class(i - 1)
			if isolates(before) || before == bidi.PDI {
				before = bidi.ON
			}
			s.set(i, before)
		}
	}
	strong := s.sos
	for i := range n { // W2
		switch c := s.class(i); c {
		case bidi.R, bidi.L, bidi.AL:
			strong = c
		case bidi.EN:
			if strong == bidi.AL {
				s.set(i, bidi.AN)
			}
		}
	}
	for i := range n { // W3
		if s.class(i) == bidi.AL {
			s.set(i, bidi.R)
		}
	}
	for i := 1; i+1 < n; i++ { // W4
		before, c, after := s.class(i-1), s.class(i), s.class(i+1)
		switch {
		case c == bidi.ES && before == bidi.EN && after == bidi.EN:
			s.set(i, bidi.EN)
		case c == bidi.CS && before == after && (before == bidi.EN || before == bidi.AN):
			s.set(i, before)
		}
	}
	for i := 0; i < n; i++ { // W5
		if s.class(i) != bidi.ET {
			continue
		}
		j := i
		for j < n && s.class(j) == bidi.ET {
			j++
		}
		if s.class(i-1) == bidi.EN || s.class(j) == bidi.EN {
			for k := i; k < j; k++ {
				s.set(k, bidi.EN)
			}
		}
		i = j - 1
	}
	for i := range n { // W6
		switch s.class(i) {
		case bidi.ES, bidi.ET, bidi.CS:
			s.set(i, bidi.ON)
		}
	}
	strong = s.sos
	for i := range n { // W7
		switch c := s.class(i); c {
		case bidi.R, bidi.L:
			strong = c
		case bidi.EN:
			if strong == bidi.L {
				s.set(i, bidi.L)
			}
		}
	}
}

// direction is the class that rules N0 to N2 see: numbers count as right to left. ON is none.
func direction(c bidi.Class) bidi.Class {
	switch c {
	case bidi.L:
		return bidi.L
	case bidi.R, bidi.EN, bidi.AN:
		return bidi.R
	}
	return bidi.ON
}

func (s *sequence) embedding() bidi.Class {
	if s.level%2 == 1 {
		return bidi.R
	}
	return bidi.L
}

// maxBrackets is how many open brackets the algorithm remembers (BD16).
const maxBrackets = 63

// resolveBrackets applies rule N0: a pair of brackets goes with what it encloses, or with what stands before it.
func (s *sequence) resolveBrackets(text []rune, original []bidi.Class) {
	type opened struct {
		closing rune
		at      int
	}
	var stack []opened
	var pairs [][2]int
scan:
	for i := range s.at {
		r := text[s.at[i]]
		p, _ := bidi.LookupRune(r)
		if !p.IsBracket() || s.class(i) != bidi.ON {
			continue
		}
		if p.IsOpeningBracket() {
			if len(stack) == maxBrackets {
				pairs = nil
				break
			}
			stack = append(stack, opened{canonical(mirrored(r)), i})
			continue
		}
		for k := len(stack) - 1; k >= 0; k-- {
			if stack[k].closing == canonical(r) {
				pairs = append(pairs, [2]int{stack[k].at, i})
				stack = stack[:k]
				continue scan
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	e := s.embedding()
	for _, pair := range pairs {
		inside, other := false, false
		for i := pair[0] + 1; i < pair[1]; i++ {
			switch direction(s.class(i)) {
			case bidi.ON:
			case e:
				inside = true
			default:
				other = true
			}
		}
		to := e
		switch {
		case inside:
		case !other:
			continue
		default:
			before := direction(s.sos)
			for i := pair[0] - 1; i >= 0; i-- {
				if d := direction(s.class(i)); d != bidi.ON {
					before = d
					break
				}
			}
			if before != e {
				to = before
			}
		}
		for _, i := range pair {
			s.set(i, to)
			// Marks that stood on a bracket go with it.
			for k := i + 1; k < len(s.at) && original[s.at[k]] == bidi.NSM; k++ {
				s.set(k, to)
			}
		}
	}
}

// mirrored is the other bracket of a pair.
func mirrored(r rune) rune {
	for _, m := range bidi.ReverseString(string(r)) {
		return m
	}
	return r
}

// canonical takes the two brackets that are written in two ways for one.
func canonical(r rune) rune {
	switch r {
	case 0x2329:
		return 0x3008
	case 0x232a:
		return 0x3009
	}
	return r
}

// resolveNeutrals applies rules N1 and N2.
func (s *sequence) resolveNeutrals() {
	for i := 0; i < len(s.at); i++ {
		if direction(s.class(i)) != bidi.ON {
			continue
		}
		j := i
		for j < len(s.at) && direction(s.class(j)) == bidi.ON {
			j++
		}
		to := s.embedding()
		if before := direction(s.class(i - 1)); before == direction(s.class(j)) {
			to = before
		}
		for k := i; k < j; k++ {
			s.set(k, to)
		}
		i = j - 1
	}
}

// implicit applies rules I1 and I2.
func (s *sequence) implicit() {
	for i, at := range s.at {
		switch c := s.class(i); {
		case s.level%2 == 0 && c == bidi.R:
			s.p.level[at]++
		case s.level%2 == 0 && (c == bidi.AN || c == bidi.EN):
			s.p.level[at] += 2
		case s.level%2 == 1 && (c == bidi.L || c == bidi.EN || c == bidi.AN):
			s.p.level[at]++
		}
	}
}

// visual gives the order from left to right of stretches with these levels (rule L2).
func visual(levels []int8) []int {
	order := make([]int, len(levels))
	highest, lowestOdd := int8(0), int8(maxDepth+2)
	for i, l := range levels {
		order[i] = i
		highest = max(highest, l)
		if l%2 == 1 {
			lowestOdd = min(lowestOdd, l)
		}
	}
	for l := highest; l >= lowestOdd; l-- {
		for i := 0; i < len(order); i++ {
			if levels[order[i]] < l {
				continue
			}
			j := i
			for j < len(order) && levels[order[j]] >= l {
				j++
			}
			slices.Reverse(order[i:j])
			i = j
		}
	}
	return order
}
