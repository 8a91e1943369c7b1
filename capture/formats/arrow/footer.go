package arrow

import (
	"encoding/binary"
	"fmt"
)

// block is where a message of a file lies (Block in the Arrow format's File.fbs).
type block struct{ at, size int64 }

// readFooter reads the footer of the file form, which says what the schema is and where the messages lie; some writers
// (polars, Arrow for JavaScript) put the schema nowhere else, or pad between messages. It returns the schema as a
// message of its own, and the dictionaries and batches in their order. The footer is the bytes from start on; messages
// lie in [first, start).
func readFooter(b []byte, first, start int64) (schema []byte, blocks []block, err error) {
	defer func() {
		if r := recover(); r != nil {
			schema, blocks, err = nil, nil, fmt.Errorf("the footer at byte %d is damaged", start)
		}
	}()
	v := &verifier{b: b, budget: 8*len(b) + 1024}
	footer := fbTable{v, v.follow(0)}
	at := v.follow(footer.need(1))
	var total int64
	for _, field := range []int{2, 3} { // dictionaries, record batches
		p, n := footer.vector(field, 24)
		for k := range n {
			at := v.i64(p + 24*k)
			size := int64(int32(v.u32(p+24*k+8))) + v.i64(p+24*k+16)
			if at < first || size < 0 || at > start || size > start-at {
				return nil, nil, fmt.Errorf("the footer at byte %d names a message of %d bytes at byte %d",
					start, size, at)
			}
			// Messages that overlap would let a small file claim any amount of data.
			if total += size; total > start {
				return nil, nil, fmt.Errorf("the footer at byte %d names more data than the file has", start)
			}
			blocks = append(blocks, block{at, size})
		}
	}
	return schemaAsMessage(b, at), blocks, nil
}

// schemaAsMessage wraps the schema table at position p of a footer as a message: references in a FlatBuffer are
// relative, so that the footer's bytes can stand behind a message's table of their own.
func schemaAsMessage(footer []byte, p int) []byte {
	const (
		vtable, table = 4, 16
		fields        = 40 // where the table's fields end and the footer begins, a multiple of 8
	)
	out := make([]byte, fields, fields+len(footer)+8)
	le := binary.LittleEndian
	le.PutUint32(out, table)
	// lengths, then the places of version, header type, header and body length
	for i, x := range []uint16{12, fields - table, 4, 6, 8, 16} {
		le.PutUint16(out[vtable+2*i:], x)
	}
	le.PutUint32(out[table:], table-vtable)
	le.PutUint16(out[table+4:], 4) // version 5 of the metadata
	out[table+6] = byte(headerSchema)
	le.PutUint32(out[table+8:], uint32(fields+p-(table+8)))
	out = append(out, footer...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	return out
}
