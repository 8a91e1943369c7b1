package guests

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memoryBase is where QEMU's arm64 machine "virt" has its memory, memorySize how much guests have.
const (
	memoryBase = 0x4000_0000
	memorySize = 1 << 30
)

// memory is the guest's, which this process shares: what a device would read and write.
type memory struct {
	path string
	data []byte
}

// newMemory makes the memory of an arm64 guest, a file that takes the room of what is written to it.
func newMemory(t testing.TB) *memory {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(memorySize); err != nil {
		t.Fatal(err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, memorySize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(data) })
	return &memory{path, data}
}

// machine is QEMU's arguments for it.
func (m *memory) machine() []string {
	return []string{"-object", "memory-backend-file,id=ram,size=1G,share=on,mem-path=" + m.path, "-machine",
		"memory-backend=ram"}
}

// at is so many bytes at a physical address, nil where there is no memory.
func (m *memory) at(address, size uint64) []byte {
	if address < memoryBase || size > memorySize || address-memoryBase > memorySize-size {
		return nil
	}
	return m.data[address-memoryBase:][:size]
}

// word is a register or an entry of a table, which the guest changes at any time. It is 0 where there is no memory.
func (m *memory) word(address uint64) uint32 {
	if b := m.at(address, 4); b != nil {
		return atomic.LoadUint32((*uint32)(unsafe.Pointer(&b[0])))
	}
	return 0
}

// swap writes a register and returns what it held.
func (m *memory) swap(address uint64, value uint32) uint32 {
	return atomic.SwapUint32((*uint32)(unsafe.Pointer(&m.at(address, 4)[0])), value)
}

// entry is an entry of a page table.
func (m *memory) entry(address uint64) uint64 {
	if b := m.at(address, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
