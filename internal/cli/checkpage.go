package cli

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
	"astrolabe/internal/budget"
	"astrolabe/internal/version"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

const (
	checkFindings = 60   // limits that are not kept and get a paragraph of their own; the table has all
	checkCharts   = 12   // broken limits that get a chart; the page says how many others there are
	checkFew      = 12   // parts in order of time that are drawn as bars, not as a line over time
	checkBars     = 40   // values of a label that are drawn, the worst first
	checkColumns  = 2000 // stretches closer than this part of the capture look like one
)

// checkPage draws what came of budgets: what broke first, each with a chart, then every limit. It returns the paths
// written.
func (a *app) checkPage(list []*budget.Judgement, out string) ([]string, error) {
	ctx, done := a.busy(a.ctx, "drawing "+out)
	defer done()
	r := &documents.Report{Title: checkedTitle(list) + forcedTitle(judged(list)...),
		Captured: list[0].Capture.StartTime,
		Command:  ownCommand()}
	if len(list) == 1 {
		r.Start, r.End = list[0].Capture.Axis.Extent()
	}
	var notes []string
	found, drawn, left := 0, 0, 0
	for _, v := range []budget.Verdict{budget.Broken, budget.NotJudged} {
		for _, j := range list {
			for _, res := range j.Results {
				if res.Verdict != v {
					continue
				}
				if found++; found > checkFindings {
					continue
				}
				finding, err := checkFinding(j, res, len(list) > 1, drawn < checkCharts)
				if err != nil {
					return nil, err
				}
				switch {
				case len(finding.Plots) > 0:
					drawn++
				case v == budget.Broken && drawn == checkCharts:
					left++
				}
				r.Items = append(r.Items, finding)
			}
		}
	}
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%d broken limits have no chart here; --json lists where each is broken",
			left))
	}
	if found > checkFindings {
		notes = append(notes, fmt.Sprintf("%d more limits that are not kept are only in the table",
			found-checkFindings))
	}
	table := documents.Table{Title: "Every limit", Columns: []documents.Column{{Name: "verdict"}, {Name: "limit on"},
		{Name: "for"}, {Name: "value", Align: documents.AlignRight},
		{Name: "limit", Align: documents.AlignRight}, {Name: "beyond", Align: documents.AlignRight}, {Name: "worst"}}}
	if len(list) > 1 {
		table.Columns = slices.Insert(table.Columns, 1, documents.Column{Name: "capture"})
	}
	for _, j := range list {
		for _, res := range inOrder(j) {
			row := checkedRow(res)
			if len(list) > 1 {
				row = slices.Insert(row, 1, filepath.Base(j.Capture.Path))
			}
			table.Rows = append(table.Rows, row)
			for _, n := range res.Notes {
				notes = append(notes, res.Limit.Label()+": "+n)
			}
			if res.Verdict == budget.Skipped {
				notes = append(notes, res.Sentence())
			}
		}
	}
	r.Items = append(r.Items, table)
	if len(notes) > 0 {
		r.Items = append(r.Items, documents.Text("## Notes\n\n"+points(notes)))
	}
	seen := map[string]bool{}
	add := func(key, value string) {
		if value != "" && !seen[key+value] {
			seen[key+value] = true
			r.Provenance = append(r.Provenance, documents.KV{Key: key, Value: value})
		}
	}
	for _, j := range list {
		c := j.Capture
		hash, err := formats.HashFile(ctx, c.Path)
		if err != nil {
			return nil, fmt.Errorf("hash of %s: %w", c.Path, err)
		}
		add("Capture", fmt.Sprintf("%s (sha256 %s), %s", filepath.Base(c.Path), hash[:min(16, len(hash))],
			charts.Extent(c)))
		add("Budget", fmt.Sprintf("%s (sha256 %s)", filepath.Base(j.Budget.File), j.Budget.Hash[:16]))
		add("Device", orText(c.Device.Name, c.GPU))
		add("Driver", c.Device.Driver)
		for _, cat := range metrics.For(c) {
			add("Catalogue", cat.ID()+" "+cat.Version()[:min(16, len(cat.Version()))])
		}
		add("By force", metrics.ByForce(c))
	}
	add("astrolabe", version.String())
	r.Warn = a.warn
	return r.Save(out, canvas.Size{})
}

