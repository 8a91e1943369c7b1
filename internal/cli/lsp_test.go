package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// pipes is a connection to a program over its standard input and output.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// editor is a language client that talks to the built program.
type editor struct {
	t           *testing.T
	conn        jsonrpc2.Conn
	dir         string
	diagnostics chan map[string]any
	cmd         *exec.Cmd
	stderr      *strings.Builder
}

func startEditor(t *testing.T) *editor {
	e := &editor{t: t, dir: t.TempDir(), diagnostics: make(chan map[string]any, 100), stderr: &strings.Builder{}}
	e.write("astrolabe.toml", "")
	e.cmd = exec.Command(program(t), "lsp")
	e.cmd.Dir = e.dir
	e.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(e.dir, "cache"))
	e.cmd.Stderr = e.stderr
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.cmd.Process.Kill() })
	e.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(pipes{out, in}))
	e.conn.Go(context.Background(), func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == "textDocument/publishDiagnostics" {
			var p map[string]any
			if err := json.Unmarshal(req.Params(), &p); err != nil {
				return nil, err
			}
			e.diagnostics <- p
		}
		return nil, nil
	})
	return e
}

func (e *editor) write(name, text string) {
	e.t.Helper()
	path := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) uri(name string) string {
	path := filepath.ToSlash(filepath.Join(e.dir, filepath.FromSlash(name)))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}

// call asks a question and puts the answer into result.
func (e *editor) call(method string, params, result any) error {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stuck)
	defer cancel()
	var raw jsonrpc2.RawMessage
	_, err := e.conn.Call(ctx, method, params, &raw)
	if ctx.Err() != nil {
		e.t.Fatalf("%s: no answer: %v\n%s", method, err, e.stderr)
	}
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// codes are the codes of the next diagnostics, with their lines from 0.
func (e *editor) codes() []string {
	e.t.Helper()
	select {
	case p := <-e.diagnostics:
		codes := []string{}
		for _, d := range p["diagnostics"].([]any) {
			d := d.(map[string]any)
			codes = append(codes, d["code"].(string))
			if r := d["range"].(map[string]any); r["start"] == nil || d["message"] == "" || d["source"] != "astrolabe" {
				e.t.Errorf("%v", d)
			}
		}
		return codes
	case <-time.After(stuck):
		e.t.Fatalf("no diagnostics\n%s", e.stderr)
		return nil
	}
}

func (e *editor) open(name, text string) {
	e.t.Helper()
	e.notify("textDocument/didOpen",
		map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "languageId": "starlark",
			"version": 1, "text": text}})
}

func (e *editor) change(name, text string) {
	e.t.Helper()
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "version": 2},
		"contentChanges": []any{map[string]any{"text": text}}})
}

// place is the position of the mark ‸ in a text, and the text without it.
func place(text string) (string, map[string]any) {
	before, after, _ := strings.Cut(text, "‸")
	line := strings.Count(before, "\n")
	n := 0
	for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return before + after, map[string]any{"line": line, "character": n}
}

func (e *editor) ask(method, name string, at map[string]any, result any) {
	e.t.Helper()
	if err := e.call(method, map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}, "position": at},
		result); err != nil {
		e.t.Errorf("%s: %v", method, err)
	}
}

// words opens a text with a mark and returns what completes it there.
func (e *editor) words(text string) []string {
	e.t.Helper()
	text, at := place(text)
	e.change("main.star", text)
	e.codes()
	var list struct {
		Items []struct {
			Label    string
			TextEdit struct{ NewText string }
		}
	}
	e.ask("textDocument/completion", "main.star", at, &list)
	words := []string{}
	for _, item := range list.Items {
		if item.TextEdit.NewText != item.Label {
			e.t.Errorf("%+v", item)
		}
		words = append(words, item.Label)
	}
	return words
}

func (e *editor) hover(text string) string {
	e.t.Helper()
	text, at := place(text)
	e.change("main.star", text)
	e.codes()
	var h *struct{ Contents struct{ Value string } }
	e.ask("textDocument/hover", "main.star", at, &h)
	if h == nil {
		return ""
	}
	return h.Contents.Value
}

