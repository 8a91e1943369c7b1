package symbols

import (
	"strings"
	"unicode/utf8"
)

// fits is how long a short name may be, in letters, as long as it is told from the others.
const fits = 60

// deepest is how many levels of brackets are written out before a name is given whole.
const deepest = 4

// Short writes names shortly: without result and arguments, and with template arguments folded to … where the name is
// long. Different names stay different: what folds to the same is written out further, at last as it is.
func Short(names []string) []string {
	forms := make([][]string, len(names))
	at := make([]int, len(names))
	for i, name := range names {
		forms[i] = formsOf(name)
		// The fullest form that fits, else the shortest.
		for k := range forms[i] {
			if k < len(forms[i])-1 && utf8.RuneCountInString(forms[i][k]) <= fits {
				at[i] = k
			}
		}
	}
	for {
		first := map[string]int{} // the name that a form stands for
		clash := map[string]bool{}
		for i := range names {
			form := forms[i][at[i]]
			if k, ok := first[form]; ok && names[k] != names[i] {
				clash[form] = true
			} else if !ok {
				first[form] = i
			}
		}
		more := false
		for i := range names {
			if clash[forms[i][at[i]]] && at[i] < len(forms[i])-1 {
				at[i]++
				more = true
			}
		}
		if !more {
			break
		}
	}
	out := make([]string, len(names))
	for i := range names {
		out[i] = forms[i][at[i]]
	}
	return out
}

// formsOf are the ways to write a name, from the shortest to the name itself.
func formsOf(name string) []string {
	n, ok := parse(name)
	if !ok {
		return []string{name}
	}
	var out []string
	for level := range deepest {
		if form := n.form(level); form != "" && (len(out) == 0 || out[len(out)-1] != form) {
			out = append(out, form)
		}
	}
	if whole := n.text[n.from:n.to] + n.tail; len(out) == 0 || out[len(out)-1] != whole {
		out = append(out, whole)
	}
	if out[len(out)-1] != name {
		out = append(out, name)
	}
	return out
}

// parsed is a name with its brackets.
type parsed struct {
	text     string
	from, to int    // what stays without result, arguments and what follows them
	tail     string // what stays of that
	brackets []bracket
}

// bracket is a pair of < > or ( ) with what is between them.
type bracket struct {
	open, close int
	depth       int // 0 outermost
}

// operators are those whose names hold brackets, the longest first.
var operators = []string{"<=>", "<<=", ">>=", "->*", "()", "<<", ">>", "->", "<=", ">=", "<", ">"}

// parse finds the brackets of a name; ok is false where they do not match.
func parse(name string) (n parsed, ok bool) {
	n.text = name
	var open []int // indices in brackets
	for i := 0; i < len(name); i++ {
		if strings.HasPrefix(name[i:], "operator") && (i == 0 || !letter(name[i-1])) {
			i += len("operator")
			for _, o := range operators {
				if strings.HasPrefix(name[i:], o) {
					i += len(o)
					break
				}
			}
			i--
			continue
		}
		switch c := name[i]; c {
		case '<', '(':
			open = append(open, len(n.brackets))
			n.brackets = append(n.brackets, bracket{i, -1, len(open) - 1})
		case '>':
			if i > 0 && name[i-1] == '-' { // the arrow of a result, or of a member
				continue
			}
			if len(open) == 0 {
				return n, false
			}
			if top := &n.brackets[open[len(open)-1]]; name[top.open] == '<' {
				top.close = i
				open = open[:len(open)-1]
			} // else it compares, within parentheses
		case ')':
			for len(open) > 0 && name[n.brackets[open[len(open)-1]].open] == '<' {
				open = open[:len(open)-1] // that one compares
			}
			if len(open) == 0 {
				return n, false
			}
			n.brackets[open[len(open)-1]].close = i
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return n, false
	}
	n.cut()
	return n, true
}

func letter(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c >= utf8.RuneSelf
}

// cut finds the result and the list of arguments: the last parentheses, with nothing behind them that the name goes on
// with.
func (n *parsed) cut() {
	n.from, n.to = 0, len(n.text)
	for i := len(n.brackets) - 1; i >= 0; i-- {
		b := n.brackets[i]
		if b.depth > 0 || b.close < 0 || n.text[b.open] != '(' || b.open == 0 ||
			strings.ContainsRune(" :", rune(n.text[b.open-1])) {
			continue
		}
		if rest := n.text[b.close+1:]; !strings.Contains(rest, "::") {
			n.to, n.tail = b.open, afterArguments(rest)
		}
		break
	}
	arguments := n.to < len(n.text)
	rest, _, _ := strings.Cut(n.text[:n.to], "operator ") // operator bool, operator new
	if !arguments && !strings.HasPrefix(rest, "void ") {
		return // not surely a function, so that words before it need not be its result
	}
	k := len(n.brackets) - 1
	for i := len(rest) - 1; i >= 0; i-- {
		for k >= 0 && (n.brackets[k].open > i || n.brackets[k].depth > 0 || n.brackets[k].close < 0) {
			k--
		}
		if k >= 0 && i <= n.brackets[k].close {
			i = n.brackets[k].open
			continue
		}
		if rest[i] == ' ' {
			n.from = i + 1
			return
		}
	}
}

// afterArguments is what follows a list of arguments without that which belongs to the function: somebody added it,
// such as a size.
func afterArguments(s string) string {
	for again := true; again; {
		again = false
		for _, q := range []string{" const", " volatile", " &&", " &", " noexcept"} {
			if rest, ok := strings.CutPrefix(s, q); ok && (rest == "" || rest[0] == ' ') {
				s, again = rest, true
			}
		}
	}
	if strings.HasPrefix(s, " [") || strings.HasPrefix(s, " (.") { // of the compiler's copies
		return ""
	}
	return s
}

// form is the name with everything folded that is deeper than level. What is short without brackets of its own stays.
func (n *parsed) form(level int) string {
	var out strings.Builder
	at := n.from
	for k := 0; k < len(n.brackets); k++ {
		b := n.brackets[k]
		if b.open < at || b.close < 0 || b.close >= n.to || b.depth < level {
			continue
		}
		if between := n.text[b.open+1 : b.close]; len(between) <= 20 && !strings.ContainsAny(between, "<(,") {
			continue
		}
		out.WriteString(n.text[at : b.open+1])
		out.WriteString("…")
		at = b.close
	}
	out.WriteString(n.text[at:n.to])
	out.WriteString(n.tail)
	return out.String()
}
