package charts

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"sort"
	"strings"

	"astrolabe/plots/canvas"
)

// MostMultiples is how many stretches one chart of them has at most: more are no longer compared by looking.
const MostMultiples = 24

// mostMultipleSeries is how many series stand beside each other.
const mostMultipleSeries = 6

// Multiple is one stretch of time, such as a frame, in a chart of small multiples.
type Multiple struct {
	Name       string // "frame 57"
	Note       string // beside the name
	Start, End int64
	Behind     int // the stretch that is drawn behind this one, by its place; -1 for none
	Photo      *Photo
}

// Photo is a picture of a stretch: a screenshot.
type Photo struct {
	Name  string // of its file
	Image *image.NRGBA
	Why   string // why there is no image
}

// MultiplesOptions are the words of a chart of small multiples.
type MultiplesOptions struct {
	Title string
	Notes []string
	// Front and Back name in the legend what is drawn and what is behind it: "this frame" and "the median frame".
	Front, Back string
}

// SmallMultiples draws the same series in several stretches of time, one under another, each on the time since its own
// start, with another of the stretches behind it to compare with. A series has one value axis for all stretches.
func SmallMultiples(o MultiplesOptions, series []Series, list []Multiple) (*Plot, error) {
	switch {
	case len(series) == 0 || len(series) > mostMultipleSeries:
		return nil, fmt.Errorf("small multiples: %d series; it takes one to %d", len(series), mostMultipleSeries)
	case len(list) == 0 || len(list) > MostMultiples:
		return nil, fmt.Errorf("small multiples: %d stretches of time; it takes one to %d", len(list), MostMultiples)
	}
	m := &multiples{o: o, series: slices.Clone(series), list: list}
	for i, s := range series {
		if len(s.Start) != len(s.Y) || len(s.End) != len(s.Y) {
			return nil, fmt.Errorf("small multiples: series %q has %d starts, %d ends and %d values", s.Name, len(s.Start),
				len(s.End), len(s.Y))
		}
		if s.Name == "" {
			m.series[i].Name = fmt.Sprintf("series %d", i+1)
		}
	}
	m.spread = make([]spread, len(series))
	for k, s := range series {
		m.spread[k] = noSpread()
		var parts []Series
		for _, f := range list {
			part := cut(s, f.Start, f.End)
			for _, v := range part.Y {
				if canvas.Drawable(v) {
					m.spread[k].add(v)
				}
			}
			parts = append(parts, part)
		}
		m.parts = append(m.parts, parts)
	}
	for i, f := range list {
		if f.End <= f.Start || f.End-f.Start < 0 {
			return nil, fmt.Errorf("small multiples: %q ends at %d ns, before or when it starts, %d ns", f.Name, f.End, f.Start)
		}
		if f.Behind >= len(list) || f.Behind == i {
			return nil, fmt.Errorf("small multiples: %q has stretch %d behind it, of %d", f.Name, f.Behind, len(list))
		}
		m.photos = m.photos || f.Photo != nil
		m.behind = m.behind || f.Behind >= 0
	}
	return New(o.Title, "small_multiples", m), nil
}

// cut is a series within a stretch of time, on the time since its start.
func cut(s Series, from, to int64) Series {
	hi := sort.Search(len(s.Start), func(i int) bool { return s.Start[i] >= to })
	out := s
	out.Start, out.End, out.Y = nil, nil, nil
	for i := range hi {
		if s.Start[i] < from && s.End[i] <= from { // ends are in no order: a long sample may begin far before
			continue
		}
		out.Start = append(out.Start, max(s.Start[i], from)-from)
		out.End = append(out.End, min(s.End[i], to)-from)
		out.Y = append(out.Y, s.Y[i])
	}
	return out
}

// multiples is the body of a chart of small multiples: a row for each stretch, its picture first.
type multiples struct {
	o      MultiplesOptions
	series []Series
	list   []Multiple
	parts  [][]Series // of each series: the part in each stretch
	spread []spread   // of each series in all stretches
	photos bool       // there is a column of pictures
	behind bool       // something stands behind
}

// length is how much time the frame of a row shows.
func (m *multiples) length(i int) int64 {
	f := m.list[i]
	n := f.End - f.Start
	if f.Behind >= 0 {
		n = max(n, m.list[f.Behind].End-m.list[f.Behind].Start)
	}
	return n
}

