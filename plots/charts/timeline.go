package charts

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
)

// Series is one line of a timeline: Y[i] holds over [Start[i], End[i]) in ns since the start of the capture. Starts
// never decrease. NaN is missing. The slices are kept, not copied, and never written to.
type Series struct {
	Name  string
	Unit  string
	Group string // series of one group share a panel; "" groups by unit
	Why   string // why values are missing, shown where all of them are
	Start []int64
	End   []int64
	Y     []float64

	Counter *capture.Counter // whose samples these are; nil where they are of none
	Of      *capture.Capture // that the counter is one of; nil where it was computed
}

// Interval is a stretch of time in ns, shaded across the panels.
type Interval struct {
	Start, End int64
	Label      string // above the panel
	Kind       string // what such stretches are, in the legend; "" takes what the labels have in common
	Severity   canvas.Severity
}

// Mark is an instant in ns, drawn as a vertical line with its label above the panel.
type Mark struct {
	At    int64
	Label string
	Note  bool // the label is a text of any length, which stands under the title with a number

	number int // of a note, from 1
}

// Band shades the values from Lo to Hi. A band with Lo equal to Hi is a threshold, drawn as a dashed line.
// An end may be infinite. Unit says which panel it belongs to where series of several units are drawn; "" is every.
type Band struct {
	Lo, Hi   float64
	Label    string
	Unit     string
	Severity canvas.Severity
}

// Style says how a series that is not stacked is drawn.
type Style uint8

const (
	Line   Style = iota
	Area         // a line over a tint that reaches down to zero
	Spread       // the mean of short stretches, over a tint from their smallest to their largest value
)

// Lanes say whether series of one unit share a frame or have one each.
type Lanes uint8

const (
	AutoLanes   Lanes = iota // a lane for each series where noisy ones would hide each other (lanes.go)
	AlwaysLanes              // a lane for each
	NeverLanes               // one frame per unit
)

// TimelineOptions say how series are drawn over time. The zero value is a good start.
type TimelineOptions struct {
	Title   string
	YLabel  string
	Stacked bool // areas on top of each other; the series of a panel must share one time axis
	Style   Style
	Lanes   Lanes
	Log     bool     // logarithmic value axes; not of Twin
	Twin    []Series // drawn in the same frame against an axis at the right; they share one unit
	Bands   []Band
	Marks   []Mark
	Spans   []Interval // shaded, such as where a finding holds
	Gaps    []Interval // stretches without data, greyed
	Late    []Interval // stretches that longer samples cover: data of less resolution, shaded lightly
	From    int64      // with To, the window shown; both 0 is everything
	To      int64
	Y       Range
}

// Timeline draws series over time. Series with different units (or groups) get panels of their own under one another,
// on one time axis.
func Timeline(o TimelineOptions, series ...Series) (*Plot, error) {
	o.Marks = numbered(o.Marks)
	tl := &timeline{o: o}
	if o.Log && o.Stacked {
		return nil, fmt.Errorf("timeline: a stack cannot stand on a logarithmic axis, which has no zero")
	}
	if o.Lanes == AlwaysLanes && o.Stacked {
		return nil, fmt.Errorf("timeline: a stack adds its series up in one frame, lanes set them apart: choose one")
	}
	if o.Lanes == AlwaysLanes && len(o.Twin) > 0 {
		return nil, fmt.Errorf("timeline: a right axis belongs to one frame, lanes are several: choose one")
	}
	left := len(series)
	series = append(slices.Clone(series), o.Twin...)
	t0, t1 := int64(math.MaxInt64), int64(math.MinInt64)
	for i, s := range series {
		if len(s.Start) != len(s.Y) || len(s.End) != len(s.Y) {
			return nil, fmt.Errorf("timeline: series %q has %d starts, %d ends and %d values", s.Name, len(s.Start),
				len(s.End), len(s.Y))
		}
		if s.Name == "" {
			series[i].Name = fmt.Sprintf("series %d", i+1)
		}
		if len(s.Start) > 0 {
			t0 = min(t0, s.Start[0])
			for _, e := range s.End {
				t1 = max(t1, e)
			}
			t1 = max(t1, s.Start[len(s.Start)-1])
		}
	}
	if o.To > o.From {
		t0, t1 = o.From, o.To
	}
	if t0 > t1 {
		t0, t1 = 0, 1e9
	}
	if t0 == t1 {
		t1++ // a single instant
	}
	if t1-t0 < 0 {
		return nil, fmt.Errorf("timeline: the time from %d to %d ns is too long to draw", t0, t1)
	}
	tl.t0, tl.t1 = t0, t1
	if err := tl.split(series[:left], series[left:]); err != nil {
		return nil, err
	}
	return New(o.Title, "timeline", tl), nil
}

