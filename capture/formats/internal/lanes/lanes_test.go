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

func TestNestedIntervalsStackAndOthersGetLanes(t *testing.T) {
	at := [][2]int64{{0, 100}, {10, 20}, {12, 18}, {20, 30}, {90, 110}, {95, 105}, {0, 100}, {110, 110}}
	depth, lane := Stack(len(at), func(i int) (start, end int64) { return at[i][0], at[i][1] })
	if want := "[0 2 3 2 0 1 1 0]"; fmt.Sprint(depth) != want {
		t.Errorf("depths %v, want %s", depth, want)
	}
	if want := "[0 0 0 0 1 1 0 0]"; fmt.Sprint(lane) != want {
		t.Errorf("lanes %v, want %s", lane, want)
	}
}

// TestAStaircaseOfOverlapsIsBounded has 20,000 intervals, each of which overlaps all others without nesting.
func TestAStaircaseOfOverlapsIsBounded(t *testing.T) {
	const n = 20000
	_, lane := Stack(n, func(i int) (start, end int64) { return int64(i), int64(i + n) })
	if lane[n-1] != mostStacks-1 {
		t.Errorf("lane %d", lane[n-1])
	}
}

func TestTracksKeepTheirNamesAndOrder(t *testing.T) {
	at := [][2]int64{{0, 10}, {5, 15}, {0, 10}, {2, 5}, {4, 12}}
	track := []string{"", "", "thread 7", "thread 7", "thread 7"}
	got := Tracks(len(at), "regions", func(i int) string {
		return track[i]
	}, func(i int) (start, end int64) { return at[i][0], at[i][1] })
	if want := "[{regions [0]} {regions [1]} {thread 7 [2 3]} {thread 7 #2 [4]}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
