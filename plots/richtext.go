package plots

import (
	"image/color"
	"strings"

	"astrolabe/plots/typeset"
)

// run is a stretch of text in one style.
type run struct {
	text  string
	style style
	color color.NRGBA
	code  bool // drawn on a tinted ground
}

// richLine is one line of runs with their positions from its left edge.
type richLine []richPiece

type richPiece struct {
	run
	x, w float64
}

// wrapRuns breaks runs into lines no wider than width. Spaces between words collapse to one.
func wrapRuns(runs []run, width float64) []richLine {
	var all strings.Builder
	for _, r := range runs {
		all.WriteString(r.text)
	}
	lines := breakRuns(runs, width)
	if rtl, ordered := typeset.Direction(printable(all.String())); ordered {
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
			if l[i-1].code {
				p.text = " " + p.text
			} else {
				texts[i-1] += " "
			}
		}
		own, texts = append(own, int(p.style.face)), append(texts, p.text)
	}
	var out richLine
	x := 0.0
	for _, part := range setter.Load().Order(own, texts, rtl) {
		p := l[part.Index]
		p.text = typeset.Mark(part.RTL) + texts[part.Index][part.From:part.To]
		p.x, p.w = x, p.style.width(p.text)
		x += p.w
		out = append(out, p)
	}
	return out
}

// breakRuns is wrapRuns for text that runs from left to right.
func breakRuns(runs []run, width float64) []richLine {
	var lines []richLine
	var line richLine
	x := 0.0
	flush := func() {
		lines = append(lines, line)
		line, x = nil, 0
	}
	add := func(r run, w float64, space float64) {
		if n := len(line); n > 0 && line[n-1].style == r.style && line[n-1].color == r.color && line[n-1].code == r.code {
			if space > 0 {
				line[n-1].text += " "
			}
			line[n-1].text += r.text
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
			space = line[len(line)-1].style.width(" ")
			if line[len(line)-1].code { // the space of a typewriter face is too wide between words
				space = a.runs[0].style.width(" ")
			}
		}
		w := 0.0
		for _, r := range a.runs {
			w += r.style.width(r.text)
		}
		if len(line) > 0 && x+space+w > width {
			flush()
			space = 0
		}
		for _, r := range a.runs {
			for {
				rw := r.style.width(r.text)
				if x+space+rw <= width || (len(r.text) <= 1 && len(line) == 0) {
					add(r, rw, space)
					break
				}
				cut := r.style.breakAt(r.text, width-x-space)
				if cut == 0 && len(line) > 0 {
					flush()
					space = 0
					continue
				}
				if cut == 0 { // not even one character fits: give it a line of its own
					cut = r.style.face.firstCharacter(r.text)
				}
				part := r
				part.text = r.text[:cut]
				add(part, part.style.width(part.text), space)
				r.text = r.text[cut:]
				flush()
				space = 0
				if r.text == "" {
					break
				}
			}
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
	runs  []run
	space bool // a space precedes it
}

func atoms(runs []run) []atom {
	var out []atom
	space := true
	for _, r := range runs {
		text := printable(strings.ReplaceAll(r.text, "\n", " "))
		for i, word := range strings.Split(text, " ") {
			if i > 0 {
				space = true
			}
			if word == "" {
				continue
			}
			for j, part := range r.style.face.parts(word) {
				piece := r
				piece.text = part
				switch {
				case space || len(out) == 0:
					out = append(out, atom{[]run{piece}, true})
				case j > 0:
					out = append(out, atom{[]run{piece}, false})
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

// draw puts the line with its baseline at y.
func (l richLine) draw(sc *scene, t *Theme, x, y float64) {
	for _, p := range l {
		if p.code {
			pad := p.style.size * 0.14
			sc.fill(rect{x + p.x - pad, y - p.style.size*0.86, p.w + 2*pad, p.style.size * 1.14}, t.Panel)
		}
		sc.textAt(x+p.x, y, left, p.style, p.color, p.text)
	}
}

// size is the size of the largest text of the line.
func (l richLine) size(otherwise float64) float64 {
	s := 0.0
	for _, p := range l {
		s = max(s, p.style.size)
	}
	if s == 0 {
		return otherwise
	}
	return s
}
