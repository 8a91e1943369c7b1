package documents

import (
	_ "embed"
	"encoding/json"
	"math"
	"time"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// reportSchema is the JSON Schema (draft 2020-12) of reports in JSON.
//
//go:embed report.schema.json
var reportSchema []byte

// Version of the JSON form. A field may be added without a new version; a new one says that a field went or changed its
// meaning.
const (
	reportSchemaName = "astrolabe/report"
	reportVersion    = 1
)

type jsonReport struct {
	Schema     string         `json:"schema"`
	Version    int            `json:"version"`
	Title      string         `json:"title"`
	Captured   *string        `json:"captured"` // RFC 3339, null if not known
	Start      float64        `json:"start_s"`
	End        float64        `json:"end_s"`
	Command    string         `json:"command,omitempty"`
	Verdict    string         `json:"verdict,omitempty"`
	Judged     bool           `json:"judged"`
	NotJudged  []jsonSubject  `json:"not_judged"`
	Account    *jsonAccount   `json:"account,omitempty"`
	Counts     map[string]int `json:"counts"`
	Findings   []jsonFinding  `json:"findings"`
	Items      []jsonItem     `json:"items"`
	Thresholds []jsonKV       `json:"thresholds"`
	Provenance []jsonKV       `json:"provenance"`
}

// jsonSubject is something that could not be judged.
type jsonSubject struct {
	Subject string `json:"subject"`
	Why     string `json:"why"`
}

type jsonKV struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type jsonFinding struct {
	ID        string   `json:"id"`
	Severity  string   `json:"severity"`
	Title     string   `json:"title"`
	Metric    string   `json:"metric,omitempty"`
	Value     string   `json:"value,omitempty"`
	Threshold string   `json:"threshold,omitempty"`
	Measured  *float64 `json:"measured,omitempty"`
	Limit     *float64 `json:"limit,omitempty"`
	Unit      string   `json:"unit,omitempty"`
	Source    string   `json:"source,omitempty"`
	Advice    string   `json:"advice,omitempty"`

	Confidence string `json:"confidence,omitempty"`
	Win        string `json:"win,omitempty"`

	Share    *float64  `json:"share,omitempty"`
	Gain     []float64 `json:"gain,omitempty"`
	RunnerUp string    `json:"runner_up,omitempty"`
	Hint     bool      `json:"hint,omitempty"`
	// InsteadOf is the id of the finding that this one stands behind: it limits if that does not.
	InsteadOf string `json:"instead_of,omitempty"`

	Evidence []string   `json:"evidence"`
	Spans    []jsonSpan `json:"spans"`
	Plots    []jsonPlot `json:"plots"`
}

type jsonSpan struct {
	Start float64 `json:"start_s"`
	End   float64 `json:"end_s"`
}

type jsonItem struct {
	Kind     string    `json:"kind"` // "text", "table" or "plot"
	Markdown string    `json:"markdown,omitempty"`
	Table    *jsonTab  `json:"table,omitempty"`
	Plot     *jsonPlot `json:"plot,omitempty"`
}

type jsonTab struct {
	Title   string       `json:"title,omitempty"`
	Columns []jsonColumn `json:"columns"`
	Rows    [][]string   `json:"rows"`
}

type jsonColumn struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// jsonPlot says what a chart shows. Samples belong into a capture, so series are summed up.
type jsonPlot struct {
	Kind   string       `json:"kind"`
	Title  string       `json:"title,omitempty"`
	Series []jsonSeries `json:"series,omitempty"`
	Rows   [][]jsonPlot `json:"rows,omitempty"` // of a grid

	Stretches []jsonStretch `json:"stretches,omitempty"` // of small multiples
}

// jsonStretch is a row of small multiples. Behind is the place of the stretch that it is compared with.
type jsonStretch struct {
	Name    string  `json:"name"`
	Note    string  `json:"note,omitempty"`
	Start   float64 `json:"start_s"`
	End     float64 `json:"end_s"`
	Behind  *int    `json:"behind,omitempty"`
	Picture string  `json:"picture,omitempty"`
}

type jsonSeries struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit,omitempty"`
	Samples int      `json:"samples"`
	Missing int      `json:"missing"`
	Why     string   `json:"why_missing,omitempty"`
	Min     *float64 `json:"min"`
	Max     *float64 `json:"max"`
}

