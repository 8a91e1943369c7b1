package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// initialize opens a session with what the client says it can do.
func (e *editor) initialize(capabilities map[string]any, result any) {
	e.t.Helper()
	if err := e.call("initialize", map[string]any{"processId": nil, "rootUri": e.uri(""),
		"capabilities": capabilities}, result); err != nil {
		e.t.Fatal(err)
	}
	e.notify("initialized", map[string]any{})
}

// about asks about an open document, with further parameters.
func (e *editor) about(method, name string, more map[string]any, result any) error {
	e.t.Helper()
	params := map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}}
	for k, v := range more {
		params[k] = v
	}
	return e.call(method, params, result)
}

type lspPosition struct{ Line, Character int }

type lspRange struct{ Start, End lspPosition }

type lspEdit struct {
	Range   lspRange
	NewText string
}

// applied is a text after edits, of which none is in another; positions count UTF-16 code units.
func applied(t *testing.T, text string, edits []lspEdit) string {
	t.Helper()
	offset := func(p lspPosition) int {
		at := 0
		for range p.Line {
			at += strings.IndexByte(text[at:], '\n') + 1
		}
		for n := 0; n < p.Character; {
			r := []rune(text[at:])[0]
			if n++; r > 0xFFFF {
				n++
			}
			at += len(string(r))
		}
		return at
	}
	slices.SortFunc(edits, func(a, b lspEdit) int { return offset(b.Range.Start) - offset(a.Range.Start) })
	for _, edit := range edits {
		text = text[:offset(edit.Range.Start)] + edit.NewText + text[offset(edit.Range.End):]
	}
	return text
}

func TestTheLanguageServerFormatsAsFmtDoes(t *testing.T) {
	e := startEditor(t)
	const text = "x = 1\ny=[ 1,2 ]  # 𝄞\n\ndef f( a ):\n  return a\n\nprint(x, y, f(1))\n"
	e.open("main.star", text)
	e.codes()
	var edits []lspEdit
	if err := e.about("textDocument/formatting", "main.star", map[string]any{"options": map[string]any{}},
		&edits); err != nil {
		t.Fatal(err)
	}
	const want = "x = 1\ny = [1, 2]  # 𝄞\n\ndef f(a):\n    return a\n\nprint(x, y, f(1))\n"
	if got := applied(t, text, edits); got != want {
		t.Errorf("formatted:\n%s", got)
	}
	if len(edits) != 1 || edits[0].Range.Start.Line != 1 || edits[0].Range.End.Line > 6 {
		t.Errorf("more than the lines that change is edited: %+v", edits)
	}
	e.change("main.star", want)
	e.codes()
	if err := e.about("textDocument/formatting", "main.star", nil, &edits); err != nil || len(edits) != 0 {
		t.Errorf("what is laid out: %v, %v", edits, err)
	}
	e.change("main.star", "x = = 1\n")
	e.codes()
	if err := e.about("textDocument/formatting", "main.star", nil, &edits); err == nil ||
		!strings.Contains(err.Error(), "main.star:1") {
		t.Errorf("what is no Starlark: %v", err)
	}
}

