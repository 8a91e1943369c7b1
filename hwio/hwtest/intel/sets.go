package intel

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// sets.csv lists the published metric sets (igt-gpu-tools' oa-*.xml, MIT, Intel Corporation): for each its name, GUID,
// format of reports, the numbers of its registers, FNV-1a of all of them in their order, and the flexible EU registers.
//
//go:embed sets.csv
var setsCSV string

// Set is a published metric set of a part: a row of sets.csv.
type Set struct {
	Part, Name, GUID, Format string
	Mux, Boolean             int // numbers of registers
	Flex                     []Register
	Sum                      uint64
}

// Register is a register write of a configuration.
type Register struct{ Address, Value uint32 }

// Sets are the published metric sets of all parts.
var Sets = sync.OnceValue(func() []*Set {
	rows, err := csv.NewReader(strings.NewReader(setsCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("sets.csv: %v", err))
	}
	number := func(s string, base int) uint64 {
		v, err := strconv.ParseUint(s, base, 64)
		if err != nil {
			panic(fmt.Sprintf("sets.csv: %v", err))
		}
		return v
	}
	var out []*Set
	for _, r := range rows[1:] {
		s := &Set{Part: r[0], Name: r[1], GUID: r[2], Format: r[3], Mux: int(number(r[4], 10)),
			Boolean: int(number(r[5], 10)), Sum: number(r[7], 16)}
		for _, f := range strings.Fields(r[8]) {
			a, v, _ := strings.Cut(f, "=")
			s.Flex = append(s.Flex, Register{uint32(number(a, 16)), uint32(number(v, 16))})
		}
		if len(s.Flex) != int(number(r[6], 10)) {
			panic(fmt.Sprintf("sets.csv: %s %s has %d flexible registers", s.Part, s.Name, len(s.Flex)))
		}
		out = append(out, s)
	}
	return out
})

// findSet is the first published set of a part for which a condition holds, nil where there is none.
func findSet(part string, holds func(*Set) bool) *Set {
	for _, s := range Sets() {
		if s.Part == part && holds(s) {
			return s
		}
	}
	return nil
}

// Sum is FNV-1a over registers in their order, as in sets.csv.
func Sum(lists ...[]Register) uint64 {
	h := uint64(offset64)
	for _, l := range lists {
		for _, r := range l {
			h = mix(mix(h, r.Address), r.Value)
		}
	}
	return h
}

// Constants of FNV-1a.
const (
	offset64 = 0xcbf29ce484222325
	prime64  = 0x100000001b3
)

// mix goes on with a hash by the four bytes of a word.
func mix(h uint64, w uint32) uint64 {
	for range 4 {
		h = (h ^ uint64(w&0xff)) * prime64
		w >>= 8
	}
	return h
}
