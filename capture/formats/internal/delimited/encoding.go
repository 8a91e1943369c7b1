package delimited

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"astrolabe/capture/memory"
)

// mostRewritten bounds a file that is rewritten in memory, in bytes.
const mostRewritten = 1 << 30

// Plain returns text that Open can read: UTF-16, as Excel saves "Unicode text", becomes UTF-8, and lines that end in a
// lone carriage return, as on old Macs, end in line feeds. Other text is returned as it is. What is rewritten is held
// in memory.
func Plain(r io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	head := make([]byte, min(size, headSize))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, 0, err
	}
	order := utf16Order(head)
	if order == nil && !loneReturns(head) {
		return r, size, nil
	}
	if size > mostRewritten {
		return nil, 0, fmt.Errorf(
			"the text is UTF-16 or its lines end in carriage returns, and with %d bytes it is too large to be rewritten: save it as UTF-8 with line feeds",
			size)
	}
	if err := memory.Room(3 * uint64(size)); err != nil { // the text, rewritten once or twice
		return nil, 0, err
	}
	text := make([]byte, size)
	if _, err := r.ReadAt(text, 0); err != nil && err != io.EOF {
		return nil, 0, err
	}
	text = PlainHead(text)
	return bytes.NewReader(text), int64(len(text)), nil
}

// PlainHead is Plain for text in memory.
func PlainHead(text []byte) []byte {
	if order := utf16Order(text); order != nil {
		text = fromUTF16(text, order)
	}
	if loneReturns(text) {
		text = bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
	}
	return text
}

// utf16Order is the byte order of UTF-16 text, nil of any other: by its mark, or by the zeros that every second byte of
// a header is.
func utf16Order(head []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return binary.BigEndian
	case len(head) < 8:
		return nil
	}
	for _, o := range []struct {
		order binary.ByteOrder
		high  int
	}{{binary.LittleEndian, 1}, {binary.BigEndian, 0}} {
		zeros := 0
		for i := range 4 {
			if head[2*i+o.high] == 0 && head[2*i+1-o.high] != 0 {
				zeros++
			}
		}
		if zeros == 4 {
			return o.order
		}
	}
	return nil
}

func fromUTF16(text []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(text)/2+len(text)/8)
	for i := 0; i+1 < len(text); i += 2 {
		r := rune(order.Uint16(text[i:]))
		if utf16.IsSurrogate(r) && i+3 < len(text) {
			r = utf16.DecodeRune(r, rune(order.Uint16(text[i+2:])))
			i += 2
		}
		if i <= 2 && r == 0xfeff {
			continue // the mark of the byte order
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// loneReturns reports whether lines end in a carriage return alone.
func loneReturns(head []byte) bool {
	i := bytes.IndexByte(head, '\r')
	return i >= 0 && i < len(head)-1 && bytes.IndexByte(head, '\n') < 0
}
