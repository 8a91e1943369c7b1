package arrow

import (
	"encoding/binary"
	"fmt"
)

// index gathers where the messages of a file lie, for the footer at its end. It keeps 24 bytes per message.
type index struct {
	schema        []byte // the FlatBuffer of the schema message
	dicts, blocks []place
	known         map[int64]bool // dictionaries
	replaced      bool           // a dictionary, which a file cannot have
}

// place is a Block of the Arrow format's File.fbs.
type place struct {
	at   int64
	head int32 // its length word and metadata, with padding
	body int64
}

// endMark ends the messages, in the file form as in the stream form.
var endMark = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// add notes the message at a position of the file, whose metadata has that many bytes with its length word.
func (x *index) add(info messageInfo, at int64, head int, meta []byte) {
	p := place{at, int32(head), info.bodyLen}
	switch info.header {
	case headerSchema:
		x.schema = meta
	case headerDictionary:
		x.dicts = append(x.dicts, p)
		x.replaced = x.replaced || x.known[info.dict] && !info.grows
		if x.known == nil {
			x.known = map[int64]bool{}
		}
		x.known[info.dict] = true
	case headerBatch:
		x.blocks = append(x.blocks, p)
	}
}

// addAll notes the messages that b, which lies at a position of the file, is made of.
func (x *index) addAll(b []byte, at int64) error {
	views := viewCount{}
	for pos := 0; pos < len(b); {
		if len(b)-pos < 8 {
			return fmt.Errorf("%d bytes are no message", len(b)-pos)
		}
		head := 8 + int(binary.LittleEndian.Uint32(b[pos+4:]))
		if head > len(b)-pos {
			return fmt.Errorf("a message of %d bytes in %d", head, len(b)-pos)
		}
		meta := b[pos+8 : pos+head : pos+head]
		info, err := verifyMessage(meta, &views)
		if err != nil {
			return err
		}
		x.add(info, at+int64(pos), head, meta)
		pos += head + int(info.bodyLen)
	}
	return nil
}

// end is what comes behind the last message of a file: the end mark, the footer, its length and the magic. The schema
// stands in the footer as the whole message that has it: references in a FlatBuffer are relative and lead onwards.
func (x *index) end() []byte {
	const (
		vtable, table = 4, 20
		fields        = 44 // the end of the table, from where a vector's elements come at a multiple of 8
	)
	le := binary.LittleEndian
	out := append([]byte(nil), endMark...)
	footer := make([]byte, fields)
	le.PutUint32(footer, table)
	// lengths, then the places of version, schema, dictionaries and record batches
	for i, n := range []uint16{12, 20, 4, 8, 12, 16} {
		le.PutUint16(footer[vtable+2*i:], n)
	}
	le.PutUint32(footer[table:], table-vtable)
	v := verifier{b: x.schema}
	message := fbTable{&v, v.follow(0)}
	if p := message.field(0); p != 0 {
		copy(footer[table+4:], x.schema[p:p+2]) // the version of the metadata
	}
	refer := func(field, to int) { le.PutUint32(footer[table+field:], uint32(to-(table+field))) }
	for i, list := range [][]place{x.dicts, x.blocks} {
		refer(12+4*i, len(footer))
		footer = le.AppendUint32(footer, uint32(len(list)))
		for _, p := range list {
			footer = le.AppendUint64(footer, uint64(p.at))
			footer = le.AppendUint64(footer, uint64(p.head)) // 4 bytes of padding
			footer = le.AppendUint64(footer, uint64(p.body))
		}
		footer = append(footer, 0, 0, 0, 0)
	}
	footer = append(footer, 0, 0, 0, 0) // the message begins at a multiple of 8, as in the file
	refer(8, len(footer)+v.follow(message.need(2)))
	footer = append(footer, x.schema...)
	for len(footer)%8 != 0 {
		footer = append(footer, 0)
	}
	out = append(out, footer...)
	out = le.AppendUint32(out, uint32(len(footer)))
	return append(out, magic...)
}
