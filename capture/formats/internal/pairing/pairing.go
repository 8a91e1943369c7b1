// Package pairing finds which dispatch of one table is which dispatch of another, and proves it or refuses.
//
// Profilers number dispatches in several ways: from 0 or from 1, per process or per file, with or without those that a
// filter left out. A join on the number alone gives a dispatch the values of its neighbour, which no later check can
// see where every dispatch runs the same kernel. So a number joins two tables only where nothing else fits: the
// kernels, sizes and devices of all pairs agree, and no other shift of the numbers does as well.
//
// The package knows no format and no vendor, and imports nothing of ours.
package pairing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Row is one dispatch of a table.
type Row struct {
	Number   int64 // what the table calls it
	Numbered bool
	Start    int64 // ns on a clock that tables of one run share
	End      int64
	Timed    bool
	// Attributes tell dispatches apart, such as kernel, grid and device, in one order for all tables. An empty one is
	// unknown and equals any other.
	Attributes []string
}

// Pairs is what Match found.
type Pairs struct {
	// Of has for each row of the second table the row of the first, -1 where the first has none.
	Of []int
	// Shift is what was added to numbers of the first table to make those of the second.
	Shift int64
	// By says what proved it, such as "equal times".
	By string
}

// ErrRefused is wrapped by errors of tables whose dispatches cannot be told to be the same.
var ErrRefused = errors.New("nothing proves which dispatch is which")

// errUnsure is a refusal because the numbers fit in several ways: they mean something, so that the order of the rows
// proves nothing.
var errUnsure = fmt.Errorf("%w", ErrRefused)

// Match pairs the rows of b with those of a.
//
// The proofs are, the strongest first: numbers, where one shift alone makes every row of the smaller table agree with a
// row of the other; the same start and end in both tables; the order of the launches of each kernel, where the numbers
// contradict the kernels and both tables have as many launches of each. With alike the tables are known to be numbered
// in the same way, as parts of one file are: then rows that only one of them has are no objection.
func Match(a, b []Row, alike bool) (Pairs, error) {
	none := Pairs{Of: make([]int, len(b))}
	for i := range none.Of {
		none.Of[i] = -1
	}
	if len(a) == 0 || len(b) == 0 {
		return none, nil
	}
	m := &matcher{a: a, b: b, used: columns(a, b), alike: alike}
	p, err := m.numbers()
	if err == nil {
		return p, nil
	}
	if p, ok := m.times(); ok {
		return p, nil
	}
	if !errors.Is(err, errUnsure) {
		if p, ok := m.order(); ok {
			return p, nil
		}
	}
	return none, err
}

// columns are the attributes that both tables know.
func columns(a, b []Row) []int {
	known := func(rows []Row, i int) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return i < len(r.Attributes) && r.Attributes[i] != "" })
	}
	var out []int
	for i := range a[0].Attributes {
		if known(a, i) && known(b, i) {
			out = append(out, i)
		}
	}
	return out
}

type matcher struct {
	a, b  []Row
	used  []int
	alike bool
}

// agree reports whether two rows can be one dispatch.
func (m *matcher) agree(x, y *Row) bool {
	for _, i := range m.used {
		if i >= len(x.Attributes) || i >= len(y.Attributes) {
			continue
		}
		if p, q := x.Attributes[i], y.Attributes[i]; p != q && p != "" && q != "" {
			return false
		}
	}
	return true
}

// times pairs rows of one start and end. Every row of the smaller table needs one partner, and no more.
func (m *matcher) times() (Pairs, bool) {
	type span struct{ start, end int64 }
	index := make(map[span]int, len(m.a))
	for i, r := range m.a {
		s := span{r.Start, r.End}
		if _, twice := index[s]; twice || !r.Timed {
			return Pairs{}, false
		}
		index[s] = i
	}
	p := Pairs{Of: make([]int, len(m.b)), By: "equal times"}
	taken := make(map[int]bool, len(m.b))
	for j, r := range m.b {
		i, ok := index[span{r.Start, r.End}]
		if !r.Timed || ok && (taken[i] || !m.agree(&m.a[i], &m.b[j])) {
			return Pairs{}, false
		}
		if p.Of[j] = -1; ok {
			p.Of[j], taken[i] = i, true
		}
	}
	return p, len(taken) == min(len(m.a), len(m.b))
}

