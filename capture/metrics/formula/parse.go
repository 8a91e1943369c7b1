package formula

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxDepth  = 200     // nested brackets, calls and prefix operators
	maxSource = 1 << 16 // bytes
)

// Parse reads a formula. The error is a *SyntaxError.
func Parse(d Dialect, src string) (*Expr, error) {
	e, err := parse(d, src)
	if err != nil {
		if err.Fix != "" {
			if _, again := parse(d, err.Fix); again != nil {
				err.Fix, err.Assumed = "", ""
			}
		}
		return nil, err
	}
	return e, nil
}

// ParseLenient reads a formula that may have a bracket too many or too few, as printed guides do. What was assumed
// is told in assumed, "" where the source is well formed.
func ParseLenient(d Dialect, src string) (e *Expr, assumed string, err error) {
	e, err = Parse(d, src)
	if se, ok := err.(*SyntaxError); ok && se.Fix != "" {
		if e, err2 := Parse(d, se.Fix); err2 == nil {
			return e, fmt.Sprintf("formula %s: assumed that %s", collapse(src), se.Assumed), nil
		}
	}
	return e, "", err
}

func parse(d Dialect, src string) (*Expr, *SyntaxError) {
	if d >= dialects {
		return nil, &SyntaxError{Dialect: d, Src: src, Col: 1, Msg: "no such dialect"}
	}
	if len(src) > maxSource {
		return nil, &SyntaxError{Dialect: d, Src: src[:maxSource], Col: 1,
			Msg: fmt.Sprintf("formula of %d bytes is longer than %d", len(src), maxSource)}
	}
	if own := d.traits().parse; own != nil {
		return own(src)
	}
	p := &parser{lex: lexer{dialect: d, src: src}, words: d.traits().words}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokEnd {
		return nil, p.fail("empty formula", "")
	}
	root, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokEnd {
		return nil, p.trailing()
	}
	return &Expr{Dialect: d, Src: src, Root: root}, nil
}

// bracket is an opening parenthesis that is not closed yet.
type bracket struct {
	pos  int
	call string // the function it belongs to; "" for a grouping bracket
}

type parser struct {
	lex   lexer
	words bool // operators are words
	tok   token
	prev  int // end of the token before tok
	depth int
	open  []bracket
}

func (p *parser) advance() *SyntaxError {
	p.prev = p.tok.end
	t, err := p.lex.next()
	if err != nil {
		return err
	}
	p.tok = t
	return nil
}

func (p *parser) fail(msg, hint string) *SyntaxError {
	return p.failAt(p.tok.pos, msg, hint)
}

func (p *parser) failAt(pos int, msg, hint string) *SyntaxError {
	return &SyntaxError{Dialect: p.lex.dialect, Src: p.lex.src, Col: pos + 1, Msg: msg, Hint: hint}
}

// trailing explains a token after the end of the formula.
func (p *parser) trailing() *SyntaxError {
	if p.tok.is(")") {
		err := p.fail(`")" without an opening bracket`, `drop it, or add a "(" before it`)
		src := p.lex.src
		err.Fix = src[:p.tok.pos] + src[p.tok.end:]
		err.Assumed = fmt.Sprintf(`the ")" at column %d is surplus`, p.tok.pos+1)
		return err
	}
	if p.tok.is(",") {
		return p.fail(`unexpected "," outside a function call`, "")
	}
	return p.missingOperator()
}

func (p *parser) missingOperator() *SyntaxError {
	if p.tok.kind == tokSymbol && !p.tok.is("(") {
		hint := ""
		if p.tok.is("**") {
			hint = "there is no power operator; multiply"
		}
		return p.fail("unexpected "+p.tok.describe(), hint)
	}
	return p.fail("unexpected "+p.tok.describe()+" after a complete value",
		"an operator such as * or / is missing before it")
}

func (p *parser) enter() *SyntaxError {
	p.depth++
	if p.depth > maxDepth {
		return p.fail(fmt.Sprintf("nested deeper than %d levels", maxDepth), "split the formula")
	}
	return nil
}

