package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/mali"
	formats "astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
)

// pageNames are names of counters that a page must show and never run.
var pageNames = []string{"<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\" autofocus onfocus=\"alert(3)",
	"\u202eevil\u2066", "]]><svg onload=alert(4)>", "{{constructor.constructor('alert(5)')()}}", "line\nbreak\u2028end"}

// pageScript draws counters and metrics of pageCapture.
const pageScript = `
def analyze(cap, r):
    own = [cap[n] for n in cap.counters.keys() if n in HOSTILE]
    shown = [cap["alpha"], cap["beta"]] + [cap[n] for n in METRICS] + own
    r.plot(plot.timeline(shown, title = "All", marks = [(2, "<b>half</b>")]))
    r.finding("x/<script>", "warning", "<script>alert(6)</script> is high", evidence = [cap["alpha"]], spans = cap["alpha"].gt(700).spans()[:3])
    times = ["12.5 µs", "3 s", "2 ms", "1,500 ms", "950 ns", "4 s", "5 s", "6 s", "7 s"]
    r.table(table.rows([[t, "row " + str(i)] for i, t in enumerate(times)], columns = ["Order", "<i>name</i>"]), title = "Times")
`

const pageSamples = 50_000

// pageCapture is a capture of a modelled GPU with counters of our own: noise with a long hole, and hostile names.
func pageCapture(t *testing.T, path string) (c *capture.Capture, alpha []float64) {
	c, err := mali.Models()[0].Generate(capturetest.Case{Seed: 5, Samples: pageSamples, Noise: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	alpha = make([]float64, pageSamples)
	for i := range alpha {
		alpha[i] = math.Round(500 + 100*math.Sin(float64(i)/4000) + 30*r.NormFloat64())
		if i > 20_000 && i < 24_000 || r.IntN(50) == 0 {
			alpha[i] = math.NaN()
		}
	}
	c, err = c.With(func(cfg *capture.Config) {
		cfg.Counters = slices.Clone(cfg.Counters)
		for k, name := range append([]string{"alpha", "beta"}, pageNames...) {
			values := alpha
			if k > 0 {
				values = slices.Clone(alpha)
				slices.Reverse(values)
			}
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta}, Axis: cfg.Axis,
				Col: capture.NewColumn(capture.Data{F: values})})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := formats.Registry().Save(t.Context(), path, "", c); err != nil {
		t.Fatal(err)
	}
	return c, alpha
}

// browsed is what testdata/browser.js found.
type browsed struct {
	Requests, Errors []string
	Dialogs          int
	Checks           map[string]bool
	Steps            []float64
	Lane             string
	Ranges           []struct {
		Script string
		Rows   []struct {
			Name   string
			Values []string
		}
	}
	Pixels struct {
		Height int
		List   [][2]int
	}
	Printed []string // names of the lanes that were shown
	Paper   []struct {
		Coloured int
		Width    float64
		Theme    string
	}
}

func TestAReportInABrowser(t *testing.T) {
	folder := os.Getenv("ASTROLABE_PLAYWRIGHT")
	if folder == "" {
		t.Skip("SKIPPED: playwright is in no folder that ASTROLABE_PLAYWRIGHT names (.ci/extra pages installs it)")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: chromium is not installed (Debian's chromium)")
	}
	dir := t.TempDir()
	file, script, page := filepath.Join(dir, "c.arrow"), filepath.Join(dir, "s.star"), filepath.Join(dir, "page.html")
	_, alpha := pageCapture(t, file)
	quoted := make([]string, len(pageNames)) // Starlark's escapes of code points are Go's
	for i, name := range pageNames {
		quoted[i] = strconv.QuoteToASCII(name)
	}
	text := "HOSTILE = " + "[" + strings.Join(quoted, ", ") + "]" + "\nMETRICS = [\"fragment_queue_utilization\", \"visible_primitives_rate\", \"output_external_read_bytes\", \"output_external_read_stall_rate\"]\n" + pageScript
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	exe := programs.Path(t, "astrolabe")
	if out, err := exec.Command(exe, "report", file, "--script", script, "-o", page).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), 1)) // other stretches each time; a failure says which
	var ranges [][2]float64
	for range 10 {
		a := r.Float64() * 0.9
		ranges = append(ranges, [2]float64{a, a + 0.01 + r.Float64()*(0.98-a)})
	}
	asked, _ := json.Marshal(ranges)
	cmd := exec.CommandContext(t.Context(), "node", "testdata/browser.js", page, browser, os.Getenv("ASTROLABE_PAGE_SHOTS"))
	paper := filepath.Join(dir, "paper.pdf")
	cmd.Env = append(os.Environ(), "RANGES="+string(asked), "PRINTED="+paper)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	var got browsed
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for name, ok := range got.Checks {
		if !ok {
			t.Errorf("not so: %s", name)
		}
	}
	if len(got.Requests) > 0 || len(got.Errors) > 0 || got.Dialogs > 0 {
		t.Errorf("requests %q, errors %q, %d dialogs", got.Requests, got.Errors, got.Dialogs)
	}
	slices.Sort(got.Steps)
	t.Logf("PAGE | script time per pan step: median %.2f ms, most %.2f ms of %d", got.Steps[len(got.Steps)/2],
		got.Steps[len(got.Steps)-1], len(got.Steps))
	compared := 0
	for i, stretch := range got.Ranges {
		compared += compareStretch(t, exe, dir, i, file, stretch.Script, func(name string) []string {
			for _, row := range stretch.Rows {
				if row.Name == name {
					return row.Values
				}
			}
			return nil
		})
	}
	t.Logf("PAGE | statistics of selections equal to those of slices: %d", compared)
	if len(got.Ranges) != 10 || compared < 200 {
		t.Errorf("%d stretches, %d numbers compared", len(got.Ranges), compared)
	}
	if got.Lane != "alpha" {
		t.Fatalf("the first lane is %q", got.Lane)
	}
	comparePixels(t, got.Pixels.List, alpha)
	comparePaper(t, &got, paper)
}