// judged are the captures of judgements.
func judged(list []*budget.Judgement) []*capture.Capture {
	var out []*capture.Capture
	for _, j := range list {
		out = append(out, j.Capture)
	}
	return out
}

// checkFinding says what is wrong with one limit. several is set where the page is about more than one capture or
// budget.
func checkFinding(j *budget.Judgement, r *budget.Result, several, chart bool) (documents.Finding, error) {
	l := r.Limit
	f := documents.Finding{ID: fmt.Sprintf("check/%d", l.Line), Severity: canvas.Critical, Title: checkHeadline(r),
		Metric: l.Scope(), Value: r.ValueText(),
		Threshold: r.LimitText(), Advice: l.Why, Evidence: checkEvidence(r)}
	if several {
		f.Title = filepath.Base(j.Capture.Path) + ": " + f.Title
	}
	if r.Verdict == budget.NotJudged {
		f.Severity, f.Value = canvas.Warning, "missing"
		return f, nil
	}
	f.Unit, f.Measured, f.Limit = r.Unit, jsonNumber(r.Worst), jsonNumber(r.Max)
	if r.Worst < r.Min {
		f.Limit = jsonNumber(r.Min)
	}
	start, end := j.Capture.Axis.Extent()
	if !several && r.Parts.What != "" {
		f.Spans = r.Spans(j.Capture, 0)
	}
	if !chart {
		return f, nil
	}
	p, err := checkChart(j.Capture, r, r.Spans(j.Capture, (end-start)/checkColumns))
	if err != nil {
		return f, fmt.Errorf("draw %s: %w", l.Label(), err)
	}
	if p != nil {
		f.Plots = []*charts.Plot{p}
	}
	return f, nil
}

// checkHeadline is what a finding is called.
func checkHeadline(r *budget.Result) string {
	name := orText(r.Limit.Name, orText(r.Title, r.Limit.Label()))
	switch over := r.OverText(); {
	case r.Verdict == budget.NotJudged:
		return name + " cannot be judged: " + r.Why
	case over != "":
		return fmt.Sprintf("%s: %s beyond the limit, %s in %s", name, over, r.ValueText(), r.Where())
	case r.Limit.Statistic != "":
		return fmt.Sprintf("%s: %s per %s is %s, the limit %s", name, r.Limit.Statistic, r.Parts.What,
			r.ValueText(), r.LimitText())
	}
	return fmt.Sprintf("%s: %s in total, the limit %s", name, r.ValueText(), r.LimitText())
}

// checkEvidence names what a limit is on: a metric, or the counters of an expression.
func checkEvidence(r *budget.Result) []string {
	if r.Limit.Expr != "" && r.Counter != nil && len(r.Counter.Inputs) > 0 {
		return r.Counter.Inputs
	}
	return []string{orText(r.Limit.Metric, r.Limit.Expr)}
}

