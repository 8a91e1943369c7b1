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
	release    func() error
}

var _ records = (*ring)(nil)

// newRing reads a mapping. The memory is aligned to a page, so that both numbers can be loaded at once.
func newRing(mem []byte, release func() error) (*ring, error) {
	at, n := binary.NativeEndian.Uint64(mem[ringData:]), binary.NativeEndian.Uint64(mem[ringSize:])
	if n == 0 || n&(n-1) != 0 || at > uint64(len(mem)) || n > uint64(len(mem))-at {
		return nil, fmt.Errorf("the kernel has mapped %d bytes for records and says that %d of them from %d on are the ring", len(mem), n, at)
	}
	r := &ring{data: mem[at : at+n], release: release}
	r.head, r.tail = (*uint64)(unsafe.Pointer(&mem[ringHead])), (*uint64)(unsafe.Pointer(&mem[ringTail]))
	return r, nil
}

// recordHeader is the length of struct perf_event_header: type, misc and size of the record.
const recordHeader = 8

func (r *ring) unmap() error { return r.release() }

// drain implements records.
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
		kind, n := recordHead(r.bytes(tail, recordHeader))
		if n < recordHeader || n > head-tail {
			return false, fmt.Errorf("a record of %d bytes where %d are unread in the kernel's ring", n, head-tail)
		}
		f(kind, r.bytes(tail, n)[recordHeader:])
		tail += n
		longest = max(longest, n)
	}
	return used+longest > size, nil
}

// recordHead reads a header: the kind of the record and its size.
func recordHead(h []byte) (kind uint32, size uint64) {
	return binary.NativeEndian.Uint32(h), uint64(binary.NativeEndian.Uint16(h[6:]))
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
