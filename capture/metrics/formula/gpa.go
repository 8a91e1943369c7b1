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
// Vectors are runs of values on the stack: vecsum4 and vecsub4 take two of four and leave one, scalarmul4 takes a
// number and the vector above it, and comparemax4 four values and four conditions above them, and leaves the largest
// value whose condition is not 0, or 0.
//
// Tokens stand between commas: a number is an operand of the list, a..b a run of them, (n) a constant, an upper-case
// name of gpaConstants or $NAME a property of the capture, and the rest operators. A counter's name may also stand in
// the program itself. In names X*_Y[0..3] is X0_Y X1_Y X2_Y X3_Y and [0,2] likewise.

// gpaConstants are the values of the device that programs name.
var gpaConstants = []string{"NUM_SHADER_ENGINES", "NUM_SHADER_ARRAYS", "NUM_SIMDS", "NUM_CUS", "MAX_WAVES",
	"SU_CLOCKS_PRIM", "NUM_PRIM_PIPES", "TS_FREQ"}

// DeviceConstants lists the values of the device that GPA programs name, as captures name them.
func DeviceConstants() []string {
	out := make([]string, len(gpaConstants))
	for i, name := range gpaConstants {
		out[i] = strings.ToLower(name)
	}
	return out
}

// gpaOperators take their operands from the top of the stack.
var gpaOperators = map[string]struct {
	op   Op
	args int
}{
	"+": {OpAdd, 2}, "-": {OpSub, 2}, "*": {OpMul, 2}, "/": {OpDiv, 2},
	"min": {OpMin, 2}, "max": {OpMax, 2}, "ifnotzero": {OpIf, 3},
}

// gpaCounted are operators with a number, of values or of the length of vectors.
var gpaCounted = []struct {
	name  string
	takes int // times the number
	more  int // values, beside these
	do    func(args []*Node, n int, at func(Op, ...*Node) *Node) []*Node
}{
	{"sum", 1, 0, func(args []*Node, _ int, at func(Op, ...*Node) *Node) []*Node {
		out := args[0]
		for _, a := range args[1:] {
			out = at(OpAdd, out, a)
		}
		return []*Node{out}
	}},
	{"max", 1, 0, func(args []*Node, _ int, at func(Op, ...*Node) *Node) []*Node {
		return []*Node{at(OpMax,
			args...)}
	}},
	{"min", 1, 0, func(args []*Node, _ int, at func(Op, ...*Node) *Node) []*Node {
		return []*Node{at(OpMin,
			args...)}
	}},
	{"vecsum", 2, 0, gpaEach(OpAdd)},
	{"vecsub", 2, 0, gpaEach(OpSub)},
	{"scalarmul", 1, 1, func(args []*Node, n int, at func(Op, ...*Node) *Node) []*Node {
		out := make([]*Node, n)
		for i := range out {
			by := *args[0]
			out[i] = at(OpMul, args[1+i], &by)
		}
		return out
	}},
	{"comparemax", 2, 0, func(args []*Node, n int, at func(Op, ...*Node) *Node) []*Node {
		zero := func() *Node { return &Node{Op: OpNumber, Pos: args[0].Pos, End: args[0].End} }
		all := []*Node{zero()}
		for i := range n {
			all = append(all, at(OpIf, args[n+i], args[i], zero()))
		}
		return []*Node{at(OpMax, all...)}
	}},
}

// gpaEach is an operation on the values of two vectors one by one.
func gpaEach(op Op) func([]*Node, int, func(Op, ...*Node) *Node) []*Node {
	return func(args []*Node, n int, at func(Op, ...*Node) *Node) []*Node {
		out := make([]*Node, n)
		for i := range out {
			out[i] = at(op, args[i], args[n+i])
		}
		return out
	}
}

// countedOperator finds an operator with a number, such as sum16, by its place; -1 where there is none.
func countedOperator(lower string) (at, n int) {
	bare := strings.TrimRight(lower, "0123456789")
	for i, o := range gpaCounted {
		if o.name == bare {
			if v, err := strconv.ParseUint(lower[len(bare):], 10, 16); err == nil {
				return i, int(v)
			}
		}
	}
	return -1, 0
}

// maxOperands bounds operand lists and the values that a program pushes.
const (
	maxOperands = 1 << 12
	maxPushes   = 1 << 16
)

