package typeset

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// The rules that look at neighbours (W1 to W7, N0 to N2, I1 and I2), applied to one isolating run sequence after the
// other.

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
