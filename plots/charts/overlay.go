package charts

import (
	"fmt"
	"math"

	"astrolabe/plots/canvas"
)

// Pair is one counter of two captures. The totals stand in the legend; NaN leaves them out.
type Pair struct {
	Name                    string
	Before, After           Series
	BeforeTotal, AfterTotal float64
}

// OverlayOptions name the two captures.
type OverlayOptions struct {
	Title         string
	Before, After string // "before" and "after" if empty
	Log           bool
	Marks         []Mark
}

// Overlay draws two captures over each other, each on the time since its own start, one panel per pair. Noisy series
// are drawn as mean and spread.
func Overlay(o OverlayOptions, pairs ...Pair) (*Plot, error) {
	if o.Before == "" {
		o.Before = "before"
	}
	if o.After == "" {
		o.After = "after"
	}
	var list []Series
	for i, p := range pairs {
		if p.Name == "" {
			p.Name = fmt.Sprintf("pair %d", i+1)
		}
		if a, b := unitOf(p.Before.Unit), unitOf(p.After.Unit); a.symbol != b.symbol {
			return nil, fmt.Errorf("overlay: %s is in %q before and %q after", p.Name, p.Before.Unit, p.After.Unit)
		}
		group := p.Name
		before, after := fromStart(p.Before), fromStart(p.After)
		before.Name, after.Name, before.Group, after.Group = o.Before, o.After, group, group
		u := unitOf(p.Before.Unit)
		if canvas.Drawable(p.BeforeTotal) {
			before.Name = canvas.Isolated(before.Name) + ": " + u.format(p.BeforeTotal)
		}
		if a := p.AfterTotal * unitOf(p.After.Unit).factor / u.factor; canvas.Drawable(a) {
			after.Name = canvas.Isolated(after.Name) + ": " + u.format(a) + change(p.BeforeTotal, a)
		}
		list = append(list, before, after)
	}
	p, err := Timeline(TimelineOptions{Title: o.Title, Style: Spread, Log: o.Log, Marks: o.Marks}, list...)
	if err != nil {
		return nil, err
	}
	p.Kind = "overlay"
	return p, nil
}

// change is the relative change between two totals, "" where it has no meaning.
func change(before, after float64) string {
	if !canvas.Drawable(before) || before == 0 || (before < 0) != (after < 0) {
		return ""
	}
	c := (after/before - 1) * 100
	text := significant(math.Abs(c), 3)
	switch {
	case text == "0":
		return " (no change)"
	case (spread{min(before, after), max(before, after)}).flat():
		return " (changed by less than 0.001 %)"
	case c < 0:
		return " (−" + text + " %)"
	}
	return " (+" + text + " %)"
}

// fromStart moves a series so that its first sample starts at zero.
func fromStart(s Series) Series {
	if len(s.Start) == 0 || s.Start[0] == 0 {
		return s
	}
	t0 := s.Start[0]
	start, end := make([]int64, len(s.Start)), make([]int64, len(s.End))
	for i := range s.Start {
		start[i] = s.Start[i] - t0
	}
	for i := range s.End {
		end[i] = s.End[i] - t0
	}
	s.Start, s.End = start, end
	return s
}
