//go:build amd64 || arm64

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"astrolabe/hwio/internal/vendorproc"
)

// library is a shared library, loaded. It stays so: libraries that set up a GPU's runtime do not survive being
// unloaded.
type library struct {
	path   string
	handle uintptr
}

// load loads the library at path, or the first that the standard places have: globs of absolute paths, or names that
// the dynamic linker looks for.
func load(path, variable, what string, places []string) (*library, error) {
	if path == "" {
		path = os.Getenv(variable)
	}
	if path != "" {
		if _, err := os.Stat(path); strings.ContainsRune(path, '/') && err != nil {
			return nil, &vendorproc.Error{Kind: vendorproc.LibraryMissing,
				Text: fmt.Sprintf("%s is %s, where there is no library: %v", variable, path, errors.Unwrap(err))}
		}
		places = []string{path}
	}
	var failure error
	for _, place := range places {
		candidates := []string{place}
		if strings.ContainsAny(place, "*?") {
			candidates, _ = filepath.Glob(place) // the patterns are ours
			slices.Reverse(candidates)           // the newest version first
		}
		for _, c := range candidates {
			h, err := purego.Dlopen(c, purego.RTLD_NOW|purego.RTLD_GLOBAL)
			if err == nil {
				return &library{c, h}, nil
			}
			if _, there := os.Stat(c); there == nil && failure == nil {
				failure = err
			}
		}
	}
	if failure != nil {
		return nil, &vendorproc.Error{Kind: vendorproc.LibraryMissing,
			Text: fmt.Sprintf("%s is there but cannot be loaded: %v", what, failure)}
	}
	return nil, &vendorproc.Error{Kind: vendorproc.LibraryMissing,
		Text: fmt.Sprintf("%s is not installed: it is not at %s; %s can name another place", what,
			strings.Join(places, ", "), variable)}
}

// has looks for a function in the library and what it depends on; 0 where there is none.
func (l *library) has(name string) uintptr {
	p, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0
	}
	return p
}

// call calls a C function whose arguments are integers and pointers and whose result is an int.
func call(f uintptr, args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(f, args...)
	return int32(r)
}

// held is memory of this program that libraries get addresses of. It is never freed, and so never moves.
var held [][]uint64

// room is memory for a library, of so many words.
func room(words int) []uint64 {
	b := make([]uint64, words)
	held = append(held, b)
	return b
}

// roomFor makes *b, which room made, long enough for so many words.
func roomFor(b *[]uint64, words int) []uint64 {
	if len(*b) < words {
		*b = room(2 * words)
	}
	return (*b)[:words]
}

// address is what room returned, as an integer argument.
func address(b []uint64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// at is memory that belongs to a library.
func at(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// field reads a value at an offset of a library's struct.
func field[T any](p uintptr, offset uintptr) T { return *(*T)(unsafe.Add(at(p), offset)) }

// longestText bounds a string that a library gives.
const longestText = 16 << 10

// text copies a NUL-terminated string of a library; a null pointer is "".
func text(p uintptr) string {
	if p == 0 {
		return ""
	}
	var b []byte
	for i := range uintptr(longestText) {
		c := field[byte](p, i)
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return strings.ToValidUTF8(string(b), "?")
}
