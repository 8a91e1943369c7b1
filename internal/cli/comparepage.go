package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
	"astrolabe/capture/progress"
	"astrolabe/internal/version"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

const (
	comparePictures = 6  // findings that get a picture; the page says how many others there are
	compareBars     = 30 // changes in the overview; the table below it has all
)

// comparePage draws what changed, the worst first.
func (a *app) comparePage(x *compared, f *compareFlags) error {
	first, after := x.before[0], x.after[0]
	from, to := compareNames(first, after)
	r := &documents.Report{Title: fmt.Sprintf("What changed from %s to %s", from, to) +
		forcedTitle(slices.Concat(x.before, x.after)...), Captured: after.StartTime}
	ctx, done := a.busy(a.ctx, "drawing "+f.out)
	defer done()
	prov, err := compareProvenance(ctx, x, f)
	if err != nil {
		return err
	}
	r.Provenance = prov
	changed := x.result.Rows
	for i := range changed {
		if v := changed[i].Verdict; v == analysis.Same || v == analysis.NotJudged {
			changed = changed[:i]
			break
		}
	}
	// Findings are set by severity, so changes without a direction follow those for the worse.
	var findings []documents.Finding
	shown := 0
	for i := range changed {
		if k := twinOf(changed[:i], &changed[i]); k >= 0 && k < len(findings) {
			findings[k].Evidence = append(findings[k].Evidence, changed[i].Name)
			shown++
		} else if k < 0 && len(findings) < comparePictures {
			f, err := compareFinding(x, &changed[i])
			if err != nil {
				return err
			}
			findings = append(findings, f)
			shown++
		}
	}
	for _, f := range findings {
		r.Items = append(r.Items, f)
	}
	text := "**" + summaryLine(x.result) + ".**"
	if n := len(changed) - shown; n > 0 {
		text += fmt.Sprintf(" The gravest changes are shown above, %d more are in the table.", n)
	}
	r.Items = append(r.Items, documents.Text("## Overview\n\n"+text))
	if len(changed) > 0 {
		bars, err := compareBarsOf(changed)
		if err != nil {
			return err
		}
		if bars != nil {
			r.Items = append(r.Items, documents.Chart{Plot: bars})
		}
		r.Items = append(r.Items, pageTable(x.result, changed))
	}
	times, err := x.time.items(from, to)
	if err != nil {
		return err
	}
	r.Items = append(r.Items, times...)
	notes := slices.Clone(x.result.Notes)
	for _, why := range reasons(x.result) {
		notes = append(notes, "Not judged: "+why)
	}
	if len(x.result.OnlySome) > 0 {
		notes = append(notes, "Only in some captures: "+listed(x.result.OnlySome, 8))
	}
	if len(x.before) == 1 {
		notes = append(notes,
			"One run each: differences between runs are not known, and may be as large as a change. --baseline takes repeated runs")
	}
	r.Items = append(r.Items, documents.Text("## How to read this\n\n"+compareMethodText(x.result)+"\n\n"+
		points(notes)))
	r.Command = ownCommand()
	r.Progress, r.Warn = progress.From(ctx), a.warn
	paths, err := r.Save(f.out, canvas.Size{})
	done()
	for _, p := range paths {
		a.wrote(p)
	}
	return err
}

// compareNames are what the page calls the two captures: their names, or those of their files where both were recorded
// under one name, as all recordings of one source are.
func compareNames(before, after *capture.Capture) (string, string) {
	if before.Name == after.Name {
		return orText(filepath.Base(before.Path), "before"), orText(filepath.Base(after.Path), "after")
	}
	return orText(before.Name, "before"), orText(after.Name, "after")
}

// twinOf finds the distinct row before r that tells the same, such as the counter behind a metric; it is counted among
// distinct rows. It is -1 where there is none.
func twinOf(rows []analysis.Row, r *analysis.Row) int {
	same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(a) }
	var distinct []*analysis.Row
	find := func(r *analysis.Row) int {
		for k, d := range distinct {
			if d.Part == r.Part && same(d.Ratio, r.Ratio) && same(d.Effect, r.Effect) {
				return k
			}
		}
		return -1
	}
	for i := range rows {
		if find(&rows[i]) < 0 {
			distinct = append(distinct, &rows[i])
		}
	}
	return find(r)
}

// points is Markdown with one point for each text, whose own markup shows as it is.
func points(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString("- " + strings.NewReplacer("*", "\\*", "`", "\\`", "\n", " ").Replace(t) + ".\n")
	}
	return b.String()
}

