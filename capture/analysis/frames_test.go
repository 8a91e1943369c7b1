package analysis

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"astrolabe/capture"
)

// labelledCapture has a sample of 1 ms for each value of the label frame, "" being none, and a counter that is 1 in
// each.
func labelledCapture(t *testing.T, frames []string, regions ...capture.Region) *capture.Capture {
	t.Helper()
	a := capture.NewUniformAxis(len(frames), 1e6)
	v := make([]uint64, len(frames))
	for i := range v {
		v[i] = 1
	}
	c, err := capture.New(capture.Config{Axis: a, Regions: regions,
		Labels: []*capture.Label{capture.NewLabel("frame", frames, func(i int) bool { return frames[i] != "" })},
		Counters: []*capture.Counter{{Meta: capture.Meta{Name: "work"}, Axis: a,
			Col: capture.NewColumn(capture.Data{U: v})}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// groups are the length and the work of every frame as group_by("frame") has them.
func groups(t *testing.T, c *capture.Capture) map[string][2]float64 {
	t.Helper()
	list, err := c.GroupBy("frame")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][2]float64{}
	for _, g := range list {
		if !g.Missing {
			out[g.Key] = [2]float64{float64(g.Capture.Duration()) / 1e9, g.Capture.Counter("work").Total().Float()}
		}
	}
	return out
}

// The longest frame of a report once was not the longest of group_by("frame").
func TestFramesOfALabelAreThoseOfItsGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, frames := range map[string][]string{
		"one after the other":          {"0", "0", "1", "1", "1", "2"},
		"interrupted by nothing":       {"0", "0", "", "0", "1", "", "", "1", "2"},
		"two in flight":                {"0", "0", "1", "0", "1", "1", "2", "1", "2", "2"},
		"three in flight":              {"0", "1", "2", "0", "1", "2", "1", "2", "3", "2"},
		"without samples before it":    {"", "", "7", "7", "8"},
		"random neighbours change":     nil,
		"of one sample each":           {"a", "b", "c"},
		"the last one is interrupted":  {"4", "4", "5", "", "5"},
		"none begins the recording":    {"", "1", "1"},
		"numbers that are out of step": {"10", "10", "8", "8", "9"},
	} {
		if frames == nil {
			at := 0
			for range 300 {
				if r.IntN(4) == 0 {
					at++
				}
				frames = append(frames, strconv.Itoa(max(0, at-r.IntN(2))))
			}
		}
		c := labelledCapture(t, frames)
		per, err := PerFrame(c)
		if err != nil {
			t.Fatal(err)
		}
		want := groups(t, c)
		if per.Len() != len(want) {
			t.Errorf("%s: %d frames, group_by has %d", name, per.Len(), len(want))
			continue
		}
		label, lengths, work := per.Label("frame"), per.Counter(frameDuration), per.Counter("work")
		for i := range per.Len() {
			key, _ := label.Value(i)
			if got := [2]float64{lengths.Value(i).Float(), work.Value(i).Float()}; got != want[key] {
				t.Errorf("%s: frame %s is %v, its group %v", name, key, got, want[key])
			}
		}
		if list := Frames(c); len(list) != len(want) {
			t.Errorf("%s: Frames lists %d of %d", name, len(list), len(want))
		}
	}
}

func TestFramesOfASecondRunAreFramesOfTheirOwn(t *testing.T) {
	var frames []string
	for range 2 {
		for f := range 6 {
			frames = append(frames, string(rune('0'+f)), string(rune('0'+f)))
		}
	}
	if got := Frames(labelledCapture(t, frames)); len(got) != 12 {
		t.Errorf("%d frames of two runs of six", len(got))
	}
}

func TestMarkedFramesKeepTheirTimesAndTheSamplesOfTheirLabel(t *testing.T) {
	// As record --marks makes them: regions at the time of the marks, the label by the middle of samples.
	regions := []capture.Region{{Name: "frame 1", Start: 400_000, End: 2_600_000},
		{Name: "frame 2", Start: 2_600_000, End: 5_400_000}, {Name: "frame setup", Start: 2_700_000, End: 3e6}}
	c := labelledCapture(t, []string{"1", "1", "1", "2", "2", "3"}, regions...)
	per, err := PerFrame(c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var lengths, work []float64
	for i := range per.Len() {
		name, _ := per.Label("frame").Value(i)
		names = append(names, name)
		lengths = append(lengths, per.Counter(frameDuration).Value(i).Float())
		work = append(work, per.Counter("work").Value(i).Float())
	}
	if !slices.Equal(names, []string{"1", "2", "3"}) || !slices.Equal(lengths, []float64{0.0022, 0.0028, 0.001}) ||
		!slices.Equal(work, []float64{3, 2, 1}) {
		t.Errorf("frames %v of %v with %v", names, lengths, work)
	}
}

func TestFramesWithoutANumberAreCounted(t *testing.T) {
	c := labelledCapture(t, make([]string, 4), capture.Region{Name: "frame", Start: 0, End: 2e6},
		capture.Region{Name: "frame", Start: 2e6, End: 4e6}, capture.Region{Name: "frame end", Start: 3e6, End: 4e6})
	per, err := PerFrame(c)
	if err != nil {
		t.Fatal(err)
	}
	list, err := per.GroupBy("frame")
	if err != nil || len(list) != 2 || list[0].Key != "0" || list[1].Key != "1" {
		t.Errorf("%+v, %v", list, err)
	}
}