func TestTheLanguageServerListsSymbols(t *testing.T) {
	e := startEditor(t)
	e.write("lib/own.star", "def limit_of(cap):\n    return cap\n")
	e.write("testdata/left.star", "def limit_left_out():\n    pass\n")
	e.initialize(map[string]any{"textDocument": map[string]any{"documentSymbol": map[string]any{
		"hierarchicalDocumentSymbolSupport": true}}}, nil)
	const text = "# gpu: mali-g720\ncap = capture.open(\"x\")\na, b = 1, 2\n\ndef outer(c):\n    \"\"\"Doc.\"\"\"\n    d = 1\n\n    def inner():\n        return d\n\n    return inner\n\nif a:\n    late = outer(b)\n"
	e.open("main.star", text)
	e.codes()
	type symbol struct {
		Name, Detail   string
		Kind           int
		SelectionRange lspRange
		Children       []struct{ Name string }
	}
	var tree []symbol
	if err := e.about("textDocument/documentSymbol", "main.star", nil, &tree); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range tree {
		got = append(got, fmt.Sprintf("%s %d %d %q %v", s.Name, s.Kind, s.SelectionRange.Start.Line, s.Detail, s.Children))
	}
	if want := []string{`cap 13 1 "Capture of mali-g720" []`, `a 13 2 "int" []`, `b 13 2 "int" []`,
		`outer 12 4 "outer(c)" [{inner}]`, `late 13 14 "function inner" []`}; !slices.Equal(got, want) {
		t.Errorf("symbols %q, want %q", got, want)
	}
	// While a line is being typed, what stands below it is where it is now.
	e.change("main.star", strings.Replace(text, "\ndef outer", "\nx = (\n\ndef outer", 1))
	e.codes()
	if err := e.about("textDocument/documentSymbol", "main.star", nil, &tree); err != nil || len(tree) != 5 ||
		tree[3].Name != "outer" || tree[3].SelectionRange.Start.Line != 6 {
		t.Errorf("while a line is being typed: %+v, %v", tree, err)
	}
	e.change("main.star", text)
	e.codes()

	var found []struct {
		Name, ContainerName string
		Location            struct{ URI string }
	}
	if err := e.call("workspace/symbol", map[string]any{"query": "limit"}, &found); err != nil || len(found) != 1 ||
		found[0].Name != "limit_of" || found[0].Location.URI != e.uri("lib/own.star") ||
		found[0].ContainerName != "lib/own.star" {
		t.Errorf("symbols of the workspace: %+v, %v", found, err)
	}
	if err := e.call("workspace/symbol", map[string]any{"query": "inner"}, &found); err != nil || len(found) != 1 ||
		found[0].ContainerName != "outer" {
		t.Errorf("symbols of the workspace: %+v, %v", found, err)
	}
}

// renameCases are names in two files: where the mark is, what is named, and what comes of another name.
const (
	ownText  = "def limit(cap, factor = 2):\n    \"\"\"Says.\"\"\"\n    return cap[\"x\"] * factor\n\ndef twice(cap):\n    return limit(cap, factor = 4)\n"
	mainText = "load(\"//lib/own.star\", \"limit\", t = \"twice\")\n\ncap = capture.open(\"𝄞\") or limit\nprint(\"é𝄞\", limit(cap, factor = 3), t(cap))\n"
)

