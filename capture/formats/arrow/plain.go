package arrow

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
)

// A long recording has tens of thousands of small record batches, and arrow-go makes some objects for every column of
// each. Batches of plain columns are taken apart here by their metadata alone, and a column looks for its values when it
// is first read. Whatever is unusual, or wrong, is left to arrow-go: this reader takes no batch that arrow-go would not,
// and has no errors of its own.

// plainBatch is a record batch of columns that have a node of metadata each and two buffers, or three of text.
type plainBatch struct {
	meta, body     []byte
	rows           int
	nodes, buffers int // where the lists stand in meta
}

// layPlain gives each column its place among the buffers of a plain batch, unless one has another form.
func (c *content) layPlain() {
	at := 0
	for i := range c.cols {
		col := &c.cols[i]
		col.node, col.buffer = i, at
		switch {
		case col.width > 0:
			at += 2
		case col.field.Type.ID() == arrow.STRING:
			at += 3
		default:
			return
		}
	}
	c.buffers = at
}

// addPlain adds a record batch of plain columns; ok is false of one that it leaves to arrow-go. m is verified.
func (c *content) addPlain(m *rawMessage) (ok bool, err error) {
	v := &verifier{b: m.meta, budget: 8*len(m.meta) + 1024}
	msg := fbTable{v, v.follow(0)}
	batch := fbTable{v, v.follow(msg.need(2))}
	if version := msg.field(0); version+2 > len(m.meta) || batch.field(3) != 0 {
		return false, nil // damaged, or compressed
	}
	rows := int64(0)
	if p := batch.field(0); p != 0 {
		rows = v.i64(p)
	}
	nodesAt, nodes := batch.vector(1, 16)
	buffersAt, buffers := batch.vector(2, 16)
	if rows > int64(mostRows-c.rows()) || nodes < len(c.cols) || buffers < c.buffers {
		return false, nil
	}
	b := plainBatch{m.meta, m.body, int(rows), nodesAt, buffersAt}
	for i := range c.cols {
		col := &c.cols[i]
		if v.i64(nodesAt+16*i) != rows {
			return false, nil
		}
		if col.width > 0 {
			_, ok = b.numbers(col)
		} else {
			_, ok = b.texts(col)
		}
		if !ok {
			return false, nil
		}
	}
	c.plain = append(c.plain, b)
	text, noted := msg.keyValue(4, keyNotes)
	return true, c.addRows(b.rows, text, noted)
}

// allPlain reports whether every batch is a plain one.
func (c *content) allPlain() bool { return c.buffers > 0 && len(c.plain) == c.batches() }

// spread gives every column what it has in the plain batches, so that batches of other forms can follow.
func (c *content) spread() {
	for i := range c.cols {
		c.cols[i].load()
	}
	c.plain = nil
}

// load finds the column's values in the plain batches.
func (c *column) load() {
	c.once.Do(func() {
		if len(*c.plain) == 0 {
			return
		}
		if c.width == 0 {
			c.texts = make([]texts, len(*c.plain))
		} else {
			c.chunks = make([]chunk, len(*c.plain))
		}
		for k := range *c.plain {
			if b := &(*c.plain)[k]; c.width == 0 {
				c.texts[k], _ = b.texts(c)
			} else {
				c.chunks[k], _ = b.numbers(c)
			}
		}
	})
}

func (b *plainBatch) word(at int) int64 { return int64(binary.LittleEndian.Uint64(b.meta[at:])) }

func (b *plainBatch) buffer(i int) []byte {
	at := b.buffers + 16*i
	from := b.word(at)
	to := from + b.word(at+8)
	return b.body[from:to:to]
}

// validity is the bitmap of a column's missing values, nil where there is none.
func (b *plainBatch) validity(c *column) (valid *byte, ok bool) {
	if b.word(b.nodes+16*c.node+8) == 0 {
		return nil, true
	}
	bits := b.buffer(c.buffer)
	if len(bits) == 0 {
		return nil, true
	}
	return unsafe.SliceData(bits), len(bits) >= (b.rows+7)/8
}

func (b *plainBatch) numbers(c *column) (ch chunk, ok bool) {
	if b.rows == 0 {
		return chunk{}, true
	}
	values := b.buffer(c.buffer + 1)
	ch.values = unsafe.Pointer(unsafe.SliceData(values))
	ch.valid, ok = b.validity(c)
	return ch, ok && len(values)/c.width >= b.rows
}

func (b *plainBatch) texts(c *column) (t *plainTexts, ok bool) {
	values := b.buffer(c.buffer + 2)
	for i := range 3 {
		c.from.has(b.buffer(c.buffer + i)) // of which the last offset is looked at now, and the rest as a rule
	}
	t = &plainTexts{n: b.rows, offsets: b.buffer(c.buffer + 1),
		values: unsafe.String(unsafe.SliceData(values), len(values))}
	if t.n == 0 {
		return t, true
	}
	if t.valid, ok = b.validity(c); !ok || len(t.offsets)/4 < t.n+1 {
		return nil, false
	}
	return t, t.offset(t.n) <= len(t.values)
}

// plainTexts is a column of text where it lies.
type plainTexts struct {
	n       int
	valid   *byte
	offsets []byte
	values  string
}

var _ texts = (*plainTexts)(nil)

func (t *plainTexts) offset(i int) int {
	return int(int32(binary.NativeEndian.Uint32(t.offsets[4*i:])))
}

// Len is the number of texts.
func (t *plainTexts) Len() int { return t.n }

// IsNull reports whether text i is missing.
func (t *plainTexts) IsNull(i int) bool { return chunk{valid: t.valid}.missing(i) }

// Value is text i, over the memory of the file.
func (t *plainTexts) Value(i int) string { return t.values[t.offset(i):t.offset(i+1)] }