func compareMethodText(res *analysis.Result) string {
	pairs, effect := "", "Cliff's delta"
	if res.Paired {
		pairs =
			"Each frame is compared with its namesake: blocks of pairs are drawn, and what is judged is the ratio of the totals, or their difference where values are 0 or negative. "
		effect = "Cliff's delta within the pairs"
	}
	return fmt.Sprintf("Values are %s. %sIntervals (%.4g %%) come from a circular block bootstrap, "+
		"whose block length follows how long samples depend on each other, and from the spread of repeated runs "+
		"where there are any. Of the changes reported, at most %.3g %% are expected to be noise (Benjamini and "+
		"Hochberg over %d judgements). Effect is %s, from −1 to 1. Each kind of verdict is in the order of the "+
		"change that its interval is sure of.",
		basesText(res), pairs, 100*(1-res.Options.Alpha), 100*res.Options.Alpha, res.Judged, effect)
}

// compareProvenance says what the page was made from. It names files by their content and not by their folder.
func compareProvenance(ctx context.Context, x *compared, f *compareFlags) ([]documents.KV, error) {
	var out []documents.KV
	add := func(key, value string) {
		if value != "" {
			out = append(out, documents.KV{Key: key, Value: value})
		}
	}
	file := func(key string, c *capture.Capture) error {
		hash, err := formats.HashFile(ctx, c.Path)
		if err != nil {
			return fmt.Errorf("hash of %s: %w", c.Path, err)
		}
		add(key, fmt.Sprintf("%s (sha256 %s), %s", filepath.Base(c.Path), hash[:min(16, len(hash))], charts.Extent(c)))
		return nil
	}
	for i, c := range x.before {
		key := "Before"
		if i > 0 {
			key = fmt.Sprintf("Before, run %d", i+1)
		}
		if err := file(key, c); err != nil {
			return nil, err
		}
	}
	if err := file("After", x.after[0]); err != nil {
		return nil, err
	}
	c := x.before[0]
	add("Device", orText(c.Device.Name, c.GPU))
	add("Driver", c.Device.Driver)
	if other := x.after[0].Device.Driver; other != c.Device.Driver {
		add("Driver after", other)
	}
	for _, cat := range metrics.For(c) {
		add("Catalogue", cat.ID()+" "+cat.Version()[:min(16, len(cat.Version()))])
	}
	forced := ""
	for _, c := range slices.Concat(x.before, x.after) {
		if text := metrics.ByForce(c); text != forced {
			add("By force", text)
			forced = text
		}
	}
	o := x.result.Options
	by := string(o.By)
	if o.Label != "" {
		by += " " + o.Label
	}
	add("Compared by", by)
	if text, ok := strings.CutPrefix(pairedText(x.result), "paired: "); ok {
		add("Paired", text)
	}
	add("Thresholds", fmt.Sprintf("alpha %g, least effect %s, seed %d, %d replicates", o.Alpha,
		strings.TrimPrefix(percentText(o.MinEffect), "+"), o.Seed, o.Replicates))
	add("astrolabe", version.String())
	return out, nil
}

// compareSeverity is how a verdict is drawn.
func compareSeverity(v analysis.Verdict) canvas.Severity {
	switch v {
	case analysis.Worse:
		return canvas.Warning
	case analysis.Better:
		return canvas.Good
	}
	return canvas.Info
}

// rowTitle is the part and the title of a row.
func rowTitle(r *analysis.Row) string {
	name := orText(r.Title, r.Name)
	if r.Part != "" {
		return shortened(r.Part, 40) + ": " + name
	}
	return name
}

// shortened cuts the middle out of a long name, such as a templated kernel's.
func shortened(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-most/3-1]) + "…" + string(r[len(r)-most/3:])
}

func compareFinding(x *compared, r *analysis.Row) (documents.Finding, error) {
	f := documents.Finding{
		ID: "compare/" + r.Name, Severity: compareSeverity(r.Verdict),
		Title:  fmt.Sprintf("%s: %s", rowTitle(r), printed(changeText(r))),
		Metric: basisText(r), Value: charts.Quantity(r.Before, r.Unit) + " → " + charts.Quantity(r.After, r.Unit),
		Evidence: []string{r.Name},
	}
	if math.IsNaN(r.RatioLo) {
		f.Title += fmt.Sprintf(" (difference %s to %s)", charts.Quantity(r.DifferenceLo, r.Unit),
			charts.Quantity(r.DifferenceHi, r.Unit))
	} else {
		f.Title += " (" + printed(intervalText(r)) + ")"
	}
	f.Threshold = "change of " + strings.TrimPrefix(percentText(x.result.Options.MinEffect), "+")
	if !math.IsNaN(r.Noise) {
		f.Threshold += ", noise between runs ±" + strings.TrimPrefix(percentText(r.Noise), "+")
	}
	p, err := comparePicture(x, r)
	if err != nil {
		return f, err
	}
	if p != nil {
		f.Plots = []*charts.Plot{p}
	}
	return f, nil
}

