package charts

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

// Account is where the measured time of a capture went: every part is the time whose pace one thing set.
type Account struct {
	Base    int64 // ns; the times of Parts add up to it
	Idle    int64 // the time without work, ns
	Parts   []AccountPart
	Missing []string // what would have to be recorded to tell more

	slots map[string]int // the colour of parts that a timeline beside the account draws, by name
}

// AccountPart is one part of an Account.
type AccountPart struct {
	Name, Kind string
	Title      string  // what a reader is told
	Explained  bool    // it says what set the pace
	Time       int64   // ns
	Low, High  float64 // of what a report promises that relieving it gains, ns
	RunnerUp   string  // sets the pace next
	Spans      []capture.Span
}

// Share is the part's share of the base, 0 to 1.
func (a *Account) Share(p AccountPart) float64 {
	if a.Base <= 0 {
		return 0
	}
	return float64(p.Time) / float64(a.Base)
}

// Gain is the part's gain in words, "" where it has none.
func (a *Account) Gain(p AccountPart) string {
	if !(p.High > 0) || a.Base <= 0 {
		return ""
	}
	return gainText(p.Low/float64(a.Base), p.High/float64(a.Base))
}

// gainText is what relieving something saves, as a range that is rounded to five points of a percent: more digits would
// say more than is known.
func gainText(low, high float64) string {
	a, b := FivePoints(low), FivePoints(high)
	switch {
	case b == 0:
		return "below 5 %"
	case a == b:
		return fmt.Sprintf("about %d %%", b)
	case a == 0:
		return fmt.Sprintf("up to %d %%", b)
	}
	return fmt.Sprintf("%d to %d %%", a, b)
}

// FivePoints is a share in percent, rounded to five.
func FivePoints(x float64) int { return 5 * int(20*min(1, max(x, 0))+0.5) }

// Parts that a picture names: the longest, as far as they are at least leastPart of the time. The others are one.
const (
	mostParts = 7
	leastPart = 0.01
)

// shown are the parts that a picture names, and the others as one, and the colour of each.
func (a *Account) shown(t *canvas.Theme) (list []AccountPart, colors []color.NRGBA) {
	rest := AccountPart{}
	n := 0
	for _, p := range a.Parts {
		if len(list) < mostParts && a.Share(p) >= leastPart {
			list = append(list, p)
			continue
		}
		rest.Time += p.Time
		rest.Spans = append(rest.Spans, p.Spans...)
		rest.Title = p.Title
		n++
	}
	if n > 1 {
		rest.Title = fmt.Sprintf("%d others", n)
	}
	free := a.free(list, len(t.Series))
	for _, p := range list {
		c := t.Unexplained(p.Kind)
		if p.Explained {
			slot, drawn := a.slots[p.Name]
			if !drawn {
				slot, free = free[0], append(free[1:], free[0])
			}
			c, _ = t.SeriesColor(slot)
		}
		colors = append(colors, c)
	}
	if n > 0 && rest.Time > 0 {
		list, colors = append(list, rest), append(colors, t.Rule)
	}
	return list, colors
}

// free are colours for the parts that have none of a timeline, the longest first: those that it does not use, and where
// these do not suffice behind them those that no other part has.
func (a *Account) free(list []AccountPart, n int) []int {
	need, parts, all := 0, map[int]bool{}, map[int]bool{}
	for _, slot := range a.slots {
		all[slot%n] = true
	}
	for _, p := range list {
		if slot, drawn := a.slots[p.Name]; drawn {
			parts[slot%n] = true
		} else if p.Explained {
			need++
		}
	}
	without := func(taken map[int]bool) (out []int) {
		for slot := range n {
			if !taken[slot] {
				out = append(out, slot)
			}
		}
		return out
	}
	out := without(all)
	for _, taken := range []map[int]bool{parts, nil} {
		if len(out) >= need && len(out) > 0 {
			break
		}
		for _, slot := range without(taken) {
			if !slices.Contains(out, slot) {
				out = append(out, slot)
			}
		}
	}
	return out
}

// AccountChart draws an account as one bar of the whole, and what led when as a lane over time, with the names of the
// parts below.
func AccountChart(a *Account, title string) *Plot {
	return New(title, "account", &accountChart{a, title})
}

type accountChart struct {
	a     *Account
	title string
}

