package documents

import (
	"strings"

	"astrolabe/plots/canvas"
)

// textChunks lays a Text out in lines of at most width.
func textChunks(t *canvas.Theme, src Text, width float64) []*chunk {
	var out []*chunk
	blocks := parseMarkdown(string(src))
	for i, b := range blocks {
		var lines []*chunk
		switch b.kind {
		case heading:
			// Six levels are told apart, and the least is still larger than text.
			size := max(t.Heading-float64(b.level-1)*t.Text*0.16, t.Text*1.1)
			lines = runLines(t, inlineRuns(t, b.text, canvas.Bold.Of(size)), width, 0, "")
			lines[0].space = size * 0.8
			for _, c := range lines {
				// A heading stands with what follows it, never at the foot of a page.
				c.keep = true
			}
		case bullet, numbered:
			indent := t.Text * (1.4 + 1.3*float64(b.level))
			marker := "•"
			if b.kind == numbered {
				marker = b.marker
				indent += t.Text * 0.3
			}
			// Deep lists keep half of the width, or a narrow page would have a letter in a line.
			indent = min(indent, width*0.5)
			// A long number stays on the page.
			indent = max(indent, canvas.Regular.Of(t.Text).Width(marker)+t.Text*0.5)
			lines = runLines(t, inlineRuns(t, b.text, canvas.Regular.Of(t.Text)), width, indent, marker)
			lines[0].space = t.Text * 0.2
			if i > 0 && blocks[i-1].kind != bullet && blocks[i-1].kind != numbered {
				lines[0].space = t.Text * 0.4
			}
		case quote:
			lines = runLines(t, inlineRuns(t, b.text, canvas.Regular.Of(t.Text)), width, t.Text*1.2, "")
			for _, c := range lines {
				// Every line draws its piece of the bar, so that a quotation may be divided between pages.
				inner := c.draw
				c.draw = func(sc *canvas.Scene, x, y, w float64) {
					sc.Fill(canvas.Box(x, y, 4, c.h), t.Rule)
					inner(sc, x, y, w)
				}
			}
			lines[0].space = t.Text * 0.5
		case codeBlock:
			lines = codeLines(t, b.text, width)
			lines[0].space = t.Text * 0.5
		case ruleBlock:
			lines = []*chunk{{h: t.Text, draw: func(sc *canvas.Scene, x, y, w float64) {
				sc.Hline(x, x+w, y+t.Text/2, 1, t.Rule)
			}}}
		default:
			lines = runLines(t, inlineRuns(t, b.text, canvas.Regular.Of(t.Text)), width, 0, "")
			lines[0].space = t.Text * 0.6
		}
		keepEdges(lines)
		out = append(out, lines...)
	}
	if len(out) > 0 {
		// The first block has another part of the report above it, which no block knows of.
		out[0].space = max(out[0].space, t.Text)
	}
	return out
}

// keepEdges keeps the first two and the last two lines of a block together, so that no line stands alone on a page.
func keepEdges(lines []*chunk) {
	if n := len(lines); n > 1 {
		lines[0].keep = true
		lines[n-2].keep = true
	}
}

// inlineRuns turns the inline Markdown of a block into runs on a base style.
func inlineRuns(t *canvas.Theme, text string, base canvas.Style) []canvas.Run {
	var out []canvas.Run
	for _, s := range parseInline(text) {
		r := canvas.Run{Text: s.text, Style: base, Color: t.Ink}
		if s.url != "" && s.url != s.text { // a picture has no links: the address is written out
			r.Text += " (" + s.url + ")"
		}
		switch {
		case s.code:
			r.Style, r.Code = canvas.Mono.Of(base.Size*0.94), true
		case s.bold:
			r.Style.Face = canvas.Bold
		}
		out = append(out, r)
	}
	return out
}

// runLines makes one chunk per wrapped line. marker, if any, stands before the first, within the indent.
func runLines(t *canvas.Theme, runs []canvas.Run, width, indent float64, marker string) []*chunk {
	var out []*chunk
	for i, line := range canvas.WrapRuns(runs, width-indent) {
		size := line.Size(t.Text)
		c := &chunk{h: canvas.Regular.Of(size).Leading()}
		c.draw = func(sc *canvas.Scene, x, y, w float64) {
			base := y + canvas.Regular.Of(size).Ascent() + size*0.1
			if i == 0 && marker != "" {
				s := canvas.Regular.Of(size)
				sc.TextAt(x+indent-t.Text*0.5, base, canvas.Right, s, t.Muted, marker)
			}
			line.Draw(sc, t, x+indent, base)
		}
		out = append(out, c)
	}
	return out
}

// codeLines sets code in a tinted block; long lines are wrapped anywhere.
func codeLines(t *canvas.Theme, code string, width float64) []*chunk {
	s := canvas.Mono.Of(t.Small)
	pad := t.Text * 0.6
	var out []*chunk
	var lines []string
	for _, l := range strings.Split(code, "\n") {
		lines = append(lines, s.WrapCode(canvas.Printable(l), width-2*pad)...)
	}
	for i, l := range lines {
		top, bottom := 0.0, 0.0
		if i == 0 {
			top = pad * 0.7
		}
		if i == len(lines)-1 {
			bottom = pad * 0.7
		}
		h := s.Leading() + top + bottom
		out = append(out, &chunk{h: h, draw: func(sc *canvas.Scene, x, y, w float64) {
			sc.Fill(canvas.Box(x, y, w, h), t.Panel)
			sc.TextAt(x+pad, y+top+s.Ascent()+s.Size*0.1, canvas.Left, s, t.Ink, l)
		}})
	}
	return out
}
