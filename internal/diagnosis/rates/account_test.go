package rates

import (
	"math"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/internal/diagnosis"
)

func TestPartsOfAnAccountStandForLimitersOfTheSimulator(t *testing.T) {
	f := findFamily("mali-g720")
	for part, want := range map[diagnosis.AccountPart]string{
		{Name: "display", Kind: "display"}:               f.groupOf(simulate.DisplayCap),
		{Name: "processor", Kind: "processor"}:           f.groupOf(simulate.CPUDriver),
		{Name: "turns", Kind: "turns"}:                   "cpu/sync",
		{Name: "binning", Kind: "queue"}:                 "queues/in_turn",
		{Name: "texture", Kind: "unit"}:                  "unit/texture",
		{Name: "front_end", Kind: "unit"}:                "unit/rasterizer",
		{Name: "bandwidth", Kind: "memory"}:              "memory/bandwidth",
		{Name: "write bandwidth", Kind: "memory"}:        "memory/bandwidth",
		{Name: "mixed", Kind: "mixed"}:                   groupNotKnown,
		{Name: "waiter unknown", Kind: "waiter unknown"}: groupNotKnown,
	} {
		if got := f.standsFor(part); got != want {
			t.Errorf("%v stands for %q, want %q", part, got, want)
		}
	}
}

func TestLimitersThatAnAccountDoesNotTellApartAreOne(t *testing.T) {
	bandwidth, latency := simulate.Candidate{Level: simulate.LevelMemory, Name: "bandwidth"},
		simulate.Candidate{Level: simulate.LevelMemory, Name: "latency"}
	if f := findFamily("cpu"); f.groupOf(bandwidth) != f.groupOf(latency) ||
		f.standsFor(diagnosis.AccountPart{Name: "memory", Kind: "memory"}) != f.groupOf(bandwidth) {
		t.Error("no counter of a processor tells bandwidth from latency")
	}
	if f := findFamily("mali-g720"); f.groupOf(bandwidth) == f.groupOf(latency) {
		t.Error("a Mali's account tells bandwidth from latency")
	}
}

func TestAGainIsRightWhereItsRoundedRangeHoldsTheSimulated(t *testing.T) {
	x := examiner{f: findFamily("mali-g720")}
	truth := &simulate.Part{Leaves: []simulate.Gain{
		{Candidate: simulate.CPUDriver, Percent: 12},
		{Candidate: simulate.Candidate{Level: simulate.LevelUnit, Name: "texture"}, Percent: 22.4},
		{Candidate: simulate.CPUApp, Percent: -1},
	}}
	for _, c := range []struct {
		id         string
		low, high  float64
		told, held bool
	}{
		{"texture_bound", 0.18, 0.33, true, true}, // "20 to 35 %" holds 20
		{"texture_bound", 0.25, 0.33, true, false},
		{"texture_bound", 0.05, 0.17, true, false},
		{"cpu_bound", 0.10, 0.10, true, true},
		{"cpu_bound", 0, 0.05, true, false},
		{"slow_memory", 0, 0.02, true, true}, // a wrong one that promises nothing
		{"slow_memory", 0.1, 0.2, true, false},
		{"texture_bound", math.NaN(), math.NaN(), false, false},
	} {
		var out tallied
		x.gain(&out, &page{findings: []diagnosis.Finding{{ID: c.id, GainLow: c.low, GainHigh: c.high}}}, truth)
		hits := map[string]bool{}
		for _, n := range out.counts {
			hits[n.row] = n.hit
		}
		if hits[rowGainTold] != c.told || hits[rowGain] != c.held {
			t.Errorf("%+v: %v", c, hits)
		}
	}
	var out tallied
	x.gain(&out, &page{findings: []diagnosis.Finding{{ID: "overdraw"}}}, truth)
	if len(out.counts) > 0 {
		t.Errorf("a symptom counts: %v", out.counts)
	}
}

func TestValuesAddUpToTheirMean(t *testing.T) {
	f := FamilyRates{}
	for _, v := range []int{10, 20, 60} {
		f.value(rowShares, v)
	}
	if got := f.row(rowShares).rate(); got != "30 points (6..54) of 3" {
		t.Error(got)
	}
}
