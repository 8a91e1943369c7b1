package metrics

import "testing"

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