// expression parses the loosest level: a conditional expression in words, else logical or.
func (p *parser) expression() (*Node, *SyntaxError) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	then, err := p.binary(0)
	if err != nil || !p.keyword("if") {
		return then, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	cond, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if !p.keyword("else") {
		return nil, p.fail("expected else, found "+p.tok.describe(),
			"a conditional is written: value if condition else None")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	other, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &Node{Op: OpIf, Args: []*Node{cond, then, other}, Pos: then.Pos, End: other.End}, nil
}

func (p *parser) keyword(word string) bool {
	return p.words && p.tok.kind == tokName && !p.tok.dollar && p.tok.text == word
}

// levels lists the binary operators from loosest to tightest. Comparisons (level 2) do not chain.
var levels = [...][]struct {
	symbol, word string
	op           Op
}{
	{{"||", "or", OpOr}},
	{{"&&", "and", OpAnd}},
	{{"==", "", OpEqual}, {"!=", "", OpNotEqual}, {"<=", "", OpLessEqual}, {">=", "", OpGreaterEqual},
		{"<", "", OpLess}, {">", "", OpGreater}},
	{{"+", "", OpAdd}, {"-", "", OpSub}},
	{{"*", "", OpMul}, {"//", "", OpFloorDiv}, {"/", "", OpDiv}, {"%", "", OpMod}},
}

const comparisonLevel = 2

// operator returns the operation of the current token at a level, OpNone where it is none.
func (p *parser) operator(level int) Op {
	for _, o := range levels[level] {
		if p.tok.is(o.symbol) && !(p.words && o.word != "") || o.word != "" && p.keyword(o.word) {
			return o.op
		}
	}
	return OpNone
}

func (p *parser) binary(level int) (*Node, *SyntaxError) {
	if level == len(levels) {
		return p.unary()
	}
	if level == comparisonLevel && p.keyword("not") {
		return p.prefix(OpNot, func() (*Node, *SyntaxError) { return p.binary(comparisonLevel) })
	}
	left, err := p.binary(level + 1)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		op := p.operator(level)
		if op == OpNone {
			return left, nil
		}
		if level == comparisonLevel && n > 0 {
			return nil, p.fail("comparisons do not chain", "join two comparisons with && (in words: and)")
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		left = &Node{Op: op, Args: []*Node{left, right}, Pos: left.Pos, End: right.End}
	}
}

func (p *parser) prefix(op Op, operand func() (*Node, *SyntaxError)) (*Node, *SyntaxError) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	pos := p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := operand()
	if err != nil {
		return nil, err
	}
	return &Node{Op: op, Args: []*Node{x}, Pos: pos, End: x.End}, nil
}

func (p *parser) unary() (*Node, *SyntaxError) {
	switch {
	case p.tok.is("-"):
		return p.prefix(OpNeg, p.unary)
	case p.tok.is("!") && !p.words:
		return p.prefix(OpNot, p.unary)
	}
	return p.primary()
}

func (p *parser) primary() (*Node, *SyntaxError) {
	t := p.tok
	switch {
	case t.kind == tokNumber:
		return &Node{Op: OpNumber, Value: t.value, Pos: t.pos, End: t.end}, p.advance()
	case t.kind == tokName:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.is("(") && !t.dollar {
			if words := p.lex.dialect.traits().measured[t.text]; words != nil {
				return p.measured(t, words)
			}
			return p.call(t)
		}
		if p.words && !t.dollar {
			switch t.text {
			case "None":
				return &Node{Op: OpNone, Pos: t.pos, End: t.end}, nil
			case "if", "else", "and", "or", "not":
				return nil, p.failAt(t.pos, "unexpected "+t.text, "")
			}
		}
		return &Node{Op: OpName, Name: t.text, Dollar: t.dollar, Pos: t.pos, End: t.end}, nil
	case t.is("("):
		return p.group()
	case t.is("+"):
		return nil, p.fail("unexpected +", "a leading + is not needed")
	case t.kind == tokEnd:
		return nil, p.fail("the formula ends where a value is expected", "")
	}
	return nil, p.fail("unexpected "+t.describe()+" where a value is expected", "")
}

func (p *parser) group() (*Node, *SyntaxError) {
	p.open = append(p.open, bracket{pos: p.tok.pos})
	pos := p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.expression()
	if err != nil {
		return nil, err
	}
	if !p.tok.is(")") {
		return nil, p.unclosed()
	}
	p.open = p.open[:len(p.open)-1]
	// The node keeps its own place, widened over the brackets, so that quoting it is balanced.
	y := *x
	y.Pos, y.End = pos, p.tok.end
	return &y, p.advance()
}

