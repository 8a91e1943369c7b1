package vendorproc

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Server is the second program's side of the protocol. Its methods may be called from several goroutines.
type Server struct {
	mu  sync.Mutex
	out io.Writer
	buf []byte
}

// Handler answers a request. An error that is no *Error is told as LibraryFailed.
type Handler func(body json.RawMessage) (any, error)

// NewServer says hello on out.
func NewServer(out io.Writer) (*Server, error) {
	s := &Server{out: out}
	return s, s.message(hello{Program, protocol})
}

func (s *Server) message(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return writeFrame(s.out, frameMessage, b)
}

// Sample sends a sample.
func (s *Server) Sample(v *Sample) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = encodeSample(s.buf[:0], v)
	return writeFrame(s.out, frameSample, s.buf)
}

// Ended says that no more samples will come, and why.
func (s *Server) Ended(err error) error {
	return s.message(reply{Event: eventEnded, Error: asError(err)})
}

// Serve answers requests, one after the other, until in ends. It does not wait for a request that is being worked on
// then: a library that hangs must not keep the program.
func (s *Server) Serve(in io.Reader, handlers map[string]Handler) error {
	requests, failed := make(chan request, 4), make(chan error, 1)
	defer close(requests)
	go func() {
		for r := range requests {
			if err := s.message(answer(r, handlers)); err != nil {
				failed <- err
				return
			}
		}
	}()
	var buf []byte
	for {
		kind, body, err := readFrame(in, buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		buf = body
		var r request
		if kind != frameMessage || json.Unmarshal(body, &r) != nil {
			return errFrame
		}
		select {
		case requests <- r:
		case err := <-failed:
			return err
		}
	}
}

func answer(r request, handlers map[string]Handler) reply {
	h, ok := handlers[r.Op]
	if !ok {
		return reply{Error: &Error{Kind: BadRequest, Text: fmt.Sprintf("%s does not know the request %q",
			Program, r.Op)}}
	}
	v, err := h(r.Body)
	if err != nil {
		return reply{Error: asError(err)}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return reply{Error: asError(err)}
	}
	return reply{Body: b}
}

func asError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Kind: LibraryFailed, Text: err.Error()}
}
