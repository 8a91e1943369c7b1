package metrics

import (
	"slices"
	"testing"
)

func TestMessagesOfUnknownNamesReadAsSentences(t *testing.T) {
	for _, c := range []struct {
		err  UnknownError
		want string
	}{
		{UnknownError{Name: "x"}, `no counter or metric "x"`},
		{UnknownError{Name: "x", Note: "it has no instances"}, `no counter or metric "x": it has no instances`},
		{UnknownError{Name: "x", Note: "(this capture is of cpu)"}, `no counter or metric "x" (this capture is of cpu)`},
		{UnknownError{Name: "x", Near: []string{"y"}, Note: "(this capture is of cpu)"}, `no counter or metric "x"; did you mean y? (this capture is of cpu)`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// "nope" is in "Slots withOUT AN OPEration" only where the spaces are left out.
func TestANameIsLikeWholeWordsOfATitle(t *testing.T) {
	titles := []string{"Slots without an operation", "Fragment queue utilization", "MaliGPUCyclesFragmentQueueActive"}
	for name, want := range map[string][]string{
		"nope":           nil,
		"peration":       titles[:1],
		"queueUtil":      titles[1:2],
		"fragment_queue": titles[1:],
	} {
		if got := nearest(name, titles, 5); !slices.Equal(got, want) {
			t.Errorf("%q is like %q, want %q", name, got, want)
		}
	}
}
