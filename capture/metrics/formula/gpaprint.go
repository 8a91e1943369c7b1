package formula

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// gpaPrinter writes a tree as a GPA program. Every counter gets the number of its first appearance.
type gpaPrinter struct {
	tokens []string
	names  []string
	number map[string]int
}

// formatGPA prints a tree that parseGPA made. Parsing the text again gives the same tree.
func formatGPA(n *Node) string {
	p := &gpaPrinter{number: map[string]int{}}
	p.node(n)
	out := strings.Join(joinRuns(p.tokens), ",")
	if len(p.names) > 0 {
		out += " of " + strings.Join(joinInstances(p.names), " ")
	}
	return out
}

func (p *gpaPrinter) node(n *Node) {
	switch n.Op {
	case OpNumber:
		p.tokens = append(p.tokens, "("+strconv.FormatFloat(n.Value, 'g', -1, 64)+")")
	case OpName:
		p.name(n)
	case OpAdd:
		terms := 1
		first := n
		for first.Op == OpAdd {
			first = first.Args[0]
			terms++
		}
		rest := make([]*Node, 0, terms)
		for x := n; x.Op == OpAdd; x = x.Args[0] {
			rest = append(rest, x.Args[1])
		}
		slices.Reverse(rest)
		p.node(first)
		if terms == 2 {
			p.node(rest[0])
			p.tokens = append(p.tokens, "+")
			return
		}
		for _, x := range rest {
			p.node(x)
		}
		p.tokens = append(p.tokens, "sum"+strconv.Itoa(terms))
	case OpIf:
		p.node(n.Args[2])
		p.node(n.Args[1])
		p.node(n.Args[0])
		p.tokens = append(p.tokens, "ifnotzero")
	default:
		for _, a := range n.Args {
			p.node(a)
		}
		for text, o := range gpaOperators {
			if o.op == n.Op {
				if len(n.Args) > 2 {
					text += strconv.Itoa(len(n.Args))
				}
				p.tokens = append(p.tokens, text)
			}
		}
	}
}

func (p *gpaPrinter) name(n *Node) {
	if n.Dollar {
		text := "$" + n.Name
		if upper := strings.ToUpper(n.Name); slices.Contains(gpaConstants, upper) && n.Name == strings.ToLower(n.Name) {
			text = upper
		}
		p.tokens = append(p.tokens, text)
		return
	}
	i, ok := p.number[n.Name]
	if !ok {
		i = len(p.names)
		p.number[n.Name] = i
		p.names = append(p.names, n.Name)
	}
	p.tokens = append(p.tokens, strconv.Itoa(i))
}

// joinRuns writes three or more consecutive operands as a..b.
func joinRuns(tokens []string) []string {
	var out []string
	for i := 0; i < len(tokens); {
		j := i + 1
		if first, err := strconv.Atoi(tokens[i]); err == nil {
			for j < len(tokens) && tokens[j] == strconv.Itoa(first+j-i) {
				j++
			}
		}
		if j-i >= 3 {
			out = append(out, tokens[i]+".."+tokens[j-1])
		} else {
			out = append(out, tokens[i:j]...)
		}
		i = j
	}
	return out
}

// joinInstances writes names that differ in one number, which counts up, as one name with its range.
func joinInstances(names []string) []string {
	var out []string
	for i := 0; i < len(names); {
		best, text := i+1, names[i]
		for _, at := range numbersIn(names[i]) {
			head, digits, tail := names[i][:at[0]], names[i][at[0]:at[1]], names[i][at[1]:]
			first, err := strconv.Atoi(digits)
			if err != nil || strconv.Itoa(first) != digits {
				continue
			}
			j := i + 1
			for j < len(names) && first+j-i < 1<<16 && names[j] == head+strconv.Itoa(first+j-i)+tail {
				j++
			}
			if j > best {
				best = j
				sep := ".."
				if j-i == 2 {
					sep = ","
				}
				text = fmt.Sprintf("%s*%s[%d%s%d]", head, tail, first, sep, first+j-i-1)
			}
		}
		out = append(out, text)
		i = best
	}
	return out
}

// numbersIn returns where the digits of a name stand. Names with dots or brackets have none that a range could replace.
func numbersIn(name string) [][2]int {
	if strings.ContainsAny(name, ".[]") {
		return nil
	}
	var out [][2]int
	for i := 1; i < len(name); i++ { // a name does not begin with a digit
		if !isDigit(name[i]) {
			continue
		}
		j := i
		for j < len(name) && isDigit(name[j]) {
			j++
		}
		out = append(out, [2]int{i, j})
		i = j
	}
	return out
}
