package hwio

import "fmt"

// tally counts texts by kind, so that what happens again and again is told once. The zero value is empty.
type tally struct {
	kinds []tallied
	at    map[string]int
	most  int // kinds that are told apart, at least manyKinds
	other int // texts of further kinds
}

type tallied struct {
	first string
	n     int
}

// manyKinds is how many kinds of one thing a person reads.
const manyKinds = 10

// add counts a text, and reports whether it is the first of its kind.
func (t *tally) add(kind, text string) (first bool) {
	if i, ok := t.at[kind]; ok {
		t.kinds[i].n++
		return false
	}
	if len(t.kinds) >= max(t.most, manyKinds) {
		t.other++
		return false
	}
	if t.at == nil {
		t.at = map[string]int{}
	}
	t.at[kind] = len(t.kinds)
	t.kinds = append(t.kinds, tallied{text, 1})
	return true
}

// texts are the first text of every kind; repeated words one that has n of them, more than one.
func (t *tally) texts(repeated func(first string, n int) string) []string {
	var out []string
	for _, k := range t.kinds {
		if k.n > 1 {
			k.first = repeated(k.first, k.n)
		}
		out = append(out, k.first)
	}
	if t.other > 0 {
		out = append(out, fmt.Sprintf("%d others", t.other))
	}
	return out
}
