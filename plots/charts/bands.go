package charts

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"unicode"

	"astrolabe/plots/canvas"
)

// bandKey says what one kind of shade or dashed line in the frames of timelines means.
type bandKey struct {
	fill   color.NRGBA // of the shade; alpha 0 for a dashed line
	edge   color.NRGBA // of the strong line along its top, or of the dashes
	rail   color.NRGBA // of the line along its bottom
	name   string
	detail string // how much of it there is; "" where that differs between the frames
}

// bandKeys lists what is shaded in a lane between two times: stretches without data, those that were marked, and bands
// of values. A band of values has its label in the frame unless the lane is too low for it.
func (l *lane) bandKeys(t *canvas.Theme, t0, t1 int64) []bandKey {
	o := l.tl.o
	var out []bandKey
	if gaps := within(o.Gaps, t0, t1); len(gaps) > 0 {
		out = append(out, bandKey{fill: t.GapFill, name: "no data" + sharedReason(gaps), detail: amount(gaps)})
	}
	if late := within(o.Late, t0, t1); len(late) > 0 {
		out = append(out, bandKey{fill: t.LateFill, rail: t.LateEdge, name: "one longer sample for several" +
			sharedReason(late), detail: amount(late)})
	}
	for s := canvas.None; s <= canvas.Critical; s++ {
		var list []Interval
		for _, iv := range within(o.Spans, t0, t1) {
			if iv.Severity == s {
				list = append(list, iv)
			}
		}
		if len(list) == 0 || s != canvas.None && !slices.ContainsFunc(list, func(iv Interval) bool {
			return iv.Label == ""
		}) {
			continue // a judged stretch with a label has it above the frame
		}
		out = append(out, bandKey{fill: t.Tint(s, t.SpanFill), edge: t.SpanEdge(s), name: spansName(list, s),
			detail: amount(list)})
	}
	for _, b := range l.bands() {
		if b.Label != "" && l.name == "" {
			continue
		}
		k := bandKey{name: b.Label, fill: t.Tint(b.Severity, t.BandFill)}
		if b.Lo == b.Hi {
			k.fill, k.edge = color.NRGBA{}, t.SpanEdge(b.Severity)
		}
		if k.name == "" {
			k.name = l.unit.bandName(b.Lo, b.Hi, l.unit.factor)
		}
		out = append(out, k)
	}
	return out
}

// within are the stretches that touch a window.
func within(list []Interval, t0, t1 int64) []Interval {
	var out []Interval
	for _, iv := range list {
		if iv.End >= t0 && iv.Start <= t1 {
			out = append(out, iv)
		}
	}
	return out
}

// alternate divides stretches so that of two named ones of a severity which follow each other without a space, such as
// phases, one is in each list: drawn alike they would be one.
func alternate(list []Interval) (even, odd []Interval) {
	last := map[canvas.Severity]Interval{}
	parity := map[canvas.Severity]bool{}
	for _, iv := range list {
		before, seen := last[iv.Severity]
		if touching := seen && iv.Start == before.End && iv.Label != "" && iv.Label != before.Label; touching {
			parity[iv.Severity] = !parity[iv.Severity]
		} else {
			parity[iv.Severity] = false
		}
		if parity[iv.Severity] {
			odd = append(odd, iv)
		} else {
			even = append(even, iv)
		}
		last[iv.Severity] = iv
	}
	return even, odd
}

// look is how stretches of time are drawn: the colour of the stretch, and of a strong line along its top or bottom,
// which shows the shortest of them. Each may be nil.
type look struct {
	fill, top, bottom func(canvas.Severity) color.NRGBA
}

// always is one colour for every severity.
func always(c color.NRGBA) func(canvas.Severity) color.NRGBA {
	return func(canvas.Severity) color.NRGBA { return c }
}

