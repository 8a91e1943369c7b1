package main

import (
	"strings"
	"testing"
)

// Prism keeps a processor busy as long as a bundle without output is worked on: only what is done at once has none.
func TestWorkOnCapturesHasAnOutput(t *testing.T) {
	for _, groups := range []bool{false, true} {
		edges, _, err := pipeline("/nowhere", 3, groups).Build()
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for _, e := range edges {
			if e.DoFn == nil || !strings.HasSuffix(e.DoFn.Name(), "workFn") && !strings.HasSuffix(e.DoFn.Name(), "groupFn") {
				continue
			}
			seen = true
			for _, o := range e.Output {
				read := false
				for _, other := range edges {
					for _, in := range other.Input {
						read = read || in.From == o.To
					}
				}
				if !read {
					t.Errorf("nobody reads what %s emits", e.DoFn.Name())
				}
			}
			if len(e.Output) == 0 {
				t.Errorf("%s has no output", e.DoFn.Name())
			}
		}
		if !seen {
			t.Error("nothing works on captures")
		}
	}
}
