package documents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
	"astrolabe/plots/charts"
)

// summaryReport is a report with page one: an account, more findings than page one has room for, two timelines and
// doubts about the data.
func summaryReport(t *testing.T) *Report {
	t.Helper()
	part := func(name, title string, ms int64, at ...int64) charts.AccountPart {
		p := charts.AccountPart{Name: name, Kind: "unit", Title: title, Explained: true, Time: ms * 1e6,
			Low: float64(ms) * 1e6 * 0.21, High: float64(ms) * 1e6 * 0.33, RunnerUp: "arithmetic"}
		for i := 0; i+1 < len(at); i += 2 {
			p.Spans = append(p.Spans, capture.Span{Start: at[i] * 1e6, End: at[i+1] * 1e6})
		}
		return p
	}
	a := &charts.Account{Base: 100e6, Idle: 4e6, Missing: []string{"tiler_active"}, Parts: []charts.AccountPart{
		part("texture", "the texture unit", 60, 0, 60), part("arithmetic", "arithmetic", 20, 60, 80),
		{Name: "not measured", Kind: "not measured", Title: "not measured", Time: 14e6,
			Spans: []capture.Span{{Start: 80e6, End: 94e6}}},
		part("tiler", "the tiler", 5, 94, 99), part("varying", "the varying unit", 1, 99, 100)}}
	series := func(name string) charts.Series {
		s := charts.Series{Name: name, Unit: "percent"}
		for i := range int64(100) {
			s.Start, s.End, s.Y = append(s.Start, i*1e6), append(s.End, (i+1)*1e6), append(s.Y, float64(i%37))
		}
		return s
	}
	queues, err := charts.Timeline(charts.TimelineOptions{Title: "Queues"}, series("Main phase queue utilization"))
	if err != nil {
		t.Fatal(err)
	}
	units, err := charts.Timeline(charts.TimelineOptions{Title: "Units"}, series("Arithmetic unit utilization"),
		series("Texture unit utilization"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Title: "A film on a GPU", Account: a, End: 100e6,
		Provenance: []KV{{"Extent", "100 samples over 100 ms"}}}
	for i := range 3 {
		r.Items = append(r.Items, Finding{ID: fmt.Sprintf("hint_%d", i), Severity: canvas.Warning,
			Title: "A hint that explains the limit", Advice: strings.Repeat("Do something about it. ", 30)})
	}
	share := 0.6
	r.Items = append(r.Items, Chart{queues}, Chart{units},
		Finding{ID: "texture_bound", Severity: canvas.Warning, Title: "The texture unit sets the pace 60 % of the time",
			Share: &share, Gain: []float64{0.126, 0.198}, RunnerUp: "arithmetic",
			Evidence: []string{"texture_unit_utilization"}},
		Finding{ID: "data_late", Severity: canvas.Info, Title: "Samples were late"})
	r.Judgements = []Judgement{{"the GPU", ""}, {"the CPUs", "only 3 samples"}}
	r.Summary = &Summary{Severity: canvas.Warning,
		Verdict:  "The texture unit sets the pace 60 % of the time; relieving this could gain 15 to 20 %",
		Note:     "The next limit would be arithmetic.",
		Timeline: r.BestChart(), Quality: []Note{{canvas.Warning, "Not judged: the CPUs: only 3 samples"},
			{canvas.Good, "100 samples of 1 ms; no gaps"}}}
	return r
}

func TestPageOneIsOneScreenAndTheDetailsFollow(t *testing.T) {
	r := summaryReport(t)
	scenes, err := r.scenes("png", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	if len(scenes) != 2 || scenes[0].W != 1600 || scenes[0].H != 900 {
		t.Fatalf("%d pages, the first %v by %v", len(scenes), scenes[0].W, scenes[0].H)
	}
	text := canvastest.TextOf(scenes[0])
	for _, want := range []string{"sets the pace 60 % of the time; relieving", "the texture unit  60 %",
		"could gain 15 to 20 %", "the first 3 of 4", "Units", "what mostly set the pace", "no gaps", "Not judged: the CPUs"} {
		if !strings.Contains(text, want) {
			t.Errorf("page one lacks %q:\n%s", want, text)
		}
	}
	for _, not := range []string{"Queues", "Samples were late"} {
		if strings.Contains(text, not) {
			t.Errorf("page one has %q, which belongs to the details", not)
		}
	}
	for i, a := range scenes[0].Boxes {
		if a.X < 0 || a.Y < 0 || a.Right() > scenes[0].W || a.Bottom() > scenes[0].H {
			t.Errorf("%q leaves the page", a.Text)
		}
		for _, b := range scenes[0].Boxes[:i] {
			if a.Overlaps(b.Rect) {
				t.Errorf("%q stands over %q", a.Text, b.Text)
			}
		}
	}
	if !strings.Contains(canvastest.TextOf(scenes[1]), "Samples were late") {
		t.Error("the details do not follow")
	}
}

func TestBarsOfDetailsAreInTheColoursOfPageOne(t *testing.T) {
	r := summaryReport(t)
	bars, err := charts.Bar(charts.BarOptions{Labels: []string{"frame 1"}, Stacked: true},
		charts.BarSeries{Name: "not measured", Values: []float64{1}},
		charts.BarSeries{Name: "the texture unit", Values: []float64{2}})
	if err != nil {
		t.Fatal(err)
	}
	grey := canvas.Light().Unexplained("not measured")
	hex := fmt.Sprintf("#%02x%02x%02x", grey.R, grey.G, grey.B)
	marks := func() int {
		pages, err := r.Pages("svg", canvas.Size{})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(slices.Concat(pages...)), hex)
	}
	without := marks()
	r.Items = append(r.Items, Chart{bars})
	if got := marks(); without == 0 || got < without+2 { // the bar, and its key
		t.Errorf("the colour of what was not measured, %s, comes %d times without bars of it and %d times with them",
			hex, without, got)
	}
}

func TestOnlyPageOneIsMadeOnRequest(t *testing.T) {
	for _, format := range []string{"png", "svg", "pdf", "html", "json"} {
		r := summaryReport(t)
		r.Only = true
		pages, err := r.Pages(format, canvas.Size{})
		if err != nil || len(pages) != 1 {
			t.Errorf("%s: %d pages, %v", format, len(pages), err)
		}
		if format == "html" && strings.Contains(string(pages[0]), "hint_2") || format == "json" &&
			strings.Contains(string(pages[0]), `"kind": "timeline"`) {
			t.Errorf("%s has the details", format)
		}
	}
}

// What gains most is what the page is about, whatever explains it and stands before it in the report.
func TestTheLargestGainIsTheFirstFindingOfPageOne(t *testing.T) {
	r := summaryReport(t)
	if f := r.findingsFirst(); len(f) != 4 || f[0].ID != "texture_bound" || f[1].ID != "hint_0" {
		t.Errorf("%+v", f)
	}
	if p := r.BestChart(); p.Title != "Units" {
		t.Errorf("page one shows %q, not the units that the first finding rests on", p.Title)
	}
}

// What limits if another does not stands behind that, however light or heavy it is, and once only.
func TestTheRunnerUpFollowsWhatItStandsBehind(t *testing.T) {
	r := &Report{Items: []Item{
		Finding{ID: "second", Severity: canvas.Info, Title: "b", Gain: []float64{0.3, 0.4}, InsteadOf: "first"},
		Finding{ID: "why", Severity: canvas.Critical, Title: "c"},
		Finding{ID: "first", Severity: canvas.Critical, Title: "a", Gain: []float64{0.1, 0.2}},
		Finding{ID: "alone", Severity: canvas.Warning, Title: "d", InsteadOf: "nothing of that name"},
	}}
	names := func(list []Finding) (out string) {
		for _, f := range list {
			out += f.ID + " "
		}
		return out
	}
	if got := names(r.Findings()); got != "why first second alone " {
		t.Errorf("the findings are %s", got)
	}
	if got := names(r.findingsFirst()); got != "first second why alone " {
		t.Errorf("those of page one are %s", got)
	}
	// the runner-up has a gain that matters, other infos have none
	for id, shown := range map[string]bool{"first": true, "": false} {
		if text := (Finding{Severity: canvas.Info, Win: "5 to 15 % of the time", InsteadOf: id}).summaryText(
			canvas.Light()); strings.Contains(text, "5 to 15 %") != shown {
			t.Errorf("instead of %q page one says %q", id, text)
		}
	}
	sure := Finding{Severity: canvas.Info, Win: "5 to 15 % of the time", Gain: []float64{0.05, 0.15}}
	if text := sure.summaryText(canvas.Light()); !strings.Contains(text, "5 to 15 %") {
		t.Errorf("page one does not say what the likeliest limit gains: %q", text)
	}
	doc, err := r.json()
	if err != nil || !strings.Contains(string(doc), `"instead_of": "first"`) {
		t.Errorf("JSON does not say what the second one stands behind: %v", err)
	}
}

func TestJSONHasTheAccountAndWhatWasJudged(t *testing.T) {
	doc, err := summaryReport(t).json()
	if err != nil {
		t.Fatal(err)
	}
	var got jsonReport
	if err := json.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	p := got.Account.Parts[0]
	if p.Share != 0.6 || p.Text != "15 to 20 %" || p.Gain[0] != 0.15 || p.Gain[1] != 0.2 ||
		got.Findings[3].Gain[0] != 0.15 {
		t.Errorf("%+v, %+v", p, got.Findings[3].Gain)
	}
	if !got.Judged || len(got.NotJudged) != 1 || got.NotJudged[0].Subject != "the CPUs" ||
		!strings.HasPrefix(got.Verdict, "The texture unit") {
		t.Errorf("%v %+v %q", got.Judged, got.NotJudged, got.Verdict)
	}
}