func (p *parser) call(name token) (*Node, *SyntaxError) {
	p.open = append(p.open, bracket{pos: p.tok.pos, call: name.text})
	n := &Node{Pos: name.pos}
	if err := p.advance(); err != nil {
		return nil, err
	}
	for !p.tok.is(")") || len(n.Args) > 0 {
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		n.Args = append(n.Args, x)
		if p.tok.is(")") {
			break
		}
		if !p.tok.is(",") {
			return nil, p.unclosed()
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	p.open = p.open[:len(p.open)-1]
	n.End = p.tok.end
	f, msg, hint := findFunction(p.lex.dialect, name.text, len(n.Args))
	if msg != "" {
		return nil, p.failAt(name.pos, msg, hint)
	}
	n.Op = f.op
	if f.op == OpRound && len(n.Args) == 1 {
		n.Args = append(n.Args, &Node{Op: OpNumber, Pos: n.End, End: n.End})
	}
	return n, p.advance()
}

// unclosed explains a token that stands where the innermost open bracket should close.
func (p *parser) unclosed() *SyntaxError {
	b := p.open[len(p.open)-1]
	src := p.lex.src
	switch {
	case p.tok.kind == tokEnd:
		err := p.fail(fmt.Sprintf(`the "(" at column %d is never closed`, b.pos+1), `add a ")"`)
		err.Fix = src + strings.Repeat(")", len(p.open))
		err.Assumed = `a ")" is missing at the end`
		if b.call == "" && strings.HasPrefix(collapse(src[b.pos:]), "((") {
			// A doubled bracket is more often a bracket too many than one forgotten.
			err.Fix, err.Assumed, err.Hint = p.without(b)
		}
		return err
	case p.tok.is(",") && b.call == "":
		err := p.fail(fmt.Sprintf(`unexpected "," inside the bracket opened at column %d, which is not a function call`,
			b.pos+1), "")
		if len(p.open) > 1 {
			err.Fix, err.Assumed, err.Hint = p.without(b)
		}
		return err
	}
	return p.missingOperator()
}

// without mends the source by dropping the opening bracket b.
func (p *parser) without(b bracket) (fix, assumed, hint string) {
	src := p.lex.src
	after := ""
	for _, o := range p.open {
		if o.call != "" {
			after += o.call + "("
		}
	}
	if after != "" {
		after = " after " + after
	}
	return src[:b.pos] + src[b.pos+1:],
		fmt.Sprintf(`the "(" at column %d%s is surplus`, b.pos+1, after),
		fmt.Sprintf(`the "(" at column %d%s is surplus: drop it`, b.pos+1, after)
}

// measured parses what stands for one measured number: a call of a counter's name and a word, such as reduce(SQ_WAVES,
// sum). The whole call, without white space, is a name, which those answer who know what was measured.
func (p *parser) measured(of token, words []string) (*Node, *SyntaxError) {
	p.open = append(p.open, bracket{pos: p.tok.pos, call: of.text})
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokName || p.tok.dollar {
		return nil, p.fail(of.text+" needs the name of a counter, found "+p.tok.describe(), "")
	}
	counter := p.tok
	if err := p.advance(); err != nil {
		return nil, err
	}
	name := counter.text
	if inner := p.lex.dialect.traits().measured[name]; inner != nil && p.tok.is("(") {
		if err := p.enter(); err != nil {
			return nil, err
		}
		n, err := p.measured(counter, inner)
		p.depth--
		if err != nil {
			return nil, err
		}
		name = n.Name
	}
	if !p.tok.is(",") {
		return nil, p.fail("expected a comma and one of "+strings.Join(words, ", ")+", found "+p.tok.describe(), "")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	word := p.tok
	if word.kind != tokName || !slices.Contains(words, word.text) {
		return nil, p.fail("expected one of "+strings.Join(words, ", ")+", found "+word.describe(), "")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.tok.is(")") {
		return nil, p.unclosed()
	}
	p.open = p.open[:len(p.open)-1]
	return &Node{Op: OpName, Name: of.text + "(" + name + "," + word.text + ")", Pos: of.pos, End: p.tok.end},
		p.advance()
}
