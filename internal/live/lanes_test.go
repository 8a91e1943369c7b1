package live

import (
	"testing"

	"astrolabe/capture"
)

// Counters of one title are told apart, and instances are called by what they are of, with a script for each.
func TestLanesAreToldApart(t *testing.T) {
	axis := &capture.Axis{Start: []int64{0, 10}, End: []int64{10, 20}}
	column := func() *capture.Column { return capture.NewColumn(capture.Data{U: []uint64{1, 2}}) }
	meta := func(name, title, instance string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Instance: instance, Kind: capture.Delta}
	}
	split := &capture.Counter{Meta: meta("busy", "Busy", ""), Axis: axis}
	for _, id := range []string{"card0", "card1"} {
		split.AddInstance(&capture.Counter{Meta: meta("busy", "Busy", id), Axis: axis, Col: column()})
	}
	c, err := capture.New(capture.Config{Axis: axis, Counters: []*capture.Counter{split,
		{Meta: meta("a", "Same", ""), Axis: axis, Col: column()}, {Meta: meta("b", "Same", ""), Axis: axis, Col: column()}}})
	if err != nil {
		t.Fatal(err)
	}
	for instances, want := range map[bool][][2]string{
		false: {{"Busy", `part["busy"]`}, {"Same (a)", `part["a"]`}, {"Same (b)", `part["b"]`}},
		true: {{"Busy", `part["busy"]`}, {"Busy [card0]", `part.counter("busy", instance="card0")`},
			{"Busy [card1]", `part.counter("busy", instance="card1")`}, {"Same (a)", `part["a"]`}, {"Same (b)", `part["b"]`}},
	} {
		_, counters, err := lanesOf(c, instances)
		if err != nil {
			t.Fatal(err)
		}
		lanes := bucketed(counters, 2).Lanes
		if len(lanes) != len(want) {
			t.Fatalf("instances %v: %d lanes, want %d", instances, len(lanes), len(want))
		}
		for i, l := range lanes {
			if l.Name != want[i][0] || l.Script != want[i][1] {
				t.Errorf("instances %v: lane %d is %q with %s, want %q", instances, i, l.Name, l.Script, want[i])
			}
		}
	}
}