// numbers looks for the one shift that pairs every row of the smaller table.
func (m *matcher) numbers() (Pairs, error) {
	lowA, highA, okA := bounds(m.a)
	lowB, highB, okB := bounds(m.b)
	if !okA || !okB {
		return Pairs{}, fmt.Errorf("%w: not every dispatch has a number of its own", ErrRefused)
	}
	smaller := min(len(m.a), len(m.b))
	plain, agrees := m.shifted(0)
	paired := plain.pairs()
	if m.alike && agrees && (paired == smaller || paired == 0 || len(m.a) != len(m.b)) {
		plain.By = "equal numbers"
		return plain, nil
	}
	var found []Pairs
	tried := map[int64]bool{}
	// Tables count from 0 or 1, or begin or end with the same dispatch: no other shift has a cause.
	for _, shift := range []int64{0, 1, -1, lowB - lowA, highB - highA} {
		if tried[shift] {
			continue
		}
		tried[shift] = true
		if p, ok := m.shifted(shift); ok && p.pairs() == smaller {
			found = append(found, p)
		}
	}
	both0 := lowA == 0 && lowB == 0 // both tables count from 0, so that the same number is the same dispatch
	switch {
	case agrees && (both0 && paired > 0 || m.alike && len(found) == 0):
		found = []Pairs{plain}
	case len(found) == 1:
	case len(found) > 1:
		var shifts []string
		for _, p := range found {
			shifts = append(shifts, fmt.Sprintf("%+d", p.Shift))
		}
		return Pairs{}, fmt.Errorf("%w: %d and %d dispatches fit each other with the numbers shifted by %s alike",
			errUnsure, len(m.a), len(m.b),
			strings.Join(shifts, " and "))
	case agrees && paired > 0:
		return Pairs{}, fmt.Errorf(
			"%w: the dispatches are numbered %d to %d in one table and %d to %d in the other, and each lacks some",
			errUnsure,
			lowA, highA, lowB, highB)
	default:
		return Pairs{}, fmt.Errorf("%w: %s", ErrRefused, m.conflict())
	}
	p := found[0]
	p.By = "equal numbers"
	if p.Shift != 0 {
		p.By = fmt.Sprintf("numbers shifted by %+d", p.Shift)
	}
	return p, nil
}

// conflict describes the first pair of equal number that cannot be one dispatch.
func (m *matcher) conflict() string {
	index := make(map[int64]int, len(m.a))
	for i, r := range m.a {
		index[r.Number] = i
	}
	for j, r := range m.b {
		if i, ok := index[r.Number]; ok && !m.agree(&m.a[i], &m.b[j]) {
			return fmt.Sprintf("dispatch %d is %s in one table and %s in the other", r.Number, m.describe(&m.a[i]),
				m.describe(&m.b[j]))
		}
	}
	lowA, highA, _ := bounds(m.a)
	lowB, highB, _ := bounds(m.b)
	return fmt.Sprintf("the dispatches are numbered %d to %d in one table and %d to %d in the other", lowA,
		highA, lowB, highB)
}

func (m *matcher) describe(r *Row) string {
	var parts []string
	for _, i := range m.used {
		if i < len(r.Attributes) && r.Attributes[i] != "" {
			parts = append(parts, r.Attributes[i])
		}
	}
	return strings.Join(parts, "/")
}

// bounds are the lowest and the highest number; ok is false where numbers are missing or stand twice.
func bounds(rows []Row) (low, high int64, ok bool) {
	low, high = rows[0].Number, rows[0].Number
	seen := make(map[int64]bool, len(rows))
	for _, r := range rows {
		if !r.Numbered || seen[r.Number] {
			return 0, 0, false
		}
		seen[r.Number] = true
		low, high = min(low, r.Number), max(high, r.Number)
	}
	return low, high, true
}

// shifted pairs number n of a with number n+shift of b; ok is false where a pair does not agree, or numbers are missing
// or stand twice.
func (m *matcher) shifted(shift int64) (Pairs, bool) {
	index := make(map[int64]int, len(m.a))
	for i, r := range m.a {
		if _, twice := index[r.Number]; twice || !r.Numbered {
			return Pairs{}, false
		}
		index[r.Number] = i
	}
	p := Pairs{Of: make([]int, len(m.b)), Shift: shift}
	seen := make(map[int64]bool, len(m.b))
	for j, r := range m.b {
		if !r.Numbered || seen[r.Number] {
			return Pairs{}, false
		}
		seen[r.Number] = true
		i, ok := index[r.Number-shift]
		if p.Of[j] = -1; !ok {
			continue
		}
		if !m.agree(&m.a[i], &m.b[j]) {
			return Pairs{}, false
		}
		p.Of[j] = i
	}
	return p, true
}

func (p *Pairs) pairs() (n int) {
	for _, i := range p.Of {
		if i >= 0 {
			n++
		}
	}
	return n
}

// order pairs the n-th launch of a kernel, with its sizes and device, with the n-th one. Both tables need as many
// launches of each.
func (m *matcher) order() (Pairs, bool) {
	if len(m.a) != len(m.b) || len(m.used) == 0 {
		return Pairs{}, false
	}
	launches := map[string][]int{}
	for i := range m.a {
		k, ok := m.kind(&m.a[i])
		if !ok {
			return Pairs{}, false
		}
		launches[k] = append(launches[k], i)
	}
	p := Pairs{Of: make([]int, len(m.b)), By: "the order of the launches of each kernel"}
	for j := range m.b {
		k, ok := m.kind(&m.b[j])
		if !ok || len(launches[k]) == 0 {
			return Pairs{}, false
		}
		p.Of[j], launches[k] = launches[k][0], launches[k][1:]
	}
	return p, true
}

// kind is all attributes of a row as a text; ok is false where one is unknown.
func (m *matcher) kind(r *Row) (string, bool) {
	var b strings.Builder
	for _, i := range m.used {
		if i >= len(r.Attributes) || r.Attributes[i] == "" {
			return "", false
		}
		b.WriteString(r.Attributes[i])
		b.WriteByte(0)
	}
	return b.String(), true
}
