package pairing

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// table makes rows of "NUMBER KERNEL" texts, and "NUMBER KERNEL START END" with times.
func table(texts ...string) []Row {
	var out []Row
	for _, text := range texts {
		f := strings.Fields(text)
		r := Row{Attributes: []string{f[1]}}
		if f[0] != "-" {
			fmt.Sscan(f[0], &r.Number)
			r.Numbered = true
		}
		if f[1] == "?" {
			r.Attributes[0] = ""
		}
		if len(f) == 4 {
			fmt.Sscan(f[2], &r.Start)
			fmt.Sscan(f[3], &r.End)
			r.Timed = true
		}
		out = append(out, r)
	}
	return out
}

func TestDispatchesPairOnlyWhereOneWayFits(t *testing.T) {
	for name, c := range map[string]struct {
		a, b  []Row
		alike bool
		want  []int // nil is a refusal
		by    string
	}{
		"one counts from 0 and the other from 1": {a: table("0 k", "1 k", "2 k"),
			b: table("1 k", "2 k", "3 k"), want: []int{0, 1, 2}, by: "numbers shifted by +1"},
		"rows in another order": {a: table("0 k", "1 k", "2 k"),
			b: table("3 k", "1 k", "2 k"), want: []int{2, 0, 1}, by: "numbers shifted by +1"},
		"kernels decide between two shifts": {a: table("1 k", "2 j"), b: table("1 i", "2 k", "3 j"),
			want: []int{-1, 0, 1}, by: "numbers shifted by +1"},
		"two shifts fit": {a: table("1 k"), b: table("1 k", "2 k")},
		"two shifts fit, and times decide": {a: table("1 k 5 9"), b: table("1 k 1 4", "2 k 5 9"),
			want: []int{-1, 0}, by: "equal times"},
		"times that stand twice decide nothing": {a: table("1 k 5 9", "2 k 5 9"),
			b: table("1 k 5 9", "2 k 5 9", "3 k 5 9")},
		"both count from 0 and one is cut": {a: table("0 k", "1 k", "2 k"), b: table("0 k", "1 k"),
			want: []int{0, 1}, by: "equal numbers"},
		"both count from 0 and each lacks one": {a: table("0 k", "1 k", "3 k"),
			b: table("0 k", "1 k", "2 k"), want: []int{0, 1, -1}, by: "equal numbers"},
		"each lacks one, and nothing says where they begin": {a: table("1 k", "2 k", "4 k"),
			b: table("1 k", "2 k", "3 k")},
		"other kernels under the same numbers": {a: table("0 k", "1 j"), b: table("0 j", "1 k"),
			want: []int{1, 0}, by: "the order of the launches of each kernel"},
		"other kernels, and not as many of each": {a: table("0 k", "1 j"), b: table("0 j", "1 j")},
		"no numbers": {a: table("- k", "- j", "- k"),
			b: table("- k", "- k", "- j"), want: []int{0, 2, 1}, by: "the order of the launches of each kernel"},
		"no numbers and no kernels": {a: table("- ?", "- ?"), b: table("- ?", "- ?")},
		"a number twice": {a: table("0 k", "0 j"), b: table("0 k", "1 j"),
			want: []int{0, 1}, by: "the order of the launches of each kernel"},
		"unknown kernels agree with any": {a: table("0 k", "1 ?"), b: table("1 ?", "2 j"),
			want: []int{0, 1}, by: "numbers shifted by +1"},
		"parts of a file, one row": {a: table("1 k", "2 k"), b: table("2 k"), alike: true,
			want: []int{1}, by: "equal numbers"},
		"parts of a file with other dispatches": {a: table("0 k", "1 k"), b: table("2 k", "3 k"),
			alike: true, want: []int{-1, -1}, by: "equal numbers"},
		"parts of a file that begin at 0 and 1": {a: table("0 k", "1 k"), b: table("1 k", "2 k"),
			alike: true, want: []int{0, 1}, by: "numbers shifted by +1"},
		"parts of a file, each lacks some": {a: table("1 k", "2 k", "4 k"),
			b: table("1 k", "2 k", "3 k"), alike: true, want: []int{0, 1, -1}, by: "equal numbers"},
		"nothing to pair": {a: nil, b: table("0 k"), want: []int{-1}},
	} {
		p, err := Match(c.a, c.b, c.alike)
		switch {
		case c.want == nil:
			if !errors.Is(err, ErrRefused) {
				t.Errorf("%s: paired %v by %s", name, p.Of, p.By)
			}
			if slices.ContainsFunc(p.Of, func(i int) bool { return i >= 0 }) {
				t.Errorf("%s: refused and paired %v", name, p.Of)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !slices.Equal(p.Of, c.want) || p.By != c.by:
			t.Errorf("%s: paired %v by %q, want %v by %q", name, p.Of, p.By, c.want, c.by)
		}
	}
}

func TestARefusalNamesTheFirstContradiction(t *testing.T) {
	_, err := Match(table("0 k", "1 j", "2 j"), table("0 k", "1 k"), false)
	if err == nil || !strings.Contains(err.Error(), "dispatch 1 is j in one table and k in the other") {
		t.Errorf("%v", err)
	}
}

// TestNoPairIsWrong makes two tables of one run, each with its own numbering and without some rows at its ends, and
// holds that no pair is of two dispatches.
func TestNoPairIsWrong(t *testing.T) {
	paired, refused := 0, 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(8)
		kinds := 1 + r.IntN(3)
		run := make([]string, n)
		for i := range run {
			run[i] = fmt.Sprint("k", r.IntN(kinds))
		}
		// A table begins to count at 0 or 1 with the first dispatch of the run. It may lack rows at its end; it lacks
		// the first ones only where the other table has all rows.
		take := func(from, to int) (rows []Row, truth []int) {
			base := int64(r.IntN(2))
			for i := from; i < to; i++ {
				rows = append(rows, Row{Number: int64(i) + base, Numbered: true, Attributes: []string{run[i]}})
				truth = append(truth, i)
			}
			return rows, truth
		}
		a, inA := take(0, n)
		b, inB := take(r.IntN(n), n)
		p, err := Match(a, b, false)
		if err != nil {
			refused++
			continue
		}
		for j, i := range p.Of {
			if i < 0 || inA[i] == inB[j] {
				continue
			}
			// Only a shift that is the one that fits could mislead, and the truth always fits.
			t.Fatalf("seed %d: row %d of %v was paired with row %d of %v by %s", seed, j, b, i, a, p.By)
		}
		paired++
	}
	if paired < 10000 || refused < 100 {
		t.Errorf("%d tables were paired and %d refused", paired, refused)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 2, 0}, []byte{1, 0, 2, 0, 3, 0}, false)
	f.Add([]byte{0, 1, 0, 1}, []byte{5, 2}, true)
	f.Fuzz(func(t *testing.T, x, y []byte, alike bool) {
		rows := func(b []byte) (out []Row) {
			for i := 0; i+1 < len(b); i += 2 {
				out = append(out, Row{Number: int64(int8(b[i])), Numbered: b[i] != 99,
					Attributes: []string{string(b[i+1] % 4)}, Start: int64(b[i] / 2), End: int64(b[i]),
					Timed: b[i+1] > 100})
			}
			return out
		}
		a, b := rows(x), rows(y)
		p, err := Match(a, b, alike)
		if len(p.Of) != len(b) {
			t.Fatalf("%d pairs of %d rows", len(p.Of), len(b))
		}
		taken := map[int]bool{}
		for j, i := range p.Of {
			switch {
			case i < 0:
				continue
			case err != nil:
				t.Fatalf("paired in spite of %v", err)
			case i >= len(a) || taken[i]:
				t.Fatalf("row %d of b has row %d of a, of %d, or one that is taken", j, i, len(a))
			case a[i].Attributes[0] != b[j].Attributes[0] && a[i].Attributes[0] != "" && b[j].Attributes[0] != "":
				t.Fatalf("pair of %q and %q", a[i].Attributes[0], b[j].Attributes[0])
			}
			taken[i] = true
		}
	})
}