// timeline is the body of a Timeline: one or more lanes over one window of time.
type timeline struct {
	o      TimelineOptions
	t0, t1 int64
	lanes  []*lane
}

// split sorts the series into lanes.
func (tl *timeline) split(series, twin []Series) error {
	order := []string{}
	byKey := map[string]*lane{}
	for _, s := range series {
		u := unitOf(s.Unit)
		k := u.symbol + "\x00" + s.Group
		if byKey[k] == nil {
			byKey[k] = &lane{tl: tl, unit: u, group: s.Group}
			order = append(order, k)
		}
		byKey[k].add(s, u)
	}
	for _, k := range order {
		tl.lanes = append(tl.lanes, byKey[k])
	}
	if len(tl.lanes) == 0 {
		tl.lanes = []*lane{{tl: tl, unit: unitOf(""), why: "there is no series to draw"}}
	}
	if len(twin) > 0 {
		if len(tl.lanes) > 1 {
			return fmt.Errorf("timeline: series of %d units and a right axis: a frame has two axes at most",
				len(tl.lanes))
		}
		right := &lane{tl: tl, unit: unitOf(twin[0].Unit), offset: len(series)}
		for _, s := range twin {
			u := unitOf(s.Unit)
			if u.symbol != right.unit.symbol {
				return fmt.Errorf("timeline: %q is in %q and %q in %q: the right axis holds one unit", twin[0].Name,
					twin[0].Unit, s.Name, s.Unit)
			}
			right.add(s, u)
		}
		if err := right.prepare(); err != nil {
			return err
		}
		tl.lanes[0].right = right
	}
	for i, l := range tl.lanes {
		l.log = tl.o.Log
		if err := l.prepare(); err != nil {
			return err
		}
		l.entitle(tl.o, i == 0, len(tl.lanes) > 1)
	}
	var all []*lane
	for _, l := range tl.lanes {
		all = append(all, l.divided()...)
	}
	tl.lanes = all
	tl.lanes[0].notes = append(noteTexts(tl.o.Marks, tl.t0, tl.t1), tl.lanes[0].notes...)
	return nil
}

func (tl *timeline) Prefer(t *canvas.Theme, width float64) float64 {
	return newTimeStack(tl.lanes).Prefer(t, width)
}

func (tl *timeline) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	newTimeStack(tl.lanes).Draw(sc, t, area)
}

// lane is one panel of a timeline: a frame with a value axis.
type lane struct {
	tl     *timeline
	unit   unit
	group  string
	series []Series
	spread spread
	stack  *stack // nil unless stacked
	over   string // title of the chart, on its first lane
	title  string // name of the lane, where the chart has several
	label  string // what is drawn, where the title does not say it
	why    string // why the lane is empty
	notes  []string
	total  int
	absent int
	log    bool
	right  *lane // against the axis at the right, in the same frame; nil if there is none
	offset int   // of the first series in the order of colours

	strip *Account // what led when, in place of series

	// Where the series of a panel stand apart (lanes.go), each is a lane with these.
	name    string // beside or above the frame; "" where series share it
	follows bool   // continues the panel of the lane before: header and labels stand there
	scale   spread // of the axis, where it is that of all lanes of the panel
	among   int    // how many lanes the panel has
}