// multiplesLayout is what a width decides.
type multiplesLayout struct {
	header  header
	notes   []string
	names   [][]string // of each series
	nameH   float64
	photoW  float64
	cellW   float64
	gutter  []float64
	gap     float64
	headH   float64 // of all above the first row
	rowHead float64
}

func (m *multiples) layout(t *canvas.Theme, width float64) multiplesLayout {
	l := multiplesLayout{header: newHeader(t, m.o.Title, "", "", width), gap: t.Text * 1.2}
	small, bold := canvas.Regular.Of(t.Small), canvas.Bold.Of(t.Text)
	for _, n := range m.o.Notes {
		l.notes = append(l.notes, small.Lines(n, width, 3)...)
	}
	left := width
	if m.photos {
		l.photoW = width * 0.24
		left -= l.photoW + l.gap
	}
	n := float64(len(m.series))
	l.cellW = (left - (n-1)*l.gap) / n
	for k, s := range m.series {
		name := s.Name
		if u := m.axis(t, k, t.Text*6).unit; u != "" {
			name = canvas.Isolated(name) + " [" + u + "]"
		}
		lines := bold.Lines(name, l.cellW, 2)
		l.names, l.nameH = append(l.names, lines), max(l.nameH, float64(len(lines))*bold.Leading())
		w := 0.0
		for _, k := range m.axis(t, k, t.Text*6).ticks {
			w = max(w, canvas.Regular.Of(t.Text).Width(k.label))
		}
		l.gutter = append(l.gutter, min(w+t.Text*0.6, l.cellW/3))
	}
	l.headH = l.header.height(t) + float64(len(l.notes))*small.Leading() + l.nameH + t.Text*0.4
	if m.behind {
		l.headH += small.Leading() + t.Text*0.3
	}
	l.rowHead = bold.Leading() + topPad(t)
	return l
}

// frameH is the height of a frame that reads well: lower without a picture beside it.
func (m *multiples) frameH(t *canvas.Theme, l multiplesLayout) float64 {
	if m.photos {
		return min(max(l.photoW*0.5, t.Text*6), t.Text*10)
	}
	return t.Text * 5.5
}

// footH is the height below the frame of a row: the labels of its time, and below the last what they are.
func (m *multiples) footH(t *canvas.Theme, i int) float64 {
	h := tickPad(t) + canvas.Regular.Of(t.Text).Leading()
	if i == len(m.list)-1 {
		h += canvas.Regular.Of(t.Text).Leading()
	}
	return h + t.Text*0.8
}

func (m *multiples) Prefer(t *canvas.Theme, width float64) float64 {
	l := m.layout(t, width)
	h := l.headH
	for i := range m.list {
		h += l.rowHead + m.frameH(t, l) + m.footH(t, i)
	}
	return h
}

func (m *multiples) axis(t *canvas.Theme, k int, frameH float64) valueAxis {
	n := min(max(int(frameH/(t.Text*2.2)), 2), 5)
	return newValueAxis(m.spread[k], Range{}, unitOf(m.series[k].Unit), n, false)
}

func (m *multiples) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	l := m.layout(t, area.W)
	fixed := l.headH
	for i := range m.list {
		fixed += l.rowHead + m.footH(t, i)
	}
	frameH := min((area.H-fixed)/float64(len(m.list)), t.Text*16)
	if frameH < t.Text*2 || l.cellW < 7*t.Text {
		s := canvas.Regular.Of(t.Text)
		sc.TextLines(area.X, area.Y, canvas.Left, s, t.Muted,
			s.Lines("the stretches of this chart do not fit at this size", area.W, max(1, int(area.H/s.Leading()))))
		return
	}
	y := l.header.draw(sc, t, area.X, area.Y)
	y = sc.TextLines(area.X, y, canvas.Left, canvas.Regular.Of(t.Small), t.Muted, l.notes)
	if m.behind {
		m.drawKey(sc, t, area, y)
		y += canvas.Regular.Of(t.Small).Leading() + t.Text*0.3
	}
	at := func(k int) float64 {
		x := area.X + float64(k)*(l.cellW+l.gap)
		if m.photos {
			x += l.photoW + l.gap
		}
		return x
	}
	for k, lines := range l.names {
		sc.TextLines(at(k), y, canvas.Left, canvas.Bold.Of(t.Text), t.Ink, lines)
	}
	y += l.nameH + t.Text*0.4
	for i, f := range m.list {
		drawRowHead(sc, t, f, canvas.Box(area.X, y, area.W, l.rowHead))
		y += l.rowHead
		if m.photos {
			m.drawPhoto(sc, t, f.Photo, canvas.Box(area.X, y, l.photoW, frameH+tickPad(t)+t.Text))
		}
		for k := range m.series {
			frame := sc.Snapped(canvas.Box(at(k)+l.gutter[k], y, l.cellW-l.gutter[k], frameH))
			m.drawFrame(sc, t, frame, i, k)
		}
		y += frameH + m.footH(t, i)
	}
}

