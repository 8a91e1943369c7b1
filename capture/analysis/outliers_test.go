package analysis

import (
	"math"
	"slices"
	"testing"

	"astrolabe/capture"
)

func indexes(list []Outlier) []int {
	var out []int
	for _, o := range list {
		out = append(out, o.Index)
	}
	return out
}

func TestOutliersAreFarFromTheMedian(t *testing.T) {
	nan := math.NaN()
	many := slices.Repeat([]float64{16, 17, 16, 15}, 25)
	many[40], many[41] = 33, 3
	rare := slices.Repeat([]float64{16}, 100)
	rare[7] = 17   // 6 % longer: not worth a word
	rare[9] = 18.5 // 15 %
	for _, x := range []struct {
		name string
		v    []float64
		side Side
		want []int
	}{
		{"high", many, high, []int{40}},
		{"low", many, low, []int{41}},
		{"both", many, both, []int{40, 41}},
		{"no spread", rare, high, []int{9}},
		{"zeros with one", append(zeros(50), 1), high, []int{50}},
		{"missing", []float64{nan, nan}, high, nil},
		{"constant", zeros(5), both, nil},
		{"none", nil, high, nil},
		{"huge", []float64{math.MaxFloat64, -math.MaxFloat64, 0, 1}, both, nil},
		{"one", []float64{5}, both, nil},
	} {
		if got := indexes(Outliers(x.v, DefaultOutlierScore, x.side)); !slices.Equal(got, x.want) {
			t.Errorf("%s: %d, want %d", x.name, got, x.want)
		}
	}
	if o := Outliers(many, 5, high)[0]; math.Abs(o.Score-17/1.4826) > 0.01 && math.Abs(o.Score-17/0.32) > 0.01 {
		t.Errorf("score %v", o.Score)
	}
}

func TestPerFrameHasOneSampleForEachFrame(t *testing.T) {
	axis := capture.NewUniformAxis(10, 1e6)
	counter := &capture.Counter{Meta: capture.Meta{Name: "c"}, Axis: axis,
		Col: capture.NewColumn(capture.Data{U: []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}})}
	byRegion := capture.Config{Axis: axis, Counters: []*capture.Counter{counter},
		Regions: []capture.Region{{Name: "frame 7", Start: 0, End: 35e5}, {Name: "scene", Start: 0, End: 1e7},
			{Name: "frame 8", Start: 35e5, End: 1e7}}}
	byLabel := capture.Config{Axis: axis, Counters: []*capture.Counter{counter},
		Labels: []*capture.Label{capture.NewLabel("frame", []string{"7", "7", "7", "7", "8", "8", "8", "8", "8", "8"},
			nil)}}
	for name, cfg := range map[string]capture.Config{"region": byRegion, "label": byLabel} {
		c, err := capture.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := PerFrame(c)
		if err != nil {
			t.Fatal(err)
		}
		if v := got.Counters[0].Floats(); !slices.Equal(v, []float64{10, 45}) {
			t.Errorf("%s: values %v, want 10 and 45", name, v)
		}
		if d := got.Counter(frameDuration).Floats(); len(d) != 2 || d[0]+d[1] != 0.01 {
			t.Errorf("%s: durations %v, want two that make 10 ms", name, d)
		}
		if v, _ := got.Label("frame").Value(1); v != "8" {
			t.Errorf("%s: the second frame is called %q", name, v)
		}
	}
	c, _ := capture.New(capture.Config{Axis: axis, Counters: []*capture.Counter{counter}})
	if got, err := PerFrame(c); got != nil || err != nil {
		t.Errorf("a capture without frames gives %v, %v", got, err)
	}
}

func FuzzOutliers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		v := fuzzed(data)
		last := -1
		for _, o := range Outliers(v, DefaultOutlierScore, both) {
			if o.Index <= last || o.Index >= len(v) || !(math.Abs(o.Score) > DefaultOutlierScore) {
				t.Errorf("%v: %+v", v, o)
			}
			last = o.Index
		}
	})
}
