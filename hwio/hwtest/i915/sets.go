package i915

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// sets.csv lists the published metric sets (Mesa's oa-kblgt2.xml and oa-kblgt3.xml, igt's oa-tglgt2.xml, MIT, Intel Corporation): for each
// its name, GUID, the numbers of its registers, FNV-1a of all of them in their order, and the flexible EU registers.
//
//go:embed sets.csv
var setsCSV string

// publishedSet is a row of sets.csv.
type publishedSet struct {
	part, name, guid     string
	mux, boolean, flexes int
	sum                  uint64
	flex                 []register
}

// register is a register write of a configuration.
type register struct{ addr, value uint32 }

var publishedSets = sync.OnceValue(func() []*publishedSet {
	rows, err := csv.NewReader(strings.NewReader(setsCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("sets.csv: %v", err))
	}
	var out []*publishedSet
	for _, r := range rows[1:] {
		s := &publishedSet{part: r[0], name: r[1], guid: r[2]}
		s.mux, s.boolean, s.flexes = int(parse(r[3], 10)), int(parse(r[4], 10)), int(parse(r[5], 10))
		s.sum = parse(r[6], 16)
		for _, f := range strings.Fields(r[7]) {
			a, v, _ := strings.Cut(f, "=")
			s.flex = append(s.flex, register{uint32(parse(a, 16)), uint32(parse(v, 16))})
		}
		out = append(out, s)
	}
	return out
})

func parse(s string, base int) uint64 {
	v, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		panic(fmt.Sprintf("sets.csv: %v", err))
	}
	return v
}

// findSet is the published set of a GUID for a part, nil where there is none.
func findSet(part, guid string) *publishedSet {
	for _, s := range publishedSets() {
		if s.part == part && s.guid == guid {
			return s
		}
	}
	return nil
}

// findSetNamed is the published set of a name for a part, nil where there is none.
func findSetNamed(part, name string) *publishedSet {
	for _, s := range publishedSets() {
		if s.part == part && s.name == name {
			return s
		}
	}
	return nil
}

// findWired is the published set of a part with these mux and boolean registers, nil where there is none. Sums are over
// the flexible registers too, so the set's own stand in for those that were uploaded.
func findWired(part string, mux, boolean []register) *publishedSet {
	for _, s := range publishedSets() {
		if s.part == part && s.isWired(mux, boolean) {
			return s
		}
	}
	return nil
}

// isWired says whether these are the set's mux and boolean registers.
func (s *publishedSet) isWired(mux, boolean []register) bool {
	return len(mux) == s.mux && len(boolean) == s.boolean && sum(mux, boolean, s.flex) == s.sum
}

// sum is FNV-1a over registers in their order, as in sets.csv.
func sum(lists ...[]register) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, l := range lists {
		for _, r := range l {
			for _, w := range [2]uint32{r.addr, r.value} {
				for range 4 {
					h = (h ^ uint64(w&0xff)) * 0x100000001b3
					w >>= 8
				}
			}
		}
	}
	return h
}
