package mali

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// counterTable says what the blocks count: which counter stands at which index (header included) and how fast it grows.
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
	baseCount
)

var baseNames = map[string]base{"cycles": baseCycles, "gpu": baseGPU, "bin": baseBin, "frag": baseFrag, "comp": baseComp, "any": baseAny}

// rule says how one counter grows: at ratio of a base, or as the sum of other counters of its block.
type rule struct {
	index int
	name  string
	base  base
	ratio float64
	sum   []int
}

type ruleKey struct{ layout, block string }

var rules = sync.OnceValue(func() map[ruleKey][]rule {
	rows, err := csv.NewReader(bytes.NewReader(counterTable)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("table of counters: %v", err))
	}
	out := map[ruleKey][]rule{}
	for _, r := range rows[1:] {
		x := rule{index: atoi(r[2]), name: r[3]}
		if list, ok := strings.CutPrefix(r[4], "="); ok {
			for s := range strings.SplitSeq(list, "+") {
				x.sum = append(x.sum, atoi(s))
			}
		} else {
			b, ok := baseNames[r[4]]
			if !ok {
				panic(fmt.Sprintf("table of counters: no base is called %q", r[4]))
			}
			if x.ratio, err = strconv.ParseFloat(r[5], 64); err != nil {
				panic(fmt.Sprintf("table of counters: %v", err))
			}
			x.base = b
		}
		k := ruleKey{r[0], r[1]}
		out[k] = append(out[k], x)
	}
	return out
})

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(fmt.Sprintf("table of counters: %v", err))
	}
	return n
}

// rulesFor are the counters of a block, plain ones before sums. block is one of the table's names.
func rulesFor(layout, block string, values int) []rule {
	layouts := []string{"all", layout}
	if layout != "jm" {
		layouts = append(layouts, "csf")
	}
	var plain, sums []rule
	for _, l := range layouts {
		for _, r := range rules()[ruleKey{l, block}] {
			switch {
			case r.index >= values:
			case r.sum != nil:
				sums = append(sums, r)
			default:
				plain = append(plain, r)
			}
		}
	}
	return append(plain, sums...)
}
