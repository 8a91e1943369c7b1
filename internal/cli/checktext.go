package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/internal/budget"
)

// verdicts are in the order in which results are shown.
var verdicts = []budget.Verdict{budget.Broken, budget.NotJudged, budget.Skipped, budget.Kept}

// checkedText is what came of budgets, for a terminal: a table for each, the worst first.
func checkedText(list []*budget.Judgement) string {
	var out strings.Builder
	for i, j := range list {
		if len(list) > 1 {
			if i > 0 {
				out.WriteString("\n")
			}
			fmt.Fprintf(&out, "%s against %s\n", j.Capture.Path, j.Budget.File)
		}
		out.WriteString(checkedTable(j).String() + "\n")
		for _, r := range inOrder(j) {
			for _, line := range remarks(r) {
				out.WriteString(line + "\n")
			}
		}
		out.WriteString(checkedSummary(j) + "\n")
	}
	return out.String()
}

// inOrder are the results by verdict, those of one in the order of the file.
func inOrder(j *budget.Judgement) []*budget.Result {
	var out []*budget.Result
	for _, v := range verdicts {
		for _, r := range j.Results {
			if r.Verdict == v {
				out = append(out, r)
			}
		}
	}
	return out
}

func checkedTable(j *budget.Judgement) *notation.TextTable {
	t := &notation.TextTable{Header: []string{"verdict", "limit on", "for", "value", "limit", "beyond", "worst"},
		Right: []bool{false, false, false, true, true, true, false}}
	for _, r := range inOrder(j) {
		t.Add(checkedRow(r)...)
	}
	return t
}

// checkedRow is a result in the columns of checkedTable.
func checkedRow(r *budget.Result) []string {
	value := "-"
	if r.WorstAt >= 0 {
		value = r.ValueText()
	}
	return []string{string(r.Verdict), r.Limit.Label(), r.Limit.Scope(), value, r.LimitText(),
		orText(r.OverText(), "-"), orText(r.Where(), "-")}
}

// remarks are what a table has no room for: why something cannot be judged, why a broken limit is there, and doubts.
func remarks(r *budget.Result) []string {
	var out []string
	say := func(what, text string) {
		out = append(out, fmt.Sprintf("%s: %s: %s", what, r.Limit.Label(),
			strings.ReplaceAll(strings.TrimSpace(text), "\n", " ")))
	}
	switch {
	case r.Verdict == budget.NotJudged || r.Verdict == budget.Skipped:
		say(string(r.Verdict), r.Why)
	case r.Verdict == budget.Broken && r.Limit.Why != "":
		say("why", r.Limit.Why)
	}
	for _, n := range r.Notes {
		say("note", n)
	}
	return out
}

