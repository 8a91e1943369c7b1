package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// messageHeader tells the IPC messages apart (MessageHeader in the Arrow format's Message.fbs).
type messageHeader byte

const (
	headerSchema     messageHeader = 1
	headerDictionary messageHeader = 2
	headerBatch      messageHeader = 3
)

// messageInfo is what verification learns about a message.
type messageInfo struct {
	header  messageHeader
	bodyLen int64
	dict    int64 // id of a dictionary
	grows   bool  // a dictionary batch adds to the one before
}

// viewCount is what a schema says about columns of text or byte views (BinaryView and Utf8View in Schema.fbs). Each
// needs an entry in the list of variadic buffer counts of its batch; arrow-go reads the list without asking for its
// length.
type viewCount struct {
	plain int           // in record batches
	dicts map[int64]int // in dictionary batches, by dictionary id
}

const (
	typeBinaryView = 23
	typeUtf8View   = 24
)

var errMetadata = errors.New("its metadata is damaged")

// maxDepth is the deepest nesting of fields that is followed.
const maxDepth = 32

// verifyMessage checks the FlatBuffer of one IPC message before arrow-go decodes it: arrow-go allocates by the lengths
// it finds, and FlatBuffers may refer to one string or field many times over. Whatever passes needs memory in
// proportion to len(b). A schema fills in views, batches are held against it.
func verifyMessage(b []byte, views *viewCount) (info messageInfo, err error) {
	defer func() {
		// Reading beyond b panics; that is how a bad offset shows.
		if r := recover(); r != nil {
			err = errMetadata
		}
	}()
	v := &verifier{b: b, budget: 8*len(b) + 1024}
	msg := fbTable{v, v.follow(0)}
	if p := msg.field(0); p != 0 {
		v.u16(p) // the version, which a footer repeats
	}
	if p := msg.field(1); p != 0 {
		info.header = messageHeader(b[p])
	}
	if p := msg.field(3); p != 0 {
		info.bodyLen = v.i64(p)
	}
	if info.bodyLen < 0 {
		return info, fmt.Errorf("%w: body of %d bytes", errMetadata, info.bodyLen)
	}
	v.keyValues(msg, 4)
	head := fbTable{v, v.follow(msg.need(2))}
	switch info.header {
	case headerSchema:
		views.dicts = map[int64]int{}
		views.plain = v.fields(head, 1, 0, views)
		v.keyValues(head, 2)
	case headerDictionary:
		if p := head.field(0); p != 0 {
			info.dict = v.i64(p)
		}
		if p := head.field(2); p != 0 {
			info.grows = b[p] != 0
		}
		v.batch(fbTable{v, v.follow(head.need(1))}, info.bodyLen, views.dicts[info.dict])
	case headerBatch:
		v.batch(head, info.bodyLen, views.plain)
	default:
		return info, fmt.Errorf("message of unknown type %d", info.header)
	}
	return info, v.err
}

type verifier struct {
	b      []byte
	budget int // elements and string bytes that may still be visited
	err    error
}

func (v *verifier) u16(p int) int   { return int(binary.LittleEndian.Uint16(v.b[p:])) }
func (v *verifier) u32(p int) int   { return int(binary.LittleEndian.Uint32(v.b[p:])) }
func (v *verifier) i64(p int) int64 { return int64(binary.LittleEndian.Uint64(v.b[p:])) }

// follow returns what the offset at p points to.
func (v *verifier) follow(p int) int { return p + v.u32(p) }

func (v *verifier) spend(n int) {
	if v.budget -= n; v.budget < 0 {
		panic(errMetadata)
	}
}

type fbTable struct {
	v   *verifier
	pos int
}

// field returns the position of the i-th field of the table, 0 where it is absent.
func (t fbTable) field(i int) int {
	vt := t.pos - int(int32(t.v.u32(t.pos)))
	if 4+2*i >= t.v.u16(vt) {
		return 0
	}
	off := t.v.u16(vt + 4 + 2*i)
	if off == 0 {
		return 0
	}
	return t.pos + off
}

