package emulated

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"astrolabe/capture"
)

// Unit is one unit of the hardware, such as a shader core, with what the truth says that its counters counted.
type Unit struct {
	Kind   string   // such as "core": its counter 7 has the name or alias "core_7"
	Number int      // the instance, where there are several of a kind
	Values []uint64 // by counter
}

// maxWrong is how many wrong counters are told one by one.
const maxWrong = 10

// HoldUnits compares the total of every counter of the units, from the first on, which is not a header's, with the
// truth. scale, which may be nil, is what the truth is multiplied by for a counter that was found under a name.
func HoldUnits(t testing.TB, c *capture.Capture, units []Unit, first int,
	scale func(ctr *capture.Counter, name string) uint64) (compared, equal, nonzero int) {
	t.Helper()
	several := map[string]int{}
	for _, u := range units {
		several[u.Kind]++
	}
	byName := map[string]*capture.Counter{}
	for _, ctr := range c.Counters {
		for _, name := range append(slices.Clone(ctr.Aliases), ctr.Name) {
			byName[name] = ctr
		}
	}
	for _, u := range units {
		for index := first; index < len(u.Values); index++ {
			name := fmt.Sprintf("%s_%d", u.Kind, index)
			ctr, want := byName[name], u.Values[index]
			if ctr != nil && scale != nil {
				want *= scale(ctr, name)
			}
			if ctr != nil && several[u.Kind] > 1 {
				ctr = ctr.Instance(strconv.Itoa(u.Number))
			}
			if ctr == nil {
				t.Fatalf("no counter %s of unit %d", name, u.Number)
			}
			compared++
			if want != 0 {
				nonzero++
			}
			if got, ok := ctr.Sum().Uint64(); got == want && (ok || want == 0) {
				equal++
			} else if t.Errorf("%s of unit %d is %d in all, the truth is %d", name, u.Number, got,
				want); compared-equal == maxWrong {
				t.FailNow()
			}
		}
	}
	return compared, equal, nonzero
}

// InOrder fails where a sample takes no time, or begins before the recording or before the sample before it ended.
func InOrder(t testing.TB, c *capture.Capture) {
	t.Helper()
	before := int64(0)
	for i := range c.Len() {
		start, end := c.Axis.Start[i], c.Axis.End[i]
		if end <= start || start < before {
			t.Fatalf("sample %d lies in [%d, %d) ns, the one before ends at %d", i, start, end, before)
		}
		before = end
	}
}
