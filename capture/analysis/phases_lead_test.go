package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDrawsAreCutWhereAnotherThingLeadsThem(t *testing.T) {
	leads := func(text string) (code []int32) {
		for _, r := range text {
			code = append(code, int32(r-'a'))
		}
		return code
	}
	same := func(n int) []int64 { return slices.Repeat([]int64{1000}, n) }
	for _, x := range []struct {
		text string
		want []int
	}{
		{"aab", []int{2}},
		{"aaaaaaaabbbbbb", []int{8}},
		{"aaacaaaabbbcbbbbb", []int{8}},     // single draws of another kind are in both
		{"abababababcdcdcdcdcd", []int{10}}, // draws take turns with dispatches
		{"abababababababababab", nil},       // all along
		{"aaaaaaaa", nil},                   // nothing changes
		{"aaaaaaaabbbbbbbbcccccccc", []int{8, 16}},
		{"a", nil},
		{"", nil},
	} {
		if got := LeadPhases(leads(x.text), same(len(x.text)), 12, 0.01); !slices.Equal(got, x.want) {
			t.Errorf("%q is cut at %v, want %v", x.text, got, x.want)
		}
	}
	if got := LeadPhases(leads("aaaaaaaabbbbbbbbcccccccc"), same(24), 2, 0.01); len(got) != 1 {
		t.Errorf("of two phases at most there are cuts at %v", got)
	}
	if got := LeadPhases(leads("aaaab"), []int64{1e6, 1e6, 1e6, 1e6, 1}, 12, 0.01); len(got) > 0 {
		t.Errorf("a draw without a hundredth of the time is a phase: %v", got)
	}
	if got := LeadPhases(leads("aab"), []int64{0, 0, 0}, 12, 0); len(got) > 0 {
		t.Errorf("samples without lengths are cut at %v", got)
	}
}

func TestDrawsInNoOrderAreHardlyCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for range 200 {
		code, length := make([]int32, 60), make([]int64, 60)
		for i := range code {
			code[i], length[i] = int32(r.IntN(3))-int32(r.IntN(2)), 1000+r.Int64N(1000) // some are led by nothing
		}
		if len(LeadPhases(code, length, 12, 0.01)) > 0 {
			cut++
		}
	}
	if cut > 20 {
		t.Errorf("%d of 200 sequences in no order are cut", cut)
	}
}
