package charts

import (
	"math"
	"slices"

	"astrolabe/plots/canvas"
)

// A panel of many noisy series is a wall of ink in which nobody finds a line. Its series then stand in lanes of their
// own: one frame each under one another, on the time axis that they share, with the name beside the frame. Every lane
// is a lane of the timeline as any other, so that a report can break a page between two and a picture that is too low
// can count those that find no room.

const (
	// leastNoisy is how many series must be noisy before lanes are chosen without being asked for.
	leastNoisy = 5
	// The panel that the judgement is made on. It is the same for every size and format, so that the same data have the
	// same lanes in all of them.
	judgedWidth, judgedHeight = 1200, 190
	judgedStroke              = 2
	// A series is noisy if it leaves at least so many times the ink of a level line, and at least that share of its ink
	// lies where other series have ink too.
	noisyInk    = 3
	noisyHidden = 0.5
)

// noisy counts the series of a panel that are lost among others: those which cover much more than a line would, most of
// it together with other series. The measure is taken on what would be drawn, so that a long smooth series is quiet and
// a short jumping one is not, and noisy series at levels of their own stay in one frame.
func (l *lane) noisy() int {
	va := newValueAxis(l.spread, l.limits(), l.unit, 4, false)
	if l.log {
		va = newLogAxis(l.spread, l.limits(), l.unit, 4)
	}
	frame := canvas.Box(0, 0, judgedWidth, judgedHeight)
	ty := toY(frame, va)
	var traces []*canvas.Trace
	for _, s := range l.series {
		if r := canvas.Reduce(s.Start, s.End, s.Y, l.tl.t0, l.tl.t1, judgedWidth); !r.Empty() {
			traces = append(traces, canvas.NewTrace(r, frame, 1, ty))
		}
	}
	ink, shared, columns := make([]int, len(traces)), make([]int, len(traces)), make([]int, len(traces))
	var covered [judgedHeight]uint16 // how many series have ink in a pixel of the column
	extent := func(tr *canvas.Trace, x int) (a, b int, ok bool) {
		c := &tr.Cols[x]
		if !c.Present {
			return 0, 0, false
		}
		lo, hi := c.Lo, c.Hi
		if c.Joined && x > 0 {
			lo, hi = min(lo, tr.Cols[x-1].Last), max(hi, tr.Cols[x-1].Last)
		}
		return max(int(lo-judgedStroke/2), 0), min(int(math.Ceil(hi+judgedStroke/2)), judgedHeight), true
	}
	for x := range judgedWidth {
		clear(covered[:])
		for _, tr := range traces {
			if a, b, ok := extent(tr, x); ok {
				for y := a; y < b; y++ {
					covered[y]++
				}
			}
		}
		for i, tr := range traces {
			if a, b, ok := extent(tr, x); ok {
				columns[i]++
				ink[i] += b - a
				for y := a; y < b; y++ {
					if covered[y] > 1 {
						shared[i]++
					}
				}
			}
		}
	}
	n := 0
	for i := range traces {
		if ink[i] >= noisyInk*judgedStroke*columns[i] && float64(shared[i]) >= noisyHidden*float64(ink[i]) {
			n++
		}
	}
	return n
}

// ownScale is the share of the common scale that a series must reach to be seen on it: below a twentieth of a lane of
// some sixty pixels, every shape is lost.
const ownScale = 1.0 / 20

// ownScaleNote says that heights do not compare.
const ownScaleNote = "each lane has a scale of its own"

// divided returns the lanes of a panel: itself, or one for each of its series.
func (l *lane) divided() []*lane {
	o := l.tl.o
	switch {
	case o.Lanes == NeverLanes || len(l.series) < 2 || l.stack != nil || l.right != nil || l.spread.empty():
		return []*lane{l}
	case o.Lanes == AutoLanes && (len(l.series) < leastNoisy || l.noisy() < leastNoisy):
		return []*lane{l}
	}
	out := make([]*lane, len(l.series))
	common := true
	for i, s := range l.series {
		k := *l
		k.series, k.name, k.follows, k.scale, k.among = []Series{s}, s.Name, i > 0, l.spread, len(l.series)
		k.spread = l.seen(s)
		if k.spread.empty() {
			one := lane{tl: l.tl, series: k.series, total: len(s.Y)}
			k.why = one.emptyReason()
		} else if l.unit.class != percentUnit && !l.log {
			top := max(math.Abs(k.spread.lo), math.Abs(k.spread.hi))
			all := max(math.Abs(l.spread.lo), math.Abs(l.spread.hi))
			common = common && (top == 0 || top >= ownScale*all)
		}
		out[i] = &k
	}
	if !common && !l.limits().set() {
		for _, k := range out {
			k.scale = k.spread
		}
		out[0].notes = append(slices.Clone(out[0].notes), ownScaleNote)
	}
	return out
}

