package cli

import (
	"os"
	"sync"
	"unicode/utf8"

	"astrolabe/builtins/notation"
	"astrolabe/capture/formats"
)

// output is standard output. It remembers that something could not be written, because what a script prints has nobody
// to hand an error to: a program that says nothing of it and ends well would have lost its results. On a terminal it
// shows what that would obey, such as the escape sequences in the names of a capture; files and pipes get the bytes.
// What is to be obeyed, such as pictures, goes to file.
type output struct {
	file    *os.File
	visible visibleWriter // set where file is a terminal
	failed  error         // of the first write that failed
}

func newOutput(file *os.File) *output {
	o := &output{file: file}
	if isTerminal(file) {
		o.visible.file = file
	}
	return o
}

// Write writes to standard output.
func (o *output) Write(p []byte) (n int, err error) {
	if o.visible.file != nil {
		n, err = o.visible.Write(p)
	} else {
		n, err = o.file.Write(p)
	}
	if err = formats.WriteError("standard output", err); err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// talk is standard error. What it is told is shown always: logs are looked at in terminals too. What is to be obeyed,
// such as a line that is drawn over, and what a command says goes to file.
type talk struct {
	file *os.File
	visibleWriter
}

func newTalk(file *os.File) *talk { return &talk{file: file, visibleWriter: visibleWriter{file: file}} }

// visibleWriter writes what a terminal would obey as escapes, see notation.Visible.
type visibleWriter struct {
	file *os.File

	mu  sync.Mutex
	cut []byte // the beginning of a character whose end is in the next write
}

// maxCut is how many bytes of a character one write can hold without all of it.
const maxCut = utf8.UTFMax - 1

func (w *visibleWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.cut, p...)
	end := len(text)
	for i := max(0, end-maxCut); i < end; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
		}
	}
	w.cut = append([]byte(nil), text[end:]...)
	if _, err := w.file.WriteString(notation.Visible(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
