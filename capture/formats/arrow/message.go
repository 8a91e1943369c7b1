package arrow

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"astrolabe/capture"
)

// batchMessage makes the messages of a recording's batches in memory that it uses again. The rest of this package has
// arrow-go do that, which makes some ten objects for each column: for the few rows that a recorder has several times a
// second, with nothing of it in a cache any more, that took more time than the kernel took to write them.
type batchMessage struct {
	buf           []byte
	meta, body    int // where metadata and body begin
	nodes, places int // where the next node and the next place of a buffer stand
}

// Where the parts of the metadata of a record batch stand, a FlatBuffer of Message.fbs. What a place needs to be a
// multiple of (8 for whole numbers of 64 bits) they all are.
const (
	messageVtable, messageTable = 4, 20
	batchVtable, batchTable     = 44, 60
	nodesCount                  = 84 // their number; the nodes come behind it
	metadataV5                  = 4
)

// begin lays out the message of a batch of so many rows whose columns are fixed, and of so many labels. The notes are
// left out where they are empty.
func (m *batchMessage) begin(rows, fixed, labels int, notes string) {
	le := binary.LittleEndian
	nodes, places := fixed+labels, 2*fixed+3*labels
	m.buf = append(m.buf[:0], 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
	m.meta = len(m.buf)
	m.buf = append(m.buf, make([]byte, nodesCount+4+16*nodes+8+16*places)...)
	b := m.buf[m.meta:]
	m.nodes = m.meta + nodesCount + 4
	m.places = m.nodes + 16*nodes + 8
	refer := func(at, to int) { le.PutUint32(b[at:], uint32(to-at)) }

	refer(0, messageTable)
	// The lengths of vtable and table, then where version, kind, header, length of the body and custom metadata stand.
	for i, n := range []uint16{14, 24, 20, 22, 12, 4, 16} {
		le.PutUint16(b[messageVtable+2*i:], n)
	}
	le.PutUint32(b[messageTable:], messageTable-messageVtable)
	refer(messageTable+12, batchTable)
	le.PutUint16(b[messageTable+20:], metadataV5)
	b[messageTable+22] = byte(headerBatch)
	// The same of the batch: where number of rows, nodes and buffers stand.
	for i, n := range []uint16{10, 20, 4, 12, 16} {
		le.PutUint16(b[batchVtable+2*i:], n)
	}
	le.PutUint32(b[batchTable:], batchTable-batchVtable)
	le.PutUint64(b[batchTable+4:], uint64(rows))
	refer(batchTable+12, nodesCount)
	refer(batchTable+16, m.places-4-m.meta)
	le.PutUint32(b[nodesCount:], uint32(nodes))
	le.PutUint32(m.buf[m.places-4:], uint32(places))

	if notes == "" {
		le.PutUint16(b[messageVtable+4+2*4:], 0) // no custom metadata
	} else {
		refer(messageTable+16, len(b))
		m.keyValue(keyNotes, notes)
	}
	m.pad()
	m.body = len(m.buf)
	le.PutUint32(m.buf[4:], uint32(m.body-m.meta))
}

// keyValue appends a list of one pair.
func (m *batchMessage) keyValue(key, value string) {
	le := binary.LittleEndian
	m.buf = le.AppendUint32(m.buf, 1)  // of one
	m.buf = le.AppendUint32(m.buf, 12) // which is behind its vtable
	for _, n := range []uint16{8, 12, 4, 8} {
		m.buf = le.AppendUint16(m.buf, n)
	}
	m.buf = le.AppendUint32(m.buf, 8)
	text := len(m.buf) + 8
	m.buf = le.AppendUint32(m.buf, 8)
	m.buf = le.AppendUint32(m.buf, uint32(text+(4+len(key)+4)&^3-(text-4)))
	for _, s := range []string{key, value} {
		m.buf = le.AppendUint32(m.buf, uint32(len(s)))
		m.buf = append(append(m.buf, s...), 0)
		for len(m.buf)%4 != 0 {
			m.buf = append(m.buf, 0)
		}
	}
}

func (m *batchMessage) pad() {
	for len(m.buf)%8 != 0 {
		m.buf = append(m.buf, 0)
	}
}

// node says how many values the next column has, and how many of them are missing.
func (m *batchMessage) node(rows, missing int) {
	binary.LittleEndian.PutUint64(m.buf[m.nodes:], uint64(rows))
	binary.LittleEndian.PutUint64(m.buf[m.nodes+8:], uint64(missing))
	m.nodes += 16
}

// place ends a buffer that began at a position of m.buf.
func (m *batchMessage) place(from int) {
	binary.LittleEndian.PutUint64(m.buf[m.places:], uint64(from-m.body))
	binary.LittleEndian.PutUint64(m.buf[m.places+8:], uint64(len(m.buf)-from))
	m.places += 16
	m.pad()
}

// fixed appends the values of a column as they lie in memory.
func fixed[T int64 | uint64 | float64](m *batchMessage, v []T) {
	from := len(m.buf)
	m.buf = append(m.buf, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))...)
	m.place(from)
}

// bits appends a bitmap of n bits, or an empty one where none is missing.
func (m *batchMessage) bits(n int, has func(i int) bool) {
	from := len(m.buf)
	m.buf = append(m.buf, make([]byte, (n+7)/8)...)
	missing := n
	for i := range n {
		if has(i) {
			m.buf[from+i>>3] |= 1 << (i & 7)
			missing--
		}
	}
	if missing == 0 {
		m.buf = m.buf[:from]
	}
	m.node(n, missing)
	m.place(from)
}

func (m *batchMessage) times(v []int64) {
	m.node(len(v), 0)
	m.place(len(m.buf))
	fixed(m, v)
}

func (m *batchMessage) numbers(d capture.Data, integer bool) {
	switch n := d.Len(); {
	case integer && d.Valid.Bits == nil, !integer && !slices.ContainsFunc(d.F, math.IsNaN):
		m.node(n, 0)
		m.place(len(m.buf))
	case integer:
		m.bits(n, d.Valid.Get)
	default:
		m.bits(n, func(i int) bool { return !math.IsNaN(d.F[i]) })
	}
	if integer {
		fixed(m, d.U)
	} else {
		fixed(m, d.F)
	}
}

// texts appends labels as they are, in which the empty text is no value. A file cannot replace a dictionary, and not
// every program (polars) reads one that grows.
func (m *batchMessage) texts(v []string) {
	m.bits(len(v), func(i int) bool { return v[i] != "" })
	from := len(m.buf)
	ends := func(n int) { m.buf = binary.LittleEndian.AppendUint32(m.buf, uint32(n)) }
	ends(0)
	n := 0
	for _, s := range v {
		n += len(validText(s))
		ends(n)
	}
	m.place(from)
	from = len(m.buf)
	for _, s := range v {
		m.buf = append(m.buf, validText(s)...)
	}
	m.place(from)
}

// end completes the message and says how long its metadata is, with its length word, and how long its body.
func (m *batchMessage) end() (head int, body int64) {
	body = int64(len(m.buf) - m.body)
	binary.LittleEndian.PutUint64(m.buf[m.meta+messageTable+4:], uint64(body))
	return m.body, body
}
