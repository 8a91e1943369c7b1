package lsp

import (
	"strings"
	"testing"
)

func TestCursorSaysWhatIsAskedFor(t *testing.T) {
	for text, want := range map[string]cursor{
		"ca":                        {prefix: "ca"},
		"cap.":                      {dot: true, base: "cap"},
		"cap.slice(1, 2).res":       {dot: true, base: "cap.slice(1, 2)", prefix: "res"},
		"f(a)[0].x":                 {dot: true, base: "f(a)[0]", prefix: "x"},
		"[1, 2].x":                  {dot: true, base: "[1, 2]", prefix: "x"},
		"return cap.":               {dot: true, base: "cap"},
		"x = \"a\".":                {dot: true, base: "\"a\""},
		"cap[\"Mali ":               {str: true, index: true, base: "cap", prefix: "Mali "},
		"cap.total(\"a":             {str: true, base: "cap.total", call: "cap.total", prefix: "a"},
		"f(1, [2, 3], g(4, 5), \"a": {str: true, base: "f", call: "f", arg: 3, prefix: "a"},
		"f(1, gpu = \"a":            {str: true, base: "f", call: "f", arg: 1, keyword: "gpu", prefix: "a"},
		"f(x + \"a":                 {str: true, call: "f", prefix: "a"},
		"f(\n    a,\n    b":         {call: "f", prefix: "b"},
		"f(a)\nb":                   {prefix: "b"},
		"# gpu: m":                  {comment: true, prefix: "# gpu: m"},
		"x = '''a\n# b":             {str: true, prefix: "a\n# b"},
		"\"open\nx":                 {prefix: "x"},
		"1.5":                       {},
		"":                          {},
		"}.x":                       {dot: true, prefix: "x"},
		"d = {\"a\": cap.":          {dot: true, base: "cap"},
	} {
		got := cursorAt(text)
		if !strings.HasSuffix(text, got.prefix) || got.start != len(text)-len(got.prefix) || got.first > got.start {
			t.Errorf("%q: %+v", text, got)
		}
		got.start, got.first, got.site = 0, 0, site{}
		if got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

func TestTheSiteIsTheCallAndTheArgument(t *testing.T) {
	for text, want := range map[string]site{
		"f(":                               {fn: "f"},
		"f(a, ":                            {fn: "f", arg: 1},
		"x = cap.slice(1, [2, 3, 4":        {fn: "cap.slice", arg: 1},
		"f(a, b = g(1, 2), c":              {fn: "f", arg: 2},
		"f(a, g(1, 2":                      {fn: "g", arg: 1},
		"f(a, key = ":                      {fn: "f", arg: 1, keyword: "key"},
		"f(a, key = [1, 2":                 {fn: "f", arg: 1, keyword: "key"},
		"f(a == ":                          {fn: "f"},
		"f(a, \"te, xt":                    {fn: "f", arg: 1},
		"f(lambda a, b: a + b, ":           {fn: "f", arg: 1},
		"f((1, 2":                          {fn: "f"},
		"f(a)":                             {},
		"def f(a, ":                        {},
		"(1, 2":                            {},
		"plot.timeline(cap[\"a\"], bands=": {fn: "plot.timeline", arg: 1, keyword: "bands"},
	} {
		if got := cursorAt(text).site; got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}
