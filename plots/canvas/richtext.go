package canvas

import (
	"image/color"
	"strings"

	"astrolabe/plots/typeset"
)

// Run is a stretch of text in one style.
type Run struct {
	Text  string
	Style Style
	Color color.NRGBA
	Code  bool // drawn on a tinted ground
}

// richLine is one line of runs with their positions from its left edge.
type richLine []richPiece

type richPiece struct {
	Run
	x, w float64
}

// WrapRuns breaks runs into lines no wider than width. Spaces between words collapse to one.
func WrapRuns(runs []Run, width float64) []richLine {
	var all strings.Builder
	for _, r := range runs {
		all.WriteString(r.Text)
	}
	lines := breakRuns(runs, width)
	if rtl, ordered := typeset.Direction(Printable(all.String())); ordered {
		for i := range lines {
			lines[i] = lines[i].ordered(rtl)
		}
	}
	return lines
}

// ordered puts the pieces of a line into the order in which they are seen.
func (l richLine) ordered(rtl bool) richLine {
	var own []int
	var texts []string
	for i, p := range l {
		if i > 0 && p.x > l[i-1].x+l[i-1].w+1e-6 {
			// The space between two pieces takes part in the order.
			if l[i-1].Code {
				p.Text = " " + p.Text
			} else {
				texts[i-1] += " "
			}
		}
		own, texts = append(own, int(p.Style.Face)), append(texts, p.Text)
	}
	var out richLine
	x := 0.0
	for _, part := range Setter.Load().Order(own, texts, rtl) {
		p := l[part.Index]
		p.Text = typeset.Mark(part.RTL) + texts[part.Index][part.From:part.To]
		p.x, p.w = x, p.Style.Width(p.Text)
		x += p.w
		out = append(out, p)
	}
	return out
}

// breakRuns is wrapRuns for text that runs from left to right.
func breakRuns(runs []Run, width float64) []richLine {
	var lines []richLine
	var line richLine
	x := 0.0
	flush := func() {
		lines = append(lines, line)
		line, x = nil, 0
	}
	// Words of one style become one piece: a run of text is then set as a whole, and can be copied as such from a PDF.
	add := func(r Run, w float64, space float64) {
		if n := len(line); n > 0 && line[n-1].Style == r.Style && line[n-1].Color == r.Color &&
			line[n-1].Code == r.Code {
			if space > 0 {
				line[n-1].Text += " "
			}
			line[n-1].Text += r.Text
			line[n-1].w += space + w
			x += space + w
			return
		}
		line = append(line, richPiece{r, x + space, w})
		x += space + w
	}
	for _, a := range atoms(runs) {
		space := 0.0
		if a.space && len(line) > 0 {
			space = line[len(line)-1].Style.Width(" ")
			if line[len(line)-1].Code { // the space of a typewriter face is too wide between words
				space = a.runs[0].Style.Width(" ")
			}
		}
		// An atom may have several styles, such as a word with a full stop behind it in another: it goes to the next
		// line as a whole or not at all.
		w := 0.0
		for _, r := range a.runs {
			w += r.Style.Width(r.Text)
		}
		if len(line) > 0 && x+space+w > width {
			flush()
			space = 0
		}
		for _, r := range a.runs {
			for {
				rw := r.Style.Width(r.Text)
				// The second half ends the loop in a column that is narrower than any letter.
				if x+space+rw <= width || (len(r.Text) <= 1 && len(line) == 0) {
					add(r, rw, space)
					break
				}
				// Only an atom that is longer than a whole line comes here, such as a path or a symbol.
				cut := r.Style.breakAt(r.Text, width-x-space)
				if cut == 0 && len(line) > 0 {
					flush()
					space = 0
					continue
				}
				if cut == 0 { // not even one character fits: give it a line of its own
					cut = r.Style.Face.firstCharacter(r.Text)
				}
				part := r
				part.Text = r.Text[:cut]
				add(part, part.Style.Width(part.Text), space)
				r.Text = r.Text[cut:]
				flush()
				space = 0
				if r.Text == "" {
					break
				}
			}
			// Space stands before the first run of an atom only.
			space = 0
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		flush()
	}
	return lines
}

// atom is what no line break divides: runs without a space or another place to break between them.
type atom struct {
	runs  []Run
	space bool // a space precedes it
}

func atoms(runs []Run) []atom {
	var out []atom
	space := true
	for _, r := range runs {
		text := Printable(strings.ReplaceAll(r.Text, "\n", " "))
		for i, word := range strings.Split(text, " ") {
			if i > 0 {
				space = true
			}
			if word == "" {
				continue
			}
			for j, part := range r.Style.Face.parts(word) {
				piece := r
				piece.Text = part
				switch {
				case space || len(out) == 0:
					out = append(out, atom{[]Run{piece}, true})
				case j > 0:
					out = append(out, atom{[]Run{piece}, false})
				default:
					last := &out[len(out)-1]
					last.runs = append(last.runs, piece)
				}
				space = false
			}
		}
	}
	return out
}

// Draw puts the line with its baseline at y.
func (l richLine) Draw(sc *Scene, t *Theme, x, y float64) {
	for _, p := range l {
		if p.Code {
			pad := p.Style.Size * 0.14
			sc.Fill(Rect{x + p.x - pad, y - p.Style.Size*0.86, p.w + 2*pad, p.Style.Size * 1.14}, t.Panel)
		}
		sc.TextAt(x+p.x, y, Left, p.Style, p.Color, p.Text)
	}
}

// Size is the size of the largest text of the line.
func (l richLine) Size(otherwise float64) float64 {
	s := 0.0
	for _, p := range l {
		s = max(s, p.Style.Size)
	}
	if s == 0 {
		return otherwise
	}
	return s
}
