package vendorproc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Types of frames.
const (
	frameMessage = 'J' // a JSON text
	frameSample  = 'S' // start and end as int64 in ns of CLOCK_MONOTONIC, then float64 values; all little-endian
)

const (
	headerSize = 5
	// maxFrame bounds the body of a frame: the descriptions of all counters of a GPU are some hundred KiB.
	maxFrame = 8 << 20
	// firstRead is how much of a frame is asked for before any of it has come: a length alone makes nobody allocate
	// more.
	firstRead = 64 << 10
)

// Sample is what a library delivered at one time. The values are those of the columns that were agreed on, NaN where
// the library had none; they are cumulative since the start.
type Sample struct {
	Start, End int64 // CLOCK_MONOTONIC before and after the library was asked, ns
	Values     []float64
}

var errFrame = errors.New("the other side does not speak the protocol")

// writeFrame writes one frame.
func writeFrame(w io.Writer, kind byte, body []byte) error {
	if len(body) > maxFrame {
		return fmt.Errorf("a message of %d bytes is longer than the protocol's limit of %d", len(body), maxFrame)
	}
	b := make([]byte, headerSize, headerSize+len(body))
	binary.LittleEndian.PutUint32(b, uint32(len(body)))
	b[4] = kind
	_, err := w.Write(append(b, body...))
	return err
}

// readFrame reads one frame into buf, which grows as data comes. io.EOF is an end between two frames.
func readFrame(r io.Reader, buf []byte) (kind byte, body []byte, err error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, fmt.Errorf("%w: it ended within the head of a frame", errFrame)
		}
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	kind = head[4]
	if kind != frameMessage && kind != frameSample {
		return 0, nil, fmt.Errorf("%w: a frame of type %q", errFrame, kind)
	}
	if n > maxFrame {
		return 0, nil, fmt.Errorf("%w: a frame of %d bytes, more than %d", errFrame, n, maxFrame)
	}
	body = buf[:0]
	for len(body) < int(n) {
		step := min(int(n)-len(body), max(firstRead, len(body), cap(body)-len(body)))
		from := len(body)
		if cap(body) < from+step {
			grown := make([]byte, from, from+step)
			copy(grown, body)
			body = grown
		}
		body = body[:from+step]
		if _, err := io.ReadFull(r, body[from:]); err != nil {
			return 0, nil, fmt.Errorf("%w: it ended within a frame of %d bytes", errFrame, n)
		}
	}
	return kind, body, nil
}

// encodeSample appends the body of a sample's frame to b.
func encodeSample(b []byte, s *Sample) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Start))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.End))
	for _, v := range s.Values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// decodeSample reads the body of a sample's frame into s, whose memory it uses again.
func decodeSample(body []byte, s *Sample) error {
	if len(body) < 16 || len(body)%8 != 0 {
		return fmt.Errorf("%w: a sample of %d bytes", errFrame, len(body))
	}
	s.Start, s.End = int64(binary.LittleEndian.Uint64(body)), int64(binary.LittleEndian.Uint64(body[8:]))
	s.Values = s.Values[:0]
	for at := 16; at < len(body); at += 8 {
		s.Values = append(s.Values, math.Float64frombits(binary.LittleEndian.Uint64(body[at:])))
	}
	if s.End < s.Start {
		return fmt.Errorf("%w: a sample that ends before it starts", errFrame)
	}
	return nil
}
