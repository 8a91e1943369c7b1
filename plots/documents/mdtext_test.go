package documents

import (
	"regexp"
	"strings"
	"testing"
)

func TestMarkdownOfTextsIsNeitherHTMLNorALinkThatRuns(t *testing.T) {
	for in, want := range map[string]string{
		`<script>alert(1)</script>`:              `&lt;script&gt;alert(1)&lt;/script&gt;`,
		`<img src=x onerror=alert(1)>`:           `&lt;img src=x onerror=alert(1)&gt;`,
		`[x](javascript:alert(1))`:               `x (javascript:alert(1))`,
		`[x]( JaVaScRiPt:alert)`:                 `x (JaVaScRiPt:alert)`,
		`[x](data:text/html,<b>)`:                `x (data:text/html,&lt;b&gt;)`,
		`[x](//evil.example)`:                    `x (//evil.example)`,
		`[x](https://e.example/?a=1&b=">)`:       `[x](<https://e.example/?a=1&amp;b=%22%3E>)`,
		`![x](https://e.example/track.png)`:      `\![x](<https://e.example/track.png>)`,
		`<javascript:alert(1)>`:                  `&lt;javascript:alert(1)&gt;`,
		"[x]: javascript:alert(1)":               `\[x\]: javascript:alert(1)`,
		"&lt;b&gt;":                              `&amp;lt;b&amp;gt;`,
		"`<b>` and **bold** and *so*":            "`<b>` and **bold** and *so*",
		"``a ` <b>``":                            "`` a ` <b> ``",
		"# <b>\n\ntext\nmore":                    "# &lt;b&gt;\n\ntext more",
		"- <b>\n- two\n  - three\n\n> <i>":       "- &lt;b&gt;\n- two\n    - three\n\n> &lt;i&gt;",
		"```\n<b>\n```":                          "```\n<b>\n```",
		"~~~\n```\n</code><script>\n~~~":         "````\n```\n</code><script>\n````",
		"a\u202eb\x1b[31m":                       "aU+202Eb \\[31m",
		"1. <b>":                                 "1. &lt;b&gt;",
		"a\n===\nb\n---":                         "a === b\n\n---",
		"| a | b |\n|---|---|\n| <i> | 2 |":      `\| a \| b \| \|---\|---\| \| &lt;i&gt; \| 2 \|`,
		"**[x](vbscript:y)**":                    `**x (vbscript:y)**`,
		"a <!-- comment":                         `a &lt;\!-- comment`,
		"<https://example.org> and `a` < b && c": "&lt;https://example.org&gt; and `a` &lt; b &amp;&amp; c",
	} {
		m := &mdWriter{}
		m.text(in)
		if got := strings.TrimSuffix(m.out.String(), "\n"); got != want {
			t.Errorf("%q is written as\n%q, want\n%q", in, got, want)
		}
	}
}

// What is in code is HTML nowhere; what is left holds no tag and no link but those to the web.
func FuzzMarkdownText(f *testing.F) {
	for _, seed := range []string{"<b>", "[x](javascript:y)", "`a` **b** <i>", "```\n<b>\n```", "- a\n  - <b>", "\\<b>",
		"`` ` <b>", "**a `b** <c>`"} {
		f.Add(seed)
	}
	fence := regexp.MustCompile("(?ms)^(`{3,})\n.*?^`{3,}$")
	link := regexp.MustCompile(`\]\(<https?://[^ <>\\]*>\)`)
	f.Fuzz(func(t *testing.T, src string) {
		m := &mdWriter{}
		m.text(src)
		rest := fence.ReplaceAllString(m.out.String(), "")
		for line := range strings.Lines(rest) {
			line = link.ReplaceAllString(withoutCode(line), "")
			if strings.ContainsAny(line, "<") || strings.Contains(line, "](") {
				t.Errorf("%q is written with %q", src, line)
			}
		}
	})
}

// withoutCode takes code spans out of a line by the rule of CommonMark: as many backticks end it as began it.
func withoutCode(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i += 2 // it means nothing
		case s[i] == '`':
			n := 0
			for i+n < len(s) && s[i+n] == '`' {
				n++
			}
			end := -1
			for j := i + n; j < len(s); {
				k := 0
				for j+k < len(s) && s[j+k] == '`' {
					k++
				}
				if k == n {
					end = j + k
					break
				}
				j += max(k, 1)
			}
			if end < 0 {
				out.WriteString(s[i : i+n])
				i += n
				continue
			}
			i = end
		default:
			out.WriteByte(s[i])
			i++
		}
	}
	return out.String()
}