func (t fbTable) need(i int) int {
	p := t.field(i)
	if p == 0 {
		panic(errMetadata)
	}
	return p
}

// vector returns the position of the first of n elements of the given size, n = 0 where the field is absent.
func (t fbTable) vector(i, size int) (p, n int) {
	f := t.field(i)
	if f == 0 {
		return 0, 0
	}
	p = t.v.follow(f)
	n = t.v.u32(p)
	p += 4
	if n < 0 || p > len(t.v.b) || n > (len(t.v.b)-p)/size {
		panic(errMetadata)
	}
	t.v.spend(n)
	return p, n
}

// text visits a string.
func (t fbTable) text(i int) { t.vector(i, 1) }

func (v *verifier) keyValues(t fbTable, i int) {
	p, n := t.vector(i, 4)
	for k := range n {
		v.spend(16)
		kv := fbTable{v, v.follow(p + 4*k)}
		kv.text(0)
		kv.text(1)
	}
}

// keyValue is the value of the first of the pairs of field i that has the key.
func (t fbTable) keyValue(i int, key string) (value string, ok bool) {
	p, n := t.vector(i, 4)
	for k := range n {
		kv := fbTable{t.v, t.v.follow(p + 4*k)}
		if at, size := kv.vector(0, 1); string(t.v.b[at:at+size]) != key {
			continue
		}
		at, size := kv.vector(1, 1)
		return string(t.v.b[at : at+size]), true
	}
	return "", false
}

// fields visits a list of fields and returns how many columns of views are among them and below, outside dictionaries.
func (v *verifier) fields(t fbTable, i, depth int, views *viewCount) (plain int) {
	if depth > maxDepth {
		panic(errMetadata)
	}
	p, n := t.vector(i, 4)
	for k := range n {
		v.spend(64)
		f := fbTable{v, v.follow(p + 4*k)}
		f.text(0)
		here := v.fields(f, 5, depth+1, views)
		if p := f.field(2); p != 0 && (v.b[p] == typeBinaryView || v.b[p] == typeUtf8View) {
			here++
		}
		v.keyValues(f, 6)
		p := f.field(4)
		if p == 0 {
			plain += here
			continue
		}
		id, dict := int64(0), fbTable{v, v.follow(p)}
		if p := dict.field(0); p != 0 {
			id = v.i64(p)
		}
		views.dicts[id] = max(views.dicts[id], here)
	}
	return plain
}

// batch checks a record batch with the given number of columns of views.
func (v *verifier) batch(t fbTable, bodyLen int64, views int) {
	if p := t.field(0); p != 0 && v.i64(p) < 0 {
		v.err = fmt.Errorf("record batch of %d rows", v.i64(p))
	}
	p, n := t.vector(1, 16)
	for k := range n {
		if rows := v.i64(p + 16*k); rows < 0 {
			v.err = fmt.Errorf("column of %d rows", rows)
		}
	}
	p, n = t.vector(2, 16)
	for k := range n {
		off, size := v.i64(p+16*k), v.i64(p+16*k+8)
		if off < 0 || size < 0 || off > bodyLen || size > bodyLen-off {
			v.err = fmt.Errorf("buffer %d of %d bytes at %d does not lie in its body of %d bytes", k,
				size, off, bodyLen)
		}
	}
	buffers := int64(n)
	p, n = t.vector(4, 8)
	if n < views {
		v.err = fmt.Errorf("%w: %d columns of text views, and buffer counts of %d", errMetadata, views, n)
	}
	for k := range n {
		if more := v.i64(p + 8*k); more < 0 || more > buffers {
			v.err = fmt.Errorf("a column of text views with %d more buffers, the batch has %d", more, buffers)
		}
	}
}
