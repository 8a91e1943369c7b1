package lsp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxMessage is the largest message in bytes: some times the largest script.
const maxMessage = 128 << 20

// maxHeader is the longest line of a header in bytes; there are two kinds, both short.
const maxHeader = 1024

// stream frames messages as the protocol does, with a header that says their length. The library's own takes that
// length at its word and makes room for up to 1 GiB before the first byte has come; here a message takes the memory of
// what was sent.
type stream struct {
	in  *bufio.Reader
	out io.Writer
	end io.Closer
	mu  sync.Mutex // of out
}

var _ jsonrpc2.Stream = (*stream)(nil)

func newStream(rw io.ReadWriteCloser) *stream {
	return &stream{in: bufio.NewReaderSize(rw, 4*maxHeader), out: rw, end: rw}
}

// Read returns the next message and how many bytes it took. The error is io.EOF where the client has gone between two
// messages.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	length, read, err := s.header()
	if err != nil {
		return nil, 0, err
	}
	var body bytes.Buffer
	n, err := io.CopyN(&body, s.in, int64(length))
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the message is truncated: %d of %d bytes: %w", n, length, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, 0, err
	}
	msg, err := jsonrpc2.DecodeMessage(body.Bytes())
	if err != nil {
		return nil, 0, err
	}
	return msg, int64(read) + n, nil
}

// header reads the lines before a message, up to the empty one.
func (s *stream) header() (length, read int, err error) {
	length = -1
	for {
		line, err := s.in.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, io.EOF) && read == 0:
			return 0, 0, io.EOF
		case errors.Is(err, io.EOF):
			return 0, 0, fmt.Errorf("the header is truncated: %w", io.ErrUnexpectedEOF)
		case err != nil || len(line) > maxHeader:
			return 0, 0, fmt.Errorf("%w: a line is longer than %d bytes", jsonrpc2.ErrInvalidHeader, maxHeader)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, 0, fmt.Errorf("%w: %q has no colon", jsonrpc2.ErrInvalidHeader, text)
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 1 || n > maxMessage {
			return 0, 0, fmt.Errorf("%w: Content-Length is %q, want 1 to %d", jsonrpc2.ErrInvalidHeader,
				strings.TrimSpace(value), maxMessage)
		}
		length = n
	}
	if length < 0 {
		return 0, 0, fmt.Errorf("%w: there is no Content-Length", jsonrpc2.ErrInvalidHeader)
	}
	return length, read, nil
}

// Write sends a message whole.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return int64(n), err
}

// Close ends the connection.
func (s *stream) Close() error { return s.end.Close() }
