package analysis

import (
	"reflect"
	"testing"

	"astrolabe/capture"
)

// Frames of 10 ns in samples of 4 ns: one sample in three or two lies in two frames, and each frame takes what it lasts.
func TestSamplesAreCutWhereFramesEnd(t *testing.T) {
	const samples, frames = 10, 4
	axis := &capture.Axis{}
	for i := range int64(samples) {
		axis.Start, axis.End = append(axis.Start, 4*i), append(axis.End, 4*i+4)
	}
	var stretches []AccountStretch
	for f := range int64(frames) {
		stretches = append(stretches, AccountStretch{10 * f, 10*f + 10, int32(f)})
	}
	of, cuts := CutSamples(axis, stretches)
	if want := []int32{0, 0, 0, 1, 1, 2, 2, 2, 3, 3}; !reflect.DeepEqual(of, want) {
		t.Errorf("groups %v, want %v", of, want)
	}
	want := map[int][]AccountCut{2: {{0, 0.5}, {1, 0.5}}, 7: {{2, 0.5}, {3, 0.5}}}
	if !reflect.DeepEqual(cuts, want) {
		t.Errorf("cuts %v, want %v", cuts, want)
	}
	in := &AccountInput{Group: of, Groups: frames, Cuts: cuts}
	for i := range samples {
		in.Length = append(in.Length, axis.Interval(i))
		in.Active = append(in.Active, 1)
	}
	found, err := Account(*in)
	if err != nil {
		t.Fatal(err)
	}
	for f, row := range found.ByGroup {
		sum := int64(0)
		for _, ns := range row {
			sum += ns
		}
		if sum != 10 {
			t.Errorf("frame %d took %d ns, want 10", f, sum)
		}
	}
}

func TestCutsOfSamples(t *testing.T) {
	for _, tc := range []struct {
		name      string
		axis      *capture.Axis
		stretches []AccountStretch
		of        []int32
		cuts      map[int][]AccountCut
	}{
		{"nothing to divide", &capture.Axis{Start: []int64{0}, End: []int64{4}}, nil, []int32{-1}, nil},
		{"the later of two that overlap has the time", &capture.Axis{Start: []int64{0, 4}, End: []int64{4, 8}},
			[]AccountStretch{{0, 8, 0}, {3, 4, 1}}, []int32{0, 0}, map[int][]AccountCut{0: {{0, 0.75}, {1, 0.25}}}},
		{"what lies in none belongs to none", &capture.Axis{Start: []int64{0, 4}, End: []int64{4, 8}},
			[]AccountStretch{{2, 6, 0}}, []int32{-1, 0}, map[int][]AccountCut{0: {{-1, 0.5}, {0, 0.5}}, 1: {{0, 0.5}, {-1, 0.5}}}},
		{"neighbours of one group are no cut", &capture.Axis{Start: []int64{0}, End: []int64{4}},
			[]AccountStretch{{0, 2, 0}, {2, 9, 0}}, []int32{0}, nil},
		{"a stretch without a length has nothing", &capture.Axis{Start: []int64{0}, End: []int64{4}},
			[]AccountStretch{{2, 2, 0}}, []int32{-1}, nil},
		{"samples that overlap are not cut", &capture.Axis{Start: []int64{0, 2}, End: []int64{4, 6}},
			[]AccountStretch{{0, 3, 0}, {3, 9, 1}}, []int32{0, 0}, nil},
	} {
		of, cuts := CutSamples(tc.axis, tc.stretches)
		if !reflect.DeepEqual(of, tc.of) || !reflect.DeepEqual(cuts, tc.cuts) {
			t.Errorf("%s: %v %v, want %v %v", tc.name, of, cuts, tc.of, tc.cuts)
		}
	}
}
