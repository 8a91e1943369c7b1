package cli

import (
	"fmt"
	"math"

	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

// comparedTime is where the time of two captures went, as far as there is a table of their GPU.
type comparedTime struct {
	changes  []analysis.AccountChange
	perFrame bool
	title    func(analysis.LimitKind, string) string
}

// compareTime compares where the time went. nil is returned where nobody can tell of one of the captures.
func (a *app) compareTime(x *compared) (*comparedTime, error) {
	var first *values.Account
	runs := func(list []*capture.Capture) (out []analysis.AccountRun, err error) {
		for _, c := range list {
			acc, err := a.accountOf(a.ctx, c)
			if err != nil {
				return nil, err
			}
			if !acc.Known() || acc.Found().Base == 0 {
				return nil, nil
			}
			if first == nil {
				first = acc
			}
			run := analysis.AccountRun{Accounted: acc.Found()}
			// Of the capture itself: the account may be of longer samples.
			if frames, err := analysis.FramesOf(c); err == nil && frames != nil {
				run.Frames = len(frames.Regions)
			}
			out = append(out, run)
		}
		return out, nil
	}
	before, err := runs(x.before)
	if err != nil || before == nil {
		return nil, err
	}
	after, err := runs(x.after)
	if err != nil || after == nil {
		return nil, err
	}
	t := &comparedTime{title: first.Title}
	t.changes, t.perFrame = analysis.CompareAccounts(before, after)
	return t, nil
}

// leastTime is the least time of a part that is listed, in ns per frame or second.
const leastTime = 5e3

// shown are the parts that are worth a line.
func (t *comparedTime) shown() []analysis.AccountChange {
	var out []analysis.AccountChange
	for _, c := range t.changes {
		if math.Max(c.Before, c.After) >= leastTime {
			out = append(out, c)
		}
	}
	return out
}

// unit is what the times are per.
func (t *comparedTime) unit() string {
	if t.perFrame {
		return "ms per frame"
	}
	return "ms per second"
}

// row is a part in the columns of a table.
func (t *comparedTime) row(c analysis.AccountChange) []string {
	return []string{t.title(c.Kind, c.Name), fmt.Sprintf("%.2f", c.Before/1e6), fmt.Sprintf("%.2f", c.After/1e6),
		fmt.Sprintf("%+.2f", (c.After-c.Before)/1e6)}
}

// heading is the title of the table.
func (t *comparedTime) heading() string { return "What set the pace, " + t.unit() }

// text is the table for a terminal.
func (t *comparedTime) text() string {
	if t == nil || len(t.shown()) == 0 {
		return ""
	}
	table := &notation.TextTable{Header: []string{t.heading(), "before", "after", "difference"},
		Right: []bool{false, true, true, true}}
	for _, c := range t.shown() {
		table.Add(t.row(c)...)
	}
	return table.String()
}

// items are a chart and a table for a page.
func (t *comparedTime) items(from, to string) ([]documents.Item, error) {
	if t == nil || len(t.shown()) == 0 {
		return nil, nil
	}
	table := documents.Table{Title: t.heading(),
		Columns: []documents.Column{{Name: "what set the pace"}, {Name: "before", Align: documents.AlignRight},
			{Name: "after", Align: documents.AlignRight}, {Name: "difference", Align: documents.AlignRight}}}
	var series []charts.BarSeries
	for _, c := range t.shown() {
		table.Rows = append(table.Rows, t.row(c))
		if math.Max(c.Before, c.After) >= 0.01*t.whole() {
			series = append(series, charts.BarSeries{Name: t.title(c.Kind, c.Name),
				Values: []float64{c.Before / 1e6, c.After / 1e6}})
		}
	}
	chart, err := charts.Bar(charts.BarOptions{Title: "Where the time went", YLabel: t.unit(), Unit: "ms",
		Labels: []string{from, to}, Stacked: true}, series...)
	if err != nil {
		return nil, err
	}
	return []documents.Item{documents.Chart{Plot: chart}, table}, nil
}

// whole is the larger time of both.
func (t *comparedTime) whole() float64 {
	before, after := 0.0, 0.0
	for _, c := range t.changes {
		before, after = before+c.Before, after+c.After
	}
	return math.Max(before, after)
}

// jsonTime is where the time went, for programs.
type jsonTime struct {
	Per   string         `json:"per"` // "frame" or "second"
	Parts []jsonTimePart `json:"parts"`
}

type jsonTimePart struct {
	Part       string  `json:"part"`
	Kind       string  `json:"kind"`
	Title      string  `json:"title"`
	Before     float64 `json:"before_ms"`
	After      float64 `json:"after_ms"`
	Difference float64 `json:"difference_ms"`
}

func (t *comparedTime) json() *jsonTime {
	if t == nil {
		return nil
	}
	out := &jsonTime{Per: "second", Parts: []jsonTimePart{}}
	if t.perFrame {
		out.Per = "frame"
	}
	for _, c := range t.changes {
		name := c.Name
		if name == "" {
			name = c.Kind.String()
		}
		out.Parts = append(out.Parts, jsonTimePart{name, c.Kind.String(), t.title(c.Kind, c.Name), c.Before / 1e6,
			c.After / 1e6, (c.After - c.Before) / 1e6})
	}
	return out
}