// comparePaper holds the printed page against the one on the screen: every lane that was shown is drawn, in the light
// theme, within the sheet, and every panel, finding and row of a table is there as text.
func comparePaper(t *testing.T, got *browsed, path string) {
	t.Helper()
	if len(got.Paper) < 5 || len(got.Paper) != len(got.Printed) {
		t.Errorf("%d lanes are on paper, %d on the screen", len(got.Paper), len(got.Printed))
	}
	for i, l := range got.Paper {
		if l.Coloured < 1500 || l.Width < 600 || l.Width > 719 || l.Theme != "light" { // A4 without margins of 1 cm has 718
			t.Errorf("lane %d has %d coloured pixels on paper, is %g wide and %q", i, l.Coloured, l.Width, l.Theme)
		}
	}
	if dir := os.Getenv("ASTROLABE_PAGE_SHOTS"); dir != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "paper.pdf"), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("SKIPPED: pdftotext is not installed (Debian's poppler-utils)")
	}
	tool := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			t.Fatal(name, err)
		}
		return string(out)
	}
	text := tool("pdftotext", "-layout", path, "-")
	if figures := strings.Count(tool("pdfimages", "-list", path), " 2560 "); figures != 1 {
		t.Errorf("the dense chart of the page is on paper %d times", figures)
	}
	want := []string{"Timeline", "In view:", "Findings", "<script>alert(6)</script> is high", "Times", "<i>name</i>", "How to reproduce",
		"Made from", "alpha", "beta"}
	for i := range 9 {
		want = append(want, "row "+strconv.Itoa(i))
	}
	want = append(want, got.Printed[:2]...)
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not on paper:\n%s", w, text)
			break
		}
	}
}