func TestTheLanguageServerFindsAndRenamesAcrossFiles(t *testing.T) {
	e := startEditor(t)
	e.write("lib/own.star", ownText)
	e.write("other.star", "limit = 1\nprint(limit)\n")
	e.initialize(map[string]any{}, nil)
	e.open("main.star", mainText)
	e.codes()
	for mark, want := range map[string]string{
		"limit(cap, factor":  "lib/own.star:0:4 lib/own.star:5:11 main.star:0:24 main.star:2:28 main.star:3:13",
		"\"limit\"":          "lib/own.star:0:4 lib/own.star:5:11 main.star:0:24 main.star:2:28 main.star:3:13",
		"factor = 3":         "lib/own.star:0:15 lib/own.star:2:22 lib/own.star:5:22 main.star:3:24",
		"t(cap)":             "lib/own.star:4:4 main.star:0:32 main.star:0:37 main.star:3:37",
		"cap = capture.open": "main.star:2:0 main.star:3:19 main.star:3:39",
		"capture.open":       "",
	} {
		_, at := place(strings.Replace(mainText, mark, "‸"+mark, 1))
		if strings.HasPrefix(mark, "\"") {
			at["character"] = at["character"].(int) + 1
		}
		var list []struct {
			URI   string
			Range lspRange
		}
		if err := e.about("textDocument/references", "main.star", map[string]any{"position": at,
			"context": map[string]any{"includeDeclaration": true}}, &list); err != nil {
			t.Errorf("%s: %v", mark, err)
		}
		var got []string
		for _, l := range list {
			got = append(got, fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(l.URI, e.uri("")+"/"), l.Range.Start.Line,
				l.Range.Start.Character))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("references to %s: %q, want %q", mark, got, want)
		}
	}

	for _, c := range []struct{ mark, name, own, main, refused string }{
		{"limit(cap, factor", "bound", strings.ReplaceAll(ownText, "limit", "bound"),
			strings.ReplaceAll(mainText, "limit", "bound"), ""},
		{"factor = 3", "by", strings.ReplaceAll(ownText, "factor", "by"), strings.ReplaceAll(mainText, "factor", "by"), ""},
		{"t(cap)", "double", ownText, strings.NewReplacer("t = \"tw", "double = \"tw", "t(cap)", "double(cap)").Replace(
			mainText), ""},
		{"cap = capture.open", "frame", ownText, strings.NewReplacer("cap = ", "frame = ", "(cap", "(frame").Replace(mainText),
			""},
		{"limit(cap, factor", "twice", "", "", "would no longer run"},
		{"limit(cap, factor", "print", "", "", "used already"},
		{"factor = 3", "cap", "", "", "would no longer run"},
		{"cap = capture.open", "1x", "", "", "is no name"},
		{"cap = capture.open", "for", "", "", "is no name"},
		{"print", "show", "", "", "only such names"},
	} {
		_, at := place(strings.Replace(mainText, c.mark, "‸"+c.mark, 1))
		var edit struct{ Changes map[string][]lspEdit }
		err := e.about("textDocument/rename", "main.star", map[string]any{"position": at, "newName": c.name}, &edit)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s to %s: %v, want %q", c.mark, c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s to %s: %v", c.mark, c.name, err)
			continue
		}
		own, main := applied(t, ownText, edit.Changes[e.uri("lib/own.star")]), applied(t, mainText,
			edit.Changes[e.uri("main.star")])
		if own != c.own || main != c.main {
			t.Errorf("%s to %s:\n%s---\n%s", c.mark, c.name, own, main)
		}
		var prepared struct{ Placeholder string }
		if err := e.about("textDocument/prepareRename", "main.star", map[string]any{"position": at}, &prepared); err != nil ||
			!strings.HasPrefix(c.mark, prepared.Placeholder) || prepared.Placeholder == "" {
			t.Errorf("prepared for %s: %+v, %v", c.mark, prepared, err)
		}
	}

	// A name that takes another's place somewhere is refused, also inside a function.
	const shadow = "a = 1\n\ndef f(b):\n    return a + b\n\nprint(f(2))\n"
	e.change("main.star", shadow)
	e.codes()
	if err := e.about("textDocument/rename", "main.star", map[string]any{"position": map[string]any{"line": 0,
		"character": 0}, "newName": "b"}, nil); err == nil || !strings.Contains(err.Error(), "used already") {
		t.Errorf("a name that a parameter hides: %v", err)
	}
	// What ** passes cannot be seen.
	e.change("main.star", "def f(a):\n    return a\n\nprint(f(**{\"a\": 1}))\n")
	e.codes()
	if err := e.about("textDocument/rename", "main.star", map[string]any{"position": map[string]any{"line": 0,
		"character": 6}, "newName": "b"}, nil); err == nil || !strings.Contains(err.Error(), "**") {
		t.Errorf("a parameter that ** may name: %v", err)
	}
}