// checkedSummary counts the verdicts.
func checkedSummary(j *budget.Judgement) string {
	var parts []string
	for _, v := range verdicts {
		if n := j.Count(v); n > 0 || v == budget.Broken || v == budget.Kept {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := strings.Join(parts, ", ")
	if j.Count(budget.Skipped) == len(j.Results) {
		text += " (" + budget.NothingJudged + ")"
	}
	return text
}

type jsonChecked struct {
	Version  int         `json:"version"`
	Kept     bool        `json:"kept"`
	Checks   []jsonCheck `json:"checks"`
	Pictures []string    `json:"pictures"`
}

type jsonCheck struct {
	Budget  string         `json:"budget"`
	Title   string         `json:"title,omitempty"`
	Capture jsonCapture    `json:"capture"`
	Kept    bool           `json:"kept"`
	Counts  map[string]int `json:"counts"`
	Limits  []jsonLimit    `json:"limits"`
}

type jsonLimit struct {
	Line      int            `json:"line"`
	Name      string         `json:"name"`
	Metric    string         `json:"metric,omitempty"`
	Expr      string         `json:"expr,omitempty"`
	Per       string         `json:"per"`
	Of        []string       `json:"of,omitempty"`
	Statistic string         `json:"statistic,omitempty"`
	Verdict   budget.Verdict `json:"verdict"`
	Why       string         `json:"why_not_judged,omitempty"`
	Reason    string         `json:"why,omitempty"` // of the limit, as the file gives it
	Unit      string         `json:"unit"`
	Max       *float64       `json:"max"`
	Min       *float64       `json:"min"`
	Value     *float64       `json:"value"`
	Worst     *jsonPart      `json:"worst"`
	Judged    int            `json:"judged"`
	Beyond    int            `json:"beyond"`
	Allowed   int            `json:"allowed"`
	Missing   int            `json:"missing"`
	Breaks    []jsonBreak    `json:"breaks"`
	Groups    []jsonGroup    `json:"groups,omitempty"`
	Notes     []string       `json:"notes"`
}

type jsonPart struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

type jsonBreak struct {
	First string   `json:"first"`
	Last  string   `json:"last"`
	Start float64  `json:"start"`
	End   float64  `json:"end"`
	Count int      `json:"count"`
	Worst *float64 `json:"worst"`
}

type jsonGroup struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
	Parts int      `json:"parts"`
}

// checkedJSON is what came of budgets for programs, in version 1 of its form. Times are seconds since the start of the
// capture.
func checkedJSON(list []*budget.Judgement, pictures []string) jsonChecked {
	out := jsonChecked{Version: 1, Kept: true, Checks: []jsonCheck{}, Pictures: orEmpty(pictures)}
	for _, j := range list {
		c := jsonCheck{Budget: j.Budget.File, Title: j.Budget.Title, Kept: j.OK(), Counts: map[string]int{},
			Limits: []jsonLimit{},
			Capture: jsonCapture{Path: j.Capture.Path, GPU: j.Capture.GPU, Samples: j.Capture.Len(),
				Seconds: float64(j.Capture.Duration()) / 1e9}}
		for _, v := range verdicts {
			c.Counts[string(v)] = j.Count(v)
		}
		for _, r := range j.Results {
			c.Limits = append(c.Limits, limitJSON(r))
		}
		out.Checks = append(out.Checks, c)
		out.Kept = out.Kept && c.Kept
	}
	return out
}

func limitJSON(r *budget.Result) jsonLimit {
	l, p := r.Limit, r.Parts
	out := jsonLimit{Line: l.Line, Name: l.Label(), Metric: l.Metric, Expr: l.Expr, Per: l.Per, Of: l.Of,
		Statistic: l.Statistic, Verdict: r.Verdict, Why: r.Why,
		Reason: l.Why, Unit: r.Unit, Max: jsonNumber(r.Max), Min: jsonNumber(r.Min), Value: jsonNumber(r.Worst),
		Judged: r.Judged, Beyond: r.Over,
		Allowed: r.Allowed, Missing: r.Missing, Breaks: []jsonBreak{}, Notes: orEmpty(r.Notes)}
	if i := r.WorstAt; i >= 0 {
		out.Worst = &jsonPart{p.Name(i), float64(p.Start[i]) / 1e9, float64(p.End[i]) / 1e9}
	}
	for _, b := range r.Breaks() {
		out.Breaks = append(out.Breaks, jsonBreak{p.Name(b.First), p.Name(b.Last), float64(b.Start) / 1e9,
			float64(b.End) / 1e9, b.Count, jsonNumber(b.Worst)})
	}
	for _, g := range r.Groups {
		out.Groups = append(out.Groups, jsonGroup{g.Name, jsonNumber(g.Value), len(g.Parts)})
	}
	return out
}

// checkedTitle is the heading of the picture.
func checkedTitle(list []*budget.Judgement) string {
	broken, unjudged, all := 0, 0, 0
	for _, j := range list {
		broken += j.Count(budget.Broken)
		unjudged += j.Count(budget.NotJudged)
		all += len(j.Results)
	}
	name := orText(list[0].Budget.Title, "Budget")
	if slices.ContainsFunc(list, func(j *budget.Judgement) bool { return j.Budget != list[0].Budget }) {
		name = "Budgets"
	}
	what := "kept"
	switch {
	case broken > 0:
		what = fmt.Sprintf("%d of %d limits broken", broken, all)
	case unjudged > 0:
		what = fmt.Sprintf("%d of %d limits cannot be judged", unjudged, all)
	case slices.ContainsFunc(list, func(j *budget.Judgement) bool { return !j.OK() }):
		what = "nothing was judged"
	}
	if len(list) == 1 {
		return fmt.Sprintf("%s: %s by %s", name, what, filepath.Base(list[0].Capture.Path))
	}
	return name + ": " + what
}