// checkChart shows where a limit is broken; nil where one number says it all.
func checkChart(c *capture.Capture, r *budget.Result, spans []capture.Span) (*charts.Plot, error) {
	name := orText(r.Title, r.Limit.Label())
	if r.Parts.What == "" {
		return checkTotalChart(c, r, name)
	}
	title := fmt.Sprintf("%s per %s", name, r.Parts.What)
	which := r.Parts.Alike(max(r.WorstAt, 0))
	if !r.Parts.InOrder() {
		excess := func(i int) float64 {
			if v := r.Values[i]; v == v {
				return r.Excess(v)
			}
			return math.Inf(-1)
		}
		slices.SortStableFunc(which, func(a, b int) int { return cmp.Compare(excess(b), excess(a)) })
		if len(which) > checkBars {
			title += fmt.Sprintf(", the worst %d of %d", checkBars, len(which))
			which = which[:checkBars]
		}
	}
	if len(which) <= checkFew || !r.Parts.InOrder() {
		o := charts.BarOptions{Title: title, Unit: r.Unit, Bands: checkBands(r), Vertical: r.Parts.InOrder()}
		var s charts.BarSeries
		for _, i := range which {
			o.Labels = append(o.Labels, shortened(r.Parts.Name(i), 40))
			s.Values = append(s.Values, r.Values[i])
			severity := canvas.Info
			if r.Beyond(r.Values[i]) {
				severity = canvas.Critical
			}
			s.Severity = append(s.Severity, severity)
		}
		o.Y = checkRange(r, s.Values)
		return charts.Bar(o, s)
	}
	s := charts.Series{Name: name, Unit: r.Unit}
	for _, i := range which {
		s.Start, s.End, s.Y = append(s.Start, r.Parts.Start[i]), append(s.End, r.Parts.End[i]), append(s.Y, r.Values[i])
	}
	return charts.Timeline(charts.TimelineOptions{Title: title, Bands: checkBands(r),
		Spans: charts.FromSpans(spans, canvas.Critical, "outside of the limit"), Gaps: charts.FromGaps(c.Gaps),
		Late: charts.FromGaps(c.Late), Y: checkRange(r, s.Y)}, s)
}

// checkTotalChart shows how a total came about: of what adds up the running total, which crosses the limit, else the
// values.
func checkTotalChart(c *capture.Capture, r *budget.Result, name string) (*charts.Plot, error) {
	ctr := r.Counter
	if ctr == nil || ctr.Count() == 0 {
		return nil, nil
	}
	s := charts.FromCounter(ctr)
	s.Name, s.Unit = name, r.Unit
	o := charts.TimelineOptions{Title: name + " over time", Bands: checkBands(r), Gaps: charts.FromGaps(c.Gaps),
		Late: charts.FromGaps(c.Late)}
	switch {
	case r.Rate:
		rated, err := r.Series()
		if err != nil {
			return nil, err
		}
		s = charts.FromCounter(rated)
		s.Name, s.Unit = name, r.Unit
	case ctr.Kind == capture.Delta && ctr.Der == nil && ctr.Turns() == nil:
		o.Title = name + ", added up from the start"
		sum, y := 0.0, make([]float64, len(s.Y))
		over := int64(-1)
		for i, v := range s.Y {
			if v == v {
				sum += v
			}
			if y[i] = sum; over < 0 && sum > r.Max {
				over = s.Start[i]
			}
		}
		s.Y = y
		if over >= 0 {
			_, end := c.Axis.Extent()
			o.Spans = []charts.Interval{{Start: over, End: end, Label: "beyond the limit", Severity: canvas.Critical}}
		}
	}
	o.Y = checkRange(r, s.Y)
	return charts.Timeline(o, s)
}

// checkRange makes room for a limit that lies beyond the values, so that the distance shows; the zero value where none
// does, or where the values would be a flat line beside it.
func checkRange(r *budget.Result, values []float64) charts.Range {
	lo, hi := 0.0, 0.0
	for _, v := range values {
		if !math.IsInf(v, 0) && v == v {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	span := charts.Range{Lo: lo, Hi: hi}
	for _, limit := range []float64{r.Min, r.Max} {
		if limit == limit {
			span.Lo, span.Hi = min(span.Lo, limit), max(span.Hi, limit)
		}
	}
	if span.Lo == lo && span.Hi == hi || span.Hi-span.Lo > 20*(hi-lo) {
		return charts.Range{}
	}
	room := (span.Hi - span.Lo) / 20
	if span.Lo < 0 {
		span.Lo -= room
	}
	span.Hi += room
	return span
}

// checkBands are the limits as lines, and the statistic that is held against them.
func checkBands(r *budget.Result) []charts.Band {
	var out []charts.Band
	line := func(v float64, label string, severity canvas.Severity) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, charts.Band{Lo: v, Hi: v, Label: label + " " + charts.Quantity(v, r.Unit), Unit: r.Unit,
				Severity: severity})
		}
	}
	line(r.Max, "at most", canvas.Critical)
	line(r.Min, "at least", canvas.Critical)
	if r.Limit.Statistic != "" {
		line(r.Worst, r.Limit.Statistic, canvas.Info)
	}
	return out
}
