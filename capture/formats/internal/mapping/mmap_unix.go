//go:build unix

package mapping

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"astrolabe/capture/memory"
)

// shared says that a mapping shows what is written to its file.
const shared = true

// mappings are those that stand. A file that is opened again shares the one it has: nothing tells when the captures of
// a mapping are gone, so that a session that opened a file each time it looked at it would fill the address space. A
// shared mapping shows the file as it is, whoever opened it first, and a mapped file keeps its number, so that no other
// can have the same key.
var mappings = struct {
	sync.Mutex
	of map[mappedFile]*mapping
}{of: map[mappedFile]*mapping{}}

type mappedFile struct {
	device, inode uint64
	size          int64
}

type mapping struct {
	data   []byte
	forget func() // of memory.Mapped
	users  int    // openings that have not failed
}

// mapFile maps size bytes of f for reading.
func mapFile(f *os.File, size int64) (data []byte, unmap func(), err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	key := mappedFile{uint64(st.Dev), uint64(st.Ino), size}
	mappings.Lock()
	defer mappings.Unlock()
	m := mappings.of[key]
	if m == nil {
		data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			return nil, nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
		}
		m = &mapping{data: data, forget: memory.Mapped(f.Name(), data)}
		mappings.of[key] = m
	}
	m.users++
	return m.data, func() { m.release(key) }, nil
}

// release takes an opening that failed back, and the mapping away with the last.
func (m *mapping) release(key mappedFile) {
	mappings.Lock()
	defer mappings.Unlock()
	if m.users--; m.users == 0 {
		delete(mappings.of, key)
		m.forget()
		unix.Munmap(m.data)
	}
}