// definition returns where a name is bound: the file's name, the line and column from 0.
func (e *editor) definition(text string) (file string, line, character int) {
	e.t.Helper()
	text, at := place(text)
	e.change("main.star", text)
	e.codes()
	var l *struct {
		URI   string
		Range struct{ Start struct{ Line, Character int } }
	}
	e.ask("textDocument/definition", "main.star", at, &l)
	if l == nil {
		return "", 0, 0
	}
	return strings.TrimPrefix(l.URI, e.uri("")+"/"), l.Range.Start.Line, l.Range.Start.Character
}

func TestTheLanguageServerServesAnEditor(t *testing.T) {
	e := startEditor(t)
	e.write("lib/own.star",
		"\"\"\"Ours.\"\"\"\n\ndef limit(cap, factor = 2):\n    \"\"\"Says what limits.\"\"\"\n    return cap[\"x\"]\n")
	var init struct {
		Capabilities struct {
			HoverProvider, DefinitionProvider bool
			CompletionProvider                struct{ TriggerCharacters []string }
		}
		ServerInfo struct{ Name string }
	}
	if err := e.call("initialize",
		map[string]any{"processId": nil, "rootUri": e.uri(""), "capabilities": map[string]any{}}, &init); err != nil {
		t.Fatal(err)
	}
	if c := init.Capabilities; !c.HoverProvider || !c.DefinitionProvider ||
		!slices.Contains(c.CompletionProvider.TriggerCharacters, ".") || init.ServerInfo.Name != "astrolabe" {
		t.Errorf("%+v", init)
	}
	e.notify("initialized", map[string]any{})

	// Diagnostics come with the text and go with the mistake.
	e.open("main.star", "cap = capture.open(\"x\")\nif cap[\"a\"] == 5:\n    print(cap.totl(\"a\"))\n")
	if got := e.codes(); !slices.Equal(got, []string{"counter-compare", "unknown-attribute"}) {
		t.Errorf("diagnostics: %q", got)
	}
	e.change("main.star", "x = = 1\n")
	if got := e.codes(); !slices.Equal(got, []string{"syntax"}) {
		t.Errorf("diagnostics: %q", got)
	}
	e.change("main.star", "print(1)\n")
	if got := e.codes(); len(got) != 0 {
		t.Errorf("diagnostics: %q", got)
	}

	const head = "# gpu: mali-g615\nload(\"//lib/own.star\", \"limit\")\ncap = capture.open(\"x\")\n"
	for text, want := range map[string][]string{
		"capture.op‸":                             {"open"},
		head + "cap.res‸\nprint(1)\n":             {"resample"},
		head + "x = cap.slice(1, 2).perc‸":        {},
		head + "x = cap.slice(1, 2)[\"a\"].perc‸": {"percentile"},
		head + "def f(c):\n    m = cap[\"a\"].gt(5)\n    for s in m.spans():\n        print(s.dur‸\n    return c\n": {
			"duration"},
		head + "def f(c):\n    counted = 1\n    cou‸\n": {
			"counted"},
		head + "lim‸":                                         {"limit"},
		head + "limit(cap, fac‸":                              {"factor="},
		head + "plot.timeline(cap[\"a\"], ban‸)":              {"bands="},
		head + "cap[\"vertex_queue_util‸":                     {"vertex_queue_utilization"},
		head + "print(\"ä𝄞\", cap.total(\"vertex_queue_util‸": {"vertex_queue_utilization"},
		"metrics.get(\"gfx1151\", \"tcp_hit_r‸\")":            {"tcp_hit_rate"},
		"metrics.list(\"mali-g61‸":                            {"mali-g610", "mali-g615"},
		"capture.open(\"x\", gpu = \"gfx115‸":                 {"gfx1151"},
		"capture.open(\"x\", gpu = \"gfx12‸":                  {"gfx1200", "gfx1201"},
		"load(\"@astrolabe//lib/find‸":                        {"@astrolabe//lib/findings.star"},
		"load(\"//li‸":                                        {"//lib/"},
		"load(\"lib/‸":                                        {"lib/own.star"},
		"\"a\".startsw‸":                                      {"startswith"},
		"# gpu: immortalis-g72‸":                              {"# gpu: immortalis-g720"},
		"x = \"nothing ca‸":                                   {},
		"(((((‸":                                              nil,
		"‸":                                                   nil,
	} {
		got := e.words(text)
		if want != nil && !slices.Equal(got, want) {
			t.Errorf("%q completes to %q, want %q", text, got, want)
		}
		if want == nil && !slices.Contains(got, "capture") {
			t.Errorf("%q completes to %q", text, got)
		}
	}

	for text, want := range map[string]string{
		head + "x = cap[\"a\"].perc‸entile(5)":          "Counter.percentile(p) -> number",
		head + "x = ca‸p":                               "`cap`: Capture of mali-g615",
		head + "x = lim‸it(cap)":                        "Says what limits.",
		head + "x = cap[\"vertex_queue_util‸ization\"]": "Vertex queue utilization",
		"f‸mt(\"%d\", 1)":                               "fmt(format, *values) -> str",
		"plo‸t.bar({})":                                 "**module plot**",
		"plot.bar({}, verti‸cal = True)":                "`vertical`: bool = `False`",
		"metrics.get(\"gfx1151\", \"tcp_hit_‸rate\")":   "**Hit Rate**",
		"x = 1 ‸": "",
	} {
		if got := e.hover(text); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("hover over %q says %q, want %q", text, got, want)
		}
	}

	for text, want := range map[string][3]any{
		head + "x = 1\n\nprint(‸x)\n":                          {"main.star", 3, 0},
		head + "print(limi‸t)\n":                               {"lib/own.star", 2, 4},
		"load(\"//lib/ow‸n.star\", \"limit\")\n":               {"lib/own.star", 0, 0},
		"load(\"//lib/own.star\", \"lim‸it\")\n":               {"lib/own.star", 2, 4},
		"def f(a):\n    return [‸a for b in a]\n":              {"main.star", 0, 6},
		"load(\"@astrolabe//lib/findings.star\", \"ov‸er\")\n": {"cache/astrolabe/library/lib/findings.star", 6, 4},
		"pri‸nt(1)\n": {"", 0, 0},
	} {
		file, line, character := e.definition(text)
		if got := [3]any{file, line, character}; got != want {
			t.Errorf("%q is defined at %v, want %v", text, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(e.dir, "cache/astrolabe/library/lib/findings.star")); err != nil {
		t.Error(err)
	}

	// What another open document says counts before it is saved, and what is stored counts again once it is closed.
	const unsaved = "load(\"//lib/own.star\", \"fresh\")\n\nprint(fresh())\n"
	e.open("lib/own.star", "def fresh():\n    \"\"\"Was never saved.\"\"\"\n    return 1\n")
	e.codes()
	e.change("main.star", unsaved)
	if got := e.codes(); len(got) != 0 {
		t.Errorf("with the unsaved text of what it loads: %q", got)
	}
	if got := e.hover(strings.Replace(unsaved, "(fresh", "(fr‸esh", 1)); !strings.Contains(got, "Was never saved.") {
		t.Errorf("hover over a name of an unsaved text says %q", got)
	}
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("lib/own.star")}})
	e.codes() // of what was closed
	if got := e.codes(); !slices.Equal(got, []string{"load"}) {
		t.Errorf("after the unsaved text is gone: %q", got)
	}

	// What makes no sense is refused and the session goes on.
	if err := e.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "file:///none.star"}},
		nil); err == nil || !strings.Contains(err.Error(), "not open") {
		t.Errorf("a document that is not open: %v", err)
	}
	if err := e.call("textDocument/hover", []int{1}, nil); err == nil {
		t.Error("parameters of another type were taken")
	}
	if err := e.call("workspace/unheardOf", nil, nil); err == nil || !strings.Contains(err.Error(), "unheardOf") {
		t.Errorf("an unknown method: %v", err)
	}
	e.notify("textDocument/didOpen", []int{1})
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("main.star")}})
	if got := e.codes(); len(got) != 0 {
		t.Errorf("diagnostics of a closed document: %q", got)
	}

	if err := e.call("shutdown", nil, nil); err != nil {
		t.Error(err)
	}
	e.notify("exit", nil)
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, e.stderr)
	}
}