// drawKeys names the parts below a bar, each behind a sample of its colour, one after the other in at most so many
// rows, and returns where they end. With sc nil nothing is drawn.
func (a *Account) drawKeys(sc *canvas.Scene, t *canvas.Theme, x, y, width float64, rows int) float64 {
	s := canvas.Regular.Of(t.Text)
	list, colors := a.shown(t)
	at, row := 0.0, 0
	for i, p := range list {
		text := s.Fit(a.words(p), width-t.Text*1.4)
		w := t.Text*1.2 + s.Width(text)
		if at > 0 && at+w > width {
			if row++; row == rows {
				break
			}
			at = 0
		}
		if sc != nil {
			top := y + float64(row)*s.Leading()
			sc.Fill(sc.Snapped(canvas.Box(x+at, top+s.Leading()*0.22, t.Text*0.8, t.Text*0.8)), colors[i])
			sc.TextAt(x+at+t.Text*1.2, top+s.Ascent(), canvas.Left, s, t.Ink, text)
		}
		at += w + t.Text*1.4
	}
	return y + float64(min(row+1, rows))*s.Leading()
}

// shareText is a share in whole percent, or a tenth where it is small.
func shareText(share float64) string {
	switch x := 100 * share; {
	case x >= 10 || x == 0:
		return fmt.Sprintf("%.0f %%", x)
	case x < 0.1:
		return "below 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", x)
	}
}

// Beside returns the account in the colours of a timeline: a part has that of the series about it.
func (a *Account) Beside(p *Plot) *Account {
	lanes := lanesOf(p)
	b := *a
	b.slots = map[string]int{}
	for _, p := range a.Parts {
		for _, l := range lanes {
			for i, s := range l.series {
				if _, known := b.slots[p.Name]; !known && strings.HasPrefix(plainName(s.Name), plainName(p.Name)+"_") {
					b.slots[p.Name] = i + l.offset
				}
			}
		}
	}
	for _, l := range lanes { // a colour of the timeline stands for nothing else
		for i, s := range l.series {
			if key := "series " + s.Name; len(l.series) > 1 {
				b.slots[key] = i + l.offset
			}
		}
	}
	return &b
}

// Colored is a chart of stacked bars whose series are called as parts of the account are, in the colours that these have
// in the bar of the whole; any other chart stays as it is.
func (a *Account) Colored(p *Plot) *Plot {
	b, ok := p.body.(*bar)
	if !ok || !b.o.Stacked || !slices.ContainsFunc(b.series, func(s BarSeries) bool {
		return slices.ContainsFunc(a.Parts, func(part AccountPart) bool { return part.Title == s.Name })
	}) {
		return p
	}
	painted, q := *b, *p
	painted.account, q.body = a, &painted
	return &q
}

// color is that of the part with a title; of what the bar of the whole does not name it is that of the others.
func (a *Account) color(t *canvas.Theme, title string) color.NRGBA {
	list, colors := a.shown(t)
	for i, p := range list {
		if p.Title == title {
			return colors[i]
		}
	}
	return t.Rule
}

// over is the window of time of the account's lane.
func (a *Account) over() (t0, t1 int64) {
	first := true
	for _, p := range a.Parts {
		for _, s := range p.Spans {
			if first {
				t0, t1, first = s.Start, s.End, false
			}
			t0, t1 = min(t0, s.Start), max(t1, s.End)
		}
	}
	return t0, t1
}

// heading says what the bar is of.
func (a *Account) heading() string {
	text := Duration(a.Base) + " measured"
	if a.Idle > 0 {
		text += fmt.Sprintf(", at work for %s of it", shareText(1-float64(a.Idle)/float64(max(1, a.Base))))
	}
	return text
}

func (c *accountChart) Prefer(t *canvas.Theme, width float64) float64 {
	h := newHeader(t, c.title, "", c.a.heading(), width).height(t) + topPad(t) + accountBarHeight(t)
	if t0, t1 := c.a.over(); t1 > t0 {
		h += newTimeStack([]*lane{c.a.lane()}).Prefer(t, width)
	}
	return h + t.Text*0.6 + c.a.drawKeys(nil, t, 0, 0, width, keyRows)
}

// keyRows is how many rows the names of parts take at most.
const keyRows = 4

// accountBarHeight is the height of the bar of the whole.
func accountBarHeight(t *canvas.Theme) float64 { return t.Text * 2 }

func (c *accountChart) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	y := newHeader(t, c.title, "", c.a.heading(), area.W).draw(sc, t, area.X, area.Y) + topPad(t)
	if c.a.Base <= 0 {
		drawNoData(sc, t, canvas.Box(area.X, y, area.W, area.Bottom()-y), noTime)
		return
	}
	c.a.drawBar(sc, t, canvas.Box(area.X, y, area.W, min(accountBarHeight(t), area.Bottom()-y)))
	y += accountBarHeight(t) + t.Text*0.3
	y = c.a.drawKeys(sc, t, area.X, y, area.W, keyRows) + t.Text*0.3
	if t0, t1 := c.a.over(); t1 > t0 && area.Bottom()-y > timeAxisHeight(t)+t.Text {
		newTimeStack([]*lane{c.a.lane()}).Draw(sc, t, canvas.Box(area.X, y, area.W, area.Bottom()-y))
	}
}

// noTime is why an account shows nothing.
const noTime = "no time was measured"