// drawRowHead names a stretch, in one line.
func drawRowHead(sc *canvas.Scene, t *canvas.Theme, f Multiple, at canvas.Rect) {
	bold, s := canvas.Bold.Of(t.Text), canvas.Regular.Of(t.Text)
	most := at.W
	if f.Note != "" {
		most *= 0.5
	}
	x := sc.TextAt(at.X, at.Y+bold.Ascent(), canvas.Left, bold, t.Ink, bold.Fit(f.Name, most)).Right() + t.Text*0.8
	sc.TextAt(x, at.Y+bold.Ascent(), canvas.Left, s, t.Muted, s.Fit(f.Note, at.Right()-x))
}

// drawKey says what the two lines of every frame are.
func (m *multiples) drawKey(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect, y float64) {
	s := canvas.Regular.Of(t.Small)
	x, line := area.X, y+s.Leading()*0.5
	for _, k := range []struct {
		name  string
		color color.NRGBA
	}{{m.o.Front, t.Series[0]}, {m.o.Back, t.Muted}} {
		sc.Fill(canvas.Box(x, line-1.5, t.Text*1.4, 3), k.color)
		x += t.Text*1.4 + t.Small*0.4
		x = sc.TextAt(x, y+s.Ascent(), canvas.Left, s, t.Muted, s.Fit(k.name, area.W*0.4)).Right() + t.Text*1.4
	}
}

// drawFrame draws a series in a stretch, over the stretch behind it.
func (m *multiples) drawFrame(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, i, k int) {
	if frame.W < 8 || frame.H < 8 {
		return
	}
	va := m.axis(t, k, frame.H)
	ax := newTimeAxis(0, m.length(i), canvas.Regular.Of(t.Text), frame.W)
	ty, tx := toY(frame, va), toX(frame, ax)
	for _, v := range va.ticks {
		sc.Hline(frame.X, frame.Right(), ty(v.at), 1, t.Grid)
	}
	for _, v := range ax.ticks {
		sc.Vline(tx(int64(v.at)), frame.Y, frame.Bottom(), 1, t.Grid)
	}
	sc.Frame(frame, 1, t.Rule)
	valueLabels(sc, t, frame, va, ty)
	title := ""
	if i == len(m.list)-1 {
		title = strings.Replace(ax.title, "time [", "time since its start [", 1)
	}
	drawTicksBelow(sc, t, frame, ax.ticks, func(ns float64) float64 { return tx(int64(ns)) }, title)
	n := int(math.Round(frame.W * sc.Scale))
	drawn := false
	line := func(j int, c color.NRGBA, width float64, tint uint8) {
		s := m.parts[k][j]
		r := canvas.Reduce(s.Start, s.End, s.Y, ax.t0, ax.t1, n)
		if r.Empty() {
			return
		}
		drawn = true
		tr := canvas.NewTrace(r, frame, sc.Scale, ty)
		if tint > 0 {
			sc.Strip(tr.AreaTo(ty(max(va.lo, min(0, va.hi)))), canvas.WithAlpha(c, tint))
		}
		sc.Trace(tr, c, width)
		for _, p := range tr.Isolated() {
			sc.Disc(p.X, p.Y, 3, c)
		}
	}
	f := m.list[i]
	if f.Behind >= 0 {
		line(f.Behind, t.Muted, t.Line*0.8, 0x2c)
		if end := m.list[f.Behind].End - m.list[f.Behind].Start; end < ax.t1 {
			sc.Dashed(tx(end), frame.Y, tx(end), frame.Bottom(), 1, t.Muted)
		}
		line(i, t.Series[0], t.Line, 0)
		if end := f.End - f.Start; end < ax.t1 {
			sc.Dashed(tx(end), frame.Y, tx(end), frame.Bottom(), 1, t.Series[0])
		}
	} else {
		c := t.Series[0]
		if slices.ContainsFunc(m.list, func(g Multiple) bool { return g.Behind == i }) {
			c = t.Muted // as it stands behind the others
		}
		line(i, c, t.Line, 0x2c)
	}
	if !drawn {
		drawNoData(sc, t, frame, m.why(i, k))
	}
}