// shade draws stretches of time. Stretches that share a device column are drawn once, so that thousands of short ones
// do not darken each other.
func shade(sc *canvas.Scene, frame canvas.Rect, ax timeAxis, list []Interval, how look) {
	n := int(math.Round(frame.W * sc.Scale))
	for sev := canvas.None; sev <= canvas.Critical; sev++ {
		cols := make([]bool, n)
		any := false
		k := float64(n) / float64(ax.t1-ax.t0)
		for _, iv := range list {
			if iv.Severity != sev || iv.End < ax.t0 || iv.Start > ax.t1 {
				continue
			}
			a := min(max(int(float64(iv.Start-ax.t0)*k), 0), n-1)
			b := min(max(int(math.Ceil(float64(iv.End-ax.t0)*k)), a+1), n)
			for i := a; i < b; i++ {
				cols[i] = true
			}
			any = true
		}
		if !any {
			continue
		}
		for i := 0; i < n; {
			if !cols[i] {
				i++
				continue
			}
			j := i
			for j < n && cols[j] {
				j++
			}
			r := canvas.Box(frame.X+float64(i)/sc.Scale, frame.Y, float64(j-i)/sc.Scale, frame.H)
			line := canvas.Box(min(r.X, frame.Right()-max(r.W, 3)), 0, max(r.W, 3), 0)
			if how.fill != nil {
				sc.Fill(r, how.fill(sev))
			}
			if how.top != nil {
				sc.Fill(canvas.Box(line.X, frame.Y, line.W, 5), how.top(sev))
			}
			if how.bottom != nil {
				sc.Fill(canvas.Box(line.X, frame.Bottom()-3, line.W, 3), how.bottom(sev))
			}
			i = j
		}
	}
}

// amount says how many stretches there are and how long they are together.
func amount(list []Interval) string {
	total := int64(0)
	for _, iv := range list {
		total += iv.End - iv.Start
	}
	if len(list) == 1 {
		return Duration(total)
	}
	return fmt.Sprintf("%s stretches, %s in all", Grouped(len(list)), Duration(total))
}

// sharedReason is why there are no data, where all stretches have the same reason.
func sharedReason(list []Interval) string {
	for _, iv := range list {
		if iv.Label == "" || iv.Label != list[0].Label {
			return ""
		}
	}
	return ": " + canvas.Isolated(list[0].Label)
}

// spansName is what stretches of one severity are called: what their labels have in common, such as "phase" of "phase
// 1" and "phase 2".
func spansName(list []Interval, s canvas.Severity) string {
	if list[0].Kind != "" {
		return list[0].Kind
	}
	common := words(list[0].Label)
	for _, iv := range list[1:] {
		w := words(iv.Label)
		n := 0
		for n < len(common) && n < len(w) && common[n] == w[n] {
			n++
		}
		common = common[:n]
	}
	switch {
	case len(common) > 0:
		return strings.Join(common, " ")
	case s != canvas.None:
		return s.String()
	}
	return "marked"
}

// words are the words of a label without the numbers behind them.
func words(label string) []string {
	w := strings.Fields(label)
	for len(w) > 1 && strings.IndexFunc(w[len(w)-1], func(r rune) bool { return !unicode.IsDigit(r) }) < 0 {
		w = w[:len(w)-1]
	}
	return w
}

// bandName says which values a band covers, given in the unit times a factor.
func (u unit) bandName(lo, hi, factor float64) string {
	u.factor = factor
	switch {
	case lo == hi:
		return "at " + u.format(lo)
	case !canvas.Drawable(lo):
		return "up to " + u.format(hi)
	case !canvas.Drawable(hi):
		return "from " + u.format(lo)
	}
	return u.format(lo) + " to " + u.format(hi)
}

// mergeKeys lists the keys of several lanes once each.
func mergeKeys(lanes []*lane, t *canvas.Theme, t0, t1 int64) []bandKey {
	var out []bandKey
	for _, l := range lanes {
		for _, k := range l.bandKeys(t, t0, t1) {
			i := slices.IndexFunc(out, func(o bandKey) bool {
				return o.name == k.name && o.fill == k.fill && o.edge == k.edge
			})
			if i < 0 {
				out = append(out, k)
			} else if out[i].detail != k.detail {
				out[i].detail = ""
			}
		}
	}
	return out
}

// bandLegend is the keys in rows.
type bandLegend struct {
	keys []placedKey
	rows int
}

type placedKey struct {
	bandKey
	text string
	x    float64
	row  int
}

func newBandLegend(t *canvas.Theme, keys []bandKey, width float64) bandLegend {
	s := canvas.Regular.Of(t.Small)
	var l bandLegend
	x := 0.0
	for _, k := range keys {
		p := placedKey{bandKey: k, text: k.name}
		if k.detail != "" {
			p.text = canvas.Isolated(p.text) + " · " + k.detail
		}
		p.text = s.Fit(p.text, width-swatchWidth(t))
		w := swatchWidth(t) + s.Width(p.text)
		if x > 0 && x+w > width {
			l.rows++
			x = 0
		}
		p.x, p.row = x, l.rows
		x += w + t.Text*1.4
		l.keys = append(l.keys, p)
	}
	if len(keys) > 0 {
		l.rows++
	}
	return l
}

