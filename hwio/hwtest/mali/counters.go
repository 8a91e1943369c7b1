package mali

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// counterTable says what the blocks count: which counter stands at which index (header included) and how it grows. The
// layout is one GPU's, a family's (csf, jm) or all; several stand with + between. The base is an amount of work, of
// which the counter is a share; or other counters of the block: "=14+2*9" is their sum, "<9+24" a share of it. So what
// is a part of something on hardware never exceeds it here, in no sample: the warps that are full, the quads that are
// killed. An index h1, h2, … is an amount that the hardware does not show.
//
//go:embed counters.csv
var counterTable []byte

// base is an amount of work from which counters are derived.
type base int

const (
	baseCycles base = iota // clock cycles while powered
	baseGPU                // cycles in which anything ran
	baseBin                // binning (vertex) work
	baseFrag               // fragment work
	baseComp               // compute work; in a core: everything that is no fragment
	baseAny                // in a core: any work
	baseOther              // binning and compute work
	baseCount
)

var baseNames = map[string]base{"cycles": baseCycles, "gpu": baseGPU, "bin": baseBin, "frag": baseFrag,
	"comp": baseComp, "any": baseAny, "other": baseOther}

// Indices of amounts that the hardware does not show lie behind those of the largest block.
const (
	hiddenIndex = 128
	maxIndex    = hiddenIndex + 8
)

// rule says how one counter grows: at ratio of a base, as the sum of other counters of its block, or at ratio of such a
// sum.
type rule struct {
	index int
	name  string
	base  base
	ratio float64
	terms []term // none: of the base
	whole bool   // the sum itself
}

// term is a counter of the block, so many times.
type term struct {
	index int
	times int64
}

// row is a line of the table.
type row struct {
	layouts []string
	block   string
	rule
}

var table = sync.OnceValue(func() []row {
	lines, err := csv.NewReader(bytes.NewReader(counterTable)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("table of counters: %v", err))
	}
	var out []row
	for _, l := range lines[1:] {
		r := row{layouts: strings.Split(l[0], "+"), block: l[1], rule: rule{index: indexOf(l[2]), name: l[3]}}
		if l[5] != "" {
			if r.ratio, err = strconv.ParseFloat(l[5], 64); err != nil {
				panic(fmt.Sprintf("table of counters: %v", err))
			}
		}
		switch l[4][0] {
		case '=', '<':
			r.terms, r.whole = termsOf(l[4][1:]), l[4][0] == '='
		default:
			b, ok := baseNames[l[4]]
			if !ok {
				panic(fmt.Sprintf("table of counters: no base is called %q", l[4]))
			}
			r.base = b
		}
		out = append(out, r)
	}
	return out
})

// indexOf reads an index, h for one of the hidden ones.
func indexOf(s string) int {
	rest, hidden := strings.CutPrefix(s, "h")
	n, err := strconv.Atoi(rest)
	if hidden {
		n += hiddenIndex
	}
	if err != nil || n >= maxIndex {
		panic(fmt.Sprintf("table of counters: %q is no index", s))
	}
	return n
}

var termForm = regexp.MustCompile(`^([+-])(?:(\d+)\*)?(h?\d+)`)

// termsOf reads a sum of counters.
func termsOf(s string) (out []term) {
	for s = "+" + strings.TrimPrefix(s, "+"); s != ""; {
		m := termForm.FindStringSubmatch(s)
		if m == nil {
			panic(fmt.Sprintf("table of counters: %q is no sum", s))
		}
		t := term{indexOf(m[3]), 1}
		if m[2] != "" {
			t.times = int64(indexOf(m[2]))
		}
		if m[1] == "-" {
			t.times = -t.times
		}
		out, s = append(out, t), s[len(m[0]):]
	}
	return out
}

// rulesFor are the counters of a block of a GPU, each behind those that it is made of. block is one of the table's
// names.
func rulesFor(layout, family, block string, values int) []rule {
	var found []rule
	for _, r := range table() {
		mine := slices.Contains(r.layouts, "all") || slices.Contains(r.layouts, family) ||
			slices.Contains(r.layouts, layout)
		if mine && r.block == block && (r.index < values || r.index >= hiddenIndex) {
			found = append(found, r.rule)
		}
	}
	var out []rule
	var place func(index, depth int)
	placed := map[int]bool{}
	place = func(index, depth int) {
		if placed[index] {
			return
		}
		at := slices.IndexFunc(found, func(r rule) bool { return r.index == index })
		if at < 0 || depth > len(found) {
			panic(fmt.Sprintf("table of counters: %s of %s is made of index %d, which the block lacks or which is made of itself", block, layout, index))
		}
		for _, t := range found[at].terms {
			place(t.index, depth+1)
		}
		placed[index] = true
		out = append(out, found[at])
	}
	for _, r := range found {
		place(r.index, 0)
	}
	return out
}
