package capture

import (
	"hash/maphash"
	"math/bits"
)

// nameIndex finds counters by their names. It holds positions only, because every window of a capture has an index of
// its own, and a wide table a million names.
type nameIndex struct {
	slots []int32 // a power of two of them; one more than the position of a counter, 0 for none
	seed  maphash.Seed
}

// newNameIndex returns an index for n counters.
func newNameIndex(n int) nameIndex {
	return nameIndex{slots: make([]int32, 1<<bits.Len(uint(n+n/2))), seed: maphash.MakeSeed()}
}

// slot is where the counter of that name is, or would be.
func (x *nameIndex) slot(all []*Counter, name string) *int32 {
	most := len(x.slots) - 1
	for i := int(maphash.String(x.seed, name)) & most; ; i = (i + 1) & most {
		if k := x.slots[i]; k == 0 || all[k-1].Name == name {
			return &x.slots[i]
		}
	}
}

// add enters counter i. It returns the position of one that has its name already, else -1.
func (x *nameIndex) add(all []*Counter, i int) int {
	s := x.slot(all, all[i].Name)
	if *s != 0 {
		return int(*s) - 1
	}
	*s = int32(i + 1)
	return -1
}

// find is the position of the counter of that name, -1 where there is none.
func (x *nameIndex) find(all []*Counter, name string) int {
	if len(x.slots) == 0 {
		return -1
	}
	return int(*x.slot(all, name)) - 1
}
