package charts

import (
	"math"
	"strconv"
	"strings"

	"astrolabe/plots/canvas"
)

// tick is a labelled position on an axis, in the units of the data.
type tick struct {
	at    float64
	label string
}

// valueAxis is a vertical (or, for bars and histograms, horizontal) axis with its ticks.
type valueAxis struct {
	lo, hi float64
	ticks  []tick
	unit   string // as written beside the axis title, with its prefix: "GB/s"
	log    bool
	minor  []float64 // unlabelled positions of a logarithmic axis
}

// Range fixes the ends of a value axis. The zero value leaves them to the data.
type Range struct {
	Lo, Hi float64
}

func (r Range) set() bool { return r.Hi > r.Lo }

// spread is a range of data values; lo > hi where there are none.
type spread struct{ lo, hi float64 }

func noSpread() spread { return spread{math.Inf(1), math.Inf(-1)} }

func (s *spread) add(v float64) {
	if canvas.Drawable(v) {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
}

func (s spread) empty() bool { return s.lo > s.hi }

// flatShare is the span of values, as a share of their size, up to which an axis takes them for one value: a hundred
// thousandth. No sensor and no clock that counters come from is that exact (a crystal is off by tens of millionths, and
// one cycle more or less in a sample of a millisecond is a millionth), so that what differs there is rounding or
// jitter, and magnifying it to the height of a panel would show a storm where nothing happens.
const flatShare = 1e-5

// flat reports whether values differ by less than their precision.
func (s spread) flat() bool {
	return !s.empty() && s.hi-s.lo <= flatShare*max(math.Abs(s.lo), math.Abs(s.hi))
}

// flatNote says that an axis takes values for one although they differ; "" where they do not, or where the axis would
// begin at zero in any case. What sums of doubles leave behind is not worth a word.
func (s spread) flatNote(u unit) string {
	rounding := 1e-9 * max(math.Abs(s.lo), math.Abs(s.hi))
	if !s.flat() || s.hi-s.lo <= rounding || u.class == percentUnit {
		return ""
	}
	return "values differ by " + u.format(s.hi-s.lo) + ", less than 0.001 % of their size: drawn flat"
}

// newValueAxis makes an axis for data of a spread with about n ticks. Zero is included unless the data stay far from
// it; zero = true includes it always.
func newValueAxis(data spread, fixed Range, u unit, n int, zero bool) valueAxis {
	const huge = 4e307
	lo, hi := data.lo*u.factor, data.hi*u.factor
	if data.empty() {
		lo, hi = 0, 1
		if u.class == percentUnit {
			hi = 100
		}
	}
	lo, hi = min(max(lo, -huge), huge), min(max(hi, -huge), huge)
	if u.class == percentUnit && hi > 100 && hi <= 100*(1+flatShare) { // what rounding adds to the whole
		lo, hi = min(lo, 100), 100
	}
	whole := hi <= 100
	if fixed.set() {
		lo, hi = max(fixed.Lo*u.factor, -huge), min(fixed.Hi*u.factor, huge)
	} else {
		lo, hi = comfortable(lo, hi, u, zero)
	}
	p, ok := u.prefixFor(max(math.Abs(lo), math.Abs(hi)))
	if !ok {
		p = prefix{1, ""}
	}
	base := 10.0
	if u.class == binaryUnit && p.factor > 1 {
		base = 2
	}
	step := niceStep((hi-lo)/p.factor/float64(max(n, 1)), base) * p.factor
	if !fixed.set() {
		lo, hi = outwards(lo, hi, step)
		if u.class == percentUnit && whole {
			hi = min(hi, 100)
		}
		if q, fits := u.prefixFor(max(math.Abs(lo), math.Abs(hi)) * (1 + 1e-9)); fits && ok && u.class == plainUnit &&
			p.symbol != "" {
			p = q // the last tick may be the first with a greater prefix: 1M, not 1000k
		}
	}
	a := valueAxis{lo: lo / u.factor, hi: hi / u.factor}
	suffix := ""
	switch u.class {
	case plainUnit:
		suffix, a.unit = p.symbol, u.symbol
	default:
		a.unit = p.symbol + u.symbol
	}
	first := math.Ceil(lo/step - 1e-9)
	for i := range 64 {
		v := (first + float64(i)) * step
		if v > hi+step*1e-9 {
			break
		}
		a.ticks = append(a.ticks, tick{v / u.factor, tickLabel(v/p.factor, step/p.factor, ok, suffix)})
	}
	return a
}

// comfortable widens the ends of the data to what an eye expects.
func comfortable(lo, hi float64, u unit, zero bool) (float64, float64) {
	top := max(math.Abs(lo), math.Abs(hi))
	if (spread{lo, hi}).flat() || top < 1e-290 {
		switch {
		case top < 1e-290:
			lo, hi = 0, 1
		case lo > 0:
			lo, hi = 0, hi*1.25
		default:
			lo, hi = lo*1.25, 0
		}
		if u.class == percentUnit && lo >= 0 && hi <= 125 {
			return 0, 100
		}
		return lo, hi
	}
	if u.class == percentUnit && lo >= 0 && hi <= 100 && hi > 25 {
		return 0, 100
	}
	pad := (hi - lo) * 0.04
	if lo >= 0 && (zero || lo <= 0.7*hi) {
		return 0, hi + pad*0.5
	}
	if hi <= 0 && (zero || hi >= 0.7*lo) {
		return lo - pad*0.5, 0
	}
	return lo - pad, hi + pad
}

// outwards moves the ends of an axis to the next ticks, unless that would waste much of the height.
func outwards(lo, hi, step float64) (float64, float64) {
	const waste = 0.25
	room := waste * (hi - lo)
	if a := math.Floor(lo/step+1e-9) * step; lo-a <= room {
		lo = a
	}
	if b := math.Ceil(hi/step-1e-9) * step; b-hi <= room {
		hi = b
	}
	return lo, hi
}

// niceStep rounds a step up to 1, 2 or 5 times a power of ten, or to a power of two.
func niceStep(raw, base float64) float64 {
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 1
	}
	if base == 2 {
		return math.Exp2(math.Ceil(math.Log2(raw) - 1e-9))
	}
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*mag*(1+1e-9) {
			return m * mag
		}
	}
	return 10 * mag
}

