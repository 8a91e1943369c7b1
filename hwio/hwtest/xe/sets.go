package xe

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// sets.csv lists the published metric sets (igt-gpu-tools' oa-lnl.xml, MIT, Intel Corporation): for each its name, GUID,
// format of reports, the number of its registers, and FNV-1a of them in the order of their upload.
//
//go:embed sets.csv
var setsCSV string

// publishedSet is a row of sets.csv.
type publishedSet struct {
	name, guid, format string
	registers          int
	sum                uint64
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
		n, err := strconv.Atoi(r[4])
		sum, err2 := strconv.ParseUint(r[5], 16, 64)
		if err != nil || err2 != nil {
			panic(fmt.Sprintf("sets.csv: %v, %v", err, err2))
		}
		out = append(out, &publishedSet{name: r[1], guid: r[2], format: r[3], registers: n, sum: sum})
	}
	return out
})

// findSet is the published set of a GUID, nil where there is none.
func findSet(guid string) *publishedSet {
	for _, s := range publishedSets() {
		if s.guid == guid {
			return s
		}
	}
	return nil
}

// sum is FNV-1a over registers in their order, as in sets.csv.
func sum(list []register) uint64 {
	h := uint64(offset64)
	for _, r := range list {
		h = mix(mix(h, r.addr), r.value)
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
