package documents

import (
	"testing"

	"astrolabe/plots/charts"
)

func TestLanesThatWereAskedForStandFirstAndOnce(t *testing.T) {
	of := func(name string) charts.Series {
		return charts.Series{Name: name, Start: []int64{0, 10}, End: []int64{10, 20}, Y: []float64{1, 2}}
	}
	p, err := charts.Timeline(charts.TimelineOptions{}, of("two"), of("three"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Lanes: []charts.Series{of("one"), of("one"), {Name: "without samples"}}, Items: []Item{Chart{p}}}
	list, _ := (&htmlWriter{r: r}).drawn()
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if len(names) != 3 || names[0] != "one" || names[1] != "two" || names[2] != "three" {
		t.Errorf("lanes %q", names)
	}
}

func TestNotesAndMarksOfATimelineAreBandsToJumpTo(t *testing.T) {
	s := charts.Series{Name: "a", Start: []int64{0, 10}, End: []int64{10, 20}, Y: []float64{1, 2}}
	p, err := charts.Timeline(charts.TimelineOptions{Marks: []charts.Mark{{At: 5, Label: "loads\u202e the level", Note: true},
		{At: 7, Label: "a mark"}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	_, bands := (&htmlWriter{r: &Report{Items: []Item{Chart{p}}}}).drawn()
	if len(bands) != 2 || bands[0].Kind != "note" || bands[0].Label != "loadsU+202E the level" || bands[0].Start != 5 ||
		bands[0].End != 5 || bands[1].Kind != "mark" {
		t.Errorf("bands %+v", bands)
	}
}
