package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Result is everything that was compared.
type Result struct {
	Rows     []Row // the worst first, what was not judged last
	Options  Options
	Judged   int      // rows that have a verdict
	Absent   int      // metrics of the catalogue that no capture has the counters for; they have no row
	OnlySome []string // counters and metrics that only some of the captures have
	Notes    []string // doubts about the comparison as a whole
	Paired   bool     // by frame: each frame was compared with the one of the same name and place
	Unpaired string   // by frame: why frames were not paired
}

// Count is the number of rows with a verdict.
func (r *Result) Count(v Verdict) int {
	n := 0
	for i := range r.Rows {
		if r.Rows[i].Verdict == v {
			n++
		}
	}
	return n
}

// Compare judges what changed from the captures before to those after. Each list holds repeated runs of one program;
// the first of each is the one that the pictures show. The error is a *notComparableError where the captures have
// nothing in common.
func Compare(ctx context.Context, before, after []*capture.Capture, opt Options) (*Result, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	caps := slices.Concat(before, after)
	for i, c := range caps {
		caps[i] = takenApart(c)
	}
	if len(before) == 0 || len(after) == 0 {
		return nil, notComparable("there must be a capture before and one after")
	}
	res := &Result{Options: opt}
	if err := res.checkDevices(caps); err != nil {
		return nil, err
	}
	if opt.By == ByLabel && numbersUnits(caps, opt.Label, len(caps) > 2) {
		opt.By = ByFrame
		res.Options = opt
		res.note(
			"the label %s numbers its stretches: they are compared as the observations of one distribution, not one by one",
			opt.Label)
	}
	parts, notes, err := align(caps, opt)
	if err != nil {
		return nil, err
	}
	res.Notes = append(res.Notes, notes...)
	if opt.By == ByFrame {
		res.Unpaired = unpairable(parts[0])
		res.Paired = res.Unpaired == ""
	}
	progress.From(ctx).Begin(int64(len(parts)*len(caps)*runSteps), progress.Share)
	for _, row := range parts {
		if err := res.comparePart(ctx, row, len(before)); err != nil {
			return nil, err
		}
	}
	if len(res.Rows) == 0 {
		return nil, notComparable("no counter or metric is in all captures")
	}
	res.judge()
	return res, nil
}

// checkDevices refuses captures of different GPUs and notes other differences.
func (r *Result) checkDevices(caps []*capture.Capture) error {
	first := caps[0]
	for _, c := range caps {
		if c.Len() == 0 {
			return notComparable("%s holds no samples", nameOf(c))
		}
		if first.GPU != c.GPU && first.GPU != "" && c.GPU != "" {
			return notComparable("%s is of %s, %s of %s", nameOf(first), first.GPU, nameOf(c), c.GPU)
		}
		if first.Device.Name != c.Device.Name && first.Device.Name != "" && c.Device.Name != "" {
			r.note("the devices differ: %s and %s", first.Device.Name, c.Device.Name)
		}
		if share := timeShare(c, c.Gaps); share > 0 {
			r.note("%s has no data in %.2g %% of its time: what happened there is not compared", nameOf(c), share)
		}
		if share := timeShare(c, c.Late); share >= 1 {
			r.note(
				"%s has longer samples in %.2g %% of its time, because ticks were missed: sums are complete, cells are coarser there",
				nameOf(c), share)
		}
		if first.Options != c.Options {
			return notComparable("%s and %s were opened with different options", nameOf(first), nameOf(c))
		}
		for _, p := range first.Properties {
			if q, ok := c.Property(p.Name); ok && !p.IsText && q != p {
				r.note("the property %s differs: %v and %v", p.Name, p.Number, q.Number)
			}
		}
	}
	return nil
}

// timeShare is how much of the time of a capture gaps or late spans take, in percent.
func timeShare(c *capture.Capture, gaps []capture.Gap) float64 {
	if len(gaps) == 0 || c.Duration() <= 0 {
		return 0
	}
	return 100 * float64(capture.Length(gaps)) / float64(c.Duration())
}

