package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dotsChart is a chart that does not exist, in one file: what scripts call it, and how it is drawn.
const dotsChart = `package modules

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig:     "dots(values: Counter|list, *, title: str=None) -> Plot",
		Doc:     "Says how many dots there would be. Nobody asked for it.",
		Example: "plot.dots(clk)",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			v, err := values.AsFloats(c.Arg("values"))
			if err != nil {
				return nil, err
			}
			return values.NewPlot(e, charts.New(c.Str("title", ""), "dots", dots(len(v)))), nil
		},
	})
}

type dots int

func (d dots) Prefer(t *canvas.Theme, _ float64) float64 { return 3 * t.Text }

func (d dots) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	s := canvas.Regular.Of(t.Text)
	sc.TextAt(area.X, area.Y+s.Ascent(), canvas.Left, s, t.Ink, fmt.Sprintf("%d dots", int(d)))
}
`

func TestAChartIsOneFile(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "plot_dots.go")
	if err := os.WriteFile(at, []byte(dotsChart), 0o666); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"builtins/modules/plot_dots.go": at}
	bin := overlaid(t, ".", files)
	run := func(bin, input string, args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", filepath.Base(bin), strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	holds := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%.3000s", want, out)
			}
		}
	}

	// It is drawn by itself, in a grid and on pages of every form.
	holds(run(bin, "", "-c", `p = plot.dots([1, 2, 3], title = "Some"); p.save("a.svg"); print(p.kind)
plot.grid([[p, plot.histogram([1, 2])]]).save("grid.svg")
r = report.new("Page")
r.plot(p)
r.save("page.svg")
r.save("page.html")
r.save("page.json")`), "dots\n")
	for _, name := range []string{"a.svg", "grid.svg", "page.svg", "page.html"} {
		holds(read(name), "3 dots")
	}
	holds(read("page.json"), `"kind": "dots"`)

	// Help, completion and what reads scripts without running them know it.
	holds(run(bin, "", "-c", "help(plot.dots)"), "Nobody asked for it.", "plot.dots(clk)")
	holds(run(bin, "", "-c", "help(plot)"), ".overlay(", ".dots(values, *, title=None) -> Plot")
	holds(run(bin, "", "stubs"), "def dots(")
	script := "p = plot.dot\nplot.dots([1], tilte = 3)\n"
	if err := os.WriteFile(filepath.Join(dir, "a.star"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	lint := exec.Command(bin, "lint", "a.star")
	lint.Dir = dir
	out, _ := lint.CombinedOutput() // it fails, as it should
	holds(string(out), "plot has no dot (did you mean dots?)", "dots has no parameter tilte (did you mean title?)")
	message := func(method, params string) string {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
		return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	notice := func(method, params string) string {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
		return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	holds(run(bin, message("initialize", "{}")+notice("textDocument/didOpen",
		fmt.Sprintf(`{"textDocument":{"uri":"file:///a.star","languageId":"starlark","version":1,"text":%q}}`, script))+
		message("textDocument/completion", `{"textDocument":{"uri":"file:///a.star"},"position":{"line":0,"character":12}}`)+
		message("shutdown", "null")+notice("exit", "null"), "lsp"), `"label":"dots"`)

	// So does the documentation.
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	run(overlaid(t, "./internal/docgen", files), "")
	holds(read("docs/api.md"), "### `plot.dots(values, *, title=None)`", "Nobody asked for it.")
}
