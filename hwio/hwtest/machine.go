package hwtest

import (
	"sync"
)

// Readiness is the switch by which a file says that it can be read. It is safe for concurrent use.
type Readiness struct {
	mu    sync.Mutex
	ready bool
	flip  func(bool) // of the machine; nil where nobody polls
}

// NewReadiness returns a switch for a test without a machine. flip, if not nil, is called on every change.
func NewReadiness(flip func(bool)) *Readiness { return &Readiness{flip: flip} }

// Set says whether a read would find something now.
func (r *Readiness) Set(ready bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ready == r.ready {
		return
	}
	r.ready = ready
	if r.flip != nil {
		r.flip(ready)
	}
}

// Ready reports how the switch stands.
func (r *Readiness) Ready() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ready
}

// Machine is the emulated part of the system as models see it. Its methods are safe for concurrent use.
//
// The implementation (tree_linux_amd64.go) keeps the tree in a temporary folder: text files are real files there,
// rewritten in place, so that a program which holds one open reads its new content.
type Machine interface {
	// Settings are what the user of the emulation chose.
	Settings() *Settings
	// Own makes every path at or below prefix an emulated one: what is not in the tree does not exist there.
	// Files and nodes outside owned prefixes are emulated one by one.
	Own(prefix string)
	// File makes a text file, or replaces its content. Parents are made as needed.
	File(path, content string)
	// Dir makes an empty folder.
	Dir(path string)
	// Link makes a symbolic link; target as readlink shows it, absolute or relative.
	Link(path, target string)
	// Node makes a device node (character device) with the numbers that stat shows.
	Node(path string, major, minor uint32, mode uint32, n Node)
	// Fail makes every open of the path fail with errno (a unix.Errno); 0 takes that back.
	Fail(path string, errno error)
	// Watch has opened called on every open of a text file, before the program gets it: what opened writes there is
	// what the program reads.
	Watch(path string, opened func())
	// Remove takes a path and all below it away, as on hot unplug. Open files stay open.
	Remove(path string)
}
