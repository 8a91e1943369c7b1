package perfevent

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// Where the kernel's struct perf_event_mmap_page has the numbers that both sides use.
const (
	ringHead = 1024
	ringTail = 1032
	ringData = 1040
	ringSize = 1048
)

// ring is memory to which the kernel writes records: a page of numbers, then a power of two of pages of data.
type ring struct {
	data       []byte
	head, tail *uint64
	scratch    []byte // a record that lies across the end
	unmap      func() error
}

// newRing reads a mapping. The memory is aligned to a page, so that both numbers can be loaded at once.
func newRing(mem []byte, unmap func() error) (*ring, error) {
	at, n := binary.NativeEndian.Uint64(mem[ringData:]), binary.NativeEndian.Uint64(mem[ringSize:])
	if n == 0 || n&(n-1) != 0 || at > uint64(len(mem)) || n > uint64(len(mem))-at {
		return nil, fmt.Errorf("the kernel has mapped %d bytes for records and says that %d of them from %d on are the ring", len(mem), n, at)
	}
	r := &ring{data: mem[at : at+n], unmap: unmap}
	r.head, r.tail = (*uint64)(unsafe.Pointer(&mem[ringHead])), (*uint64)(unsafe.Pointer(&mem[ringTail]))
	return r, nil
}

// recordHeader is the length of struct perf_event_header: type, misc and size of the record.
const recordHeader = 8

// drain hands all records to f, whose body is only valid during the call, and gives their memory back to the kernel.
// full says that there was no room for as long a record as the longest.
func (r *ring) drain(f func(kind uint32, body []byte)) (full bool, err error) {
	head, tail := atomic.LoadUint64(r.head), atomic.LoadUint64(r.tail)
	size := uint64(len(r.data))
	// Whatever is wrong, the kernel gets its room back.
	defer atomic.StoreUint64(r.tail, head)
	if head-tail > size {
		return true, fmt.Errorf("the kernel's ring of %d bytes says that %d of them are unread", size, head-tail)
	}
	used, longest := head-tail, uint64(0)
	for tail != head {
		h := r.bytes(tail, recordHeader)
		kind, n := binary.NativeEndian.Uint32(h), uint64(binary.NativeEndian.Uint16(h[6:]))
		if n < recordHeader || n > head-tail {
			return false, fmt.Errorf("a record of %d bytes where %d are unread in the kernel's ring", n, head-tail)
		}
		f(kind, r.bytes(tail, n)[recordHeader:])
		tail += n
		longest = max(longest, n)
	}
	return used+longest > size, nil
}

// bytes are n bytes of the ring from a position on.
func (r *ring) bytes(at, n uint64) []byte {
	size := uint64(len(r.data))
	from := at % size
	if from+n <= size {
		return r.data[from : from+n]
	}
	r.scratch = append(append(r.scratch[:0], r.data[from:]...), r.data[:from+n-size]...)
	return r.scratch
}
