package typeset

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// The Unicode Bidirectional Algorithm (UAX #9), for a line of text. golang.org/x/text has the classes of characters but
// tells only the direction of runs, and go-text merges runs of unlike levels; an order needs the levels: in a line that
// runs from left to right, a number behind an Arabic word belongs to the left of it, a Latin word to the right, and
// both run from left to right.

// maxDepth is the deepest level of explicit embedding (BD2).
const maxDepth = 125

// byItself is the level of a paragraph that its first strong character decides, left to right where it has none (rules
// P2 and P3).
const byItself int8 = -1

// levels gives each character its embedding level in a paragraph of level base, and that level. Even ones run from left
// to right.
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
	// match is the place of the end of an isolate at its initiator, len(text) where it has none, and the place of the
	// initiator at its end; -1 everywhere else.
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

// firstStrong is R where the first strong character runs from right to left, else L. What stands in isolates does not
// count.
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
