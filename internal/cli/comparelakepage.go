package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/capture/analysis"
	"astrolabe/capture/lake"
	"astrolabe/capture/progress"
	"astrolabe/internal/version"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

func (a *app) printLake(x *lakeCompared, f *compareFlags) error {
	if f.json {
		return a.printJSON(x.json())
	}
	var out strings.Builder
	if x.result == nil {
		if t := x.trendTable(); len(t.Rows) > 0 {
			out.WriteString(t.String() + "\n")
		}
		out.WriteString(x.trendSummary() + "\n")
		return a.print(out.String())
	}
	table := comparedTable(x.result, func(r *analysis.Row) bool {
		return f.all || (r.Verdict != analysis.Same && r.Verdict != analysis.NotJudged)
	})
	if len(table.Rows) > 0 {
		out.WriteString(table.String() + "\n")
	}
	out.WriteString(summaryLine(x.result) + "\n")
	fmt.Fprintf(&out, "%d captures before and %d after\n", x.captures[0], x.captures[1])
	if list := reasons(x.result); len(list) > 0 && !f.all {
		fmt.Fprintf(&out, "not judged (--all lists them): %s\n", firstReasons(list))
	}
	return a.print(out.String())
}

// trendTable has a line for each step, the series with the worst last one first.
func (x *lakeCompared) trendTable() *notation.TextTable {
	t := &notation.TextTable{Header: []string{"verdict", strings.Join(x.by, ", "), "metric", "from build", "before",
		"after", "change", "q", "compared"}, Right: []bool{false, false, false, false, true, true, true, true, false}}
	for i := range x.trends {
		r := &x.trends[i]
		for _, s := range slices.Backward(r.Steps) {
			t.Add(string(s.Verdict), shortened(r.Part, 64), r.Name, r.Builds[s.Build],
				charts.Quantity(s.Before, r.Unit),
				charts.Quantity(s.After, r.Unit), percentText(s.Change()), chanceText(r.Q), basisName(r.Basis))
		}
	}
	return t
}

func (x *lakeCompared) trendSummary() string {
	counts := map[analysis.Verdict]int{}
	for i := range x.trends {
		counts[x.trends[i].Verdict()]++
	}
	text := fmt.Sprintf("over %d builds, by the last step of each: %d worse, %d changed, %d better, %d without a step, "+
		"%d not judged", len(x.builds), counts[analysis.Worse], counts[analysis.Changed], counts[analysis.Better],
		counts[analysis.Same], counts[analysis.NotJudged])
	for i := range x.trends {
		if why := x.trends[i].Why; why != "" {
			return text + "\nnot judged, such as " + x.trends[i].Name + ": " + why
		}
	}
	return text
}

// jsonLakeCompared is compare --lake for programs, in version 1 of its form.
type jsonLakeCompared struct {
	Version  int               `json:"version"`
	By       []string          `json:"by"`
	Before   map[string]string `json:"before,omitempty"`
	After    map[string]string `json:"after,omitempty"`
	Captures *[2]int           `json:"captures,omitempty"` // before and after
	Builds   []string          `json:"builds"`
	Rows     []jsonComparison  `json:"rows,omitempty"`
	Trends   []jsonTrend       `json:"trends,omitempty"`
	Notes    []string          `json:"notes"`
}

type jsonTrend struct {
	Verdict   analysis.Verdict `json:"verdict"`
	Part      string           `json:"part"`
	Metric    string           `json:"metric"`
	Unit      string           `json:"unit"`
	Basis     string           `json:"basis"`
	Direction string           `json:"better,omitempty"`
	P         *float64         `json:"p"`
	Q         *float64         `json:"q"`
	Steps     []jsonStep       `json:"steps"`
	Why       string           `json:"why,omitempty"`
}

type jsonStep struct {
	Verdict analysis.Verdict `json:"verdict"`
	Build   string           `json:"build"`
	Before  *float64         `json:"before"`
	After   *float64         `json:"after"`
	Change  *float64         `json:"change"`
}

func (x *lakeCompared) json() jsonLakeCompared {
	out := jsonLakeCompared{Version: 1, By: x.by, Before: x.before, After: x.after, Builds: orEmpty(x.builds),
		Notes: orEmpty(x.notes)}
	if x.result != nil {
		out.Captures = &x.captures
		out.Rows = jsonRows(x.result)
	}
	for i := range x.trends {
		t := &x.trends[i]
		one := jsonTrend{Verdict: t.Verdict(), Part: t.Part, Metric: t.Name, Unit: t.Unit, Basis: t.Basis,
			Direction: t.Direction, P: jsonNumber(t.P), Q: jsonNumber(t.Q), Steps: []jsonStep{}, Why: t.Why}
		for _, s := range t.Steps {
			one.Steps = append(one.Steps, jsonStep{s.Verdict, t.Builds[s.Build], jsonNumber(s.Before),
				jsonNumber(s.After), jsonNumber(s.Change())})
		}
		out.Trends = append(out.Trends, one)
	}
	return out
}

// lakePictureBuilds is how many builds a picture shows, the last ones.
const lakePictureBuilds = 24