func (r *Report) json() ([]byte, error) {
	t0, t1 := r.extent()
	doc := jsonReport{Schema: reportSchemaName, Version: reportVersion, Title: canvas.Printable(r.Title),
		Start: float64(t0) / 1e9, End: float64(t1) / 1e9,
		Command: r.Command, Counts: map[string]int{}, Findings: []jsonFinding{}, Items: []jsonItem{},
		Thresholds: jsonKVs(r.thresholds()), Provenance: jsonKVs(r.Provenance)}
	doc.Judged, doc.NotJudged, doc.Account = r.Judged(), []jsonSubject{}, accountJSON(r.Account)
	for _, j := range r.NotJudged() {
		doc.NotJudged = append(doc.NotJudged, jsonSubject(j))
	}
	if r.Summary != nil {
		doc.Verdict = r.Summary.Verdict
	}
	if !r.Captured.IsZero() {
		s := r.Captured.UTC().Format(time.RFC3339Nano)
		doc.Captured = &s
	}
	for s := canvas.Good; s <= canvas.Critical; s++ {
		doc.Counts[s.String()] = 0
	}
	for _, f := range r.Findings() {
		if f.Severity != canvas.None {
			doc.Counts[f.Severity.String()]++
		}
		doc.Findings = append(doc.Findings, f.json())
	}
	for _, it := range r.shownItems() {
		switch it := it.(type) {
		case Text:
			doc.Items = append(doc.Items, jsonItem{Kind: "text", Markdown: string(it)})
		case Table:
			doc.Items = append(doc.Items, jsonItem{Kind: "table", Table: it.json()})
		case Chart:
			if it.Drawable() {
				p := plotJSON(it.Plot)
				doc.Items = append(doc.Items, jsonItem{Kind: "plot", Plot: &p})
			}
		}
	}
	out, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func jsonKVs(list []KV) []jsonKV {
	out := make([]jsonKV, len(list))
	for i, kv := range list {
		out[i] = jsonKV(kv)
	}
	return out
}

func (f Finding) json() jsonFinding {
	out := jsonFinding{ID: f.ID, Severity: f.Severity.String(), Title: f.Title, Metric: f.Metric, Value: f.Value,
		Threshold: f.Threshold,
		Measured:  finite(f.Measured), Limit: finite(f.Limit), Unit: f.Unit, Source: f.Source, Advice: f.Advice,
		Confidence: f.Confidence, Win: f.Win, Share: roundedShare(f.Share), Gain: gainBounds(f.Gain),
		RunnerUp: f.RunnerUp, Hint: f.Hint, InsteadOf: f.InsteadOf, Evidence: append([]string{}, f.Evidence...),
		Spans: jsonSpans(f.Spans), Plots: []jsonPlot{}}
	if f.Severity == canvas.None {
		out.Severity = "none"
	}
	for _, p := range charts.Drawable(f.Plots) {
		out.Plots = append(out.Plots, plotJSON(p))
	}
	return out
}

// roundedShare is a share with as many digits as are known.
func roundedShare(v *float64) *float64 {
	if v = finite(v); v == nil {
		return nil
	}
	x := rounded(*v)
	return &x
}

// finite is nil for what JSON cannot write.
func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

func jsonSpans(list []capture.Span) []jsonSpan {
	out := make([]jsonSpan, len(list))
	for i, s := range list {
		out[i] = jsonSpan{float64(s.Start) / 1e9, float64(s.End) / 1e9}
	}
	return out
}

func (t Table) json() *jsonTab {
	out := &jsonTab{Title: t.Title, Columns: []jsonColumn{}, Rows: [][]string{}}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, jsonColumn{c.Name, c.Unit})
	}
	for _, row := range t.Rows { // a short row is filled up, so that every one has all columns
		full := make([]string, len(t.Columns))
		copy(full, row)
		out.Rows = append(out.Rows, full)
	}
	return out
}

func plotJSON(p *charts.Plot) jsonPlot {
	out := jsonPlot{Kind: p.Kind, Title: p.Title}
	for _, s := range p.Series() {
		out.Series = append(out.Series, seriesJSON(s))
	}
	for _, m := range p.Multiples() {
		s := jsonStretch{Name: m.Name, Note: m.Note, Start: float64(m.Start) / 1e9, End: float64(m.End) / 1e9}
		if m.Behind >= 0 {
			s.Behind = &m.Behind
		}
		if m.Photo != nil {
			s.Picture = m.Photo.Name
		}
		out.Stretches = append(out.Stretches, s)
	}
	for _, row := range p.Children() {
		var line []jsonPlot
		for _, q := range row {
			line = append(line, plotJSON(q))
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

func seriesJSON(s charts.Series) jsonSeries {
	out := jsonSeries{Name: s.Name, Unit: s.Unit, Samples: len(s.Y), Why: s.Why}
	for _, v := range s.Y {
		switch {
		case math.IsNaN(v):
			out.Missing++
		case !canvas.Drawable(v):
		case out.Min == nil:
			low, high := v, v
			out.Min, out.Max = &low, &high
		default:
			*out.Min, *out.Max = min(*out.Min, v), max(*out.Max, v)
		}
	}
	return out
}
