// Package fake is a machine and a program's memory that tests of models keep in maps and slices, without a program that
// runs. Only tests import it.
package fake

import (
	"strings"
	"sync"
	"syscall"

	"astrolabe/hwio/hwtest"
)

// Tree is a Machine that only remembers.
type Tree struct {
	mu       sync.Mutex
	settings hwtest.Settings
	Files    map[string]string
	Links    map[string]string
	Dirs     map[string]bool
	Nodes    map[string]hwtest.Node
}

// NewTree is an empty machine with scenarios.
func NewTree(scenarios ...string) *Tree {
	return &Tree{settings: hwtest.Settings{Scenarios: scenarios, Seed: 7}, Files: map[string]string{},
		Links: map[string]string{}, Dirs: map[string]bool{}, Nodes: map[string]hwtest.Node{}}
}

// Settings implements hwtest.Machine.
func (m *Tree) Settings() *hwtest.Settings { return &m.settings }

// Own implements hwtest.Machine.
func (m *Tree) Own(string) {}

// Fail implements hwtest.Machine.
func (m *Tree) Fail(string, error) {}

// Watch implements hwtest.Machine.
func (m *Tree) Watch(string, func()) {}

// File implements hwtest.Machine.
func (m *Tree) File(path, content string) { m.mu.Lock(); m.Files[path] = content; m.mu.Unlock() }

// Dir implements hwtest.Machine.
func (m *Tree) Dir(path string) { m.mu.Lock(); m.Dirs[path] = true; m.mu.Unlock() }

// Link implements hwtest.Machine.
func (m *Tree) Link(path, target string) { m.mu.Lock(); m.Links[path] = target; m.mu.Unlock() }

// Node implements hwtest.Machine.
func (m *Tree) Node(path string, _, _, _ uint32, n hwtest.Node) {
	m.mu.Lock()
	m.Nodes[path] = n
	m.mu.Unlock()
}

// Remove implements hwtest.Machine.
func (m *Tree) Remove(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	remove(m.Files, path)
	remove(m.Links, path)
	remove(m.Dirs, path)
	remove(m.Nodes, path)
}

// remove takes a path away, and what is below it.
func remove[V any](m map[string]V, path string) {
	for p := range m {
		if p == path || strings.HasPrefix(p, path+"/") {
			delete(m, p)
		}
	}
}

// Has says whether there is a file or a folder.
func (m *Tree) Has(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.Files[path]
	return ok || m.Dirs[path]
}

// Memory is a program's memory: what was put there, from Base on.
type Memory struct{ B []byte }

// Base is the first address.
const Base = 0x10000

// Place is a piece of the memory.
func (m *Memory) Place(addr uint64, n int) ([]byte, error) {
	if addr < Base || addr-Base+uint64(n) > uint64(len(m.B)) {
		return nil, syscall.EFAULT
	}
	return m.B[addr-Base:][:n], nil
}

// Read implements hwtest.Memory.
func (m *Memory) Read(addr uint64, b []byte) error {
	p, err := m.Place(addr, len(b))
	copy(b, p)
	return err
}

// Write implements hwtest.Memory.
func (m *Memory) Write(addr uint64, b []byte) error {
	p, err := m.Place(addr, len(b))
	copy(p, b)
	return err
}

// Put appends to the memory and returns the address.
func (m *Memory) Put(b []byte) uint64 {
	addr := Base + uint64(len(m.B))
	m.B = append(m.B, b...)
	return addr
}