// lakePage draws what changed, the worst first, with the runs of all builds.
func (a *app) lakePage(x *lakeCompared, f *compareFlags, opt analysis.Options) error {
	ctx, done := a.busy(a.ctx, "drawing "+f.out)
	defer done()
	r := &documents.Report{Progress: progress.From(ctx), Warn: a.warn, Command: ownCommand()}
	r.Provenance = []documents.KV{{Key: "Lake", Value: f.lake.dir},
		{Key: "Compared by", Value: strings.Join(x.by, ", ")},
		{Key: "Thresholds", Value: fmt.Sprintf("alpha %g, least effect %s, seed %d", opt.Alpha,
			strings.TrimPrefix(percentText(opt.MinEffect), "+"), opt.Seed)},
		{Key: "astrolabe", Value: version.String()}}
	var method string
	if x.result != nil {
		r.Title = fmt.Sprintf("What changed from %s to %s", lake.LabelsText(x.before), lake.LabelsText(x.after))
		method = fmt.Sprintf("Each value is that of one capture, and runs of one side are taken to be alike. The noise is "+
			"that between runs, helped by what all metrics of a device say about how much runs differ, or that within a "+
			"run where it is wider. Of the changes reported, at most %.3g %% are expected to be noise (Benjamini and "+
			"Hochberg over %d judgements). Effect is Cliff's delta of the runs.", 100*opt.Alpha, x.result.Judged)
		if err := x.addChanges(r); err != nil {
			return err
		}
	} else {
		r.Title = fmt.Sprintf("What changed over %d builds", len(x.builds))
		method = fmt.Sprintf("A step is a build from which on the runs have another level: circular binary segmentation "+
			"on ranks, held against %s runs in random order. Of the metrics with a step, at most %.3g %% are expected to have "+
			"none (Benjamini and Hochberg).", "the same", 100*opt.Alpha)
		if err := x.addSteps(r); err != nil {
			return err
		}
	}
	r.Items = append(r.Items, documents.Text("## How to read this\n\n"+method+"\n\n"+points(x.notes)))
	paths, err := r.Save(f.out, canvas.Size{})
	done()
	for _, p := range paths {
		a.wrote(p)
	}
	return err
}

func (x *lakeCompared) addChanges(r *documents.Report) error {
	var changed []analysis.Row
	for _, row := range x.result.Rows {
		if row.Verdict != analysis.Same && row.Verdict != analysis.NotJudged {
			changed = append(changed, row)
		}
	}
	shown := 0
	for i := range changed {
		row := &changed[i]
		if shown == comparePictures {
			break
		}
		if twinOf(changed[:i], row) >= 0 {
			continue
		}
		p, err := x.picture(row.Part, row.Name)
		if err != nil {
			return err
		}
		f := documents.Finding{ID: "compare/" + row.Name, Severity: compareSeverity(row.Verdict),
			Title:  fmt.Sprintf("%s: %s (%s)", rowTitle(row), printed(changeText(row)), printed(intervalText(row))),
			Metric: basisText(row), Evidence: []string{row.Name},
			Value: charts.Quantity(row.Before, row.Unit) + " → " + charts.Quantity(row.After, row.Unit)}
		if !math.IsNaN(row.Noise) {
			f.Threshold = "noise between runs ±" + strings.TrimPrefix(percentText(row.Noise), "+")
		}
		if p != nil {
			f.Plots = []*charts.Plot{p}
		}
		r.Items = append(r.Items, f)
		shown++
	}
	r.Items = append(r.Items, documents.Text(fmt.Sprintf("## Overview\n\n**%s**, of %d captures before and %d after.",
		summaryLine(x.result), x.captures[0], x.captures[1])))
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
	return nil
}

func (x *lakeCompared) addSteps(r *documents.Report) error {
	shown := 0
	for i := range x.trends {
		t := &x.trends[i]
		if len(t.Steps) == 0 || shown == comparePictures {
			break
		}
		s := t.Steps[len(t.Steps)-1]
		p, err := x.picture(t.Part, t.Name)
		if err != nil {
			return err
		}
		f := documents.Finding{ID: "trend/" + t.Name, Severity: compareSeverity(s.Verdict),
			Title: fmt.Sprintf("%s: %s: %s from build %s on", shortened(t.Part, 40), orText(t.Title, t.Name),
				printed(percentText(s.Change())), t.Builds[s.Build]),
			Metric: basisName(t.Basis), Evidence: []string{t.Name},
			Value: charts.Quantity(s.Before, t.Unit) + " → " + charts.Quantity(s.After, t.Unit)}
		if p != nil {
			f.Plots = []*charts.Plot{p}
		}
		r.Items = append(r.Items, f)
		shown++
	}
	r.Items = append(r.Items, documents.Text("## Overview\n\n"+x.trendSummary()+"."))
	if text := x.trendTable(); len(text.Rows) > 0 {
		t := documents.Table{Title: "Every step", Rows: text.Rows}
		for i, name := range text.Header {
			col := documents.Column{Name: name, Align: documents.AlignLeft}
			if text.Right[i] {
				col.Align = documents.AlignRight
			}
			t.Columns = append(t.Columns, col)
		}
		r.Items = append(r.Items, t)
	}
	return nil
}

// picture shows the runs of a metric build by build, nil where builds have no names.
func (x *lakeCompared) picture(part, name string) (*charts.Plot, error) {
	for _, s := range x.series {
		if s.part != part || s.of.Metric != name {
			continue
		}
		var samples []charts.Sample
		for _, b := range x.builds {
			if v := s.builds[b]; len(v) > 0 {
				samples = append(samples, charts.Sample{Name: b, Values: v})
			}
		}
		title := ""
		if n := len(samples) - lakePictureBuilds; n > 0 {
			samples = samples[n:]
			title = fmt.Sprintf("The last %d of %d builds", lakePictureBuilds, n+lakePictureBuilds)
		}
		if len(samples) == 0 {
			return nil, nil
		}
		return charts.Box(charts.BoxOptions{Title: title, XLabel: orText(orNothing(s.of.Title), name),
			Unit: orNothing(s.of.Unit)}, samples...)
	}
	return nil, nil
}
