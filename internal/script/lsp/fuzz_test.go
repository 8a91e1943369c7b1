package lsp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"astrolabe/internal/script/format"
)

// wire is a client that has sent everything and takes what comes.
type wire struct {
	io.Reader
	io.Writer
}

func (wire) Close() error { return nil }

func frame(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

func options() Options {
	return Options{Library: fstest.MapFS{"lib/a.star": {Data: []byte("a = 1\n")}}, Version: "test", Talk: io.Discard}
}

// FuzzServeSurvivesEveryMessage sends bytes as they are: framing, JSON and messages.
func FuzzServeSurvivesEveryMessage(f *testing.F) {
	open := frame(
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.star","text":"cap = capture.open(\"x\")\ncap."}}}`)
	ask := frame(
		`{"jsonrpc":"2.0","id":1,"method":"textDocument/completion","params":{"textDocument":{"uri":"file:///x.star"},"position":{"line":1,"character":4}}}`)
	f.Add(open + ask)
	f.Add(frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`) +
		frame(`{"jsonrpc":"2.0","method":"exit"}`))
	f.Add("Content-Length: 1073741824\r\n\r\n{")
	f.Add("Content-Length: -1\r\n\r\n{}")
	f.Add(frame(`[{"jsonrpc":"2.0","id":null,"method":"shutdown"},{}]`))
	f.Add(open +
		frame(
			`{"jsonrpc":"2.0","id":"a","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.star"},"position":{"line":-5,"character":99999999}}}`))
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		Serve(context.Background(), wire{bytes.NewReader([]byte(text)), &out}, options()) // an error is right for most
	})
}

// FuzzEveryPlaceOfEveryTextCanBeAskedAbout asks everything that can be asked in texts that are being typed.
func FuzzEveryPlaceOfEveryTextCanBeAskedAbout(f *testing.F) {
	f.Add("cap = capture.open(\"x\")\nx = cap.slice(1)[\"a\"].gt(", 1, 20)
	f.Add("def f(cap):\n    for s in cap:\n        s[\"", 2, 11)
	f.Add("load(\"//", 0, 8)
	f.Add("# gpu: ", 0, 7)
	f.Add("x = [\"𝄞\", '''\n''' , r\"\\\"\"].", 1, 30)
	f.Add("metrics.get(\"cpu\", \"", 0, 20)
	f.Add("load(\"@astrolabe//lib/a.star\", b = \"a\")\nprint(b, a)\n", 1, 6)
	f.Add("def f(a, *, b = 1):\n  return a + b\nf(1, b = 2)\nf(**{})\n", 2, 5)
	f.Add("# gpu: mali-g720\ncap = capture.open(\"x\")\nif cap[\"gpu_activ\"] == 1: pass\n", 2, 8)
	f.Add("é𝄞 = 1\nx = [é𝄞 for é𝄞 in y]\r\n", 1, 5)
	f.Add("# gpu:\r", 0, 7)
	f.Add("# pu:\rgpu:\r", 80, 7)
	f.Add("x = 1\ry=2\r\nz = 3", 1, 1)
	f.Fuzz(func(t *testing.T, text string, line, character int) {
		if len(text) > 1<<14 {
			return
		}
		s := newServer(t.Context(), options())
		s.units = encodings[[]string{"utf-8", "utf-16", "utf-32"}[len(text)%3]]
		before := newDocument(s, "file:///x.star", "/nowhere/x.star", "# 𝄞\ncap = 1\nprint(cap)\n"+text[len(text)/2:],
			nil)
		if line%2 == 0 {
			before = newDocument(s, "file:///x.star", "/nowhere/x.star", "cap = 1\n", nil)
		}
		d := newDocument(s, "file:///x.star", "/nowhere/x.star", text, before)
		at := position{line, character}
		list := d.complete(at)
		for _, item := range list.Items {
			r := item.TextEdit.Range
			if item.Label == "" || r.Start.Line < 0 || r.Start.Character < 0 || d.offset(r.Start) > d.offset(r.End) {
				t.Errorf("%+v", item)
			}
		}
		h := d.hover(at)
		def := d.definition(at)
		s.docs[d.uri] = d
		rest := askEverything(t, s, d, at)
		if _, err := json.Marshal([]any{list, h, def, rest}); err != nil {
			t.Error(err)
		}
		for _, o := range []int{0, len(text) / 2, len(text)} {
			line, col := d.place(o)
			if line < 1 || col < 1 {
				t.Errorf("offset %d is at %d:%d", o, line, col)
			}
		}
	})
}

