package memory

import "testing"

func TestPagesThatArePopulatedKeepTheirValues(t *testing.T) {
	values := make([]uint64, 100_000)
	for i := range values {
		values[i] = uint64(i)
	}
	for _, r := range [][2]int{{0, 0}, {0, 1}, {3, 500}, {0, 100_000}, {511, 1025}, {513, 99_999}} {
		Populate(values[r[0]:r[1]])
	}
	Populate(nil)
	for i, v := range values {
		if v != uint64(i) {
			t.Fatalf("value %d is %d", i, v)
		}
	}
}
