package formula

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"astrolabe/capture/spelling"
)

// intelOps are the operators of Intel's equations. Each takes two operands, the one below the top of the stack first.
var intelOps = map[string]Op{
	"FADD": OpAdd, "FSUB": OpSub, "FMUL": OpMul, "FDIV": OpDiv, "FMAX": OpMax, "FMIN": OpMin,
	"UADD": OpUAdd, "USUB": OpUSub, "UMUL": OpUMul, "UDIV": OpUDiv, "UMIN": OpUMin, "UMAX": OpUMax,
	"AND": OpBitAnd, "OR": OpBitOr, "<<": OpShiftLeft, ">>": OpShiftRight,
	"ULT": OpULess, "ULTE": OpULessEqual, "UGT": OpUGreater, "UGTE": OpUGreaterEqual, "&&": OpAnd, "||": OpOr,
}

// intelWords lists the operators by operation, for printing.
var intelWords = func() map[Op]string {
	m := make(map[Op]string, len(intelOps))
	for w, o := range intelOps {
		m[o] = w
	}
	return m
}()

// intelBanks are the counters that READ takes, with how many there are of each. Those of one have no number in their
// name.
var intelBanks = map[string]int{"A": 38, "B": 8, "C": 8, "PEC": 64, "PERFCNT": 2, "GPU_TIME": 1, "GPU_CLOCK": 1}

