package charts

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/plots/canvas"
)

func (tl *timeline) outline() (Outline, bool) {
	times := &TimeOutline{T0: tl.t0, T1: tl.t1, Marks: tl.o.Marks, Spans: tl.o.Spans, Gaps: tl.o.Gaps, Late: tl.o.Late,
		Pick: "max"}
	o := Outline{Times: times}
	for _, l := range tl.lanes {
		if l.strip != nil {
			return o, false
		}
		panel := l.title
		if l.over != "" && l.over != tl.o.Title {
			panel = l.over
		}
		if l.follows {
			panel = ""
		}
		times.Lanes = append(times.Lanes, l.outlined(panel)...)
		if l.right != nil {
			times.Lanes = append(times.Lanes, l.right.outlined("")...)
		}
		o.Notes = append(o.Notes, slices.DeleteFunc(slices.Clone(l.notes), aboutLines)...)
		if l.stack != nil {
			o.Notes = append(o.Notes, "stacked in a picture; here each by itself, on the axis of their sum")
		}
	}
	return o, true
}

// aboutLines picks notes that explain how a picture draws lines.
func aboutLines(note string) bool { return strings.HasPrefix(note, "line: ") }

// outlined are the series of a lane.
func (l *lane) outlined(panel string) (out []LaneOutline) {
	for i, s := range l.series {
		one := *l
		one.series, one.total, one.absent = []Series{s}, 0, 0
		for k, v := range s.Y {
			if s.Start[k] < l.tl.t1 && s.End[k] >= l.tl.t0 {
				one.total++
				if math.IsNaN(v) {
					one.absent++
				}
			}
		}
		lo := LaneOutline{Panel: panel, Series: s, Axis: l.axisWith, Bands: l.bands(), Slot: i + l.offset}
		if one.right = nil; one.missingShare() != "" {
			lo.Notes = []string{strings.TrimPrefix(one.missingShare(), " · ")}
		}
		if panel == s.Name {
			lo.Panel = ""
		}
		if l.seen(s).empty() {
			if lo.Why = l.why; len(l.series) > 1 || lo.Why == "" {
				lo.Why = one.emptyReason()
			}
		}
		out, panel = append(out, lo), ""
	}
	if len(out) == 0 {
		out = []LaneOutline{{Panel: panel, Axis: l.axisWith, Why: l.why}}
	}
	return out
}

// axisWith is the axis of the lane with so many ticks.
func (l *lane) axisWith(ticks int) *Axis {
	data := l.spread
	if l.name != "" {
		data = l.scale
	}
	if l.log {
		return outlinedAxis(newLogAxis(data, l.limits(), l.unit, ticks))
	}
	return outlinedAxis(newValueAxis(data, l.limits(), l.unit, ticks, l.fromZero()))
}

func (h *heatmap) outline() (Outline, bool) {
	times := &TimeOutline{T0: h.t0, T1: h.t1, Marks: h.o.Marks, Pick: h.o.Pick, Flat: true}
	axis := func(ticks int) *Axis {
		if h.o.Log {
			return outlinedAxis(newLogAxis(h.spread, h.o.Range, h.unit, ticks))
		}
		return outlinedAxis(newValueAxis(h.spread, h.o.Range, h.unit, ticks, false))
	}
	for _, s := range h.rows {
		l := LaneOutline{Series: s, Axis: axis}
		if !hasValue(s) {
			if l.Why = s.Why; l.Why == "" {
				l.Why = allMissing(len(s.Y))
			}
		}
		times.Lanes = append(times.Lanes, l)
	}
	o := Outline{Times: times}
	if note := h.notes(math.MaxInt); note != "" {
		o.Notes = []string{note}
	}
	o.Notes = append(o.Notes, noteTexts(h.o.Marks, h.t0, h.t1)...)
	if h.spread.empty() {
		o.Why = h.emptyReason()
	}
	return o, true
}

func (b *bar) outline() (Outline, bool) {
	axis := func(ticks int) *Axis { return outlinedAxis(newValueAxis(b.spread, b.o.Y, b.unit, ticks, true)) }
	o := Outline{Heading: b.o.YLabel, Bars: &BarOutline{Labels: b.o.Labels, Series: b.series, Stacked: b.o.Stacked,
		Axis: axis, Bands: b.o.Bands, Format: b.valueText, Sum: b.sum}}
	if b.spread.empty() {
		o.Why = b.emptyReason()
	}
	return o, true
}

func (h *histogram) outline() (Outline, bool) {
	o := Outline{Heading: h.heading()}
	if h.empty() {
		o.Why = h.emptyReason()
		return o, true
	}
	c := &CountOutline{XTitle: h.title()}
	for _, s := range h.samples {
		c.Names = append(c.Names, s.name)
		c.Bins = append(c.Bins, s.bins)
	}
	_, c.Percentiles = h.percentiles()
	c.Across = func(ticks int) *Axis { return outlinedAxis(h.valuesAxis(ticks)) }
	c.Up = func(ticks int) *Axis { return outlinedAxis(h.countsAxis(ticks)) }
	o.Counts = c
	return o, true
}