func (l *lane) add(s Series, u unit) {
	if u.factor != l.unit.factor { // kHz beside MHz: bring both to the lane's unit
		y := make([]float64, len(s.Y))
		for i, v := range s.Y {
			y[i] = v * u.factor / l.unit.factor
		}
		s.Y = y
		if len(l.series) > 0 {
			s.Unit = l.series[0].Unit
		}
	}
	l.series = append(l.series, s)
}

// prepare looks at every value once: the spread of the axis, what is missing, the sums of a stack.
func (l *lane) prepare() error {
	l.spread = noSpread()
	infinite, lost := 0, 0
	for i := range l.series {
		measured := l.series[i].Y
		if l.log {
			l.series[i].Y, _ = onLog(measured)
		}
		s := l.series[i]
		to, _ := slices.BinarySearch(s.Start, l.tl.t1)
		lo, hi := math.Inf(1), math.Inf(-1)
		for i, v := range s.Y[:to] {
			if s.End[i] < l.tl.t0 {
				continue
			}
			l.total++
			if !canvas.Drawable(v) {
				if math.IsNaN(v) && !math.IsNaN(measured[i]) { // measured, but without a place on the axis: not missing
					lost++
					continue
				}
				l.absent++
				if !math.IsNaN(v) {
					infinite++
				}
				continue
			}
			lo, hi = min(lo, v), max(hi, v)
		}
		if lo <= hi {
			l.spread.add(lo)
			l.spread.add(hi)
		}
	}
	if lost > 0 {
		l.notes = append(l.notes, lostOnLog(lost))
	}
	if l.spreads() && (len(l.tl.lanes) == 0 || l == l.tl.lanes[0]) {
		l.notes = append(l.notes, "line: mean of short stretches · tint: their smallest to largest value")
	}
	if infinite > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d values that are infinite or beyond %g are not drawn", infinite,
			canvas.MaxValue))
	}
	if l.spread.empty() && l.why == "" {
		l.why = l.emptyReason()
	}
	if flat := l.spread.flatNote(l.unit); flat != "" && !l.tl.o.Stacked && l.tl.o.Style != Area && !l.limits().set() {
		l.notes = append(l.notes, flat)
	}
	if l.tl.o.Stacked && l.offset == 0 && !l.spread.empty() {
		st, err := newStack(l.series, l.tl.t0, l.tl.t1)
		if err != nil {
			return err
		}
		l.stack, l.spread = st, st.spread
	}
	for _, b := range l.bands() {
		if b.Lo == b.Hi && !l.spread.empty() && !(l.log && b.Lo <= 0) {
			// A threshold belongs into the picture unless it would flatten the data.
			if v := b.Lo; v <= l.spread.hi+2*(l.spread.hi-min(l.spread.lo, 0)) &&
				v >= l.spread.lo-2*(l.spread.hi-l.spread.lo) {
				l.spread.add(v)
			}
		}
	}
	return nil
}

func (l *lane) emptyReason() string {
	samples := 0
	for _, s := range l.series {
		samples += len(s.Y)
		if s.Why != "" && len(l.series) == 1 {
			return s.Why
		}
	}
	switch {
	case samples == 0:
		return "the capture has no samples here"
	case l.total == 0:
		return "no sample lies in this window of time"
	}
	for _, s := range l.series {
		if s.Why != "" {
			return canvas.Isolated(s.Name) + ": " + canvas.Isolated(s.Why)
		}
	}
	return allMissing(l.total)
}

