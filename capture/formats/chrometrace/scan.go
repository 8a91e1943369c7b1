package chrometrace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"astrolabe/capture/memory"
)

// mostEvent bounds one event of a trace, and what stands beside the events, in bytes.
const mostEvent = 32 << 20

// scanner takes the text of a trace apart: one event after the other, so that a trace of any length needs the room of
// its longest event. It is lenient where viewers are: the list of events may break off, and commas may be too many.
type scanner struct {
	ctx context.Context
	r   *bufio.Reader
	at  int64 // the byte that is read next
	buf []byte
}

func newScanner(ctx context.Context, r io.Reader) *scanner {
	return &scanner{ctx: ctx, r: bufio.NewReaderSize(r, 1<<18)}
}

// errBroken is a text that ends within a value.
var errBroken = errors.New("breaks off")

// next is the next byte that is no space, which stays unread.
func (s *scanner) next() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			s.at++
			continue
		}
		return c, s.r.UnreadByte()
	}
}

func (s *scanner) skip() {
	// What next has seen is there.
	_, _ = s.r.Discard(1)
	s.at++
}

// value reads a value; keep says whether its text is wanted, which holds until the next call.
func (s *scanner) value(keep bool) ([]byte, error) {
	first, err := s.next()
	if err != nil {
		return nil, err
	}
	begin := s.at
	s.buf = s.buf[:0]
	depth, text, escaped := 0, false, false
	for {
		c, err := s.r.ReadByte()
		if errors.Is(err, io.EOF) {
			if depth == 0 && !text && s.at > begin && first != '"' {
				return s.buf, nil // a number at the end
			}
			return nil, fmt.Errorf("%w in the value that begins at byte %d", errBroken, begin)
		}
		if err != nil {
			return nil, err
		}
		if depth == 0 && !text && s.at > begin && (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' ||
			c == '\r' || c == '\t') && first != '{' && first != '[' && first != '"' {
			return s.buf, s.r.UnreadByte()
		}
		s.at++
		if keep {
			if len(s.buf) == mostEvent {
				return nil, fmt.Errorf("the value at byte %d is longer than %s", begin, memory.Text(mostEvent))
			}
			if len(s.buf) == cap(s.buf) && cap(s.buf) >= 1<<20 {
				if err := memory.Room(uint64(2 * cap(s.buf))); err != nil {
					return nil, err
				}
			}
			s.buf = append(s.buf, c)
		}
		switch {
		case escaped:
			escaped = false
		case text && c == '\\':
			escaped = true
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !text && (c == '"' || c == '}' || c == ']') {
			return s.buf, nil
		}
	}
}

// events calls f for every event of the list that begins here; at is the byte where it begins. cut says how the list
// breaks off within an event, "" where it does not: a list without an end is whole.
func (s *scanner) events(f func(b []byte, at int64) error) (cut string, err error) {
	s.skip() // the bracket
	for k := 0; ; k++ {
		if k%1024 == 0 && s.ctx.Err() != nil {
			return "", s.ctx.Err()
		}
		c, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return "", nil
		case err != nil:
			return "", err
		case c == ',':
			s.skip()
			continue
		case c == ']':
			s.skip()
			return "", nil
		case c != '{':
			return "", fmt.Errorf("damaged at byte %d: %q where an event should begin", s.at, c)
		}
		at := s.at
		b, err := s.value(true)
		if errors.Is(err, errBroken) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Sprintf("the event at byte %d is not complete", at), nil
		}
		if err == nil {
			err = f(b, at)
		}
		if err != nil {
			return "", err
		}
	}
}

// trace reads a whole trace: a list of events, or an object with the list and more. beside is called with what else the
// object has.
func (s *scanner) trace(event func(b []byte, at int64) error,
	beside func(key string, b []byte)) (cut string, err error) {
	if head, err := s.r.Peek(3); err == nil && bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = s.r.Discard(3)
		s.at += 3
	}
	c, err := s.next()
	switch {
	case err != nil:
		return "", fmt.Errorf("no JSON: %w", err)
	case c == '[':
		return s.events(event)
	case c != '{':
		return "", fmt.Errorf("damaged at byte %d: %q where a trace should begin", s.at, c)
	}
	s.skip()
	for {
		c, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return "the object has no end", nil
		case err != nil:
			return "", err
		case c == ',' || c == ':':
			s.skip()
			continue
		case c == '}':
			return cut, nil
		case c != '"':
			return "", fmt.Errorf("damaged at byte %d: %q where a name should begin", s.at, c)
		}
		key, err := s.value(true)
		if err != nil {
			return whyCut(err)
		}
		name := string(key)
		for c, err = s.next(); err == nil && c == ':'; c, err = s.next() {
			s.skip()
		}
		switch {
		case err != nil:
			return whyCut(err)
		case name == `"traceEvents"` && c == '[':
			if cut, err = s.events(event); err != nil || cut != "" {
				return cut, err
			}
		default:
			keep := besides[name]
			b, err := s.value(keep)
			if err != nil {
				return whyCut(err)
			}
			if keep {
				beside(name, b)
			}
		}
	}
}

// besides are the names of an object beside its events that say something of the whole.
var besides = map[string]bool{`"otherData"`: true, `"counters"`: true, `"deviceProperties"`: true}

func whyCut(err error) (string, error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errBroken) {
		return "the object has no end", nil
	}
	return "", err
}