// compareStretch runs the script that the page gave for a stretch and compares what the page showed.
func compareStretch(t *testing.T, exe, dir string, i int, file, script string, shown func(name string) []string) (compared int) {
	t.Helper()
	var out strings.Builder
	out.WriteString("cap = capture.open(" + strconv.Quote(file) + ")\n")
	first, _, _ := strings.Cut(script, "\n")
	out.WriteString(first + "\n")
	var names []string
	for line := range strings.Lines(script) {
		name, ok := strings.CutPrefix(line, "print(")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, ".total()")
		quoted := strings.TrimSuffix(strings.TrimPrefix(name, "part["), "]")
		plain, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		names = append(names, plain)
		fmt.Fprintf(&out, "print(%[1]s.total(), %[1]s.mean(), %[1]s.sum(), %[1]s.min(), %[1]s.max(), sep = \" \")\nprint(repr(%[1]s.title or %[1]s.name))\n", name)
	}
	path := filepath.Join(dir, fmt.Sprintf("range%d.star", i))
	if err := os.WriteFile(path, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(exe, "run", "--allow-read="+dir, path).Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), err.(*exec.ExitError).Stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if len(lines) != 2*len(names) {
		t.Fatalf("%d lines for %d lanes:\n%s", len(lines), len(names), said)
	}
	for k := range names {
		label, err := strconv.Unquote(lines[2*k+1])
		if err != nil {
			t.Fatal(err)
		}
		have := shown(label)
		if have == nil {
			continue // its name is shown without what turns text around
		}
		for m, word := range strings.Fields(lines[2*k]) {
			want, err := strconv.ParseFloat(strings.ReplaceAll(word, "None", "NaN"), 64)
			if err != nil {
				t.Fatal(err)
			}
			x, err := strconv.ParseFloat(have[m], 64)
			if err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(x-want) <= 1e-9*math.Abs(want)) && (x == x || want == want) {
				t.Errorf("stretch %d, %s, number %d: the page says %v, the slice %v\n%s", i, label, m, x, want, script)
			}
			compared++
		}
	}
	return compared
}

// comparePixels compares the painted part of every column of pixels with the values of its buckets.
func comparePixels(t *testing.T, list [][2]int, alpha []float64) {
	const buckets = 20_000
	n := len(alpha)
	low, high := math.Inf(1), math.Inf(-1)
	lo, hi := make([]float64, len(list)), make([]float64, len(list))
	for x := range list {
		lo[x], hi[x] = math.Inf(1), math.Inf(-1)
	}
	for j := range buckets {
		a, b := j*n/buckets, (j+1)*n/buckets
		from, to := float64(a)/float64(n), float64(b)/float64(n)
		for x := int(from * float64(len(list))); x < len(list) && float64(x) < to*float64(len(list))-1e-9; x++ {
			for _, v := range alpha[a:b] {
				if v == v {
					lo[x], hi[x] = min(lo[x], v), max(hi[x], v)
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	top, bottom := math.MaxInt, 0
	for _, p := range list {
		if p[0] >= 0 {
			top, bottom = min(top, p[0]), max(bottom, p[1])
		}
	}
	k := float64(bottom-top) / (high - low)
	wrong, empty := 0, 0
	for x, p := range list {
		if lo[x] > hi[x] {
			empty++
			if p[0] >= 0 {
				wrong++
				t.Errorf("column %d is painted from %d to %d and has no value", x, p[0], p[1])
			}
			continue
		}
		wantTop, wantBottom := float64(top)+(high-hi[x])*k, float64(bottom)-(lo[x]-low)*k
		if math.Abs(float64(p[0])-wantTop) > 2 || math.Abs(float64(p[1])-wantBottom) > 2 {
			if wrong++; wrong < 5 {
				t.Errorf("column %d is painted from %d to %d, its values are at %.1f to %.1f", x, p[0], p[1], wantTop, wantBottom)
			}
		}
	}
	t.Logf("PAGE | columns of pixels compared: %d, of these without a value: %d", len(list), empty)
	if empty < 20 || wrong > 0 {
		t.Errorf("%d columns are wrong, %d are empty", wrong, empty)
	}
}