func tickLabel(v, step float64, plain bool, suffix string) string {
	if math.Abs(v) < step*1e-6 {
		return "0"
	}
	if !plain || step < 1e-9 || math.Abs(v) >= 1e7 {
		return minus(strconv.FormatFloat(v, 'g', sciDigits(v, step), 64)) + suffix
	}
	return minus(strconv.FormatFloat(v, 'f', decimals(step), 64)) + suffix
}

// decimals is how many digits behind the point write the multiples of step: all that they have, but of a power of two
// beyond the third no more than tell two neighbours apart.
func decimals(step float64) int {
	telling := int(math.Ceil(-math.Log10(step))) + 1
	for d := range 10 {
		if s := step * math.Pow(10, float64(d)); math.Abs(s-math.Round(s)) < 1e-6*s || d >= max(telling, 3) {
			return d
		}
	}
	return 10
}

func sciDigits(v, step float64) int {
	return min(max(int(math.Ceil(math.Log10(math.Abs(v)/step)))+1, 1), 12)
}

// timeAxis is the axis of times that the panels of a page share. Its ticks are in ns after t0, which keeps them exact
// where t0 itself is too large for a double.
type timeAxis struct {
	t0, t1 int64 // ns
	ticks  []tick
	title  string
}

// timeUnit is a unit that times are read in.
type timeUnit struct {
	ns    float64
	name  string
	steps []float64 // nice steps in this unit, nil for 1, 2, 5
	small string    // the unit behind the colon of a clock label
}

var timeUnits = []timeUnit{
	{1, "ns", nil, ""}, {1e3, "µs", nil, ""}, {1e6, "ms", nil, ""}, {1e9, "s", nil, ""},
	{60e9, "min", []float64{1.0 / 6, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60}, "s"},
	{3600e9, "h", []float64{1.0 / 6, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 96, 168}, "min"},
}

