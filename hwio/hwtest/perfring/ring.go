// Package perfring is the kernel's side of the memory that programs map to get records of perf events, for models that
// answer perf_event_open(2). It knows where records go, not what they say.
package perfring

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"astrolabe/hwio/hwtest/uapi"
)

// Page is the first part of a mapping, with the numbers that both sides use.
const Page = 4096

// Most bounds what of an event can be mapped. Memory that nobody writes to costs nothing.
const Most = Page + 64<<20

// Ring is a page of numbers and a power of two of pages with records. The model writes and moves data_head, the program
// reads and moves data_tail. Mem is set before all else.
type Ring struct {
	Mem       []byte
	Size      uint64 // of the records; 0 where nothing is mapped
	Head      uint64
	overwrite bool // mapped to read only: nobody moves data_tail, old records go
}

// Start makes the ring of a mapping of n bytes.
func (r *Ring) Start(n uint64, write bool) error {
	data := n - Page
	if n <= Page || data&(data-1) != 0 || n%Page != 0 || r.Size != 0 && r.Size != data {
		return syscall.EINVAL
	}
	if n > uint64(len(r.Mem)) {
		return syscall.ENOMEM
	}
	r.Size, r.overwrite = data, !write
	s := uapi.Struct("perf_event_mmap_page")
	s.Set(r.Mem, "size", uint64(s.Field("size").Offset))
	s.Set(r.Mem, "data_offset", Page)
	s.Set(r.Mem, "data_size", data)
	return nil
}

// Word is a number of the first page that both sides use.
func (r *Ring) Word(name string) *uint64 {
	return (*uint64)(unsafe.Pointer(&r.Mem[uapi.Struct("perf_event_mmap_page").Field(name).Offset]))
}

// Tail is how far the program has read. Its reads are over before it says so: the load is ordered before what is
// written over them.
func (r *Ring) Tail() uint64 { return atomic.LoadUint64(r.Word("data_tail")) }

// Put writes records, and reports whether there was room for all of them.
func (r *Ring) Put(records []byte) bool {
	if used := r.Head - r.Tail(); !r.overwrite && (used > r.Size || r.Size-used < uint64(len(records))) ||
		uint64(len(records)) > r.Size {
		return false
	}
	for data, at := r.Mem[Page:Page+r.Size], r.Head%r.Size; len(records) > 0; at = 0 {
		n := copy(data[at:], records)
		r.Head, records = r.Head+uint64(n), records[n:]
	}
	// The records are there before the number that says so.
	atomic.StoreUint64(r.Word("data_head"), r.Head)
	return true
}
