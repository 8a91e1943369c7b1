package repl

import (
	"bufio"
	"io"
	"os"
	"os/signal"
)

// plainEditor reads lines as the terminal hands them over.
type plainEditor struct {
	lines chan plainLine
	talk  io.Writer
}

type plainLine struct {
	text string
	err  error
}

// newPlainEditor reads in the background, so that Ctrl-C can end the wait for a line.
func newPlainEditor(in io.Reader, talk io.Writer) *plainEditor {
	e := &plainEditor{lines: make(chan plainLine), talk: talk}
	go func() {
		r := bufio.NewReader(in)
		for {
			text, err := readLine(r, maxEntry)
			if err != nil && text != "" { // the last line has no line end
				e.lines <- plainLine{text, nil}
				text = ""
			}
			e.lines <- plainLine{text, err}
			if err != nil {
				return
			}
		}
	}()
	return e
}

func (e *plainEditor) ReadLine(prompt string) (string, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	io.WriteString(e.talk, prompt)
	select {
	case l := <-e.lines:
		if l.err != nil {
			io.WriteString(e.talk, "\n")
		}
		return l.text, l.err
	case <-signals:
		io.WriteString(e.talk, "\n")
		return "", errInterrupt
	}
}

func (e *plainEditor) Remember(string) {}
func (e *plainEditor) Close() error    { return nil }