// parseIntel reads an equation of an Intel metric set: operands and operators separated by white space, operators
// behind their operands. An operand is a number, decimal or hexadecimal, "true", $Name, or "A 7 READ" for the counter
// A7.
func parseIntel(src string) (*Expr, *SyntaxError) {
	fail := func(pos int, hint, format string, args ...any) (*Expr, *SyntaxError) {
		return nil, &SyntaxError{Dialect: Intel, Src: src, Col: pos + 1, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	var stack []*Node
	var heights []int
	bank, bankPos, index, indexPos := "", 0, "", 0 // of a READ that is not complete
	for at := 0; ; {
		for at < len(src) && isSpace(src[at]) {
			at++
		}
		pos := at
		for at < len(src) && !isSpace(src[at]) {
			at++
		}
		word := src[pos:at]
		switch {
		// READ is three words, "A 7 READ", of which the first two are no operands: numbers behind a bank must not
		// reach the stack, or a missing READ would be reported as a surplus operand somewhere else.
		case bank != "" && index == "":
			if n, err := strconv.Atoi(word); err != nil || n < 0 {
				found := "the end of the formula"
				if word != "" {
					found = word
				}
				return fail(pos, fmt.Sprintf("a counter is read with: %s 0 READ", bank),
					"expected the number of a counter after %s, found %s", bank, clip(found))
			} else if n >= intelBanks[bank] {
				return fail(pos, "", "there is no counter %s %d: they are numbered 0 to %d", bank, n,
					intelBanks[bank]-1)
			}
			index, indexPos = word, pos
			continue
		case bank != "":
			if word != "READ" {
				return fail(indexPos+len(index), "add READ", "READ is missing after %s %s", bank, index)
			}
			n, _ := strconv.Atoi(index) // checked above
			name := bank
			if intelBanks[bank] > 1 {
				name += strconv.Itoa(n)
			}
			stack, heights = append(stack, &Node{Op: OpName, Name: name, Pos: bankPos, End: at}), append(heights, 0)
			bank, index = "", ""
			continue
		}
		if word == "" {
			break
		}
		if op, ok := intelOps[word]; ok {
			if len(stack) < 2 {
				return fail(pos, "an operator stands behind its operands: A 0 READ 100 UMUL",
					"%s needs two operands before it, here %s", word, count(len(stack)))
			}
			n := len(stack) - 2
			a, b := stack[n], stack[n+1]
			stack, heights = append(stack[:n], &Node{Op: op, Args: []*Node{a, b}, Pos: a.Pos, End: at}),
				append(heights[:n], 1+max(heights[n], heights[n+1]))
			// Everything that walks a tree calls itself. The stack here is flat, so a chain of operators costs this
			// parser nothing and would overflow the others.
			if heights[n] > maxDepth {
				return fail(pos, "split the formula", "nested deeper than %d levels", maxDepth)
			}
			continue
		}
		if _, ok := intelBanks[word]; ok {
			bank, bankPos = word, pos
			continue
		}
		n, msg, hint := intelOperand(word)
		if msg != "" {
			return fail(pos, hint, "%s", msg)
		}
		n.Pos, n.End = pos, at
		stack, heights = append(stack, n), append(heights, 0)
	}
	switch len(stack) {
	case 0:
		return fail(len(src), "", "empty formula")
	case 1:
		return &Expr{Dialect: Intel, Src: src, Root: stack[0]}, nil
	}
	return fail(stack[1].Pos, "an operator such as UADD is missing at the end, or an operand is surplus",
		"%d values are left at the end, one is wanted", len(stack))
}

// intelOperand reads an operand that is one word.
func intelOperand(word string) (n *Node, msg, hint string) {
	switch {
	case word == "true":
		return &Node{Op: OpNumber, Value: 1, Lit: word}, "", ""
	case word == "false":
		return &Node{Op: OpNumber, Lit: word}, "", ""
	case word[0] == '$':
		l := lexer{src: word}
		if len(word) == 1 {
			return nil, "$ without a name after it", ""
		}
		end := l.nameEnd(1)
		if end+1 < len(word) && word[end] == ':' { // the name of a role has a kind before it
			end = l.nameEnd(end + 1)
		}
		if end != len(word) {
			return nil, fmt.Sprintf("unexpected character %q in the name %s", []rune(word[end:])[0], clip(word)),
				"words are separated by spaces"
		}
		return &Node{Op: OpName, Name: word[1:], Dollar: true}, "", ""
	case isDigit(word[0]):
		if i, ok := new(big.Int).SetString(word, 0); ok && i.Sign() >= 0 && !strings.Contains(word, "_") {
			v, _ := new(big.Float).SetInt(i).Float64()
			if i.BitLen() > 64 {
				return nil, "number " + clip(word) + " does not fit 64 bits", ""
			}
			n := &Node{Op: OpNumber, Value: v}
			if word != strconv.FormatFloat(v, 'f', -1, 64) {
				n.Lit = word
			}
			return n, "", ""
		}
		if strings.Trim(word, "0123456789.") == "" {
			if v, err := strconv.ParseFloat(word, 64); err == nil && v < 1<<64 {
				return &Node{Op: OpNumber, Value: v}, "", ""
			}
		}
		return nil, clip(word) + " is no number", "numbers are decimal, or hexadecimal as in 0x1F"
	case word == "READ":
		return nil, "READ without a counter before it", "a counter is read with: A 7 READ"
	case strings.ContainsAny(word, "()+*/,"):
		return nil, "unexpected " + clip(word), "an Intel equation has neither brackets nor infix operators: write A 0 READ 100 UMUL, or use another dialect"
	}
	for w := range intelOps {
		if strings.EqualFold(w, word) {
			return nil, "unknown word " + clip(word), "did you mean " + w + "?"
		}
	}
	limit := 2
	if len(word) > 3 && strings.ToUpper(word) == word {
		limit = 3 // operators are long: two errors still tell which is meant
	}
	best, bestDist := "", limit
	for w := range intelOps {
		if d := spelling.Distance(w, strings.ToUpper(word), limit-1); d < bestDist || d == bestDist &&
			d < limit && w < best {
			best, bestDist = w, d
		}
	}
	if best != "" {
		return nil, "unknown operator " + clip(word), "did you mean " + best + "?"
	}
	if isLetter(word[0]) {
		return nil, "unknown word " + clip(word), "a variable or another counter of the set is written $" + clip(word)
	}
	return nil, "unexpected " + clip(word), "words are separated by spaces"
}

// count says how many values there are.
func count(n int) string {
	if n == 0 {
		return "is none"
	}
	return "is one"
}

// formatIntel prints a tree as an Intel equation. Nodes that the dialect cannot write, which only other dialects make,
// are written as they are there.
func formatIntel(n *Node) string {
	var b strings.Builder
	word := func(w string) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	var visit func(n *Node)
	visit = func(n *Node) {
		switch operator, ok := intelWords[n.Op]; {
		case ok && len(n.Args) == 2:
			visit(n.Args[0])
			visit(n.Args[1])
			word(operator)
		case n.Op == OpNumber && n.Lit != "":
			word(n.Lit)
		case n.Op == OpNumber:
			word(strconv.FormatFloat(n.Value, 'f', -1, 64))
		case n.Op == OpName && !n.Dollar:
			bank := strings.TrimRight(n.Name, "0123456789")
			index := n.Name[len(bank):]
			if index == "" {
				index = "0"
			}
			word(bank + " " + index + " READ")
		default:
			word(format(Streamline, n))
		}
	}
	visit(n)
	return b.String()
}

// looksLikeIntel reports whether a formula has words that only Intel's equations have.
func looksLikeIntel(src string) bool {
	for i, w := range strings.Fields(src) {
		if op, ok := intelOps[w]; i > 1 && (w == "READ" || ok && (op.unsigned() && isLetter(w[0]) || w[0] == 'F')) {
			return true
		}
	}
	return false
}
