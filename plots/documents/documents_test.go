package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
	"astrolabe/plots/charts"
)

// documentReport is the sample report with what only written forms show.
func documentReport(t testing.TB) *Report {
	r := sampleReport(t, 6)
	r.Command = "astrolabe report gfx1151-vcopy --l2_hit_low=50 -o report.html"
	histogram, err := charts.Histogram(charts.HistogramOptions{Title: "Frame time", Unit: "ms"},
		charts.Sample{Values: canvastest.Values(2000, func(i int) float64 { return 16.6 + float64(i%97)/20 })})
	must(t, histogram, err)
	measured, limit, nan := 12.5, 25.0, math.NaN()
	for i, it := range r.Items {
		if f, ok := it.(Finding); ok && f.Severity == canvas.Critical {
			f.Measured, f.Limit, f.Unit = &measured, &limit, "%"
			f.Plots = []*charts.Plot{histogram}
			r.Items[i] = f
		}
	}
	r.Items = append(r.Items, Finding{ID: "odd", Severity: canvas.Info, Title: "<b>a & b</b> | `c` _d_ *e*",
		Metric: "x|y", Value: "1 < 2", Threshold: "above 0", Measured: &nan,
		Advice: "See [the guide](https://example.org/?a=1&b=\"2\") or [this](javascript:alert(1))."})
	return r
}

func TestMarkdownHasItsPicturesBesideIt(t *testing.T) {
	dir := t.TempDir()
	paths, err := documentReport(t).Save(filepath.Join(dir, "my report.md"), canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	var linked []string
	for _, m := range regexp.MustCompile(`!\[[^\n]*\]\(<([^>]*)>\)`).FindAllStringSubmatch(doc, -1) {
		linked = append(linked, m[1])
		f, err := os.Open(filepath.Join(dir, m[1]))
		if err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != 1280 {
			t.Errorf("%s: %v", m[1], err)
		}
		f.Close()
	}
	if len(linked) != len(paths)-1 || len(linked) < 6 || linked[0] != "my report-fig1.png" {
		t.Errorf("linked %q, written %q", linked, paths)
	}
	order := []string{"# GPU triage of gfx1151-vcopy", "## Findings", "1 critical, 1 warning, 2 info, 1 good",
		"### Critical: ", "my report-fig1.png", "### Warning: ",
		"evidence: `GL2C_HIT_sum`, `GL2C_MISS_sum`", "my report-fig2.png", "#### Metrics",
		"| Metric | Mean [unit of the metric] |", "## Thresholds used", "## How to reproduce",
		"```\nastrolabe report gfx1151-vcopy", "## Made from", "| SHA-256 |"}
	at := 0
	for _, want := range order {
		i := strings.Index(doc[at:], want)
		if i < 0 {
			t.Fatalf("%q does not follow in\n%.3000s", want, doc[at:])
		}
		at += i
	}
	if !strings.Contains(doc, "&lt;b&gt;a &amp; b&lt;/b&gt; \\| \\`c\\` \\_d\\_ \\*e\\*") {
		t.Error("a title is not written as it is")
	}
	for _, block := range regexp.MustCompile(`(?m)(^\|.*\n)+`).FindAllString(doc, -1) {
		cells := -1
		for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
			n := strings.Count(strings.ReplaceAll(line, "\\|", ""), "|")
			if cells >= 0 && n != cells {
				t.Errorf("a row of %d cells in a table of %d: %s", n, cells, line)
			}
			cells = n
		}
	}
}

