package charts

import (
	"strings"

	"astrolabe/plots/canvas"
)

// Outline is what a chart shows, for those who draw it in another way than as a picture, such as in characters: the same
// data on the same axes, with the same words. One of its parts is set. Slices are shared with the chart and never
// written to.
type Outline struct {
	Title   string
	Heading string   // what is drawn, and how much of it is missing
	Notes   []string // what the picture says in small print
	Why     string   // why there is nothing to draw, "" where there is something

	Times  *TimeOutline
	Bars   *BarOutline
	Counts *CountOutline
	Points *PointOutline
	Boxes  *BoxOutline
	Pairs  *PairOutline
	Shares *ShareOutline
	Rows   [][]*Plot // of a grid
}

// Axis is a value axis with its ticks.
type Axis struct {
	Lo, Hi float64
	Unit   string // of the labels, with its prefix
	Ticks  []AxisTick
	axis   valueAxis
}

// AxisTick is a labelled place on an axis.
type AxisTick struct {
	At    float64
	Label string
}

// Frac is the place of a value on the axis: 0 at its lower end, 1 at its upper one. It is not clipped.
func (a *Axis) Frac(v float64) float64 { return a.axis.frac(v) }

func outlinedAxis(a valueAxis) *Axis {
	return &Axis{Lo: a.lo, Hi: a.hi, Unit: a.unit, Ticks: outlinedTicks(a.ticks), axis: a}
}

func outlinedTicks(ticks []tick) (out []AxisTick) {
	for _, k := range ticks {
		out = append(out, AxisTick{k.at, k.label})
	}
	return out
}

// TimeOutline are series over time.
type TimeOutline struct {
	T0, T1     int64
	Lanes      []LaneOutline
	Marks      []Mark
	Spans      []Interval
	Gaps, Late []Interval
	Pick       string // what stands for many samples where a cell has one value: "max", "min" or "mean"
	Flat       bool   // one row of a cell's height for each series, as in a heat map
}

// LaneOutline is one series, which the picture may draw in a frame with others.
type LaneOutline struct {
	Panel  string // the title of the panel, where another one begins
	Series Series
	Axis   func(ticks int) *Axis
	Bands  []Band
	Slot   int    // place in the order of colours
	Why    string // why there is nothing to draw
	Notes  []string
}

// TimeTicks are the labelled times, in ns after T0, of a frame of so many cells, and what the axis is called.
func (o *TimeOutline) TimeTicks(cells int) ([]AxisTick, string) {
	const cell = 9 // logical pixels, of text of this size
	ax := newTimeAxis(o.T0, o.T1, canvas.Regular.Of(15), float64(cells)*cell)
	return outlinedTicks(ax.ticks), ax.title
}

// Column are the extremes of a series in a column of a frame, and its mean there.
type Column struct {
	Lo, Hi, Mean float64
	Present      bool
}

// Columns reduces a series to columns as a picture does: no extreme is lost, and a column without a value is empty.
func (o *TimeOutline) Columns(s Series, n int) []Column {
	r := canvas.Reduce(s.Start, s.End, s.Y, o.T0, o.T1, n)
	means := columnMeans(s.Start, s.End, s.Y, o.T0, o.T1, n)
	out := make([]Column, n)
	for i, c := range r.Cols {
		if c.Present {
			out[i] = Column{Lo: c.Min, Hi: c.Max, Mean: means[i], Present: true}
		}
	}
	return out
}

// BarOutline are bars by label.
type BarOutline struct {
	Labels  []string
	Series  []BarSeries
	Stacked bool
	Axis    func(ticks int) *Axis
	Bands   []Band
	Format  func(float64) string // a value with its unit
	Sum     func(i int) float64  // of the parts of a label that are there; NaN where none is
}

// CountOutline are counted values.
type CountOutline struct {
	Names       []string
	Bins        [][]int // of each sample
	Across, Up  func(ticks int) *Axis
	XTitle      string
	Percentiles []string
}

// PointOutline are points in a plane.
type PointOutline struct {
	X, Y           []float64
	Groups         []string // their names, nil where there are none
	Slot           []int32  // group of each point
	Across, Up     func(ticks int) *Axis
	XTitle, YTitle string
	Limits         []LimitOutline // of a roofline
}

// LimitOutline is a line from one point to another, straight on the axes of its chart.
type LimitOutline struct {
	Name           string // with its value
	X0, Y0, X1, Y1 float64
}

// PairOutline is a number for every pair of names, NaN where there is none.
type PairOutline struct {
	Names []string
	Of    [][]float64
}

// ShareOutline are the parts of a whole, and which of them led when.
type ShareOutline struct {
	Parts  []SharePart
	T0, T1 int64             // of Lead; equal where nobody knows when
	Lead   func(n int) []int // the part that led most of each of n columns of that time, -1 for none
	Ticks  func(cells int) ([]AxisTick, string)
}

// SharePart is a part of a whole: its share, 0 to 1, and what it is, with the share in words.
type SharePart struct {
	Share float64
	Text  string
}

// BoxOutline are distributions by label.
type BoxOutline struct {
	Boxes  []BoxShape
	Axis   func(ticks int) *Axis
	Format func(float64) string
}

// BoxShape is one distribution. Outliers are the values beyond the whiskers.
type BoxShape struct {
	Name                      string
	Count                     int
	Low, Q1, Median, Q3, High float64
	Outliers                  []float64
}

// outliner is a body that can say what it shows.
type outliner interface{ outline() (Outline, bool) }

// Outline is what the chart shows; ok is false for a kind of chart that is a picture only.
func (p *Plot) Outline() (o Outline, ok bool) {
	b, ok := p.body.(outliner)
	if !ok {
		return o, false
	}
	if o, ok = b.outline(); !ok {
		return o, false
	}
	o.Title = p.Title
	plain := strings.NewReplacer("\u2068", "", "\u2069", "") // that Isolated added for a picture
	o.Heading, o.Why = plain.Replace(o.Heading), plain.Replace(o.Why)
	for i, n := range o.Notes {
		o.Notes[i] = plain.Replace(n)
	}
	if o.Points != nil {
		for i, g := range o.Points.Groups {
			o.Points.Groups[i] = plain.Replace(g)
		}
	}
	if o.Times != nil {
		for i := range o.Times.Lanes {
			l := &o.Times.Lanes[i]
			l.Why, l.Series.Name = plain.Replace(l.Why), plain.Replace(l.Series.Name)
		}
	}
	return o, true
}
