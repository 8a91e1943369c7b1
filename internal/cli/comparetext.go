package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

// changeText is a relative change; where the value before is 0 it is the difference that counts.
func changeText(r *analysis.Row) string {
	switch c := r.Change(); {
	case math.IsNaN(c) && r.Before == 0 && r.After != 0:
		return "from zero"
	default:
		return percentText(c)
	}
}

// percentText is a fraction as a signed percentage.
func percentText(f float64) string {
	p := 100 * f
	switch {
	case math.IsNaN(f):
		return "-"
	case math.IsInf(f, 0):
		return "∞"
	case math.Abs(p) < 0.05:
		return "0 %"
	case math.Abs(p) < 100:
		return fmt.Sprintf("%+.1f %%", p)
	}
	return fmt.Sprintf("%+.0f %%", p)
}

// interval is the name of the column of intervals.
func interval(res *analysis.Result) string {
	return fmt.Sprintf("%.4g %% interval", 100*(1-res.Options.Alpha))
}

func intervalText(r *analysis.Row) string {
	if math.IsNaN(r.RatioLo) {
		return "-"
	}
	return percentText(r.RatioLo-1) + " to " + percentText(r.RatioHi-1)
}

func figure(f float64, format string) string {
	if math.IsNaN(f) {
		return "-"
	}
	return fmt.Sprintf(format, f)
}

// chanceText is a probability for people; JSON has it exactly.
func chanceText(q float64) string {
	if q < 1e-6 {
		return "<1e-06"
	}
	return figure(q, "%.2g")
}

// jsonNumber is a double for JSON, nil where it is missing or infinite.
func jsonNumber(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// pairedText says whether frames were paired, "" where the comparison is not by frame.
func pairedText(res *analysis.Result) string {
	switch {
	case res.Paired:
		return "paired: yes, each frame with its namesake"
	case res.Unpaired != "":
		return "paired: no, the frames are not the same: " + res.Unpaired
	}
	return ""
}

// basisName says in words what the value of a row is.
func basisName(basis string) string {
	switch basis {
	case "mean":
		return "time-weighted mean"
	case "formula":
		return "formula on totals"
	}
	return basis
}

// basesText says what the rows compare, without those that are not judged unless there are no others.
func basesText(res *analysis.Result) string {
	var counts, gauges, formulas, others []string
	add := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for i := range res.Rows {
		r := &res.Rows[i]
		switch {
		case r.Verdict == analysis.NotJudged && res.Judged > 0 || r.Basis == "constant":
		case r.BeforeCounter == nil:
			add(&others, "durations "+r.Basis)
		case r.Basis == "mean":
			add(&gauges, "gauges as time-weighted means")
		case r.Basis == "formula":
			add(&formulas, "metrics by their formulas on totals")
		default:
			add(&counts, "counts "+r.Basis)
		}
	}
	return strings.Join(slices.Concat(counts, gauges, formulas, others), ", ")
}

type jsonCompared struct {
	Version   int              `json:"version"`
	Before    []jsonCapture    `json:"before"`
	After     []jsonCapture    `json:"after"`
	By        string           `json:"by"`
	Label     string           `json:"label,omitempty"`
	Paired    *bool            `json:"paired,omitempty"`   // by frame only
	Unpaired  string           `json:"unpaired,omitempty"` // why frames are not paired
	Alpha     float64          `json:"alpha"`
	MinEffect float64          `json:"min_effect"`
	Seed      uint64           `json:"seed"`
	Counts    map[string]int   `json:"counts"`
	Rows      []jsonComparison `json:"rows"`
	Time      *jsonTime        `json:"time,omitempty"` // where it went, where there is a table of the GPU
	OnlySome  []string         `json:"only_in_some"`
	Notes     []string         `json:"notes"`
}

type jsonCapture struct {
	Path    string  `json:"path"`
	GPU     string  `json:"gpu"`
	Samples int     `json:"samples"`
	Seconds float64 `json:"seconds"`
}

type jsonComparison struct {
	Verdict      analysis.Verdict `json:"verdict"`
	Part         string           `json:"part,omitempty"`
	Metric       string           `json:"metric"`
	Title        string           `json:"title"`
	Unit         string           `json:"unit"`
	Basis        string           `json:"basis"`
	Direction    string           `json:"better,omitempty"`
	Before       *float64         `json:"before"`
	After        *float64         `json:"after"`
	BeforeTotal  *float64         `json:"before_total"`
	AfterTotal   *float64         `json:"after_total"`
	Difference   *float64         `json:"difference"`
	DifferenceLo *float64         `json:"difference_lo"`
	DifferenceHi *float64         `json:"difference_hi"`
	Ratio        *float64         `json:"ratio"`
	RatioLo      *float64         `json:"ratio_lo"`
	RatioHi      *float64         `json:"ratio_hi"`
	Effect       *float64         `json:"effect"`
	Noise        *float64         `json:"noise"`
	P            *float64         `json:"p"`
	Q            *float64         `json:"q"`
	Blocks       [2]int           `json:"blocks"`
	Why          string           `json:"why,omitempty"`
	Notes        []string         `json:"notes,omitempty"`
}

// comparedJSON is the whole comparison for programs, in version 1 of its form.
func comparedJSON(x *compared) jsonCompared {
	o := x.result.Options
	out := jsonCompared{Version: 1, Before: jsonCaptures(x.before), After: jsonCaptures(x.after),
		By: string(o.By), Label: o.Label,
		Alpha: o.Alpha, MinEffect: o.MinEffect, Seed: o.Seed, Counts: map[string]int{},
		OnlySome: orEmpty(x.result.OnlySome), Notes: orEmpty(x.result.Notes)}
	out.Time = x.time.json()
	if o.By == analysis.ByFrame {
		out.Paired, out.Unpaired = &x.result.Paired, x.result.Unpaired
	}
	for _, v := range []analysis.Verdict{analysis.Worse, analysis.Changed, analysis.Better, analysis.Same,
		analysis.NotJudged} {
		out.Counts[string(v)] = x.result.Count(v)
	}
	out.Rows = jsonRows(x.result)
	return out
}

func jsonRows(res *analysis.Result) []jsonComparison {
	out := make([]jsonComparison, len(res.Rows))
	for i := range res.Rows {
		r := &res.Rows[i]
		out[i] = jsonComparison{Verdict: r.Verdict, Part: r.Part, Metric: r.Name, Title: r.Title, Unit: r.Unit,
			Basis: r.Basis, Direction: r.Direction,
			Before: jsonNumber(r.Before), After: jsonNumber(r.After), BeforeTotal: jsonNumber(r.BeforeTotal),
			AfterTotal: jsonNumber(r.AfterTotal),
			Difference: jsonNumber(r.Difference), DifferenceLo: jsonNumber(r.DifferenceLo),
			DifferenceHi: jsonNumber(r.DifferenceHi),
			Ratio:        jsonNumber(r.Ratio), RatioLo: jsonNumber(r.RatioLo), RatioHi: jsonNumber(r.RatioHi),
			Effect: jsonNumber(r.Effect), Noise: jsonNumber(r.Noise), P: jsonNumber(r.P), Q: jsonNumber(r.Q),
			Blocks: r.Blocks, Why: r.Why, Notes: r.Notes}
	}
	return out
}

func jsonCaptures(list []*capture.Capture) []jsonCapture {
	out := make([]jsonCapture, len(list))
	for i, c := range list {
		out[i] = jsonCapture{Path: c.Path, GPU: c.GPU, Samples: c.Len(), Seconds: float64(c.Duration()) / 1e9}
	}
	return out
}
