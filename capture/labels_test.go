package capture

import (
	"fmt"
	"slices"
	"testing"
)

func TestTheEmptyTextIsNoLabel(t *testing.T) {
	a := &Axis{Start: []int64{0, 1, 2, 3, 4}, End: []int64{1, 2, 3, 4, 5}}
	given := &Label{Name: "frame", Codes: []int32{1, 0, 2, 1, -1}, Dict: []string{"a", "", "b"}}
	c, err := New(Config{Axis: a, Labels: []*Label{given}})
	if err != nil {
		t.Fatal(err)
	}
	values := func(c *Capture) (out []string) {
		l := c.Label("frame")
		for i := range c.Len() {
			v, ok := l.Value(i)
			out = append(out, fmt.Sprint(v, ok))
		}
		return out
	}
	if got, want := values(c), []string{"false", "atrue", "btrue", "false", "false"}; !slices.Equal(got, want) {
		t.Errorf("labels are %q, want %q", got, want)
	}
	if slices.Contains(c.Label("frame").Dict, "") || len(given.Dict) != 3 || given.Codes[0] != 1 {
		t.Errorf("dictionary %q; that given has become %q", c.Label("frame").Dict, given.Dict)
	}
	groups, err := c.GroupBy("frame")
	if err != nil || len(groups) != 3 || !groups[0].Missing || groups[0].Capture.Len() != 3 || groups[1].Key != "a" {
		t.Errorf("groups %+v, %v", groups, err)
	}
	part, err := c.Slice(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := values(part), []string{"atrue", "btrue", "false", "false"}; !slices.Equal(got, want) {
		t.Errorf("labels of a slice are %q, want %q", got, want)
	}
	made := NewLabel("x", []string{"", "u", ""}, nil)
	if !slices.Equal(made.Codes, []int32{-1, 0, -1}) {
		t.Errorf("coded as %v", made.Codes)
	}
}