func (r *Result) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// comparePart makes the rows of one part. The first n captures are those before.
func (r *Result) comparePart(ctx context.Context, row []part, n int) error {
	caps := make([]*capture.Capture, len(row))
	for i, p := range row {
		caps[i] = p.cap
	}
	list, only, err := subjects(caps, r.Options)
	if err != nil {
		return err
	}
	for _, name := range only {
		if !slices.Contains(r.OnlySome, name) {
			r.OnlySome = append(r.OnlySome, name)
		}
	}
	// How long it took comes first: it is what the rows below it explain.
	list = append(r.duration(row, list), list...)
	runs := make([]*run, len(row))
	for i, p := range row {
		// Runs are drawn apart, each from a seed of its own: with one seed the same blocks would be taken of all,
		// and their errors would cancel in the difference.
		runs[i] = newRun(p, i, list, r.Options, r.Options.Seed+uint64(i)*0x9e3779b97f4a7c15)
	}
	if err := eachRun(runs, func(x *run) error { return x.prepare(ctx) }); err != nil {
		return err
	}
	// What grows with the length of a run is divided by it before runs are compared. It has to be so in all runs or
	// in none: a formula may look like a ratio in a run where one of its counters is zero.
	extensive := make([]bool, len(list))
	for k := range list {
		for _, x := range runs {
			extensive[k] = extensive[k] || x.values[k].extensive
		}
	}
	if err := eachRun(runs, func(x *run) error { x.normalise(extensive); return nil }); err != nil {
		return err
	}
	pairs := make([]*pairing, len(list))
	if r.Paired {
		pairs, err = spreadPaired(ctx, runs, n)
	} else {
		err = eachRun(runs, func(x *run) error { return x.spread(ctx) })
	}
	if err != nil {
		return err
	}
	for k, s := range list {
		values := make([]value, len(runs))
		missing := true
		for i, x := range runs {
			values[i] = x.values[k]
			missing = missing && values[i].v != values[i].v
		}
		// A metric of the catalogue whose counters nobody recorded is no finding. One that was asked for by name
		// is: it is listed with its reason.
		if missing && s.counters[0] != nil && s.counters[0].Kind == capture.Derived && len(r.Options.Metrics) == 0 {
			r.Absent++
			continue
		}
		r.Rows = append(r.Rows, r.row(s, row[0], values, n, pairs[k]))
	}
	return nil
}

// duration is the pseudo-counter of how long a frame, occurrence or sample takes; of whole runs only where some were
// repeated, because one run has one length.
func (r *Result) duration(row []part, list []*subject) []*subject {
	per := row[0].cells.per
	if per == "" && (r.Options.By != ByTime || len(row) < 3) {
		return nil
	}
	s := &subject{name: durationName, direction: "less", counters: make([]*capture.Counter, len(row))}
	if slices.ContainsFunc(list, func(s *subject) bool { return s.name == durationName }) {
		return nil
	}
	if m := r.Options.Metrics; len(m) > 0 && !slices.ContainsFunc(m, s.matches) {
		return nil
	}
	return []*subject{s}
}

// eachRun works on several runs at a time.
func eachRun(runs []*run, f func(*run) error) error {
	errs := make([]error, len(runs))
	var wg memory.Group
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, x := range runs {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = f(x)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// row compares the values of one subject, the first n being those before. What adds up is always divided, by seconds or
// by units, never compared as a total: totals of captures that differ in length or number of dispatches differ without
// a change of the program.
func (r *Result) row(s *subject, p part, values []value, n int, pair *pairing) Row {
	c := s.counters[0]
	out := Row{Part: p.name, Name: s.name, Title: "Duration", Unit: "s", Direction: s.direction,
		BeforeTotal: values[0].total, AfterTotal: values[n].total}
	if c != nil {
		out.Title, out.Unit, out.BeforeCounter, out.AfterCounter = c.Title, c.Unit, c, s.counters[n]
	}
	out.Basis, out.Unit = basisOf(c, p.cells.per, values[0].extensive, out.Unit)
	out.BeforeCells, out.AfterCells = values[0].cells, values[n].cells
	out.before, out.after, out.pair, out.borrows = values[:n], values[n:], pair, c != nil
	out.Why = unjudged(s, values, n, p.cells.least(), out.spreadKnown())
	out.Notes = rowNotes(values)
	return out
}

// basisOf says what the value of a subject is, and in which unit: of a counter, or of a duration where c is nil.
func basisOf(c *capture.Counter, per string, extensive bool, unit string) (basis, of string) {
	switch {
	case c == nil && per == "":
		return "total", unit
	case c == nil:
		return "per " + per, unit
	case extensive && per != "":
		return "per " + per, perUnit(unit, per)
	case extensive:
		return "per second", perUnit(unit, "s")
	case c.Kind == capture.Derived:
		return "formula", unit
	case c.Kind == capture.Constant:
		return "constant", unit
	}
	return "mean", unit
}

// spreadKnown reports whether a difference can be judged; none at all always can.
func (r *Row) spreadKnown() bool {
	before, after := r.scaled()
	return r.within().known || between(before, after).known || meanOf(r.before) == meanOf(r.after)
}

// scaled are the values of the runs on the scale that differences are judged on.
func (r *Row) scaled() (before, after []value) {
	if r.pair != nil {
		return r.pair.before, r.pair.after
	}
	return r.before, r.after
}

// within is the spread that the cells of the runs tell, on that scale.
func (r *Row) within() spreads {
	if r.pair != nil {
		return r.pair.within
	}
	return within(r.before, r.after)
}

func perUnit(unit, per string) string { return unit + "/" + per }

// fill works out the numbers of the row.
func (r *Row) fill(borrowed prior, alpha float64) {
	nan := math.NaN()
	before, after := r.before, r.after
	a, b := meanOf(before), meanOf(after)
	r.Before, r.After, r.Difference, r.Ratio = a, b, b-a, b/a
	if a == 0 {
		r.Ratio = nan
	}
	if near(a, b) && math.Abs(a-b) <= 1e-12*math.Abs(a) {
		r.Difference = 0
	}
	r.Effect = cliff(before[0].cells, after[0].cells)
	if r.pair != nil {
		r.Effect = dominance(before[0].cells, after[0].cells)
	}
	r.DifferenceLo, r.DifferenceHi, r.RatioLo, r.RatioHi, r.P, r.Q, r.Noise = nan, nan, nan, nan, nan, nan, nan
	r.Blocks = [2]int{before[0].blocks, after[0].blocks}
	use := r.within()
	if runs := borrowed.moderated(r.scaled()); runs.known {
		r.Noise = runs.margin(alpha) / math.Abs(a)
		if r.pair != nil && r.pair.logs {
			r.Noise = math.Sinh(runs.margin(alpha))
		}
		if !use.known || runs.margin(alpha) > use.margin(alpha) {
			use = runs
		}
	}
	if r.Difference == 0 {
		r.P = 1
	}
	if !use.known || r.Difference != r.Difference {
		return
	}
	if r.pair != nil {
		r.fillPaired(use, alpha)
		return
	}
	m := use.margin(alpha)
	r.DifferenceLo, r.DifferenceHi = r.Difference-m, r.Difference+m
	r.RatioLo, r.RatioHi = fieller(a, b, use, alpha)
	r.P = use.p(r.Difference)
}

func meanOf(list []value) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v.v
	}
	return sum / float64(len(list))
}

