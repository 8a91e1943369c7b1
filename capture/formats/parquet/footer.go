package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"

	"astrolabe/capture/memory"
)

// The description of a file is Thrift's compact encoding, in which a structure may take one byte. Its decoder makes
// whatever lists claim, and goes down into structures that it does not know; what makes columns of it multiplies
// columns by row groups, and sums up the depths of all groups. So the bytes are measured before they are decoded, and
// the numbers held against each other before anything is made of them.

// deepest is how far structures may lie in each other. The format itself needs 8.
const deepest = 64

var (
	errThrift     = errors.New("it is no structure of Thrift")
	errThriftDeep = fmt.Errorf("its structures lie more than %d deep in each other", deepest)
	errThriftEnd  = errors.New("it breaks off")
)

// measure is what a structure of Thrift becomes when it is decoded.
type measure struct {
	b    []byte
	at   int
	room uint64 // bytes
}

// measured goes through the structure that begins b, and says how much memory it takes when it is decoded.
func measured(b []byte) (room uint64, err error) {
	m := &measure{b: b}
	err = m.structure(0)
	return m.room + uint64(m.at), err
}

func (m *measure) byte() (byte, error) {
	if m.at >= len(m.b) {
		return 0, errThriftEnd
	}
	m.at++
	return m.b[m.at-1], nil
}

func (m *measure) varint() (uint64, error) {
	v, n := binary.Uvarint(m.b[m.at:])
	switch {
	case n == 0:
		return 0, errThriftEnd
	case n < 0:
		return 0, errThrift
	}
	m.at += n
	return v, nil
}

func (m *measure) skip(n uint64) error {
	if n > uint64(len(m.b)-m.at) {
		return errThriftEnd
	}
	m.at += int(n)
	return nil
}

func (m *measure) structure(depth int) error {
	if depth > deepest {
		return errThriftDeep
	}
	for {
		head, err := m.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := m.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind > 2 { // a Boolean field has its value in its type
			if err := m.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// largest is more than the largest of the structures that stand in lists takes, in bytes, and small what one in a list
// of a list's does.
var (
	largest = uint64(max(unsafe.Sizeof(format.ColumnChunk{}), unsafe.Sizeof(format.SchemaElement{}),
		unsafe.Sizeof(format.RowGroup{})))
	small = uint64(unsafe.Sizeof(format.KeyValue{}))
)

// value goes over a value. Types are those of Thrift's compact protocol.
func (m *measure) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3: // Booleans in lists, bytes
		return m.skip(1)
	case 4, 5, 6: // integers
		_, err := m.varint()
		return err
	case 7: // double
		return m.skip(8)
	case 8: // bytes
		n, err := m.varint()
		if err != nil {
			return err
		}
		return m.skip(n)
	case 9, 10: // list, set
		return m.list(depth)
	case 11:
		return m.pairs(depth)
	case 12:
		return m.structure(depth + 1)
	}
	return errThrift
}

func (m *measure) list(depth int) error {
	head, err := m.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = m.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(m.b)-m.at) { // each takes a byte at least
		return errThriftEnd
	}
	kind := head & 15
	switch {
	case kind == 12 && depth < 3: // of the description, or of a row group
		m.room += n * largest
	case kind == 12:
		m.room += n * small
	default:
		m.room += n * 24
	}
	for range n {
		if depth > deepest {
			return errThriftDeep
		}
		if err := m.value(kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (m *measure) pairs(depth int) error {
	n, err := m.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := m.byte()
	if err != nil {
		return err
	}
	if n > uint64(len(m.b)-m.at) || depth > deepest {
		return errThriftEnd
	}
	m.room += n * small
	for range n {
		if err := m.value(kinds>>4, depth+1); err != nil {
			return err
		}
		if err := m.value(kinds&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// footerRoom asks for the memory that the description of a file takes: it is decoded twice, here and by parquet-go.
func footerRoom(raw []byte) error {
	room, err := measured(raw)
	if err != nil {
		return err
	}
	return memory.Room(2 * room)
}

// CheckFooter makes sure of a file that its description can be decoded in memory that there is, before parquet-go does.
func CheckFooter(r io.ReaderAt, size int64) error {
	if err := checkEnds(r, size); err != nil {
		return err
	}
	_, _, _, err := unpackedFooter(r, size)
	return err
}

// checkSchema makes sure that the columns are a tree, and that every row group has all of them.
func checkSchema(meta *format.FileMetaData) error {
	leaves, children, segments := 0, int64(0), uint64(0)
	var open []int64 // children to come, by group
	for i := range meta.Schema {
		if i > 0 && len(open) == 0 {
			return fmt.Errorf("its list of columns has %d entries, and its groups have room for %d",
				len(meta.Schema), i)
		}
		if len(open) > deepest {
			return fmt.Errorf("column %q lies more than %d groups deep", meta.Schema[i].Name, deepest)
		}
		segments += uint64(len(open) + 1)
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if n := meta.Schema[i].NumChildren; n.Valid && n.V > 0 {
			open = append(open, int64(n.V))
			children += int64(n.V)
		} else if i > 0 {
			leaves++
		}
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("its groups have %d columns, and %d are listed", children, len(meta.Schema)-1)
	}
	for i := range meta.RowGroups {
		if n := len(meta.RowGroups[i].Columns); n != leaves {
			return fmt.Errorf("a row group has %d columns, the schema has %d", n, leaves)
		}
	}
	const columnRoom = 512 // of parquet-go's structures
	return memory.Room(uint64(len(meta.Schema))*columnRoom + 16*segments + 8*uint64(leaves)*uint64(len(meta.RowGroups)))
}
