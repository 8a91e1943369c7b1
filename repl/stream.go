package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sessionName is the file name of what is typed, in errors.
const sessionName = "<session>"

// RunText runs the statements of text, as for -c, and stops at the first error, which it prints and returns.
func (s *Session) RunText(ctx context.Context, name, text string) error {
	return s.RunReader(ctx, name, strings.NewReader(text))
}

// RunReader runs a script that is no file, such as a program's output on standard input. Each statement runs as soon as
// the text shows its end, so that a program can talk to a session. It stops at the first error, which it prints and
// returns.
func (s *Session) RunReader(ctx context.Context, name string, r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var e entry
	first := 1 // line of the entry
	run := func() error {
		text, line := e.text.String(), first
		first += e.lines
		e = entry{}
		switch trimmed := strings.TrimSpace(text); {
		case trimmed == "":
			return nil
		case trimmed[0] == ':':
			s.log.begin(trimmed)
			return s.command(ctx, trimmed)
		case isShell(text):
			s.log.begin(trimmed)
			return s.shell(trimmed[1:])
		}
		s.log.begin(text)
		return s.Eval(ctx, name, line, text)
	}
	for {
		line, err := readLine(in, maxEntry-e.text.Len())
		if err != nil && !errors.Is(err, io.EOF) {
			return s.report(fmt.Errorf("read %s: the statement that begins in line %d: %w", name, first, err))
		}
		atEnd := err != nil
		if first == 1 && e.lines == 0 {
			line = strings.TrimPrefix(line, "\ufeff") // a mark of Windows before a text
		}
		if !atEnd || line != "" {
			if e.endsBefore(line) {
				if err := run(); err != nil {
					return s.report(err)
				}
			}
			e.add(line)
			if e.begun && !e.compound && !e.open() {
				if err := run(); err != nil {
					return s.report(err)
				}
			}
		}
		if atEnd {
			if err := run(); err != nil {
				return s.report(err)
			}
			return nil
		}
	}
}

// readLine returns the next line without its line end, and io.EOF with the last one.
func readLine(in *bufio.Reader, limit int) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return "", fmt.Errorf("longer than %d MiB", maxEntry>>20)
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return strings.TrimRight(string(line), "\r\n"), err
	}
}

// report prints an error on Talk and returns it.
func (s *Session) report(err error) error {
	s.inColor(errorStyle, func() error {
		_, failed := io.WriteString(s.cfg.Talk, FormatError(err, s.source.line))
		return failed
	})
	return err
}