// newTimeAxis labels [t0, t1] in the largest unit that suits its length, with no label touching the next in a frame of
// the given width. Where the times are far from zero compared with their length, the labels count from a round time
// that the title names.
func newTimeAxis(t0, t1 int64, s canvas.Style, width float64) timeAxis {
	a := timeAxis{t0: t0, t1: t1}
	length := float64(t1 - t0)
	u := timeUnits[0]
	for _, c := range timeUnits {
		limit := 2.0
		if c.steps != nil {
			limit = 3
		}
		if c.ns == 1 || length >= limit*c.ns {
			u = c
		}
	}
	origin, name := int64(0), u.name
	for n := max(int(width/90), 1); n >= 1; n-- {
		step := timeStep(length/u.ns/float64(n), u) * u.ns
		origin = 0
		if far := max(math.Abs(float64(t0)), math.Abs(float64(t1))); u.steps == nil && far > 2000*step &&
			far > 20*length {
			unit := max(int64(step*10), 1)
			origin = t0 - ((t0%unit)+unit)%unit
		}
		a.ticks = timeTicks(t0, t1, origin, step, u)
		if name = u.name; u.small != "" && step < u.ns {
			name += ":" + u.small
		}
		if labelsFit(a.ticks, s, width, length) || n == 1 {
			break
		}
	}
	a.title = "time [" + name + "]"
	if origin != 0 {
		a.title = "time [" + name + "] after " + exactTime(origin)
	}
	return a
}

func timeStep(raw float64, u timeUnit) float64 {
	for _, s := range u.steps {
		if raw <= s*(1+1e-9) {
			return s
		}
	}
	return niceStep(max(raw, 1/u.ns), 10)
}

// timeTicks are the multiples of step, counted from origin, in [t0, t1].
func timeTicks(t0, t1, origin int64, step float64, u timeUnit) []tick {
	var out []tick
	offset := float64(t0 - origin)
	first := math.Ceil(offset/step - 1e-9)
	for i := range 200 {
		v := (first + float64(i)) * step
		if v-offset > float64(t1-t0)+step*1e-6 {
			break
		}
		label := minus(strconv.FormatFloat(v/u.ns, 'f', decimals(step/u.ns), 64))
		if u.steps != nil {
			label = clockLabel(v/u.ns, step/u.ns)
		}
		if math.Abs(v) < step*1e-6 {
			label = "0"
		}
		out = append(out, tick{v - offset, label})
	}
	return out
}

// clockLabel writes minutes or hours: whole ones alone, else with the next smaller unit behind a colon.
func clockLabel(v, step float64) string {
	if step >= 1 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	sign := ""
	if v < 0 {
		sign, v = "−", -v
	}
	small := int(math.Round(v * 60))
	return sign + strconv.Itoa(small/60) + ":" + strconv.Itoa(small%60/10) + strconv.Itoa(small%10)
}

func labelsFit(ticks []tick, s canvas.Style, width, length float64) bool {
	if len(ticks) < 2 {
		return true
	}
	gap := (ticks[1].at - ticks[0].at) / length * width
	for i := range ticks[1:] {
		if (s.Width(ticks[i].label)+s.Width(ticks[i+1].label))/2+s.Size > gap {
			return false
		}
	}
	return true
}

// exactTime writes a time in seconds with all its digits.
func exactTime(ns int64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "−", -ns
	}
	frac := strings.TrimRight(strconv.FormatInt(1e9+ns%1e9, 10)[1:], "0")
	if frac != "" {
		frac = "." + frac
	}
	return sign + strconv.FormatInt(ns/1e9, 10) + frac + " s"
}

// Duration writes a length of time in ns for people, with at most four significant figures.
func Duration(ns int64) string {
	if math.Abs(float64(ns)) >= 120e9 {
		s := math.Round(math.Abs(float64(ns)) / 1e9)
		sign := ""
		if ns < 0 {
			sign = "−"
		}
		if s >= 3600 {
			return sign + strconv.Itoa(int(s)/3600) + " h " + strconv.Itoa(int(s)%3600/60) + " min"
		}
		return sign + strconv.Itoa(int(s)/60) + " min " + strconv.Itoa(int(s)%60) + " s"
	}
	return unit{"s", symbolUnit, 1}.format(float64(ns) / 1e9)
}