// checkTags fails where elements of an HTML page are not closed in order.
func checkTags(t *testing.T, doc string) {
	t.Helper()
	void := []string{"meta", "img", "br", "hr", "!doctype"}
	var open []string
	doc = regexp.MustCompile(`(?s)<style>.*?</style>|<script[^>]*>.*?</script>|<!--.*?-->`).ReplaceAllString(doc, "")
	for _, m := range regexp.MustCompile(`(?s)<(/?)([A-Za-z!][A-Za-z0-9]*)([^>]*)>`).FindAllStringSubmatch(doc, -1) {
		name := strings.ToLower(m[2])
		switch {
		case slices.Contains(void, name) || strings.HasSuffix(m[3], "/"):
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v stay open", open)
	}
}

// ownCode finds the program's own style and script, and the data of the page.
var ownCode = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|<script type="text/plain" id="astrolabe-data">[A-Za-z0-9+/=]*</script>`)

// checkPolicy wants hashes of exactly the page's one style and script in its policy, and nothing beside them.
func checkPolicy(t *testing.T, name, page string) {
	t.Helper()
	hash := func(tag string) string {
		all := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		switch len(all) {
		case 0:
			return " 'none'"
		case 1:
			sum := sha256.Sum256([]byte(all[0][1]))
			return " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
		t.Fatalf("%s: %d elements %s", name, len(all), tag)
		return ""
	}
	want := "default-src 'none'; img-src data:; script-src" + hash("script") + "; style-src" + hash("style") +
		"; base-uri 'none'; form-action 'none'"
	if got := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page); got == nil ||
		got[1] != want {
		t.Errorf("%s: the policy is %q, want %q", name, got, want)
	}
	if m := regexp.MustCompile(`<[^>]*\sstyle\s*=[^>]*>`).FindString(ownCode.ReplaceAllString(page, "")); m != "" {
		t.Errorf("%s: the policy forbids the style of %.120s", name, m)
	}
}

func TestAStaticPageHasNoScriptAndTheSameText(t *testing.T) {
	r := documentReport(t)
	moving, err := r.html()
	if err != nil {
		t.Fatal(err)
	}
	r.Static = true
	static, err := r.html()
	if err != nil {
		t.Fatal(err)
	}
	checkPolicy(t, "static", string(static))
	if bytes.Contains(static, []byte("<script")) || !bytes.Contains(moving, []byte("<script>")) {
		t.Error("the static page has a script, or the other none")
	}
	if bytes.Contains(static, []byte("Timeline</h2>")) || !bytes.Contains(moving, []byte("Timeline</h2>")) {
		t.Error("the static page has room for a timeline that no script fills, or the other none")
	}
}

func TestHTMLStandsAloneAndEscapesWhatItShows(t *testing.T) {
	for name, r := range map[string]*Report{"sample": documentReport(t), "odd": oddReport(t), "empty": {},
		"page one": summaryReport(t)} {
		doc, err := r.html()
		if err != nil {
			t.Fatal(err)
		}
		page := string(doc)
		checkTags(t, page)
		checkPolicy(t, name, page)
		page = ownCode.ReplaceAllString(page, "")
		if strings.Contains(page, "<script") || strings.Contains(page, "javascript:alert(1)\"") ||
			strings.Contains(page, "\x00") || regexp.MustCompile(`<[^>]*\son[a-z]+=`).MatchString(page) {
			t.Errorf("%s: the page holds a script or a control character", name)
		}
		for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "data:") && !strings.HasPrefix(m[1], "#") &&
				!strings.HasPrefix(m[1], "https://example.org/") {
				t.Errorf("%s: the page refers to %.80s", name, m[1])
			}
		}
	}
	doc, err := documentReport(t).html()
	if err != nil {
		t.Fatal(err)
	}
	page := string(doc)
	at := 0
	for _, want := range []string{"<h1>GPU triage", "1 critical, 1 warning", "<nav", "<h2 id=\"findings\">", "CRITICAL",
		"<figure>", "WARNING", "&lt;b&gt;a &amp; b&lt;/b&gt;", "https://example.org/?a=1&amp;b=", "Thresholds used",
		"How to reproduce", "astrolabe report gfx1151-vcopy", "Made from", "SHA-256"} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("%q does not follow", want)
		}
		at += i
	}
	if !strings.Contains(page, "<text ") {
		t.Error("no chart has real text")
	}
}

func TestReportsOfHundredsOfCountersStaySmall(t *testing.T) {
	r := &Report{Title: "Everything"}
	r2 := canvastest.Noise()
	noisy := series("read bandwidth", "bytes/s", 1000, canvastest.Values(40_000, func(int) float64 {
		return 2e9 * (1 + .2*r2.NormFloat64())
	}))
	for i := range 100 {
		s := noisy
		s.Name = fmt.Sprintf("counter %d", i)
		n := 20_000
		s.Start, s.End, s.Y = s.Start[:n], s.End[:n], s.Y[i*100:i*100+n]
		p, err := charts.Timeline(charts.TimelineOptions{}, s)
		r.Items = append(r.Items, Chart{must(t, p, err)})
	}
	doc, err := r.html()
	if err != nil || len(doc) > 16<<20 {
		t.Errorf("%d bytes, %v", len(doc), err)
	}
	pages, err := r.Pages("png", canvas.Size{})
	if err != nil || len(pages) < 5 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
}

func TestLongTablesAreWholeInWritingAndCountedInPictures(t *testing.T) {
	r := &Report{Items: []Item{Table{Columns: []Column{{Name: "n"}}}}}
	tb := r.Items[0].(Table)
	for i := range MaxPageRows + 1234 {
		tb.Rows = append(tb.Rows, []string{fmt.Sprint("row ", i)})
	}
	r.Items[0] = tb
	last := fmt.Sprint("row ", MaxPageRows+1233)
	for _, format := range []string{"md", "html", "json"} {
		docs, err := r.documents("r."+format, canvas.Size{})
		if err != nil || !strings.Contains(string(docs[0].Data), last) {
			t.Errorf("%s lacks %s (%v)", format, last, err)
		}
	}
	scenes, err := r.scenes("png", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	boxes := scenes[len(scenes)-1].Boxes
	if !slices.ContainsFunc(boxes, func(b canvas.TextBox) bool {
		return strings.HasPrefix(b.Text, "1,234 more rows")
	}) {
		t.Error("the picture does not count the rows that it leaves out")
	}
}

func TestTheSameReportGivesTheSameDocuments(t *testing.T) {
	for _, format := range []string{"md", "html", "json"} {
		a, err := documentReport(t).documents("r."+format, canvas.Size{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := documentReport(t).documents("r."+format, canvas.Size{})
		if err != nil || !slices.EqualFunc(a, b, func(x, y Document) bool {
			return x.Path == y.Path && bytes.Equal(x.Data, y.Data)
		}) {
			t.Errorf("%s: two documents differ (%v)", format, err)
		}
	}
}

// validate checks a value against the parts of JSON Schema that the report's schema uses.
func validate(schema, root map[string]any, v any, at string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		return validate(root["$defs"].(map[string]any)[name].(map[string]any), root, v, at)
	}
	var bad []string
	if c, ok := schema["const"]; ok && c != v {
		bad = append(bad, fmt.Sprintf("%s is %v, want %v", at, v, c))
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, v) {
		bad = append(bad, fmt.Sprintf("%s is %v, want one of %v", at, v, list))
	}
	var kinds []any
	switch k := schema["type"].(type) {
	case string:
		kinds = []any{k}
	case []any:
		kinds = k
	}
	is := "null"
	switch x := v.(type) {
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case float64:
		if is = "number"; x == math.Trunc(x) && slices.Contains(kinds, any("integer")) {
			is = "integer"
		}
	case []any:
		is = "array"
		for i, e := range x {
			if items, ok := schema["items"].(map[string]any); ok {
				bad = append(bad, validate(items, root, e, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case map[string]any:
		is = "object"
		props, _ := schema["properties"].(map[string]any)
		for k, e := range x {
			p, ok := props[k].(map[string]any)
			if !ok {
				bad = append(bad, fmt.Sprintf("%s.%s is not in the schema", at, k))
				continue
			}
			bad = append(bad, validate(p, root, e, at+"."+k)...)
		}
		required, _ := schema["required"].([]any)
		for _, k := range required {
			if _, ok := x[k.(string)]; !ok {
				bad = append(bad, fmt.Sprintf("%s lacks %v", at, k))
			}
		}
	}
	if kinds != nil && !slices.Contains(kinds, any(is)) {
		bad = append(bad, fmt.Sprintf("%s is %s, want %v", at, is, kinds))
	}
	return bad
}

func TestJSONFollowsItsSchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(reportSchema, &schema); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Report{"sample": documentReport(t), "odd": oddReport(t), "empty": {}} {
		doc, err := r.json()
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(doc, &v); err != nil {
			t.Fatal(err)
		}
		for _, b := range validate(schema, schema, v, name) {
			t.Error(b)
		}
	}
	if bad := validate(schema, schema, map[string]any{"schema": "other", "title": 3.0}, "wrong"); len(bad) < 5 {
		t.Errorf("the check finds only %q", bad)
	}
	doc, err := documentReport(t).json()
	if err != nil {
		t.Fatal(err)
	}
	var r jsonReport
	if err := json.Unmarshal(doc, &r); err != nil {
		t.Fatal(err)
	}
	f := r.Findings[0]
	if f.ID != "gfx1151/occupancy" || *f.Measured != 12.5 || *f.Limit != 25 || len(f.Spans) != 6 ||
		f.Spans[0] != (jsonSpan{0.1, 0.3}) || len(f.Plots) != 1 {
		t.Errorf("%+v", f)
	}
	if r.Counts["info"] != 2 || *r.Captured != "2024-11-03T12:30:00Z" || len(r.Thresholds) != 5 ||
		!strings.HasPrefix(r.Command, "astrolabe report") {
		t.Errorf("%+v", r)
	}
}

func TestReportFormatsAreNamed(t *testing.T) {
	_, err := sampleReport(t, 1).Save(filepath.Join(t.TempDir(), "out.docx"), canvas.Size{})
	if err == nil || !strings.Contains(err.Error(), "a report is one of .png, .svg, .pdf, .md, .html, .json") {
		t.Errorf("%v", err)
	}
	if f, err := canvas.ReportFormatOf("A.HTM"); f != "html" || err != nil {
		t.Error(f, err)
	}
	if err := sampleReport(t, 1).WriteTo(&bytes.Buffer{}, "md", canvas.Size{}); err == nil ||
		!strings.Contains(err.Error(), "pictures") {
		t.Errorf("Markdown without its pictures: %v", err)
	}
	var b bytes.Buffer
	if err := (&Report{Title: "T"}).WriteTo(&b, "md", canvas.Size{}); err != nil || b.String() != "# T\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestEveryPageSaysHowToReproduceIt(t *testing.T) {
	scenes, err := documentReport(t).scenes("png", canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, sc := range scenes {
		for _, b := range sc.Boxes {
			text += b.Text + "\n"
		}
	}
	if !strings.Contains(text, reproduceTitle) || !strings.Contains(text, "--l2_hit_low=50") {
		t.Error("the picture does not say how to make it again")
	}
}

// TestABrowserReadsTheReport opens the page in Debian's chromium, without a network; the page forbids scripts itself.
func TestABrowserReadsTheReport(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: chromium is not installed, so the HTML report is not opened in a browser")
	}
	dir := t.TempDir()
	page, shot := filepath.Join(dir, "report.html"), filepath.Join(dir, "shot.png")
	for _, theme := range []*canvas.Theme{canvas.Light(), canvas.Dark()} {
		r := documentReport(t)
		r.Theme = theme
		if _, err := r.Save(page, canvas.Size{}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		flags := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--user-data-dir=" + filepath.Join(dir, "profile"),
			"--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars"}
		cmd := exec.CommandContext(ctx, browser,
			append(slices.Clone(flags), "--window-size=1100,6000", "--screenshot="+shot, "file://"+page)...)
		// Processes that it leaves behind may keep its output open: nobody waits for the end of a file.
		said, err := os.Create(filepath.Join(dir, "said"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = said, said
		err = cmd.Run()
		said.Close()
		out, _ := os.ReadFile(said.Name())
		data, rerr := os.ReadFile(shot)
		if rerr != nil || err != nil {
			t.Skipf("SKIPPED: chromium does not run here: %v: %.300s", err, out)
		}
		if galleryOut := canvastest.Gallery(t); galleryOut != "" {
			os.WriteFile(filepath.Join(galleryOut, "browser-"+theme.Name+".png"), data, 0o666)
		}
		if err := os.Remove(shot); err != nil {
			t.Fatal(err)
		}
		img := canvastest.Decode(t, data)
		counts := map[string]int{}
		b := img.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				red, green, blue, _ := img.At(x, y).RGBA()
				counts[fmt.Sprintf("%02x%02x%02x", red>>8, green>>8, blue>>8)]++
			}
		}
		for what, c := range map[string]string{"the page": css(theme.Page), "a critical finding": css(theme.Critical),
			"a series": css(theme.Series[0])} {
			if n := counts[c[1:]]; n < 200 {
				t.Errorf("%s: %d pixels of %s (%s)", theme.Name, n, what, c)
			}
		}
	}
}

// FuzzDocuments writes texts of any content in every form.
func FuzzDocuments(f *testing.F) {
	f.Add("title", "- a\n  - b\n1. c\n\n> q\n```\ncode\n```\n[x](http://y)", "cell|x")
	f.Add("<script>", "**a*_`", "\n\n|\\")
	f.Fuzz(func(t *testing.T, title, text, cell string) {
		r := &Report{Title: title, Command: cell,
			Items: []Item{Text(text), Finding{Title: title, Advice: text, Severity: canvas.Warning, Threshold: cell,
				Metric: title, Spans: []capture.Span{{Start: 1, End: 2}}},
				Table{Title: title, Columns: []Column{{Name: cell}, {Name: title}},
					Rows: [][]string{{cell}, {text, title}}}}, Provenance: []KV{{title, cell}}}
		doc, err := r.html()
		if err != nil {
			t.Fatal(err)
		}
		checkTags(t, string(doc))
		js, err := r.json()
		if err != nil || !json.Valid(js) {
			t.Fatal(err)
		}
		if _, err := r.markdown("r.md", canvas.Size{}); err != nil {
			t.Fatal(err)
		}
	})
}
