package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
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

// FuzzEveryPlaceOfEveryTextCanBeAskedAbout asks for completion, hover and definitions in texts that are being typed.
func FuzzEveryPlaceOfEveryTextCanBeAskedAbout(f *testing.F) {
	f.Add("cap = capture.open(\"x\")\nx = cap.slice(1)[\"a\"].gt(", 1, 20)
	f.Add("def f(cap):\n    for s in cap:\n        s[\"", 2, 11)
	f.Add("load(\"//", 0, 8)
	f.Add("# gpu: ", 0, 7)
	f.Add("x = [\"𝄞\", '''\n''' , r\"\\\"\"].", 1, 30)
	f.Add("metrics.get(\"cpu\", \"", 0, 20)
	f.Fuzz(func(t *testing.T, text string, line, character int) {
		if len(text) > 1<<14 {
			return
		}
		s := newServer(options())
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
		if _, err := json.Marshal([]any{list, h, def}); err != nil {
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