func (l bandLegend) height(t *canvas.Theme) float64 {
	if l.rows == 0 {
		return 0
	}
	return float64(l.rows)*canvas.Regular.Of(t.Small).Leading() + t.Text*0.2
}

func (l bandLegend) draw(sc *canvas.Scene, t *canvas.Theme, x, y float64) {
	s := canvas.Regular.Of(t.Small)
	y += t.Text * 0.2
	for _, k := range l.keys {
		top := y + float64(k.row)*s.Leading()
		box := sc.Snapped(canvas.Box(x+k.x, top+s.Leading()*0.14, t.Text*1.4, s.Leading()*0.6))
		if mid := box.Y + box.H/2; k.fill.A == 0 {
			sc.Dashed(box.X, mid, box.Right(), mid, 2, k.edge)
		} else {
			sc.Fill(box, k.fill)
			sc.Frame(box, 1, t.Rule)
			sc.Fill(canvas.Box(box.X, box.Y, box.W, 4), k.edge)
			sc.Fill(canvas.Box(box.X, box.Bottom()-3, box.W, 3), k.rail)
		}
		sc.TextAt(x+k.x+swatchWidth(t), top+s.Ascent(), canvas.Left, s, t.Muted, k.text)
	}
}

// labelBand writes the label of a band or threshold into the frame, at the first place where it covers neither another
// label nor the data, else where it covers the least of them. What lies beyond the ends of the axis is named there,
// with an arrow.
func (l *lane) labelBand(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, va valueAxis, ty func(float64) float64,
	b Band, lines []*canvas.Trace, taken *[]canvas.Rect) {
	label := canvas.Printable(strings.TrimSpace(b.Label))
	below, above := b.Hi < va.lo, b.Lo > va.hi
	if label == "" && (below || above) {
		label = l.unit.bandName(b.Lo, b.Hi, l.unit.factor)
	}
	switch {
	case label == "":
		return
	case below:
		label = "↓ " + label
	case above:
		label = "↑ " + label
	}
	s := canvas.Regular.Of(t.Small)
	label = s.Fit(label, frame.W*0.6)
	w, h := s.Width(label)+8, s.Height()+2
	y := ty(min(b.Hi, va.hi))
	tops := []float64{y - h - 2, y + 3}
	switch {
	case below:
		tops = []float64{frame.Bottom() - h - 3}
	case above:
		tops = []float64{frame.Y + 3}
	case b.Lo < b.Hi:
		tops = []float64{y + 3, y - h - 2}
	}
	best, least := canvas.Rect{}, math.Inf(1)
	for x := frame.Right() - w - 6; x >= frame.X+6 && least > 0; x -= max(w/2, 4) {
		for _, top := range tops {
			r := canvas.Box(x, top, w, h)
			if !frame.Contains(r) || overlapsAny(r, *taken) {
				continue
			}
			if ink := inkWithin(r, lines); ink < least {
				best, least = r, ink
			}
		}
	}
	if math.IsInf(least, 1) {
		return
	}
	*taken = append(*taken, best)
	sc.Fill(best, canvas.WithAlpha(t.Page, 0xd8))
	sc.TextAt(best.X+4, best.Y+1+s.Ascent(), canvas.Left, s, t.SpanEdge(b.Severity), label)
}

// inkWithin is how much of a rectangle lines cover, about in device pixels.
func inkWithin(r canvas.Rect, lines []*canvas.Trace) float64 {
	sum := 0.0
	for _, tr := range lines {
		from := max(int((r.X-tr.X0)*tr.Scale), 0)
		to := min(int((r.Right()-tr.X0)*tr.Scale)+1, len(tr.Cols))
		for i := from; i < to; i++ {
			if c := &tr.Cols[i]; c.Present {
				sum += max(0, min(c.Hi+1, r.Bottom())-max(c.Lo-1, r.Y))
			}
		}
	}
	return sum
}

func overlapsAny(r canvas.Rect, list []canvas.Rect) bool {
	for _, o := range list {
		if r.Overlaps(o) {
			return true
		}
	}
	return false
}