func (s *scatter) outline() (Outline, bool) {
	o := Outline{Notes: s.notes()}
	p := &PointOutline{Groups: slices.Clone(s.names), Slot: s.slot, XTitle: s.o.XLabel, YTitle: s.o.YLabel}
	for _, i := range s.index {
		p.X, p.Y = append(p.X, s.x[i]), append(p.Y, s.y[i])
	}
	across, up := axisOf(s.xs, s.xu, s.o.LogX), axisOf(s.ys, s.yu, s.o.LogY)
	p.Across = func(ticks int) *Axis { return outlinedAxis(across(ticks)) }
	p.Up = func(ticks int) *Axis { return outlinedAxis(up(ticks)) }
	if o.Points = p; len(s.index) == 0 {
		o.Why = s.emptyReason()
	}
	if s.o.Color != nil {
		o.Notes = append(o.Notes, "the picture colours points by "+strconv.Quote(s.o.ColorLabel))
	}
	return o, true
}

func (b *box) outline() (Outline, bool) {
	o := Outline{Heading: b.o.XLabel}
	if b.missing > 0 {
		o.Notes = append(o.Notes, Grouped(b.missing)+" of "+Grouped(b.total)+" values missing")
	}
	if b.lost > 0 {
		o.Notes = append(o.Notes, lostOnLog(b.lost))
	}
	boxes := &BoxOutline{Format: b.unit.format, Axis: func(ticks int) *Axis { return outlinedAxis(b.axis(ticks)) }}
	for _, r := range b.rows {
		shape := BoxShape{Name: r.name, Count: len(r.sorted), Low: r.low, Q1: r.q1, Median: r.median, Q3: r.q3,
			High: r.high}
		if shape.Count > 0 {
			shape.Outliers = slices.Concat(r.sorted[:r.below], r.sorted[len(r.sorted)-r.beyondHigh:])
		}
		boxes.Boxes = append(boxes.Boxes, shape)
	}
	if o.Boxes = boxes; b.spread.empty() {
		o.Why = b.emptyReason()
	}
	return o, true
}

func (g *grid) outline() (Outline, bool) { return Outline{Rows: g.rows}, true }

func (r *roofline) outline() (Outline, bool) {
	rate := unitOf(r.o.Unit + "/s")
	value := rate
	if rate.class == plainUnit {
		rate.class = symbolUnit
	}
	p := &PointOutline{XTitle: "arithmetic intensity [" + r.o.Unit + "/byte]", YTitle: "rate of operations, " + r.o.Unit + "/s",
		Groups: []string{}, Slot: []int32{},
		Across: func(n int) *Axis { return outlinedAxis(newLogAxis(r.xs, Range{}, unit{"", plainUnit, 1}, n)) },
		Up:     func(n int) *Axis { return outlinedAxis(newLogAxis(r.ys, Range{}, rate, n)) }}
	for i, q := range r.points {
		if !r.shown(q) {
			p.Groups = append(p.Groups, q.Name+" (no data)")
			continue
		}
		p.Groups = append(p.Groups, q.Name+": "+value.format(q.Rate)+", "+r.reach(q))
		p.X, p.Y, p.Slot = append(p.X, q.Intensity), append(p.Y, q.Rate), append(p.Slot, int32(i))
	}
	across := newLogAxis(r.xs, Range{}, unit{"", plainUnit, 1}, 4)
	for _, b := range r.o.Bandwidth {
		p.Limits = append(p.Limits, LimitOutline{b.Name + " " + unitOf("B/s").format(b.Value), across.lo, across.lo * b.Value,
			r.peak / b.Value, r.peak})
	}
	for _, c := range r.o.Compute {
		p.Limits = append(p.Limits, LimitOutline{c.Name + " " + value.format(c.Value), c.Value / r.fastest, c.Value, across.hi,
			c.Value})
	}
	o := Outline{Points: p}
	if len(r.points) == 0 {
		o.Notes = []string{"no work to place: only the limits are drawn"}
	}
	return o, true
}

func (c *correlation) outline() (Outline, bool) {
	o := Outline{Heading: c.heading(), Pairs: &PairOutline{Names: c.names, Of: c.r}}
	if !c.any {
		o.Why = c.emptyReason()
	}
	return o, true
}

func (c *accountChart) outline() (Outline, bool) {
	o := Outline{Heading: c.a.heading()}
	if c.a.Base <= 0 {
		o.Why = noTime
		return o, true
	}
	list, _ := c.a.shown(canvas.Light())
	sh := &ShareOutline{}
	for _, p := range list {
		sh.Parts = append(sh.Parts, SharePart{c.a.Share(p), c.a.words(p)})
	}
	sh.T0, sh.T1 = c.a.over()
	if sh.T1 > sh.T0 {
		sh.Lead = func(n int) []int { return leading(list, sh.T0, sh.T1, n) }
		sh.Ticks = (&TimeOutline{T0: sh.T0, T1: sh.T1}).TimeTicks
	}
	o.Shares = sh
	return o, true
}
