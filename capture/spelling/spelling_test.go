package spelling

import (
	"strings"
	"testing"
)

func TestDistanceCountsASwapOnce(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"", "abc", 3, 3}, {"abc", "", 2, 3}, {"cycles", "cycles", 0, 0}, {"cycels", "cycles", 3, 1},
		{"cylces", "cycles", 1, 1},
		{"kitten", "sitting", 5, 3}, {"kitten", "sitting", 2, 3}, {"kitten", "sitting", 3, 3}, {"ab", "ba", 1, 1},
		{"UADD", "UDAD", 2, 1},
		{strings.Repeat("x", 200), strings.Repeat("x", 200), 5, 6},
	} {
		if got := Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}

func TestNearNamesAreFoundForSlipsOnly(t *testing.T) {
	names := []string{"cycles", "instructions", "context_switches", "page_faults", "cpu_idle"}
	for in, want := range map[string]string{"cycels": "cycles", "context-switch": "context_switches",
		"faults": "page_faults", "instrs": "", "zzz": ""} {
		got := Near(in, names)
		if strings.Join(got, " ") != want && (want == "" || got[0] != want) {
			t.Errorf("Near(%q) = %q, want %q first", in, got, want)
		}
		if first := Nearest(in, names); first != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, first, want)
		}
	}
}

// FuzzDistance holds what a distance must keep: it is the same both ways, 0 for equal words only, and a limit cuts it
// and no more.
func FuzzDistance(f *testing.F) {
	f.Add("kitten", "sitting", 2)
	f.Add("abcdef", "badcfe", 3)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if len(a) > longest || len(b) > longest || limit < 0 || limit > longest {
			return
		}
		whole := Distance(a, b, longest)
		if back := Distance(b, a, longest); back != whole {
			t.Fatalf("%q to %q is %d, back %d", a, b, whole, back)
		}
		if (whole == 0) != (a == b) {
			t.Fatalf("%q to %q is %d", a, b, whole)
		}
		if got := Distance(a, b, limit); got != min(whole, limit+1) {
			t.Fatalf("%q to %q within %d is %d, without limit %d", a, b, limit, got, whole)
		}
	})
}
