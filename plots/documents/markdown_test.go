package documents

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"astrolabe/plots/canvas"
)

func TestMarkdownBlocks(t *testing.T) {
	got := parseMarkdown(
		"# Title #\npara one\ngoes on\n\n- a\n  - b\n3. c\n> q\n> r\n\n---\n```go\nx := 1\n\n```\n~~~\nopen")
	want := []mdBlock{
		{kind: heading, level: 1, text: "Title"}, {kind: paragraph, text: "para one\ngoes on"},
		{kind: bullet, text: "a"}, {kind: bullet, level: 1, text: "b"}, {kind: numbered, marker: "3.", text: "c"},
		{kind: quote, text: "q\nr"}, {kind: ruleBlock}, {kind: codeBlock, text: "x := 1\n"},
		{kind: codeBlock, text: "open"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestMarkdownInline(t *testing.T) {
	for src, want := range map[string][]mdSpan{
		"a **b** c":        {{text: "a "}, {text: "b", bold: true}, {text: " c"}},
		"*e* and `c*d`":    {{text: "e", emphasis: true}, {text: " and "}, {text: "c*d", code: true}},
		"SQ_WAVES_sum * 2": {{text: "SQ_WAVES_sum * 2"}},
		"2 ** 3":           {{text: "2 ** 3"}},
		"[x](u) \\*y\\*":   {{text: "x", url: "u"}, {text: " *y*"}},
		"[](u) []()":       {{text: "u", url: "u"}, {text: " "}},
		"open `code":       {{text: "open `code"}},
		"a[0] (b)":         {{text: "a[0] (b)"}},
		"**bold `code` on**": {{text: "bold ", bold: true}, {text: "code", bold: true, code: true},
			{text: " on", bold: true}},
	} {
		if got := parseInline(src); !slices.Equal(got, want) {
			t.Errorf("%q: got %+v, want %+v", src, got, want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"", "# a\n**b** _c_ `d` [e](f)\n- g\n 1. h\n```\ni", "****", "*a*b*", "[[](", "\\",
		"```", "> \n>", "\x00\xff", "- g\n 444441. y", "日本語 *強調*"} {
		f.Add(s)
	}
	th := canvas.Light()
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4096 {
			return
		}
		for _, b := range parseMarkdown(src) {
			for _, s := range parseInline(b.text) {
				if s.text == "" {
					t.Fatalf("%q has an empty span", b.text)
				}
			}
		}
		r := &Report{Items: []Item{Text(src)}, Theme: th}
		scenes, err := r.scenes("png", canvas.Size{Width: 500})
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range scenes {
			for _, b := range sc.Boxes {
				if !utf8.ValidString(b.Text) || strings.ContainsAny(b.Text, "\n\x00") {
					t.Fatalf("%q reaches the page", b.Text)
				}
				if !(canvas.Box(0, 0, sc.W, sc.H)).Contains(b.Rect) {
					t.Fatalf("%q leaves the page: %+v", b.Text, b.Rect)
				}
			}
		}
	})
}
