package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture/spelling"
)

// A GPA formula is a program in reverse Polish notation and the list of the counters that its numbers stand for:
//
//	(0),0..3,sum4,4..7,sum4,/,NUM_SIMDS,/,(100),*,8,ifnotzero of SQ*_BUSY[0..3] SQ*_WAVES[0..3] SPI_GROUPS
//
// Tokens stand between commas: a number is an operand of the list, a..b a run of them, (n) a constant, an upper-case name of
// gpaConstants or $NAME a property of the capture, and the rest operators. A counter's name may also stand in the program
// itself. In names X*_Y[0..3] is X0_Y X1_Y X2_Y X3_Y and [0,2] likewise.

// gpaConstants are the values of the device that programs name.
var gpaConstants = []string{"NUM_SHADER_ENGINES", "NUM_SIMDS", "SU_CLOCKS_PRIM", "NUM_PRIM_PIPES", "TS_FREQ"}

// DeviceConstants lists the values of the device that GPA programs name, as captures name them.
func DeviceConstants() []string {
	out := make([]string, len(gpaConstants))
	for i, name := range gpaConstants {
		out[i] = strings.ToLower(name)
	}
	return out
}

// gpaOperators take their operands from the top of the stack. sum and max with a number take that many.
var gpaOperators = map[string]struct {
	op   Op
	args int
}{
	"+": {OpAdd, 2}, "-": {OpSub, 2}, "*": {OpMul, 2}, "/": {OpDiv, 2},
	"min": {OpMin, 2}, "max": {OpMax, 2}, "ifnotzero": {OpIf, 3},
}

// maxOperands bounds operand lists and the values that a program pushes.
const (
	maxOperands = 1 << 12
	maxPushes   = 1 << 16
)

// looksLikeGPA reports whether a formula has an operand list, or ends with an operator behind a comma, as GPA programs do and infix
// formulas never do.
func looksLikeGPA(src string) bool {
	if operandList(src) >= 0 {
		return true
	}
	i := strings.LastIndexByte(src, ',')
	last := strings.ToLower(strings.TrimSpace(src[i+1:]))
	if _, ok := gpaOperators[last]; ok {
		return i >= 0
	}
	digits, sum := strings.CutPrefix(last, "sum")
	if !sum {
		digits, sum = strings.CutPrefix(last, "max")
	}
	_, err := strconv.ParseUint(digits, 10, 16)
	return i >= 0 && sum && err == nil
}

type gpaParser struct {
	src    string
	at     int
	names  []string // the operand list
	listed bool     // whether there is a list
	stack  []*Node
	pushes int
}

func parseGPA(src string) (*Expr, *SyntaxError) {
	p := &gpaParser{src: src}
	program := src
	if i := operandList(src); i >= 0 {
		p.listed = true
		p.at = i + len("of")
		if err := p.list(); err != nil {
			return nil, err
		}
		program = src[:i]
	}
	p.at = 0
	if strings.TrimSpace(program) == "" {
		return nil, p.fail(0, "empty formula", "")
	}
	p.src = program
	for {
		err := p.token()
		if err == nil {
			p.space()
			if p.at == len(program) {
				break
			}
			if program[p.at] != ',' {
				err = p.fail(p.at, "unexpected text after a token", "tokens stand between commas")
			}
			p.at++
		}
		if err != nil {
			err.Src = src
			return nil, err
		}
	}
	if len(p.stack) > 1 {
		return nil, p.leftover(src)
	}
	return &Expr{Dialect: GPA, Src: src, Root: p.stack[0]}, nil
}

// operandList returns where the word "of" stands that begins the list, -1 if there is none.
func operandList(src string) int {
	for from := 0; ; {
		i := strings.Index(src[from:], "of")
		if i < 0 {
			return -1
		}
		i += from
		if i > 0 && isSpace(src[i-1]) && (i+2 == len(src) || isSpace(src[i+2])) {
			return i
		}
		from = i + 2
	}
}

func (p *gpaParser) fail(pos int, msg, hint string) *SyntaxError {
	return &SyntaxError{Dialect: GPA, Src: p.src, Col: pos + 1, Msg: msg, Hint: hint}
}

func (p *gpaParser) space() {
	for p.at < len(p.src) && isSpace(p.src[p.at]) {
		p.at++
	}
}

