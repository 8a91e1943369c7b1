package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// messages hands the messages of an Arrow file or stream in memory to an ipc.Reader, without copying them. It knows
// where each lies and how the last one ended.
type messages struct {
	data    []byte
	from    *afar // nil where data is all there
	whole   bool  // the file form with its footer
	end     int64 // where the messages end at the latest
	start   int64 // of the first message: 0 in the stream form
	pos     int64 // of the next message
	current int64 // of the last one handed out
	done    bool  // the end mark or footer was met
	cut     string
	limit   *limitedMemory
	views   viewCount
	seen    *index // told of every message that is handed out; nil for none

	// batch is asked for what arrow-go reads of a record batch whose data may lie elsewhere; nil needs all of it.
	batch func(*rawMessage)

	ahead    *rawMessage // read and not yet handed out
	indirect bool        // arrow-go is to read every batch

	schema []byte  // from the footer, to be handed out first; nil once it was, and where there is no footer
	blocks []block // that the footer names and that are still to come
	listed bool    // messages are those that the footer names
}

const (
	magic       = "ARROW1"
	magicPadded = 8
	contToken   = 0xffffffff
)

func newMessages(data []byte) *messages { return piece{data: data}.messages() }

func (p piece) messages() *messages {
	data := p.data
	m := &messages{data: data, from: p.from, end: int64(len(data)), limit: newLimitedMemory(len(data))}
	m.from.need(0, magicPadded+64)
	if !bytes.HasPrefix(data, []byte(magic)) {
		return m
	}
	// Some writers pad the magic to 64 bytes. A message never starts with a zero.
	for m.pos = min(magicPadded, m.end); m.pos < 64 && m.pos+8 <= m.end &&
		binary.LittleEndian.Uint64(data[m.pos:]) == 0; {
		m.pos += 8
	}
	m.start = m.pos
	tail := int64(len(magic) + 4)
	m.from.need(m.end-tail, m.end)
	if n := m.end - tail; n >= m.pos && string(data[n+4:]) == magic {
		footer := int64(binary.LittleEndian.Uint32(data[n:]))
		if footer <= n-m.pos {
			m.whole, m.end = true, n-footer
			m.from.need(m.end, n)
			var err error
			m.schema, m.blocks, err = readFooter(data[m.end:n], magicPadded, m.end)
			m.listed = err == nil // else the messages are read one after the other
		}
	}
	return m
}

// rawMessage is a message whose metadata is verified, or why there is none.
type rawMessage struct {
	info       messageInfo
	meta, body []byte
	err        error
}

// Message returns the next message, io.EOF at the end mark and where the data is cut off.
func (m *messages) Message() (*ipc.Message, error) {
	raw := m.peek()
	m.skip()
	if raw.err != nil {
		return nil, raw.err
	}
	if m.batch != nil && raw.info.header == headerBatch {
		m.batch(raw)
	} else {
		m.from.has(raw.body)
	}
	return ipc.NewMessage(memory.NewBufferBytes(raw.meta), memory.NewBufferBytes(raw.body)), nil
}

// peek returns the next message, which stays the next one until it is skipped.
func (m *messages) peek() *rawMessage {
	if m.ahead == nil {
		m.ahead = m.next()
	}
	return m.ahead
}

func (m *messages) skip() { m.ahead = nil }

func (m *messages) next() *rawMessage {
	end := m.end
	if m.listed {
		if m.schema != nil {
			meta := m.schema
			m.schema, m.current = nil, m.end
			info, err := verifyMessage(meta, &m.views)
			if err != nil {
				err = fmt.Errorf("no readable schema in the footer: %w", err)
			}
			return &rawMessage{info: info, meta: meta, err: err}
		}
		if len(m.blocks) == 0 {
			return m.finish()
		}
		m.pos, end = m.blocks[0].at, m.blocks[0].at+m.blocks[0].size
		m.blocks = m.blocks[1:]
	}
	rest := m.data[m.pos:end]
	m.current = m.pos
	m.from.need(m.pos, min(m.pos+8, end))
	if len(rest) == 0 {
		if m.whole && !m.listed {
			return m.finish()
		}
		return m.cutOff("there is no end mark")
	}
	if len(rest) < 8 {
		if len(rest) == 4 && binary.LittleEndian.Uint32(rest) == 0 {
			return m.finish()
		}
		return m.cutOff("it ends inside a message header")
	}
	prefix := 8
	size := int64(binary.LittleEndian.Uint32(rest[4:]))
	if first := binary.LittleEndian.Uint32(rest); first != contToken {
		prefix, size = 4, int64(first) // before Arrow 0.15 there was no continuation mark
	}
	switch {
	case size == 0 && (prefix == 8 || len(rest) == 8 || m.whole):
		return m.finish()
	case size == 0:
		return m.cutOff("only zeros follow where a message should start")
	case size > int64(len(rest)-prefix):
		return m.cutOff("it ends inside a message's metadata")
	}
	meta := rest[prefix : int64(prefix)+size : int64(prefix)+size]
	m.from.has(meta)
	info, err := verifyMessage(meta, &m.views)
	if err != nil {
		return &rawMessage{err: fmt.Errorf("no readable Arrow message: %w", err)}
	}
	body := rest[int64(prefix)+size:]
	if info.bodyLen > int64(len(body)) {
		return m.cutOff("it ends inside a message's data")
	}
	body = body[:info.bodyLen:info.bodyLen]
	if m.seen != nil {
		m.seen.add(info, m.pos, prefix+int(size), meta)
	}
	m.pos += int64(prefix) + size + info.bodyLen
	return &rawMessage{info: info, meta: meta, body: body}
}

func (m *messages) finish() *rawMessage {
	m.done = true
	return &rawMessage{err: io.EOF}
}

func (m *messages) cutOff(how string) *rawMessage {
	if m.whole {
		// The footer says that nothing was cut off: some length before it is wrong.
		return &rawMessage{err: fmt.Errorf("a message runs into what follows it (%s)", how)}
	}
	m.cut = how
	return &rawMessage{err: io.EOF}
}

// Retain and Release do nothing: the garbage collector owns the messages, and the data is never given back.
func (m *messages) Retain()  {}
func (m *messages) Release() {}
