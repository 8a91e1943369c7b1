package hwio

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/clock"
)

// openMarks makes a FIFO at path and reads lines from it until Close, which removes it. A FIFO that is there already is
// used and left.
func openMarks(path string) (*markFIFO, error) {
	made := true
	if err := unix.Mkfifo(path, 0o666); errors.Is(err, unix.EEXIST) {
		st, serr := os.Stat(path)
		if serr != nil {
			return nil, fmt.Errorf("marks: %w", serr)
		}
		if st.Mode()&os.ModeNamedPipe == 0 {
			return nil, fmt.Errorf("marks: %s exists and is no FIFO: give a path that is free", path)
		}
		made = false
	} else if err != nil {
		return nil, fmt.Errorf("marks: make the FIFO %s: %w", path, err)
	}
	// Opened for writing too, so that it does not end when a program that wrote to it goes.
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		if made {
			os.Remove(path)
		}
		return nil, fmt.Errorf("marks: %w", err)
	}
	m := &markFIFO{}
	c := &fifo{f: f, path: path, made: made}
	m.closer = c
	c.reader.Go(func() { m.read(f) })
	return m, nil
}

type fifo struct {
	f      *os.File
	closed bool
	path   string
	made   bool
	reader sync.WaitGroup
}

// Close reads what is in the FIFO already, ends the reader and removes the FIFO. A second call does nothing.
func (c *fifo) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	// A deadline lets the reader empty the FIFO and then return, where closing could cut it short.
	_ = c.f.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	c.reader.Wait()
	err := c.f.Close()
	if c.made {
		err = errors.Join(err, os.Remove(c.path))
	}
	return err
}

func (m *markFIFO) read(f *os.File) {
	r := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := r.ReadSlice('\n')
		now := clock.Monotonic()
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			m.Line(string(line[:maxMarkLine+1]), now)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
		case len(line) > 0:
			m.Line(strings.TrimRight(string(line), "\r\n"), now)
		}
		if err != nil {
			return // the deadline of Close
		}
	}
}

// markTime is now, on the clock of marks.
func markTime() int64 { return clock.Monotonic() }

// SendMark writes one line to the FIFO of a recording under way. It fails where nobody records.
func SendMark(path, line string) error {
	if err := ParseMark(line); err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENXIO) {
		return fmt.Errorf("mark: nobody reads %s: start astrolabe record --marks %s first", path, path)
	}
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Mode()&os.ModeNamedPipe == 0 {
		return fmt.Errorf("mark: %s is no FIFO", path)
	}
	// The time is that of the call, not that at which the recorder gets to read it.
	if m, _ := parseMark(line); m.at == 0 {
		line = fmt.Sprintf("%d %s", clock.Monotonic(), strings.TrimSpace(line))
	}
	if _, err := f.WriteString(line + "\n"); err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	return nil
}
