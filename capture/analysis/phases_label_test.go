package analysis

import (
	"fmt"
	"testing"

	"astrolabe/capture"
)

// kernels is an axis of samples of 1 ms, and a label of one letter for each; a dot is none.
func kernels(text string) (*capture.Axis, *capture.Label) {
	a, l := &capture.Axis{}, &capture.Label{Name: "kernel"}
	codes := map[rune]int32{'.': -1}
	for i, k := range text {
		if _, ok := codes[k]; !ok {
			codes[k] = int32(len(l.Dict))
			l.Dict = append(l.Dict, string(k))
		}
		a.Start, a.End = append(a.Start, int64(i)*1e6), append(a.End, int64(i+1)*1e6)
		l.Codes = append(l.Codes, codes[k])
	}
	return a, l
}

func TestPhasesAreCutWhereNoKernelComesAgain(t *testing.T) {
	for _, c := range []struct {
		text  string
		also  []int
		least int64
		want  string
	}{
		{"aaaabbbb", nil, 1e6, "[0 4]"},
		{"abababcdcd", nil, 1e6, "[0 6]"}, // within each the kernels take turns
		{"abcabcabc", nil, 1e6, "[0]"},    // what comes back is no phase
		{"aaabbba", nil, 1e6, "[0]"},
		{"aaaaabccccc", nil, 3e6, "[0 5]"}, // a short one belongs to those behind it
		{"aaaaacc", nil, 3e6, "[0]"},       // and a short end to the whole
		{"caaaaabbbb", nil, 3e6, "[0 6]"},  // and a short beginning to those behind it
		{"..aa..bb..", nil, 1e6, "[0 6]"},  // without a name
		{"aaaaaaaabbbb", []int{0, 4}, 2e6, "[0 4 8]"},
		{"aaaaaaaabbbb", []int{0, 7}, 2e6, "[0 8]"}, // the same change, seen a sample off
		{"", nil, 1e6, "[]"},
	} {
		a, l := kernels(c.text)
		var also []capture.Span
		for _, first := range c.also {
			also = append(also, capture.Span{First: first})
		}
		got, next := []int{}, 0
		for _, s := range LabelPhases(a, l, false, also, c.least) {
			if s.First != next || s.Start != a.Start[s.First] || s.End != a.End[s.Last] {
				t.Errorf("%s: %+v does not follow the phase before it", c.text, s)
			}
			got, next = append(got, s.First), s.Last+1
		}
		if next != len(c.text) {
			t.Errorf("%s: the phases end at sample %d", c.text, next)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s, also %v, at least %d ns: phases begin at %v, want %s", c.text, c.also, c.least, got, c.want)
		}
	}
}

func TestLoopsAreCutApart(t *testing.T) {
	for text, want := range map[string]string{
		"abababcdcdcd": "[0 6]",
		"abcdefghijkl": "[0]",   // nothing comes again
		"xababycdcdcd": "[0 5]", // what comes once prepares what is behind it
		"ababcdxyzuvw": "[0]",   // one loop
		"aabbccddeeff": "[0]",   // what comes again by chance
		"abxabycdzcdv": "[0 5]", // most of what is in them
		"axyzacvwucst": "[0]",
		".abab.cdcd.c": "[0 6]",
	} {
		a, l := kernels(text)
		got := []int{}
		for _, s := range LabelPhases(a, l, true, nil, 1e6) {
			got = append(got, s.First)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: phases begin at %v, want %s", text, got, want)
		}
	}
}

// TestPhasesOfShortKernelsLastAsTheirSpansDo has kernels that take a thousandth of the time between them.
func TestPhasesOfShortKernelsLastAsTheirSpansDo(t *testing.T) {
	a, l := kernels("aaaaaaaabbbbbbbb")
	for i := 8; i < 16; i++ {
		a.End[i] = a.Start[i] + 1000
	}
	if got := LabelPhases(a, l, false, nil, 2e6); len(got) != 2 || got[1].First != 8 {
		t.Errorf("phases %+v, want one from sample 8 on", got)
	}
}
