package fleet

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Frames go between a pool and its workers: a type, the length of the body as 32 bits, little-endian, and the body,
// which is JSON.
const (
	frameSetup   = 'S' // to a worker: what it needs for all captures
	frameTask    = 'C' // to a worker: a capture
	frameReady   = 'Y' // from a worker: it has understood the setup
	frameTalk    = 'T' // from a worker: a line for standard error
	frameOutcome = 'O' // from a worker: what came of the capture
)

const (
	frameHead = 5
	// MaxFrame bounds the body of a frame, and so the rows of one capture.
	MaxFrame = 64 << 20
	// firstRead is how much of a body is asked for before any of it has come.
	firstRead = 64 << 10
)

var errFrame = errors.New("the other process does not speak the protocol")

// errTooLong is a frame that the other side would refuse.
var errTooLong = errors.New("longer than one message may be")

// writeFrame writes v as one frame, by one call of Write.
func writeFrame(w io.Writer, kind byte, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(body) > MaxFrame {
		return fmt.Errorf("%d bytes: %w (%d)", len(body), errTooLong, MaxFrame)
	}
	frame := make([]byte, frameHead, frameHead+len(body))
	frame[0] = kind
	binary.LittleEndian.PutUint32(frame[1:], uint32(len(body)))
	_, err = w.Write(append(frame, body...))
	return err
}

// readFrame reads one frame. io.EOF is an end between two frames.
func readFrame(r io.Reader) (kind byte, body []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, fmt.Errorf("%w: it ended within the head of a frame", errFrame)
		}
		return 0, nil, err
	}
	n := int(binary.LittleEndian.Uint32(head[1:]))
	switch kind = head[0]; kind {
	case frameSetup, frameTask, frameReady, frameTalk, frameOutcome:
	default:
		return 0, nil, fmt.Errorf("%w: a frame of type %q", errFrame, kind)
	}
	if n > MaxFrame {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes", errFrame, n)
	}
	for len(body) < n {
		from := len(body)
		body = append(body, make([]byte, min(n-from, max(firstRead, from)))...)
		if _, err := io.ReadFull(r, body[from:]); err != nil {
			return 0, nil, fmt.Errorf("%w: it ended within a frame of %d bytes", errFrame, n)
		}
	}
	return kind, body, nil
}

// decode reads the body of a frame.
func decode(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%w: %v", errFrame, err)
	}
	return nil
}
