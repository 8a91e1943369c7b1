package values

import (
	"slices"
	"testing"

	"astrolabe/capture"
)

func TestProcessorsAreLookedAtInWholeBlocksFromStartToEnd(t *testing.T) {
	for _, n := range []int{0, 1, 5000, processorsMost, processorsMost + 1, 1_000_000, 50_000_001} {
		a := &accounting{n: n}
		got := a.looked()
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%d samples: not each once and in order", n)
		}
		if n <= processorsMost && len(got) != n {
			t.Errorf("%d samples: %d of them are looked at", n, len(got))
		}
		if len(got) > processorsMost+capture.BlockRows {
			t.Errorf("%d samples: %d are more than was meant", n, len(got))
		}
		if n > processorsMost && (len(got) < processorsMost/2 || got[0] != 0 || got[len(got)-1] < n-n/16) {
			t.Errorf("%d samples: %d of them, from %d to %d", n, len(got), got[0], got[len(got)-1])
		}
	}
}

// Loads are those of the samples that are looked at, over the borders of blocks.
func TestLoadsOfProcessorsAreThoseOfTheirSamples(t *testing.T) {
	const n = 3*processorsMost + 777
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
	}
	c := &capture.Counter{Meta: capture.Meta{Name: "load"}, Col: capture.NewColumn(capture.Data{F: v})}
	a := &accounting{n: n, known: map[string]*capture.Counter{"load": c}, table: &accountTable{cpus: []string{"load"}}}
	looked := a.looked()
	got := a.processors(looked)
	if len(got) != 1 || len(got[0]) != len(looked) {
		t.Fatal("not one processor")
	}
	for k, i := range looked {
		if got[0][k] != float64(i)/100 {
			t.Fatalf("sample %d has %v", i, got[0][k])
		}
	}
}

// Rows of tables differ in length, and a share in "%" is one of each row.
func TestAShareIsOneInEverySpelling(t *testing.T) {
	for _, unit := range []string{"percent", "%", "pct"} {
		c := &capture.Counter{Meta: capture.Meta{Name: "busy", Unit: unit, Kind: capture.Gauge},
			Axis: &capture.Axis{Start: []int64{0, 10}, End: []int64{10, 50}}, Col: capture.NewColumn(capture.Data{F: []float64{100, 50}})}
		a := &accounting{n: 2, known: map[string]*capture.Counter{"busy": c}, table: &accountTable{active: []string{"busy"}}}
		if got := a.activeShare(); !slices.Equal(got, []float64{1, 0.5}) {
			t.Errorf("%s: works for %v of its rows", unit, got)
		}
	}
}
