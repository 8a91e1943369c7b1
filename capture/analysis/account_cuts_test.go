package analysis

import (
	"math"
	"math/rand/v2"
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

// However stretches lie over each other, each nanosecond is the last one's that has it.
func TestCutsAreThoseOfEachNanosecond(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		const end, groups = 60, 5
		axis := &capture.Axis{}
		for at := r.Int64N(5); at < end; {
			long := 1 + r.Int64N(9)
			axis.Start, axis.End = append(axis.Start, at), append(axis.End, at+long)
			at += long + r.Int64N(3)
		}
		owner := make([]int32, end+20)
		for i := range owner {
			owner[i] = -1
		}
		var stretches []AccountStretch
		for range r.IntN(12) {
			at := r.Int64N(end)
			s := AccountStretch{at, at + r.Int64N(20), r.Int32N(groups)}
			stretches = append(stretches, s)
			for ns := s.Start; ns < s.End; ns++ {
				owner[ns] = s.Group
			}
		}
		of, cuts := CutSamples(axis, stretches)
		for i := range axis.Start {
			want, have := map[int32]float64{}, map[int32]float64{}
			for ns := axis.Start[i]; ns < axis.End[i]; ns++ {
				want[owner[ns]]++
			}
			for _, c := range cuts[i] {
				have[c.Group] += math.Round(c.Share * float64(axis.End[i]-axis.Start[i]))
			}
			if cuts[i] == nil {
				have[of[i]] = float64(axis.End[i] - axis.Start[i])
			}
			if of[i] != owner[axis.Start[i]] || !reflect.DeepEqual(have, want) {
				t.Fatalf("sample %d to %d of %v: %v in %d, want %v", axis.Start[i], axis.End[i], stretches, have, of[i], want)
			}
		}
	}
}
