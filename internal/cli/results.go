package cli

import (
	"fmt"
	"strings"

	"astrolabe/builtins/values"
	"astrolabe/capture/analysis"
	"astrolabe/internal/buildserver"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// comparedResults is a comparison for build servers, a case for each row. What became worse is a failure; what changed
// without being better or worse is only told.
func comparedResults(res *analysis.Result, after string) *buildserver.Suites {
	all := &buildserver.Suites{Command: "compare", Title: summaryLine(res)}
	s := buildserver.Suite{Name: after}
	for i := range res.Rows {
		r := &res.Rows[i]
		said := fmt.Sprintf("%s: %s to %s, %s (%s), %s", r.Verdict, charts.Quantity(r.Before, r.Unit),
			charts.Quantity(r.After, r.Unit), changeText(r), intervalText(r), basisName(r.Basis))
		c := buildserver.Case{ID: r.Part + "\x00" + r.Name, Name: partMetric(r.Part, r.Name), Class: after}
		switch r.Verdict {
		case analysis.Worse:
			c.Failure = &buildserver.Message{Message: said}
		case analysis.NotJudged:
			c.Skipped = &buildserver.Message{Message: "not judged: " + r.Why}
		case analysis.Same:
		default:
			c.Said, c.Output = said, said
		}
		s.Add(c)
	}
	all.Add(s)
	return all
}

// results are those of a comparison of a lake for build servers.
func (x *lakeCompared) results(dir string) *buildserver.Suites {
	if x.result != nil {
		return comparedResults(x.result, dir)
	}
	title, _, _ := strings.Cut(x.trendSummary(), "\n")
	all := &buildserver.Suites{Command: "compare", Title: title}
	s := buildserver.Suite{Name: dir}
	for i := range x.trends {
		t := &x.trends[i]
		c := buildserver.Case{ID: t.Part + "\x00" + t.Name, Name: partMetric(t.Part, t.Name), Class: dir}
		said := ""
		if n := len(t.Steps); n > 0 {
			last := t.Steps[n-1]
			said = fmt.Sprintf("%s from build %s on: %s to %s, %s", last.Verdict, t.Builds[last.Build],
				charts.Quantity(last.Before, t.Unit), charts.Quantity(last.After, t.Unit), percentText(last.Change()))
		}
		switch t.Verdict() {
		case analysis.Worse:
			c.Failure = &buildserver.Message{Message: said}
		case analysis.NotJudged:
			c.Skipped = &buildserver.Message{Message: "not judged: " + t.Why}
		default:
			c.Said, c.Output = said, said
		}
		s.Add(c)
	}
	all.Add(s)
	return all
}

// partMetric names a metric of a part; the whole capture has no name.
func partMetric(part, metric string) string {
	if part == "" {
		return metric
	}
	return part + ": " + metric
}

// reportResults are what a page says, for build servers. Something always sets the pace, so a finding is a warning and
// breaks no build; that is for check, or for a strict report that could not judge.
func reportResults(page *values.Report, path string, strict bool) *buildserver.Suites {
	all := &buildserver.Suites{Command: "report", Title: orText(page.Verdict(), "no verdict")}
	s := buildserver.Suite{Name: path}
	for _, f := range page.Findings() {
		said := f.Title
		if f.Value != "" {
			said += " (" + strings.Join(strings.Fields(f.Metric+" "+f.Value+" "+f.Threshold), " ") + ")"
		}
		if f.Win != "" {
			said += ". Gain: " + f.Win
		}
		if f.Advice != "" {
			said += ". " + f.Advice
		}
		c := buildserver.Case{ID: f.ID, Name: f.Title, Class: path, Output: said}
		if f.Severity >= canvas.Warning {
			c.Warning = &buildserver.Message{Message: said}
		} else {
			c.Said = said
		}
		s.Add(c)
	}
	for _, j := range page.NotJudged() {
		s.Add(buildserver.Case{ID: j.Subject, Name: j.Subject + " is judged", Class: path,
			Skipped: &buildserver.Message{Message: j.Why}})
	}
	if page.Lacking() {
		s.Add(strictly(strict, buildserver.Case{Name: "every part of the page", Class: path},
			"a part of the page failed: what was printed says which"))
	}
	if !page.Judged() {
		s.Add(strictly(strict, buildserver.Case{Name: "anything is judged", Class: path},
			"nothing could be judged"))
	}
	all.Add(s)
	return all
}

// strictly makes a case an error in a strict report, and a warning in others.
func strictly(strict bool, c buildserver.Case, why string) buildserver.Case {
	m := &buildserver.Message{Message: why}
	if strict {
		c.Error = m
	} else {
		c.Warning = m
	}
	return c
}