// entitle chooses the texts above the frame.
func (l *lane) entitle(o TimelineOptions, first, several bool) {
	what := l.group
	switch {
	case what == "" && o.YLabel != "" && !several:
		what = o.YLabel
	case what == "" && len(l.series) == 1 && l.series[0].Name != o.Title:
		what = l.series[0].Name
	}
	switch {
	case several: // the chart's title stands once, each panel has its name
		if first {
			l.over = o.Title
		}
		l.title = what
	case o.Title == "":
		l.over = what
	default:
		l.over, l.label = o.Title, what
	}
}

// heading is the muted text beside the title: what is drawn, its unit and how much of it is missing.
func (l *lane) heading(unit string) string {
	label := l.label
	if l.right != nil {
		bracketed := func(what, unit string) string {
			if unit == "" {
				return what
			}
			return what + " [" + unit + "]"
		}
		return bracketed("left axis", unit) + " · " + bracketed("right axis", l.right.axis(canvas.Light(), 200).unit) +
			l.missingShare()
	}
	switch {
	case unit != "" && label != "":
		label = canvas.Isolated(label) + " [" + unit + "]"
	case unit != "":
		label = unit
	}
	return joined(label, l.missingShare())
}

// joined puts words of the program behind a label from data.
func joined(label, more string) string {
	if more == "" {
		return label
	}
	return canvas.Isolated(label) + more
}

// missingShare says how much of the lane's values is missing, behind a separator.
func (l *lane) missingShare() string {
	absent, total := l.absent, l.total
	if l.right != nil {
		absent, total = absent+l.right.absent, total+l.right.total
	}
	if absent == 0 || absent == total {
		return ""
	}
	share := float64(absent) / float64(total) * 100
	s := significant(share, 2)
	if share < 0.01 {
		s = "less than 0.01"
	} else if share > 99.9 {
		s = "more than 99.9"
	}
	return " · " + s + " % missing"
}

// bands are those bands of the options that belong to this lane, in its unit.
func (l *lane) bands() []Band {
	var out []Band
	for _, b := range l.tl.o.Bands {
		u := unitOf(b.Unit)
		if b.Unit != "" {
			if u.symbol != l.unit.symbol {
				continue
			}
			b.Lo, b.Hi = b.Lo*u.factor/l.unit.factor, b.Hi*u.factor/l.unit.factor
		}
		if b.Lo == b.Lo && b.Hi == b.Hi && b.Lo <= b.Hi {
			out = append(out, b)
		}
	}
	return out
}

// keys are the legend's entries, none where one series needs no telling apart.
func (l *lane) keys(t *canvas.Theme) []key {
	if l.right != nil {
		out := l.ownKeys(t)
		for _, k := range l.right.ownKeys(t) {
			k.name = canvas.Isolated(k.name) + " (right axis)"
			out = append(out, k)
		}
		return out
	}
	if len(l.series) < 2 {
		return nil
	}
	return l.ownKeys(t)
}

func (l *lane) ownKeys(t *canvas.Theme) []key {
	out := make([]key, len(l.series))
	for i, s := range l.series {
		c, m := t.SeriesColor(i + l.offset)
		out[i] = key{name: s.Name, color: c, marker: m, area: l.stack != nil}
		if !hasValue(s) {
			why := s.Why
			if why == "" {
				why = "every value is missing"
			}
			out[i].absent, out[i].name = true, canvas.Isolated(s.Name)+" (no data: "+canvas.Isolated(why)+")"
			continue
		}
		if l.stack != nil {
			continue
		}
		for _, o := range l.series[:i] { // one line would hide the other
			if sameSeries(o, s) {
				out[i].name = canvas.Isolated(s.Name) + " (same values as " + canvas.Isolated(o.Name) + ")"
				break
			}
		}
	}
	return out
}

func sameSeries(a, b Series) bool {
	return slices.EqualFunc(a.Y, b.Y, func(x, y float64) bool { return x == y || (x != x && y != y) }) &&
		sameTimes(a.Start, b.Start) && sameTimes(a.End, b.End)
}

func hasValue(s Series) bool {
	for _, v := range s.Y {
		if canvas.Drawable(v) {
			return true
		}
	}
	return false
}