func TestTheLanguageServerHelpsWithSignatures(t *testing.T) {
	e := startEditor(t)
	e.open("main.star", "")
	e.codes()
	for text, want := range map[string]string{
		"cap = capture.open(\"x\")\nx = cap.resample(‸":     "resample(",
		"plot.timeline(1, bands = ‸":                        "bands",
		"fmt(\"%d\", 1, ‸":                                  "*values",
		"def f(a, b = 2, **more):\n    pass\n\nf(1, ‸)":     "b=2",
		"def f(a, b = 2, **more):\n    pass\n\nf(1, c = ‸)": "**more",
		"def f(a, b = 2):\n    pass\n\nf(1, [2, ‸])":        "b=2",
		"def f(a, ‸b = 2):\n    pass\n":                     "",
		"len(‸)":                                            "",
		"x = (1, ‸":                                         "",
	} {
		text, at := place(text)
		e.change("main.star", text)
		e.codes()
		var help *struct {
			Signatures []struct {
				Label      string
				Parameters []struct{ Label string }
			}
			ActiveParameter int
		}
		e.ask("textDocument/signatureHelp", "main.star", at, &help)
		switch {
		case want == "" && help != nil, want != "" && help == nil:
			t.Errorf("%q: %+v", text, help)
		case help == nil:
		case strings.HasSuffix(want, "("):
			if s := help.Signatures[0]; !strings.HasPrefix(s.Label, want) || help.ActiveParameter != 0 ||
				!strings.Contains(s.Label, s.Parameters[0].Label) {
				t.Errorf("%q: %+v", text, help)
			}
		default:
			s := help.Signatures[0]
			if help.ActiveParameter >= len(s.Parameters) ||
				!strings.HasPrefix(s.Parameters[help.ActiveParameter].Label, want) {
				t.Errorf("%q: %+v, want %q", text, help, want)
			}
		}
	}
}

// action is what the server offers.
type action struct {
	Title, Kind string
	Edit        struct{ Changes map[string][]lspEdit }
}

// actions are those for a whole document.
func (e *editor) actions(name string, only ...string) []action {
	e.t.Helper()
	var list []action
	if err := e.about("textDocument/codeAction", name, map[string]any{"range": lspWhole,
		"context": map[string]any{"diagnostics": []any{}, "only": only}}, &list); err != nil {
		e.t.Fatal(err)
	}
	return list
}

var lspWhole = map[string]any{"start": map[string]any{"line": 0, "character": 0},
	"end": map[string]any{"line": 100_000, "character": 0}}

func TestTheLanguageServerOffersFixesThatMend(t *testing.T) {
	e := startEditor(t)
	e.write("lib/own.star", ownText)
	e.open("main.star", "")
	e.codes()
	const head = "# gpu: mali-g720\ncap = capture.open(\"x\")\n"
	for _, c := range []struct{ text, title, want string }{
		{head + "print(cap[\"gpu_active_cycle\"])\n", "Change to gpu_active_cycles",
			head + "print(cap[\"gpu_active_cycles\"])\n"},
		{head + "print(cap.totl(\"x\"))  # lint: ignore=unknown-counter\n", "Change to total",
			head + "print(cap.total(\"x\"))  # lint: ignore=unknown-counter\n"},
		{head + "if 5 < cap[\"gpu_active_cycles\"]:\n    pass\n", "Use .gt()",
			head + "if cap[\"gpu_active_cycles\"].gt(5):\n    pass\n"},
		{head + "m = cap[\"gpu_active_cycles\"].gt(5)\nif m & m:\n    pass\n", "Ask .any()",
			head + "m = cap[\"gpu_active_cycles\"].gt(5)\nif (m & m).any():\n    pass\n"},
		{"# gpu: gfx1151x\nprint(1)\n", "Change to gfx1151", "# gpu: gfx1151\nprint(1)\n"},
		{"print(prnt)\n", "Change to print", "print(print)\n"},
		{"load(\"//lib/own.star\", \"limit\", t = \"twice\")\nprint(t)\n", "Do not load limit",
			"load(\"//lib/own.star\", t = \"twice\")\nprint(t)\n"},
		{"load(\"//lib/own.star\", \"limit\", t = \"twice\")\nprint(limit)\n", "Do not load twice",
			"load(\"//lib/own.star\", \"limit\")\nprint(limit)\n"},
		{"load(\"//lib/own.star\", \"limit\")\nprint(1)\n", "Do not load limit", "print(1)\n"},
		{"load(\"//lib/own.star\", l = \"limt\")\nprint(l)\n", "Change to limit",
			"load(\"//lib/own.star\", l = \"limit\")\nprint(l)\n"},
		{"def f():\n    x = 1\n    return 2\n\nprint(f())\n", "Ignore unused-variable here",
			"def f():\n    x = 1  # lint: ignore=unused-variable\n    return 2\n\nprint(f())\n"},
		{"def f():\n    x = 1  # why\n    return 2\n\nprint(f())\n", "Ignore unused-variable here",
			"def f():\n    # lint: ignore=unused-variable\n    x = 1  # why\n    return 2\n\nprint(f())\n"},
		{"def f():\n    x = 1  # lint: ignore=undefined and why\n    return 2\n\nprint(f())\n",
			"Ignore unused-variable here",
			"def f():\n    x = 1  # lint: ignore=undefined,unused-variable and why\n    return 2\n\nprint(f())\n"},
		{"x = 1  # lint: ignore=undefind\n", "Change to undefined", "x = 1  # lint: ignore=undefined\n"},
	} {
		e.change("main.star", c.text)
		e.codes()
		list := e.actions("main.star")
		i := slices.IndexFunc(list, func(a action) bool { return a.Title == c.title })
		if i < 0 {
			t.Errorf("%q: no %q among %+v", c.text, c.title, list)
			continue
		}
		if got := applied(t, c.text, list[i].Edit.Changes[e.uri("main.star")]); got != c.want || list[i].Kind != "quickfix" {
			t.Errorf("%q becomes %q (%s), want %q", c.text, got, list[i].Kind, c.want)
		}
		if list := e.actions("main.star", "source"); len(list) != 0 {
			t.Errorf("%q: asked for other kinds only: %+v", c.text, list)
		}
	}
}