func basisText(r *analysis.Row) string {
	switch {
	case r.Direction == "more":
		return "More is better, " + basisName(r.Basis)
	case r.Direction == "less":
		return "Less is better, " + basisName(r.Basis)
	}
	return "Value, " + basisName(r.Basis)
}

// comparePicture shows both captures over time, or the distributions of what has no common time.
func comparePicture(x *compared, r *analysis.Row) (*charts.Plot, error) {
	before, after := compareNames(x.before[0], x.after[0])
	if before == after {
		before, after = "before", "after"
	}
	if x.result.Options.By != analysis.ByTime {
		return charts.Histogram(charts.HistogramOptions{XLabel: orText(r.Title, r.Name), Unit: r.Unit,
			Percentiles: []float64{}},
			charts.Sample{Name: before, Values: r.BeforeCells}, charts.Sample{Name: after, Values: r.AfterCells})
	}
	if r.BeforeCounter == nil || r.BeforeCounter.Len() == 0 {
		return nil, nil // the length of a run is one number
	}
	rates := r.Basis == "per second"
	nan := math.NaN()
	return charts.Overlay(charts.OverlayOptions{Before: before, After: after},
		charts.Pair{Name: orText(r.Title, r.Name),
			Before: compareSeries(r.BeforeCounter, rates), After: compareSeries(r.AfterCounter, rates),
			BeforeTotal: nan,
			AfterTotal:  nan})
}

// compareSeries is a counter over time, per second where it adds up, so that samples of unlike lengths can be compared.
func compareSeries(c *capture.Counter, rates bool) charts.Series {
	s := charts.FromCounter(c)
	if !rates {
		return s
	}
	y := make([]float64, len(s.Y))
	for i, v := range s.Y {
		y[i] = math.NaN()
		if t := c.Interval(i); t > 0 {
			y[i] = v / t * 1e9
		}
	}
	s.Y, s.Unit = y, c.Unit+"/s"
	return s
}

// compareBarsOf is an overview of the relative changes; nil where there is none to draw.
func compareBarsOf(rows []analysis.Row) (*charts.Plot, error) {
	var labels []string
	var s charts.BarSeries
	left := 0
	for i := range rows {
		r := &rows[i]
		if c := r.Change(); math.IsNaN(c) || math.IsInf(c, 0) {
			continue
		}
		if len(labels) == compareBars {
			left++
			continue
		}
		labels = append(labels, rowTitle(r))
		s.Values = append(s.Values, 100*r.Change())
		s.Severity = append(s.Severity, compareSeverity(r.Verdict))
	}
	if len(labels) == 0 {
		return nil, nil
	}
	title := "Relative change, the worst first"
	if left > 0 {
		title += fmt.Sprintf(" (%d more in the table)", left)
	}
	return charts.Bar(charts.BarOptions{Title: title, Unit: "percent", Labels: labels}, s)
}

// pageTable lists all changes.
func pageTable(res *analysis.Result, rows []analysis.Row) documents.Table {
	t := documents.Table{Title: "Every change", Columns: []documents.Column{{Name: "verdict"}, {Name: "metric"},
		{Name: "before", Align: documents.AlignRight},
		{Name: "after", Align: documents.AlignRight}, {Name: "change", Align: documents.AlignRight},
		{Name: interval(res), Align: documents.AlignRight},
		{Name: "effect", Align: documents.AlignRight}, {Name: "q", Align: documents.AlignRight}}}
	for i := range rows {
		r := &rows[i]
		t.Rows = append(t.Rows, []string{string(r.Verdict), rowTitle(r), charts.Quantity(r.Before, r.Unit),
			charts.Quantity(r.After, r.Unit),
			printed(changeText(r)), printed(intervalText(r)), printed(figure(r.Effect, "%+.2f")), chanceText(r.Q)})
	}
	return t
}

// printed sets the minus of a number as a page does.
func printed(number string) string { return strings.ReplaceAll(number, "-", "−") }
