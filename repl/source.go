package repl

import (
	"strings"

	"astrolabe/capture/formats"
)

// sourceText remembers the lines that a session ran, so that an error can show them.
type sourceText struct {
	files map[string]*sourceLines
}

type sourceLines struct {
	first int // number of lines[0]
	lines []string
}

// maxSourceLines bounds what is kept of one file; older lines are forgotten.
const maxSourceLines = 100000

func newSourceText() *sourceText { return &sourceText{files: map[string]*sourceLines{}} }

// add remembers text, which begins at the given line of the named file.
func (t *sourceText) add(name string, line int, text string) {
	f := t.files[name]
	if f == nil || line != f.first+len(f.lines) {
		f = &sourceLines{first: line}
		t.files[name] = f
	}
	f.lines = append(f.lines, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	if over := len(f.lines) - maxSourceLines; over > 0 {
		f.lines = f.lines[over:]
		f.first += over
	}
}

// line returns one line, read from disk where the session did not run it itself.
func (t *sourceText) line(name string, line int) (string, bool) {
	f := t.files[name]
	if f == nil {
		data, err := formats.ReadRegular(name) // a script that came through a pipe can be read once only
		if err != nil {
			return "", false
		}
		f = &sourceLines{first: 1, lines: strings.Split(string(data), "\n")}
		t.files[name] = f
	}
	if i := line - f.first; i >= 0 && i < len(f.lines) {
		return strings.TrimRight(f.lines[i], "\r"), true
	}
	return "", false
}