// leftover explains values that no operator took.
func (p *gpaParser) leftover(src string) *SyntaxError {
	n := len(p.stack) - 1
	first := p.stack[0]
	err := &SyntaxError{Dialect: GPA, Src: src, Col: first.Pos + 1,
		Msg: fmt.Sprintf("%d values are left on the stack, of which this is the first", n+1), Hint: "an operator is missing, or an operand is surplus"}
	top := p.stack[n]
	err.Fix = src[top.Pos:]
	err.Assumed = fmt.Sprintf("the result is what stands on top of the stack, and %s before column %d is not used", plural(n, "value"), top.Pos+1)
	return err
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// list reads the operand list.
func (p *gpaParser) list() *SyntaxError {
	for {
		for p.at < len(p.src) && (isSpace(p.src[p.at]) || p.src[p.at] == ',') {
			p.at++
		}
		if p.at == len(p.src) {
			return nil
		}
		names, err := p.name()
		if err != nil {
			return err
		}
		if len(p.names)+len(names) > maxOperands {
			return p.fail(p.at, fmt.Sprintf("more than %d operands", maxOperands), "")
		}
		p.names = append(p.names, names...)
	}
}

// name reads a counter's name, which stands for several where it has a * and a range.
func (p *gpaParser) name() ([]string, *SyntaxError) {
	start := p.at
	if !isLetter(p.src[start]) {
		return nil, p.fail(start, fmt.Sprintf("unexpected character %q where a counter's name is expected", firstRune(p.src[start:])), "")
	}
	i := start
	for i < len(p.src) && (isLetter(p.src[i]) || isDigit(p.src[i]) || p.src[i] == '*') {
		i++
	}
	word := p.src[start:i]
	stars := strings.Count(word, "*")
	if stars == 0 {
		l := lexer{dialect: GPA, src: p.src}
		p.at = l.nameEnd(start)
		return []string{p.src[start:p.at]}, nil
	}
	if stars > 1 {
		return nil, p.fail(start, "more than one * in a name", "")
	}
	end := strings.IndexByte(p.src[i:], ']')
	if i == len(p.src) || p.src[i] != '[' || end < 0 {
		return nil, p.fail(i, "a name with * needs its numbers behind it", "write them as [0..7] or [0,1]")
	}
	numbers := p.src[i+1 : i+end]
	p.at = i + end + 1
	var out []string
	for _, part := range strings.Split(numbers, ",") {
		lo, hi, isRange := strings.Cut(part, "..")
		if !isRange {
			hi = lo
		}
		a, errA := strconv.ParseUint(strings.TrimSpace(lo), 10, 16)
		b, errB := strconv.ParseUint(strings.TrimSpace(hi), 10, 16)
		if errA != nil || errB != nil || b < a {
			return nil, p.fail(i+1, fmt.Sprintf("%q are no numbers of instances", numbers), "write them as [0..7] or [0,1]")
		}
		if int(b-a)+len(out) >= maxOperands {
			return nil, p.fail(i+1, fmt.Sprintf("more than %d operands", maxOperands), "")
		}
		for k := a; k <= b; k++ {
			out = append(out, strings.Replace(word, "*", strconv.FormatUint(k, 10), 1))
		}
	}
	return out, nil
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func (p *gpaParser) push(n *Node) *SyntaxError {
	if p.pushes++; p.pushes > maxPushes {
		return p.fail(n.Pos, fmt.Sprintf("the program is longer than %d values", maxPushes), "")
	}
	p.stack = append(p.stack, n)
	return nil
}

// token reads one token of the program and does what it says.
func (p *gpaParser) token() *SyntaxError {
	p.space()
	start := p.at
	if start == len(p.src) || p.src[start] == ',' {
		return p.fail(min(start, len(p.src)), "a token is missing", "drop the comma")
	}
	c := p.src[start]
	switch {
	case isDigit(c):
		return p.operand()
	case c == '(':
		return p.constant()
	case c == '$':
		l := lexer{dialect: GPA, src: p.src, at: start}
		t, err := l.dollarName()
		if err != nil {
			return err
		}
		p.at = l.at
		return p.push(&Node{Op: OpName, Name: t.text, Dollar: true, Pos: start, End: p.at})
	case isLetter(c):
		return p.word()
	}
	end := start + 1
	if o, ok := gpaOperators[p.src[start:end]]; ok {
		p.at = end
		return p.apply(o.op, p.src[start:end], o.args, start)
	}
	hint := ""
	if c == '.' {
		hint = "a number that is no operand stands in brackets, such as (0.5)"
	}
	return p.fail(start, fmt.Sprintf("unexpected character %q", firstRune(p.src[start:])), hint)
}

// operand reads the number of an operand, or a run of them.
func (p *gpaParser) operand() *SyntaxError {
	start := p.at
	i := start
	for i < len(p.src) && (isDigit(p.src[i]) || p.src[i] == '.') {
		i++
	}
	text := p.src[start:i]
	lo, hi, run := strings.Cut(text, "..")
	if !run {
		hi = lo
	}
	a, errA := strconv.Atoi(lo)
	b, errB := strconv.Atoi(hi)
	if errA != nil || errB != nil {
		return p.fail(start, fmt.Sprintf("%q is no operand", text), "an operand is a whole number; a constant stands in brackets, such as (0.5)")
	}
	switch {
	case b < a:
		return p.fail(start, fmt.Sprintf("the run %s goes backwards", text), "")
	case !p.listed:
		return p.fail(start, "operand "+lo+" has no name", `list the counters behind the program, such as "0,1,+ of CB0_X CB1_X", or write their names in it`)
	case b >= len(p.names):
		return p.fail(start, fmt.Sprintf("there is no operand %d: the list has %s", b, plural(len(p.names), "counter")), "operands count from 0; a constant stands in brackets")
	}
	p.at = i
	for k := a; k <= b; k++ {
		if err := p.push(&Node{Op: OpName, Name: p.names[k], Pos: start, End: i}); err != nil {
			return err
		}
	}
	return nil
}

func (p *gpaParser) constant() *SyntaxError {
	start := p.at
	end := strings.IndexByte(p.src[start:], ')')
	if end < 0 {
		return p.fail(start, `the "(" is never closed`, `add a ")"`)
	}
	text := strings.TrimSpace(p.src[start+1 : start+end])
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return p.fail(start+1, fmt.Sprintf("%q is no number", text), "round brackets hold a constant, such as (100)")
	}
	p.at = start + end + 1
	return p.push(&Node{Op: OpNumber, Value: v, Pos: start, End: p.at})
}

// word reads an operator, a constant of the device, or a counter's name.
func (p *gpaParser) word() *SyntaxError {
	start := p.at
	end := start
	for end < len(p.src) && (isLetter(p.src[end]) || isDigit(p.src[end])) {
		end++
	}
	text := p.src[start:end]
	lower := strings.ToLower(text)
	if o, ok := gpaOperators[lower]; ok {
		p.at = end
		return p.apply(o.op, text, o.args, start)
	}
	for name, op := range map[string]Op{"sum": OpAdd, "max": OpMax, "min": OpMin} {
		digits, ok := strings.CutPrefix(lower, name)
		if n, err := strconv.ParseUint(digits, 10, 16); ok && err == nil {
			p.at = end
			if n == 0 {
				return p.fail(start, text+" takes no operand", "")
			}
			return p.apply(op, text, int(n), start)
		}
	}
	if slices.Contains(gpaConstants, strings.ToUpper(text)) {
		p.at = end
		return p.push(&Node{Op: OpName, Name: lower, Dollar: true, Pos: start, End: end})
	}
	if len(text) > 2 && len(text) <= 10 {
		for _, name := range []string{"min", "max", "ifnotzero", "sum"} {
			if strings.Trim(lower, "0123456789") == name || spelling.Distance(name, lower, 2) < min(3, len(name)-1) {
				return p.fail(start, "no operator "+text, "operators are + - * / min max ifnotzero, and sumN and maxN with a number, such as sum8")
			}
		}
	}
	names, err := p.name()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := p.push(&Node{Op: OpName, Name: name, Pos: start, End: p.at}); err != nil {
			return err
		}
	}
	return nil
}

// apply replaces the n top values by an operation on them.
func (p *gpaParser) apply(op Op, text string, n, pos int) *SyntaxError {
	if len(p.stack) < n {
		return p.fail(pos, fmt.Sprintf("%s takes %s, and %d stand before it", text, plural(n, "value"), len(p.stack)), "an operator stands behind its operands")
	}
	args := slices.Clone(p.stack[len(p.stack)-n:])
	p.stack = p.stack[:len(p.stack)-n]
	from := args[0].Pos
	out := &Node{Op: op, Args: args, Pos: from, End: p.at}
	switch {
	case n == 1:
		one := *args[0]
		one.End = p.at
		out = &one
	case op == OpIf: // x, y, condition
		out.Args = []*Node{args[2], args[1], args[0]}
	case op == OpAdd:
		out = args[0]
		for _, a := range args[1:] {
			out = &Node{Op: OpAdd, Args: []*Node{out, a}, Pos: from, End: p.at}
		}
	}
	p.stack = append(p.stack, out)
	return nil
}
