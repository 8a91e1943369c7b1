package arrow

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/mapping"
	"astrolabe/capture/memory"
)

// afar is content that lies elsewhere: a mapping of the file that what is fetched of it goes to. Whoever looks at bytes
// of it says so before, or sees zeros. A nil one is content that is there.
type afar struct {
	data []byte
	d    *formats.Distant
}

// notThere is the panic of content that cannot be fetched: no place that looks at bytes has an error to return.
type notThere struct{ error }

func (e notThere) Unwrap() error { return e.error }

// caught is the error of a panic that has one of its own, nil of any other.
func caught(p any) error {
	if e, ok := p.(notThere); ok {
		return e.error
	}
	return memory.Caught(p)
}

// distantPiece is a file that lies elsewhere. free gives its mapping back.
func distantPiece(d *formats.Distant) (p piece, free func(), err error) {
	if !mapping.Shown(d.Size()) {
		if err := d.Need(0, d.Size()); err != nil {
			return piece{}, nil, err
		}
	}
	data, free, err := mapping.Load(d.File(), d.Size())
	if err != nil {
		return piece{}, nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	return piece{data: data, from: &afar{data, d}}, free, nil
}

// need has the bytes from from to to there.
func (a *afar) need(from, to int64) {
	if a == nil {
		return
	}
	if err := a.d.Need(from, to); err != nil {
		panic(notThere{err})
	}
}

// has has the bytes of b there, which is a part of the content or was made of it.
func (a *afar) has(b []byte) {
	if a != nil && len(b) > 0 {
		a.hasAt(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
}

func (a *afar) hasAt(p unsafe.Pointer, n int) {
	// What was unpacked lies elsewhere in memory.
	base := uintptr(unsafe.Pointer(unsafe.SliceData(a.data)))
	if at := uintptr(p); at >= base && at < base+uintptr(len(a.data)) {
		a.need(int64(at-base), int64(at-base)+int64(n))
	}
}

// hasChunk has rows [from, to) of a chunk there, with their bits of validity.
func (a *afar) hasChunk(ch chunk, width, from, to int) {
	if a == nil || from >= to || ch.values == nil {
		return
	}
	a.hasAt(unsafe.Add(ch.values, from*width), (to-from)*width)
	if ch.valid != nil {
		a.hasAt(unsafe.Pointer(ch.valid), (to+7)/8)
	}
}

// bufferCount is how many buffers a column has in a batch, 0 where that is not known here.
func bufferCount(t arrow.DataType) int {
	switch id := t.ID(); {
	case fixedWidth(t) > 0, isExotic(t), id == arrow.BOOL, id == arrow.DICTIONARY:
		return 2
	case id == arrow.STRING, id == arrow.LARGE_STRING:
		return 3
	}
	return 0
}

// needBatch has there what arrow-go looks at in a record batch, and what is read of it at once: all but the values of
// numbers. Of a batch of another form than the usual ones that is everything.
func (c *content) needBatch(m *rawMessage) {
	v := &verifier{b: m.meta, budget: 8*len(m.meta) + 1024}
	msg := fbTable{v, v.follow(0)}
	batch := fbTable{v, v.follow(msg.need(2))}
	at, n := batch.vector(2, 16)
	total := 0
	for i := range c.cols {
		count := bufferCount(c.cols[i].field.Type)
		if total += count; count == 0 {
			total = n + 1
		}
	}
	if batch.field(3) != 0 || total != n { // compressed, or unusual
		c.from.has(m.body)
		return
	}
	for i := range c.cols {
		count := bufferCount(c.cols[i].field.Type)
		for k := range count {
			from, size := v.i64(at+16*k), v.i64(at+16*k+8)
			if c.cols[i].width == 0 && from >= 0 && size >= 0 && from <= int64(len(m.body)) && size <= int64(len(m.body))-from {
				c.from.has(m.body[from : from+size])
			}
		}
		at += 16 * count
	}
}
