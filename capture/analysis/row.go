package analysis

import (
	"math"

	"astrolabe/capture"
)

// Verdict is what is said about one counter or metric.
type Verdict string

// The verdicts. Only a change whose direction is known can be worse or better.
const (
	Worse     Verdict = "worse"
	Better    Verdict = "better"
	Changed   Verdict = "changed"
	Same      Verdict = "same" // nothing beyond the noise, or less than the least effect
	NotJudged Verdict = "not judged"
)

// Row is one counter or metric of one part. Numbers are NaN where they are missing.
type Row struct {
	Part  string // kernel, region; "" is the whole capture
	Name  string
	Title string
	Unit  string // of Before and After, such as "bytes/s"
	// "per second", "per frame", "per occurrence", "per sample" of what adds up; "mean" (by time), "formula" (on
	// totals), "constant"; "total" of a run's length
	Basis     string
	Direction string // "more" or "less" is better; "" where that is not known

	Before, After           float64 // means over the runs
	BeforeTotal, AfterTotal float64 // over the whole part, of the first run of each
	Difference              float64 // After - Before
	DifferenceLo            float64
	DifferenceHi            float64
	Ratio                   float64 // After / Before
	RatioLo                 float64
	RatioHi                 float64
	// Cliff's delta of the cells, of paired frames within the pairs, -1 to 1; above 0 the values after are the greater
	Effect float64
	// half the width of the interval that repeated runs alone give, relative to Before; NaN without repeated runs
	Noise float64
	P     float64 // of no change
	Q     float64 // P adjusted for everything that was judged

	Verdict Verdict
	Why     string   // of NotJudged
	Notes   []string // doubts that did not prevent a judgement
	Blocks  [2]int   // stretches that the spread within a run comes from, before and after

	// BeforeCells and AfterCells are the value in each cell (frame, occurrence, sample, stretch of time) of the first
	// run of each.
	BeforeCells, AfterCells []float64

	// BeforeCounter and AfterCounter are the series of the first run of each, for pictures; nil for durations.
	BeforeCounter, AfterCounter *capture.Counter

	before, after []value  // of the runs, until they are judged
	pair          *pairing // where their frames are paired; nil elsewhere
	group         string   // of rows that tell each other how much runs differ
	borrows       bool     // it is one of these
}

// Change is the relative change, NaN where the value before is missing or 0.
func (r *Row) Change() float64 { return r.Ratio - 1 }

// sure is the least relative change that the interval leaves possible.
func (r *Row) sure() float64 {
	lo, hi := r.RatioLo-1, r.RatioHi-1
	switch {
	case math.IsNaN(r.Ratio):
		return math.Inf(1) // from nothing to something
	case math.IsNaN(lo) || math.IsNaN(hi):
		return math.Abs(r.Change())
	}
	return min(math.Abs(lo), math.Abs(hi))
}
