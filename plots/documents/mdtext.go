package documents

import (
	"fmt"
	"strings"

	"astrolabe/plots/canvas"
)

// text writes a Text. It is read as every other kind of page reads it, and written anew: what others take for HTML, for
// a link that runs a program, or for a picture on some server does not pass, whatever their rules are.
func (m *mdWriter) text(src string) {
	var list strings.Builder // items, which stand without blank lines between
	depth := -1              // of the item before
	flush := func() {
		depth = -1
		m.line(strings.TrimSuffix(list.String(), "\n"))
		list.Reset()
	}
	for _, b := range parseMarkdown(src) {
		if b.kind != bullet && b.kind != numbered {
			flush()
		}
		switch b.kind {
		case heading:
			m.line(strings.Repeat("#", b.level) + " " + mdInline(b.text))
		case bullet, numbered:
			marker := b.marker
			if b.kind == bullet {
				marker = "-"
			}
			depth = min(b.level, depth+1) // what is indented more would be code
			list.WriteString(strings.Repeat("    ", depth) + marker + " " + mdInline(b.text) + "\n")
		case quote:
			m.line("> " + mdInline(b.text))
		case codeBlock:
			lines := strings.Split(b.text, "\n")
			for i, l := range lines {
				lines[i] = canvas.Undirected(l)
			}
			m.line(fenced(strings.Join(lines, "\n")))
		case ruleBlock:
			m.line("---")
		default:
			m.line(mdInline(b.text))
		}
	}
	flush()
}

// mdInline writes inline Markdown anew, in one line. Only links to the web stay links.
func mdInline(text string) string {
	var b strings.Builder
	for _, s := range parseInline(text) {
		inner := strings.Trim(s.text, " \n")
		at := strings.Index(s.text, inner)
		// Blanks at the ends stand outside of the signs, which would be none with blanks inside.
		lead, tail := s.text[:at], s.text[at+len(inner):]
		var out string
		switch {
		case inner == "":
		case s.code:
			out = mdCode(inner)
		case webLink(s.url):
			out = "[" + mdSigns(inner) + "](<" + mdURL(s.url) + ">)"
		case s.url != "" && s.url != inner:
			out = mdSigns(inner) + " (" + mdSigns(s.url) + ")"
		default:
			out = mdSigns(inner)
		}
		sign := ""
		if s.emphasis {
			sign = "*"
		}
		if s.bold {
			sign += "**"
		}
		if out == "" {
			sign = ""
		}
		piece := strings.ReplaceAll(lead+sign+out+sign+tail, "\n", " ")
		if strings.HasSuffix(b.String(), "`") && strings.HasPrefix(piece, "`") {
			b.WriteByte(' ') // the backticks of two spans of code would be one sign
		}
		b.WriteString(piece)
	}
	return mdStart(b.String())
}

// webLink reports whether a link leads to the web, and not to what a browser would run or open.
func webLink(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

// mdURL is the target of a link between < and >.
func mdURL(s string) string {
	var b strings.Builder
	for _, c := range []byte(canvas.Printable(s)) {
		if c <= ' ' || c == '<' || c == '>' || c == '\\' || c == '"' || c == '`' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return strings.ReplaceAll(b.String(), "&", "&amp;")
}
