package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"astrolabe/capture"
	"astrolabe/internal/script"
	"astrolabe/plots/documents"
)

// A mistake in a shipped script once ended the report of a film at 24 frames a second.
func TestAMistakeInAShippedScriptDoesNotEndAReport(t *testing.T) {
	talk, err := os.Create(filepath.Join(t.TempDir(), "talk"))
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	a := &app{ctx: t.Context(), out: &output{}, talk: newTalk(talk)}
	env := a.environment(nil)
	if err := (script.Policy{}).Apply(env); err != nil {
		t.Fatal(err)
	}
	library := fstest.MapFS{
		"triage/gpu.star": {Data: []byte(`
def _divides(r):
    return 1 / 0

def analyze(cap, r):
    r.text("before")
    attempt("the queues", lambda: _divides(r))
    attempt("the queues", lambda: _divides(r))
    r.text("between")
    r.text(cap["no such counter"].name)
    r.text("never reached")
`)},
		"triage/cpu.star": {Data: []byte(`
def analyze(cap, r):
    r.text("from the other script")
`)},
		"triage/generic.star": {Data: []byte(`
def analyze(cap, r):
    r.text("described all the same")
`)},
	}
	h := &host{env: env, runner: script.NewRunner(script.Options{Env: env, Library: library})}
	axis := capture.NewUniformAxis(2, 1e6)
	c, err := capture.New(capture.Config{Name: "film", Axis: axis, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "cycles"}, Axis: axis, Col: capture.NewColumn(capture.Data{F: []float64{1, 2}})}}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := a.fill(a.ctx, h, c, []string{libraryPrefix + "triage/gpu.star", libraryPrefix + "triage/cpu.star"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := findingsText(page); got != "no findings in the parts that were drawn\n" {
		t.Errorf("a page without its findings says %q", got)
	}
	doc, err := page.Report()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, it := range doc.Items {
		if s, ok := it.(documents.Text); ok {
			text.WriteString(string(s) + "\n")
		}
	}
	got := text.String()
	for _, want := range []string{"What this page lacks",
		"the queues: floating-point division by zero (@astrolabe//triage/gpu.star:3)", "what triage/gpu.star adds: ",
		"before", "between", "from the other script", "described all the same"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q stands %d times on the page:\n%s", want, strings.Count(got, want), got)
		}
	}
	if strings.Contains(got, "never reached") {
		t.Error("the script went on behind its mistake")
	}
	said, err := os.ReadFile(talk.Name())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(said), "the page is drawn without") != 2 {
		t.Errorf("standard error says %s", said)
	}
}

// A person's own script is to end with its traceback: whoever writes it wants to see it.
func TestAMistakeInAPersonsOwnScriptEndsTheReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.star")
	if err := os.WriteFile(path, []byte("def analyze(cap, r):\n    attempt(\"a part\", lambda: 1 / 0)\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	a := &app{ctx: t.Context(), out: &output{}, talk: newTalk(os.Stderr)}
	h, err := a.reportHost("", &reportFlags{script: path})
	if err != nil {
		t.Fatal(err)
	}
	c, err := capture.New(capture.Config{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.fill(a.ctx, h, c, []string{path}, ""); err == nil || !strings.Contains(err.Error(), "division by zero") {
		t.Errorf("got %v", err)
	}
}
