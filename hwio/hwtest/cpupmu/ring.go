package cpupmu

import (
	"encoding/binary"
	"sync/atomic"
	"syscall"
	"unsafe"

	"astrolabe/hwio/hwtest/uapi"
)

// ring is the memory that a program maps to get records: a page of numbers and a power of two of pages with data. The
// model writes and moves data_head, the program reads and moves data_tail.
type ring struct {
	mem       []byte
	size      uint64 // of the data; 0 where nothing is mapped
	overwrite bool   // mapped to read only: nobody moves data_tail, old records go
	head      uint64
	told      uint64 // the head when the program was last woken
	lost      uint64 // records that found no room since the last that did
	users     []*sampled
	unread    []recordEnd // samples that the program has not gone past
}

// recordEnd is where in the stream a sample of an event ends.
type recordEnd struct {
	at uint64
	e  *event
}

const page = 4096

// maxRing bounds what of an event can be mapped. Memory that nobody writes to costs nothing.
const maxRing = page + 64<<20

// start makes the ring of a mapping of n bytes.
func (r *ring) start(n uint64, write bool) error {
	data := n - page
	if n <= page || data&(data-1) != 0 || n%page != 0 || r.size != 0 && r.size != data {
		return syscall.EINVAL
	}
	if n > uint64(len(r.mem)) {
		return syscall.ENOMEM
	}
	r.size, r.overwrite = data, !write
	s := uapi.Struct("perf_event_mmap_page")
	s.Set(r.mem, "size", uint64(s.Field("size").Offset))
	s.Set(r.mem, "data_offset", page)
	s.Set(r.mem, "data_size", data)
	return nil
}

// word is a number of the first page that both sides use.
func (r *ring) word(name string) *uint64 {
	return (*uint64)(unsafe.Pointer(&r.mem[uapi.Struct("perf_event_mmap_page").Field(name).Offset]))
}

// tail is how far the program has read. Its reads are over before it says so: the load is ordered before what is
// written over them.
func (r *ring) tail() uint64 { return atomic.LoadUint64(r.word("data_tail")) }

// put writes a record of event e, after one of those that found no room, and reports whether it found room itself.
func (r *ring) put(e *event, record []byte, sample bool) bool {
	var all []byte
	if r.lost > 0 {
		body := binary.LittleEndian.AppendUint64(nil, e.id)
		body = binary.LittleEndian.AppendUint64(body, r.lost)
		all = e.record("PERF_RECORD_LOST", 0, body, e.d.where(e, e.d.now()))
	}
	all = append(all, record...)
	if used := r.head - r.tail(); !r.overwrite && (used > r.size || r.size-used < uint64(len(all))) ||
		uint64(len(all)) > r.size {
		r.lost++
		return false
	}
	r.lost = 0
	for data, at := r.mem[page:page+r.size], r.head%r.size; len(all) > 0; at = 0 {
		n := copy(data[at:], all)
		r.head, all = r.head+uint64(n), all[n:]
	}
	// The records are there before the number that says so.
	atomic.StoreUint64(r.word("data_head"), r.head)
	if sample {
		r.forget()
		r.unread = append(r.unread, recordEnd{r.head, e})
	}
	r.wake(e, sample)
	return true
}

// forget drops what the program has read.
func (r *ring) forget() {
	tail, n := r.tail(), 0
	for n < len(r.unread) && (int64(r.unread[n].at-tail) <= 0 || r.head-r.unread[n].at >= r.size) {
		n++
	}
	r.unread = r.unread[n:]
}

// wake tells polls of the ring: after so many samples or bytes as the event asks for, else when it is half full.
func (r *ring) wake(e *event, sample bool) {
	a := e.attr
	if !a.watermark && a.wakeup > 0 {
		if !sample {
			return
		}
		if e.untold++; e.untold < a.wakeup {
			return
		}
		e.untold = 0
	} else {
		mark := r.size / 2
		if a.watermark && a.wakeup > 0 {
			mark = min(uint64(a.wakeup), r.size)
		}
		if r.head-r.told < mark {
			return
		}
	}
	r.told = r.head
	for _, u := range r.users {
		u.news = true
		u.ready.Set(true)
	}
}