// why is why a series shows nothing in a stretch.
func (m *multiples) why(i, k int) string {
	s := m.parts[k][i]
	switch {
	case len(s.Y) == 0:
		return "no sample lies in this stretch of time"
	case s.Why != "":
		return s.Why
	}
	return allMissing(len(s.Y))
}

// drawPhoto draws a picture as large as it goes, with the name of its file below it.
func (m *multiples) drawPhoto(sc *canvas.Scene, t *canvas.Theme, p *Photo, box canvas.Rect) {
	s := canvas.Regular.Of(t.Small)
	room := canvas.Box(box.X, box.Y, box.W, box.H-s.Leading()-t.Small*0.2)
	why, name := "no picture of it", ""
	if p != nil {
		why, name = p.Why, s.Fit(p.Name, box.W)
	}
	caption := func(bottom float64) {
		sc.TextAt(box.X, bottom+t.Small*0.2+s.Ascent(), canvas.Left, s, t.Muted, name)
	}
	if p == nil || p.Image == nil {
		sc.Fill(room, t.Panel)
		lines := s.Lines(why, room.W*0.9, max(1, int(room.H/s.Leading())))
		y := room.Y + (room.H-float64(len(lines))*s.Leading())/2
		sc.TextLines(room.X+room.W/2, y, canvas.Center, s, t.Muted, lines)
		caption(room.Bottom())
		return
	}
	w, h := float64(p.Image.Rect.Dx()), float64(p.Image.Rect.Dy())
	k := min(room.W/w, room.H/h)
	r := sc.Snapped(canvas.Box(room.X, room.Y, w*k, h*k))
	sc.Photo(r, p.Image)
	sc.Frame(r, 1, t.Rule)
	caption(r.Bottom())
}

// outline has a timeline for each frame of the picture: what it shows, and what stands behind it.
func (m *multiples) outline() (Outline, bool) {
	o := Outline{Notes: slices.Clone(m.o.Notes)}
	for i, f := range m.list {
		var row []*Plot
		for k, s := range m.parts {
			title := f.Name
			if f.Note != "" {
				title += " · " + f.Note
			}
			if f.Photo != nil && f.Photo.Name != "" {
				title += " · picture " + f.Photo.Name
			}
			if k > 0 {
				title = "" // said once for the row
			}
			front := s[i]
			lines := []Series{front}
			if f.Behind >= 0 {
				back := s[f.Behind]
				back.Name = front.Name + ": " + m.o.Back
				front.Name += ": " + m.o.Front
				lines = []Series{front, back}
			}
			p, err := Timeline(TimelineOptions{Title: title, Lanes: NeverLanes, To: m.length(i),
				Y: m.limits(k)}, lines...)
			if err != nil {
				return o, false
			}
			p.Kind = "small_multiples"
			row = append(row, p)
		}
		o.Rows = append(o.Rows, row)
	}
	return o, true
}

// limits are the ends of the value axis that a series has in all stretches.
func (m *multiples) limits(k int) Range {
	if m.spread[k].empty() {
		return Range{}
	}
	a := newValueAxis(m.spread[k], Range{}, unitOf(m.series[k].Unit), 4, false)
	return Range{Lo: a.lo, Hi: a.hi}
}

// Multiples are the stretches of a chart of small multiples; nil for any other chart.
func (p *Plot) Multiples() []Multiple {
	if m, ok := p.body.(*multiples); ok {
		return m.list
	}
	return nil
}
