package script

import (
	"strings"
	"sync"
)

// sourceText holds the text of the files that a run loaded, so that errors can show their lines.
type sourceText struct {
	mu    sync.Mutex
	files map[string]string
}

func newSourceText() *sourceText { return &sourceText{files: map[string]string{}} }

func (t *sourceText) add(name string, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[name] = string(text)
}

// line is a repl.SourceLine.
func (t *sourceText) line(name string, line int) (string, bool) {
	t.mu.Lock()
	text, ok := t.files[name]
	t.mu.Unlock()
	if !ok || line < 1 {
		return "", false
	}
	n := 0
	for l := range strings.Lines(text) {
		if n++; n == line {
			return strings.TrimRight(l, "\r\n"), true
		}
	}
	return "", false
}