// hints are the labels of the hints of a document, each with the line that it stands on.
func (e *editor) hints(name string) []string {
	e.t.Helper()
	var list []struct {
		Position lspPosition
		Label    string
	}
	if err := e.about("textDocument/inlayHint", name, map[string]any{"range": lspWhole}, &list); err != nil {
		e.t.Fatal(err)
	}
	var out []string
	for _, h := range list {
		out = append(out, fmt.Sprintf("%d:%d %s", h.Position.Line, h.Position.Character, h.Label))
	}
	return out
}

func TestTheLanguageServerShowsUnits(t *testing.T) {
	e := startEditor(t)
	e.open("main.star",
		"# gpu: mali-g720\ncap = capture.open(\"𝄞\")\nprint(\"𝄞\", cap[\"gpu_active_cycles\"].total(), cap.total(\"main_phase_queue_utilization\"), cap[\"nothing\"])\n")
	e.codes()
	if got := e.hints("main.star"); !slices.Equal(got, []string{"2:36 cycles", "2:86 percent"}) {
		t.Errorf("hints %q", got)
	}
	var tokens struct{ Data []int }
	if err := e.about("textDocument/semanticTokens/full", "main.star", nil, &tokens); err != nil {
		t.Fatal(err)
	}
	// The protocol's own form: lines and columns from the token before, a length, a type and modifiers.
	if want := []int{1, 0, 3, 5, 1, 0, 6, 7, 0, 4, 0, 8, 4, 1, 0, 1, 0, 5, 1, 4, 0, 12, 3, 5, 0, 0, 4, 19, 6, 2, 0, 21, 5, 2,
		0}; !slices.Equal(tokens.Data[:min(len(want), len(tokens.Data))], want) {
		t.Errorf("tokens %v, want %v at first", tokens.Data, want)
	}
	var part struct{ Data []int }
	if err := e.about("textDocument/semanticTokens/range", "main.star", map[string]any{"range": map[string]any{
		"start": map[string]any{"line": 1, "character": 0}, "end": map[string]any{"line": 1, "character": 5}}},
		&part); err != nil || !slices.Equal(part.Data, tokens.Data[:15]) {
		t.Errorf("tokens of a part: %v, %v", part.Data, err)
	}
}