// unjudged says why a subject can't be judged, "" where it can.
func unjudged(s *subject, values []value, n, enough int, spread bool) string {
	side := func(i int) string {
		if i < n {
			return "before"
		}
		return "after"
	}
	for i, v := range values {
		if v.v != v.v {
			return fmt.Sprintf("missing %s: %s", side(i), v.why)
		}
		if v.missing > 0.5 {
			return fmt.Sprintf("%.0f %% of the samples %s have no value", 100*v.missing, side(i))
		}
		if !v.adds {
			return "the formula has no meaning over several samples"
		}
	}
	if s.counters[0] == nil {
		if !spread {
			return fmt.Sprintf("too few to know their spread: it takes %d", enough)
		}
		return ""
	}
	if s.counters[0].Kind == capture.Constant {
		return "a constant of the capture"
	}
	first := passesOf(s.counters[0])
	for i, c := range s.counters {
		if other := passesOf(c); !slices.Equal(first, other) {
			return fmt.Sprintf("measured in pass %v before and in pass %v %s", some(first), some(other), side(i))
		}
	}
	if !spread {
		least := math.MaxInt
		for _, v := range values {
			least = min(least, countPresent(v.cells))
		}
		if least < enough {
			return fmt.Sprintf("too few samples: %d, it takes %d to know their spread", least, enough)
		}
		return "the spread is not known: the formula has no value for too many mixtures of the samples"
	}
	return ""
}

func rowNotes(values []value) []string {
	for _, v := range values {
		if v.missing > 0 && v.missing <= 0.5 {
			return []string{fmt.Sprintf("up to %.2g %% of the samples have no value", 100*v.missing)}
		}
	}
	return nil
}

// judge adjusts the p values for their number, gives the verdicts and sorts.
func (r *Result) judge() {
	borrowed := map[string]prior{}
	for i := range r.Rows {
		g := r.Rows[i].group
		if _, known := borrowed[g]; !known {
			borrowed[g] = fitPrior(r.Rows, g)
		}
	}
	var p []float64
	for i := range r.Rows {
		row := &r.Rows[i]
		row.fill(borrowed[row.group], r.Options.Alpha)
		row.before, row.after, row.pair = nil, nil, nil
		if row.Why != "" {
			row.Verdict, row.P = NotJudged, math.NaN()
			continue
		}
		p = append(p, row.P)
	}
	r.Judged = len(p)
	q := adjust(p)
	for i, k := 0, 0; i < len(r.Rows); i++ {
		row := &r.Rows[i]
		if row.Verdict == NotJudged {
			continue
		}
		row.Q = q[k]
		k++
		row.Verdict = row.verdict(r.Options)
	}
	order := []Verdict{Worse, Changed, Better, Same, NotJudged}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		if c := cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict)); c != 0 ||
			a.Verdict == NotJudged {
			return c
		}
		if a.Verdict == Same {
			return cmp.Compare(a.Q, b.Q)
		}
		return cmp.Compare(b.sure(), a.sure())
	})
}

func (r *Row) verdict(opt Options) Verdict {
	small := math.Abs(r.Change()) < opt.MinEffect
	switch {
	case r.Q > opt.Alpha || small || r.Difference == 0:
		return Same
	case r.Direction == "":
		return Changed
	case (r.Difference > 0) == (r.Direction == "more"):
		return Better
	}
	return Worse
}