// seen is the spread of one series in the window.
func (l *lane) seen(s Series) spread {
	sp := noSpread()
	to, _ := slices.BinarySearch(s.Start, l.tl.t1)
	for i, v := range s.Y[:to] {
		if s.End[i] >= l.tl.t0 {
			sp.add(v)
		}
	}
	return sp
}

// laneHeight is the height of a lane that reads well: the more there are, the less is left for each.
func (l *lane) laneHeight(t *canvas.Theme) float64 {
	switch {
	case l.among > 64:
		return t.Text * 1.6
	case l.among > 24:
		return t.Text * 2.4
	}
	return t.Text * 3.2
}

// nameLineHeight is the height of a line of a lane's name.
func nameLineHeight(t *canvas.Theme) float64 { return t.Text * 1.2 }

// nameBeside is the width that the name of a lane takes in a column of at most the given width; ok is false where the
// whole name does not fit beside its frame.
func (l *lane) nameBeside(t *canvas.Theme, width, frameH float64) (w float64, ok bool) {
	if l.name == "" {
		return 0, true
	}
	s := canvas.Regular.Of(t.Text)
	lines := s.Wrap(l.name, width-t.Text)
	for _, line := range lines {
		w = max(w, s.Width(line))
	}
	room := min(frameH, l.frameHeight(t)) + t.Text*0.3
	return w, len(lines) == 1 || float64(len(lines))*nameLineHeight(t) <= room
}

// nameLines are the lines of a lane's name: all of them in the column beside the frame; above it at most two, where an
// ellipsis shows what is left out.
func (l *lane) nameLines(t *canvas.Theme, g laneGeometry, width float64) []string {
	s := canvas.Regular.Of(t.Text)
	if g.legendW > 0 {
		return s.Wrap(l.name, g.legendW-t.Text)
	}
	return s.Lines(l.name, width-g.gutter, 2)
}

// nameAbove is the height of the name of a lane where it stands above the frame.
func (p laneParts) nameAbove(t *canvas.Theme, g laneGeometry) float64 {
	if g.legendW > 0 || len(p.name) == 0 {
		return 0
	}
	return float64(len(p.name))*canvas.Regular.Of(t.Text).Leading() + t.Text*0.1
}

// drawNameBeside writes the name of a lane at x, in the middle of a frame's height. Where a picture turns out too low
// for all of its lines, an ellipsis shows it; where lanes are lower than a line, only names that touch no other are
// written.
func (l *lane) drawNameBeside(sc *canvas.Scene, t *canvas.Theme, g laneGeometry, x float64, frame canvas.Rect) {
	s := canvas.Regular.Of(t.Text)
	lines := s.Lines(l.name, g.legendW-t.Text, max(1, int((frame.H+t.Text*0.3)/nameLineHeight(t))))
	y := frame.Y + frame.H/2 - float64(len(lines))*nameLineHeight(t)/2
	for _, line := range lines {
		box := canvas.Box(x, y+s.Size*0.95-s.Ascent(), s.Width(line), s.Height())
		if frame.H < s.Height() && slices.ContainsFunc(sc.Boxes, func(b canvas.TextBox) bool {
			return b.Overlaps(box)
		}) {
			return
		}
		sc.TextAt(x, y+s.Size*0.95, canvas.Left, s, t.Ink, line)
		y += nameLineHeight(t)
	}
}

// laneTickStyle is that of the value labels of lanes, small enough that both ends of a low one are labelled.
func laneTickStyle(t *canvas.Theme) canvas.Style {
	return canvas.Regular.Of(t.Small * 0.85)
}

// twoLabels is the height of a frame that holds two value labels.
func twoLabels(t *canvas.Theme) float64 { return 2*laneTickStyle(t).Height() + 1 }

// laneLabels writes value labels within the height of a frame, so that those of neighbouring lanes do not touch: the
// greatest first, then, if there is room for several, the smallest and what fits between.
func laneLabels(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, va valueAxis, ty func(float64) float64,
	several bool) {
	s := laneTickStyle(t)
	var taken []canvas.Rect
	put := func(k tick) {
		if s.Width(k.label) > frame.X-t.Text*0.4 {
			return // half a number misleads
		}
		base := min(max(ty(k.at)+s.Size*0.35, frame.Y+s.Ascent()), frame.Bottom()-s.Descent())
		if frame.H < s.Height() {
			base = frame.Y + frame.H/2 + s.Size*0.35
		}
		box := canvas.Box(0, base-s.Ascent(), frame.X, s.Height())
		if !overlapsAny(box, taken) {
			taken = append(taken, box)
			sc.TextAt(frame.X-t.Text*0.4, base, canvas.Right, s, t.Ink, k.label)
		}
	}
	n := len(va.ticks)
	if n > 0 {
		put(va.ticks[n-1])
	}
	if n > 1 && several {
		put(va.ticks[0])
		for _, k := range va.ticks[1 : n-1] {
			put(k)
		}
	}
}