func TestTheGPUIsThatOfTheCapturesBesideTheScript(t *testing.T) {
	e := startEditor(t)
	e.write("own.csv", "start,duration,a\n0,1,2\n")
	e.write("broken.arrow", "ARROW1 and nothing")
	e.write("empty.csv", "")
	const text = "cap = capture.open(\"g720.arrow\")\nprint(cap[\"gpu_active_cycles\"], cap[\"nothing\"])\n"
	e.writeCapture("g720.arrow", "mali-g720")
	e.open("main.star", text)
	if got := e.codes(); len(got) != 0 {
		t.Errorf("findings that nothing but files beside the script are a reason for: %q", got)
	}
	if got := e.hints("main.star"); !slices.Equal(got, []string{"0:32 of mali-g720", "1:30 cycles"}) {
		t.Errorf("hints %q", got)
	}
	if got := e.words("cap = capture.open(\"g720.arrow\")\nprint(cap[\"main_phase_queue_utili‸"); !slices.Equal(got,
		[]string{"main_phase_queue_utilization"}) {
		t.Errorf("completed to %q", got)
	}
	e.change("main.star", "#!/usr/bin/env astrolabe\n\"\"\"Doc.\"\"\"\n"+text)
	e.codes()
	list := e.actions("main.star", "source")
	if len(list) != 1 || list[0].Title != "Add # gpu: mali-g720, as g720.arrow says" {
		t.Fatalf("%+v", list)
	}
	if got := applied(t, "#!/usr/bin/env astrolabe\n\"\"\"Doc.\"\"\"\n"+text, list[0].Edit.Changes[e.uri("main.star")]); got !=
		"#!/usr/bin/env astrolabe\n# gpu: mali-g720\n\"\"\"Doc.\"\"\"\n"+text {
		t.Errorf("becomes %q", got)
	}

	// With captures of two GPUs the script has to say which.
	e.writeCapture("g615.arrow", "mali-g615")
	e.change("main.star", text)
	e.codes()
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": e.uri("main.star")}})
	e.codes()
	for begun := time.Now(); len(e.actions("main.star", "source")) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > stuck {
			t.Fatal("the second capture is never seen")
		}
	}
	if got := e.hints("main.star"); len(got) != 0 {
		t.Errorf("hints %q", got)
	}
}

// writeCapture writes a capture of a GPU with one counter.
func (e *editor) writeCapture(name, gpu string) {
	e.t.Helper()
	e.write("one.csv", "start,duration,gpu_active_cycles\n0,1000,1\n")
	convert := exec.Command(program(e.t), "convert", filepath.Join(e.dir, "one.csv"), filepath.Join(e.dir, name), "--gpu="+gpu)
	if out, err := convert.CombinedOutput(); err != nil {
		e.t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Remove(filepath.Join(e.dir, "one.csv")); err != nil {
		e.t.Fatal(err)
	}
}

func TestTheLanguageServerCountsAsTheClientDoes(t *testing.T) {
	for encoding, want := range map[string]int{"utf-8": 13, "utf-16": 11, "utf-32": 10, "": 11} {
		e := startEditor(t)
		general := map[string]any{}
		if encoding != "" {
			general["positionEncodings"] = []string{"utf-7", encoding, "utf-16"}
		}
		var init struct {
			Capabilities struct{ PositionEncoding string }
		}
		e.initialize(map[string]any{"general": general}, &init)
		if got := init.Capabilities.PositionEncoding; got != encoding && encoding != "" || got == "" {
			t.Errorf("%q is answered with %q", encoding, got)
		}
		e.open("main.star", "x = \"𝄞\" + y\n")
		p := <-e.diagnostics
		d := p["diagnostics"].([]any)[0].(map[string]any)
		if got := d["range"].(map[string]any)["start"].(map[string]any)["character"]; got != float64(want) {
			t.Errorf("in %q y is at %v, want %d", encoding, got, want)
		}
	}
}