func TestTheLanguageServerEndsWithItsClient(t *testing.T) {
	e := startEditor(t)
	e.notify("exit", nil)
	e.cmd.Wait()
	if code := e.cmd.ProcessState.ExitCode(); code != statusFailed {
		t.Errorf("exit without shutdown: status %d, want %d", code, statusFailed)
	}
	cmd := exec.Command(program(t), "lsp")
	cmd.Stdin = strings.NewReader("this is no protocol\r\n\r\n")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "header") {
		t.Errorf("%v\n%s", err, out)
	}
	cmd = exec.Command(program(t), "lsp")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("a client that goes away at once: %v\n%s", err, out)
	}
}

func TestTheLanguageServerAnswersWhileALineIsBeingTyped(t *testing.T) {
	e := startEditor(t)
	const whole = "# gpu: mali-g615\ncap = capture.open(\"x\")\n\ndef first(a):\n    \"\"\"Takes one.\"\"\"\n    return a\n\nprint(cap)\nprint(first(1))\n"
	e.open("main.star", whole)
	if got := e.codes(); len(got) != 0 {
		t.Fatalf("diagnostics %q", got)
	}
	for _, typed := range []string{"cap.resample(", "é𝄞 = = \"", "if cap[\n\n\n"} {
		broken := strings.Replace(whole, "print(cap)\n", "print(cap)\n"+typed+"\n", 1)
		for mark, want := range map[string]string{"print(c‸ap)": "`cap`: Capture of mali-g615",
			"print(fir‸st(1))": "Takes one."} {
			text := strings.Replace(broken, strings.ReplaceAll(mark, "‸", ""), mark, 1)
			if got := e.hover(text); !strings.Contains(got, want) {
				t.Errorf("with %q being typed, hover over %s says %q, want %q", typed, mark, got, want)
			}
			e.change("main.star", whole) // as after undo
			e.codes()
		}
		for mark, want := range map[string][3]any{"print(c‸ap)": {"main.star", 1, 0},
			"print(fir‸st(1))": {"main.star", 3, 4}} {
			file, line, character := e.definition(strings.Replace(broken, strings.ReplaceAll(mark, "‸", ""), mark, 1))
			if got := [3]any{file, line, character}; got != want {
				t.Errorf("with %q being typed, %s is defined at %v, want %v", typed, mark, got, want)
			}
		}
	}
	// A definition below the change is where it is now.
	broken := strings.Replace(whole, "\ndef first", "\nx = (\n\ndef first", 1)
	if _, line, character := e.definition(strings.Replace(broken, "print(first", "print(fir‸st", 1)); line != 5 ||
		character != 4 {
		t.Errorf("first is defined at %d:%d, want 5:4", line, character)
	}
	// The word that is being changed is not what it was.
	if got := e.hover(
		"# gpu: mali-g615\ncap = capture.open(\"x\")\n\ndef first(a):\n    \"\"\"Takes one.\"\"\"\n    return a\n\nprint(cap)\nprint(firs‸u(1)\n"); got != "" {
		t.Errorf("hover over a changed word says %q", got)
	}
}

func TestTheLanguageServerAnswersInAFileThatWasBrokenWhenItWasOpened(t *testing.T) {
	const whole = "# gpu: mali-g615\ncap = capture.open(\"x\")\n\ndef first(a):\n    \"\"\"Takes one.\"\"\"\n    return a\n\nprint(first(cap))\n"
	for name, broken := range map[string]string{
		"a load of nothing":   whole + "load(\"//main\")\n",
		"half a statement":    strings.Replace(whole, "print", "if cap[\nprint", 1),
		"half a line at last": whole + "x = (",
		"within a function":   strings.Replace(whole, "    return a\n", "    b = = 3\n    return a\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			e := startEditor(t)
			e.open("main.star", broken)
			if got := e.codes(); !slices.Contains(got, "syntax") {
				t.Errorf("diagnostics %q", got)
			}
			used := strings.Replace(broken, "print(first", "print(fir‸st", 1)
			if got := e.hover(used); !strings.Contains(got, "Takes one.") {
				t.Errorf("hover says %q", got)
			}
			if file, line, character := e.definition(used); file != "main.star" || line != 3 || character != 4 {
				t.Errorf("first is defined at %s:%d:%d", file, line, character)
			}
		})
	}
}
