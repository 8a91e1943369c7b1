package lsp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"astrolabe/capture/metrics"
	"astrolabe/internal/script/infer"
	"astrolabe/internal/script/lint"
)

// document is a text that the client has open.
type document struct {
	s     *server
	uri   string
	path  string
	text  string
	lines []int // offsets at which lines begin
	file  *infer.File
	// of the last text that parsed or, where none did, of what of this one parses; nil where this one parses or nothing
	// of it does
	last *document

	found  []lint.Finding // once linted
	linted bool
	names  map[[2]string]*metrics.Entry // by catalogue and name, of those that were looked for: nil of one that it lacks
}

// plain is a document of which nothing but the text is known.
func plain(s *server, uri, path, text string) *document {
	d := &document{s: s, uri: uri, path: path, text: text, lines: []int{0}}
	for i := range len(text) {
		// A carriage return alone ends a line as well, for the protocol and for the language.
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// newDocument makes a document of a text; before is that of the text before it, or nil.
func newDocument(s *server, uri, path, text string, before *document) *document {
	d := plain(s, uri, path, text)
	d.file = d.read(text)
	if d.file.Syntax != nil {
		return d
	}
	if before != nil {
		d.last = before.last
		if before.file.Syntax != nil {
			d.last = before
		}
	}
	if d.last == nil {
		d.last = d.withoutMistake()
	}
	return d
}

// read resolves a text as that of the document.
func (d *document) read(text string) *infer.File {
	w := d.s.world()
	return w.Read(w.Reader().Text(d.path, []byte(text)))
}

// line is a line without its end, counted from 0; "" behind the last one.
func (d *document) line(n int) string {
	if n < 0 || n >= len(d.lines) {
		return ""
	}
	end := len(d.text)
	if n+1 < len(d.lines) {
		end = d.lines[n+1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(d.text[d.lines[n]:end], "\n"), "\r")
}

// everyLine is the text in lines without their ends.
func (d *document) everyLine() []string {
	out := make([]string, len(d.lines))
	for i := range out {
		out[i] = d.line(i)
	}
	return out
}

// offset is where a position of the protocol is in the text, in bytes. What is outside is moved to the nearest place
// inside.
func (d *document) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(d.lines) {
		return len(d.text)
	}
	line := d.line(p.Line)
	units := 0
	for i := 0; i < len(line); {
		if units >= p.Character {
			return d.lines[p.Line] + i
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		units += d.s.units(r, size)
		i += size
	}
	return d.lines[p.Line] + len(line)
}

// encodings are the units in which clients may count the characters of a line, by the protocol's names.
var encodings = map[string]func(r rune, size int) int{"utf-8": units8, "utf-16": units16, "utf-32": units32}

func units8(_ rune, size int) int { return size }

func units32(rune, int) int { return 1 }

func units16(r rune, _ int) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// at is the position of an offset.
func (d *document) at(offset int) position {
	line, found := slices.BinarySearch(d.lines, offset)
	if !found {
		line--
	}
	return position{line, d.width(d.text[d.lines[line]:min(offset, len(d.text))])}
}

// position turns a line and a column in characters, both from 1, into one of the protocol.
func (d *document) position(line, col int) position {
	text := d.line(line - 1)
	end := 0
	for ; col > 1 && end < len(text); col-- {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return position{line - 1, d.width(text[:end])}
}

// between is the range between two places of the syntax.
func (d *document) between(start, end syntax.Position) span {
	return span{d.position(int(start.Line), int(start.Col)), d.position(int(end.Line), int(end.Col))}
}

// node is the range of a node of the syntax.
func (d *document) node(n syntax.Node) span {
	start, end := infer.Span(n)
	return d.between(start, end)
}

// width is how long a part of a line is for the client.
func (d *document) width(text string) int {
	n := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		n += d.s.units(r, size)
		i += size
	}
	return n
}

// place turns an offset into a line and a column in characters, both from 1.
func (d *document) place(offset int) (line, col int) {
	p := d.at(offset)
	return p.Line + 1, utf8.RuneCountInString(d.text[d.lines[p.Line]:offset]) + 1
}

// pathOf is the file that a URI names. Documents that were never saved have other schemes: they count as files of the
// working directory.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", fmt.Errorf("%q is no URI: %w", uri, err)
	}
	if u.Scheme != "file" {
		return "untitled.star", nil
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // /C:/x
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%q names no file", uri)
	}
	return filepath.FromSlash(path), nil
}

// uriOf is the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
