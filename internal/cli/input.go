package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/internal/script"
)

// standardInput is the name of standard input where a file is expected.
const standardInput = "-"

// isStream reports whether the user named standard input or a pipe, which is read to its end.
func isStream(path string) bool {
	if path == standardInput {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && st.Mode()&fs.ModeNamedPipe != 0
}

// streamName is how a stream is called in errors.
func streamName(path string) string {
	if path == standardInput {
		return "<stdin>"
	}
	return path
}

// streamError is the error of a capture from a stream; its text names the stream and not the copy of it.
type streamError struct {
	text string
	err  error
}

func (e *streamError) Error() string { return e.text }
func (e *streamError) Unwrap() error { return e.err }

// readStream hands the content of standard input or of a pipe to write, until it ends or the run is stopped. Nothing
// can end a read that waits, so it is left alone then.
func (a *app) readStream(path string, write func([]byte) error) error {
	if path == standardInput && isTerminal(a.in) {
		return usagef("- reads standard input, which is a terminal: give a file, or pipe one in")
	}
	type piece struct {
		data []byte
		err  error
	}
	pieces := make(chan piece)
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	go func() {
		send := func(p piece) bool {
			select {
			case pieces <- p:
				return p.err == nil
			case <-ctx.Done():
				return false
			}
		}
		in := a.in
		if path != standardInput {
			f, err := os.Open(path) // waits for the other end
			if err != nil {
				send(piece{nil, err})
				return
			}
			defer f.Close()
			in = f
		}
		for {
			buf := make([]byte, 1<<18)
			n, err := in.Read(buf)
			if n > 0 && !send(piece{buf[:n], nil}) || err != nil && !send(piece{nil, err}) {
				return
			}
		}
	}()
	for {
		select {
		case <-a.ctx.Done():
			return script.ErrInterrupted
		case p := <-pieces:
			switch {
			case errors.Is(p.err, io.EOF):
				return nil
			case p.err != nil:
				return fmt.Errorf("%s: %w", streamName(path), p.err)
			}
			if err := write(p.data); err != nil {
				return fmt.Errorf("%s: %w", streamName(path), err)
			}
		}
	}
}

// readNamed is the content of a small file that the user named, of at most so many bytes; it may be standard input or a
// pipe.
func (a *app) readNamed(path string, most int, what string) ([]byte, error) {
	tooLong := func() error {
		return fmt.Errorf("%s is longer than %s: that is no %s", streamName(path), memory.Text(uint64(most)), what)
	}
	if isStream(path) {
		var data []byte
		err := a.readStream(path, func(piece []byte) error {
			if data = append(data, piece...); len(data) > most {
				return tooLong()
			}
			return nil
		})
		return data, err
	}
	f, err := formats.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		err = tooLong()
	}
	return data, err
}

// captureFile is where to read a capture that the user named: the path itself, or a copy of what comes from standard
// input or a pipe, which is removed when the program ends. Captures are read from several places at once, which a pipe
// cannot give.
func (a *app) captureFile(path string) (string, error) {
	if !isStream(path) {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "astrolabe-")
	if err != nil {
		return "", err
	}
	a.atEnd = append(a.atEnd, func() { os.RemoveAll(dir) })
	f, err := os.OpenFile(filepath.Join(dir, "stdin"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	size, most := uint64(0), memory.Limit() // the folder for such files often lies in memory
	err = a.readStream(path, func(piece []byte) error {
		if size += uint64(len(piece)); size > most {
			return fmt.Errorf(
				"it has more than %s, the limit of memory: copy it into a file first, or raise --max-memory",
				memory.Text(most))
		}
		_, err := f.Write(piece)
		return err
	})
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return f.Name(), nil
}