// drawBar draws the parts of the whole one behind the other, with the share of those that have room for it.
func (a *Account) drawBar(sc *canvas.Scene, t *canvas.Theme, bar canvas.Rect) {
	bar = sc.Snapped(bar)
	if bar.W < 8 || bar.H < 4 {
		return
	}
	list, colors := a.shown(t)
	x := bar.X
	s := canvas.Bold.Of(min(t.Text, bar.H*0.55))
	for i, p := range list {
		w := a.Share(p) * bar.W
		if i == len(list)-1 {
			w = bar.Right() - x
		}
		seg := sc.Snapped(canvas.Box(x, bar.Y, w, bar.H))
		sc.Fill(seg, colors[i])
		if i > 0 {
			sc.Vline(seg.X, bar.Y, bar.Bottom(), 1, t.Page)
		}
		text := p.Title + "  " + shareText(a.Share(p))
		if s.Width(canvas.Printable(text)) > w-t.Text {
			text = shareText(a.Share(p))
		}
		if s.Width(text) <= w-t.Text*0.5 && bar.H >= s.Height() {
			sc.TextAt(x+w/2, bar.Y+bar.H/2+s.Size*0.35, canvas.Center, s, t.InkOn(colors[i]), canvas.Printable(text))
		}
		x += w
	}
	sc.Frame(bar, 1, t.Rule)
}

// DrawWhole draws the bar of the whole under a heading, with the names of its parts below it, and returns the y below
// them.
func (a *Account) DrawWhole(sc *canvas.Scene, t *canvas.Theme, at canvas.Rect) float64 {
	y := DrawHeading(sc, t, "Where the time went", a.heading(), at) + t.Text*0.2
	a.drawBar(sc, t, canvas.Box(at.X, y, at.W, accountBarHeight(t)))
	return a.drawKeys(sc, t, at.X, y+accountBarHeight(t)+t.Text*0.35, at.W, 2)
}

// Below is a timeline with what led when in a lane below it, on the same axis. Any other chart, and a timeline of
// another window of time, stays as it is; without a chart the lane stands alone.
func (a *Account) Below(p *Plot) *Plot {
	t0, t1 := a.over()
	if t1 <= t0 {
		return p
	}
	strip := a.lane()
	if p == nil {
		return New("", "account", newTimeStack([]*lane{strip}))
	}
	lanes := lanesOf(p)
	strip.follows = true
	if with := append(lanes[:len(lanes):len(lanes)], strip); lanes != nil {
		if _, _, ok := shareTime(with); ok {
			return New(p.Title, p.Kind, newTimeStack(with))
		}
	}
	return p
}

// lane is what led when, as a lane of a timeline.
func (a *Account) lane() *lane {
	t0, t1 := a.over()
	if t1 <= t0 {
		t1 = t0 + 1
	}
	l := &lane{tl: &timeline{t0: t0, t1: t1}, strip: a, name: "what mostly set the pace", among: 1, spread: noSpread()}
	l.tl.lanes = []*lane{l}
	return l
}

// drawStrip draws what led when: in every column of pixels the part that led most of it.
func (l *lane) drawStrip(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ax timeAxis) {
	n := int(math.Round(frame.W * sc.Scale))
	if n <= 0 {
		return
	}
	list, colors := l.strip.shown(t)
	who := leading(list, ax.t0, ax.t1, n)
	for c := 0; c < n; {
		d := c
		for d < n && who[d] == who[c] {
			d++
		}
		if who[c] >= 0 {
			sc.Fill(canvas.Box(frame.X+float64(c)/sc.Scale, frame.Y, float64(d-c)/sc.Scale, frame.H), colors[who[c]])
		}
		c = d
	}
	sc.Frame(frame, 1, t.Rule)
}

// leading is the part that led most of each of n columns between two times, -1 where none did.
func leading(list []AccountPart, t0, t1 int64, n int) []int {
	k := float64(n) / float64(t1-t0)
	most, who := make([]float64, n), make([]int, n)
	for c := range who {
		who[c] = -1
	}
	for i, p := range list {
		time := make([]float64, n)
		for _, s := range p.Spans {
			if s.End < t0 || s.Start > t1 {
				continue
			}
			x0, x1 := float64(s.Start-t0)*k, float64(s.End-t0)*k
			for c := min(max(int(x0), 0), n-1); c < n && float64(c) < x1; c++ {
				time[c] += max(0, min(x1, float64(c+1))-max(x0, float64(c)))
			}
		}
		for c, x := range time {
			if x > most[c] {
				most[c], who[c] = x, i
			}
		}
	}
	return who
}

// words are what a part is called below a bar.
func (a *Account) words(p AccountPart) string {
	text := shareText(a.Share(p)) + " " + p.Title
	if g := a.Gain(p); g != "" {
		text += " · could gain " + g
	}
	return text
}
