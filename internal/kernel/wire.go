package kernel

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// Bounds of what a peer may send. A cell is a text that somebody typed.
const (
	maxMessage = 64 << 20 // bytes of a message
	maxFrames  = 1000     // of a message
	maxCommand = 4 << 10  // bytes of a command of the transport
)

// Of ZMTP 3.0, https://rfc.zeromq.org/spec/23.
const (
	greetingBytes = 64
	flagMore      = 1
	flagLong      = 2
	flagCommand   = 4
)

var errTooLarge = fmt.Errorf("a message is larger than %d MiB", maxMessage>>20)

// wire is the connection below zmq4's. It follows the frames that the peer sends, because zmq4 makes room for a frame
// before its bytes are there, and takes commands out, because zmq4 would answer them in the middle of a message that is
// being written. It is written to by one goroutine and read by another.
type wire struct {
	net.Conn
	r           *bufio.Reader
	w           *bufio.Writer
	greeting    int    // bytes of the peer's greeting that are still to be read
	head        []byte // of a frame, still to be handed on
	body        uint64 // bytes of a frame still to be handed on
	frames      int    // of the message that is being read
	size        uint64 // of its frames so far
	established atomic.Bool
	sent        atomic.Int64      // bytes that the peer's system has taken
	command     func(body []byte) // takes commands once the connection is established
}

func newWire(conn net.Conn) *wire {
	w := &wire{Conn: conn, greeting: greetingBytes, r: bufio.NewReaderSize(conn, 64<<10)}
	w.w = bufio.NewWriterSize(counted{w}, 64<<10)
	return w
}

// Read hands on what the peer sent but for commands.
func (w *wire) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if w.greeting > 0 {
		n, err := w.r.Read(p[:min(len(p), w.greeting)])
		w.greeting -= n
		return n, err
	}
	for len(w.head) == 0 && w.body == 0 {
		if err := w.frame(); err != nil {
			return 0, err
		}
	}
	if len(w.head) > 0 {
		n := copy(p, w.head)
		w.head = w.head[n:]
		return n, nil
	}
	n, err := w.r.Read(p[:min(uint64(len(p)), w.body)])
	w.body -= uint64(n)
	return n, err
}

// frame reads the head of the next frame, and all of one that is a command.
func (w *wire) frame() error {
	flags, err := w.r.ReadByte()
	if err != nil {
		return err
	}
	head := []byte{flags}
	short, err := w.r.ReadByte()
	if err != nil {
		return unexpected(err)
	}
	head = append(head, short)
	size := uint64(short)
	if flags&flagLong != 0 {
		var rest [7]byte
		if _, err := io.ReadFull(w.r, rest[:]); err != nil {
			return unexpected(err)
		}
		head = append(head, rest[:]...)
		size = binary.BigEndian.Uint64(head[1:])
	}
	if flags&flagCommand != 0 && size > maxCommand || size > maxMessage {
		return errTooLarge
	}
	if flags&flagCommand != 0 && w.established.Load() {
		body := make([]byte, size)
		if _, err := io.ReadFull(w.r, body); err != nil {
			return unexpected(err)
		}
		w.command(body)
		return nil
	}
	if w.frames, w.size = w.frames+1, w.size+size; w.size > maxMessage || w.frames > maxFrames {
		return errTooLarge
	}
	if flags&flagMore == 0 {
		w.frames, w.size = 0, 0
	}
	w.head, w.body = head, size
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Write collects what zmq4 writes in pieces, but for the first words that it waits for answers to.
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err == nil && !w.established.Load() {
		err = w.w.Flush()
	}
	return n, err
}

// counted writes to the connection in pieces, so that who waits can see a slow peer take some.
type counted struct{ w *wire }

func (c counted) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var part int
		part, err = c.w.Conn.Write(p[n:min(len(p), n+64<<10)])
		n += part
		c.w.sent.Add(int64(part))
	}
	return n, err
}

// pingOf is what a PING wants to have back, ZMTP 3.1: the command is its name behind its length, a time to live of two
// bytes, and a context.
func pingOf(command []byte) (context []byte, ok bool) {
	rest, ok := bytes.CutPrefix(command, []byte("\x04PING"))
	if !ok || len(rest) < 2 {
		return nil, false
	}
	return rest[2:], true
}