// looksLikeGPA reports whether a formula has an operand list, or ends with an operator behind a comma, as GPA programs
// do and infix formulas never do.
func looksLikeGPA(src string) bool {
	if operandList(src) >= 0 {
		return true
	}
	i := strings.LastIndexByte(src, ',')
	last := strings.ToLower(strings.TrimSpace(src[i+1:]))
	if _, ok := gpaOperators[last]; ok {
		return i >= 0
	}
	at, _ := countedOperator(last)
	return i >= 0 && at >= 0
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
		Msg:  fmt.Sprintf("%d values are left on the stack, of which this is the first", n+1),
		Hint: "an operator is missing, or an operand is surplus"}
	top := p.stack[n]
	err.Fix = src[top.Pos:]
	err.Assumed = fmt.Sprintf("the result is what stands on top of the stack, and %s before column %d is not used",
		plural(n, "value"), top.Pos+1)
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
		return nil, p.fail(start, fmt.Sprintf("unexpected character %q where a counter's name is expected",
			firstRune(p.src[start:])), "")
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
			return nil, p.fail(i+1, fmt.Sprintf("%q are no numbers of instances", numbers),
				"write them as [0..7] or [0,1]")
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
		return p.fail(start, fmt.Sprintf("%q is no operand", text),
			"an operand is a whole number; a constant stands in brackets, such as (0.5)")
	}
	switch {
	case b < a:
		return p.fail(start, fmt.Sprintf("the run %s goes backwards", text), "")
	case !p.listed:
		return p.fail(start, "operand "+lo+" has no name",
			`list the counters behind the program, such as "0,1,+ of CB0_X CB1_X", or write their names in it`)
	case b >= len(p.names):
		return p.fail(start, fmt.Sprintf("there is no operand %d: the list has %s", b, plural(len(p.names), "counter")),
			"operands count from 0; a constant stands in brackets")
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
	if at, n := countedOperator(lower); at >= 0 {
		p.at = end
		if n == 0 {
			return p.fail(start, text+" takes no operand", "")
		}
		return p.counted(at, text, n, start)
	}
	if slices.Contains(gpaConstants, strings.ToUpper(text)) {
		p.at = end
		return p.push(&Node{Op: OpName, Name: lower, Dollar: true, Pos: start, End: end})
	}
	if len(text) > 2 && len(text) <= 12 {
		for _, name := range []string{"min", "max", "ifnotzero", "sum", "vecsum", "vecsub", "scalarmul", "comparemax"} {
			bare := strings.Trim(lower, "0123456789")
			if bare == name || spelling.Distance(name, lower, 2) < min(3, len(name)-1) || len(name) > 4 &&
				spelling.Distance(name, bare, 2) < 3 {
				return p.fail(start, "no operator "+text,
					"operators are + - * / min max ifnotzero, and with a number, such as sum8: sum max min vecsum vecsub scalarmul comparemax")
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

// take removes the n top values of the stack.
func (p *gpaParser) take(text string, n, pos int) ([]*Node, *SyntaxError) {
	if len(p.stack) < n {
		return nil, p.fail(pos, fmt.Sprintf("%s takes %s, and %d stand before it", text, plural(n, "value"),
			len(p.stack)), "an operator stands behind its operands")
	}
	args := slices.Clone(p.stack[len(p.stack)-n:])
	p.stack = p.stack[:len(p.stack)-n]
	return args, nil
}

// apply replaces the n top values by an operation on them.
func (p *gpaParser) apply(op Op, text string, n, pos int) *SyntaxError {
	args, err := p.take(text, n, pos)
	if err != nil {
		return err
	}
	from := args[0].Pos
	if op == OpIf { // x, y, condition
		args = []*Node{args[2], args[1], args[0]}
	}
	p.stack = append(p.stack, &Node{Op: op, Args: args, Pos: from, End: p.at})
	return nil
}

// size counts the nodes of a tree, up to most.
func (n *Node) size(most int) int {
	all := 1
	for _, a := range n.Args {
		if all >= most {
			break
		}
		all += a.size(most - all)
	}
	return all
}

// counted does the same for an operator with a number, which may leave several values.
func (p *gpaParser) counted(at int, text string, n, pos int) *SyntaxError {
	o := gpaCounted[at]
	if o.takes*n+o.more > maxPushes {
		return p.fail(pos, text+" takes more values than a program may push", "")
	}
	args, err := p.take(text, o.takes*n+o.more, pos)
	if err != nil {
		return err
	}
	p.pushes += n
	for i := range o.more { // stands in every value that is left
		p.pushes += n * args[i].size(maxPushes)
	}
	if p.pushes > maxPushes {
		return p.fail(pos, fmt.Sprintf("the program is longer than %d values", maxPushes), "")
	}
	from := args[0].Pos
	p.stack = append(p.stack, o.do(args, n, func(op Op, args ...*Node) *Node {
		if len(args) == 1 { // of one value there is no sum
			one := *args[0]
			one.End = p.at
			return &one
		}
		return &Node{Op: op, Args: args, Pos: from, End: p.at}
	})...)
	return nil
}