// askEverything puts all questions that are not about completion, hover and definitions, and checks that what is
// answered can be applied to the text.
func askEverything(t *testing.T, s *server, d *document, at position) []any {
	t.Helper()
	apply := func(what string, edits []textEdit) string {
		slices.SortStableFunc(edits, func(a, b textEdit) int {
			return cmp.Compare(d.offset(b.Range.Start), d.offset(a.Range.Start))
		})
		out := d.text
		for _, e := range edits {
			from, to := d.offset(e.Range.Start), d.offset(e.Range.End)
			if from > to || to > len(out) {
				t.Fatalf("%s: %+v is no range of %q", what, e.Range, d.text)
			}
			out = out[:from] + e.NewText + out[to:]
		}
		return out
	}
	edits, err := d.formatted()
	if want, e := format.Source(d.file.Source); (e == nil) != (err == nil) {
		t.Errorf("formatted: %v, and fmt says %v", err, e)
	} else if got := apply("formatted", edits); e == nil && got != string(want) {
		t.Errorf("formatted gives %q, fmt %q", got, want)
	}
	var p actionParams
	p.Range = span{at, at}
	actions, err := d.actions(t.Context(), p)
	if err != nil {
		t.Error(err)
	}
	for _, a := range actions {
		if f := d.read(apply(a.Title, a.Edit.Changes[d.uri])); f.Syntax == nil {
			t.Errorf("%s breaks %q", a.Title, d.text)
		}
	}
	refs, err := d.references(t.Context(), at, true)
	if err != nil {
		t.Error(err)
	}
	prepared := d.prepareRename(at)
	edit, err := d.rename(t.Context(), at, "new_name")
	if err == nil {
		if f := d.read(apply("rename", edit.Changes[d.uri])); f.Syntax == nil {
			t.Errorf("rename breaks %q", d.text)
		}
		if prepared == nil {
			t.Error("what could be renamed was not prepared")
		}
	}
	tokens := d.semanticTokens(nil)
	line, character := 0, 0
	for i := 0; i+5 <= len(tokens.Data); i += 5 {
		if line += tokens.Data[i]; tokens.Data[i] > 0 {
			character = 0
		}
		character += tokens.Data[i+1]
		if from, to := d.offset(position{line, character}), d.offset(position{line, character + tokens.Data[i+2]}); tokens.Data[i] < 0 ||
			tokens.Data[i+1] < 0 || from >= to || d.at(to).Character != character+tokens.Data[i+2] {
			t.Errorf("token %v is nothing of %q", tokens.Data[i:i+5], d.text)
		}
	}
	symbols, err := s.symbols(t.Context(), "a")
	if err != nil {
		t.Error(err)
	}
	return []any{edits, actions, refs, prepared, edit, tokens, symbols, d.symbols(), d.signatureHelp(at),
		d.hints(span{position{0, 0}, d.at(len(d.text))})}
}

func TestAMessageTakesNoMoreMemoryThanWasSent(t *testing.T) {
	for text, want := range map[string]string{
		"Content-Length: 100000000\r\n\r\n{":  "the message is truncated: 1 of 100000000 bytes",
		"Content-Length: 1000000000\r\n\r\n{": "Content-Length is \"1000000000\"",
		"Content-Length: 5\r\n":               "the header is truncated",
		"Content-Type: x\r\n\r\n":             "there is no Content-Length",
		"nonsense\r\n\r\n":                    "has no colon",
		strings.Repeat("x", 5000) + ":\r\n":   "longer than 1024 bytes",
		frame("{}"):                           "",
		frame("{"):                            "",
	} {
		err := Serve(context.Background(), wire{strings.NewReader(text), io.Discard}, options())
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Serve(context.Background(), wire{strings.NewReader("Content-Length: 100000000\r\n\r\n{"), io.Discard}, options())
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if allocated > 1<<20 {
		t.Errorf("%d bytes for one byte sent", allocated)
	}
}
