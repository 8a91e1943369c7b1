package lanes

import (
	"fmt"
	"testing"
)

func TestOverlappingIntervalsGetLanesOfTheirOwn(t *testing.T) {
	at := [][2]int64{{0, 10}, {5, 15}, {10, 20}, {15, 12}, {-3, 2}}
	got := Spread(len(at), func(i int) (start, end int64) { return at[i][0], at[i][1] })
	if want := "[[4 1 3] [0 2]]"; fmt.Sprint(got) != want {
		t.Errorf("lanes %v, want %s", got, want)
	}
	if got := Spread(0, nil); len(got) != 0 {
		t.Errorf("lanes %v of nothing", got)
	}
}
